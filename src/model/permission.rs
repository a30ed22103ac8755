//! What a person may be allowed to do. The same value enables the button and guards the function.

words! {
    /// One right. Which role has which says the [matrix](super::matrix).
    #[derive(PartialOrd, Ord)]
    #[non_exhaustive]
    pub enum Permission or "not a permission; permissions are " {
        /// See overview, queues, lists, job details and live events.
        View = "view",
        /// Add jobs.
        EnqueueJobs = "jobs.enqueue",
        /// Call jobs off, one or a subject's.
        CancelJobs = "jobs.cancel",
        /// Put cancelled jobs back.
        ReinstateJobs = "jobs.reinstate",
        /// Run a waiting job now, or retry a dead one.
        RetryJobs = "jobs.retry",
        /// Change due times.
        RescheduleJobs = "jobs.reschedule",
        /// Hold jobs and release them.
        HoldJobs = "jobs.hold",
        /// Change payloads.
        EditJobs = "jobs.edit",
        /// Pause and resume queues, and mute failures.
        PauseQueues = "queues.pause",
        /// Set how much of a queue may run at once, and how fast.
        LimitQueues = "queues.limit",
        /// Make, change, pause, run and remove cron entries.
        ManageCron = "cron.manage",
        /// Make, start, stop and undo bulk runs; each also needs the permission of its verb.
        RunBulk = "jobs.bulk",
        /// Remove ended jobs before their retention is over.
        PurgeJobs = "jobs.purge",
        /// Erase what is kept about a subject.
        EraseSubjects = "subjects.erase",
        /// Change how long ended jobs are kept.
        SetRetention = "retention.set",
        /// Claim jobs and report how they ended, as a worker does.
        WorkJobs = "jobs.work",
        /// Quiet, resume and stop workers.
        ManageWorkers = "workers.manage",
        /// Change how the namespace looks, what is hidden, the reasons, and the alerts.
        ManageSettings = "settings.manage",
        /// Look at foreign queues, take them over and roll them back.
        ImportJobs = "jobs.import",
        /// See payloads, with their hidden parts hidden, and the first lines of errors.
        SeePayloads = "jobs.payload",
        /// See one hidden part of a payload; each time stands in the audit.
        RevealFields = "jobs.reveal",
        /// See whole errors, logs and traces.
        SeeErrors = "jobs.errors",
        /// Run a job that still waits for its time.
        RunJobs = "jobs.run",
        /// Ask a running job to stop.
        StopJobs = "jobs.stop",
        /// Empty a list of a queue as a whole.
        EmptyQueues = "queues.empty",
        /// Take lists away as files, with their hidden parts hidden.
        ExportLists = "lists.export",
        /// Take payloads away as they are.
        ExportPayloads = "payloads.export",
        /// See what Redis says of itself.
        SeeRedis = "redis.view",
        /// Read metrics.
        SeeMetrics = "metrics.view",
        /// See who did what.
        SeeAudit = "audit.view",
        /// Take the audit away as a file.
        ExportAudit = "audit.export",
        /// Add people, change what they may do, end their sessions.
        ManagePeople = "people.manage",
        /// Make and revoke API tokens.
        ManageTokens = "tokens.manage",
        /// Change one's own password and second factor, and end one's own sessions.
        OwnAccount = "account.own",
    }
}
