//! Eight doors for bytes from outside. Each module has a `check`, which a fuzzer calls with whatever it thinks of, and
//! which asserts more than that nothing panics.
//!
//! The parts of `app` and `server` that are looked at need neither Leptos nor a running server, so their files are
//! compiled here by themselves: a build takes a minute and not ten.

extern crate self as app;

pub mod bodies;
pub mod configuration;
pub mod csv;
pub mod filters;
pub mod foreign;
pub mod jobs;
pub mod replies;
pub mod tokens;

mod bounds;

#[expect(dead_code, unused_imports, reason = "the program uses what the fuzzer does not")]
#[path = "../../../server/src/config/mod.rs"]
mod config;
mod http_api;
#[path = "../../../server/src/instant.rs"]
mod instant;
#[expect(dead_code, reason = "the API uses what the fuzzer does not")]
#[path = "../../../server/src/parse.rs"]
mod parse;
#[expect(dead_code, reason = "the API uses what the fuzzer does not")]
#[path = "../../../server/src/problem.rs"]
mod problem;
#[path = "../../../server/src/public_address.rs"]
mod public_address;
#[expect(dead_code, reason = "a file has a beginning, what is looked at is a piece of one")]
#[path = "../../../server/src/sheet.rs"]
mod sheet;
#[path = "../../../server/src/strict.rs"]
mod strict;
#[expect(dead_code, reason = "the program uses what the fuzzer does not")]
#[path = "../../../server/src/text.rs"]
mod text;
#[path = "../../../app/src/traces.rs"]
pub mod traces;
#[expect(dead_code, reason = "the screens use what the fuzzer does not")]
#[path = "../../../app/src/vocabulary.rs"]
pub mod vocabulary;
#[expect(dead_code, reason = "the screens use what the fuzzer does not")]
#[path = "../../../app/src/when.rs"]
mod when;

/// As much of a request as a time of a form asks for.
mod request {
    pub(crate) fn sent_by_plain_form() -> bool {
        false
    }
}

/// As much of pages that are read again as a time of a form asks for.
mod light {
    pub(crate) fn is_read_again() -> bool {
        false
    }
}

/// As much of the errors of forms as a time of one asks for.
mod error {
    pub(crate) struct ApiError;

    impl ApiError {
        pub(crate) fn wrong(_field: &str, _why: String) -> Self {
            Self
        }
    }
}

/// As much of the screens' languages as the vocabulary and a time of a form ask for.
mod i18n {
    pub(crate) fn not_a_time() -> String {
        String::new()
    }

    pub(crate) enum Language {
        English,
        Chinese,
    }

    impl Language {
        pub(crate) fn current() -> Self {
            [Self::English, Self::Chinese].into_iter().next().unwrap_or(Self::Chinese)
        }
    }
}

/// As much of the secrets of webhooks as the configuration asks for.
mod signature {
    pub(crate) struct Secrets;

    impl Secrets {
        pub(crate) fn parse(secret: &str) -> Result<Self, String> {
            if secret.is_empty() { Err("is empty".to_owned()) } else { Ok(Self) }
        }
    }
}
