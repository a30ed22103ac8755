//! Who sends a request, and what they may do.

use reprieve::Actor;
use reprieve::model::{AuditCheck, AuditFilter, BulkRun, Permission, QueueName, Role, Timestamp};
use std::net::IpAddr;
use std::sync::Arc;

/// What the name of a token begins with in histories and the audit.
pub const TOKEN_NAME: &str = "token:";

/// How somebody came in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Credential {
    /// Not at all.
    #[default]
    Nobody,
    /// There are no logins here: everybody who reaches the server is in.
    Open,
    /// The demo, where visitors choose what they are.
    Demo,
    /// With a session.
    Session,
    /// Signed in by the program that the dashboard is mounted in.
    Host,
    /// With an API token.
    Token,
}

/// What opens somebody's session. Not shown by `{:?}`.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct SessionId(Arc<str>);

impl SessionId {
    /// The id that a cookie holds.
    pub fn new(id: &str) -> Self {
        Self(id.into())
    }

    /// The id itself.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for SessionId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SessionId(…)")
    }
}

/// Who sends a request, and what they may do. Put into the request by a layer of the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Principal {
    /// The name that events and audit lines carry.
    pub name: String,
    /// What they may do.
    pub permissions: Vec<Permission>,
    /// In which queues; empty for all of them.
    pub queues: Vec<QueueName>,
    /// What they are; `None` for tokens and where there are no logins.
    pub role: Option<Role>,
    /// How they came in.
    pub credential: Credential,
    /// Their session; empty without one.
    pub session: SessionId,
    /// Whether they proved lately who they are; see [`has_proved`](Self::has_proved).
    pub proved: bool,
    /// When their session ends whatever they do; `None` without one.
    pub ends: Option<Timestamp>,
    /// Where their request came from.
    pub address: Option<IpAddr>,
    /// The id of that request; empty for none.
    pub request: String,
    /// The tag of the language they chose for the screens; empty for none.
    pub language: String,
}

impl Principal {
    /// Somebody with the given rights.
    pub fn new(name: impl Into<String>, permissions: impl Into<Vec<Permission>>) -> Self {
        Self {
            name: name.into(),
            permissions: permissions.into(),
            queues: Vec::new(),
            role: None,
            credential: Credential::Token,
            session: SessionId::default(),
            proved: false,
            ends: None,
            address: None,
            request: String::new(),
            language: String::new(),
        }
    }

    /// Somebody without rights.
    pub fn nobody() -> Self {
        Self { credential: Credential::Nobody, ..Self::new("nobody", []) }
    }

    /// A program on this machine that sent no token: may do everything, has no name.
    pub fn of_the_api() -> Self {
        Self { credential: Credential::Open, ..Self::new("api", Permission::ALL) }
    }

    /// The same, bound to these queues; to none of them where there are none.
    pub fn only_in(mut self, queues: impl Into<Vec<QueueName>>) -> Self {
        self.queues = queues.into();
        self
    }

    /// A person at the machine itself, where there are no logins: may do everything, has no name.
    pub fn at_the_dashboard() -> Self {
        Self { credential: Credential::Open, ..Self::new("someone at the dashboard", Permission::ALL) }
    }

    /// A visitor of the demo, who is what they chose to be.
    pub fn of_the_demo(role: Role) -> Self {
        Self {
            role: Some(role),
            credential: Credential::Demo,
            ..Self::new(format!("demo visitor as {role}"), role.permissions())
        }
    }

    /// Somebody who is signed in.
    pub fn signed_in(name: String, role: Role, session: SessionId, proved: bool) -> Self {
        Self {
            role: Some(role),
            credential: Credential::Session,
            session,
            proved,
            ..Self::new(name, role.permissions())
        }
    }

    /// Somebody whom the program around the dashboard has signed in. It has its own people, so ours are no business of theirs.
    #[must_use]
    pub fn of_the_host(name: String, role: Role) -> Self {
        let mut permissions = role.permissions().to_vec();
        permissions.retain(|&permission| permission != Permission::ManagePeople);
        Self { role: Some(role), credential: Credential::Host, ..Self::new(name, permissions) }
    }

    /// Whether they are a person with a name, whose acts are counted.
    #[must_use]
    pub const fn is_person(&self) -> bool {
        matches!(self.credential, Credential::Session | Credential::Host)
    }

    /// The same, with a request from that address.
    pub fn asking(mut self, address: Option<IpAddr>, request: String) -> Self {
        (self.address, self.request) = (address, request);
        self
    }

    /// The same, with a session that ends then.
    pub fn until(mut self, ends: Timestamp) -> Self {
        self.ends = Some(ends);
        self
    }

    /// The same, reading in the language of that tag.
    pub fn reading(mut self, language: String) -> Self {
        self.language = language;
        self
    }

    /// Who they are to the engine.
    pub fn actor(&self) -> Actor {
        let mut actor = Actor::from(&self.name);
        (actor.role, actor.address) = (self.role, self.address);
        actor.request.clone_from(&self.request);
        actor
    }

    /// One word for who they are and what is theirs: a page that was made for another one is not for them. It holds no
    /// more than they know of themselves.
    pub fn who(&self) -> String {
        let role = self.role.map_or("", Role::as_str);
        let queues: Vec<&str> = self.queues.iter().map(QueueName::as_str).collect();
        format!("{}|{role}|{}", self.name, queues.join(","))
    }

    /// Whether they have that right.
    pub fn may(&self, permission: Permission) -> bool {
        self.permissions.contains(&permission)
    }

    /// Whether their rights hold in that queue.
    pub fn may_in(&self, queue: &QueueName) -> bool {
        self.is_everywhere() || self.queues.contains(queue)
    }

    /// Whether their rights hold in every queue.
    pub fn is_everywhere(&self) -> bool {
        self.queues.is_empty()
    }

    /// Whether they may know of that bulk run: all of its queues have to be theirs.
    pub fn sees_run(&self, run: &BulkRun) -> bool {
        self.is_everywhere() || !run.only_in.is_empty() && run.only_in.iter().all(|queue| self.may_in(queue))
    }

    /// The same question about the audit, for no more of it than they may see: support sees its own acts, who is
    /// bound to queues those of the queues.
    pub fn audit_seen(&self, mut filter: AuditFilter) -> AuditFilter {
        if sees_own_acts_only(self.role) {
            filter.own.clone_from(&self.name);
        }
        filter.queues.clone_from(&self.queues);
        filter
    }

    /// What a check of the audit found: that something is wrong, and what it says only if they may see that entry.
    pub fn audit_check_seen(&self, mut check: AuditCheck) -> AuditCheck {
        let seen = self.audit_seen(AuditFilter::default());
        if let Some(broken) = &mut check.broken {
            broken.entry = broken.entry.take().filter(|entry| seen.sees(entry));
        }
        check
    }

    /// How many hidden parts they may look at in an hour; `None` for as many as they act. A program may as often as
    /// support: nobody reads what it is shown.
    pub fn reveals_an_hour_max(&self) -> Option<u32> {
        match (self.role, self.credential) {
            (Some(role), _) => role.reveals_an_hour_max(),
            (None, Credential::Token) => Role::Support.reveals_an_hour_max(),
            (None, _) => None,
        }
    }

    /// Whether they proved who they are in the last minutes. Only of those with a session more can be asked.
    pub const fn has_proved(&self) -> bool {
        self.proved || !matches!(self.credential, Credential::Session)
    }
}

/// Whether people of that role see of the audit what they did themselves, and no more. Without logins all of it is seen.
pub fn sees_own_acts_only(role: Option<Role>) -> bool {
    role.is_some_and(|role| role < Role::Operator)
}
