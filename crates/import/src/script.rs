//! The scripts that read and change foreign keys. They run at the source, which may be an older Redis than ours:
//! no flags, and every script declares the keys it touches.

use redis::Script;
use std::sync::LazyLock;

/// `script!(SETTLE, "settle", ["journal"])` is `lua/settle.lua` behind its libraries.
macro_rules! script {
    ($name:ident, $file:literal, [$($lib:literal),*]) => {
        pub(super) static $name: LazyLock<Script> = LazyLock::new(|| {
            Script::new(concat!(
                $(include_str!(concat!("../lua/", $lib, ".lua")), "\n",)*
                include_str!(concat!("../lua/", $file, ".lua")),
            ))
        });
    };
}

script!(COUNTS, "counts", []);
script!(EXISTS, "exists", []);
script!(RECORDS, "records", ["journal"]);
script!(SETTLE, "settle", ["journal"]);
script!(ON_ITS_WAY, "on_its_way", ["journal"]);
script!(FORGET, "forget", ["journal"]);
script!(ITEMS, "items", ["look", "journal"]);
script!(DELAYQ_LOOK, "delayq_look", ["look"]);
script!(DELAYQ_PARK, "delayq_park", ["journal"]);
script!(DELAYQ_RESTORE, "delayq_restore", ["journal"]);
script!(ASYNQ_LOOK, "asynq_look", ["look"]);
script!(ASYNQ_PARK, "asynq_park", ["journal"]);
script!(ASYNQ_RESTORE, "asynq_restore", ["journal"]);
script!(ASYNQ_STATE, "asynq_state", []);
script!(BULLMQ, "bullmq", ["look", "journal"]);
