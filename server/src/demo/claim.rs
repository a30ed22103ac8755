//! What a demo may work on: data that nobody has, and data that a demo has made.
//!
//! Its workers do nothing and say it went well, everybody is let in, and ended jobs are kept for minutes: on jobs that
//! mean something it would do harm.

use super::{ENVIRONMENT, retention, vocabulary};
use crate::config::{ApiAuth, Config, Login, RedisConfig};
use anyhow::{Context, bail};
use reprieve::Engine;
use reprieve::model::Namespace;
use reprieve_access::{People, Tokens};

/// Makes the settings a demo's. What a configuration says of the work of a real place is left out.
///
/// # Errors
/// None that can be met: the name of the namespace is a good one.
pub(crate) fn prepare(config: &mut Config) -> anyhow::Result<()> {
    config.demo = true;
    config.retention = retention();
    // The shop itself calls the API, and there is nothing to protect in it.
    config.api_auth = ApiAuth::Off;
    config.login = Login::Off;
    config.vocabulary = vocabulary();
    config.webhooks.clear();
    config.cron.clear();
    config.rules.clear();
    config.queues.clear();
    config.sinks.clear();
    config.imports.clear();
    config.extra_namespaces.clear();
    // On a Redis that others use, too, the namespace that has no name of its own is theirs.
    if matches!(config.redis, RedisConfig::External(_)) && config.namespace == Namespace::default() {
        config.namespace = Namespace::new(ENVIRONMENT).context("the demo's namespace has no good name")?;
    }
    Ok(())
}

/// Makes a namespace on a Redis elsewhere the demo's, where nobody else has anything in it.
///
/// # Errors
/// Where there is something that no demo has made, with the next step; where Redis does not answer.
pub(crate) async fn claim(engine: &Engine) -> anyhow::Result<()> {
    let made_by_a_demo = engine.purpose().await?.as_deref() == Some(ENVIRONMENT);
    let inspector = engine.inspector();
    // Nobody needs an account for a demo, so a visitor who has one comes for something else.
    let held = if !People::new(engine).is_empty().await? {
        Some("people")
    } else if made_by_a_demo {
        None
    } else if !inspector.queues().await?.is_empty() {
        Some("queues with jobs")
    } else if !inspector.cron().await?.is_empty() {
        Some("schedules")
    } else if !Tokens::new(engine).list().await?.is_empty() {
        Some("tokens")
    } else {
        None
    };
    if let Some(held) = held {
        bail!(
            "namespace {} has {held} that no demo made, and a demo would let everybody in and end its jobs undone; \
             name another one with --namespace",
            engine.namespace()
        );
    }
    let purpose = engine.settle_purpose(ENVIRONMENT).await?;
    if purpose != ENVIRONMENT {
        bail!("namespace {} was made for {purpose}; name another one with --namespace", engine.namespace());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Flags;
    use crate::connect::connect;
    use reprieve::model::{Delay, RetentionRule};
    use reprieve::testing::TestRedis;
    use tokio_util::sync::CancellationToken;

    fn demo_on(redis: &TestRedis, named: bool) -> Config {
        let mut flags = Flags::default();
        flags.place.redis = Some(redis.url().to_owned());
        flags.place.namespace = named.then(|| redis.name().to_string());
        let mut config = Config::load_with(&flags, &|_| None).unwrap();
        prepare(&mut config).unwrap();
        config
    }

    #[tokio::test]
    async fn a_namespace_with_jobs_that_no_demo_made_is_refused_and_keeps_its_retention() {
        let redis = TestRedis::namespace().await;
        let mut kept = RetentionRule::default();
        kept.done = Some(Delay::days(9));
        redis.engine().operator("ann").set_retention(None, kept, "").await.unwrap();
        let client = redis.engine().client();
        client.enqueue_raw("mail.send".parse().unwrap(), "{}").send().await.unwrap();

        let refused = connect(&demo_on(&redis, true), &CancellationToken::new()).await;

        let why = format!("{:#}", refused.err().unwrap());
        assert!(why.contains("no demo made") && why.contains("--namespace"), "{why}");
        let stands = redis.engine().inspector().retention().await.unwrap().namespace;
        assert_eq!(stands.done, Some(Delay::days(9)));
        assert_eq!(redis.engine().purpose().await.unwrap(), None);
    }

    #[tokio::test]
    async fn a_demo_takes_an_empty_namespace_and_knows_it_again_with_what_its_shop_left() {
        let (redis, stop) = (TestRedis::namespace().await, CancellationToken::new());
        let config = demo_on(&redis, true);
        for _ in 0..2 {
            let connected = connect(&config, &stop).await.unwrap().unwrap();
            let client = connected.engine.client();
            client.enqueue_raw("mail.send".parse().unwrap(), "{}").send().await.unwrap();
        }
        assert_eq!(redis.engine().purpose().await.unwrap().as_deref(), Some(ENVIRONMENT));
    }

    #[tokio::test]
    async fn what_a_configuration_says_of_a_real_place_is_left_out_of_a_demo() {
        let (redis, folder) = (TestRedis::namespace().await, tempfile::tempdir().unwrap());
        let file = folder.path().join("reprieve.toml");
        let text = "[[cron]]\nname = \"report\"\nschedule = \"0 6 * * *\"\nkind = \"report\"\n\
             [[rule]]\nkind = \"mail.send\"\nlate = \"1h\"\n[[queue]]\nname = \"mail\"\ndone = \"2d\"\n";
        std::fs::write(&file, text).unwrap();
        let mut flags = Flags::default();
        flags.place.redis = Some(redis.url().to_owned());
        flags.place.config = Some(file.to_str().unwrap().to_owned());
        let mut config = Config::load_with(&flags, &|_| None).unwrap();
        assert!(!config.cron.is_empty() && !config.rules.is_empty() && !config.queues.is_empty());

        prepare(&mut config).unwrap();

        assert!(config.cron.is_empty() && config.rules.is_empty() && config.queues.is_empty());
        assert_eq!(config.namespace.as_str(), "demo", "where none is named");
        assert_eq!(demo_on(&redis, true).namespace, *redis.name());
    }
}
