//! Errors as the API says them: RFC 9457 problems with a stable `code`.

use axum::Json;
use axum::response::{IntoResponse, Response};
use http::{HeaderValue, StatusCode, header};
use reprieve::Error;
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

/// How long a caller should wait before it tries again while Redis is away.
///
/// The engine reconnects with a back-off that starts below a second.
const RETRY_AFTER_SECONDS: u16 = 2;

/// Most mistakes one answer lists: enough to fix a body, too few to make the answer a burden.
const MISTAKES_MAX: usize = 100;

/// One mistake in a request, with the place it is at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct Mistake {
    /// JSON pointer (RFC 6901) into the body; empty for a mistake of the address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) pointer: Option<String>,
    /// Name of the query parameter; empty for a mistake of the body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) parameter: Option<String>,
    /// What is wrong, as a stable word.
    pub(crate) code: &'static str,
    /// What is wrong, as a sentence.
    pub(crate) detail: String,
}

/// The mistakes of one request, collected so that they are told together.
#[derive(Debug, Default)]
pub(crate) struct Mistakes {
    all: Vec<Mistake>,
}

impl Mistakes {
    /// Notes a mistake in the body.
    pub(crate) fn body(&mut self, pointer: impl Into<String>, code: &'static str, detail: impl Into<String>) {
        self.push(Mistake { pointer: Some(pointer.into()), parameter: None, code, detail: detail.into() });
    }

    /// Notes a mistake in the query string.
    pub(crate) fn parameter(
        &mut self,
        name: impl Into<String>,
        code: &'static str,
        detail: impl Into<String>,
    ) {
        self.push(Mistake { pointer: None, parameter: Some(name.into()), code, detail: detail.into() });
    }

    /// Notes a mistake.
    pub(crate) fn push(&mut self, mistake: Mistake) {
        if self.all.len() < MISTAKES_MAX {
            self.all.push(mistake);
        }
    }

    /// All of them so far.
    #[cfg(test)]
    pub(crate) fn all(&self) -> &[Mistake] {
        &self.all
    }

    /// The problem that tells all of them.
    pub(crate) fn into_problem(self) -> Problem {
        Problem::mistakes(self.all)
    }

    /// `Err` with all of them, if there are any.
    pub(crate) fn into_result(self) -> Result<(), Problem> {
        if self.all.is_empty() { Ok(()) } else { Err(Problem::mistakes(self.all)) }
    }
}

/// Beside an answer that says that something is not there: it is, in a queue that is not theirs. No byte of the answer
/// tells; the audit does.
#[derive(Debug, Clone, Copy)]
pub(crate) struct IsElsewhere;

/// An answer that is not what was asked for.
#[derive(Debug)]
pub(crate) struct Problem {
    status: StatusCode,
    code: &'static str,
    title: &'static str,
    detail: String,
    errors: Box<[Mistake]>,
    more: Map<String, Value>,
    retry_after_seconds: Option<u16>,
    challenge: Option<&'static str>,
    is_elsewhere: bool,
}

impl Problem {
    pub(crate) fn new(
        status: StatusCode,
        code: &'static str,
        title: &'static str,
        detail: impl Into<String>,
    ) -> Self {
        Self {
            status,
            code,
            title,
            detail: detail.into(),
            errors: Box::default(),
            more: Map::new(),
            retry_after_seconds: None,
            challenge: None,
            is_elsewhere: false,
        }
    }

    /// Something is otherwise than the request needs it: nothing was changed, or it says what was.
    pub(crate) fn conflict(code: &'static str, title: &'static str, detail: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, code, title, detail)
    }

    /// What the engine could not do.
    pub(crate) fn engine(error: &Error) -> Self {
        let detail = error.to_string();
        let code = error.code();
        match error {
            Error::Unavailable { .. } => {
                let title =
                    if error.is_denied() { "Redis refuses this server" } else { "Redis does not answer" };
                let detail = format!("{detail}; nothing was changed");
                Self::new(StatusCode::SERVICE_UNAVAILABLE, code, title, detail)
                    .retry_after(RETRY_AFTER_SECONDS)
            }
            Error::OutcomeUnknown { .. } => Self::new(
                StatusCode::SERVICE_UNAVAILABLE,
                code,
                "It is not known whether this was done",
                detail,
            )
            .retry_after(RETRY_AFTER_SECONDS)
            .with_field("repeat", "same_request"),
            Error::TooOften { wait } => {
                // Nothing is to be waited for longer than an hour.
                let seconds = u16::try_from(reprieve::wait_seconds(*wait)).unwrap_or(u16::MAX);
                Self::new(StatusCode::TOO_MANY_REQUESTS, code, "Too often", detail).retry_after(seconds)
            }
            Error::StorageFull => Self::new(
                StatusCode::INSUFFICIENT_STORAGE,
                code,
                "Redis is full",
                "Redis is at its memory limit, so nothing new can be stored; cancelling still works",
            ),
            Error::InvalidName(_) | Error::Invalid { .. } => {
                Self::new(StatusCode::UNPROCESSABLE_ENTITY, code, "The request has a mistake", detail)
            }
            Error::PayloadTooLarge { .. } => {
                Self::new(StatusCode::PAYLOAD_TOO_LARGE, code, "The payload is too large", detail)
            }
            Error::Conflict(standing) => {
                let problem = Self::conflict(code, "The job has moved on", detail);
                problem.with(standing).with_field("outcome", code)
            }
            Error::Duplicate { holder } => Self::conflict(code, "Another job holds its unique key", detail)
                .with_field("holder", holder.as_str()),
            Error::SubjectFull { .. } => Self::conflict(code, "The subject has too many jobs", detail),
            Error::PlanRefused { .. } => Self::conflict(code, "The plan does not fit in", detail),
            Error::NoPlan { .. } => Self::new(StatusCode::NOT_FOUND, code, "There is no such plan", detail),
            Error::SettingChanged { .. } => {
                Self::conflict(code, "Somebody has set something else meanwhile", detail)
            }
            Error::SecondPerson => Self::conflict(code, "Deleting needs two people", detail),
            Error::NoBulkRun { .. } => {
                Self::new(StatusCode::NOT_FOUND, code, "There is no such bulk run", detail)
            }
            Error::BulkRunMoved { .. } => Self::conflict(code, "The bulk run has moved on", detail),
            Error::NoBatch { .. } => Self::new(StatusCode::NOT_FOUND, code, "There is no such batch", detail),
            Error::NotFound { .. } => Self::new(StatusCode::NOT_FOUND, code, "There is no such job", detail),
            Error::Refused { .. } => {
                Self::new(StatusCode::SERVICE_UNAVAILABLE, code, "This Redis will not do", detail)
                    .retry_after(RETRY_AFTER_SECONDS)
            }
            _ => {
                tracing::error!(error = %error, code, "a request failed: {error}");
                Self::new(
                    StatusCode::INTERNAL_SERVER_ERROR,
                    code,
                    "Something is wrong on our side",
                    "the log of the server says more",
                )
            }
        }
    }

    /// The same of a change that was asked for under a key: one of the caller's or one that was made for them: where it may
    /// have been made, with the key under which to ask again.
    pub(crate) fn engine_under(key: &str, error: &Error) -> Self {
        let mut problem = Self::engine(error);
        if matches!(error, Error::OutcomeUnknown { .. }) {
            problem.more.remove("repeat");
            let how = |why: &str| format!("{why}: send the request again with `Idempotency-Key: {key}`");
            return problem.in_words(how).with_field("idempotency_key", key);
        }
        problem
    }

    /// A name or id is unique in the namespace, so a caller who wants one has to be told that it is taken; nothing else of
    /// what has it.
    pub(crate) fn taken_elsewhere(what: &str, id: &str) -> Self {
        let detail =
            format!("{what} {id} is of a queue that the token is not bound to; take another name for it");
        Self::new(StatusCode::FORBIDDEN, "other_queue", "You may not take this name", detail)
    }

    /// The subject has more live jobs than one step may touch.
    pub(crate) fn too_many(live: u64, outcome: &impl Serialize) -> Self {
        let detail = format!("{live} jobs are live, one step may touch 1,000; nothing was changed");
        Self::conflict("too_many", "The subject has too many jobs", detail).with(outcome)
    }

    /// One mistake in the body.
    pub(crate) fn mistake(pointer: impl Into<String>, code: &'static str, detail: impl Into<String>) -> Self {
        let mut mistakes = Mistakes::default();
        mistakes.body(pointer, code, detail);
        mistakes.into_problem()
    }

    /// What the engine says of a value, at the field of the body that it is from: each by its name in the engine and in the body.
    /// `None` for any other error.
    pub(crate) fn at(error: &Error, fields: &[(&str, &str)]) -> Option<Self> {
        let Error::Invalid { field, why } = error else { return None };
        let (_, name) = fields.iter().find(|(engine, _)| engine == field)?;
        Some(Self::mistake(format!("/{name}"), "invalid", format!("`{name}` {why}")))
    }

    /// Mistakes of the request itself. Too much alone is a 413, everything else a 422.
    fn mistakes(errors: Vec<Mistake>) -> Self {
        let are_all = |code: &str| errors.iter().all(|mistake| mistake.code == code);
        let (status, code, title) = if are_all("payload_too_large") {
            (StatusCode::PAYLOAD_TOO_LARGE, "payload_too_large", "The payload is too large")
        } else if are_all("batch_too_large") {
            (StatusCode::PAYLOAD_TOO_LARGE, "batch_too_large", "Too many at once")
        } else {
            (StatusCode::UNPROCESSABLE_ENTITY, "invalid", "The request has mistakes")
        };
        let detail = match errors.as_slice() {
            [only] => only.detail.clone(),
            many => format!("{} mistakes; see `errors`", many.len()),
        };
        let mut problem = Self::new(status, code, title, detail);
        problem.errors = errors.into();
        problem
    }

    /// Its mistakes as sentences, for people at a shell.
    pub(crate) fn in_one_line(&self) -> String {
        match &*self.errors {
            [] => self.detail.clone(),
            errors => errors.iter().map(|mistake| mistake.detail.as_str()).collect::<Vec<_>>().join("; "),
        }
    }

    /// What a page says of it, by the word in its address; `None` for what no link of a page brings about.
    pub(crate) fn said(&self) -> Option<String> {
        match (self.code, self.retry_after_seconds) {
            ("rate_limited", Some(seconds)) => Some(format!("account.wait.{seconds}")),
            ("export_running", _) => Some("error.export_running".to_owned()),
            _ if self.status == StatusCode::SERVICE_UNAVAILABLE => Some("error.unavailable".to_owned()),
            _ => None,
        }
    }

    /// Other words for it, around its own.
    pub(crate) fn in_words(mut self, tell: impl FnOnce(&str) -> String) -> Self {
        self.detail = tell(&self.detail);
        self
    }

    /// The members of a struct beside those of the problem: where the job stands, say.
    pub(crate) fn with(mut self, members: &impl Serialize) -> Self {
        if let Ok(Value::Object(members)) = serde_json::to_value(members) {
            self.more.extend(members);
        }
        self
    }

    /// One member beside those of the problem.
    pub(crate) fn with_field(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.more.insert(name.to_owned(), value.into());
        self
    }

    /// When to try again.
    pub(crate) const fn retry_after(mut self, seconds: u16) -> Self {
        self.retry_after_seconds = Some(seconds);
        self
    }

    /// What is said not to be there is in a queue that is not theirs.
    pub(crate) const fn found_elsewhere(mut self) -> Self {
        self.is_elsewhere = true;
        self
    }

    /// How to say who one is.
    pub(crate) fn challenge(mut self, challenge: &'static str) -> Self {
        self.challenge = Some(challenge);
        self
    }
}

/// What the engine could not do, told as a problem.
///
/// Not a `From`: `?` alone would turn an outcome into an error where nobody looks.
pub(crate) trait Told<T> {
    /// # Errors
    /// See [`Problem::engine`].
    fn told(self) -> Result<T, Problem>;
}

impl<T> Told<T> for Result<T, Error> {
    fn told(self) -> Result<T, Problem> {
        self.map_err(|error| Problem::engine(&error))
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut members = self.more;
        members.insert("type".to_owned(), format!("urn:reprieve:problem:{}", self.code).into());
        members.insert("status".to_owned(), self.status.as_u16().into());
        members.insert("code".to_owned(), self.code.into());
        members.insert("title".to_owned(), self.title.into());
        members.insert("detail".to_owned(), self.detail.into());
        if let Ok(Value::Array(errors)) = serde_json::to_value(&self.errors)
            && !errors.is_empty()
        {
            members.insert("errors".to_owned(), errors.into());
        }
        let mut response = (self.status, Json(members)).into_response();
        if self.is_elsewhere {
            response.extensions_mut().insert(IsElsewhere);
        }
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        if let Some(seconds) = self.retry_after_seconds {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if let Some(challenge) = self.challenge {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static(challenge));
        }
        response
    }
}

/// Whatever is not what was asked for: an [RFC 9457](https://www.rfc-editor.org/rfc/rfc9457) problem. Decide by
/// `code`; the sentences may change.
#[derive(ToSchema)]
#[schema(as = Problem)]
#[expect(dead_code, reason = "it describes what `Problem` writes")]
pub(crate) struct ProblemView {
    /// A URN of the code.
    r#type: String,
    /// What happened, in a few words.
    title: String,
    /// The status of the answer.
    status: u16,
    /// What happened, as a stable word.
    #[schema(example = "invalid")]
    code: String,
    /// What happened and what to do, as a sentence.
    detail: String,
    /// The mistakes of the request that were found, up to 100.
    errors: Option<Vec<Mistake>>,
}
