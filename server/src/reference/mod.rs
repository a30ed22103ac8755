//! The document of the HTTP API, and `GET /api/docs`: a page to read it, made on the server and without a script.

mod bounds;
mod document;
mod operation;
mod schema;

pub use document::document;

use crate::http_api;
use crate::site::Site;
use app::preferences::Theme;
use axum::Router;
use axum::extract::State;
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, COOKIE};
use http::{HeaderMap, HeaderValue};
use maud::{DOCTYPE, Markup, html};
use operation::Operation;
use reprieve::Engine;
use serde_json::Value;
use std::sync::Arc;

/// The page has a style sheet and an icon of ours, and nothing else.
const CSP: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; \
     frame-ancestors 'none'",
);

/// The HTTP API, with its document.
pub fn api(engine: Engine) -> Router {
    let (routes, _) = document::routes().split_for_parts();
    http_api::router(routes, engine)
}

/// The page.
pub(crate) fn router(site: Arc<Site>) -> Router {
    Router::new().route("/api/docs", get(page)).with_state(site)
}

async fn page(State(site): State<Arc<Site>>, headers: HeaderMap) -> Response {
    let document = document();
    let page = render(document, &site.root(), theme(&headers));
    let headers = [(CONTENT_SECURITY_POLICY, CSP), (CACHE_CONTROL, HeaderValue::from_static("no-cache"))];
    (headers, Html(page.into_string())).into_response()
}

/// The visitor's choice, from the cookie that the dashboard keeps it in.
fn theme(headers: &HeaderMap) -> Theme {
    let cookies = headers.get(COOKIE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let word = cookies.split(';').find_map(|pair| pair.trim().strip_prefix("theme="));
    word.and_then(|word| word.parse().ok()).unwrap_or_default()
}

fn render(document: &Value, assets: &str, theme: Theme) -> Markup {
    let operations = Operation::all(document);
    let tags = document["tags"].as_array().map(Vec::as_slice).unwrap_or_default();
    html! {
        (DOCTYPE)
        html lang="en" data-theme=(theme.as_str()) {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { "HTTP API · Reprieve" }
                link rel="stylesheet" href={ (assets) "/main.css" };
                link rel="icon" type="image/svg+xml" href={ (assets) "/favicon.svg" };
            }
            body {
                a.skip href="#page" { "Skip to the page" }
                div.frame {
                    nav.navigation aria-label="Pages" {
                        a.brand href="/" { span { "Reprieve" } }
                        a href="/" { span { "Dashboard" } }
                        @for tag in tags { a href={ "#" (text(&tag["name"])) } { span { (text(&tag["name"])) } } }
                        a href="#shapes" { span { "shapes" } }
                    }
                    div.frame-body {
                        main #page .page.reference tabindex="-1" { (content(document, &operations, tags)) }
                    }
                }
            }
        }
    }
}

fn content(document: &Value, operations: &[Operation<'_>], tags: &[Value]) -> Markup {
    html! {
        header.reference-head {
            h1 { "HTTP API " small { (text(&document["info"]["version"])) } }
            (prose(text(&document["info"]["description"])))
            p { a href="/api/v1/openapi.json" { "The document itself, OpenAPI " (text(&document["openapi"])) } }
        }
        @for tag in tags {
            @let name = text(&tag["name"]);
            section.panel id=(name) {
                div.panel-head { h2 { (name) } small { (text(&tag["description"])) } }
                div.panel-body {
                    @for operation in operations.iter().filter(|operation| operation.is_about(name)) {
                        (operation.render())
                    }
                }
            }
        }
        section.panel #shapes {
            div.panel-head { h2 { "shapes" } small { "What bodies and answers are made of." } }
            div.panel-body { (schema::shapes(&document["components"]["schemas"])) }
        }
    }
}

/// A text of the document; empty if it is none.
fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Paragraphs, with what stands in backticks as code.
fn prose(text: &str) -> Markup {
    html! { @for paragraph in text.split("\n\n") { p { (inline(paragraph)) } } }
}

/// A text with what stands in backticks as code.
fn inline(text: &str) -> Markup {
    html! {
        @for (index, part) in text.split('`').enumerate() {
            @if index % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_shows_every_operation_and_leads_only_to_places_it_has() {
        let document = document();

        let page = render(document, "/assets/x", Theme::Dark).into_string();

        for (path, item) in document["paths"].as_object().unwrap() {
            for (method, operation) in item.as_object().unwrap() {
                let id = operation["operationId"].as_str().unwrap();
                assert!(page.contains(&format!("id=\"{id}\"")), "{method} {path} is not on the page");
            }
        }
        for link in page.split("href=\"#").skip(1).map(|rest| rest.split('"').next().unwrap()) {
            assert!(page.contains(&format!("id=\"{link}\"")), "#{link} leads nowhere");
        }
        assert!(!page.contains("style=") && !page.contains("<script"), "the policy of the page forbids it");
    }

    #[test]
    fn what_is_code_is_told_from_what_is_not() {
        assert_eq!(inline("a `<b>` c").into_string(), "a <code>&lt;b&gt;</code> c");
    }
}
