//! What a person sees when the program has started: where to go, and what it works on.

use crate::config::{ApiAuth, Config, LogFormat};
use std::io::Write;
use std::net::SocketAddr;

/// Who runs due jobs besides the webhooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Handlers {
    /// Nobody in this program.
    None,
    /// The shop of the demo.
    Shop,
}

/// Prints it; as one line of the log where those are for machines.
pub(crate) fn print(config: &Config, address: Option<SocketAddr>, redis: &str, handlers: Handlers) {
    let namespace = &config.namespace;
    let webhooks = webhooks(config, handlers);
    if config.log == LogFormat::Json {
        let address = address.map(|address| format!("http://{address}"));
        tracing::info!(
            http.address = address,
            redis.address = redis,
            namespace = %namespace,
            webhooks,
            outlets = outlets(config),
            "reprieve {} has started",
            env!("CARGO_PKG_VERSION")
        );
        return;
    }
    let mut lines = format!("Reprieve {}\n", env!("CARGO_PKG_VERSION"));
    if let Some(address) = address {
        let tokens = match config.api_auth {
            ApiAuth::Required => "asks for a token",
            _ => "asks this machine for no token (api_auth)",
        };
        lines +=
            &format!("  dashboard  http://{address}\n  HTTP API   http://{address}/api/docs  {tokens}\n");
    }
    lines += &format!("  Redis      {redis}\n  namespace  {namespace}\n  webhooks   {webhooks}\n");
    if !config.outlets.is_empty() {
        lines += &format!("  outlets    {}\n", outlets(config));
    }
    lines += "  Ctrl-C stops it\n";
    say(&lines);
}

/// Prints for whoever reads; `println!` would end the program when nobody does any more.
pub(crate) fn say(text: &str) {
    let _ = std::io::stdout().write_all(text.as_bytes());
}

fn webhooks(config: &Config, handlers: Handlers) -> String {
    match (config.webhooks.as_slice(), config.work) {
        ([], _) if handlers == Handlers::Shop => "none; the shop's own workers take the jobs".to_owned(),
        ([], _) => "none; due jobs stay ready until a worker takes them".to_owned(),
        (_, false) => "switched off here by --no-work".to_owned(),
        // Not the addresses: they may hold tokens.
        (webhooks, true) => {
            let kinds: Vec<_> = webhooks.iter().map(|webhook| webhook.kind.as_str()).collect();
            format!("for kinds {}", kinds.join(", "))
        }
    }
}

fn outlets(config: &Config) -> String {
    if !config.work && !config.outlets.is_empty() {
        return "switched off here by --no-work".to_owned();
    }
    let names: Vec<_> = config.outlets.iter().map(|outlet| outlet.name.as_str()).collect();
    names.join(", ")
}
