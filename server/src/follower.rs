//! Importers of the configuration: foreign queues that are taken over as long as the program runs.

use crate::config::ImportConfig;
use anyhow::Context;
use reprieve::Engine;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// The importers that are followed.
#[derive(Debug)]
pub(crate) struct Followers {
    tasks: TaskTracker,
    stop: CancellationToken,
}

impl Followers {
    /// Starts to follow all of them. Any number of processes may.
    pub(crate) fn start(engine: &Engine, imports: &[ImportConfig]) -> anyhow::Result<Self> {
        let (tasks, stop) = (TaskTracker::new(), CancellationToken::new());
        for ImportConfig { name, source, keep } in imports {
            let import = reprieve_import::Importer::new(engine, name.clone(), source.clone());
            let import = import.with_context(|| format!("importer {name} cannot be followed"))?;
            let (keep, stop) = (*keep, stop.clone());
            tasks.spawn(async move { import.follow(keep, stop).await });
        }
        tasks.close();
        Ok(Self { tasks, stop })
    }

    /// Ends them after their present call to Redis.
    pub(crate) async fn shutdown(self) {
        self.stop.cancel();
        self.tasks.wait().await;
    }
}
