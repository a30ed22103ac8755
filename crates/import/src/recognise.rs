//! What lies on a Redis, told by its keys: queues of asynq and BullMQ, topics of delayq, sorted sets whose scores are times.

use super::candidate::{Candidate, wrong_type_is};
use super::judge::{is_bare_id, known_set};
use super::score::ScoreUnit;
use super::source::OURS;
use super::{Source, arq, asynq, bee_queue, bullmq, celery, delayq, rq, script, sidekiq, translate};
use crate::{FoundItem, FoundSource, ImportFormat, Recognised, SetOfOthers};
use redis::{Cmd, cmd};
use reprieve::internals::{Foreign, TlsFiles, known_settings, shards};
use reprieve::model::Timestamp;
use reprieve::model::reveal::{DOTS, SAYS};
use reprieve::{Engine, Result};
use std::collections::BTreeSet;

/// Keys a call of SCAN looks at: a millisecond of Redis.
const SCAN_COUNT: u32 = 1_000;
/// Calls of SCAN: a hundred thousand keys are looked at, for about a tenth of a second.
const SCANS_MAX: u32 = 100;
/// Sources that are named: what a person reads before they choose.
const FOUND_MAX: usize = 50;
/// Items shown of each, as evidence; of a sorted set as many are looked at from its other end.
const SAMPLES: u64 = 5;
/// Characters of an item that are shown.
const SAMPLE_CHARS: usize = 120;
/// Scores from here on may be due times: the year 2001. Ranks, counters and prices stay below in any unit.
const TIME_FROM_MS: i64 = 1_000_000_000_000;
/// And until here: the year 2100.
const TIME_UNTIL_MS: i64 = 4_102_444_800_000;

/// What can be taken over from a Redis, told by its keys, without changing anything: from the one at `url`, or from
/// the one the engine is on. Items are not shown while a rule of redaction hides parts of payloads: of which kind they
/// will be is not known yet. `authority` is who may sign for its server, in PEM, if not the usual ones; `client` is a
/// certificate that is shown to it, and its key.
///
/// # Errors
/// [`Error::Refused`](reprieve::Error::Refused) for an address that names no Redis or a login it does not take,
/// [`Error::Unavailable`](reprieve::Error::Unavailable).
pub async fn recognise(
    engine: &Engine,
    url: Option<&str>,
    authority: Option<&str>,
    client: Option<(&str, &str)>,
) -> Result<Recognised> {
    let (shards, settings) = (shards(engine), known_settings(engine));
    let redaction = &*settings.redaction().await?;
    let there = match url {
        Some(url) => {
            let authorities = authority.map(|pem| pem.as_bytes().to_vec());
            let client = client.map(|(certificate, key)| (certificate.into(), key.into()));
            Foreign::open(url, TlsFiles { authorities, client })?
        }
        None => Foreign::beside(shards),
    };
    let now = now(&there).await?;
    let mut recognised = Recognised::default();
    let Scanned { keys: sets, looked_at, complete } = keys_like(&there, "*", "zset", usize::MAX).await?;
    (recognised.scanned, recognised.complete) = (looked_at, complete);
    for queue in asynq::queues(&there).await? {
        let keys = asynq::waiting_keys(&queue);
        name(&there, now, &mut recognised, ImportFormat::Asynq, queue, keys).await?;
    }
    let mut counted = BTreeSet::new();
    let mut candidates = sidekiq::recognise(&there).await?;
    candidates.extend(rq::recognise(&there).await?);
    candidates.extend(arq::recognise(&sets));
    let hashes = keys_like(&there, "bq:*:jobs", "hash", FOUND_MAX).await?.keys;
    candidates.extend(bee_queue::recognise(&hashes));
    let bindings = keys_like(&there, "_kombu.binding.*", "set", FOUND_MAX).await?.keys;
    candidates.extend(celery::recognise(&there, &bindings).await?);
    for candidate in candidates {
        counted.extend(candidate.keys.iter().map(|(key, _)| key.clone()));
        name_candidate(&there, now, &mut recognised, candidate).await?;
    }
    let mut queues = BTreeSet::new();
    for base in keys_like(&there, "*:meta", "hash", FOUND_MAX)
        .await?
        .keys
        .iter()
        .filter_map(|meta| bullmq::base_of(meta))
    {
        if name_bullmq(&there, now, &mut recognised, base).await? {
            queues.insert(base.to_owned());
        }
    }
    for key in sets.difference(&counted).cloned() {
        if let Some((_, set)) = key.rsplit_once(':').filter(|(base, _)| queues.contains(*base)) {
            if let Some(known) = known_set(&format!("bull:{set}"), b"").filter(|_| !bullmq::is_waiting(set)) {
                let items = count(&there, &key).await?;
                name_known(&mut recognised, SetOfOthers { key, items, set: known });
            }
            continue;
        }
        match (delayq::topic_of(&key), asynq::is_key(&key)) {
            (Some(topic), _) => {
                let topic = topic.to_owned();
                name(&there, now, &mut recognised, ImportFormat::Delayq, topic, vec![key]).await?;
            }
            // They are counted with the queue they belong to.
            (None, true) => {}
            (None, false) => match known_set(&key, b"") {
                Some(set) => {
                    let items = count(&there, &key).await?;
                    name_known(&mut recognised, SetOfOthers { key, items, set });
                }
                None => {
                    name(&there, now, &mut recognised, ImportFormat::Zset, key.clone(), vec![key]).await?;
                }
            },
        }
    }
    if !redaction.is_empty() {
        let items = recognised.found.iter_mut().flat_map(|found| &mut found.samples);
        items.for_each(|item| item.text = format!("{DOTS} {SAYS}"));
    }
    Ok(recognised)
}

/// What a scan of keys found.
struct Scanned {
    /// Keys that are not ours, in order.
    keys: BTreeSet<String>,
    /// About how many were looked at.
    looked_at: u64,
    /// Whether these were all.
    complete: bool,
}

/// Keys of that pattern and type, until there are more of them than `most`.
async fn keys_like(there: &Foreign, pattern: &str, shape: &str, most: usize) -> Result<Scanned> {
    let mut scanned = Scanned { keys: BTreeSet::new(), looked_at: 0, complete: false };
    let mut cursor = 0_u64;
    for _ in 0..SCANS_MAX {
        let mut scan = cmd("SCAN");
        scan.arg(cursor).arg("MATCH").arg(pattern).arg("COUNT").arg(SCAN_COUNT).arg("TYPE").arg(shape);
        let (next, keys): (u64, Vec<Vec<u8>>) = there.query(&scan).await?;
        scanned.looked_at += u64::from(SCAN_COUNT);
        scanned.keys.extend(of_others(keys));
        scanned.complete = next == 0;
        if scanned.complete || scanned.keys.len() > most {
            break;
        }
        cursor = next;
    }
    Ok(scanned)
}

/// The keys that are not ours. A key that is no text can be named nowhere, and is left out.
fn of_others(keys: Vec<Vec<u8>>) -> impl Iterator<Item = String> {
    let named = keys.into_iter().filter_map(|key| String::from_utf8(key).ok());
    named.filter(|key| !OURS.iter().any(|ours| key.starts_with(ours)))
}

/// Adds a source with what shows that it is one. A sorted set that is no plan is named only where it is known whose it is,
/// and counted only where its scores are no times.
async fn name(
    there: &Foreign,
    now: Timestamp,
    recognised: &mut Recognised,
    format: ImportFormat,
    place: String,
    keys: Vec<String>,
) -> Result<()> {
    if recognised.found.len() >= FOUND_MAX {
        recognised.more = recognised.more.saturating_add(1);
        return Ok(());
    }
    let (mut items, mut waiting, mut samples, mut last) = (0_u64, 0_u64, Vec::new(), Vec::new());
    let mut set = None;
    for key in &keys {
        let here = count(there, key).await?;
        items = items.saturating_add(here);
        let first = members(there, key, 0, SAMPLES - 1).await?;
        if format == ImportFormat::Zset {
            set = first.first().and_then(|(member, _)| known_set(key, member));
        }
        if let Some(set) = set.take_if(|set| !set.holds.is_plan()) {
            name_known(recognised, SetOfOthers { key: key.clone(), items, set });
            return Ok(());
        }
        waiting = waiting.saturating_add(count_waiting(there, key, now).await?);
        samples.extend(first.iter().map(|(member, score)| item(member, score.clone())));
        if format == ImportFormat::Zset && here > SAMPLES {
            let others = members(there, key, SAMPLES.max(here - SAMPLES), here).await?;
            last.extend(others.iter().map(|(member, score)| item(member, score.clone())));
        }
    }
    samples.truncate(usize::try_from(SAMPLES).unwrap_or(usize::MAX));
    // Of what waits for nothing, and is nothing but ids, scores are hardly due times: who was seen when, say.
    let is_log = waiting == 0 && items > 0 && samples.iter().all(|item| is_bare_id(item.text.as_bytes()));
    if format == ImportFormat::Zset && (is_log || !are_times(samples.iter().chain(&last))) {
        recognised.others = recognised.others.saturating_add(1);
        return Ok(());
    }
    recognised.found.push(FoundSource { format, place, keys, items, waiting, set, samples });
    Ok(())
}

/// Adds a source that a system says it has, if jobs wait there.
async fn name_candidate(
    there: &Foreign,
    now: Timestamp,
    recognised: &mut Recognised,
    Candidate { format, place, keys }: Candidate,
) -> Result<()> {
    let (mut items, mut waiting, mut samples, mut full) = (0_u64, 0_u64, Vec::new(), Vec::new());
    for (key, shape) in keys {
        let mut count = script::COUNTS.key(&key);
        count.arg(shape);
        let Ok(here) = there.call(&count).await?.text()?.parse::<u64>() else { continue };
        items = items.saturating_add(here);
        if shape == "zset" && here > 0 {
            waiting = waiting.saturating_add(count_waiting(there, &key, now).await?);
            let first = members(there, &key, 0, SAMPLES - 1).await?;
            samples.extend(first.iter().map(|(member, score)| item(member, score.clone())));
        }
        if here > 0 {
            full.push(key);
        }
    }
    samples.truncate(usize::try_from(SAMPLES).unwrap_or(usize::MAX));
    if items > 0 {
        add(recognised, FoundSource { format, place, keys: full, items, waiting, set: None, samples });
    }
    Ok(())
}

/// Adds a queue of BullMQ where jobs wait, whose keys begin so. Returns whether it is one: BullMQ 5 and 6 say so of
/// themselves.
async fn name_bullmq(
    there: &Foreign,
    now: Timestamp,
    recognised: &mut Recognised,
    base: &str,
) -> Result<bool> {
    let (keys, meta) = bullmq::keys_of(base);
    let mut ask = cmd("HEXISTS");
    ask.arg(meta).arg("opts.maxLenEvents");
    if !wrong_type_is(false, there.query(&ask).await)? {
        return Ok(false);
    }
    let [delayed, wait, paused, prioritized] = &keys;
    let mut items = count(there, delayed).await?.saturating_add(count(there, prioritized).await?);
    for list in [wait, paused] {
        items = items.saturating_add(wrong_type_is(0, there.query(cmd("LLEN").arg(list)).await)?);
    }
    if items == 0 {
        return Ok(true);
    }
    let mut to_come = cmd("ZCOUNT");
    to_come.arg(delayed).arg(bullmq::score_after(now)).arg("+inf");
    let waiting = wrong_type_is(0, there.query(&to_come).await)?;
    let first = members(there, delayed, 0, SAMPLES - 1).await?;
    let sample = |(member, score): &(Vec<u8>, String)| {
        let due = bullmq::due(score).ok();
        FoundItem { due, ..item(member, score.clone()) }
    };
    let samples = first.iter().map(sample).collect();
    let (format, place) = (ImportFormat::Bullmq, bullmq::place_of(base).to_owned());
    add(recognised, FoundSource { format, place, keys: keys.into(), items, waiting, set: None, samples });
    Ok(true)
}

/// Names a source, while they are few.
fn add(recognised: &mut Recognised, source: FoundSource) {
    if recognised.found.len() < FOUND_MAX {
        recognised.found.push(source);
    } else {
        recognised.more = recognised.more.saturating_add(1);
    }
}

/// Names a set that is not offered, while they are few.
fn name_known(recognised: &mut Recognised, set: SetOfOthers) {
    if recognised.known.len() < FOUND_MAX {
        recognised.known.push(set);
    }
}

async fn count(there: &Foreign, key: &str) -> Result<u64> {
    // A list under a name that others use for a sorted set has none of its members.
    wrong_type_is(0, there.query(cmd("ZCARD").arg(key)).await)
}

/// How many items have a score that is still to come, in whatever unit scores of that size are.
async fn count_waiting(there: &Foreign, key: &str, now: Timestamp) -> Result<u64> {
    let now = now.as_millis();
    let micros = now.saturating_mul(1_000);
    let mut waiting = 0_u64;
    // From now in each unit up to where the next unit begins, as `ScoreUnit::Auto` reads them.
    for (from, until) in [
        (format!("({}", now / 1_000), "(100000000000"),
        (format!("({now}"), "(100000000000000"),
        (format!("({micros}"), "(100000000000000000"),
        (format!("({}", micros.saturating_mul(1_000)), "+inf"),
    ] {
        let mut count = cmd("ZCOUNT");
        count.arg(key).arg(from).arg(until);
        waiting = waiting.saturating_add(wrong_type_is(0, there.query(&count).await)?);
    }
    Ok(waiting)
}

/// Its clock.
async fn now(there: &Foreign) -> Result<Timestamp> {
    let (seconds, _): (i64, i64) = there.query(&cmd("TIME")).await?;
    Ok(Timestamp::saturating_from_millis(seconds.saturating_mul(1_000)))
}

/// Whether scores are times: most of those above 0. One at 0 is somebody's way to say *at once*, or a mark.
fn are_times<'a>(items: impl Iterator<Item = &'a FoundItem>) -> bool {
    let is_time = |item: &FoundItem| {
        item.due.is_some_and(|due| (TIME_FROM_MS..TIME_UNTIL_MS).contains(&due.as_millis()))
    };
    let above = items.filter(|item| item.score.parse::<f64>().is_ok_and(|score| score > 0.0));
    let (times, others): (Vec<_>, Vec<_>) = above.partition(|item| is_time(item));
    times.len() > others.len()
}

/// The members of those ranks with their scores, those that are due first before the others.
async fn members(there: &Foreign, key: &str, from: u64, until: u64) -> Result<Vec<(Vec<u8>, String)>> {
    let mut range: Cmd = cmd("ZRANGE");
    range.arg(key).arg(from).arg(until).arg("WITHSCORES");
    wrong_type_is(Vec::new(), there.query(&range).await)
}

fn item(member: &[u8], score: String) -> FoundItem {
    let text = String::from_utf8_lossy(member);
    let mut shown: String = text.chars().filter(|c| !c.is_control()).take(SAMPLE_CHARS).collect();
    if text.chars().count() > SAMPLE_CHARS {
        shown.push('…');
    }
    // A score that is no time becomes the beginning of it, which is no due time of anybody.
    let due = translate::due(&score, ScoreUnit::Auto).ok().filter(|due| *due > Timestamp::EPOCH);
    FoundItem { text: shown, score, due }
}

/// The address of a source without what nobody may read: `rediss://ann@old.example:6380/0`.
#[must_use]
pub fn shown_address(url: &str) -> String {
    reprieve::internals::redact(url)
}

impl Source {
    /// The same source, to whose server this certificate is shown, where it wants one; both in PEM.
    #[must_use]
    pub fn showing(mut self, certificate: impl Into<String>, key: impl Into<String>) -> Self {
        (self.client_certificate, self.client_key) = (Some(certificate.into()), Some(key.into()));
        self
    }

    /// The same source, whose server is trusted when this authority has signed for it: certificates in PEM.
    #[must_use]
    pub fn trusting(mut self, authority: impl Into<String>) -> Self {
        self.authority = Some(authority.into());
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_is_shown_on_one_line_and_cut_with_a_mark() {
        let long = "é\n".repeat(200);
        let shown = item(long.as_bytes(), "1795219200".to_owned());
        assert_eq!(shown.text.chars().count(), SAMPLE_CHARS + 1);
        assert!(shown.text.ends_with("é…") && !shown.text.contains('\n'));
        assert_eq!(shown.due.map(Timestamp::as_millis), Some(1_795_219_200_000));
        assert_eq!(item(b"rank", "-3".to_owned()).due, None);
    }
}
