//! A sentence about what was done, and how to take it.

/// How a sentence is to be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// It was done.
    Good,
    /// Worth knowing; nothing is wrong.
    Plain,
    /// It was not done, or not entirely.
    Bad,
}

impl Tone {
    /// Its word in the markup.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Plain => "plain",
            Self::Bad => "bad",
        }
    }
}

/// What an act achieved, in a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// How to take it.
    pub tone: Tone,
    /// The sentence.
    pub text: String,
}

impl Said {
    /// It was done.
    pub fn good(text: impl Into<String>) -> Self {
        Self { tone: Tone::Good, text: text.into() }
    }

    /// Worth knowing.
    pub fn plain(text: impl Into<String>) -> Self {
        Self { tone: Tone::Plain, text: text.into() }
    }

    /// It was not done.
    pub fn bad(text: impl Into<String>) -> Self {
        Self { tone: Tone::Bad, text: text.into() }
    }
}
