//! The program: dashboard, HTTP API, scheduler and sinks in one binary.

pub mod cli;
pub mod config;
pub mod telemetry;

mod banner;
mod connect;
mod export;
mod handles;
mod instant;
mod program;
mod serve;
mod setting;
mod sheet;
mod shutdown;
mod text;

pub mod redis_child;

mod auth;
mod health;
mod listener;
mod metrics;
mod middleware;
mod namespaces;
mod neighbours;
mod outgoing;
mod pages;
mod reference;
mod router;
pub mod site;
mod tls;

pub mod demo;
mod follower;
pub mod http_api;
pub mod sse;
pub mod webhook;

pub use auth::{DoorInfo, FirstRun, OidcProvider, TrustedProxy, doors};
pub use namespaces::{Served, joined};
pub use router::{Dashboard, router};
pub use serve::{serve, serve_demo, work};
