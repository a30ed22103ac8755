//! A Redis without room: what makes room or calls off is done, the rest is refused as a whole.

use super::bench::{Bench, told};
use redis::Value;
use std::collections::BTreeMap;

/// The functions with their flags, as Redis tells them.
fn flags(bench: &mut Bench) -> BTreeMap<String, Vec<String>> {
    let told = bench.send(&[b"FUNCTION", b"LIST"]).unwrap();
    let libraries: Vec<BTreeMap<String, Value>> = redis::from_redis_value(told).unwrap();
    let mut all = BTreeMap::new();
    for mut library in libraries {
        let functions: Vec<BTreeMap<String, Value>> =
            redis::from_redis_value(library.remove("functions").unwrap()).unwrap();
        for mut function in functions {
            let mut take = |field| function.remove(field).unwrap();
            let name: String = redis::from_redis_value(take("name")).unwrap();
            all.insert(name, redis::from_redis_value(take("flags")).unwrap());
        }
    }
    all
}

#[tokio::test(flavor = "multi_thread")]
async fn on_a_full_redis_every_call_is_done_as_ever_or_refused_as_a_whole() {
    let mut bench = Bench::new().await;
    let flags = flags(&mut bench);
    let (mut done, mut refused) = (0, 0);
    for index in 0..bench.calls.len() {
        let words = bench.calls[index].words.clone();
        let flags = &flags[std::str::from_utf8(&words[1]).unwrap()];
        let ever = bench.repeat(index, &[], &words);
        let full: &[&[u8]] = &[b"CONFIG", b"SET", b"maxmemory", b"1"];
        let outcome = bench.repeat(index, &[full], &words);
        bench.send(&[b"CONFIG", b"SET", b"maxmemory", b"0"]).unwrap();
        let case = told(&bench.calls[index], "on a full Redis");
        if flags.is_empty() {
            let error = outcome.reply.expect_err(&case);
            assert_eq!(error.code(), Some("OOM"), "{case}");
            assert!(!outcome.changed, "{case}");
            refused += 1;
        } else {
            assert_eq!(outcome.reply.is_ok(), ever.reply.is_ok(), "{case}: {:?}", outcome.reply);
            done += 1;
        }
    }
    println!("{done} calls done, {refused} refused");
    assert!(done > 50 && refused > 30, "{done} done, {refused} refused");
}
