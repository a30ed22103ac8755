//! The lists: which jobs are in a state.

use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::{use_params_map, use_query_map};
use reprieve::model::{JobRow, Page, QueueName, StateGroup};

use crate::api::list_jobs;
use crate::components::badge::Badge;
use crate::components::empty::Empty;
use crate::components::error_panel::ErrorPanel;
use crate::components::strip::Strip;
use crate::components::time::TimePair;
use crate::live::Live;
use crate::{i18n, routes};

/// One list, of one queue or of all.
#[component]
pub fn JobsPage() -> impl IntoView {
    let live = Live::get();
    let params = use_params_map();
    let query = use_query_map();
    let group = Memo::new(move |_| {
        params
            .with(|params| params.get_str("group").and_then(|word| word.parse().ok()))
            .unwrap_or(StateGroup::Delay)
    });
    let queue =
        Memo::new(move |_| query.with(|q| q.get_str("queue").and_then(|name| QueueName::new(name).ok())));
    let after = Memo::new(move |_| query.with(|q| q.get("after")));
    let page = Resource::new(
        move || (group.get(), queue.get(), after.get(), live.revision()),
        |(group, queue, after, _)| list_jobs(group, queue, None, after, None),
    );
    let rows = move || {
        Suspend::new(async move {
            match page.await {
                Ok(page) => {
                    view! { <Rows group=group.get_untracked() queue=queue.get_untracked() page/> }.into_any()
                }
                Err(error) => view! { <ErrorPanel error/> }.into_any(),
            }
        })
    };
    view! {
        <Title text="Jobs · Reprieve"/>
        <Strip/>
        <h1>{move || i18n::group(group.get())}</h1>
        <Transition>{rows}</Transition>
    }
}

#[component]
fn Rows(group: StateGroup, queue: Option<QueueName>, page: Page) -> impl IntoView {
    if page.rows.is_empty() {
        return view! { <Empty text=i18n::empty_list(group)/> }.into_any();
    }
    let base = routes::jobs(group, queue.as_ref());
    let next = page.next.map(|cursor| {
        let separator = if base.contains('?') { '&' } else { '?' };
        let href = format!("{base}{separator}after={cursor}");
        view! { <a class="button" href=href>"Next page"</a> }
    });
    view! {
        <table class="table">
            <thead>
                <tr>
                    <th scope="col">"Due"</th>
                    <th scope="col">"Job"</th>
                    <th scope="col">"State"</th>
                    <th scope="col">"Queue"</th>
                </tr>
            </thead>
            <tbody>{page.rows.into_iter().map(|row| view! { <Row row/> }).collect_view()}</tbody>
        </table>
        {next}
    }
    .into_any()
}

#[component]
fn Row(row: JobRow) -> impl IntoView {
    view! {
        <tr>
            <td><TimePair at=row.due/></td>
            <td>
                <a href=routes::job(&row.id)>{row.kind.to_string()}</a>
                <br/>
                <small>{row.subject.map(|subject| subject.to_string())}</small>
            </td>
            <td><Badge state=row.state/></td>
            <td>{row.queue.to_string()}</td>
        </tr>
    }
}
