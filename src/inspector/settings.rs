//! What people set for a namespace.

use super::{Inspector, Operator};
use crate::alert::{ALERT_QUEUE, alert_job};
use crate::error::{Error, Result};
use crate::index::Fields;
use crate::model::filter::PayloadPath;
use crate::model::{
    Alert, AlertKind, AlertRule, IndexState, JobId, Kind, Look, QueueName, QueueSummary, RedactedSample,
    RedactionRule, Setting, Settings, Timestamp,
};
use crate::redaction::Redaction;
use crate::store::{NEVER_SET, NOTHING_SET};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::sync::Arc;

/// Bytes of a sample whose redaction is previewed: more than any payload has.
const SAMPLE_BYTES_MAX: usize = crate::new_job::PAYLOAD_BYTES_MAX;
/// Bytes of all rules of one sort: what Redis reads for every page.
const SETTING_BYTES_MAX: usize = 32 * 1_024;

impl Inspector {
    /// What people set for the namespace.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn settings(&self) -> Result<Arc<Settings>> {
        self.settings.get().await
    }

    /// What people would see of a sample payload under these rules. Changes nothing.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a rule that makes no sense or a sample beyond 256 KiB.
    pub fn redacted(rules: &[RedactionRule], kind: &Kind, sample: &str) -> Result<RedactedSample> {
        check_redaction(rules)?;
        if sample.len() > SAMPLE_BYTES_MAX {
            return Err(Error::invalid("sample", "is larger than any payload"));
        }
        Ok(Redaction::new(rules).sample(kind, sample))
    }

    /// How far the index of fields of payloads is.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn index_state(&self) -> Result<IndexState> {
        // As they are now: the caller may have just set them.
        let fields = self.shards.whole().first().settings().await?.index_fields;
        let (jobs, complete) = self.shards.whole().index_state(&Fields(&fields).name()).await?;
        // How many there are in other queues is nobody's business who is bound to some.
        let jobs = if self.shards.is_bound() { 0 } else { jobs };
        Ok(IndexState { fields, jobs, complete })
    }

    /// Version of Redis.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn redis_version(&self) -> Result<String> {
        Ok(self.shards().first().connections().health(self.confirm_replicas).await?.version)
    }

    /// How many shards the namespace has.
    #[must_use]
    pub fn shard_count(&self) -> u16 {
        self.shards.count()
    }

    /// The queues that are over the limit of some rule now, by rule.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn alerts(&self) -> Result<Vec<Alert>> {
        let settings = self.settings.get().await?;
        if settings.alerts.is_empty() {
            return Ok(Vec::new());
        }
        let mut queues = self.queues().await?;
        // An alert that nobody receives raises no other.
        queues.retain(|queue| queue.name.as_str() != ALERT_QUEUE);
        let now = self.shards.now().await?;
        let mut alerts: Vec<Alert> =
            settings.alerts.iter().flat_map(|rule| over(rule, &queues, now)).collect();
        let is_muted = |queue: &QueueName| settings.muted.iter().any(|mute| mute.is_about(queue, now));
        for alert in &mut alerts {
            if alert.what == AlertKind::Dead && is_muted(&alert.queue) {
                alert.now = self.deaths(Some(&alert.queue)).await?.told_of(alert.now);
            }
        }
        alerts.retain(|alert| alert.now > alert.over);
        Ok(alerts)
    }
}

/// The queues that are over the limit of a rule.
fn over(rule: &AlertRule, queues: &[QueueSummary], at: Timestamp) -> Vec<Alert> {
    let watched = queues.iter().filter(|queue| rule.queue.as_ref().is_none_or(|name| *name == queue.name));
    let measured = watched.map(|queue| {
        let now = match rule.what {
            AlertKind::Late => queue.late_ms_p99.unwrap_or_default(),
            AlertKind::Dead => queue.dead_last_hour,
            AlertKind::Unserved | AlertKind::Waiting if queue.paused.is_some() => 0,
            AlertKind::Unserved if queue.workers == 0 => queue.counts.ready,
            AlertKind::Unserved => 0,
            AlertKind::Waiting => queue
                .oldest_ready
                .map_or(0, |since| u64::try_from(at.millis_since(since)).unwrap_or_default()),
        };
        Alert { what: rule.what, queue: queue.name.clone(), now, over: rule.over }
    });
    measured.filter(|alert| alert.now > alert.over).collect()
}

impl Operator {
    /// Sets one setting, in place of what there was; `false` when it was so already.
    ///
    /// # Errors
    /// [`Error::Invalid`] and [`Error::SettingChanged`]: nothing changed.
    pub async fn set_setting(&self, setting: &Setting, why: &str) -> Result<bool> {
        match setting {
            Setting::Look(look) => self.set_look(look, why).await,
            Setting::Redaction(rules) => self.set_redaction(rules, why).await,
            Setting::Reasons(reasons) => self.set_reasons(reasons, why).await,
            Setting::Alerts(rules) => self.set_alerts(rules, why).await,
            Setting::SecondPerson(needed) => self.set_second_person(*needed, why).await,
            Setting::IndexFields(fields) => self.set_index_fields(fields, why).await,
        }
    }

    /// Sets how the namespace looks; `false` when it looked so already.
    ///
    /// # Errors
    /// [`Error::Invalid`] and [`Error::SettingChanged`]: nothing changed.
    pub async fn set_look(&self, look: &Look, why: &str) -> Result<bool> {
        let fits = |text: &str, most| text.chars().count() <= most && !text.chars().any(char::is_control);
        if !fits(&look.title, Look::TITLE_CHARS_MAX) {
            return Err(Error::invalid("title", "has at most 40 characters"));
        }
        if !fits(&look.environment, Look::ENVIRONMENT_CHARS_MAX) {
            return Err(Error::invalid("environment", "has at most 20 characters"));
        }
        if !look.zone.is_empty() && crate::zones::get(&look.zone).is_none() {
            return Err(Error::invalid("zone", "is not the name of a zone, such as Asia/Shanghai"));
        }
        self.set("look", look, |seen| &seen.look, why).await
    }

    /// Sets what of payloads is hidden from every reader, in place of the rules there were; `false` when they were so
    /// already. Other processes follow within two seconds.
    ///
    /// # Errors
    /// [`Error::Invalid`] names the rule that makes no sense: nothing changed.
    pub async fn set_redaction(&self, rules: &[RedactionRule], why: &str) -> Result<bool> {
        check_redaction(rules)?;
        self.set("redaction", &rules.to_vec(), |seen| &seen.redaction, why).await
    }

    /// Sets the reasons that dialogs offer; none for the usual ones. `false` when they were so already.
    ///
    /// # Errors
    /// [`Error::Invalid`] and [`Error::SettingChanged`]: nothing changed.
    pub async fn set_reasons(&self, reasons: &[String], why: &str) -> Result<bool> {
        if reasons.len() > Settings::REASONS_MAX {
            return Err(Error::invalid("reasons", "are at most 20"));
        }
        let is_good = |reason: &String| {
            let length = reason.chars().count();
            (1..=Settings::REASON_CHARS_MAX).contains(&length) && !reason.chars().any(char::is_control)
        };
        if !reasons.iter().all(is_good) {
            return Err(Error::invalid("reasons", "have 1 to 80 characters each, on one line"));
        }
        self.set("reasons", &reasons.to_vec(), |seen| &seen.reasons, why).await
    }

    /// Sets when somebody is told, in place of the rules there were; `false` when they were so already.
    ///
    /// # Errors
    /// [`Error::Invalid`] and [`Error::SettingChanged`]: nothing changed.
    pub async fn set_alerts(&self, rules: &[AlertRule], why: &str) -> Result<bool> {
        if rules.len() > Settings::ALERTS_MAX {
            return Err(Error::invalid("alerts", "are at most 50"));
        }
        // A rule from before this was asked stands in nobody's way.
        let known = self.settings.get().await?;
        let is_deaf = |rule: &AlertRule| {
            rule.what == AlertKind::Late
                && rule.over >= AlertRule::LATE_MS_BELOW
                && !known.alerts.contains(rule)
        };
        if rules.iter().any(is_deaf) {
            let most = AlertRule::LATE_MS_BELOW;
            return Err(Error::invalid(
                "over",
                format!("of an alert about lateness is below {most}: lateness is counted up to {most} ms"),
            ));
        }
        self.set("alerts", &rules.to_vec(), |seen| &seen.alerts, why).await
    }

    /// Sets whether deleting jobs by hand needs two people who signed in; `false` when it was so already. Other processes
    /// follow within two seconds.
    ///
    /// # Errors
    /// [`Error::SettingChanged`]: nothing changed.
    pub async fn set_second_person(&self, needed: bool, why: &str) -> Result<bool> {
        self.set("second_person", &needed, |seen| &seen.second_person, why).await
    }

    /// Sets which fields of payloads filters find jobs by at once, in place of those there were; `false` when they were so
    /// already. The index is made anew while the forwarders run; until it is complete, payloads are looked through as before.
    ///
    /// # Errors
    /// [`Error::Invalid`] and [`Error::SettingChanged`]: nothing changed.
    pub async fn set_index_fields(&self, fields: &[PayloadPath], why: &str) -> Result<bool> {
        if fields.len() > Settings::INDEX_FIELDS_MAX {
            return Err(Error::invalid("index_fields", "are at most 8"));
        }
        for (place, field) in fields.iter().enumerate() {
            if field.to_string().len() > Settings::INDEX_FIELD_BYTES_MAX {
                return Err(Error::invalid("index_fields", "have at most 128 bytes each"));
            }
            if fields[..place].contains(field) {
                return Err(Error::invalid("index_fields", format!("name {field} twice")));
            }
        }
        self.set("index_fields", &fields.to_vec(), |seen| &seen.index_fields, why).await
    }

    /// Enqueues an alert that says it is a test; answers its job. As any job that a person enqueues it stands in the audit. Under
    /// an operation id, which is then the job's, there is one.
    ///
    /// # Errors
    /// [`Error::Unavailable`] and [`Error::StorageFull`].
    pub async fn test_alert(&self) -> Result<JobId> {
        let alert = Alert { what: AlertKind::Late, queue: QueueName::default(), now: 0, over: 0 };
        let mut job = alert_job(&alert, true)?;
        if !self.operation.is_empty() {
            job.id = Some(JobId::new(self.operation.as_str())?);
        }
        let (id, mut job) = job.with_id(self.shards().count());
        job.id = Some(id.clone());
        self.enqueue(job).await?;
        Ok(id)
    }

    /// Sets one setting; refused when [`Operator::having_seen`] saw something else than what is there.
    pub(super) async fn set<T>(
        &self,
        name: &'static str,
        value: &T,
        of: impl Fn(&Settings) -> &T + Send,
        why: &str,
    ) -> Result<bool>
    where
        T: Serialize + DeserializeOwned + Default + PartialEq + Sync,
    {
        let intent = self.because(why);
        crate::acts::check(&intent)?;
        let is_default = *value == T::default();
        let text = if is_default { String::new() } else { serde_json::to_string(value).unwrap_or_default() };
        if text.len() > SETTING_BYTES_MAX {
            return Err(Error::invalid(
                "settings",
                format!("have {} bytes, at most {SETTING_BYTES_MAX} are allowed", text.len()),
            ));
        }
        let there = match &self.seen_settings {
            None => None,
            Some(seen) => Some(self.as_seen(name, of(seen)).await?),
        };
        let changed = self.shards().first().set_setting(name, &text, there.as_deref(), &intent).await;
        self.settings.forget();
        changed
    }

    /// What is there now, as it is kept, if it means what was seen. The text itself may be that of another version. Where it
    /// means something else that is an error, but for a repeat of an operation: its own change is why.
    async fn as_seen<T: DeserializeOwned + Default + PartialEq>(
        &self,
        name: &'static str,
        seen: &T,
    ) -> Result<String> {
        let kept = self.shards().first().kept_setting(name).await?;
        let means: T = kept.as_ref().and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
        if means == *seen {
            return Ok(kept.unwrap_or_else(|| NOTHING_SET.to_owned()));
        }
        self.settings.forget();
        if self.operation.is_empty() { Err(Error::SettingChanged { name }) } else { Ok(NEVER_SET.to_owned()) }
    }

    /// The same person, who has seen these settings: what they set is refused if it was something else by then, so that
    /// nobody overwrites what they have not read.
    #[must_use]
    pub fn having_seen(&self, settings: Settings) -> Self {
        let mut operator = self.clone();
        operator.seen_settings = Some(Arc::new(settings));
        operator
    }
}

fn check_redaction(rules: &[RedactionRule]) -> Result<()> {
    if rules.len() > Settings::REDACTION_MAX {
        return Err(Error::invalid("redaction", "has at most 50 rules"));
    }
    for (index, rule) in rules.iter().enumerate() {
        let number = index + 1;
        let kinds = !rule.kinds.is_empty()
            && rule.kinds.len() <= RedactionRule::TEXT_BYTES_MAX
            && rule.kinds.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-*".contains(&byte));
        if !kinds {
            return Err(Error::invalid(
                "redaction",
                format!("rule {number}: kinds are a name with * for any characters"),
            ));
        }
        let path =
            rule.path.len() <= RedactionRule::TEXT_BYTES_MAX && rule.path.split('.').all(|s| !s.is_empty());
        if !path {
            return Err(Error::invalid(
                "redaction",
                format!("rule {number}: a path is like customer.phone, items.*.card, **.token or *"),
            ));
        }
        if rule.keep > RedactionRule::KEEP_MAX {
            return Err(Error::invalid("redaction", format!("rule {number}: at most 4 characters stay")));
        }
    }
    Ok(())
}
