//! `reprieve token`: tokens for the HTTP API, made, listed and revoked.

use super::exit::Failure;
use super::named::Reason;
use super::session::{Run, Session, actor};
use crate::config::read_span;
use app::format::distance;
use clap::{Args, Subcommand};
use reprieve::model::{Delay, NewToken, Permission, QueueName, TokenInfo, TokenName};
use reprieve_access::Tokens;
use serde_json::json;

/// Tokens for the HTTP API.
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum Act {
    /// Make a token and print it, once
    Add(Add),
    /// List tokens: what each may do, until when, and when it was last used
    List,
    /// Revoke a token, from the next request on
    Revoke {
        /// The token's name
        #[arg(value_name = "NAME")]
        name: TokenName,
        #[command(flatten)]
        reason: Reason,
    },
}

#[derive(Debug, Clone, Args)]
pub(crate) struct Add {
    /// Its name, which histories and the audit show
    #[arg(value_name = "NAME")]
    name: TokenName,
    /// What it may do, such as view or jobs.enqueue; may be repeated; `all` is everything
    #[arg(long, required = true, value_name = "PERMISSION", value_parser = permissions)]
    may: Vec<Permissions>,
    /// Only in this queue; may be repeated
    #[arg(long, value_name = "QUEUE")]
    queue: Vec<QueueName>,
    /// How long it is good for
    #[arg(long, value_name = "SPAN", value_parser = read_span, default_value = "90d", conflicts_with = "forever")]
    good_for: Delay,
    /// Good until it is revoked
    #[arg(long)]
    forever: bool,
}

/// What one `--may` stands for. A name of its own, or clap would take a list for several values.
type Permissions = std::sync::Arc<[Permission]>;

fn permissions(word: &str) -> Result<Permissions, String> {
    if word == "all" {
        return Ok(Permission::ALL.into());
    }
    word.parse::<Permission>().map(|one| [one].into()).map_err(|why| format!("{why}, all"))
}

impl Run for Act {
    fn only_looks(&self) -> bool {
        matches!(self, Act::List)
    }

    async fn run(self, session: &Session) -> Result<(), Failure> {
        match self {
            Act::Add(new) => add(session, new).await,
            Act::List => list(session).await,
            Act::Revoke { name, reason } => {
                if !Tokens::new(&session.engine).revoke(&name, &actor(), &reason.text).await? {
                    return Err(Failure::NotFound(format!(
                        "there is no token {name}: `reprieve token list` lists them"
                    )));
                }
                session.out.answer(
                    &json!({ "name": name, "revoked": true }),
                    format!("{name}  opens nothing any more"),
                );
                Ok(())
            }
        }
    }
}

async fn add(session: &Session, new: Add) -> Result<(), Failure> {
    let mut permissions: Vec<Permission> = new.may.iter().flat_map(|some| some.iter().copied()).collect();
    permissions.sort_unstable();
    permissions.dedup();
    let good_for = (!new.forever).then_some(new.good_for);
    let token = NewToken::new(new.name.clone(), permissions).queues(new.queue).good_for(good_for);
    let tokens = Tokens::new(&session.engine);
    if tokens.list().await?.iter().any(|known| known.name == new.name) {
        return Err(Failure::Refused(format!(
            "token {} exists; revoke it first, or choose another name",
            new.name
        )));
    }
    let text = tokens.add(&token, &actor()).await?;
    if let Some(note) = shows_nothing(&token) {
        session.out.say(note);
    }
    session.out.say("This is the only time it is shown:\n");
    session.out.answer(&json!({ "name": new.name, "token": text }), &text);
    Ok(())
}

/// What a token may see more of while it may not look at all.
fn shows_nothing(token: &NewToken) -> Option<String> {
    let more =
        [Permission::SeePayloads, Permission::SeeErrors, Permission::ExportLists, Permission::ExportPayloads];
    let idle = more.into_iter().find(|right| token.permissions.contains(right))?;
    let is_idle = !token.permissions.contains(&Permission::View);
    is_idle
        .then(|| format!("{idle} shows nothing without view: make another token with --may view as well\n"))
}

async fn list(session: &Session) -> Result<(), Failure> {
    let tokens = Tokens::new(&session.engine).list().await?;
    let now = session.engine.now().await?.as_millis();
    let row = |token: &TokenInfo| {
        let may = if token.permissions.len() == Permission::ALL.len() {
            "all".to_owned()
        } else {
            token.permissions.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
        };
        let queues = token.queues.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
        vec![
            token.name.to_string(),
            may,
            if queues.is_empty() { "every".to_owned() } else { queues },
            token.expires.map_or_else(|| "never".to_owned(), |at| distance(at, now)),
            token.used.map_or_else(|| "never".to_owned(), |at| distance(at, now)),
            format!("{} {}", token.by, distance(token.created, now)),
        ]
    };
    let head = ["NAME", "MAY", "QUEUES", "ENDS", "USED", "MADE"];
    session.out.list(tokens, |token| view(&token), &head, row, "no tokens");
    Ok(())
}

/// A token as programs see it.
fn view(token: &TokenInfo) -> serde_json::Value {
    let permissions: Vec<_> = token.permissions.iter().map(ToString::to_string).collect();
    json!({
        "name": token.name, "permissions": permissions, "queues": token.queues, "created_ms": token.created,
        "expires_ms": token.expires, "used_ms": token.used, "by": token.by,
    })
}
