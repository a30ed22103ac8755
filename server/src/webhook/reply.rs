//! What a receiver's answer makes of the job.

use super::retry_after::{RetryAfter, retry_after};
use http::{StatusCode, header};
use jiff::Timestamp;
use reprieve::Failure;
use reprieve::model::Delay;
use reqwest::Response;

/// How much of an answer is kept as the error: the engine keeps no more of it either.
const ERROR_BYTES_MAX: usize = 8 * 1024;

/// How long a receiver is left alone that is asked too much and does not say for how long: as a kind that has no handler. After
/// 10,000 times, in a week, the job is dead.
const UNCLEAR_WAIT: Delay = Delay::minutes(1);

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
        (StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE, RetryAfter::In(wait)) => {
            // Why a job waits is told to everybody who sees it; what the receiver wrote is not.
            Err(Failure::Snooze { wait, why: format!("the receiver answered {status}") })
        }
        (StatusCode::TOO_MANY_REQUESTS, RetryAfter::Unclear) => {
            let why = format!("the receiver answered {status}, and its Retry-After names no time to come");
            Err(Failure::Snooze { wait: UNCLEAR_WAIT, why })
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
