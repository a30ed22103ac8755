//! `reprieve plan`: several jobs of one subject from one anchor, as one thing.

use super::exit::Failure;
use super::named::Named;
use super::session::{Run, Session};
use super::when::When;
use crate::config::read_span;
use crate::http_api::{PlanView, plan_from_text};
use clap::{Args, Subcommand};
use reprieve::model::{Delay, Offset, Past, PlanAnswer, PlanId, PlanWord, Subject};
use reprieve::{Anchor, Error, PlanAct};
use std::path::{Path, PathBuf};

/// Plans.
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum Act {
    /// Make a plan from a file of JSON, as the HTTP API takes it
    Make {
        /// The file
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
    /// Show one plan with all its steps
    Show {
        /// Its id
        #[arg(value_name = "PLAN")]
        id: PlanId,
    },
    /// List the latest plans of a subject
    List {
        /// The subject, such as resource:4711
        #[arg(value_name = "SUBJECT")]
        subject: Subject,
    },
    /// Move the anchor of a plan: every step that has not run moves along
    Reanchor {
        #[command(flatten)]
        said: Said,
        #[command(flatten)]
        to: When,
        /// That much later than it is, such as 30d
        #[arg(long, value_name = "SPAN", value_parser = read_span, conflicts_with_all = ["at", "in_"])]
        by: Option<Delay>,
    },
    /// Hold a plan: none of its steps runs
    Hold(Said),
    /// Unhold a plan
    Unhold(Said),
    /// Cancel the live jobs of a plan
    Cancel(Said),
    /// Undo the cancel of a plan
    Reinstate(Said),
}

/// A plan, and why somebody acts on it.
#[derive(Debug, Clone, Args)]
pub(crate) struct Said {
    /// Its id
    #[arg(value_name = "PLAN")]
    id: PlanId,
    /// What to do with steps whose time has passed: refuse, run or skip
    #[arg(long, value_name = "WORD", default_value = "refuse")]
    past: Past,
    #[command(flatten)]
    named: Named,
}

impl Run for Act {
    fn only_looks(&self) -> bool {
        matches!(self, Act::Show { .. } | Act::List { .. })
    }

    async fn run(self, session: &Session) -> Result<(), Failure> {
        let plan = |said: &Said| session.operator().plan(&said.id);
        match &self {
            Act::Make { file } => make(session, file).await,
            Act::Show { id } => {
                let found = session.engine.inspector().plan(id).await?;
                show(session, found.ok_or_else(|| Error::NoPlan { id: id.clone() })?).await
            }
            Act::List { subject } => {
                for plan in session.engine.inspector().plans(subject).await? {
                    show(session, plan).await?;
                }
                Ok(())
            }
            Act::Reanchor { said, to, by } => {
                let anchor = by
                    .map(|by| Anchor::By(Offset::after(by)))
                    .or(to.due().map(Anchor::To))
                    .ok_or_else(|| Failure::Usage("say where to: --at, --in or --by".to_owned()))?;
                carry_out(session, said, plan(said).reanchor(anchor)).await
            }
            Act::Hold(said) => carry_out(session, said, plan(said).hold()).await,
            Act::Unhold(said) => carry_out(session, said, plan(said).unhold()).await,
            Act::Cancel(said) => carry_out(session, said, plan(said).cancel()).await,
            Act::Reinstate(said) => carry_out(session, said, plan(said).reinstate()).await,
        }
    }
}

async fn make(session: &Session, file: &Path) -> Result<(), Failure> {
    let text = super::file::read(file)?;
    let plan = plan_from_text(&text).map_err(Failure::Usage)?;
    tell(session, &session.operator().make_plan(&plan).await?)
}

async fn carry_out(session: &Session, said: &Said, act: PlanAct) -> Result<(), Failure> {
    let act = act.past(said.past).because(said.named.reason.text.as_str());
    let act = act.operation(said.named.key.operation.as_str());
    tell(session, &act.await.map_err(|error| said.named.key.failure(error))?)
}

fn tell(session: &Session, answer: &PlanAnswer) -> Result<(), Failure> {
    let steps: Vec<_> = answer.steps.iter().map(|step| format!("{} {}", step.step, step.outcome)).collect();
    if answer.outcome == PlanWord::Past {
        let which = steps.join(", ");
        return Err(Failure::Refused(format!("{which}: say --past run or --past skip; nothing was changed")));
    }
    let of_steps = if steps.is_empty() { String::new() } else { format!(": {}", steps.join(", ")) };
    let sentence = format!("plan {} is {}{of_steps}", answer.plan, answer.outcome.as_str());
    session.out.answer(answer, sentence);
    Ok(())
}

async fn show(session: &Session, plan: reprieve::model::Plan) -> Result<(), Failure> {
    let now = session.engine.now().await?;
    let mut head = format!("{} of {}, anchor {}", plan.id, plan.subject, session.out.time(plan.anchor, now));
    if let Some(held) = &plan.held {
        head.push_str(&format!(", held by {}: {}", held.by, held.why));
    }
    let rows = plan.steps.iter().map(|step| {
        let job = step.job.as_ref();
        vec![
            step.name.to_string(),
            job.map_or_else(|| "gone".to_owned(), |job| session.out.state(job.state)),
            job.map_or_else(String::new, |job| session.out.time(job.due, now)),
            job.map_or_else(String::new, |job| job.why.clone()),
        ]
    });
    let rows = rows.collect();
    session.out.say(head);
    session.out.table(&["STEP", "STATE", "DUE", "WHY"], rows, "no steps");
    if session.out.json {
        session.out.value(&PlanView::from(plan));
    }
    Ok(())
}
