//! The bell: everything that was said on this page. The script of the page fills it.

use leptos::prelude::*;

use super::icons::{Icon, icon};
use crate::t;

/// The popover's id.
const LOG: &str = "notice-log";

/// The bell of the top bar. Nothing rings where no script runs: outcomes then stand above the page.
#[component]
pub(crate) fn NoticeLog() -> impl IntoView {
    view! {
        <button type="button" class="top-bar-button bell" popovertarget=LOG title=t!("frame-notices") aria-label=t!("frame-notices") data-own>
            {icon(Icon::Bell)}
            <span class="bell-count" aria-hidden="true" hidden></span>
        </button>
        <div id=LOG class="popover notice-log" popover="auto" role="dialog" aria-label=t!("frame-notices") data-own>
            <h2>{t!("frame-notices")}</h2>
            <p class="quiet">{t!("frame-notices-none")}</p>
            <ul></ul>
        </div>
    }
}
