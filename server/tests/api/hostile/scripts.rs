//! Scripts in every text that somebody else can write, on every page that the server renders.
//!
//! Pages are read as a browser reads them. What counts is not whether a text looks escaped, but whether anything of it
//! became an element or an attribute.

use crate::house::House;
use html5gum::emitters::default::DefaultEmitter;
use html5gum::{Token, Tokenizer};
use http::StatusCode;
use reprieve::model::{JobId, Look, QueueName};
use reprieve::{Failure, NewJob};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::LazyLock;
use std::time::Duration;
use url::form_urlencoded::byte_serialize;

/// Stands in every one of them.
const MARK: &str = "rpxss";

/// What would run, load or lead away, and what it is put behind to leave an attribute, an element or a string first.
///
/// The file is read by the tests in a browser too.
#[derive(Deserialize)]
struct Corpus {
    before: Vec<String>,
    scripts: Vec<String>,
    /// Beginnings of addresses whose end a page shows again.
    addresses: Vec<String>,
}

static CORPUS: LazyLock<Corpus> =
    LazyLock::new(|| serde_json::from_str(include_str!("scripts.json")).expect("the payloads read"));

fn payloads() -> Vec<String> {
    let behind = |before: &String| {
        let before = before.clone();
        CORPUS.scripts.iter().map(move |script| format!("{before}{script}"))
    };
    CORPUS.before.iter().flat_map(behind).collect()
}

fn encoded(text: &str) -> String {
    byte_serialize(text.as_bytes()).collect()
}

/// Elements that our pages do not have, but for the templates of their script.
const NEVER: [&str; 21] = [
    "iframe", "object", "embed", "base", "img", "image", "math", "video", "audio", "source", "marquee",
    "frame", "frameset", "applet", "style", "template", "x", "body2", "animate", "mtext", "noembed",
];

fn text_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// What is alive in a page that nobody of us wrote; and all text of it, as it is read.
fn read(html: &str, nonce: &str) -> (Vec<String>, String) {
    let mut emitter = DefaultEmitter::default();
    emitter.naively_switch_states(true);
    let (mut alive, mut texts, mut inside) = (Vec::new(), String::new(), String::new());
    for token in Tokenizer::new_with_emitter(html, emitter) {
        let Ok(token) = token;
        match token {
            Token::StartTag(tag) => {
                let name = text_of(&tag.name);
                let mut is_ours = false;
                for (attribute, value) in &tag.attributes {
                    let (attribute, value) = (text_of(attribute), text_of(&value.value));
                    let leads =
                        ["href", "src", "action", "formaction", "data", "xlink:href", "srcdoc", "style"];
                    let target: String = value
                        .chars()
                        .filter(|c| !c.is_control() && *c != ' ')
                        .collect::<String>()
                        .to_lowercase();
                    let leads_away = leads.contains(&attribute.as_str())
                        && (target.contains("script:") && !target.starts_with('/')
                            || target.starts_with("data:")
                            || target.starts_with("//")
                            || (target.contains("://") && !target.starts_with('/') && target.contains(MARK)));
                    let loads = attribute == "style" && value.contains(MARK);
                    let is_event = attribute.starts_with("on") && !attribute.starts_with("on:");
                    let refreshes = attribute == "http-equiv";
                    if is_event
                        || loads
                        || leads_away
                        || refreshes
                        || attribute.contains(MARK)
                        || attribute.contains('<')
                    {
                        alive.push(format!("<{name} {attribute}={value:?}>"));
                    }
                    is_ours |= attribute == "nonce" && value == nonce;
                    let is_of_script = attribute == "data-there" || (attribute == "id" && value == "notice");
                    is_ours |= name == "template" && is_of_script;
                    texts.push_str(&value);
                    texts.push('\n');
                }
                let is_never = NEVER.contains(&name.as_str()) || name == "script";
                if (is_never && !is_ours) || name.contains(MARK) {
                    alive.push(format!("<{name}>"));
                }
                inside = name;
            }
            Token::EndTag(_) => inside.clear(),
            Token::String(text) => {
                let text = text_of(&text.value);
                // What leptos hands to its own script stands in strings there, without a `<`.
                if inside == "script" && text.contains(MARK) && text.contains('<') {
                    alive.push(format!("a script holds {text:.200}"));
                }
                texts.push_str(&text);
            }
            Token::Comment(text) => {
                let text = text_of(&text.value);
                if text.contains(MARK) {
                    alive.push(format!("<!--{text}-->"));
                }
            }
            _ => {}
        }
    }
    (alive, texts)
}

/// The nonce of a page that has the policy of our pages.
fn nonce_of(policy: &str) -> &str {
    assert!(!policy.contains("unsafe-inline") && !policy.contains("unsafe-eval'; script"), "{policy}");
    assert!(policy.contains("default-src 'none'") && policy.contains("object-src 'none'"), "{policy}");
    policy.split_once("'nonce-").expect("a page has a nonce").1.split('\'').next().unwrap_or_default()
}

/// Counts what was looked at.
#[derive(Default)]
struct Seen {
    pages: usize,
    shown: usize,
    /// The page that was opened last, and its text.
    last: (String, String),
}

impl Seen {
    /// Whether a page shows all of that text. It is opened once.
    async fn holds(&mut self, house: &House, path: &str, payload: &str) -> bool {
        if self.last.0 != path {
            self.open(house, path, payload).await;
        }
        self.last.1.contains(payload)
    }

    /// Opens a page and looks whether anything in it is alive.
    async fn open(&mut self, house: &House, path: &str, payload: &str) -> bool {
        let page = house.send("", &format!("GET {path}"), "", "text/html").await;
        let policy = page.headers["content-security-policy"].to_str().unwrap();
        if !page.text.contains("<!DOCTYPE html>") {
            return false;
        }
        let (alive, text) = read(&page.text, nonce_of(policy));
        assert!(alive.is_empty(), "{path} with {payload:?}: {alive:#?}");
        self.pages += 1;
        let shown = text.contains(payload);
        self.shown += usize::from(shown);
        self.last = (path.to_owned(), text);
        shown
    }
}

#[test]
fn the_reader_of_pages_finds_what_is_alive() {
    let mut missed = Vec::new();
    // Those that need more than text around them to be alive are none here.
    let inert = [
        "javascript:",
        "data:",
        "&",
        "\\u",
        "'-",
        "<![CDATA[",
        "\\\"",
        "${",
        "\" on",
        "' on",
        "` on",
        "x on",
        "\"auto",
    ];
    for script in CORPUS.scripts.iter().filter(|script| !inert.iter().any(|start| script.starts_with(start)))
    {
        if read(&format!("<!DOCTYPE html><p>{script}</p>"), "n").0.is_empty() {
            missed.push(script);
        }
    }
    for quoted in ["\" onmouseover=rpxss() x=\"", "\"><img src=x onerror=rpxss()>"] {
        let html = format!("<p title=\"{quoted}\">");
        assert!(!read(&html, "n").0.is_empty(), "{quoted}");
    }
    assert!(read("<a href=\"javascript:rpxss()\">", "n").0.len() == 1);
    assert!(missed.is_empty(), "{missed:?}");
}

/// Payloads of one page: an address of that many is short enough.
const TOGETHER: usize = 40;

/// A name that no client may give, as another program might have written it.
fn bare(payload: &str) -> String {
    payload.chars().map(|found| if found.is_whitespace() { '/' } else { found }).collect()
}

#[tokio::test]
async fn nothing_that_a_job_or_its_worker_says_comes_alive_on_a_page() {
    let house = House::open().await;
    let engine = house.redis.engine();
    let payloads = payloads();
    let mut jobs = Vec::new();
    for (number, payload) in payloads.iter().enumerate() {
        let body = json!({ "text": payload, payload.as_str(): 1, "all": [payload] }).to_string();
        let mut job = NewJob::new("k".parse().unwrap(), body);
        job.id = Some(format!("j{number}").parse().unwrap());
        job.queue = format!("q{}", number / TOGETHER).parse().unwrap();
        job.headers.insert("x-text".to_owned(), payload.replace(['\n', '\t'], " "));
        jobs.push(job);
    }
    for (number, several) in payloads.chunks(TOGETHER).enumerate() {
        let keys: Vec<_> = several.iter().map(|payload| json!({ payload.as_str(): payload })).collect();
        let mut job = NewJob::new("k".parse().unwrap(), json!({ "all": several, "keys": keys }).to_string());
        job.id = Some(format!("all{number}").parse().unwrap());
        job.queue = "all".parse().unwrap();
        jobs.push(job);
    }
    for part in jobs.chunks(60) {
        engine.client().enqueue_batch(part.to_vec()).await.unwrap();
    }
    let mut worker = engine.worker().queue("all".parse().unwrap(), 20);
    for queue in 0..payloads.len().div_ceil(TOGETHER) {
        worker = worker.queue(QueueName::new(format!("q{queue}")).unwrap(), 20);
    }
    let worker = worker.handler("k", async |job: reprieve::JobContext| {
        let body: Value = job.json()?;
        let texts: Vec<&str> =
            body["all"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        for text in &texts {
            job.progress(50, text);
            job.log(text);
        }
        job.set_result(&texts)?;
        Err(Failure::fatal(texts.join("\n")))
    });
    let worker = worker.start().await.unwrap();
    let ends = tokio::time::Instant::now() + Duration::from_secs(60);
    while engine.inspector().counts(None).await.unwrap().dead < u64::try_from(jobs.len()).unwrap() {
        assert!(tokio::time::Instant::now() < ends, "the worker does not come to an end");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    worker.shutdown().await;

    let mut seen = Seen::default();
    for (number, several) in payloads.chunks(TOGETHER).enumerate() {
        let page = format!("/job/all{number}");
        for payload in several {
            assert!(seen.holds(&house, &page, payload).await, "{payload:?} is not on its page");
        }
        for path in [
            format!("/jobs/dead?queue=q{number}&columns=text,all"),
            format!("/queue/q{number}"),
            format!("/dead?queue=q{number}"),
        ] {
            seen.open(&house, &path, MARK).await;
        }
    }
    for (number, payload) in payloads.iter().enumerate().step_by(4) {
        let id = format!("j{number}");
        let field = ["worker", "kind", "subject", "created_by", "why", "by"][number / 4 % 6];
        house.redis.damage(&id, field, &bare(payload)).await;
        seen.open(&house, &format!("/job/{id}"), payload).await;
    }
    println!("{} payloads, {} pages, shown on {}", payloads.len(), seen.pages, seen.shown);
}

#[tokio::test]
async fn nothing_that_people_write_comes_alive_on_a_page() {
    let house = House::open().await;
    let engine = house.redis.engine();
    let (mut seen, mut looks, mut reasons, mut views) = (Seen::default(), 0, 0, 0);
    for (number, several) in payloads().chunks(20).enumerate() {
        let queue: QueueName = format!("q{number}").parse().unwrap();
        let mut offered = Vec::new();
        for (other, payload) in several.iter().enumerate() {
            let id: JobId = format!("h{number}-{other}").parse().unwrap();
            house.given(id.as_str(), queue.as_str(), 1).await;
            let operator = engine.operator(payload.as_str());
            reasons += usize::from(operator.hold(&id).because(payload.as_str()).await.is_ok());
            let short: String = payload.chars().take(40).collect();
            let form = format!("name={}&list=delay&q=&shared=on&replace=on", encoded(&short));
            let view = house.call("", "POST /api/fn/save_view", &form).await;
            views += usize::from(view.status == StatusCode::OK);
            offered.push(payload.chars().take(80).collect::<String>());
        }
        let _ = engine.operator("t").set_reasons(&offered, "r").await;
        for payload in several.iter().step_by(4) {
            let title: String = payload.chars().take(40).collect();
            let environment: String = payload.chars().take(20).collect();
            let look = Look { title, environment, ..Look::default() };
            looks += usize::from(engine.operator("t").set_look(&look, payload).await.is_ok());
            seen.open(&house, "/nowhere", payload).await;
        }
        let _ = engine.operator(several[0].as_str()).pause(&queue, &several[1]).await;
        let job = format!("/job/h{number}-0");
        let held = format!("/jobs/held?queue={queue}");
        for path in
            [held.as_str(), "/jobs/delay", &job, "/audit", "/settings", &format!("/queue/{queue}"), "/"]
        {
            seen.open(&house, path, MARK).await;
        }
        for payload in several {
            let short: String = payload.chars().take(40).collect();
            house.call("", "POST /api/fn/remove_view", &format!("name={}", encoded(&short))).await;
        }
    }
    println!("{} pages, shown on {}", seen.pages, seen.shown);
    println!("{reasons} reasons, {looks} titles, {views} views were taken");
    assert!(reasons > 200 && looks > 40 && views > 20);
    assert!(seen.shown > 40, "only {} pages show what they were given", seen.shown);
}

#[tokio::test]
async fn nothing_in_an_address_comes_alive_on_a_page() {
    let house = House::open().await;
    house.given("some", "mail", 1).await;
    let mut seen = Seen::default();
    for several in payloads().chunks(TOGETHER) {
        let text = encoded(&several.join(" "));
        for path in &CORPUS.addresses {
            let text = if path.contains('?') { text.clone() } else { text.replace('+', "%20") };
            seen.open(&house, &format!("{path}{text}"), &several[0]).await;
        }
    }
    println!("{} pages, shown on {}", seen.pages, seen.shown);
    assert!(seen.shown > 20, "only {} pages show what they were given", seen.shown);
}
