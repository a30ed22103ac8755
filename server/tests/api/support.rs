//! Where support begins, and what its pages lead to.

use super::house::{House, PASSWORD, Reply};
use super::language::refusal;
use app::api;
use app::vocabulary::{Vocabulary, Word};
use http::StatusCode;
use reprieve::model::{AuditFilter, Delay, JobState, Offset, Role, Timestamp};
use reprieve::{Anchor, Due, NewBatch, NewJob};
use reprieve_access::Principal;
use serde_json::{Value, json};

/// The addresses in the navigation of a page.
fn navigation(page: &str) -> Vec<String> {
    let list = page.split("id=\"pages\"").nth(1).unwrap().split("</nav>").next().unwrap();
    list.split("href=\"").skip(1).map(|rest| rest.split('"').next().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn support_comes_in_at_its_desk_unless_it_was_on_the_way_elsewhere() {
    let house = House::new().await;
    for (who, next, place) in [
        ("support", "%2F", "/desk"),
        ("support", "", "/desk"),
        ("support", "https%3A%2F%2Fevil.example", "/desk"),
        ("support", "%2Fforecast%3Fview%3Dweek", "/forecast?view=week"),
        ("support", "%2Fjob%2Fa", "/job/a"),
        ("viewer", "%2F", "/"),
        ("operator", "%2F", "/"),
        ("admin", "", "/"),
    ] {
        let form = format!("name={who}&password={PASSWORD}&next={next}");
        let reply = house.send("", "POST /login", &form, "text/html").await;
        assert_eq!((reply.status, reply.location()), (StatusCode::SEE_OTHER, Some(place)), "{who} {next}");
    }
    let invited = house.people().add(&"sue".parse().unwrap(), Role::Support, &[], "admin").await.unwrap();
    let form = format!("key={}&name=sue&password={PASSWORD}&again={PASSWORD}", invited.secret);
    let reply = house.send("", "POST /welcome", &form, "text/html").await;
    assert_eq!(reply.location(), Some("/desk"), "{}", reply.text);
}

#[tokio::test]
async fn the_navigation_of_support_has_what_it_works_with_and_each_of_it_opens() {
    let house = House::new().await;
    house.given("a", "mail", 1).await;
    let support = house.of(Role::Support);
    let desk = house.send(support, "GET /desk", "", "text/html").await;
    assert_eq!(navigation(&desk.text), ["/desk", "/forecast", "/audit"]);
    assert!(desk.text.contains("href=\"/account\""), "{}", desk.text);
    assert!(desk.text.contains("<a href=\"/desk\" title=\"Reprieve\""), "{}", desk.text);
    for path in ["/desk", "/forecast", "/audit", "/account"] {
        let page = house.send(support, &format!("GET {path}"), "", "text/html").await;
        assert_eq!(page.status, StatusCode::OK, "{path}");
        assert!(!page.text.contains("data-error="), "{path}: {}", page.text);
    }
    for role in [Role::Viewer, Role::Operator, Role::Admin] {
        let page = house.send(house.of(role), "GET /desk", "", "text/html").await;
        assert_eq!(navigation(&page.text).len(), 12, "{role}");
        assert!(page.text.contains("<a href=\"/\" title=\"Reprieve\""), "{role}");
    }
    // What is not in the navigation is not shut: its rights are what they were.
    let overview = house.send(support, "GET /", "", "text/html").await;
    assert_eq!(overview.status, StatusCode::OK, "{}", overview.text);
}

#[tokio::test]
async fn a_visitor_who_becomes_support_in_the_demo_goes_to_the_desk() {
    let house = House::demo().await;
    for (role, place) in [("support", "/desk"), ("operator", "/jobs/dead")] {
        let form = format!("role={role}&back=%2Fjobs%2Fdead");
        let reply = house.send("", "POST /api/fn/set_demo_role", &form, "text/html").await;
        assert_eq!(reply.location(), Some(place), "{:?} {}", reply.status, reply.text);
    }
}

/// What support sees at an address.
async fn seen(house: &House, path: &str) -> Reply {
    house.send(house.of(Role::Support), &format!("GET {path}"), "", "text/html").await
}

/// Does something at the desk as support does, and says what came of it.
async fn act(house: &House, form: &str) -> Value {
    let reply = house.call(house.of(Role::Support), "POST /api/fn/act_on_desk", form).await;
    assert_eq!(reply.status, StatusCode::OK, "{form}: {}", reply.text);
    serde_json::from_str(&reply.text).unwrap()
}

/// The address of the receipt of what was done about `s:1`.
fn receipt(answer: &Value) -> String {
    format!("/desk/s:1?receipt={}", answer["at"])
}

#[tokio::test]
async fn a_receipt_for_what_was_under_way_claims_nothing_and_knows_of_no_taking_back() {
    let house = House::new().await;
    house.given("a", "mail", 0).await;
    house.claim("mail").await;
    let form = "subject=s:1&verb=call_off&jobs=a%3D1&reason=Customer+asked&operation=o1";
    let alone = seen(&house, &receipt(&act(&house, form).await)).await.text;
    for said in ["Asked to stop; it may be too late", "Nothing was stopped for certain"] {
        assert!(alone.contains(said), "{said}: {alone}");
    }
    assert!(!alone.contains("taken back since"), "{alone}");

    house.given("b", "post", 5).await;
    let form = "subject=s:1&verb=call_off&jobs=b%3D1&reason=Customer+asked&operation=o2";
    let called_off = receipt(&act(&house, form).await);
    let page = seen(&house, &called_off).await.text;
    assert!(page.contains("Put the plan back"), "whatever becomes of the first, which still runs: {page}");
    house.redis.engine().operator("sue").reinstate(&"b".parse().unwrap()).await.unwrap();
    let page = seen(&house, &called_off).await.text;
    assert!(page.contains("This has been taken back since."), "{page}");
}

/// A plan about `s:1` of a notice whose time was over when it was made, and a deletion in two hours; one of each id.
async fn given_plans_with_a_late_notice(house: &House, ids: &[&str]) {
    let token = house.token().await;
    for id in ids {
        let plan = json!({
            "id": id, "subject": "s:1", "past": "skip",
            "steps": [
                { "name": "notice", "offset_ms": -3_600_000, "job": { "kind": "notice" } },
                { "name": "delete", "offset_ms": 7_200_000, "job": { "kind": "delete" } },
            ],
        });
        let made = house.by_token(&token, "POST /api/v1/plans", &plan).await;
        assert_eq!(made.status, StatusCode::CREATED, "{}", made.text);
    }
}

/// Has a plan of those begin three hours earlier.
async fn moved_into_the_past(house: &House, plan: &str) {
    let earlier = Anchor::By(Offset::before(Delay::hours(3)));
    house.redis.engine().operator("ann").plan(&plan.parse().unwrap()).reanchor(earlier).await.unwrap();
}

#[tokio::test]
async fn a_receipt_does_not_call_done_what_was_never_sent() {
    let house = House::new().await;
    given_plans_with_a_late_notice(&house, &["p1"]).await;
    let form = "subject=s:1&verb=call_off&plan=p1&reason=Customer+asked&operation=o1";
    let answer = act(&house, form).await;
    assert_eq!(answer["steps"][0]["outcome"], "off_before", "{answer}");
    let page = seen(&house, &receipt(&answer)).await.text;
    assert!(page.contains("had been called off before") && !page.contains("had been done before"), "{page}");
}

#[tokio::test]
async fn the_question_about_passed_steps_is_asked_only_while_it_is_open_and_names_them() {
    let house = House::new().await;
    given_plans_with_a_late_notice(&house, &["p1"]).await;
    let question = "The time of some steps has passed.";
    let page = seen(&house, "/desk/s:1?ask=put_back&of=p1").await.text;
    assert!(!page.contains(question), "the plan goes on: {page}");

    act(&house, "subject=s:1&verb=call_off&plan=p1&reason=Customer+asked&operation=o1").await;
    let page = seen(&house, "/desk/s:1?ask=put_back&of=p1").await.text;
    assert!(page.contains(question) && page.contains("They are: Notice ("), "{page}");
    assert!(!seen(&house, "/desk/s:1").await.text.contains(question), "nobody asked");

    act(&house, "subject=s:1&verb=put_back&plan=p1&past=skip&operation=o2").await;
    let page = seen(&house, "/desk/s:1?ask=put_back&of=p1").await.text;
    assert!(!page.contains(question), "it was answered: {page}");
}

#[tokio::test]
async fn the_question_about_passed_steps_is_put_to_the_matter_that_was_to_be_put_back() {
    let house = House::new().await;
    house.given("loose", "mail", 0).await;
    act(&house, "subject=s:1&verb=call_off&jobs=loose%3D1&reason=Customer+asked&operation=o1").await;
    given_plans_with_a_late_notice(&house, &["p1", "p2"]).await;
    for plan in ["p1", "p2"] {
        let form = format!("subject=s:1&verb=call_off&plan={plan}&reason=Customer+asked&operation={plan}");
        act(&house, &form).await;
        moved_into_the_past(&house, plan).await;
    }
    for (which, field) in
        [("plan=p1", "name=\"plan\" value=\"p1\""), ("jobs=loose%3D2", "name=\"jobs\" value=\"loose=2\"")]
    {
        let form = format!("subject=s:1&verb=put_back&{which}&operation=back");
        let reply = house.send(house.of(Role::Support), "POST /api/fn/act_on_desk", &form, "text/html").await;
        let page = seen(&house, reply.location().unwrap()).await.text;
        let asked: Vec<&str> = page.split("The time of some steps has passed.").skip(1).collect();
        let [asked] = asked.as_slice() else { panic!("asked {} times: {page}", asked.len()) };
        let forms = asked.split("name=\"past\"").next().unwrap();
        assert!(forms.contains(field), "{which}: {page}");
    }
}

#[tokio::test]
async fn what_was_called_off_and_then_moved_into_the_past_is_asked_about_when_it_is_put_back() {
    let house = House::new().await;
    given_plans_with_a_late_notice(&house, &["p1"]).await;
    act(&house, "subject=s:1&verb=call_off&plan=p1&reason=Customer+asked&operation=o1").await;
    moved_into_the_past(&house, "p1").await;

    let form = "subject=s:1&verb=put_back&plan=p1&operation=back";
    let reply = house.send(house.of(Role::Support), "POST /api/fn/act_on_desk", form, "text/html").await;
    let page = seen(&house, reply.location().unwrap()).await.text;
    assert!(page.contains("The time of some steps has passed.") && page.contains("Delete ("), "{page}");
}

#[tokio::test]
async fn a_thousand_jobs_with_long_names_are_called_off_by_one_plain_form() {
    let house = House::new().await;
    let ids: Vec<String> = (0..1_000).map(|number| format!("{number:0>100}")).collect();
    let job = |id: &String| {
        let mut job = NewJob::new("delete".parse().unwrap(), "{}");
        job.id = Some(id.parse().unwrap());
        job.subject = Some("s:1".parse().unwrap());
        job.due = Due::In(Delay::days(1));
        job
    };
    house.redis.engine().client().enqueue_batch(ids.iter().map(job).collect()).await.unwrap();
    let jobs: Vec<String> = ids.iter().map(|id| format!("{id}%3D1")).collect();

    let form =
        format!("subject=s:1&verb=call_off&jobs={}&reason=Customer+asked&operation=o1", jobs.join("%2C"));
    let reply = house.send(house.of(Role::Support), "POST /api/fn/act_on_desk", &form, "text/html").await;

    assert!(reply.location().is_some_and(|to| to.contains("?receipt=")), "{} {}", reply.status, reply.text);
    let about = house.redis.engine().inspector().about(&"s:1".parse().unwrap()).await.unwrap();
    let states: Vec<String> = about.jobs.iter().map(|row| row.state.to_string()).collect();
    assert_eq!(states, vec!["cancelled"; 1_000]);

    let too_long = format!("{form}&note={}", "a".repeat(512 * 1024));
    let reply = house.send(house.of(Role::Support), "POST /api/fn/act_on_desk", &too_long, "text/html").await;
    assert_eq!(reply.status, StatusCode::PAYLOAD_TOO_LARGE);
}

/// A place with a few sorts of subjects, as the demo has.
async fn house_with_words() -> House {
    House::of_dashboard(|dashboard| dashboard.vocabulary(words())).await
}

fn words() -> Vocabulary {
    ["account", "invoice", "resource"].iter().fold(Vocabulary::default(), |words, sort| {
        let capital = format!("{}{}", sort[..1].to_uppercase(), &sort[1..]);
        words.subject(*sort, Word::new(capital, ""))
    })
}

/// A deletion of that subject tomorrow.
async fn given_deletion_of(house: &House, subject: &str) {
    let mut job = NewJob::new("delete".parse().unwrap(), "{}");
    job.subject = Some(subject.parse().unwrap());
    job.due = Due::In(Delay::days(1));
    house.redis.engine().client().enqueue_batch(vec![job]).await.unwrap();
}

/// Where the desk leads for what somebody types, in its order.
async fn offered(house: &House, text: &str) -> Vec<String> {
    let page = house.send("", &format!("GET /desk?find={text}"), "", "text/html").await.text;
    let links = page.split("href=\"/desk/").skip(1);
    links.map(|link| format!("/desk/{}", link.split('"').next().unwrap())).collect()
}

#[tokio::test]
async fn the_beginning_of_a_bare_number_finds_every_sort_of_subject() {
    let house = house_with_words().await;
    given_deletion_of(&house, "resource:4711").await;
    assert_eq!(offered(&house, "471").await, ["/desk/resource:4711"]);
}

#[tokio::test]
async fn a_bare_number_is_offered_in_sorts_that_are_named_and_in_those_that_are_not() {
    let house = house_with_words().await;
    given_deletion_of(&house, "resource:4711").await;
    given_deletion_of(&house, "order:4711").await;
    assert_eq!(offered(&house, "4711").await, ["/desk/resource:4711", "/desk/order:4711"]);
}

#[tokio::test]
async fn a_bare_number_is_found_where_nobody_named_its_sort() {
    let house = House::of_dashboard(|dashboard| dashboard).await;
    given_deletion_of(&house, "order:4711").await;
    given_deletion_of(&house, "resource:4711").await;
    given_deletion_of(&house, "resource:47112").await;
    for (asked, exact, expected) in [
        ("4711", true, vec!["order:4711", "resource:4711"]),
        ("47112", true, vec!["resource:47112"]),
        ("471", false, vec!["order:4711", "resource:4711", "resource:47112"]),
        ("711", false, vec![]),
    ] {
        let finding =
            house.read(&Principal::at_the_dashboard(), api::desk::find_subjects(asked)).await.unwrap();
        let mut found: Vec<&str> = finding.hits.iter().map(|hit| hit.subject.as_str()).collect();
        found.sort_unstable();
        assert_eq!((found, finding.exact), (expected, exact), "{asked}: {finding:?}");
    }
}

#[tokio::test]
async fn the_search_of_every_page_leads_support_to_its_desk_and_operators_to_jobs() {
    let house = House::with_people(|dashboard| dashboard.vocabulary(words())).await;
    given_deletion_of(&house, "resource:4711").await;
    let found = async |who: &str, text: &str| -> Vec<[String; 3]> {
        let page = house.send(who, &format!("GET /search?find={text}"), "", "text/html").await.text;
        // The palette of every page has links of its own.
        let main = page.split("<main").nth(1).unwrap().split("</main>").next().unwrap();
        main.split("<a ").filter(|link| link.contains("class=\"hit\"")).map(hit).collect()
    };
    let support = house.of(Role::Support);
    let whole = [["/desk/resource:4711", "Resource 4711", "something is planned"].map(str::to_owned)];
    for text in ["4711", "471", "resource+4711"] {
        assert_eq!(found(support, text).await, whole, "{text}");
    }
    for nothing in ["", "+", "delete", "default"] {
        assert!(found(support, nothing).await.is_empty(), "{nothing}: no words of queues");
    }
    let hrefs = async |text: &str| -> Vec<String> {
        let found = found(house.of(Role::Operator), text).await;
        found.into_iter().map(|[href, ..]| href).collect()
    };
    assert_eq!(hrefs("4711").await, ["/desk/resource:4711"]);
    assert_eq!(hrefs("ELET").await, ["/jobs/delay?q=kind:delete"]);
    let page = house.send(support, "GET /forecast", "", "text/html").await.text;
    assert!(page.contains("action=\"/desk\" method=\"get\""), "without a script too: {page}");
}

/// Of a link to what was found its address, its name and what it is.
fn hit(link: &str) -> [String; 3] {
    let between = |start: &str, end: &str| {
        let (_, rest) = link.split_once(start).unwrap_or_default();
        rest.split_once(end).unwrap_or_default().0.to_owned()
    };
    [between("href=\"", "\""), between("hit-name\">", "<"), between("<small>", "<")]
}

#[tokio::test]
async fn only_the_whole_number_leads_straight_to_a_subject() {
    let house = house_with_words().await;
    given_deletion_of(&house, "resource:4711").await;
    let page = house.send("", "GET /desk?find=resource+4711", "", "text/html").await;
    assert_eq!(page.location(), Some("/desk/resource:4711"), "{}", page.text);
    let page = house.send("", "GET /desk?find=resource+471", "", "text/html").await;
    assert_eq!(page.location(), None);
    assert!(
        page.text.contains("Is this the one?") && page.text.contains("/desk/resource:4711"),
        "{}",
        page.text
    );
}

#[tokio::test]
async fn the_desk_promises_to_find_what_this_place_has() {
    for (house, label) in [
        (house_with_words().await, ">Find by number: Account, Invoice, Resource<"),
        (House::open().await, ">Find by number<"),
    ] {
        let page = house.send("", "GET /desk", "", "text/html").await;
        assert!(page.text.contains(label), "{}", page.text);
    }
}

#[tokio::test]
async fn an_unknown_receipt_does_not_say_that_the_subject_is_unknown() {
    let house = House::new().await;
    house.given("a", "mail", 1).await;
    let page = seen(&house, "/desk/s:1?receipt=123").await;
    assert_eq!(page.status, StatusCode::NOT_FOUND);
    assert!(
        page.text.contains("There is no such receipt.") && page.text.contains("href=\"/desk/s:1\""),
        "{}",
        page.text
    );
    assert!(!page.text.contains("Nothing is known"), "{}", page.text);
}

#[tokio::test]
async fn how_much_later_is_said_in_words() {
    let house = House::new().await;
    house.given("a", "mail", 1).await;
    let page = seen(&house, "/desk/s:1").await.text;
    for words in ["1 day later", "7 days later", "30 days later"] {
        assert!(page.contains(words), "{words}: {page}");
    }
}

#[tokio::test]
async fn who_postpones_too_far_at_the_desk_is_told_so_without_a_word_of_jobs() {
    let house = House::new().await;
    house.given("a", "mail", 1).await;
    let form = "subject=s:1&verb=postpone&jobs=a%3D1&later=%2B2764800&reason=Customer+asked&operation=o1";
    let reply = house.send(house.of(Role::Support), "POST /api/fn/act_on_desk", form, "text/html").await;
    let (_, field, text) = refusal(&reply);
    assert_eq!(field.as_deref(), Some("due"));
    assert_eq!(
        text,
        "You may postpone by at most 30 days at once. Choose an earlier time, or ask an operator."
    );
}

#[tokio::test]
async fn a_receipt_is_there_when_its_jobs_are_gone() {
    let house = House::new().await;
    house.given("a", "mail", 5).await;
    let form = "subject=s:1&verb=call_off&jobs=a%3D1&reason=Customer+asked&operation=o1";
    let called_off = receipt(&act(&house, form).await);
    house.redis.engine().operator("ann").purge(&"a".parse().unwrap()).await.unwrap();
    let page = seen(&house, &called_off).await;
    assert_eq!(page.status, StatusCode::OK, "{}", page.text);
    assert!(page.text.contains("Called off") && page.text.contains("Customer asked"), "{}", page.text);
    assert!(page.text.contains("It cannot be taken back here."), "{}", page.text);
}

#[tokio::test]
async fn the_number_of_a_receipt_leads_to_what_it_is_about() {
    let house = House::new().await;
    house.given("a", "mail", 5).await;
    let form = "subject=s:1&verb=call_off&jobs=a%3D1&reason=Customer+asked&operation=o1";
    let answer = act(&house, form).await;
    let number =
        reprieve::desk::receipt_number(Timestamp::from_millis(answer["at"].as_i64().unwrap()).unwrap());
    let asked = number.to_lowercase().replace('-', "%20");
    for is_gone in [false, true] {
        if is_gone {
            house.redis.engine().operator("ann").purge(&"a".parse().unwrap()).await.unwrap();
        }
        let at_the_desk = seen(&house, &format!("/desk?find={asked}")).await;
        assert_eq!(at_the_desk.location(), Some("/desk/s:1"), "{is_gone} {}", at_the_desk.text);
        for role in [Role::Support, Role::Operator] {
            let page =
                house.send(house.of(role), &format!("GET /search?find={asked}"), "", "text/html").await;
            assert!(page.text.contains("href=\"/desk/s:1\""), "{role} {is_gone}: {}", page.text);
        }
    }
    given_plans_with_a_late_notice(&house, &["p"]).await;
    let engine = house.redis.engine();
    engine.operator("ann").plan(&"p".parse().unwrap()).cancel().await.unwrap();
    let acts = engine.inspector().audit(&AuditFilter::default(), None, 1).await.unwrap().items;
    let subjects = engine.inspector().subjects_noted(acts[0].at).await.unwrap();
    assert_eq!(subjects, ["s:1".parse().unwrap()], "of a plan");
    let page = seen(&house, "/desk?find=1KZ-TK6-BM0").await;
    assert_eq!(page.status, StatusCode::OK, "nothing was called off then: {}", page.text);
}

#[tokio::test]
async fn a_receipt_of_a_job_that_was_removed_neither_tells_of_the_one_that_has_its_id_nor_reaches_it() {
    let house = House::new().await;
    house.given("a", "mail", 5).await;
    let form = "subject=s:1&verb=call_off&jobs=a%3D1&reason=Customer+asked&operation=o1";
    let called_off = receipt(&act(&house, form).await);
    let engine = house.redis.engine();
    let id = "a".parse().unwrap();
    let cancelled = engine.inspector().job(&id).await.unwrap().unwrap().job.version;
    engine.operator("ann").purge(&id).await.unwrap();
    house.given("a", "mail", 5).await;
    let second = engine.operator("ann").cancel(&id).await.unwrap().standing().version;
    assert!(second > cancelled);

    let page = seen(&house, &called_off).await.text;

    assert!(page.contains("It cannot be taken back here."), "{page}");
    let seen_of_first =
        format!("subject=s:1&verb=put_back&jobs=a%3D{cancelled}&reason=Customer+asked&operation=o2");
    let answer = act(&house, &seen_of_first).await;
    assert_ne!(answer["outcome"], "done", "{answer}");
    let job = engine.inspector().job(&id).await.unwrap().unwrap().job;
    assert_eq!((job.state, job.version), (JobState::Cancelled, second), "it is as it was");
}

#[tokio::test]
async fn there_is_a_receipt_only_of_what_the_audit_has() {
    let house = House::new().await;
    house.given("a", "mail", 0).await;
    house.claim("mail").await;
    let asked = "subject=s:1&verb=call_off&jobs=a%3D1&reason=Customer+asked&operation=";
    assert_eq!(act(&house, &format!("{asked}o1")).await["outcome"], "done");
    let again = act(&house, &format!("{asked}o2")).await;
    assert_eq!((&again["outcome"], &again["steps"][0]["outcome"]), (&json!("nothing"), &json!("off_before")));

    house.given("b", "post", 5).await;
    act(&house, "subject=s:1&verb=call_off&jobs=b%3D1&reason=Customer+asked&operation=o3").await;
    let page = seen(&house, "/desk/s:1").await.text;
    assert!(page.contains("Called off by") && page.contains("?receipt="), "{page}");
    house.redis.command(&["DEL", &format!("{}audit", house.redis.prefix())]).await.unwrap();
    let page = seen(&house, "/desk/s:1").await.text;
    assert!(page.contains("Called off by") && !page.contains("?receipt="), "{page}");
}

#[tokio::test]
async fn what_goes_on_all_the_same_is_neither_said_to_be_held_nor_to_be_postponed() {
    let house = House::new().await;
    house.given("a", "mail", 0).await;
    for (verb, later) in [("hold", ""), ("postpone", "&later=%2B86400")] {
        let form =
            format!("subject=s:1&verb={verb}&jobs=a%3D1{later}&reason=Customer+asked&operation={verb}");
        let answer = act(&house, &form).await;
        assert_eq!(answer["outcome"], "goes_on", "{answer}");
        assert_eq!(answer["steps"][0]["outcome"], "goes_on", "{answer}");
    }
    let page = seen(&house, "/desk/s:1").await.text;
    assert!(!page.contains("Put on hold…"), "there is nothing to hold: {page}");

    house.given("b", "mail", 5).await;
    let page = seen(&house, "/desk/s:1").await.text;
    assert!(
        page.contains("Put on hold…") && page.contains("Not held, and may happen all the same"),
        "{page}"
    );
    let form = "subject=s:1&verb=hold&jobs=a%3D1,b%3D1&reason=Customer+asked&operation=both";
    let reply = house.send(house.of(Role::Support), "POST /api/fn/act_on_desk", form, "text/html").await;
    assert!(reply.location().is_some_and(|to| to.contains("desk.partly")), "{:?}", reply.location());
}

#[tokio::test]
async fn nothing_is_done_at_the_desk_over_a_change_that_nobody_there_has_seen_but_calling_off() {
    let house = House::new().await;
    house.given("a", "mail", 5).await;
    let later = Due::In(Delay::hours(9));
    house.redis.engine().operator("ann").reschedule(&"a".parse().unwrap(), later).await.unwrap();
    given_plans_with_a_late_notice(&house, &["p1"]).await;
    let of_plan = "plan=p1&seen=1&later=%2B86400";
    for (n, (verb, what, outcome)) in [
        ("hold", "jobs=a%3D1", "conflict"),
        ("call_off", "jobs=a%3D1", "done"),
        ("hold", of_plan, "done"),
        ("postpone", of_plan, "conflict"),
        ("call_off", of_plan, "done"),
    ]
    .into_iter()
    .enumerate()
    {
        let answer = act(&house, &format!("subject=s:1&verb={verb}&{what}&operation=act-{n}")).await;
        assert_eq!(answer["outcome"], outcome, "{verb} {what}: {answer}");
    }
}

#[tokio::test]
async fn a_file_of_support_that_has_not_all_jobs_says_so_at_its_end() {
    let house = House::new().await;
    for number in 0..3 {
        house.given(&format!("j{number}"), "mail", 1).await;
    }
    let support = house.of(Role::Support);
    let file = async |path: &str| {
        let reply = house.call(support, &format!("GET /export/{path}"), "").await;
        assert_eq!(reply.status, StatusCode::OK, "{path}: {}", reply.text);
        reply.text
    };

    let csv = file("jobs.csv?list=delay&rows=2").await;
    let last = csv.lines().last().unwrap();
    assert!(last.starts_with("cut: the first 2 only,"), "{csv}");
    assert_eq!(last.matches(',').count(), csv.lines().next().unwrap().matches(',').count());
    let lines = file("jobs.jsonl?list=delay&rows=2").await;
    assert_eq!(lines.lines().last(), Some(r#"{"cut":"the first 2 only"}"#));
    let whole = file("jobs.jsonl?list=delay").await;
    assert_eq!((whole.lines().count(), whole.contains("cut")), (3, false), "{whole}");

    for (role, hint) in
        [(Role::Support, "The first 1,000 that match"), (Role::Operator, "The first 1,000,000")]
    {
        let page = house.send(house.of(role), "GET /jobs/delay", "", "text/html").await;
        assert!(page.text.contains(hint), "{role}: {}", page.text);
    }
}

#[tokio::test]
async fn what_may_wait_for_others_is_asked_about_before_anything_else_is_put_back() {
    let house = House::new().await;
    house.given("a", "mail", 24).await;
    let job = || NewJob::new("delete".parse().unwrap(), "{}");
    let mut completion = job();
    completion.subject = Some("s:1".parse().unwrap());
    let mut batch = NewBatch::new("b".parse().unwrap(), completion);
    batch.jobs = vec![job()];
    let engine = house.redis.engine();
    engine.client().make_batch(&batch).await.unwrap();
    let stands = async |id: &str| {
        let job = engine.inspector().job(&id.parse().unwrap()).await.unwrap().unwrap().job;
        (job.state.to_string(), job.version.0)
    };
    let on = async |verb: &str, more: &str| {
        let (a, last) = (stands("a").await.1, stands("b/completion").await.1);
        let jobs = format!("a%3D{a},b%2Fcompletion%3D{last}");
        let form =
            format!("subject=s:1&verb={verb}&jobs={jobs}&reason=Customer+asked&operation={verb}{more}");
        act(&house, &form).await["outcome"].clone()
    };
    assert_eq!(on("call_off", "").await, "done");
    // What it waited for is over, and so is its time.
    engine.operator("ann").cancel(&"b/1".parse().unwrap()).await.unwrap();

    assert_eq!(on("put_back", "").await, "past");
    assert_eq!(
        (stands("a").await.0.as_str(), stands("b/completion").await.0.as_str()),
        ("cancelled", "cancelled")
    );

    assert_eq!(on("put_back", "&past=skip").await, "done");
    assert_eq!(
        (stands("a").await.0.as_str(), stands("b/completion").await.0.as_str()),
        ("delayed", "cancelled")
    );
}
