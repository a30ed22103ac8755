//! Short names that tell things from others of their kind.

use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher, Hash};

/// The short name of something. It need not be the same in another program, only another one for others.
pub(crate) fn print(of: &(impl Hash + ?Sized)) -> String {
    format!("{:016x}", BuildHasherDefault::<DefaultHasher>::default().hash_one(of))
}
