//! Text to copy into a terminal or a file.

use leptos::prelude::*;

use super::copy::CopyButton;

/// A few lines of code with a button that copies them.
#[component]
pub fn Snippet(
    /// What it is for: `curl`, `Rust`.
    title: &'static str,
    /// The lines.
    code: String,
) -> impl IntoView {
    view! {
        <figure class="snippet">
            <figcaption>{title} <CopyButton text=code.clone() what=title/></figcaption>
            <pre tabindex="0"><code>{code}</code></pre>
        </figure>
    }
}
