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
    /// The picture of such a thing.
    pub picture: Icon,
    /// The state of a job.
    pub state: Option<JobState>,
}

/// One hit as a link.
#[component]
pub(crate) fn HitLink(hit: Hit) -> impl IntoView {
    let Hit { href, name, what, picture, state } = hit;
    let badge = state.map(|state| view! { <Badge state/> });
    view! {
        <a class="hit" href=href>
            {icon(picture)}
            <span class="hit-name">{name}</span>
            {badge}
            <small>{what}</small>
        </a>
    }
}
