//! Every page and every name from the keyboard: the pages as links, of which the script shows those that fit; names come from
//! the page of the search.

use leptos::prelude::*;

use super::hits::HitLink;
use super::icons::{Icon, icon};
use super::navigation;
use super::search::Wanted;
use crate::session::Session;
use crate::{routes, t};

/// The dialog. Without a script the field in the top bar does what it does.
#[component]
pub(crate) fn Palette() -> impl IntoView {
    let role = Session::get().role;
    let search = Wanted::of(role);
    let page = |(hit, words)| view! { <li data-words=words><HitLink hit/></li> };
    let pages = navigation::links(role).into_iter().map(page).collect_view();
    view! {
        <dialog class="palette" id="palette" aria-label=t!("frame-palette") data-own data-search=routes::SEARCH>
            <form class="palette-field" action=search.page method="get">
                {icon(Icon::Search)}
                <input type="text" name="find" aria-label=search.what.clone() placeholder=search.what autocomplete="off" spellcheck="false"/>
                <kbd>"Esc"</kbd>
            </form>
            <ul class="palette-list">{pages}</ul>
            <p class="palette-empty" role="status"></p>
        </dialog>
    }
}
