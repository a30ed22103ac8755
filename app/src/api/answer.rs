//! How an act answers: data for programs, a redirect for a form.

use std::future::Future;
use std::hash::Hash;

use reprieve::model::QueueName;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::done::Done;
use crate::error::ApiError;
use crate::i18n::{OTHER_CHARS_MIN, bad_name, chosen_why};
use crate::print::print;
use crate::refused::Refused;
use crate::request::sent_by_plain_form;
use crate::session::is_production;

/// The longest address a form may ask to come back to; longer ones lead home.
const BACK_BYTES_MAX: usize = 2_000;

/// The operation id of a form with what it asks for: the same form sent again with something else in it is no repeat of what
/// was asked first. Empty stays empty.
pub(super) fn operation_for(operation: String, asked: &impl Hash) -> String {
    if operation.is_empty() { operation } else { format!("{operation}:{}", print(asked)) }
}

/// Runs an act and prepares the response around its answer.
///
/// `back` is where a plain form wants to return to; the word of the outcome goes
/// along, so that the page can say what happened. The word comes from `code`.
pub(super) async fn to<T>(
    back: Option<String>,
    code: impl FnOnce(&T) -> String,
    act: impl Future<Output = Result<T, ApiError>>,
) -> Result<T, ApiError> {
    to_saying(back, code, ApiError::in_full, act).await
}

/// The same for an act whose refusals are told to a plain form in the words of `refused`.
pub(super) async fn to_saying<T>(
    back: Option<String>,
    code: impl FnOnce(&T) -> String,
    refused: impl FnOnce(&ApiError) -> String,
    act: impl Future<Output = Result<T, ApiError>>,
) -> Result<T, ApiError> {
    let answer = act.await;
    if sent_by_plain_form() {
        let said = match &answer {
            Ok(outcome) => code(outcome),
            Err(error) => Refused::leave_saying(error, refused(error)),
        };
        leptos_axum::redirect(&return_address(back.as_deref().unwrap_or("/"), &said));
    } else if let Err(error) = &answer {
        error.set_status();
    }
    answer
}

/// The same for an act whose answer says more than its word, leads on, or can be taken back.
pub(super) async fn to_with<T>(
    back: Option<String>,
    code: impl FnOnce(&T) -> String,
    done: impl FnOnce(&T) -> Option<Done>,
    act: impl Future<Output = Result<T, ApiError>>,
) -> Result<T, ApiError> {
    to(back, code, leaving(done, act)).await
}

/// An act that leaves what it achieved for the page that its form leads to.
pub(super) async fn leaving<T>(
    done: impl FnOnce(&T) -> Option<Done>,
    act: impl Future<Output = Result<T, ApiError>>,
) -> Result<T, ApiError> {
    let outcome = act.await?;
    if let Some(done) = done(&outcome).filter(|_| sent_by_plain_form()) {
        done.leave();
    }
    Ok(outcome)
}

/// Runs an act that leads to a page of its own. A plain form that fails returns to `back`.
pub(super) async fn onward<T>(
    back: Option<String>,
    page: impl FnOnce(&T) -> String,
    act: impl Future<Output = Result<T, ApiError>>,
) -> Result<T, ApiError> {
    let answer = act.await;
    match &answer {
        Ok(outcome) => leptos_axum::redirect(&page(outcome)),
        Err(error) if sent_by_plain_form() => {
            let said = Refused::leave(error);
            leptos_axum::redirect(&return_address(back.as_deref().unwrap_or("/"), &said));
        }
        Err(error) => error.set_status(),
    }
    answer
}

/// Why somebody acts, as the fields of a form say it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Why {
    /// Chosen from a list.
    pub(super) reason: String,
    /// In free text.
    note: String,
    /// The number of a ticket.
    ticket: String,
    /// The number of the incident, where that is the reason.
    incident: String,
}

impl Why {
    /// As one text.
    ///
    /// # Errors
    /// [`ApiError::ReasonTooShort`] for *Other* that does not say what it is.
    pub(super) fn said(&self) -> Result<String, ApiError> {
        chosen_why(&self.reason, &self.note, &self.ticket, &self.incident).ok_or(ApiError::ReasonTooShort)
    }

    /// The same of what calls off or deletes: in production it is a whole one, however few jobs it is about.
    ///
    /// # Errors
    /// [`ApiError::ReasonTooShort`].
    pub(super) fn of_destroying(&self) -> Result<String, ApiError> {
        if is_production(&crate::access::environment()) { self.whole() } else { self.said() }
    }

    /// The same of what is one of the greatest acts: one that was chosen, or [`OTHER_CHARS_MIN`] of somebody's own.
    ///
    /// # Errors
    /// [`ApiError::ReasonTooShort`].
    pub(super) fn whole(&self) -> Result<String, ApiError> {
        let why = self.said()?;
        if self.reason.is_empty() && why.chars().count() < OTHER_CHARS_MIN {
            return Err(ApiError::ReasonTooShort);
        }
        Ok(why)
    }
}

/// What was on screen, in JSON; `None` for a form that does not say.
///
/// # Errors
/// [`ApiError::Invalid`] for other JSON.
pub(super) fn seen<T: DeserializeOwned>(json: &str) -> Result<Option<T>, ApiError> {
    let seen = Some(json).filter(|json| !json.is_empty()).map(serde_json::from_str).transpose();
    seen.map_err(|error| ApiError::Invalid { why: format!("seen: {error}") })
}

/// The queue that a form names; none where its field is empty.
///
/// # Errors
/// [`ApiError::WrongField`] for what is no name.
pub(super) fn queue(name: &str) -> Result<Option<QueueName>, ApiError> {
    let name = Some(name.trim()).filter(|name| !name.is_empty()).map(QueueName::new).transpose();
    name.map_err(|wrong| ApiError::wrong("queue", bad_name(&wrong)))
}

/// `back` with the outcome's word, if there is one; home if `back` leads anywhere but to a page of this server.
pub(super) fn return_address(back: &str, said: &str) -> String {
    let is_ours = back.starts_with('/')
        && !back.starts_with("//")
        && back.len() <= BACK_BYTES_MAX
        && back.bytes().all(|b| b.is_ascii_graphic() && b != b'\\' && b != b'#');
    let (path, query) = if is_ours { back.split_once('?').unwrap_or((back, "")) } else { ("/", "") };
    let outcome = (!said.is_empty()).then(|| format!("said={said}"));
    let kept = query.split('&').filter(|pair| !pair.is_empty() && !pair.starts_with("said="));
    let query: Vec<&str> = kept.chain(outcome.as_deref()).collect();
    if query.is_empty() { path.to_owned() } else { format!("{path}?{}", query.join("&")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_returns_to_its_page_with_one_outcome() {
        assert_eq!(
            return_address("/jobs/delay?queue=mail", "cancel.final"),
            "/jobs/delay?queue=mail&said=cancel.final"
        );
        assert_eq!(return_address("/job/a?said=hold.held", "unhold.delayed"), "/job/a?said=unhold.delayed");
        assert_eq!(return_address("/jobs/dead?said=hold.held", ""), "/jobs/dead");
    }

    #[test]
    fn a_form_cannot_be_sent_to_another_site() {
        for bad in
            ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:1", "", "/a\r\nb: c"]
        {
            assert_eq!(return_address(bad, "x"), "/?said=x", "{bad:?}");
        }
    }
}
