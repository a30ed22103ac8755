//! What somebody is here: one of four, each with more rights than the one before.

use super::matrix::{Grant, MATRIX};
use super::permission::Permission;
use super::time::Delay;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// What somebody is here. What each may do says the [matrix](super::matrix).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Role {
    /// Looks.
    Viewer,
    /// Calls off what customers do not want any more.
    Support,
    /// Keeps queues running.
    Operator,
    /// Decides who may do what.
    Admin,
}

impl Role {
    /// Every role, the one with the fewest rights first: the columns of the matrix.
    pub const ALL: [Self; 4] = [Self::Viewer, Self::Support, Self::Operator, Self::Admin];

    /// Its name in addresses, on the command line and in the audit.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Support => "support",
            Self::Operator => "operator",
            Self::Admin => "admin",
        }
    }

    /// Its column in the matrix.
    #[must_use]
    pub const fn column(self) -> usize {
        match self {
            Self::Viewer => 0,
            Self::Support => 1,
            Self::Operator => 2,
            Self::Admin => 3,
        }
    }

    /// Whether the matrix gives it that right, with or without a limit.
    #[must_use]
    pub fn may(self, permission: Permission) -> bool {
        MATRIX.iter().any(|rule| rule.permission == permission && rule.grants[self.column()] != Grant::No)
    }

    /// All rights the matrix gives it.
    #[must_use]
    pub fn permissions(self) -> Vec<Permission> {
        Permission::ALL.into_iter().filter(|&permission| self.may(permission)).collect()
    }

    /// How many jobs one bulk run of this role may have; `None` for as many as any.
    #[must_use]
    pub const fn bulk_jobs_max(self) -> Option<u32> {
        match self {
            Self::Viewer => Some(0),
            Self::Support => Some(25),
            Self::Operator => Some(10_000),
            Self::Admin => None,
        }
    }

    /// By how much one act of this role puts a job off; `None` for as far as anybody may.
    #[must_use]
    pub const fn postpones_by_max(self) -> Option<Delay> {
        match self {
            Self::Viewer => Some(Delay::ZERO),
            Self::Support => Some(Delay::days(30)),
            Self::Operator | Self::Admin => None,
        }
    }

    /// How many hidden parts somebody of this role may look at in an hour; `None` for as many as they act.
    #[must_use]
    pub const fn reveals_an_hour_max(self) -> Option<u32> {
        match self {
            Self::Viewer => Some(0),
            Self::Support => Some(20),
            Self::Operator | Self::Admin => None,
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The text is none of the roles' names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnknownRole;

impl fmt::Display for UnknownRole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a role; roles are viewer, support, operator, admin")
    }
}

impl std::error::Error for UnknownRole {}

impl FromStr for Role {
    type Err = UnknownRole;

    fn from_str(text: &str) -> Result<Self, UnknownRole> {
        Self::ALL.into_iter().find(|role| role.as_str() == text).ok_or(UnknownRole)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_role_has_the_rights_of_the_one_before_and_more() {
        for pair in Role::ALL.windows(2) {
            let (less, more) = (pair[0].permissions(), pair[1].permissions());
            assert!(less.iter().all(|right| more.contains(right)), "{} < {}", pair[0], pair[1]);
            assert!(less.len() < more.len());
        }
        assert_eq!(Role::Admin.permissions().len(), Permission::ALL.len(), "somebody has to be able to");
    }

    #[test]
    fn every_role_reads_back_from_its_name() {
        for role in Role::ALL {
            assert_eq!(role.as_str().parse(), Ok(role));
        }
        assert_eq!("root".parse::<Role>(), Err(UnknownRole));
    }
}
