//! What hostile visitors do, each at a bounded pace and from this machine alone, until they are stopped.

use crate::bed::{Bed, here, sign_in};
use crate::http::{self, Answer, somewhere};
use anyhow::Result;
use rand::Rng as _;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::runtime::{Handle, Runtime};
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Sign-ins and connections in a second.
const SIGN_INS: u32 = 200;
const CONNECTIONS: u32 = 200;
/// Sockets that say a byte a second.
const SLOW: u32 = 2_000;
/// Who sends bombs, and who asks for what is dear, at once.
const BOMBERS: u32 = 4;
const SEARCHERS: u32 = 8;
/// Bytes of a bomb: what a call of the API may have.
const BOMB_BYTES: usize = 1_000_000;
/// A priority below everybody's.
const LOWEST: i32 = 19;
/// Between two of one who sends or asks.
const PAUSE: Duration = Duration::from_millis(20);

/// Lists and searches that look at as many jobs as one request may, and find nothing.
const DEAR: [&str; 6] = [
    "/jobs/delay?q=payload.a.b.c.d.e.f:*%20nothing-has-this",
    "/jobs/delay?q=%22aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab%22%20-kind:x*%20-queue:y*%20-tag:z",
    "/jobs/delay?q=error:nothing%20payload.x:*1%20payload.y:*2%20payload.z:%3E99999",
    "/api/v1/search?state=delayed,held,retrying,ready,done,dead&error=nothing&kind=none&size=200",
    "/api/v1/search?state=delayed&tag=nothing&size=999999999999",
    "/api/v1/stats?minutes=1000000000&days=1000000000",
];

/// How often what was done and how it was answered: by attack and status, 0 for none.
#[derive(Debug, Default)]
pub(crate) struct Answers(Mutex<BTreeMap<(&'static str, u16), u64>>);

impl Answers {
    fn note(&self, attack: &'static str, outcome: &Result<Answer>) {
        self.count(attack, outcome.as_ref().map_or(0, |answer| answer.status));
    }

    fn count(&self, attack: &'static str, status: u16) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner).entry((attack, status)).or_default() += 1;
    }

    /// A line for each attack.
    pub(crate) fn lines(&self) -> Vec<(&'static str, String)> {
        let mut lines: BTreeMap<&'static str, Vec<String>> = BTreeMap::new();
        for ((attack, status), count) in &*self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            let how = if *status == 0 { "unanswered".to_owned() } else { format!("× {status}") };
            lines.entry(attack).or_default().push(format!("{count} {how}"));
        }
        lines.into_iter().map(|(attack, parts)| (attack, parts.join(", "))).collect()
    }

    /// Answers that no visitor should be able to cause.
    pub(crate) fn server_errors(&self) -> u64 {
        let counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        counts
            .iter()
            .filter(|((_, status), _)| (500..600).contains(status) && *status != 503)
            .map(|(_, it)| it)
            .sum()
    }
}

/// The attackers.
#[derive(Clone)]
pub(crate) struct Attack {
    bed: Arc<Bed>,
    cookie: Arc<str>,
    pub(crate) answers: Arc<Answers>,
    /// Where the next one comes from.
    next: Arc<AtomicU32>,
    tasks: TaskTracker,
    elsewhere: Handle,
    stop: CancellationToken,
}

/// Where attackers and their tabs work: threads of the lowest priority, for what they do themselves would be done by
/// other machines, and is not to be taken from the program.
pub(crate) fn elsewhere() -> Result<Runtime> {
    let give_way = || {
        if let Err(error) = rustix::process::nice(LOWEST) {
            eprintln!("attackers do not give way: {error}");
        }
    };
    Ok(tokio::runtime::Builder::new_multi_thread().enable_all().on_thread_start(give_way).build()?)
}

impl Attack {
    pub(crate) fn new(bed: Arc<Bed>, session: &str, elsewhere: &Handle) -> Self {
        Self {
            bed,
            cookie: format!("Cookie: rp={session}\r\nAccept: text/html\r\n").into(),
            answers: Arc::default(),
            next: Arc::default(),
            tasks: TaskTracker::new(),
            elsewhere: elsewhere.clone(),
            stop: CancellationToken::new(),
        }
    }

    /// Sign-ins alone.
    pub(crate) fn sign_in(&self) {
        self.paced(SIGN_INS, Self::guess);
    }

    /// Everything at once.
    pub(crate) fn everything(&self) {
        self.sign_in();
        self.paced(CONNECTIONS, Self::come_and_go);
        for _ in 0..SLOW {
            self.again_and_again(Self::dawdle);
        }
        for number in 0..BOMBERS {
            self.again_and_again(move |attack| attack.bomb(number));
        }
        for number in 0..SEARCHERS {
            self.again_and_again(move |attack| attack.search(number));
        }
    }

    /// Ends it and waits until everybody has gone.
    pub(crate) async fn end(self) -> Arc<Answers> {
        self.stop.cancel();
        self.tasks.close();
        self.tasks.wait().await;
        self.answers
    }

    /// Does something so often in a second, whether or not it is answered.
    fn paced<F: Future<Output = ()> + Send + 'static>(&self, per_s: u32, act: fn(Self) -> F) {
        let attack = self.clone();
        self.spawn(async move {
            let mut tick = tokio::time::interval(Duration::from_secs(1) / per_s);
            tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
            while attack.stop.run_until_cancelled(tick.tick()).await.is_some() {
                let one = act(attack.clone());
                let stop = attack.stop.clone();
                attack.spawn(async move { _ = stop.run_until_cancelled(one).await });
            }
        });
    }

    /// Does something one time after the other.
    fn again_and_again<F: Future<Output = ()> + Send + 'static>(
        &self,
        act: impl Fn(Self) -> F + Send + Sync + 'static,
    ) {
        let attack = self.clone();
        self.spawn(async move {
            let stop = attack.stop.clone();
            let acting = async {
                loop {
                    act(attack.clone()).await;
                    tokio::time::sleep(PAUSE).await;
                }
            };
            stop.run_until_cancelled(acting).await;
        });
    }

    fn spawn(&self, act: impl Future<Output = ()> + Send + 'static) {
        self.tasks.spawn_on(act, &self.elsewhere);
    }

    fn somewhere(&self) -> std::net::IpAddr {
        somewhere(self.next.fetch_add(1, Ordering::Relaxed))
    }

    /// Guesses at the password of somebody else every time, from somewhere else every time: no count stands against it.
    async fn guess(self) {
        let from = self.somewhere();
        let request = sign_in(&format!("guest-{from}"), "not-the-password-of-anybody");
        self.answers.note("sign-ins", &http::ask(from, self.bed.address, &request).await);
    }

    async fn come_and_go(self) {
        let came = http::connect(self.somewhere(), self.bed.address).await;
        self.answers.count("connections", if came.is_ok() { 200 } else { 0 });
    }

    /// Says a byte a second until nobody listens.
    async fn dawdle(self) {
        let wait = rand::rng().random_range(0..2_000);
        tokio::time::sleep(Duration::from_millis(wait)).await;
        let Ok(mut stream) = http::connect(self.somewhere(), self.bed.address).await else { return };
        let begun = stream.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ").await;
        let mut buffer = [0; 512];
        while begun.is_ok() && stream.write_all(b"a").await.is_ok() {
            let read = tokio::time::timeout(Duration::from_secs(1), stream.read(&mut buffer)).await;
            if let Ok(Ok(0) | Err(_)) = read {
                break;
            }
        }
        self.answers.count("slow sockets cut", 408);
    }

    async fn bomb(self, number: u32) {
        let body = match number % 4 {
            0 => "[".repeat(BOMB_BYTES),
            1 => format!("[{}0]", "0,".repeat(BOMB_BYTES / 2)),
            2 => format!("{{\"kind\":\"k\",\"payload\":{}", "{\"a\":".repeat(BOMB_BYTES / 5)),
            _ => format!("{{{}\"kind\":\"k\"}}", "\"kind\":\"k\",".repeat(BOMB_BYTES / 11)),
        };
        let request = http::text("POST", "/api/v1/jobs", &self.bed.headers(), &body);
        self.answers.note("bombs", &http::ask(here(), self.bed.address, &request).await);
    }

    async fn search(self, number: u32) {
        let turn = self.next.fetch_add(1, Ordering::Relaxed).wrapping_add(number);
        let path = DEAR[usize::try_from(turn).unwrap_or_default() % DEAR.len()];
        let headers = if path.starts_with("/api/") { self.bed.headers() } else { self.cookie.to_string() };
        let request = http::text("GET", path, &headers, "");
        self.answers.note("filters", &http::ask(here(), self.bed.address, &request).await);
    }
}
