//! Why a sign-in by the provider came to nothing.

/// Why it came to nothing: for the person, for the audit, for the log.
#[derive(Debug)]
pub(super) struct Refused {
    /// The word of the sentence that the sign-in page shows.
    pub(super) said: &'static str,
    /// For the audit. Nothing in it is the provider's own text.
    pub(super) why: String,
    /// Whom it is about, if the provider has proved that much.
    pub(super) whom: String,
}

impl Refused {
    fn new(said: &'static str, why: impl Into<String>) -> Self {
        Self { said, why: why.into(), whom: String::new() }
    }

    /// What came back is not true, or not proven.
    pub(super) fn untrue(why: impl Into<String>) -> Self {
        Self::new("account.oidc_untrue", why)
    }

    /// The provider does not answer.
    pub(super) fn away(why: impl Into<String>) -> Self {
        Self::new("account.oidc_away", why)
    }

    /// What came back belongs to no sign-in of this browser, or not any more.
    pub(super) fn expired(why: impl Into<String>) -> Self {
        Self::new("account.oidc_expired", why)
    }

    /// The provider says no, or the person did there.
    pub(super) fn denied() -> Self {
        Self::new("account.oidc_denied", "the provider or the person said no")
    }

    /// Too many sign in at once, or from there.
    pub(super) fn busy() -> Self {
        Self::new("account.wait", "too many sign-ins at once")
    }

    /// They are in no group that may come in.
    pub(super) fn no_group() -> Self {
        Self::new("account.oidc_group", "in no group that may come in")
    }

    /// They have no name that does here.
    pub(super) fn no_name() -> Self {
        Self::new("account.oidc_name", "the provider names them nothing that does as a name here")
    }

    /// Somebody else has their name.
    pub(super) fn taken() -> Self {
        Self::new("account.oidc_taken", "somebody else has that name here")
    }

    /// They are kept out here.
    pub(super) fn disabled() -> Self {
        Self::new("account.oidc_disabled", "kept out here")
    }

    /// Nobody else fits in.
    pub(super) fn full() -> Self {
        Self::new("people.full", "there are 500 people")
    }

    /// The same, and whom it is about.
    pub(super) fn of(mut self, whom: &str) -> Self {
        whom.clone_into(&mut self.whom);
        self
    }
}
