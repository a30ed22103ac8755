//! Tests under a user with the rights of the recipe and no others: with `REPRIEVE_TEST_ACL=1` in the environment, every
//! namespace gets such a user, and a test fails when Redis has denied it anything. Names of test binaries, joined by
//! commas, ask for it in those alone.

use crate::engine::EngineConfig;
use crate::model::Namespace;
use crate::store::acl_recipe;
use std::collections::HashMap;

/// The environment variable that asks for it.
const ASKED_BY: &str = "REPRIEVE_TEST_ACL";

/// Whether it is asked for.
pub(super) fn asked() -> bool {
    let Ok(binaries) = std::env::var(ASKED_BY) else { return false };
    binaries == "1" || binary().is_some_and(|own| binaries.split(',').any(|name| name == own))
}

/// The name of this test binary, without what cargo puts behind it.
fn binary() -> Option<String> {
    let program = std::env::current_exe().ok()?;
    let (name, _) = program.file_stem()?.to_str()?.rsplit_once('-')?;
    Some(name.to_owned())
}

/// Makes the user of a namespace, if that is asked for, and turns the address into its own. `None` if it is not. The
/// user has these rights too, as that of an importer or sink has.
pub(super) fn apply(
    mut config: EngineConfig,
    besides: &[String],
) -> redis::RedisResult<Option<EngineConfig>> {
    if !asked() {
        return Ok(None);
    }
    let user = user(&config.namespace);
    let recipe = acl_recipe(&user, &config.namespace);
    let mut words = recipe.split(' ');
    let mut command = redis::cmd(words.next().unwrap_or_default());
    for word in words {
        command.arg(word);
    }
    command.arg(besides);
    let mut connection = redis::Client::open(config.url.as_str())?.get_connection()?;
    command.query::<()>(&mut connection)?;
    // So that it is still there when a test has killed the server; a server without a file cannot keep it.
    redis::cmd("ACL").arg("SAVE").query::<()>(&mut connection).ok();
    config.url = match config.url.split_once("://") {
        Some(("unix", path)) if path.contains('?') => format!("unix://{path}&user={user}&pass=password"),
        Some(("unix", path)) => format!("unix://{path}?user={user}&pass=password"),
        Some((scheme, host)) => format!("{scheme}://{user}:password@{host}"),
        None => config.url,
    };
    Ok(Some(config))
}

/// Not the bare name: `default` is the user that everybody else is.
fn user(namespace: &Namespace) -> String {
    format!("confined-{namespace}")
}

/// What Redis has denied that user: the object and where it was used. Nothing when the server is gone.
pub(super) fn denied(url: &str, namespace: &Namespace) -> Vec<String> {
    let read = || -> redis::RedisResult<Vec<HashMap<String, redis::Value>>> {
        redis::cmd("ACL").arg("LOG").query(&mut redis::Client::open(url)?.get_connection()?)
    };
    let text = |entry: &HashMap<String, redis::Value>, name: &str| {
        entry
            .get(name)
            .and_then(|value| redis::from_redis_value_ref::<String>(value).ok())
            .unwrap_or_default()
    };
    let (entries, user) = (read().unwrap_or_default(), user(namespace));
    let own = entries.iter().filter(|entry| text(entry, "username") == user);
    own.map(|entry| format!("{} in {}", text(entry, "object"), text(entry, "context"))).collect()
}
