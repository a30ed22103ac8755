//! The route policy: what each page, route and server function asks of its caller, each listed once.
//!
//! What does not stand here opens for nobody. The functions check again inside, where they know which queue it is
//! about.

use app::door::PAGES;
use reprieve::model::Permission;

/// What a route asks of its caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Policy {
    /// Nothing.
    Anyone,
    /// A token, as the HTTP API does.
    Api,
    /// To be signed in.
    SignedIn,
    /// These rights.
    Needs(&'static [Permission]),
    /// These rights, of somebody who proved lately who they are.
    Proved(&'static [Permission]),
    /// It is none of ours.
    Unknown,
}

/// How often one caller may use a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RateLimit {
    /// As they like: nothing changes but how it looks to them. What is dear is counted where it is done, for a page does
    /// it too.
    Free,
    /// As somebody acts. Acts on many jobs at once are counted once more where they are done, when nothing is wrong with
    /// what was asked for.
    Acts,
    /// As somebody takes lists away: where the file is made it is counted.
    Exports,
}

use Permission as P;

/// The server functions by their endpoint.
pub(crate) const FUNCTIONS: &[(&str, Policy, RateLimit)] = &[
    ("abort_bulk", Policy::Needs(&[P::RunBulk]), RateLimit::Acts),
    ("act_on_desk", Policy::Needs(&[P::CancelJobs]), RateLimit::Acts),
    ("add_alert", Policy::Needs(&[P::ManageSettings]), RateLimit::Acts),
    ("add_redaction", Policy::Proved(&[P::ManageSettings]), RateLimit::Acts),
    ("apply_filter", Policy::Needs(&[P::View]), RateLimit::Free),
    ("cancel_job", Policy::Needs(&[P::CancelJobs]), RateLimit::Acts),
    ("cancel_subject", Policy::Needs(&[P::CancelJobs]), RateLimit::Acts),
    ("clear_halt", Policy::Proved(&[P::PauseQueues]), RateLimit::Acts),
    ("collect_bulk", Policy::Needs(&[P::RunBulk]), RateLimit::Acts),
    ("connect_source", Policy::Needs(&[P::ImportJobs]), RateLimit::Acts),
    ("duplicate_job", Policy::Needs(&[P::EnqueueJobs]), RateLimit::Acts),
    ("edit_job", Policy::Needs(&[P::EditJobs]), RateLimit::Acts),
    ("empty_list", Policy::Proved(&[P::EmptyQueues]), RateLimit::Acts),
    ("enqueue_job", Policy::Needs(&[P::EnqueueJobs]), RateLimit::Acts),
    ("freeze_bulk", Policy::Needs(&[P::RunBulk]), RateLimit::Acts),
    ("hold_job", Policy::Needs(&[P::HoldJobs]), RateLimit::Acts),
    ("limit_queue", Policy::Needs(&[P::LimitQueues]), RateLimit::Acts),
    ("mute_failure", Policy::Needs(&[P::PauseQueues]), RateLimit::Acts),
    ("order_worker", Policy::Needs(&[P::ManageWorkers]), RateLimit::Acts),
    ("pause_queue", Policy::Needs(&[P::PauseQueues]), RateLimit::Acts),
    ("pause_schedule", Policy::Needs(&[P::ManageCron]), RateLimit::Acts),
    ("preview_redaction", Policy::Needs(&[P::View]), RateLimit::Free),
    ("purge_job", Policy::Needs(&[P::PurgeJobs]), RateLimit::Acts),
    ("put_schedule", Policy::Needs(&[P::ManageCron]), RateLimit::Acts),
    ("reinstate_job", Policy::Needs(&[P::ReinstateJobs]), RateLimit::Acts),
    ("remove_alert", Policy::Needs(&[P::ManageSettings]), RateLimit::Acts),
    ("remove_redaction", Policy::Proved(&[P::ManageSettings]), RateLimit::Acts),
    ("remove_schedule", Policy::Needs(&[P::ManageCron]), RateLimit::Acts),
    ("remove_view", Policy::Needs(&[P::View]), RateLimit::Acts),
    ("reschedule_job", Policy::Needs(&[P::RescheduleJobs]), RateLimit::Acts),
    ("resume_queue", Policy::Needs(&[P::PauseQueues]), RateLimit::Acts),
    ("resume_schedule", Policy::Needs(&[P::ManageCron]), RateLimit::Acts),
    ("retry_failures", Policy::Needs(&[P::RetryJobs, P::RunBulk]), RateLimit::Acts),
    ("retry_job", Policy::Needs(&[P::RetryJobs]), RateLimit::Acts),
    ("reveal_part", Policy::Needs(&[P::RevealFields]), RateLimit::Acts),
    ("roll_back_import", Policy::Needs(&[P::ImportJobs]), RateLimit::Acts),
    ("run_schedule", Policy::Needs(&[P::ManageCron]), RateLimit::Acts),
    ("save_view", Policy::Needs(&[P::View]), RateLimit::Acts),
    ("set_appearance", Policy::SignedIn, RateLimit::Free),
    ("set_demo_role", Policy::SignedIn, RateLimit::Free),
    ("set_index_fields", Policy::Needs(&[P::ManageSettings]), RateLimit::Acts),
    ("set_look", Policy::Needs(&[P::ManageSettings]), RateLimit::Acts),
    ("set_reasons", Policy::Needs(&[P::ManageSettings]), RateLimit::Acts),
    ("set_retention", Policy::Proved(&[P::SetRetention]), RateLimit::Acts),
    ("set_second_person", Policy::Proved(&[P::ManageSettings]), RateLimit::Acts),
    ("spread_peak", Policy::Needs(&[P::RescheduleJobs, P::RunBulk]), RateLimit::Acts),
    ("start_bulk", Policy::Needs(&[P::RunBulk]), RateLimit::Acts),
    ("take_over_import", Policy::Needs(&[P::ImportJobs]), RateLimit::Acts),
    ("test_alert", Policy::Needs(&[P::ManageSettings]), RateLimit::Acts),
    ("undo_bulk", Policy::Needs(&[P::RunBulk]), RateLimit::Acts),
    ("unhold_job", Policy::Needs(&[P::HoldJobs]), RateLimit::Acts),
    ("unmute_failure", Policy::Needs(&[P::PauseQueues]), RateLimit::Acts),
    ("whoami", Policy::SignedIn, RateLimit::Free),
];

/// The routes beside pages, functions and the HTTP API.
pub(crate) const ROUTES: &[(&str, Policy, RateLimit)] = &[
    ("/login", Policy::Anyone, RateLimit::Free),
    ("/login/oidc", Policy::Anyone, RateLimit::Free),
    ("/login/oidc/callback", Policy::Anyone, RateLimit::Free),
    ("/welcome", Policy::Anyone, RateLimit::Free),
    ("/first", Policy::Anyone, RateLimit::Free),
    ("/healthz", Policy::Anyone, RateLimit::Free),
    ("/readyz", Policy::Anyone, RateLimit::Free),
    ("/metrics", Policy::Needs(&[P::SeeMetrics]), RateLimit::Free),
    ("/events", Policy::Needs(&[P::View]), RateLimit::Free),
    ("/export/audit.csv", Policy::Needs(&[P::ExportAudit]), RateLimit::Exports),
    ("/export/audit.jsonl", Policy::Needs(&[P::ExportAudit]), RateLimit::Exports),
    ("/export/forecast.csv", Policy::Needs(&[P::View]), RateLimit::Exports),
    ("/export/jobs.csv", Policy::Needs(&[P::ExportLists]), RateLimit::Exports),
    ("/export/jobs.jsonl", Policy::Needs(&[P::ExportLists]), RateLimit::Exports),
    ("/export/outcomes.csv", Policy::Needs(&[P::View]), RateLimit::Exports),
    ("/export/outcomes.jsonl", Policy::Needs(&[P::View]), RateLimit::Exports),
    ("/export/payloads.csv", Policy::Proved(&[P::ExportPayloads]), RateLimit::Exports),
    ("/export/payloads.jsonl", Policy::Proved(&[P::ExportPayloads]), RateLimit::Exports),
    ("/api/docs", Policy::Needs(&[P::View]), RateLimit::Free),
    ("/reveal", Policy::Needs(&[P::RevealFields]), RateLimit::Acts),
    ("/logout", Policy::SignedIn, RateLimit::Free),
    ("/account/prove", Policy::SignedIn, RateLimit::Free),
    ("/account/password", Policy::Needs(&[P::OwnAccount]), RateLimit::Acts),
    ("/account/second-factor/begin", Policy::Needs(&[P::OwnAccount]), RateLimit::Acts),
    ("/account/second-factor/confirm", Policy::Needs(&[P::OwnAccount]), RateLimit::Acts),
    ("/account/second-factor/drop", Policy::Needs(&[P::OwnAccount]), RateLimit::Acts),
    ("/account/sessions/end", Policy::Needs(&[P::OwnAccount]), RateLimit::Acts),
    ("/people/add", Policy::Proved(&[P::ManagePeople]), RateLimit::Acts),
    ("/people/invite", Policy::Proved(&[P::ManagePeople]), RateLimit::Acts),
    ("/people/role", Policy::Proved(&[P::ManagePeople]), RateLimit::Acts),
    ("/people/disable", Policy::Proved(&[P::ManagePeople]), RateLimit::Acts),
    ("/people/remove", Policy::Proved(&[P::ManagePeople]), RateLimit::Acts),
    ("/people/sessions/end", Policy::Needs(&[P::ManagePeople]), RateLimit::Acts),
    ("/people/tokens/add", Policy::Proved(&[P::ManageTokens]), RateLimit::Acts),
    ("/people/tokens/revoke", Policy::Needs(&[P::ManageTokens]), RateLimit::Acts),
];

/// Files of the site: nothing in them is anybody's business.
const FILES: [&str; 7] = [".css", ".js", ".svg", ".ico", ".png", ".txt", ".webmanifest"];

/// The door at an address, and how often one may go through.
pub(crate) fn of(path: &str) -> (Policy, RateLimit) {
    if path.starts_with("/api/v1/") {
        return (Policy::Api, RateLimit::Free);
    }
    if let Some(endpoint) = path.strip_prefix("/api/fn/") {
        let known = FUNCTIONS.iter().find(|(name, ..)| *name == endpoint);
        return known
            .map_or((Policy::Unknown, RateLimit::Acts), |(_, door, rate_limit)| (*door, *rate_limit));
    }
    if let Some((_, door, rate_limit)) = ROUTES.iter().find(|(route, ..)| *route == path) {
        return (*door, *rate_limit);
    }
    let is_root_file = path.rfind('/') == Some(0) && FILES.iter().any(|ending| path.ends_with(ending));
    if path.starts_with("/assets/") || is_root_file {
        return (Policy::Anyone, RateLimit::Free);
    }
    let area = path.trim_start_matches('/').split('/').next().unwrap_or_default();
    // What a page shows it asks for through `access`, which knows the rights that takes. The frame around it is for
    // everybody who is signed in, and so is the page that says that there is no such page.
    let door = if PAGES.contains(&area) { Policy::SignedIn } else { Policy::Unknown };
    (door, RateLimit::Free)
}

#[cfg(test)]
mod tests {
    use super::*;
    use leptos::server_fn::axum::server_fn_paths;

    #[test]
    fn every_server_function_says_what_it_asks_for_and_nothing_else_does() {
        let mut there: Vec<_> =
            server_fn_paths().filter_map(|(path, _)| path.strip_prefix("/api/fn/")).collect();
        there.sort_unstable();
        let declared: Vec<_> = FUNCTIONS.iter().map(|(name, ..)| *name).collect();
        assert_eq!(declared, there);
    }

    #[test]
    fn five_things_and_what_they_need_are_open_to_anybody() {
        let open: Vec<_> =
            ROUTES.iter().filter(|(_, door, _)| *door == Policy::Anyone).map(|(path, ..)| *path).collect();
        let expected =
            ["/login", "/login/oidc", "/login/oidc/callback", "/welcome", "/first", "/healthz", "/readyz"];
        assert_eq!(open, expected);
        assert!(FUNCTIONS.iter().all(|(_, door, _)| *door != Policy::Anyone));
        for path in ["/", "/jobs/delay", "/job/a.css", "/api/fn/nothing", "/nowhere", "/api/docs", "/people"]
        {
            assert_ne!(of(path).0, Policy::Anyone, "{path}");
        }
    }
}
