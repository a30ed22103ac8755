//! The program is killed under load and started again: every job it had accepted arrives.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says where")]

mod support;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use support::{Running, directory, eventually, post_json, within};

/// Enough that the kill hits jobs in every state.
const JOBS: usize = 2_000;
/// Jobs of one request.
const BATCH: usize = 500;
/// A lease of 12 s, the recoverer's round, and the rest of the jobs on a busy machine.
const ARRIVAL_MAX: Duration = Duration::from_secs(90);

/// How often each job arrived, by its id.
type Arrivals = Arc<Mutex<BTreeMap<String, u32>>>;

#[test]
fn every_accepted_job_arrives_although_the_program_is_killed_under_load() {
    let directory = directory();
    let data = directory.path().join("data");
    let (sink, arrivals) = sink();
    let webhook = format!("*=http://{sink}/");
    let options = ["--webhook", webhook.as_str(), "--webhook-allow-private"];
    let first = Running::start(&data, &options);
    for batch in 0..JOBS / BATCH {
        enqueue(first.address, batch * BATCH);
    }

    // In the midst of it: some have arrived, many have not.
    eventually("a tenth has arrived", || (seen(&arrivals) > JOBS / 10).then_some(()));
    first.kill();
    let before = seen(&arrivals);
    assert!(before < JOBS, "the kill came too late to show anything");
    let second = Running::start(&data, &options);

    within(ARRIVAL_MAX, "every job has arrived", || (seen(&arrivals) == JOBS).then_some(()));
    let twice = arrivals.lock().unwrap().values().filter(|&&times| times > 1).count();
    println!("{before} of {JOBS} had arrived at the kill, {twice} came twice");
    // At least once: only what was on its way at the kill may come again.
    assert!(twice <= 200, "{twice} jobs came twice");
    assert!(second.terminate().success());
}

/// Half of them due at once, half over the next three seconds.
fn enqueue(address: SocketAddr, from: usize) {
    let job = |n: usize| {
        let delay_ms = if n.is_multiple_of(2) { 0 } else { n % 3_000 };
        format!(r#"{{"kind":"parcel","id":"job-{n}","payload":{n},"delay_ms":{delay_ms}}}"#)
    };
    let jobs: Vec<String> = (from..from + BATCH).map(job).collect();
    post_json(address, "/api/v1/jobs", &format!("[{}]", jobs.join(",")));
}

fn seen(arrivals: &Arrivals) -> usize {
    arrivals.lock().unwrap().len()
}

/// A receiver outside the program that notes every `webhook-id` and says 200.
fn sink() -> (SocketAddr, Arrivals) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let arrivals = Arrivals::default();
    let noted = Arc::clone(&arrivals);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let arrivals = Arc::clone(&noted);
            std::thread::spawn(move || receive(stream, &arrivals));
        }
    });
    (address, arrivals)
}

/// Answers the requests of one connection until it ends, in whatever way.
fn receive(mut stream: TcpStream, arrivals: &Arrivals) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    loop {
        let (mut id, mut length) = (String::new(), 0);
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line).ok()? == 0 {
                return None;
            }
            let line = line.trim().to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            if let Some(value) = line.strip_prefix("webhook-id:") {
                value.trim().clone_into(&mut id);
            } else if let Some(value) = line.strip_prefix("content-length:") {
                length = value.trim().parse().ok()?;
            }
        }
        reader.read_exact(&mut vec![0; length]).ok()?;
        *arrivals.lock().unwrap().entry(id).or_default() += 1;
        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").ok()?;
    }
}
