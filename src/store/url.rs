//! The address of a Redis as text.

/// Whether a URL is that of a socket on this machine.
pub fn is_socket(url: &str) -> bool {
    ["unix:", "redis+unix:", "valkey+unix:"].into_iter().any(|scheme| url.starts_with(scheme))
}

/// A URL without its user and password, and without anything behind its path. Of what is none, no more than its scheme.
pub fn redact(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once(':').filter(|(scheme, _)| is_scheme(scheme)) else {
        return "…".to_owned();
    };
    if is_socket(url) {
        // The address of a socket has its password among the parameters behind it.
        return url.split_once(['?', '#']).map_or_else(|| url.to_owned(), |(path, _)| format!("{path}?…"));
    }
    let Some(rest) = rest.strip_prefix("//") else { return format!("{scheme}:…") };
    // The last one, whatever stands before it: a password may hold signs that would end a login.
    let (login, rest) = rest.rsplit_once('@').map_or(("", rest), |(_, rest)| ("…@", rest));
    let (place, behind) = match rest.split_once(['?', '#']) {
        Some((place, _)) => (place, "?…"),
        None => (rest, ""),
    };
    let hosts = place.split('/').next().unwrap_or_default();
    if hosts.split(',').all(is_host) {
        return format!("{scheme}://{login}{place}{behind}");
    }
    format!("{scheme}://…")
}

/// The same for people who know that a login is never shown.
pub(crate) fn shown(url: &str) -> String {
    let redacted = redact(url);
    redacted.replacen("://…@", "://", 1).trim_end_matches("?…").to_owned()
}

fn is_scheme(text: &str) -> bool {
    let known = ["redis", "rediss", "valkey", "valkeys", "unix", "http", "https"];
    text.split('+').next().is_some_and(|scheme| known.contains(&scheme))
}

/// Whether a text can be a host with its port, and not a login whose host is missing.
fn is_host(text: &str) -> bool {
    let host = text.trim();
    let (name, port) = match host.rsplit_once(':') {
        Some((name, port)) if !host.ends_with(']') => (name, port),
        _ => (host, ""),
    };
    let in_name = |sign: char| sign.is_alphanumeric() || matches!(sign, '.' | '-' | '_' | '[' | ']' | ':');
    name.chars().all(in_name) && port.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_never_shown() {
        assert_eq!(redact("redis://user:p@ss@host:1/0"), "redis://…@host:1/0");
        assert_eq!(redact("unix:///run/redis.sock"), "unix:///run/redis.sock");
        assert_eq!(redact("redis+unix:///run/redis.sock?pass=p@ss"), "redis+unix:///run/redis.sock?…");
        assert_eq!(redact("valkey+unix:///run/redis.sock?pass=secret"), "valkey+unix:///run/redis.sock?…");
        assert_eq!(redact("unix:///run/redis.sock?user=ann&pass=p@ss"), "unix:///run/redis.sock?…");
        assert_eq!(redact("redis://user:54321/rest@127.0.0.1/0"), "redis://…@127.0.0.1/0");
        assert_eq!(redact("redis://Abc#d@f@127.0.0.1:1"), "redis://…@127.0.0.1:1");
        assert_eq!(redact("redis+sentinel://a:1,b:2/m?sentinel_password=x"), "redis+sentinel://a:1,b:2/m?…");
        assert_eq!(redact("rediss://[::1]:6379/2"), "rediss://[::1]:6379/2");
        for url in ["redis://user:p(ss", "redis://Abc:def", "secret", "user:secret@host", "se cret://host"] {
            assert!(redact(url).ends_with('…'), "{}", redact(url));
        }
        assert_eq!(shown("redis://user:p@ss@host:1/0"), "redis://host:1/0");
        assert_eq!(shown("unix:///run/redis.sock?pass=p"), "unix:///run/redis.sock");
    }
}
