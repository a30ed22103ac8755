//! A stage for one test: a namespace, a clock that stands where the test says, and jobs brought into each state by
//! the transitions that lead there.

use reprieve::model::{
    Delay, JobId, JobState, Kind, QueueName, Subject, Timestamp, Token, UniqueKey, Version,
};
use reprieve::store::{ClaimedJob, Intent, Store};
use reprieve::testing::{Snapshot, TestRedis, breaches};
use reprieve::{Due, NewJob};

/// The zero of every test's clock, a full minute in November 2023.
pub(crate) const START: i64 = 1_700_000_040_000;
/// When the seeded job is due: after an hour.
pub(crate) const DUE: i64 = 3_600_000;
/// The lease that the seeded worker gets.
pub(crate) const LEASE: Delay = Delay::seconds(12);
pub(crate) const WORKER: &str = "w1";

/// The instant that many ms after the start.
pub(crate) fn t(ms: i64) -> Timestamp {
    Timestamp::from_millis(START + ms).unwrap()
}

pub(crate) fn id(text: &str) -> JobId {
    JobId::new(text).unwrap()
}

pub(crate) fn mail() -> QueueName {
    QueueName::new("mail").unwrap()
}

pub(crate) fn subject() -> Subject {
    Subject::new("resource:4711").unwrap()
}

/// Ann, with a reason.
pub(crate) fn ann() -> Intent {
    let mut intent = Intent::of("ann");
    intent.why = "the customer called".to_owned();
    intent
}

/// A plain job in queue mail, due after that many ms.
pub(crate) fn plain(due: i64) -> NewJob {
    let mut job = NewJob::new(Kind::new("notice").unwrap(), "{}");
    job.queue = mail();
    job.due = Due::At(t(due));
    job
}

/// The job of the table: in queue mail, with a subject and a unique key, due after an hour.
pub(crate) fn full() -> NewJob {
    let mut job = plain(DUE);
    job.subject = Some(subject());
    job.unique = Some((UniqueKey::new("expiry-4711").unwrap(), Delay::days(1)));
    job.max_attempts = Some(3);
    job
}

/// A job brought into a state.
pub(crate) struct Given {
    pub id: JobId,
    pub version: Version,
    /// The token of its lease, or of its last one.
    pub token: Option<Token>,
    /// A moment in that state, ms after the start.
    pub now: i64,
}

pub(crate) struct Stage {
    pub redis: TestRedis,
}

impl Stage {
    pub(crate) async fn new() -> Self {
        Self { redis: TestRedis::namespace().await }
    }

    /// The store at that many ms after the start.
    pub(crate) fn at(&self, ms: i64) -> Store {
        self.redis.store().at(t(ms))
    }

    pub(crate) async fn enqueue(&self, ms: i64, name: &str, job: NewJob) -> reprieve::model::Enqueued {
        self.at(ms).enqueue("client", &[(id(name), job)]).await.unwrap().remove(0)
    }

    pub(crate) async fn claim(&self, ms: i64, most: u32) -> Vec<ClaimedJob> {
        self.at(ms).claim(WORKER, LEASE, most, &[(mail(), most)]).await.unwrap()
    }

    /// Of the subject more jobs that were called off than are read of it: three in queue sms, then 1,002 in queue mail.
    pub(crate) async fn given_many_called_off(&self) {
        for (ms, queue, count) in [(1, "sms", 3), (2, "mail", 1_000), (3, "mail", 2)] {
            let of_subject = |n: usize| {
                let mut job = plain(DUE);
                (job.queue, job.subject) = (QueueName::new(queue).unwrap(), Some(subject()));
                (id(&format!("off{ms}-{n:03}")), job)
            };
            for batch in (0..count).map(of_subject).collect::<Vec<_>>().chunks(100) {
                self.at(0).enqueue("client", batch).await.unwrap();
            }
            self.at(ms).cancel_subject(&subject(), &ann(), 1_000).await.unwrap();
        }
    }

    /// Job `a1` in that state, by the shortest way.
    pub(crate) async fn given(&self, state: JobState) -> Given {
        let id = id("a1");
        self.enqueue(0, "a1", full()).await;
        let mut given = Given { id: id.clone(), version: Version(1), token: None, now: 10_000 };
        match state {
            JobState::Delayed => {}
            JobState::Held => {
                self.at(1_000).hold(&id, &ann()).await.unwrap();
                given.version = Version(2);
            }
            JobState::Cancelled => {
                self.at(1_000).cancel(&id, &ann()).await.unwrap();
                given.version = Version(2);
            }
            JobState::Ready => {
                self.at(DUE).forward(10, 0).await.unwrap();
                given.version = Version(2);
                given.now = DUE + 10_000;
            }
            JobState::Active | JobState::Retrying | JobState::Done | JobState::Dead => {
                self.at(DUE).forward(10, 0).await.unwrap();
                let token = self.claim(DUE + 1_000, 1).await[0].token;
                given.version = Version(3);
                given.token = Some(token);
                given.now = DUE + 10_000;
            }
        }
        let later = self.at(DUE + 2_000);
        if let Some(token) = given.token.filter(|_| state != JobState::Active) {
            match state {
                JobState::Retrying => {
                    later.fail(&id, token, "timed out", Some(Delay::minutes(5))).await.map(drop).unwrap();
                }
                JobState::Done => later.complete(&[(id, token)]).await.map(drop).unwrap(),
                _ => later.fail(&id, token, "no such resource", None).await.map(drop).unwrap(),
            }
            given.version = Version(4);
        }
        given
    }

    pub(crate) async fn state_of(&self, name: &str) -> Option<JobState> {
        self.redis.store().job(&id(name)).await.unwrap().map(|(job, ..)| job.state)
    }

    pub(crate) async fn snapshot(&self) -> Snapshot {
        self.redis.snapshot().await
    }

    pub(crate) async fn assert_sound(&self) {
        assert_eq!(breaches(&self.snapshot().await), Vec::<String>::new());
    }

    /// In how many seconds Redis forgets a key, whose name begins as words of `command` do; -1 for never.
    pub(crate) async fn seconds_left(&self, key: &str) -> i64 {
        let key = key.replacen('*', &self.redis.prefix(), 1);
        let reply = self.redis.command(&["TTL", &key]).await.unwrap();
        redis::from_redis_value(reply).unwrap()
    }

    /// Sends a plain command; `*` at the start of a word stands for the prefix of the namespace.
    pub(crate) async fn command(&self, words: &[&str]) {
        let prefix = self.redis.prefix();
        let words: Vec<String> = words.iter().map(|word| word.replacen('*', &prefix, 1)).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        self.redis.command(&words).await.unwrap();
    }

    /// For how long a key is kept from now on; `None` for ever.
    pub(crate) async fn kept_for(&self, key: &str) -> Option<Delay> {
        kept_for(&self.redis, key).await
    }
}

/// For how long a key without its prefix is kept from now on; `None` for ever.
pub(crate) async fn kept_for(redis: &TestRedis, key: &str) -> Option<Delay> {
    let key = format!("{}{key}", redis.prefix());
    let left: i64 = redis::from_redis_value(redis.command(&["PTTL", &key]).await.unwrap()).unwrap();
    assert_ne!(left, -2, "there is no {key}");
    (left >= 0).then_some(Delay::millis(left))
}

/// Whether it is kept for that long, of which a busy machine may have let some time pass.
pub(crate) fn is_about(kept: Option<Delay>, long: Delay) -> bool {
    let slack_ms = Delay::minutes(5).as_millis();
    kept.is_some_and(|kept| (long.as_millis() - slack_ms..=long.as_millis()).contains(&kept.as_millis()))
}

/// How many entries of the event stream and of the audit a keyspace holds.
pub(crate) fn written(keys: &Snapshot) -> (usize, usize) {
    let length = |key: &str| keys.get(key).map_or(0, Vec::len);
    (length("events"), length("audit"))
}
