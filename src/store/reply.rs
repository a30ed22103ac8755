//! Replies of scripts, read by position, then turned into types.

use crate::error::{Error, Result};
use crate::model::{JobId, JobState, Standing, Timestamp, Version};
use redis::{FromRedisValue, ParsingError, Value};
use std::str::FromStr;

/// A reply as the scripts write it: texts and lists of them. Whole numbers arrive as text.
#[derive(Debug, Clone)]
pub enum Item {
    Bytes(Vec<u8>),
    List(Vec<Item>),
}

impl FromRedisValue for Item {
    fn from_redis_value(value: Value) -> std::result::Result<Self, ParsingError> {
        Ok(match value {
            Value::Array(items) => Self::List(
                items.into_iter().map(Self::from_redis_value).collect::<std::result::Result<_, _>>()?,
            ),
            Value::BulkString(bytes) => Self::Bytes(bytes),
            Value::SimpleString(text) => Self::Bytes(text.into_bytes()),
            Value::Int(number) => Self::Bytes(number.to_string().into_bytes()),
            Value::Nil => Self::Bytes(Vec::new()),
            other => return Err(format!("a script replied with {other:?}").into()),
        })
    }
}

impl Item {
    pub fn list(self) -> Result<Reply> {
        match self {
            Self::List(items) => Ok(Reply { items: items.into_iter(), replicas: None }),
            // Words in one text: a list of them costs Redis ten times as much.
            Self::Bytes(text) if text.contains(&b' ') => {
                Ok(Reply::from_items(text.split(|&byte| byte == b' ').map(|word| Self::Bytes(word.to_vec()))))
            }
            Self::Bytes(_) => Err(Error::codec("a script replied with a text, not a list")),
        }
    }

    pub fn bytes(self) -> Result<Vec<u8>> {
        match self {
            Self::Bytes(bytes) => Ok(bytes),
            Self::List(_) => Err(Error::codec("a script replied with a list, not a text")),
        }
    }

    /// Texts are UTF-8 where we wrote them; what others wrote is shown with replacement characters.
    pub fn text(self) -> Result<String> {
        Ok(String::from_utf8(self.bytes()?)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
    }
}

/// The elements of a list, taken one after the other.
#[derive(Debug)]
pub struct Reply {
    items: std::vec::IntoIter<Item>,
    /// How many replicas had the write; `None` when nobody asked.
    replicas: Option<u32>,
}

impl Iterator for Reply {
    type Item = Item;

    fn next(&mut self) -> Option<Item> {
        self.items.next()
    }
}

impl Reply {
    /// One of these.
    pub fn from_items(items: impl Iterator<Item = Item>) -> Self {
        Self { items: items.collect::<Vec<_>>().into_iter(), replicas: None }
    }

    /// The same reply of a write that so many replicas have.
    pub const fn held_by(mut self, replicas: u32) -> Self {
        self.replicas = Some(replicas);
        self
    }

    /// A list within the list, which as many replicas have.
    pub fn list(&mut self) -> Result<Self> {
        let replicas = self.replicas;
        Ok(Self { replicas, ..self.take()?.list()? })
    }

    /// How many replicas had the write; `None` when nobody asked.
    pub const fn replicas(&self) -> Option<u32> {
        self.replicas
    }

    /// Whether everything in it was read.
    pub fn is_over(&self) -> bool {
        self.items.as_slice().is_empty()
    }

    fn take(&mut self) -> Result<Item> {
        self.items.next().ok_or_else(|| Error::codec("a script's reply is too short"))
    }

    /// The next one as text.
    pub fn text(&mut self) -> Result<String> {
        self.take()?.text()
    }

    /// The next one as it is.
    pub fn bytes(&mut self) -> Result<Vec<u8>> {
        self.take()?.bytes()
    }

    /// `None` for an empty text.
    pub fn optional_text(&mut self) -> Result<Option<String>> {
        Ok(Some(self.text()?).filter(|text| !text.is_empty()))
    }

    /// A value that must be there and must parse.
    pub fn parse<T: FromStr>(&mut self, what: &str) -> Result<T> {
        self.optional(what)?.ok_or_else(|| Error::codec(format!("{what} is missing")))
    }

    /// `None` for an empty text.
    pub fn optional<T: FromStr>(&mut self, what: &str) -> Result<Option<T>> {
        let text = self.text()?;
        if text.is_empty() {
            return Ok(None);
        }
        text.parse().map(Some).map_err(|_| Error::codec(format!("{what} reads {:?}", shorten(&text))))
    }

    /// A time that must be there, in ms.
    pub fn time(&mut self, what: &str) -> Result<Timestamp> {
        self.optional_time(what)?.ok_or_else(|| Error::codec(format!("{what} is missing")))
    }

    /// A time in ms; `None` for an empty text.
    pub fn optional_time(&mut self, what: &str) -> Result<Option<Timestamp>> {
        Ok(self.optional::<i64>(what)?.map(Timestamp::saturating_from_millis))
    }

    /// The tail that `job.standing` in `lua/core/job.lua` writes after its word.
    pub fn standing(&mut self) -> Result<Standing> {
        let id: JobId = self.parse("job id")?;
        let state: JobState = self.parse("state")?;
        let version = Version(self.parse("version")?);
        let due = self.time("due time")?;
        let started = self.optional_time("start")?;
        let ended = self.optional_time("end")?;
        let worker = self.optional_text()?;
        let mut standing = Standing::new(id, state, version, due, self.time("now")?);
        standing.started = started;
        standing.ended = ended;
        standing.worker = worker;
        standing.replicas = self.replicas;
        // An answer that an earlier version has kept ends here.
        standing.created = if self.is_over() { None } else { self.optional_time("creation time")? };
        Ok(standing)
    }
}

/// At most 40 characters of a text that nobody expected, for an error message.
fn shorten(text: &str) -> String {
    text.chars().take(40).collect()
}
