//! What people set: for themselves in cookies, for the namespace in Redis.

use leptos::prelude::*;
use reprieve::model::filter::PayloadPath;
use reprieve::model::{
    AlertKind, AlertRule, Colour, Counts, IndexState, JobId, Kind, Look, Permission, QueueName,
    RedactionRule, RetentionRules, Setting, Settings,
};
use serde::{Deserialize, Serialize};

use super::answer;
use crate::call::Post;
use crate::cookie::keep;
use crate::error::ApiError;
use crate::i18n::{Language, REASONS};
use crate::preferences::{Density, OF_BROWSER, SingleKeys, Theme, ViewsFold, Width};
use crate::zone::Zone;
use crate::{access, i18n, index_field, t};

/// What the page of settings shows of the namespace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsView {
    /// What was set for the namespace.
    pub settings: Settings,
    /// How long ended jobs are kept.
    pub retention: RetentionRules,
    /// How many jobs each queue keeps that has some, or a rule of retention.
    pub kept: Vec<(QueueName, Counts)>,
    /// Version of Redis.
    pub redis: String,
    /// How many shards the namespace has.
    pub shards: u16,
    /// How far the index of fields of payloads is.
    pub index: IndexState,
}

/// Everything the page of settings shows. Needs `View`.
pub async fn get_settings() -> Result<SettingsView, ApiError> {
    let inspector = access::caller()?.inspector()?;
    let settings = inspector.settings().await?;
    let retention = inspector.retention().await?;
    Ok(SettingsView {
        settings: Settings::clone(&settings),
        kept: kept_by_queue(inspector.counts_by_queue().await?.0, &retention),
        retention,
        redis: inspector.redis_version().await?,
        shards: inspector.shard_count(),
        index: inspector.index_state().await?,
    })
}

/// What each queue keeps, those too that have a rule and no jobs yet, by name.
fn kept_by_queue(counts: Vec<(QueueName, Counts)>, rules: &RetentionRules) -> Vec<(QueueName, Counts)> {
    let ruled = rules.queues.keys().map(|queue| (queue.clone(), Counts::default()));
    let mut queues: std::collections::BTreeMap<_, _> = ruled.collect();
    queues.extend(counts);
    queues.into_iter().collect()
}

/// Keeps in cookies how the visitor likes the screens, and the language also in the account of a person who is signed in.
/// A switch sends one field, the page of settings all that it has.
#[server(prefix = "/api/fn", endpoint = "set_appearance", protocol = Post)]
pub async fn set_appearance(
    #[server(default)] theme: Option<Theme>,
    #[server(default)] language: Option<Language>,
    #[server(default)] density: Option<Density>,
    #[server(default)] clock: Option<u8>,
    #[server(default)] zone: Option<String>,
    #[server(default)] keys: Option<SingleKeys>,
    #[server(default)] width: Option<Width>,
    #[server(default)] views: Option<ViewsFold>,
    #[server(default)] back: Option<String>,
) -> Result<(), ApiError> {
    // What a switch did is to be seen.
    let is_page = density.is_some();
    let said = |_: &()| if is_page { "settings.appearance".to_owned() } else { String::new() };
    answer::to(back, said, async {
        let zone = zone.as_deref().map(str::trim);
        if let Some(zone) = zone.filter(|&zone| zone != OF_BROWSER) {
            check_zone(zone)?;
        }
        // A box without a tick is not sent.
        let keys = keys.or(is_page.then_some(SingleKeys::Off));
        let clock = clock.map(|hours| if hours == 12 { "12" } else { "24" });
        let chosen = [
            ("theme", theme.map(Theme::as_str)),
            ("language", language.map(Language::tag)),
            ("density", density.map(Density::as_str)),
            ("clock", clock),
            ("zone", zone),
            ("keys", keys.map(SingleKeys::as_str)),
            ("navigation", width.map(Width::as_str)),
            ("views", views.map(ViewsFold::as_str)),
        ];
        for (name, word) in chosen {
            word.into_iter().for_each(|word| keep(name, word));
        }
        match language {
            Some(language) => access::read_in(language).await,
            None => Ok(()),
        }
    })
    .await
}

/// Nothing, or the name of a zone.
fn check_zone(zone: &str) -> Result<(), ApiError> {
    if zone.is_empty() || Zone::named(zone).is_some() {
        return Ok(());
    }
    Err(ApiError::wrong("zone", t!("settings-zone-unknown", zone = zone)))
}

/// The word of a setting after a form: whether it changed.
fn word(changed: &bool) -> String {
    if *changed { "settings.set" } else { "settings.same" }.to_owned()
}

/// Sets how the namespace looks. Needs `ManageSettings`. `seen` is the look that was on screen, in JSON: nothing is
/// changed when it is another one by now. Empty for any.
#[server(prefix = "/api/fn", endpoint = "set_look", protocol = Post)]
pub async fn set_look(
    colour: Colour,
    #[server(default)] title: String,
    #[server(default)] environment: String,
    #[server(default)] zone: String,
    #[server(default)] seen: String,
    #[server(default)] back: Option<String>,
) -> Result<bool, ApiError> {
    let (title, environment) = (title.trim().to_owned(), environment.trim().to_lowercase());
    let look = || Look { title, colour, environment, zone: zone.trim().to_owned() };
    set(back, &seen, || check_zone(zone.trim()).map(|()| Setting::Look(look()))).await
}

/// Sets how long ended jobs of a queue, or of the namespace, are kept, and how many; empty for no rule. Needs
/// `SetRetention`. `seen` is the rule that was on screen, in JSON as `kept::shown`: then only what
/// differs from it is changed, and nothing when it is another one by now. Empty for any.
#[server(prefix = "/api/fn", endpoint = "set_retention", protocol = Post)]
pub async fn set_retention(
    #[server(default)] queue: String,
    #[server(default)] done: String,
    #[server(default)] dead: String,
    #[server(default)] cancelled: String,
    #[server(default)] done_most: String,
    #[server(default)] dead_most: String,
    #[server(default)] seen: String,
    #[server(default)] back: Option<String>,
) -> Result<bool, ApiError> {
    answer::to(back, word, async move {
        use crate::kept;
        use reprieve::model::{Permission, RetentionChange, RetentionRule};
        let operator = access::caller()?.operator(Permission::SetRetention)?;
        let days = |field: &str, text: &str| {
            filled(field, text, kept::read, |text| t!("settings-days-wrong", text = text))
        };
        let most = |field: &str, text: &str| {
            filled(field, text, kept::read_most, |text| t!("settings-most-wrong", text = text))
        };
        let mut rule = RetentionRule::default();
        (rule.done, rule.dead, rule.cancelled) =
            (days("done", &done)?, days("dead", &dead)?, days("cancelled", &cancelled)?);
        (rule.done_most, rule.dead_most) = (most("done_most", &done_most)?, most("dead_most", &dead_most)?);
        let queue = answer::queue(&queue)?;
        let Some(seen) = answer::seen::<[String; 5]>(&seen)? else {
            operator.set_retention(queue.as_ref(), rule, "").await?;
            return Ok(true);
        };
        let change = kept::changed(&rule, &seen);
        if change == RetentionChange::default() {
            return Ok(false);
        }
        if kept::shown(&operator.retention_of(queue.as_ref()).await?) != seen {
            return Err(ApiError::SettingChanged);
        }
        operator.change_retention(queue.as_ref(), change, "").await?;
        Ok(true)
    })
    .await
}

/// What a field holds; `None` for an empty one, and what is `wrong` with one that does not read.
fn filled<T>(
    field: &str,
    text: &str,
    read: impl Fn(&str) -> Option<T>,
    wrong: impl Fn(&str) -> String,
) -> Result<Option<T>, ApiError> {
    match text.trim() {
        "" => Ok(None),
        text => read(text).map(Some).ok_or_else(|| ApiError::wrong(field, wrong(text))),
    }
}

/// Adds a rule of redaction; `false` when it is there already. Needs `ManageSettings`.
#[server(prefix = "/api/fn", endpoint = "add_redaction", protocol = Post)]
pub async fn add_redaction(
    kinds: String,
    path: String,
    #[server(default)] keep: u8,
    #[server(default)] back: Option<String>,
) -> Result<bool, ApiError> {
    answer::to(back, word, async move {
        let added = rule(&kinds, &path, keep);
        change(|settings| &settings.redaction, Setting::Redaction, |rules| add(rules, &added)).await
    })
    .await
}

/// Removes a rule of redaction: the one that keeps so much, or without `keep` all of that path. Needs `ManageSettings`.
#[server(prefix = "/api/fn", endpoint = "remove_redaction", protocol = Post)]
pub async fn remove_redaction(
    kinds: String,
    path: String,
    #[server(default)] keep: Option<u8>,
    #[server(default)] back: Option<String>,
) -> Result<bool, ApiError> {
    answer::to(back, word, async move {
        // By what it says, not by its place: somebody else may have removed one meanwhile.
        let is_it = |rule: &RedactionRule| {
            rule.kinds == kinds && rule.path == path && keep.is_none_or(|keep| rule.keep == keep)
        };
        let remove = |rules: &mut Vec<_>| rules.retain(|rule| !is_it(rule));
        change(|settings| &settings.redaction, Setting::Redaction, remove).await
    })
    .await
}

/// A sample as it would be shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RedactionPreview {
    /// As people would see it; empty where it does not read.
    pub shown: String,
    /// How much of it is hidden, or why it is not shown, for people.
    pub told: String,
}

/// What a sample would look like with the rules there are and one more. Changes nothing. Needs `View`.
#[server(prefix = "/api/fn", endpoint = "preview_redaction", protocol = Post)]
pub async fn preview_redaction(
    kind: String,
    sample: String,
    #[server(default)] kinds: String,
    #[server(default)] path: String,
    #[server(default)] keep: u8,
) -> Result<RedactionPreview, ApiError> {
    let sample = async move {
        let inspector = access::caller()?.inspector()?;
        let mut rules = inspector.settings().await?.redaction.clone();
        if !path.trim().is_empty() {
            rules.push(rule(&kinds, &path, keep));
        }
        let kind = Kind::new(kind.trim()).map_err(|wrong| ApiError::wrong("kind", i18n::bad_name(&wrong)))?;
        Ok(reprieve::Inspector::redacted(&rules, &kind, &sample)?)
    };
    match sample.await {
        Ok(sample) => {
            let told = t!("settings-redaction-hides", count = sample.hidden);
            Ok(RedactionPreview { shown: sample.shown, told })
        }
        // A rule that is still being typed is no mistake yet.
        Err(error @ (ApiError::Invalid { .. } | ApiError::WrongField { .. })) => {
            Ok(RedactionPreview { shown: String::new(), told: error.sentence() })
        }
        Err(error) => {
            error.set_status();
            Err(error)
        }
    }
}

/// Sets the reasons that dialogs offer, one a line. Needs `ManageSettings`. `seen` as for [`set_look`].
#[server(prefix = "/api/fn", endpoint = "set_reasons", protocol = Post)]
pub async fn set_reasons(
    #[server(default)] reasons: String,
    #[server(default)] seen: String,
    #[server(default)] back: Option<String>,
) -> Result<bool, ApiError> {
    let lines = reasons.lines().map(str::trim).filter(|line| !line.is_empty());
    let reasons: Vec<String> = lines.map(ToOwned::to_owned).collect();
    // The usual ones need no setting, and stay in the reader's language without one.
    let usual = reasons.iter().map(String::as_str).eq(REASONS);
    let reasons = if usual { Vec::new() } else { reasons };
    set(back, &seen, || Ok(Setting::Reasons(reasons))).await
}

/// Sets which fields of payloads filters find jobs by at once, one a line. Needs `ManageSettings`. `seen` as for
/// [`set_look`].
#[server(prefix = "/api/fn", endpoint = "set_index_fields", protocol = Post)]
pub async fn set_index_fields(
    #[server(default)] fields: String,
    #[server(default)] seen: String,
    #[server(default)] back: Option<String>,
) -> Result<bool, ApiError> {
    set(back, &seen, || index_fields(&fields).map(Setting::IndexFields)).await
}

/// The fields that stand on the lines, each once.
fn index_fields(lines: &str) -> Result<Vec<PayloadPath>, ApiError> {
    let wrong = |text: &str| t!("settings-search-wrong", text = text);
    let mut fields: Vec<PayloadPath> = Vec::new();
    for line in lines.lines() {
        let field = filled("fields", line, index_field::read, wrong)?;
        fields.extend(field.filter(|field| !fields.contains(field)));
    }
    let most = Settings::INDEX_FIELDS_MAX;
    if fields.len() > most {
        let why = t!("settings-search-most", count = fields.len(), most = most);
        return Err(ApiError::wrong("fields", why));
    }
    Ok(fields)
}

/// Sets whether deleting jobs by hand needs two people. Needs `ManageSettings` and a fresh proof.
#[server(prefix = "/api/fn", endpoint = "set_second_person", protocol = Post)]
pub async fn set_second_person(
    needed: bool,
    #[server(default)] back: Option<String>,
) -> Result<bool, ApiError> {
    answer::to(back, word, async move {
        let operator = access::caller()?.operator(Permission::ManageSettings)?;
        Ok(operator.set_second_person(needed, "").await?)
    })
    .await
}

/// Adds an alert; `false` when it is there already. Needs `ManageSettings`.
#[server(prefix = "/api/fn", endpoint = "add_alert", protocol = Post)]
pub async fn add_alert(
    what: AlertKind,
    over: String,
    #[server(default)] queue: String,
    #[server(default)] back: Option<String>,
) -> Result<bool, ApiError> {
    answer::to(back, word, async move {
        let over = over.trim();
        let over = over.parse().map_err(|_| ApiError::wrong("over", i18n::not_a_number(over)))?;
        let added = AlertRule { what, queue: answer::queue(&queue)?, over };
        change(|settings| &settings.alerts, Setting::Alerts, |rules| add(rules, &added)).await
    })
    .await
}

/// Removes an alert. Needs `ManageSettings`.
#[server(prefix = "/api/fn", endpoint = "remove_alert", protocol = Post)]
pub async fn remove_alert(
    what: AlertKind,
    over: u64,
    #[server(default)] queue: String,
    #[server(default)] back: Option<String>,
) -> Result<bool, ApiError> {
    answer::to(back, word, async move {
        let gone = AlertRule { what, queue: answer::queue(&queue)?, over };
        let remove = |rules: &mut Vec<_>| rules.retain(|rule| *rule != gone);
        change(|settings| &settings.alerts, Setting::Alerts, remove).await
    })
    .await
}

/// Enqueues an alert that says it is a test; answers its job. Needs `ManageSettings`.
#[server(prefix = "/api/fn", endpoint = "test_alert", protocol = Post)]
pub async fn test_alert(#[server(default)] back: Option<String>) -> Result<JobId, ApiError> {
    answer::to(back, |_| "settings.tested".to_owned(), async move {
        let operator = access::caller()?.operator(Permission::ManageSettings)?;
        Ok(operator.test_alert().await?)
    })
    .await
}

/// Saves a setting unless another one than `seen` is there by now.
async fn set(
    back: Option<String>,
    seen: &str,
    setting: impl FnOnce() -> Result<Setting, ApiError>,
) -> Result<bool, ApiError> {
    answer::to(back, word, async {
        let operator = access::caller()?.operator(Permission::ManageSettings)?;
        let setting = setting()?;
        let operator = match answer::seen::<Setting>(seen)? {
            None => operator,
            Some(seen) => operator.having_seen(seen.into()),
        };
        Ok(operator.set_setting(&setting, "").await?)
    })
    .await
}

/// Changes a list that several people may change at once, as it is now: tried again when somebody was faster.
async fn change<T: Clone>(
    list: fn(&Settings) -> &Vec<T>,
    setting: fn(Vec<T>) -> Setting,
    edit: impl Fn(&mut Vec<T>),
) -> Result<bool, ApiError> {
    /// Nobody is overtaken more often than this by people.
    const TRIES: usize = 5;
    let operator = access::caller()?.operator(Permission::ManageSettings)?;
    let inspector = access::caller()?.inspector()?;
    let mut answer = Err(ApiError::SettingChanged);
    for _ in 0..TRIES {
        let kept = inspector.settings().await?;
        let mut rules = list(&kept).clone();
        edit(&mut rules);
        let operator = operator.having_seen((*kept).clone());
        answer = operator.set_setting(&setting(rules), "").await.map_err(ApiError::from);
        if answer != Err(ApiError::SettingChanged) {
            break;
        }
    }
    answer
}

fn add<T: Clone + PartialEq>(rules: &mut Vec<T>, added: &T) {
    if !rules.contains(added) {
        rules.push(added.clone());
    }
}

fn rule(kinds: &str, path: &str, keep: u8) -> RedactionRule {
    let kinds = if kinds.trim().is_empty() { "*".to_owned() } else { kinds.trim().to_owned() };
    RedactionRule { kinds, path: path.trim().to_owned(), keep }
}
