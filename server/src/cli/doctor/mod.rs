//! `reprieve doctor`: looks at the Redis that holds the jobs, and says what to do about what it finds.

mod findings;

use super::exit::Failure;
use super::output::{Output, complain};
use super::session::{Reach, url};
use crate::config::NamespaceConfig;
use clap::Args;
use findings::Finding;
use reprieve::model::{Namespace, Verdict};
use reprieve::{Engine, EngineConfig, zones};
use std::collections::BTreeSet;

/// Looks at everything each configured namespace rests on, or those of `--namespace`. Changes nothing.
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
                complain(&failure.line(out.json));
                failure.exit()
            }
        }
    }

    /// What there is to say: of the Redis, then of each namespace. A Redis that does not answer is a finding, not a failure.
    async fn look(&self) -> Result<Vec<Finding>, Failure> {
        let config = self.reach.config_of_named()?;
        let Ok(address) = url(&config) else { return Ok(vec![findings::no_server(&config.data)]) };
        let main = config.engine(address).keep_rules();
        let beside = config.extra_namespaces.iter().map(|NamespaceConfig { name, shards, .. }| {
            (name, main.clone().namespace(name.clone()).shards(shards.unwrap_or(1)))
        });
        let mut all: Vec<Finding> = Vec::new();
        for (name, engine) in std::iter::once((&config.namespace, main.clone())).chain(beside) {
            let examined = match Engine::examine(&engine).await {
                Ok(examined) => examined,
                Err(error) => {
                    let away = findings::unreachable(&error, &config.redis.to_string());
                    // They are on one Redis: none is asked after the first that it does not answer for.
                    if all.is_empty() {
                        return Ok(vec![away]);
                    }
                    all.push(away.of(name));
                    continue;
                }
            };
            let (of_redis, mut own) = findings::of_redis(&examined);
            own.extend(of_namespace(engine).await);
            if all.iter().all(|finding| finding.namespace.is_some()) {
                all.extend(of_redis);
                all.push(findings::time_zones(zones::version()));
            }
            all.extend(own.into_iter().map(|finding| finding.of(name)));
        }
        Ok(all)
    }
}

/// What a namespace has to say itself.
async fn of_namespace(engine: EngineConfig) -> Vec<Finding> {
    match Engine::visit(engine).await {
        Ok(engine) => match engine.inspector().overview().await {
            Ok(overview) => {
                let mut all = findings::of_namespace(&overview);
                all.extend(findings::later_zones(&overview.zones, zones::version()));
                all
            }
            Err(error) => vec![findings::unreadable(&error)],
        },
        Err(error) => vec![findings::refused(&error.to_string())],
    }
}

fn report(out: &Output, findings: &[Finding]) -> u8 {
    let worst = findings.iter().map(|finding| finding.verdict).max().unwrap_or(Verdict::Good);
    if out.json {
        findings.iter().for_each(|finding| out.value(finding));
    } else {
        let named: BTreeSet<_> = findings.iter().filter_map(|finding| finding.namespace.as_ref()).collect();
        let mut above = None;
        for Finding { namespace, verdict, what, found, advice } in findings {
            if named.len() > 1 && above != Some(namespace) {
                let title = namespace.as_ref().map_or("Redis", Namespace::as_str);
                out.say(format!("{}{title}", if above.is_some() { "\n" } else { "" }));
                above = Some(namespace);
            }
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
        complain(&Failure::Failed(format!("{wrong} of {} are wrong", findings.len())).line(out.json));
        return 1;
    }
    0
}
