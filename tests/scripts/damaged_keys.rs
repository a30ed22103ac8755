//! Keys of another type than they should be.

use super::bench::{Bench, told};

#[tokio::test(flavor = "multi_thread")]
async fn on_keys_of_another_type_every_call_copes_or_changes_nothing() {
    let mut bench = Bench::new().await;
    let (mut cases, mut refused, mut broken) = (0, 0, Vec::new());
    for index in 0..bench.calls.len() {
        let call = &bench.calls[index];
        let (words, mut keys) = (call.words.clone(), call.left.clone());
        keys.extend(call.found.iter().map(|(key, ..)| key.clone()));
        for key in keys {
            // Nothing of ours is a list but the wake tokens of a queue.
            let list = key.ends_with(b":wake");
            let removed: &[&[u8]] = &[b"DEL", &key];
            let spoilt: &[&[u8]] = &[if list { b"SET" } else { b"RPUSH" }, &key, b"damage"];
            let outcome = bench.repeat(index, &[removed, spoilt], &words);
            cases += 1;
            let Err(error) = outcome.reply else { continue };
            refused += 1;
            if outcome.before != outcome.after {
                let what = format!("with {:?}", String::from_utf8_lossy(&key));
                broken.push(format!("{} failed half-way: {error}", told(&bench.calls[index], &what)));
            }
        }
    }
    println!("{cases} calls, {refused} refused, {} took 10 ms or longer", bench.slow_calls());
    assert!(broken.is_empty(), "{} of {cases}:\n{}", broken.len(), broken.join("\n"));
}
