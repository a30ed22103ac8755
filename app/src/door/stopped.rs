//! What stopped a request before anything looked at what it asks for, for a browser that shows the answer as a page.

use leptos::prelude::*;

use super::{bare, document};
use crate::t;

/// What stopped it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stopped {
    /// A form did not arrive whole, or not in time.
    BrokenOff,
    /// What was sent is not in the format of forms.
    NoForm,
    /// Another site asked for the change.
    Foreign {
        /// What the browser said, and what the server takes itself for, in English.
        why: String,
    },
    /// It came under a name that is not ours.
    UnknownHost {
        /// That name.
        host: String,
    },
    /// The address is longer than pages have.
    TooLong,
    /// The address is not asked for in that way.
    Method,
    /// Nobody is signed in to the program that the dashboard is mounted in.
    SignInThere,
}

/// What the page [`stopped`] tells. The server provides it in the context.
#[derive(Debug, Clone)]
pub struct Halt {
    /// Why.
    pub why: Stopped,
    /// The page of the form that was sent, or the one whose address was too long.
    pub next: String,
}

/// Nothing was done, why not, and what to do about it.
pub fn stopped() -> impl IntoView {
    let halt = use_context::<Halt>();
    let Halt { why, next } = halt.unwrap_or_else(|| Halt { why: Stopped::Method, next: "/".to_owned() });
    let is_elsewhere = matches!(why, Stopped::UnknownHost { .. } | Stopped::SignInThere);
    let mut detail = None;
    let (code, sentence, next_step) = match why {
        Stopped::BrokenOff => {
            ("body_broken_off", t!("errors-stopped-broken-off"), t!("errors-stopped-next-again"))
        }
        Stopped::NoForm => {
            ("unsupported_media_type", t!("errors-stopped-no-form"), t!("errors-away-outdated"))
        }
        Stopped::Foreign { why } => {
            detail = Some(why);
            ("foreign_origin", t!("errors-stopped-foreign"), t!("errors-stopped-next-foreign"))
        }
        Stopped::UnknownHost { host } => {
            ("unknown_host", t!("errors-stopped-host", host = host), t!("errors-stopped-next-host"))
        }
        Stopped::TooLong => ("address_too_long", t!("errors-stopped-long"), t!("errors-stopped-next-long")),
        Stopped::Method => {
            ("method_not_allowed", t!("errors-stopped-method"), t!("errors-stopped-next-method"))
        }
        Stopped::SignInThere => ("signed_out", t!("errors-stopped-there"), t!("errors-stopped-next-there")),
    };
    let title = t!("errors-away-broken");
    let said = view! {
        <h1>{title.clone()}</h1>
        <p class="form-outcome" role="alert" data-tone="bad" data-error=code>{sentence}</p>
        <p>{next_step}</p>
        {detail.map(|why| view! { <p class="muted" lang="en">{why}</p> })}
    };
    // The way on is none of ours.
    if is_elsewhere {
        return bare(title, said).into_any();
    }
    let back = t!("errors-away-back");
    let way = view! { <p><a class="button" data-tone="primary" href=next>{back}</a></p> };
    document(title, view! { {said} {way} }).into_any()
}
