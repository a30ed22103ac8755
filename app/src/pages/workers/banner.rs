//! Queues whose ready jobs wait for nobody.

use leptos::prelude::*;
use reprieve::model::{QueueName, StateGroup};

use crate::components::icons::{Icon, icon};
use crate::components::snippet::Snippet;
use crate::light::Told;
use crate::{routes, t};

/// One line for each queue that nobody serves, and what helps.
#[component]
pub(super) fn Unserved(
    /// Each with how many jobs wait in it.
    queues: Vec<(QueueName, u64)>,
) -> impl IntoView {
    let line = |one: &(QueueName, u64)| {
        view! {
            <li>
                {icon(Icon::Warning)}
                <span>{sentence(one)}</span>
                <a href=routes::jobs(StateGroup::Ready, Some(&one.0))>{t!("workers-see-them")}</a>
            </li>
        }
    };
    // How many wait changes all the time; which queues do is worth a word.
    let told = |one: &(QueueName, u64)| view! { <Told of=one.0.to_string() text=sentence(one)/> };
    let banner = queues.first().map(|(first, _)| {
        view! {
            <section class="panel unserved" role="note">
                <ul>{queues.iter().map(line).collect_view()}</ul>
                <p>{t!("workers-start")}</p>
                <Snippet title="reprieve.toml" code=webhook(Some(first))/>
            </section>
        }
    });
    view! {
        {queues.iter().map(told).collect_view()}
        {banner}
    }
}

fn sentence((queue, ready): &(QueueName, u64)) -> String {
    t!("workers-unserved", queue = queue.to_string(), count = *ready)
}

/// What has the jobs of a queue sent somewhere. It names no Redis: the server that reads it has its own.
pub(super) fn webhook(queue: Option<&QueueName>) -> String {
    let queue = queue.map_or("default", QueueName::as_str);
    format!("[[webhook]]\nqueue = \"{queue}\"\nurl = \"https://example.com/hook\"")
}
