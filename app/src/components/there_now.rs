//! What is there now, for a form whose save would have overwritten it.

use leptos::prelude::*;

use crate::t;

/// Where somebody else was faster, the script shows this in the form and brings its version up to date: whoever has seen it
/// may save what they typed all the same.
#[component]
pub fn ThereNow(
    /// What is there, an entry a line.
    words: String,
) -> impl IntoView {
    view! {
        <template data-there>
            <div class="there-now" role="status">
                <p>{t!("settings-there-now")}</p>
                <pre class="settings-shown" tabindex="0">{words}</pre>
                <p>{t!("errors-next-setting-changed")}</p>
            </div>
        </template>
    }
}
