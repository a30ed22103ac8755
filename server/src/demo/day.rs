//! A day of the demo: what visitors did on it is thrown away with its data, and the next one begins with nothing.

use crate::config::{Config, RedisConfig};
use crate::redis_child;
use anyhow::{Context, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Stands beside the data of a demo. What has no such file is somebody's, and is kept.
const MARK: &str = "demo";
/// Where the embedded Redis keeps its files, in the directory of the data.
const REDIS: &str = "redis";

/// The data of a demo, as far as it may be thrown away.
#[derive(Debug)]
pub(crate) struct Day {
    /// The directory; `None` where the data is on a Redis elsewhere.
    data: Option<PathBuf>,
}

impl Day {
    /// Of the data that is named there.
    pub(crate) fn of(config: &Config) -> Self {
        Self { data: is_embedded(config).then(|| config.data.clone()) }
    }

    /// Writes down that the data in that directory is a demo's. Called by who holds its lock, before anything runs on it:
    /// a demo that ends at any time from then on is known by what it leaves.
    ///
    /// # Errors
    /// Where the data is somebody's, with the next step; where the directory takes no file.
    pub(crate) fn begin(data: &Path) -> anyhow::Result<()> {
        let is_ours = data.join(MARK).exists() || is_empty(&data.join(REDIS))?;
        if !is_ours {
            bail!(
                "the data in {} is not a demo's, which would let everybody in and end its jobs undone; \
                 name another directory with --data",
                data.display()
            );
        }
        let written = fs::write(data.join(MARK), "thrown away every day\n");
        written.context("that the data is a demo's cannot be written down")
    }

    /// Makes the data somebody's who works on it without a demo: no later demo throws it away. Called once the program
    /// runs on it: one that could not start has changed nothing.
    ///
    /// # Errors
    /// Where the mark of a demo cannot be removed.
    pub(crate) fn keep(config: &Config) -> std::io::Result<()> {
        if is_embedded(config) { Self::keep_in(&config.data) } else { Ok(()) }
    }

    /// The same, of the data in that directory.
    fn keep_in(data: &Path) -> std::io::Result<()> {
        match fs::remove_file(data.join(MARK)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Ends what runs once the day is over. Never, where the data is kept.
    pub(crate) async fn ends(&self, lasts: Duration, stop: CancellationToken) -> bool {
        if self.data.is_none() || stop.run_until_cancelled(tokio::time::sleep(lasts)).await.is_none() {
            return false;
        }
        tracing::info!("the day of the demo is over; it begins anew");
        stop.cancel();
        true
    }

    /// Throws away what the day left. Called when nothing runs on it any more.
    ///
    /// # Errors
    /// Where a file cannot be removed.
    pub(crate) fn forget(&self) -> std::io::Result<()> {
        let Some(data) = &self.data else { return Ok(()) };
        fs::remove_dir_all(data.join(REDIS))?;
        // It says that jobs were kept here, which is no more.
        redis_child::forget(data)
    }
}

fn is_embedded(config: &Config) -> bool {
    matches!(config.redis, RedisConfig::Embedded { .. })
}

/// Whether there is nothing in a directory, or no such directory.
fn is_empty(directory: &Path) -> std::io::Result<bool> {
    match fs::read_dir(directory) {
        Ok(mut entries) => Ok(entries.next().is_none()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(true),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The data that a Redis has written something into.
    fn written(data: &Path) {
        fs::create_dir_all(data.join(REDIS).join("appendonlydir")).unwrap();
    }

    #[test]
    fn a_demo_works_on_nothing_but_what_a_demo_has_made() {
        let folder = tempfile::tempdir().unwrap();
        let fresh = folder.path().join("fresh");
        fs::create_dir_all(fresh.join(REDIS)).unwrap();
        Day::begin(&fresh).unwrap();
        written(&fresh);
        Day::begin(&fresh).unwrap();
        let day = Day { data: Some(fresh.clone()) };
        day.forget().unwrap();
        assert!(!fresh.join(REDIS).exists());

        written(&fresh);
        for _ in 0..2 {
            Day::keep_in(&fresh).unwrap();
        }
        let why = Day::begin(&fresh).unwrap_err().to_string();
        assert!(
            why.contains("not a demo's") && why.contains("--data"),
            "somebody has worked on it since: {why}"
        );
    }
}
