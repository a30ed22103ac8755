//! What is there now, for a form whose save would have overwritten it.

use leptos::prelude::*;

use crate::t;

/// If somebody else saved first, the script shows this in the form and updates the version that the form has seen. The next
/// save then replaces it knowingly.
#[component]
pub(crate) fn ThereNow(
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
