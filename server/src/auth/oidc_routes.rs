//! The two routes of the sign-in by the provider: out, and back.

use super::accounts::Visit;
use super::cookies::Cookie;
use super::federated::{Stop, admit, refuse, write_down};
use super::oidc::{AT_ONCE_MAX, Flow, OidcProvider, mark};
use super::proven::Proven;
use super::refused::Refused;
use super::said::{encoded, saying, saying_proved};
use crate::middleware::refusal::Refusal;
use app::door::{going_on, next_page};
use axum::response::{IntoResponse as _, Redirect, Response};
use http::{StatusCode, Uri};
use reprieve_access::{Opened, People, counted_address};
use std::time::Duration;
use url::form_urlencoded;

/// Where a browser is sent to the provider.
const START: &str = "/login/oidc";
/// Where it comes back.
const CALLBACK: &str = "/login/oidc/callback";
/// Sign-ins of one address in a minute, out and back: an office behind one address comes to work.
const TRIES_MAX: u32 = 240;
/// How long a state is remembered as used: longer than it is good.
const USED_FOR: Duration = Duration::from_secs(1_200);
/// How old a proof may be that was asked for just now, in ms: as long as it then holds.
const PROOF_AGE_MAX_MS: i64 = 5 * 60_000;

/// Sends the browser to the provider.
pub(super) async fn start(visit: Visit, uri: Uri) -> Response {
    let Some(provider) = &visit.routes.provider else { return no_provider() };
    let query = uri.query().unwrap_or_default();
    let next = one(query, "next").unwrap_or_default();
    let (session, _) = visit.cookies();
    let before = if session.is_empty() { session } else { People::call_of(&session) };
    let flow = Flow::begin(next_page(&next), one(query, "prove").as_deref() == Some("1"), before);
    let address = async {
        within_limits(&visit).await?;
        Ok::<_, Stop>(provider.address(&flow, &place(&visit)).await?)
    };
    match address.await {
        Ok(url) => {
            let mut response = Redirect::to(url.as_str()).into_response();
            let mut put = |mark: &str, text: &str| {
                let answer = response.headers_mut();
                Cookie::Flow.put_marked(answer, (mark, text), &visit.parts.headers, &visit.routes.hosts);
            };
            for mark in too_many(Cookie::Flow.marked(&visit.parts.headers, &visit.routes.hosts)) {
                put(&mark, "");
            }
            put(mark(&flow.state).unwrap_or_default(), &flow.to_text());
            response
        }
        Err(stop) => refuse(&visit, stop, START, &flow.next).await,
    }
}

/// Takes the browser back, with what the provider gave it.
pub(super) async fn callback(visit: Visit, uri: Uri) -> Response {
    let Some(provider) = &visit.routes.provider else { return no_provider() };
    let query = uri.query().unwrap_or_default();
    let state = one(query, "state").unwrap_or_default();
    let flows = Cookie::Flow.marked(&visit.parts.headers, &visit.routes.hosts);
    let flow = flows.iter().filter_map(|(_, text)| Flow::read(text)).find(|flow| flow.is_of(&state));
    let own = flow.as_ref().and_then(|flow| mark(&flow.state)).map(str::to_owned);
    let next = flow.as_ref().map_or("/", |flow| next_page(&flow.next)).to_owned();
    let mut response = match come_in(&visit, provider, flow, query).await {
        Ok((opened, onward)) => visit.enter_from_elsewhere(&opened, &onward).await,
        Err(Stop::Refused(refused)) if refused.is_expired() => {
            write_down(&visit, &refused, CALLBACK).await;
            // A browser with a session does not show it on the way back from another site; the page to sign in sends them
            // on.
            let login = saying(&format!("/login?next={}", encoded(&next)), refused.said);
            visit.go_on(&login, going_on).await
        }
        Err(stop) => refuse(&visit, stop, CALLBACK, &next).await,
    };
    // Used or not, it is over; those of other tabs are not.
    if let Some(mark) = own {
        let answer = response.headers_mut();
        Cookie::Flow.put_marked(answer, (&mark, ""), &visit.parts.headers, &visit.routes.hosts);
    }
    response
}

/// The marks of those that have to go so that another one fits: what is over, and the oldest.
fn too_many(flows: Vec<(String, String)>) -> Vec<String> {
    let mut known: Vec<(i64, String)> = flows
        .into_iter()
        .map(|(mark, text)| (Flow::read(&text).map_or(i64::MIN, |flow| flow.at), mark))
        .collect();
    known.sort();
    let over = known.iter().filter(|(at, _)| *at == i64::MIN).count();
    let most = AT_ONCE_MAX.saturating_sub(1);
    known.truncate(over.max(known.len().saturating_sub(most)));
    known.into_iter().map(|(_, mark)| mark).collect()
}

/// The session of the person whom the provider proves, and where to go on to.
async fn come_in(
    visit: &Visit,
    provider: &OidcProvider,
    flow: Option<Flow>,
    query: &str,
) -> Result<(Opened, String), Stop> {
    within_limits(visit).await?;
    let state = one(query, "state").unwrap_or_default();
    let Some(flow) = flow.filter(|flow| flow.is_of(&state)) else {
        return Err(Refused::expired("the state is that of no sign-in of this browser").into());
    };
    if visit.routes.people.spend("oidc-state", &state, 1, USED_FOR).await?.is_some() {
        return Err(Refused::expired("the state was used before").into());
    }
    if one(query, "error").is_some() {
        return Err(Refused::denied().into());
    }
    let (code, issuer) = (one(query, "code").unwrap_or_default(), one(query, "iss"));
    let proven = provider.proven(&flow, &code, issuer.as_deref(), &place(visit)).await?;
    let opened = admit(visit, &proven).await?;
    if !flow.before.is_empty() {
        // Only one's own can be called that; somebody else's stays.
        let (name, by) = (&opened.name, opened.name.as_str());
        visit.routes.people.end_sessions(name, &flow.before, None, by, "signed in anew").await?;
    }
    Ok((opened, onward(&flow, &proven)))
}

/// Where to go on to. A person who was to prove who they are learns whether the provider says that they did.
fn onward(flow: &Flow, proven: &Proven) -> String {
    let next = next_page(&flow.next);
    if !flow.prove {
        return next.to_owned();
    }
    let now = jiff::Timestamp::now().as_millisecond();
    let age = proven.proved.map_or(i64::MAX, |proved| now.saturating_sub(proved.as_millis()));
    if age < PROOF_AGE_MAX_MS { saying_proved(next) } else { saying(next, "account.oidc_unproved") }
}

async fn within_limits(visit: &Visit) -> Result<(), Stop> {
    let from = visit.ip().map(|address| counted_address(address).to_string()).unwrap_or_default();
    match visit.routes.people.spend("oidc", &from, TRIES_MAX, Duration::from_secs(60)).await? {
        None => Ok(()),
        Some(_) => Err(Refused::busy().into()),
    }
}

/// The address of the callback as the provider knows it.
fn place(visit: &Visit) -> String {
    format!("{}{CALLBACK}", visit.address())
}

/// The value of a parameter that is there exactly once.
fn one(query: &str, name: &str) -> Option<String> {
    let mut found = form_urlencoded::parse(query.as_bytes()).filter(|(key, _)| key == name);
    let (_, value) = found.next()?;
    found.next().is_none().then(|| value.into_owned())
}

fn no_provider() -> Response {
    Refusal::new(StatusCode::NOT_FOUND, "no_provider", "nobody signs in by a provider here").into_response()
}
