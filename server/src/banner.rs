//! What a person sees when the program has started: where to go, and what it works on.

use crate::config::{Config, LogFormat};
use std::net::SocketAddr;

/// Prints it; as one line of the log where those are for machines.
pub(crate) fn print(config: &Config, address: Option<SocketAddr>, redis: &str) {
    let namespace = &config.namespace;
    let webhooks = webhooks(config);
    if config.log == LogFormat::Json {
        let address = address.map(|address| format!("http://{address}"));
        tracing::info!(
            http.address = address,
            redis.address = redis,
            namespace = %namespace,
            webhooks,
            "reprieve {} has started",
            env!("CARGO_PKG_VERSION")
        );
        return;
    }
    println!("Reprieve {}", env!("CARGO_PKG_VERSION"));
    if let Some(address) = address {
        println!("  dashboard  http://{address}");
        println!("  HTTP API   http://{address}/api/v1/jobs");
    }
    println!("  Redis      {redis}");
    println!("  namespace  {namespace}");
    println!("  webhooks   {webhooks}");
    println!("  Ctrl-C stops it");
}

fn webhooks(config: &Config) -> String {
    match (config.webhooks.as_slice(), config.work) {
        ([], _) => "none; due jobs stay ready until a worker takes them".to_owned(),
        (_, false) => "switched off here by --no-work".to_owned(),
        // Not the addresses: they may hold tokens.
        (webhooks, true) => {
            let kinds: Vec<_> = webhooks.iter().map(|webhook| webhook.kind.as_str()).collect();
            format!("for kinds {}", kinds.join(", "))
        }
    }
}
