//! How many streams there may be: in all, and for one address.

use crate::fd_limit;
use reprieve_access::counted_address;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Streams of one process. Each costs two buffers and a task; 500 are some tens of megabytes at worst. No more than half
/// of the connections: they last, and pages want to be seen as well.
const STREAMS_MAX: usize = 500;
/// Streams of one address, or of one network of IPv6: a person with more tabs than this has a tab that can wait.
const STREAMS_OF_ADDRESS_MAX: usize = 10;

/// Streams open in this process, over all dashboards in it.
static OPEN: AtomicUsize = AtomicUsize::new(0);

/// How many streams are open in this process.
pub(crate) fn open_streams() -> usize {
    OPEN.load(Ordering::Relaxed)
}

/// The slots of a process.
#[derive(Clone, Default)]
pub(super) struct Slots {
    taken: Arc<Mutex<Taken>>,
}

#[derive(Default)]
struct Taken {
    all: usize,
    by_address: HashMap<IpAddr, usize>,
}

/// One slot; given back when dropped.
pub(super) struct Slot {
    slots: Slots,
    address: Option<IpAddr>,
}

impl Slots {
    /// Takes a slot; without an address only the limit of the process holds.
    ///
    /// # Errors
    /// A sentence, when there is none.
    pub(super) fn take(&self, address: Option<IpAddr>) -> Result<Slot, &'static str> {
        let address = address.map(counted_address);
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        if taken.all >= STREAMS_MAX.min(fd_limit::connections_max() / 2) {
            return Err("this server has its limit of open streams");
        }
        if let Some(address) = address {
            let of_address = taken.by_address.entry(address).or_default();
            if *of_address >= STREAMS_OF_ADDRESS_MAX {
                return Err("your address has its limit of 10 open streams; close a tab");
            }
            *of_address += 1;
        }
        taken.all += 1;
        OPEN.fetch_add(1, Ordering::Relaxed);
        drop(taken);
        Ok(Slot { slots: self.clone(), address })
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut taken = self.slots.taken.lock().unwrap_or_else(PoisonError::into_inner);
        taken.all = taken.all.saturating_sub(1);
        OPEN.fetch_sub(1, Ordering::Relaxed);
        let Some(address) = self.address else { return };
        if let Some(of_address) = taken.by_address.get_mut(&address) {
            *of_address = of_address.saturating_sub(1);
            if *of_address == 0 {
                taken.by_address.remove(&address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    fn address(number: u32) -> Option<IpAddr> {
        Some(Ipv4Addr::from(number).into())
    }

    #[test]
    fn an_address_has_ten_slots_and_gets_one_back_when_a_stream_ends() {
        let slots = Slots::default();
        let mut held: Vec<Slot> = (0..10).map(|_| slots.take(address(1)).ok().unwrap()).collect();
        assert!(slots.take(address(1)).is_err());
        assert!(slots.take(address(2)).is_ok(), "another address has its own");
        held.pop();
        assert!(slots.take(address(1)).is_ok());
    }

    #[test]
    fn addresses_of_one_network_share_their_slots() {
        let slots = Slots::default();
        let of = |text: &str| Some(text.parse().unwrap());
        let held: Vec<Slot> =
            (0..10).map(|number| slots.take(of(&format!("2001:db8:0:1::{number}"))).ok().unwrap()).collect();
        assert!(slots.take(of("2001:db8:0:1:ffff::1")).is_err());
        assert!(slots.take(of("2001:db8:0:2::1")).is_ok(), "another network has its own");
        drop(held);
        assert!(slots.taken.lock().unwrap().by_address.is_empty());
    }

    #[test]
    fn a_process_has_five_hundred() {
        let slots = Slots::default();
        let held: Vec<Slot> = (0..500).map(|number| slots.take(address(number)).ok().unwrap()).collect();
        assert!(slots.take(address(9_999)).is_err());
        assert!(slots.take(None).is_err());
        drop(held);
        assert!(slots.take(None).is_ok());
        assert!(slots.taken.lock().unwrap().by_address.is_empty(), "no address is remembered for ever");
    }
}
