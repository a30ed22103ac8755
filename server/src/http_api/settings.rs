//! `/api/v1/settings`: how a namespace looks, what is hidden, the reasons, and when somebody is told.

use super::act::operation;
use super::needs;
use super::reason::Reason;
use super::shapes::IdempotencyKey;
use crate::access::Access;
use crate::body;
use crate::problem::{Problem, Told};
use crate::setting;
use axum::Json;
use axum::extract::{Path, Request};
use http::{HeaderMap, StatusCode};
use reprieve::Engine;
use reprieve::model::{JobId, Permission, Setting, Settings};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// The routes of settings.
pub(super) fn routes() -> OpenApiRouter<Engine> {
    OpenApiRouter::new()
        .routes(routes!(settings))
        .routes(needs(Permission::ManageSettings, routes!(set_setting)))
        .routes(needs(Permission::ManageSettings, routes!(test_alert)))
}

/// Everything that was set.
#[derive(ToSchema)]
#[schema(as = Settings)]
#[expect(dead_code, reason = "it describes what is written by the model")]
struct SettingsView {
    /// `title`, `colour` and `environment`.
    #[schema(value_type = Object)]
    look: Value,
    /// Rules with `kinds`, `path` and `keep`.
    #[schema(value_type = Vec<Object>)]
    redaction: Value,
    /// The reasons that dialogs offer; empty for the usual ones.
    reasons: Vec<String>,
    /// Rules with `what` (`late`, `dead` or `unserved`), `queue` and `over`.
    #[schema(value_type = Vec<Object>)]
    alerts: Value,
    /// Whether deleting jobs by hand needs two people who signed in.
    second_person: bool,
    /// Paths into payloads by whose values filters find jobs at once.
    index_fields: Vec<String>,
}

/// A setting as it is to be.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewSetting, example = json!({ "value": ["Moved house", "Paid"], "seen": [], "reason": "the desk asked" }))]
struct SettingBody {
    /// The whole value, in place of what there was.
    value: Value,
    /// The value that was read before: if it is another one by now, nothing is set. Anything without it.
    seen: Option<Value>,
    /// Why; at most 1,024 bytes.
    reason: Option<Reason>,
}

/// What became of it.
#[derive(Serialize, ToSchema)]
struct SettingSet {
    /// Which setting.
    name: &'static str,
    /// False when it was so before.
    changed: bool,
}

/// The job of a test.
#[derive(Serialize, ToSchema)]
struct AlertTested {
    /// Its id; its kind is `reprieve_alert`.
    id: JobId,
}

/// Every setting
#[utoipa::path(
    get, path = "/api/v1/settings",
    responses((status = 200, description = "Everything that was set; the rest has its defaults.", body = SettingsView)),
)]
async fn settings(access: Access) -> Result<Json<Settings>, Problem> {
    let settings = access.inspector()?.settings().await.told()?;
    Ok(Json(Settings::clone(&settings)))
}

/// Set one setting
///
/// In place of the value it had. With `seen`, only if nobody has set something else meanwhile; `409` otherwise.
#[utoipa::path(
    post, path = "/api/v1/settings/{name}", params(IdempotencyKey),
    request_body(content = SettingBody),
    responses((status = 200, description = "It holds from now on.", body = SettingSet)),
)]
async fn set_setting(
    access: Access,
    Path(name): Path<String>,
    request: Request,
) -> Result<Json<SettingSet>, Problem> {
    let operator = access.operator(Permission::ManageSettings)?;
    if !Setting::NAMES.contains(&name.as_str()) {
        return Err(Problem::new(
            StatusCode::NOT_FOUND,
            "not_found",
            "There is no such setting",
            format!("there are {}", Setting::NAMES.join(", ")),
        ));
    }
    let operation = operation(&access, request.headers())?;
    let SettingBody { value, seen, reason } = body::read(request).await?;
    let read = |field: &str, value: &Value| {
        let refused = |why| {
            let why = format!("the setting {name} cannot have this `{field}`: {why}");
            Problem::mistake(format!("/{field}"), "type", why)
        };
        setting::read(&name, value).map_err(refused)
    };
    let setting = read("value", &value)?;
    let seen = seen.map(|seen| read("seen", &seen)).transpose()?;
    let operator = operator.operation(&*operation.id);
    let operator = match seen {
        Some(seen) => operator.having_seen(seen.into()),
        None => operator,
    };
    let changed = operator
        .set_setting(&setting, &Reason::of(reason))
        .await
        .map_err(|error| operation.problem(&error))?;
    Ok(Json(SettingSet { name: setting.name(), changed }))
}

/// Enqueue a test alert
///
/// A job of the kind `reprieve_alert` that says it is a test, so that people who are to be told find out whether they are.
#[utoipa::path(
    post, path = "/api/v1/settings/alerts/test", params(IdempotencyKey),
    responses((status = 201, description = "It was enqueued.", body = AlertTested)),
)]
async fn test_alert(access: Access, headers: HeaderMap) -> Result<(StatusCode, Json<AlertTested>), Problem> {
    let operation = operation(&access, &headers)?;
    let operator = access.operator(Permission::ManageSettings)?.operation(&*operation.id);
    let id = operator.test_alert().await.map_err(|error| operation.problem(&error))?;
    Ok((StatusCode::CREATED, Json(AlertTested { id })))
}
