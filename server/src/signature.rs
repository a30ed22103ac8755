//! Signs a delivery in the manner of Standard Webhooks.
//!
//! The receiver computes HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>`
//! with the shared secret and compares it with `webhook-signature`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reprieve::model::JobId;
use ring::hmac;

/// How a secret is written, so that secret scanners know it.
const SECRET_PREFIX: &str = "whsec_";
/// Bytes of a secret, by the specification: below it can be guessed, above it brings nothing.
const SECRET_BYTES: std::ops::RangeInclusive<usize> = 24..=64;

/// The secrets of one receiver: each signs, so that a secret can be changed without a gap.
#[derive(Clone)]
pub(crate) struct Secrets(Vec<Vec<u8>>);

impl Secrets {
    /// Reads the content of a secret file: one `whsec_<base64>` a line.
    ///
    /// # Errors
    /// A sentence that names the line, never the secret.
    pub(crate) fn parse(content: &str) -> Result<Self, String> {
        let lines = content.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let secrets =
            lines.map(|(index, line)| secret(line.trim(), index + 1)).collect::<Result<Vec<_>, _>>()?;
        if secrets.is_empty() {
            return Err("the secret file is empty; it holds a line whsec_<base64 of 24 to 64 random bytes>"
                .to_owned());
        }
        Ok(Self(secrets))
    }

    /// The value of `webhook-signature`: one `v1,<base64>` a secret, with blanks between.
    pub(crate) fn sign(&self, message_id: &str, at_seconds: i64, body: &[u8]) -> String {
        let signatures: Vec<String> =
            self.0.iter().map(|secret| sign(secret, message_id, at_seconds, body)).collect();
        signatures.join(" ")
    }
}

impl std::fmt::Debug for Secrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} secrets", self.0.len())
    }
}

fn secret(line: &str, number: usize) -> Result<Vec<u8>, String> {
    let Some(encoded) = line.strip_prefix(SECRET_PREFIX) else {
        return Err(format!("line {number} of the secret file does not begin with {SECRET_PREFIX}"));
    };
    let secret = STANDARD
        .decode(encoded)
        .map_err(|_| format!("line {number} of the secret file is not base64 after {SECRET_PREFIX}"))?;
    if !SECRET_BYTES.contains(&secret.len()) {
        return Err(format!("the secret in line {number} has {} bytes, 24 to 64 are right", secret.len()));
    }
    Ok(secret)
}

fn sign(secret: &[u8], message_id: &str, at_seconds: i64, body: &[u8]) -> String {
    let mut mac = hmac::Context::with_key(&hmac::Key::new(hmac::HMAC_SHA256, secret));
    mac.update(format!("{message_id}.{at_seconds}.").as_bytes());
    mac.update(body);
    format!("v1,{}", STANDARD.encode(mac.sign()))
}

/// The id of a message: that of its job, so that a receiver knows a repeated delivery again.
///
/// A dot would make the signed text ambiguous, so it is written as `%2E`.
pub(crate) fn message_id(job: &JobId) -> String {
    job.as_str().replace('.', "%2E")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the specification's reference libraries.
    #[test]
    fn the_published_example_has_the_published_signature() {
        let secrets = Secrets::parse("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n").unwrap();
        assert_eq!(
            secrets.sign("msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, br#"{"test": 2432232314}"#),
            "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
        );
    }

    #[test]
    fn every_secret_signs_so_that_one_can_be_replaced() {
        let two = Secrets::parse(
            "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n\nwhsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n",
        )
        .unwrap();
        let each = [
            "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n",
            "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n",
        ];
        let [old, new] = each.map(|secret| Secrets::parse(secret).unwrap().sign("a", 1, b""));
        assert_ne!(old, new);
        assert_eq!(two.sign("a", 1, b""), format!("{old} {new}"));
    }

    #[test]
    fn a_bad_secret_is_told_by_its_line_and_never_shown() {
        for (bad, why) in [
            ("", "empty"),
            ("hunter2", "line 1"),
            ("\nwhsec_???", "line 2"),
            ("whsec_aHVudGVyMg==", "7 bytes"),
        ] {
            let error = Secrets::parse(bad).unwrap_err();
            assert!(error.contains(why) && !error.contains("hunter2"), "{error}");
        }
        assert_eq!(format!("{:?}", Secrets(vec![vec![1; 24]])), "1 secrets");
    }

    #[test]
    fn an_id_has_no_dots() {
        assert_eq!(message_id(&JobId::new("a.b:c/d@e").unwrap()), "a%2Eb:c/d@e");
    }
}
