//! The path that the whole dashboard is below.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// Longest path, in bytes: it stands before every link of a page.
const BYTES_MAX: usize = 100;

/// The path that everything is below, without a slash at its end; empty for none.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BasePath(Arc<str>);

/// What is no [`BasePath`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is not a path such as /jobs: it begins with a slash, has only letters, digits and -_.~ between slashes, and at most \
     {BYTES_MAX} bytes"
)]
pub struct InvalidBasePath(String);

impl BasePath {
    /// The path, such as `/jobs`; empty for none.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether everything is at `/`.
    pub(crate) fn is_root(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for BasePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for BasePath {
    type Err = InvalidBasePath;

    /// Reads `/jobs` or `/tools/jobs/`; `/` is none.
    ///
    /// # Errors
    /// [`InvalidBasePath`] for anything else.
    fn from_str(text: &str) -> Result<Self, InvalidBasePath> {
        let path = text.strip_suffix('/').unwrap_or(text);
        let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '~');
        let is_segment =
            |part: &str| !part.is_empty() && part.chars().any(|c| c != '.') && part.chars().all(fits);
        let is_path = path.strip_prefix('/').is_some_and(|path| path.split('/').all(is_segment));
        match path {
            "" if text == "/" => Ok(Self::default()),
            path if is_path && path.len() <= BYTES_MAX => Ok(Self(path.into())),
            _ => Err(InvalidBasePath(text.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_path_is_segments_between_slashes() {
        for (text, read) in
            [("/", ""), ("/jobs", "/jobs"), ("/jobs/", "/jobs"), ("/a/b-c_d.e~f", "/a/b-c_d.e~f")]
        {
            assert_eq!(text.parse::<BasePath>().unwrap().as_str(), read, "{text}");
        }
        let long = format!("/{}", "a".repeat(BYTES_MAX));
        for wrong in
            ["", "jobs", "//", "/a//b", "/a/../b", "/.", "/a b", "/a?b", "/a%2Fb", "/{id}", "/ä", &long]
        {
            assert!(wrong.parse::<BasePath>().is_err(), "{wrong:?} was accepted");
        }
    }
}
