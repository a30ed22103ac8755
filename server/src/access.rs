//! What one request of the API may do: as much as the principal that a layer of the server put into it, by the one policy of
//! [`reprieve_access`].

use super::problem::Problem;
use axum::extract::{FromRef, FromRequestParts};
use http::StatusCode;
use http::request::Parts;
use reprieve::Engine;
use reprieve::model::{Permission, QueueName};
use reprieve_access::{Denied, Principal, allowance};
use std::convert::Infallible;
use std::ops::Deref;

/// What one request may do.
#[derive(Debug, Clone)]
pub(crate) struct Access(reprieve_access::Access);

impl Deref for Access {
    type Target = reprieve_access::Access;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl Access {
    /// For a route of another state than the engine.
    pub(crate) const fn of(engine: Engine, principal: Principal) -> Self {
        Self(reprieve_access::Access::new(engine, principal))
    }

    /// Who the request comes from, for events and records.
    pub(crate) fn actor(&self) -> &str {
        &self.principal().name
    }

    /// Counts a file that a person takes away, once there is one.
    ///
    /// # Errors
    /// 429 when they had as many lately as a person takes, which stands in the audit; what Redis says.
    pub(crate) async fn counts_file(&self, what: &str) -> Result<(), Problem> {
        Ok(self.spend(allowance::EXPORTS, &format!("export_{what}"), "").await?)
    }
}

/// Limits of a role and fresh proof are asked of people at the screens alone: programs have neither.
impl From<Denied> for Problem {
    fn from(refused: Denied) -> Self {
        match refused {
            Denied::SignedOut { permission } | Denied::Lacks { permission, .. } => lacks(permission),
            Denied::OtherQueue { queue, .. } => other_queue(queue.as_ref()),
            Denied::Hidden { missing, .. } => Self::engine(&missing).found_elsewhere(),
            Denied::TooOften { wait } => {
                let seconds = reprieve::wait_seconds(wait);
                let how_long = format!("wait {seconds} s");
                Self::new(StatusCode::TOO_MANY_REQUESTS, "rate_limited", "Too often", how_long)
                    .retry_after(u16::try_from(seconds).unwrap_or(u16::MAX))
            }
            Denied::Engine(error) => Self::engine(&error),
            Denied::TooMany { .. } | Denied::ProveFirst | Denied::TooFar { .. } => {
                Self::new(StatusCode::FORBIDDEN, "forbidden", "You may not do this", refused.to_string())
            }
        }
    }
}

fn lacks(permission: Permission) -> Problem {
    let needs = format!("this needs the permission {permission}");
    Problem::new(StatusCode::FORBIDDEN, "forbidden", "You may not do this", needs)
        .with_field("permission", permission.as_str())
}

fn other_queue(queue: Option<&QueueName>) -> Problem {
    let Some(queue) = queue else {
        return Problem::new(
            StatusCode::FORBIDDEN,
            "other_queue",
            "You may not do this in every queue",
            "this is about all queues, and the token is bound to some; name one of them where the route takes a queue",
        );
    };
    Problem::new(
        StatusCode::FORBIDDEN,
        "other_queue",
        "You may not do this in this queue",
        format!("the token is bound to other queues than {queue}"),
    )
    .with_field("queue", queue.as_str())
}

impl<S: Sync> FromRequestParts<S> for Access
where
    Engine: FromRef<S>,
{
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Infallible> {
        let principal = parts.extensions.get::<Principal>().cloned();
        Ok(Self::of(Engine::from_ref(state), principal.unwrap_or_else(Principal::nobody)))
    }
}
