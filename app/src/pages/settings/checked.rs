//! A save that is checked against what was on screen: nobody overwrites what they have not read, and what they typed
//! stays where it is.

use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;
use reprieve::model::{Setting, Settings};

use super::look::colour_name;
use crate::api::{SettingSaved, get_settings};
use crate::components::refusal;
use crate::error::ApiError;
use crate::i18n::{self, Said};
use crate::live::effect::effect;
use crate::notice::Notices;
use crate::t;

/// What stands in such a form beside its fields: the value that was read, and why nothing was saved.
#[component]
pub(super) fn Checked(
    /// The setting that is on screen.
    setting: Setting,
    /// What the form was answered.
    #[prop(into)]
    answer: Signal<Option<Result<SettingSaved, ApiError>>>,
) -> impl IntoView {
    let notices = Notices::get();
    let field = NodeRef::<html::Input>::new();
    let seen = RwSignal::new(serde_json::to_string(&setting).unwrap_or_default());
    let there = RwSignal::new(None::<Setting>);
    effect(move || match answer.get() {
        Some(Ok(saved)) => {
            there.set(None);
            let code = if saved.changed { "settings.set" } else { "settings.same" };
            notices.say(i18n::said(code).unwrap_or_else(|| Said::plain(code)));
            seen.set(saved.seen);
            #[cfg(feature = "hydrate")]
            crate::components::unsaved::is_saved(field);
        }
        // Whoever was shown what there is may save what they typed all the same.
        Some(Err(ApiError::SettingChanged)) => {
            let setting = setting.clone();
            spawn_local(async move {
                let Ok(known) = get_settings().await else { return };
                let now = of(&setting, known.settings);
                if let Ok(text) = serde_json::to_string(&now) {
                    let _ = seen.try_set(text);
                    let _ = there.try_set(Some(now));
                }
            });
        }
        _ => {}
    });
    let refused = move || match answer.get()? {
        Ok(_) => None,
        Err(error) => Some(refusal::refused(&error)),
    };
    view! {
        <input type="hidden" name="seen" node_ref=field value=move || seen.get()/>
        {refused}
        {move || there.get().map(|now| view! {
            <div role="status">
                <p>{t!("settings-there-now")}</p>
                <pre class="settings-shown" tabindex="0">{in_words(&now)}</pre>
            </div>
        })}
    }
}

/// The setting of that name among all of them; of those that have no form which is checked, itself.
fn of(setting: &Setting, all: Settings) -> Setting {
    match setting {
        Setting::Look(_) => Setting::Look(all.look),
        Setting::Reasons(_) => Setting::Reasons(all.reasons),
        Setting::IndexFields(_) => Setting::IndexFields(all.index_fields),
        other => other.clone(),
    }
}

/// A setting as its form has it, a field or an entry a line.
fn in_words(setting: &Setting) -> String {
    match setting {
        Setting::Look(look) => [&look.title, &look.environment, &look.zone, &colour_name(look.colour)]
            .into_iter()
            .filter(|line| !line.is_empty())
            .cloned()
            .collect::<Vec<_>>()
            .join("\n"),
        Setting::Reasons(reasons) if reasons.is_empty() => i18n::REASONS.join("\n"),
        Setting::Reasons(reasons) => reasons.join("\n"),
        Setting::IndexFields(fields) if fields.is_empty() => t!("settings-there-nothing"),
        Setting::IndexFields(fields) => fields.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"),
        other => serde_json::to_string(other).unwrap_or_default(),
    }
}
