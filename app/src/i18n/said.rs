//! A sentence about what was done, and how to take it.

reprieve::words! {
    /// How a sentence is to be taken; its word in the markup.
    pub enum Tone {
        /// It was done.
        Good = "good",
        /// Worth knowing; nothing is wrong.
        Plain = "plain",
        /// It was not done, or not entirely.
        Bad = "bad",
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
    /// Worth knowing.
    pub fn plain(text: impl Into<String>) -> Self {
        Self { tone: Tone::Plain, text: text.into() }
    }

    /// It was not done.
    pub fn bad(text: impl Into<String>) -> Self {
        Self { tone: Tone::Bad, text: text.into() }
    }
}
