//! What the routes share behind which people prove who they are and change accounts.

use super::away::{self, Context};
use super::cookies::{Cookie, origin};
use super::first_run::FirstRun;
use super::oidc::OidcProvider;
use super::proxy::TrustedProxy;
use super::refuse::wants_html;
use super::said::back;
use crate::middleware::client_ip::address_of;
use crate::middleware::host::Hosts;
use app::door::{self, Onward, Shown};
use app::routes;
use axum::body::Body;
use axum::extract::{FromRequestParts, Request};
use axum::response::{IntoResponse as _, Redirect, Response};
use http::header::{HeaderName, HeaderValue, USER_AGENT};
use http::request::Parts;
use leptos::prelude::IntoView;
use reprieve::{Engine, Error};
use reprieve_access::{Opened, People, Principal, Tokens, Visitor};
use std::convert::Infallible;
use std::net::IpAddr;

/// What these routes share.
#[derive(Clone)]
pub(crate) struct AccountRoutes {
    pub(super) engine: Engine,
    pub(super) people: People,
    pub(super) tokens: Tokens,
    pub(super) hosts: Hosts,
    pub(super) first: FirstRun,
    pub(super) provider: Option<OidcProvider>,
    pub(super) proxy: Option<TrustedProxy>,
    pub(super) context: Context,
}

impl AccountRoutes {
    pub(crate) fn new(
        engine: &Engine,
        hosts: Hosts,
        first: FirstRun,
        (provider, proxy): (Option<OidcProvider>, Option<TrustedProxy>),
        context: Context,
    ) -> Self {
        let (people, tokens) = (People::new(engine), Tokens::new(engine));
        Self { engine: engine.clone(), people, tokens, hosts, first, provider, proxy, context }
    }
}

/// A request about accounts.
pub(super) struct Visit {
    pub(super) routes: AccountRoutes,
    /// Who is signed in.
    pub(super) principal: Principal,
    pub(super) parts: Parts,
}

impl FromRequestParts<AccountRoutes> for Visit {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, routes: &AccountRoutes) -> Result<Self, Infallible> {
        let principal = parts.extensions.get::<Principal>().cloned().unwrap_or_else(Principal::nobody);
        Ok(Self { routes: routes.clone(), principal, parts: parts.clone() })
    }
}

impl Visit {
    /// Whose it is.
    pub(super) fn ip(&self) -> Option<IpAddr> {
        address_of(&self.parts.extensions)
    }

    /// For the engine; `session` and `device` as [`Self::cookies`] reads them.
    pub(super) fn visitor<'a>(&'a self, (session, device): &'a (String, String)) -> Visitor<'a> {
        let agent = self.parts.headers.get(USER_AGENT).and_then(|value| value.to_str().ok());
        Visitor { address: self.ip(), agent: agent.unwrap_or_default(), session, device }
    }

    /// Whether the sender reads what comes back in a browser.
    pub(super) fn reads_pages(&self) -> bool {
        wants_html(&self.parts.headers)
    }

    /// Whether it comes from this machine.
    pub(super) fn is_here(&self) -> bool {
        self.ip().is_some_and(|address| address.is_loopback())
    }

    /// The accounts, changed by them.
    pub(super) fn people(&self) -> People {
        self.routes.people.called_by(&self.principal.actor())
    }

    /// The tokens, changed by them.
    pub(super) fn tokens(&self) -> Tokens {
        self.routes.tokens.called_by(&self.principal.actor())
    }

    /// The page that shows something once.
    pub(super) async fn show(&self, shown: Shown) -> Response {
        self.page(shown, door::shown_once).await
    }

    pub(super) async fn page<T, V>(&self, about: T, view: fn() -> V) -> Response
    where
        T: Clone + Send + Sync + 'static,
        V: IntoView + 'static,
    {
        let mut request = Request::new(Body::empty());
        *request.headers_mut() = self.parts.headers.clone();
        away::render(&self.routes.context, request, about, view).await
    }

    /// Goes on with the session that has just begun.
    pub(super) async fn enter(&self, opened: &Opened, onward: &str) -> Response {
        let onward = self.onward_from_home(opened, onward).await;
        self.with_cookies(Redirect::to(&onward).into_response(), opened)
    }

    /// Where somebody goes on to: where they were on the way to, or where their role begins.
    async fn onward_from_home(&self, opened: &Opened, onward: &str) -> String {
        if onward != routes::OVERVIEW {
            return onward.to_owned();
        }
        // They are in; a Redis that does not answer this one question is told of by the page.
        let person = self.routes.people.get(&opened.name).await.ok().flatten();
        routes::home(person.map(|person| person.role)).to_owned()
    }

    /// The same for a browser that another site has sent. A redirect would still be that site's, and browsers would
    /// keep the session's cookie from it; the page that this answers with is ours, and goes on by itself.
    pub(super) async fn enter_from_elsewhere(&self, opened: &Opened, onward: &str) -> Response {
        let onward = self.onward_from_home(opened, onward).await;
        let response = self.go_on(&onward, door::signed_in).await;
        self.with_cookies(response, opened)
    }

    /// A page of ours that goes on by itself.
    pub(super) async fn go_on<V>(&self, onward: &str, view: fn() -> V) -> Response
    where
        V: IntoView + 'static,
    {
        let mut response = self.page(Onward(onward.to_owned()), view).await;
        if let Ok(value) = HeaderValue::from_str(&format!("0; url={onward}")) {
            response.headers_mut().insert(HeaderName::from_static("refresh"), value);
        }
        response
    }

    fn with_cookies(&self, mut response: Response, opened: &Opened) -> Response {
        let answer = response.headers_mut();
        Cookie::Session.put(answer, &opened.session, &self.parts.headers, &self.routes.hosts);
        Cookie::Device.put(answer, &opened.device, &self.parts.headers, &self.routes.hosts);
        response
    }

    /// The address under which the browser sees us, without a slash at its end.
    pub(super) fn address(&self) -> String {
        format!("{}{}", origin(&self.parts.headers, &self.routes.hosts), self.routes.hosts.base())
    }

    /// The session that the browser has, and what makes it known.
    pub(super) fn cookies(&self) -> (String, String) {
        let read = |cookie: Cookie| cookie.read(&self.parts.headers, &self.routes.hosts);
        (read(Cookie::Session), read(Cookie::Device))
    }
}

/// What a form that cannot be read, or an engine that cannot answer, leads to. `area` is the page's word for it.
pub(super) fn failed(page: &str, area: &str, error: &Error) -> Response {
    match (People::refusal(error), error) {
        (Some(word @ ("short" | "long" | "common" | "rate_limited")), _) => {
            back(page, &format!("account.{word}"))
        }
        (Some(word), _) => back(page, &format!("people.{word}")),
        (None, error) if error.is_transient() => away::untold(error),
        (None, _) => back(page, &format!("{area}.invalid")),
    }
}
