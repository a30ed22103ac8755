//! Reports that consumers push on a reply list: `{"id", "token", "outcome": "done" | "failed" | "retry", "error"}`.

use super::Shared;
use reprieve::Result;
use reprieve::internals::Told;
use reprieve::model::{Delay, JobId, Token, first_bytes};
use serde::Deserialize;

/// Reports read by one call.
const BATCH: usize = 100;
/// Longest error text kept with a job, bytes.
const ERROR_BYTES_MAX: usize = 8 * 1_024;

/// What a consumer says of a job.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct Report {
    id: JobId,
    token: u64,
    outcome: Outcome,
    #[serde(default)]
    error: String,
    /// Which attempt it was, for the wait until the next; 1 when it does not say.
    #[serde(default)]
    attempt: Option<u32>,
    /// How long to wait before the next attempt, ms; the sink's policy when it does not say.
    #[serde(default)]
    retry_in_ms: Option<u32>,
}

/// How the job ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Outcome {
    /// It is done.
    Done,
    /// It failed for good.
    Failed,
    /// It failed and is to be tried again.
    Retry,
}

/// Reads reports and acts on them. `true` when one was acted on.
///
/// A report is removed after it was acted on: a crash in between repeats it, which the token makes harmless. One whose
/// queue is damaged stays until that is mended; where there may be others behind it, it goes behind them. A list that
/// is none is told, and holds up nothing else.
pub(super) async fn apply(shared: &Shared, told: &mut Told) -> Result<bool> {
    let Some(list) = &shared.config.reply else { return Ok(false) };
    let list = list.key(shared.store.tag());
    match apply_from(shared, &list, told).await {
        Err(error) if !error.is_transient() => {
            if told.is_news(&format!("{list:?}: {error}")) {
                let name = &shared.config.name;
                tracing::error!("sink {name} hears no reports on {list:?} until this is mended: {error}");
            }
            Ok(false)
        }
        applied => applied,
    }
}

async fn apply_from(shared: &Shared, list: &str, told: &mut Told) -> Result<bool> {
    let reports = shared.store.peek(list, BATCH).await?;
    let mut any = false;
    for text in &reports {
        match serde_json::from_slice::<Report>(text) {
            Ok(report) => match act(shared, &report).await {
                Err(error) if !error.is_transient() => {
                    told.tell(Some(&error.to_string()));
                    if reports.len() == BATCH {
                        shared.store.put_last(list, text).await?;
                    }
                    continue;
                }
                acted => acted?,
            },
            // Nobody could ever act on it.
            Err(error) => tracing::warn!("a report on list {list:?} does not read and is dropped: {error}"),
        }
        shared.store.drop_item(list, text).await?;
        any = true;
    }
    Ok(any)
}

async fn act(shared: &Shared, report: &Report) -> Result<()> {
    let (id, token) = (&report.id, Token(report.token));
    let error = first_bytes(&report.error, ERROR_BYTES_MAX);
    match report.outcome {
        Outcome::Done => shared.store.complete(&[(id.clone(), token)]).await.map(drop),
        Outcome::Failed => shared.store.fail(id, token, error, None).await.map(drop),
        Outcome::Retry => {
            let policy = || shared.config.wait(report.attempt.unwrap_or(1).max(1));
            let wait = report.retry_in_ms.map_or_else(policy, |ms| Delay::millis(i64::from(ms)));
            shared.store.fail(id, token, error, Some(wait)).await.map(drop)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_report_reads_or_is_refused_as_a_whole() {
        let read = |text: &str| serde_json::from_str::<Report>(text);
        let report = read(r#"{"id":"a1","token":3,"outcome":"retry","error":"no","note":1}"#).unwrap();
        assert_eq!((report.token, report.outcome, report.error.as_str()), (3, Outcome::Retry, "no"));
        for wrong in [
            r#"{"id":"a1","token":3}"#,
            r#"{"id":"a b","token":3,"outcome":"done"}"#,
            r#"{"id":"a1","token":-1,"outcome":"done"}"#,
            r#"{"id":"a1","token":3,"outcome":"perhaps"}"#,
            r#"{"id":"a1","token":3,"outcome":"done","retry_in_ms":99999999999}"#,
            "[]",
            "",
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_on_the_reply_list_are_read_without_a_panic(bytes: Vec<u8>) {
            drop(serde_json::from_slice::<Report>(&bytes));
        }
    }
}
