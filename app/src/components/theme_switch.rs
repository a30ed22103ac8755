//! Light, dark, or as the system says.

use leptos::prelude::*;

use super::fields::BackField;
use super::icons::{Icon, icon};
use crate::api::SetTheme;
use crate::components::post_form::{FormAction, PostForm};
use crate::t;
use crate::theme::Theme;

/// Three buttons of one form: a cookie keeps the choice, with or without script.
#[component]
pub fn ThemeSwitch() -> impl IntoView {
    let action = FormAction::<SetTheme>::new();
    let chosen = RwSignal::new(Theme::current());
    let choose = move |theme: Theme| {
        chosen.set(theme);
        #[cfg(feature = "hydrate")]
        if let Some(html) = document().document_element() {
            // Shown at once; the cookie follows. Fails only for an invalid attribute name.
            let _ = html.set_attribute("data-theme", theme.as_str());
        }
    };
    let button = move |theme: Theme| {
        let (picture, name) = match theme {
            Theme::System => (Icon::Screen, t!("frame-theme-system")),
            Theme::Light => (Icon::Sun, t!("frame-theme-light")),
            Theme::Dark => (Icon::Moon, t!("frame-theme-dark")),
        };
        view! {
            <button
                type="submit"
                name="theme"
                value=theme.as_str()
                title=t!("acts-with-key", act = name.clone(), key = "t")
                aria-label=name
                aria-pressed=move || (chosen.get() == theme).to_string()
                on:click=move |_| choose(theme)
            >
                {icon(picture)}
            </button>
        }
    };
    view! {
        <div class="theme-switch" role="group" aria-label=t!("frame-theme")>
            <PostForm action>
                <BackField/>
                {Theme::ALL.map(button)}
            </PostForm>
        </div>
    }
}
