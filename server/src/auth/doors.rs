//! What every door asks for: each page, each route and each server function stands here once.
//!
//! What does not stand here opens for nobody. The functions check again inside, where they know which queue it is
//! about.

use app::door::PAGES;
use reprieve::model::Permission;

/// What a door asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Door {
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

/// How often somebody may go through a door.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pace {
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
pub(crate) const FUNCTIONS: &[(&str, Door, Pace)] = &[
    ("abort_bulk", Door::Needs(&[P::RunBulk]), Pace::Acts),
    ("act_on_desk", Door::Needs(&[P::CancelJobs]), Pace::Acts),
    ("add_alert", Door::Needs(&[P::ManageSettings]), Pace::Acts),
    ("add_redaction", Door::Proved(&[P::ManageSettings]), Pace::Acts),
    ("apply_filter", Door::Needs(&[P::View]), Pace::Free),
    ("cancel_job", Door::Needs(&[P::CancelJobs]), Pace::Acts),
    ("cancel_subject", Door::Needs(&[P::CancelJobs]), Pace::Acts),
    ("check_audit", Door::Needs(&[P::SeeAudit]), Pace::Free),
    ("collect_bulk", Door::Needs(&[P::RunBulk]), Pace::Acts),
    ("connect_source", Door::Needs(&[P::ImportJobs]), Pace::Acts),
    ("count_jobs", Door::Needs(&[P::View]), Pace::Free),
    ("count_on", Door::Needs(&[P::View]), Pace::Free),
    ("count_queues", Door::Needs(&[P::View]), Pace::Free),
    ("duplicate_job", Door::Needs(&[P::EnqueueJobs]), Pace::Acts),
    ("edit_job", Door::Needs(&[P::EditJobs]), Pace::Acts),
    ("empty_list", Door::Proved(&[P::EmptyQueues]), Pace::Acts),
    ("end_halt", Door::Proved(&[P::PauseQueues]), Pace::Acts),
    ("enqueue_job", Door::Needs(&[P::EnqueueJobs]), Pace::Acts),
    ("filter_jobs", Door::Needs(&[P::View]), Pace::Free),
    ("find", Door::Needs(&[P::View]), Pace::Free),
    ("find_subjects", Door::Needs(&[P::View]), Pace::Free),
    ("freeze_bulk", Door::Needs(&[P::RunBulk]), Pace::Acts),
    ("get_account", Door::SignedIn, Pace::Free),
    ("get_audit", Door::Needs(&[P::SeeAudit]), Pace::Free),
    ("get_bulk_run", Door::Needs(&[P::View]), Pace::Free),
    ("get_bulk_samples", Door::Needs(&[P::View]), Pace::Free),
    ("get_counts", Door::Needs(&[P::View]), Pace::Free),
    ("get_counts_at", Door::Needs(&[P::View]), Pace::Free),
    ("get_desk", Door::Needs(&[P::View]), Pace::Free),
    ("get_desk_receipt", Door::Needs(&[P::View]), Pace::Free),
    ("get_due_ahead", Door::Needs(&[P::View]), Pace::Free),
    ("get_facets", Door::Needs(&[P::View]), Pace::Free),
    ("get_failures", Door::Needs(&[P::View]), Pace::Free),
    ("get_fleet", Door::Needs(&[P::View]), Pace::Free),
    ("get_forecast", Door::Needs(&[P::View]), Pace::Free),
    ("get_index_state", Door::Needs(&[P::View]), Pace::Free),
    ("get_job", Door::Needs(&[P::View]), Pace::Free),
    ("get_log", Door::Needs(&[P::View]), Pace::Free),
    ("get_overview", Door::Needs(&[P::View]), Pace::Free),
    ("get_queue", Door::Needs(&[P::View]), Pace::Free),
    ("get_receipt", Door::Needs(&[P::View]), Pace::Free),
    ("get_redis", Door::Needs(&[P::SeeRedis]), Pace::Free),
    ("get_same_error", Door::Needs(&[P::View]), Pace::Free),
    ("get_schedule", Door::Needs(&[P::View]), Pace::Free),
    ("get_settings", Door::Needs(&[P::View]), Pace::Free),
    ("get_stats", Door::Needs(&[P::View]), Pace::Free),
    ("get_subject", Door::Needs(&[P::View]), Pace::Free),
    ("hold_job", Door::Needs(&[P::HoldJobs]), Pace::Acts),
    ("limit_queue", Door::Needs(&[P::LimitQueues]), Pace::Acts),
    ("list_bulk_runs", Door::Needs(&[P::View]), Pace::Free),
    ("list_jobs", Door::Needs(&[P::View]), Pace::Free),
    ("list_people", Door::Needs(&[P::ManageTokens]), Pace::Free),
    ("list_schedules", Door::Needs(&[P::View]), Pace::Free),
    ("list_views", Door::Needs(&[P::View]), Pace::Free),
    ("mute_failure", Door::Needs(&[P::PauseQueues]), Pace::Acts),
    ("observe_import", Door::Needs(&[P::ImportJobs]), Pace::Free),
    ("open_filter", Door::Needs(&[P::View]), Pace::Free),
    ("order_worker", Door::Needs(&[P::ManageWorkers]), Pace::Acts),
    ("pause_queue", Door::Needs(&[P::PauseQueues]), Pace::Acts),
    ("pause_schedule", Door::Needs(&[P::ManageCron]), Pace::Acts),
    ("pinned_views", Door::Needs(&[P::View]), Pace::Free),
    ("preview_redaction", Door::Needs(&[P::View]), Pace::Free),
    ("preview_schedule", Door::Needs(&[P::View]), Pace::Free),
    ("purge_job", Door::Needs(&[P::PurgeJobs]), Pace::Acts),
    ("put_schedule", Door::Needs(&[P::ManageCron]), Pace::Acts),
    ("recognise_sources", Door::Needs(&[P::ImportJobs]), Pace::Free),
    ("refresh_rows", Door::Needs(&[P::View]), Pace::Free),
    ("reinstate_job", Door::Needs(&[P::ReinstateJobs]), Pace::Acts),
    ("remove_alert", Door::Needs(&[P::ManageSettings]), Pace::Acts),
    ("remove_redaction", Door::Proved(&[P::ManageSettings]), Pace::Acts),
    ("remove_schedule", Door::Needs(&[P::ManageCron]), Pace::Acts),
    ("remove_view", Door::Needs(&[P::View]), Pace::Acts),
    ("reschedule_job", Door::Needs(&[P::RescheduleJobs]), Pace::Acts),
    ("resume_queue", Door::Needs(&[P::PauseQueues]), Pace::Acts),
    ("resume_schedule", Door::Needs(&[P::ManageCron]), Pace::Acts),
    ("retry_failures", Door::Needs(&[P::RetryJobs, P::RunBulk]), Pace::Acts),
    ("retry_job", Door::Needs(&[P::RetryJobs]), Pace::Acts),
    ("reveal_part", Door::Needs(&[P::RevealFields]), Pace::Acts),
    ("roll_back_import", Door::Needs(&[P::ImportJobs]), Pace::Acts),
    ("run_schedule", Door::Needs(&[P::ManageCron]), Pace::Acts),
    ("save_view", Door::Needs(&[P::View]), Pace::Acts),
    ("set_appearance", Door::SignedIn, Pace::Free),
    ("set_demo_role", Door::SignedIn, Pace::Free),
    ("set_index_fields", Door::Needs(&[P::ManageSettings]), Pace::Acts),
    ("set_keys", Door::SignedIn, Pace::Free),
    ("set_language", Door::SignedIn, Pace::Free),
    ("set_look", Door::Needs(&[P::ManageSettings]), Pace::Acts),
    ("set_navigation", Door::SignedIn, Pace::Free),
    ("set_reasons", Door::Needs(&[P::ManageSettings]), Pace::Acts),
    ("set_retention", Door::Proved(&[P::SetRetention]), Pace::Acts),
    ("set_second_person", Door::Proved(&[P::ManageSettings]), Pace::Acts),
    ("set_theme", Door::SignedIn, Pace::Free),
    ("shadow_import", Door::Needs(&[P::ImportJobs]), Pace::Free),
    ("sign_in_ends", Door::SignedIn, Pace::Free),
    ("spread_peak", Door::Needs(&[P::RescheduleJobs, P::RunBulk]), Pace::Acts),
    ("start_bulk", Door::Needs(&[P::RunBulk]), Pace::Acts),
    ("take_over_import", Door::Needs(&[P::ImportJobs]), Pace::Acts),
    ("test_alert", Door::Needs(&[P::ManageSettings]), Pace::Acts),
    ("undo_bulk", Door::Needs(&[P::RunBulk]), Pace::Acts),
    ("unhold_job", Door::Needs(&[P::HoldJobs]), Pace::Acts),
    ("unmute_failure", Door::Needs(&[P::PauseQueues]), Pace::Acts),
    ("whoami", Door::SignedIn, Pace::Free),
];

/// The routes beside pages, functions and the HTTP API.
pub(crate) const ROUTES: &[(&str, Door, Pace)] = &[
    ("/login", Door::Anyone, Pace::Free),
    ("/login/oidc", Door::Anyone, Pace::Free),
    ("/login/oidc/callback", Door::Anyone, Pace::Free),
    ("/welcome", Door::Anyone, Pace::Free),
    ("/first", Door::Anyone, Pace::Free),
    ("/healthz", Door::Anyone, Pace::Free),
    ("/readyz", Door::Needs(&[P::SeeMetrics]), Pace::Free),
    ("/metrics", Door::Needs(&[P::SeeMetrics]), Pace::Free),
    ("/events", Door::Needs(&[P::View]), Pace::Free),
    ("/export/audit.csv", Door::Needs(&[P::ExportAudit]), Pace::Exports),
    ("/export/audit.jsonl", Door::Needs(&[P::ExportAudit]), Pace::Exports),
    ("/export/forecast.csv", Door::Needs(&[P::View]), Pace::Exports),
    ("/export/jobs.csv", Door::Needs(&[P::ExportLists]), Pace::Exports),
    ("/export/jobs.jsonl", Door::Needs(&[P::ExportLists]), Pace::Exports),
    ("/export/outcomes.csv", Door::Needs(&[P::View]), Pace::Exports),
    ("/export/outcomes.jsonl", Door::Needs(&[P::View]), Pace::Exports),
    ("/export/payloads.csv", Door::Proved(&[P::ExportPayloads]), Pace::Exports),
    ("/export/payloads.jsonl", Door::Proved(&[P::ExportPayloads]), Pace::Exports),
    ("/api/docs", Door::Needs(&[P::View]), Pace::Free),
    ("/reveal", Door::Needs(&[P::RevealFields]), Pace::Acts),
    ("/logout", Door::SignedIn, Pace::Free),
    ("/account/prove", Door::SignedIn, Pace::Free),
    ("/account/password", Door::Needs(&[P::OwnAccount]), Pace::Acts),
    ("/account/second-factor/begin", Door::Needs(&[P::OwnAccount]), Pace::Acts),
    ("/account/second-factor/confirm", Door::Needs(&[P::OwnAccount]), Pace::Acts),
    ("/account/second-factor/drop", Door::Needs(&[P::OwnAccount]), Pace::Acts),
    ("/account/sessions/end", Door::Needs(&[P::OwnAccount]), Pace::Acts),
    ("/people/add", Door::Proved(&[P::ManagePeople]), Pace::Acts),
    ("/people/invite", Door::Proved(&[P::ManagePeople]), Pace::Acts),
    ("/people/role", Door::Proved(&[P::ManagePeople]), Pace::Acts),
    ("/people/disable", Door::Proved(&[P::ManagePeople]), Pace::Acts),
    ("/people/remove", Door::Proved(&[P::ManagePeople]), Pace::Acts),
    ("/people/sessions/end", Door::Needs(&[P::ManagePeople]), Pace::Acts),
    ("/people/tokens/add", Door::Proved(&[P::ManageTokens]), Pace::Acts),
    ("/people/tokens/revoke", Door::Needs(&[P::ManageTokens]), Pace::Acts),
];

/// Files of the site: nothing in them is anybody's business.
const FILES: [&str; 8] = [".css", ".js", ".wasm", ".svg", ".ico", ".png", ".txt", ".webmanifest"];

/// The door at an address, and how often one may go through.
pub(crate) fn of(path: &str) -> (Door, Pace) {
    if path.starts_with("/api/v1/") {
        return (Door::Api, Pace::Free);
    }
    if let Some(endpoint) = path.strip_prefix("/api/fn/") {
        let known = FUNCTIONS.iter().find(|(name, ..)| *name == endpoint);
        return known.map_or((Door::Unknown, Pace::Acts), |(_, door, pace)| (*door, *pace));
    }
    if let Some((_, door, pace)) = ROUTES.iter().find(|(route, ..)| *route == path) {
        return (*door, *pace);
    }
    let is_root_file = path.rfind('/') == Some(0) && FILES.iter().any(|ending| path.ends_with(ending));
    if path.starts_with("/assets/") || is_root_file {
        return (Door::Anyone, Pace::Free);
    }
    let area = path.trim_start_matches('/').split('/').next().unwrap_or_default();
    // Pages ask for their data through the same functions; the frame around them is for whoever is signed in. So is
    // the page that says that there is no such page.
    let door = if PAGES.contains(&area) { Door::SignedIn } else { Door::Unknown };
    (door, Pace::Free)
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
    fn four_things_and_what_they_need_are_open_to_anybody() {
        let open: Vec<_> =
            ROUTES.iter().filter(|(_, door, _)| *door == Door::Anyone).map(|(path, ..)| *path).collect();
        assert_eq!(open, ["/login", "/login/oidc", "/login/oidc/callback", "/welcome", "/first", "/healthz"]);
        assert!(FUNCTIONS.iter().all(|(_, door, _)| *door != Door::Anyone));
        for path in ["/", "/jobs/delay", "/job/a.css", "/api/fn/nothing", "/nowhere", "/api/docs", "/people"]
        {
            assert_ne!(of(path).0, Door::Anyone, "{path}");
        }
    }
}
