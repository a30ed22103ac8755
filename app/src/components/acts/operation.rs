//! Operation ids: repeating a form, by a double click or a lost answer, does nothing twice.

use leptos::prelude::*;
use reprieve::model::{JobId, Version};

use crate::print::print;

/// A random text of this rendering of the page; with verb, job and version it names one act.
#[derive(Clone)]
struct Nonce(String);

impl Nonce {
    fn get() -> String {
        use_context::<Self>().map_or_else(random, |nonce| nonce.0)
    }
}

/// Makes the page's forms distinguishable from those of every other page. Once, outside of suspended parts.
pub fn provide_operations() {
    provide_context(Nonce(random()));
}

/// The operation id of an act on a job at that version: the same form sent twice is one operation.
pub fn operation(seen: Version) -> String {
    format!("{}:{seen}", Nonce::get())
}

/// The hidden field with the operation id of an act on several jobs at once: each as it stands on screen. Once the act is
/// done they stand elsewhere, and the next one is another.
#[component]
pub fn OperationOnField(
    /// The jobs that are acted on, and their versions.
    jobs: Vec<(JobId, Version)>,
) -> impl IntoView {
    view! { <input type="hidden" name="operation" value=format!("{}:{}", Nonce::get(), print(&jobs))/> }
}

/// What an id keeps of the name that it begins with, in bytes: the rest is room for what makes it another one.
const OF_BYTES_MAX: usize = 96;

/// The hidden field with the id of the job that a form makes: sent twice, by a double click or after a lost answer, it makes
/// one. The next rendering of the page has another id.
#[component]
pub fn NewIdField(
    /// What the job is made of, a job or a queue: its id begins so.
    of: String,
) -> impl IntoView {
    // Names are of one byte a character.
    let of: String = of.chars().take(OF_BYTES_MAX).collect();
    view! { <input type="hidden" name="new_id" value=format!("{of}-{}", Nonce::get())/> }
}

/// It need not be secret, only different.
fn random() -> String {
    format!("{:016x}", rand::random::<u64>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_that_were_acted_on_and_put_back_make_another_operation() {
        let jobs = |version| ["a", "b"].map(|id| (JobId::new(id).unwrap(), Version(version))).to_vec();
        assert_eq!(print(&jobs(1)), print(&jobs(1)), "sent twice, it is one");
        assert_ne!(print(&jobs(1)), print(&jobs(3)));
        assert_ne!(print(&jobs(1)), print(&jobs(3)[1..]));
    }
}
