//! The doors to the engine as people and programs use them: HTTP API, event stream, webhooks, demo.

#![expect(clippy::unwrap_used, reason = "clippy spares tests, but not what they share")]

mod access;
mod acts;
mod audit;
mod bad_input;
mod batches;
mod bulk;
mod caller;
mod cron;
mod demo;
mod document;
mod dry_run;
mod elsewhere;
mod enqueue;
mod events;
mod every_act;
mod forms;
mod forwarded;
mod hostile;
mod house;
mod idempotency;
mod import;
mod index_fields;
mod language;
mod limits;
mod live;
mod oidc;
mod outages;
mod own_queues;
mod plans;
mod production;
mod proxy;
mod reads;
mod reasons;
mod reveal;
mod rules;
mod sealed;
mod search;
mod second_person;
mod sink;
mod support;
mod tokens;
mod told;
mod webhook;
mod work;
