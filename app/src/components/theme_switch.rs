//! Light, dark, or as the system says.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use super::fields::BackField;
use super::icons::{Icon, icon};
use crate::api::settings::SetAppearance;
use crate::preferences::Theme;
use crate::{i18n, t};

/// Three buttons of one form: a cookie keeps the choice, with or without script.
#[component]
pub(crate) fn ThemeSwitch() -> impl IntoView {
    let chosen = Theme::current();
    let button = move |theme: Theme| {
        let picture = match theme {
            Theme::System => Icon::Screen,
            Theme::Light => Icon::Sun,
            Theme::Dark => Icon::Moon,
        };
        let name = i18n::word("frame-theme", theme.as_str());
        view! {
            <button
                type="submit"
                name="theme"
                value=theme.as_str()
                title=t!("acts-with-key", act = name.clone(), key = "t")
                aria-label=name
                aria-pressed=(chosen == theme).to_string()
            >
                {icon(picture)}
            </button>
        }
    };
    view! {
        <div class="theme-switch" role="group" aria-label=t!("frame-theme")>
            <form method="post" action=SetAppearance::PATH>
                <BackField/>
                {Theme::ALL.map(button)}
            </form>
        </div>
    }
}
