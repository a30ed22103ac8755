//! The state machine of a job in plain Rust: maps and numbers, no Redis, no keys, no thought of speed.

use super::groups::{Batch, Gate, Plan};
use reprieve::model::JobState;
use std::collections::BTreeMap;

/// An instant or a span in ms, as the test counts them.
pub(super) type Ms = i64;
/// Jobs, queues, subjects, unique keys and concurrency keys are small numbers here.
pub(super) type Name = u8;

/// After so many leases in a row of which nothing was heard a job is dead.
const UNHEARD_MAX: u32 = 5;
/// So many jobs of a key are let in when its limit has gone.
const FREED_MAX: usize = 100;

/// What a new job says.
#[derive(Debug, Clone)]
pub(super) struct New {
    pub queue: Name,
    /// From now; none is at once.
    pub due: Option<Ms>,
    pub priority: u8,
    pub max_attempts: Option<u32>,
    pub subject: Option<Name>,
    pub unique: Option<Name>,
    pub concurrency_key: Option<Name>,
}

impl Default for New {
    fn default() -> Self {
        Self {
            queue: 0,
            due: None,
            priority: 5,
            max_attempts: Some(2),
            subject: None,
            unique: None,
            concurrency_key: None,
        }
    }
}

/// A job as the machine keeps it.
#[derive(Debug, Clone)]
pub(super) struct Job {
    pub state: JobState,
    pub version: u64,
    pub attempt: u32,
    pub max_attempts: Option<u32>,
    pub due: Ms,
    /// When somebody asked it to stop.
    pub cancel_asked: Option<Ms>,
    pub started: Ms,
    pub lease_until: Option<Ms>,
    pub has_ended: Option<Ms>,
    /// Until when an ended job is kept. How long that is has tests of its own: it is read from the engine.
    pub kept_until: Option<Ms>,
    pub subject: Option<Name>,
    pub cancelled_from: Option<JobState>,
    /// Which step of the plan it is.
    pub step: Option<usize>,
    pub is_in_batch: bool,
    /// Whether it completes the batch.
    pub completes: bool,
    /// What it was told when it was held for what it waits for.
    pub gated: Option<Gate>,
    pub is_held_by_plan: bool,
    queue: Name,
    priority: u8,
    unique: Option<Name>,
    concurrency_key: Option<Name>,
    token: u64,
    /// The latest report that was taken, which a repeat is told again.
    spent: Option<(u64, Word)>,
    is_heard: bool,
    stalls: u32,
    unheard: u32,
    /// Its place among those that became ready.
    sequence: u64,
    has_slot: bool,
    waits_for_slot: bool,
}

impl Job {
    const fn is_used_up(&self) -> bool {
        matches!(self.max_attempts, Some(most) if self.attempt >= most)
    }
}

/// What people have set for a queue.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Rules {
    pub concurrency: Option<u32>,
    pub per_key: Option<u32>,
    pub is_ordered: bool,
}

/// How an attempt is reported.
#[derive(Debug, Clone, Copy)]
pub(super) enum Report {
    Complete,
    /// The wait before the next attempt; none is for good.
    Fail(Option<Ms>),
    Snooze(Ms),
    Release,
}

/// Answers in the engine's words.
pub(super) type Word = &'static str;

#[derive(Debug, Default)]
pub(super) struct Machine {
    pub jobs: BTreeMap<Name, Job>,
    pub now: Ms,
    rules: BTreeMap<Name, Rules>,
    paused: BTreeMap<Name, bool>,
    /// Who holds a unique key.
    unique: BTreeMap<Name, Name>,
    /// Slots that are taken, by queue and concurrency key.
    slots: BTreeMap<(Name, Name), u32>,
    sequence: u64,
    /// The highest version of a job that was removed.
    pub removed: u64,
    pub plan: Option<Plan>,
    pub batch: Option<Batch>,
    /// What the present call did to the plan and the batch: for the latter, whether a job of it lives again.
    pub has_noted_plan: bool,
    pub noted_batch: Option<bool>,
}

impl Machine {
    pub(super) fn job(&mut self, id: Name) -> &mut Job {
        self.jobs.get_mut(&id).unwrap()
    }

    /// Moves a job to a state, with all that follows from that alone.
    pub(super) fn enter(&mut self, id: Name, to: JobState) {
        let (now, next) = (self.now, self.sequence + 1);
        let is_ordered = self.rules_of(self.jobs[&id].queue).is_ordered;
        let job = self.job(id);
        let from = std::mem::replace(&mut job.state, to);
        job.version += 1;
        if to == JobState::Ready && from != to && job.sequence == 0 {
            job.sequence = next;
            self.sequence = next;
        }
        let job = self.job(id);
        job.has_ended = to.is_final().then_some(now);
        if !to.is_final() {
            job.kept_until = None;
        }
        if from == JobState::Active && to != from {
            job.lease_until = None;
            job.cancel_asked = None;
            job.is_heard = false;
        }
        if to != JobState::Ready && to != JobState::Active {
            job.sequence = 0;
        }
        let gives_back = to.is_final() || from == JobState::Active && to != from && !is_ordered;
        if from == JobState::Ready && to != JobState::Active {
            self.stop_waiting(id);
        }
        if gives_back {
            self.give_slot_back(id);
        }
        if to.is_final() {
            self.unique.retain(|_, holder| *holder != id);
        }
        if from.is_final() || to.is_final() {
            self.note(id, from, to);
        }
    }

    fn rules_of(&self, queue: Name) -> Rules {
        self.rules.get(&queue).copied().unwrap_or_default()
    }

    // Concurrency keys

    fn let_in(&mut self, queue: Name, key: Name) {
        let taken = self.slots.get(&(queue, key)).copied().unwrap_or_default();
        let room = match self.rules_of(queue).per_key {
            Some(most) => most.saturating_sub(taken) as usize,
            None => FREED_MAX,
        };
        let mut waiting: Vec<&mut Job> = self
            .jobs
            .values_mut()
            .filter(|job| job.waits_for_slot && (job.queue, job.concurrency_key) == (queue, Some(key)))
            .collect();
        waiting.sort_by_key(|job| (job.priority, job.sequence));
        waiting.into_iter().take(room).for_each(|job| job.waits_for_slot = false);
    }

    fn stop_waiting(&mut self, id: Name) {
        let job = self.job(id);
        let (queue, has_slot) = (job.queue, job.has_slot);
        let waited = std::mem::take(&mut job.waits_for_slot);
        if let Some(key) = job.concurrency_key
            && !waited
            && !has_slot
        {
            self.let_in(queue, key);
        }
    }

    fn give_slot_back(&mut self, id: Name) {
        let job = self.job(id);
        let queue = job.queue;
        if let Some(key) = job.concurrency_key
            && std::mem::take(&mut job.has_slot)
        {
            *self.slots.get_mut(&(queue, key)).unwrap() -= 1;
            self.let_in(queue, key);
        }
    }

    fn take_slot(&mut self, id: Name) -> bool {
        let job = &self.jobs[&id];
        let Some(key) = job.concurrency_key else { return true };
        if job.has_slot {
            return true;
        }
        let most = self.rules_of(job.queue).per_key;
        let taken = self.slots.entry((job.queue, key)).or_default();
        let is_free = most.is_none_or(|most| *taken < most);
        *taken += u32::from(is_free);
        let job = self.job(id);
        (job.has_slot, job.waits_for_slot) = (is_free, !is_free);
        is_free
    }

    // What services do

    /// A job that enters its first state next.
    pub(super) fn create(&mut self, id: Name, new: &New, due: Ms) {
        let job = Job {
            state: JobState::Delayed,
            version: self.removed,
            attempt: 0,
            max_attempts: new.max_attempts,
            due,
            cancel_asked: None,
            started: 0,
            lease_until: None,
            has_ended: None,
            kept_until: None,
            subject: new.subject,
            cancelled_from: None,
            step: None,
            is_in_batch: false,
            completes: false,
            gated: None,
            is_held_by_plan: false,
            queue: new.queue,
            priority: new.priority,
            unique: new.unique,
            concurrency_key: new.concurrency_key,
            token: 0,
            spent: None,
            is_heard: false,
            stalls: 0,
            unheard: 0,
            sequence: 0,
            has_slot: false,
            waits_for_slot: false,
        };
        self.jobs.insert(id, job);
    }

    pub(super) fn enqueue(&mut self, id: Name, new: &New) -> Word {
        if self.jobs.contains_key(&id) {
            return "exists";
        }
        if new.unique.is_some_and(|key| self.unique.contains_key(&key)) {
            return "duplicate";
        }
        if let Some(key) = new.unique {
            self.unique.insert(key, id);
        }
        let due = self.now + new.due.unwrap_or_default();
        self.create(id, new, due);
        let to = if due > self.now { JobState::Delayed } else { JobState::Ready };
        self.enter(id, to);
        to.as_str()
    }

    /// Those that wait for their time and are due, in the order of their times. Returns how many.
    pub(super) fn forward(&mut self) -> usize {
        let waits = |job: &Job| matches!(job.state, JobState::Delayed | JobState::Retrying);
        let mut due: Vec<(Ms, Name)> = self
            .jobs
            .iter()
            .filter(|(_, job)| waits(job) && job.due <= self.now)
            .map(|(id, job)| (job.due, *id))
            .collect();
        due.sort_unstable();
        due.iter().for_each(|(_, id)| self.comes_due(*id));
        due.len()
    }

    /// The jobs that a claim reads, by queue, before it starts any.
    fn read_ready(&self, most: usize, queues: &[Name], ending: &[Name]) -> Vec<Name> {
        let mut found = Vec::new();
        for queue in queues {
            let mut room = most - found.len();
            if self.paused.get(queue).copied().unwrap_or_default() {
                continue;
            }
            let of_queue = || self.jobs.iter().filter(|(_, job)| job.queue == *queue);
            if let Some(concurrency) = self.rules_of(*queue).concurrency {
                let is_running =
                    |(id, job): &(&Name, &Job)| job.state == JobState::Active && !ending.contains(*id);
                let active = of_queue().filter(is_running).count();
                room = room.min((concurrency as usize).saturating_sub(active));
            }
            let mut ready: Vec<_> = of_queue()
                .filter(|(_, job)| job.state == JobState::Ready && !job.waits_for_slot)
                .map(|(id, job)| (job.priority, job.sequence, *id))
                .collect();
            ready.sort_unstable();
            found.extend(ready.into_iter().take(room).map(|(.., id)| id));
        }
        found
    }

    fn start(&mut self, ids: Vec<Name>, lease: Ms) -> Vec<(Name, u64)> {
        let (now, lease_until) = (self.now, self.now + lease);
        let mut started = Vec::new();
        for id in ids {
            if self.take_slot(id) {
                self.enter(id, JobState::Active);
                let job = self.job(id);
                job.attempt += 1;
                job.started = now;
                (job.token, job.is_heard, job.lease_until) = (job.version, false, Some(lease_until));
                started.push((id, job.token));
            }
        }
        started
    }

    /// The jobs that start, in order, with their tokens.
    pub(super) fn claim(&mut self, most: usize, queues: &[Name], lease: Ms) -> Vec<(Name, u64)> {
        let ids = self.read_ready(most, queues, &[]);
        self.start(ids, lease)
    }

    /// What ends frees places for what starts, but whom it lets in is not among those yet.
    pub(super) fn complete_and_claim(
        &mut self,
        reports: &[(Name, u64)],
        most: usize,
        queues: &[Name],
        lease: Ms,
    ) -> (Vec<Word>, Vec<(Name, u64)>) {
        let ending: Vec<Name> = reports
            .iter()
            .filter(|(id, token)| self.judge(*id, *token) == Err("held"))
            .map(|(id, _)| *id)
            .collect();
        let ids = self.read_ready(most, queues, &ending);
        let words = reports.iter().map(|(id, token)| self.report(*id, *token, Report::Complete)).collect();
        (words, self.start(ids, lease))
    }

    /// The first answer to a report; or, as an error, the word for a lease.
    fn judge(&self, id: Name, token: u64) -> Result<Word, Word> {
        let Some(job) = self.jobs.get(&id) else { return Err("missing") };
        match job.spent {
            Some((spent, answer)) if spent == token => Ok(answer),
            _ if job.state == JobState::Done && job.version - 1 == token => Ok("done"),
            _ if job.state == JobState::Active && job.token == token => Err("held"),
            _ => Err("lost"),
        }
    }

    pub(super) fn report(&mut self, id: Name, token: u64, report: Report) -> Word {
        match self.judge(id, token) {
            Ok(answer) => return answer,
            Err("held") => {}
            Err(word) => return word,
        }
        let now = self.now;
        let job = self.job(id);
        let is_asked = job.cancel_asked.is_some();
        let to = match report {
            Report::Complete => JobState::Done,
            _ if is_asked => JobState::Cancelled,
            Report::Fail(None) => JobState::Dead,
            Report::Fail(Some(_)) if job.is_used_up() => JobState::Dead,
            Report::Fail(Some(_)) => JobState::Retrying,
            Report::Snooze(_) => JobState::Delayed,
            Report::Release => JobState::Ready,
        };
        if let Report::Fail(Some(wait)) | Report::Snooze(wait) = report
            && !to.is_final()
        {
            job.due = now + wait;
        }
        if let Report::Snooze(_) | Report::Release = report {
            job.attempt = job.attempt.saturating_sub(1);
        }
        if to == JobState::Cancelled {
            job.cancelled_from = Some(JobState::Active);
        }
        // One that ended well is known by its version, unless that rose while it ran; then the report before is kept too.
        if to != JobState::Done || is_asked {
            job.spent = Some((token, to.as_str()));
        }
        job.unheard = 0;
        if to.is_final() {
            self.enter(id, to);
            return to.as_str();
        }
        let to = self.goes_on(id, to);
        let word = if to == JobState::Held { "plan_held" } else { to.as_str() };
        self.job(id).spent = Some((token, word));
        self.enter(id, to);
        word
    }

    pub(super) fn extend(&mut self, id: Name, token: u64, lease: Ms) -> Word {
        let lease_until = self.now + lease;
        let Some(job) = self.jobs.get_mut(&id) else { return "missing" };
        if job.state != JobState::Active || job.token != token {
            return "lost";
        }
        (job.lease_until, job.is_heard) = (Some(lease_until), true);
        if job.cancel_asked.is_some() { "cancel" } else { "held" }
    }

    /// Takes back those whose lease is over. Returns how many.
    pub(super) fn recover(&mut self, wait: Ms, stalls_max: u32) -> usize {
        let now = self.now;
        let is_over = |job: &Job| job.lease_until.is_some_and(|until| until < now);
        let over: Vec<Name> = self.jobs.iter().filter(|(_, job)| is_over(job)).map(|(id, _)| *id).collect();
        for id in &over {
            let job = self.job(*id);
            job.attempt = job.attempt.saturating_sub(1);
            let is_dead = if job.is_heard {
                job.stalls += 1;
                if job.stalls == 1 && job.unheard > 0 {
                    job.stalls = 2;
                }
                job.unheard = 0;
                job.stalls >= stalls_max
            } else {
                job.unheard += 1;
                job.unheard >= UNHEARD_MAX
            };
            let to = match (job.cancel_asked.is_some(), is_dead) {
                (true, _) => JobState::Cancelled,
                (_, true) => JobState::Dead,
                _ => JobState::Retrying,
            };
            if to == JobState::Retrying {
                job.due = now + wait;
            } else if to == JobState::Cancelled {
                job.cancelled_from = Some(JobState::Active);
            }
            let to = if to == JobState::Retrying { self.goes_on(*id, to) } else { to };
            self.enter(*id, to);
        }
        over.len()
    }

    /// Removes what was kept long enough. Returns how many.
    pub(super) fn purge(&mut self) -> usize {
        let (now, before) = (self.now, self.jobs.len());
        let is_over = |job: &Job| job.kept_until.is_some_and(|until| until <= now);
        let over = self.jobs.values().filter(|job| is_over(job)).map(|job| job.version).max();
        // To be removed is a change as well.
        self.removed = self.removed.max(over.map_or(0, |version| version + 1));
        let ids: Vec<Name> = self.jobs.iter().filter(|(_, job)| is_over(job)).map(|(id, _)| *id).collect();
        for job in ids.iter().filter_map(|id| self.jobs.remove(id)).collect::<Vec<_>>() {
            self.forget(&job);
        }
        before - self.jobs.len()
    }

    // What people do

    pub(super) fn cancel(&mut self, id: Name) -> Word {
        let now = self.now;
        let Some(job) = self.jobs.get_mut(&id) else { return "missing" };
        match job.state {
            state if state.is_final() => "already_finished",
            JobState::Active => {
                if job.cancel_asked.is_none() {
                    (job.cancel_asked, job.version) = (Some(now), job.version + 1);
                }
                "requested"
            }
            from => {
                job.cancelled_from = Some(from);
                self.enter(id, JobState::Cancelled);
                "cancelled"
            }
        }
    }

    pub(super) fn cancel_subject(&mut self, subject: Name) -> BTreeMap<Name, Word> {
        let is_meant = |job: &Job| job.subject == Some(subject) && !job.state.is_final();
        let ids: Vec<Name> = self.jobs.iter().filter(|(_, job)| is_meant(job)).map(|(id, _)| *id).collect();
        ids.into_iter().map(|id| (id, self.cancel(id))).collect()
    }

    fn is_held_by_another(&self, id: Name) -> bool {
        let holder = self.jobs[&id].unique.and_then(|key| self.unique.get(&key));
        holder.is_some_and(|holder| *holder != id)
    }

    /// A job that had ended lives again.
    pub(super) fn revive(&mut self, id: Name, to: JobState) -> Word {
        let job = self.job(id);
        if job.is_used_up() {
            job.max_attempts = Some(job.attempt + 1);
        }
        job.cancelled_from = None;
        if let Some(key) = job.unique {
            self.unique.insert(key, id);
        }
        self.enter(id, to);
        to.as_str()
    }

    pub(super) fn reinstate(&mut self, id: Name, due: Option<Ms>) -> Word {
        let now = self.now;
        let Some(job) = self.jobs.get(&id) else { return "missing" };
        if job.state != JobState::Cancelled {
            return "wrong_state";
        }
        let ((to, waited), original) = (self.way_back(id), self.due_now(id));
        let waits = waited && self.still_waits(id);
        if to == JobState::Delayed && due.is_none() && original <= now && !waits {
            return "overdue";
        }
        if self.is_held_by_another(id) {
            return "duplicate";
        }
        self.goes_back(id);
        self.job(id).due = due.map_or(original, |wait| now + wait);
        self.revive(id, to)
    }

    pub(super) fn retry_now(&mut self, id: Name) -> Word {
        let now = self.now;
        let Some(job) = self.jobs.get(&id) else { return "missing" };
        if matches!(job.state, JobState::Ready | JobState::Active | JobState::Done) {
            return "wrong_state";
        }
        if job.state.is_final() && self.is_held_by_another(id) {
            return "duplicate";
        }
        let job = self.job(id);
        (job.due, job.stalls, job.unheard) = (now, 0, 0);
        (job.gated, job.is_held_by_plan) = (None, false);
        self.revive(id, JobState::Ready)
    }

    pub(super) fn reschedule(&mut self, id: Name, wait: Ms) -> Word {
        let due = self.now + wait;
        let Some(job) = self.jobs.get_mut(&id) else { return "missing" };
        if !matches!(job.state, JobState::Delayed | JobState::Held | JobState::Retrying) {
            return "wrong_state";
        }
        job.due = due;
        let state = job.state;
        self.enter(id, state);
        state.as_str()
    }

    pub(super) fn hold(&mut self, id: Name) -> Word {
        self.shift(id, JobState::Delayed, JobState::Held)
    }

    pub(super) fn unhold(&mut self, id: Name) -> Word {
        self.shift(id, JobState::Held, JobState::Delayed)
    }

    fn shift(&mut self, id: Name, from: JobState, to: JobState) -> Word {
        match self.jobs.get(&id) {
            None => "missing",
            Some(job) if job.state != from => "wrong_state",
            Some(_) => {
                let job = self.job(id);
                (job.gated, job.is_held_by_plan) = (None, false);
                self.enter(id, to);
                to.as_str()
            }
        }
    }

    /// Whether that changed anything.
    pub(super) fn pause(&mut self, queue: Name, pauses: bool) -> bool {
        self.paused.insert(queue, pauses).unwrap_or_default() != pauses
    }

    pub(super) fn limit(&mut self, queue: Name, rules: Rules) {
        self.rules.insert(queue, rules);
    }
}
