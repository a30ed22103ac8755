//! Who acts, and what a server knows of where they are.

use crate::model::Role;
use std::net::IpAddr;
use std::sync::Arc;

/// Somebody who acts. A name is enough: `engine.operator("ann")`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Actor {
    /// The name that events, records and the audit carry.
    pub name: String,
    /// What they are, for the audit; `None` for programs, and where nobody signs in.
    pub role: Option<Role>,
    /// Where their request came from, for the audit.
    pub address: Option<IpAddr>,
    /// The id of that request, for the audit; empty for none.
    pub request: String,
}

impl Actor {
    /// What stands behind the time in the first argument of a script, where more than the name is known: see
    /// `lua/core/call.lua`.
    pub(crate) fn told(&self) -> Option<Arc<str>> {
        let Self { name, role, address, request } = self;
        let is_known = role.is_some() || address.is_some() || !request.is_empty();
        let role = role.map_or("", |role| role.as_str());
        let address = address.map(|address| address.to_string()).unwrap_or_default();
        is_known.then(|| format!("\n{name}\n{role}\n{address}\n{request}").into())
    }
}

impl From<String> for Actor {
    fn from(name: String) -> Self {
        Self { name, ..Self::default() }
    }
}

impl From<&str> for Actor {
    fn from(name: &str) -> Self {
        name.to_owned().into()
    }
}

impl From<&String> for Actor {
    fn from(name: &String) -> Self {
        name.clone().into()
    }
}
