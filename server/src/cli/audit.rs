//! `reprieve audit`: who did what, and whether that is still what was written down.

use super::exit::Failure;
use super::session::{Run, Session};
use crate::audit_archive::Archive;
use clap::{Args, Subcommand};
use reprieve::Undoings;
use reprieve::model::{
    AuditCheck, AuditEntry, AuditFault, AuditFilter, AuditOnly, AuditPlace, QueueName, Subject, Timestamp,
};
use std::path::PathBuf;

/// Acts of one read.
const PAGE: u16 = 200;
/// Entries of one check: some minutes, far more than people do in 400 days.
const CHECKED_MAX: u64 = 20_000_000;

/// Who did what, when and why.
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum Act {
    /// List what was done, the latest first
    List(List),
    /// Check that no entry was changed, removed or inserted
    Verify(Verify),
}

/// Which acts. Everything given must hold.
#[derive(Debug, Clone, Args)]
pub(crate) struct List {
    /// By somebody with this in their name
    #[arg(long, value_name = "NAME", default_value = "")]
    by: String,
    /// The act: cancel, pause, bulk_cancel …
    #[arg(long, value_name = "ACT", default_value = "")]
    act: String,
    /// About that queue
    #[arg(long, value_name = "NAME")]
    queue: Option<QueueName>,
    /// Done to jobs and plans of that subject
    #[arg(long, value_name = "SUBJECT")]
    subject: Option<Subject>,
    /// At that time or later, in RFC 3339
    #[arg(long, value_name = "TIME", value_parser = super::when::instant)]
    from: Option<Timestamp>,
    /// At that time or earlier
    #[arg(long, value_name = "TIME", value_parser = super::when::instant)]
    to: Option<Timestamp>,
    /// Only bulk or only denied
    #[arg(long, value_name = "SORT")]
    only: Option<AuditOnly>,
    /// At most this many
    #[arg(long, value_name = "NUMBER", default_value_t = 50)]
    limit: usize,
}

/// What to check it against.
#[derive(Debug, Clone, Args)]
pub(crate) struct Verify {
    /// A hash you noted earlier, which one entry must have
    #[arg(long, value_name = "HASH")]
    anchor: Option<String>,
    /// The folder of `audit_archive`: what went there is checked as well, and that nothing is missing in between
    #[arg(long, value_name = "PATH")]
    archive: Option<PathBuf>,
}

impl Run for Act {
    const LOOKS: bool = true;

    async fn run(self, session: &Session) -> Result<(), Failure> {
        match self {
            Act::List(list) => self::list(list, session).await,
            Act::Verify(verify) => self::verify(verify, session).await,
        }
    }
}

async fn list(list: List, session: &Session) -> Result<(), Failure> {
    let mut filter = AuditFilter::default();
    (filter.by, filter.verb) = (list.by, list.act);
    (filter.queue, filter.subject) = (list.queue, list.subject);
    (filter.from, filter.to, filter.only) = (list.from, list.to, list.only);
    let acts = found(session, &filter, list.limit).await?;
    let now = session.engine.now().await?;
    let row = |act: &AuditEntry| {
        vec![
            session.out.time(act.at, now),
            act.by.clone(),
            act.role.clone(),
            act.address.clone(),
            act.verb.clone(),
            act.target.clone(),
            result(act),
            act.undone.as_ref().map(|undone| session.out.time(undone.at, now)).unwrap_or_default(),
            act.why.clone(),
            act.ticket.clone().unwrap_or_default(),
        ]
    };
    let head = ["AT", "BY", "ROLE", "ADDRESS", "ACT", "TARGET", "RESULT", "UNDONE", "WHY", "TICKET"];
    session.out.list(acts, |act| act, &head, row, "no such acts");
    Ok(())
}

/// What came of an act, and what was before and after where that says more.
fn result(act: &AuditEntry) -> String {
    match (act.from.as_str(), act.to.as_str()) {
        ("", "") => act.outcome.clone(),
        (from, to) if to == act.outcome => format!("{from} → {to}"),
        (from, to) => format!("{} ({from} → {to})", act.outcome),
    }
}

async fn found(session: &Session, filter: &AuditFilter, limit: usize) -> Result<Vec<AuditEntry>, Failure> {
    let (inspector, mut acts, mut before) = (session.engine.inspector(), Vec::new(), None::<AuditPlace>);
    let mut undoings = Undoings::of_all();
    loop {
        let page = inspector.audit_on(filter, before, PAGE, &mut undoings).await?;
        acts.extend(page.items);
        before = page.next;
        if acts.len() >= limit || before.is_none() {
            acts.truncate(limit);
            return Ok(acts);
        }
    }
}

async fn verify(verify: Verify, session: &Session) -> Result<(), Failure> {
    let (inspector, anchor) = (session.engine.inspector(), verify.anchor.as_deref());
    let check = match &verify.archive {
        Some(folder) => {
            let archive = Archive::of(folder, session.engine.namespace());
            inspector.verify_audit_behind(CHECKED_MAX, anchor, |shard| archive.read(shard)).await?
        }
        None => inspector.verify_audit(CHECKED_MAX, anchor).await?,
    };
    if session.out.json {
        session.out.value(&check);
    }
    if let Some(sentence) = wrong(&check) {
        return Err(Failure::Failed(sentence));
    }
    session.out.say(format!("{} entries read as they were written", check.checked));
    if let Some(archived) = check.archived {
        session.out.say(format!("{archived} entries of the archive as well, and the others follow on them"));
    }
    for head in &check.heads {
        session.out.say(format!("newest: {head}"));
    }
    if !check.complete {
        return Err(Failure::Failed(format!("more than {CHECKED_MAX} entries; the rest was not looked at")));
    }
    Ok(())
}

/// What is wrong; `None` when nothing is.
fn wrong(check: &AuditCheck) -> Option<String> {
    let Some(broken) = &check.broken else {
        return (check.anchored == Some(false)).then(|| "no entry has that hash".to_owned());
    };
    let which = match &broken.entry {
        Some(entry) => format!(
            "entry {} of {} ({} {} {})",
            entry.place,
            app::format::rfc3339(entry.at),
            entry.by,
            entry.verb,
            entry.target
        ),
        None => format!("the audit of shard {}", broken.shard),
    };
    let how = match broken.how {
        AuditFault::Altered => "does not say what it said when it was written",
        AuditFault::Unlinked => "does not follow on the one before it: entries were removed, or put in",
        _ => "is not the last that was written: later ones are gone",
    };
    Some(format!("{which} {how}"))
}
