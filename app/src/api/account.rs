//! Who I am here, and who else may sign in. What changes any of it are routes of the server, as plain forms use them.

use leptos::prelude::*;
use reprieve::model::{Permission, PersonInfo, Role, SessionInfo, TokenInfo};

use super::answer;
use crate::access::DEMO_ROLE;
use crate::call::{Get, Post};
use crate::error::ApiError;
use crate::routes::OVERVIEW;
use crate::{access, cookie, routes};
use reprieve_access::Credential;

/// One's own account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// What is known of oneself.
    pub me: PersonInfo,
    /// Where one is signed in.
    pub sessions: Vec<SessionInfo>,
    /// Which of those this is.
    pub here: String,
    /// Secret and link of a second factor that is being set up.
    pub enrolment: Option<(String, String)>,
}

/// Who may sign in, and which programs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PeopleView {
    /// Everybody by name; `None` for a reader who may not know.
    pub people: Option<Vec<PersonInfo>>,
    /// API tokens by name; to a reader who may not know of people their own.
    pub tokens: Vec<TokenInfo>,
}

/// One's own account. Needs a session.
pub async fn get_account() -> Result<Account, ApiError> {
    let caller = access::caller()?;
    let (people, principal) = (caller.own_account()?, caller.principal());
    let name = principal.name.parse().map_err(|_| ApiError::SignedOut)?;
    let me = people.get(&name).await?.ok_or(ApiError::SignedOut)?;
    let enrolment = people.pending_second_factor(&name).await?;
    Ok(Account {
        me,
        sessions: people.sessions(&name).await?,
        here: reprieve_access::People::call_of(principal.session.as_str()),
        enrolment: enrolment.map(|told| (told.secret, told.link)),
    })
}

/// One word for the caller and what is theirs, as the page has it in its session: whether the page is still for them, and
/// for one that has lost its stream, which does not say why.
#[server(prefix = "/api/fn", endpoint = "whoami", protocol = Get)]
pub async fn whoami() -> Result<String, ApiError> {
    Ok(access::principal().who())
}

/// Who may sign in, for `ManagePeople`; API tokens, for `ManageTokens`.
pub async fn list_people() -> Result<PeopleView, ApiError> {
    let caller = access::caller()?;
    let principal = caller.principal();
    // A person who is bound to queues has tokens there, and decides nothing about people, who may be anywhere.
    let people = if principal.may(Permission::ManagePeople) && principal.is_everywhere() {
        Some(caller.people(Permission::ManagePeople)?.list().await?)
    } else {
        None
    };
    let mut tokens = caller.tokens()?.list().await?;
    if people.is_none() {
        tokens.retain(|token| token.by == principal.name);
    }
    Ok(PeopleView { people, tokens })
}

/// What a visitor of the demo is from now on. Only there.
#[server(prefix = "/api/fn", endpoint = "set_demo_role", protocol = Post)]
pub async fn set_demo_role(role: Role, #[server(default)] back: Option<String>) -> Result<(), ApiError> {
    // Who becomes support begins where support begins, as after signing in.
    let home = routes::home(Some(role));
    let back = if home == OVERVIEW { back } else { Some(home.to_owned()) };
    answer::to(back, |()| String::new(), async move {
        if access::principal().credential != Credential::Demo {
            return Err(ApiError::NotFound);
        }
        cookie::keep(DEMO_ROLE, role.as_str());
        Ok(())
    })
    .await
}
