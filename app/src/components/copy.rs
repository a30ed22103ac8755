//! A button that copies a text.

use leptos::prelude::*;

use super::icons::{Icon, either_icon};
use crate::live::voice::Voice;
use crate::notice::Notices;
use crate::t;

/// Copies a text to the clipboard; shows for a moment that it did, and says so. Hidden where no script runs, and where the
/// browser gives no clipboard.
#[component]
pub fn CopyButton(
    /// What is copied.
    #[prop(into)]
    text: Signal<String>,
    /// What it is, for the button's name: `id`, `payload`.
    #[prop(into)]
    what: String,
) -> impl IntoView {
    let (name, what_is_copied) = (t!("acts-copy", what = what.clone()), what.clone());
    // Neither is there on a page without the application.
    let (voice, notices) = (use_context::<Voice>(), use_context::<Notices>());
    let copy = move |event: leptos::ev::MouseEvent| {
        #[cfg(feature = "hydrate")]
        browser::copy(&event, &text.get_untracked(), what.clone(), voice, notices);
        #[cfg(not(feature = "hydrate"))]
        let _ = (text, &what, voice, notices, event);
    };
    let (copied, what) = (crate::light::is_on().then(|| text.get_untracked()), what_is_copied);
    let what = crate::light::is_on().then_some(what);
    // A list has a hundred of them: what shows for a moment costs nothing until then.
    view! {
        <button type="button" class="copy" title=name.clone() aria-label=name data-copy=copied data-what=what on:click=copy>
            {either_icon(Icon::Copy, Icon::Check)}
        </button>
    }
}

#[cfg(feature = "hydrate")]
pub(crate) mod browser {
    use std::time::Duration;

    use js_sys::futures::JsFuture;
    use leptos::ev::MouseEvent;
    use leptos::prelude::*;
    use leptos::task::spawn_local;
    use wasm_bindgen::JsCast;
    use web_sys::{Clipboard, Element};

    use crate::i18n::Said;
    use crate::live::voice::Voice;
    use crate::notice::Notices;
    use crate::t;

    /// How long a button shows that it has copied.
    const SHOWN: Duration = Duration::from_millis(1_500);

    /// Copies a text, and tells what came of it once the browser has: it may refuse.
    pub(super) fn copy(
        event: &MouseEvent,
        text: &str,
        what: String,
        voice: Option<Voice>,
        notices: Option<Notices>,
    ) {
        let clicked = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        let button = clicked.and_then(|element| element.closest(".copy").ok().flatten());
        let copying = clipboard().map(|clipboard| JsFuture::from(clipboard.write_text(text)));
        spawn_local(async move {
            let is_copied = match copying {
                Some(copying) => copying.await.is_ok(),
                None => false,
            };
            if !is_copied {
                if let Some(notices) = notices {
                    notices.say(Said::bad(t!("acts-not-copied", what = what)));
                }
                return;
            }
            if let Some(button) = button {
                show_done(button);
            }
            if let Some(voice) = voice {
                voice.answer(t!("acts-copied", what = what));
            }
        });
    }

    /// What texts are copied to. Browsers give none to pages that came without TLS from elsewhere.
    pub(crate) fn clipboard() -> Option<Clipboard> {
        let navigator = window().navigator();
        js_sys::Reflect::get(&navigator, &"clipboard".into()).ok()?.dyn_into().ok()
    }

    /// Marks a button as done, for a moment.
    fn show_done(button: Element) {
        // Fails only for an invalid attribute name.
        let _ = button.set_attribute("data-copied", "");
        set_timeout(move || drop(button.remove_attribute("data-copied")), SHOWN);
    }
}
