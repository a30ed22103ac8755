//! What each script costs Redis when it is called at its limit, in processor time of Redis.
//!
//! `cargo bench --profile dev` does: the time is spent in redis-server, not in this program. While a script runs,
//! Redis serves nobody else; two milliseconds is what we allow.

#![expect(clippy::unwrap_used, missing_docs, reason = "a bench may panic, and nobody calls it")]

use criterion::{
    BenchmarkGroup, Criterion, SamplingMode, criterion_group, criterion_main, measurement::WallTime,
};
use reprieve::model::{
    Cursor, Delay, Direction, Filter, FilteredQuery, JobId, Kind, ListQuery, QueueName, StateGroup, Subject,
    Timestamp, Token,
};
use reprieve::store::{Intent, Store};
use reprieve::testing::TestRedis;
use reprieve::{Due, NewJob};
use std::time::Duration;

const START: i64 = 1_700_000_040_000;
const LEASE: Delay = Delay::seconds(12);

struct Bench {
    runtime: tokio::runtime::Runtime,
    redis: TestRedis,
}

impl Bench {
    fn new() -> Self {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let redis = runtime.block_on(TestRedis::namespace());
        Self { runtime, redis }
    }

    fn store(&self) -> Store {
        self.redis.store().at(Timestamp::from_millis(START).unwrap())
    }

    /// Processor time of Redis's main thread so far. The wall clock of `commandstats` would count what other
    /// programs do to a busy machine.
    async fn spent(&self) -> Duration {
        let reply = self.redis.command(&["INFO", "cpu"]).await.unwrap();
        let text: String = redis::from_redis_value(reply).unwrap();
        let main = text.lines().filter(|line| line.contains("_main_thread:"));
        let seconds = main.filter_map(|line| line.split(':').nth(1)?.trim().parse::<f64>().ok());
        Duration::from_secs_f64(seconds.sum())
    }

    /// What asking costs by itself.
    async fn cost_of_asking(&self) -> Duration {
        let mut least = Duration::MAX;
        for _ in 0..20 {
            let before = self.spent().await;
            least = least.min(self.spent().await.saturating_sub(before));
        }
        least
    }

    async fn clear(&self) {
        self.redis.command(&["FLUSHALL"]).await.unwrap();
    }

    /// Jobs with a subject each, due at that many ms after the start, and their ids.
    async fn enqueue(&self, count: usize, due: i64, subject: Option<&str>) -> Vec<JobId> {
        let jobs = new_jobs(count, due, subject);
        for batch in jobs.chunks(500) {
            self.store().enqueue("bench", batch).await.unwrap();
        }
        jobs.into_iter().map(|(id, _)| id).collect()
    }

    async fn claim(&self, most: u32) -> Vec<(JobId, Token)> {
        let queues = [(QueueName::default(), most)];
        let jobs = self.store().claim("w1", LEASE, most, &queues).await.unwrap();
        assert_eq!(jobs.len(), usize::try_from(most).unwrap());
        jobs.into_iter().map(|job| (job.id, job.token)).collect()
    }

    /// Measures a call, each time on a namespace prepared anew.
    fn measure<P, T>(
        &self,
        group: &mut BenchmarkGroup<'_, WallTime>,
        name: &str,
        prepare: P,
        call: impl AsyncFn(T),
    ) where
        P: AsyncFn() -> T,
    {
        group.bench_function(name, |bencher| {
            bencher.iter_custom(|rounds| {
                self.runtime.block_on(async {
                    let (mut total, asking) = (Duration::ZERO, self.cost_of_asking().await);
                    for _ in 0..rounds {
                        self.clear().await;
                        let prepared = prepare().await;
                        let before = self.spent().await;
                        call(prepared).await;
                        total += self.spent().await.saturating_sub(before + asking);
                    }
                    total
                })
            });
        });
    }
}

fn new_jobs(count: usize, due: i64, subject: Option<&str>) -> Vec<(JobId, NewJob)> {
    (0..count)
        .map(|n| {
            let mut job = NewJob::new(Kind::new("notice").unwrap(), vec![b'x'; 200]);
            job.due = Due::At(Timestamp::from_millis(START + due).unwrap());
            job.subject = Some(Subject::new(subject.map_or_else(|| format!("s{n}"), str::to_owned)).unwrap());
            (JobId::new(format!("j{n:07}")).unwrap(), job)
        })
        .collect()
}

fn scripts(criterion: &mut Criterion) {
    let bench = Bench::new();
    let store = bench.store();
    let mut group = criterion.benchmark_group("redis time of");
    // Every round prepares hundreds of jobs: few rounds, evenly taken.
    group.sample_size(10).sampling_mode(SamplingMode::Flat);
    group.warm_up_time(Duration::from_millis(5)).measurement_time(Duration::from_millis(30));

    for count in [100, 500] {
        let jobs = new_jobs(count, 60_000, None);
        bench.measure(
            &mut group,
            &format!("enqueue {count}"),
            async || (),
            async |()| {
                store.enqueue("bench", &jobs).await.unwrap();
            },
        );
    }
    for count in [100, 200] {
        let later = bench.redis.store().at(Timestamp::from_millis(START + 60_000).unwrap());
        let prepare = async || bench.enqueue(1_000, 60_000, None).await;
        bench.measure(&mut group, &format!("forward {count}"), prepare, async |_| {
            assert_eq!(later.forward(count, 0).await.unwrap().moved, u64::from(count));
        });
    }
    for count in [10, 100, 1_000] {
        bench.measure(
            &mut group,
            &format!("claim {count}"),
            async || bench.enqueue(1_000, -1, None).await,
            async |_| {
                bench.claim(count).await;
            },
        );
    }
    let claimed = async |count| {
        bench.enqueue(500, -1, None).await;
        bench.claim(count).await
    };
    bench.measure(
        &mut group,
        "complete 100",
        async || claimed(100).await,
        async |jobs| {
            store.complete(&jobs).await.unwrap();
        },
    );
    bench.measure(
        &mut group,
        "release 100",
        async || claimed(100).await,
        async |jobs| {
            store.release("stop", &jobs).await.unwrap();
        },
    );
    bench.measure(
        &mut group,
        "fail 1",
        async || claimed(1).await,
        async |jobs| {
            store.fail(&jobs[0].0, jobs[0].1, "it failed", Some(LEASE)).await.unwrap();
        },
    );
    bench.measure(
        &mut group,
        "extend 500",
        async || claimed(500).await,
        async |jobs| {
            store.extend(LEASE, &jobs).await.unwrap();
        },
    );
    bench.measure(
        &mut group,
        "recover 100",
        async || claimed(100).await,
        async |_| {
            let later = bench.redis.store().at(Timestamp::from_millis(START + 60_000).unwrap());
            assert_eq!(later.recover(100, LEASE, 3).await.unwrap(), 100);
        },
    );
    bench.measure(
        &mut group,
        "cancel 1",
        async || bench.enqueue(500, 60_000, None).await,
        async |ids| {
            store.cancel(&ids[250], &Intent::of("ann")).await.unwrap();
        },
    );
    for count in [4, 100, 1_000] {
        let prepare = async || bench.enqueue(count, 60_000, Some("all")).await;
        bench.measure(&mut group, &format!("cancel_subject {count}"), prepare, async |_| {
            let subject = Subject::new("all").unwrap();
            store.cancel_subject(&subject, &Intent::of("ann"), 1_000).await.unwrap();
        });
    }
    let cancelled = async || {
        bench.enqueue(200, 60_000, Some("all")).await;
        store.cancel_subject(&Subject::new("all").unwrap(), &Intent::of("ann"), 1_000).await.unwrap();
    };
    for count in [100, 200] {
        bench.measure(&mut group, &format!("purge {count}"), cancelled, async |()| {
            let later = bench.redis.store().at(Timestamp::from_millis(START).unwrap() + Delay::days(400));
            assert_eq!(later.purge(count).await.unwrap(), u64::from(count));
        });
    }
    group.finish();
}

/// Reads of a queue of a million, which is made once.
fn reads(criterion: &mut Criterion) {
    let bench = Bench::new();
    let store = bench.store();
    let made = bench.runtime.block_on(async {
        bench.clear().await;
        bench.enqueue(500, 60_000, None).await;
        let key = format!("{}q:default:delayed", bench.redis.prefix());
        let fill =
            "for n = 1, 10000 do redis.call('ZADD', KEYS[1], 1800000000000 + n, 'z' .. ARGV[1] .. n) end";
        for part in 0..100 {
            bench.redis.command(&["EVAL", fill, "1", &key, &format!("{part}-")]).await.unwrap();
        }
        store.survey(None).await.unwrap().queues[0].counts.delayed
    });
    assert_eq!(made, 1_000_500);
    let mut group = criterion.benchmark_group("redis time over a million of");
    group.sample_size(10).sampling_mode(SamplingMode::Flat);
    group.warm_up_time(Duration::from_millis(5)).measurement_time(Duration::from_millis(30));
    let first = ListQuery::group(StateGroup::Delay).size(200);
    let cursor = Cursor { score: 1_800_000_005_000, id: JobId::new("z50-5000").unwrap() };
    let middle = first.clone().after(Some(cursor.clone()));
    let backwards = first.clone().direction(Direction::Descending).after(Some(cursor));
    for (name, query) in
        [("list 200 first", first), ("list 200 middle", middle), ("list 200 backwards", backwards)]
    {
        measure_read(&bench, &mut group, name, async || {
            store.list(&query).await.unwrap();
        });
    }
    measure_read(&bench, &mut group, "survey", async || {
        store.survey(None).await.unwrap();
    });
    measure_read(&bench, &mut group, "due_ahead 400", async || {
        store.due_ahead(None, Delay::minutes(1), 400).await.unwrap();
    });
    group.finish();
}

/// Reads over a thousand queues with a job each, and one with most of them.
fn wide(criterion: &mut Criterion) {
    let bench = Bench::new();
    let store = bench.store();
    let engine = bench.redis.engine().at(Timestamp::from_millis(START).unwrap());
    bench.runtime.block_on(async {
        bench.clear().await;
        bench.enqueue(2_000, 60_000, None).await;
        let mut jobs = new_jobs(999, 30_000, None);
        for (n, (id, job)) in jobs.iter_mut().enumerate() {
            *id = JobId::new(format!("w{n}")).unwrap();
            job.queue = QueueName::new(format!("q{n}")).unwrap();
        }
        for batch in jobs.chunks(500) {
            store.enqueue("bench", batch).await.unwrap();
        }
    });
    let mut group = criterion.benchmark_group("redis time over 1,000 queues of");
    group.sample_size(10).sampling_mode(SamplingMode::Flat);
    group.warm_up_time(Duration::from_millis(5)).measurement_time(Duration::from_millis(30));
    // Not what an index answers, so that a step looks at 500.
    let mut scan = FilteredQuery::new("-tag:none".parse::<Filter>().unwrap(), [StateGroup::Delay]);
    scan.size = 200;
    measure_read(&bench, &mut group, "scan 500", async || {
        engine.inspector().filtered(&scan).await.unwrap();
    });
    measure_read(&bench, &mut group, "survey", async || {
        assert_eq!(store.survey(None).await.unwrap().queues.len(), 1_000);
    });
    group.finish();
}

fn measure_read(bench: &Bench, group: &mut BenchmarkGroup<'_, WallTime>, name: &str, call: impl AsyncFn()) {
    group.bench_function(name, |bencher| {
        bencher.iter_custom(|rounds| {
            bench.runtime.block_on(async {
                let before = bench.spent().await;
                for _ in 0..rounds {
                    call().await;
                }
                bench.spent().await - before
            })
        });
    });
}

criterion_group!(all, scripts, reads, wide);
criterion_main!(all);
