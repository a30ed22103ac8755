//! Operation ids: repeating a form, by a double click or a lost answer, does nothing twice.

use std::hash::{DefaultHasher, Hash, Hasher};

use leptos::prelude::*;
use reprieve::model::{JobId, Version};

/// A random text of this rendering of the page; with verb, job and version it names one act.
#[derive(Clone)]
struct Nonce(String);

/// How many jobs the page's forms have made so far: it grows as long as the text stays that tells the page from others,
/// whatever is built anew in it.
#[derive(Clone, Copy)]
pub struct Made(RwSignal<u32>);

impl Made {
    /// That of this page.
    #[must_use]
    pub fn get() -> Self {
        use_context().unwrap_or_else(|| Self(RwSignal::new(0)))
    }

    /// One more.
    pub fn grow(self) {
        let _ = self.0.try_update(|made| *made = made.wrapping_add(1));
    }
}

/// Makes the page's forms distinguishable from those of every other page. Once, outside of suspended parts.
pub fn provide_operations() {
    provide_context(Nonce(SharedValue::new(random).into_inner()));
    provide_context(Made(RwSignal::new(0)));
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

/// The hidden field with the operation id of an act on several jobs at once: each as it stands on screen. Once the act is
/// done they stand elsewhere, and the next one is another.
#[component]
pub fn OperationOnField(
    /// The jobs that are acted on, and their versions.
    #[prop(into)]
    jobs: Signal<Vec<(JobId, Version)>>,
) -> impl IntoView {
    let Nonce(nonce) = use_context().unwrap_or_else(|| Nonce(random()));
    view! { <input type="hidden" name="operation" value=move || format!("{nonce}:{:016x}", jobs.with(|jobs| print(jobs)))/> }
}

/// A short name for jobs at their versions. It need not be the same in another program, only another one for others.
fn print(jobs: &[(JobId, Version)]) -> u64 {
    let mut hasher = DefaultHasher::new();
    for (id, version) in jobs {
        (id.as_str(), version.0).hash(&mut hasher);
    }
    hasher.finish()
}

/// What an id keeps of the name that it begins with, in bytes: the rest is room for what makes it another one.
const OF_BYTES_MAX: usize = 96;

/// The hidden field with the id of the job that a form makes: sent twice, by a double click or after a lost answer, it makes
/// one. The next one gets another id.
#[component]
pub fn NewIdField(
    /// What the job is made of, a job or a queue: its id begins so.
    of: String,
    /// How many the page has made so far: the form counts along.
    made: Made,
) -> impl IntoView {
    let Nonce(nonce) = use_context().unwrap_or_else(|| Nonce(random()));
    // Names are of one byte a character.
    let of: String = of.chars().take(OF_BYTES_MAX).collect();
    view! { <input type="hidden" name="new_id" value=move || format!("{of}-{nonce}-{}", made.0.get().wrapping_add(1))/> }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_that_were_acted_on_and_put_back_make_another_operation() {
        let jobs = |version| ["a", "b"].map(|id| (JobId::new(id).unwrap(), Version(version))).to_vec();
        assert_eq!(print(&jobs(1)), print(&jobs(1)), "sent twice, it is one");
        assert_ne!(print(&jobs(1)), print(&jobs(3)));
        assert_ne!(print(&jobs(1)), print(&jobs(1)[1..]));
    }
}
