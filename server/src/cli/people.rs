//! `reprieve people`: who may sign in, from the machine itself.

use super::exit::Failure;
use super::named::Reason;
use super::output::counted;
use super::session::{Run, Session, actor};
use app::format::distance;
use clap::{Args, Subcommand};
use reprieve::Error;
use reprieve::model::{PersonInfo, PersonName, QueueName, Role, SessionInfo, TokenName};
use reprieve_access::{Invitation, People as Accounts, Tokens};
use serde_json::json;

/// Who may sign in.
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum Act {
    /// Add somebody and print their invitation, once
    Add {
        /// The name they sign in with
        #[arg(value_name = "NAME")]
        name: PersonName,
        /// Their role: viewer, support, operator or admin
        #[arg(long, value_name = "ROLE", default_value = "viewer")]
        role: Role,
        /// Only in this queue; may be repeated
        #[arg(long, value_name = "QUEUE")]
        queue: Vec<QueueName>,
    },
    /// Print a new invitation for somebody who lost their password or second factor
    Invite(One),
    /// List people: role, queues, and how they sign in
    List,
    /// Change the role or queues of somebody; what you leave out stays. They have to sign in again
    Role {
        /// Who
        #[arg(value_name = "NAME")]
        name: PersonName,
        /// Their new role: viewer, support, operator or admin
        #[arg(value_name = "ROLE")]
        role: Role,
        /// From now on only in this queue; may be repeated [default: the queues they have]
        #[arg(long, value_name = "QUEUE")]
        queue: Vec<QueueName>,
        /// From now on in every queue
        #[arg(long, conflicts_with = "queue")]
        every_queue: bool,
        /// Also revoke tokens they made that may do more; otherwise programs can still use them
        #[arg(long)]
        tokens: bool,
        #[command(flatten)]
        reason: Reason,
    },
    /// Disable somebody: they are signed out everywhere at once
    Disable(Out),
    /// Enable somebody again
    Enable(One),
    /// Remove somebody
    Remove(Out),
    /// List where somebody is signed in
    Sessions(One),
    /// End the sessions of somebody
    End(One),
}

#[derive(Debug, Clone, Args)]
pub(crate) struct One {
    /// Who
    #[arg(value_name = "NAME")]
    name: PersonName,
    #[command(flatten)]
    reason: Reason,
}

/// Who is out from now on.
#[derive(Debug, Clone, Args)]
pub(crate) struct Out {
    #[command(flatten)]
    one: One,
    /// Also revoke the tokens they made; otherwise programs can still use them
    #[arg(long)]
    tokens: bool,
}

impl Run for Act {
    fn only_looks(&self) -> bool {
        matches!(self, Act::List | Act::Sessions(_))
    }

    async fn run(self, session: &Session) -> Result<(), Failure> {
        let people = Accounts::new(&session.engine);
        let by = actor();
        match self {
            Act::Add { name, role, queue } => {
                invited(session, said(&name, people.add(&name, role, &queue, &by).await)?);
            }
            Act::Invite(one) => invited(session, said(&one.name, people.invite(&one.name, &by).await)?),
            Act::List => list(session, &people).await?,
            Act::Role { name, role, queue, every_queue, tokens: revoke, reason } => {
                let queues = if queue.is_empty() && !every_queue {
                    // Other queues that somebody gives them meanwhile stay.
                    let before = known(&people, &name).await?;
                    let seen = Some((before.role, before.queues.as_slice()));
                    let kept = (role, before.queues.as_slice());
                    said(&name, people.set_role_seen(&name, seen, kept, &by, &reason.text).await)?;
                    before.queues
                } else {
                    said(&name, people.set_role(&name, role, &queue, &by, &reason.text).await)?;
                    queue
                };
                session.out.answer(
                    &json!({ "name": name, "role": role, "queues": queues }),
                    format!("{name}  is {role} in {}", named(&queues)),
                );
                let (tokens, rights) = (Tokens::new(&session.engine), Some((role, queues.as_slice())));
                let beyond = if revoke {
                    tokens.revoke_made_by(&name, rights, &by, &reason.text).await?
                } else {
                    tokens.made_by(&name, rights).await?
                };
                tell_of_tokens(session, &beyond, revoke, "a token of theirs that may do more");
            }
            Act::Disable(out) => {
                let One { name, reason } = &out.one;
                said(name, people.set_disabled(name, true, &by, &reason.text).await)?;
                session.out.answer(&json!({ "name": name, "disabled": true }), format!("{name}  is out"));
                out.end_tokens(session, &by).await?;
            }
            Act::Enable(one) => {
                said(&one.name, people.set_disabled(&one.name, false, &by, &one.reason.text).await)?;
                session.out.answer(
                    &json!({ "name": one.name, "disabled": false }),
                    format!("{}  may sign in", one.name),
                );
            }
            Act::Remove(out) => {
                let One { name, reason } = &out.one;
                said(name, people.remove(name, &by, &reason.text).await)?;
                session
                    .out
                    .answer(&json!({ "name": name, "removed": true }), format!("{name}  is forgotten"));
                out.end_tokens(session, &by).await?;
            }
            Act::Sessions(one) => sessions(session, &people, &one.name).await?,
            Act::End(one) => {
                let ended = people.end_sessions(&one.name, "", None, &by, &one.reason.text).await?;
                if ended == 0 {
                    known(&people, &one.name).await?;
                }
                session.out.answer(
                    &json!({ "name": one.name, "ended": ended }),
                    format!("{}  {} ended", one.name, counted(ended, "session", "sessions")),
                );
            }
        }
        Ok(())
    }
}

impl Out {
    /// Revokes the tokens of a person who is out, or says which go on.
    async fn end_tokens(&self, session: &Session, by: &str) -> Result<(), Failure> {
        let (tokens, One { name, reason }) = (Tokens::new(&session.engine), &self.one);
        let made = if self.tokens {
            tokens.revoke_made_by(name, None, by, &reason.text).await?
        } else {
            tokens.made_by(name, None).await?
        };
        tell_of_tokens(session, &made, self.tokens, "a token that they made");
        Ok(())
    }
}

/// Says of each token that it is over, or that it goes on and how to end it.
fn tell_of_tokens(session: &Session, tokens: &[TokenName], revoked: bool, what: &str) {
    for token in tokens {
        let sentence = if revoked {
            format!("{token}  opens nothing any more")
        } else {
            format!("{token}  goes on, {what}; end it with: reprieve token revoke {token}")
        };
        session.out.answer(&json!({ "token": token, "revoked": revoked }), sentence);
    }
}

/// What is kept of them; fails for a name that is nobody's.
async fn known(people: &Accounts, name: &PersonName) -> Result<PersonInfo, Failure> {
    let nobody = || {
        Failure::NotFound(format!(
            "name {:?} is nobody's here: `reprieve people list` lists them",
            name.as_str()
        ))
    };
    people.get(name).await?.ok_or_else(nobody)
}

/// Where somebody has rights; without names it is everywhere.
fn named(queues: &[QueueName]) -> String {
    let names: Vec<_> = queues.iter().map(QueueName::as_str).collect();
    match names.as_slice() {
        [] => "every queue".to_owned(),
        [one] => format!("queue {one}"),
        several => format!("queues {}", several.join(", ")),
    }
}

/// A refusal of the engine is one of the verb, and tells of whom.
fn said<T>(of: &PersonName, result: Result<T, Error>) -> Result<T, Failure> {
    result.map_err(|error| {
        let why = match &error {
            Error::Invalid { field: "name", why } => format!("name {:?} {why}", of.as_str()),
            other => format!("{of}: {other}"),
        };
        match Accounts::refusal(&error) {
            Some("nobody") => Failure::NotFound(format!("{why}: `reprieve people list` lists them")),
            Some(_) => Failure::Refused(why),
            None => Failure::from(error).because(why),
        }
    })
}

fn invited(session: &Session, Invitation { name, secret, .. }: Invitation) {
    let path = format!("/welcome?name={}&key={secret}", name.as_str().replace('+', "%2B"));
    session
        .out
        .say("Put this behind the dashboard's address. It is good for 24 hours and not shown again:\n");
    session.out.answer(&json!({ "name": name, "path": path }), &path);
}

async fn list(session: &Session, people: &Accounts) -> Result<(), Failure> {
    let everybody = people.list().await?;
    let now = session.engine.now().await?.as_millis();
    let row = |person: &PersonInfo| {
        let queues = person.queues.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
        let signs_in = match (person.disabled, person.has_password, person.has_second_factor) {
            (true, ..) => "no",
            _ if person.federated => "by the provider",
            (_, false, _) => "invited",
            (.., true) => "password and code",
            _ => "password",
        };
        vec![
            person.name.to_string(),
            person.role.to_string(),
            if queues.is_empty() { "every".to_owned() } else { queues },
            signs_in.to_owned(),
            format!("{} {}", person.by, distance(person.created, now)),
        ]
    };
    let head = ["NAME", "ROLE", "QUEUES", "SIGNS IN", "ADDED"];
    session.out.list(everybody, |person| person, &head, row, "nobody");
    Ok(())
}

async fn sessions(session: &Session, people: &Accounts, name: &PersonName) -> Result<(), Failure> {
    let there = people.sessions(name).await?;
    if there.is_empty() {
        known(people, name).await?;
    }
    let now = session.engine.now().await?.as_millis();
    let row = |one: &SessionInfo| {
        vec![
            one.id.clone(),
            one.address.clone(),
            distance(one.created, now),
            distance(one.seen, now),
            one.agent.clone(),
        ]
    };
    let head = ["SESSION", "FROM", "SINCE", "USED", "BROWSER"];
    session.out.list(there, |one| one, &head, row, "none");
    Ok(())
}
