//! Everything that was looked at, the worst first, each with what to do.

use leptos::prelude::*;
use reprieve::model::{Finding, Verdict};

use crate::components::icons::{Icon, icon};
use crate::components::table::{Table, head};
use crate::{findings, i18n, t};

/// The table of findings.
#[component]
pub(super) fn Findings(findings: Vec<Finding>) -> impl IntoView {
    let count = |verdict| findings.iter().filter(|finding| finding.verdict() == verdict).count().to_string();
    let (wrong, look, good) = (count(Verdict::Wrong), count(Verdict::Look), count(Verdict::Good));
    let worst = findings.iter().map(Finding::verdict).max().unwrap_or(Verdict::Good);
    let summary = if worst == Verdict::Good {
        t!("redis-summary-good", count = good)
    } else {
        t!("redis-summary", wrong = wrong, look = look, good = good)
    };
    let mut sorted = findings.clone();
    sorted.sort_by_key(|finding| std::cmp::Reverse(finding.verdict()));
    view! {
        <section class="panel" aria-labelledby="redis-findings">
            <div class="panel-head">
                <h2 id="redis-findings">{t!("redis-findings")}</h2>
                <p class="verdict" data-verdict=word(worst)>{picture(worst)} {summary}</p>
            </div>
            <Table named_by="redis-findings" class="cards findings" heads=vec![
                head(t!("redis-verdict")), head(t!("redis-what")), head(t!("redis-found")), head(t!("redis-advice")),
            ]>
                {sorted.iter().map(row).collect_view()}
            </Table>
        </section>
    }
}

fn row(finding: &Finding) -> impl IntoView + use<> {
    let verdict = finding.verdict();
    let said = i18n::word("redis-verdict", word(verdict));
    view! {
        <tr data-verdict=word(verdict)>
            <td class="finding-verdict"><span class="verdict" data-verdict=word(verdict)>{picture(verdict)} {said}</span></td>
            <th scope="row">{findings::title(finding.check())}</th>
            <td>{findings::sentence(finding)}</td>
            <td>{findings::advice(finding)}</td>
        </tr>
    }
}

const fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Good => "good",
        Verdict::Look => "look",
        Verdict::Wrong => "wrong",
    }
}

fn picture(verdict: Verdict) -> impl IntoView {
    icon(match verdict {
        Verdict::Good => Icon::Check,
        Verdict::Look => Icon::Warning,
        Verdict::Wrong => Icon::CrossedBox,
    })
}
