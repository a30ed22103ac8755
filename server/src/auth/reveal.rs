//! A look at a hidden part of a payload, for a browser without script: a form in, a page that shows it once out.

use super::accounts::Visit;
use super::said::{back, back_with};
use app::door::{Behind, next_page, revealed};
use app::i18n::chosen_why;
use app::refused::Refused;
use app::routes;
use axum::extract::Form;
use axum::response::Response;
use reprieve::Error;
use reprieve::model::{JobId, PartPath, Revealed};
use reprieve_access::{Access, Denied};
use serde::Deserialize;

/// The form beside a mark. What it does not have is empty.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Wish {
    id: String,
    part: String,
    reason: String,
    note: String,
    ticket: String,
    incident: String,
    back: String,
}

/// Shows it once. Whatever shows nothing leads back to where the form stands.
pub(super) async fn show(visit: Visit, Form(wish): Form<Wish>) -> Result<Response, Response> {
    let id: JobId = wish.id.parse().map_err(|_| back("/", "error.invalid"))?;
    let page = if wish.back.is_empty() { routes::job(&id) } else { silent(next_page(&wish.back)) };
    let part: PartPath = wish.part.parse().map_err(|_| back(&page, "reveal.no_such_part"))?;
    let access = Access::new(visit.routes.engine.clone(), visit.principal.clone()).noting(true);
    let look = match access.reveal(&id, part).await {
        Ok(look) => look,
        Err(why) => return Err(back(&page, refused(&why))),
    };
    let why = chosen_why(&wish.reason, &wish.note, &wish.ticket, &wish.incident);
    // The form says at its note what a reason has to say.
    let wanted = || back_with(Refused::of_account(&visit.parts, "error.reason_too_short", "note"), &page);
    let why = why.ok_or_else(wanted)?;
    match look.because(why).await {
        Ok(Revealed::Part { part, value, .. }) => {
            Ok(visit.page(Behind { part, value, back: page }, revealed).await)
        }
        Ok(other) => Err(back(&page, &format!("reveal.{}", other.word()))),
        Err(error) => Err(back(&page, word(&error))),
    }
}

/// A page without the word of what was done before.
fn silent(page: &str) -> String {
    let Some((path, query)) = page.split_once('?') else { return page.to_owned() };
    let kept: Vec<_> = query.split('&').filter(|pair| !pair.starts_with("said=")).collect();
    if kept.is_empty() { path.to_owned() } else { format!("{path}?{}", kept.join("&")) }
}

/// The word for why they may not.
fn refused(why: &Denied) -> &'static str {
    match why {
        Denied::SignedOut { .. } | Denied::Lacks { .. } | Denied::OtherQueue { .. } => "error.forbidden",
        Denied::Hidden { .. } | Denied::Engine(Error::NotFound { .. }) => "error.not_found",
        _ => "error.unavailable",
    }
}

/// The word for what the engine refused.
fn word(error: &Error) -> &'static str {
    match error {
        Error::Invalid { .. } => "reveal.no_reason",
        Error::TooOften { .. } => "error.rate_limited",
        Error::Conflict(_) => "error.conflict",
        Error::NotFound { .. } => "error.not_found",
        _ => "error.unavailable",
    }
}
