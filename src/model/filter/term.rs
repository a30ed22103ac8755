//! One condition of a filter.

use super::field::Field;
use super::moment::Span;
use super::words::{quoted, quoted_value};
use crate::model::name::JobId;
use crate::model::state::JobState;
use crate::model::time::{Delay, Timestamp};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A test, or its opposite.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Term {
    /// The opposite is wanted.
    pub not: bool,
    /// What is tested.
    pub test: Test,
}

impl Term {
    /// A test that must hold.
    #[must_use]
    pub const fn new(test: Test) -> Self {
        Self { not: false, test }
    }

    /// The same term turned round.
    #[must_use]
    pub fn turned(mut self) -> Self {
        self.not = !self.not;
        self
    }
}

/// What can be asked of a job. Of several values one must hold.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Test {
    /// In one of these states.
    State(Vec<JobState>),
    /// In one of these queues.
    Queue(Vec<Pattern>),
    /// Of one of these kinds.
    Kind(Vec<Pattern>),
    /// About one of these: a subject in its one spelling, or how one begins, in that spelling or as people
    /// read it.
    Subject(Vec<Pattern>),
    /// With one of these labels.
    Tag(Vec<Pattern>),
    /// One of these jobs.
    Id(Vec<JobId>),
    /// Its latest error holds one of these, in whatever case.
    Error(Vec<String>),
    /// The latest to change it; `me` is the caller.
    By(Vec<String>),
    /// Had by one of these workers.
    Worker(Vec<Pattern>),
    /// One of its times lies in a span.
    Time(TimeField, Span),
    /// How many attempts it has begun.
    Attempt(Compare, u32),
    /// What stands at a path of its payload.
    Payload(PayloadPath, PayloadTest),
    /// Id, subject, kind, payload or error hold that text, in whatever case.
    Text(String),
}

impl Test {
    /// Due at the first of these times or later, and at the second or earlier; `None` for neither.
    #[must_use]
    pub fn due(from: Option<Timestamp>, to: Option<Timestamp>) -> Option<Self> {
        from.or(to)?;
        Some(Self::Time(TimeField::Due, Span::between(from, to.map(|to| to + Delay::millis(1)))))
    }

    /// The field it stands behind; `None` for text.
    #[must_use]
    pub const fn field(&self) -> Option<Field> {
        Some(match self {
            Self::State(_) => Field::State,
            Self::Queue(_) => Field::Queue,
            Self::Kind(_) => Field::Kind,
            Self::Subject(_) => Field::Subject,
            Self::Tag(_) => Field::Tag,
            Self::Id(_) => Field::Id,
            Self::Error(_) => Field::Error,
            Self::By(_) => Field::By,
            Self::Worker(_) => Field::Worker,
            Self::Time(TimeField::Due, _) => Field::Due,
            Self::Time(TimeField::Created, _) => Field::Created,
            Self::Time(TimeField::Running, _) => Field::Running,
            Self::Time(TimeField::Ended, _) => Field::Ended,
            Self::Attempt(..) => Field::Attempt,
            Self::Payload(..) => Field::Payload,
            Self::Text(_) => return None,
        })
    }
}

/// Which time of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeField {
    /// When it is due; spans count from now on.
    Due,
    /// When it was enqueued; spans count back from now.
    Created,
    /// When its running attempt began; spans count back from now.
    Running,
    /// When it ended; spans count back from now.
    Ended,
}

/// A name, or the start of one: `mail`, `mail*`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pattern {
    /// The name, or how it starts.
    pub text: String,
    /// Whether more may follow.
    pub and_more: bool,
}

impl Pattern {
    /// Exactly that name.
    #[must_use]
    pub fn exactly(text: impl Into<String>) -> Self {
        Self { text: text.into(), and_more: false }
    }

    /// Only that name, for a test that takes several.
    #[must_use]
    pub fn only(text: &str) -> Vec<Self> {
        vec![Self::exactly(text)]
    }

    /// Names that start so.
    #[must_use]
    pub fn starting(text: impl Into<String>) -> Self {
        Self { text: text.into(), and_more: true }
    }

    /// Whether that name fits.
    #[must_use]
    pub fn fits(&self, name: &str) -> bool {
        if self.and_more { name.starts_with(&self.text) } else { name == self.text }
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.text, if self.and_more { "*" } else { "" })
    }
}

/// How two numbers compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compare {
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// nothing before the number
    Equal,
    /// `>=`
    AtLeast,
    /// `>`
    More,
}

impl Compare {
    /// How it is written.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Less => "<",
            Self::AtMost => "<=",
            Self::Equal => "",
            Self::AtLeast => ">=",
            Self::More => ">",
        }
    }

    /// Whether it holds between two values that compare so.
    #[must_use]
    pub const fn holds(self, ordering: std::cmp::Ordering) -> bool {
        match self {
            Self::Less => ordering.is_lt(),
            Self::AtMost => ordering.is_le(),
            Self::Equal => ordering.is_eq(),
            Self::AtLeast => ordering.is_ge(),
            Self::More => ordering.is_gt(),
        }
    }
}

/// Where in a payload: names of fields and numbers of elements.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PayloadPath(Vec<String>);

/// Steps of a path: deeper than anybody nests what they look for.
const STEPS_MAX: usize = 8;

impl PayloadPath {
    /// Its steps, from the outside in.
    #[must_use]
    pub fn steps(&self) -> &[String] {
        &self.0
    }
}

impl FromStr for PayloadPath {
    type Err = super::FilterProblem;

    /// `order.items.0.id`; the steps hold neither blanks nor quotation marks, colons, commas or control characters.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let steps: Vec<String> = text.split('.').map(ToOwned::to_owned).collect();
        let is_step = |step: &String| {
            !step.is_empty()
                && !step.contains(|c: char| {
                    c.is_whitespace() || c.is_control() || matches!(c, '"' | ':' | ',' | '\\')
                })
        };
        let reads = steps.len() <= STEPS_MAX && steps.iter().all(is_step);
        if reads { Ok(Self(steps)) } else { Err(super::FilterProblem::BadPath) }
    }
}

impl TryFrom<String> for PayloadPath {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse().map_err(|_| format!("{text:?} is not a path into a payload"))
    }
}

impl From<PayloadPath> for String {
    fn from(path: PayloadPath) -> Self {
        path.to_string()
    }
}

impl fmt::Display for PayloadPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("."))
    }
}

/// What a value of a payload must be like.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PayloadTest {
    /// There is something.
    Exists,
    /// It reads as one of these; numbers as they are written.
    Is(Vec<Pattern>),
    /// It is a number that compares so with this one, which is kept as it was written.
    Number(Compare, String),
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.not {
            f.write_str("-")?;
        }
        let names = |list: &[Pattern]| joined(list.iter().map(ToString::to_string));
        let texts = |list: &[String]| joined(list.iter().map(|text| quoted_value(text)));
        let patterns = |list: &[Pattern]| {
            joined(list.iter().map(|value| match (value.text.as_str(), value.and_more) {
                // Quotation marks with nothing between them are no value.
                ("", true) => "*".to_owned(),
                (text, true) => format!("{}*", quoted_value(text)),
                (text, false) => quoted_value(text),
            }))
        };
        match &self.test {
            Test::State(states) => write!(f, "state:{}", joined(states.iter().map(ToString::to_string))),
            Test::Queue(list) => write!(f, "queue:{}", names(list)),
            Test::Kind(list) => write!(f, "kind:{}", names(list)),
            Test::Subject(list) => write!(f, "subject:{}", patterns(list)),
            Test::Tag(list) => write!(f, "tag:{}", names(list)),
            Test::Worker(list) => write!(f, "worker:{}", names(list)),
            Test::Id(list) => write!(f, "id:{}", joined(list.iter().map(ToString::to_string))),
            Test::Error(list) => write!(f, "error:{}", texts(list)),
            Test::By(list) => write!(f, "by:{}", texts(list)),
            Test::Time(_, span) => {
                // A time always has a field.
                let field = self.test.field().map_or("", Field::as_str);
                write!(f, "{field}:{span}")
            }
            Test::Attempt(compare, count) => write!(f, "attempt:{}{count}", compare.as_str()),
            Test::Payload(path, PayloadTest::Exists) => write!(f, "payload.{path}:*"),
            Test::Payload(path, PayloadTest::Number(compare, number)) => {
                write!(f, "payload.{path}:{}{number}", compare.as_str())
            }
            Test::Payload(path, PayloadTest::Is(list)) => {
                write!(f, "payload.{path}:{}", patterns(list))
            }
            Test::Text(text) => f.write_str(&quoted(text)),
        }
    }
}

fn joined(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(",")
}
