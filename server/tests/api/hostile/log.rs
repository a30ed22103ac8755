//! A log that a test reads.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, Once};
use tracing::Level;
use tracing::subscriber::{DefaultGuard, set_default, set_global_default};

/// What the program said while it was asked.
#[derive(Clone, Default)]
pub(super) struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Log {
    /// Hears what is said on this thread until the guard is dropped.
    pub(super) fn listen(&self, level: Level) -> DefaultGuard {
        // Where nobody listens to all threads, what another test says first is never said again.
        static EVERYBODY: Once = Once::new();
        EVERYBODY.call_once(|| {
            let all = tracing_subscriber::fmt().with_max_level(Level::DEBUG).with_writer(io::sink).finish();
            set_global_default(all).unwrap();
        });
        let to = self.clone();
        let subscriber = tracing_subscriber::fmt().with_max_level(level).with_ansi(false);
        set_default(subscriber.with_writer(move || to.clone()).finish())
    }

    pub(super) fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}
