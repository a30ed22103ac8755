//! What a person may be allowed to do. The same value enables the button and guards the function.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// One right. Which role has which says the [matrix](super::matrix).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Permission {
    /// See overview, queues, lists, job details and live events.
    View,
    /// Add jobs.
    EnqueueJobs,
    /// Call jobs off, one or a subject's.
    CancelJobs,
    /// Put cancelled jobs back.
    ReinstateJobs,
    /// Run a waiting job now, or retry a dead one.
    RetryJobs,
    /// Change due times.
    RescheduleJobs,
    /// Hold jobs and release them.
    HoldJobs,
    /// Change payloads.
    EditJobs,
    /// Pause and resume queues, and mute failures.
    PauseQueues,
    /// Set how much of a queue may run at once, and how fast.
    LimitQueues,
    /// Make, change, pause, run and remove cron entries.
    ManageCron,
    /// Make, start, stop and undo bulk runs; each also needs the permission of its verb.
    RunBulk,
    /// Remove ended jobs before their retention is over.
    PurgeJobs,
    /// Erase what is kept about a subject.
    EraseSubjects,
    /// Change how long ended jobs are kept.
    SetRetention,
    /// Claim jobs and report how they ended, as a worker does.
    WorkJobs,
    /// Quiet, resume and stop workers.
    ManageWorkers,
    /// Change how the namespace looks, what is hidden, the reasons, and the alerts.
    ManageSettings,
    /// Look at foreign queues, take them over and roll them back.
    ImportJobs,
    /// See payloads, with their hidden parts hidden, and the first lines of errors.
    SeePayloads,
    /// See one hidden part of a payload; each time stands in the audit.
    RevealFields,
    /// See whole errors, logs and traces.
    SeeErrors,
    /// Run a job that still waits for its time.
    RunJobs,
    /// Ask a running job to stop.
    StopJobs,
    /// Empty a list of a queue as a whole.
    EmptyQueues,
    /// Take lists away as files, with their hidden parts hidden.
    ExportLists,
    /// Take payloads away as they are.
    ExportPayloads,
    /// See what Redis says of itself.
    SeeRedis,
    /// Read metrics.
    SeeMetrics,
    /// See who did what.
    SeeAudit,
    /// Take the audit away as a file.
    ExportAudit,
    /// Add people, change what they may do, end their sessions.
    ManagePeople,
    /// Make and revoke API tokens.
    ManageTokens,
    /// Change one's own password and second factor, and end one's own sessions.
    OwnAccount,
}

impl Permission {
    /// Every permission.
    pub const ALL: [Self; 34] = [
        Self::View,
        Self::EnqueueJobs,
        Self::CancelJobs,
        Self::ReinstateJobs,
        Self::RetryJobs,
        Self::RescheduleJobs,
        Self::HoldJobs,
        Self::EditJobs,
        Self::PauseQueues,
        Self::LimitQueues,
        Self::ManageCron,
        Self::RunBulk,
        Self::PurgeJobs,
        Self::EraseSubjects,
        Self::SetRetention,
        Self::WorkJobs,
        Self::ManageWorkers,
        Self::ManageSettings,
        Self::ImportJobs,
        Self::SeePayloads,
        Self::RevealFields,
        Self::SeeErrors,
        Self::RunJobs,
        Self::StopJobs,
        Self::EmptyQueues,
        Self::ExportLists,
        Self::ExportPayloads,
        Self::SeeRedis,
        Self::SeeMetrics,
        Self::SeeAudit,
        Self::ExportAudit,
        Self::ManagePeople,
        Self::ManageTokens,
        Self::OwnAccount,
    ];

    /// Its name in settings, tokens and the sentence that refuses.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::View => "view",
            Self::EnqueueJobs => "jobs.enqueue",
            Self::CancelJobs => "jobs.cancel",
            Self::ReinstateJobs => "jobs.reinstate",
            Self::RetryJobs => "jobs.retry",
            Self::RescheduleJobs => "jobs.reschedule",
            Self::HoldJobs => "jobs.hold",
            Self::EditJobs => "jobs.edit",
            Self::PauseQueues => "queues.pause",
            Self::LimitQueues => "queues.limit",
            Self::ManageCron => "cron.manage",
            Self::RunBulk => "jobs.bulk",
            Self::PurgeJobs => "jobs.purge",
            Self::EraseSubjects => "subjects.erase",
            Self::SetRetention => "retention.set",
            Self::WorkJobs => "jobs.work",
            Self::ManageWorkers => "workers.manage",
            Self::ManageSettings => "settings.manage",
            Self::ImportJobs => "jobs.import",
            Self::SeePayloads => "jobs.payload",
            Self::RevealFields => "jobs.reveal",
            Self::SeeErrors => "jobs.errors",
            Self::RunJobs => "jobs.run",
            Self::StopJobs => "jobs.stop",
            Self::EmptyQueues => "queues.empty",
            Self::ExportLists => "lists.export",
            Self::ExportPayloads => "payloads.export",
            Self::SeeRedis => "redis.view",
            Self::SeeMetrics => "metrics.view",
            Self::SeeAudit => "audit.view",
            Self::ExportAudit => "audit.export",
            Self::ManagePeople => "people.manage",
            Self::ManageTokens => "tokens.manage",
            Self::OwnAccount => "account.own",
        }
    }
}

impl fmt::Display for Permission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Permission {
    type Err = UnknownPermission;

    fn from_str(text: &str) -> Result<Self, UnknownPermission> {
        Self::ALL.into_iter().find(|permission| permission.as_str() == text).ok_or(UnknownPermission)
    }
}

/// The text is none of the permissions' names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnknownPermission;

impl fmt::Display for UnknownPermission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = Permission::ALL.iter().map(|permission| permission.as_str()).collect();
        write!(f, "not a permission; permissions are {}", names.join(", "))
    }
}

impl std::error::Error for UnknownPermission {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_permission_reads_back_from_its_name() {
        for permission in Permission::ALL {
            assert_eq!(permission.as_str().parse(), Ok(permission));
        }
        assert!(UnknownPermission.to_string().contains("jobs.cancel"));
        assert_eq!("root".parse::<Permission>(), Err(UnknownPermission));
    }
}
