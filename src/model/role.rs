//! What somebody is here: one of four, each with more rights than the one before.

use super::matrix::{Grant, MATRIX};
use super::permission::Permission;
use super::time::Delay;

words! {
    /// What somebody is here. What each may do says the [matrix](super::matrix).
    #[derive(PartialOrd, Ord)]
    #[non_exhaustive]
    pub enum Role or "not a role; roles are " {
        /// Looks.
        Viewer = "viewer",
        /// Calls off what customers do not want any more.
        Support = "support",
        /// Keeps queues running.
        Operator = "operator",
        /// Decides who may do what.
        Admin = "admin",
    }
}

impl Role {
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
}
