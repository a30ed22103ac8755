//! Queues whose ready jobs wait for nobody.

use leptos::prelude::*;
use reprieve::model::{Fleet, QueueName, StateGroup};

use crate::components::icons::{Icon, icon};
use crate::components::snippet::Snippet;
use crate::live::voice::Voice;
use crate::session::Session;
use crate::{routes, t};

/// One line for each queue that nobody serves, and the command that helps.
#[component]
pub(super) fn Unserved(fleet: Memo<Option<Fleet>>) -> impl IntoView {
    let unserved = Memo::new(move |_| {
        fleet.with(|fleet| fleet.as_ref().map(|fleet| fleet.unserved.clone()).unwrap_or_default())
    });
    // How many wait changes all the time; which queues do is worth a word.
    let queues = Memo::new(move |_| {
        unserved.with(|unserved| unserved.iter().map(|(queue, _)| queue.clone()).collect::<Vec<_>>())
    });
    Voice::get().follow(move || {
        let any = queues.with(|queues| !queues.is_empty());
        any.then(|| {
            unserved.with_untracked(|unserved| unserved.iter().map(sentence).collect::<Vec<_>>().join(" "))
        })
    });
    let line = |one: &(QueueName, u64)| {
        view! {
            <li>
                {icon(Icon::Warning)}
                <span>{sentence(one)}</span>
                <a href=routes::jobs(StateGroup::Ready, Some(&one.0))>{t!("workers-see-them")}</a>
            </li>
        }
    };
    move || {
        unserved.with(|unserved| {
            let (first, _) = unserved.first()?;
            let code = start_command(Some(first));
            Some(view! {
                <section class="panel unserved" role="note">
                    <ul>{unserved.iter().map(line).collect_view()}</ul>
                    <p>{t!("workers-start")}</p>
                    <Snippet title="Shell" code/>
                </section>
            })
        })
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
