//! The outbox of `examples/python/outbox.py`, run as it is: a job with the business transaction, once.

use crate::support::{Running, directory, eventually};
use reprieve::testing::RedisServer;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Past the end of this century.
const DUE_MS: &str = "4200000000000";

struct Shop {
    database: PathBuf,
    url: String,
}

/// The root of the project.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// The Python with the packages of `examples/python/requirements.txt`.
fn python() -> Command {
    let python = std::env::var_os("REPRIEVE_PYTHON")
        .map_or_else(|| root().join("target/python/bin/python"), PathBuf::from);
    assert!(python.exists(), "no {}: `cargo xtask python` prepares it", python.display());
    Command::new(python)
}

impl Shop {
    fn run(&self, words: &[&str]) -> Output {
        python()
            .arg(root().join("examples/python/outbox.py"))
            .args(words)
            .envs([("DATABASE", self.database.to_str().unwrap()), ("REPRIEVE_URL", &self.url)])
            .env_remove("REPRIEVE_TOKEN")
            .output()
            .unwrap()
    }

    fn order(&self, id: &str, customer: &str) -> bool {
        self.run(&["order", id, customer, DUE_MS]).status.success()
    }

    /// What a statement about the shop's database yields, one line for each row.
    fn statement(&self, statement: &str) -> String {
        const RUN: &str = "import sqlite3, sys\n\
            with sqlite3.connect(sys.argv[1]) as database:\n \
            for row in database.execute(sys.argv[2]): print(*row)";
        let output = python().args(["-c", RUN]).arg(&self.database).arg(statement).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Hands on once. What it says.
    fn relay(&self) -> String {
        let output = self.run(&["relay", "--once"]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }
}

#[test]
fn a_job_is_enqueued_with_its_transaction_and_once_whatever_is_sent_again() {
    let directory = directory();
    let server = Running::start(&directory.path().join("data"), &[]);
    let database = directory.path().join("shop.db");
    let shop = Shop { database: database.clone(), url: format!("http://{}", server.address) };
    assert!(shop.order("4711", "ann"));
    assert!(shop.order("4712", "bob"));
    assert!(!shop.order("4713", ""), "an order without a customer is refused, and its job with it");

    let unsent = directory.path().join("unsent.db");
    fs::copy(&database, &unsent).unwrap();
    assert_eq!(shop.relay(), "handed on: 2\n");
    assert_eq!(shop.relay(), "", "nothing waits");

    let job = server.get("/api/v1/jobs/remind-4711").1;
    assert!(job.contains("\"state\":\"delayed\"") && job.contains(DUE_MS), "{job}");
    assert!(job.contains("order:4711"), "{job}");
    let missing = server.get("/api/v1/jobs/remind-4713").1;
    assert!(missing.contains("not_found"), "{missing}");

    // As if the relay had been killed before it could cross off what it had sent.
    fs::copy(&unsent, &database).unwrap();
    assert_eq!(shop.relay(), "handed on: 2\n");
    let again = server.get("/api/v1/jobs/remind-4711").1;
    assert!(again.contains("\"version\":1"), "{again}");
    let all = server.get("/api/v1/jobs?state=delayed").1;
    assert_eq!(all.matches("\"kind\":\"remind\"").count(), 2, "{all}");
}

#[test]
fn without_a_server_nothing_is_lost_and_it_says_what_it_waits_for() {
    let directory = directory();
    // Nobody listens at port 9 here.
    let mut shop = Shop { database: directory.path().join("shop.db"), url: "http://127.0.0.1:9".to_owned() };
    assert!(shop.order("4711", "ann"));
    let output = shop.run(&["relay", "--once"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("http://127.0.0.1:9 does not answer"), "{said}");

    let server = Running::start(&directory.path().join("data"), &[]);
    shop.url = format!("http://{}", server.address);
    assert_eq!(shop.relay(), "handed on: 1\n");
}

#[test]
fn while_the_server_has_no_redis_jobs_wait_here_and_are_handed_on_afterwards() {
    let directory = directory();
    let options = ["--save", "", "--appendonly", "yes", "--appendfsync", "always"];
    let mut redis = RedisServer::start_with(&options).unwrap();
    let server = Running::start(&directory.path().join("data"), &["--redis", redis.url()]);
    let url = format!("http://{}", server.address);
    let shop = Shop { database: directory.path().join("shop.db"), url };
    assert!(shop.order("4711", "ann"));
    redis.kill().unwrap();
    eventually("the server says so", || (server.get("/readyz").0 == 503).then_some(()));

    let output = shop.run(&["relay", "--once"]);

    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && said.contains("cannot take them now (HTTP Error 503"), "{said}");
    redis.restart().unwrap();
    eventually("the server is ready", || (server.get("/readyz").0 == 200).then_some(()));
    assert_eq!(shop.relay(), "handed on: 1\n");
}

#[test]
fn a_row_that_can_never_be_taken_in_is_left_out_with_its_reason_and_the_others_go() {
    let directory = directory();
    let server = Running::start(&directory.path().join("data"), &[]);
    let url = format!("http://{}", server.address);
    let shop = Shop { database: directory.path().join("shop.db"), url };
    for id in ["a b", "4711", "4712"] {
        assert!(shop.order(id, "ann"));
    }
    shop.statement(
        "UPDATE outbox SET payload = '\"' || hex(zeroblob(150000)) || '\"' WHERE id = 'remind-4711'",
    );

    let output = shop.run(&["relay", "--once"]);

    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "handed on: 1\n", "{said}");
    assert!(said.contains("'remind-a b' is refused and left out: "), "{said}");
    assert!(said.contains("'remind-4711' is refused and left out: the payload has 300002 bytes"), "{said}");
    let left = shop.statement("SELECT id, refused IS NOT NULL FROM outbox ORDER BY place");
    assert_eq!(left, "remind-a b 1\nremind-4711 1\n");
    assert_eq!(server.get("/api/v1/jobs/remind-4712").0, 200);
    assert!(shop.order("4713", "bob"));
    assert_eq!(shop.relay(), "handed on: 1\n", "what is left out keeps nothing waiting");
}

#[test]
fn rows_of_more_bytes_than_one_request_may_have_go_in_several() {
    let directory = directory();
    let server = Running::start(&directory.path().join("data"), &[]);
    let url = format!("http://{}", server.address);
    let shop = Shop { database: directory.path().join("shop.db"), url };
    assert!(shop.order("4711", "ann"));
    // 40 payloads of 250,000 bytes.
    shop.statement(
        "INSERT INTO outbox (id, kind, subject, due_ms, payload) \
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40) \
         SELECT 'large-' || i, 'remind', NULL, 4200000000000, '\"' || hex(zeroblob(125000)) || '\"' FROM n",
    );

    assert_eq!(shop.relay(), "handed on: 41\n");

    assert_eq!(shop.statement("SELECT count(*) FROM outbox"), "0\n");
    assert_eq!(server.get("/api/v1/jobs/large-40").0, 200);
}
