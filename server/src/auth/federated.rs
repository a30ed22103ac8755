//! Letting in people for whom somebody else vouches.

use super::accounts::Visit;
use super::away;
use super::proven::{NoGroup, Proven};
use super::refused::Refused;
use super::said::back_with_next;
use axum::response::Response;
use reprieve::Error;
use reprieve_access::{Admission, FederatedLogin, Opened};
use tracing::field::display;

/// Why there is nobody to let in.
pub(super) enum Stop {
    Refused(Refused),
    Engine(Error),
}

impl From<Refused> for Stop {
    fn from(refused: Refused) -> Self {
        Self::Refused(refused)
    }
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Engine(error)
    }
}

/// Lets somebody in as what their group says.
pub(super) async fn admit(visit: &Visit, proven: &Proven) -> Result<Opened, Stop> {
    let whom = proven.name.as_ref().map(ToString::to_string).unwrap_or_default();
    let group = match &proven.group {
        Ok(group) => group,
        Err(NoGroup::InNone(why)) => {
            let why = format!("in no group that may come in: {why}");
            let known = visit.routes.people.turn_away(&proven.subject, &why).await?;
            let whom = known.map_or(whom, |known| known.to_string());
            return Err(Refused::no_group(why).of(&whom).into());
        }
        // A provider that says less than before locks nobody out of what they have.
        Err(NoGroup::NotSaid(why)) => return Err(Refused::not_said(why.as_str()).of(&whom).into()),
    };
    let name = match &proven.name {
        Ok(name) => name,
        Err(why) => return Err(Refused::no_name(why.as_str()).into()),
    };
    let why = format!("group {}", group.name);
    let federated = FederatedLogin {
        subject: &proven.subject,
        name,
        role: group.role,
        queues: &group.queues,
        why: &why,
        proved: proven.proved,
    };
    let cookies = visit.cookies();
    match visit.routes.people.admit(&federated, &visit.visitor(&cookies)).await? {
        Admission::In(opened) => Ok(opened),
        Admission::Taken => Err(Refused::taken().of(name.as_str()).into()),
        Admission::Disabled => Err(Refused::disabled().of(name.as_str()).into()),
        _ => Err(Refused::full().of(name.as_str()).into()),
    }
}

/// Says on the page to sign in what is in the way, and writes it down. `door` is where they came to.
pub(super) async fn refuse(visit: &Visit, stop: Stop, door: &str, next: &str) -> Response {
    match stop {
        Stop::Refused(refused) => {
            write_down(visit, &refused, door).await;
            back_with_next("/login", refused.said, next)
        }
        Stop::Engine(error) => away::untold(&error),
    }
}

/// Writes down what is in the way.
pub(super) async fn write_down(visit: &Visit, refused: &Refused, door: &str) {
    let Refused { why, whom, .. } = refused;
    let address = visit.ip().map(display);
    tracing::warn!(address, "a sign-in at {door} was refused: {why}");
    visit.routes.people.note_denied("provider", door, whom, why).await;
}
