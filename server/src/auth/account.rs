//! One's own account: password, second factor, sessions.

use super::accounts::{AccountRoutes, Caller, failed};
use super::said::back;
use super::{guessed, refuse};
use app::door::Shown;
use app::refused::Refused;
use axum::Extension;
use axum::extract::{Form, State};
use axum::response::{IntoResponse as _, Response};
use http::header::SET_COOKIE;
use http::request::Parts;
use reprieve::Error;
use reprieve::model::PersonName;
use reprieve_access::{People, Principal, Way};
use serde::Deserialize;

/// The page they all lead back to.
const PAGE: &str = "/account";

/// Whose account it is.
fn own(principal: &Principal) -> Result<PersonName, Response> {
    let name = (principal.way == Way::Session).then(|| principal.name.parse().ok()).flatten();
    // There are accounts only where people sign in.
    name.ok_or_else(|| refuse::undeclared().into_response())
}

/// Says in the log what became of a proof that was no good.
fn told<T>(principal: &Principal, proved: &Result<T, Error>, is_right: impl Fn(&T) -> bool) {
    match proved {
        Ok(proved) if is_right(proved) => {}
        Ok(_) => guessed::wrong(principal.address, &principal.name, PAGE),
        Err(error) if People::refusal(error) == Some("rate_limited") => {
            guessed::waits(principal.address, &principal.name, PAGE);
        }
        Err(_) => {}
    }
}

/// Back to the page, which says with this word what is wrong, at the field that is.
fn wrong(parts: &Parts, word: &str, field: &str) -> Response {
    let (said, cookie) = Refused::of_account(parts, word, field);
    let mut response = back(PAGE, &said);
    if let Some(cookie) = cookie {
        response.headers_mut().append(SET_COOKIE, cookie);
    }
    response
}

/// The same for a new password that is none.
fn refused(parts: &Parts, error: &Error) -> Response {
    match People::refusal(error) {
        Some(word @ ("short" | "long" | "common")) => wrong(parts, &format!("account.{word}"), "wanted"),
        _ => failed(PAGE, "people", error),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NewPassword {
    present: String,
    wanted: String,
    again: String,
}

/// Changes the password; all other sessions end.
pub(super) async fn password(
    State(account_routes): State<AccountRoutes>,
    Extension(principal): Extension<Principal>,
    parts: Parts,
    Form(form): Form<NewPassword>,
) -> Result<Response, Response> {
    let name = own(&principal)?;
    if form.wanted != form.again {
        return Ok(wrong(&parts, "account.differ", "again"));
    }
    let session = principal.session.as_str();
    let people = account_routes.people_as(&principal);
    let changed = people.change_password(&name, &form.present, &form.wanted, session).await;
    told(&principal, &changed, |changed| *changed);
    Ok(match changed {
        Ok(true) => back(PAGE, "account.password"),
        Ok(false) => wrong(&parts, "account.wrong", "present"),
        Err(error) => refused(&parts, &error),
    })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Present {
    #[serde(rename = "present-factor")]
    present: String,
}

/// Begins to set a second factor up; the page then shows its secret.
pub(super) async fn begin_factor(
    State(account_routes): State<AccountRoutes>,
    Extension(principal): Extension<Principal>,
    parts: Parts,
    Form(form): Form<Present>,
) -> Result<Response, Response> {
    let name = own(&principal)?;
    let begun = account_routes.people_as(&principal).begin_second_factor(&name, &form.present).await;
    told(&principal, &begun, Option::is_some);
    Ok(match begun {
        Ok(None) => wrong(&parts, "account.wrong", "present-factor"),
        Ok(Some(_)) => axum::response::Redirect::to(PAGE).into_response(),
        Err(error) => failed(PAGE, "people", &error),
    })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Code {
    code: String,
}

/// Ends setting it up, and shows the recovery codes.
pub(super) async fn confirm_factor(
    State(account_routes): State<AccountRoutes>,
    Extension(principal): Extension<Principal>,
    caller: Caller,
    parts: Parts,
    Form(form): Form<Code>,
) -> Result<Response, Response> {
    let name = own(&principal)?;
    let confirmed = account_routes.people_as(&principal).confirm_second_factor(&name, &form.code).await;
    told(&principal, &confirmed, Option::is_some);
    Ok(match confirmed {
        Ok(Some(codes)) => account_routes.show(&caller, Shown::RecoveryCodes(codes)).await,
        Ok(None) => wrong(&parts, "account.code", "code"),
        Err(error) => failed(PAGE, "people", &error),
    })
}

/// Stops asking for a second factor.
pub(super) async fn drop_factor(
    State(account_routes): State<AccountRoutes>,
    Extension(principal): Extension<Principal>,
    parts: Parts,
    Form(form): Form<Present>,
) -> Result<Response, Response> {
    let name = own(&principal)?;
    let dropped = account_routes.people_as(&principal).drop_second_factor(&name, &form.present).await;
    told(&principal, &dropped, |dropped| *dropped);
    Ok(match dropped {
        Ok(true) => back(PAGE, "account.no_factor"),
        Ok(false) => wrong(&parts, "account.wrong", "present-factor"),
        Err(error) => failed(PAGE, "people", &error),
    })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Which {
    #[serde(default)]
    id: String,
}

/// Ends one of one's sessions, or all but this one.
pub(super) async fn end_sessions(
    State(account_routes): State<AccountRoutes>,
    Extension(principal): Extension<Principal>,
    Form(form): Form<Which>,
) -> Result<Response, Response> {
    let name = own(&principal)?;
    let here = Some(principal.session.as_str());
    Ok(
        match account_routes
            .people_as(&principal)
            .end_sessions(&name, &form.id, here, name.as_str(), "")
            .await
        {
            Ok(_) => back(PAGE, "account.ended"),
            Err(error) => failed(PAGE, "people", &error),
        },
    )
}
