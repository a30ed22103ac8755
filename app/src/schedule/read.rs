//! What the engine knows of schedules, put together for a screen.

use reprieve::model::{CronChanged, CronName, CronState, JobId, JobState, Timestamp};
use reprieve::{CronSchedule, Inspector};

use super::{
    Fault, FormFault, FormField, Preview, Saved, Schedule, ScheduleDetail, Started, TICKS_AHEAD,
    TICKS_BEHIND, TICKS_TRIED,
};
use crate::error::ApiError;
use crate::i18n::Language;
use crate::t;

/// Rows of one read: what the engine allows.
const ROWS_MAX: usize = 200;

/// A schedule in the words of the page's language.
fn words(schedule: &CronSchedule) -> String {
    match Language::current() {
        Language::Chinese => schedule.describe_in_chinese(),
        _ => schedule.describe(),
    }
}

impl Schedule {
    fn of(state: CronState, last_state: Option<JobState>) -> Self {
        let words = CronSchedule::read(&state.entry.schedule, &state.entry.zone).map(|read| words(&read));
        Self { words: words.unwrap_or_default(), last_state, state }
    }

    /// Every schedule with the state of its latest job.
    ///
    /// # Errors
    /// `Unavailable` while Redis does not answer.
    pub(crate) async fn all(inspector: &Inspector) -> Result<Vec<Self>, ApiError> {
        let entries = inspector.cron().await?;
        let jobs: Vec<JobId> = entries.iter().filter_map(|state| state.last_job.clone()).collect();
        let mut states = std::collections::HashMap::new();
        for ids in jobs.chunks(ROWS_MAX) {
            for row in inspector.rows(ids).await?.into_iter().flatten() {
                states.insert(row.id, row.state);
            }
        }
        let items = entries.into_iter().map(|state| {
            let last = state.last_job.as_ref().and_then(|id| states.get(id).copied());
            Self::of(state, last)
        });
        Ok(items.collect())
    }
}

impl ScheduleDetail {
    /// One schedule with its ticks.
    ///
    /// # Errors
    /// `NotFound` when there is none of that name; `Unavailable` while Redis does not answer.
    pub(crate) async fn read(
        inspector: &Inspector,
        name: &CronName,
        read_at: Timestamp,
    ) -> Result<Self, ApiError> {
        let state = inspector.cron_entry(name).await?.ok_or(ApiError::NotFound)?;
        let behind = inspector.cron_history(name, TICKS_BEHIND).await?;
        let ahead = CronSchedule::read(&state.entry.schedule, &state.entry.zone)
            .map(|schedule| schedule.preview(read_at, TICKS_AHEAD));
        let last_state = match state.last_job.clone() {
            Some(id) => inspector.rows(&[id]).await?.into_iter().flatten().next().map(|row| row.state),
            None => None,
        };
        Ok(Self { schedule: Schedule::of(state, last_state), ahead: ahead.unwrap_or_default(), behind })
    }
}

impl Preview {
    /// What an expression would do in a zone, from then on.
    pub(crate) fn of(schedule: &str, zone: &str, from: Timestamp) -> Self {
        match CronSchedule::read(schedule, zone) {
            Ok(read) => Self::Fires { words: words(&read), ticks: read.preview(from, TICKS_TRIED) },
            Err(fault) => Self::Faulty { fault },
        }
    }
}

impl Saved {
    /// An answer of the engine to a form of that version, zero for a new schedule: such a one never takes the place of
    /// another, so its conflict is about the name.
    pub(crate) fn of(seen: u64, changed: CronChanged) -> Self {
        match changed {
            CronChanged::Conflict { .. } if seen == 0 => Self::taken(),
            changed => Self::Put { changed },
        }
    }

    /// The same for a form that comes back by itself: there, what was not saved is an error.
    ///
    /// # Errors
    /// The first of what is wrong, with its field; `Invalid` for what is wrong with no field.
    pub(crate) fn or_refused(self) -> Result<Self, ApiError> {
        match &self {
            Self::Faults { faults } => match faults.first() {
                Some(first) => Err(ApiError::wrong(first.field.as_str(), first.fault.sentence())),
                None => Ok(self),
            },
            Self::Put { changed: CronChanged::Conflict { .. } } => {
                Err(ApiError::Invalid { why: t!("schedules-form-conflict") })
            }
            Self::Put { changed: CronChanged::Full } => {
                Err(ApiError::Invalid { why: t!("said-bad-schedule-put-full") })
            }
            Self::Put { .. } | Self::Tried => Ok(self),
        }
    }

    /// Another schedule has that name.
    fn taken() -> Self {
        Self::Faults { faults: vec![FormFault { field: FormField::Name, fault: Fault::Taken }] }
    }
}

impl Started {
    /// An answer of the engine.
    pub(crate) fn of(ran: Result<reprieve::model::Enqueued, CronChanged>) -> Self {
        use reprieve::model::Enqueued;
        match ran {
            Err(CronChanged::Conflict { .. }) => Self::Conflict,
            // Nothing else keeps it from running.
            Err(_) => Self::Missing,
            Ok(Enqueued::Duplicate { .. } | Enqueued::SubjectFull { .. }) => Self::NoRoom,
            Ok(taken) => Self::Job { id: taken.id().clone() },
        }
    }
}
