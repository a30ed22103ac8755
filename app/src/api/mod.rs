//! What pages read, and what forms do; one file per area. Thin and public: anyone can send the forms.
//!
//! Each asks `access`, calls one engine method and maps the error. What a form sends is a server function: a POST that also
//! works as a plain HTML form, and then answers with a redirect to `back` that carries the outcome's word as `said`.

#![allow(
    missing_docs,
    clippy::too_many_arguments,
    reason = "arguments become fields of a struct, and take no doc comments; a form has many"
)]

pub mod account;
pub mod acts;
pub(crate) mod answer;
pub mod audit;
pub mod bulk;
pub mod desk;
pub mod detail;
pub mod failures;
pub mod filter;
pub mod forecast;
pub mod halt;
pub mod import;
pub mod jobs;
pub mod overview;
pub mod queue;
pub mod queues;
pub mod redis;
pub mod reveal;
pub mod schedules;
pub mod settings;
pub mod sources;
pub(crate) mod typed_count;
pub mod views;
pub mod workers;
