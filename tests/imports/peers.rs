//! BullMQ itself, versions 5 and 6, beside an importer: its own producers and workers under Node, as in `peers/`.

use crate::imports::scene::Scene;
use crate::runtime::scene::within;
use reprieve::import::{BullmqSource, ImportName, Importer, Layout, Source};
use reprieve::model::{Delay, Job, JobId, JobState, Kind, QueueName};
use reprieve::testing::RedisServer;
use reprieve::{Due, JobContext, MaintenanceHandle, Worker};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Jobs of a queue; there are two queues.
const JOBS: usize = 500;

/// BullMQ of that version on a Redis.
struct Peer<'a> {
    version: &'a str,
    server: &'a RedisServer,
}

impl Peer<'_> {
    fn command(&self, words: &[&str]) -> Command {
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/imports/peers");
        assert!(
            folder.join("node_modules/bullmq").exists(),
            "no packages in {}: `cargo xtask peers` installs them",
            folder.display()
        );
        let mut command = Command::new("node");
        command.current_dir(folder).args(["bullmq.mjs", self.version, self.server.url()]).args(words);
        command
    }

    /// Runs one order and returns what it says.
    fn run(&self, words: &[&str]) -> Vec<Value> {
        let output = self.command(words).output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{errors}");
        let said = String::from_utf8(output.stdout).unwrap();
        said.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

/// Workers of BullMQ; killed with the test.
struct Workers {
    process: Child,
    said: Receiver<Value>,
}

impl Workers {
    fn start(peer: &Peer<'_>, queues: &[&str]) -> Self {
        let words: Vec<&str> = std::iter::once("work").chain(queues.iter().copied()).collect();
        let mut process = peer.command(&words).stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let (tell, said) = channel();
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                // The test may be over.
                drop(tell.send(serde_json::from_str(&line).unwrap()));
            }
        });
        let workers = Self { process, said };
        assert_eq!(workers.said.recv_timeout(Duration::from_secs(60)).unwrap(), "ready");
        workers
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        // It may have ended by itself.
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

/// An importer of one queue, all of whose jobs are of one kind here.
fn import(scene: &Scene, queue: &str) -> Importer {
    let mut source = BullmqSource::new(vec![queue.to_owned()]);
    for name in ["welcome", "order:paid", "Größe ändern"] {
        source.kinds.insert(name.to_owned(), Kind::new("k").unwrap());
    }
    let source = Source::here(Layout::Bullmq(source));
    scene.redis.engine().import(ImportName::new(queue).unwrap(), source).unwrap()
}

/// All jobs here.
async fn jobs_here(scene: &Scene) -> Vec<Job> {
    let prefix = format!("{}job:", scene.redis.prefix());
    let keys: Vec<String> = scene.ask(&[b"KEYS", format!("{prefix}*").as_bytes()]);
    let inspector = scene.redis.engine().inspector();
    let mut jobs = Vec::new();
    for id in keys.iter().filter_map(|key| key.strip_prefix(&prefix)) {
        // What lies beside a job has a key that begins alike.
        let Ok(id) = JobId::new(id) else { continue };
        jobs.extend(inspector.job(&id).await.unwrap().map(|detail| detail.job));
    }
    jobs
}

/// Starts a worker of ours that notes what it has done, and makes what waits for an hour due.
async fn start_ours(scene: &Scene, done: &Arc<Mutex<Done>>) -> (MaintenanceHandle, Worker) {
    let engine = scene.redis.engine();
    let note = Arc::clone(done);
    let maintenance = engine.maintenance().start();
    let worker =
        engine.worker().queue(QueueName::new("ours").unwrap(), 10).handler("k", move |job: JobContext| {
            let data = String::from_utf8(job.payload().to_vec()).unwrap();
            let started_ms =
                i64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis()).unwrap();
            let early_ms = job.due().as_millis() - started_ms;
            note.lock().unwrap().here.entry(data).or_default().push(early_ms);
            async { Ok(()) }
        });
    let worker = worker.start().await.unwrap();
    let an_hour_from_now = engine.now().await.unwrap() + Delay::minutes(30);
    for job in jobs_here(scene).await.into_iter().filter(|job| job.due > an_hour_from_now) {
        engine.client().reschedule(&job.id, Due::Now).await.unwrap();
    }
    (maintenance, worker)
}

/// Who has done which job, by its data: how many ms early it was begun here, and how often it was done there.
#[derive(Default)]
struct Done {
    here: BTreeMap<String, Vec<i64>>,
    there: BTreeMap<String, usize>,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_jobs_of_bullmq_are_taken_over_beside_its_workers_and_half_go_back() {
    for version in ["6", "5"] {
        beside_its_workers(version).await;
    }
}

async fn beside_its_workers(version: &str) {
    let server = RedisServer::start().unwrap();
    let scene = Scene::on(server.url()).await;
    let peer = Peer { version, server: &server };
    // Given: jobs of every sort in two queues, and BullMQ's own workers on both.
    let (mut jobs, mut due) = (Vec::new(), BTreeMap::new());
    for (queue, from) in [("ours", 0), ("theirs", JOBS)] {
        for said in peer.run(&["fill", queue, &from.to_string(), &JOBS.to_string()]) {
            let data = said["data"].as_str().unwrap().to_owned();
            due.insert(data.clone(), said["due"].as_i64());
            jobs.push(data);
        }
    }
    peer.run(&["keep", "ours"]);
    assert_eq!((jobs.len(), due.len()), (2 * JOBS, 2 * JOBS), "all different");
    let workers = Workers::start(&peer, &["ours", "theirs"]);

    // When: both are taken over under their hands.
    let (ours, theirs) = (import(&scene, "ours"), import(&scene, "theirs"));
    let (taken, others) = tokio::join!(ours.take_over(|_| ()), theirs.take_over(|_| ()));
    let (taken, others) = (taken.unwrap(), others.unwrap());

    // Then: what was taken is due to the millisecond, and what only BullMQ can go on with is not touched.
    assert!(taken.taken >= JOBS as u64 / 2 && others.taken >= JOBS as u64 / 2, "{taken:?} {others:?}");
    let reasons: Vec<&str> = taken.left.iter().map(|left| left.reason.as_str()).collect();
    let flow = "it is part of a flow: its parent waits for it";
    let schedule = "it was made by a schedule, which goes on when it runs there";
    assert!(reasons.contains(&flow) && reasons.contains(&schedule) && reasons.len() == 2, "{reasons:?}");
    let here = jobs_here(&scene).await;
    assert_eq!(here.len() as u64, taken.taken + others.taken);
    for job in &here {
        let data = String::from_utf8(job.payload.clone()).unwrap();
        if job.state == JobState::Delayed {
            assert_eq!(Some(job.due.as_millis()), due[&data], "{version}: {data}");
        }
    }

    // And when one queue goes back, both sides end all they have.
    let back = theirs.roll_back(|_| ()).await.unwrap();
    assert!(back.restored >= JOBS as u64 / 4, "{back:?}");
    let done = Arc::new(Mutex::new(Done::default()));
    let ours = start_ours(&scene, &done).await;
    peer.run(&["promote", "theirs"]);
    within("all jobs to end", async {
        loop {
            {
                let mut done = done.lock().unwrap();
                for said in workers.said.try_iter() {
                    *done.there.entry(said["data"].as_str().unwrap().to_owned()).or_default() += 1;
                }
                let has_ended =
                    |data: &&String| done.here.contains_key(*data) || done.there.contains_key(*data);
                if jobs.iter().filter(has_ended).count() == jobs.len() {
                    return;
                }
            }
            // Between looks at what another process does.
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    })
    .await;
    ours.1.shutdown().await;
    ours.0.shutdown().await;
    scene.assert_sound().await;
    let done = done.lock().unwrap();
    assert!(done.here.len() >= JOBS / 2 && done.there.len() >= JOBS / 2);
    for (data, early) in &done.here {
        assert!(early.iter().all(|early| *early <= 0), "{version}: {data} was started {early:?} ms early");
    }
    let twice: Vec<&String> = jobs
        .iter()
        .filter(|data| done.here.get(*data).map_or(0, Vec::len) + done.there.get(*data).unwrap_or(&0) != 1)
        .collect();
    assert!(twice.is_empty(), "{version}: nothing was killed, so that nothing runs twice: {twice:?}");
}
