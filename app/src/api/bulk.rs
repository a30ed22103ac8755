//! One verb on many jobs: frozen, looked at, started, watched, stopped, undone.

use leptos::prelude::*;
use reprieve::model::{
    BulkFilter, BulkOutcome, BulkPlace, BulkRun, BulkRuns, BulkState, BulkVerb, Delay, InvalidName, JobId,
    JobRow, Kind, OutcomePlace, Permission, RunId, Shift, StateGroup, Version,
};
use reprieve_access::allowance::BULK;

use super::answer::{self, Why};
use super::typed_count;
use crate::call::Post;
use crate::error::ApiError;
use crate::when::{When, chosen, parse};
use crate::{access, i18n, list, routes, run_ends, session, t};

/// From how many jobs on the count is typed and a reason is given.
pub const TYPED_FROM: u64 = 26;

/// A run with what stands on its page.
#[derive(Debug, Clone, PartialEq)]
pub struct RunView {
    /// The run.
    pub run: BulkRun,
    /// The first outcomes behind the page's beginning.
    pub outcomes: Vec<BulkOutcome>,
    /// Where the next page of them begins; `None` where there is none so far.
    pub next: Option<OutcomePlace>,
    /// Its kinds of work, until it is started.
    pub kinds: Vec<KindOfRun>,
    /// Whether the run that undoes it is made and waits to be started.
    pub undo_waits: bool,
}

/// A kind of work that a run is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KindOfRun {
    /// Its name.
    pub kind: Kind,
    /// What this place calls it, in the reader's language.
    pub called: String,
    /// How many of the frozen jobs are of it.
    pub count: u64,
    /// Whether a rule has the run leave them alone.
    pub protected: bool,
}

/// How long one request looks for the jobs of a run; its page has it go on.
pub(super) const LOOKS: std::time::Duration = std::time::Duration::from_secs(5);

/// Freezes the jobs that were ticked, or all that fit: nothing changes yet. Leads to the page of the run, which goes on
/// looking where there was too much to look at for one answer.
///
/// Needs `RunBulk` and the permission of the verb. `jobs` are ids with the versions seen, `<id>~<version>`. `preset`,
/// `due` and `spread_minutes` are for `reschedule`: `+900` is that many seconds later than each job's own time.
#[server(prefix = "/api/fn", endpoint = "freeze_bulk", protocol = Post)]
pub async fn freeze_bulk(
    verb: BulkVerb,
    group: StateGroup,
    #[server(default)] q: String,
    #[server(default)] all: Option<String>,
    #[server(default)] jobs: Vec<String>,
    #[server(default)] preset: Option<String>,
    #[server(default)] due: Option<String>,
    #[server(default)] spread_minutes: Option<String>,
    #[server(default)] back: Option<String>,
) -> Result<BulkRun, ApiError> {
    answer::onward(back, |run: &BulkRun| routes::bulk_run(&run.id), async move {
        let (operator, queues) = access::caller()?.bulk_operator(verb)?;
        let mut bulk = operator.bulk(verb).spare_started().only_in(queues).within(LOOKS);
        bulk = if all.is_some_and(|all| !all.is_empty()) {
            let mut filter = BulkFilter::default();
            filter.states = group.states().to_vec();
            filter.matching = Some(list::sealed::filter(&q).await?);
            bulk.filter(filter)
        } else {
            bulk.jobs(jobs.iter().map(|job| seen(job)).collect::<Result<_, _>>()?)
        };
        if verb == BulkVerb::Reschedule {
            let shift = shift(preset, due)?;
            let minutes = spread_minutes.filter(|text| !text.is_empty()).map(|text| {
                text.trim()
                    .parse::<u32>()
                    .map_err(|_| ApiError::wrong("spread_minutes", i18n::not_a_number(&text)))
            });
            let spread = Delay::minutes(minutes.transpose()?.unwrap_or(0).into());
            access::caller()?.allow_shift(shift, spread).await?;
            bulk = bulk.shift(shift).spread(spread);
        }
        let run = bulk.freeze().await?;
        access::caller()?.require_run(&run).await?;
        Ok(run)
    })
    .await
}

/// Goes on looking for the jobs of a run, as the person who made it. Needs `RunBulk` and the permission of the verb.
#[server(prefix = "/api/fn", endpoint = "collect_bulk", protocol = Post)]
pub async fn collect_bulk(run: RunId, #[server(default)] back: Option<String>) -> Result<BulkRun, ApiError> {
    answer::to(back, |_: &BulkRun| String::new(), async move { look_on(&run, LOOKS).await }).await
}

/// The same, for so long.
///
/// # Errors
/// `NoRun`, `Forbidden` for anybody else, `Unavailable` while Redis does not answer.
pub(crate) async fn look_on(run: &RunId, span: std::time::Duration) -> Result<BulkRun, ApiError> {
    let found = access::caller()?.bulk_run_for(Permission::RunBulk, run).await?;
    let (operator, _) = access::caller()?.bulk_operator(found.verb)?;
    // What they see of jobs is what it finds jobs by.
    if access::principal().name != found.by {
        return Err(access::caller()?.refuse_lacking(Permission::RunBulk, run).into());
    }
    Ok(operator.collect_bulk(run, span).await?)
}

/// One run. Needs `View`. `after` is where its outcomes begin.
pub async fn get_bulk_run(run: RunId, after: OutcomePlace) -> Result<RunView, ApiError> {
    /// Outcomes of a page.
    const OUTCOMES: u16 = 100;
    let (inspector, found) = access::caller()?.bulk_run(&run).await?;
    let page = inspector.bulk_outcomes(&run, &after, OUTCOMES).await?;
    let kinds = kinds_of(&inspector, &found).await?;
    let undo = match &found.undone_by {
        Some(undo) => inspector.bulk_run(undo).await?,
        None => None,
    };
    let undo_waits = undo.is_some_and(|undo| is_to_be_started(&undo));
    Ok(RunView { run: found, outcomes: page.items, next: page.next, kinds, undo_waits })
}

/// Whether nothing has changed by it yet.
const fn is_to_be_started(run: &BulkRun) -> bool {
    matches!(run.state, BulkState::Collecting | BulkState::Frozen | BulkState::Waiting)
}

/// The kinds of a run that was not started yet, with what their rules say of runs.
async fn kinds_of(inspector: &reprieve::Inspector, run: &BulkRun) -> Result<Vec<KindOfRun>, ApiError> {
    if !is_to_be_started(run) {
        return Ok(Vec::new());
    }
    let (rules, words) = (inspector.rules().await?, access::vocabulary());
    let kinds = run.split.iter().filter_map(|(part, count)| {
        // Not those that are counted together, beyond the first 200.
        let kind: Kind = part.strip_prefix("kind:")?.parse().ok()?;
        let is_protected = rules.iter().any(|rule| rule.protected && rule.kind == kind);
        let (called, protected) = (words.step(&kind), is_protected && run.undo_of.is_none());
        Some(KindOfRun { kind, called, count: *count, protected })
    });
    Ok(kinds.collect())
}

/// Twenty jobs of a run that have no outcome yet, behind the first `after` of them. Needs `View`.
pub async fn get_bulk_samples(run: RunId, after: u16) -> Result<Vec<JobRow>, ApiError> {
    let (inspector, found) = access::caller()?.bulk_run(&run).await?;
    Ok(inspector.bulk_samples(&found.id, after).await?)
}

/// The latest runs, as far as all of their queues are the caller's. Needs `View`. `after` is the `next` of the
/// page before.
pub async fn list_bulk_runs(after: Option<String>) -> Result<BulkRuns, ApiError> {
    /// Runs of a page.
    const RUNS: u16 = 100;
    let after = after.filter(|text| !text.is_empty()).map(|text| text.parse::<BulkPlace>()).transpose();
    let after = after.map_err(|_| invalid(t!("errors-not-a-place")))?;
    let caller = access::caller()?;
    let inspector = caller.inspector_of_seen()?;
    let mut runs = inspector.bulk_runs_behind(after.as_ref(), RUNS).await?;
    runs.items.retain(|run| caller.principal().sees_run(run));
    Ok(runs)
}

/// From how many jobs on a run asks for its count and for a reason of ten characters. What destroys asks in production
/// however many they are.
pub fn typed_from(verb: BulkVerb, environment: &str) -> u64 {
    let destroys = matches!(verb, BulkVerb::Cancel | BulkVerb::Purge);
    if destroys && session::is_production(environment) { 1 } else { TYPED_FROM }
}

/// Starts a frozen run, or lets a stopped one go on; where deleting needs two people, the first has one that deletes
/// wait for the second. From 26 jobs on, and in production for what destroys, `count` is its number of jobs as typed and
/// the reason has ten characters. Needs `RunBulk` and the permission of the verb.
#[server(prefix = "/api/fn", endpoint = "start_bulk", protocol = Post)]
pub async fn start_bulk(
    run: RunId,
    #[server(default)] count: Option<String>,
    #[server(flatten)] why: Why,
    #[server(default)] back: Option<String>,
) -> Result<BulkRun, ApiError> {
    let word = |run: &BulkRun| match run.state {
        BulkState::Waiting => "bulk.asked".to_owned(),
        _ => "bulk.started".to_owned(),
    };
    answer::to(back, word, async move {
        let caller = access::caller()?;
        let found = caller.bulk_run_for(Permission::RunBulk, &run).await?;
        let (operator, _) = caller.bulk_operator(found.verb)?;
        caller.allow_bulk(found.total)?;
        caller.require_run(&found).await?;
        let mut said = why.said()?;
        // All of it was asked for when a stopped one was started.
        if found.state != BulkState::Stopped && found.total >= typed_from(found.verb, &access::environment())
        {
            let typed = typed_count::read(&count.unwrap_or_default());
            if typed != Some(found.total) {
                return Err(ApiError::wrong("count", t!("bulk-typed-wrong", count = found.total)));
            }
            said = why.whole()?;
        }
        if found.total >= TYPED_FROM && found.state == BulkState::Frozen {
            caller.spend(BULK, "start_bulk", found.id.as_str()).await?;
        }
        let started = operator.start_bulk(&run, None, &said).await?;
        run_ends::wait_for(&started);
        Ok(started)
    })
    .await
}

/// Ends a run where it is; with `seen` as `waiting` only one that waits for a second person still. Needs `RunBulk` and the
/// permission of the verb.
#[server(prefix = "/api/fn", endpoint = "abort_bulk", protocol = Post)]
pub async fn abort_bulk(
    run: RunId,
    #[server(default)] seen: Option<String>,
    #[server(default)] back: Option<String>,
) -> Result<BulkRun, ApiError> {
    answer::to(back, |_: &BulkRun| "bulk.aborted".to_owned(), async move {
        let found = access::caller()?.bulk_run_for(Permission::RunBulk, &run).await?;
        let (operator, _) = access::caller()?.bulk_operator(found.verb)?;
        access::caller()?.require_own_run(&found)?;
        if seen.as_deref() == Some(BulkState::Waiting.as_str()) {
            return Ok(operator.take_back_bulk(&run, "").await?);
        }
        Ok(operator.abort_bulk(&run, "").await?)
    })
    .await
}

/// Makes the frozen run that changes back what a run changed, and leads to it. Needs `RunBulk` and the permission of the
/// verb that does so.
#[server(prefix = "/api/fn", endpoint = "undo_bulk", protocol = Post)]
pub async fn undo_bulk(run: RunId, #[server(default)] back: Option<String>) -> Result<BulkRun, ApiError> {
    answer::onward(back, |undo: &BulkRun| routes::bulk_run(&undo.id), async move {
        let verb = access::caller()?.bulk_run_for(Permission::RunBulk, &run).await?.verb;
        let verb = verb.undone_by().unwrap_or(verb);
        Ok(access::caller()?.bulk_operator(verb)?.0.undo_bulk(&run, None, "").await?)
    })
    .await
}

#[expect(clippy::needless_pass_by_value, reason = "handed to map_err")]
fn invalid<E: ToString>(wrong: E) -> ApiError {
    ApiError::Invalid { why: wrong.to_string() }
}

/// A job and the version somebody saw, as a tick box sends them.
fn seen(text: &str) -> Result<(JobId, Version), ApiError> {
    let (id, version) = text.rsplit_once('~').ok_or_else(|| invalid("a job is sent with its version"))?;
    Ok((
        id.parse().map_err(invalid::<InvalidName>)?,
        Version(version.parse().map_err(invalid::<std::num::ParseIntError>)?),
    ))
}

/// Where jobs are moved: so many seconds from their own time, or all to one instant.
fn shift(preset: Option<String>, due: Option<String>) -> Result<Shift, ApiError> {
    match parse(&chosen(preset, due)) {
        Some(When::At(at)) => Ok(Shift::To(at)),
        Some(When::In(later)) => Ok(Shift::By(later.as_millis())),
        None => Err(ApiError::wrong("due", i18n::not_a_time())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_production_what_destroys_asks_for_its_count_however_many_they_are() {
        assert_eq!(typed_from(BulkVerb::Cancel, "production"), 1);
        assert_eq!(typed_from(BulkVerb::Purge, "Production"), 1);
        assert_eq!(typed_from(BulkVerb::Hold, "production"), TYPED_FROM, "what is taken back easily");
        assert_eq!(typed_from(BulkVerb::Purge, "staging"), TYPED_FROM);
    }
}
