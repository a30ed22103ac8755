//! What screens tell of things that are not in a list: what the configuration says, and jobs that are gone.

use crate::house::House;
use http::StatusCode;
use reprieve::model::Role;
use reprieve::{Due, NewJob};
use reprieve_server::config::{Secret, WebhookConfig};

const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";

#[tokio::test]
async fn webhooks_are_shown_without_what_is_secret_of_them() {
    let mut hook =
        WebhookConfig::from_flag("mail.*=https://hooks.example:8443/T0KEN?key=T0KEN", false).unwrap();
    hook.queue = Some("slow".parse().unwrap());
    hook.secret = Some(Secret::new("T0KEN".to_owned()));
    let plain = WebhookConfig::from_flag("*=http://other.example/T0KEN", false).unwrap();
    let house = House::of_dashboard(|dashboard| dashboard.webhooks(&[hook, plain])).await;

    let page = house.send("", "GET /settings", "", "text/html").await.text;

    for said in
        ["mail.* in slow goes to https://hooks.example:8443", "* goes to http://other.example", "Not signed"]
    {
        assert_eq!(page.matches(said).count(), 1, "{said}: {page}");
    }
    assert!(!page.contains("T0KEN"));
}

#[tokio::test]
async fn the_webhook_of_alerts_that_is_there_to_copy_is_about_their_queue_alone() {
    let house = House::new().await;

    let page = house.send(house.of(Role::Admin), "GET /settings", "", "text/html").await.text;

    let shown = page.split("<code>[[webhook]]").nth(1).and_then(|rest| rest.split('<').next());
    let text = format!("[[webhook]]{}", shown.unwrap().replace("&quot;", "\""));
    let webhook = &text.parse::<toml::Table>().unwrap()["webhook"][0];
    assert_eq!(webhook["kind"].as_str(), Some("reprieve_alert"), "{text}");
    assert_eq!(webhook["queue"].as_str(), Some("reprieve_alerts"), "{text}");
}

#[tokio::test]
async fn a_job_leads_to_where_its_trace_is_looked_at() {
    let traces = "https://traces.example/trace/{trace}".parse().unwrap();
    let house = House::of_dashboard(|dashboard| dashboard.traces(Some(traces))).await;
    for (id, parent) in [("traced", format!("00-{TRACE}-b7ad6b7169203331-01")), ("odd", "00-odd".to_owned())]
    {
        let mut job = NewJob::new("k".parse().unwrap(), "{}");
        (job.id, job.due) = (Some(id.parse().unwrap()), Due::In(reprieve::model::Delay::hours(1)));
        job.headers.insert("traceparent".to_owned(), parent);
        house.redis.engine().client().enqueue_batch(vec![job]).await.unwrap();
    }

    let traced = house.send("", "GET /job/traced", "", "text/html").await;
    let odd = house.send("", "GET /job/odd", "", "text/html").await;

    let link = format!("href=\"https://traces.example/trace/{TRACE}\"");
    assert_eq!(traced.text.matches(&link).count(), 1, "{}", traced.text);
    assert!(
        odd.text.contains("00-odd") && !odd.text.contains("href=\"https://traces.example"),
        "{}",
        odd.text
    );
}

#[tokio::test]
async fn a_job_that_is_gone_shows_its_receipt_to_whom_its_queue_belongs() {
    let house = House::new().await;
    for (name, queue) in [("mailer", "mail"), ("other", "sms")] {
        house.add(name, Role::Operator, &[queue.parse().unwrap()]).await;
    }
    house.given("gone", "mail", 1).await;
    let ann = house.redis.engine().operator("ann");
    ann.cancel(&"gone".parse().unwrap()).because("the customer called").await.unwrap();
    ann.purge(&"gone".parse().unwrap()).await.unwrap();

    for (name, sees) in [("mailer", true), ("other", false)] {
        let session = house.session(name).await;
        for id in ["gone", "never"] {
            let page = house.send(&session, &format!("GET /job/{id}"), "", "text/html").await;
            assert_eq!(page.status, StatusCode::NOT_FOUND);
            let told = ["This job is gone", "the customer called", "href=\"/desk/s:1\""];
            let has = told.iter().filter(|text| page.text.contains(*text)).count();
            assert_eq!(has, if sees && id == "gone" { 3 } else { 0 }, "{name} {id}: {}", page.text);
        }
    }
}

#[tokio::test]
async fn a_filter_with_a_full_width_blank_is_read_like_any_other() {
    let house = House::open().await;

    let page = house.send("", "GET /jobs/delay?q=kind:a%E3%80%80tag:b", "", "text/html").await;

    assert_eq!(page.status, StatusCode::OK);
    assert!(page.text.contains("<code>kind:a<") && page.text.contains("<code>tag:b<"), "{}", page.text);
}

#[tokio::test]
async fn a_list_that_was_looked_through_in_part_does_not_say_that_nothing_matches() {
    let house = House::open().await;
    // One reading looks at 5,000 jobs.
    let job = |n: i64| {
        let mut job = NewJob::new("k".parse().unwrap(), "{}");
        job.due = Due::In(reprieve::model::Delay::millis(3_600_000 + n));
        job
    };
    for part in 0..11 {
        let jobs = (0..500).map(|n| job(part * 500 + n)).collect();
        house.redis.engine().client().enqueue_batch(jobs).await.unwrap();
    }
    let text = async |path: &str| house.send("", &format!("GET {path}"), "", "text/html").await.text;

    let partly = text("/jobs/delay?q=kind:other").await;

    assert!(partly.contains("Looked at 5,000 of 5,500"), "{partly}");
    assert!(
        partly.contains("No job that was looked at so far matches kind:other. There are more."),
        "{partly}"
    );
    assert!(!partly.contains("No job of this list matches"), "{partly}");
    let (_, rest) = partly.split_once("after=").expect("it leads to the rest");
    let after = rest.split(['"', '&']).next().unwrap();
    let whole = text(&format!("/jobs/delay?q=kind:other&after={after}")).await;
    assert!(whole.contains("The list ends here."), "{whole}");
}
