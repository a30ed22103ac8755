//! Who wrote the data of a directory: what it says itself, and what its files begin with.

use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

/// The file that says it, in the data directory.
pub(super) const NOTE: &str = "redis.json";
/// A longer one is none of ours.
const NOTE_BYTES_MAX: u64 = 16 * 1_024;
/// A manifest has one line for each of a few files.
const MANIFEST_BYTES_MAX: u64 = 64 * 1_024;
/// How the base file begins: `REDIS0010`, `VALKEY080`.
const MAGIC_BYTES: usize = 9;
/// The newest format that Redis and Valkey have in common; from 12 on Valkey reads Redis's no more.
const COMMON_FORMAT: u32 = 11;

/// What a directory says of the server that last worked on it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Written {
    /// What it called itself, for instance `Redis 7.0.15`.
    pub(super) server: String,
    /// Where its program was.
    pub(super) program: PathBuf,
    /// Where it listened.
    pub(super) socket: PathBuf,
    /// The directory this is about: a copy of it does not lead to the server of the original.
    directory: PathBuf,
    /// The data was put there by hand, and nothing stands still for it yet.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) is_restored: bool,
}

impl Written {
    /// By that server, whose program is there, in that directory.
    pub(super) fn by((server, program): (&str, &Path), directory: &Path, socket: &Path) -> Self {
        Self {
            server: server.to_owned(),
            // Not where links lead: some packages have one program behind several names, which does what it is called by.
            program: std::path::absolute(program).unwrap_or_else(|_| program.to_owned()),
            socket: socket.to_owned(),
            directory: directory.to_owned(),
            is_restored: false,
        }
    }

    /// What a directory says; `None` if it says nothing, as those of earlier versions.
    pub(super) fn read(directory: &Path) -> Option<Self> {
        serde_json::from_slice(&read_bounded(&directory.join(NOTE), NOTE_BYTES_MAX)?).ok()
    }

    /// Writes it down, whole or not at all.
    pub(super) fn keep(&self) -> std::io::Result<()> {
        let (place, beside) = (self.directory.join(NOTE), self.directory.join(format!("{NOTE}.new")));
        // What an earlier attempt left behind.
        let _ = std::fs::remove_file(&beside);
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&beside)?;
        file.write_all(&serde_json::to_vec_pretty(self)?)?;
        file.write_all(b"\n")?;
        std::fs::rename(&beside, place)
    }

    /// Where that server listened, if it is said of this very directory.
    pub(super) fn socket_of(directory: &Path) -> Option<PathBuf> {
        Self::read(directory).filter(|written| written.directory == directory).map(|written| written.socket)
    }
}

/// How the base file of an append-only directory begins, such as `REDIS0010`; `None` where there is none, or it is no
/// snapshot.
pub(super) fn magic(redis: &Path) -> Option<String> {
    let files = redis.join("appendonlydir");
    let manifest = read_bounded(&files.join("appendonly.aof.manifest"), MANIFEST_BYTES_MAX)?;
    let manifest = String::from_utf8_lossy(&manifest);
    let base = manifest.lines().find(|line| line.trim_end().ends_with(" type b"))?;
    let name = base.strip_prefix("file ")?.split(" seq ").next()?.trim_matches('"');
    // A name, not a way out of the directory.
    let file = files.join(Path::new(name).file_name()?);
    let mut begins = [0; MAGIC_BYTES];
    File::open(file).ok()?.read_exact(&mut begins).ok()?;
    let magic = std::str::from_utf8(&begins).ok()?;
    let digits = magic.trim_start_matches(|sign: char| sign.is_ascii_uppercase());
    let is_one =
        digits.len() >= 3 && digits.len() < magic.len() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_one.then(|| magic.to_owned())
}

/// Who wrote what begins so, in words; `None` if this server can have written it.
pub(super) fn foreign(magic: &str, server: &str) -> Option<String> {
    let is_valkey = server.starts_with("Valkey");
    let format = |prefix: &str| magic.strip_prefix(prefix).and_then(|digits| digits.parse::<u32>().ok());
    if let Some(format) = format("VALKEY") {
        let reads = is_valkey && major(server).is_some_and(|major| major >= 9);
        return (!reads).then(|| format!("Valkey from 9.0 on (its format {format})"));
    }
    let format = format("REDIS")?;
    if is_valkey {
        return (format > COMMON_FORMAT).then(|| format!("Redis from 7.4 on (its format {format})"));
    }
    let (major, minor) = (major(server)?, minor(server)?);
    // A Redis from 8 on is not judged: what it reads grows with its versions.
    let reads = match (major, minor) {
        (7, ..2) => 10,
        (7, 2..4) => 11,
        (7, _) => 12,
        _ => return None,
    };
    (format > reads).then(|| format!("a newer Redis or a Valkey (format {format} of snapshots)"))
}

fn major(server: &str) -> Option<u32> {
    number(server, 0)
}

fn minor(server: &str) -> Option<u32> {
    number(server, 1)
}

/// A number of a version, as in `Redis 7.0.15`.
fn number(server: &str, index: usize) -> Option<u32> {
    server.split(' ').nth(1)?.split('.').nth(index)?.parse().ok()
}

fn read_bounded(path: &Path, most: u64) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = File::open(path).ok()?.take(most + 1).read_to_end(&mut bytes).ok()?;
    (u64::try_from(read).ok()? <= most).then_some(bytes)
}

/// Has a directory say no more that a server worked on it: what it kept is thrown away.
///
/// # Errors
/// Where the file cannot be removed.
pub(crate) fn forget(directory: &Path) -> std::io::Result<()> {
    match std::fs::remove_file(directory.join(NOTE)) {
        Err(why) if why.kind() == std::io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_server_is_told_what_it_cannot_read() {
        for (magic, server, writer) in [
            ("VALKEY080", "Redis 7.0.15", Some("Valkey from 9.0")),
            ("VALKEY080", "Redis 8.2.3", Some("Valkey from 9.0")),
            ("VALKEY080", "Valkey 8.1.4", Some("Valkey from 9.0")),
            ("VALKEY080", "Valkey 9.1.2", None),
            ("REDIS0012", "Valkey 9.1.2", Some("Redis from 7.4")),
            ("REDIS0011", "Valkey 9.1.2", None),
            ("REDIS0010", "Redis 7.0.15", None),
            ("REDIS0011", "Redis 7.0.15", Some("newer Redis")),
            ("REDIS0011", "Redis 7.2.4", None),
            ("REDIS0012", "Redis 7.2.4", Some("newer Redis")),
            ("REDIS0012", "Redis 8.2.3", None),
            ("REDIS0010", "Redis 8.2.3", None),
        ] {
            let told = foreign(magic, server);
            let fits = match (&told, writer) {
                (Some(told), Some(writer)) => told.contains(writer),
                (told, writer) => told.is_none() && writer.is_none(),
            };
            assert!(fits, "{magic} {server}: {told:?}");
        }
    }

    #[test]
    fn the_beginning_of_the_base_file_is_read_and_nothing_else() {
        let redis = tempfile::tempdir().unwrap();
        let files = redis.path().join("appendonlydir");
        assert_eq!(magic(redis.path()), None);
        std::fs::create_dir(&files).unwrap();
        let manifest =
            "file appendonly.aof.2.base.rdb seq 2 type b\nfile appendonly.aof.2.incr.aof seq 2 type i\n";
        std::fs::write(files.join("appendonly.aof.manifest"), manifest).unwrap();
        assert_eq!(magic(redis.path()), None);
        for (begins, read) in [
            ("VALKEY080\u{1}", Some("VALKEY080")),
            ("REDIS0012x", Some("REDIS0012")),
            ("*2\r\n$6\r\nSELECT", None),
        ] {
            std::fs::write(files.join("appendonly.aof.2.base.rdb"), begins).unwrap();
            assert_eq!(magic(redis.path()).as_deref(), read);
        }
    }

    #[test]
    fn what_a_copied_directory_says_leads_to_no_server() {
        let (original, copy) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let program = ("Redis 7.0.15", Path::new("/nowhere/redis-server"));
        let socket = original.path().join("redis.sock");
        let written = Written::by(program, original.path(), &socket);
        written.keep().unwrap();
        written.keep().unwrap();
        std::fs::copy(original.path().join(NOTE), copy.path().join(NOTE)).unwrap();

        assert_eq!(Written::read(original.path()), Some(written.clone()));
        assert_eq!(Written::socket_of(original.path()), Some(socket));
        assert_eq!(Written::read(copy.path()), Some(written));
        assert_eq!(Written::socket_of(copy.path()), None);
        std::fs::write(copy.path().join(NOTE), "{").unwrap();
        assert_eq!(Written::read(copy.path()), None);
    }
}
