//! The way from a caller to the engine: each question names a right, and its answer is a part of the engine or why not.
//!
//! A principal may be bound to queues. Then it cannot act on all of them: ask for the queue or the job with one of the functions
//! that end in `_in`, `_on` or `_of_seen`. To forget the suffix denies access, and never grants it. Inspectors are
//! [bound](Inspector::only_in) to the queues, and so are bulk runs; what is not says so.

use crate::allowance::Allowance;
use crate::principal::TOKEN_NAME;
use crate::rules::{minute, run_needs, waits};
use crate::{Credential, Denied, People, Principal, Seals, Tokens};
use reprieve::model::{
    BulkRun, BulkVerb, CronName, Delay, Enqueued, JobBatch, JobId, JobRow, PartPath, Permission, PersonName,
    PlanId, QueueName, Role, RunId, Shift, Timestamp, Version,
};
use reprieve::{Answers, Claimant, Client, Due, Engine, Error, Inspector, Operator, Reveal, Sight};
use std::collections::HashSet;

/// Jobs that support takes away in one file: as many as one person looks through.
const SUPPORT_ROWS_MAX: usize = 1_000;
/// Jobs that are looked up at once.
const ROWS_MAX: usize = 200;
/// Above so many jobs a slip is costly enough to ask a person twice.
const UNPROVED_MAX: u64 = 100;
/// The version of no job.
const NO_VERSION: Version = Version(0);

type Result<T, E = Denied> = std::result::Result<T, E>;

/// What one caller may do: as much as their principal.
#[derive(Debug, Clone)]
pub struct Access {
    engine: Engine,
    principal: Principal,
    notes_refusals: bool,
}

impl Access {
    /// That of a principal.
    #[must_use]
    pub const fn new(engine: Engine, principal: Principal) -> Self {
        Self { engine, principal, notes_refusals: false }
    }

    /// The same; with `true` every right that they are refused stands in the audit.
    #[must_use]
    pub const fn noting(mut self, refusals: bool) -> Self {
        self.notes_refusals = refusals;
        self
    }

    /// Writes a refusal into the audit where that is asked for: beside the answer, which takes as long as any.
    fn refused(&self, why: Denied) -> Denied {
        let (permission, target) = match &why {
            Denied::Lacks { permission, target } | Denied::Hidden { permission, target, .. } => {
                (*permission, target.clone())
            }
            Denied::OtherQueue { permission, queue } => {
                (*permission, queue.as_ref().map(ToString::to_string).unwrap_or_default())
            }
            _ => return why,
        };
        self.note(permission, target);
        why
    }

    fn note(&self, permission: Permission, target: String) {
        if !self.notes_refusals {
            return;
        }
        let (people, name) = (self.all_people(), self.principal.name.clone());
        tokio::spawn(async move {
            let right = permission.as_str();
            people.note_denied(&name, right, &target, right).await;
        });
    }

    /// Who they are.
    #[must_use]
    pub const fn principal(&self) -> &Principal {
        &self.principal
    }

    // The right alone.

    /// The right, in any queue.
    ///
    /// # Errors
    /// [`Denied::Lacks`], or [`Denied::SignedOut`] where nobody is signed in.
    pub fn require(&self, permission: Permission) -> Result<()> {
        if self.principal.may(permission) {
            return Ok(());
        }
        if self.principal.credential == Credential::Nobody {
            return Err(Denied::SignedOut { permission });
        }
        Err(self.refuse_lacking(permission, &""))
    }

    /// The right in every queue.
    ///
    /// # Errors
    /// As [`require`](Self::require), and [`Denied::OtherQueue`].
    pub fn require_everywhere(&self, permission: Permission) -> Result<()> {
        self.require(permission)?;
        if self.principal.is_everywhere() {
            return Ok(());
        }
        Err(self.refused(Denied::OtherQueue { permission, queue: None }))
    }

    /// The right in that queue.
    ///
    /// # Errors
    /// As [`require`](Self::require), and [`Denied::OtherQueue`].
    pub fn require_in(&self, permission: Permission, queue: &QueueName) -> Result<()> {
        self.require(permission)?;
        if self.principal.may_in(queue) {
            return Ok(());
        }
        Err(self.refused(Denied::OtherQueue { permission, queue: Some(queue.clone()) }))
    }

    /// The right on that job, wherever it is.
    ///
    /// # Errors
    /// As [`require`](Self::require); [`Denied::Hidden`] for a job of another queue than theirs; what the engine says.
    pub async fn require_on(&self, permission: Permission, id: &JobId) -> Result<()> {
        self.require(permission)?;
        if self.principal.is_everywhere() {
            return Ok(());
        }
        let missing = || Error::NotFound { id: id.clone() };
        // A job belongs to its queue for life, so what is true before the act is true during it.
        let row = self.row(id).await?.ok_or_else(missing)?;
        if self.principal.may_in(&row.queue) {
            return Ok(());
        }
        Err(self.refused(Denied::Hidden { permission, target: id.to_string(), missing: missing() }))
    }

    /// Refuses them something for the lack of a right.
    #[must_use]
    pub fn refuse_lacking(&self, permission: Permission, target: &impl ToString) -> Denied {
        self.refused(Denied::Lacks { permission, target: target.to_string() })
    }

    // Reading.

    /// Reading as much of each job as they may, in their queues.
    fn reader(&self) -> Inspector {
        self.reader_of_all().only_in(self.principal.queues.clone())
    }

    /// The same, not bound to their queues: for looking where something belongs.
    fn reader_of_all(&self) -> Inspector {
        self.engine.inspector().seen_with(self.sight())
    }

    /// What of jobs they may see.
    fn sight(&self) -> Sight {
        Sight::new(self.principal.may(Permission::SeePayloads), self.principal.may(Permission::SeeErrors))
    }

    /// Reading what is about no queue, or about something that spans them.
    ///
    /// # Errors
    /// As [`require_everywhere`](Self::require_everywhere).
    pub fn inspector(&self) -> Result<Inspector> {
        self.inspector_for(Permission::View)
    }

    /// The same with that right.
    ///
    /// # Errors
    /// As [`require_everywhere`](Self::require_everywhere).
    pub fn inspector_for(&self, permission: Permission) -> Result<Inspector> {
        self.require_everywhere(permission)?;
        Ok(self.reader())
    }

    /// Reading what watches all queues: who may look everywhere may see as much as that.
    ///
    /// # Errors
    /// As [`require_everywhere`](Self::require_everywhere).
    pub fn inspector_of_metrics(&self) -> Result<Inspector> {
        let sees_metrics = self.principal.may(Permission::SeeMetrics);
        self.inspector_for(if sees_metrics { Permission::SeeMetrics } else { Permission::View })
    }

    /// Reading in one queue; `None` is all that are theirs.
    ///
    /// # Errors
    /// As [`require_in`](Self::require_in).
    pub fn inspector_in(&self, queue: Option<&QueueName>) -> Result<Inspector> {
        match queue {
            None => self.inspector_of_seen(),
            Some(queue) => {
                self.require_in(Permission::View, queue)?;
                Ok(self.reader())
            }
        }
    }

    /// Reading what belongs to the queues that are theirs. Events, bulk runs and batches are held against
    /// [`may_in`](Principal::may_in), [`sees_run`](Principal::sees_run) and [`sees_batch`](Self::sees_batch): no inspector is
    /// bound in them.
    ///
    /// # Errors
    /// As [`require`](Self::require).
    pub fn inspector_of_seen(&self) -> Result<Inspector> {
        self.require(Permission::View)?;
        Ok(self.reader())
    }

    /// Reading about one job, wherever it is.
    ///
    /// # Errors
    /// As [`require_on`](Self::require_on).
    pub async fn inspector_on(&self, id: &JobId) -> Result<Inspector> {
        self.require_on(Permission::View, id).await?;
        Ok(self.reader())
    }

    /// For those who may act in some queues and have to see first which one it is about: it is bound to none, so that
    /// what belongs to others is not taken for what is free.
    ///
    /// # Errors
    /// As [`require`](Self::require).
    pub fn inspector_to_act(&self, permission: Permission) -> Result<Inspector> {
        self.require(permission)?;
        Ok(self.reader_of_all())
    }

    /// Reading who did what; [`Principal::audit_seen`] says how much of it.
    ///
    /// # Errors
    /// As [`require`](Self::require).
    pub fn inspector_of_audit(&self) -> Result<Inspector> {
        self.require(Permission::SeeAudit)?;
        Ok(self.reader())
    }

    /// A bulk run, if they [may know of it](Principal::sees_run), and reading.
    ///
    /// # Errors
    /// As [`require`](Self::require); [`Denied::Hidden`] for a run in queues that are not theirs; what the engine says.
    pub async fn bulk_run(&self, run: &RunId) -> Result<(Inspector, BulkRun)> {
        let found = self.bulk_run_for(Permission::View, run).await?;
        Ok((self.reader(), found))
    }

    /// The same for those who act on it, with the right for that.
    ///
    /// # Errors
    /// As [`bulk_run`](Self::bulk_run).
    pub async fn bulk_run_for(&self, permission: Permission, run: &RunId) -> Result<BulkRun> {
        self.require(permission)?;
        let missing = || Error::NoBulkRun { id: run.clone() };
        let found = self.reader_of_all().bulk_run(run).await?.ok_or_else(missing)?;
        if self.principal.sees_run(&found) {
            return Ok(found);
        }
        Err(self.refused(Denied::Hidden { permission, target: run.to_string(), missing: missing() }))
    }

    /// Whether a batch may be shown: to whom the job that completes it is shown; its jobs are told by their ids alone.
    #[must_use]
    pub fn sees_batch(&self, batch: &JobBatch) -> bool {
        self.principal.is_everywhere()
            || batch.completion_job.as_ref().is_some_and(|job| self.principal.may_in(&job.queue))
    }

    /// Whether a plan may be shown: to whom all its jobs are shown.
    ///
    /// # Errors
    /// What the engine says.
    pub async fn sees_plan(&self, id: &PlanId) -> Result<bool> {
        Ok(self.principal.is_everywhere() || self.reader().plan(id).await?.is_some())
    }

    /// How many jobs they may take away in one file, if that is less than anybody may.
    #[must_use]
    pub fn export_rows_max(&self) -> Option<usize> {
        (self.principal.role == Some(Role::Support)).then_some(SUPPORT_ROWS_MAX)
    }

    /// What became of jobs that were enqueued, for a caller who may know: of one that exists in a queue that is not theirs,
    /// that its id is taken.
    ///
    /// # Errors
    /// What the engine says.
    pub async fn answers_seen(&self, mut answers: Vec<Enqueued>) -> Result<Vec<Enqueued>> {
        if self.principal.is_everywhere() {
            return Ok(answers);
        }
        let there = answers.iter().filter_map(|answer| match answer {
            Enqueued::Exists(standing) => Some(standing.id.clone()),
            _ => None,
        });
        let mut theirs = HashSet::new();
        for ids in there.collect::<Vec<_>>().chunks(ROWS_MAX) {
            let rows = self.engine.inspector().rows(ids).await?.into_iter().flatten();
            theirs.extend(rows.filter(|row| self.principal.may_in(&row.queue)).map(|row| row.id));
        }
        for answer in &mut answers {
            if let Enqueued::Exists(standing) = answer
                && !theirs.contains(&standing.id)
            {
                *answer = Enqueued::IdConflict { id: standing.id.clone() };
            }
        }
        Ok(answers)
    }

    /// A look at one hidden part of a job's payload, as often as they may.
    ///
    /// # Errors
    /// As [`require_on`](Self::require_on).
    pub async fn reveal(&self, id: &JobId, part: PartPath) -> Result<Reveal> {
        let operator = self.operator_on(Permission::RevealFields, id).await?;
        Ok(operator.reveal(id, part).an_hour_max(self.principal.reveals_an_hour_max()))
    }

    /// What seals and opens filters in addresses.
    ///
    /// # Errors
    /// As [`require`](Self::require); what the engine says.
    pub async fn seals(&self) -> Result<Seals> {
        self.require(Permission::View)?;
        Ok(Seals::read(&self.engine).await?)
    }

    // Acting.

    /// Acting in their name. What goes on after the call of somebody with a session, a bulk run, ends when they lose the
    /// right.
    fn acting(&self) -> Operator {
        let operator = self.engine.operator(self.principal.actor());
        if self.principal.credential == Credential::Session { operator.signed_in() } else { operator }
    }

    /// Acting on all queues.
    ///
    /// # Errors
    /// As [`require_everywhere`](Self::require_everywhere).
    pub fn operator(&self, permission: Permission) -> Result<Operator> {
        self.require_everywhere(permission)?;
        Ok(self.acting())
    }

    /// Acting in one queue.
    ///
    /// # Errors
    /// As [`require_in`](Self::require_in).
    pub fn operator_in(&self, permission: Permission, queue: &QueueName) -> Result<Operator> {
        self.require_in(permission, queue)?;
        Ok(self.acting())
    }

    /// Acting on something that belongs to several queues: each has to be theirs.
    ///
    /// # Errors
    /// As [`require_in`](Self::require_in).
    pub fn operator_in_all<'a>(
        &self,
        permission: Permission,
        queues: impl Iterator<Item = &'a QueueName>,
    ) -> Result<Operator> {
        self.client_in(permission, queues)?;
        Ok(self.acting())
    }

    /// Acting on one job, wherever it is.
    ///
    /// # Errors
    /// As [`require_on`](Self::require_on).
    pub async fn operator_on(&self, permission: Permission, id: &JobId) -> Result<Operator> {
        self.require_on(permission, id).await?;
        Ok(self.acting())
    }

    /// Acting on what was read with their own inspector, or is their own.
    ///
    /// # Errors
    /// As [`require`](Self::require).
    pub fn operator_of_seen(&self, permission: Permission) -> Result<Operator> {
        self.require(permission)?;
        Ok(self.acting())
    }

    /// Acting on one schedule, or making one of that name; `None` if it is of another queue than theirs. Where there is none
    /// yet, there is nothing that could belong to others. A name is unique in the namespace, so a caller who wants one has to
    /// be told that it is taken; not where.
    ///
    /// # Errors
    /// As [`require`](Self::require); what the engine says.
    pub async fn operator_on_cron(&self, name: &CronName) -> Result<Option<Operator>> {
        let permission = Permission::ManageCron;
        self.require(permission)?;
        if !self.principal.is_everywhere()
            && let Some(state) = self.engine.inspector().cron_entry(name).await?
            && !self.principal.may_in(&state.entry.queue)
        {
            self.note(permission, name.to_string());
            return Ok(None);
        }
        Ok(Some(self.acting()))
    }

    /// Acting on many jobs at once, found by what they may see, with the queues that the bulk run is bound to as they are:
    /// none for all of them.
    ///
    /// # Errors
    /// As [`require`](Self::require).
    pub fn bulk_operator(&self, verb: BulkVerb) -> Result<(Operator, Vec<QueueName>)> {
        self.require(Permission::RunBulk)?;
        self.require(verb.permission())?;
        Ok((self.acting().seen_with(self.sight()), self.principal.queues.clone()))
    }

    /// For producers, into these queues.
    ///
    /// # Errors
    /// As [`require_in`](Self::require_in).
    pub fn client_in<'a>(
        &self,
        permission: Permission,
        mut queues: impl Iterator<Item = &'a QueueName>,
    ) -> Result<Client> {
        self.require(permission)?;
        match queues.find(|queue| !self.principal.may_in(queue)) {
            Some(queue) => Err(self.refused(Denied::OtherQueue { permission, queue: Some(queue.clone()) })),
            None => Ok(self.engine.client()),
        }
    }

    /// For workers elsewhere, of one queue.
    ///
    /// # Errors
    /// As [`require_in`](Self::require_in).
    pub fn claimant_in(&self, permission: Permission, queue: &QueueName, name: &str) -> Result<Claimant> {
        self.require_in(permission, queue)?;
        Ok(self.engine.claimant(name))
    }

    /// For workers elsewhere who report on one job, wherever it is.
    ///
    /// # Errors
    /// As [`require_on`](Self::require_on).
    pub async fn claimant_on(&self, permission: Permission, id: &JobId, name: &str) -> Result<Claimant> {
        self.require_on(permission, id).await?;
        Ok(self.engine.claimant(name))
    }

    /// For a caller who takes foreign queues over, into whatever queue they name.
    ///
    /// # Errors
    /// As [`require_everywhere`](Self::require_everywhere).
    pub fn importer(&self) -> Result<Engine> {
        self.require_everywhere(Permission::ImportJobs)?;
        Ok(self.engine.clone())
    }

    /// Those who may sign in, for a caller who may do that with them.
    ///
    /// # Errors
    /// As [`require_everywhere`](Self::require_everywhere).
    pub fn people(&self, permission: Permission) -> Result<People> {
        self.require_everywhere(permission)?;
        Ok(self.all_people())
    }

    fn all_people(&self) -> People {
        People::new(&self.engine).called_by(&self.principal.actor())
    }

    /// API tokens, for a caller who may make them.
    ///
    /// # Errors
    /// As [`require`](Self::require).
    pub fn tokens(&self) -> Result<Tokens> {
        self.require(Permission::ManageTokens)?;
        Ok(Tokens::new(&self.engine).called_by(&self.principal.actor()))
    }

    /// The caller's own account.
    ///
    /// # Errors
    /// [`Denied::SignedOut`] without a session.
    pub fn own_account(&self) -> Result<People> {
        if self.principal.credential != Credential::Session {
            return Err(Denied::SignedOut { permission: Permission::OwnAccount });
        }
        Ok(self.all_people())
    }

    /// Where first answers are kept.
    #[must_use]
    pub fn answers(&self) -> Answers {
        self.engine.answers()
    }

    /// A due time as an instant, by Redis's clock.
    ///
    /// # Errors
    /// What the engine says.
    pub async fn instant(&self, due: Due) -> Result<Timestamp> {
        if let Due::At(at) = due {
            return Ok(at);
        }
        due.check("delay_ms")?;
        Ok(due.at(self.engine.now().await?))
    }

    // What an act needs besides.

    /// The version to act on, for a caller who may do more than the verb's own right says with `right` alone. Without it,
    /// `wants` says of which jobs there may be no act; the version that was looked at binds the act to what the job was then. Of
    /// a job that cannot be looked at, or is at another version than `seen`, nothing is known: the act comes to nothing.
    ///
    /// # Errors
    /// [`Denied::Lacks`]; what the engine says.
    pub async fn only_with(
        &self,
        right: Permission,
        id: &JobId,
        seen: Option<Version>,
        wants: impl Fn(&JobRow, Timestamp) -> bool,
    ) -> Result<Option<Version>> {
        if self.principal.may(right) {
            return Ok(seen);
        }
        let row = self.row(id).await?.filter(|row| seen.is_none_or(|seen| seen == row.version));
        // What is wrong, or what a repeat was answered first, is for the act to tell.
        let Some(row) = row else { return Ok(Some(NO_VERSION)) };
        if wants(&row, self.engine.now().await?) {
            return Err(self.refuse_lacking(right, id));
        }
        Ok(Some(row.version))
    }

    async fn row(&self, id: &JobId) -> Result<Option<JobRow>> {
        let rows = self.engine.inspector().rows(std::slice::from_ref(id)).await?;
        Ok(rows.into_iter().flatten().next())
    }

    /// Whether they may do to its jobs what a bulk run does where jobs wait for their time, or run.
    ///
    /// # Errors
    /// [`Denied::Lacks`] for what stops running jobs, or has waiting ones run before their time; what the engine says.
    pub async fn require_run(&self, run: &BulkRun) -> Result<()> {
        match run_needs(run, self.engine.now().await?) {
            Some(right) if !self.principal.may(right) => Err(self.refuse_lacking(right, &run.id)),
            _ => Ok(()),
        }
    }

    /// Whether they may end a bulk run: that of another is for operators.
    ///
    /// # Errors
    /// [`Denied::Lacks`].
    pub fn require_own_run(&self, run: &BulkRun) -> Result<()> {
        let is_operator = self.principal.role.is_none_or(|role| role >= Role::Operator);
        if is_operator || self.principal.name == run.by {
            return Ok(());
        }
        Err(self.refuse_lacking(Permission::StopJobs, &run.id))
    }

    /// Whether their role may do something to so many jobs at once.
    ///
    /// # Errors
    /// [`Denied::TooMany`] above what the role may; [`Denied::ProveFirst`] above 100 for somebody who has not proved lately
    /// who they are.
    pub fn allow_bulk(&self, jobs: u64) -> Result<()> {
        if let Some(most) = self.principal.role.and_then(Role::bulk_jobs_max)
            && jobs > u64::from(most)
        {
            return Err(Denied::TooMany { most });
        }
        if jobs > UNPROVED_MAX && !self.principal.has_proved() {
            return Err(Denied::ProveFirst);
        }
        Ok(())
    }

    /// By how much they may put something off at once; `None` for as far as anybody may.
    fn postpones_by_max(&self) -> Option<Delay> {
        self.principal.role.and_then(Role::postpones_by_max)
    }

    /// Whether their role may put something off by so much.
    ///
    /// # Errors
    /// [`Denied::TooFar`].
    pub fn allow_later(&self, later: Delay) -> Result<()> {
        match self.postpones_by_max() {
            Some(most) if later > most => {
                let days = most.as_millis() / Delay::days(1).as_millis();
                Err(Denied::TooFar { days: u32::try_from(days).unwrap_or(u32::MAX) })
            }
            _ => Ok(()),
        }
    }

    /// Whether their role may give a job that due time: so much later than its own, or than now where that has passed; and
    /// earlier only with the right to run it before its time.
    ///
    /// # Errors
    /// [`Denied::TooFar`]; [`Denied::Lacks`]; what the engine says.
    pub async fn allow_due(&self, id: &JobId, due: Due) -> Result<()> {
        let hastens = self.principal.may(Permission::RunJobs);
        if hastens && self.postpones_by_max().is_none() {
            return Ok(());
        }
        let now = self.engine.now().await?;
        let row = self.row(id).await?.ok_or_else(|| Error::NotFound { id: id.clone() })?;
        let due = due.at(now);
        if !hastens && minute(due) < minute(row.due) && waits(&row, now) {
            return Err(self.refuse_lacking(Permission::RunJobs, id));
        }
        self.allow_later(Delay::millis(due.millis_since(row.due.max(now))))
    }

    /// Whether their role may move jobs there, spread over that long behind it.
    ///
    /// # Errors
    /// [`Denied::TooFar`]; what the engine says.
    pub async fn allow_shift(&self, shift: Shift, spread: Delay) -> Result<()> {
        if self.postpones_by_max().is_none() {
            return Ok(());
        }
        let later = shift.later_than(self.engine.now().await?);
        self.allow_later(Delay::millis(later.as_millis().saturating_add(spread.as_millis())))
    }

    /// Takes one of what a person may do in a span of time. `asked` and `target` say what for, for the audit, where that
    /// they were refused stands then. Programs are not counted.
    ///
    /// # Errors
    /// [`Denied::TooOften`]; what the engine says.
    pub async fn spend(&self, allowance: Allowance, asked: &str, target: &str) -> Result<()> {
        if !self.principal.is_person() {
            return Ok(());
        }
        let (people, name) = (self.all_people(), &self.principal.name);
        let Allowance { what, most, span } = allowance;
        let Some(wait) = people.spend(what, name, most, span).await? else { return Ok(()) };
        people.note_denied(name, asked, target, "too often").await;
        Err(Denied::TooOften { wait })
    }

    /// Writes down that they take a file away, before they get any of it: what is in it, of which list or run, and the
    /// names of the fields it was filtered by.
    ///
    /// # Errors
    /// What the engine says.
    pub async fn takes_away(&self, what: &str, which: &str, filtered: &str) -> Result<()> {
        Ok(self.acting().takes_away(what, which, filtered).await?)
    }

    /// Whether somebody with a session or a token still may what they might when they asked, and where: for what takes its
    /// time. Their session is not asked, which may end idle before that. Nothing is known while Redis is away.
    pub async fn is_what_it_was(&self) -> bool {
        if self.principal.credential == Credential::Token {
            return self.token_is_what_it_was().await;
        }
        let Ok(name) = self.principal.name.parse::<PersonName>() else { return true };
        if self.principal.credential != Credential::Session {
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
            let may_the_same =
                token.permissions == self.principal.permissions && token.queues == self.principal.queues;
            token.name.as_str() == name && is_good && may_the_same
        })
    }
}
