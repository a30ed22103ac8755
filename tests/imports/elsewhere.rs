//! A source on another Redis: no script reaches both sides.

use crate::imports::scene::Scene;
use reprieve::model::Kind;
use reprieve::testing::RedisServer;
use reprieve_import::{Layout, Source, ZsetSource};

fn members(connection: &mut redis::Connection) -> Vec<String> {
    redis::cmd("ZRANGE").arg("due").arg(0).arg(-1).arg("WITHSCORES").query(connection).unwrap()
}

/// 130 members, in a Redis that holds nothing else.
fn fill(connection: &mut redis::Connection) -> Vec<String> {
    redis::cmd("FLUSHALL").query::<redis::Value>(connection).unwrap();
    let mut command = redis::cmd("ZADD");
    command.arg("due");
    for n in 0..130 {
        command.arg(4_000_000_000_i64 + n).arg(format!("m{n:03}"));
    }
    command.query::<redis::Value>(connection).unwrap();
    members(connection)
}

fn source(server: &RedisServer) -> Source {
    Source::at(server.url(), Layout::Zset(ZsetSource::new("due", Kind::new("mail").unwrap())))
}

#[tokio::test]
async fn killed_anywhere_between_two_redis_every_item_is_in_one_of_them() {
    let server = RedisServer::start().unwrap();
    let mut there = redis::Client::open(server.url()).unwrap().get_connection().unwrap();
    for calls in 0..20 {
        let scene = Scene::new().await;
        let before = fill(&mut there);
        let import = scene.import(source(&server));
        let first = import.killed_after(calls).take_over(|_| ()).await;
        import.take_over(|_| ()).await.unwrap();
        assert_eq!(
            (scene.payloads().await.len(), members(&mut there).len()),
            (130, 0),
            "after {calls} calls"
        );

        drop(import.killed_after(calls).roll_back(|_| ()).await);
        import.roll_back(|_| ()).await.unwrap();
        assert_eq!((scene.payloads().await.len(), members(&mut there)), (0, before), "after {calls} calls");
        scene.assert_sound().await;
        if first.is_ok() {
            return;
        }
    }
    panic!("a run makes more calls than are tried");
}

#[tokio::test]
async fn a_source_that_was_emptied_and_filled_again_is_not_taken_for_the_old_one() {
    let server = RedisServer::start().unwrap();
    let mut there = redis::Client::open(server.url()).unwrap().get_connection().unwrap();
    let scene = Scene::new().await;
    let import = scene.import(source(&server));
    fill(&mut there);
    import.take_over(|_| ()).await.unwrap();

    // The journal is gone with everything else; its numbers must not come again.
    redis::cmd("FLUSHALL").query::<redis::Value>(&mut there).unwrap();
    redis::cmd("ZADD").arg("due").arg("4000000000").arg("new").query::<redis::Value>(&mut there).unwrap();
    let taken = import.take_over(|_| ()).await.unwrap();

    assert_eq!((taken.taken, taken.resumed, scene.payloads().await.len()), (1, 0, 131));
}

#[tokio::test]
async fn killed_anywhere_over_a_source_that_was_emptied_its_name_stays_its_own() {
    let server = RedisServer::start().unwrap();
    let mut there = redis::Client::open(server.url()).unwrap().get_connection().unwrap();
    for calls in 0..20 {
        let scene = Scene::new().await;
        let import = scene.import(source(&server));
        fill(&mut there);
        import.take_over(|_| ()).await.unwrap();
        fill(&mut there);

        let first = import.killed_after(calls).take_over(|_| ()).await;
        import.take_over(|_| ()).await.unwrap();

        assert!(members(&mut there).is_empty(), "after {calls} calls");
        if first.is_ok() {
            return;
        }
    }
    panic!("a run makes more calls than are tried");
}

#[tokio::test]
async fn a_name_is_that_of_one_redis_and_another_one_needs_a_name_of_its_own() {
    let (first, second) = (RedisServer::start().unwrap(), RedisServer::start().unwrap());
    let connect = |server: &RedisServer| redis::Client::open(server.url()).unwrap().get_connection().unwrap();
    let (mut there, mut elsewhere) = (connect(&first), connect(&second));
    let scene = Scene::new().await;
    fill(&mut there);
    let before = fill(&mut elsewhere);
    let taken = scene.import(source(&first)).take_over(|_| ()).await.unwrap();
    assert_eq!(taken.taken, 130);

    let other = scene.import(source(&second));
    let said = [
        other.standing().await.map(drop),
        other.take_over(|_| ()).await.map(drop),
        other.roll_back(|_| ()).await.map(drop),
    ];

    for said in said {
        let said = said.unwrap_err().to_string();
        assert_eq!(
            said,
            "import legacy imports from another Redis: name that one as its source (--from), or choose another name"
        );
    }
    assert_eq!((members(&mut elsewhere), scene.payloads().await.len()), (before, 130));
    // As it is: the first goes on under its name, and a name of before this was asked is that of the first to come.
    let keys = [format!("reprieve-import:{}:legacy:mark", scene.redis.name())];
    redis::cmd("DEL").arg(&keys).query::<u64>(&mut there).unwrap();
    scene.send(&[b"DEL", format!("{}import:legacy:mark", scene.redis.prefix()).as_bytes()]);
    assert_eq!(scene.import(source(&first)).roll_back(|_| ()).await.unwrap().restored, 130);
    assert_eq!(scene.import(source(&first)).take_over(|_| ()).await.unwrap().taken, 130);
    scene.import(source(&second)).take_over(|_| ()).await.unwrap_err();
    let name = reprieve_import::ImportName::new("second").unwrap();
    let named = reprieve_import::Importer::new(scene.redis.engine(), name, source(&second)).unwrap();
    named.accepting(&reprieve_import::ImportWarningCode::ALL).take_over(|_| ()).await.unwrap();
    assert!(members(&mut elsewhere).is_empty());
}

#[tokio::test]
async fn what_a_second_redis_gave_under_a_name_before_that_was_asked_has_its_way_back() {
    let (first, second) = (RedisServer::start().unwrap(), RedisServer::start().unwrap());
    let connect = |server: &RedisServer| redis::Client::open(server.url()).unwrap().get_connection().unwrap();
    let (mut there, mut elsewhere) = (connect(&first), connect(&second));
    let scene = Scene::new().await;
    let mark = format!("reprieve-import:{}:legacy:mark", scene.redis.name());
    let known = format!("{}import:legacy:mark", scene.redis.prefix());
    // Given: two of them have the same members but for three, and nobody asked when both were taken over.
    fill(&mut elsewhere);
    redis::cmd("ZADD").arg("due").arg("4000000000").arg("own").query::<u64>(&mut elsewhere).unwrap();
    redis::cmd("ZREM").arg("due").arg("m000").arg("m001").query::<u64>(&mut elsewhere).unwrap();
    scene.import(source(&second)).take_over(|_| ()).await.unwrap();
    redis::cmd("DEL").arg(&mark).query::<u64>(&mut elsewhere).unwrap();
    scene.send(&[b"DEL", known.as_bytes()]);
    fill(&mut there);
    scene.import(source(&first)).take_over(|_| ()).await.unwrap();
    assert_eq!(scene.payloads().await.len(), 131);

    let other = scene.import(source(&second));
    other.take_over(|_| ()).await.unwrap_err();
    assert_eq!(other.standing().await.unwrap().moved, 129);
    let back = other.roll_back(|_| ()).await.unwrap();

    // Jobs that are by now of items of the first stay, whatever the second calls its own.
    assert_eq!((back.restored, back.kept_count), (1, 128));
    assert_eq!(members(&mut elsewhere), ["own", "4000000000"]);
    assert_eq!(scene.payloads().await.len(), 130);
    other.finish().await.unwrap();
    assert_eq!(scene.import(source(&first)).roll_back(|_| ()).await.unwrap().restored, 130);
    scene.assert_sound().await;
}

#[tokio::test]
async fn a_source_that_is_away_is_said_to_be_and_nothing_changes() {
    let scene = Scene::new().await;
    let mut server = RedisServer::start().unwrap();
    let import = scene.import(source(&server));
    server.kill().unwrap();

    let error = import.take_over(|_| ()).await.unwrap_err();

    assert!(error.is_transient(), "{error}");
    assert!(scene.payloads().await.is_empty());
    assert!(scene.redis.engine().outage().is_none(), "our own Redis answers");
}
