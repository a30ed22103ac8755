//! The addresses of pages, for links.

use reprieve::model::filter::{FILTER_BYTES_MAX, Term, Test};
use reprieve::model::{
    CronName, JobId, JobState, QueueName, Role, RunId, StateGroup, Subject, Timestamp, failure,
};

use reprieve::desk::DeskVerb;

/// The overview.
pub const OVERVIEW: &str = "/";
/// The jobs that wait for their time.
pub const JOBS: &str = "/jobs/delay";
/// What customers do not want any more.
pub const DESK: &str = "/desk";
/// What fires when.
pub const FORECAST: &str = "/forecast";
/// What repeats.
pub const SCHEDULES: &str = "/schedules";
/// The form of a new schedule.
pub const NEW_SCHEDULE: &str = "/schedules/new";
/// Who works.
pub const WORKERS: &str = "/workers";
/// Who did what, and why.
pub const AUDIT: &str = "/audit";
/// What was done to many jobs at once.
pub const BULK: &str = "/bulk";
/// The Redis behind it all.
pub const REDIS: &str = "/redis";
/// Moving over from another library.
pub const IMPORT: &str = "/import";
/// How this program is set up.
pub const SETTINGS: &str = "/settings";

/// Where a form without script asks for a look at a hidden part of a payload.
pub const REVEAL: &str = "/reveal";

/// One's own account.
pub const ACCOUNT: &str = "/account";

/// The form to sign in, with the page to go on to.
pub fn sign_in(next: &str) -> String {
    format!("/login?next={}", encoded(next))
}

/// The form that asks who somebody is, with the page to go on to.
pub fn prove(next: &str) -> String {
    format!("/account/prove?next={}", encoded(next))
}

/// Who may sign in.
pub const PEOPLE: &str = "/people";

/// Where somebody of that role begins: support at its desk, everybody else at the overview.
pub fn home(role: Option<Role>) -> &'static str {
    if role == Some(Role::Support) { DESK } else { OVERVIEW }
}

/// One list, of one queue or of all.
pub fn jobs(group: StateGroup, queue: Option<&QueueName>) -> String {
    query(&format!("/jobs/{group}"), [("queue", queue.map_or("", QueueName::as_str))])
}

/// What a typed word leads to.
pub const SEARCH: &str = "/search";

/// The jobs that a filter finds, in the language of the field above the lists.
pub fn jobs_matching(filter: &str) -> String {
    format!("{JOBS}?q={filter}")
}

/// The term that errors of that mask fit: by the longest part that all of them have, or as much of it as a filter has room
/// for that has so many bytes beside it. `None` where there is no such part.
pub fn error_term(mask: &str, beside: usize) -> Option<String> {
    let most = FILTER_BYTES_MAX.saturating_sub(beside);
    let mut text = failure::literal(mask).trim().to_owned();
    while !text.is_empty() {
        let term = Term::new(Test::Error(vec![text.trim_end().to_owned()])).to_string();
        if term.len() <= most {
            return Some(term);
        }
        text.pop();
    }
    None
}

/// The jobs that failed with an error of that mask and are to be tried again; `None` where it has nothing to search by.
pub fn retrying_of(mask: &str) -> Option<String> {
    let beside = format!("state:{} ", JobState::Retrying);
    let term = error_term(mask, beside.len())?;
    Some(query(JOBS, [("q", format!("{beside}{term}").as_str())]))
}

/// Dead jobs by their error.
pub const DEAD: &str = "/dead";

/// The same, of one queue or of all.
pub fn dead(queue: Option<&QueueName>) -> String {
    dead_of(queue, "")
}

/// Of these the one with that error, its details masked.
pub fn dead_of(queue: Option<&QueueName>, mask: &str) -> String {
    query(DEAD, [("queue", queue.map_or("", QueueName::as_str)), ("error", mask)])
}

/// What one verb did, or would do, to many jobs.
pub fn bulk_run(run: &RunId) -> String {
    // Names of runs hold only letters, digits, dots, underscores and dashes.
    format!("{BULK}/{run}")
}

/// One queue.
pub fn queue(name: &QueueName) -> String {
    format!("/queue/{name}")
}

/// What is planned for a subject.
pub fn desk(subject: &Subject) -> String {
    format!("{DESK}/{}", subject.as_str().replace('/', "%2F"))
}

/// When what of a subject is due, on the calendar.
pub fn forecast_of(subject: &Subject) -> String {
    format!("{FORECAST}?subject={}", encoded(subject.as_str()))
}

/// One subject, with the question what becomes of the steps of that plan whose time has passed. The plan is named by its
/// [key](reprieve::desk::DeskPlan::key).
pub fn desk_question(subject: &Subject, verb: DeskVerb, plan: &str) -> String {
    format!("{}?ask={}&of={}", desk(subject), verb.as_str(), encoded(plan))
}

/// The proof that something about a subject was called off then.
pub fn desk_receipt(subject: &Subject, at: Timestamp) -> String {
    format!("{}?receipt={}", desk(subject), at.as_millis())
}

/// One schedule.
pub fn schedule(name: &CronName) -> String {
    // Names hold only letters, digits, dots, underscores and dashes: nothing to escape.
    format!("/schedule/{name}")
}

/// The form of one schedule.
pub fn edit_schedule(name: &CronName) -> String {
    format!("/schedule/{name}/edit")
}

/// One job.
///
/// Every character an id may hold can stand in a path as it is; only the slash is
/// written `%2F`. The route takes everything behind `/job/`, so that it works behind
/// a proxy that decodes addresses as well.
pub fn job(id: &JobId) -> String {
    format!("/job/{}", id.as_str().replace('/', "%2F"))
}

/// A page with what is asked of it; what is empty is left out.
pub fn query<'a>(page: &str, asked: impl IntoIterator<Item = (&'static str, &'a str)>) -> String {
    let asked = asked.into_iter().filter(|(_, value)| !value.is_empty());
    let pairs: Vec<String> = asked.map(|(name, value)| format!("{name}={}", encoded(value))).collect();
    if pairs.is_empty() { page.to_owned() } else { format!("{page}?{}", pairs.join("&")) }
}

/// A text as it may stand in a query.
pub fn encoded(text: &str) -> String {
    let mut query = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            byte if byte.is_ascii_alphanumeric() || b"-_.~:,*/".contains(&byte) => {
                query.push(char::from(byte));
            }
            b' ' => query.push('+'),
            byte => query.push_str(&format!("%{byte:02X}")),
        }
    }
    query
}

/// The page of another namespace that is like this one: the same where it is about everything, else the list that it
/// belongs to.
pub fn elsewhere(path: &str) -> &str {
    let area = path.trim_start_matches('/').split('/').next().unwrap_or_default();
    match area {
        "job" | "queue" => JOBS,
        "desk" => DESK,
        "bulk" => BULK,
        "schedule" | "schedules" => SCHEDULES,
        "jobs" | "dead" | "forecast" | "workers" | "audit" | "redis" | "import" | "settings" => path,
        _ => OVERVIEW,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_term_of_an_error_reads_whatever_it_says() {
        let long = "任".repeat(200);
        for (literal, text) in [
            (r"no file C:\temp", r"no file C:\temp".to_owned()),
            ("said \"no, never", "said \"no, never".to_owned()),
            (r"a\", r"a\".to_owned()),
            ("refused", "refused".to_owned()),
            (long.as_str(), "任".repeat(164)),
        ] {
            let filter: reprieve::model::Filter = error_term(literal, 0).unwrap().parse().unwrap();
            let terms: Vec<&Test> = filter.terms().iter().map(|term| &term.test).collect();
            assert_eq!(terms, [&Test::Error(vec![text])]);
        }
        assert_eq!(error_term("#", 0), None);
        let retrying = retrying_of(&long).unwrap();
        assert!(retrying.starts_with("/jobs/delay?q=state:retrying+error:%E4"), "{retrying}");
        assert_eq!(error_term(&long, 15).unwrap().chars().filter(|sign| *sign == '任').count(), 159);
    }

    #[test]
    fn an_id_with_separators_stays_one_segment() {
        let id = JobId::new("order:7/a@b").unwrap();
        assert_eq!(job(&id), "/job/order:7%2Fa@b");
    }

    #[test]
    fn a_list_may_name_its_queue() {
        let mail = QueueName::new("mail.eu").unwrap();
        assert_eq!(jobs(StateGroup::Dead, Some(&mail)), "/jobs/dead?queue=mail.eu");
        assert_eq!(jobs(StateGroup::Delay, None), JOBS);
    }

    #[test]
    fn another_namespace_is_entered_at_the_same_page_where_there_is_one() {
        for (here, there) in [
            ("/", "/"),
            ("/jobs/dead", "/jobs/dead"),
            ("/audit", "/audit"),
            ("/job/a%2Fb", JOBS),
            ("/queue/mail", JOBS),
            ("/bulk/run-1", BULK),
            ("/desk/resource:4711", DESK),
            ("/schedule/nightly/edit", SCHEDULES),
            ("/search", "/"),
        ] {
            assert_eq!(elsewhere(here), there, "{here}");
        }
    }
}
