//! Queues whose ready jobs wait for nobody.

use leptos::prelude::*;
use reprieve::model::{QueueName, StateGroup};

use crate::components::icons::{Icon, icon};
use crate::components::snippet::Snippet;
use crate::light::Told;
use crate::session::Session;
use crate::{routes, t};

/// One line for each queue that nobody serves, and the command that helps.
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
                <Snippet title="Shell" code=start_command(Some(first))/>
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

/// What starts a worker of this namespace for the jobs of a queue.
pub(super) fn start_command(queue: Option<&QueueName>) -> String {
    let namespace = Session::get().namespace;
    let namespace = if namespace.is_empty() || namespace == "default" {
        String::new()
    } else {
        format!(" --namespace {namespace}")
    };
    let queue = queue.map(|queue| format!("queue = \"{queue}\"\n")).unwrap_or_default();
    format!(
        "cat >> reprieve.toml <<'END'\n[[webhook]]\nkind = \"*\"\n{queue}url = \"https://example.com/hook\"\nEND\n\
         reprieve worker --config reprieve.toml --redis redis://127.0.0.1:6379{namespace}"
    )
}
