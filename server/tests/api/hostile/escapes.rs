//! Texts that want to be more than text: formulas in a spreadsheet, lines and colours in a log, headers of an answer.

use super::log::Log;
use super::seeded;
use crate::house::House;
use http::StatusCode;
use rand::Rng as _;
use rand::seq::IndexedRandom as _;
use reprieve::model::{Delay, Role};
use reprieve::{Due, NewJob};
use reprieve_server::telemetry::OneLine;
use serde_json::{Map, Value, json};
use std::io;
use tracing_subscriber::fmt::MakeWriter;

/// What a spreadsheet takes for the beginning of a formula.
const FORMULA: [char; 12] =
    ['=', '+', '-', '@', '\t', '\r', '\n', '\0', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}'];

/// What such a cell goes on with.
const FORMULAS: [&str; 5] =
    ["1+1", "HYPERLINK(\"http://evil.example\";\"a\")", "cmd|' /C calc'!A0", "SUM(A1:A2)", ",\"\r\n=1"];

/// Every row of a file, with as many cells as its head.
fn rows(text: &str) -> Vec<Vec<String>> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let wide = reader.headers().unwrap().len();
    let rows: Vec<Vec<String>> =
        reader.records().map(|row| row.unwrap().iter().map(ToOwned::to_owned).collect()).collect();
    assert!(rows.iter().all(|row| row.len() == wide), "a cell left its place");
    rows
}

fn no_formula(rows: &[Vec<String>]) -> usize {
    let mut cells = 0;
    for cell in rows.iter().flatten() {
        let is_number = cell.parse::<f64>().is_ok();
        assert!(is_number || !cell.starts_with(FORMULA), "a formula: {cell:?}");
        cells += 1;
    }
    cells
}

#[tokio::test]
async fn eight_thousand_cells_of_payloads_hold_no_formula_and_stay_in_their_row() {
    let mut random = seeded();
    let house = House::new().await;
    let letters: Vec<char> = FORMULA.into_iter().chain("a1,;\"'| \u{202e}\u{e9}".chars()).collect();
    let columns: Vec<String> = (0..8).map(|number| format!("c{number}")).collect();
    let mut jobs = Vec::new();
    for number in 0..1_000 {
        let mut payload = Map::new();
        for column in &columns {
            let length = random.random_range(0..12);
            let cell: String = (0..length).map(|_| *letters.choose(&mut random).unwrap()).collect();
            payload.insert(column.clone(), json!(cell));
        }
        let mut job = NewJob::new("k".parse().unwrap(), Value::Object(payload).to_string());
        job.id = Some(format!("j{number}").parse().unwrap());
        job.subject = Some("@home".parse().unwrap());
        job.due = Due::In(Delay::hours(1));
        jobs.push(job);
    }
    for part in jobs.chunks(125) {
        house.redis.engine().client().enqueue_batch(part.to_vec()).await.unwrap();
    }
    let request = format!("GET /export/jobs.csv?list=delay&columns={}", columns.join(","));
    let file = house.call(house.of(Role::Admin), &request, "").await;
    let rows = rows(&file.text);
    assert_eq!((file.status, rows.len()), (StatusCode::OK, 1_000));
    assert!(rows.iter().all(|row| row[0].starts_with('j') && row[3] == "'@home"));
    println!("{} cells", no_formula(&rows));
}

#[tokio::test]
async fn what_people_and_workers_write_is_no_formula_in_any_file() {
    let house = House::new().await;
    let operator = house.of(Role::Admin);
    let mut given = 0;
    for (number, first) in FORMULA.into_iter().enumerate() {
        for (other, rest) in FORMULAS.into_iter().enumerate() {
            let (id, text) = (format!("j{number}-{other}"), format!("{first}{rest}"));
            house.given(&id, "mail", 1).await;
            let id = id.parse().unwrap();
            // Some are refused as a name; the reason and the error are free.
            let engine = house.redis.engine();
            let mut held = engine.operator(&*text).hold(&id).because(&*text).await;
            if held.is_err() {
                held = engine.operator("ann").hold(&id).because(&*text).await;
            }
            given += usize::from(held.is_ok());
            house.redis.damage(id.as_str(), "last_error", &text).await;
        }
    }
    assert!(given >= 30, "only {given} of them were taken");
    for request in ["GET /export/jobs.csv?list=held", "GET /export/audit.csv"] {
        let file = house.call(operator, request, "").await;
        let rows = rows(&file.text);
        assert!(rows.len() >= given, "{request}: {}", rows.len());
        assert!(file.text.contains("HYPERLINK"), "{request} has none of them");
        no_formula(&rows);
    }
}

impl<'a> MakeWriter<'a> for Log {
    type Writer = OneLine<Self>;

    fn make_writer(&'a self) -> Self::Writer {
        OneLine::new(self.clone(), false)
    }
}

/// What would make a second event, change the terminal, or turn a text round.
const LINES: [&str; 16] = [
    "a\nINFO somebody else signed in",
    "a\r\nINFO b",
    "a\rINFO b",
    "\u{85}INFO b",
    "\u{2028}INFO b",
    "\u{2029}INFO b",
    "\u{b}\u{c}INFO b",
    "\u{1b}[2J\u{1b}[1;1H",
    "\u{1b}]0;title\u{7}",
    "\u{9b}31mred",
    "\u{8}\u{8}\u{8}gone",
    "\u{7f}",
    "\0",
    "\u{202e}txt.exe",
    "\u{2066}\u{2069}\u{200f}",
    "\u{feff}\u{200b}\"}\n{\"level\":\"INFO\"}",
];

fn is_seen(found: char) -> bool {
    !found.is_control()
        && !matches!(found, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

fn happens(text: &str) {
    let error = io::Error::other(text.to_owned());
    tracing::warn!(job = %text, worker = ?text, other = text, %error, "it failed: {text} end");
}

#[test]
fn one_event_stays_one_line_whatever_its_texts_hold() {
    let (lines, json) = (Log::default(), Log::default());
    let readable = tracing_subscriber::fmt().with_ansi(false).with_writer(lines.clone()).finish();
    tracing::subscriber::with_default(readable, || LINES.into_iter().for_each(happens));
    let objects = tracing_subscriber::fmt().json().flatten_event(true).with_writer(json.clone()).finish();
    tracing::subscriber::with_default(objects, || LINES.into_iter().for_each(happens));

    for log in [&lines, &json] {
        let text = log.text();
        assert_eq!(text.lines().count(), LINES.len(), "{text}");
        assert!(text.chars().all(|found| found == '\n' || is_seen(found)), "{text:?}");
        assert!(text.lines().all(|line| line.contains("WARN") && line.contains(" end")), "{text}");
    }
    for (line, said) in json.text().lines().zip(LINES) {
        let event: Value = serde_json::from_str(line).unwrap();
        assert_eq!(event["level"], "WARN");
        assert_eq!(event["other"], said, "the text itself is kept");
    }
}

#[tokio::test]
async fn no_parameter_becomes_a_header_or_the_name_of_a_file() {
    let house = House::new().await;
    let admin = house.of(Role::Admin);
    let breaks = [
        "%0d%0aInjected:%201",
        "%0aInjected:1",
        "%0d%0a%0d%0a<html>",
        "%e5%98%8a%e5%98%8dInjected:1",
        "\"; filename=\"a.exe",
        "../../a",
        "%00",
    ];
    for broken in breaks {
        let encoded = broken.replace(' ', "%20").replace('"', "%22").replace('<', "%3c").replace('>', "%3e");
        for request in [
            format!("GET /export/jobs.csv?list=delay{encoded}"),
            format!("GET /export/jobs.jsonl?list=delay&columns={encoded}&q={encoded}"),
            format!("GET /export/audit.csv?by={encoded}"),
            format!("GET /login?next={encoded}&said={encoded}"),
            format!("GET /jobs/delay?queue={encoded}"),
            format!("GET /job/{encoded}"),
            format!("GET /assets/{encoded}"),
            format!("GET /api/v1/jobs/{encoded}"),
            format!("POST /people/add?name={encoded}"),
            format!("POST /login?next={encoded}"),
            format!("POST /api/fn/set_appearance?back={encoded}"),
        ] {
            let form =
                format!("name={encoded}&role=viewer&password=x&next={encoded}&back={encoded}&theme=dark");
            let reply = house.send(admin, &request, &form, "text/html").await;
            assert!(!reply.headers.contains_key("injected"), "{request}");
            if let Some(place) = reply.headers.get("content-disposition") {
                let place = place.to_str().unwrap();
                let ours = ["jobs-delay.csv", "jobs-delay.jsonl", "audit.csv"];
                let fits = ours.iter().any(|name| place == format!("attachment; filename=\"{name}\""));
                assert!(fits, "{request}: {place}");
            }
        }
    }
}
