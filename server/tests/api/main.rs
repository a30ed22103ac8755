//! The doors to the engine as people and programs use them: HTTP API, event stream, webhooks, demo.

mod acts;
mod bad_input;
mod caller;
mod demo;
mod enqueue;
mod live;
mod outages;
mod reads;
mod sink;
mod webhook;
