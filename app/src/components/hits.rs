//! Where a typed word leads, as links.

use leptos::prelude::*;
use reprieve::model::JobState;

use super::badge::Badge;
use super::icons::{Icon, icon};

/// One link of a list of hits: where it leads, its name, and what it is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Hit {
    /// Where it leads.
    pub href: String,
    /// Its name.
    pub name: String,
    /// What it is, in the language of the page.
    pub what: String,
    /// What sort of thing it is, for its picture.
    pub sort: Sort,
}

/// A sort of thing that has a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sort {
    /// A page with its picture.
    Page(Icon),
    /// A job in a state.
    Job(JobState),
    /// A subject.
    Subject,
    /// A queue.
    Queue,
    /// A kind of job.
    Kind,
    /// A schedule.
    Schedule,
}

impl Sort {
    /// The state of a job.
    const fn state(self) -> Option<JobState> {
        match self {
            Self::Job(state) => Some(state),
            _ => None,
        }
    }

    fn picture(self) -> Icon {
        match self {
            Self::Page(picture) => picture,
            Self::Job(state) => Icon::of_state(state),
            Self::Subject => Icon::Lifebuoy,
            Self::Queue => Icon::Tray,
            Self::Kind => Icon::List,
            Self::Schedule => Icon::Repeat,
        }
    }
}

/// One hit as a link.
#[component]
pub(crate) fn HitLink(hit: Hit) -> impl IntoView {
    let Hit { href, name, what, sort } = hit;
    let badge = sort.state().map(|state| view! { <Badge state/> });
    view! {
        <a class="hit" href=href>
            {icon(sort.picture())}
            <span class="hit-name">{name}</span>
            {badge}
            <small>{what}</small>
        </a>
    }
}
