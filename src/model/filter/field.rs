//! The fields that a filter can ask for.

words! {
    /// The words that stand in front of a colon.
    #[non_exhaustive]
    pub enum Field {
        /// `state:dead`.
        State = "state",
        /// `queue:mail`.
        Queue = "queue",
        /// `kind:notice`.
        Kind = "kind",
        /// `subject:resource/4711`.
        Subject = "subject",
        /// `tag:eu`.
        Tag = "tag",
        /// `due:<24h`.
        Due = "due",
        /// `payload.amount:>10`.
        Payload = "payload",
        /// `error:refused`.
        Error = "error",
        /// `id:a1`.
        Id = "id",
        /// `created:<1d`: less than a day ago.
        Created = "created",
        /// `running:>10m`: for more than ten minutes.
        Running = "running",
        /// `ended:<24h`: less than a day ago.
        Ended = "ended",
        /// `attempt:>2`.
        Attempt = "attempt",
        /// `worker:web-1`.
        Worker = "worker",
        /// `by:me`.
        By = "by",
    }
}

impl Field {
    /// A term on it as one may write it.
    #[must_use]
    pub const fn example(self) -> &'static str {
        match self {
            Self::State => "state:dead",
            Self::Queue => "queue:mail",
            Self::Kind => "kind:delete*",
            Self::Subject => "subject:resource:4711",
            Self::Tag => "tag:eu",
            Self::Due => "due:<24h",
            Self::Payload => "payload.amount:>10",
            Self::Error => "error:\"timed out\"",
            Self::Id => "id:order-4711",
            Self::Created => "created:<1d",
            Self::Running => "running:>10m",
            Self::Ended => "ended:2026-08-12",
            Self::Attempt => "attempt:>2",
            Self::Worker => "worker:web-1*",
            Self::By => "by:me",
        }
    }
}
