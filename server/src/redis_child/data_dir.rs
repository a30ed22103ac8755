//! The data directory: private, and used by one program at a time.
//!
//! ```text
//! reprieve-data/        0700
//!   lock                held by the program; contains its process id
//!   redis.lock          held by the redis-server itself, as long as it lives
//!   redis.sock          0600; elsewhere when this path is too long for a socket
//!   redis.json          which server wrote it, and where that listens
//!   redis/              appendonlydir/…
//! ```

use super::ChildError;
use super::written::Written;
use rustix::fs::{FlockOperation, OFlags, flock};
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{Read, Seek, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// Longest path a unix socket may have, in bytes: 104 on macOS, 108 on Linux, both with a zero.
const SOCKET_BYTES_MAX: usize = 103;
/// Name of the socket.
const SOCKET: &str = "redis.sock";

/// A data directory that this process holds.
#[derive(Debug)]
pub struct DataDir {
    path: PathBuf,
    socket: PathBuf,
    /// Open as long as the directory is ours: closing it gives the lock up.
    _lock: File,
}

impl DataDir {
    /// Makes the directory if needed and takes its lock.
    ///
    /// # Errors
    /// [`ChildError::InUse`] if another program has it; [`ChildError::Directory`] if it is not
    /// usable, for instance because a symbolic link stands where a file should be.
    pub fn hold(path: &Path) -> Result<Self, ChildError> {
        make_private(path)?;
        let path = path.canonicalize().map_err(|why| refused(path, why.to_string()))?;
        let lock = take_lock(&path)?;
        make_private(&path.join("redis"))?;
        refuse_link(&path.join("redis"))?;
        let socket = place_socket(&path)?;
        refuse_link(&socket)?;
        Ok(Self { path, socket, _lock: lock })
    }

    /// Where the Redis of a directory listens that another process may hold; `None` if there is no such directory. The
    /// directory says it itself: with a long path it depends on the environment of that process.
    #[must_use]
    pub fn socket_in(path: &Path) -> Option<PathBuf> {
        let path = path.canonicalize().ok()?;
        if let Some(socket) = Written::socket_of(&path) {
            return Some(socket);
        }
        let beside = path.join(SOCKET);
        if beside.as_os_str().as_bytes().len() <= SOCKET_BYTES_MAX {
            return Some(beside);
        }
        Some(short_directory(&path).join(SOCKET))
    }

    /// The directory, absolute.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where Redis keeps its files.
    #[must_use]
    pub fn redis(&self) -> PathBuf {
        self.path.join("redis")
    }

    /// Where Redis listens.
    #[must_use]
    pub fn socket(&self) -> &Path {
        &self.socket
    }

    /// The file the server itself holds locked.
    #[must_use]
    pub fn redis_lock(&self) -> PathBuf {
        self.path.join("redis.lock")
    }

    /// The address of the embedded Redis, as the engine reads it.
    #[must_use]
    pub fn url(&self) -> String {
        socket_url(&self.socket)
    }
}

/// The address of a socket. In its path a `?`, `#` or `%` is a sign as any other.
pub(crate) fn socket_url(socket: &Path) -> String {
    let file = url::Url::from_file_path(socket).map(String::from);
    // No path that is absolute fails.
    file.ok()
        .and_then(|file| file.strip_prefix("file://").map(|path| format!("unix://{path}")))
        .unwrap_or_default()
}

/// Makes a directory only its owner can enter, and takes others' rights away from one that exists.
fn make_private(path: &Path) -> Result<(), ChildError> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
        .map_err(|why| refused(path, format!("it cannot be made: {why}")))?;
    let metadata = std::fs::metadata(path).map_err(|why| refused(path, why.to_string()))?;
    if metadata.uid() != rustix::process::geteuid().as_raw() {
        return Err(refused(path, "it belongs to another user; choose another one with --data"));
    }
    if metadata.permissions().mode() & 0o077 != 0 {
        std::fs::set_permissions(path, PermissionsExt::from_mode(0o700))
            .map_err(|why| refused(path, format!("it cannot be made private: {why}")))?;
    }
    Ok(())
}

/// A link could lead Redis, which writes there, anywhere.
fn refuse_link(path: &Path) -> Result<(), ChildError> {
    match path.symlink_metadata() {
        Ok(metadata) if metadata.is_symlink() => {
            Err(refused(path, "a symbolic link stands here; remove it, or choose another --data"))
        }
        _ => Ok(()),
    }
}

fn take_lock(directory: &Path) -> Result<File, ChildError> {
    let path = directory.join("lock");
    let mut file =
        open_lock_file(&path).map_err(|why| refused(&path, format!("it cannot be opened: {why}")))?;
    if flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
        let mut pid = String::new();
        // A reader that cannot name the pid still says that the directory is taken.
        let _ = file.read_to_string(&mut pid);
        let pid = pid.trim();
        let pid = if pid.is_empty() { "?" } else { pid };
        return Err(ChildError::InUse { path: directory.to_owned(), pid: pid.to_owned() });
    }
    write_pid(&mut file).map_err(|why| refused(&path, format!("it cannot be written: {why}")))?;
    Ok(file)
}

fn write_pid(file: &mut File) -> std::io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    writeln!(file, "{}", std::process::id())
}

/// Opens a file for locking without following a link and without emptying it.
pub(super) fn open_lock_file(path: &Path) -> std::io::Result<File> {
    let no_follow = i32::try_from(OFlags::NOFOLLOW.bits()).unwrap_or_default();
    OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .custom_flags(no_follow)
        .open(path)
}

/// In the data directory if the path fits, else in a private directory with a short name.
fn place_socket(directory: &Path) -> Result<PathBuf, ChildError> {
    let beside = directory.join(SOCKET);
    if beside.as_os_str().as_bytes().len() <= SOCKET_BYTES_MAX {
        return Ok(beside);
    }
    let short = short_directory(directory);
    refuse_link(&short)?;
    make_private(&short)?;
    let socket = short.join(SOCKET);
    if socket.as_os_str().as_bytes().len() > SOCKET_BYTES_MAX {
        return Err(refused(directory, "its path is too long for a unix socket; choose a shorter --data"));
    }
    Ok(socket)
}

fn short_directory(directory: &Path) -> PathBuf {
    let runtime = std::env::var_os("XDG_RUNTIME_DIR").map_or_else(|| PathBuf::from("/tmp"), PathBuf::from);
    let uid = rustix::process::geteuid().as_raw();
    runtime.join(format!("reprieve-{uid}-{:016x}", fnv1a(directory.as_os_str().as_bytes())))
}

/// The same directory gets the same short name in every version of the program, which the standard
/// library's hasher does not promise.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

fn refused(path: &Path, why: impl Into<String>) -> ChildError {
    ChildError::Directory { path: path.to_owned(), why: why.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        path.metadata().unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn the_directory_is_private_even_if_it_was_not() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("data");
        std::fs::create_dir(&path).unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();

        let held = DataDir::hold(&path).unwrap();

        assert_eq!((mode(&path), mode(&held.redis())), (0o700, 0o700));
        assert_eq!(mode(&path.join("lock")), 0o600);
    }

    #[test]
    fn a_second_program_is_refused_and_told_who_has_it() {
        let parent = tempfile::tempdir().unwrap();
        let held = DataDir::hold(parent.path()).unwrap();

        let error = DataDir::hold(parent.path()).unwrap_err();

        assert!(error.to_string().contains(&format!("process {};", std::process::id())), "{error}");
        drop(held);
        DataDir::hold(parent.path()).unwrap();
    }

    #[test]
    fn a_long_path_puts_the_socket_elsewhere_under_a_stable_name() {
        let parent = tempfile::tempdir().unwrap();
        let deep = parent.path().join("d".repeat(120));

        let first = DataDir::hold(&deep).unwrap().socket().to_owned();
        let second = DataDir::hold(&deep).unwrap().socket().to_owned();

        assert_eq!(first, second);
        assert_eq!(DataDir::socket_in(&deep), Some(first.clone()));
        assert!(first.as_os_str().len() <= SOCKET_BYTES_MAX);
        assert_eq!(mode(first.parent().unwrap()), 0o700);
        std::fs::remove_dir(first.parent().unwrap()).unwrap();
    }

    #[test]
    fn no_link_is_followed() {
        let parent = tempfile::tempdir().unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        for name in ["lock", "redis", "redis.sock"] {
            let data = parent.path().join(format!("data-{name}"));
            std::fs::create_dir(&data).unwrap();
            std::os::unix::fs::symlink(elsewhere.path().join("x"), data.join(name)).unwrap();

            assert!(DataDir::hold(&data).is_err(), "the link at {name} was followed");
        }
        assert_eq!(std::fs::read_dir(elsewhere.path()).unwrap().count(), 0);
    }
}
