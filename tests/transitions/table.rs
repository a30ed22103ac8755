//! The table of the state machine: every verb in every state.

use super::expect::{assert_expected, difference};
use super::seed::{Given, LEASE, Stage, WORKER, ann, full, mail, subject, t, written};
use reprieve::model::{Delay, JobState, SubjectCancelled, Token};
use reprieve::testing::breaches;
use reprieve::{Due, Error};

/// What a verb answers in each state, in the order of `JobState::ALL`: delayed, held, ready, active, retrying, done,
/// dead, cancelled.
type Words = [&'static str; 8];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verb {
    Cancel,
    CancelSubject,
    Reinstate,
    ReinstateAt,
    RetryNow,
    Reschedule,
    Hold,
    Unhold,
    Edit,
    Enqueue,
    EnqueueAnother,
    Replace,
    Forward,
    Claim,
    Extend,
    Complete,
    CompleteStale,
    Fail,
    FailForGood,
    FailStale,
    Snooze,
    SnoozeStale,
    Release,
    ReleaseStale,
    Recover,
    Purge,
}

/// A token that no claim of the test produced.
const STALE: Token = Token(77);

impl Verb {
    /// Verbs of people leave an audit entry with every change.
    fn is_of_people(self) -> bool {
        use Verb::*;
        matches!(
            self,
            Cancel | CancelSubject | Reinstate | ReinstateAt | RetryNow | Reschedule | Hold | Unhold | Edit
        )
    }

    /// Carries it out and names the answer.
    pub(crate) async fn act(self, stage: &Stage, given: &Given) -> Result<String, Error> {
        let store = stage.at(given.now);
        let (id, now) = (&given.id, given.now);
        let token = given.token.unwrap_or(STALE);
        let one = [(id.clone(), token)];
        let stale = [(id.clone(), STALE)];
        Ok(match self {
            Self::Cancel => store.cancel(id, &ann()).await?.word().to_owned(),
            Self::CancelSubject => match store.cancel_subject(&subject(), &ann(), 1_000).await? {
                SubjectCancelled::Cancelled { jobs } => {
                    jobs.first().map_or("nothing", |job| job.cancelled.word()).to_owned()
                }
                other => format!("{other:?}"),
            },
            Self::Reinstate => store.reinstate(id, &ann(), None).await?.word().to_owned(),
            Self::ReinstateAt => store.reinstate(id, &ann(), Some(t(now + 777))).await?.word().to_owned(),
            Self::RetryNow => store.retry_now(id, &ann()).await?.word().to_owned(),
            Self::Reschedule => {
                store.reschedule(id, &ann(), Due::At(t(now + 60_000))).await?.word().to_owned()
            }
            Self::Hold => store.hold(id, &ann()).await?.word().to_owned(),
            Self::Unhold => store.unhold(id, &ann()).await?.word().to_owned(),
            Self::Edit => store.edit(id, &ann(), b"{\"id\":4712}", None).await?.word().to_owned(),
            Self::Enqueue => store.enqueue("client", &[(id.clone(), full())]).await?[0].word().to_owned(),
            Self::EnqueueAnother => {
                let mut job = full();
                job.unique = None;
                store.enqueue("client", &[(super::seed::id("a2"), job)]).await?[0].word().to_owned()
            }
            Self::Replace => {
                let mut job = full();
                (job.replace, job.subject, job.unique) = (true, None, None);
                store.enqueue("client", &[(id.clone(), job)]).await?[0].word().to_owned()
            }
            Self::Forward => store.forward(10, 0).await?.moved.to_string(),
            Self::Claim => store.claim("w2", LEASE, 5, &[(mail(), 5)]).await?.len().to_string(),
            Self::Extend => format!("{:?}", store.extend(LEASE, &one).await?[0]),
            Self::Complete => format!("{:?}", store.complete(&one).await?[0]),
            Self::CompleteStale => format!("{:?}", store.complete(&stale).await?[0]),
            Self::Fail => {
                format!("{:?}", store.fail(id, token, "timed out", Some(Delay::seconds(30))).await?)
            }
            Self::FailForGood => format!("{:?}", store.fail(id, token, "not there", None).await?),
            Self::FailStale => format!("{:?}", store.fail(id, STALE, "late", None).await?),
            Self::Snooze => {
                format!("{:?}", store.snooze(id, token, Delay::seconds(40), "not yet", false).await?)
            }
            Self::SnoozeStale => format!("{:?}", store.snooze(id, STALE, Delay::ZERO, "late", false).await?),
            Self::Release => format!("{:?}", store.release("its worker stopped", &one).await?[0]),
            Self::ReleaseStale => format!("{:?}", store.release("late", &stale).await?[0]),
            // Beyond the lease, which ends 13 s after the due time.
            Self::Recover => stage.at(now + 20_000).recover(10, Delay::seconds(1), 3).await?.to_string(),
            // Beyond every retention.
            Self::Purge => stage.at(now + Delay::days(200).as_millis()).purge(10).await?.to_string(),
        })
    }
}

/// Words after which nothing may have changed. `Done`, `Retrying`, `Dead` are those of a repeated report.
fn leaves_all_as_it_was(verb: Verb, word: &str, state: JobState) -> bool {
    let repeated = state != JobState::Active && !matches!(word, "delayed" | "ready" | "held");
    match verb {
        Verb::Extend => word != "Held",
        Verb::Complete | Verb::Fail | Verb::FailForGood | Verb::Snooze | Verb::Release => repeated,
        Verb::CompleteStale | Verb::FailStale | Verb::SnoozeStale | Verb::ReleaseStale => true,
        // It writes the time of its tick.
        Verb::Forward => false,
        Verb::Claim | Verb::Recover | Verb::Purge => word == "0",
        _ => matches!(word, "wrong_state" | "already_finished" | "overdue" | "exists" | "nothing"),
    }
}

async fn check(verb: Verb, words: Words) {
    let mut told = String::new();
    for (state, word) in JobState::ALL.into_iter().zip(words) {
        // given
        let stage = Stage::new().await;
        let given = stage.given(state).await;
        let before = stage.snapshot().await;
        assert_eq!(breaches(&before), Vec::<String>::new(), "{state} as given");

        // when
        let answer = verb.act(&stage, &given).await.unwrap();

        // then
        let after = stage.snapshot().await;
        assert_eq!(answer, word, "{verb:?} of a {state} job");
        assert_eq!(breaches(&after), Vec::<String>::new(), "{verb:?} of a {state} job");
        let changes = difference(&before, &after);
        let (events, audit) = written(&after);
        let (events, audit) = (events - written(&before).0, audit - written(&before).1);
        if leaves_all_as_it_was(verb, &answer, state) {
            assert_eq!(changes, Vec::<String>::new(), "{verb:?} of a {state} job");
            told.push_str(&format!("{state}: {answer}, nothing changed\n\n"));
            continue;
        }
        let moved = usize::from(!(verb == Verb::Extend || (verb == Verb::Forward && answer == "0")));
        assert_eq!(events, moved, "{verb:?} of a {state} job writes one event a change");
        assert_eq!(audit, usize::from(verb.is_of_people()), "{verb:?} of a {state} job");
        told.push_str(&format!("{state}: {answer}\n{}\n\n", changes.join("\n")));
    }
    assert_expected(&format!("{verb:?}").to_lowercase(), &told);
}

macro_rules! table {
    ($($name:ident: $verb:ident => $words:expr;)+) => {
        $(#[tokio::test]
        async fn $name() {
            check(Verb::$verb, $words).await;
        })+
    };
}

table! {
    cancel_calls_off_what_waits_and_asks_what_runs: Cancel =>
        ["cancelled", "cancelled", "cancelled", "requested", "cancelled", "already_finished", "already_finished", "already_finished"];
    cancel_subject_does_what_cancel_does_to_every_live_job: CancelSubject =>
        ["cancelled", "cancelled", "cancelled", "requested", "cancelled", "nothing", "nothing", "nothing"];
    reinstate_takes_only_cancelled_jobs: Reinstate =>
        ["wrong_state", "wrong_state", "wrong_state", "wrong_state", "wrong_state", "wrong_state", "wrong_state", "delayed"];
    reinstate_takes_a_new_time: ReinstateAt =>
        ["wrong_state", "wrong_state", "wrong_state", "wrong_state", "wrong_state", "wrong_state", "wrong_state", "delayed"];
    retry_now_takes_what_waits_and_what_ended_badly: RetryNow =>
        ["ready", "ready", "wrong_state", "wrong_state", "ready", "wrong_state", "ready", "ready"];
    reschedule_takes_only_what_waits_for_a_time: Reschedule =>
        ["delayed", "held", "wrong_state", "wrong_state", "retrying", "wrong_state", "wrong_state", "wrong_state"];
    hold_takes_only_delayed_jobs: Hold =>
        ["held", "wrong_state", "wrong_state", "wrong_state", "wrong_state", "wrong_state", "wrong_state", "wrong_state"];
    unhold_takes_only_held_jobs: Unhold =>
        ["wrong_state", "delayed", "wrong_state", "wrong_state", "wrong_state", "wrong_state", "wrong_state", "wrong_state"];
    edit_takes_what_is_not_under_way: Edit =>
        ["delayed", "held", "wrong_state", "wrong_state", "retrying", "wrong_state", "dead", "wrong_state"];
    the_same_id_again_changes_nothing: Enqueue =>
        ["exists", "exists", "exists", "exists", "exists", "exists", "exists", "exists"];
    another_id_is_a_job_of_its_own: EnqueueAnother =>
        ["delayed", "delayed", "ready", "ready", "ready", "ready", "ready", "delayed"];
    replace_takes_only_waiting_jobs: Replace =>
        ["replaced", "replaced", "replaced", "exists", "replaced", "exists", "exists", "exists"];
    forward_leaves_alone_what_is_not_due: Forward =>
        ["0", "0", "0", "0", "0", "0", "0", "0"];
    claim_takes_only_ready_jobs: Claim =>
        ["0", "0", "1", "0", "0", "0", "0", "0"];
    extend_keeps_a_lease: Extend =>
        ["Lost", "Lost", "Lost", "Held", "Lost", "Lost", "Lost", "Lost"];
    complete_ends_an_active_job_and_repeats_its_word: Complete =>
        ["Lost", "Lost", "Lost", "Done", "Ended", "Done", "Ended", "Lost"];
    complete_with_a_stale_token_is_lost: CompleteStale =>
        ["Lost", "Lost", "Lost", "Lost", "Lost", "Lost", "Lost", "Lost"];
    fail_sends_an_active_job_to_retrying_and_repeats_its_word: Fail =>
        ["Lost", "Lost", "Lost", "Retrying", "Retrying", "Lost", "Dead", "Lost"];
    fail_for_good_ends_an_active_job: FailForGood =>
        ["Lost", "Lost", "Lost", "Dead", "Retrying", "Lost", "Dead", "Lost"];
    fail_with_a_stale_token_is_lost: FailStale =>
        ["Lost", "Lost", "Lost", "Lost", "Lost", "Lost", "Lost", "Lost"];
    snooze_puts_an_active_job_back: Snooze =>
        ["Lost", "Lost", "Lost", "Delayed", "Lost", "Lost", "Lost", "Lost"];
    snooze_with_a_stale_token_is_lost: SnoozeStale =>
        ["Lost", "Lost", "Lost", "Lost", "Lost", "Lost", "Lost", "Lost"];
    release_gives_an_active_job_back: Release =>
        ["Lost", "Lost", "Lost", "Ready", "Ended", "Done", "Ended", "Lost"];
    release_with_a_stale_token_is_lost: ReleaseStale =>
        ["Lost", "Lost", "Lost", "Lost", "Lost", "Lost", "Lost", "Lost"];
    recover_takes_back_only_leases_that_ran_out: Recover =>
        ["0", "0", "0", "1", "0", "0", "0", "0"];
    purge_removes_only_what_has_ended: Purge =>
        ["0", "0", "0", "0", "0", "1", "1", "1"];
}

#[tokio::test]
async fn an_unknown_id_is_missing_for_every_verb_and_changes_nothing() {
    let stage = Stage::new().await;
    let before = stage.snapshot().await;
    let (id, store) = (super::seed::id("nobody"), stage.at(0));

    let missing = Error::NotFound { id: id.clone() };
    assert_eq!(store.cancel(&id, &ann()).await.unwrap_err(), missing);
    assert_eq!(store.reinstate(&id, &ann(), None).await.unwrap_err(), missing);
    assert_eq!(store.retry_now(&id, &ann()).await.unwrap_err(), missing);
    assert_eq!(store.reschedule(&id, &ann(), Due::Now).await.unwrap_err(), missing);
    assert_eq!(store.hold(&id, &ann()).await.unwrap_err(), missing);
    assert_eq!(store.unhold(&id, &ann()).await.unwrap_err(), missing);
    assert_eq!(store.edit(&id, &ann(), b"", None).await.unwrap_err(), missing);
    let one = [(id.clone(), STALE)];
    let words = [
        format!("{:?}", store.complete(&one).await.unwrap()),
        format!("{:?}", store.release("", &one).await.unwrap()),
        format!("{:?}", store.extend(LEASE, &one).await.unwrap()),
        format!("[{:?}]", store.fail(&id, STALE, "", None).await.unwrap()),
        format!("[{:?}]", store.snooze(&id, STALE, LEASE, "", false).await.unwrap()),
    ];
    assert_eq!(words, ["[Missing]"; 5].map(str::to_owned));
    assert_eq!(difference(&before, &stage.snapshot().await), Vec::<String>::new());
    assert!(stage.claim(0, 5).await.is_empty(), "worker {WORKER} finds nothing");
}
