//! `reprieve doctor`: looks at the Redis that holds the jobs, and says what to do about what it finds.

mod findings;

use super::exit::Failure;
use super::output::Output;
use super::session::{Reach, url};
use crate::redis_child::DataDir;
use clap::Args;
use findings::Finding;
use reprieve::Engine;
use reprieve::model::Verdict;

/// Looks at everything a namespace rests on. Changes nothing.
#[derive(Debug, Clone, Args)]
pub struct Doctor {
    #[command(flatten)]
    reach: Reach,
}

impl Doctor {
    /// Looks, prints, and returns what the shell sees: 0 if all is well or only to be looked at, 1 if something is
    /// wrong, 2 for settings that cannot be read.
    pub async fn run(self) -> u8 {
        let out = Output::new(self.reach.json);
        match self.look().await {
            Ok(findings) => report(&out, &findings),
            Err(failure) => {
                eprintln!("{}", failure.line(out.json));
                failure.exit()
            }
        }
    }

    /// What there is to say. A Redis that does not answer is a finding, not a failure.
    async fn look(&self) -> Result<Vec<Finding>, Failure> {
        let config = self.reach.config()?;
        let address = match url(&config) {
            Ok(address) => address,
            Err(failure) => {
                return Ok(vec![findings::unreachable(&failure.to_string(), &place(&config.data))]);
            }
        };
        let engine = config.engine(address).keep_rules();
        let examined = match Engine::examine(&engine).await {
            Ok(examined) => examined,
            Err(error) => {
                return Ok(vec![findings::unreachable(&error.to_string(), &config.redis.to_string())]);
            }
        };
        let mut all = findings::of_redis(&examined);
        match Engine::visit(engine).await {
            Ok(engine) => match engine.inspector().overview().await {
                Ok(overview) => all.extend(findings::of_namespace(&overview)),
                Err(error) => all.push(findings::unreadable(&error.to_string())),
            },
            Err(error) => all.push(findings::refused(&error.to_string())),
        }
        Ok(all)
    }
}

/// Where the embedded Redis would be.
fn place(data: &std::path::Path) -> String {
    DataDir::socket_in(data).map_or_else(|| data.display().to_string(), |socket| socket.display().to_string())
}

fn report(out: &Output, findings: &[Finding]) -> u8 {
    let worst = findings.iter().map(|finding| finding.verdict).max().unwrap_or(Verdict::Good);
    if out.json {
        findings.iter().for_each(|finding| out.value(finding));
    } else {
        for Finding { verdict, what, found, advice } in findings {
            let mark = match verdict {
                Verdict::Good => "good   ",
                Verdict::Look => "look   ",
                Verdict::Wrong => "wrong  ",
            };
            out.say(format!("{} {what}: {found}", out.verdict(mark, *verdict)));
            if let Some(advice) = advice {
                out.say(format!("        {}", out.dim(&format!("→ {advice}"))));
            }
        }
    }
    let count = |verdict| findings.iter().filter(|finding| finding.verdict == verdict).count();
    let (wrong, look) = (count(Verdict::Wrong), count(Verdict::Look));
    out.say(format!("\n{wrong} wrong, {look} to look at, {} good", count(Verdict::Good)));
    if worst == Verdict::Wrong {
        eprintln!("{}", Failure::Failed(format!("{wrong} of {} are wrong", findings.len())).line(out.json));
        return 1;
    }
    0
}
