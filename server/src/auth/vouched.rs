//! Letting in people for whom somebody else vouches.

use super::away;
use super::refused::Refused;
use super::rooms::{Caller, Rooms, back_with_next};
use crate::config::GroupConfig;
use app::access::note_denied;
use axum::response::Response;
use reprieve::model::{PersonName, Timestamp};
use reprieve::{Admission, Error, Opened, Vouched};

/// Whom somebody else has proved.
#[derive(Debug)]
pub(super) struct Proven {
    /// Who vouches, and what they call them.
    pub(super) subject: String,
    /// Their name here; `None` if they have none that does.
    pub(super) name: Option<PersonName>,
    /// The first group of the configuration that they are in.
    pub(super) group: Option<GroupConfig>,
    /// When they showed who they are, if that is known.
    pub(super) proved: Option<Timestamp>,
}

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
pub(super) async fn admit(rooms: &Rooms, caller: &Caller, proven: &Proven) -> Result<Opened, Stop> {
    let Some(group) = &proven.group else {
        let known = rooms.people.turn_away(&proven.subject, "in no group that may come in").await?;
        let whom = known.as_ref().or(proven.name.as_ref()).map(ToString::to_string).unwrap_or_default();
        return Err(Refused::no_group().of(&whom).into());
    };
    let Some(name) = &proven.name else { return Err(Refused::no_name().into()) };
    let why = format!("group {}", group.name);
    let vouched = Vouched {
        subject: &proven.subject,
        name,
        role: group.role,
        queues: &group.queues,
        why: &why,
        proved: proven.proved,
    };
    let cookies = rooms.cookies(caller);
    match rooms.people.admit(&vouched, &caller.visitor(&cookies)).await? {
        Admission::In(opened) => Ok(opened),
        Admission::Taken => Err(Refused::taken().of(name.as_str()).into()),
        Admission::Disabled => Err(Refused::disabled().of(name.as_str()).into()),
        _ => Err(Refused::full().of(name.as_str()).into()),
    }
}

/// Says on the page to sign in what is in the way, and writes it down. `door` is where they came to.
pub(super) async fn refuse(rooms: &Rooms, caller: &Caller, stop: Stop, door: &str, next: &str) -> Response {
    let refused = match stop {
        Stop::Refused(refused) => refused,
        Stop::Engine(error) => return away::untold(&error),
    };
    let Refused { said, why, whom } = &refused;
    tracing::warn!(address = ?caller.address, "a sign-in at {door} was refused: {why}");
    note_denied(&rooms.people, "provider", door, whom, why).await;
    back_with_next("/login", said, next)
}
