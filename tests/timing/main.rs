//! Due times under load, one test after the other so that they do not disturb each other.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

#[path = "../runtime/scene.rs"]
#[expect(dead_code, reason = "half of it is for the other tests")]
mod scene;

mod precision;
mod race;

/// Held by the test that has the machine to itself.
static TURN: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());
