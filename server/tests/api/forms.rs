//! The forms by which people look after their accounts, and after those and the tokens of others.

use super::house::{House, PASSWORD, Reply, asking, name};
use axum::body::Body;
use http::StatusCode;
use reprieve::model::{CronEntry, Delay, NewToken, Offset, Permission, Role, Shift, Timestamp};
use reprieve::{Anchor, Due, NewJob, NewPlan, NewStep};
use reprieve_access::{Proof, SignIn, Tokens, Visitor};

const ADD_TOKEN: &str = "POST /people/tokens/add";
const REVOKE_TOKEN: &str = "POST /people/tokens/revoke";

#[tokio::test]
async fn what_is_no_json_takes_the_place_of_json_only_where_somebody_ticks_that() {
    let house = House::new().await;
    house.given("a", "mail", 1).await;
    let admin = house.of(Role::Admin);
    let payload = async || {
        house.redis.engine().inspector().job(&"a".parse().unwrap()).await.unwrap().unwrap().job.payload
    };
    let before = payload().await;
    assert!(serde_json::from_slice::<serde_json::Value>(&before).is_ok());

    let refused = house.call(admin, "POST /api/fn/edit_job", "id=a&payload=%7B%0Ax").await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY, "{}", refused.text);
    assert!(refused.text.contains("line 2, column 1"), "{}", refused.text);
    assert_eq!(payload().await, before);

    for (form, after) in [
        ("payload=%7B%0Ax&as_is=true", "{\nx"),
        // From text to text, and back to JSON, nobody is asked.
        ("payload=y", "y"),
        ("payload=%5B7%5D", "[7]"),
    ] {
        let saved = house.call(admin, "POST /api/fn/edit_job", &format!("id=a&{form}")).await;
        assert_eq!(saved.status, StatusCode::OK, "{}", saved.text);
        assert_eq!(String::from_utf8(payload().await).unwrap(), after);
    }
}

#[tokio::test]
async fn what_waits_elsewhere_is_taken_over_and_put_back_by_plain_forms() {
    let house = House::new().await;
    let admin = house.of(Role::Admin);
    house.redis.command(&["ZADD", "old-forms", "4000000000", "a"]).await.unwrap();
    let page = "/import?format=zset&place=old-forms&kind=k";
    let source = "wanted[format]=zset&wanted[place]=old-forms&wanted[kind]=k\
                  &reason=a+whole+reason\
                  &back=%2Fimport%3Fformat%3Dzset%26place%3Dold-forms%26kind%3Dk";
    let shown = async || house.send(admin, &format!("GET {page}"), "", "text/html").await.text;
    let is_taken = async || shown().await.contains("1 item was taken over");
    assert!(shown().await.contains("name=\"wanted[place]\" value=\"old-forms\""), "{}", shown().await);

    for (typed, said, taken) in [("2", "error.wrong_field", false), ("1", "import.taken", true)] {
        let form = format!("{source}&announced=1&typed={typed}&accepted=far_future,bare_ids");
        let sent = house.send(admin, "POST /api/fn/take_over_import", &form, "text/html").await;
        assert_eq!(sent.location(), Some(format!("{page}&said={said}").as_str()), "{}", sent.text);
        assert_eq!(is_taken().await, taken, "{typed} was typed");
    }
    let sent = house.send(admin, "POST /api/fn/roll_back_import", source, "text/html").await;
    assert_eq!(sent.location(), Some(format!("{page}&said=import.restored").as_str()), "{}", sent.text);
    assert!(!is_taken().await);
}

#[tokio::test]
async fn what_waits_elsewhere_is_watched_without_scripts() {
    let house = House::new().await;
    let admin = house.of(Role::Admin);
    let key = format!("old-{}", house.redis.name());
    house.redis.command(&["ZADD", &key, "4000000000", "a", "4000000001", "b"]).await.unwrap();
    let page = format!("/import?format=zset&place={key}&kind=k");
    let shown = async |more: &str| {
        house.send(admin, &format!("GET {page}{more}"), "", "text/html").await.text.replace("<!>", "")
    };
    let seen = "Items seen waiting</th><td class=\"number\">2<";

    let before = shown("").await;
    let place = key.replace('-', "%2D");
    let link =
        format!("href=\"/import?format=zset&amp;place={place}&amp;kind=k&amp;watch=yes#import-shadow\"");
    assert!(before.contains(&link), "{link}: {before}");
    assert!(!before.contains(seen), "{before}");

    // It takes the seconds for which it watches.
    let watched = shown("&watch=yes").await;
    assert!(watched.contains(seen), "{watched}");
    let after_a_form = shown("&watch=yes&said=import.taken").await;
    assert!(!after_a_form.contains(seen), "{after_a_form}");
    assert_eq!(house.redis.command(&["ZCARD", &key]).await.unwrap(), redis::Value::Int(2));
}

#[tokio::test]
async fn a_time_that_is_typed_without_scripts_is_meant_and_with_them_what_is_picked() {
    let house = House::new().await;
    let admin = house.of(Role::Admin);
    house.given("a", "mail", 1).await;
    let due = async || {
        house
            .redis
            .engine()
            .inspector()
            .job(&"a".parse().unwrap())
            .await
            .unwrap()
            .unwrap()
            .job
            .due
            .as_millis()
    };
    let reschedule = "POST /api/fn/reschedule_job";
    let typed = "id=a&preset=%2B3600&due=2099-01-15T09%3A00&back=%2Fjob%2Fa";

    let sent = house.send(admin, reschedule, typed, "text/html").await;
    assert_eq!(sent.location(), Some("/job/a?said=reschedule.delayed"), "{}", sent.text);
    assert_eq!(due().await, 4_072_150_800_000);
    house.send(admin, reschedule, "id=a&preset=%2B3600&due=&back=%2Fjob%2Fa", "text/html").await;
    assert!(due().await < 4_072_150_800_000, "nothing was typed");
    house.send(admin, reschedule, typed, "text/html").await;

    let picked = house.call(admin, reschedule, typed).await;
    assert_eq!(picked.status, StatusCode::OK, "{}", picked.text);
    assert!(due().await < 4_072_150_800_000, "the field is a hidden one by then");
}

#[tokio::test]
async fn a_time_typed_without_scripts_for_many_jobs_is_meant_too_and_at_the_desk_what_is_chosen() {
    let house = House::new().await;
    let admin = house.of(Role::Admin);
    house.given("a", "mail", 1).await;
    let due = async || {
        let rows = house.redis.engine().inspector().rows(&["a".parse().unwrap()]).await.unwrap();
        rows.into_iter().flatten().next().unwrap().due.as_millis()
    };
    let (from, day) = (due().await, 86_400_000);

    let moved = |to: i64| {
        format!("verb=reschedule&group=delay&jobs[0]=a~1&preset=%2B900&due={to}&back=%2Fjobs%2Fdelay")
    };
    let shift = async |reply: &Reply| {
        let run = reply.location().unwrap().rsplit('/').next().unwrap().parse().unwrap();
        house.redis.engine().inspector().bulk_run(&run).await.unwrap().unwrap().shift
    };
    let freeze = "POST /api/fn/freeze_bulk";
    let typed = house.send(admin, freeze, &moved(from + day), "text/html").await;
    assert_eq!(shift(&typed).await, Timestamp::from_millis(from + day).map(Shift::To));
    let picked = house.call(admin, freeze, &moved(from + day)).await;
    assert_eq!(shift(&picked).await, Some(Shift::By(900_000)), "the field is a hidden one by then");

    let postponed = |later: &str, to: i64| {
        format!("subject=s:1&verb=postpone&jobs=a%3D1&later={later}&from={from}&due={to}&back=%2Fdesk%2Fs:1")
    };
    let act = "POST /api/fn/act_on_desk";
    let early = house.send(admin, act, &postponed("at", from - day), "text/html").await;
    let page = come_back(&house, admin, &early).await.text;
    assert!(page.contains("the new time must be later than the old one"), "{page}");
    assert_eq!(due().await, from);
    house.send(admin, act, &postponed("at", from + day), "text/html").await;
    assert_eq!(due().await, from + day);
    // The field for another day holds something, too, where nobody chose it.
    let week = postponed("%2B604800", from + 2 * day).replace("a%3D1", "a%3D2");
    house.send(admin, act, &week, "text/html").await;
    assert_eq!(due().await, from + 8 * day);
}

#[tokio::test]
async fn a_copy_that_is_asked_for_twice_is_said_to_be_there() {
    let house = House::new().await;
    let admin = house.of(Role::Admin);
    house.given("a", "mail", 1).await;
    let copy = "id=a&preset=%2B60&new_id=a-copy-1";
    let outcome = async || {
        let reply = house.call(admin, "POST /api/fn/duplicate_job", copy).await;
        serde_json::from_str::<reprieve::model::Enqueued>(&reply.text).unwrap().word()
    };
    assert_eq!((outcome().await, outcome().await), ("delayed", "exists"));
    let plain = format!("{copy}&back=%2Fjob%2Fa");
    let reply = house.send(admin, "POST /api/fn/duplicate_job", &plain, "text/html").await;
    assert_eq!(reply.location(), Some("/job/a?said=duplicate.exists"), "{}", reply.text);
}

/// What each token may do, by its name, and in which queues.
async fn tokens(house: &House) -> Vec<(String, Vec<String>)> {
    let tokens = Tokens::new(house.redis.engine()).list().await.unwrap();
    let queues = |token: &reprieve::model::TokenInfo| token.queues.iter().map(ToString::to_string).collect();
    tokens.iter().map(|token| (token.name.to_string(), queues(token))).collect()
}

#[tokio::test]
async fn a_token_gets_no_more_than_its_maker_has_and_nowhere_else() {
    let house = House::new().await;
    house.add("mailer", Role::Operator, &["mail".parse().unwrap()]).await;
    let (operator, mailer) = (house.of(Role::Operator), house.session("mailer").await);

    for (session, form) in [
        (operator, "name=t&days=30&may.people.manage=1"),
        (operator, "name=t&days=30&may.view=1&may.settings.manage=1"),
        (&mailer, "name=t&days=30&may.view=1&queues=other"),
        (&mailer, "name=t&days=30&may.view=1&queues=mail+other"),
    ] {
        let reply = house.call(session, ADD_TOKEN, form).await;
        assert_eq!(reply.status, StatusCode::FORBIDDEN, "{form}: {}", reply.text);
    }
    for form in [
        "name=t&days=0&may.view=1",
        "name=t&days=91&may.view=1",
        "name=t&days=x&may.view=1",
        "name=t&days=30&may.everything=1",
        "name=&days=30&may.view=1",
        "name=t&days=30&may.view=1&queues=%2F",
        // None that is not asked for, and none twice.
        "name=t&days=30&may.view=1&role=admin",
        "name=t&days=30&may.view=1&may=1",
        "name=t&name=u&days=30&may.view=1",
        "name=t&days=30&days=90&may.view=1",
        "name=t&days=30&may.view=1&queues=mail&queues=",
        "name=t&days=30&may.view=1&may.view=1",
        "name=t&days=30&may.view=0",
        "name=t&days=30&may.view=",
    ] {
        let reply = house.call(operator, ADD_TOKEN, form).await;
        assert_eq!(reply.location(), Some("/people?said=people.invalid"), "{form}: {}", reply.text);
    }
    assert_eq!(tokens(&house).await, []);

    for (session, form) in [
        (operator, "name=everywhere&days=90&may.view=1"),
        (&mailer, "name=bound&days=1&may.view=1"),
        (&mailer, "name=chosen&days=1&may.view=1&queues=mail"),
    ] {
        let reply = house.call(session, ADD_TOKEN, form).await;
        assert!(reply.status == StatusCode::OK && reply.text.contains("rpv_"), "{form}: {}", reply.text);
    }
    let mail = || vec!["mail".to_owned()];
    let made =
        [("bound".to_owned(), mail()), ("chosen".to_owned(), mail()), ("everywhere".to_owned(), vec![])];
    assert_eq!(tokens(&house).await, made);
}

#[tokio::test]
async fn one_takes_back_ones_own_tokens_and_an_admin_any() {
    let house = House::new().await;
    let (operator, admin) = (house.of(Role::Operator), house.of(Role::Admin));
    for (session, token) in [(operator, "mine"), (operator, "also-mine"), (admin, "theirs")] {
        let form = format!("name={token}&days=30&may.view=1");
        assert_eq!(house.call(session, ADD_TOKEN, &form).await.status, StatusCode::OK);
    }
    let names = async || tokens(&house).await.into_iter().map(|(name, _)| name).collect::<Vec<_>>();

    for form in ["name=theirs", "name=nobodys"] {
        let refused = house.call(operator, REVOKE_TOKEN, form).await;
        assert_eq!(refused.status, StatusCode::FORBIDDEN, "{form}: {}", refused.text);
    }
    assert_eq!(names().await, ["also-mine", "mine", "theirs"]);
    for (session, form, left) in [
        (operator, "name=mine", vec!["also-mine", "theirs"]),
        (admin, "name=also-mine", vec!["theirs"]),
        (admin, "name=theirs", vec![]),
    ] {
        let done = house.call(session, REVOKE_TOKEN, form).await;
        assert_eq!(done.location(), Some("/people?said=people.revoked"), "{form}: {}", done.text);
        assert_eq!(names().await, left, "{form}");
    }
}

#[tokio::test]
async fn the_form_keeps_somebody_out_and_lets_them_in_again() {
    let house = House::new().await;
    let admin = house.of(Role::Admin);
    let proof = Proof { name: "viewer", password: PASSWORD, code: "" };
    for (form, is_out) in [("name=viewer&disabled=1&reason=left", true), ("name=viewer&disabled=", false)] {
        let saved = house.call(admin, "POST /people/disable", form).await;
        assert_eq!(saved.location(), Some("/people?said=people.saved"), "{}", saved.text);
        let person = house.people().get(&name("viewer")).await.unwrap().unwrap();
        assert_eq!(person.disabled, is_out, "{form}");
        let signed = house.people().sign_in(&proof, &Visitor::default()).await.unwrap();
        assert_eq!(matches!(signed, SignIn::In(_)), !is_out, "{form}");
    }
    let before = house.call(house.of(Role::Viewer), "GET /api/fn/whoami", "").await;
    assert!(before.is_denied(), "the session that was open then does not come back");
}

#[tokio::test]
async fn the_form_of_a_role_overwrites_nothing_unseen_and_takes_tokens_that_may_more() {
    let house = House::new().await;
    let (admin, tokens) = (house.of(Role::Admin), Tokens::new(house.redis.engine()));
    for (token, may) in [("reads", Permission::View), ("pauses", Permission::PauseQueues)] {
        tokens.add(&NewToken::new(token.parse().unwrap(), [may]), "operator").await.unwrap();
    }
    let names =
        async || tokens.list().await.unwrap().iter().map(|token| token.name.to_string()).collect::<Vec<_>>();
    let page = house.send(admin, "GET /people", "", "text/html").await;
    assert!(page.text.contains("name=\"seen_role\" value=\"operator\""), "{}", page.text);

    for (form, said, left) in [
        ("role=admin&seen_role=operator&seen_queues=mail", "changed", vec!["pauses", "reads"]),
        ("role=admin&seen_role=support", "changed", vec!["pauses", "reads"]),
        ("role=operator&queues=mail&seen_role=operator&seen_queues=", "saved", vec!["pauses", "reads"]),
        ("role=support&seen_role=operator&seen_queues=", "changed", vec!["pauses", "reads"]),
        ("role=support&tokens=1&seen_role=operator&seen_queues=mail", "saved", vec!["reads"]),
        ("role=viewer&tokens=1", "saved", vec!["reads"]),
    ] {
        let reply = house.call(admin, "POST /people/role", &format!("name=operator&{form}")).await;
        assert_eq!(reply.location(), Some(format!("/people?said=people.{said}").as_str()), "{form}");
        assert_eq!(names().await, left, "{form}");
    }
}

#[tokio::test]
async fn the_form_of_retention_changes_what_was_touched_and_overwrites_nothing_unseen() {
    let house = House::new().await;
    let admin = house.of(Role::Admin);
    let set = "POST /api/fn/set_retention";
    let rule = async || house.redis.engine().inspector().retention().await.unwrap().namespace;
    let page = house.send(admin, "GET /settings", "", "text/html").await;
    let shown = "[&quot;7&quot;,&quot;90&quot;,&quot;30&quot;,&quot;&quot;,&quot;&quot;]";
    assert!(page.text.contains(shown), "{}", page.text);
    for field in ["done", "dead", "cancelled", "done_most", "dead_most"] {
        assert_eq!(page.text.matches(&format!("id=\"keep-{field}\"")).count(), 1, "{field}: {}", page.text);
    }
    let seen = "%5B%227%22%2C%2290%22%2C%2230%22%2C%22%22%2C%22%22%5D";

    let form = format!("done=7&dead=10&cancelled=30&dead_most=5,000&seen={seen}");
    let first = house.call(admin, set, &form).await;
    assert_eq!((first.status, first.text.as_str()), (StatusCode::OK, "true"), "{}", first.text);
    assert_eq!((rule().await.dead, rule().await.dead_most), (Some(Delay::days(10)), Some(5_000)));
    let form = format!("done=7&dead=90&cancelled=1&seen={seen}");
    let second = house.call(admin, set, &form).await;
    assert_eq!(second.status, StatusCode::CONFLICT, "{}", second.text);
    // Without scripts nothing is said to be there still: how it stands now is shown in the place of what was typed.
    let late = house.send(admin, set, &format!("{form}&back=/settings"), "text/html").await;
    assert_eq!(late.location(), Some("/settings?said=error.setting_changed"));
    assert_eq!(late.cookie("refused"), None);
    let page = come_back(&house, admin, &late).await.text;
    // What a template has is for the script.
    let templates = page
        .split("<template data-there>")
        .map(|part| part.split_once("</template>").map_or(part, |(_, rest)| rest));
    let page: String = templates.collect();
    assert!(page.contains("This is how it stands now.") && !page.contains("Save once more"), "{page}");
    assert!(page.contains("&quot;10&quot;") && page.contains("value=\"5,000\""), "{page}");
    let form = format!("done=7&dead=90&cancelled=30&seen={seen}");
    let same = house.call(admin, set, &form).await;
    assert_eq!(same.text, "false", "nothing was touched");
    assert_eq!((rule().await.dead, rule().await.cancelled), (Some(Delay::days(10)), Some(Delay::days(30))));
    let audit = house.redis.snapshot().await["audit"].join("\n");
    assert!(audit.contains("dead 864000000, dead_most 5000") && !audit.contains("done 604800000"), "{audit}");
}

#[tokio::test]
async fn of_two_rules_of_redaction_about_one_path_the_one_beside_the_button_is_removed() {
    let house = House::new().await;
    let admin = house.of(Role::Admin);
    let rules = async || {
        let settings = house.redis.engine().settings().await.unwrap();
        settings.redaction.iter().map(|rule| rule.keep).collect::<Vec<_>>()
    };
    for keep in [4, 0] {
        let form = format!("kinds=*&path=customer.phone&keep={keep}");
        assert_eq!(house.call(admin, "POST /api/fn/add_redaction", &form).await.text, "true");
    }
    let page = house.send(admin, "GET /settings", "", "text/html").await.text;
    for keep in [4, 0] {
        let field = format!("name=\"keep\" value=\"{keep}\"");
        assert_eq!(page.matches(&field).count(), 1, "{field}: {page}");
    }

    let form = "kinds=*&path=customer.phone&keep=4";
    assert_eq!(house.call(admin, "POST /api/fn/remove_redaction", form).await.text, "true");
    assert_eq!(rules().await, [0]);
    // A page from before says nothing of it.
    let form = "kinds=*&path=customer.phone";
    assert_eq!(house.call(admin, "POST /api/fn/remove_redaction", form).await.text, "true");
    assert!(rules().await.is_empty());
}

#[tokio::test]
async fn an_alert_or_a_rule_of_redaction_that_is_there_is_not_added_once_more() {
    let house = House::new().await;
    let admin = house.of(Role::Admin);
    for (door, form) in [
        ("POST /api/fn/add_alert", "what=dead&over=5&queue=mail"),
        ("POST /api/fn/add_redaction", "kinds=*&path=customer.phone&keep=4"),
    ] {
        assert_eq!(house.call(admin, door, form).await.text, "true", "{door}");
        assert_eq!(house.call(admin, door, form).await.text, "false", "{door}: it was so already");
        let back = format!("{form}&back=/settings");
        let page = house.send(admin, door, &back, "text/html").await;
        assert!(page.location().unwrap().ends_with("said=settings.same"), "{:?}", page.location());
    }

    let settings = house.redis.engine().settings().await.unwrap();
    assert_eq!((settings.alerts.len(), settings.redaction.len()), (1, 1));
}

#[tokio::test]
async fn a_queue_without_jobs_whose_retention_is_set_has_its_row() {
    let house = House::new().await;
    house.given("a", "sms", 1).await;
    let admin = house.of(Role::Admin);
    let (mail, mut rule) = ("mail".parse().unwrap(), reprieve::model::RetentionRule::default());
    rule.done = Some(Delay::days(2));
    house.redis.engine().operator("ann").set_retention(Some(&mail), rule, "").await.unwrap();

    let page = house.send(admin, "GET /settings", "", "text/html").await.text;

    let forms = page.split("action=\"/api/fn/set_retention?queue=").skip(1);
    let names: Vec<_> = forms.map(|form| form.split('"').next().unwrap()).collect();
    assert_eq!(names, ["mail", "sms"], "{page}");
}

#[tokio::test]
async fn what_is_wrong_with_the_retention_of_a_queue_is_of_its_row_alone() {
    let house = House::new().await;
    let admin = house.of(Role::Admin);
    house.given("a", "mail", 1).await;
    let page = house.send(admin, "GET /settings", "", "text/html").await.text;
    let action = "/api/fn/set_retention?queue=mail";
    assert_eq!(page.matches(&format!("action=\"{action}\"")).count(), 1, "{page}");

    let form = "queue=mail&done=never&back=/settings";
    let refused = house.send(admin, &format!("POST {action}"), form, "text/html").await;
    assert!(refused.location().unwrap().starts_with("/settings?said=error."), "{:?}", refused.location());
    let page = come_back(&house, admin, &refused).await.text;
    assert_eq!(page.matches(&format!(" action=\"{action}\"")).count(), 1, "the row that it is of: {page}");
    assert_eq!(
        page.matches(&format!(" data-action=\"{action}\"")).count(),
        1,
        "what is said names it: {page}"
    );
}

#[tokio::test]
async fn the_form_of_limits_gives_a_span_back_as_it_was_and_overwrites_nothing_unseen() {
    let house = House::new().await;
    let (admin, queue) = (house.of(Role::Admin), reprieve::model::QueueName::new("mail").unwrap());
    let operator = house.redis.engine().operator("api");
    let fast = reprieve::model::Rate { jobs: 10, per: Delay::millis(100) };
    let mut limits = reprieve::model::QueueLimits { rate: Some(fast), ..Default::default() };
    operator.limit(&queue, limits, "").await.unwrap();
    let there = async || {
        let queues = house.redis.engine().inspector().queues().await.unwrap();
        queues.into_iter().find(|of| of.name == queue).and_then(|of| of.limits).unwrap().limits
    };
    let page = house.send(admin, "GET /queue/mail", "", "text/html").await;
    assert!(page.text.contains("value=\"0.1\""), "{}", page.text);

    let set = "POST /api/fn/limit_queue";
    let seen = "%7B%22concurrency%22%3Anull%2C%22rate%22%3A%7B%22jobs%22%3A10%2C%22per_ms%22%3A100%7D%2C%22concurrency_per_key%22%3Anull%2C%22ordered%22%3Afalse%7D";
    let fields = "limits[rate]=10&limits[seconds]=0.1&limits[concurrency_per_key]=";
    let form = format!("queue=mail&{fields}&limits[concurrency]=4&seen={seen}");
    let first = house.call(admin, set, &form).await;
    assert_eq!(first.status, StatusCode::OK, "{}", first.text);
    limits.concurrency = Some(4);
    assert_eq!(there().await, limits, "the rate was not touched");

    let form = format!("queue=mail&{fields}&limits[concurrency]=9&seen={seen}");
    let second = house.call(admin, set, &form).await;
    assert_eq!(second.status, StatusCode::CONFLICT, "{}", second.text);
    assert_eq!(there().await, limits);
}

#[tokio::test]
async fn a_second_factor_is_set_up_with_the_present_password_and_not_in_place_of_another() {
    let house = House::new().await;
    let (viewer, people, who) = (house.of(Role::Viewer), house.people(), name("viewer"));
    let begin = "POST /account/second-factor/begin";
    let wrong = house.call(viewer, begin, "present-factor=wrong").await;
    assert_eq!(wrong.location(), Some("/account?said=account.wrong"), "{}", wrong.text);
    assert_eq!(people.pending_second_factor(&who).await.unwrap(), None);
    let without = house.call(viewer, begin, "").await;
    assert!(without.status.is_client_error(), "{}", without.status);
    let begun = house.call(viewer, begin, &format!("present-factor={PASSWORD}")).await;
    assert_eq!(begun.location(), Some("/account"), "{}", begun.text);
    assert!(people.pending_second_factor(&who).await.unwrap().is_some());
}

#[tokio::test]
async fn a_new_password_is_chosen_with_the_present_one_and_ends_the_other_sessions() {
    let house = House::new().await;
    let (here, elsewhere) = (house.of(Role::Viewer), house.session("viewer").await);
    let change = "POST /account/password";
    let wanted = "another-horse-altogether";
    for (form, said) in [
        (format!("present={PASSWORD}&wanted={wanted}&again=another-horse"), "account.differ"),
        (format!("present=wrong&wanted={wanted}&again={wanted}"), "account.wrong"),
        (format!("present={PASSWORD}&wanted=short&again=short"), "account.short"),
        (format!("present={PASSWORD}&wanted={wanted}&again={wanted}"), "account.password"),
    ] {
        let looks = house.call(&elsewhere, "GET /api/fn/whoami", "").await;
        assert_eq!(looks.status, StatusCode::OK, "nothing has ended before {said}");
        let reply = house.call(here, change, &form).await;
        assert_eq!(reply.location(), Some(format!("/account?said={said}").as_str()), "{}", reply.text);
    }
    assert_eq!(house.call(here, "GET /api/fn/whoami", "").await.status, StatusCode::OK);
    assert!(house.call(&elsewhere, "GET /api/fn/whoami", "").await.is_denied());
    for (password, is_good) in [(PASSWORD, false), (wanted, true)] {
        let form = format!("name=viewer&password={password}");
        let reply = house.call("", "POST /login", &form).await;
        assert_eq!(reply.cookie("rp").is_some(), is_good, "{:?}", reply.location());
    }
}

#[tokio::test]
async fn an_account_is_where_people_sign_in_and_a_function_that_is_not_declared_is_not_there() {
    let open = House::open().await;
    let form = format!("present={PASSWORD}&wanted={PASSWORD}&again={PASSWORD}");
    let nobodys = open.call("", "POST /account/password", &form).await;
    assert_eq!(nobodys.status, StatusCode::NOT_FOUND, "{}", nobodys.text);

    let house = House::new().await;
    for request in ["GET /api/fn/nothing", "POST /api/fn/nothing", "POST /api/fn/"] {
        let reply = house.call(house.of(Role::Admin), request, "").await;
        assert_eq!(reply.status, StatusCode::NOT_FOUND, "{request}");
        assert!(reply.text.contains("no_such_function"), "{request}: {}", reply.text);
    }
}

#[tokio::test]
async fn two_passwords_that_differ_lead_back_with_the_invitation_as_it_was() {
    let house = House::new().await;
    let invited = house.people().add(&name("sue"), Role::Viewer, &[], "admin").await.unwrap();
    let key = &invited.secret;
    let form = format!("key={key}&name=sue&password={PASSWORD}&again=other");
    let reply = house.send("", "POST /welcome", &form, "text/html").await;
    let place = format!("/welcome?name=sue&key={key}&said=account.differ");
    assert_eq!((reply.location(), reply.cookie("rp")), (Some(place.as_str()), None), "{}", reply.text);
    let form = format!("key={key}&name=sue&password={PASSWORD}&again={PASSWORD}");
    assert!(house.send("", "POST /welcome", &form, "text/html").await.cookie("rp").is_some());
    let over = "/login?said=account.invitation_over";
    for form in [form.clone(), form.replace("name=sue", "name=nobody"), form.replace("key=", "key=x")] {
        let reply = house.send("", "POST /welcome", &form, "text/html").await;
        assert_eq!(reply.location(), Some(over), "a link that is over is not good, and says so: {form}");
    }
    let page = house.send("", &format!("GET {over}"), "", "text/html").await;
    assert!(page.text.contains("Ask an administrator for a new one"), "{}", page.text);
}

#[tokio::test]
async fn a_visitor_who_guessed_too_often_is_told_for_how_long_to_wait() {
    let house = House::new().await;
    let guess = async || house.send("", "POST /login", "name=viewer&password=wrong", "text/html").await;
    let mut last = guess().await;
    // Five are for nothing, and the sixth is looked at as well.
    for _ in 0..6 {
        assert!(last.location().unwrap().ends_with("&said=account.wrong"), "{:?}", last.location());
        last = guess().await;
    }
    let seconds: u64 = last.headers["retry-after"].to_str().unwrap().parse().unwrap();
    assert!((1..=60).contains(&seconds), "{seconds}");
    let place = format!("/login?next=%2F&said=account.wait.{seconds}");
    assert_eq!(last.location(), Some(place.as_str()));
}

#[tokio::test]
async fn a_job_that_is_put_back_says_whether_it_is_due_at_its_original_time() {
    let house = House::new().await;
    let (admin, engine) = (house.of(Role::Admin), house.redis.engine());
    let step = |name: &str| {
        let job = NewJob::new("k".parse().unwrap(), "{}");
        NewStep::new(name.parse().unwrap(), Offset::millis(0), job)
    };
    let plan = NewPlan::new("p".parse().unwrap(), "s:1".parse().unwrap())
        .from(Due::In(Delay::hours(1)))
        .step(step("first"))
        .step(step("second"));
    engine.client().make_plan(&plan).await.unwrap();
    house.given("a", "mail", 1).await;
    let put_back = async |job: &str, at: &str| {
        let form = format!("id={job}&at={at}&back=%2Fjob%2Fa");
        house.send(admin, "POST /api/fn/cancel_job", &format!("id={job}"), "application/json").await;
        let sent = house.send(admin, "POST /api/fn/reinstate_job", &form, "text/html").await;
        (sent.location().unwrap_or_default().to_owned(), come_back(&house, admin, &sent).await.text)
    };

    let (to, page) = put_back("a", "").await;
    assert_eq!(to, "/job/a?said=reinstate.delayed");
    assert!(page.contains("Reinstated, due at its original time."), "{page}");
    let (to, page) = put_back("a", "2099-01-15T09%3A00").await;
    assert_eq!(to, "/job/a?said=reinstate.at");
    assert!(page.contains("Reinstated, due at the time that was given."), "{page}");
    engine.operator("ann").cancel(&"p/first".parse().unwrap()).await.unwrap();
    engine.client().plan(&plan.id).reanchor(Anchor::By(Offset::millis(3_600_000))).await.unwrap();
    let (to, page) = put_back("p%2Ffirst", "").await;
    assert_eq!(to, "/job/a?said=reinstate.moved");
    assert!(page.contains("Its plan has moved meanwhile"), "{page}");
}

#[tokio::test]
async fn a_second_choice_after_a_lost_answer_is_no_repeat_of_the_first() {
    let house = House::new().await;
    let admin = house.of(Role::Admin);
    house.given("a", "mail", 1).await;
    let ask = async |act: &str, form: &str| house.call(admin, &format!("POST /api/fn/{act}"), form).await;

    let first = ask("reschedule_job", "id=a&seen=1&operation=o&preset=%2B3600").await;
    assert_eq!(first.status, StatusCode::OK, "{}", first.text);
    let second = ask("reschedule_job", "id=a&seen=1&operation=o&preset=%2B86400").await;
    assert_eq!(second.status, StatusCode::CONFLICT, "{}", second.text);
    let again = ask("reschedule_job", "id=a&seen=1&operation=o&preset=%2B3600").await;
    assert_eq!((again.status, again.text), (StatusCode::OK, first.text), "the same is a repeat");

    ask("cancel_job", "id=a").await;
    let first = ask("reinstate_job", "id=a&operation=o&at=2098-01-15T09%3A00").await;
    assert_eq!(first.status, StatusCode::OK, "{}", first.text);
    let second = ask("reinstate_job", "id=a&operation=o&at=2099-01-15T09%3A00").await;
    assert!(second.text.contains("wrong_state"), "it is back already: {}", second.text);
    let again = ask("reinstate_job", "id=a&operation=o&at=2098-01-15T09%3A00").await;
    assert_eq!((again.status, again.text), (StatusCode::OK, first.text), "the same is a repeat");
}

#[tokio::test]
async fn a_job_by_hand_that_was_enqueued_before_is_said_to_be_there_as_it_was_sent_first() {
    let house = House::new().await;
    let admin = house.of(Role::Admin);
    let form = |payload: &str| format!("queue=mail&kind=k&preset=%2B3600&new_id=mail-1&payload={payload}");
    for (payload, outcome) in [("1", "delayed"), ("2", "exists")] {
        let reply = house.call(admin, "POST /api/fn/enqueue_job", &form(payload)).await;
        assert_eq!(reply.status, StatusCode::OK, "{}", reply.text);
        let enqueued: serde_json::Value = serde_json::from_str(&reply.text).unwrap();
        assert_eq!(enqueued["outcome"], outcome, "{payload}");
    }
    let plain = format!("{}&back=%2Fqueue%2Fmail", form("2"));
    let sent = house.send(admin, "POST /api/fn/enqueue_job", &plain, "text/html").await;
    assert_eq!(sent.location(), Some("/queue/mail?said=enqueue.exists"), "{}", sent.text);
    let page = come_back(&house, admin, &sent).await.text;
    assert!(page.contains("It was enqueued before, as it was sent first"), "{page}");
}

/// The page to which a form came back, with what was left for it.
pub(crate) async fn come_back(house: &House, session: &str, reply: &Reply) -> Reply {
    let place = reply.location().unwrap_or_else(|| panic!("{}", reply.text));
    let refused = reply.cookie("refused").unwrap_or_default();
    let page = asking("", &format!("GET {place}"), "text/html")
        .header("cookie", format!("rp={session}; refused={refused}"));
    house.raw(page.body(Body::empty()).unwrap()).await
}

#[tokio::test]
async fn the_form_of_a_schedule_comes_back_without_scripts_with_what_was_typed_and_what_is_wrong() {
    let house = House::new().await;
    let operator = house.of(Role::Operator);
    let put = async |form: &str| {
        house.send(operator, "POST /api/fn/put_schedule", &format!("zone=UTC&{form}"), "text/html").await
    };
    let taken = "There is a schedule of that name already";
    let changed = "Somebody changed this schedule while you looked";

    let made = put("name=n&seen=0&schedule=%40daily&kind=k&back=%2Fschedules").await;
    assert_eq!(made.location(), Some("/schedule/n?said=schedule.put.created"));
    for (form, place, sentence) in [
        ("name=m&seen=0&schedule=x&kind=my.kind", "/schedules/new?name=m&", "This cannot be read"),
        ("name=m&seen=0&schedule=%40daily&kind=my.kind&max_attempts=0", "/schedules/new?", "A whole number"),
        ("name=n&seen=0&schedule=%40hourly&kind=my.kind", "/schedules/new?name=n&", taken),
        ("name=n&seen=9&schedule=%40hourly&kind=my.kind", "/schedule/n/edit?", changed),
    ] {
        let reply =
            put(&format!("{form}&payload=%7B%22a%22%3A%22secret%22%7D&reason=why+not&back=%2F")).await;
        let location = reply.location().unwrap_or_default();
        assert!(location.starts_with(place) && !location.contains("secret"), "{form}: {location}");
        let page = come_back(&house, operator, &reply).await.text;
        assert!(page.contains(sentence), "{form}: {page}");
        assert!(page.contains("value=\"my.kind\"") && page.contains("value=\"why not\""), "{form}: {page}");
        assert!(page.contains("A payload does not come back"), "{form}");
        assert_eq!(page.contains(changed), sentence == changed, "{form}");
    }

    let tried = put("name=m&seen=0&schedule=%40daily&kind=my.kind&only_try=1").await;
    let page = come_back(&house, operator, &tried).await.text;
    assert!(page.contains("value=\"my.kind\"") && page.contains("At 00:00."), "{page}");
    assert_eq!(house.redis.engine().inspector().cron().await.unwrap().len(), 1, "nothing else was saved");
}

#[tokio::test]
async fn the_form_of_a_schedule_that_comes_back_without_scripts_overwrites_nothing_unseen() {
    let house = House::new().await;
    let operator = house.of(Role::Operator);
    let put = async |form: &str| {
        let form = format!("name=n&zone=UTC&kind=k&back=%2Fschedules&{form}");
        house.send(operator, "POST /api/fn/put_schedule", &form, "text/html").await
    };
    let is_made_from =
        |page: &str, version: u64| page.contains(&format!("name=\"seen\" value=\"{version}\""));
    let schedule = async || {
        let name = "n".parse().unwrap();
        house.redis.engine().inspector().cron_entry(&name).await.unwrap().unwrap().entry.schedule
    };
    put("seen=0&schedule=%40daily").await;
    let theirs = put("seen=1&schedule=%40weekly").await;
    assert_eq!(theirs.location(), Some("/schedule/n?said=schedule.put.changed"));

    // Tried out, or sent with a mistake, after somebody else has saved.
    for form in ["seen=1&schedule=%40hourly&only_try=1", "seen=1&schedule=x"] {
        let page = come_back(&house, operator, &put(form).await).await.text;
        assert!(is_made_from(&page, 1), "{form}: {page}");
    }
    let refused = put("seen=1&schedule=%40hourly").await;
    let page = come_back(&house, operator, &refused).await.text;
    assert!(page.contains("Somebody changed this schedule while you looked"), "{page}");
    assert_eq!(schedule().await, "@weekly");

    // A person who was told of it may put theirs in its place, and is told again of what comes after that.
    assert!(is_made_from(&page, 2), "{page}");
    put("seen=2&schedule=%40yearly").await;
    let refused = put("seen=2&schedule=%40hourly").await;
    assert!(is_made_from(&come_back(&house, operator, &refused).await.text, 3));
    assert_eq!(schedule().await, "@yearly");
}

#[tokio::test]
async fn a_schedule_that_a_program_declared_can_be_deleted_and_it_is_said_what_that_is_worth() {
    let house = House::new().await;
    let operator = house.of(Role::Operator);
    let entry = CronEntry::new("nightly".parse().unwrap(), "@daily", "k".parse().unwrap());
    house.redis.engine().client().declare_cron(&entry, "billing").await.unwrap();

    let page = house.send(operator, "GET /schedule/nightly", "", "text/html").await.text;

    assert!(page.contains("makes it again at its next start"), "{page}");
    let button = page.split("<button").find(|tag| tag.contains("popovertarget=\"schedule-remove\"")).unwrap();
    assert!(!button.split('>').next().unwrap().contains("aria-disabled"), "{button}");
    let gone = house.call(operator, "POST /api/fn/remove_schedule", "name=nightly&seen=1").await;
    assert!(gone.text.contains("Changed"), "{}", gone.text);
    assert_eq!(house.redis.engine().inspector().cron().await.unwrap(), []);
}
