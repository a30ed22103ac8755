//! Who may sign in, and the tokens of programs.

use super::accounts::Visit;
use super::away;
use super::refuse;
use super::said::{back, back_with, encoded};
use app::door::Shown;
use app::refused::{PeopleFault, Refused};
use axum::extract::Form;
use axum::response::Response;
use reprieve::Error;
use reprieve::model::{Delay, NewToken, Permission, PersonName, QueueName, Role, TokenName};
use reprieve_access::{Invitation, People, Tokens};
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

impl Visit {
    /// Back to the page, which says what is wrong and where.
    fn fault(&self, fault: &PeopleFault) -> Response {
        back_with(Refused::of_people(&self.parts, fault), PAGE)
    }

    /// What an engine leads to that refuses or cannot answer.
    fn failed(&self, error: &Error) -> Response {
        match (People::refusal(error).or_else(|| Tokens::refusal(error)), error) {
            (Some(word), _) => self.fault(&PeopleFault::Word(word)),
            (None, error) if error.is_transient() => away::untold(error),
            (None, _) => self.fault(&PeopleFault::Unreadable),
        }
    }

    /// Back to the page, which says what became of it.
    fn told(&self, result: Result<(), Error>, said: &str) -> Response {
        result.map_or_else(|error| self.failed(&error), |()| back(PAGE, said))
    }

    /// Refuses what the layer could not judge, and writes it down as the layer does.
    async fn forbidden(&self, lacks: Permission) -> Response {
        let (name, path) = (&self.principal.name, self.parts.uri.path());
        self.people().note_denied(name, path, "", lacks.as_str()).await;
        refuse::forbidden(&self.parts, lacks)
    }

    /// Whom the form is about. Refuses people who are bound to queues: who may sign in, and where, is about all of them, and
    /// nobody makes somebody who may do more than they do.
    async fn person(&self, form: &About) -> Result<PersonName, Response> {
        if !self.principal.is_everywhere() {
            return Err(self.forbidden(Permission::ManagePeople).await);
        }
        form.name().map_err(|fault| self.fault(&fault))
    }
}

/// Adds somebody and shows the link with which they choose a password.
pub(super) async fn add(visit: Visit, Form(form): Form<About>) -> Result<Response, Response> {
    let name = visit.person(&form).await?;
    let (role, queues) = form.rights().map_err(|fault| visit.fault(&fault))?;
    let invited = visit.people().add(&name, role, &queues, &visit.principal.name).await;
    Ok(show(&visit, invited).await)
}

/// Shows a new link for somebody who lost their password or second factor.
pub(super) async fn invite(visit: Visit, Form(form): Form<About>) -> Result<Response, Response> {
    let name = visit.person(&form).await?;
    let invited = visit.people().invite(&name, &visit.principal.name).await;
    Ok(show(&visit, invited).await)
}

async fn show(visit: &Visit, invited: Result<Invitation, Error>) -> Response {
    match invited {
        Ok(Invitation { name, secret, .. }) => {
            let (address, person) = (visit.address(), encoded(name.as_str()));
            let link = format!("{address}/welcome?name={person}&key={secret}");
            visit.show(Shown::Invitation { name: name.to_string(), link }).await
        }
        Err(error) => visit.failed(&error),
    }
}

/// Changes what somebody is, and where.
pub(super) async fn set_role(visit: Visit, Form(form): Form<About>) -> Result<Response, Response> {
    let name = visit.person(&form).await?;
    let (role, queues) = form.rights().map_err(|fault| visit.fault(&fault))?;
    let seen = form.seen().map_err(|fault| visit.fault(&fault))?;
    let seen = seen.as_ref().map(|(role, queues)| (*role, queues.as_slice()));
    let (rights, by) = ((role, queues.as_slice()), &visit.principal.name);
    let mut set = visit.people().set_role_seen(&name, seen, rights, by, &form.reason).await;
    if set.is_ok() && form.tokens == "1" {
        set = visit.tokens().revoke_made_by(&name, Some(rights), by, &form.reason).await.map(drop);
    }
    Ok(visit.told(set, "people.saved"))
}

/// Keeps somebody out, or lets them in again.
pub(super) async fn disable(visit: Visit, Form(form): Form<About>) -> Result<Response, Response> {
    let name = visit.person(&form).await?;
    let disabled = form.disabled == "1";
    let set = visit.people().set_disabled(&name, disabled, &visit.principal.name, &form.reason).await;
    let set = match set {
        Ok(()) => revoke_those_of(&visit, &form, &name).await,
        refused => refused,
    };
    Ok(visit.told(set, "people.saved"))
}

/// Forgets somebody.
pub(super) async fn remove(visit: Visit, Form(form): Form<About>) -> Result<Response, Response> {
    let name = visit.person(&form).await?;
    let removed = match visit.people().remove(&name, &visit.principal.name, &form.reason).await {
        Ok(()) => revoke_those_of(&visit, &form, &name).await,
        refused => refused,
    };
    Ok(visit.told(removed, "people.removed"))
}

/// Makes the tokens of somebody who is out by now useless, where that is wanted.
async fn revoke_those_of(visit: &Visit, form: &About, name: &PersonName) -> Result<(), Error> {
    if form.tokens == "1" {
        visit.tokens().revoke_made_by(name, None, &visit.principal.name, &form.reason).await?;
    }
    Ok(())
}

/// Ends all sessions of somebody.
pub(super) async fn end_sessions(visit: Visit, Form(form): Form<About>) -> Result<Response, Response> {
    let name = visit.person(&form).await?;
    let people = visit.people();
    let ended = people.end_sessions(&name, "", None, &visit.principal.name, &form.reason).await.map(drop);
    Ok(visit.told(ended, "account.ended"))
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
    visit: Visit,
    Form(form): Form<Vec<(String, String)>>,
) -> Result<Response, Response> {
    if !is_token_form(&form) {
        return Err(visit.fault(&PeopleFault::Unreadable));
    }
    let field = |name: &str| form.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value.as_str());
    let name: TokenName =
        field("name").trim().parse().map_err(|fault| visit.fault(&PeopleFault::TokenName(fault)))?;
    let days = field("days").trim().parse().ok().filter(|days| (1..=TOKEN_DAYS_MAX).contains(days));
    let days = days.ok_or_else(|| visit.fault(&PeopleFault::Days { most: TOKEN_DAYS_MAX }))?;
    let mut rights = Vec::new();
    for (key, _) in &form {
        let Some(word) = key.strip_prefix("may.") else { continue };
        let right: Permission = word.parse().map_err(|_| visit.fault(&PeopleFault::Unreadable))?;
        if !visit.principal.may(right) {
            return Err(visit.forbidden(right).await);
        }
        rights.push(right);
    }
    let mut queues = queues(field("queues")).map_err(|fault| visit.fault(&fault))?;
    if queues.is_empty() {
        queues.clone_from(&visit.principal.queues);
    }
    if !queues.iter().all(|queue| visit.principal.may_in(queue)) {
        return Err(visit.forbidden(Permission::ManageTokens).await);
    }
    let token = NewToken::new(name.clone(), rights).queues(queues).good_for(Some(Delay::days(days)));
    Ok(match visit.tokens().add(&token, &visit.principal.name).await {
        Ok(token) => visit.show(Shown::Token { name: name.to_string(), token }).await,
        Err(error) => visit.failed(&error),
    })
}

/// Makes a token useless: one's own, or any for an admin of all queues.
pub(super) async fn revoke_token(visit: Visit, Form(form): Form<About>) -> Result<Response, Response> {
    let name: TokenName = form.name.parse().map_err(|fault| visit.fault(&PeopleFault::TokenName(fault)))?;
    if !visit.principal.may(Permission::ManagePeople) || !visit.principal.is_everywhere() {
        let tokens = visit.routes.tokens.list().await.map_err(|error| visit.failed(&error))?;
        if !tokens.iter().any(|token| token.name == name && token.by == visit.principal.name) {
            return Err(visit.forbidden(Permission::ManagePeople).await);
        }
    }
    Ok(match visit.tokens().revoke(&name, &visit.principal.name, &form.reason).await {
        Ok(_) => back(PAGE, "people.revoked"),
        Err(error) => visit.failed(&error),
    })
}
