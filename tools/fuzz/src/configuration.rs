//! The configuration: a file, then what the environment says, then the address of a Redis behind a password.

use crate::bounds::{message, parts};
use crate::config::{Config, Flags, Origin, RedisUrl};
use reprieve::fuzzing;
use std::path::PathBuf;
use std::sync::LazyLock;

/// A password that must not be shown anywhere.
const CANARY: &str = "hunter2canary";
/// What the environment may say, in the order of the lines of its part.
const VARIABLES: [&str; 9] = [
    "REPRIEVE_LISTEN",
    "REPRIEVE_NAMESPACE",
    "REPRIEVE_SHARDS",
    "REPRIEVE_CONFIRM_REPLICAS",
    "REPRIEVE_LOG_FORMAT",
    "REPRIEVE_ALLOWED_HOSTS",
    "REPRIEVE_WORK",
    "REPRIEVE_LOGIN",
    "REPRIEVE_TRUSTED_PROXIES",
];
/// How addresses of a Redis begin.
const SCHEMES: [&str; 4] = ["redis://", "rediss://", "redis+cluster://", "redis+sentinel://"];
/// Addresses of sockets, which have a password among their parameters.
const SOCKETS: [&str; 2] = ["unix:///run/redis.sock", "redis+unix:///run/redis.sock"];

/// One file for each process, written anew for each input.
static FOLDER: LazyLock<tempfile::TempDir> = LazyLock::new(|| tempfile::tempdir().expect("a folder"));

/// A configuration is good, or every mistake has a place that there is and a short line; a password is nowhere shown.
pub fn check(data: &[u8]) {
    let mut parts = parts(data).map(|part| String::from_utf8_lossy(part).into_owned());
    let mut part = || parts.next().unwrap_or_default();
    let (file, environment, rest) = (part(), part(), part());
    address(&rest);
    // What names files is for the tests: a fuzzer would open whatever the machine has.
    if file.contains("file") || file.contains("\\u") {
        return;
    }
    let path: PathBuf = FOLDER.path().join("reprieve.toml");
    std::fs::write(&path, &file).expect("a file");
    let lines: Vec<&str> = environment.lines().collect();
    let variable = |name: &str| {
        let place = VARIABLES.iter().position(|known| *known == name)?;
        lines.get(place).map(|line| (*line).to_owned())
    };
    let mut flags = Flags::default();
    flags.place.config = Some(path.to_string_lossy().into_owned());
    let Err(mistakes) = Config::load_with(&flags, &variable) else { return };
    assert!(!mistakes.all().is_empty(), "it is wrong, and nothing is wrong with it");
    let last = 1 + file.bytes().filter(|byte| *byte == b'\n').count();
    for mistake in mistakes.all() {
        message(&mistake.what);
        match &mistake.origin {
            Origin::File { line, .. } => assert!((1..=last).contains(line), "line {line} of {last}"),
            Origin::Variable(name) => assert!(VARIABLES.contains(name), "{name}"),
            Origin::Flag(name) => panic!("{name} was not given"),
        }
    }
}

/// Whatever comes behind it, the password of an address is not shown.
fn address(rest: &str) {
    // A fuzzer learns the password from what it is compared with, and would write it where it is none.
    let rest = rest.replace(CANARY, "");
    let logins = SCHEMES.map(|scheme| format!("{scheme}ann:{CANARY}@{rest}"));
    let parameters = SOCKETS.map(|socket| format!("{socket}?db=1&pass={CANARY}{rest}"));
    for url in logins.iter().chain(&parameters) {
        let shown = match RedisUrl::read(url) {
            Ok(url) => format!("{url} {url:?}"),
            Err(why) => why,
        };
        assert!(!shown.contains(CANARY), "{shown}");
        assert!(!fuzzing::redacted(url).contains(CANARY), "{}", fuzzing::redacted(url));
    }
}
