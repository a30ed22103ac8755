//! Items of foreign queues: which format and place, name, score, body and a further field of it, each in its part.

use crate::bounds::{message, parts};
use prost::Message as _;
use reprieve::model::{Kind, Timestamp};
use reprieve::{Due, NewJob, fuzzing};
use reprieve_import::fuzzed::{ForeignItem, translate};
use reprieve_import::{AsynqSource, BullmqSource, DelayqSource, Layout, QueuesSource, ScoreUnit, ZsetSource};
use reprieve_sinks::TaskMessage;
use std::collections::BTreeMap;

/// The queue they lie in.
const QUEUE: &str = "mail";
/// Places of asynq and BullMQ; another format minds none of them.
const PLACES: [&str; 8] =
    ["pending", "scheduled", "retry", "archived", "completed", "active", "delayed", "failed"];

/// An item is a job that the engine would take, with the bytes it had and a time that has an end, or a short reason; and
/// always the same. A message of asynq is the same once it was read and written.
pub fn check(data: &[u8]) {
    let Some((&choice, rest)) = data.split_first() else { return };
    let mut parts = parts(rest).map(<[u8]>::to_vec);
    let mut part = || parts.next().unwrap_or_default();
    let (name, score, body, field) = (part(), part(), part(), part());
    if let Ok(read) = TaskMessage::decode(&*body) {
        assert_eq!(TaskMessage::decode(&*read.encode_to_vec()), Ok(read));
    }
    let place = PLACES[usize::from(choice >> 2) % PLACES.len()];
    let item = ForeignItem {
        place: place.to_owned(),
        name: name.clone(),
        score: String::from_utf8_lossy(&score).into_owned(),
        body: Some(body.clone()),
        fields: BTreeMap::from([
            ("state".to_owned(), place.as_bytes().to_vec()),
            ("status".to_owned(), place.as_bytes().to_vec()),
            ("name".to_owned(), name.clone()),
            ("data".to_owned(), body.clone()),
            ("record".to_owned(), body.clone()),
            ("opts".to_owned(), field.clone()),
            ("deid".to_owned(), field.clone()),
            ("failedReason".to_owned(), field.clone()),
            ("unique_key".to_owned(), field.clone()),
            ("result".to_owned(), field.clone()),
            ("pending_since".to_owned(), field),
        ]),
        lock_ms: Some(i64::from(choice)),
    };
    let subject = (choice & 0x80 != 0).then(|| "/id".to_owned());
    let inflates = (choice & 0x0f) % 9 == 5;
    let queues = || {
        let mut source = QueuesSource::default();
        source.subject = subject.clone();
        source.kind = (choice & 0x40 != 0).then(|| Kind::new("notice").expect("a kind"));
        source
    };
    let layout = match (choice & 0x0f) % 9 {
        0 => {
            let mut source = ZsetSource::new("due", Kind::new("notice").expect("a kind"));
            source.subject = subject;
            source.id = (choice & 0x40 != 0).then(|| "/id".to_owned());
            source.unit =
                [ScoreUnit::Auto, ScoreUnit::S, ScoreUnit::Ms, ScoreUnit::Us][usize::from(choice >> 4) % 4];
            Layout::Zset(source)
        }
        1 => {
            let mut source = DelayqSource::new(QUEUE);
            source.subject = subject;
            Layout::Delayq(source)
        }
        2 => {
            let mut source = BullmqSource::new(vec![QUEUE.to_owned()]);
            source.subject = subject;
            Layout::Bullmq(source)
        }
        4 => Layout::Sidekiq(queues()),
        5 => Layout::Rq(queues()),
        6 => Layout::Arq(queues()),
        7 => Layout::BeeQueue(queues()),
        8 => Layout::Celery(queues()),
        _ => {
            let mut source = AsynqSource::default();
            source.subject = subject;
            Layout::Asynq(source)
        }
    };
    // RQ's are deflated, up to what a payload may have.
    let bytes_there = if inflates { reprieve::PAYLOAD_BYTES_MAX } else { name.len() + body.len() };
    match translate(&layout, QUEUE, item) {
        Ok((_, job)) => check_job(&job, bytes_there),
        Err(why) => message(&why),
    }
}

fn check_job(job: &NewJob, bytes_there: usize) {
    fuzzing::check(job).expect("a job that the engine takes");
    assert!(job.payload.len() <= bytes_there, "the payload has more than was there");
    if let Due::At(at) = job.due {
        assert!((Timestamp::EPOCH..=Timestamp::MAX).contains(&at), "{at:?}");
    }
    assert!(job.max_attempts != Some(0));
}
