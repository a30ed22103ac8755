//! Reading an ID token: OpenID Connect Core section 3.1.3.7, with nothing left out that it calls a choice.

use crate::auth::refused::Refused;
use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::jwk::{AlgorithmParameters, EllipticCurve, Jwk, PublicKeyUse};
use jsonwebtoken::{Algorithm, DecodingKey, Header, Validation, decode, decode_header};
use serde::Deserialize;
use serde_json::{Map, Value};

/// Longest token, in bytes: one with hundreds of groups has some ten thousand.
const TOKEN_BYTES_MAX: usize = 64 * 1024;
/// How far the provider's clock may be from ours, in seconds.
const CLOCKS_APART_MAX: u64 = 60;
/// Longest name a provider has for somebody: OpenID Connect Core section 2.
const SUBJECT_BYTES_MAX: usize = 255;

/// What a token must say.
#[derive(Debug)]
pub(super) struct Expected<'a> {
    pub(super) issuer: &'a str,
    pub(super) client_id: &'a str,
    pub(super) nonce: &'a str,
}

/// What a token says.
#[derive(Debug, Deserialize)]
pub(super) struct Claims {
    /// What the provider calls them; it never gives that to anybody else.
    pub(super) sub: String,
    /// When they showed who they are, in seconds.
    #[serde(default)]
    pub(super) auth_time: Option<u64>,
    // One issuer; a list of them reads as none.
    iss: String,
    aud: Audience,
    iat: u64,
    #[serde(default)]
    nbf: Option<u64>,
    #[serde(default)]
    nonce: Option<String>,
    #[serde(default)]
    azp: Option<String>,
    #[serde(flatten)]
    more: Map<String, Value>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Audience {
    One(String),
    Many(Vec<String>),
}

impl Claims {
    /// Whether it says anything of a claim: an empty list says that there is nothing in it, and nothing says nothing.
    pub(super) fn says(&self, claim: &str) -> bool {
        claim == "sub" || self.more.get(claim).is_some_and(|value| !value.is_null())
    }

    /// Whether a claim is a text or a list of texts: what is said in another form is not known.
    pub(super) fn is_readable(&self, claim: &str) -> bool {
        match self.more.get(claim) {
            Some(Value::Array(all)) => all.iter().all(Value::is_string),
            Some(value) => value.is_string(),
            None => claim == "sub",
        }
    }

    /// Whether a claim is left out because it would be too long: OpenID Connect Core section 5.6.2, as Entra ID does with
    /// many groups.
    pub(super) fn is_elsewhere(&self, claim: &str) -> bool {
        self.more.get("_claim_names").is_some_and(|names| names.get(claim).is_some())
    }

    /// Takes what it does not say from what the provider says of the same person.
    pub(super) fn complete(&mut self, said: Map<String, Value>) {
        for (claim, value) in said {
            if !self.says(&claim) {
                self.more.insert(claim, value);
            }
        }
    }

    /// The texts of a claim: one, or a list.
    pub(super) fn texts(&self, claim: &str) -> Vec<&str> {
        match self.more.get(claim) {
            Some(Value::String(text)) => vec![text],
            Some(Value::Array(all)) => all.iter().filter_map(Value::as_str).collect(),
            _ if claim == "sub" => vec![&self.sub],
            _ => Vec::new(),
        }
    }
}

/// What a token says about how it is signed. Nothing of it is believed; it chooses among the provider's keys.
pub(super) fn header(token: &str) -> Result<Header, Refused> {
    if token.len() > TOKEN_BYTES_MAX {
        return Err(Refused::untrue("the token is longer than 64 KiB"));
    }
    // `none` and what else is unknown does not read.
    let header =
        decode_header(token).map_err(|_| Refused::untrue("the token is not signed in a way we know"))?;
    if header.crit.is_some() || header.enc.is_some() {
        return Err(Refused::untrue("the token asks for what we do not know"));
    }
    Ok(header)
}

/// What a token says, if it is signed with that key, for us, now, and for this sign-in.
pub(super) fn read(
    token: &str,
    header: &Header,
    key: &Jwk,
    expected: &Expected<'_>,
) -> Result<Claims, Refused> {
    // The key decides which algorithms there are, never the token: a public key is no password.
    if !algorithms(key).contains(&header.alg) {
        return Err(Refused::untrue("the token's algorithm is not one of its key"));
    }
    let mut validation = Validation::new(header.alg);
    validation.leeway = CLOCKS_APART_MAX;
    validation.validate_nbf = true;
    validation.set_audience(&[expected.client_id]);
    validation.set_issuer(&[expected.issuer]);
    validation.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
    let public =
        DecodingKey::from_jwk(key).map_err(|_| Refused::untrue("the provider's key does not read"))?;
    let claims = decode::<Claims>(token, &public, &validation)
        .map_err(|error| Refused::untrue(sentence(error.kind())))?
        .claims;
    check(&claims, expected)?;
    Ok(claims)
}

/// What the library leaves to its users.
fn check(claims: &Claims, expected: &Expected<'_>) -> Result<(), Refused> {
    let latest = jsonwebtoken::get_current_timestamp().saturating_add(CLOCKS_APART_MAX);
    let for_others = match &claims.aud {
        Audience::One(one) => one != expected.client_id,
        // One for several names the one it was made for.
        Audience::Many(all) => all.len() != 1 && claims.azp.is_none(),
    };
    let why = if claims.nonce.as_deref() != Some(expected.nonce) {
        "the token is that of another sign-in"
    } else if claims.iss != expected.issuer {
        "the token is that of another issuer"
    } else if for_others || claims.azp.as_deref().is_some_and(|party| party != expected.client_id) {
        "the token was made for somebody else"
    } else if claims.iat > latest || claims.nbf.is_some_and(|from| from > latest) {
        "the token is not good yet"
    } else if claims.sub.is_empty() || claims.sub.len() > SUBJECT_BYTES_MAX {
        "the token is about nobody"
    } else {
        return Ok(());
    };
    Err(Refused::untrue(why))
}

/// What a key can do. One that is for secrets, not for signatures, can do nothing here; nor can one that is secret.
fn algorithms(key: &Jwk) -> Vec<Algorithm> {
    use Algorithm as A;
    if matches!(key.common.public_key_use, Some(PublicKeyUse::Encryption)) {
        return Vec::new();
    }
    let able: &[Algorithm] = match &key.algorithm {
        AlgorithmParameters::RSA(_) => &[A::RS256, A::RS384, A::RS512, A::PS256, A::PS384, A::PS512],
        AlgorithmParameters::EllipticCurve(key) => match key.curve {
            EllipticCurve::P256 => &[A::ES256],
            EllipticCurve::P384 => &[A::ES384],
            _ => &[],
        },
        AlgorithmParameters::OctetKeyPair(key) if key.curve == EllipticCurve::Ed25519 => &[A::EdDSA],
        _ => &[],
    };
    let named = key.common.key_algorithm.map(|named| named.to_string());
    let fits = |able: &&Algorithm| {
        named.as_deref().is_none_or(|named| named.parse::<Algorithm>().is_ok_and(|named| named == **able))
    };
    able.iter().filter(fits).copied().collect()
}

const fn sentence(why: &ErrorKind) -> &'static str {
    match why {
        ErrorKind::InvalidSignature => "the token's signature is wrong",
        ErrorKind::ExpiredSignature => "the token's time is over",
        ErrorKind::ImmatureSignature => "the token is not good yet",
        ErrorKind::InvalidIssuer => "the token is that of another issuer",
        ErrorKind::InvalidAudience => "the token was made for somebody else",
        ErrorKind::MissingRequiredClaim(_) | ErrorKind::InvalidClaimFormat(_) | ErrorKind::Json(_) => {
            "the token lacks something"
        }
        _ => "the token does not read",
    }
}
