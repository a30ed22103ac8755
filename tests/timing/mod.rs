//! Due times under load, one test after the other so that they do not disturb each other.

mod precision;
mod race;

/// Held by the test that has the machine to itself.
static TURN: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());
