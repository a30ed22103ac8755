//! What a person sees when the program has started: where to go, and what it works on.

use crate::config::{ApiAuth, Config, LogFormat, Login, is_loopback, named_here};
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
    let scheme = if config.tls.is_some() { "https" } else { "http" };
    let is_bare = config.tls.is_none() && address.is_some_and(|address| !is_loopback(address.ip()));
    let base = &config.listen.base_path;
    let address = address.map(|address| format!("{scheme}://{}{base}", named_here(address)));
    if config.log == LogFormat::Json {
        if is_bare {
            tracing::warn!(
                "other machines come without TLS (insecure_plain_http): passwords and jobs can be read on the way"
            );
        }
        tracing::info!(
            http.address = address,
            redis.address = redis,
            namespace = %namespace,
            webhooks,
            sinks = sinks(config),
            "reprieve {} has started",
            env!("CARGO_PKG_VERSION")
        );
        return;
    }
    let mut lines = format!("Reprieve {}\n", env!("CARGO_PKG_VERSION"));
    if let Some(address) = &address {
        let tokens = match config.api_auth {
            ApiAuth::Required => "asks for a token",
            _ => "asks this machine for no token (api_auth)",
        };
        lines += &format!("  dashboard  {address}\n  HTTP API   {address}/api/docs  {tokens}\n");
    }
    if is_bare {
        lines += "  TLS        NONE: passwords and jobs can be read on the way (--insecure-plain-http)\n";
    }
    if address.is_some() && config.login == Login::Off && handlers == Handlers::None {
        lines += "  sign-in    OFF: everybody on this machine may do everything (--login)\n";
    }
    lines += &format!("  Redis      {redis}\n  namespace  {namespace}\n  webhooks   {webhooks}\n");
    if !config.sinks.is_empty() {
        lines += &format!("  sinks    {}\n", sinks(config));
    }
    lines += "  Ctrl-C stops it\n";
    say(&lines);
}

/// Prints how the first person comes in.
pub(crate) fn first_run(config: &Config, links: &[String]) {
    // In a log it would be kept; its readers are on this machine and can start the program by hand.
    if config.log == LogFormat::Json {
        tracing::warn!(
            "nobody may sign in yet; start the program without --json for the link, or run `reprieve people add NAME --role admin`"
        );
        return;
    }
    let links = links.join("\n  ");
    say(&format!(
        "\nNobody may sign in yet. Open this within 15 minutes, once, on this machine:\n  {links}\n"
    ));
}

/// Prints while somebody reads; `println!` would end the program when nobody does any more.
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

fn sinks(config: &Config) -> String {
    if !config.work && !config.sinks.is_empty() {
        return "switched off here by --no-work".to_owned();
    }
    let names: Vec<_> = config.sinks.iter().map(|sink| sink.name.as_str()).collect();
    names.join(", ")
}
