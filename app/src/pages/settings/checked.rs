//! A save that is checked against what was on screen: nobody overwrites what they have not read, and what they typed
//! stays where it is.

use leptos::prelude::*;
use reprieve::model::Setting;

use crate::components::there_now::ThereNow;
use crate::{i18n, t};

/// What stands in such a form beside its fields: the value that was read.
#[component]
pub(super) fn Checked(setting: Setting) -> impl IntoView {
    view! {
        <input type="hidden" name="seen" value=serde_json::to_string(&setting).unwrap_or_default()/>
        <ThereNow words=in_words(&setting)/>
    }
}

/// A setting as its form has it, a field or an entry a line.
fn in_words(setting: &Setting) -> String {
    match setting {
        Setting::Look(look) => [&look.title, &look.environment, &look.zone, &i18n::colour(look.colour)]
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
