//! Whether the time of a refusal tells which names there are. Asserts nothing: it prints figures.
//!
//! `cargo bench -p reprieve-bench --bench sign_in -- 500` signs in wrongly with a name that there is and one that there is not, in turn, so
//! many times each, and compares the two with the test of Kolmogorov and Smirnov: below 0.01 they differ.

#![expect(clippy::cast_precision_loss, reason = "counts of hundreds")]

use reprieve::model::PersonName;
use reprieve::testing::TestRedis;
use reprieve_access::{People, Proof, SignIn, Visitor};
use std::time::Instant;

/// Unless the command line says otherwise.
const SAMPLES: usize = 500;
const PASSWORD: &str = "correct horse battery";
/// Terms of the series; the later ones are smaller than any figure that is printed.
const TERMS: i32 = 100;

#[tokio::main]
async fn main() {
    let samples = std::env::args().filter_map(|word| word.parse().ok()).next().unwrap_or(SAMPLES);
    let redis = TestRedis::namespace().await;
    let people = People::new(redis.engine());
    let ann: PersonName = "ann".parse().expect("a name");
    people.found(&ann, PASSWORD).await.expect("the first admin");
    let mut took: [Vec<f64>; 2] = Default::default();
    for round in 0..2 * samples {
        // In turn, and every other time the other one first.
        let which = (round + round / 2) % 2;
        let name = ["ann", "bob"][which];
        for (key, _) in redis.snapshot().await.iter().filter(|(key, _)| key.starts_with("guesses:")) {
            redis.command(&["DEL", &format!("{}{key}", redis.prefix())]).await.expect("redis answers");
        }
        let proof = Proof { name, password: "no horse and no battery", code: "" };
        let begun = Instant::now();
        let answer = people.sign_in(&proof, &Visitor::default()).await.expect("redis answers");
        took[which].push(begun.elapsed().as_secs_f64() * 1_000.0);
        assert_eq!(answer, SignIn::Wrong);
    }
    took.iter_mut().for_each(|times| times.sort_by(f64::total_cmp));
    let [known, unknown] = &took;
    let (one, other) = (median(known), median(unknown));
    println!("{samples} refusals each: known {one:.3} ms, unknown {other:.3} ms, {:+.3} ms", other - one);
    println!("p of Kolmogorov and Smirnov: {:.3}", same(known, unknown));
}

fn median(sorted: &[f64]) -> f64 {
    sorted[sorted.len() / 2]
}

/// How likely two samples differ as much when they are of one kind: the asymptotic distribution, good from some fifty on.
fn same(one: &[f64], other: &[f64]) -> f64 {
    let share =
        |sorted: &[f64], at: f64| sorted.partition_point(|time| *time <= at) as f64 / sorted.len() as f64;
    let gap = |at: &f64| (share(one, *at) - share(other, *at)).abs();
    let widest = one.iter().chain(other).map(gap).fold(0.0, f64::max);
    let size = (one.len() * other.len()) as f64 / (one.len() + other.len()) as f64;
    let reach = widest * (size.sqrt() + 0.12 + 0.11 / size.sqrt());
    let term =
        |k: i32| (if k % 2 == 1 { 2.0 } else { -2.0 }) * (-2.0 * f64::from(k * k) * reach * reach).exp();
    (1..=TERMS).map(term).sum::<f64>().clamp(0.0, 1.0)
}
