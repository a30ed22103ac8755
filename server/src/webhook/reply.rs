//! What a receiver's answer makes of the job.

use http::{HeaderMap, StatusCode, header};
use jiff::Timestamp;
use jiff::fmt::rfc2822;
use reprieve::Failure;
use reprieve::model::Delay;
use reqwest::Response;

/// How much of an answer is kept as the error: the engine keeps no more of it either.
const ERROR_BYTES_MAX: usize = 8 * 1024;
/// Shortest snooze, so that `Retry-After: 0` is no hot loop.
const SNOOZE_MS_MIN: i64 = 1_000;
/// Longest snooze; a receiver that is away longer has the job offered again once a day.
const SNOOZE_MS_MAX: i64 = 24 * 60 * 60 * 1_000;

/// Reads as much of the answer as is kept and decides.
pub(super) async fn outcome(response: Response) -> Result<(), Failure> {
    let status = response.status();
    let after = retry_after(response.headers(), Timestamp::now());
    let location = response.headers().contains_key(header::LOCATION);
    // Also read when it went well: a connection whose answer was not read cannot be used again.
    let text = start_of_text(response).await;
    if status.is_success() {
        return Ok(());
    }
    match (status, after) {
        (StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE, Some(wait)) => {
            // Why a job waits is told to whoever sees it; what the receiver wrote is not.
            Err(Failure::Snooze { wait, why: format!("the receiver answered {status}") })
        }
        (StatusCode::GONE, _) => {
            Err(Failure::Fatal { error: with_text(format!("the receiver answered {status}"), &text) })
        }
        _ if status.is_redirection() && location => Err(Failure::Retry {
            error: format!(
                "the receiver answered {status}; redirects are not followed, put the new URL into the configuration"
            ),
        }),
        _ => Err(Failure::Retry { error: with_text(format!("the receiver answered {status}"), &text) }),
    }
}

fn with_text(sentence: String, text: &str) -> String {
    if text.is_empty() { sentence } else { format!("{sentence}: {text}") }
}

/// The first [`ERROR_BYTES_MAX`] of an answer as one text without control characters.
///
/// The request's timeout ends this too; what came until then is kept.
async fn start_of_text(mut response: Response) -> String {
    let mut bytes = Vec::new();
    while let Ok(Some(chunk)) = response.chunk().await {
        let room = ERROR_BYTES_MAX.saturating_sub(bytes.len());
        bytes.extend_from_slice(&chunk[..chunk.len().min(room)]);
        if bytes.len() >= ERROR_BYTES_MAX {
            break;
        }
    }
    let text = String::from_utf8_lossy(&bytes);
    let text: String = text.chars().map(|c| if c.is_control() && c != '\n' { ' ' } else { c }).collect();
    text.trim().to_owned()
}

/// `Retry-After` in seconds or as a date, within our limits; `None` if it is absent or neither.
fn retry_after(headers: &HeaderMap, now: Timestamp) -> Option<Delay> {
    let text = headers.get(header::RETRY_AFTER)?.to_str().ok()?.trim();
    let ms = match text.parse::<u32>() {
        Ok(seconds) => i64::from(seconds).saturating_mul(1_000),
        Err(_) => {
            let at = rfc2822::DateTimeParser::new().parse_timestamp(text).ok()?;
            at.as_millisecond().saturating_sub(now.as_millisecond())
        }
    };
    Some(Delay::millis(ms.clamp(SNOOZE_MS_MIN, SNOOZE_MS_MAX)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    #[test]
    fn retry_after_is_seconds_or_a_date_within_a_second_and_a_day() {
        let now: Timestamp = "1994-11-06T08:49:30Z".parse().unwrap();
        for (text, ms) in [
            ("120", Some(120_000)),
            ("0", Some(1_000)),
            ("4294967295", Some(SNOOZE_MS_MAX)),
            ("Sun, 06 Nov 1994 08:49:37 GMT", Some(7_000)),
            ("Sat, 05 Nov 1994 08:49:37 GMT", Some(1_000)),
            ("-5", None),
            ("soon", None),
            ("", None),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static(text));
            assert_eq!(retry_after(&headers, now), ms.map(Delay::millis), "{text:?}");
        }
        assert_eq!(retry_after(&HeaderMap::new(), now), None);
    }
}
