//! What is done in the browser whenever something it reads has changed.

use leptos::prelude::Effect;

/// An [`Effect`] whose code is there once, whatever is done.
pub fn effect(run: impl FnMut() + 'static) {
    erased(Box::new(run));
}

fn erased(mut run: Box<dyn FnMut()>) {
    Effect::new(move |_| run());
}
