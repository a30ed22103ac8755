//! The program: dashboard, HTTP API, scheduler and outlets in one binary.

pub mod cli;
pub mod config;
pub mod demo;
pub mod http_api;
pub mod redis_child;
pub mod sse;
pub mod webhook;
