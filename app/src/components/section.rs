//! A panel of a page of forms.

use leptos::prelude::*;

/// One section of such a page, with its heading.
#[component]
pub(crate) fn Section(
    /// Its place in the address, behind `#`.
    id: &'static str,
    #[prop(into)] title: String,
    /// What it is about, in a sentence; empty for none.
    #[prop(optional, into)]
    hint: String,
    children: Children,
) -> impl IntoView {
    let heading = format!("{id}-title");
    let labelled = heading.clone();
    let hint = (!hint.is_empty()).then(|| view! { <p class="settings-hint">{hint}</p> });
    view! {
        <section class="panel settings-section" id=id aria-labelledby=labelled>
            <div class="panel-head">
                <h2 id=heading>{title}</h2>
            </div>
            <div class="panel-body">
                {hint}
                {children()}
            </div>
        </section>
    }
}
