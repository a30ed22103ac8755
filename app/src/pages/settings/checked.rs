//! A save that is checked against what was on screen: nobody overwrites what they have not read, and what they typed
//! stays where it is.

use leptos::html;
use leptos::prelude::*;
use reprieve::model::Setting;

use crate::api::SettingSaved;
use crate::components::refusal;
use crate::error::ApiError;
use crate::i18n::{self, Said};
use crate::live::effect::effect;
use crate::notice::Notices;

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
    effect(move || match answer.get() {
        Some(Ok(saved)) => {
            let code = if saved.changed { "settings.set" } else { "settings.same" };
            notices.say(i18n::said(code).unwrap_or_else(|| Said::plain(code)));
            seen.set(saved.seen);
            #[cfg(feature = "hydrate")]
            crate::components::unsaved::is_saved(field);
        }
        // Whoever was told may save what they typed all the same.
        Some(Err(ApiError::SettingChanged)) => seen.set(String::new()),
        _ => {}
    });
    let refused = move || match answer.get()? {
        Ok(_) => None,
        Err(error) => Some(refusal::refused(&error)),
    };
    view! {
        <input type="hidden" name="seen" node_ref=field value=move || seen.get()/>
        {refused}
    }
}
