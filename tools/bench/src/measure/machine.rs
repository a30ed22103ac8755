//! What Redis does at most on this machine, by the program that comes with it.

use crate::bed::Bed;
use crate::figures::Figures;
use crate::sizes::Sizes;
use anyhow::Result;
use tokio::process::Command;

const MEASURE: &str = "machine";
const PROGRAM: &str = "redis-benchmark";

/// One call a round trip from one client and from 50, and a hundred calls at once.
const SHAPES: [(&str, &str, &str); 3] =
    [("alone", "1", "1"), ("50_clients", "50", "1"), ("pipelined", "50", "100")];

pub(crate) async fn run(bed: &Bed, sizes: &Sizes, found: &mut Figures) -> Result<()> {
    bed.clear().await?;
    for (shape, clients, pipeline) in SHAPES {
        let count = if shape == "alone" { sizes.machine / 5 } else { sizes.machine };
        let output = Command::new(PROGRAM)
            .args(["-p", &bed.port().to_string(), "-n", &count.to_string(), "-c", clients, "-P", pipeline])
            .args(["-d", "100", "--csv", "-t", "set,lpush,zadd"])
            .output()
            .await;
        let Ok(output) = output else {
            found.remark(MEASURE, PROGRAM, "not installed: it comes with the package redis-tools");
            return Ok(());
        };
        for (test, rate) in String::from_utf8_lossy(&output.stdout).lines().filter_map(line) {
            found.add(MEASURE, PROGRAM, &format!("{test}_{shape}_per_s"), rate);
        }
    }
    Ok(())
}

/// `"SET","123456.78",…`
fn line(text: &str) -> Option<(String, f64)> {
    let mut fields = text.split(',').map(|field| field.trim_matches('"'));
    let test = fields.next()?.split(' ').next()?.to_lowercase();
    Some((test, fields.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_redis_benchmark_is_a_test_and_its_rate() {
        let text = r#""LPUSH (needed)","62500.00","0.4","0.1","0.4","0.6","0.7","1.0""#;
        assert_eq!(line(text), Some(("lpush".to_owned(), 62_500.0)));
        assert_eq!(line(r#""test","rps","avg_latency_ms""#), None);
    }
}
