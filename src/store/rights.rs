//! The rights a Redis user needs for a namespace, and no more.

use crate::model::Namespace;

/// Every command that scripts or readers send for keys of a namespace, each with arguments it can be tried with: `ACL
/// DRYRUN` runs none of them. `@` stands for a key of the namespace.
const ON_KEYS: [&str; 71] = [
    "blpop @ 1",
    "del @",
    "evalsha 0000000000000000000000000000000000000000 1 @",
    "exists @",
    "expire @ 1",
    "fcall f 1 @",
    "get @",
    "hdel @ f",
    "hexists @ f",
    "hget @ f",
    "hgetall @",
    "hincrby @ f 1",
    "hlen @",
    "hmget @ f",
    "hscan @ 0",
    "hset @ f v",
    "hsetnx @ f v",
    "hstrlen @ f",
    "hvals @",
    "incr @",
    "incrby @ 1",
    "lindex @ 0",
    "linsert @ before p v",
    "llen @",
    "lpop @",
    "lpos @ v",
    "lpush @ v",
    "lrange @ 0 1",
    "lrem @ 0 v",
    "ltrim @ 0 1",
    "mget @",
    "mset @ v",
    "pexpire @ 1",
    "pttl @",
    "rename @ @",
    "rpush @ v",
    "sadd @ m",
    "scard @",
    "set @ v",
    "sismember @ m",
    "smembers @",
    "srem @ m",
    "type @",
    "unlink @",
    "xack @ g 1-1",
    "xadd @ * f v",
    "xautoclaim @ g c 0 0",
    "xdel @ 1-1",
    "xgroup create @ g $",
    "xinfo stream @",
    "xlen @",
    "xpending @ g",
    "xrange @ - +",
    "xread streams @ 0",
    "xrevrange @ + -",
    "zadd @ 1 m",
    "zcard @",
    "zcount @ 0 1",
    "zincrby @ 1 m",
    "zlexcount @ - +",
    "zpopmin @",
    "zrange @ 0 1",
    "zrangebyscore @ 0 1",
    "zrank @ m",
    "zrem @ m",
    "zremrangebyrank @ 0 1",
    "zremrangebyscore @ 0 1",
    "zrevrange @ 0 1",
    "zrevrangebyscore @ 1 0",
    "zscan @ 0",
    "zscore @ m",
];
/// What is asked of a server, and how a connection begins. Nothing here changes what it holds.
const OF_THE_SERVER: [&str; 18] = [
    "acl|dryrun default ping",
    "acl|whoami",
    "client|setname n",
    "cluster|keyslot k",
    "cluster|slots",
    "config|get appendfsync",
    "exec",
    "function|list",
    "function|load f",
    "hello",
    "info",
    "multi",
    "ping",
    "role",
    "scan 0",
    "script|load s",
    "select 0",
    "time",
];
/// For confirmed writes.
const TO_CONFIRM: &str = "wait 0 0";

/// Everything a process needs, each as it is tried.
pub(super) fn needed() -> impl Iterator<Item = &'static str> {
    ON_KEYS.into_iter().chain(OF_THE_SERVER).chain([TO_CONFIRM])
}

/// What the recipe calls the right to a command that is tried so.
pub(super) fn named(tried: &str) -> String {
    format!("+{}", tried.split(' ').next().unwrap_or_default())
}

/// What the recipe calls the right to the keys of a namespace: those of one shard and those of several.
pub(super) fn keys_of(namespace: &str) -> [String; 2] {
    [format!("~reprieve:{{{namespace}}}:*"), format!("~reprieve:{{{namespace}.*}}:*")]
}

/// The rights to the keys of one more namespace, in the words of `ACL SETUSER`: behind [`acl_recipe`] for a user of several.
#[must_use]
pub fn acl_keys(namespace: &Namespace) -> [String; 2] {
    keys_of(namespace.as_str())
}

/// The command that makes a user who may do what Reprieve does with a namespace and nothing else. `>password` in it is to
/// be replaced. An importer or sink needs the keys it names besides.
#[must_use]
pub fn acl_recipe(user: &str, namespace: &Namespace) -> String {
    let mut recipe = format!("ACL SETUSER {user} on >password resetchannels resetkeys -@all");
    for right in keys_of(namespace.as_str()).into_iter().chain(needed().map(named)) {
        recipe += " ";
        recipe += &right;
    }
    recipe
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    /// The texts of all files with that ending below a folder.
    fn texts(folder: &Path, ending: &str, found: &mut String) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                texts(&path, ending, found);
            } else if path.extension().is_some_and(|extension| extension == ending) {
                found.push_str(&std::fs::read_to_string(path).unwrap());
            }
        }
    }

    #[test]
    fn every_command_of_the_scripts_is_allowed() {
        let mut scripts = String::new();
        texts(Path::new("lua"), "lua", &mut scripts);
        for opening in ["redis.call(\"", "redis.pcall(\"", "soft(\"", "sink.try(\""] {
            for call in scripts.split(opening).skip(1) {
                let command = call.split('"').next().unwrap().to_lowercase();
                let known = format!("+{command}");
                // Only a sink to asynq does, whose rights stand in docs/how-to/sinks.md.
                assert!(
                    command == "publish" || needed().any(|tried| named(tried) == known),
                    "{command} is not in the recipe"
                );
            }
        }
    }

    #[test]
    fn the_recipe_names_the_keys_of_the_namespace_and_no_others() {
        let recipe = acl_recipe("reprieve", &Namespace::new("shop").unwrap());
        assert!(recipe.contains(" ~reprieve:{shop}:* ~reprieve:{shop.*}:* "), "{recipe}");
        assert!(!recipe.contains("~*") && !recipe.contains("+@") && !recipe.contains("allkeys"));
    }
}
