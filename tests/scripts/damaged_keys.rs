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
            let outcome = bench.repeat_spoilt(index, &key, &words);
            cases += 1;
            let Err(error) = outcome.reply else { continue };
            refused += 1;
            if outcome.changed {
                let what = format!("with {:?}", String::from_utf8_lossy(&key));
                broken.push(format!("{} failed half-way: {error}", told(&bench.calls[index], &what)));
            }
        }
    }
    println!("{cases} calls, {refused} refused, {} took 10 ms or longer", bench.slow_calls());
    assert!(broken.is_empty(), "{} of {cases}:\n{}", broken.len(), broken.join("\n"));
}
