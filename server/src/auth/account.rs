//! One's own account: password, second factor, sessions.

use super::accounts::{Visit, failed};
use super::said::{back, back_with};
use super::{guessed, refuse};
use app::door::Shown;
use app::refused::Refused;
use axum::extract::Form;
use axum::response::{IntoResponse as _, Response};
use reprieve::Error;
use reprieve::model::PersonName;
use reprieve_access::{Credential, People, Principal};
use serde::Deserialize;

/// The page they all lead back to.
const PAGE: &str = "/account";

impl Visit {
    /// Whose account it is.
    fn own(&self) -> Result<PersonName, Response> {
        let principal = &self.principal;
        let name =
            (principal.credential == Credential::Session).then(|| principal.name.parse().ok()).flatten();
        // There are accounts only where people sign in.
        name.ok_or_else(|| refuse::undeclared().into_response())
    }

    /// Says in the log what became of a proof that was no good.
    fn log<T>(&self, proved: &Result<T, Error>, is_right: impl Fn(&T) -> bool) {
        let Principal { address, name, .. } = &self.principal;
        match proved {
            Ok(proved) if is_right(proved) => {}
            Ok(_) => guessed::wrong(*address, name, PAGE),
            Err(error) if People::refusal(error) == Some("rate_limited") => {
                guessed::waits(*address, name, PAGE);
            }
            Err(_) => {}
        }
    }

    /// Back to the page, which says with this word what is wrong, at the field that is.
    fn wrong(&self, word: &str, field: &str) -> Response {
        back_with(Refused::of_account(&self.parts, word, field), PAGE)
    }

    /// The same for a new password that is none.
    fn refused(&self, error: &Error) -> Response {
        match People::refusal(error) {
            Some(word @ ("short" | "long" | "common")) => self.wrong(&format!("account.{word}"), "wanted"),
            _ => failed(PAGE, "people", error),
        }
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
pub(super) async fn password(visit: Visit, Form(form): Form<NewPassword>) -> Result<Response, Response> {
    let name = visit.own()?;
    if form.wanted != form.again {
        return Ok(visit.wrong("account.differ", "again"));
    }
    let session = visit.principal.session.as_str();
    let people = visit.people();
    let changed = people.change_password(&name, &form.present, &form.wanted, session).await;
    visit.log(&changed, |changed| *changed);
    Ok(match changed {
        Ok(true) => back(PAGE, "account.password"),
        Ok(false) => visit.wrong("account.wrong", "present"),
        Err(error) => visit.refused(&error),
    })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Present {
    #[serde(rename = "present-factor")]
    present: String,
}

/// Begins to set a second factor up; the page then shows its secret.
pub(super) async fn begin_factor(visit: Visit, Form(form): Form<Present>) -> Result<Response, Response> {
    let name = visit.own()?;
    let begun = visit.people().begin_second_factor(&name, &form.present).await;
    visit.log(&begun, Option::is_some);
    Ok(match begun {
        Ok(None) => visit.wrong("account.wrong", "present-factor"),
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
pub(super) async fn confirm_factor(visit: Visit, Form(form): Form<Code>) -> Result<Response, Response> {
    let name = visit.own()?;
    let confirmed = visit.people().confirm_second_factor(&name, &form.code).await;
    visit.log(&confirmed, Option::is_some);
    Ok(match confirmed {
        Ok(Some(codes)) => visit.show(Shown::RecoveryCodes(codes)).await,
        Ok(None) => visit.wrong("account.code", "code"),
        Err(error) => failed(PAGE, "people", &error),
    })
}

/// Stops asking for a second factor.
pub(super) async fn drop_factor(visit: Visit, Form(form): Form<Present>) -> Result<Response, Response> {
    let name = visit.own()?;
    let dropped = visit.people().drop_second_factor(&name, &form.present).await;
    visit.log(&dropped, |dropped| *dropped);
    Ok(match dropped {
        Ok(true) => back(PAGE, "account.no_factor"),
        Ok(false) => visit.wrong("account.wrong", "present-factor"),
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
pub(super) async fn end_sessions(visit: Visit, Form(form): Form<Which>) -> Result<Response, Response> {
    let name = visit.own()?;
    let here = Some(visit.principal.session.as_str());
    Ok(match visit.people().end_sessions(&name, &form.id, here, name.as_str(), "").await {
        Ok(_) => back(PAGE, "account.ended"),
        Err(error) => failed(PAGE, "people", &error),
    })
}
