//! Calls that kept Redis busy for long.

use leptos::prelude::*;
use reprieve::model::SlowCall;

use crate::components::table::{Table, head, number};
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
            <Table named_by="redis-slow" class="cards" heads=vec![
                head(t!("redis-slow-what")), number(t!("redis-slow-took")), number(t!("redis-slow-when")),
            ]>
                {calls.into_iter().map(row).collect_view()}
            </Table>
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
