//! In which language the screens speak.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use super::fields::BackField;
use crate::api::settings::SetAppearance;
use crate::i18n::Language;
use crate::t;

/// A button for each language. A plain form, for the whole page is loaded again in the other language.
#[component]
pub(crate) fn LanguageSwitch() -> impl IntoView {
    let current = Language::current();
    let button = move |language: Language| {
        view! {
            <button
                type="submit"
                name="language"
                value=language.tag()
                lang=language.tag()
                title=language.own_name()
                aria-label=language.own_name()
                aria-pressed=(language == current).to_string()
            >
                {match language {
                    // Drawn: not every machine has a font for it.
                    Language::Chinese => view! {
                        <svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="M4.5 7.5h15v7.5h-15zM12 3v18.5"></path></svg>
                    }
                    .into_any(),
                    Language::English | Language::Pseudo => "EN".into_any(),
                }}
            </button>
        }
    };
    view! {
        <div class="theme-switch" role="group" aria-label=t!("frame-language")>
            <form method="post" action=SetAppearance::PATH>
                <BackField/>
                {Language::OFFERED.map(button)}
            </form>
        </div>
    }
}
