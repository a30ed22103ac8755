//! The one way from a request of the API to the engine: a permission in, a part of the engine out.
//!
//! A principal may be bound to queues. What spans all queues is refused to it, unless the handler asks for the queue
//! it is about with one of the functions that end in `_in`, `_on` or `_of_seen`: forgetting to costs a right, never gives
//! one. What they read with is [bound](Inspector::only_in) to its queues.

use super::problem::Problem;
use app::access::sight;
use axum::extract::{FromRef, FromRequestParts};
use http::StatusCode;
use http::request::Parts;
use reprieve::model::{
    AuditCheck, AuditFilter, BulkRun, BulkVerb, Enqueued, JobBatch, JobId, JobRow, PartPath, Permission,
    PersonName, PlanId, QueueName, Role, RunId, Timestamp, Version,
};
use reprieve::{Actor, Answers, Claimant, Client, Due, Engine, Error, Inspector, Operator, Reveal};
use reprieve_access::{People, Principal, Tokens, Way};
use std::collections::HashSet;
use std::convert::Infallible;
use std::time::Duration;

/// What the name of a token begins with in histories and the audit.
pub(crate) const TOKEN_NAME: &str = "token:";

/// Jobs that support takes away in one file: as many as one person looks through.
const SUPPORT_ROWS_MAX: usize = 1_000;

/// Files that a person takes away in an hour: more is no reader.
const FILES_AN_HOUR_MAX: u32 = 5;
/// An hour.
const HOUR: Duration = Duration::from_secs(3_600);
/// Jobs that are looked up at once.
const ROWS_MAX: usize = 200;

/// What one request may do: as much as its principal, whom a layer of the server put into it.
#[derive(Debug, Clone)]
pub(crate) struct Access {
    engine: Engine,
    principal: Principal,
}

impl Access {
    /// For a route of another state than the engine.
    pub(crate) const fn of(engine: Engine, principal: Principal) -> Self {
        Self { engine, principal }
    }

    /// Reading as much of each job as they may.
    fn reader(&self) -> Inspector {
        self.reader_of_all().only_in(self.principal.queues.clone())
    }

    /// The same, not bound to their queues: for looking where something belongs.
    fn reader_of_all(&self) -> Inspector {
        self.engine.inspector().seen_with(sight(&self.principal))
    }

    /// How many jobs they may take away in one file, if that is less than anybody may.
    pub(crate) fn export_rows_max(&self) -> Option<usize> {
        (self.principal.role == Some(Role::Support)).then_some(SUPPORT_ROWS_MAX)
    }

    /// Writes down that they take a file away, before they get any of it: what is in it, of which list or run, and the
    /// names of the fields it was filtered by.
    pub(crate) async fn takes_away(&self, what: &str, which: &str, filtered: &str) -> Result<(), Problem> {
        self.acting().takes_away(what, which, filtered).await.map_err(|error| Problem::engine(&error))
    }

    /// Whether somebody with a session or a token still may what they might when they asked, and where: for what takes its
    /// time. Their session is not asked, which may end idle before that. Nothing is known while Redis is away.
    pub(crate) async fn is_what_it_was(&self) -> bool {
        if self.principal.way == Way::Token {
            return self.token_is_what_it_was().await;
        }
        let Ok(name) = self.principal.name.parse::<PersonName>() else { return true };
        if self.principal.way != Way::Session {
            return true;
        }
        match People::new(&self.engine).get(&name).await {
            Ok(Some(now)) => {
                !now.disabled && Some(now.role) == self.principal.role && now.queues == self.principal.queues
            }
            Ok(None) => false,
            Err(_) => true,
        }
    }

    async fn token_is_what_it_was(&self) -> bool {
        let Some(name) = self.principal.name.strip_prefix(TOKEN_NAME) else { return false };
        let Ok(tokens) = Tokens::new(&self.engine).list().await else { return true };
        let Ok(now) = self.engine.now().await else { return true };
        tokens.iter().any(|token| {
            let is_good = token.expires.is_none_or(|expires| expires > now);
            token.name.as_str() == name && is_good && token.permissions == self.principal.permissions
        })
    }

    /// Counts a file that somebody with a session takes away, once there is one.
    ///
    /// # Errors
    /// 429 when they had as many lately as a person takes, which stands in the audit; what Redis says.
    pub(crate) async fn counts_file(&self, what: &str) -> Result<(), Problem> {
        if !self.principal.is_person() {
            return Ok(());
        }
        let people = People::new(&self.engine).called_by(&self.caller());
        let wait = people.spend("exports", self.actor(), FILES_AN_HOUR_MAX, HOUR).await;
        let Some(wait) = wait.map_err(|error| Problem::engine(&error))? else { return Ok(()) };
        app::access::note_denied(&people, self.actor(), &format!("export_{what}"), "", "too often").await;
        let seconds = reprieve::wait_seconds(wait);
        let problem = Problem::new(
            StatusCode::TOO_MANY_REQUESTS,
            "rate_limited",
            "Too many files",
            format!("wait {seconds} s"),
        );
        Err(problem.retry_after(u16::try_from(seconds).unwrap_or(u16::MAX)))
    }

    /// A bulk run, if they may see it.
    pub(crate) async fn bulk_run(&self, inspector: &Inspector, run: &RunId) -> Result<BulkRun, Problem> {
        let found = inspector.bulk_run(run).await.map_err(|error| Problem::engine(&error))?;
        let missing = || Problem::engine(&Error::NoBulkRun { id: run.clone() });
        let found = found.ok_or_else(missing)?;
        if self.sees_run(&found) { Ok(found) } else { Err(missing().found_elsewhere()) }
    }

    /// Who they are to the engine.
    pub(crate) fn caller(&self) -> Actor {
        self.principal.actor()
    }

    /// Acts in their name.
    fn acting(&self) -> Operator {
        self.engine.operator(self.caller())
    }

    /// Who the request comes from, for events and records.
    pub(crate) fn actor(&self) -> &str {
        &self.principal.name
    }

    /// For workers elsewhere, of one queue.
    pub(crate) fn claimant_in(
        &self,
        permission: Permission,
        queue: &QueueName,
        name: &str,
    ) -> Result<Claimant, Problem> {
        self.operator_in(permission, queue)?;
        Ok(self.engine.claimant(name))
    }

    /// For workers elsewhere who report on one job, wherever it is.
    pub(crate) async fn claimant_on(
        &self,
        permission: Permission,
        id: &JobId,
        name: &str,
    ) -> Result<Claimant, Problem> {
        self.operator_on(permission, id).await?;
        Ok(self.engine.claimant(name))
    }

    /// For producers, into these queues.
    pub(crate) fn client_in<'a>(
        &self,
        permission: Permission,
        mut queues: impl Iterator<Item = &'a QueueName>,
    ) -> Result<Client, Problem> {
        self.require(permission)?;
        match queues.find(|queue| !self.principal.may_in(queue)) {
            Some(queue) => Err(other_queue(queue)),
            None => Ok(self.engine.client()),
        }
    }

    /// For readers of what is about no queue, or about something that spans them.
    pub(crate) fn inspector(&self) -> Result<Inspector, Problem> {
        self.require_everywhere(Permission::View)?;
        Ok(self.reader())
    }

    /// For what watches all queues: a caller who may look anywhere may see as much as that.
    pub(crate) fn inspector_of_metrics(&self) -> Result<Inspector, Problem> {
        self.require_everywhere(Permission::SeeMetrics)
            .or_else(|_| self.require_everywhere(Permission::View))?;
        Ok(self.reader())
    }

    /// For readers of one queue; `None` is all that are theirs.
    pub(crate) fn inspector_in(&self, queue: Option<&QueueName>) -> Result<Inspector, Problem> {
        match queue {
            None => self.inspector_of_seen(),
            Some(queue) => {
                self.require(Permission::View)?;
                if self.principal.may_in(queue) { Ok(self.reader()) } else { Err(other_queue(queue)) }
            }
        }
    }

    /// For readers of what belongs to the queues that are theirs. Events, bulk runs and batches are held against
    /// [`sees`](Self::sees), [`sees_run`](Self::sees_run) and [`sees_batch`](Self::sees_batch): no inspector is bound in
    /// them.
    pub(crate) fn inspector_of_seen(&self) -> Result<Inspector, Problem> {
        self.require(Permission::View)?;
        Ok(self.reader())
    }

    /// Whether what belongs to that queue may be shown.
    pub(crate) fn sees(&self, queue: &QueueName) -> bool {
        self.principal.may_in(queue)
    }

    /// Whether a bulk run may be shown.
    pub(crate) fn sees_run(&self, run: &BulkRun) -> bool {
        self.principal.sees_run(run)
    }

    /// Whether a batch may be shown: to whom the job that completes it is shown; its jobs are told by their ids alone.
    pub(crate) fn sees_batch(&self, batch: &JobBatch) -> bool {
        self.principal.is_everywhere()
            || batch.completion_job.as_ref().is_some_and(|job| self.principal.may_in(&job.queue))
    }

    /// Whether a plan may be shown: to whom all its jobs are shown.
    pub(crate) async fn sees_plan(&self, id: &PlanId) -> Result<bool, Problem> {
        if self.principal.is_everywhere() {
            return Ok(true);
        }
        let found = self.reader().plan(id).await.map_err(|error| Problem::engine(&error))?;
        Ok(found.is_some())
    }

    /// What became of jobs that were enqueued, for a caller who may know: of one that exists in a queue that is not theirs,
    /// that its id is taken.
    pub(crate) async fn told(&self, mut answers: Vec<Enqueued>) -> Result<Vec<Enqueued>, Problem> {
        if self.principal.is_everywhere() {
            return Ok(answers);
        }
        let there = answers.iter().filter_map(|answer| match answer {
            Enqueued::Exists(standing) => Some(standing.id.clone()),
            _ => None,
        });
        let mut theirs = HashSet::new();
        for ids in there.collect::<Vec<_>>().chunks(ROWS_MAX) {
            let rows = self.engine.inspector().rows(ids).await.map_err(|error| Problem::engine(&error))?;
            let rows = rows.into_iter().flatten().filter(|row| self.principal.may_in(&row.queue));
            theirs.extend(rows.map(|row| row.id));
        }
        for answer in &mut answers {
            if let Enqueued::Exists(standing) = answer
                && !theirs.contains(&standing.id)
            {
                *answer = Enqueued::Taken { id: standing.id.clone() };
            }
        }
        Ok(answers)
    }

    /// For people who act on many jobs at once, found by what they may see: with the queues that is bound to as they are, none for all of them.
    pub(crate) fn bulk_operator(&self, verb: BulkVerb) -> Result<(Operator, Vec<QueueName>), Problem> {
        self.require(Permission::RunBulk)?;
        self.require(verb.permission())?;
        Ok((self.acting().seen_with(sight(&self.principal)), self.principal.queues.clone()))
    }

    /// For those who may act in some queues and have to see first which one it is about: it is bound to none, so that
    /// what belongs to others is not taken for what is free.
    pub(crate) fn inspector_to_act(&self, permission: Permission) -> Result<Inspector, Problem> {
        self.require(permission)?;
        Ok(self.reader_of_all())
    }

    /// For people who act on all queues; what they do carries their name.
    pub(crate) fn operator(&self, permission: Permission) -> Result<Operator, Problem> {
        self.require_everywhere(permission)?;
        Ok(self.acting())
    }

    /// For people who act on one queue.
    pub(crate) fn operator_in(&self, permission: Permission, queue: &QueueName) -> Result<Operator, Problem> {
        self.require(permission)?;
        if self.principal.may_in(queue) { Ok(self.acting()) } else { Err(other_queue(queue)) }
    }

    /// For people who act on something that belongs to several queues: each has to be theirs.
    pub(crate) fn operator_in_all<'a>(
        &self,
        permission: Permission,
        queues: impl Iterator<Item = &'a QueueName>,
    ) -> Result<Operator, Problem> {
        self.client_in(permission, queues)?;
        Ok(self.acting())
    }

    /// For readers of one job, wherever it is.
    pub(crate) async fn inspector_on(&self, id: &JobId) -> Result<Inspector, Problem> {
        self.operator_on(Permission::View, id).await?;
        Ok(self.reader())
    }

    /// For people who act on one job, wherever it is.
    pub(crate) async fn operator_on(&self, permission: Permission, id: &JobId) -> Result<Operator, Problem> {
        self.require(permission)?;
        if !self.principal.is_everywhere() {
            // A job belongs to its queue for life, so what is true before the act is true during it.
            let rows = self.engine.inspector().rows(std::slice::from_ref(id)).await;
            let row = rows.map_err(|error| Problem::engine(&error))?.into_iter().flatten().next();
            // One of another queue is answered as if it were not there.
            let missing = || Problem::engine(&Error::NotFound { id: id.clone() });
            if !self.principal.may_in(&row.ok_or_else(missing)?.queue) {
                return Err(missing().found_elsewhere());
            }
        }
        Ok(self.acting())
    }

    /// The version to act on, for a caller who may do more than the verb's own right says with `right` alone. Without it,
    /// `wants` says of which jobs there may be no act; the version that was looked at binds the act to what the job was then.
    pub(crate) async fn only_with(
        &self,
        right: Permission,
        id: &JobId,
        seen: Option<Version>,
        wants: impl Fn(&JobRow, Timestamp) -> bool,
    ) -> Result<Option<Version>, Problem> {
        if self.principal.may(right) {
            return Ok(seen);
        }
        let rows = self.engine.inspector().rows(std::slice::from_ref(id)).await;
        // What is not there is for the act to tell.
        let Some(row) = rows.map_err(|error| Problem::engine(&error))?.into_iter().flatten().next() else {
            return Ok(seen);
        };
        if wants(&row, self.instant(Due::Now).await?) {
            self.require(right)?;
        }
        Ok(Some(seen.unwrap_or(row.version)))
    }

    /// Whether they may do to its jobs what a run does where jobs wait for their time, or run.
    pub(crate) async fn require_run(&self, run: &BulkRun) -> Result<(), Problem> {
        match app::access::run_needs(run, self.instant(Due::Now).await?) {
            Some(right) => self.require(right),
            None => Ok(()),
        }
    }

    /// A look at one hidden part of a job's payload, as often as they may.
    pub(crate) async fn reveal(&self, id: &JobId, part: PartPath) -> Result<Reveal, Problem> {
        let operator = self.operator_on(Permission::RevealFields, id).await?;
        Ok(operator.reveal(id, part).an_hour_max(self.principal.reveals_an_hour_max()))
    }

    /// What of the audit may be shown.
    pub(crate) fn audit_seen(&self, filter: AuditFilter) -> AuditFilter {
        self.principal.audit_seen(filter)
    }

    /// What a check of the audit found, for no more of it than they may see.
    pub(crate) fn audit_check_seen(&self, check: AuditCheck) -> AuditCheck {
        self.principal.audit_check_seen(check)
    }

    /// Where first answers are kept.
    pub(crate) fn answers(&self) -> Answers {
        self.engine.answers()
    }

    /// For a caller who takes foreign queues over, into whatever queue they name.
    pub(crate) fn importer(&self) -> Result<&Engine, Problem> {
        self.require_everywhere(Permission::ImportJobs)?;
        Ok(&self.engine)
    }

    /// A due time as an instant, by Redis's clock.
    pub(crate) async fn instant(&self, due: Due) -> Result<Timestamp, Problem> {
        if let Due::At(at) = due {
            return Ok(at);
        }
        due.check("delay_ms").map_err(|error| Problem::engine(&error))?;
        Ok(due.at(self.engine.now().await.map_err(|error| Problem::engine(&error))?))
    }

    /// The permission alone, before a body is read. Nobody is somebody without rights.
    pub(crate) fn require(&self, permission: Permission) -> Result<(), Problem> {
        if self.principal.may(permission) {
            return Ok(());
        }
        Err(Problem::new(
            StatusCode::FORBIDDEN,
            "forbidden",
            "You may not do this",
            format!("this needs the permission {permission}"),
        )
        .with_field("permission", permission.as_str()))
    }

    /// The permission in every queue.
    pub(crate) fn require_everywhere(&self, permission: Permission) -> Result<(), Problem> {
        self.require(permission)?;
        if self.principal.is_everywhere() {
            return Ok(());
        }
        Err(Problem::new(
            StatusCode::FORBIDDEN,
            "other_queue",
            "You may not do this in every queue",
            "this is about all queues, and the token is bound to some; name one of them where the route takes a queue",
        ))
    }
}

fn other_queue(queue: &QueueName) -> Problem {
    Problem::new(
        StatusCode::FORBIDDEN,
        "other_queue",
        "You may not do this in this queue",
        format!("the token is bound to other queues than {queue}"),
    )
    .with_field("queue", queue.as_str())
}

impl<S: Sync> FromRequestParts<S> for Access
where
    Engine: FromRef<S>,
{
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Infallible> {
        let principal = parts.extensions.get::<Principal>().cloned();
        Ok(Self { engine: Engine::from_ref(state), principal: principal.unwrap_or_else(Principal::nobody) })
    }
}
