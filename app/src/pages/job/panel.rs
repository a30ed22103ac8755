//! The job beside its list: a panel on the right that the address opens with `open`.
//!
//! Every link marked `data-row-link` to a job opens here instead of leaving the list, where there is room and a
//! script; everywhere else it leads to the job's own page.

use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos_router::NavigateOptions;
use leptos_router::hooks::{use_location, use_navigate, use_query_map};
use reprieve::model::JobId;

use super::log::LINES_FIRST;
use super::{Asked, Told};
use crate::clock::Clock;
use crate::components::acts::{Acted, provide_operations};
use crate::components::icons::{Icon, icon};
use crate::components::loading::{Shape, Shapes};
use crate::live::effect::effect;
use crate::pages::lazy::{NotLoaded, in_module, load_whole};
use crate::{routes, t};

/// What the address calls it.
const OPEN: &str = "open";

/// What is known of a job, and of which.
type Read = (JobId, Asked);

/// The panel, closed unless the address opens it.
#[component]
pub fn JobPanel() -> impl IntoView {
    let query = use_query_map();
    let location = use_location();
    let asked =
        Memo::new(move |_| query.with(|query| query.get(OPEN)).and_then(|text| JobId::new(text).ok()));
    let navigate = use_navigate();
    let go = Callback::new(move |(id, replace): (Option<JobId>, bool)| {
        let mut query = query.get_untracked();
        query.remove(OPEN);
        if let Some(id) = id {
            query.insert(OPEN, id.to_string());
        }
        let address = format!("{}{}", location.pathname.get_untracked(), query.to_query_string());
        navigate(&address, NavigateOptions { replace, scroll: false, ..NavigateOptions::default() });
    });
    catch_rows(go);
    let clock = Clock::get();
    // Without scripts it would never have more than shapes in it.
    let hydrated = Memo::new(move |_| clock.now_ms().is_some());
    let open = Memo::new(move |_| hydrated.get() && asked.with(Option::is_some));
    move || open.get().then(|| view! { <Opened asked go/> })
}

#[component]
fn Opened(
    /// The job the address names.
    asked: Memo<Option<JobId>>,
    /// Opens another one, or none.
    go: Callback<(Option<JobId>, bool)>,
) -> impl IntoView {
    let panel = NodeRef::<html::Aside>::new();
    effect(move || focus(panel));
    let walk = move |by: isize| {
        if let Some(next) = asked.get_untracked().and_then(|id| neighbour(&id, by)) {
            go.run((Some(next), true));
        }
    };
    let close = move |_| {
        let was = asked.get_untracked();
        go.run((None, false));
        return_to(was);
    };
    focus_afterwards(asked);
    let href = move || asked.get().map(|id| routes::job(&id)).unwrap_or_default();
    let inside = Suspend::new(async move {
        match inside(asked).await {
            Ok(view) => view,
            Err(NotLoaded) => load_whole(&href()).await,
        }
    });
    view! {
        <aside class="job-panel" aria-label=t!("job-page") tabindex="-1" node_ref=panel>
            <div class="job-panel-bar">
                <button type="button" class="button" data-tone="quiet" data-key="[" title=t!("job-previous-key") aria-label=t!("job-previous-key") on:click=move |_| walk(-1)>
                    {icon(Icon::ArrowUp)}
                </button>
                <button type="button" class="button" data-tone="quiet" data-key="]" title=t!("job-next-key") aria-label=t!("job-next-key") on:click=move |_| walk(1)>
                    {icon(Icon::ArrowDown)}
                </button>
                <a class="button" data-tone="quiet" href=href>{t!("job-own-page")}</a>
                <button type="button" class="button" data-tone="quiet" data-key="Escape" title=t!("job-close-key") aria-label=t!("job-close-key") on:click=close>
                    {icon(Icon::Close)}
                </button>
            </div>
            <Suspense fallback=|| view! { <div class="loading"><Shapes shape=Shape::Job/></div> }>{inside}</Suspense>
        </aside>
    }
    .into_any()
}

in_module! {
    job,
    /// What stands in the panel.
    fn inside(asked: Memo<Option<JobId>>) view! { <Inside asked/> }.into_any()
}

/// The job, read anew for each one that the address names.
#[component]
fn Inside(
    /// The job the address names.
    asked: Memo<Option<JobId>>,
) -> impl IntoView {
    provide_operations();
    Acted::provide();
    // What was read of it, or of the one before while it is read.
    let shown = RwSignal::new(None::<Read>);
    let tries = RwSignal::new(0_u32);
    effect(move || {
        tries.track();
        let Some(id) = asked.get() else { return };
        spawn_local(async move {
            let answer = Asked::of(id.clone(), LINES_FIRST).await;
            if asked.try_get_untracked().flatten().as_ref() == Some(&id) {
                let _ = shown.try_set(Some((id, answer)));
            }
        });
    });
    // Tried: the panel may be closed while its last change is still on its way.
    let content = move || match shown.try_get().flatten() {
        Some((id, asked)) => {
            let again = move || tries.update(|tries| *tries = tries.wrapping_add(1));
            view! { <Told id=id.to_string() asked is_page=false again/> }.into_any()
        }
        None => view! { <Shapes shape=Shape::Job/> }.into_any(),
    };
    let is_other =
        move |read: &Option<Read>| read.as_ref().is_some_and(|(id, _)| asked.get().as_ref() != Some(id));
    let reading = move || shown.try_with(is_other).unwrap_or_default().then_some("");
    view! { <div class="loading" data-reading=reading>{content}</div> }
}

/// Opens links of rows here.
fn catch_rows(go: Callback<(Option<JobId>, bool)>) {
    #[cfg(feature = "hydrate")]
    effect(move || browser::catch_rows(go));
    #[cfg(not(feature = "hydrate"))]
    let _ = go;
}

/// The job above or below in the list.
fn neighbour(id: &JobId, by: isize) -> Option<JobId> {
    #[cfg(feature = "hydrate")]
    return browser::neighbour(id, by);
    #[cfg(not(feature = "hydrate"))]
    {
        let _ = (id, by);
        None
    }
}

fn focus(panel: NodeRef<html::Aside>) {
    #[cfg(feature = "hydrate")]
    if let Some(panel) = panel.get() {
        let _ = panel.focus();
    }
    #[cfg(not(feature = "hydrate"))]
    let _ = panel;
}

/// Where the panel is closed by something else than its button, as by the browser's way back, what was in it had the focus
/// and took it along: the row has it then, or else the heading of the page.
fn focus_afterwards(asked: Memo<Option<JobId>>) {
    let path = use_location().pathname;
    let last = StoredValue::new(None);
    effect(move || {
        if let Some(id) = asked.get() {
            last.set_value(Some((id, path.get_untracked())));
        }
    });
    on_cleanup(move || {
        let last = last.try_get_value().flatten();
        // Another page looks after its own heading.
        if let Some((id, _)) = last.filter(|(_, place)| path.try_get_untracked().as_ref() == Some(place)) {
            return_if_lost(id);
        }
    });
}

/// Puts the focus back on the row, or on the heading where that is gone, once the panel is.
fn return_if_lost(id: JobId) {
    #[cfg(feature = "hydrate")]
    set_timeout(move || browser::return_if_lost(&id), std::time::Duration::ZERO);
    #[cfg(not(feature = "hydrate"))]
    drop(id);
}

/// Puts the focus back on the row.
fn return_to(id: Option<JobId>) {
    #[cfg(feature = "hydrate")]
    if let Some(link) = id.and_then(|id| browser::link(&id)) {
        let _ = link.focus();
    }
    #[cfg(not(feature = "hydrate"))]
    let _ = id;
}

#[cfg(feature = "hydrate")]
mod browser {
    use leptos::prelude::*;
    use reprieve::model::JobId;
    use wasm_bindgen::JsCast;
    use wasm_bindgen::closure::Closure;
    use web_sys::{Element, HtmlElement, MouseEvent};

    use crate::components::focus::browser::{focus_in_place, heading, is_lost};

    /// Narrower than this a job fills the screen, so that its own page is the better place.
    const ROOM_PX: f64 = 1_100.0;

    /// Listens before the router does, which would leave the list.
    pub(super) fn catch_rows(go: Callback<(Option<JobId>, bool)>) {
        let clicked = Closure::<dyn Fn(MouseEvent)>::new(move |event: MouseEvent| {
            if let Some(id) = asked(&event) {
                event.prevent_default();
                go.run((Some(id), false));
            }
        });
        let Some(body) = document().body() else { return };
        let _ = body.add_event_listener_with_callback("click", clicked.as_ref().unchecked_ref());
        // The panel belongs to the frame, which stays as long as the page.
        clicked.forget();
    }

    /// The job of the row whose link was pressed plainly, if there is room for a panel.
    fn asked(event: &MouseEvent) -> Option<JobId> {
        let plain = event.button() == 0
            && !(event.ctrl_key() || event.meta_key() || event.shift_key() || event.alt_key())
            && !event.default_prevented();
        let wide = window().inner_width().ok()?.as_f64()? >= ROOM_PX;
        if !(plain && wide) {
            return None;
        }
        let element: Element = event.target()?.dyn_into().ok()?;
        id_of(&element.closest("a[data-row-link]").ok()??)
    }

    fn id_of(link: &Element) -> Option<JobId> {
        let href = link.get_attribute("href")?;
        JobId::new(href.strip_prefix("/job/")?.replace("%2F", "/")).ok()
    }

    fn links() -> Vec<HtmlElement> {
        let Ok(found) = document().query_selector_all("a[data-row-link]") else { return Vec::new() };
        (0..found.length()).filter_map(|place| found.get(place)?.dyn_into().ok()).collect()
    }

    pub(super) fn link(id: &JobId) -> Option<HtmlElement> {
        links().into_iter().find(|link| id_of(link).as_ref() == Some(id))
    }

    pub(super) fn return_if_lost(id: &JobId) {
        if !is_lost() {
            return;
        }
        if let Some(element) = link(id).map(Element::from).or_else(heading) {
            drop(focus_in_place(&element));
        }
    }

    pub(super) fn neighbour(id: &JobId, by: isize) -> Option<JobId> {
        let ids: Vec<JobId> = links().iter().filter_map(|link| id_of(link)).collect();
        let here = ids.iter().position(|other| other == id)?;
        ids.get(here.checked_add_signed(by)?).cloned()
    }
}
