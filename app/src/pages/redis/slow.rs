//! Calls that kept Redis busy for long.

use leptos::prelude::*;
use reprieve::model::SlowCall;

use crate::components::time::Time;
use crate::{format, t};

/// The table of slow calls; why there is none where it may not be read.
#[component]
pub(super) fn SlowCalls(slow: Option<Vec<SlowCall>>) -> impl IntoView {
    let body = match slow {
        None => view! { <p class="panel-body">{t!("redis-slow-denied")}</p> }.into_any(),
        Some(calls) if calls.is_empty() => {
            view! { <p class="panel-body">{t!("redis-slow-none")}</p> }.into_any()
        }
        Some(calls) => view! {
            <div class="table-scroll" tabindex="0" role="group" aria-labelledby="redis-slow">
                <table class="table cards">
                    <thead>
                        <tr>
                            <th scope="col">{t!("redis-slow-what")}</th>
                            <th scope="col" class="number">{t!("redis-slow-took")}</th>
                            <th scope="col" class="number">{t!("redis-slow-when")}</th>
                        </tr>
                    </thead>
                    <tbody>{calls.into_iter().map(row).collect_view()}</tbody>
                </table>
            </div>
            <p class="panel-body"><small>{t!("redis-slow-hint")}</small></p>
        }
        .into_any(),
    };
    view! {
        <section class="panel" aria-labelledby="redis-slow">
            <div class="panel-head">
                <h2 id="redis-slow">{t!("redis-slow")}</h2>
            </div>
            {body}
        </section>
    }
}

fn row(call: SlowCall) -> impl IntoView {
    let what = if call.ours {
        t!("redis-slow-script", name = call.what)
    } else {
        t!("redis-slow-command", name = call.what)
    };
    view! {
        <tr>
            <th scope="row">{what}</th>
            <td class="number" data-label=t!("redis-slow-took")>{format::short_ms(call.took_us / 1_000)}</td>
            <td class="number" data-label=t!("redis-slow-when")><Time at=call.at/></td>
        </tr>
    }
}
