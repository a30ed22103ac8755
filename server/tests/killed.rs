//! The program is killed under load and started again: every job it had accepted arrives, and a bulk run that was
//! under way goes on where it was.

use crate::support::{Running, directory, eventually, post_json, within};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

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
    let page = second.get("/queue/default").1;
    assert!(page.contains(&format!("posted to http://{sink}")), "{page}");
    // At least once: only what was on its way at the kill may come again.
    assert!(twice <= 200, "{twice} jobs came twice");
    assert!(second.terminate().success());
}

#[test]
fn a_bulk_run_goes_on_where_a_killed_program_left_it_and_does_no_job_twice() {
    let directory = directory();
    let data = directory.path().join("data");
    let mut running = Running::start(&data, &[]);
    let job = |n: usize| format!(r#"{{"kind":"parcel","id":"job-{n}","delay_ms":86400000}}"#);
    for from in (0..JOBS).step_by(BATCH) {
        let jobs: Vec<String> = (from..from + BATCH).map(job).collect();
        post_json(running.address, "/api/v1/jobs", &format!("[{}]", jobs.join(",")));
    }
    // Slow enough to be met at work by each kill, however long a start takes on a busy machine.
    post_json(running.address, "/api/v1/bulk", r#"{"verb":"cancel","kind":"parcel","id":"all","rate":250}"#);
    post_json(running.address, "/api/v1/bulk/all/start", "{}");

    for part in [1, 2] {
        eventually("a part of it is done", || {
            let run = json(&running, "/api/v1/bulk/all");
            let sums = ["pending", "changed", "skipped", "failed"].map(|name| run[name].as_u64().unwrap());
            assert_eq!(sums.iter().sum::<u64>(), JOBS as u64, "{run}");
            (sums[1] > part * JOBS as u64 / 10).then_some(())
        });
        running.kill();
        running = Running::start(&data, &[]);
        assert_eq!(
            json(&running, "/api/v1/bulk/all")["state"],
            "running",
            "the kill came too late to show anything"
        );
    }
    let run = within(ARRIVAL_MAX, "the run has ended", || {
        let run = json(&running, "/api/v1/bulk/all");
        (run["state"] == "done").then_some(run)
    });

    assert_eq!((&run["changed"], &run["pending"]), (&JOBS.into(), &0.into()), "{run}");
    assert_eq!((&run["skipped"], &run["failed"], &run["undoable"]), (&0.into(), &0.into(), &JOBS.into()));
    let mut told = BTreeMap::new();
    let mut path = "/api/v1/bulk/all/outcomes?size=200".to_owned();
    loop {
        let page = json(&running, &path);
        for outcome in page["items"].as_array().unwrap() {
            *told.entry(outcome["id"].as_str().unwrap().to_owned()).or_insert(0) += 1;
        }
        let Some(next) = page["next"].as_u64() else { break };
        path = format!("/api/v1/bulk/all/outcomes?size=200&after={next}");
    }
    assert_eq!((told.len(), told.values().max()), (JOBS, Some(&1)), "each job has one outcome");
    for n in (0..JOBS).step_by(97) {
        let job = json(&running, &format!("/api/v1/jobs/job-{n}"));
        // Taken in at 1, called off at 2: a second time would be 3.
        assert_eq!((&job["state"], &job["version"]), (&"cancelled".into(), &2.into()), "{job}");
    }
    assert!(running.terminate().success());
}

/// What a GET answers.
fn json(running: &Running, path: &str) -> serde_json::Value {
    let (status, answer) = running.get(path);
    assert_eq!(status, 200, "{path}: {answer}");
    let body = answer.split_once("\r\n\r\n").unwrap().1;
    serde_json::from_str(body).unwrap_or_else(|why| panic!("{path}: {why} in {answer}"))
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
