//! Who I am here, and who else may sign in. What changes any of it are routes of the server, as plain forms use them.

use leptos::prelude::*;
use reprieve::model::{PersonInfo, Role, SessionInfo, Timestamp, TokenInfo};
use serde::{Deserialize, Serialize};

use crate::call::{Get, Post};
use crate::error::ApiError;

/// One's own account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Account {
    /// What is known of oneself.
    pub me: PersonInfo,
    /// Where one is signed in.
    pub sessions: Vec<SessionInfo>,
    /// Which of those this is.
    pub here: String,
    /// Secret and link of a second factor that is being set up.
    pub enrolment: Option<(String, String)>,
    /// When this was read, by Redis's clock.
    pub read_at: Timestamp,
}

/// Who may sign in, and which programs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PeopleView {
    /// Everybody by name; `None` for whoever may not know.
    pub people: Option<Vec<PersonInfo>>,
    /// API tokens by name; `None` for whoever may not know.
    pub tokens: Option<Vec<TokenInfo>>,
}

/// One's own account. Needs a session.
#[server(prefix = "/api/fn", endpoint = "get_account", protocol = Get)]
pub async fn get_account() -> Result<Account, ApiError> {
    super::answer::read(async {
        let (people, principal) = crate::access::own_account()?;
        let name = principal.name.parse().map_err(|_| ApiError::SignedOut)?;
        let me = people.get(&name).await?.ok_or(ApiError::SignedOut)?;
        let enrolment = people.pending_second_factor(&name).await?;
        Ok(Account {
            me,
            sessions: people.sessions(&name).await?,
            here: reprieve::People::call_of(principal.session.as_str()),
            enrolment: enrolment.map(|told| (told.secret, told.link)),
            read_at: crate::access::now().await?,
        })
    })
    .await
}

/// One word for whoever asks and what is theirs, as the page has it in its session: whether the page is still for them, and
/// for one that has lost its stream, which does not say why.
#[server(prefix = "/api/fn", endpoint = "whoami", protocol = Get)]
pub async fn whoami() -> Result<String, ApiError> {
    super::answer::read(async { Ok(crate::access::principal().who()) }).await
}

/// When the sign-in of whoever asks ends, whatever they do; `None` where there are no logins. A page was told so when it was
/// made, and they may have signed in anew since.
#[server(prefix = "/api/fn", endpoint = "sign_in_ends", protocol = Get)]
pub async fn sign_in_ends() -> Result<Option<Timestamp>, ApiError> {
    super::answer::read(async { Ok(crate::access::principal().ends) }).await
}

/// Who may sign in, for `ManagePeople`; API tokens, for `ManageTokens`.
#[server(prefix = "/api/fn", endpoint = "list_people", protocol = Get)]
pub async fn list_people() -> Result<PeopleView, ApiError> {
    use reprieve::model::Permission;
    super::answer::read(async {
        let principal = crate::access::principal();
        // Whoever is bound to queues has tokens there, and decides nothing about people, who may be anywhere.
        let people = if principal.may(Permission::ManagePeople) && principal.is_everywhere() {
            Some(crate::access::people(Permission::ManagePeople)?.0.list().await?)
        } else {
            None
        };
        let (tokens, principal) = crate::access::tokens()?;
        let mut tokens = tokens.list().await?;
        if people.is_none() {
            tokens.retain(|token| token.by == principal.name);
        }
        Ok(PeopleView { people, tokens: Some(tokens) })
    })
    .await
}

/// What a visitor of the demo is from now on. Only there.
#[server(prefix = "/api/fn", endpoint = "set_demo_role", protocol = Post)]
pub async fn set_demo_role(role: Role, #[server(default)] back: Option<String>) -> Result<(), ApiError> {
    use super::answer;
    // Who becomes support begins where support begins, as after signing in.
    let home = crate::routes::home(Some(role));
    let back = if home == crate::routes::OVERVIEW { back } else { Some(home.to_owned()) };
    answer::to(back, |()| String::new(), async move {
        if crate::access::principal().way != crate::access::Way::Demo {
            return Err(ApiError::NotFound);
        }
        crate::cookie::keep(crate::access::DEMO_ROLE, role.as_str());
        Ok(())
    })
    .await
}
