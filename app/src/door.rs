//! The pages before anybody is in: plain documents without script, so that a visitor runs nothing of ours.
//! What is shown once to a person who is in has the few lines of `public/copy.js`.
//!
//! The server renders them in the context of a request; their forms go to routes of the server.

mod revealed;
mod stopped;

pub use crate::components::error_panel::AGAIN_SECONDS;
pub use crate::next_page::{PAGES, next_page};
pub use revealed::{Behind, revealed};
pub use stopped::{Halt, Stopped, stopped};

use http::request::Parts;
use leptos::prelude::*;

use crate::access::Assets;
use crate::clock::Clock;
use crate::components::copy::CopyButton;
use crate::components::error_panel::since;
use crate::components::fields::{labelled, password};
use crate::error::ApiError;
use crate::i18n::{self, Language};
use crate::preferences::{Preferences, Theme};
use crate::shell::guard_page;
use crate::t;

/// What is shown once, by the page [`shown_once`].
#[derive(Debug, Clone)]
pub enum Shown {
    /// The link with which somebody chooses a password.
    Invitation {
        /// Whom it is for.
        name: String,
        /// The link.
        link: String,
    },
    /// A new API token.
    Token {
        /// What it is called.
        name: String,
        /// The token.
        token: String,
    },
    /// Codes for when the second factor is lost.
    RecoveryCodes(Vec<String>),
}

/// Who else proves who people are. In the context where there is somebody.
#[derive(Debug, Clone)]
pub struct Provider {
    /// What its button calls it.
    pub label: String,
}

/// Where the pages [`signed_in`] and [`going_on`] go on to by themselves.
#[derive(Debug, Clone)]
pub struct Onward(pub String);

/// What the page [`away`] tells.
#[derive(Debug, Clone)]
pub struct Away {
    /// Why there is nothing else to show.
    pub error: ApiError,
    /// What became of what was sent.
    pub sent: Sent,
    /// What was asked for, or the page of the form that was sent.
    pub next: String,
}

/// What became of what was sent to a server that could not answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sent {
    /// Nothing was: somebody opened a page.
    Nothing,
    /// It was not looked at, or refused as a whole.
    Undone,
    /// It may have been done.
    Unknown,
}

/// The form to sign in.
pub fn sign_in() -> impl IntoView {
    let next = parameter("next");
    document(
        t!("account-sign-in"),
        view! {
            <h1>{t!("account-sign-in")}</h1>
            {outcome()}
            {by_provider(&next, false)}
            <form method="post" action="/login" class="settings-form">
                <input type="hidden" name="next" value=next_page(&next).to_owned()/>
                {name()}
                {password("password", t!("account-password-own"), "current-password", None)}
                {code(Some(t!("account-code-hint")))}
                <p><button type="submit" class="button" data-tone=tone()>{t!("account-sign-in")}</button></p>
            </form>
        },
    )
}

/// The form for somebody who was invited.
pub fn welcome() -> impl IntoView {
    let (name, key) = (parameter("name"), parameter("key"));
    document(
        t!("account-welcome"),
        view! {
            <h1>{t!("account-welcome")}</h1>
            {outcome()}
            <p>{t!("account-welcome-hint", name = name.clone())}</p>
            <form method="post" action="/welcome" class="settings-form">
                <input type="hidden" name="key" value=key/>
                <input type="hidden" name="name" value=name autocomplete="username"/>
                {new_password()}
                <p><button type="submit" class="button" data-tone="primary">{t!("account-welcome-button")}</button></p>
            </form>
        },
    )
}

/// The form for the first person of all.
pub fn first() -> impl IntoView {
    let key = parameter("key");
    // A link that is good no more decides nothing.
    let form = (parameter("said") != "account.first_over").then(|| {
        view! {
            <p>{t!("account-first-hint")}</p>
            <form method="post" action="/first" class="settings-form">
                <input type="hidden" name="key" value=key/>
                {name()}
                {new_password()}
                <p><button type="submit" class="button" data-tone="primary">{t!("account-first-button")}</button></p>
            </form>
        }
    });
    document(t!("account-first"), view! { <h1>{t!("account-first")}</h1> {outcome()} {form} })
}

/// The form that asks again who somebody is.
pub fn prove() -> impl IntoView {
    let next = parameter("next");
    document(
        t!("account-prove"),
        view! {
            <h1>{t!("account-prove")}</h1>
            {outcome()}
            <p>{t!("account-prove-hint")}</p>
            {by_provider(&next, true)}
            <form method="post" action="/account/prove" class="settings-form">
                <input type="hidden" name="next" value=next_page(&next).to_owned()/>
                {password("password", t!("account-password-own"), "current-password", None)}
                {code(None)}
                <p><button type="submit" class="button" data-tone=tone()>{t!("account-prove-button")}</button></p>
            </form>
            <p><a href="/">{t!("account-back")}</a></p>
        },
    )
}

/// Somebody has come in from another site: goes on by itself, and has a link for browsers that do not.
pub fn signed_in() -> impl IntoView {
    onward(t!("account-signed-in"))
}

/// The same where somebody may be signed in: the next request shows it.
pub fn going_on() -> impl IntoView {
    onward(t!("account-going-on"))
}

fn onward(title: String) -> impl IntoView {
    let Onward(next) = use_context().unwrap_or_else(|| Onward("/".to_owned()));
    document(
        title.clone(),
        view! {
            <h1>{title}</h1>
            <p><a class="button" data-tone="primary" href=next>{t!("account-go-on")}</a></p>
        },
    )
}

/// The server cannot answer. A page that was only looked at comes back by itself, where it says so in a header.
pub fn away() -> impl IntoView {
    let nothing = || Away { error: ApiError::Offline, sent: Sent::Nothing, next: "/".to_owned() };
    let Away { error, sent, next } = use_context().unwrap_or_else(nothing);
    let (what_now, link) = match sent {
        Sent::Nothing => (error.next_step(), t!("errors-away-again")),
        Sent::Undone if error == ApiError::TooLarge => (error.next_step(), t!("errors-away-back")),
        Sent::Undone if error == ApiError::Outdated => (t!("errors-away-outdated"), t!("errors-away-back")),
        Sent::Undone => (t!("errors-away-undone"), t!("errors-away-back")),
        Sent::Unknown => (t!("errors-away-unknown"), t!("errors-away-back")),
    };
    let since_when = match &error {
        ApiError::Unavailable { since: Some(at), .. } => {
            provide_context(Preferences::of_request());
            Clock::provide();
            Some(since(*at, Clock::get()))
        }
        _ => None,
    };
    let title = match &error {
        ApiError::Internal { .. } | ApiError::Outdated | ApiError::TooLarge => t!("errors-away-broken"),
        _ => t!("errors-away"),
    };
    document(
        title.clone(),
        view! {
            <h1>{title}</h1>
            <p class="form-outcome" role="alert" data-tone="bad" data-error=error.code()>{error.sentence()}</p>
            {since_when.map(|since| view! { <p>{since}</p> })}
            <p>{what_now}</p>
            <p><a class="button" data-tone="primary" href=next>{link}</a></p>
        },
    )
}

/// What is shown now and never again. The server provides a [`Shown`] in the context.
pub fn shown_once() -> impl IntoView {
    let Assets { root, .. } = use_context().unwrap_or_default();
    let (title, hint, what, texts, back) = match use_context::<Shown>() {
        Some(Shown::Invitation { name, link }) => (
            t!("account-shown-invitation", name = name),
            t!("account-shown-invitation-hint"),
            t!("account-copy-link"),
            vec![link],
            "/people",
        ),
        Some(Shown::Token { name, token }) => (
            t!("account-shown-token", name = name),
            t!("account-shown-token-hint"),
            t!("account-copy-token"),
            vec![token],
            "/people",
        ),
        Some(Shown::RecoveryCodes(codes)) => (
            t!("account-shown-codes"),
            t!("account-shown-codes-hint"),
            t!("account-copy-code"),
            codes,
            "/account",
        ),
        None => (t!("account-sign-in"), String::new(), String::new(), Vec::new(), "/"),
    };
    let texts = texts.into_iter().map(|text| {
        view! { <li><code>{text.clone()}</code> <CopyButton text what=what.clone()/></li> }
    });
    document(
        title.clone(),
        view! {
            <h1>{title}</h1>
            <p>{hint}</p>
            <ul class="shown-once">
                {texts.collect_view()}
            </ul>
            // These pages are without the application: a few lines do what its buttons would.
            <script src=format!("{root}/copy.js") defer></script>
            <p><a class="button" data-tone="primary" href=back>{t!("account-shown-kept")}</a></p>
        },
    )
}

/// The way by the provider, where there is one. A link and no form: browsers would keep a form from leading to another
/// site, as our policy for contents asks them to.
fn by_provider(next: &str, prove: bool) -> Option<impl IntoView + use<>> {
    let Provider { label } = use_context()?;
    let next: String = form_urlencoded::byte_serialize(next_page(next).as_bytes()).collect();
    let (href, word) = if prove {
        (format!("/login/oidc?prove=1&next={next}"), t!("account-provider-prove", provider = label))
    } else {
        (format!("/login/oidc?next={next}"), t!("account-provider", provider = label))
    };
    Some(view! {
        <p class="door-provider"><a class="button" data-tone="primary" href=href>{word}</a></p>
        <p class="door-or"><span>{t!("account-or-password")}</span></p>
    })
}

/// How the button of a password looks: beside that of a provider it steps back.
fn tone() -> &'static str {
    if use_context::<Provider>().is_some() { "plain" } else { "primary" }
}

/// The name of a person who comes in.
fn name() -> impl IntoView {
    labelled(
        "name",
        t!("account-name"),
        None,
        view! {
            <input id="name" name="name" required autofocus maxlength="64" autocomplete="username" autocapitalize="none" spellcheck="false"/>
        },
    )
}

/// The code of a second factor, for those who have one.
fn code(hint: Option<String>) -> impl IntoView {
    let described = hint.is_some().then_some("code-hint");
    labelled(
        "code",
        t!("account-code-optional"),
        hint,
        view! {
            <input id="code" name="code" maxlength="40" autocomplete="one-time-code" aria-describedby=described/>
        },
    )
}

/// A password that somebody chooses, twice.
fn new_password() -> impl IntoView {
    view! {
        {password("password", t!("account-wanted"), "new-password", None)}
        {password("again", t!("account-again"), "new-password", None)}
        <small>{t!("account-password-hint")}</small>
    }
}

/// What became of the form that led back here.
fn outcome() -> impl IntoView {
    let code = parameter("said");
    let said = match code.as_str() {
        "account.bye" => Some(i18n::Said::plain(t!("account-said-bye"))),
        code => i18n::said(code),
    };
    said.map(
        |said| view! { <p class="form-outcome" role="alert" data-tone=said.tone.as_str()>{said.text}</p> },
    )
}

/// A parameter of the address; empty without it.
fn parameter(name: &str) -> String {
    let parts = use_context::<Parts>();
    let query = parts.as_ref().and_then(|parts| parts.uri.query()).unwrap_or_default();
    let found = form_urlencoded::parse(query.as_bytes()).filter(|(found, _)| found == name).last();
    found.map(|(_, value)| value.into_owned()).unwrap_or_default()
}

/// Which installation this is, before anybody types a password into it.
fn place() -> impl IntoView {
    let look = crate::access::settings().look.clone();
    let environment = crate::access::environment();
    let name =
        if look.title.is_empty() { crate::access::namespace().unwrap_or_default() } else { look.title };
    let badge = (!environment.is_empty())
        .then(|| view! { <span class="environment-badge">{environment.clone()}</span> });
    view! {
        <p class="door-place" data-environment=environment>
            <span class="namespace-mark" data-colour=look.colour.as_str() aria-hidden="true"></span>
            <span class="namespace">{name}</span>
            {badge}
        </p>
    }
}

fn document(title: String, content: impl IntoView + 'static) -> impl IntoView {
    let Assets { root, .. } = use_context().unwrap_or_default();
    let look = view! {
        <link rel="stylesheet" href=format!("{root}/main.css")/>
        <link rel="icon" type="image/svg+xml" href=format!("{root}/favicon.svg")/>
    };
    whole(title, look, view! { {place()} <main class="panel door-panel">{content}</main> })
}

/// A document that says nothing of this installation and asks it for nothing: the owner of the name it is read under may
/// read it as well, and its files are not there under that name.
fn bare(title: String, content: impl IntoView + 'static) -> impl IntoView {
    whole(title, (), view! { <main>{content}</main> })
}

#[expect(clippy::needless_pass_by_value, reason = "callers make the title for it")]
fn whole(title: String, look: impl IntoView + 'static, body: impl IntoView + 'static) -> impl IntoView {
    guard_page();
    let language = use_context::<Language>().unwrap_or_else(Language::of_request);
    view! {
        <!DOCTYPE html>
        <html lang=language.tag() data-theme=Theme::current().as_str()>
            <head>
                <meta charset="utf-8"/>
                <meta name="viewport" content="width=device-width, initial-scale=1"/>
                <meta name="color-scheme" content="light dark"/>
                <meta name="robots" content="noindex"/>
                // As HTML: behind a child there would be a comment, and a title shows it.
                <title inner_html=format!("{} · Reprieve", title.replace('&', "&amp;").replace('<', "&lt;"))></title>
                {look}
            </head>
            <body class="door">{body}</body>
        </html>
    }
}
