//! A Cluster of three masters and three replicas, a namespace of sixteen shards.

use crate::machines::cluster_nodes::Cluster;
use crate::machines::load::Load;
use reprieve::model::{JobState, ListQuery, StateGroup, Subject};
use reprieve::{Engine, EngineConfig};
use std::collections::BTreeSet;
use std::time::Instant;

const SHARDS: u16 = 16;

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_namespace_lives_on_a_cluster_while_a_master_dies_and_a_slot_moves() {
    let mut cluster = tokio::task::spawn_blocking(Cluster::start).await.unwrap();
    let began = Instant::now();
    let engine = Engine::connect(EngineConfig::new(cluster.url()).shards(SHARDS)).await.unwrap();
    let slots: Vec<u16> =
        (0..SHARDS).map(|shard| cluster.slot(&format!("reprieve:{{default.{shard}}}:meta"))).collect();
    let owners: BTreeSet<usize> = slots.iter().map(|&slot| Cluster::first_owner(slot)).collect();
    assert_eq!(owners.len(), 3, "the shards are spread over all masters");
    let maintenance = engine.maintenance().start();
    let load = Load::start(&engine).await;
    load.acknowledges(300).await;
    println!("300 jobs after {:?}", began.elapsed());

    // A master dies; its replica takes over.
    let dying = Cluster::first_owner(slots[0]);
    let killed = Instant::now();
    let mut cluster = tokio::task::spawn_blocking(move || {
        cluster.kill_master(dying);
        cluster
    })
    .await
    .unwrap();
    println!("the replica took over {:?} after the kill", killed.elapsed());
    load.acknowledges(300).await;
    println!("300 jobs more {:?} after the kill", killed.elapsed());

    // A slot moves from one living master to another while everything goes on.
    let (shard, slot) = (0..).zip(&slots).find(|(_, slot)| Cluster::first_owner(**slot) != dying).unwrap();
    let (from, slot) = (Cluster::first_owner(*slot), *slot);
    let to = (0..3).find(|&node| node != from && node != dying).unwrap();
    cluster = tokio::task::spawn_blocking(move || {
        cluster.move_slot(slot, from, to);
        cluster
    })
    .await
    .unwrap();
    println!("the slot of shard {shard} moved after {:?}", began.elapsed());
    load.acknowledges(300).await;

    let errors = load.ledger.errors();
    assert!(!errors.iter().any(|error| error.contains("CROSSSLOT")), "{errors:?}");
    load.settle(&engine, killed).await;
    maintenance.shutdown().await;
    reads_span_all_shards(&engine).await;
    println!("all in {:?}", began.elapsed());
    drop(cluster);
}

async fn reads_span_all_shards(engine: &Engine) {
    let inspector = engine.inspector();
    let counts = inspector.counts(None).await.unwrap();
    assert!(counts.of(JobState::Done) > 500 && counts.of(JobState::Cancelled) > 50, "{counts:?}");
    let (mut seen, mut after) = (BTreeSet::new(), None);
    loop {
        let query = ListQuery::group(StateGroup::Cancelled).size(50).after(after);
        let page = inspector.list(&query).await.unwrap();
        seen.extend(page.rows.iter().map(|row| row.id.to_string()));
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    assert_eq!(
        seen.len(),
        usize::try_from(counts.cancelled).unwrap(),
        "pages over all shards show each job once"
    );
    let subject = Subject::new("resource:0-0").unwrap();
    assert_eq!(inspector.subject(&subject).await.unwrap().jobs.len(), 1);
    assert!(inspector.overview().await.unwrap().redis.durability.to_string().starts_with("memory"));
}
