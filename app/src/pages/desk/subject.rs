//! Everything about one subject: what is to come, what was called off, what has been.

use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos_meta::Title;
use leptos_router::hooks::{use_params_map, use_query_map};
use reprieve::model::{JobState, Subject, Timestamp};

use super::matter::MatterView;
use super::partly::PartlySeen;
use super::receipt::ReceiptView;
use super::trouble::DeskTrouble;
use crate::api::{get_desk, get_desk_receipt};
use crate::clock::Clock;
use crate::components::acts::{Acted, provide_operations};
use crate::components::empty::Empty;
use crate::components::icons::{Icon, icon};
use crate::components::loading::{Loading, Shape};
use crate::desk::{Desk, LeftOut, Outcome, Receipt, Since};
use crate::error::ApiError;
use crate::live::Live;
use crate::live::effect::effect;
use crate::live::quiet::is_quiet;
use crate::live::reading::{Reading, is_to_be_asked_again, note_trouble};
use crate::{format, i18n, routes, t};

/// What happens elsewhere is looked for this often, in seconds.
const LOOK_EVERY: i64 = 2;

/// What one address shows.
#[derive(Clone, serde::Serialize, serde::Deserialize)]
enum Shown {
    Desk(Desk),
    Receipt(Receipt),
}

/// One subject, or the receipt of what was called off about it.
#[component]
pub fn SubjectPage() -> impl IntoView {
    provide_operations();
    Acted::provide();
    let (params, query) = (use_params_map(), use_query_map());
    let subject = Memo::new(move |_| params.with(|params| params.get("subject").unwrap_or_default()));
    let receipt = Memo::new(move |_| {
        query.with(|query| query.get_str("receipt")?.parse().ok().and_then(Timestamp::from_millis))
    });
    // The matter that the address asks about. Once that is answered it is named no more, and shown for as long as the page is.
    let of = move || query.with_untracked(|query| query.get("of"));
    let shown = Reading::new(
        move || (subject.get(), receipt.get(), of()),
        |(text, receipt, of)| async move {
            let Ok(subject) = Subject::new(text) else { return Err(ApiError::NotFound) };
            match receipt {
                Some(at) => get_desk_receipt(subject, at).await.map(Shown::Receipt),
                None => get_desk(subject, of).await.map(Shown::Desk),
            }
        },
    );
    let view = move || {
        Suspend::new(async move {
            match shown.await {
                Ok(Shown::Desk(desk)) => view! { <DeskView desk of=of()/> }.into_any(),
                Ok(Shown::Receipt(receipt)) => view! { <ReceiptView receipt/> }.into_any(),
                Err(ApiError::NotFound) => {
                    let asked = subject.get_untracked();
                    match (receipt.get_untracked(), Subject::new(asked.clone())) {
                        (Some(_), Ok(subject)) => view! { <NoReceipt subject/> }.into_any(),
                        _ => view! { <Unknown asked/> }.into_any(),
                    }
                }
                Err(error) => {
                    shown.refetch_after(&error);
                    view! {
                        <Title text=t!("support-page-title")/>
                        <h1 tabindex="-1">{t!("support-title")}</h1>
                        <DeskTrouble error/>
                    }
                    .into_any()
                }
            }
        })
    };
    view! { <Loading shape=Shape::Desk>{view}</Loading> }
}

/// Nothing is known of it, or no more.
#[component]
fn Unknown(
    /// What the address names.
    asked: String,
) -> impl IntoView {
    view! {
        <NotThere text=t!("support-unknown", asked = asked) next=t!("support-unknown-next")>
            <PartlySeen/>
        </NotThere>
    }
}

/// Nothing was called off at the time that the address names, or that is kept no more.
#[component]
fn NoReceipt(
    /// Whose receipt it would be.
    subject: Subject,
) -> impl IntoView {
    view! {
        <NotThere text=t!("support-no-receipt") next=t!("support-no-receipt-next")>
            <a class="button" href=routes::desk(&subject)>{t!("support-to-subject")}</a>
        </NotThere>
    }
}

/// What the address names is not there. With the status 404.
#[component]
fn NotThere(
    /// What is missing.
    text: String,
    /// What to do about it.
    next: String,
    /// What stands before the way to another search.
    children: Children,
) -> impl IntoView {
    not_found();
    view! {
        <Title text=t!("support-page-title")/>
        <section class="desk">
            <h1 tabindex="-1">{t!("support-title")}</h1>
            <Empty text>
                <p>{next}</p>
                {children()}
                <a class="button" href=routes::DESK>{t!("support-find-another")}</a>
            </Empty>
        </section>
    }
}

/// Says so in the status of the page, too.
fn not_found() {
    #[cfg(feature = "ssr")]
    if let Some(response) = use_context::<leptos_axum::ResponseOptions>() {
        response.set_status(http::StatusCode::NOT_FOUND);
    }
}

/// The subject as it was read, kept true in place.
#[component]
fn DeskView(
    /// As it was read first.
    desk: Desk,
    /// The matter that the address asks about.
    of: Option<String>,
) -> impl IntoView {
    let (subject, label) = (desk.subject.to_string(), desk.label.clone());
    let calendar = routes::forecast_of(&desk.subject);
    let title = t!("support-subject-title", label = label.clone());
    let desk = RwSignal::new(desk);
    let since = RwSignal::new(Since::default());
    let trouble = RwSignal::new(None::<ApiError>);
    keep_true(desk, of, trouble);
    let stale = move || trouble.get().map(|error| view! { <DeskTrouble error stale=true/> });
    let keys =
        move || desk.with(|desk| desk.matters.iter().map(crate::desk::Matter::key).collect::<Vec<_>>());
    let is_empty = Memo::new(move |_| desk.with(|desk| desk.matters.is_empty()));
    let nothing = {
        let label = label.clone();
        move || {
            is_empty
                .get()
                .then(|| view! { <Empty text=t!("support-nothing-planned", label = label.clone())/> })
        }
    };
    view! {
        <Title text=title/>
        <article class="desk">
            <header class="desk-head">
                <h1 tabindex="-1" translate="no">{label}</h1>
                <p translate="no"><code>{subject}</code></p>
                <span class="desk-ways">
                    <a class="button" href=calendar>{t!("support-forecast")}</a>
                    <a class="button" href=routes::DESK>{t!("support-find-another")}</a>
                </span>
            </header>
            {stale}
            <PartlySeen/>
            <For each=keys key=Clone::clone let:key>
                <MatterView desk since key/>
            </For>
            {nothing}
            <Outcomes desk/>
        </article>
    }
}

/// Reads the subject again when something changed, and until that has succeeded, unless somebody is in the middle of
/// something.
fn keep_true(desk: RwSignal<Desk>, of: Option<String>, trouble: RwSignal<Option<ApiError>>) {
    let (live, acted) = (Live::get(), Acted::get());
    let pulse = live.pulse(LOOK_EVERY);
    let read = StoredValue::new((live.revision_untracked(), 0_u64));
    let busy = StoredValue::new(false);
    let subject = desk.with_untracked(|desk| desk.subject.clone());
    effect(move || {
        let (_, acts) = (pulse.get(), acted.count());
        let revision = live.revision_untracked();
        let (read_revision, read_acts) = read.get_value();
        let own = acts != read_acts;
        if busy.get_value() || !own && (revision == read_revision || is_quiet() || live.paused().is_some()) {
            return;
        }
        read.set_value((revision, acts));
        busy.set_value(true);
        let (subject, of) = (subject.clone(), of.clone());
        spawn_local(async move {
            let answer = get_desk(subject, of).await;
            let _ = busy.try_set_value(false);
            // Somebody is in the middle of something by now: it is read again once they are not.
            if !own && (is_quiet() || untrack(|| live.paused()).is_some()) {
                let _ = read.try_set_value((read_revision, acts));
                return;
            }
            match answer {
                Ok(now) => {
                    let _ = desk.try_update(|shown| *shown = now);
                    note_trouble(trouble, None);
                }
                // A page that cannot be read again keeps what it shows, and says that this may be old.
                Err(error) => {
                    if is_to_be_asked_again(Some(&error)) {
                        // The stream does not say again what this page has missed.
                        let _ = read.try_set_value((read_revision, read_acts));
                    }
                    note_trouble(trouble, Some(error));
                }
            }
        });
    });
}

/// What has been, the latest first.
#[component]
fn Outcomes(desk: RwSignal<Desk>) -> impl IntoView {
    let outcomes = Memo::new(move |_| desk.with(|desk| desk.outcomes.clone()));
    let line = |outcome: Outcome| view! { <OutcomeLine outcome/> };
    move || {
        let outcomes = outcomes.get();
        (!outcomes.is_empty()).then(|| {
            view! {
                <section class="panel desk-outcomes" aria-label=t!("support-outcomes")>
                    <div class="panel-head"><h2>{t!("support-outcomes")}</h2></div>
                    <ul>{outcomes.into_iter().map(line).collect_view()}</ul>
                </section>
            }
        })
    }
}

/// One thing that has been: what, how it ended and when.
#[component]
fn OutcomeLine(outcome: Outcome) -> impl IntoView {
    let clock = Clock::get();
    let Outcome { label, state, at, by, why, left_out } = outcome;
    let text = move || {
        let at = format::date_minute(at, clock.zone(), clock.now_ms());
        match (left_out, state) {
            (Some(LeftOut::Made), _) => t!("support-outcome-left-out"),
            (Some(LeftOut::Later), _) => t!("support-outcome-left-out-at", at = at),
            (Some(LeftOut::Waited), _) => t!("support-outcome-waited", at = at),
            (None, JobState::Done) => t!("support-outcome-done", at = at),
            (None, JobState::Cancelled) => t!("support-outcome-called-off", at = at, by = by.clone()),
            (None, _) => t!("support-outcome-failed", at = at),
        }
    };
    // The sentence says it already of what was left out.
    let why = (!why.is_empty() && left_out.is_none()).then(|| view! { <small>{i18n::why(&why)}</small> });
    view! {
        <li data-state=state.as_str()>
            {icon(Icon::of_state(state))}
            <span><strong translate="no">{label}</strong> " " <span>{text}</span> " " {why}</span>
        </li>
    }
}
