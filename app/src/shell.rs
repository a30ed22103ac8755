//! The HTML document around the app, and the headers that guard it.

use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY};
use http::{HeaderName, HeaderValue};
use leptos::nonce::use_nonce;
use leptos::prelude::*;
use leptos_axum::ResponseOptions;
use leptos_meta::MetaTags;

use crate::App;
use crate::access::Assets;
use crate::i18n::Language;
use crate::light;
use crate::preferences::{Preferences, SingleKeys, Theme, Width};
use crate::routes;

/// The document of every page.
///
/// The server calls it inside a request, with [`Assets`] in the context.
pub fn shell() -> impl IntoView {
    guard_page();
    // No data for hydration comes along.
    if let Some(shared) = Owner::current_shared_context() {
        shared.set_is_hydrating(false);
    }
    let Assets { root, build } = use_context().unwrap_or_default();
    let build = (!build.is_empty()).then_some(build);
    let preferences = Preferences::of_request();
    let style = format!("{root}/main.css");
    let icon = format!("{root}/favicon.svg");
    view! {
        <!DOCTYPE html>
        <html
            lang=Language::current().tag()
            data-theme=Theme::current().as_str()
            data-navigation=Width::current().as_str()
            data-keys=SingleKeys::current().as_str()
            data-density=preferences.density.as_str()
            data-build=build
            // A link as any other: the script reads the path from it that everything is below.
            data-base=routes::OVERVIEW
        >
            <head>
                <meta charset="utf-8"/>
                <meta name="viewport" content="width=device-width, initial-scale=1"/>
                <meta name="color-scheme" content="light dark"/>
                <link rel="stylesheet" href=style/>
                <link rel="icon" type="image/svg+xml" href=icon/>
                <Script root/>
                <MetaTags/>
            </head>
            <body>
                <App/>
            </body>
        </html>
    }
}

/// The script of the page, and what it says.
#[component]
fn Script(
    /// Where the files are, without a slash at the end.
    root: String,
) -> impl IntoView {
    let words = (!light::is_read_again()).then(|| view! { <meta name="words" content=light::words()/> });
    view! {
        {words}
        <script type="module" nonce=use_nonce() src=format!("{root}/live.js")></script>
    }
}

/// Sets what must be on every page: the content security policy with this response's nonce.
///
/// Leptos puts the nonce on the scripts it writes itself. Nothing is allowed that we do not use.
pub(crate) fn guard_page() {
    let Some(response) = use_context::<ResponseOptions>() else { return };
    let nonce = use_nonce().map(|nonce| format!(" 'nonce-{nonce}'")).unwrap_or_default();
    let policy = format!(
        "default-src 'none'; script-src 'self'{nonce}; style-src 'self'{nonce}; \
         img-src 'self' data:; font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; \
         object-src 'none'; frame-ancestors 'none'"
    );
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        response.insert_header(CONTENT_SECURITY_POLICY, policy);
    }
    response.insert_header(HeaderName::from_static("x-frame-options"), HeaderValue::from_static("DENY"));
    // A page holds what the visitor may see: never from a shared cache, and fresh on "back".
    response.insert_header(CACHE_CONTROL, HeaderValue::from_static("no-store"));
}
