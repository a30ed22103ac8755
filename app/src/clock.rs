//! What time it is on the page, and in which zone times are written.

use leptos::prelude::*;

use crate::format::Zone;
use crate::preferences::Preferences;

/// The server's time when the page was written, and the zone to write times in. The script of the page has its times go on.
#[derive(Clone, Copy)]
pub(crate) struct Clock {
    now_ms: i64,
    zone: Zone,
}

impl Clock {
    /// Provides the clock to every component below.
    pub(crate) fn provide() {
        let Preferences { now_ms, zone, .. } = Preferences::get();
        provide_context(Self { now_ms, zone });
    }

    /// The clock of this page.
    pub(crate) fn get() -> Self {
        expect_context()
    }

    /// The server's time, in ms since 1970.
    pub(crate) const fn now_ms(self) -> i64 {
        self.now_ms
    }

    /// The zone to write times in.
    pub(crate) const fn zone(self) -> Zone {
        self.zone
    }
}
