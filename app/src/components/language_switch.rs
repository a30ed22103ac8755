//! In which language the screens speak.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use super::fields::BackField;
use crate::api::SetLanguage;
use crate::i18n::Language;
use crate::t;

/// A button for each language. A plain form, for the whole page is loaded again in the other language.
#[component]
pub fn LanguageSwitch() -> impl IntoView {
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
                    Language::Chinese => "中",
                    Language::English | Language::Pseudo => "EN",
                }}
            </button>
        }
    };
    view! {
        <div class="theme-switch" role="group" aria-label=t!("frame-language")>
            <form method="post" action=SetLanguage::PATH>
                <BackField/>
                {Language::OFFERED.map(button)}
            </form>
        </div>
    }
}
