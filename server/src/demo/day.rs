//! A day of the demo: what visitors did on it is thrown away with its data, and the next one begins with nothing.

use crate::config::{Config, RedisConfig};
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
    /// The directory; `None` where the data is not the demo's alone.
    data: Option<PathBuf>,
}

impl Day {
    /// Looks whether the data is a demo's, or not there yet. Called before anything is started on it.
    pub(crate) fn of(config: &Config) -> Self {
        match config.redis {
            RedisConfig::Embedded { .. } => Self::on(&config.data),
            RedisConfig::External(_) => Self { data: None },
        }
    }

    /// The same, on the data in that directory.
    fn on(data: &Path) -> Self {
        let is_ours = data.join(MARK).exists() || !data.join(REDIS).exists();
        Self { data: is_ours.then(|| data.to_owned()) }
    }

    /// Makes the data somebody's who works on it without a demo: no later demo throws it away.
    ///
    /// # Errors
    /// Where the mark of a demo cannot be removed.
    pub(crate) fn keep(data: &Path) -> std::io::Result<()> {
        match fs::remove_file(data.join(MARK)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Writes down that the data is a demo's, once there is any.
    ///
    /// # Errors
    /// Where the directory takes no file.
    pub(crate) fn begin(&self) -> std::io::Result<()> {
        self.data.as_ref().map_or(Ok(()), |data| fs::write(data.join(MARK), "thrown away every day\n"))
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
        self.data.as_ref().map_or(Ok(()), |data| fs::remove_dir_all(data.join(REDIS)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_demo_has_made_is_thrown_away() {
        let folder = tempfile::tempdir().unwrap();
        let fresh = folder.path().join("fresh");
        let day = Day::on(&fresh);
        fs::create_dir_all(fresh.join(REDIS)).unwrap();
        day.begin().unwrap();
        assert!(Day::on(&fresh).data.is_some(), "it is known again");
        Day::keep(&fresh).unwrap();
        assert!(Day::on(&fresh).data.is_none(), "somebody has worked on it since");
        Day::keep(&fresh).unwrap();
        day.forget().unwrap();
        assert!(!fresh.join(REDIS).exists());

        let of_somebody = folder.path().join("of-somebody");
        fs::create_dir_all(of_somebody.join(REDIS)).unwrap();
        let day = Day::on(&of_somebody);
        day.begin().unwrap();
        day.forget().unwrap();
        assert!(of_somebody.join(REDIS).exists(), "it is theirs");
    }
}
