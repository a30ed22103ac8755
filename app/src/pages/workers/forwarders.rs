//! Who keeps the time: forwarders, and when they last looked.

use leptos::prelude::*;
use reprieve::model::{Fleet, ForwarderInfo, Timestamp};

use crate::components::table::{Table, head, number};
use crate::components::time::{HERE, Time, TimedSentence};
use crate::{format, t};

/// That a forwarder is silent, and for how long as far as it was ever heard.
fn silent_word(forwarder: &ForwarderInfo, read_at: Timestamp) -> String {
    match forwarder.ticked {
        Some(at) => {
            t!("workers-state-silent-for", span = format::span(read_at.millis_since(at).max(0)))
        }
        None => t!("workers-state-silent"),
    }
}

/// The table of forwarders.
#[component]
pub(super) fn Forwarders(fleet: Fleet) -> impl IntoView {
    let summary = match fleet.forwarder_tick {
        Some(at) => {
            let text = t!("workers-forwarder-tick", at = HERE);
            view! { <p class="panel-body"><TimedSentence text at/></p> }.into_any()
        }
        None => view! { <p class="panel-body">{t!("workers-forwarder-never")}</p> }.into_any(),
    };
    let row = |forwarder: ForwarderInfo| {
        let ticked = forwarder.ticked.map(|at| view! { <Time at/> });
        let (state, standing) = if forwarder.is_heard(fleet.read_at) {
            (t!("workers-state-live"), "live")
        } else {
            (silent_word(&forwarder, fleet.read_at), "silent")
        };
        view! {
            <tr data-standing=standing>
                <th scope="row"><code>{forwarder.host}</code></th>
                <td class="number" data-label=t!("workers-process")>{forwarder.pid.to_string()}</td>
                <td data-label=t!("workers-version")>{forwarder.version}</td>
                <td data-label=t!("workers-state")><span class="standing" data-standing=standing>{state}</span></td>
                <td class="number" data-label=t!("workers-last-tick")>{ticked}</td>
            </tr>
        }
    };
    let rows = fleet.forwarders.into_iter().map(row).collect_view();
    view! {
        <section class="panel" aria-labelledby="forwarders-title">
            <div class="panel-head">
                <h2 id="forwarders-title">{t!("workers-forwarders")}</h2>
            </div>
            {summary}
            <Table named_by="forwarders-title" class="cards" heads=vec![
                head(t!("workers-host")), number(t!("workers-process")), head(t!("workers-version")),
                head(t!("workers-state")), number(t!("workers-last-tick")),
            ]>
                {rows}
            </Table>
        </section>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_silent_forwarder_says_for_how_long_where_it_was_ever_heard() {
        let at = |ms| Timestamp::from_millis(ms).unwrap();
        let mut forwarder = ForwarderInfo::new("a", "host", 7);
        assert_eq!(silent_word(&forwarder, at(200_000)), "Silent");
        forwarder.ticked = Some(at(80_000));
        assert_eq!(silent_word(&forwarder, at(200_000)), "Silent: not heard from for 2 m");
        assert_eq!(silent_word(&forwarder, at(10_000)), "Silent: not heard from for 0 ms", "clocks differ");
    }
}
