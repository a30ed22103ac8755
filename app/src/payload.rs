//! What a payload is, as forms that change it have to know.

use crate::t;

/// Where a text ceases to be JSON, both from 1.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct NoJson {
    line: usize,
    column: usize,
}

impl NoJson {
    /// What is said of a text that took the place of JSON.
    pub(crate) fn told(self) -> String {
        t!("job-edit-no-json", line = self.line, column = self.column)
    }
}

/// Why a text is no JSON; `None` where it is.
pub(crate) fn no_json(text: &str) -> Option<NoJson> {
    let error = serde_json::from_str::<serde::de::IgnoredAny>(text).err()?;
    Some(NoJson { line: error.line(), column: error.column() })
}
