//! The flags, which are a part of the configuration.

#[path = "../../../server/src/cli/flags.rs"]
mod flags;

pub(crate) use flags::Flags;
