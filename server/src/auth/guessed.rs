//! What the log has of proofs that prove nothing: from where, and of whom if that can be a name. Never the proof.

use reprieve::model::PersonName;
use std::net::IpAddr;
use tracing::field::display;

/// A password, code or invitation that was shown at `door` is wrong.
pub(super) fn wrong(address: Option<IpAddr>, name: &str, door: &str) {
    let name = called(name);
    let address = address.map(display);
    tracing::warn!(address, person.name = name, "a wrong password or code was given at {door} for {name:?}");
}

/// One was not looked at, for too many before it were wrong.
pub(super) fn waits(address: Option<IpAddr>, name: &str, door: &str) {
    let (name, address) = (called(name), address.map(display));
    tracing::warn!(
        address,
        person.name = name,
        "a proof at {door} for {name:?} has to wait: too many were wrong"
    );
}

/// The name, as far as it is one: people write a password into the wrong field.
fn called(name: &str) -> &str {
    if name.parse::<PersonName>().is_ok() { name } else { "" }
}
