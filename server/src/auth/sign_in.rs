//! Signing in and out.

use super::accounts::{Visit, failed};
use super::away;
use super::cookies::Cookie;
use super::guessed;
use super::refuse::asked;
use super::said::{back, back_with_next, saying_proved};
use crate::middleware::refusal::Refusal;
use app::door::next_page;
use axum::extract::{Form, Request};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use http::header::{HeaderName, HeaderValue, RETRY_AFTER};
use http::uri::PathAndQuery;
use http::{Method, StatusCode};
use reprieve::model::PersonName;
use reprieve_access::{Proof, SignIn};
use serde::Deserialize;

/// What the browser forgets when somebody signs out; cookies that keep how it looks stay.
const FORGET: HeaderValue = HeaderValue::from_static("\"cache\", \"storage\"");

/// The form of the page `/login`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Login {
    name: String,
    password: String,
    #[serde(default)]
    code: String,
    #[serde(default)]
    next: String,
}

/// Begins a session under a new id, whatever id the browser came with.
pub(super) async fn login(visit: Visit, Form(form): Form<Login>) -> Response {
    let proof = Proof { name: form.name.trim(), password: &form.password, code: &form.code };
    enter(&visit, &proof, "/login", next_page(&form.next)).await
}

/// The form of the page `/account/prove`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Prove {
    password: String,
    #[serde(default)]
    code: String,
    #[serde(default)]
    next: String,
}

/// Proves again who somebody is: their session goes on under a new id.
pub(super) async fn prove(visit: Visit, Form(form): Form<Prove>) -> Response {
    let proof = Proof { name: &visit.principal.name, password: &form.password, code: &form.code };
    let onward = saying_proved(next_page(&form.next));
    enter(&visit, &proof, "/account/prove", &onward).await
}

/// The form of the pages `/welcome` and `/first`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Begin {
    key: String,
    name: String,
    password: String,
    again: String,
}

impl Begin {
    fn page(&self, path: &str) -> String {
        let encoded = super::said::encoded;
        format!("{path}?name={}&key={}", encoded(&self.name), encoded(&self.key))
    }
}

/// Chooses a password with an invitation.
pub(super) async fn welcome(visit: Visit, Form(form): Form<Begin>) -> Response {
    let page = form.page("/welcome");
    if form.password != form.again {
        return back(&page, "account.differ");
    }
    let cookies = visit.cookies();
    let visitor = visit.visitor(&cookies);
    match visit.routes.people.accept(&form.name, &form.key, &form.password, &visitor).await {
        Ok(SignIn::In(opened)) => visit.enter(&opened, "/").await,
        Ok(SignIn::Wait(wait)) => {
            guessed::waits(visit.ip(), &form.name, "/welcome");
            back(&page, &waits(reprieve::wait_seconds(wait)))
        }
        // A person who has chosen already can sign in there. Unknown names are answered the same.
        Ok(_) => {
            guessed::wrong(visit.ip(), &form.name, "/welcome");
            back("/login", "account.invitation_over")
        }
        Err(error) => failed(&page, "people", &error),
    }
}

/// The word for a visitor who opens the first link from another machine: a container's published port is one.
const FIRST_ELSEWHERE: &str = "account.first_elsewhere";

/// The word for one whose link is good no more.
const FIRST_OVER: &str = "account.first_over";

/// Says before the form is filled in that it would be in vain.
pub(super) async fn first_is_here(visit: Visit, request: Request, next: Next) -> Response {
    let why = match (visit.is_here(), visit.routes.first.is_open()) {
        (false, _) => FIRST_ELSEWHERE,
        (true, false) => FIRST_OVER,
        (true, true) => return next.run(request).await,
    };
    let says_something = asked(request.uri(), "said").is_some();
    if says_something || !matches!(*request.method(), Method::GET | Method::HEAD) {
        return next.run(request).await;
    }
    let page = request.uri().path_and_query().map_or("/first", PathAndQuery::as_str);
    back(page, why)
}

/// Makes the first admin: only with the link that the program printed, only from this machine, only once.
pub(super) async fn first(visit: Visit, Form(form): Form<Begin>) -> Response {
    let page = form.page("/first");
    if !visit.is_here() {
        if visit.reads_pages() {
            return back(&page, FIRST_ELSEWHERE);
        }
        return Refusal::new(
            StatusCode::FORBIDDEN,
            "link_not_here",
            "this link works only on the machine that runs the program, and you come from another, or through a published \
             port; run `reprieve people add <name> --role admin` there: the link that it prints works from anywhere",
        )
        .into_response();
    }
    if !visit.routes.first.is_good(&form.key) {
        if visit.reads_pages() {
            return back(&page, FIRST_OVER);
        }
        return Refusal::new(
            StatusCode::FORBIDDEN,
            "link_not_good",
            "this link is good once, for 15 minutes, on the machine that printed it; start the program again for another",
        )
        .into_response();
    }
    if form.password != form.again {
        return back(&page, "account.differ");
    }
    let Ok(name) = form.name.trim().to_lowercase().parse::<PersonName>() else {
        return back(&page, "people.invalid");
    };
    if let Err(error) = visit.routes.people.found(&name, &form.password).await {
        return failed(&page, "people", &error);
    }
    visit.routes.first.close();
    let proof = Proof { name: name.as_str(), password: &form.password, code: "" };
    enter(&visit, &proof, "/login", "/").await
}

/// Ends the session here and in the browser.
pub(super) async fn logout(visit: Visit) -> Response {
    if let Err(error) = visit.routes.people.sign_out(visit.principal.session.as_str()).await {
        return away::untold(&error);
    }
    let mut response = back("/login", "account.bye");
    let answer = response.headers_mut();
    Cookie::Session.put(answer, "", &visit.parts.headers, &visit.routes.hosts);
    // Below a path, the rest of the site is somebody else's.
    if visit.routes.hosts.base().is_root() {
        answer.insert(HeaderName::from_static("clear-site-data"), FORGET);
    }
    response
}

/// The word for a wait of so many seconds.
fn waits(seconds: u64) -> String {
    format!("account.wait.{seconds}")
}

/// Begins a session for a person who proves who they are, and goes on; back to the page for everybody else.
async fn enter(visit: &Visit, proof: &Proof<'_>, page: &str, next: &str) -> Response {
    let cookies = visit.cookies();
    match visit.routes.people.sign_in(proof, &visit.visitor(&cookies)).await {
        Ok(SignIn::In(opened)) => visit.enter(&opened, next).await,
        Ok(SignIn::Wait(wait)) => {
            guessed::waits(visit.ip(), proof.name, page);
            let seconds = reprieve::wait_seconds(wait);
            let mut response = back_with_next(page, &waits(seconds), next);
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
            response
        }
        Ok(SignIn::Busy) if visit.reads_pages() => back_with_next(page, "account.busy", next),
        Ok(SignIn::Busy) => Refusal::new(
            StatusCode::TOO_MANY_REQUESTS,
            "busy",
            "too many people are signing in at once; try again in a moment",
        )
        .into_response(),
        Ok(_) => {
            guessed::wrong(visit.ip(), proof.name, page);
            back_with_next(page, "account.wrong", next)
        }
        Err(error) => away::untold(&error),
    }
}
