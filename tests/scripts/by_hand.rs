//! The part of the story whose functions no engine's door leads to: sent as their headers say.

use super::story::PREFIX;
use reprieve::testing::TestRedis;

const NOW: &str = "1700001750000";

/// A forwarder's signs of life, then somebody who gets in, is seen, and goes.
const CALLS: [(&str, &[&str]); 33] = [
    ("tick", &["f1", ""]),
    ("tick", &["f1", "leave"]),
    ("set_halt", &["clock_ahead", "3600000"]),
    ("clear_halt", &["1", "ann", "it was the time service"]),
    ("watch", &["", "0", "0", "0", "0", "w1", ""]),
    ("watch", &["w1.1700001750000", "9", "1700001750000", "0", "0", "w2", ""]),
    ("watch", &["w1.1700001750000", "9", "1700001750000", "1", "1", "w2", "leave"]),
    ("clear_halt", &["", "ann", ""]),
    ("set_halt", &["clock_back", "3600000"]),
    ("clear_halt", &["", "ann", ""]),
    (
        "put_person",
        &[
            "ann",
            "first",
            r#"{"role":"admin","password":"p"}"#,
            "",
            "none",
            "setup",
            "add_person",
            "",
            "",
            "",
        ],
    ),
    ("put_person", &["bob", "add", r#"{"role":"viewer"}"#, "", "none", "ann", "add_person", "", "", ""]),
    ("person", &["ann"]),
    ("guess", &["d1", "ann", "name:ann", "5", "address:1", "20"]),
    ("guess", &["d1", "ann", "name:ann", "1", "address:1", "1"]),
    ("guessed", &["unseen", "ann", "d1", "", "name:ann", "address:1"]),
    ("guessed", &["right", "ann", "", "d1", "name:ann", "address:1"]),
    ("guess", &["d1", "ann", "name:ann", "5", "address:1", "20"]),
    ("guessed", &["unseen", "ann", "d1", "", "name:ann", "address:1"]),
    ("guess", &["d1", "ann", "name:ann", "5", "address:1", "20"]),
    ("guessed", &["right", "ann", "d1", "d2", "name:ann", "address:1"]),
    ("open_session", &["ann", "1", "h1", "", "127.0.0.1", "a browser", "3600000", "", "", ""]),
    ("open_session", &["ann", "1", "h2", "h1", "127.0.0.1", "a browser", "3600000", "", "", ""]),
    ("session", &["h2"]),
    ("touch_session", &["h2", "seen_ms"]),
    ("sessions", &["ann"]),
    ("spend", &["invitations:ann", "5", "60000"]),
    ("audit_denied", &["bob", "cancel", "a1", "cancel_jobs"]),
    ("audit_act", &["bob", "export_jobs", "delay", "kind, due", "exported"]),
    (
        "put_person",
        &[
            "bob",
            "change",
            r#"{"role":"operator"}"#,
            "1",
            "all",
            "ann",
            "change_person",
            "",
            "viewer",
            "operator",
        ],
    ),
    ("end_sessions", &["ann", "", "", "ann", "lost phone"]),
    ("end_sessions", &["ann", "h", "", "ann", "lost phone"]),
    ("remove_person", &["bob", "ann", "left"]),
];

pub(crate) async fn tell(redis: &TestRedis) {
    let listed = format!("{:?}", redis.command(&["FUNCTION", "LIST"]).await.unwrap());
    let functions: Vec<&str> =
        listed.split(['\'', '"']).filter(|word| word.starts_with("reprieve_")).collect();
    for (verb, arguments) in CALLS {
        let is_it = |name: &&&str| {
            name.strip_prefix("reprieve_")
                .is_some_and(|rest| rest.split_once('_').is_some_and(|(_, it)| it == verb))
        };
        let function = functions.iter().find(is_it).unwrap();
        redis.command(&[&["FCALL", function, "1", PREFIX, NOW], arguments].concat()).await.unwrap();
    }
}
