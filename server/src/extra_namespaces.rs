//! The other namespaces of a program: an engine each, over the same connections, and the duties that keep its jobs
//! moving.

use crate::config::{Config, NamespaceConfig};
use anyhow::Context;
use reprieve::{Engine, EngineConfig, MaintenanceHandle};

/// One of them.
pub(crate) struct ExtraNamespace {
    pub(crate) engine: Engine,
    pub(crate) config: NamespaceConfig,
    maintenance: MaintenanceHandle,
}

impl ExtraNamespace {
    /// Starts all that the configuration names beside the main one.
    pub(crate) async fn start_all(
        main: &Engine,
        config: &Config,
        is_restored: bool,
    ) -> anyhow::Result<Vec<Self>> {
        let mut extra_namespaces = Vec::new();
        for namespace in &config.extra_namespaces {
            // How long its jobs are kept was set in it, as all of its rules were: those here are the main one's.
            let wanted = EngineConfig::new(String::new())
                .namespace(namespace.name.clone())
                .shards(namespace.shards.unwrap_or(1))
                .confirm_replicas(config.machines.confirm_replicas);
            let engine = main.beside(wanted).await;
            let engine = engine.with_context(|| format!("namespace {} cannot be used", namespace.name))?;
            if is_restored {
                engine.halt_as_restored().await?;
            }
            let maintenance = engine.maintenance().start();
            extra_namespaces.push(Self { engine, config: namespace.clone(), maintenance });
        }
        Ok(extra_namespaces)
    }

    /// Ends its duties and its stream of events.
    pub(crate) async fn stop(self) {
        self.maintenance.shutdown().await;
        self.engine.events().shutdown();
    }
}
