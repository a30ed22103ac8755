//! Who looks at the screen, and where it stands.

use leptos::prelude::*;
use reprieve::model::{Colour, Permission};
use serde::{Deserialize, Serialize};

/// Who looks at the screen, and where it stands. The server knows it at once and sends it along with the page.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Session {
    /// The name their acts carry.
    pub name: String,
    /// What they may do.
    pub permissions: Vec<Permission>,
    /// The namespace this server works in; empty if it does not know.
    pub namespace: String,
    /// What people call the namespace; empty for its name.
    pub title: String,
    /// The colour of its mark.
    pub colour: Colour,
    /// The reasons that dialogs offer; empty for the usual ones.
    pub reasons: Vec<String>,
    /// `production`, `demo` …; empty for none.
    pub environment: String,
    /// The address of this server as the visitor knows it, for snippets to copy.
    pub origin: String,
}

impl Session {
    /// Provides the session to every component below.
    pub fn provide() {
        provide_context(SharedValue::new(Self::of_request).into_inner());
    }

    /// The session of this page.
    #[must_use]
    pub fn get() -> Self {
        use_context().unwrap_or_default()
    }

    /// Whether they have that right. Enables the button; the server asks again.
    #[must_use]
    pub fn may(&self, permission: Permission) -> bool {
        self.permissions.contains(&permission)
    }

    #[cfg(feature = "ssr")]
    fn of_request() -> Self {
        let principal = crate::access::principal();
        let settings = crate::access::settings();
        let started_as = use_context::<crate::access::Site>().unwrap_or_default().environment;
        let chosen = settings.look.environment.clone();
        Self {
            title: settings.look.title.clone(),
            colour: settings.look.colour,
            reasons: settings.reasons.clone(),
            name: principal.name,
            permissions: principal.permissions,
            namespace: crate::access::namespace().unwrap_or_default(),
            environment: if chosen.is_empty() { started_as } else { chosen },
            origin: crate::access::origin(),
        }
    }

    /// The page always carries the session; without it nobody may do anything.
    #[cfg(not(feature = "ssr"))]
    fn of_request() -> Self {
        Self::default()
    }
}
