//! Every way to build the protocol wrongly that we could think of is found by the search, and the protocol itself is sound.

use proof_model::bulk::{self, Bulk};
use proof_model::clocks::{self, Clocks};
use proof_model::epochs::{self, Chances, Epochs};
use proof_model::lease::{self, Accidents, Lease};
use proof_model::replica::{self, Replica};
use proof_model::streams::{self, Streams};
use proof_model::{Found, exhaust, find_breach};

fn expect_breach(flaw: impl std::fmt::Debug, found: Found) {
    let states = found.states;
    let (rule, steps) = found.breach.unwrap_or_else(|| panic!("{flaw:?} does not show in {states} states"));
    println!("{flaw:?} breaks {rule} after {} steps, found in {states} states", steps.lines().count());
}

fn expect_sound(found: &Found, states_min: usize) {
    assert_eq!(found.breach, None);
    println!("{} states", found.states);
    // A model in which nothing can happen is sound as well.
    assert!(found.states > states_min, "{} states", found.states);
}

#[test]
fn the_lease_is_sound() {
    let accidents = Accidents { crashes: 1, losses: 1, repeats: 1, early: 1, failures: 1 };
    expect_sound(&exhaust(Lease::<1, 2> { accidents, cancellable: 1, flaw: None }, 2), 100_000);
    expect_sound(&exhaust(Lease::<2, 1> { accidents, cancellable: 1, flaw: None }, 2), 300_000);
}

#[test]
fn each_flaw_of_the_lease_is_found() {
    let accidents = Accidents { crashes: 1, losses: 2, repeats: 1, early: 2, failures: 3 };
    for flaw in lease::Flaw::ALL {
        // Somebody who can still call a job off can always end it: that it would never end by itself shows without them.
        let cancellable = usize::from(flaw != lease::Flaw::OnlyWhenWoken);
        expect_breach(flaw, find_breach(Lease::<1, 2> { accidents, cancellable, flaw: Some(flaw) }));
    }
}

#[test]
fn clocks_are_sound() {
    expect_sound(&exhaust(Clocks::<2, 2> { jumps: 2, restarts: 1, person: true, flaw: None }, 2), 1_000);
}

#[test]
fn each_flaw_of_the_clocks_is_found() {
    for flaw in clocks::Flaw::ALL {
        expect_breach(
            flaw,
            find_breach(Clocks::<2, 2> { jumps: 2, restarts: 1, person: false, flaw: Some(flaw) }),
        );
    }
}

#[test]
fn a_lagging_replica_is_sound() {
    expect_sound(&exhaust(Replica::<2, 2> { failovers: 2, crashes: 1, flaw: None }, 2), 10_000);
}

#[test]
fn each_flaw_with_a_lagging_replica_is_found() {
    for flaw in replica::Flaw::ALL {
        expect_breach(flaw, find_breach(Replica::<2, 2> { failovers: 2, crashes: 1, flaw: Some(flaw) }));
    }
}

/// What may happen around one failover.
const ONE_FAILOVER: Chances = Chances { failovers: 1, crashes: 1, losses: 0, failures: 1, acts: 2 };

#[test]
fn epochs_are_sound() {
    let sound = |chances, newcomers| exhaust(Epochs::<1, 2> { newcomers, chances, flaw: None }, 2);
    expect_sound(&sound(ONE_FAILOVER, 1), 300_000);
    expect_sound(&sound(Chances { losses: 1, failures: 0, ..ONE_FAILOVER }, 0), 100_000);
    expect_sound(&sound(Chances { failovers: 2, crashes: 0, acts: 1, ..ONE_FAILOVER }, 0), 100_000);
}

#[test]
fn each_flaw_of_epochs_is_found() {
    for flaw in epochs::Flaw::ALL {
        expect_breach(
            flaw,
            find_breach(Epochs::<1, 2> { newcomers: 1, chances: ONE_FAILOVER, flaw: Some(flaw) }),
        );
    }
}

#[test]
fn bulk_runs_are_sound() {
    let bulk = Bulk::<3, 2> { losses: 1, crashes: 1, changes: 1, stops: true, flaw: None };
    expect_sound(&exhaust(bulk, 2), 1_000);
}

#[test]
fn each_flaw_of_bulk_runs_is_found() {
    for flaw in bulk::Flaw::ALL {
        expect_breach(
            flaw,
            find_breach(Bulk::<3, 2> { losses: 1, crashes: 1, changes: 1, stops: true, flaw: Some(flaw) }),
        );
    }
}

#[test]
fn open_streams_are_sound() {
    expect_sound(&exhaust(Streams::<2> { events: 5, flaw: None }, 2), 1_000);
}

#[test]
fn each_flaw_of_open_streams_is_found() {
    for flaw in streams::Flaw::ALL {
        expect_breach(flaw, find_breach(Streams::<2> { events: 5, flaw: Some(flaw) }));
    }
}
