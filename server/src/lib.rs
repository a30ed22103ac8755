//! The program: dashboard, HTTP API, scheduler and sinks in one binary.

pub mod cli;
pub mod config;
pub mod telemetry;

mod audit_archive;
mod banner;
mod base_path;
mod connect;
mod export;
mod fd_limit;
mod instant;
mod program;
mod serve;
mod setting;
mod sheet;
mod shutdown;
mod text;

pub mod redis_child;

mod auth;
mod extra_namespaces;
mod health;
mod listener;
mod metrics;
mod middleware;
mod namespaces;
mod outgoing;
mod pages;
mod reference;
mod router;
mod site;
mod tls;

pub mod demo;
mod follower;
pub mod http_api;
pub mod sse;
pub mod webhook;

pub use auth::{FirstRun, HostAuth, HostUser, OidcProvider, RouteInfo, TrustedProxy, route_policy};
pub use config::BasePath;
pub use namespaces::{Served, joined};
pub use router::{Dashboard, router};
pub use serve::{serve, serve_demo, work};
