//! Where a handler panicked: the one thing that a caught panic does not tell.

use std::any::Any;
use std::cell::RefCell;
use std::panic;
use std::sync::Once;

thread_local! {
    /// Where this thread panicked last.
    static LAST: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Remembers places of panics from now on, besides whatever is done with them already. A program that sets a hook
/// of its own afterwards loses the places, nothing else.
pub(super) fn watch() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let place = info.location().map(|at| format!("{}:{}:{}", at.file(), at.line(), at.column()));
            // A thread that is ending has no place for it any more.
            LAST.try_with(|last| *last.borrow_mut() = place).ok();
            before(info);
        }));
    });
}

/// What a panic caught just now, on this thread, says.
pub(super) fn describe(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let message =
        text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".to_owned());
    match LAST.try_with(RefCell::take).ok().flatten() {
        Some(place) => format!("panicked at {place}: {message}"),
        None => format!("panicked: {message}"),
    }
}
