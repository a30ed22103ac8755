//! Serves the whole dashboard below a path, such as `/jobs`.
//!
//! Inside, every address begins at `/`: routes, policies, links, redirects. Only this file translates, as a proxy would. It
//! takes the path off requests, and puts it in front of the addresses in answers: `Location`, `Refresh`, cookies and the
//! links of pages. So no page can forget it. `<base href>` would not do: links that are only a fragment or a query would
//! lead elsewhere.

use crate::config::BasePath;
use crate::middleware::refusal::Refusal;
use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Redirect, Response};
use html5gum::Tokenizer;
use html5gum::emitters::callback::{CallbackEmitter, CallbackEvent};
use http::header::{
    CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HeaderName, HeaderValue, LOCATION, SET_COOKIE,
};
use http::uri::PathAndQuery;
use http::{HeaderMap, StatusCode, Uri};
use std::convert::Infallible;
use tower::ServiceExt as _;

/// What is answered without the path too.
const PROBES: [&str; 2] = ["/healthz", "/readyz"];
/// Attributes that hold addresses, in pages of ours. The last four are read by the script.
const LINKS: [&[u8]; 8] = [
    b"href",
    b"src",
    b"action",
    b"formaction",
    b"data-action",
    b"data-base",
    b"data-preview",
    b"data-search",
];

impl BasePath {
    /// Serves routes below the path, for a program that has the whole address to itself.
    ///
    /// Probes ask the process itself, so they are answered without the path too.
    pub(crate) fn nest(&self, routes: Router) -> Router {
        if self.is_root() {
            return routes;
        }
        let base = self.clone();
        Router::new().fallback(async move |mut request: Request| {
            let asked = request.uri().path_and_query().map_or("", PathAndQuery::as_str);
            match base.inside(asked) {
                Some(path) => *request.uri_mut() = Uri::from(path),
                None if PROBES.contains(&request.uri().path()) => {}
                None if request.uri().path() == "/" => {
                    return Redirect::temporary(base.as_str()).into_response();
                }
                None => return base.missed(),
            }
            routes.oneshot(request).await.into_response()
        })
    }

    /// The address that routes have for one below the path; `None` for one that is not.
    fn inside(&self, asked: &str) -> Option<PathAndQuery> {
        let rest = asked.strip_prefix(self.as_str())?;
        match rest.chars().next() {
            Some('/') => rest.parse().ok(),
            None | Some('?') => format!("/{rest}").parse().ok(),
            Some(_) => None,
        }
    }

    fn missed(&self) -> Response {
        let why = format!(
            "this dashboard is below {self}; have the proxy in front pass on the whole path, or take base_path out"
        );
        Refusal::new(StatusCode::NOT_FOUND, "outside_base_path", why).into_response()
    }

    /// Puts the path in front of the addresses in the headers of answers.
    pub(crate) fn lead_out(&self, routes: Router) -> Router {
        if self.is_root() { routes } else { routes.layer(from_fn_with_state(self.clone(), headers)) }
    }

    /// Puts the path in front of the links of pages.
    pub(crate) fn lead_pages_out(&self, routes: Router) -> Router {
        if self.is_root() { routes } else { routes.layer(from_fn_with_state(self.clone(), page)) }
    }

    /// The address below the path; `None` for one that leads to another site.
    fn outside(&self, address: &str) -> Option<String> {
        address.get(slash_of(address.as_bytes())?..).map(|rest| format!("{self}{rest}"))
    }

    /// A page whose links lead below the path.
    fn outside_page(&self, page: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(page.len() + page.len() / 8);
        let mut copied = 0;
        for (at, slash) in links(page) {
            out.extend_from_slice(&page[copied..at]);
            out.extend_from_slice(self.as_str().as_bytes());
            copied = at + slash;
        }
        out.extend_from_slice(&page[copied..]);
        out
    }
}

/// How many bytes at the start of an address the path takes the place of; `None` for an address on another site. Home gives
/// up its slash: axum's `nest` answers `/jobs`, but not `/jobs/`.
pub(crate) fn slash_of(address: &[u8]) -> Option<usize> {
    match address {
        [b'/', b'/', ..] => None,
        [b'/'] | [b'/', b'?' | b'#', ..] => Some(1),
        [b'/', ..] => Some(0),
        _ => None,
    }
}

/// Where in a page the addresses begin that its links lead to on this site, each with its [slash](slash_of).
fn links(page: &[u8]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut is_link = false;
    let mut name_end = 0;
    let mut emitter = CallbackEmitter::new(|event: CallbackEvent<'_>, span: html5gum::Span<usize>| {
        match event {
            CallbackEvent::AttributeName { name } => {
                is_link = LINKS.contains(&name);
                name_end = span.end;
            }
            CallbackEvent::AttributeValue { value } => {
                if let Some(slash) = slash_of(value).filter(|_| is_link) {
                    let behind_name = page.get(name_end..).unwrap_or_default();
                    let begins = behind_name.iter().position(|&byte| byte == b'/');
                    found.extend(begins.map(|at| (name_end + at, slash)));
                }
                is_link = false;
            }
            _ => {}
        }
        None::<Infallible>
    });
    emitter.naively_switch_states(true);
    // Nothing is emitted: reading to the end is all.
    Tokenizer::new_with_emitter(page, emitter).for_each(drop);
    found
}

/// The layer of [`BasePath::lead_out`].
async fn headers(State(base): State<BasePath>, request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    lead_headers_out(&base, response.headers_mut());
    response
}

fn lead_headers_out(base: &BasePath, headers: &mut HeaderMap) {
    const REFRESH: HeaderName = HeaderName::from_static("refresh");
    let outside = |value: &HeaderValue| base.outside(value.to_str().ok()?);
    if let Some(location) =
        headers.get(LOCATION).and_then(outside).and_then(|to| HeaderValue::try_from(to).ok())
    {
        headers.insert(LOCATION, location);
    }
    let refresh = headers.get(REFRESH).and_then(|value| value.to_str().ok()?.split_once("url="));
    let refresh =
        refresh.and_then(|(wait, to)| HeaderValue::try_from(format!("{wait}url={}", base.outside(to)?)).ok());
    if let Some(refresh) = refresh {
        headers.insert(REFRESH, refresh);
    }
    let cookies: Vec<HeaderValue> =
        headers.get_all(SET_COOKIE).iter().map(|value| cookie(base, value)).collect();
    headers.remove(SET_COOKIE);
    for cookie in cookies {
        headers.append(SET_COOKIE, cookie);
    }
}

/// A cookie of the path. Browsers take one that is guarded as `__Host-` of `/` alone; the path is in its name.
fn cookie(base: &BasePath, set: &HeaderValue) -> HeaderValue {
    let text = set.to_str().unwrap_or_default();
    if text.starts_with("__Host-") {
        return set.clone();
    }
    HeaderValue::try_from(text.replacen("; Path=/;", &format!("; Path={base};"), 1))
        .unwrap_or_else(|_| set.clone())
}

/// The layer of [`BasePath::lead_pages_out`]. Handlers that have to name the path find it in the request.
async fn page(State(base): State<BasePath>, mut request: Request, next: Next) -> Response {
    request.extensions_mut().insert(base.clone());
    let response = next.run(request).await;
    let headers = response.headers();
    let is_page = headers
        .get(CONTENT_TYPE)
        .and_then(|content| content.to_str().ok())
        .is_some_and(|content| content.starts_with("text/html"));
    if !is_page || headers.contains_key(CONTENT_ENCODING) {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    // A page has no bound of its own that could be named here; what rendered it has.
    let Ok(page) = to_bytes(body, usize::MAX).await else {
        return Refusal::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "broken_page",
            "the page broke off; reload it",
        )
        .into_response();
    };
    parts.headers.remove(CONTENT_LENGTH);
    Response::from_parts(parts, Body::from(Bytes::from(base.outside_page(&page))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn jobs() -> BasePath {
        "/jobs".parse().unwrap()
    }

    #[test]
    fn what_is_below_the_path_is_inside() {
        for (asked, inside) in [
            ("/jobs", Some("/")),
            ("/jobs/", Some("/")),
            ("/jobs?a=1", Some("/?a=1")),
            ("/jobs/jobs/delay?q=%2F", Some("/jobs/delay?q=%2F")),
            ("/jobs/job/a%2Fb", Some("/job/a%2Fb")),
            ("/jobsite", None),
            ("/job/a", None),
            ("/", None),
        ] {
            assert_eq!(jobs().inside(asked).as_ref().map(PathAndQuery::as_str), inside, "{asked}");
        }
    }

    #[test]
    fn links_of_a_page_lead_below_the_path_and_nothing_else_of_it_changes() {
        for (page, outside) in [
            (r#"<a href="/job/a">"#, r#"<a href="/jobs/job/a">"#),
            (r#"<a class="/x" href="/">"#, r#"<a class="/x" href="/jobs">"#),
            (r#"<a href="/?q=a">"#, r#"<a href="/jobs?q=a">"#),
            ("<a href='/x'>", "<a href='/jobs/x'>"),
            ("<a href=/x>", "<a href=/jobs/x>"),
            (r#"<a HREF = "/x">"#, r#"<a HREF = "/jobs/x">"#),
            (r#"<button formaction="/api/fn/x">"#, r#"<button formaction="/jobs/api/fn/x">"#),
            (
                r#"<form action="/a"><input name="back" value="/b">"#,
                r#"<form action="/jobs/a"><input name="back" value="/b">"#,
            ),
            (r#"<html data-base="/">"#, r#"<html data-base="/jobs">"#),
        ] {
            assert_eq!(String::from_utf8(jobs().outside_page(page.as_bytes())).unwrap(), outside);
        }
        for same in [
            r##"<a href="#page">"##,
            r#"<a href="?q=a">"#,
            r#"<a href="https://elsewhere.example/a">"#,
            r#"<a href="//elsewhere.example/a">"#,
            r#"<p> href="/x" </p>"#,
            r#"<p>&lt;a href="/x"&gt;</p>"#,
            r#"<p title="<a href='/x'>">"#,
            r#"<textarea><a href="/x"></textarea>"#,
            r#"<script>"<a href='/x'>"</script>"#,
            r#"<!-- <a href="/x"> -->"#,
            "<a href>/x</a>",
            "",
        ] {
            assert_eq!(String::from_utf8(jobs().outside_page(same.as_bytes())).unwrap(), same);
        }
    }

    #[test]
    fn headers_of_an_answer_lead_below_the_path() {
        let mut answer = HeaderMap::new();
        for (name, value) in [
            ("location", "/login?next=/audit"),
            ("refresh", "0; url=/audit"),
            ("set-cookie", "theme=dark; Path=/; Max-Age=1; SameSite=Strict"),
            ("set-cookie", "__Host-rp-jobs=a; Path=/; Max-Age=1; Secure"),
        ] {
            answer.append(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        lead_headers_out(&jobs(), &mut answer);
        assert_eq!(answer["location"], "/jobs/login?next=/audit");
        assert_eq!(answer["refresh"], "0; url=/jobs/audit");
        let cookies: Vec<_> = answer.get_all(SET_COOKIE).iter().collect();
        assert_eq!(
            cookies,
            [
                "theme=dark; Path=/jobs; Max-Age=1; SameSite=Strict",
                "__Host-rp-jobs=a; Path=/; Max-Age=1; Secure"
            ]
        );

        for (address, outside) in [("/", "/jobs"), ("/?said=a", "/jobs?said=a"), ("/audit", "/jobs/audit")] {
            assert_eq!(jobs().outside(address).as_deref(), Some(outside));
        }
        for (name, value) in [("location", "https://provider.example/authorize"), ("refresh", "10")] {
            let mut answer = HeaderMap::new();
            answer.append(HeaderName::from_static(name), HeaderValue::from_static(value));
            lead_headers_out(&jobs(), &mut answer);
            assert_eq!(answer[name], value);
        }
    }
}
