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

/// What an id keeps of the name that it begins with, in bytes: the rest is room for what makes it another one.
const OF_BYTES_MAX: usize = 96;

/// The hidden field with the id of the job that a form makes: sent twice, by a double click or after a lost answer, it makes
/// one. The next one gets another id.
#[component]
pub fn NewIdField(
    /// What the job is made of, a job or a queue: its id begins so.
    of: String,
    /// How many the form has made so far.
    #[prop(into)]
    made: Signal<u32>,
) -> impl IntoView {
    let Nonce(nonce) = use_context().unwrap_or_else(|| Nonce(random()));
    // Names are of one byte a character.
    let of: String = of.chars().take(OF_BYTES_MAX).collect();
    view! { <input type="hidden" name="new_id" value=move || format!("{of}-{nonce}-{}", made.get() + 1)/> }
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
