//! The systems themselves beside an importer: their own producers and workers, as in `peers/`.

use crate::imports::scene::Scene;
use crate::runtime::scene::within;
use reprieve::model::{Delay, Job, JobId, JobState, Kind, QueueName};
use reprieve::testing::RedisServer;
use reprieve::{Due, JobContext, MaintenanceHandle, Worker};
use reprieve_import::{BullmqSource, ImportName, Importer, Layout, QueuesSource, Source};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Jobs of a queue; there are two queues.
const JOBS: usize = 500;

/// Python with the systems that are written in it.
const PYTHON: &str = "peers/bin/python";
const RQ_2: &str = "peers-rq2/bin/python";
const CELERY: &str = "peers-celery/bin/python";
/// What stays for a second, until RQ has moved it.
const MOVING: &str = "it is due, and RQ's scheduler may be moving it";

/// What stays where workers have it.
const WORKING: &str = "its workers have it";

/// A system, and how it is run.
#[derive(Clone, Copy)]
struct System {
    /// For messages.
    name: &'static str,
    /// The program and its first words, to which the address, an order and queues are added.
    program: &'static [&'static str],
    /// What `cargo xtask peers` must have installed: a file in the folder of peers, or a program.
    needs: &'static str,
    /// The source that one queue is, all of whose jobs are of the kind `k` here.
    layout: fn(&str) -> Layout,
    /// What its `fill` calls a job.
    job: fn(&Job) -> String,
    /// Why the jobs stay that its `keep` has made.
    stays: &'static [&'static str],
    /// Whether its workers hold what is due later, until they are stopped in an orderly way.
    holds: bool,
    /// How many of a queue's jobs are taken at least, and how many of those go back at least.
    taken: [usize; 2],
    /// The version of a gem in a folder of its own; "" for what the machine has.
    gem: &'static str,
}

/// Where `cargo xtask peers` makes environments for Python.
fn environments() -> PathBuf {
    let target = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("target");
    std::env::var_os("REPRIEVE_PEERS").map_or_else(target, PathBuf::from)
}

/// It on a Redis.
struct Peer<'a> {
    system: System,
    server: &'a RedisServer,
}

impl Peer<'_> {
    fn command(&self, words: &[&str]) -> Command {
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/imports/peers");
        let is_there =
            folder.join(self.system.needs).exists() || environments().join(self.system.needs).exists();
        assert!(is_there, "no {}: `cargo xtask peers` installs it", self.system.needs);
        let program = environments().join(self.system.program[0]);
        let mut command = match program.exists() {
            true => Command::new(program),
            false => Command::new(self.system.program[0]),
        };
        if !self.system.gem.is_empty() {
            let gems = environments().join(format!("peers-sidekiq-{}", self.system.gem));
            command.env("PEER_SIDEKIQ", self.system.gem).env("GEM_PATH", gems);
        }
        command.current_dir(folder).args(&self.system.program[1..]).arg(self.server.url()).args(words);
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

/// Its workers; killed with the test.
struct Workers {
    process: Child,
    said: Receiver<Value>,
}

impl Workers {
    fn start(peer: &Peer<'_>, queues: &[&str]) -> Self {
        let words: Vec<&str> = std::iter::once("work").chain(queues.iter().copied()).collect();
        let mut command = peer.command(&words);
        let mut process = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(process.stdout.take().unwrap()).lines();
        // Node makes a pipe that it is given non-blocking, for all who write to it: it gets no standard error of ours.
        let errors = BufReader::new(process.stderr.take().unwrap()).lines();
        std::thread::spawn(move || errors.map_while(Result::ok).for_each(|line| eprintln!("{line}")));
        let (tell, said) = channel();
        std::thread::spawn(move || {
            // Some say other things as well.
            for said in lines.map_while(Result::ok).filter_map(|line| serde_json::from_str(&line).ok()) {
                // The test may be over.
                drop(tell.send(said));
            }
        });
        let workers = Self { process, said };
        assert_eq!(workers.said.recv_timeout(Duration::from_secs(60)).unwrap(), "ready");
        workers
    }
}

impl Workers {
    /// Stops them in an orderly way, and returns what they have said until then.
    fn stop(&mut self) -> Vec<Value> {
        let id = self.process.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
        self.process.wait().unwrap();
        self.said.iter().collect()
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        // It may have ended by itself.
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

/// An importer of one queue.
fn import(scene: &Scene, system: System, queue: &str) -> Importer {
    let source = Source::here((system.layout)(queue));
    Importer::new(scene.redis.engine(), ImportName::new(queue).unwrap(), source).unwrap()
}

/// The kind of all jobs.
fn kinds(names: &[&str]) -> BTreeMap<String, Kind> {
    names.iter().map(|name| ((*name).to_owned(), Kind::new("k").unwrap())).collect()
}

fn bullmq(queue: &str) -> Layout {
    let mut source = BullmqSource::new(vec![queue.to_owned()]);
    source.kinds = kinds(&["welcome", "order:paid", "Größe ändern"]);
    Layout::Bullmq(source)
}

/// The settings that most systems have.
fn queues(queue: &str, names: &[&str]) -> QueuesSource {
    let mut source = QueuesSource::default();
    source.queues = vec![queue.to_owned()];
    source.kinds = kinds(names);
    source
}

fn by_id(job: &Job) -> String {
    job.id.to_string()
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
async fn start_ours(
    scene: &Scene,
    names: BTreeMap<JobId, String>,
    done: &Arc<Mutex<Done>>,
) -> (MaintenanceHandle, Worker) {
    let engine = scene.redis.engine();
    let note = Arc::clone(done);
    let maintenance = engine.maintenance().start();
    let worker =
        engine.worker().queue(QueueName::new("ours").unwrap(), 10).handler("k", move |job: JobContext| {
            let data = names[job.id()].clone();
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

const BULLMQ: System = System {
    name: "BullMQ 6",
    program: &["node", "bullmq.mjs", "6"],
    needs: "node_modules/bullmq",
    layout: bullmq,
    job: |job| String::from_utf8(job.payload.clone()).unwrap(),
    stays: &[
        "it is part of a flow: its parent waits for it",
        "it was made by a schedule, which goes on when it runs there",
    ],
    holds: false,
    taken: [JOBS / 2, JOBS / 4],
    gem: "",
};

impl Done {
    fn hear(&mut self, said: impl IntoIterator<Item = Value>) {
        for said in said {
            *self.there.entry(said["job"].as_str().unwrap().to_owned()).or_default() += 1;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_jobs_of_bullmq_are_taken_over_beside_its_workers_and_half_go_back() {
    beside_its_workers(BULLMQ).await;
    let five = System { name: "BullMQ 5", program: &["node", "bullmq.mjs", "5"], ..BULLMQ };
    beside_its_workers(five).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "`cargo xtask nightly peers` runs it"]
async fn a_thousand_jobs_of_sidekiq_are_taken_over_beside_its_workers_and_half_go_back() {
    let six = System {
        name: "Sidekiq 6",
        program: &["ruby", "sidekiq_peer.rb"],
        needs: "/usr/bin/sidekiq",
        layout: |queue| Layout::Sidekiq(queues(queue, &["Welcome", "Order.Paid", "Mails.Deliver"])),
        job: by_id,
        stays: &["it is part of a batch, which only Sidekiq can end"],
        holds: false,
        taken: [JOBS / 2, JOBS / 4],
        gem: "",
    };
    beside_its_workers(six).await;
    let needs = "peers-sidekiq-7.3.2/gems/sidekiq-7.3.2";
    beside_its_workers(System { name: "Sidekiq 7", needs, gem: "7.3.2", ..six }).await;
    let needs = "peers-sidekiq-8.1.7/gems/sidekiq-8.1.7";
    // It wants Ruby 3.2.
    if environments().join(needs).exists() {
        beside_its_workers(System { name: "Sidekiq 8", needs, gem: "8.1.7", ..six }).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "`cargo xtask nightly peers` runs it"]
async fn a_thousand_jobs_of_rq_are_taken_over_beside_its_workers_and_half_go_back() {
    let three = System {
        name: "RQ 3",
        program: &[PYTHON, "rq_peer.py"],
        needs: PYTHON,
        layout: |queue| Layout::Rq(queues(queue, &["rq_peer.welcome", "rq_peer.order_paid"])),
        job: by_id,
        stays: &["it has callbacks, which only RQ can call", "other jobs wait for it, which RQ starts"],
        holds: false,
        taken: [JOBS / 2, JOBS / 4],
        gem: "",
    };
    beside_its_workers(three).await;
    beside_its_workers(System { name: "RQ 2", program: &[RQ_2, "rq_peer.py"], needs: RQ_2, ..three }).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "`cargo xtask nightly peers` runs it"]
async fn a_thousand_jobs_of_arq_are_taken_over_beside_its_workers_and_half_go_back() {
    beside_its_workers(System {
        name: "arq",
        program: &[PYTHON, "arq_peer.py"],
        needs: PYTHON,
        layout: |queue| Layout::Arq(queues(queue, &["welcome", "order_paid"])),
        job: by_id,
        stays: &["it was made by a schedule, which goes on when it runs there"],
        holds: false,
        taken: [JOBS / 2, JOBS / 4],
        gem: "",
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "`cargo xtask nightly peers` runs it"]
async fn a_thousand_jobs_of_bee_queue_are_taken_over_beside_its_workers_and_half_go_back() {
    beside_its_workers(System {
        name: "Bee-Queue",
        program: &["node", "bee-queue.mjs"],
        needs: "node_modules/bee-queue",
        layout: |queue| {
            let mut source = queues(queue, &[]);
            source.kind = Some(Kind::new("k").unwrap());
            Layout::BeeQueue(source)
        },
        job: by_id,
        stays: &[],
        holds: false,
        taken: [JOBS / 2, JOBS / 4],
        gem: "",
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "`cargo xtask nightly peers` runs it"]
async fn a_thousand_tasks_of_celery_are_taken_over_beside_its_workers_and_half_go_back() {
    beside_its_workers(System {
        name: "Celery",
        program: &[CELERY, "celery_peer.py"],
        needs: CELERY,
        layout: |queue| Layout::Celery(queues(queue, &["celery_peer.welcome", "celery_peer.order_paid"])),
        job: by_id,
        stays: &[
            "other tasks follow on it, which only Celery starts",
            "other tasks follow on it, which only Celery starts",
        ],
        holds: true,
        taken: [JOBS / 2, JOBS / 4],
        gem: "",
    })
    .await;
}

async fn beside_its_workers(system: System) {
    let version = system.name;
    let server = RedisServer::start().unwrap();
    let scene = Scene::on(server.url()).await;
    let peer = Peer { system, server: &server };
    // Given: jobs of every sort in two queues, and its own workers on both.
    let (mut jobs, mut due) = (Vec::new(), BTreeMap::new());
    for (queue, from) in [("ours", 0), ("theirs", JOBS)] {
        for said in peer.run(&["fill", queue, &from.to_string(), &JOBS.to_string()]) {
            let data = said["job"].as_str().unwrap().to_owned();
            due.insert(data.clone(), said["due"].as_i64());
            jobs.push(data);
        }
    }
    peer.run(&["keep", "ours"]);
    assert_eq!((jobs.len(), due.len()), (2 * JOBS, 2 * JOBS), "all different");
    let mut workers = Workers::start(&peer, &["ours", "theirs"]);

    // When: both are taken over under their hands.
    let (ours, theirs) = (import(&scene, system, "ours"), import(&scene, system, "theirs"));
    let (taken, others) = tokio::join!(ours.take_over(|_| ()), theirs.take_over(|_| ()));
    let (mut taken, mut others) = (taken.unwrap(), others.unwrap());
    let done = Arc::new(Mutex::new(Done::default()));
    if system.holds {
        done.lock().unwrap().hear(workers.stop());
        for (import, taken) in [(&ours, &mut taken), (&theirs, &mut others)] {
            let before = taken.taken;
            *taken = import.take_over(|_| ()).await.unwrap();
            taken.taken += before;
        }
    }

    // Then: what was taken is due to the millisecond, and what only the system can go on with is not touched.
    let [least, back_least] = system.taken.map(|jobs| jobs as u64);
    assert!(taken.taken >= least && others.taken >= least, "{taken:?} {others:?}");
    let mut reasons: Vec<&str> = taken.left.iter().map(|left| left.reason.as_str()).collect();
    reasons.retain(|reason| ![MOVING, WORKING].contains(reason));
    reasons.sort_unstable();
    assert_eq!(reasons, system.stays);
    let here = jobs_here(&scene).await;
    assert_eq!(here.len() as u64, taken.taken + others.taken);
    for job in &here {
        let data = (system.job)(job);
        if job.state == JobState::Delayed {
            assert_eq!(Some(job.due.as_millis()), due[&data], "{version}: {data}");
        }
    }

    // And when one queue goes back, both sides end all they have.
    let back = theirs.roll_back(|_| ()).await.unwrap();
    assert!(back.restored >= back_least, "{back:?}");
    let names: BTreeMap<JobId, String> = here.iter().map(|job| (job.id.clone(), (system.job)(job))).collect();
    let ours = start_ours(&scene, names, &done).await;
    peer.run(&["promote", "theirs"]);
    if system.holds {
        workers = Workers::start(&peer, &["ours", "theirs"]);
    }
    let began = Instant::now();
    within("all jobs to end", async {
        loop {
            {
                let mut done = done.lock().unwrap();
                done.hear(workers.said.try_iter());
                let has_ended =
                    |data: &&String| done.here.contains_key(*data) || done.there.contains_key(*data);
                if jobs.iter().all(|data| has_ended(&data)) {
                    return;
                }
                if began.elapsed() > Duration::from_secs(50) {
                    panic!(
                        "{:?} have not ended",
                        jobs.iter().filter(|data| !has_ended(data)).collect::<Vec<_>>()
                    );
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
