//! Tables of pages.

use leptos::prelude::*;

/// The head of a column.
pub(crate) struct Head {
    text: String,
    /// Whether its cells are numbers.
    is_number: bool,
    /// Whether it is heard alone.
    is_hidden: bool,
}

/// Of a column of words.
pub(crate) fn head(text: impl Into<String>) -> Head {
    Head { text: text.into(), is_number: false, is_hidden: false }
}

/// Of a column of numbers.
pub(crate) fn number(text: impl Into<String>) -> Head {
    Head { is_number: true, ..head(text) }
}

/// Of a column that says by itself what it is to those who see it.
pub(crate) fn hidden(text: impl Into<String>) -> Head {
    Head { is_hidden: true, ..head(text) }
}

/// A table that scrolls by itself where it is wider than its place.
#[component]
pub(crate) fn Table(
    /// What it is, for those who hear it.
    #[prop(optional, into)]
    label: Option<String>,
    /// The id of the heading that says so.
    #[prop(optional)]
    named_by: Option<&'static str>,
    /// What chooses its style.
    #[prop(optional)]
    class: &'static str,
    heads: Vec<Head>,
    /// The id of its rows, which stay while somebody points at them.
    #[prop(optional)]
    still: Option<&'static str>,
    /// Its rows.
    children: Children,
) -> impl IntoView {
    let role = if named_by.is_some() { "group" } else { "region" };
    let heads = heads.into_iter().map(|Head { text, is_number, is_hidden }| {
        let class = is_number.then_some("number");
        view! { <th scope="col" class=class><span class=is_hidden.then_some("visually-hidden")>{text}</span></th> }
    });
    view! {
        <div class="table-scroll" tabindex="0" role=role aria-label=label aria-labelledby=named_by>
            <table class=format!("table {class}")>
                <thead>
                    <tr>{heads.collect_view()}</tr>
                </thead>
                <tbody id=still data-still=still.map(|_| "")>{children()}</tbody>
            </table>
        </div>
    }
}
