//! Which kinds of job are sent where.

use super::document::Section;
use super::secret::Secret;
use super::sources::{Sources, flags};
use crate::public_address::{self, ALLOW_FLAG, ALLOW_KEY};
use crate::signature::Secrets;
use crate::text;
use ipnet::Ipv6Net;
use reprieve::model::QueueName;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use url::Url;

/// How long a webhook may take when nothing else is said.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Longest allowed: an attempt that takes longer than ten minutes is not a request any more.
const TIMEOUT_MS_MAX: u64 = 600_000;

/// Longest secret, in bytes, an address with a password included; what has no end, as a device, ends here.
const SECRET_BYTES_MAX: u64 = 64 * 1_024;

/// One `[[webhook]]`: jobs whose kind fits go to this address.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct WebhookConfig {
    /// Which kinds.
    pub kind: KindGlob,
    /// Only jobs of this queue; every queue when absent.
    pub queue: Option<QueueName>,
    /// Where jobs are posted.
    pub url: Url,
    /// Where the secret was read from.
    pub secret_file: Option<PathBuf>,
    /// Signs the requests; without one they are sent unsigned.
    pub secret: Option<Secret>,
    /// How long one request may take.
    pub timeout: Duration,
    /// Whether the address may be one of a private network, or this machine.
    pub allow_private: bool,
}

impl WebhookConfig {
    /// A webhook without a secret, with the default timeout, to public addresses only.
    #[must_use]
    pub const fn new(kind: KindGlob, url: Url) -> Self {
        Self {
            kind,
            queue: None,
            url,
            secret_file: None,
            secret: None,
            timeout: TIMEOUT,
            allow_private: false,
        }
    }

    /// Reads every webhook, those of the command line first: the first whose pattern fits is used.
    pub(super) fn read_all(from: &Sources<'_>, nat64: &[Ipv6Net]) -> Vec<Self> {
        let mut webhooks = from.notes.read_all(&flags("--webhook", &from.flags.webhook), |text| {
            let webhook = Self::from_flag(text, from.flags.webhook_allow_private)?;
            webhook.check_url(ALLOW_FLAG, nat64).map(|()| webhook)
        });
        webhooks.extend(from.root.tables("webhook", |section| Self::from_section(section, nat64)));
        webhooks
    }

    /// Reads one `[[webhook]]`.
    fn from_section(section: &Section<'_>, nat64: &[Ipv6Net]) -> Option<Self> {
        let kind = section.read_required("kind", KindGlob::read);
        let given_url = section.required("url");
        let url = section.notes.read(given_url.as_ref(), read_url);
        let queue = section.read("queue", str::parse::<QueueName>);
        let timeout = section.number_in("timeout_ms", 1..=TIMEOUT_MS_MAX);
        let secret_file = section.text("secret_file");
        let secret = section.notes.read(secret_file.as_ref(), |path| {
            let secret = read_secret(Path::new(path))?;
            Secrets::parse(secret.expose())?;
            Ok::<_, String>(secret)
        });
        let allow_private = section.truth("allow_private") == Some(true);
        let webhook = Self {
            queue,
            secret_file: secret_file.map(|given| PathBuf::from(given.value)),
            secret,
            timeout: timeout.map_or(TIMEOUT, Duration::from_millis),
            allow_private,
            ..Self::new(kind?, url?)
        };
        section.notes.read(given_url.as_ref(), |_| webhook.check_url(ALLOW_KEY, nat64));
        Some(webhook)
    }

    /// Whether jobs may be sent there; `setting` would allow more. `nat64` are the prefixes of the operator's own.
    ///
    /// # Errors
    /// A sentence without the URL, which may hold a token.
    fn check_url(&self, setting: &str, nat64: &[Ipv6Net]) -> Result<(), String> {
        public_address::check(&self.url, self.allow_private, setting, nat64)
            .map_err(|why| format!("the webhook for kind {}: {why}", self.kind))
    }

    /// Reads the short form of the command line, `KIND_GLOB=URL`.
    ///
    /// # Errors
    /// A sentence, if either half is wrong.
    pub fn from_flag(text: &str, allow_private: bool) -> Result<Self, String> {
        let Some((kind, url)) = text.split_once('=') else {
            return Err(format!(
                "{text:?} has no '=': write for instance 'email.*=https://example.com/hook'"
            ));
        };
        Ok(Self { allow_private, ..Self::new(KindGlob::read(kind)?, read_url(url)?) })
    }
}

fn read_url(text: &str) -> Result<Url, String> {
    // The URL itself is not repeated: it may hold a token.
    let url: Url = text.trim().parse().map_err(|why| format!("the webhook's URL cannot be read: {why}"))?;
    match url.scheme() {
        "http" | "https" if !url.username().is_empty() || url.password().is_some() => {
            Err("the webhook's URL holds a user name or password; sign with secret_file instead".to_owned())
        }
        "http" | "https" => Ok(url),
        other => Err(format!("the webhook's URL begins with {other}:, not with http: or https:")),
    }
}

/// The content of a file that holds one secret, without the byte order mark and the line end editors add.
pub(crate) fn read_secret(path: &Path) -> Result<Secret, String> {
    let text = text::of_file(path, SECRET_BYTES_MAX)
        .map_err(|why| format!("the secret in {} cannot be read: {why}", path.display()))?;
    let text = text.trim_end_matches(['\r', '\n']);
    if text.is_empty() {
        return Err(format!("the secret in {} is empty", path.display()));
    }
    Ok(Secret::new(text.to_owned()))
}

/// A pattern for kinds: plain text in which `*` stands for any run of characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KindGlob(String);

impl KindGlob {
    /// Reads a pattern.
    ///
    /// # Errors
    /// A sentence, for an empty pattern or characters no kind can have.
    pub fn read(text: &str) -> Result<Self, String> {
        let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '*');
        if text.is_empty() || !text.chars().all(fits) {
            return Err(format!("{text:?} is not a kind, or a pattern for kinds such as 'email.*' or '*'"));
        }
        Ok(Self(text.to_owned()))
    }

    /// The pattern as written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether a kind fits the pattern.
    ///
    /// The first and last piece are fixed to the ends; those between are found from the left, which
    /// is enough because `*` is the only wild card.
    #[must_use]
    pub fn matches(&self, kind: &str) -> bool {
        let Some((first, rest)) = self.0.split_once('*') else { return self.0 == kind };
        let Some(mut kind) = kind.strip_prefix(first) else { return false };
        let Some((middle, last)) = rest.rsplit_once('*') else { return kind.ends_with(rest) };
        for piece in middle.split('*') {
            let Some(at) = kind.find(piece) else { return false };
            kind = &kind[at + piece.len()..];
        }
        kind.ends_with(last)
    }
}

impl fmt::Display for KindGlob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_what_stands_in_its_file_without_marks_of_editors() {
        let folder = tempfile::tempdir().unwrap();
        let read = |bytes: &[u8]| {
            let file = folder.path().join("secret");
            std::fs::write(&file, bytes).unwrap();
            read_secret(&file).map(|secret| secret.expose().to_owned())
        };
        assert_eq!(read(b"\xef\xbb\xbfwhsec_x\r\n"), Ok("whsec_x".to_owned()));
        assert!(read(b"\xff\xfew\0h\0").unwrap_err().contains("UTF-16"));
    }

    #[test]
    fn a_secret_has_an_end() {
        let why = read_secret(Path::new("/dev/zero")).unwrap_err();
        assert!(why.contains("more than 65536 bytes"), "{why}");
    }

    #[test]
    fn a_star_stands_for_any_run_of_characters() {
        let fits = |glob: &str, kind: &str| KindGlob::read(glob).unwrap().matches(kind);

        assert!(fits("*", "anything") && fits("**", "x") && fits("email.*", "email.welcome"));
        assert!(fits("a*b*c", "a-bb-c") && fits("*.send", "sms.send") && fits("exact", "exact"));
        assert!(!fits("email.*", "mail.welcome") && !fits("exact", "exactly") && !fits("a*b*c", "ac"));
        assert!(!fits("ab*ba", "aba"), "pieces must not overlap");
    }

    #[test]
    fn a_short_webhook_is_a_pattern_and_a_url() {
        let hook = WebhookConfig::from_flag("email.*=http://127.0.0.1:9000/hook?a=b", true).unwrap();

        assert_eq!(hook.url.as_str(), "http://127.0.0.1:9000/hook?a=b");
        assert!(hook.allow_private && hook.kind.matches("email.welcome"));
        for wrong in ["email", "=http://a", "a b=http://a", "a=ftp://b", "a=http://u:canary@b", "a=nowhere"] {
            let why = WebhookConfig::from_flag(wrong, false).unwrap_err();
            assert!(!why.contains("canary"), "{why}");
        }
    }
}
