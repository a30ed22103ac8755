//! Why a sign-in by the provider came to nothing.

/// Why it came to nothing: for the person, for the audit, for the log.
#[derive(Debug)]
pub(super) struct Refused {
    /// The word of the sentence that the sign-in page shows.
    pub(super) said: &'static str,
    /// For the audit and the log. What the provider wrote stands in it as [`shown`] says.
    pub(super) why: String,
    /// Whom it is about, if the provider has proved that much.
    pub(super) whom: String,
    /// Whether what came back belongs to no sign-in of this browser, or not any more.
    is_over: bool,
}

/// The word for a sign-in that is over, or began in another browser.
pub(super) const EXPIRED: &str = "account.oidc_expired";

/// As much of a foreign text as an admin needs to find it, in quotes and with everything escaped that does not show.
pub(super) fn shown(text: &str) -> String {
    let beginning: String = text.chars().take(TEXT_CHARS_MAX).collect();
    let more = if beginning.len() < text.len() { "…" } else { "" };
    format!("{beginning:?}{more}")
}

/// That none of these groups may come in: where they were said, which they are, and the setting that lists those that may.
pub(super) fn none_of(place: &str, groups: &[&str], setting: &str) -> String {
    if groups.is_empty() {
        return format!("`{place}` is empty");
    }
    let first: Vec<String> = groups.iter().take(LISTED_MAX).map(|text| shown(text)).collect();
    let more = groups.len().saturating_sub(LISTED_MAX);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("`{place}` is {}{more}, none of which is a [[{setting}]]", first.join(", "))
}

/// Characters of a foreign text, and texts of a foreign list, that are written down.
const TEXT_CHARS_MAX: usize = 70;
const LISTED_MAX: usize = 5;

impl Refused {
    fn new(said: &'static str, why: impl Into<String>) -> Self {
        Self { said, why: why.into(), whom: String::new(), is_over: false }
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
        Self { is_over: true, ..Self::new(EXPIRED, why) }
    }

    /// Whether it is that.
    pub(super) const fn is_expired(&self) -> bool {
        self.is_over
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
    pub(super) fn no_group(why: impl Into<String>) -> Self {
        Self::new("account.oidc_group", why)
    }

    /// Nothing is said of their groups.
    pub(super) fn not_said(why: impl Into<String>) -> Self {
        Self::new("account.oidc_claim", why)
    }

    /// They have no name that does here.
    pub(super) fn no_name(why: impl Into<String>) -> Self {
        Self::new("account.oidc_name", format!("no name that does here: {}", why.into()))
    }

    /// Whether the provider does not answer.
    pub(super) fn is_away(&self) -> bool {
        self.said == "account.oidc_away"
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
