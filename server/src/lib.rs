//! The program: dashboard, HTTP API, scheduler and sinks in one binary.

// A program that mounts the dashboard compiles it without the flags of this workspace.
#![recursion_limit = "512"]

pub mod cli;
pub mod config;
pub mod telemetry;

mod access;
mod audit_archive;
mod banner;
mod base_path;
mod body;
mod connect;
mod dashboard;
mod export;
mod fd_limit;
mod instant;
mod parse;
mod problem;
mod program;
mod public_address;
mod serve;
mod setting;
mod sheet;
mod shutdown;
mod signature;
mod strict;
mod text;
mod timeouts;

pub mod redis_child;

mod auth;
mod extra_namespaces;
mod health;
mod listener;
mod metrics;
mod middleware;
mod namespaces;
#[cfg(feature = "otlp")]
mod otlp;
mod outgoing;
mod pages;
mod router;
mod site;
mod tls;

pub mod demo;
mod follower;
pub mod http_api;
pub mod reference;
pub mod sse;
pub mod webhook;

pub use auth::{FirstRun, HostAuth, HostUser, OidcProvider, RouteInfo, TrustedProxy, route_policy};
pub use config::{BasePath, InvalidBasePath};
pub use dashboard::Dashboard;
pub use namespaces::{Served, joined};
pub use router::router;
pub use serve::{serve, serve_demo, work};
