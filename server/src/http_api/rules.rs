//! `/api/v1/rules`: when jobs of a kind may start, how late, and whether bulk runs leave them alone.

use super::act::operation;
use super::due::span;
use super::needs;
use super::new_job::LatenessBody;
use super::reason::Reason;
use super::shapes::IdempotencyKey;
use crate::access::Access;
use crate::body;
use crate::config::{DAYS, read_days, read_hours};
use crate::parse::Object;
use crate::problem::{Mistakes, Problem, Told};
use axum::Json;
use axum::extract::{Path, Request};
use reprieve::model::{Delay, Kind, KindRule, Permission, Window};
use reprieve::{Engine, Operator};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// The routes of rules.
pub(super) fn routes() -> OpenApiRouter<Engine> {
    OpenApiRouter::new().routes(routes!(rules)).routes(needs(Permission::LimitQueues, routes!(set_rule)))
}

/// The rule of a kind.
#[derive(Serialize, ToSchema)]
#[schema(as = Rule)]
pub(crate) struct RuleView {
    /// Whose jobs.
    kind: Kind,
    /// The hours in which they may start; null for any.
    window: Option<WindowView>,
    /// How late they may start; null for as late as it gets.
    lateness: Option<LatenessView>,
    /// Whether bulk runs leave them alone.
    protected: bool,
}

/// Hours on a clock on the wall.
#[derive(Serialize, ToSchema)]
#[schema(as = RuleWindow)]
struct WindowView {
    /// When it opens and closes: `08:00-21:00`.
    hours: String,
    /// The zone of that clock, by its IANA name.
    zone: String,
    /// On which days it opens: `mon`, `tue`, …
    days: Vec<&'static str>,
    /// Jobs that wait for an opening are spread over that span, in ms.
    spread_ms: i64,
    /// The next openings: from, to, in ms since 1970.
    open: Vec<[i64; 2]>,
}

/// How late jobs may start.
#[derive(Serialize, ToSchema)]
#[schema(as = RuleLateness)]
struct LatenessView {
    /// So many ms behind their due time.
    most_ms: i64,
    /// What becomes of them then: `skip`, `dead` or `run`.
    then: &'static str,
}

impl From<KindRule> for RuleView {
    fn from(rule: KindRule) -> Self {
        let open = rule.open.iter().map(|(from, to)| [from.as_millis(), to.as_millis()]).collect();
        Self {
            kind: rule.kind,
            window: rule.window.map(|window| WindowView {
                hours: hours(&window),
                days: DAYS.iter().zip(window.days).filter_map(|(day, on)| on.then_some(*day)).collect(),
                zone: window.zone,
                spread_ms: window.spread.as_millis(),
                open,
            }),
            lateness: rule.lateness.map(|lateness| LatenessView {
                most_ms: lateness.most.as_millis(),
                then: lateness.policy.as_str(),
            }),
            protected: rule.protected,
        }
    }
}

/// The hours of a window as people write them.
pub(crate) fn hours(window: &Window) -> String {
    let clock = |minutes: u16| format!("{:02}:{:02}", minutes / 60, minutes % 60);
    format!("{}-{}", clock(window.opens), clock(window.closes))
}

/// All rules.
#[derive(Serialize, ToSchema)]
#[schema(as = Rules)]
struct RulesView {
    /// By kind.
    items: Vec<RuleView>,
}

/// The rule of a kind as it is to be; what is left out is no limit.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewRule, example = json!({
    "window": { "hours": "08:00-21:00", "zone": "Europe/Berlin", "days": "mon-fri" },
    "lateness": { "most_ms": 3_600_000, "then": "skip" }, "reason": "nobody is called at night",
}))]
struct RuleBody {
    /// The hours in which jobs may start.
    #[schema(value_type = Option<WindowBody>)]
    window: Option<Object<WindowBody>>,
    /// How late they may start.
    #[schema(value_type = Option<LatenessBody>)]
    lateness: Option<Object<LatenessBody>>,
    /// Whether bulk runs leave them alone; each can be acted on by itself. False without it.
    protected: Option<bool>,
    /// Why; at most 1,024 bytes.
    reason: Option<Reason>,
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewRuleWindow)]
struct WindowBody {
    /// When it opens and closes: `08:00-21:00`. One that closes before it opens closes on the next day.
    hours: String,
    /// The zone of that clock, by its IANA name; UTC without it.
    zone: Option<String>,
    /// On which days it opens: `mon-fri`, `sat,sun`; every day without it.
    days: Option<String>,
    /// Jobs that wait for an opening are spread over that span, in ms; a day at most.
    #[schema(value_type = Option<u64>)]
    spread_ms: Option<i64>,
}

impl RuleBody {
    fn checked(self, kind: Kind) -> Result<KindRule, Problem> {
        let mut mistakes = Mistakes::default();
        let window = self.window.and_then(|Object(window)| window.checked(&mut mistakes));
        let lateness =
            self.lateness.and_then(|Object(lateness)| lateness.checked("/lateness", &mut mistakes));
        mistakes.into_result()?;
        let rule = KindRule::new(kind, window, lateness, Vec::new());
        Ok(rule.protected(self.protected.unwrap_or_default()))
    }
}

impl WindowBody {
    fn checked(self, mistakes: &mut Mistakes) -> Option<Window> {
        let mut refused = |field: &str, why| mistakes.body(format!("/window/{field}"), "invalid", why);
        let hours = read_hours(&self.hours).map_err(|why| refused("hours", why));
        let days = self.days.map_or(Ok([true; 7]), |days| read_days(&days));
        let days = days.map_err(|why| refused("days", why));
        let spread = span(self.spread_ms, "/window", "spread_ms", mistakes).unwrap_or(Delay::ZERO);
        let (opens, closes) = hours.ok()?;
        let zone = self.zone.unwrap_or_else(|| "UTC".to_owned());
        Some(Window::daily(zone, opens, closes).on(days.ok()?).spread(spread))
    }
}

/// What became of a change.
#[derive(Serialize, ToSchema)]
struct RuleSet {
    /// The kind.
    kind: Kind,
    /// False when it was so before.
    changed: bool,
}

/// When jobs of which kinds may start, how late, and which of them bulk runs leave alone
#[utoipa::path(
    get, path = "/api/v1/rules",
    responses((status = 200, description = "Every rule, by kind.", body = RulesView)),
)]
async fn rules(access: Access) -> Result<Json<RulesView>, Problem> {
    let rules = access.inspector()?.rules().await.told()?;
    Ok(Json(RulesView { items: rules.into_iter().map(RuleView::from).collect() }))
}

/// Set the rule of a kind
///
/// In place of the one it had; an empty object takes it away. It holds for jobs that are there as well, unless they say
/// otherwise themselves.
#[utoipa::path(
    post, path = "/api/v1/rules/{kind}", params(IdempotencyKey),
    request_body(content = RuleBody),
    responses((status = 200, description = "It holds from now on.", body = RuleSet)),
)]
async fn set_rule(
    access: Access,
    Path(kind): Path<String>,
    request: Request,
) -> Result<Json<RuleSet>, Problem> {
    let kind = super::path_name::<Kind>(&kind)?;
    let operator: Operator = access.operator(Permission::LimitQueues)?;
    let operation = operation(&access, request.headers())?;
    let mut body: RuleBody = body::read(request).await?;
    let why = Reason::of(body.reason.take());
    let rule = body.checked(kind.clone())?;
    let changed = operator.operation(&*operation.id).set_rule(&rule, &why).await;
    let changed = changed.map_err(|error| operation.problem(&error))?;
    Ok(Json(RuleSet { kind, changed }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hours_are_written_as_they_are_read() {
        for text in ["08:00-21:00", "22:30-06:00", "00:00-24:00"] {
            let (opens, closes) = read_hours(text).unwrap();
            assert_eq!(hours(&Window::daily("UTC", opens, closes)), text);
        }
    }
}
