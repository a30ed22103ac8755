//! Arguments that nobody should send.

use super::bench::{BEFORE_ARGUMENTS, Bench, told};

/// What arguments become, one at a time.
const MUTATIONS: [&[u8]; 12] = [
    b"",
    b"x",
    b"nan",
    b"inf",
    b"-1",
    b"0",
    b"1.5",
    b"1e400",
    b"99999999999999999999",
    b"\xff\xfe\x00",
    b"*?[{}:\n",
    b"[[[[{\"a\":",
];
/// An argument of that length is tried as well.
const LONG: usize = 100_000;
/// Arguments of one call that are mutated; those of a later job are read as those of the first.
const ARGUMENTS_MAX: usize = 30;
/// Functions that put jobs where somebody else takes them from.
const OUTWARD: [&str; 1] = ["publish"];

#[tokio::test(flavor = "multi_thread")]
async fn ten_thousand_mutated_calls_change_nothing_when_they_fail() {
    let mut bench = Bench::new().await;
    let (mut cases, mut refused, mut broken) = (0, 0, Vec::new());
    for index in 0..bench.calls.len() {
        let words = bench.calls[index].words.clone();
        let last = words.len().min(BEFORE_ARGUMENTS + ARGUMENTS_MAX);
        let mut mutants = Vec::new();
        for place in BEFORE_ARGUMENTS..last {
            let mut with = |value: &[u8]| {
                let mut mutant = words.clone();
                mutant[place] = value.to_vec();
                mutants.push((format!("argument {} is {value:?}", place - 3), mutant));
            };
            MUTATIONS.into_iter().for_each(&mut with);
            with(&vec![b'9'; LONG]);
            mutants.push((format!("only {} arguments", place - BEFORE_ARGUMENTS), words[..place].to_vec()));
        }
        let mut one_more = words.clone();
        one_more.push(b"more".to_vec());
        mutants.push(("an argument too many".to_owned(), one_more));
        for (what, mutant) in mutants {
            let outcome = bench.repeat(index, &[], &mutant);
            cases += 1;
            let case = told(&bench.calls[index], &what[..what.len().min(120)]);
            match outcome.reply {
                Err(error) => {
                    refused += 1;
                    if outcome.changed {
                        broken.push(format!("{case} failed half-way: {error}"));
                    }
                }
                Ok(_) if !OUTWARD.contains(&bench.calls[index].verb.as_str()) => {
                    let known = bench.calls[index].found.iter().map(|(key, ..)| key);
                    let known: Vec<_> = known.cloned().collect();
                    let foreign = bench.foreign_keys();
                    if foreign.iter().any(|key| !known.contains(key)) {
                        broken.push(format!("{case} wrote outside its namespace: {foreign:?}"));
                    }
                }
                Ok(_) => {}
            }
        }
    }
    println!("{cases} calls, {refused} refused, {} took 10 ms or longer", bench.slow_calls());
    assert!(cases >= 10_000, "{cases} cases");
    assert!(broken.is_empty(), "{} of {cases}:\n{}", broken.len(), broken.join("\n"));
}
