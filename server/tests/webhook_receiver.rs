//! The receiver of `examples/python/webhook_receiver.py`, run as it is.

use crate::support::{Running, TIMEOUT, directory, eventually, follow, post_json};
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::Receiver;

const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

struct Shop {
    child: Child,
    lines: Receiver<String>,
}

impl Shop {
    /// Starts it in a folder with its secret. It, and where it receives.
    fn start(folder: &Path) -> (Self, String) {
        fs::write(folder.join("shop.secret"), SECRET).unwrap();
        let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/python/webhook_receiver.py");
        let mut command = Command::new("python3");
        command.arg(example).arg("0").current_dir(folder).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let lines = follow(child.stdout.take().unwrap());
        let line = lines.recv_timeout(TIMEOUT).unwrap();
        let url = line.strip_prefix("receiving at ").unwrap().to_owned();
        (Self { child, lines }, url)
    }
}

impl Drop for Shop {
    fn drop(&mut self) {
        // It may have ended by itself.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

#[test]
fn the_receiver_takes_what_is_signed_and_refuses_what_is_not() {
    let folder = directory();
    let (shop, url) = Shop::start(folder.path());
    let target = format!("url = \"{url}/\"\nallow_private = true\n");
    let settings = format!(
        "[[webhook]]\nkind = \"signed\"\nsecret_file = \"shop.secret\"\n{target}\
         [[webhook]]\nkind = \"unsigned\"\n{target}"
    );
    fs::write(folder.path().join("reprieve.toml"), settings).unwrap();
    let server = Running::start(&folder.path().join("data"), &[]);
    let enqueue = |kind: &str| {
        let body =
            format!(r#"{{"id":"{kind}","kind":"{kind}","payload":{{"order":4711}},"max_attempts":1}}"#);
        post_json(server.address, "/api/v1/jobs", &body);
    };

    enqueue("unsigned");
    enqueue("signed");

    assert_eq!(shop.lines.recv_timeout(TIMEOUT).unwrap(), "due: signed {'order': 4711}");
    let ended = |id: &str, state: &str| {
        eventually(&format!("{id} is {state}"), || {
            let job = server.get(&format!("/api/v1/jobs/{id}")).1;
            job.contains(&format!("\"state\":\"{state}\"")).then_some(job)
        })
    };
    let job = ended("unsigned", "dead");
    assert!(job.contains("401"), "{job}");
    ended("signed", "done");
    assert!(shop.lines.try_recv().is_err(), "what is not signed is not taken");
}
