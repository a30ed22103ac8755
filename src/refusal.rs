//! Why a server, or this side, refused a connection: every refusal of TLS and of a login in words, each with what to do.

use redis::{ErrorKind, RedisError};

/// How an error begins that names the server it comes from.
pub(crate) const NAMED: &str = "a server refused";
/// How every refusal of TLS begins.
pub(crate) const TLS_FAILS: &str = "TLS with ";
/// What every refusal of a login says: of one that was sent, and where none was.
pub(crate) const LOGIN_REFUSED: &str = "refused the user or password that was sent";
pub(crate) const LOGIN_WANTED: &str = "wants a user or password and none was sent";

/// What an authority's certificate is made with that a server must not show.
const LEAF: &str = "basicConstraints=CA:FALSE and a subjectAltName";

/// What each alert of the other side means, and what to do.
const ALERTS: [(&str, &str); 9] = [
    (
        "CertificateRequired",
        "it wants a client certificate; name one with redis_cert_file and redis_key_file",
    ),
    (
        "HandshakeFailure",
        "both sides have no way to encrypt in common, often because its key is on the curve P-521 or its certificate is \
         signed with SHA-1; give it a key on P-256 or P-384, or RSA of 2048 bits or more. It may also want a client \
         certificate (redis_cert_file)",
    ),
    (
        "UnknownCA",
        "it does not know the authority that signed our client certificate; have it trust that one",
    ),
    ("BadCertificate", "it does not take our client certificate; look at redis_cert_file"),
    ("UnsupportedCertificate", "it does not take our client certificate; look at redis_cert_file"),
    ("CertificateExpired", "our client certificate has expired; renew redis_cert_file"),
    ("CertificateRevoked", "our client certificate was revoked; renew redis_cert_file"),
    ("ProtocolVersion", "it speaks no TLS 1.2 or 1.3; allow one of them there"),
    (
        "UnrecognisedName",
        "it has no certificate for the name it was called by; use another name, or add this one there",
    ),
];

/// Why TLS failed, in words, with what to do; `None` where `said` is about something else. `setting` names the authorities
/// that are trusted, such as `redis_ca_file`.
#[must_use]
pub fn tls_refusal(said: &str, setting: &str) -> Option<String> {
    if let Some(why) = after(said, "invalid peer certificate: ") {
        return Some(certificate(why, setting));
    }
    if let Some(alert) = after(said, "received fatal alert: ") {
        let alert = word(alert);
        let known = ALERTS.into_iter().find(|(name, _)| name.eq_ignore_ascii_case(alert));
        return Some(
            known.map_or_else(
                || format!("it ended the handshake ({alert})"),
                |(_, why)| advised(why, setting),
            ),
        );
    }
    let plain = ["InvalidContentType", "received corrupt message", "wrong version number"];
    if plain.into_iter().any(|sign| said.contains(sign)) {
        return Some(
            "it does not speak TLS on this port; use its TLS port, or an address without TLS".to_owned(),
        );
    }
    if said.contains("No CA certificates were loaded") {
        return Some(format!(
            "there are no certificates of authorities on this machine; install ca-certificates, set SSL_CERT_FILE, or name \
             a file with {setting}"
        ));
    }
    let incompatible = after(said, "peer is incompatible: ")?;
    Some(format!("both sides have nothing in common ({}); allow TLS 1.2 or 1.3 there", word(incompatible)))
}

/// What to do about an alert. The settings of a certificate of ours begin as that of the authorities does.
fn advised(why: &str, setting: &str) -> String {
    let of = setting.trim_end_matches("ca_file");
    why.replace("redis_", of)
}

/// Why a certificate is not taken. Never what the program calls that inside.
fn certificate(why: &str, setting: &str) -> String {
    let says = |sign: &str| why.contains(sign);
    if says("CaUsedAsEndEntity") {
        return format!(
            "its certificate is that of an authority, which a server must not show; make one for the server with {LEAF}, \
             and sign it with that authority"
        );
    }
    if says("UnknownIssuer") {
        return format!(
            "its certificate is signed by an authority that is not known here; name that one with {setting}"
        );
    }
    if says("not valid for") || says("NotValidForName") {
        return match names(why) {
            (Some(called), Some(valid)) => format!(
                "its certificate is for {valid}, and it was called {called}; call it by that name, or give it a certificate \
                 with a subjectAltName for {called}"
            ),
            (Some(called), None) => format!(
                "its certificate has no subjectAltName; give it one with a subjectAltName for {called} (the common name \
                 is not looked at)"
            ),
            _ => "its certificate is for another name; give it one with a subjectAltName for this name"
                .to_owned(),
        };
    }
    if says("UnsupportedSignatureAlgorithm") || says("UnsupportedCertVersion") {
        return "its certificate, or that of its authority, has a kind of key or signature that is not supported; use RSA \
                of 2048 bits or more, P-256, P-384 or Ed25519, signed with SHA-256 or better (P-521 and SHA-1 are not \
                supported)"
            .to_owned();
    }
    if says("BadSignature") || says("InvalidSignature") {
        return format!(
            "its certificate was not signed by the authority of that name that is trusted here, or with an RSA key under \
             2048 bits; name the right authority with {setting}, or make a new key"
        );
    }
    if says("expired") || says("Expired") {
        return "its certificate, or that of its authority, has expired; renew it (or set the clock of this machine)".to_owned();
    }
    if says("not valid yet") || says("NotValidYet") {
        return "its certificate is not valid yet; set the clock of this machine, or make a new one"
            .to_owned();
    }
    if says("InvalidPurpose") || says("purpose") {
        return "its certificate is not one for servers; make one with extendedKeyUsage=serverAuth"
            .to_owned();
    }
    if says("Revoked") {
        return "its certificate was revoked; give it a new one".to_owned();
    }
    format!("its certificate is not taken ({}); make one for the server with {LEAF}", word(why))
}

/// The name a server was called by, and the first that its certificate is for, out of what rustls says.
fn names(why: &str) -> (Option<&str>, Option<&str>) {
    let quoted = |text: &str| {
        let (_, from) = why.split_once(text)?;
        let (_, from) = from.split_once('"')?;
        from.split_once('"').map(|(name, _)| name)
    };
    let valid = quoted("only valid for").or_else(|| {
        // An address stands without quotes.
        let (_, from) = why.split_once("only valid for ")?;
        let (_, from) = from.split_once('(')?;
        from.split_once(')').map(|(name, _)| name)
    });
    (quoted("for name"), valid)
}

fn after<'a>(said: &'a str, mark: &str) -> Option<&'a str> {
    said.split_once(mark).map(|(_, after)| after)
}

/// The first word of what a program calls something inside, as far as people can read it.
fn word(text: &str) -> &str {
    let end = text.find(|sign: char| !sign.is_ascii_alphanumeric()).unwrap_or(text.len());
    &text[..end]
}

/// A refused password at the start of a connection: the client reports it without Redis's own word for it.
pub(crate) fn is_denial(error: &RedisError) -> bool {
    error.kind() == ErrorKind::AuthenticationFailed || says(error, "WRONGPASS")
}

/// Whether a server asks for a password, and none was sent.
pub(crate) fn wants_login(error: &RedisError) -> bool {
    says(error, "NOAUTH")
}

fn says(error: &RedisError, word: &str) -> bool {
    error.code() == Some(word) || error.to_string().contains(word)
}

/// Whether a server, or this side of TLS, refused to go on; else it is only not there.
pub(crate) fn is_refusal(error: &RedisError) -> bool {
    let text = error.to_string();
    is_denial(error) || wants_login(error) || text.contains(TLS_FAILS) || tls_refusal(&text, "").is_some()
}

/// The same error, said of that server.
pub(crate) fn by(server: &str, error: &RedisError) -> RedisError {
    by_with(server, error, "")
}

/// The same error, said of that server, with what more there is to say of a refused login.
pub(crate) fn by_with(server: &str, error: &RedisError, of_login: &str) -> RedisError {
    let text = error.to_string();
    let (kind, what) = if text.starts_with(NAMED) {
        return error.clone();
    } else if wants_login(error) {
        (ErrorKind::AuthenticationFailed, format!("{server} {LOGIN_WANTED}"))
    } else if is_denial(error) {
        (ErrorKind::AuthenticationFailed, format!("{server} {LOGIN_REFUSED}"))
    } else if let Some(why) = tls_refusal(&text, "redis_ca_file") {
        return RedisError::from((ErrorKind::Io, NAMED, format!("{TLS_FAILS}{server} fails: {why}")));
    } else {
        return RedisError::from((ErrorKind::Io, NAMED, format!("{server} cannot be reached: {text}")));
    };
    let more = if of_login.is_empty() { String::new() } else { format!("; {of_login}") };
    RedisError::from((kind, NAMED, format!("{what}{more}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustls::{AlertDescription, CertificateError, Error, InvalidMessage};

    fn sentence(error: &Error) -> String {
        let sentence = tls_refusal(&error.to_string(), "redis_ca_file").unwrap_or_else(|| panic!("{error}"));
        assert!(!sentence.contains(['{', '[']) && !sentence.contains("Error("), "{sentence}");
        sentence
    }

    #[test]
    fn every_refused_certificate_is_told_in_words() {
        for (error, says) in [
            (CertificateError::UnknownIssuer, "redis_ca_file"),
            (CertificateError::BadSignature, "2048 bits"),
            (CertificateError::Expired, "has expired"),
            (CertificateError::NotValidYet, "not valid yet"),
            (CertificateError::Revoked, "revoked"),
            (CertificateError::NotValidForName, "subjectAltName"),
            (CertificateError::InvalidPurpose, "serverAuth"),
            (CertificateError::BadEncoding, "BadEncoding"),
            (CertificateError::UnhandledCriticalExtension, "UnhandledCriticalExtension"),
        ] {
            let told = sentence(&Error::InvalidCertificate(error.clone()));
            assert!(told.contains(says), "{error:?}: {told}");
        }
        let context = |presented: &[&str]| {
            sentence(&Error::InvalidCertificate(CertificateError::NotValidForNameContext {
                expected: "127.0.0.1".try_into().unwrap(),
                presented: presented.iter().map(|&name| name.to_owned()).collect(),
            }))
        };
        let other = context(&["DnsName(\"localhost\")"]);
        assert!(other.contains("is for localhost, and it was called 127.0.0.1"), "{other}");
        let none = context(&[]);
        assert!(none.contains("has no subjectAltName"), "{none}");
        for (said, says) in [
            ("Other(OtherError(CaUsedAsEndEntity))", "that of an authority"),
            (
                "Other(OtherError(UnsupportedSignatureAlgorithmForPublicKeyContext { signature_algorithm_id: [6, 8, 42] }))",
                "P-521",
            ),
        ] {
            let said = format!("invalid peer certificate: {said}");
            let told = tls_refusal(&said, "redis_ca_file").unwrap();
            assert!(told.contains(says) && !told.contains("OtherError"), "{told}");
        }
    }

    #[test]
    fn every_alert_is_told_in_words() {
        for (alert, says) in [
            (AlertDescription::CertificateRequired, "redis_cert_file"),
            (AlertDescription::HandshakeFailure, "P-521"),
            (AlertDescription::UnknownCA, "authority"),
            (AlertDescription::ProtocolVersion, "TLS 1.2"),
            (AlertDescription::InternalError, "InternalError"),
        ] {
            let told = sentence(&Error::AlertReceived(alert));
            assert!(told.contains(says), "{alert:?}: {told}");
        }
        for alert in [AlertDescription::CertificateRequired, AlertDescription::HandshakeFailure] {
            let said = Error::AlertReceived(alert).to_string();
            let told = tls_refusal(&said, "outgoing_ca_file").unwrap();
            assert!(told.contains("outgoing_cert_file") && !told.contains("redis"), "{told}");
        }
        let plain = sentence(&Error::InvalidMessage(InvalidMessage::InvalidContentType));
        assert!(plain.contains("does not speak TLS"), "{plain}");
        let none = sentence(&Error::General("No CA certificates were loaded from the system".to_owned()));
        assert!(none.contains("SSL_CERT_FILE"), "{none}");
        assert_eq!(tls_refusal("Connection refused (os error 111)", "redis_ca_file"), None);
    }
}
