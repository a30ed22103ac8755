//! What must hold of a namespace at every moment, whatever was done to it.

use super::Snapshot;
use crate::model::JobState;
use std::collections::{BTreeMap, BTreeSet};

/// The fields of one job's record.
type Fields<'a> = BTreeMap<&'a str, &'a str>;

/// Every rule the keyspace breaks, in words; empty when it is sound.
///
/// The event stream must be whole: with more than 20,000 entries its beginning is gone and versions seem to have gaps.
#[must_use]
pub fn breaches(keys: &Snapshot) -> Vec<String> {
    let mut found = breaches_beside_events(keys);
    view_of(keys).events_tell_how_it_came_to_this(&mut found);
    found
}

/// The same for a namespace whose events have been trimmed: all rules but the one that the events tell how it came to
/// this.
#[must_use]
pub fn breaches_beside_events(keys: &Snapshot) -> Vec<String> {
    let view = view_of(keys);
    let mut found = Vec::new();
    view.one_set_per_job(&mut found);
    view.subjects_are_a_recount(&mut found);
    view.unique_keys_point_to_live_holders(&mut found);
    view.kept_holds_what_has_ended(&mut found);
    view.a_token_lies_where_work_is(&mut found);
    view.the_forwarder_finds_what_waits(&mut found);
    view.concurrency_slots_are_a_recount(&mut found);
    view.nothing_is_left_of_who_is_gone(&mut found);
    view.the_index_is_of_jobs_that_are_there(&mut found);
    found
}

fn view_of(keys: &Snapshot) -> View<'_> {
    let jobs: BTreeMap<&str, Fields<'_>> = keys
        .iter()
        .filter_map(|(key, lines)| Some((key.strip_prefix("job:")?, lines)))
        .map(|(id, lines)| (id, lines.iter().filter_map(|line| line.split_once(" = ")).collect()))
        .collect();
    View { keys, jobs }
}

/// The job that a key belongs to without being the job itself.
fn owner(key: &str) -> Option<&str> {
    ["attempts:", "history:", "log:", "long:"].iter().find_map(|part| key.strip_prefix(part))
}

struct View<'a> {
    keys: &'a Snapshot,
    jobs: BTreeMap<&'a str, Fields<'a>>,
}

fn is_live(fields: &Fields<'_>) -> bool {
    let state: Option<JobState> = fields.get("state").and_then(|state| state.parse().ok());
    state.is_some_and(|state| !state.is_final())
}

/// The jobs that have a record and are in no set: damage that only a round through all keys mends.
#[must_use]
pub fn in_no_set(keys: &Snapshot) -> Vec<&str> {
    view_of(keys).in_no_set()
}

impl<'a> View<'a> {
    fn lines(&self, key: &str) -> &'a [String] {
        self.keys.get(key).map_or(&[], Vec::as_slice)
    }

    /// Members and scores of the sorted sets whose key `place` recognises.
    fn members<T>(&self, place: impl Fn(&'a str) -> Option<T>) -> Vec<(T, &'a str, &'a str)>
    where
        T: Copy,
    {
        let sets = self.keys.iter().filter_map(|(key, lines)| Some((place(key)?, lines)));
        sets.flat_map(|(place, lines)| {
            let members = lines.iter().filter_map(|line| line.split_once(' '));
            members.map(move |(score, id)| (place, id, score))
        })
        .collect()
    }

    fn the_index_is_of_jobs_that_are_there(&self, found: &mut Vec<String>) {
        let entered: BTreeSet<&str> =
            self.lines("index:jobs").iter().filter_map(|line| Some(line.split_once(" = ")?.0)).collect();
        let ids = self.members(|key| (key == "index:values").then_some(()));
        let found_by: BTreeSet<&str> =
            ids.iter().filter_map(|(_, member, _)| Some(member.rsplit_once('\u{1f}')?.1)).collect();
        for id in entered.iter().filter(|id| !self.jobs.contains_key(**id)) {
            found.push(format!("{id} is in the index and has no record"));
        }
        if entered != found_by {
            found.push(format!("the index has values of {found_by:?} and knows of {entered:?}"));
        }
    }

    /// Members and scores of the sets of all queues and states.
    fn listed(&self) -> Vec<((&'a str, JobState), &'a str, &'a str)> {
        self.members(|key| {
            let (queue, state) = key.strip_prefix("q:")?.split_once(':')?;
            state.parse::<JobState>().ok().map(|state| (queue, state))
        })
    }

    fn in_no_set(&self) -> Vec<&'a str> {
        let listed: BTreeSet<&str> = self.listed().into_iter().map(|(_, id, _)| id).collect();
        self.jobs.keys().copied().filter(|id| !listed.contains(id)).collect()
    }

    fn one_set_per_job(&self, found: &mut Vec<String>) {
        let mut listed = BTreeMap::new();
        for ((queue, state), id, score) in self.listed() {
            if let Some(other) = listed.insert(id, (queue, state)) {
                found.push(format!("{id} is in {other:?} and in {:?}", (queue, state)));
            }
            let Some(job) = self.jobs.get(id) else {
                found.push(format!("{id} is in {queue}:{state} and has no record"));
                continue;
            };
            let field = |name: &str| job.get(name).copied().unwrap_or_default();
            if (field("queue"), field("state")) != (queue, state.as_str()) {
                let (of, is) = (field("queue"), field("state"));
                found.push(format!("{id} is in {queue}:{state}, its record says {of}:{is}"));
            }
            let priority = job.get("priority").copied().unwrap_or("5");
            let due = match state {
                JobState::Ready => {
                    let place = format!("{}{:0>14}", priority.trim_start_matches('0'), field("sequence"));
                    let concurrency_key = format!("q:{queue}:concurrency:{}", field("concurrency_key"));
                    let waits =
                        self.lines(&concurrency_key).iter().any(|line| line.ends_with(&format!(" {id}")));
                    if waits { format!("1{place:0>15}") } else { place }
                }
                // The end of a lease stands nowhere else.
                JobState::Active => score.to_owned(),
                _ if state.is_final() => field("ended_ms").to_owned(),
                _ => field("due_ms").to_owned(),
            };
            if due.trim_start_matches('0') != score.trim_start_matches('0') {
                found.push(format!("{id} has score {score} in {queue}:{state}, not {due}"));
            }
        }
        found.extend(self.in_no_set().iter().map(|id| format!("{id} has a record and is in no set")));
    }

    fn subjects_are_a_recount(&self, found: &mut Vec<String>) {
        let mut counted: BTreeSet<(String, String)> = BTreeSet::new();
        for (id, job) in &self.jobs {
            let subject = job.get("subject").copied().unwrap_or_default();
            if !subject.is_empty() {
                let ended = if is_live(job) { "0" } else { job.get("ended_ms").copied().unwrap_or_default() };
                counted.insert((format!("subject:{subject}"), format!("{ended} {id}")));
            }
        }
        let subjects = self.keys.iter().filter(|(key, _)| key.starts_with("subject:"));
        let indexed: BTreeSet<(String, String)> =
            subjects.flat_map(|(key, lines)| lines.iter().map(|line| (key.clone(), line.clone()))).collect();
        for line in counted.symmetric_difference(&indexed) {
            let which = if counted.contains(line) { "is missing from" } else { "does not belong into" };
            found.push(format!("{} {which} {}", line.1, line.0));
        }
    }

    fn unique_keys_point_to_live_holders(&self, found: &mut Vec<String>) {
        for (key, lines) in self.keys.iter().filter(|(key, _)| key.starts_with("unique:")) {
            let holder = lines.first().map(String::as_str).unwrap_or_default();
            let sound = self.jobs.get(holder).is_some_and(|job| {
                is_live(job) && job.get("unique_key").copied() == key.strip_prefix("unique:")
            });
            if !sound {
                found.push(format!("{key} points to {holder}, which does not hold it"));
            }
        }
    }

    fn kept_holds_what_has_ended(&self, found: &mut Vec<String>) {
        let kept: BTreeMap<&str, &str> = self
            .members(|key| (key == "expiring").then_some(()))
            .into_iter()
            .map(|((), id, at)| (id, at))
            .collect();
        for (id, job) in &self.jobs {
            let until = job.get("kept_until_ms").copied().filter(|_| !is_live(job));
            let field = |name: &str| job.get(name).copied().unwrap_or_default();
            // Those without a time of their own are kept together.
            let together = format!("done {} {}", field("queue"), field("ended_ms"));
            let is_kept = field("state") == "done" && kept.contains_key(together.as_str());
            if kept.get(id).copied() != until || (!is_live(job) && until.is_none() && !is_kept) {
                found.push(format!("{id} is kept until {:?}, its record says {until:?}", kept.get(id)));
            }
        }
        let is_job = |id: &&&str| !id.contains(' ');
        for id in kept.keys().filter(is_job).filter(|id| !self.jobs.contains_key(**id)) {
            found.push(format!("{id} is kept and has no record"));
        }
    }

    fn a_token_lies_where_work_is(&self, found: &mut Vec<String>) {
        for (key, lines) in
            self.keys.iter().filter(|(key, _)| key.starts_with("q:") && key.ends_with(":wake"))
        {
            if lines.len() > 1 {
                found.push(format!("{key} holds {} tokens", lines.len()));
            }
        }
        for key in self.keys.keys() {
            let Some(queue) = key.strip_prefix("q:").and_then(|key| key.strip_suffix(":ready")) else {
                continue;
            };
            // One with limits gets its token when a job of it ends.
            let held_up = ["paused", "limits"].map(|key| self.keys.contains_key(&format!("q:{queue}:{key}")));
            let waits = |line: &String| line.split(' ').next().is_some_and(|score| score.len() > 15);
            let all_wait = self.lines(&format!("q:{queue}:ready")).iter().all(waits);
            if held_up == [false; 2] && !all_wait && self.lines(&format!("q:{queue}:wake")).is_empty() {
                found.push(format!("queue {queue} has ready jobs and no wake token"));
            }
        }
    }

    /// It looks into no queue before the time that `due` has for it.
    fn the_forwarder_finds_what_waits(&self, found: &mut Vec<String>) {
        let time = |score: &str| score.parse::<i64>().ok();
        let known: BTreeMap<&str, Option<i64>> = self
            .members(|key| (key == "due").then_some(()))
            .into_iter()
            .map(|((), queue, at)| (queue, time(at)))
            .collect();
        for ((queue, state), id, score) in self.listed() {
            if !matches!(state, JobState::Delayed | JobState::Retrying) {
                continue;
            }
            let at = known.get(queue).copied().flatten();
            if at.is_none_or(|at| Some(at) > time(score)) {
                found.push(format!("{id} is due at {score}, the forwarder looks into {queue} at {at:?}"));
            }
        }
    }

    /// Versions without gaps, each event beginning where the one before ended, the last where the job stands. A job that
    /// comes in under an id that was used before begins above all that was told of that one.
    fn events_tell_how_it_came_to_this(&self, found: &mut Vec<String>) {
        let mut told: BTreeMap<String, (String, u64)> = BTreeMap::new();
        for line in self.lines("events") {
            let event: BTreeMap<String, String> = serde_json::from_str(line).unwrap_or_default();
            let field = |name: &str| event.get(name).cloned().unwrap_or_default();
            let (id, version) = (field("job"), field("version").parse().unwrap_or(0));
            let before = told.get(&id).cloned().unwrap_or_default();
            let follows = match before.0.as_str() {
                "" => version > before.1,
                _ => version == before.1 + 1,
            };
            if field("from") != before.0 || !follows {
                found.push(format!("{id} stood at {before:?} when this happened: {line}"));
            }
            told.insert(id, (field("to"), version));
        }
        told.retain(|_, (state, _)| !state.is_empty());
        for (id, job) in &self.jobs {
            let stands = (
                job.get("state").copied().unwrap_or_default().to_owned(),
                job.get("version").and_then(|version| version.parse().ok()).unwrap_or(0),
            );
            match told.remove(*id) {
                Some(last) if last == stands => {}
                last => found.push(format!("{id} stands at {stands:?}, its last event says {last:?}")),
            }
        }
        for id in told.keys() {
            found.push(format!("{id} has events and no record"));
        }
    }

    /// Slots are those of the jobs that have one; who waits for one is ready and has somebody to wait for.
    fn concurrency_slots_are_a_recount(&self, found: &mut Vec<String>) {
        let mut counted: BTreeMap<(String, String), u64> = BTreeMap::new();
        for job in self.jobs.values().filter(|job| job.contains_key("concurrency_slot")) {
            let field = |name: &str| job.get(name).copied().unwrap_or_default().to_owned();
            *counted.entry((field("queue"), field("concurrency_key"))).or_default() += 1;
            if !is_live(job) {
                found
                    .push(format!("an ended job has a slot of concurrency key {}", field("concurrency_key")));
            }
        }
        let mut taken: BTreeMap<(String, String), u64> = BTreeMap::new();
        for (key, lines) in self.keys {
            let Some(queue) = key.strip_prefix("q:").and_then(|key| key.strip_suffix(":concurrency")) else {
                continue;
            };
            for (concurrency_key, slots) in lines.iter().filter_map(|line| line.split_once(" = ")) {
                taken.insert((queue.to_owned(), concurrency_key.to_owned()), slots.parse().unwrap_or(0));
            }
        }
        if counted != taken {
            found.push(format!("jobs have the slots {counted:?} and the concurrency keys say {taken:?}"));
        }
        for (key, lines) in self.keys {
            let Some((queue, concurrency_key)) =
                key.strip_prefix("q:").and_then(|key| key.split_once(":concurrency:"))
            else {
                continue;
            };
            let waiting: Vec<&str> = lines.iter().filter_map(|line| Some(line.split_once(' ')?.1)).collect();
            // Somebody of the concurrency key runs, or has been let in and stands among the ready.
            let let_in = self.jobs.iter().any(|(id, job)| {
                let has = |name: &str, value: &str| job.get(name).copied() == Some(value);
                has("queue", queue)
                    && has("concurrency_key", concurrency_key)
                    && has("state", "ready")
                    && !waiting.contains(&&**id)
            });
            let runs = taken.contains_key(&(queue.to_owned(), concurrency_key.to_owned()));
            if !waiting.is_empty() && !runs && !let_in {
                found.push(format!("jobs of concurrency key {concurrency_key} wait for nobody"));
            }
            for id in waiting {
                let state = self.jobs.get(id).and_then(|job| job.get("state").copied());
                if state != Some("ready") {
                    found.push(format!("{id} waits in concurrency key {concurrency_key} and is {state:?}"));
                }
            }
        }
    }

    fn nothing_is_left_of_who_is_gone(&self, found: &mut Vec<String>) {
        for key in self.keys.keys() {
            if owner(key).is_some_and(|id| !self.jobs.contains_key(id)) {
                found.push(format!("{key} belongs to no job"));
            }
        }
    }
}
