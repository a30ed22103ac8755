//! `reprieve settings`: how a namespace looks, what is hidden, the reasons, and when somebody is told.

use super::exit::Failure;
use super::named::{Key, Named};
use super::session::{Run, Session};
use crate::setting;
use clap::{Args, Subcommand};
use reprieve::model::Setting;
use serde_json::{Value, json};

/// What people set for the namespace.
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum Act {
    /// Show every setting
    Show,
    /// Set one; replaces its value: `reprieve settings set reasons '["Moved house"]'`
    Set(Set),
    /// Enqueue a test alert
    TestAlert(Key),
}

/// A setting as it is to be.
#[derive(Debug, Clone, Args)]
pub(crate) struct Set {
    /// Which: look, redaction, reasons, alerts, second_person or index_fields
    #[arg(value_name = "NAME", value_parser = Setting::NAMES)]
    name: String,
    /// Its whole value, in JSON
    #[arg(value_name = "JSON", value_parser = read_json)]
    value: Value,
    /// Only if it still has this value, in JSON
    #[arg(long = "if-value", value_name = "JSON", value_parser = read_json)]
    seen: Option<Value>,
    #[command(flatten)]
    named: Named,
}

fn read_json(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|error| format!("this is not JSON: {error}"))
}

impl Run for Act {
    fn only_looks(&self) -> bool {
        matches!(self, Act::Show)
    }

    async fn run(self, session: &Session) -> Result<(), Failure> {
        match self {
            Act::Show => show(session).await,
            Act::Set(wanted) => set(session, wanted).await,
            Act::TestAlert(key) => {
                let id = key.operator(session).test_alert().await;
                let id = id.map_err(|error| key.failure(error))?;
                session
                    .out
                    .answer(&json!({ "id": id }), format!("{id}  was enqueued; it says that it is a test"));
                Ok(())
            }
        }
    }
}

async fn show(session: &Session) -> Result<(), Failure> {
    let settings = session.engine.inspector().settings().await?;
    let value = serde_json::to_value(&*settings).unwrap_or_default();
    if session.out.json {
        session.out.value(&value);
        return Ok(());
    }
    let rows = Setting::NAMES.map(|name| vec![name.to_owned(), value[name].to_string()]);
    session.out.table(&["SETTING", "VALUE"], rows.into(), "no settings");
    Ok(())
}

async fn set(session: &Session, wanted: Set) -> Result<(), Failure> {
    let read = |value: &Value| {
        setting::read(&wanted.name, value)
            .map_err(|why| Failure::Usage(format!("{} cannot be set to this: {why}", wanted.name)))
    };
    let setting = read(&wanted.value)?;
    let mut operator = wanted.named.key.operator(session);
    if let Some(seen) = wanted.seen {
        operator = operator.having_seen(read(&seen)?.into());
    }
    let changed = operator.set_setting(&setting, &wanted.named.reason.text).await;
    let changed = changed.map_err(|error| wanted.named.key.failure(error))?;
    let sentence = if changed { "is set and holds from now on" } else { "was so already" };
    session.out.answer(
        &json!({ "name": setting.name(), "changed": changed }),
        format!("{}  {sentence}", setting.name()),
    );
    Ok(())
}
