//! The one way from a request of the API to the engine: a permission in, a part of the engine out.

use super::problem::Problem;
use app::access::Principal;
use axum::extract::FromRequestParts;
use http::StatusCode;
use http::request::Parts;
use reprieve::model::{Permission, Timestamp};
use reprieve::{Claimant, Client, Due, Engine, Inspector, Operator};
use std::convert::Infallible;

/// Under which name events and audit show what the API did, while there are no tokens with names of their own.
const ACTOR: &str = "api";

/// What one request may do: as much as its principal, whom a layer of the server put into it.
#[derive(Debug, Clone)]
pub(crate) struct Access {
    engine: Engine,
    principal: Option<Principal>,
}

impl Access {
    /// Who the request comes from, for events and audit.
    pub(crate) const fn actor(&self) -> &'static str {
        ACTOR
    }

    /// For producers.
    pub(crate) fn client(&self, permission: Permission) -> Result<Client, Problem> {
        self.require(permission)?;
        Ok(self.engine.client())
    }

    /// For workers elsewhere.
    pub(crate) fn claimant(&self, permission: Permission, name: &str) -> Result<Claimant, Problem> {
        self.require(permission)?;
        Ok(self.engine.claimant(name))
    }

    /// For readers.
    pub(crate) fn inspector(&self) -> Result<Inspector, Problem> {
        self.require(Permission::View)?;
        Ok(self.engine.inspector())
    }

    /// For people who act; what they do carries their name.
    pub(crate) fn operator(&self, permission: Permission) -> Result<Operator, Problem> {
        self.require(permission)?;
        Ok(self.engine.operator(ACTOR))
    }

    /// A due time as an instant, by Redis's clock.
    pub(crate) async fn instant(&self, due: Due) -> Result<Timestamp, Problem> {
        if let Due::At(at) = due {
            return Ok(at);
        }
        let now = self.engine.now().await.map_err(|error| Problem::engine(&error))?;
        Ok(if let Due::In(delay) = due { now + delay } else { now })
    }

    /// Nobody is somebody without rights.
    fn require(&self, permission: Permission) -> Result<(), Problem> {
        if self.principal.as_ref().is_some_and(|principal| principal.may(permission)) {
            return Ok(());
        }
        Err(Problem::new(
            StatusCode::FORBIDDEN,
            "forbidden",
            "You may not do this",
            format!("this needs the permission {permission}"),
        )
        .with_field("permission", permission.as_str()))
    }
}

impl FromRequestParts<Engine> for Access {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, engine: &Engine) -> Result<Self, Infallible> {
        Ok(Self { engine: engine.clone(), principal: parts.extensions.get::<Principal>().cloned() })
    }
}
