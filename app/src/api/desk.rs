//! The support desk: finding a subject, what is planned for it, and calling that off.

use leptos::prelude::*;
use reprieve::desk::{
    Desk, DeskAnswer, DeskOutcome, DeskPlan, DeskVerb, DeskWish, Receipt, Step, StepOutcome, receipt_time,
};
use reprieve::model::filter::VALUES_MAX;
use reprieve::model::{
    Delay, Filter, FilteredQuery, JobId, Past, Permission, PlanId, StateGroup, Subject, Timestamp, Version,
};
use reprieve::{Inspector, Operator};

use super::answer::{self, Why};
use crate::call::Post;
use crate::desk::{self, Finding, Hit, lookup, named};
use crate::done::Done;
use crate::error::{ApiError, refused_at_desk};
use crate::refused::Refused;
use crate::request::sent_by_plain_form;
use crate::vocabulary::Vocabulary;
use crate::when::When;
use crate::{access, cookie, format, routes, t, when};

/// Subjects that may be meant by a text, as somebody typed, pasted or scanned it. Needs `View`.
pub async fn find_subjects(text: &str) -> Result<Finding, ApiError> {
    let inspector = access::caller()?.inspector_of_seen()?;
    finding(&inspector, text).await
}

/// Everything the desk shows of a subject, with the plan that is asked about, by its [key](DeskPlan::key). Needs
/// `View`.
pub async fn get_desk(subject: Subject, of: Option<String>) -> Result<Desk, ApiError> {
    let inspector = access::caller()?.inspector_of_seen()?;
    let desk = inspector.desk(&subject, &access::vocabulary().desk_kinds(), of.as_deref()).await?;
    let desk = desk.ok_or(ApiError::NotFound)?;
    remember(&subject);
    Ok(desk)
}

/// The receipt of what was called off about a subject at that time. Needs `View`.
pub async fn get_desk_receipt(subject: Subject, at: Timestamp) -> Result<Receipt, ApiError> {
    let inspector = access::caller()?.inspector_of_seen()?;
    let receipt = inspector.desk_receipt(&subject, &access::vocabulary().desk_kinds(), at).await?;
    receipt.ok_or(ApiError::NotFound)
}

/// Calls off, puts back, postpones, holds or releases what is planned for a subject.
///
/// `plan` with `seen`, or the `jobs` and versions on screen. `later` says how much later, in seconds (`+86400`), or is `at` for
/// `due`, a moment in the time zone `zone`; `from` is the time that `due` is measured from.
#[server(prefix = "/api/fn", endpoint = "act_on_desk", protocol = Post)]
pub async fn act_on_desk(
    subject: Subject,
    verb: DeskVerb,
    #[server(default)] plan: Option<PlanId>,
    #[server(default)] seen: Option<Version>,
    #[server(default)] jobs: Option<String>,
    #[server(default)] later: Option<String>,
    #[server(default)] due: Option<String>,
    #[server(default)] zone: Option<String>,
    #[server(default)] from: Option<Timestamp>,
    #[server(default)] past: Option<Past>,
    #[server(flatten)] why: Why,
    #[server(default)] operation: String,
    #[server(default)] back: Option<String>,
) -> Result<DeskAnswer, ApiError> {
    let answer = async {
        let operator = access::caller()?.operator_of_seen(permission(verb, past))?;
        let due = due.map(|due| when::in_zone(&due, &zone.unwrap_or_default()));
        let later = postponed(verb, later, due, from)?;
        access::caller()?.allow_later(later)?;
        let wish = DeskWish {
            verb,
            later,
            past: past.unwrap_or_default(),
            why: why.said()?,
            operation: answer::operation_for(operation, &(verb.as_str(), later.as_millis(), past)),
        };
        act_on(&operator, &subject, plan, seen, &jobs.unwrap_or_default(), &wish).await
    }
    .await;
    answered(&subject, answer, back)
}

/// The cookie with the subjects that were looked at last.
const RECENT: &str = "desk_recent";
/// So many of them.
const RECENT_MAX: usize = 10;
/// What stands between them: no subject holds one.
const RECENT_SEPARATOR: char = '~';
/// Subjects to choose from at once; with more somebody should type more.
const HITS_MAX: usize = 10;
/// Beginnings of subjects that one search looks for: as many as a filter has room for.
const BEGINNINGS_MAX: usize = VALUES_MAX;
/// Readings of one search, each of 5,000 jobs.
const READINGS_MAX: u32 = 4;
/// The furthest that anything is postponed by one press: ten years.
const LATER_MAX: Delay = Delay::days(3_653);

/// Subjects that are known and may be meant; those that were looked at last for an empty text.
pub(crate) async fn finding(inspector: &Inspector, text: &str) -> Result<Finding, ApiError> {
    let words = access::vocabulary();
    let asked = lookup::cleaned(text);
    let mut candidates = if asked.is_empty() { recent() } else { lookup::candidates(text, &words) };
    candidates.extend(of_receipt(inspector, &asked).await?);
    let mut hits = known(inspector, &candidates, &words).await?;
    // Nobody has to name the sorts of subjects in the configuration first; a number that fits one that is named may be
    // meant in another.
    let is_open = !asked.is_empty() && !asked.contains(':');
    let (mut partly, mut cut) = (false, false);
    if is_open && (hits.is_empty() || lookup::is_bare(&asked, &words)) {
        let around;
        (around, partly) = lookup::of_sorts(&asked, &inspector.sorts_of_subjects().await?);
        let further: Vec<Subject> =
            around.into_iter().filter(|subject| !candidates.contains(subject)).collect();
        hits.extend(known(inspector, &further, &words).await?);
        candidates.extend(further);
    }
    let exact = !hits.is_empty();
    if !exact && !asked.is_empty() {
        let (beginning, is_more) = beginning_with(inspector, &candidates).await?;
        partly |= is_more;
        cut = is_more && beginning.len() >= HITS_MAX;
        hits = known(inspector, &beginning, &words).await?;
        hits.sort_by_cached_key(|hit| by_number(&hit.subject));
    }
    Ok(Finding { asked, hits, exact, partly, cut })
}

/// The order of subjects that people look through: by sort, then 99 before 100.
fn by_number(subject: &Subject) -> (String, usize, String) {
    let (sort, number) = subject.as_str().split_once(':').unwrap_or(("", subject.as_str()));
    (sort.to_owned(), number.len(), number.to_owned())
}

/// The subjects of the receipt with that number.
pub(crate) async fn of_receipt(inspector: &Inspector, text: &str) -> Result<Vec<Subject>, ApiError> {
    match receipt_time(text) {
        Some(at) => Ok(inspector.subjects_noted(at).await?),
        None => Ok(Vec::new()),
    }
}

/// Those of which something is known.
async fn known(
    inspector: &Inspector,
    subjects: &[Subject],
    words: &Vocabulary,
) -> Result<Vec<Hit>, ApiError> {
    let (mut hits, kinds) = (Vec::new(), words.desk_kinds());
    for subject in subjects {
        let about = inspector.about(subject).await?;
        if about.is_empty() {
            continue;
        }
        let desk = Desk::of(&about, &kinds, None);
        hits.push(Hit {
            label: words.label(&desk.subject),
            subject: desk.subject,
            since: desk.plans.first().map(|plan| plan.since),
            pending: desk.plans.iter().any(|plan| plan.off.is_none()),
            next: next_step(&desk.plans),
        });
    }
    Ok(hits)
}

/// What happens next to a subject, and when.
fn next_step(plans: &[DeskPlan]) -> Option<(String, Timestamp)> {
    let ahead = plans.iter().filter(|plan| plan.off.is_none()).flat_map(DeskPlan::ahead);
    ahead.min_by_key(|step| step.due).map(|step| (named(&step.kind), step.due))
}

/// Subjects of what is to come that begin so, and whether there is more than was looked through.
async fn beginning_with(
    inspector: &Inspector,
    candidates: &[Subject],
) -> Result<(Vec<Subject>, bool), ApiError> {
    let beginnings: Vec<String> =
        candidates.iter().take(BEGINNINGS_MAX).map(|beginning| format!("{beginning}*")).collect();
    // What cannot be a filter is no beginning of a subject either.
    let Ok(filter) = format!("subject:{}", beginnings.join(",")).parse::<Filter>() else {
        return Ok((Vec::new(), false));
    };
    let live = [StateGroup::Delay, StateGroup::Ready, StateGroup::Active, StateGroup::Held];
    let mut query = FilteredQuery::new(filter, live);
    let mut found: Vec<Subject> = Vec::new();
    for _ in 0..READINGS_MAX {
        let page = inspector.filtered(&query).await?;
        for subject in page.rows.into_iter().filter_map(|row| row.row.subject) {
            if !found.contains(&subject) {
                found.push(subject);
            }
        }
        query.after = page.next;
        if query.after.is_none() || found.len() >= HITS_MAX {
            break;
        }
    }
    let partly = query.after.is_some() || found.len() > HITS_MAX || candidates.len() > BEGINNINGS_MAX;
    found.truncate(HITS_MAX);
    Ok((found, partly))
}

/// What came of it, and the key of the plan that it was done to.
async fn act_on(
    operator: &Operator,
    subject: &Subject,
    plan: Option<PlanId>,
    seen: Option<Version>,
    jobs: &str,
    wish: &DeskWish,
) -> Result<(DeskAnswer, String), ApiError> {
    let inspector = access::caller()?.inspector_of_seen()?;
    let about = inspector.about(subject).await?;
    let desk = Desk::whole(&about, &access::vocabulary().desk_kinds());
    if let Some(plan) = plan {
        // A verb on a plan reaches all of its jobs: they have to be theirs, every one.
        if inspector.is_bound() && inspector.plan(&plan).await?.is_none() {
            return Err(ApiError::NotFound);
        }
        let answer = choosable(operator.desk_plan(&desk, &plan, seen, wish).await?)?;
        return Ok((answer, plan.to_string()));
    }
    let seen = read_seen(jobs);
    let is_theirs = |plan: &&DeskPlan| {
        let is_seen = |step: &Step| seen.iter().any(|(id, _)| *id == step.id);
        plan.id.is_none() && plan.steps.iter().any(is_seen)
    };
    let key = desk.plans.iter().find(is_theirs).map(DeskPlan::key).unwrap_or_default();
    Ok((choosable(operator.desk_jobs(&desk, &seen, wish).await?)?, key))
}

/// Jobs and versions as a form sends them; what does not read is left out.
fn read_seen(jobs: &str) -> Vec<(JobId, Version)> {
    let one = |pair: &str| {
        let (id, version) = pair.split_once('=')?;
        Some((JobId::new(id).ok()?, Version(version.parse().ok()?)))
    };
    jobs.split(',').filter_map(one).collect()
}

/// What is postponed to a time that has passed is not postponed: there is another time to choose, and nothing else.
fn choosable(answer: DeskAnswer) -> Result<DeskAnswer, ApiError> {
    if answer.verb != DeskVerb::Postpone || answer.outcome != DeskOutcome::Past {
        return Ok(answer);
    }
    let steps = answer.steps.iter().filter(|told| told.outcome == StepOutcome::Past);
    let list = format::list(steps.map(|told| named(&told.kind)));
    Err(ApiError::wrong("due", t!("support-still-past", list = list)))
}

/// The right a verb needs: doing at once what was called off is more than putting it back.
fn permission(verb: DeskVerb, past: Option<Past>) -> Permission {
    match verb {
        DeskVerb::CallOff => Permission::CancelJobs,
        DeskVerb::PutBack if past == Some(Past::Run) => Permission::RetryJobs,
        DeskVerb::PutBack => Permission::ReinstateJobs,
        DeskVerb::Postpone => Permission::RescheduleJobs,
        DeskVerb::Hold | DeskVerb::Release => Permission::HoldJobs,
    }
}

/// How much later: a preset (`+86400` seconds), or the distance from the present time of the main step to `due`.
fn postponed(
    verb: DeskVerb,
    preset: Option<String>,
    due: Option<String>,
    from: Option<Timestamp>,
) -> Result<Delay, ApiError> {
    if verb != DeskVerb::Postpone {
        return Ok(Delay::ZERO);
    }
    let preset = preset.filter(|preset| !matches!(preset.as_str(), "" | "at"));
    let later = match (when::parse(&preset.or(due).unwrap_or_default()), from) {
        (Some(When::In(delay)), _) => Some(delay),
        (Some(When::At(at)), Some(from)) => Some(Delay::millis(at.millis_since(from))),
        _ => None,
    };
    later
        .filter(|later| *later > Delay::ZERO && *later <= LATER_MAX)
        .ok_or_else(|| ApiError::wrong("due", t!("support-not-later")))
}

/// Data for programs; for a form the way to the receipt, or back with a word.
fn answered(
    subject: &Subject,
    answer: Result<(DeskAnswer, String), ApiError>,
    back: Option<String>,
) -> Result<DeskAnswer, ApiError> {
    if sent_by_plain_form() {
        let to = match &answer {
            Ok((DeskAnswer { verb: DeskVerb::CallOff, outcome: DeskOutcome::Done, at, .. }, _)) => {
                routes::desk_receipt(subject, *at)
            }
            Ok((answer, key)) => {
                let path = match answer.outcome {
                    DeskOutcome::Past => routes::desk_question(subject, answer.verb, key),
                    _ => routes::desk(subject),
                };
                if let Some(said) = desk::said(answer) {
                    Done::said(said.text).leave();
                }
                answer::return_address(&path, desk::code(answer))
            }
            Err(error) => {
                let home = routes::desk(subject);
                let back = back.filter(|back| !back.is_empty()).unwrap_or(home);
                answer::return_address(&back, &Refused::leave_saying(error, refused_at_desk(error)))
            }
        };
        leptos_axum::redirect(&to);
    } else if let Err(error) = &answer {
        error.set_status();
    }
    answer.map(|(answer, _)| answer)
}

/// What was looked at last in this browser.
fn recent() -> Vec<Subject> {
    let kept = cookie::read(RECENT).unwrap_or_default();
    kept.split(RECENT_SEPARATOR).filter_map(|text| Subject::new(text).ok()).take(RECENT_MAX).collect()
}

fn remember(subject: &Subject) {
    let mut recent = recent();
    if recent.first() == Some(subject) {
        return;
    }
    recent.retain(|other| other != subject);
    recent.insert(0, subject.clone());
    recent.truncate(RECENT_MAX);
    let words: Vec<&str> = recent.iter().map(Subject::as_str).collect();
    cookie::keep(RECENT, &words.join(&RECENT_SEPARATOR.to_string()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subjects_to_choose_from_are_in_the_order_of_their_numbers() {
        let mut subjects = ["resource:100", "order:7", "resource:99"].map(|text| Subject::new(text).unwrap());
        subjects.sort_by_cached_key(by_number);
        assert_eq!(subjects.map(|subject| subject.to_string()), ["order:7", "resource:99", "resource:100"]);
    }

    #[test]
    fn later_is_later_and_not_for_ever() {
        let from = Timestamp::from_millis(1_786_525_200_000);
        let read = |preset: &str, due: &str| {
            postponed(DeskVerb::Postpone, Some(preset.to_owned()), Some(due.to_owned()), from)
        };
        assert_eq!(read("+86400", "").unwrap(), Delay::days(1));
        assert_eq!(read("at", "2026-08-13T09:00Z").unwrap(), Delay::days(1));
        for (preset, due) in
            [("at", "2026-08-12T08:00Z"), ("at", ""), ("+0", ""), ("at", "2099-01-01T00:00Z")]
        {
            assert!(read(preset, due).is_err(), "{preset} {due}");
        }
    }
}
