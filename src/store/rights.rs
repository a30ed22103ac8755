//! The rights a Redis user needs for a namespace, and no more.

use crate::model::Namespace;

/// Every command that scripts or readers send for keys of a namespace.
const ON_KEYS: [&str; 67] = [
    "blpop",
    "del",
    "evalsha",
    "exists",
    "expire",
    "fcall",
    "get",
    "hdel",
    "hexists",
    "hget",
    "hgetall",
    "hincrby",
    "hlen",
    "hmget",
    "hset",
    "hsetnx",
    "hstrlen",
    "hvals",
    "incr",
    "incrby",
    "lindex",
    "linsert",
    "llen",
    "lpop",
    "lpos",
    "lpush",
    "lrange",
    "lrem",
    "ltrim",
    "mget",
    "mset",
    "pexpire",
    "pttl",
    "rename",
    "rpush",
    "sadd",
    "scard",
    "set",
    "sismember",
    "smembers",
    "srem",
    "type",
    "unlink",
    "xack",
    "xadd",
    "xautoclaim",
    "xdel",
    "xgroup",
    "xinfo",
    "xlen",
    "xpending",
    "xrange",
    "xread",
    "xrevrange",
    "zadd",
    "zcard",
    "zcount",
    "zincrby",
    "zpopmin",
    "zrange",
    "zrangebyscore",
    "zrem",
    "zremrangebyrank",
    "zremrangebyscore",
    "zrevrange",
    "zrevrangebyscore",
    "zscore",
];
/// What is asked of a server, and how a connection begins. Nothing here changes what it holds.
const OF_THE_SERVER: [&str; 16] = [
    "acl|dryrun",
    "acl|whoami",
    "client|setname",
    "cluster|keyslot",
    "cluster|slots",
    "config|get",
    "exec",
    "function|list",
    "function|load",
    "hello",
    "info",
    "multi",
    "ping",
    "role",
    "script|load",
    "time",
];
/// For confirmed writes.
const TO_CONFIRM: &str = "wait";

/// The command that makes a user who may do what Reprieve does with a namespace and nothing else. `>password` in it is to
/// be replaced. An inlet or outlet needs the keys it names besides.
#[must_use]
pub fn acl_recipe(user: &str, namespace: &Namespace) -> String {
    let mut recipe = format!("ACL SETUSER {user} on >password resetchannels resetkeys -@all");
    recipe += &format!(" ~reprieve:{{{namespace}}}:* ~reprieve:{{{namespace}.*}}:*");
    for command in ON_KEYS.iter().chain(&OF_THE_SERVER).chain([&TO_CONFIRM]) {
        recipe += " +";
        recipe += command;
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
        for opening in ["redis.call(\"", "redis.pcall(\"", "soft(\""] {
            for call in scripts.split(opening).skip(1) {
                let command = call.split('"').next().unwrap().to_lowercase();
                let known = ON_KEYS.contains(&command.as_str()) || OF_THE_SERVER.contains(&command.as_str());
                assert!(known, "{command} is not in the recipe");
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
