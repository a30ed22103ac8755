//! Looks at every state of the six models, at the size that is said to be safe: `cargo xtask model`.

use proof_model::bulk::Bulk;
use proof_model::clocks::Clocks;
use proof_model::epochs::{Chances, Epochs};
use proof_model::lease::{Accidents, Lease};
use proof_model::replica::Replica;
use proof_model::streams::Streams;
use proof_model::{Found, exhaust};
use std::process::ExitCode;
use std::time::Instant;

fn main() -> ExitCode {
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    let one_each = Accidents { crashes: 1, losses: 1, repeats: 1, early: 1, failures: 1 };
    let harsh = Accidents { crashes: 2, losses: 2, repeats: 1, early: 2, failures: 2 };
    let mut total = Total::default();
    total.add("lease, 1 job, 2 workers, harsh", || {
        exhaust(Lease::<1, 2> { accidents: harsh, cancellable: 1, flaw: None }, threads)
    });
    total.add("lease, 2 jobs, 2 workers", || {
        exhaust(Lease::<2, 2> { accidents: one_each, cancellable: 1, flaw: None }, threads)
    });
    total.add("clocks, 2 jobs, 3 forwarders", || {
        exhaust(Clocks::<2, 3> { jumps: 2, restarts: 2, person: false, flaw: None }, threads)
    });
    total.add("clocks, 1 job, 3 forwarders, and a person", || {
        exhaust(Clocks::<1, 3> { jumps: 2, restarts: 1, person: true, flaw: None }, threads)
    });
    total.add("replica, 3 jobs, 3 instances", || {
        exhaust(Replica::<3, 3> { failovers: 2, crashes: 1, flaw: None }, threads)
    });
    add_epochs(&mut total, threads);
    total.add("bulk, 5 jobs, 3 runners", || {
        exhaust(Bulk::<5, 3> { losses: 2, crashes: 2, changes: 2, stops: true, flaw: None }, threads)
    });
    total.add("streams, 3 instances", || exhaust(Streams::<3> { events: 6, flaw: None }, threads));
    println!("{} states, {} breaches", total.states, total.breaches);
    if total.breaches == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Four ways to be small: everything at once, one process more, one failover more, one job more.
fn add_epochs(total: &mut Total, threads: usize) {
    let all = Chances { failovers: 1, crashes: 1, losses: 1, failures: 1, acts: 2 };
    total.add("epochs, 1 job, 2 processes, harsh", || {
        exhaust(Epochs::<1, 2> { newcomers: 1, chances: all, flaw: None }, threads)
    });
    let calm = Chances { losses: 0, failures: 0, ..all };
    total.add("epochs, 1 job, 3 processes", || {
        exhaust(Epochs::<1, 3> { newcomers: 1, chances: calm, flaw: None }, threads)
    });
    let none_dies = Chances { crashes: 0, ..calm };
    total.add("epochs, 1 job, 2 processes, 2 failovers", || {
        let chances = Chances { failovers: 2, ..none_dies };
        exhaust(Epochs::<1, 2> { newcomers: 0, chances, flaw: None }, threads)
    });
    total.add("epochs, 2 jobs, 2 processes", || {
        exhaust(Epochs::<2, 2> { newcomers: 0, chances: none_dies, flaw: None }, threads)
    });
}

#[derive(Default)]
struct Total {
    states: usize,
    breaches: usize,
}

impl Total {
    fn add(&mut self, name: &str, search: impl FnOnce() -> Found) {
        let began = Instant::now();
        let found = search();
        println!("{name}: {} states in {:.1} s", found.states, began.elapsed().as_secs_f64());
        self.states += found.states;
        if let Some((rule, steps)) = found.breach {
            self.breaches += 1;
            println!("BREACH of {rule}:\n{steps}");
        }
    }
}
