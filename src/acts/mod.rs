//! What is done to jobs, subjects, plans and batches: a verb with who, why and on which version, awaited to be carried out.

mod batch;
mod changed;
mod plan;
mod together;

use crate::constants::SUBJECT_LIVE_MAX;
use crate::error::{Error, Result};
use crate::model::{JobId, Subject, SubjectCancelled, Timestamp, UniqueKey, Version};
use crate::store::{Intent, Shards, Store};
use uuid::Uuid;

pub use batch::BatchActs;
pub(crate) use batch::make;
pub use plan::{PlanAct, PlanActs};
pub use together::{JobsAct, JobsActs};

/// Longest reason, in bytes: a paragraph.
const WHY_BYTES_MAX: usize = 1_024;
/// Longest operation id, in bytes.
const OPERATION_BYTES_MAX: usize = 128;

/// The verbs that act on one job.
pub mod verb {
    use super::changed;
    use super::{Intent, Store};
    use crate::error::{Error, Result};
    use crate::gather::Gathers;
    use crate::model::{
        Cancelled, Edited, HeldBack, JobId, Purged, Reinstated, Released, Rescheduled, RetriedNow, Timestamp,
    };
    use crate::new_job::{Due, PAYLOAD_BYTES_MAX};
    use crate::settings::KnownSettings;
    use std::future::Future;

    /// What an [`Act`](super::Act) does once it is awaited.
    pub trait Verb: Clone + Send + Sync + 'static {
        /// Its answer.
        type Outcome: Send;

        /// Carries it out in the shard that has the job.
        fn run(
            self,
            store: Store,
            id: JobId,
            intent: Intent,
        ) -> impl Future<Output = Result<Self::Outcome>> + Send;
    }

    macro_rules! verb {
        ($(#[$doc:meta])* $type:ident $(($field:ty))?, $outcome:ty, |$store:ident, $id:ident, $intent:ident, $it:ident| $run:expr) => {
            $(#[$doc])*
            #[derive(Debug, Clone)]
            pub struct $type $((pub(crate) $field))?;

            impl Verb for $type {
                type Outcome = $outcome;
                async fn run(self, $store: Store, $id: JobId, $intent: Intent) -> Result<$outcome> {
                    let $it = self;
                    $run
                }
            }
        };
    }

    verb!(
        /// Calls it off; together with those who do so at the same time, where there may be many.
        Cancel(Option<Gathers>), Cancelled, |store, id, intent, it| match it.0 {
            Some(gathers) => gathers.cancel(store.shard(), id, intent).await,
            None => store.cancel(&id, &intent).await,
        }
    );
    verb!(
        /// Puts it back at its original due time, or at another.
        Reinstate(Option<Timestamp>), Reinstated, |store, id, intent, it| store.reinstate(&id, &intent, it.0).await
    );
    verb!(
        /// Makes it ready at once.
        RetryNow, RetriedNow, |store, id, intent, _it| store.retry_now(&id, &intent).await
    );
    verb!(
        /// Gives it another due time.
        Reschedule(Due), Rescheduled, |store, id, intent, it| {
            it.0.check("delay_ms")?;
            store.reschedule(&id, &intent, it.0).await
        }
    );
    verb!(
        /// Keeps it from running.
        Hold, HeldBack, |store, id, intent, _it| store.hold(&id, &intent).await
    );
    verb!(
        /// Lets it run again.
        Unhold, Released, |store, id, intent, _it| store.unhold(&id, &intent).await
    );
    verb!(
        /// Removes it, once it has ended.
        Purge(KnownSettings), Purged, |store, id, intent, it| {
            if it.0.get().await?.second_person {
                return Err(Error::SecondPerson);
            }
            store.purge_job(&id, &intent).await
        }
    );
    verb!(
        /// Gives it another payload.
        Edit(Vec<u8>), Edited, |store, id, intent, it| {
            let bytes_max = PAYLOAD_BYTES_MAX;
            if it.0.len() > bytes_max {
                return Err(Error::PayloadTooLarge { bytes: it.0.len(), bytes_max });
            }
            crate::redaction::refuse_marked(&it.0)?;
            // Where it cannot be read what there was, no part is told.
            let before = store.job(&id).await.ok().flatten();
            let changed = before.map(|(job, ..)| (job.version, changed::names(&job.payload, &it.0)));
            let changed = changed.as_ref().map(|(version, names)| (*version, names.as_str()));
            store.edit(&id, &intent, &it.0, changed).await
        }
    );
}

/// What everybody says who acts, of an act that keeps it as its `intent`.
macro_rules! intended {
    () => {
        /// For that reason; at most 1,024 bytes.
        pub fn because(mut self, why: impl Into<String>) -> Self {
            self.intent.why = why.into();
            self
        }

        /// Under that operation id: a repeat gets the first answer and changes nothing more. At most 128 bytes of
        /// `[A-Za-z0-9._:/@-]`.
        pub fn operation(mut self, operation: impl Into<String>) -> Self {
            self.intent.operation = operation.into();
            self
        }
    };
}
pub(crate) use intended;

/// An act that does what its `run` does once it is awaited.
macro_rules! awaited {
    ($type:ident $(<$verb:ident: $bound:path>)?, $answer:ty) => {
        impl $(<$verb: $bound>)? std::future::IntoFuture for $type $(<$verb>)? {
            type Output = crate::error::Result<$answer>;
            type IntoFuture = futures_util::future::BoxFuture<'static, Self::Output>;

            fn into_future(self) -> Self::IntoFuture {
                Box::pin(self.run())
            }
        }
    };
}
pub(crate) use awaited;

/// A verb on one job. Nothing happens before it is awaited.
#[derive(Debug)]
#[must_use = "nothing happens before it is awaited"]
pub struct Act<V> {
    shards: Shards,
    id: JobId,
    verb: V,
    intent: Intent,
}

impl<V> Act<V> {
    pub(crate) const fn new(shards: Shards, id: JobId, verb: V, intent: Intent) -> Self {
        Self { shards, id, verb, intent }
    }

    /// Only if the job is still at the version the person saw; else [`Error::Conflict`].
    pub const fn seen(mut self, version: Version) -> Self {
        self.intent.seen = Some(version);
        self
    }

    /// Only if the job is still at that version, where one is given.
    pub const fn seen_if(mut self, version: Option<Version>) -> Self {
        self.intent.seen = version;
        self
    }

    intended!();
}

impl Act<verb::Reinstate> {
    /// At that time instead of the original one.
    pub const fn at(mut self, due: Timestamp) -> Self {
        self.verb.0 = Some(due);
        self
    }
}

impl<V: verb::Verb> Act<V> {
    async fn run(self) -> Result<V::Outcome> {
        check(&self.intent)?;
        let Self { shards, id, verb, intent } = self;
        let has_operation = !intent.operation.is_empty();
        let intent = repeatable(&shards, intent);
        shards.act(&id, has_operation, |store| verb.clone().run(store, id.clone(), intent.clone())).await
    }
}

awaited!(Act<V: verb::Verb>, V::Outcome);

/// Calling off all live jobs of a subject. Nothing happens before it is awaited.
#[derive(Debug)]
#[must_use = "nothing happens before it is awaited"]
pub struct SubjectAct {
    shards: Shards,
    subject: Subject,
    intent: Intent,
}

impl SubjectAct {
    pub(crate) const fn new(shards: Shards, subject: Subject, intent: Intent) -> Self {
        Self { shards, subject, intent }
    }

    intended!();

    async fn run(self) -> Result<SubjectCancelled> {
        check(&self.intent)?;
        let home = self.shards.of_subject(&self.subject);
        let intent = repeatable(&self.shards, self.intent);
        home.cancel_subject(&self.subject, &intent, SUBJECT_LIVE_MAX).await
    }
}

awaited!(SubjectAct, SubjectCancelled);

/// The intent with an operation id, where calls may be repeated unasked: the second must get the first one's answer.
fn repeatable(shards: &Shards, mut intent: Intent) -> Intent {
    if intent.operation.is_empty() && shards.repeats() {
        intent.operation = Uuid::now_v7().to_string();
    }
    intent
}

/// Checks the limits of what a person says.
pub(crate) fn check(intent: &Intent) -> Result<()> {
    check_why(&intent.why)?;
    let operation = &intent.operation;
    if operation.len() > OPERATION_BYTES_MAX
        || (!operation.is_empty() && UniqueKey::new(operation.as_str()).is_err())
    {
        return Err(Error::invalid("operation id", "is at most 128 bytes of A-Z a-z 0-9 . _ : / @ -"));
    }
    Ok(())
}

/// Checks the length of a reason.
pub fn check_why(why: &str) -> Result<()> {
    if why.len() > WHY_BYTES_MAX {
        let bytes = why.len();
        return Err(Error::invalid(
            "reason",
            format!("has {bytes} bytes, at most {WHY_BYTES_MAX} are allowed"),
        ));
    }
    if why.contains(TURNS_TEXT) {
        return Err(Error::invalid(
            "reason",
            "has invisible characters that turn the direction of text; leave them out",
        ));
    }
    Ok(())
}

/// Embeddings and overrides of direction: what is read on screen would be another text than the one that is written down.
const TURNS_TEXT: [char; 5] = ['\u{202a}', '\u{202b}', '\u{202c}', '\u{202d}', '\u{202e}'];
