//! Whether people sign in before they see anything.

use super::document::Section;
use std::str::FromStr;

/// Whether people sign in before they see anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Login {
    /// Everybody does.
    #[default]
    Required,
    /// Nobody does: everybody who reaches the server may do everything. Only where other machines cannot reach it.
    Off,
}

impl Login {
    /// Notes a table that signs people in where nobody signs in.
    pub(super) fn check(self, section: &Section<'_>) {
        if self == Self::Off {
            section.note("nobody signs in with login off; remove this table, or login = \"off\"");
        }
    }
}

impl FromStr for Login {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "required" => Ok(Self::Required),
            "off" => Ok(Self::Off),
            other => Err(format!("login {other:?} is not known; use required or off")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_said_is_that_everybody_signs_in() {
        assert_eq!(Login::default(), Login::Required);
        assert_eq!("off".parse(), Ok(Login::Off));
        assert!("no".parse::<Login>().is_err());
    }
}
