//! What the program does not start on, and does not wait for.

use crate::support::{directory, run};
use reprieve::testing::RedisServer;
use std::fs;

#[tokio::test]
async fn a_redis_that_refuses_the_password_is_not_waited_for() {
    let directory = directory();
    let redis = RedisServer::start().unwrap();
    let client = redis::Client::open(redis.url()).unwrap();
    let mut connection = client.get_multiplexed_async_connection().await.unwrap();
    let set =
        redis::cmd("CONFIG").arg(&["SET", "requirepass", "correct-horse"]).exec_async(&mut connection).await;
    set.unwrap();
    for user in ["", "?pass=canary", "?user=nobody&pass=canary"] {
        let url = format!("{}{user}", redis.url());
        fs::write(directory.path().join("address"), url).unwrap();
        fs::write(directory.path().join("reprieve.toml"), "redis_file = \"address\"").unwrap();
        let (status, said) = run(&["serve", "--login", "off", "--listen", "127.0.0.1:0"], directory.path());

        assert_eq!(status.code(), Some(1), "{said}");
        assert!(said.contains("refused the user or password; check the URL"), "{said}");
        assert!(!said.contains("canary"), "no password is told: {said}");
    }
}
