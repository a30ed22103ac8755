//! Who looks at the screen, and where it stands.

use leptos::prelude::*;
use reprieve::model::filter::PayloadPath;
use reprieve::model::{Colour, Permission, Role, Timestamp};

use crate::done::Done;
use crate::i18n::{self, ReasonsFor};
use crate::places::PlaceLink;
use crate::refused::Refused;
use crate::traces::TracePage;

/// Who looks at the screen, and where it stands. The server knows it at once and sends it along with the page.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Session {
    /// The name their acts carry.
    pub name: String,
    /// One word for who they are and what is theirs, as the stream and [`whoami`](crate::api::account::whoami) have it.
    pub who: String,
    /// What they may do.
    pub permissions: Vec<Permission>,
    /// What they are; `None` where there are no logins.
    pub role: Option<Role>,
    /// Whether there are queues that are not theirs.
    pub is_bound: bool,
    /// Whether this is the demo, where visitors choose what they are.
    pub is_demo: bool,
    /// Whether they are signed in, and can sign out.
    pub is_signed_in: bool,
    /// When their sign-in ends whatever they do; `None` where there are no logins.
    pub ends: Option<Timestamp>,
    /// The namespace this server works in; empty if it does not know.
    pub namespace: String,
    /// What people call the namespace; empty for its name.
    pub title: String,
    /// The colour of its mark.
    pub colour: Colour,
    /// The reasons that dialogs offer; empty for the usual ones.
    pub reasons: Vec<String>,
    /// Whether deleting jobs by hand needs two people.
    pub two_people: bool,
    /// Fields of payloads that filters find jobs by at once; none for a person who may not look at jobs.
    pub index_fields: Vec<PayloadPath>,
    /// `production`, `demo` …; empty for none.
    pub environment: String,
    /// Where traces are looked at, if anywhere.
    pub traces: Option<TracePage>,
    /// Kinds of work that this place has words for: what customers feel.
    pub felt_kinds: Vec<String>,
    /// Kinds of work that are no business of a customer's.
    pub inner_kinds: Vec<String>,
    /// What this place calls the sorts of things its work is about, in the language of the page: `Resource`.
    pub subject_words: Vec<String>,
    /// All namespaces of this server, this one among them; empty where it is the only one.
    pub places: Vec<PlaceLink>,
    /// The address of the dashboard as the visitor knows it, without a slash at its end, for snippets to copy.
    pub address: String,
    /// Whether the HTTP API asks programs for a token.
    pub asks_for_token: bool,
    /// Why the plain form that led here was not done.
    pub refused: Option<Refused>,
    /// What the plain form achieved that led here.
    pub done: Option<Done>,
}

impl Session {
    /// Provides the session to every component below.
    pub(crate) fn provide() {
        provide_context(Self::of_request());
    }

    /// The session of this page.
    pub(crate) fn get() -> Self {
        use_context().unwrap_or_default()
    }

    /// Whether they see of the audit what they did themselves, and no more; see
    /// [`audit_seen`](reprieve_access::Principal::audit_seen).
    pub(crate) fn sees_own_acts_only(&self) -> bool {
        reprieve_access::sees_own_acts_only(self.role)
    }

    /// Whether they have that right. Enables the button; the server asks again.
    pub(crate) fn may(&self, permission: Permission) -> bool {
        self.permissions.contains(&permission)
    }

    /// Whether they have that right in every queue: what is about all of them at once takes it.
    pub(crate) fn may_everywhere(&self, permission: Permission) -> bool {
        !self.is_bound && self.may(permission)
    }

    /// The first of these rights that they lack, as the reason why a button is off; `None` if it is on.
    pub(crate) fn lacks(&self, rights: &[Permission]) -> Option<String> {
        rights.iter().find(|&&right| !self.may(right)).map(|&right| i18n::needs(right))
    }

    /// Why a button that is about all queues at once is off for them; `None` if it is on.
    pub(crate) fn off_everywhere(&self, permission: Permission) -> Option<String> {
        if self.may_everywhere(permission) {
            return None;
        }
        let has = self.may(permission);
        Some(if has { i18n::needs_everywhere(permission) } else { i18n::needs(permission) })
    }

    /// What dialogs offer for such an act: the reasons of the namespace, or the usual ones.
    pub(crate) fn reasons_for(self, sort: ReasonsFor) -> Vec<String> {
        let usual = || sort.usual().iter().map(|&kept| kept.to_owned()).collect();
        if self.reasons.is_empty() { usual() } else { self.reasons }
    }

    /// Whether this is where real customers are.
    pub(crate) fn is_production(&self) -> bool {
        is_production(&self.environment)
    }

    /// Whether a customer feels what a job of that kind does: what this place has words for, and in production all that was
    /// not said to be its own business.
    pub(crate) fn is_felt(&self, kind: &str) -> bool {
        let among = |kinds: &[String]| kinds.iter().any(|one| one == kind);
        among(&self.felt_kinds) || self.is_production() && !among(&self.inner_kinds)
    }

    fn of_request() -> Self {
        use reprieve_access::Credential;
        let principal = crate::access::principal();
        let settings = crate::access::settings();
        let may_look = principal.permissions.contains(&Permission::View);
        let words = crate::access::vocabulary();
        let (inner_kinds, felt_kinds) = words.kinds();
        let site = crate::access::site();
        Self {
            title: settings.look.title.clone(),
            colour: settings.look.colour,
            reasons: settings.reasons.clone(),
            two_people: settings.second_person,
            index_fields: if may_look { settings.index_fields.clone() } else { Vec::new() },
            role: principal.role,
            is_bound: !principal.is_everywhere(),
            is_demo: principal.credential == Credential::Demo,
            is_signed_in: principal.credential == Credential::Session,
            ends: principal.ends,
            who: principal.who(),
            name: principal.name,
            permissions: principal.permissions,
            namespace: crate::access::namespace().unwrap_or_default(),
            environment: crate::access::environment(),
            traces: site.traces,
            asks_for_token: site.asks_for_token,
            felt_kinds,
            inner_kinds,
            subject_words: words.subject_words(),
            places: crate::places::links(),
            address: crate::access::address(),
            refused: Refused::of_request(),
            done: Done::of_request(),
        }
    }
}

/// Whether an environment of that name is the one that real customers use.
pub(crate) fn is_production(environment: &str) -> bool {
    environment.eq_ignore_ascii_case("production")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_about_all_queues_is_off_for_a_person_who_has_some_of_them() {
        let right = Permission::ManageWorkers;
        let session = |permissions, is_bound| {
            Session { permissions, is_bound, ..Session::default() }.off_everywhere(right)
        };
        assert_eq!(session(vec![right], false), None);
        assert_eq!(session(vec![], true), Some(i18n::needs(right)), "they lack it in their queues as well");
        let told = session(vec![right], true).unwrap();
        assert!(told.contains("in all queues"), "{told}");
    }

    #[test]
    fn in_production_a_customer_feels_all_that_is_not_of_the_house() {
        let session = |environment: &str| Session {
            environment: environment.to_owned(),
            felt_kinds: vec!["sms".to_owned()],
            inner_kinds: vec!["backup".to_owned()],
            ..Session::default()
        };
        let felt = |environment| ["sms", "unnamed", "backup"].map(|kind| session(environment).is_felt(kind));
        assert_eq!(felt("staging"), [true, false, false]);
        assert_eq!(felt("Production"), [true, true, false]);
    }
}
