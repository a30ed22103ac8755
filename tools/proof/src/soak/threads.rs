//! Things that are done at intervals, each in a thread of its own: what else this process does must not delay them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

#[derive(Debug, Default)]
pub(super) struct Threads {
    stop: Arc<AtomicBool>,
    handles: Vec<JoinHandle<()>>,
}

impl Threads {
    /// Calls `act` at this interval, or as often as it comes if it takes longer.
    pub(super) fn every(&mut self, interval: Duration, mut act: impl FnMut() + Send + 'static) {
        let stop = Arc::clone(&self.stop);
        self.handles.push(thread::spawn(move || {
            let mut next = Instant::now();
            while !stop.load(Ordering::Relaxed) {
                let now = Instant::now();
                if now < next {
                    // May return early.
                    thread::park_timeout(next - now);
                } else {
                    next = now + interval;
                    act();
                }
            }
        }));
    }

    /// Ends each after what it is doing.
    pub(super) fn stop(self) {
        self.stop.store(true, Ordering::Relaxed);
        for handle in self.handles {
            handle.thread().unpark();
            // A thread that panicked has said so.
            drop(handle.join());
        }
    }
}
