//! Who may sign in, and the tokens of programs.

use super::accounts::{AccountRoutes, Caller};
use super::away;
use super::refuse;
use super::said::back;
use super::said::encoded;
use app::door::Shown;
use app::refused::{PeopleFault, Refused};
use axum::Extension;
use axum::extract::{Form, State};
use axum::response::Response;
use http::header::SET_COOKIE;
use http::request::Parts;
use reprieve::Error;
use reprieve::model::{Delay, NewToken, Permission, PersonName, QueueName, Role, TokenName};
use reprieve_access::{Invitation, People, Principal, Tokens};
use serde::Deserialize;
use std::collections::BTreeSet;

/// The page they all lead back to.
const PAGE: &str = "/people";
/// How long a token may be good for, in days.
const TOKEN_DAYS_MAX: i64 = 90;

/// A form about a person. What a form does not have is empty.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub(super) struct About {
    name: String,
    role: String,
    queues: String,
    disabled: String,
    /// Whether the tokens that they made are revoked as well; with a role, those that may do more than they.
    tokens: String,
    /// What they were on screen, and where. Nothing for any.
    seen_role: String,
    seen_queues: String,
    reason: String,
}

impl About {
    fn name(&self) -> Result<PersonName, PeopleFault> {
        self.name.trim().to_lowercase().parse().map_err(PeopleFault::Name)
    }

    fn rights(&self) -> Result<(Role, Vec<QueueName>), PeopleFault> {
        let role = self.role.parse().map_err(|_| PeopleFault::Unreadable)?;
        Ok((role, queues(&self.queues)?))
    }

    fn seen(&self) -> Result<Option<(Role, Vec<QueueName>)>, PeopleFault> {
        if self.seen_role.is_empty() {
            return Ok(None);
        }
        let role = self.seen_role.parse().map_err(|_| PeopleFault::Unreadable)?;
        Ok(Some((role, queues(&self.seen_queues)?)))
    }
}

/// Names of queues, with spaces or commas between them.
fn queues(text: &str) -> Result<Vec<QueueName>, PeopleFault> {
    let names = text.split([' ', ',', '，']).filter(|name| !name.is_empty());
    names.map(|name| name.parse().map_err(|wrong| PeopleFault::Queue(name.to_owned(), wrong))).collect()
}

/// Back to the page, which says what is wrong and where.
fn wrong(parts: &Parts, fault: &PeopleFault) -> Response {
    let (said, cookie) = Refused::of_people(parts, fault);
    let mut response = back(PAGE, &said);
    if let Some(cookie) = cookie {
        response.headers_mut().append(SET_COOKIE, cookie);
    }
    response
}

/// What an engine leads to that refuses or cannot answer.
fn failed(parts: &Parts, error: &Error) -> Response {
    match (People::refusal(error).or_else(|| Tokens::refusal(error)), error) {
        (Some(word), _) => wrong(parts, &PeopleFault::Word(word)),
        (None, error) if error.is_transient() => away::untold(error),
        (None, _) => wrong(parts, &PeopleFault::Unreadable),
    }
}

fn told(parts: &Parts, result: Result<(), Error>, said: &str) -> Response {
    match result {
        Ok(()) => back(PAGE, said),
        Err(error) => failed(parts, &error),
    }
}

/// Refuses what the gate could not judge, and writes it down as the gate does.
async fn refused(
    account_routes: &AccountRoutes,
    principal: &Principal,
    parts: &Parts,
    lacks: Permission,
) -> Response {
    let path = parts.uri.path();
    account_routes.people_as(principal).note_denied(&principal.name, path, "", lacks.as_str()).await;
    refuse::forbidden(parts, lacks)
}

/// Refuses people who are bound to queues: who may sign in, and where, is about all of them, and nobody makes somebody who
/// may do more than they do.
async fn everywhere(
    account_routes: &AccountRoutes,
    principal: &Principal,
    parts: &Parts,
) -> Result<(), Response> {
    if principal.is_everywhere() {
        return Ok(());
    }
    Err(refused(account_routes, principal, parts, Permission::ManagePeople).await)
}

/// Adds somebody and shows the link with which they choose a password.
pub(super) async fn add(
    State(account_routes): State<AccountRoutes>,
    Extension(principal): Extension<Principal>,
    caller: Caller,
    parts: Parts,
    Form(form): Form<About>,
) -> Result<Response, Response> {
    everywhere(&account_routes, &principal, &parts).await?;
    let refused = |fault| wrong(&parts, &fault);
    let (name, (role, queues)) = (form.name().map_err(refused)?, form.rights().map_err(refused)?);
    let invited = account_routes.people_as(&principal).add(&name, role, &queues, &principal.name).await;
    Ok(show(&account_routes, &caller, &parts, invited).await)
}

/// Shows a new link for somebody who lost their password or second factor.
pub(super) async fn invite(
    State(account_routes): State<AccountRoutes>,
    Extension(principal): Extension<Principal>,
    caller: Caller,
    parts: Parts,
    Form(form): Form<About>,
) -> Result<Response, Response> {
    everywhere(&account_routes, &principal, &parts).await?;
    let name = form.name().map_err(|fault| wrong(&parts, &fault))?;
    let invited = account_routes.people_as(&principal).invite(&name, &principal.name).await;
    Ok(show(&account_routes, &caller, &parts, invited).await)
}

async fn show(
    account_routes: &AccountRoutes,
    caller: &Caller,
    parts: &Parts,
    invited: Result<Invitation, Error>,
) -> Response {
    match invited {
        Ok(Invitation { name, secret, .. }) => {
            let link = format!(
                "{}/welcome?name={}&key={secret}",
                account_routes.address(caller),
                encoded(name.as_str())
            );
            account_routes.show(caller, Shown::Invitation { name: name.to_string(), link }).await
        }
        Err(error) => failed(parts, &error),
    }
}

/// Changes what somebody is, and where.
pub(super) async fn set_role(
    State(account_routes): State<AccountRoutes>,
    Extension(principal): Extension<Principal>,
    parts: Parts,
    Form(form): Form<About>,
) -> Result<Response, Response> {
    everywhere(&account_routes, &principal, &parts).await?;
    let refused = |fault| wrong(&parts, &fault);
    let (name, (role, queues)) = (form.name().map_err(refused)?, form.rights().map_err(refused)?);
    let seen = form.seen().map_err(refused)?;
    let seen = seen.as_ref().map(|(role, queues)| (*role, queues.as_slice()));
    let (people, rights, by) =
        (account_routes.people_as(&principal), (role, queues.as_slice()), &principal.name);
    let mut set = people.set_role_seen(&name, seen, rights, by, &form.reason).await;
    if set.is_ok() && form.tokens == "1" {
        let tokens = account_routes.tokens_as(&principal);
        set = tokens.revoke_made_by(&name, Some(rights), by, &form.reason).await.map(drop);
    }
    Ok(told(&parts, set, "people.saved"))
}

/// Keeps somebody out, or lets them in again.
pub(super) async fn disable(
    State(account_routes): State<AccountRoutes>,
    Extension(principal): Extension<Principal>,
    parts: Parts,
    Form(form): Form<About>,
) -> Result<Response, Response> {
    everywhere(&account_routes, &principal, &parts).await?;
    let name = form.name().map_err(|fault| wrong(&parts, &fault))?;
    let disabled = form.disabled == "1";
    let set = account_routes
        .people_as(&principal)
        .set_disabled(&name, disabled, &principal.name, &form.reason)
        .await;
    let set = match set {
        Ok(()) => revoke_those_of(&account_routes, &principal, &form, &name).await,
        refused => refused,
    };
    Ok(told(&parts, set, "people.saved"))
}

/// Forgets somebody.
pub(super) async fn remove(
    State(account_routes): State<AccountRoutes>,
    Extension(principal): Extension<Principal>,
    parts: Parts,
    Form(form): Form<About>,
) -> Result<Response, Response> {
    everywhere(&account_routes, &principal, &parts).await?;
    let name = form.name().map_err(|fault| wrong(&parts, &fault))?;
    let removed =
        match account_routes.people_as(&principal).remove(&name, &principal.name, &form.reason).await {
            Ok(()) => revoke_those_of(&account_routes, &principal, &form, &name).await,
            refused => refused,
        };
    Ok(told(&parts, removed, "people.removed"))
}

/// Makes the tokens of somebody who is out by now useless, where that is wanted.
async fn revoke_those_of(
    account_routes: &AccountRoutes,
    principal: &Principal,
    form: &About,
    name: &PersonName,
) -> Result<(), Error> {
    if form.tokens == "1" {
        account_routes.tokens_as(principal).revoke_made_by(name, None, &principal.name, &form.reason).await?;
    }
    Ok(())
}

/// Ends all sessions of somebody.
pub(super) async fn end_sessions(
    State(account_routes): State<AccountRoutes>,
    Extension(principal): Extension<Principal>,
    parts: Parts,
    Form(form): Form<About>,
) -> Result<Response, Response> {
    everywhere(&account_routes, &principal, &parts).await?;
    let name = form.name().map_err(|fault| wrong(&parts, &fault))?;
    let people = account_routes.people_as(&principal);
    let ended = people.end_sessions(&name, "", None, &principal.name, &form.reason).await.map(drop);
    Ok(told(&parts, ended, "account.ended"))
}

/// Whether a form asks for a token and for nothing else, and for each thing once. Its rights are ticked in fields of
/// their own.
fn is_token_form(form: &[(String, String)]) -> bool {
    let mut seen = BTreeSet::new();
    form.iter().all(|(key, value)| {
        let is_known = match key.as_str() {
            "name" | "days" | "queues" => true,
            key => key.starts_with("may.") && value == "1",
        };
        is_known && seen.insert(key)
    })
}

/// Makes a token and shows it. It may do no more than its maker, and nowhere else.
pub(super) async fn add_token(
    State(account_routes): State<AccountRoutes>,
    Extension(principal): Extension<Principal>,
    caller: Caller,
    parts: Parts,
    Form(form): Form<Vec<(String, String)>>,
) -> Result<Response, Response> {
    if !is_token_form(&form) {
        return Err(wrong(&parts, &PeopleFault::Unreadable));
    }
    let field = |name: &str| form.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value.as_str());
    let name: TokenName =
        field("name").trim().parse().map_err(|fault| wrong(&parts, &PeopleFault::TokenName(fault)))?;
    let days = field("days").trim().parse().ok().filter(|days| (1..=TOKEN_DAYS_MAX).contains(days));
    let days = days.ok_or_else(|| wrong(&parts, &PeopleFault::Days { most: TOKEN_DAYS_MAX }))?;
    let mut rights = Vec::new();
    for (key, _) in &form {
        let Some(word) = key.strip_prefix("may.") else { continue };
        let right: Permission = word.parse().map_err(|_| wrong(&parts, &PeopleFault::Unreadable))?;
        if !principal.may(right) {
            return Err(refused(&account_routes, &principal, &parts, right).await);
        }
        rights.push(right);
    }
    let mut queues = queues(field("queues")).map_err(|fault| wrong(&parts, &fault))?;
    if queues.is_empty() {
        queues.clone_from(&principal.queues);
    }
    if !queues.iter().all(|queue| principal.may_in(queue)) {
        return Err(refused(&account_routes, &principal, &parts, Permission::ManageTokens).await);
    }
    let token = NewToken::new(name.clone(), rights).queues(queues).good_for(Some(Delay::days(days)));
    Ok(match account_routes.tokens_as(&principal).add(&token, &principal.name).await {
        Ok(token) => account_routes.show(&caller, Shown::Token { name: name.to_string(), token }).await,
        Err(error) => failed(&parts, &error),
    })
}

/// Makes a token useless: one's own, or any for an admin of all queues.
pub(super) async fn revoke_token(
    State(account_routes): State<AccountRoutes>,
    Extension(principal): Extension<Principal>,
    parts: Parts,
    Form(form): Form<About>,
) -> Result<Response, Response> {
    let name: TokenName = form.name.parse().map_err(|fault| wrong(&parts, &PeopleFault::TokenName(fault)))?;
    if !principal.may(Permission::ManagePeople) || !principal.is_everywhere() {
        let tokens = account_routes.tokens.list().await.map_err(|error| failed(&parts, &error))?;
        if !tokens.iter().any(|token| token.name == name && token.by == principal.name) {
            return Err(refused(&account_routes, &principal, &parts, Permission::ManagePeople).await);
        }
    }
    Ok(match account_routes.tokens_as(&principal).revoke(&name, &principal.name, &form.reason).await {
        Ok(_) => back(PAGE, "people.revoked"),
        Err(error) => failed(&parts, &error),
    })
}
