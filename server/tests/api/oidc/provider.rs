//! A provider of OpenID Connect on this machine that lies as it is told.

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::{HeaderMap, StatusCode, Uri};
use ring::hmac;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use tokio::net::TcpListener;
use url::{Url, form_urlencoded};

/// What it calls us, and what we prove that with.
pub(crate) const CLIENT: &str = "reprieve";
pub(crate) const SECRET: &str = "canary of:the client";

/// What it says that is not so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lie {
    None,
    // In what it says about itself.
    DescribesAnother,
    NamesPlainAddress,
    LeadsElsewhere,
    // In how it answers.
    EndlessKeys,
    EndlessToken,
    NeverAnswers,
    NoJson,
    NoToken,
    TakesAnyVerifier,
    // In the token.
    OtherIssuer,
    ManyIssuers,
    OtherAudience,
    ManyAudiences,
    OtherParty,
    Expired,
    ExpiresInWords,
    NotYet,
    MadeTomorrow,
    OtherNonce,
    NoNonce,
    NoSubject,
    EmptySubject,
    // In its signature.
    Unsigned,
    SignedWithThePublicKey,
    UnknownKey,
    ForeignKey,
    Changed,
    NoSignature,
    OtherAlgorithm,
    AsksForMore,
}

/// Who signs in there.
#[derive(Debug, Clone)]
pub(crate) struct Account {
    pub(crate) subject: String,
    pub(crate) name: Value,
    pub(crate) groups: Value,
    /// What UserInfo says; null for an answer that does not read.
    pub(crate) info: Value,
    /// How long ago they showed who they are, in seconds; `None` if it does not say.
    pub(crate) proved_ago: Option<u64>,
}

impl Account {
    pub(crate) fn new(name: &str, groups: &[&str]) -> Self {
        Self {
            subject: format!("sub-{name}"),
            name: json!(name),
            groups: json!(groups),
            info: json!(null),
            proved_ago: Some(0),
        }
    }
}

pub(crate) struct Provider {
    pub(crate) address: SocketAddr,
    inner: Arc<Inner>,
}

struct Inner {
    lie: Lie,
    issuer: String,
    /// Whether our secret comes in the form, not in a header.
    by_form: bool,
    kept: Mutex<Kept>,
}

struct Kept {
    account: Account,
    key: (String, EcdsaKeyPair),
    codes: HashMap<String, Grant>,
    /// Paths that were asked for.
    asked: Vec<String>,
    /// How the last code was exchanged: `Authorization`, and the form.
    exchange: (String, HashMap<String, String>),
}

/// What belongs to a code.
struct Grant {
    account: Account,
    nonce: String,
    challenge: String,
    back: String,
}

impl Provider {
    pub(crate) async fn that_lies(lie: Lie) -> Self {
        Self::start(lie, false).await
    }

    pub(crate) async fn that_takes_the_secret_in_the_form() -> Self {
        Self::start(Lie::None, true).await
    }

    async fn start(lie: Lie, by_form: bool) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let kept = Kept {
            account: Account::new("eve", &["staff", "jobs-support"]),
            key: ("first".to_owned(), new_key()),
            codes: HashMap::new(),
            asked: Vec::new(),
            exchange: Default::default(),
        };
        let issuer = format!("http://{address}/realm");
        let inner = Arc::new(Inner { lie, issuer, by_form, kept: Mutex::new(kept) });
        let routes = Router::new().fallback(answer).with_state(inner.clone());
        tokio::spawn(async move { axum::serve(listener, routes).await });
        Self { address, inner }
    }

    pub(crate) fn issuer(&self) -> &str {
        &self.inner.issuer
    }

    /// Who signs in from now on.
    pub(crate) fn is_visited_by(&self, account: Account) {
        self.inner.kept.lock().unwrap().account = account;
    }

    /// Signs with another key from now on.
    pub(crate) fn takes_another_key(&self) {
        self.inner.kept.lock().unwrap().key = ("second".to_owned(), new_key());
    }

    /// How often a path was asked for.
    pub(crate) fn asked(&self, path: &str) -> usize {
        self.inner.kept.lock().unwrap().asked.iter().filter(|asked| asked.ends_with(path)).count()
    }

    /// How the last code was exchanged: `Authorization`, and the form.
    pub(crate) fn last_exchange(&self) -> (String, HashMap<String, String>) {
        self.inner.kept.lock().unwrap().exchange.clone()
    }

    /// What a browser brings back that was sent there: the query of the callback.
    pub(crate) fn lets_in(&self, sent_to: &str) -> String {
        let url: Url = sent_to.parse().unwrap();
        let query: HashMap<String, String> = url.query_pairs().into_owned().collect();
        assert!(sent_to.starts_with(&format!("{}/authorize?", self.inner.issuer)), "{sent_to}");
        assert_eq!((query["response_type"].as_str(), query["client_id"].as_str()), ("code", CLIENT));
        assert_eq!(query["code_challenge_method"], "S256");
        assert!(query["scope"].split(' ').any(|scope| scope == "openid"));
        let mut kept = self.inner.kept.lock().unwrap();
        let code = format!("code-{}-{}", self.address.port(), kept.codes.len());
        let grant = Grant {
            account: kept.account.clone(),
            nonce: query["nonce"].clone(),
            challenge: query["code_challenge"].clone(),
            back: query["redirect_uri"].clone(),
        };
        kept.codes.insert(code.clone(), grant);
        form_urlencoded::Serializer::new(String::new())
            .append_pair("code", &code)
            .append_pair("state", &query["state"])
            .finish()
    }
}

async fn answer(State(inner): State<Arc<Inner>>, uri: Uri, headers: HeaderMap, body: Bytes) -> Response {
    let path = uri.path().to_owned();
    inner.kept.lock().unwrap().asked.push(path.clone());
    match path.as_str() {
        "/realm/.well-known/openid-configuration" => inner.description(),
        "/realm/keys" if inner.lie == Lie::EndlessKeys => endless(),
        "/realm/keys" => inner.keys(),
        "/realm/userinfo" => inner.info(&headers),
        "/realm/token" => match inner.lie {
            Lie::EndlessToken => endless(),
            Lie::NeverAnswers => std::future::pending().await,
            Lie::NoJson => "<!doctype html><p>sign in first".into_response(),
            Lie::NoToken => axum::Json(json!({ "access_token": "a" })).into_response(),
            _ => inner.token(&headers, &body),
        },
        _ => StatusCode::NOT_FOUND.into_response(),
    }
}

impl Inner {
    fn description(&self) -> Response {
        let issuer = &self.issuer;
        if self.lie == Lie::LeadsElsewhere {
            return (StatusCode::FOUND, [("location", format!("{issuer}/elsewhere"))]).into_response();
        }
        let named = if self.lie == Lie::DescribesAnother { "https://login.example" } else { issuer };
        let token = match self.lie {
            Lie::NamesPlainAddress => "http://login.example/token".to_owned(),
            _ => format!("{issuer}/token"),
        };
        let way = if self.by_form { "client_secret_post" } else { "client_secret_basic" };
        axum::Json(json!({
            "issuer": named,
            "authorization_endpoint": format!("{issuer}/authorize"),
            "token_endpoint": token,
            "jwks_uri": format!("{issuer}/keys"),
            "userinfo_endpoint": format!("{issuer}/userinfo"),
            "token_endpoint_auth_methods_supported": [way],
        }))
        .into_response()
    }

    /// What it says of the last person who signed in.
    fn info(&self, headers: &HeaderMap) -> Response {
        if headers.get("authorization").is_none_or(|value| value != "Bearer a") {
            return StatusCode::UNAUTHORIZED.into_response();
        }
        match self.kept.lock().unwrap().account.info.clone() {
            Value::Null => "signed, as some do".into_response(),
            info => axum::Json(info).into_response(),
        }
    }

    fn keys(&self) -> Response {
        let kept = self.kept.lock().unwrap();
        let (id, key) = &kept.key;
        let point = key.public_key().as_ref();
        axum::Json(json!({ "keys": [
            { "kty": "strange", "kid": "of a kind that nobody knows" },
            { "kty": "EC", "crv": "P-256", "use": "sig", "kid": id,
              "x": encoded(&point[1..33]), "y": encoded(&point[33..]) },
        ] }))
        .into_response()
    }

    /// Exchanges a code once, as an honest provider does: for the client it was given to.
    fn token(&self, headers: &HeaderMap, body: &Bytes) -> Response {
        let form: HashMap<String, String> = form_urlencoded::parse(body).into_owned().collect();
        let login = headers.get("authorization").map_or("", |value| value.to_str().unwrap()).to_owned();
        let mut kept = self.kept.lock().unwrap();
        kept.exchange = (login, form.clone());
        let Some(grant) = kept.codes.remove(&form["code"]) else {
            return (StatusCode::BAD_REQUEST, "{\"error\":\"invalid_grant\"}").into_response();
        };
        let proven = encoded(&Sha256::digest(&form["code_verifier"])) == grant.challenge
            || self.lie == Lie::TakesAnyVerifier;
        if !proven || form["redirect_uri"] != grant.back || form["grant_type"] != "authorization_code" {
            return (StatusCode::BAD_REQUEST, "{\"error\":\"invalid_grant\"}").into_response();
        }
        let token = self.signed(&grant, &kept.key);
        axum::Json(json!({ "access_token": "a", "token_type": "Bearer", "id_token": token })).into_response()
    }

    fn signed(&self, grant: &Grant, (id, key): &(String, EcdsaKeyPair)) -> String {
        let now = jiff::Timestamp::now().as_second();
        let account = &grant.account;
        let mut header = json!({ "alg": "ES256", "typ": "JWT", "kid": id });
        let mut claims = json!({
            "iss": self.issuer, "aud": CLIENT, "sub": account.subject, "nonce": grant.nonce,
            "iat": now, "exp": now + 300,
            "preferred_username": account.name, "groups": account.groups,
        });
        if let Some(ago) = account.proved_ago {
            claims["auth_time"] = json!(now - i64::try_from(ago).unwrap());
        }
        match self.lie {
            Lie::OtherIssuer => claims["iss"] = json!("https://login.example"),
            Lie::ManyIssuers => claims["iss"] = json!([self.issuer, "https://login.example"]),
            Lie::OtherAudience => claims["aud"] = json!("another"),
            Lie::ManyAudiences => claims["aud"] = json!([CLIENT, "another"]),
            Lie::OtherParty => claims["azp"] = json!("another"),
            Lie::Expired => claims["exp"] = json!(now - 120),
            Lie::ExpiresInWords => claims["exp"] = json!("tomorrow"),
            Lie::NotYet => claims["nbf"] = json!(now + 120),
            Lie::MadeTomorrow => claims["iat"] = json!(now + 86_400),
            Lie::OtherNonce => claims["nonce"] = json!("another"),
            Lie::NoNonce => drop(claims.as_object_mut().unwrap().remove("nonce")),
            Lie::NoSubject => drop(claims.as_object_mut().unwrap().remove("sub")),
            Lie::EmptySubject => claims["sub"] = json!(""),
            Lie::Unsigned => header["alg"] = json!("none"),
            Lie::SignedWithThePublicKey => header["alg"] = json!("HS256"),
            Lie::UnknownKey => header["kid"] = json!("third"),
            Lie::OtherAlgorithm => header["alg"] = json!("ES384"),
            Lie::AsksForMore => header["crit"] = json!(["b64"]),
            _ => {}
        }
        let text = |value: &Value| encoded(value.to_string().as_bytes());
        let message = format!("{}.{}", text(&header), text(&claims));
        let signature = match self.lie {
            Lie::Unsigned | Lie::NoSignature => Vec::new(),
            Lie::SignedWithThePublicKey => {
                let secret = hmac::Key::new(hmac::HMAC_SHA256, key.public_key().as_ref());
                hmac::sign(&secret, message.as_bytes()).as_ref().to_vec()
            }
            Lie::ForeignKey => sign(&new_key(), &message),
            _ => sign(key, &message),
        };
        if self.lie == Lie::Changed {
            claims["groups"] = json!(["jobs-admins"]);
            return format!("{}.{}.{}", text(&header), text(&claims), encoded(&signature));
        }
        format!("{message}.{}", encoded(&signature))
    }
}

/// JSON that goes on for as long as somebody reads it.
fn endless() -> Response {
    let spaces =
        futures_util::stream::repeat_with(|| Ok::<_, std::io::Error>(Bytes::from_static(&[b' '; 16_384])));
    Body::from_stream(spaces).into_response()
}

fn new_key() -> EcdsaKeyPair {
    let random = SystemRandom::new();
    let key = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).unwrap();
    EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, key.as_ref(), &random).unwrap()
}

fn sign(key: &EcdsaKeyPair, message: &str) -> Vec<u8> {
    key.sign(&SystemRandom::new(), message.as_bytes()).unwrap().as_ref().to_vec()
}

fn encoded(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}
