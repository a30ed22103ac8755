//! Who may sign in, and the tokens of programs.

use super::refuse::{self, encoded};
use super::rooms::{Caller, Rooms, back, failed};
use app::access::{Principal, note_denied};
use app::door::Shown;
use axum::Extension;
use axum::extract::{Form, State};
use axum::response::Response;
use http::request::Parts;
use reprieve::model::{Delay, NewToken, Permission, PersonName, QueueName, Role, TokenName};
use reprieve::{Error, Invitation};
use serde::Deserialize;

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
    reason: String,
}

impl About {
    fn name(&self) -> Result<PersonName, Response> {
        self.name.trim().to_lowercase().parse().map_err(|_| back(PAGE, "people.invalid"))
    }

    fn rights(&self) -> Result<(Role, Vec<QueueName>), Response> {
        let role = self.role.parse().map_err(|_| back(PAGE, "people.invalid"))?;
        Ok((role, queues(&self.queues)?))
    }
}

/// Names of queues, with spaces or commas between them.
fn queues(text: &str) -> Result<Vec<QueueName>, Response> {
    let names = text.split([' ', ',', '，']).filter(|name| !name.is_empty());
    names.map(|name| name.parse().map_err(|_| back(PAGE, "people.invalid"))).collect()
}

fn told(result: Result<(), Error>, said: &str) -> Response {
    match result {
        Ok(()) => back(PAGE, said),
        Err(error) => failed(PAGE, "people", &error),
    }
}

/// Refuses what the gate could not judge, and writes it down as the gate does.
async fn refused(rooms: &Rooms, principal: &Principal, parts: &Parts, lacks: Permission) -> Response {
    let path = parts.uri.path();
    note_denied(&rooms.people_as(principal), &principal.name, path, "", lacks.as_str()).await;
    refuse::forbidden(parts, lacks)
}

/// Adds somebody and shows the link with which they choose a password.
pub(super) async fn add(
    State(rooms): State<Rooms>,
    Extension(principal): Extension<Principal>,
    caller: Caller,
    Form(form): Form<About>,
) -> Result<Response, Response> {
    let (role, queues) = form.rights()?;
    let invited = rooms.people_as(&principal).add(&form.name()?, role, &queues, &principal.name).await;
    Ok(show(&rooms, &caller, invited).await)
}

/// Shows a new link for somebody who lost their password or second factor.
pub(super) async fn invite(
    State(rooms): State<Rooms>,
    Extension(principal): Extension<Principal>,
    caller: Caller,
    Form(form): Form<About>,
) -> Result<Response, Response> {
    let invited = rooms.people_as(&principal).invite(&form.name()?, &principal.name).await;
    Ok(show(&rooms, &caller, invited).await)
}

async fn show(rooms: &Rooms, caller: &Caller, invited: Result<Invitation, Error>) -> Response {
    match invited {
        Ok(Invitation { name, secret, .. }) => {
            let link =
                format!("{}/welcome?name={}&key={secret}", rooms.origin(caller), encoded(name.as_str()));
            rooms.show(caller, Shown::Invitation { name: name.to_string(), link }).await
        }
        Err(error) => failed(PAGE, "people", &error),
    }
}

/// Changes what somebody is, and where.
pub(super) async fn set_role(
    State(rooms): State<Rooms>,
    Extension(principal): Extension<Principal>,
    Form(form): Form<About>,
) -> Result<Response, Response> {
    let (name, (role, queues)) = (form.name()?, form.rights()?);
    let set = rooms.people_as(&principal).set_role(&name, role, &queues, &principal.name, &form.reason).await;
    Ok(told(set, "people.saved"))
}

/// Keeps somebody out, or lets them in again.
pub(super) async fn disable(
    State(rooms): State<Rooms>,
    Extension(principal): Extension<Principal>,
    Form(form): Form<About>,
) -> Result<Response, Response> {
    let disabled = form.disabled == "1";
    let set = rooms
        .people_as(&principal)
        .set_disabled(&form.name()?, disabled, &principal.name, &form.reason)
        .await;
    Ok(told(set, "people.saved"))
}

/// Forgets somebody.
pub(super) async fn remove(
    State(rooms): State<Rooms>,
    Extension(principal): Extension<Principal>,
    Form(form): Form<About>,
) -> Result<Response, Response> {
    let removed = rooms.people_as(&principal).remove(&form.name()?, &principal.name, &form.reason).await;
    Ok(told(removed, "people.removed"))
}

/// Ends all sessions of somebody.
pub(super) async fn end_sessions(
    State(rooms): State<Rooms>,
    Extension(principal): Extension<Principal>,
    Form(form): Form<About>,
) -> Result<Response, Response> {
    let ended = rooms
        .people_as(&principal)
        .end_sessions(&form.name()?, "", None, &principal.name, &form.reason)
        .await
        .map(drop);
    Ok(told(ended, "account.ended"))
}

/// Makes a token and shows it. It may do no more than whoever makes it, and nowhere else.
pub(super) async fn add_token(
    State(rooms): State<Rooms>,
    Extension(principal): Extension<Principal>,
    caller: Caller,
    parts: Parts,
    Form(form): Form<Vec<(String, String)>>,
) -> Result<Response, Response> {
    let field = |name: &str| form.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value.as_str());
    let invalid = || back(PAGE, "people.invalid");
    let name: TokenName = field("name").trim().parse().map_err(|_| invalid())?;
    let days: i64 = field("days").parse().map_err(|_| invalid())?;
    if !(1..=TOKEN_DAYS_MAX).contains(&days) {
        return Err(invalid());
    }
    let mut rights = Vec::new();
    for (key, _) in &form {
        let Some(word) = key.strip_prefix("may.") else { continue };
        let right: Permission = word.parse().map_err(|_| invalid())?;
        if !principal.may(right) {
            return Err(refused(&rooms, &principal, &parts, right).await);
        }
        rights.push(right);
    }
    let mut queues = queues(field("queues"))?;
    if queues.is_empty() {
        queues.clone_from(&principal.queues);
    }
    if !queues.iter().all(|queue| principal.may_in(queue)) {
        return Err(refused(&rooms, &principal, &parts, Permission::ManageTokens).await);
    }
    let token = NewToken::new(name.clone(), rights).queues(queues).good_for(Some(Delay::days(days)));
    Ok(match rooms.tokens_as(&principal).add(&token, &principal.name).await {
        Ok(token) => rooms.show(&caller, Shown::Token { name: name.to_string(), token }).await,
        Err(error) => failed(PAGE, "people", &error),
    })
}

/// Makes a token useless: one's own, or any for an admin.
pub(super) async fn revoke_token(
    State(rooms): State<Rooms>,
    Extension(principal): Extension<Principal>,
    parts: Parts,
    Form(form): Form<About>,
) -> Result<Response, Response> {
    let name: TokenName = form.name.parse().map_err(|_| back(PAGE, "people.invalid"))?;
    if !principal.may(Permission::ManagePeople) {
        let tokens = rooms.tokens.list().await.map_err(|error| failed(PAGE, "people", &error))?;
        if !tokens.iter().any(|token| token.name == name && token.by == principal.name) {
            return Err(refused(&rooms, &principal, &parts, Permission::ManagePeople).await);
        }
    }
    Ok(match rooms.tokens_as(&principal).revoke(&name, &principal.name, &form.reason).await {
        Ok(_) => back(PAGE, "people.revoked"),
        Err(error) => failed(PAGE, "people", &error),
    })
}
