//! What others wrote down, in their own words: formats that inlets read and outlets write.

pub(crate) mod asynq_message;
