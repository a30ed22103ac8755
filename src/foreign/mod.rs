//! What others wrote down, in their own words: formats that importers read and sinks write.

pub(crate) mod asynq_message;
