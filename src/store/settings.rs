//! What people set for a namespace, as it is kept.

use super::{Intent, Store, script};
use crate::error::{Error, Result};
use crate::model::Settings;
use redis::Cmd;
use serde::de::DeserializeOwned;
use std::collections::HashMap;

/// The script's word for a setting that nobody has set.
pub(crate) const NOTHING_SET: &str = "-";
/// What no setting ever is: no JSON.
pub(crate) const NEVER_SET: &str = "?";

impl Store {
    /// Everything that was set; what does not read is as if nobody had set it, but for what is hidden and for what needs two people.
    ///
    /// # Errors
    /// [`Error::Unavailable`]; [`Error::Codec`] when the rules of redaction do not read: nothing may be shown then.
    pub(crate) async fn settings(&self) -> Result<Settings> {
        let kept: HashMap<String, String> = self.ask(&Cmd::hgetall(self.keys().settings())).await?;
        let redaction = match kept.get("redaction") {
            Some(text) => serde_json::from_str(text)
                .map_err(|error| Error::codec(format!("the rules of redaction do not read: {error}")))?,
            None => Vec::new(),
        };
        Ok(Settings {
            look: read(&kept, "look"),
            redaction,
            reasons: read(&kept, "reasons"),
            alerts: read(&kept, "alerts"),
            // What does not read is no word of anybody that one is enough.
            second_person: kept.get("second_person").is_some_and(|text| text != "false"),
            index_fields: read(&kept, "index_fields"),
            muted: read(&kept, "muted"),
        })
    }

    /// One of them as it is kept; `None` while nobody has set it.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub(crate) async fn kept_setting(&self, name: &str) -> Result<Option<String>> {
        self.ask(&Cmd::hget(self.keys().settings(), name)).await
    }

    /// Sets one of them: see `lua/functions/queues/set_setting.lua`. `false` when it was so already.
    ///
    /// `there` is what is to be there, as it is kept: [`NOTHING_SET`] for nothing, `None` for anything.
    ///
    /// # Errors
    /// [`Error::SettingChanged`] when something else is there, [`Error::Unavailable`] and [`Error::StorageFull`].
    pub(crate) async fn set_setting(
        &self,
        name: &'static str,
        value: &str,
        there: Option<&str>,
        intent: &Intent,
    ) -> Result<bool> {
        let mut call = self.call(&script::SET_SETTING);
        call.arg(name).arg(value).arg(there.unwrap_or_default()).arg(&intent.actor).arg(&intent.why);
        call.operation(&intent.operation);
        match self.grow(&call).await?.text()?.as_str() {
            "set" => Ok(true),
            "unchanged" => Ok(false),
            "changed" => Err(Error::SettingChanged { name }),
            unknown => Err(super::unknown_word("set_setting", unknown)),
        }
    }
}

fn read<T: DeserializeOwned + Default>(kept: &HashMap<String, String>, name: &str) -> T {
    kept.get(name).and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
}
