//! What becomes of a job by what its receiver answers; what it is sent; where nothing is sent.

use crate::sink::{Reply, Sink};
use reprieve::Worker;
use reprieve::model::{Delay, Event, JobDetail, JobId, JobState, QueueName};
use reprieve::testing::TestRedis;
use reprieve_server::config::{Secret, WebhookConfig};
use reprieve_server::webhook::Sender;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::broadcast;

/// As long as a busy machine may take.
const WAIT: Duration = Duration::from_secs(60);

/// A namespace with a worker that sends everything of kind `hook.*` to one address.
struct Sending {
    redis: TestRedis,
    worker: Worker,
    events: broadcast::Receiver<Arc<Event>>,
}

impl Sending {
    async fn to(webhook: WebhookConfig) -> Self {
        let redis = TestRedis::namespace().await;
        let sender = Sender::new(vec![webhook]).unwrap();
        let accepting = sender.clone();
        let builder = redis.engine().worker().queue(QueueName::default(), 8);
        let worker = builder
            .accepts(move |kind, queue| accepting.accepts(kind, queue))
            .handler_for_all(move |job| {
                let sender = sender.clone();
                async move { sender.deliver(job).await }
            })
            // Long enough that no retry happens while a test looks.
            .retry_policy(|_: u32| Delay::hours(1))
            // Short, for the tests that stop it while it sends.
            .grace(Duration::from_millis(100))
            .start()
            .await
            .unwrap();
        let tail = redis.engine().events();
        let events = tail.subscribe();
        tail.ready().await;
        Self { redis, worker, events }
    }

    async fn enqueue(&self, id: &str, kind: &str) -> JobId {
        let id: JobId = id.parse().unwrap();
        let client = self.redis.engine().client();
        let job = client
            .enqueue_raw(kind.parse().unwrap(), r#"{"invoice":7}"#)
            .id(id.clone())
            .subject("resource:4711".parse().unwrap())
            .header("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
            .header("secret-note", "not a header of the request");
        job.send().await.unwrap();
        id
    }

    /// Waits until the job has left `active`.
    async fn settled(&mut self, id: &JobId) -> JobDetail {
        loop {
            let event =
                tokio::time::timeout(WAIT, self.events.recv()).await.expect("no end of the job").unwrap();
            if &event.job == id && event.from == Some(JobState::Active) && event.to != Some(JobState::Active)
            {
                return self.redis.engine().inspector().job(id).await.unwrap().unwrap();
            }
        }
    }
}

fn webhook(sink: &Sink) -> WebhookConfig {
    let mut webhook =
        WebhookConfig::from_flag(&format!("hook.*=http://{}/in?a=b", sink.address), true).unwrap();
    // Longer than anything is waited for: what ends is ended by something else.
    webhook.timeout = 10 * WAIT;
    webhook
}

fn reply(status: u16, headers: &[(&'static str, &str)], body: &str) -> Reply {
    let headers = headers.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
    Some((status, headers, body.as_bytes().to_vec()))
}

#[tokio::test]
async fn the_answer_decides_what_becomes_of_the_job() {
    let huge = "x".repeat(1_000_000);
    for (answer, state, attempt, error) in [
        (reply(200, &[], "fine"), JobState::Done, 1, ""),
        (reply(204, &[], ""), JobState::Done, 1, ""),
        (reply(202, &[("retry-after", "60")], ""), JobState::Done, 1, ""),
        (reply(429, &[("retry-after", "60")], "slow down"), JobState::Delayed, 0, ""),
        (reply(503, &[("retry-after", "Fri, 31 Dec 2100 23:59:59 GMT")], ""), JobState::Delayed, 0, ""),
        (reply(429, &[("retry-after", "2.5")], "slow down"), JobState::Delayed, 0, ""),
        (reply(429, &[("retry-after", "99999999999")], "slow down"), JobState::Delayed, 0, ""),
        (reply(503, &[("retry-after", "Friday, 31-Dec-49 23:59:59 GMT")], ""), JobState::Delayed, 0, ""),
        (reply(429, &[("retry-after", "soon")], "slow down"), JobState::Delayed, 0, ""),
        (reply(429, &[("retry-after", "0")], ""), JobState::Delayed, 0, ""),
        (reply(429, &[], "slow down"), JobState::Retrying, 1, "429 Too Many Requests: slow down"),
        (reply(503, &[("retry-after", "soon")], ""), JobState::Retrying, 1, "503"),
        (reply(410, &[], "gone for good"), JobState::Dead, 1, "gone for good"),
        (reply(400, &[], "what?"), JobState::Retrying, 1, "what?"),
        (reply(404, &[], ""), JobState::Retrying, 1, "404"),
        (reply(500, &[], "boom\u{7}\nstack"), JobState::Retrying, 1, "boom \nstack"),
        (reply(500, &[], &huge), JobState::Retrying, 1, "xxx"),
        (
            reply(302, &[("location", "http://169.254.169.254/latest")], ""),
            JobState::Retrying,
            1,
            "redirects are not followed",
        ),
        (reply(308, &[("location", "/other")], ""), JobState::Retrying, 1, "redirects are not followed"),
    ] {
        let shown = answer.clone().map(|(status, headers, _)| (status, headers));
        let sink = Sink::answering(answer).await;
        let mut sending = Sending::to(webhook(&sink)).await;

        let id = sending.enqueue("a", "hook.invoice").await;
        let JobDetail { job, .. } = sending.settled(&id).await;

        assert_eq!((job.state, job.attempt), (state, attempt), "{shown:?}: {}", job.last_error);
        assert!(job.last_error.contains(error), "{shown:?}: {}", job.last_error);
        assert!(job.last_error.len() <= 8 * 1024);
        assert_eq!(sink.so_far().len(), 1, "{shown:?}: not exactly one request");
        sending.worker.shutdown().await;
    }
}

#[tokio::test]
async fn a_snooze_lasts_as_long_as_the_receiver_asks() {
    let sink = Sink::answering(reply(503, &[("retry-after", "90")], "")).await;
    let mut sending = Sending::to(webhook(&sink)).await;

    let before = sending.redis.engine().now().await.unwrap();
    let id = sending.enqueue("a", "hook.invoice").await;
    let due = sending.settled(&id).await.job.due;

    let waits_ms = due.millis_since(before);
    assert!((90_000..150_000).contains(&waits_ms), "{waits_ms}");
}

#[tokio::test]
async fn a_receiver_that_does_not_answer_is_given_up() {
    let sink = Sink::answering(None).await;
    let mut slow = webhook(&sink);
    slow.timeout = Duration::from_millis(200);
    let mut sending = Sending::to(slow).await;

    let id = sending.enqueue("a", "hook.invoice").await;
    let JobDetail { job, .. } = sending.settled(&id).await;

    assert_eq!((job.state, job.last_error.as_str()), (JobState::Retrying, "no answer within 200 ms"));
}

#[tokio::test]
async fn a_receiver_that_is_not_there_is_tried_again() {
    let sink = Sink::answering(None).await;
    let mut absent = webhook(&sink);
    // Port 1 of the machine itself: nobody listens there.
    absent.url.set_port(Some(1)).unwrap();
    let mut sending = Sending::to(absent).await;

    let id = sending.enqueue("a", "hook.invoice").await;
    let JobDetail { job, .. } = sending.settled(&id).await;

    assert_eq!(job.state, JobState::Retrying);
    assert!(job.last_error.starts_with("could not connect"), "{}", job.last_error);
}

#[tokio::test]
async fn calling_a_job_off_breaks_its_request_off() {
    let sink = Sink::answering(None).await;
    let mut sending = Sending::to(webhook(&sink)).await;
    let id = sending.enqueue("a", "hook.invoice").await;
    sink.deliveries(1).await;

    let asked = sending.redis.engine().operator("a test").cancel(&id).await.unwrap();
    let JobDetail { job, .. } = sending.settled(&id).await;

    assert_eq!((asked.word(), job.state), ("requested", JobState::Cancelled));
    sink.broken_off(1).await;
}

#[tokio::test]
async fn stopping_the_worker_breaks_a_request_off_and_costs_no_attempt() {
    let sink = Sink::answering(None).await;
    let sending = Sending::to(webhook(&sink)).await;
    let id = sending.enqueue("a", "hook.invoice").await;
    sink.deliveries(1).await;

    let Sending { redis, worker, .. } = sending;
    worker.shutdown().await;

    let job = redis.engine().inspector().job(&id).await.unwrap().unwrap().job;
    assert_eq!((job.state, job.attempt), (JobState::Delayed, 0), "{}", job.why);
}

#[tokio::test]
async fn a_kind_without_a_webhook_is_parked_and_not_sent() {
    let sink = Sink::answering(reply(200, &[], "")).await;
    let mut sending = Sending::to(webhook(&sink)).await;

    let parked = sending.enqueue("parked", "other").await;
    let JobDetail { job, .. } = sending.settled(&parked).await;

    assert_eq!((job.state, job.attempt), (JobState::Delayed, 0), "{}", job.why);
    assert!(!job.why.is_empty(), "nobody says why it waits");
    assert_eq!(sink.so_far().len(), 0);
}

/// HMAC by its definition, on nothing but the hash: independent of what signs.
fn hmac_sha256(key: &[u8], text: &[u8]) -> Vec<u8> {
    let mut block = [0_u8; 64];
    block[..key.len()].copy_from_slice(key);
    let pad = |byte: u8| block.map(|b| b ^ byte);
    let inner = Sha256::digest([&pad(0x36)[..], text].concat());
    Sha256::digest([&pad(0x5c)[..], &inner[..]].concat()).to_vec()
}

#[tokio::test]
async fn a_delivery_is_the_job_signed_and_says_which_attempt_it_is() {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    let key: Vec<u8> = (1..=32).collect();
    let sink = Sink::answering(reply(200, &[], "")).await;
    let mut signed = webhook(&sink);
    signed.secret = Some(Secret::new(format!("whsec_{}", STANDARD.encode(&key))));
    let mut sending = Sending::to(signed).await;

    let id = sending.enqueue("mail.v1/7", "hook.invoice").await;
    sending.settled(&id).await;
    let delivery = sink.deliveries(1).await.remove(0);

    let body: Value = serde_json::from_slice(&delivery.body).unwrap();
    let token = delivery.header("reprieve-token");
    for (field, value) in [
        ("id", json!("mail.v1/7")),
        ("kind", json!("hook.invoice")),
        ("queue", json!("default")),
        ("subject", json!("resource:4711")),
        ("payload", json!({ "invoice": 7 })),
        ("attempt", json!(1)),
        ("max_attempts", json!(25)),
        ("token", json!(token.parse::<u64>().unwrap())),
    ] {
        assert_eq!(body[field], value, "{field}");
    }
    assert_eq!(delivery.header("webhook-id"), "mail%2Ev1/7");
    assert_eq!(delivery.header("content-type"), "application/json");
    assert_eq!(delivery.header("reprieve-attempt"), "1");
    assert!(delivery.header("user-agent").starts_with("Reprieve/"));
    assert_eq!(delivery.header("traceparent"), "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
    assert!(delivery.headers.get("secret-note").is_none());
    let at: i64 = delivery.header("webhook-timestamp").parse().unwrap();
    assert!((jiff::Timestamp::now().as_second() - at).abs() < 60);
    let text = [format!("mail%2Ev1/7.{at}.").as_bytes(), &delivery.body[..]].concat();
    let expected = format!("v1,{}", STANDARD.encode(hmac_sha256(&key, &text)));
    assert_eq!(delivery.header("webhook-signature"), expected);
}

#[tokio::test]
async fn a_repeated_delivery_has_its_id_and_a_higher_token() {
    let sink = Sink::answering(reply(500, &[], "boom")).await;
    let mut sending = Sending::to(webhook(&sink)).await;
    let id = sending.enqueue("a", "hook.invoice").await;
    assert_eq!(sending.settled(&id).await.job.state, JobState::Retrying);

    sending.redis.engine().operator("a test").retry_now(&id).await.unwrap();
    sending.settled(&id).await;

    let deliveries = sink.deliveries(2).await;
    let of = |name: &str| deliveries.iter().map(|one| one.header(name).to_owned()).collect::<Vec<_>>();
    assert_eq!(
        (of("webhook-id"), of("reprieve-attempt")),
        (vec!["a".into(); 2], vec!["1".into(), "2".into()])
    );
    let tokens: Vec<u64> = of("reprieve-token").iter().map(|token| token.parse().unwrap()).collect();
    assert!(tokens[0] < tokens[1], "{tokens:?}");
}

#[tokio::test]
async fn an_answer_that_comes_when_the_lease_is_lost_changes_nothing() {
    let sink = Sink::holding(reply(200, &[], "")).await;
    let mut sending = Sending::to(webhook(&sink)).await;
    let id = sending.enqueue("a", "hook.invoice").await;
    sink.deliveries(1).await;
    // Somebody with a clock an hour ahead takes the lease for over.
    let ahead = sending.redis.engine().now().await.unwrap() + Delay::hours(1);
    assert_eq!(sending.redis.store().at(ahead).recover(9, Delay::seconds(1), 3).await.unwrap(), 1);
    let before = sending.settled(&id).await;
    assert_eq!(before.job.state, JobState::Retrying);

    sink.answer();
    // What is sent later is reported later.
    let later = sending.enqueue("b", "hook.invoice").await;
    assert_eq!(sending.settled(&later).await.job.state, JobState::Done);

    let after = sending.redis.engine().inspector().job(&id).await.unwrap().unwrap();
    assert_eq!((after.job.state, after.job.version), (JobState::Retrying, before.job.version));
    assert_eq!(after.attempts, before.attempts);
}

#[test]
fn the_test_s_own_hmac_is_right() {
    // RFC 4231, test case 2.
    let mac = hmac_sha256(b"Jefe", b"what do ya want for nothing?");
    let hex: String = mac.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(hex, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

#[tokio::test]
async fn closed_addresses_are_refused_before_the_program_starts() {
    // Every spelling of such an address is a test of its own, beside the check.
    for url in ["http://example.com/", "https://0x7f000001/", "https://[::ffff:169.254.169.254]/"] {
        let webhook = WebhookConfig::from_flag(&format!("hook.*={url}"), false).unwrap();
        let refused =
            format!("{:#}", Sender::new(vec![webhook]).err().unwrap_or_else(|| panic!("{url} is open")));
        assert!(refused.contains("allow_private"), "{url}: {refused}");
    }
}

#[tokio::test]
async fn a_name_that_leads_to_this_machine_gets_no_connection() {
    let sink = Sink::answering(reply(200, &[], "")).await;
    let url = format!("hook.*=https://localhost:{}/", sink.address.port());
    let mut sending = Sending::to(WebhookConfig::from_flag(&url, false).unwrap()).await;

    let id = sending.enqueue("a", "hook.invoice").await;
    let JobDetail { job, .. } = sending.settled(&id).await;

    assert_eq!(job.state, JobState::Retrying);
    assert!(job.last_error.contains("not an address of the public internet"), "{}", job.last_error);
    assert_eq!(sink.so_far().len(), 0);
}
