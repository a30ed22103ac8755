//! The embedded Redis: a private child on a unix socket in the data directory, without a TCP port.
//!
//! It ends with its parent, also when the parent is killed (`guard`); it is started again when it
//! dies (`keeper`); and a second program on the same directory is refused (`data_dir`).

mod data_dir;
mod find;
pub mod guard;
mod keeper;
mod memory;
mod ping;
mod server_log;
mod written;

pub use data_dir::DataDir;
pub(crate) use data_dir::socket_url;
pub use find::RedisProgram;
pub use keeper::{ChildState, RedisChild, own_program};
pub(crate) use written::forget;

use std::path::PathBuf;

/// Why the embedded Redis does not run. Each message says what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChildError {
    /// No server program on this machine.
    #[error(
        "no redis-server or valkey-server found; install one with: {install} (or point --redis at a Redis that runs elsewhere)"
    )]
    Missing {
        /// The command for this platform.
        install: &'static str,
    },
    /// A server program that is too old or no server at all.
    #[error("{} cannot be used: {why}", program.display())]
    Program {
        /// Which.
        program: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The data directory cannot be used as it is.
    #[error("data directory {}: {why}", path.display())]
    Directory {
        /// Which.
        path: PathBuf,
        /// What is wrong with it and what to do.
        why: String,
    },
    /// Another program has the data directory.
    #[error("data directory {} is in use by process {pid}; stop that one first, or choose another directory with --data", path.display())]
    InUse {
        /// Which.
        path: PathBuf,
        /// Its process id, or `?` if it left none.
        pid: String,
    },
    /// Redis refuses its own append-only file.
    #[error(
        "the append-only file in {} is damaged, so Redis does not start; nothing was changed. Copy the directory \
         first, then run: {repair} (it shows what it would cut off, and cuts from the damaged place to the end)",
        directory.display()
    )]
    Damaged {
        /// Where the file lies.
        directory: PathBuf,
        /// The exact command.
        repair: String,
    },
    /// Redis refuses the file beneath what it appends, of which nothing can be cut off.
    #[error(
        "the base file in {} is damaged, so Redis does not start; nothing was changed, and no tool mends such a file: \
         restore the directory from a backup. Redis said: {last_words}",
        directory.display()
    )]
    Broken {
        /// Where the file lies.
        directory: PathBuf,
        /// The end of its log.
        last_words: String,
    },
    /// The server does not read what another one wrote.
    #[error(
        "the data in {} was written by {writer}, and {reader} ({}) does not read it, so it does not start; that is no \
         damage, and nothing was changed. Start it with the server that wrote it: {remedy}",
        directory.display(), program.display()
    )]
    Foreign {
        /// Where the files lie.
        directory: PathBuf,
        /// Who wrote them, as far as it is known.
        writer: String,
        /// The server that was started.
        reader: String,
        /// Its program.
        program: PathBuf,
        /// How to name the right one.
        remedy: String,
    },
    /// Redis ended before it could be used.
    #[error("the embedded Redis ended at once ({status}); it said: {last_words}")]
    Ended {
        /// How it ended.
        status: String,
        /// The end of its log.
        last_words: String,
    },
    /// The operating system refused.
    #[error("{what}: {source}")]
    Io {
        /// What was tried.
        what: String,
        /// The answer.
        source: std::io::Error,
    },
}
