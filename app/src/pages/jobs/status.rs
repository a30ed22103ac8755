//! How a filtered list was answered: at once by an index, or by looking through jobs, which can be stopped.

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::rows::Rows;
use crate::t;

/// What the bar says of a filtered list.
#[component]
pub(crate) fn Status(
    /// Its rows.
    rows: Rows,
) -> impl IntoView {
    // With script it looks on by itself until there is a page of rows.
    Effect::new(move |before: Option<()>| {
        if before.is_none() && !rows.progress().indexed && rows.is_short() {
            spawn_local(rows.look_on());
        }
    });
    let text = move || {
        let progress = rows.progress();
        if progress.indexed {
            return t!("filter-indexed", count = progress.among);
        }
        let looked = progress.looked_at.min(progress.among);
        t!("filter-scanned", looked = looked, among = progress.among, found = rows.list().len())
    };
    let button = move || {
        if rows.is_looking() {
            let stop = move |_| rows.stop_looking();
            return Some(view! { <button type="button" class="button" data-size="small" on:click=stop>{t!("filter-stop")}</button> }.into_any());
        }
        let on = move |_| spawn_local(rows.look_on());
        (!rows.progress().indexed && rows.is_short())
            .then(|| view! { <button type="button" class="button" data-size="small" on:click=on>{t!("filter-look-on")}</button> }.into_any())
    };
    view! {
        <span class="list-status" role="status">{text}</span>
        {button}
    }
}
