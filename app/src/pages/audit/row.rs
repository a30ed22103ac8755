//! One act.

use leptos::prelude::*;
use reprieve::model::{AuditEntry, BulkState, HaltReason, JobId, JobRow};

use super::change::{Change, changes};
use crate::components::badge::Badge;
use crate::components::demo_banner::role_name;
use crate::components::time::{HERE, Time, TimePair, TimeStyle, TimedSentence};
use crate::{i18n, routes, t};

/// Who did what, and behind a fold what it changed.
#[component]
pub(super) fn Act(
    entry: AuditEntry,
    /// The job it was done to, as that is now.
    job: Option<JobRow>,
) -> impl IntoView {
    let why = i18n::audit_why(&entry);
    // What somebody typed stands as they typed it.
    let translate = why.is_typed.then_some("no");
    let why = (!why.text.is_empty()).then_some(why.text);
    let ticket =
        entry.ticket.clone().map(|ticket| view! { <small>{t!("audit-ticket", number = ticket)}</small> });
    let undone = entry.undone.clone().map(|undone| {
        let text = t!("audit-undone", who = undone.by, at = HERE);
        view! { <small class="audit-undone"><TimedSentence text at=undone.at/></small> }
    });
    let is_explained = why.is_some() || ticket.is_some();
    let outcome = if entry.is_denied() { "denied" } else { "done" };
    view! {
        <tr data-outcome=outcome>
            <td class="audit-when" data-label=t!("audit-when")><TimePair at=entry.at/></td>
            <td class="audit-who" data-label=t!("audit-who")><Who entry=entry.clone()/></td>
            <td class="audit-what" data-label=t!("audit-what")>{i18n::audit_verb(&entry.verb)}</td>
            <td class="audit-target" data-label=t!("audit-target")><Target entry=entry.clone() job=job.clone()/></td>
            <td class="audit-why" data-label=is_explained.then(|| t!("audit-why"))><span class="two-lines"><span translate=translate>{why}</span> {ticket}</span></td>
            <td data-label=t!("audit-result")><span class="run-state" data-state=outcome>{i18n::audit_outcome(&entry.outcome)}</span> {undone} <Details entry job/></td>
        </tr>
    }
}

/// Who did it, as what, and from where, as far as that was written down.
#[component]
fn Who(entry: AuditEntry) -> impl IntoView {
    let role = entry.role.parse().ok().map(role_name);
    let role = role.map(|role| view! { <small>{role}</small> });
    let address = (!entry.address.is_empty()).then(|| view! { <small><code>{entry.address}</code></small> });
    view! { <span>{entry.by}</span> {role} {address} }
}

/// What it was done to, as a link where there is a page of it.
#[component]
fn Target(entry: AuditEntry, job: Option<JobRow>) -> impl IntoView {
    let name = entry.target.clone();
    if let Some(row) = job {
        let subject = row.subject.as_ref().map(|subject| {
            let text = subject.to_string();
            view! { <small>{text}</small> }
        });
        return view! {
            <span class="two-lines">
                <a href=routes::job(&row.id)>{row.kind.to_string()}</a>
                {subject}
                <small><code>{name}</code></small>
            </span>
        }
        .into_any();
    }
    match href(&entry) {
        // Settings have names that are the same in every language.
        Some(href) if is_setting(&entry.verb) && !name.is_empty() => {
            view! { <a href=href><code>{name}</code></a> }.into_any()
        }
        Some(href) => {
            view! { <a href=href>{if name.is_empty() { t!("audit-namespace") } else { name }}</a> }.into_any()
        }
        None if name.is_empty() => view! { <span>{t!("audit-namespace")}</span> }.into_any(),
        None => view! { <code>{name}</code> }.into_any(),
    }
}

/// Whether it sets what a namespace has, and nothing of a person.
fn is_setting(verb: &str) -> bool {
    verb.starts_with("set_") && !matches!(verb, "set_role" | "set_second_factor")
}

/// The page of what an act was done to; `None` where there is none.
fn href(entry: &AuditEntry) -> Option<String> {
    let name = &entry.target;
    match entry.verb.as_str() {
        "pause" | "resume" | "limit" | "set_retention" => {
            name.parse().ok().map(|queue| routes::queue(&queue))
        }
        "cron_put" | "cron_pause" | "cron_resume" | "cron_run" => {
            name.parse().ok().map(|cron| routes::schedule(&cron))
        }
        "quiet_worker" | "resume_worker" | "stop_worker" => Some(routes::WORKERS.to_owned()),
        verb if is_setting(verb) => Some(routes::SETTINGS.to_owned()),
        verb if verb.starts_with("set_") || verb.ends_with("_person") || verb.ends_with("_token") => {
            Some(routes::PEOPLE.to_owned())
        }
        verb if verb.starts_with("bulk_") => name.parse().ok().map(|run| routes::bulk_run(&run)),
        "enqueue" | "cancel" | "reinstate" | "retry_now" | "reschedule" | "hold" | "unhold" | "edit"
        | "purge" | "reveal" => JobId::new(name.clone()).ok().map(|id| routes::job(&id)),
        _ => None,
    }
}

/// Before and after, and what tells this entry from all others.
#[component]
fn Details(entry: AuditEntry, job: Option<JobRow>) -> impl IntoView {
    let now =
        job.map(|row| view! { <div><dt>{t!("audit-state-now")}</dt><dd><Badge state=row.state/></dd></div> });
    let (is_of_run, is_halt) = (entry.verb.starts_with("bulk_"), entry.verb == "clear_halt");
    let word = |text: String| match (text.parse::<BulkState>(), text.parse::<HaltReason>()) {
        (Ok(state), _) if is_of_run => i18n::bulk_state(state),
        (_, Ok(reason)) if is_halt => i18n::halt(reason),
        _ => text.parse().map(i18n::state).unwrap_or(text),
    };
    let parts = parts(&entry);
    let after = if parts.is_some() { "" } else { entry.to.as_str() };
    let parts = parts.map(|(word, parts)| view! { <div><dt>{word}</dt><dd><code>{parts}</code></dd></div> });
    let mut rows: Vec<_> = changes(&entry.from, after)
        .into_iter()
        .map(|Change { field, before, after }| {
            view! { <div><dt>{field}</dt><dd><del>{word(before)}</del> " → " <ins>{word(after)}</ins></dd></div> }.into_any()
        })
        .collect();
    if let (Some(before), Some(after)) = (entry.due_from, entry.due_to) {
        rows.push(
            view! {
                <div>
                    <dt>{t!("audit-due")}</dt>
                    <dd><del><Time at=before style=TimeStyle::Exact/></del> " → " <ins><Time at=after style=TimeStyle::Exact/></ins></dd>
                </div>
            }
            .into_any(),
        );
    }
    let queue = entry.queue.as_ref().map(ToString::to_string);
    let queue = queue.map(|name| view! { <div><dt>{t!("audit-queue")}</dt><dd>{name}</dd></div> });
    let id = |word: String, id: String| {
        (!id.is_empty()).then(|| view! { <div><dt>{word}</dt><dd><code>{id}</code></dd></div> })
    };
    view! {
        <details class="audit-details">
            <summary>{t!("audit-details")}</summary>
            <dl>
                {parts}
                {rows}
                {now}
                {queue}
                {id(t!("audit-operation"), entry.operation)}
                {id(t!("audit-request"), entry.request)}
                {id(t!("audit-entry"), entry.place.to_string())}
                {id(t!("audit-hash"), entry.hash)}
            </dl>
        </details>
    }
}

/// Which parts of a payload it is about, after the word for that: what was looked at, by which nothing changed, or what an
/// edit changed; `None` of other acts, and where that is not known.
fn parts(entry: &AuditEntry) -> Option<(String, String)> {
    match entry.verb.as_str() {
        _ if entry.is_denied() => None,
        "reveal" if entry.to.is_empty() => Some((t!("audit-part"), t!("audit-part-whole"))),
        "reveal" => Some((t!("audit-part"), entry.to.clone())),
        "edit" if entry.from.is_empty() => Some((t!("audit-parts-changed"), entry.to.clone())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use reprieve::model::{AuditPlace, Timestamp};

    use super::*;

    #[test]
    fn an_edit_tells_which_parts_of_the_payload_it_changed_where_that_is_known() {
        let told = |from: &str, to: &str| {
            let mut entry = AuditEntry::new(
                AuditPlace { ms: 1, sequence: 0, shard: 0, part: 0 },
                Timestamp::EPOCH,
                "ann",
                "edit",
                "a",
            );
            (entry.from, entry.to) = (from.to_owned(), to.to_owned());
            parts(&entry)
        };
        let parts = told("", "amount, customer.email");
        assert_eq!(parts, Some(("Parts changed".to_owned(), "amount, customer.email".to_owned())));
        assert_eq!(told("delayed", "delayed"), None);
    }
}
