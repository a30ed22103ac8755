//! The program: dashboard, HTTP API, scheduler and outlets in one binary.

pub mod cli;
pub mod config;
pub mod telemetry;

mod banner;
mod connect;
mod export;
mod program;
mod serve;
mod shutdown;

pub mod redis_child;

mod auth;
mod health;
mod listener;
mod metrics;
mod middleware;
mod pages;
mod reference;
mod router;
mod site;

pub mod demo;
mod follower;
pub mod http_api;
pub mod sse;
pub mod webhook;

pub use router::{Dashboard, router};
pub use serve::{serve, serve_demo, work};
