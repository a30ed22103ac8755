//! Text to copy into a terminal or a file.

use leptos::prelude::*;
use reprieve::model::Permission;

use super::copy::CopyButton;
use crate::session::Session;
use crate::{routes, t};

/// A few lines of code with a button that copies them.
#[component]
pub(crate) fn Snippet(
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

/// What stands for a token in a call, until somebody puts theirs there.
const TOKEN: &str = "TOKEN";

/// The line of a call with curl that says who calls, behind the address; empty where the API asks nobody.
pub(crate) fn token_line(session: &Session) -> String {
    match session.asks_for_token {
        true => format!(" \\\n  -H 'authorization: Bearer {TOKEN}'"),
        false => String::new(),
    }
}

/// That a call needs a token, and where one is made; nothing where the API asks for none.
#[component]
pub(crate) fn TokenNote() -> impl IntoView {
    let session = Session::get();
    session.asks_for_token.then(|| {
        let way = if session.may(Permission::ManageTokens) {
            let href = format!("{}#tokens", routes::PEOPLE);
            view! { <a href=href>{t!("frame-token-make")}</a> }.into_any()
        } else {
            t!("frame-token-who").into_any()
        };
        view! { <p class="quiet">{t!("frame-token-put", token = TOKEN)} " " {way}</p> }
    })
}
