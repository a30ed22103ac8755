//! For tests of crashes: a run that ends at a chosen call to Redis.

use reprieve::{Error, Result};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// Counts calls down; without a number it does nothing.
#[derive(Debug, Clone, Default)]
pub(super) struct Fuse(Option<Arc<AtomicU32>>);

impl Fuse {
    #[cfg(feature = "testing")]
    pub(super) fn after(calls: u32) -> Self {
        Self(Some(Arc::new(AtomicU32::new(calls))))
    }

    /// Before every call that changes something.
    pub(super) fn step(&self) -> Result<()> {
        let Some(left) = &self.0 else { return Ok(()) };
        let before = left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        match before {
            Ok(_) => Ok(()),
            Err(_) => Err(Error::Unavailable { what: "this importer ends here, for a test".to_owned() }),
        }
    }
}
