//! A task as asynq writes it: the field `msg` of its hash, a `TaskMessage` of its protobuf package `asynq`.
//!
//! Spans are whole seconds, times whole Unix seconds, and 0 means that there is none.

use std::collections::BTreeMap;

/// asynq's `TaskMessage`. Fields it does not know are dropped when asynq itself writes a task anew.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct TaskMessage {
    /// asynq's word for our kind.
    #[prost(string, tag = "1")]
    pub r#type: String,
    /// Ours too.
    #[prost(bytes = "vec", tag = "2")]
    pub payload: Vec<u8>,
    /// A UUID unless its producer chose one.
    #[prost(string, tag = "3")]
    pub id: String,
    /// Its name alone.
    #[prost(string, tag = "4")]
    pub queue: String,
    /// How often it may be retried: one less than the attempts.
    #[prost(int32, tag = "5")]
    pub retry: i32,
    /// How often it has been retried.
    #[prost(int32, tag = "6")]
    pub retried: i32,
    /// Text of the latest failure.
    #[prost(string, tag = "7")]
    pub error_msg: String,
    /// How long one attempt may take. With no deadline either, a server complains and takes 30 minutes.
    #[prost(int64, tag = "8")]
    pub timeout: i64,
    /// When its last attempt must have ended.
    #[prost(int64, tag = "9")]
    pub deadline: i64,
    /// The whole name of the lock it holds; empty without one.
    #[prost(string, tag = "10")]
    pub unique_key: String,
    /// When it last failed.
    #[prost(int64, tag = "11")]
    pub last_failed_at: i64,
    /// How long it is kept once completed; with 0 its completion leaves no trace.
    #[prost(int64, tag = "12")]
    pub retention: i64,
    /// When it was done.
    #[prost(int64, tag = "13")]
    pub completed_at: i64,
    /// With which others its worker gets it as one; empty for none.
    #[prost(string, tag = "14")]
    pub group_key: String,
    /// Since asynq 0.26; older servers drop them on a retry.
    #[prost(btree_map = "string, string", tag = "15")]
    pub headers: BTreeMap<String, String>,
}
