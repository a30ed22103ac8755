//! Queues whose ready jobs wait for nobody.

use leptos::prelude::*;
use reprieve::model::{Fleet, QueueName, StateGroup};

use crate::components::icons::{Icon, icon};
use crate::components::snippet::Snippet;
use crate::session::Session;
use crate::{routes, t};

/// One line for each queue that nobody serves, and the command that helps.
#[component]
pub(super) fn Unserved(fleet: Memo<Option<Fleet>>) -> impl IntoView {
    let unserved = Memo::new(move |_| {
        fleet.with(|fleet| fleet.as_ref().map(|fleet| fleet.unserved.clone()).unwrap_or_default())
    });
    let line = |(queue, ready): &(QueueName, u64)| {
        view! {
            <li>
                {icon(Icon::Warning)}
                <span>{t!("workers-unserved", queue = queue.to_string(), count = *ready)}</span>
                <a href=routes::jobs(StateGroup::Ready, Some(queue))>{t!("workers-see-them")}</a>
            </li>
        }
    };
    move || {
        unserved.with(|unserved| {
            let (first, _) = unserved.first()?;
            let code = start_command(Some(first));
            Some(view! {
                <section class="panel unserved" role="status">
                    <ul>{unserved.iter().map(line).collect_view()}</ul>
                    <p>{t!("workers-start")}</p>
                    <Snippet title="Shell" code/>
                </section>
            })
        })
    }
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
