//! Who people are, when another program mounts the dashboard and signs them in itself.

use crate::middleware::refusal::Refusal;
use app::door::Stopped;
use axum::response::{IntoResponse as _, Response};
use http::StatusCode;
use http::request::Parts;
use reprieve::model::{InvalidName, PersonName, QueueName, Role};
use reprieve_access::Principal;

/// A user whom the program around the dashboard has signed in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostUser {
    name: PersonName,
    role: Role,
    queues: Vec<QueueName>,
}

impl HostUser {
    /// A user with that name and role. The audit keeps the name.
    ///
    /// # Errors
    /// [`InvalidName`] for a name that people cannot have here, such as one with a space. An e-mail address is fine.
    pub fn new(name: &str, role: Role) -> Result<Self, InvalidName> {
        Ok(Self { name: name.to_lowercase().parse()?, role, queues: Vec::new() })
    }

    /// Limits the user to these queues; an empty list means all of them.
    #[must_use]
    pub fn only_in(mut self, queues: Vec<QueueName>) -> Self {
        self.queues = queues;
        self
    }

    pub(super) fn principal(self) -> Principal {
        Principal::of_the_host(self.name.to_string(), self.role).only_in(self.queues)
    }
}

/// The sign-in of the program around the dashboard. A closure will do.
pub trait HostAuth: Send + Sync + 'static {
    /// Who sends a request; `None` for somebody who may not see the dashboard.
    ///
    /// It is called for each request, and once a minute for a live stream. Slow work belongs in a middleware of the host,
    /// which leaves what it found in the request's extensions.
    fn user(&self, request: &Parts) -> Option<HostUser>;
}

impl<F: Fn(&Parts) -> Option<HostUser> + Send + Sync + 'static> HostAuth for F {
    fn user(&self, request: &Parts) -> Option<HostUser> {
        self(request)
    }
}

/// The refusal for a visitor who has not signed in to that program.
pub(super) fn sign_in_there() -> Response {
    Refusal::new(
        StatusCode::UNAUTHORIZED,
        "signed_out",
        "sign in to the application that this dashboard is a part of, then open it again",
    )
    .stopped(Stopped::SignInThere)
    .into_response()
}
