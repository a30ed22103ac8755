//! The program as the operating system and a shell see it: verbs, settings, processes, the embedded Redis, ports.

#![expect(clippy::unwrap_used, reason = "clippy spares tests, but not what they share")]

mod cli;
mod documents;
#[cfg(target_os = "linux")]
mod embedded_redis;
#[cfg(target_os = "linux")]
mod fd_limit;
mod killed;
mod namespaces;
mod outbox;
mod reference;
mod refused;
mod requests;
mod settings;
mod stopped;
mod support;
mod tls;
mod webhook_receiver;
