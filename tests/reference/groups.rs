//! Plans and batches of the plain state machine: jobs that wait for others, and are acted on together. There is one of each.

use super::machine::{Job, Machine, Ms, Name, New, Word};
use reprieve::model::{JobState, Past};
use std::collections::BTreeSet;

/// The jobs of the steps of the plan, and the job that completes the batch.
pub(super) const STEPS: [Name; 3] = [100, 101, 102];
pub(super) const COMPLETION: Name = 200;

/// A step of a plan, as it is asked for.
#[derive(Debug, Clone)]
pub(super) struct NewStep {
    /// From the anchor.
    pub offset: Ms,
    /// Earlier steps, by their places.
    pub after: BTreeSet<usize>,
    /// Whether it is held where one of these was not done; else it is called off.
    pub is_held: bool,
}

/// What a job that waits for others is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gate {
    Open,
    Wait,
    Shut,
}

#[derive(Debug)]
pub(super) struct Plan {
    version: u64,
    anchor: Ms,
    steps: Vec<NewStep>,
    /// How each step ended.
    ended: Vec<Option<JobState>>,
    /// When a cancelled step would be due, where the anchor has moved since.
    moved: Vec<Option<Ms>>,
    held: Option<Ms>,
    /// When it was called off, and the steps that had been by then.
    off: Option<(Ms, BTreeSet<usize>)>,
    /// Jobs that wait for others, in the order in which they came to it.
    waiting: Vec<Name>,
    kept: usize,
}

#[derive(Debug)]
pub(super) struct Batch {
    /// Whether its completion asks that all jobs were done, and is held where they were not.
    asks_for_done: bool,
    is_held: bool,
    is_closed: bool,
    total: usize,
    ended: [usize; 3],
    kept: usize,
}

/// How a batch stands: whether it is closed, how many jobs it has had, how many are live, done, dead and cancelled.
type Head = (bool, usize, usize, [usize; 3]);

/// What is done to a plan.
#[derive(Debug, Clone, Copy)]
pub(super) enum PlanAct {
    ReanchorTo(Ms),
    ReanchorBy(Ms),
    Hold,
    Unhold,
    Cancel,
    Reinstate,
}

/// What became of a plan: the word, its version and anchor, whether it is held, and a word for each step.
pub(super) type PlanTold = (Word, u64, Ms, bool, Vec<(usize, Word)>);

const fn waits(job: &Job) -> bool {
    matches!(job.state, JobState::Delayed | JobState::Held | JobState::Ready | JobState::Retrying)
}

fn place_of(state: JobState) -> usize {
    [JobState::Done, JobState::Dead, JobState::Cancelled].iter().position(|ended| *ended == state).unwrap()
}

impl Machine {
    // What the end of a job means for others

    /// Notes that a job of a plan or a batch ended, or lives again.
    pub(super) fn note(&mut self, id: Name, from: JobState, to: JobState) {
        let job = &self.jobs[&id];
        if let (Some(step), Some(plan)) = (job.step, &mut self.plan) {
            self.has_noted_plan = true;
            plan.ended[step] = to.is_final().then_some(to);
            if !to.is_final() {
                plan.moved[step] = None;
            }
        }
        if let (true, Some(batch)) = (job.is_in_batch, &mut self.batch) {
            if from.is_final() {
                batch.ended[place_of(from)] -= 1;
            }
            if to.is_final() {
                batch.ended[place_of(to)] += 1;
            }
            self.note_batch(from.is_final());
        }
    }

    fn note_batch(&mut self, is_back: bool) {
        *self.noted_batch.get_or_insert_default() |= is_back;
    }

    pub(super) fn gate(&self, id: Name) -> Gate {
        let job = &self.jobs[&id];
        if job.completes {
            return self.batch_gate();
        }
        let (Some(step), Some(plan)) = (job.step, &self.plan) else { return Gate::Open };
        let ended: Vec<Option<JobState>> =
            plan.steps[step].after.iter().map(|other| plan.ended[*other]).collect();
        if ended.iter().flatten().any(|state| *state != JobState::Done) {
            Gate::Shut
        } else if ended.contains(&None) {
            Gate::Wait
        } else {
            Gate::Open
        }
    }

    fn live_in_batch(&self) -> usize {
        self.jobs.values().filter(|job| job.is_in_batch && !job.state.is_final()).count()
    }

    fn batch_gate(&self) -> Gate {
        match &self.batch {
            Some(batch) if batch.is_closed && self.live_in_batch() == 0 => {
                let [_, dead, cancelled] = batch.ended;
                if batch.asks_for_done && dead + cancelled > 0 { Gate::Shut } else { Gate::Open }
            }
            _ => Gate::Wait,
        }
    }

    fn is_held_if_shut(&self, id: Name) -> bool {
        match self.jobs[&id].step {
            Some(step) => self.plan.as_ref().is_some_and(|plan| plan.steps[step].is_held),
            None => self.batch.as_ref().is_some_and(|batch| batch.is_held),
        }
    }

    /// Whether it would be held, were it forwarded now.
    pub(super) fn still_waits(&self, id: Name) -> bool {
        match self.gate(id) {
            Gate::Open => false,
            Gate::Wait => true,
            Gate::Shut => self.is_held_if_shut(id),
        }
    }

    /// A job whose time has come becomes ready, unless it waits for others.
    pub(super) fn comes_due(&mut self, id: Name) {
        let gate = self.gate(id);
        if gate == Gate::Open {
            return self.enter(id, JobState::Ready);
        }
        if !self.still_waits(id) {
            let job = self.job(id);
            job.cancelled_from = Some(job.state);
            return self.enter(id, JobState::Cancelled);
        }
        self.job(id).gated = Some(gate);
        if let (Some(_), Some(plan)) = (self.jobs[&id].step, &mut self.plan)
            && !plan.waiting.contains(&id)
        {
            plan.waiting.push(id);
        }
        self.enter(id, JobState::Held);
    }

    /// Moves a job whose gate has opened or shut; whether it goes on waiting.
    fn let_go(&mut self, id: Name) -> bool {
        let Some(job) = self.jobs.get(&id) else { return false };
        if job.state != JobState::Held || job.gated.is_none() {
            return false;
        }
        let (before, due, now, gate) = (job.gated, job.due, self.now, self.gate(id));
        if gate == Gate::Open {
            self.job(id).gated = None;
            self.enter(id, if due <= now { JobState::Ready } else { JobState::Delayed });
            return false;
        }
        if !self.still_waits(id) {
            self.job(id).cancelled_from = Some(JobState::Held);
            self.enter(id, JobState::Cancelled);
            return false;
        }
        if before != Some(gate) {
            self.job(id).gated = Some(gate);
            self.enter(id, JobState::Held);
        }
        true
    }

    /// Ends a call: what waited for jobs that ended moves along with them.
    pub(super) fn settle(&mut self) {
        while self.has_noted_plan || self.noted_batch.is_some() {
            let batch = self.noted_batch.take();
            if std::mem::take(&mut self.has_noted_plan) {
                let ids = self.plan.as_ref().map_or_else(Vec::new, |plan| plan.waiting.clone());
                let stay: Vec<Name> = ids.into_iter().filter(|id| self.let_go(*id)).collect();
                if let Some(plan) = &mut self.plan {
                    plan.waiting = stay;
                }
            }
            if batch.is_some_and(|is_back| is_back || self.batch_gate() != Gate::Wait) && self.batch.is_some()
            {
                self.let_go(COMPLETION);
            }
        }
    }

    /// Where a job goes that comes back from its worker: it is held with its plan, if that is.
    pub(super) fn goes_on(&mut self, id: Name, to: JobState) -> JobState {
        if !self.is_plan_held(id) {
            return to;
        }
        let job = self.job(id);
        (job.gated, job.is_held_by_plan) = (None, true);
        JobState::Held
    }

    pub(super) fn is_plan_held(&self, id: Name) -> bool {
        self.jobs[&id].step.is_some() && self.plan.as_ref().is_some_and(|plan| plan.held.is_some())
    }

    /// When a step that is called off would be due.
    pub(super) fn due_now(&self, id: Name) -> Ms {
        let job = &self.jobs[&id];
        let moved = job.step.filter(|_| job.state == JobState::Cancelled);
        let moved = moved.and_then(|step| self.plan.as_ref()?.moved[step]);
        moved.unwrap_or(job.due)
    }

    /// Forgets jobs that were removed, and with the last of them their plan or batch.
    pub(super) fn forget(&mut self, job: &Job) {
        if let (Some(_), Some(plan)) = (job.step, &mut self.plan) {
            plan.kept -= 1;
            if plan.kept == 0 {
                self.removed = self.removed.max(plan.version);
                self.plan = None;
            }
        }
        if let (true, Some(batch)) = (job.is_in_batch || job.completes, &mut self.batch) {
            batch.kept -= 1;
            if batch.kept == 0 {
                self.batch = None;
            }
        }
    }

    // Plans

    fn told(&self, word: Word, steps: Vec<(usize, Word)>) -> PlanTold {
        let plan = self.plan.as_ref().unwrap();
        (word, plan.version, plan.anchor, plan.held.is_some(), steps)
    }

    pub(super) fn make_plan(&mut self, anchor: Ms, past: Past, steps: &[NewStep]) -> PlanTold {
        if self.plan.is_some() {
            let word = |id: &Name| self.jobs.get(id).map_or("gone", |job| job.state.as_str());
            return self.told("exists", STEPS.iter().map(word).enumerate().collect());
        }
        let (now, version) = (self.now, self.removed + 1);
        let dues: Vec<Ms> = steps.iter().map(|step| now + anchor + step.offset).collect();
        let is_past = |place: &usize| dues[*place] < now;
        let late: Vec<(usize, Word)> = (0..dues.len()).filter(is_past).map(|place| (place, "past")).collect();
        if past == Past::Refuse && !late.is_empty() {
            return ("past", version, now + anchor, false, late);
        }
        self.plan = Some(Plan {
            version,
            anchor: now + anchor,
            steps: steps.to_vec(),
            ended: vec![None; steps.len()],
            moved: vec![None; steps.len()],
            held: None,
            off: None,
            waiting: Vec::new(),
            kept: steps.len(),
        });
        let mut told = Vec::new();
        for (place, due) in dues.iter().enumerate() {
            let (id, skips) = (STEPS[place], past == Past::Skip && *due < now);
            self.create(id, &New::default(), *due);
            let job = self.job(id);
            (job.step, job.subject) = (Some(place), Some(0));
            let waits = skips || *due > now || !steps[place].after.is_empty();
            self.enter(id, if waits { JobState::Delayed } else { JobState::Ready });
            let mut word = self.jobs[&id].state.as_str();
            if skips {
                self.skip(id);
                word = "skipped";
            }
            told.push((place, word));
        }
        self.told("planned", told)
    }

    /// Calls a step off that would be in the past.
    fn skip(&mut self, id: Name) {
        let job = self.job(id);
        job.cancelled_from = Some(job.state);
        self.enter(id, JobState::Cancelled);
    }

    /// Whether a step is called off by itself and not with its plan.
    fn is_off_by_itself(&self, step: usize) -> bool {
        let Some(job) = self.jobs.get(&STEPS[step]) else { return false };
        let since = match job.state {
            JobState::Active => job.cancel_asked,
            JobState::Cancelled if job.cancelled_from == Some(JobState::Active) => Some(job.started),
            JobState::Cancelled => job.has_ended,
            _ => None,
        };
        let off = self.plan.as_ref().unwrap().off.as_ref();
        since.is_some_and(|since| off.is_none_or(|(at, steps)| steps.contains(&step) || since > *at))
    }

    pub(super) fn act_on_plan(&mut self, act: PlanAct, past: Past) -> Option<PlanTold> {
        let plan = self.plan.as_ref()?;
        if matches!(act, PlanAct::Hold) && plan.held.is_some()
            || matches!(act, PlanAct::Unhold) && plan.held.is_none()
        {
            return Some(self.told("unchanged", Vec::new()));
        }
        let before = plan.anchor;
        let anchor = match act {
            PlanAct::ReanchorTo(wait) => self.now + wait,
            PlanAct::ReanchorBy(by) => before + by,
            _ => before,
        };
        // Where each step would go, and whether that is in the past.
        let goes = self.way_of_each(act, anchor);
        let late: Vec<usize> = goes.iter().filter(|(_, due)| due.is_past).map(|(step, _)| *step).collect();
        if past == Past::Refuse && !late.is_empty() {
            let plan = self.plan.as_ref().unwrap();
            let late = late.into_iter().map(|step| (step, "past")).collect();
            return Some(("past", plan.version, anchor, plan.held.is_some(), late));
        }
        let (mut told, mut off, mut is_changed) = (Vec::new(), BTreeSet::new(), false);
        for (step, way) in goes {
            let id = STEPS[step];
            if matches!(act, PlanAct::Cancel) && self.is_off_by_itself(step) {
                off.insert(step);
            }
            let word = match self.jobs.get(&id) {
                None => "gone",
                Some(_) if way.is_past && past == Past::Skip && matches!(act, PlanAct::Reinstate) => "past",
                Some(_) if way.is_past && past == Past::Skip => {
                    self.skip(id);
                    "skipped"
                }
                Some(job) => {
                    let (version, state) = (job.version, job.state);
                    let word = self.act_on_step(id, act, &way);
                    is_changed |= self.jobs[&id].version != version || self.jobs[&id].state != state;
                    word
                }
            };
            if let (PlanAct::ReanchorTo(_) | PlanAct::ReanchorBy(_), Some(job)) = (act, self.jobs.get(&id))
                && job.state == JobState::Cancelled
            {
                self.plan.as_mut().unwrap().moved[step] = Some(way.due);
            }
            told.push((step, word));
        }
        let stays_off = STEPS.iter().filter_map(|id| self.jobs.get(id)).any(|job| {
            job.state == JobState::Cancelled || job.state == JobState::Active && job.cancel_asked.is_some()
        });
        let now = self.now;
        let plan = self.plan.as_mut().unwrap();
        plan.version += 1;
        plan.anchor = anchor;
        let word = match act {
            PlanAct::ReanchorTo(_) | PlanAct::ReanchorBy(_) => "moved",
            PlanAct::Hold => {
                plan.held = Some(now);
                "held"
            }
            PlanAct::Unhold => {
                plan.held = None;
                "released"
            }
            PlanAct::Cancel => {
                if is_changed {
                    plan.off = Some((now, off));
                }
                "cancelled"
            }
            PlanAct::Reinstate => {
                if !stays_off {
                    plan.off = None;
                }
                "reinstated"
            }
        };
        Some(self.told(word, told))
    }

    fn way_of_each(&self, act: PlanAct, anchor: Ms) -> Vec<(usize, Way)> {
        let plan = self.plan.as_ref().unwrap();
        let way = |(step, id): (usize, &Name)| {
            let Some(job) = self.jobs.get(id) else { return (step, Way::default()) };
            let mut way = Way { due: job.due, is_past: false, is_meant: false };
            match act {
                PlanAct::ReanchorTo(_) | PlanAct::ReanchorBy(_) => {
                    way.due = match act {
                        PlanAct::ReanchorBy(by) => self.due_now(*id) + by,
                        _ => anchor + plan.steps[step].offset,
                    };
                    way.is_meant = waits(job);
                    way.is_past = way.is_meant && job.state != JobState::Held && way.due < self.now;
                }
                PlanAct::Unhold => {
                    way.is_meant = job.state == JobState::Held && job.is_held_by_plan;
                    way.is_past = way.is_meant && job.due < self.now;
                }
                PlanAct::Reinstate if job.state == JobState::Cancelled => {
                    way.is_meant = plan.off.is_none() || !self.is_off_by_itself(step);
                    way.due = self.due_now(*id);
                    let is_held = self.way_back(*id).0 == JobState::Held;
                    way.is_past = way.is_meant && way.due < self.now && !is_held;
                }
                PlanAct::Hold => {
                    way.is_meant = waits(job) && (job.state != JobState::Held || job.gated.is_some());
                }
                PlanAct::Cancel | PlanAct::Reinstate => {}
            }
            (step, way)
        };
        (0..plan.steps.len()).zip(&STEPS).map(way).collect()
    }

    fn act_on_step(&mut self, id: Name, act: PlanAct, way: &Way) -> Word {
        if let PlanAct::Cancel = act {
            return self.cancel(id);
        }
        if !way.is_meant {
            return "stays";
        }
        let job = self.job(id);
        match act {
            PlanAct::Hold => {
                (job.gated, job.is_held_by_plan) = (None, true);
                self.enter(id, JobState::Held);
                "held"
            }
            PlanAct::Unhold => {
                job.is_held_by_plan = false;
                self.enter(id, JobState::Delayed);
                "released"
            }
            PlanAct::Reinstate => {
                let to = self.goes_back(id);
                self.job(id).due = way.due;
                self.revive(id, to);
                "reinstated"
            }
            _ => {
                job.due = way.due;
                let asks_again = job.state == JobState::Held && job.gated.is_some();
                let to =
                    if job.state == JobState::Ready || asks_again { JobState::Delayed } else { job.state };
                job.gated = None;
                self.enter(id, to);
                "moved"
            }
        }
    }

    /// Where a job goes whose cancel is taken back, and whether it waited for others.
    pub(super) fn way_back(&self, id: Name) -> (JobState, bool) {
        let job = &self.jobs[&id];
        let was_held = job.cancelled_from == Some(JobState::Held);
        let waited = was_held && job.gated.is_some();
        if was_held && !waited && !job.is_held_by_plan {
            return (JobState::Held, false);
        }
        (if self.is_plan_held(id) { JobState::Held } else { JobState::Delayed }, waited)
    }

    /// The same, with what changes beside its state.
    pub(super) fn goes_back(&mut self, id: Name) -> JobState {
        let (to, _) = self.way_back(id);
        let job = &self.jobs[&id];
        let held_by_itself =
            job.cancelled_from == Some(JobState::Held) && job.gated.is_none() && !job.is_held_by_plan;
        if !held_by_itself {
            let is_held = self.is_plan_held(id);
            let job = self.job(id);
            (job.gated, job.is_held_by_plan) = (None, is_held);
        }
        to
    }

    // Batches

    fn head(&self) -> Head {
        let batch = self.batch.as_ref().unwrap();
        (batch.is_closed, batch.total, self.live_in_batch(), batch.ended)
    }

    /// Takes jobs in; one more that is new is one more of the batch.
    fn add(&mut self, jobs: &[(Name, New)], closes: bool) -> Vec<Word> {
        let mut told = Vec::new();
        for (id, new) in jobs {
            let word = self.enqueue(*id, new);
            if matches!(word, "delayed" | "ready") {
                self.job(*id).is_in_batch = true;
                let batch = self.batch.as_mut().unwrap();
                (batch.total, batch.kept) = (batch.total + 1, batch.kept + 1);
            }
            told.push(word);
        }
        if closes && !std::mem::replace(&mut self.batch.as_mut().unwrap().is_closed, closes) {
            self.note_batch(false);
        }
        self.settle();
        told
    }

    pub(super) fn make_batch(
        &mut self,
        asks_for_done: bool,
        is_held: bool,
        completion: &New,
        jobs: &[(Name, New)],
        closes: bool,
    ) -> (Word, Head, Vec<Word>) {
        let (word, mut jobs) = ("exists", jobs.to_vec());
        if let Some(batch) = &self.batch {
            if batch.is_closed {
                jobs.retain(|(id, _)| self.jobs.contains_key(id));
            }
            let told = self.add(&jobs, closes || self.batch.as_ref().unwrap().is_closed);
            return (word, self.head(), told);
        }
        let due = self.now + completion.due.unwrap_or_default();
        self.create(COMPLETION, completion, due);
        self.job(COMPLETION).completes = true;
        self.enter(COMPLETION, JobState::Delayed);
        self.job(COMPLETION).gated = Some(Gate::Wait);
        self.enter(COMPLETION, JobState::Held);
        self.batch =
            Some(Batch { asks_for_done, is_held, is_closed: false, total: 0, ended: [0; 3], kept: 1 });
        let told = self.add(&jobs, closes);
        ("made", self.head(), told)
    }

    pub(super) fn add_to_batch(
        &mut self,
        jobs: &[(Name, New)],
        closes: bool,
    ) -> Option<(Word, Head, Vec<Word>)> {
        let batch = self.batch.as_ref()?;
        if batch.is_closed && jobs.iter().any(|(id, _)| !self.jobs.contains_key(id)) {
            return Some(("wrong_state", self.head(), Vec::new()));
        }
        let told = self.add(jobs, closes || batch.is_closed);
        Some(("added", self.head(), told))
    }

    pub(super) fn close_batch(&mut self, cancels: bool) -> Option<(Word, Head, Vec<Word>)> {
        let batch = self.batch.as_mut()?;
        if batch.is_closed && !cancels {
            return Some(("unchanged", self.head(), Vec::new()));
        }
        if !std::mem::replace(&mut batch.is_closed, true) {
            self.note_batch(false);
        }
        if cancels {
            let live = |job: &Job| job.is_in_batch && !job.state.is_final();
            let ids: Vec<Name> = self.jobs.iter().filter(|(_, job)| live(job)).map(|(id, _)| *id).collect();
            for id in ids {
                self.cancel(id);
            }
            self.settle();
            return Some(("cancelled", self.head(), Vec::new()));
        }
        self.settle();
        Some(("closed", self.head(), Vec::new()))
    }
}

/// What an act on a plan means for one of its steps.
#[derive(Debug, Default)]
struct Way {
    due: Ms,
    is_past: bool,
    is_meant: bool,
}
