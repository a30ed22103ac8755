//! Operation ids: repeating a form, by a double click or a lost answer, does nothing twice.

use leptos::prelude::*;
use reprieve::model::Version;

/// A random text of this rendering of the page; with verb, job and version it names one act.
#[derive(Clone)]
struct Nonce(String);

/// Makes the page's forms distinguishable from those of every other page. Once, outside of suspended parts.
pub fn provide_operations() {
    provide_context(Nonce(SharedValue::new(random).into_inner()));
}

/// The operation id of an act on a job at that version: the same form sent twice is one operation.
#[must_use]
pub fn operation(seen: Version) -> String {
    let Nonce(nonce) = use_context().unwrap_or_else(|| Nonce(random()));
    format!("{nonce}:{seen}")
}

/// The hidden field with the operation id.
#[component]
pub fn OperationField(
    /// The version the person sees.
    #[prop(into)]
    seen: Signal<Version>,
) -> impl IntoView {
    let Nonce(nonce) = use_context().unwrap_or_else(|| Nonce(random()));
    view! { <input type="hidden" name="operation" value=move || format!("{nonce}:{}", seen.get())/> }
}

/// Sixteen hexadecimal digits. It need not be secret, only different.
#[cfg(feature = "hydrate")]
fn random() -> String {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a number below 2^32")]
    let digits = || (js_sys::Math::random() * 4_294_967_296.0) as u32;
    format!("{:08x}{:08x}", digits(), digits())
}

/// Sixteen hexadecimal digits from the seed that the standard library gives each hash map.
#[cfg(not(feature = "hydrate"))]
fn random() -> String {
    use std::hash::{BuildHasher, RandomState};
    format!("{:016x}", RandomState::new().hash_one(std::time::SystemTime::now()))
}
