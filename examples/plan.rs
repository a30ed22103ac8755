//! A resource that expires: three notices and a deletion, renewed once, as one plan.
//!
//! `cargo run --example plan -- redis://127.0.0.1`

mod connect;

use reprieve::model::{Delay, JobId, Kind, Offset, Past, PlanId, StepName, Subject, Unmet};
use reprieve::{Due, NewJob, NewPlan, NewStep};

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let engine = connect::connect().await?;
    let client = engine.client();

    let id = PlanId::new(format!("expiry-{}", std::process::id()))?;
    let step = |name: &str, days| -> anyhow::Result<NewStep> {
        let kind = Kind::new(if name == "delete" { "delete_resource" } else { "notice" })?;
        let job = NewJob::new(kind, format!("{{\"step\":\"{name}\"}}"));
        Ok(NewStep::new(StepName::new(name)?, Offset::after(Delay::days(days)), job))
    };
    let notices =
        ["notice-1", "notice-2", "notice-3"].map(StepName::new).into_iter().collect::<Result<Vec<_>, _>>()?;
    let plan = NewPlan::new(id.clone(), Subject::new("resource:4711")?)
        .step(step("notice-1", 23)?)
        .step(step("notice-2", 28)?)
        .step(step("notice-3", 29)?)
        .step(step("delete", 30)?.only_after(notices).otherwise(Unmet::Hold));
    let made = client.make_plan(&plan).await?;
    println!("plan {} is {}", made.plan, made.outcome.as_str());

    // The customer renews: everything that has not run starts again from today.
    let moved = client.plan(&id).reanchor(Due::Now).past(Past::Skip).because("renewed").await?;
    for step in &moved.steps {
        println!("{:10} {}", step.step.as_str(), step.outcome);
    }

    // Legal asks to keep everything as it is; a week later the resource is gone by other means.
    engine.operator("ann").plan(&id).hold().because("legal hold").await?;
    engine.operator("ann").plan(&id).cancel().because("deleted by hand").await?;
    let delete = JobId::new(format!("{id}/delete"))?;
    if let Some(detail) = engine.inspector().job(&delete).await? {
        println!("the deletion is {}: {}", detail.job.state, detail.job.why);
    }
    Ok(())
}
