//! `POST /api/v1/jobs`: takes in one job, or up to 500 at once.
//!
//! | Status | When |
//! |---|---|
//! | 201 | every job was taken in (`delayed`, `ready`, `replaced`) |
//! | 200 | every job is known; some were known before: `exists`, which changed nothing, or `debounced` |
//! | 207 | an array of which some jobs were not taken in (`duplicate`, `subject_full`, `taken`) |
//! | 409 | a single job that was not taken in |
//! | 422 | a mistake anywhere: no job of the request was taken in |
//!
//! An array answers `{items: […]}` in the order of the request. It goes in in steps; where one of them fails, the problem
//! tells how much was `taken` before.

use super::carry;
use super::needs;
use super::new_job::NewJobBody;
use super::once::{Answer, Once};
use super::shapes::{EnqueuedItems, EnqueuedView, IdempotencyKey, NewJobsBody};
use crate::access::Access;
use crate::body;
use crate::parse::{self, AtMost};
use crate::problem::{Mistakes, Problem};
use app::format::distance;
use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, StatusCode};
use reprieve::model::{Enqueued, JobId, Permission, Timestamp};
use reprieve::{BrokenOff, Due, Engine, NewJob};
use serde::Serialize;
use serde_json::value::RawValue;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// Most jobs one call may bring: as many as the engine enqueues in one step.
pub(super) const JOBS_MAX: usize = 500;

/// The way in.
pub(super) fn routes() -> OpenApiRouter<Engine> {
    OpenApiRouter::new().routes(needs(Permission::EnqueueJobs, routes!(enqueue)))
}

/// The answer for one job.
#[derive(Serialize)]
struct Taken {
    #[serde(flatten)]
    enqueued: Enqueued,
    /// Said when the job runs at another time than its producer may think.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

#[derive(Serialize)]
struct TakenMany {
    items: Vec<Taken>,
}

/// Enqueue one job, or up to 500
///
/// A due time in the past is accepted: the job runs at once, and `note` says how late that is. An array is checked
/// as a whole: one mistake anywhere, and no job of it is taken in. It goes in in steps of 100: a problem with the members
/// `taken`, `known` and `refused` says how much of it went in before a step failed. Repeat it with the same ids or key.
#[utoipa::path(
    post,
    path = "/api/v1/jobs",
    params(IdempotencyKey),
    request_body(content = NewJobsBody, examples(
        ("one" = (summary = "A job for tomorrow", value = json!({
            "kind": "delete_resource", "subject": "resource:4711", "delay_ms": 86_400_000, "payload": { "id": 4711 }
        }))),
        ("several" = (summary = "Two at once", value = json!([
            { "kind": "send_notice", "delay_ms": 60_000, "id": "notice-4711" },
            { "kind": "send_notice", "due_at": "2030-01-01T09:00:00Z", "queue": "mail", "tags": ["welcome"] }
        ]))),
    )),
    responses(
        (status = 200, description = "Known before: `exists`, and nothing was changed, or `debounced`, and the job that \
            waits has this payload and due time.", body = EnqueuedView),
        (status = 201, description = "Taken in; `Location` is the address of a single job.", body = EnqueuedView,
            headers(("Location" = String, description = "Where a single job can be read."))),
        (status = 207, description = "An array of which some were not taken in.", body = EnqueuedItems),
        (status = 409, description = "A single job that was not taken in."),
    ),
)]
async fn enqueue(access: Access, headers: HeaderMap, request: Request) -> Result<Response, Problem> {
    access.require(Permission::EnqueueJobs)?;
    let text = body::text(request).await?;
    let (mut jobs, single) = read(&text)?;
    let client = access.client_in(Permission::EnqueueJobs, jobs.iter().map(|job| &job.queue))?;
    let once = match Once::begin(&access, &headers, "enqueue", &text).await? {
        Once::Answered(answer) => return Ok(answer.into_response()),
        once => once,
    };
    let dues: Vec<Due> = jobs.iter().map(|job| job.due).collect();
    for (index, job) in jobs.iter_mut().enumerate() {
        job.by = Some(access.actor().to_owned());
        once.identify(index, job);
        carry::trace(&headers, job);
    }
    let answers = match client.enqueue_batch_in_part(jobs).await {
        Ok(answers) => access.answers_seen(answers).await?,
        Err(BrokenOff { error, told, .. }) if told.is_empty() => return Err(once.failed(&error).await),
        // The key stays with this request, whose repeat finds what was taken in.
        Err(BrokenOff { error, told, .. }) => {
            return Err(in_part(once.problem(&error), &access.answers_seen(told).await?));
        }
    };
    let mut items: Vec<Taken> =
        answers.into_iter().zip(dues).map(|(answer, due)| taken(answer, due)).collect();
    let answer = match items.pop() {
        Some(only) if single => one(&only),
        last => {
            items.extend(last);
            Ok(many(items))
        }
    };
    match answer {
        Ok(answer) => Ok(once.settle(answer).await),
        Err(problem) => {
            once.give_back().await;
            Err(problem)
        }
    }
}

/// Why many jobs broke off, with how many of them were taken in before.
pub(super) fn in_part(why: Problem, told: &[Enqueued]) -> Problem {
    let known = told.iter().filter(|answer| matches!(answer, Enqueued::Exists(_))).count();
    let refused = told.iter().filter(|answer| answer.standing().is_none()).count();
    let taken = told.len() - known - refused;
    why.in_words(|why| {
        format!(
            "{taken} taken in, {known} known before, {refused} not taken in, then: {why}; repeat the request with the same \
             ids or Idempotency-Key"
        )
    })
    .with_field("taken", taken)
        .with_field("known", known)
        .with_field("refused", refused)
}

/// All jobs of the body, and whether it was a single object.
fn read(text: &str) -> Result<(Vec<NewJob>, bool), Problem> {
    let mut mistakes = Mistakes::default();
    let single = !text.trim_start().starts_with('[');
    let jobs = if single {
        vec![parse::whole::<NewJobBody>(text)?.checked("", &mut mistakes)]
    } else {
        let AtMost::<JOBS_MAX, &RawValue>(items) = parse::whole(text)?;
        if items.is_empty() {
            mistakes.body("", "required", "the array holds no job");
        }
        let read = |(index, item): (usize, &&RawValue)| {
            let place = format!("/{index}");
            let body = parse::part::<NewJobBody>(item.get(), &place, &mut mistakes)?;
            Some(body.checked(&place, &mut mistakes))
        };
        items.iter().enumerate().filter_map(read).collect()
    };
    mistakes.into_result()?;
    Ok((jobs, single))
}

fn taken(enqueued: Enqueued, due: Due) -> Taken {
    let note = match (&enqueued, due) {
        (Enqueued::Ready(standing), Due::At(asked)) => past(asked, standing.at),
        (Enqueued::Exists(standing), _) => {
            Some(format!("a job of this id is {} already; nothing was changed", standing.state))
        }
        _ => None,
    };
    Taken { enqueued, note }
}

/// Says by how much a due time had passed when the job came in.
fn past(asked: Timestamp, now: Timestamp) -> Option<String> {
    (now > asked)
        .then(|| format!("the due time was {}; the job runs at once", distance(asked, now.as_millis())))
}

fn one(taken: &Taken) -> Result<Answer, Problem> {
    let enqueued = &taken.enqueued;
    let (title, detail) = match enqueued {
        Enqueued::Duplicate { holder, .. } => (
            "Another job holds its unique key",
            format!("job {holder} holds the unique key; nothing was enqueued"),
        ),
        Enqueued::SubjectFull { .. } => (
            "The subject has too many jobs",
            "the subject has its limit of 1,000 live jobs; nothing was enqueued".to_owned(),
        ),
        Enqueued::IdConflict { id } => (
            "The id is taken",
            format!(
                "a job {id} exists in a queue that is not the token's, or in another shard, where its subject is another and \
                 it cannot be replaced; take another id, and cancel that job if it is not to run"
            ),
        ),
        known => {
            let status = if is_new(known) { StatusCode::CREATED } else { StatusCode::OK };
            return Ok(Answer::new(status, taken).at(location(known.id())));
        }
    };
    Err(Problem::conflict(enqueued.word(), title, detail).with(enqueued))
}

fn many(items: Vec<Taken>) -> Answer {
    let status = if items.iter().any(|item| item.enqueued.standing().is_none()) {
        StatusCode::MULTI_STATUS
    } else if items.iter().all(|item| is_new(&item.enqueued)) {
        StatusCode::CREATED
    } else {
        StatusCode::OK
    };
    Answer::new(status, &TakenMany { items })
}

const fn is_new(enqueued: &Enqueued) -> bool {
    matches!(enqueued, Enqueued::Delayed(_) | Enqueued::Ready(_) | Enqueued::Replaced(_))
}

/// Where the job can be read. Of the characters an id may have, only the slash needs an escape in a path.
fn location(id: &JobId) -> String {
    format!("/api/v1/jobs/{}", id.as_str().replace('/', "%2F"))
}
