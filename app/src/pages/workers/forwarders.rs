//! Who keeps the time: forwarders, and when they last looked.

use leptos::prelude::*;
use reprieve::model::{Fleet, ForwarderInfo};

use crate::components::time::{HERE, Time, TimedSentence};
use crate::t;

/// The table of forwarders.
#[component]
pub(super) fn Forwarders(fleet: Memo<Option<Fleet>>) -> impl IntoView {
    let summary = move || {
        fleet.with(|fleet| {
            let fleet = fleet.as_ref()?;
            Some(match fleet.forwarder_tick {
                Some(at) => {
                    let text = t!("workers-forwarder-tick", at = HERE);
                    view! { <p class="panel-body"><TimedSentence text at/></p> }.into_any()
                }
                None => view! { <p class="panel-body">{t!("workers-forwarder-never")}</p> }.into_any(),
            })
        })
    };
    let row = |forwarder: &ForwarderInfo, silent: bool| {
        let ticked = forwarder.ticked.map(|at| view! { <Time at/> });
        let state = if silent { t!("workers-state-silent") } else { t!("workers-state-live") };
        let standing = if silent { "silent" } else { "live" };
        view! {
            <tr data-standing=standing>
                <th scope="row"><code>{forwarder.host.clone()}</code></th>
                <td class="number">{forwarder.pid.to_string()}</td>
                <td>{forwarder.version.clone()}</td>
                <td><span class="standing" data-standing=standing>{state}</span></td>
                <td class="number">{ticked}</td>
            </tr>
        }
    };
    let rows = move || {
        fleet.with(|fleet| {
            let fleet = fleet.as_ref()?;
            let silent = |forwarder: &ForwarderInfo| !forwarder.is_heard(fleet.read_at);
            Some(fleet.forwarders.iter().map(|forwarder| row(forwarder, silent(forwarder))).collect_view())
        })
    };
    view! {
        <section class="panel" aria-labelledby="forwarders-title">
            <div class="panel-head">
                <h2 id="forwarders-title">{t!("workers-forwarders")}</h2>
            </div>
            {summary}
            <div class="table-scroll" tabindex="0" role="region" aria-labelledby="forwarders-title">
                <table class="table">
                    <thead>
                        <tr>
                            <th scope="col">{t!("workers-host")}</th>
                            <th scope="col" class="number">{t!("workers-process")}</th>
                            <th scope="col">{t!("workers-version")}</th>
                            <th scope="col">{t!("workers-state")}</th>
                            <th scope="col" class="number">{t!("workers-last-tick")}</th>
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
        </section>
    }
}
