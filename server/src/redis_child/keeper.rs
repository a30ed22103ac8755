//! Starting the server, starting it again when it dies, and ending it.

use super::data_dir::open_lock_file;
use super::ping::{Answer, ping, shutdown};
use super::server_log::ServerLog;
use super::written::{NOTE, Written, foreign, magic};
use super::{ChildError, DataDir, RedisProgram};
use rustix::fs::{FlockOperation, flock};
use rustix::process::{Pid, Signal, kill_process};
use std::collections::VecDeque;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::sync::{oneshot, watch};

/// How often the keeper looks after its child. It alone signals and reaps, so that a process id is
/// never used after it was given to somebody else; that is worth twenty cheap looks a second.
const LOOK: Duration = Duration::from_millis(50);
/// How long a server may take to end before it is killed. Everything acknowledged is on disk.
const STOP_MAX: Duration = Duration::from_secs(5);
/// How long a server left over from an earlier run may take to end.
const ORPHAN_MAX: Duration = Duration::from_secs(10);
/// More deaths than this within [`DEATHS_WINDOW`] and a restart will not help.
const DEATHS_MAX: usize = 5;
/// The window in which deaths are counted.
const DEATHS_WINDOW: Duration = Duration::from_secs(60);
/// Pause before the first restart; it doubles with each death in the window.
const RESTART_MIN: Duration = Duration::from_millis(100);
/// How a server says that it does not read its append-only files, and that they end in what is no command.
const UNREAD: [&str; 6] = [
    "Bad file format reading the append only file",
    "Error reading the RDB base file",
    "Can't handle RDB format version",
    "Wrong signature trying to load DB",
    "Unknown command",
    "AOF loading aborted",
];
const DAMAGED: [&str; 3] =
    ["Bad file format reading the append only file", "redis-check-aof", "valkey-check-aof"];
/// The same of the base file beneath them, in the form of snapshots.
const BROKEN: [&str; 3] =
    ["Error reading the RDB base file", "Internal error in RDB reading", "Short read or OOM loading DB"];
/// Warnings that are told of a server that ended: the first says what it met, the last what it did about it.
const LAST_WARNINGS: usize = 3;
/// A server that reads a large file at start says so this often.
const PROGRESS: Duration = Duration::from_secs(5);

/// How the embedded Redis is doing.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ChildState {
    /// It runs but does not take commands yet.
    Starting {
        /// Its process id.
        pid: u32,
    },
    /// It takes commands.
    Up {
        /// Its process id.
        pid: u32,
    },
    /// It died and will be started again.
    Down {
        /// How it ended.
        why: String,
    },
    /// It died too often, and is left alone until the program is started again.
    GivenUp {
        /// What to look at.
        why: String,
    },
    /// It was ended on purpose.
    Stopped,
}

/// A running embedded Redis. Ends it when dropped; [`stop`](Self::stop) waits for the end.
#[derive(Debug)]
pub struct RedisChild {
    data: Arc<DataDir>,
    is_restored: bool,
    state: watch::Receiver<ChildState>,
    stop: Option<Sender<()>>,
    keeper: Option<JoinHandle<()>>,
}

impl RedisChild {
    /// Starts the server and waits until it takes commands.
    ///
    /// `guard` is the program with the `redis-guard` command, normally this one
    /// ([`own_program`]). Without it, as in somebody else's binary, the server is started
    /// directly: then a kill of this process leaves it running until the next start, which finds
    /// it by its socket and shuts it down.
    ///
    /// # Errors
    /// [`ChildError`], each with the next step.
    pub async fn start(
        data: DataDir,
        program: RedisProgram,
        guard: Option<PathBuf>,
    ) -> Result<Self, ChildError> {
        refuse_to_start_empty(&data)?;
        let is_restored = announce(&data, &program);
        let data = Arc::new(data);
        let (stop, stopped) = channel();
        let (first, started) = oneshot::channel();
        let (states, state) = watch::channel(ChildState::Starting { pid: 0 });
        let keeper = Keeper { data: data.clone(), is_restored, program, guard, states, stopped };
        let keeper = std::thread::Builder::new()
            .name("redis-keeper".to_owned())
            .spawn(move || keeper.run(first))
            .map_err(|source| ChildError::Io {
                what: "no thread for the embedded Redis".to_owned(),
                source,
            })?;
        let child = Self { data, is_restored, state, stop: Some(stop), keeper: Some(keeper) };
        match started.await {
            Ok(Ok(())) => Ok(child),
            Ok(Err(why)) => Err(why),
            Err(_) => {
                Err(ChildError::Ended { status: "its keeper is gone".to_owned(), last_words: String::new() })
            }
        }
    }

    /// Its address, as the engine reads it.
    #[must_use]
    pub fn url(&self) -> String {
        self.data.url()
    }

    /// Whether the data was put into its directory by hand, out of a backup, and nothing was halted for it yet.
    #[must_use]
    pub const fn is_restored(&self) -> bool {
        self.is_restored
    }

    /// Says that all of it stands still now: until then a program that starts in its place has to see to that.
    pub(crate) fn was_halted(&self) {
        let Some(mut written) = Written::read(self.data.path()) else { return };
        written.is_restored = false;
        if let Err(why) = written.keep() {
            tracing::warn!(
                "that jobs wait for a person cannot be written down, so they will after the next start too: {why}"
            );
        }
    }

    /// How it is doing, and every change of that.
    #[must_use]
    pub fn state(&self) -> watch::Receiver<ChildState> {
        self.state.clone()
    }

    /// Ends the server and waits for it, five seconds at most.
    pub async fn stop(mut self) {
        self.stop = None;
        let Some(keeper) = self.keeper.take() else { return };
        // A keeper that panicked has nothing left to end.
        let _ = tokio::task::spawn_blocking(move || keeper.join()).await;
    }
}

/// Refuses a directory whose jobs the server would not read: it would begin with nothing, beside them.
fn refuse_to_start_empty(data: &DataDir) -> Result<(), ChildError> {
    let (snapshot, appended) = (data.redis().join("dump.rdb"), data.redis().join("appendonlydir"));
    let refuse = |why: String| Err(ChildError::Directory { path: data.path().to_owned(), why });
    if !appended.exists() {
        if snapshot.exists() {
            return refuse(format!(
                "{} is a snapshot, which an append-only Redis does not read, and {} is not there: it would start empty. \
                 Restore the snapshot as docs/how-to/backup.md says, or move it away",
                snapshot.display(),
                appended.display()
            ));
        }
        if let Some(written) = Written::read(data.path()) {
            return refuse(format!(
                "{} kept jobs here, and {} is gone: it would start empty. Put the folder back, from a backup if need be; \
                 to begin with nothing, remove {}",
                written.server,
                appended.display(),
                data.path().join(NOTE).display()
            ));
        }
        return Ok(());
    }
    let is_named = |ending: &str| {
        let names = std::fs::read_dir(&appended).into_iter().flatten().flatten();
        names.filter_map(|entry| entry.file_name().into_string().ok()).any(|name| name.contains(ending))
    };
    if !is_named(".manifest") && (is_named(".base.") || is_named(".incr.")) {
        return refuse(format!(
            "{} holds data and no manifest, without which no Redis reads it: it would start empty. Put the file \
             appendonly.aof.manifest back, from a backup of the same moment; to begin with nothing, move the folder away \
             and remove {}",
            appended.display(),
            data.path().join(NOTE).display()
        ));
    }
    Ok(())
}

/// Says that another server opens the data than the one that wrote it, or that it may be another: the way back may be closed
/// from then on. Whether the data was put there by hand, and nothing stands still for it yet.
fn announce(data: &DataDir, program: &RedisProgram) -> bool {
    if !data.redis().join("appendonlydir").exists() {
        return false;
    }
    let Some(written) = Written::read(data.path()) else {
        tracing::warn!(
            "{} does not say which server wrote it, for it has no redis.json that reads; {} ({}) opens it now, and the one \
             that wrote it may not read it afterwards if it was another",
            data.path().display(),
            program.version,
            program.path.display()
        );
        return true;
    };
    if written.server != program.version {
        tracing::warn!(
            "{} was written by {} ({}), and {} ({}) opens it now; the former may not read it afterwards, so copy the \
             directory first if you may want to go back",
            data.path().display(),
            written.server,
            written.program.display(),
            program.version,
            program.path.display()
        );
    }
    written.is_restored
}

/// The path that runs this very program again, also after its file was replaced by an update.
#[must_use]
pub fn own_program() -> Option<PathBuf> {
    if cfg!(target_os = "linux") {
        return Some(PathBuf::from("/proc/self/exe"));
    }
    std::env::current_exe().ok()
}

/// The thread behind a [`RedisChild`].
struct Keeper {
    data: Arc<DataDir>,
    /// Whether it was put there by hand, as long as no note says otherwise.
    is_restored: bool,
    program: RedisProgram,
    guard: Option<PathBuf>,
    states: watch::Sender<ChildState>,
    /// Closed when the server is to end.
    stopped: Receiver<()>,
}

/// Why the keeper stopped looking after one server.
enum End {
    /// It died.
    Died(ExitStatus),
    /// It was asked to end, and did.
    Stopped,
}

impl Keeper {
    /// Starts servers until told to stop. The first start is reported; later ones are logged.
    fn run(self, first: oneshot::Sender<Result<(), ChildError>>) {
        let mut first = Some(first);
        let mut deaths: VecDeque<Instant> = VecDeque::new();
        loop {
            let why = match self.run_once(&mut first) {
                Ok(()) => return,
                Err(why) => why,
            };
            if let Some(first) = first.take() {
                // Nobody waits if the start was given up; then there is nothing to say either.
                let _ = first.send(Err(why));
                return;
            }
            if !self.survive(&why, &mut deaths) {
                return;
            }
        }
    }

    /// One server from start to end. `Ok` when it was ended on purpose.
    fn run_once(
        &self,
        first: &mut Option<oneshot::Sender<Result<(), ChildError>>>,
    ) -> Result<(), ChildError> {
        self.end_orphan()?;
        let log = ServerLog::default();
        let mut child = self.spawn()?;
        let readers = [
            child.stdout.take().map(|output| log.follow(output)),
            child.stderr.take().map(|output| log.follow(output)),
        ];
        let end = self.look_after(&mut child, first);
        match end {
            End::Stopped => {
                self.states.send_replace(ChildState::Stopped);
                Ok(())
            }
            End::Died(status) => {
                // The pipes end with the process; what is still in them explains the death.
                readers.into_iter().flatten().for_each(|reader| drop(reader.join()));
                Err(self.explain(status, &log))
            }
        }
    }

    fn look_after(
        &self,
        child: &mut Child,
        first: &mut Option<oneshot::Sender<Result<(), ChildError>>>,
    ) -> End {
        let pid = child.id();
        self.states.send_replace(ChildState::Starting { pid });
        let (start, mut said) = (Instant::now(), Instant::now());
        let mut up = false;
        loop {
            if let Ok(Some(status)) = child.try_wait() {
                return End::Died(status);
            }
            if !up && ping(self.data.socket()) == Answer::Ready {
                up = true;
                let mut written = Written::by(
                    (&self.program.version, &self.program.path),
                    self.data.path(),
                    self.data.socket(),
                );
                let before = Written::read(self.data.path());
                written.is_restored = before.map_or(self.is_restored, |before| before.is_restored);
                if let Err(why) = written.keep() {
                    tracing::warn!("which server wrote the data directory cannot be written down: {why}");
                }
                self.states.send_replace(ChildState::Up { pid });
                match first.take() {
                    // Nobody waits when the start was given up; the closed channel ends us below.
                    Some(first) => drop(first.send(Ok(()))),
                    None => tracing::info!(redis.pid = pid, "the embedded Redis runs again"),
                }
            }
            if !up && said.elapsed() >= PROGRESS {
                said = Instant::now();
                let seconds = start.elapsed().as_secs();
                tracing::info!("the embedded Redis has been reading its files for {seconds} s");
            }
            // While it starts a look costs a wait of the caller, so it comes sooner.
            let pause = if up { LOOK } else { Duration::from_millis(5) };
            match self.stopped.recv_timeout(pause) {
                Err(RecvTimeoutError::Timeout) => {}
                Ok(()) | Err(RecvTimeoutError::Disconnected) => {
                    end(child);
                    return End::Stopped;
                }
            }
        }
    }

    /// Counts a death and waits before the next start. `false` when it is over.
    fn survive(&self, why: &ChildError, deaths: &mut VecDeque<Instant>) -> bool {
        deaths.push_back(Instant::now());
        while deaths.front().is_some_and(|death| death.elapsed() > DEATHS_WINDOW) {
            deaths.pop_front();
        }
        if deaths.len() > DEATHS_MAX {
            let why = format!(
                "the embedded Redis died {} times within a minute and is left alone now: {why}. \
                 Start the program again once the cause is gone",
                deaths.len()
            );
            tracing::error!("{why}");
            self.states.send_replace(ChildState::GivenUp { why });
            // The dashboard stays up; only the end of the program ends this.
            let _ = self.stopped.recv();
            self.states.send_replace(ChildState::Stopped);
            return false;
        }
        let doublings = u32::try_from(deaths.len().saturating_sub(1)).unwrap_or_default();
        let pause = RESTART_MIN * 2_u32.saturating_pow(doublings);
        tracing::warn!("the embedded Redis died and is started again in {} ms: {why}", pause.as_millis());
        self.states.send_replace(ChildState::Down { why: why.to_string() });
        let timed_out = matches!(self.stopped.recv_timeout(pause), Err(RecvTimeoutError::Timeout));
        if !timed_out {
            self.states.send_replace(ChildState::Stopped);
        }
        timed_out
    }

    /// Shuts down a server left over from a run that was killed. Its lock tells when it is gone.
    fn end_orphan(&self) -> Result<(), ChildError> {
        let socket = self.data.socket();
        // An earlier run may have had another environment, and its socket elsewhere.
        let earlier = Written::socket_of(self.data.path()).filter(|earlier| earlier != socket);
        for socket in std::iter::once(socket).chain(earlier.as_deref()) {
            if ping(socket) != Answer::Nobody {
                tracing::warn!(
                    "a Redis of an earlier run still serves this data directory; it is shut down first"
                );
                // Its reply is the end of the connection; a server that is ending already refuses.
                let _ = shutdown(socket);
            }
        }
        let path = self.data.redis_lock();
        let busy = |why: String| ChildError::Directory { path: self.data.path().to_owned(), why };
        let lock = open_lock_file(&path)
            .map_err(|why| busy(format!("{} cannot be opened: {why}", path.display())))?;
        let start = Instant::now();
        while flock(&lock, FlockOperation::NonBlockingLockExclusive).is_err()
            || ping(socket) != Answer::Nobody
        {
            if start.elapsed() > ORPHAN_MAX {
                return Err(busy(
                    "a redis-server of an earlier run still uses it and does not end".to_owned(),
                ));
            }
            std::thread::sleep(LOOK);
        }
        match std::fs::remove_file(socket) {
            Err(why) if why.kind() != std::io::ErrorKind::NotFound => {
                Err(busy(format!("{} cannot be removed: {why}", socket.display())))
            }
            _ => Ok(()),
        }
    }

    fn spawn(&self) -> Result<Child, ChildError> {
        let mut command = match &self.guard {
            Some(guard) => {
                let mut command = Command::new(guard);
                command.arg("redis-guard").arg("--parent").arg(std::process::id().to_string());
                command.arg("--lock").arg(self.data.redis_lock()).arg("--").arg(&self.program.path);
                command
            }
            None => Command::new(&self.program.path),
        };
        command.args(server_arguments(&self.data, &self.program.maxmemory));
        // Our settings may hold secrets; what the server does not know it cannot tell.
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("REPRIEVE_") {
                command.env_remove(name);
            }
        }
        command
            // A server refuses to start under a locale that this machine does not have, and needs none.
            .env("LC_ALL", "C")
            // Ctrl-C goes to our whole group; the server must outlive our own last writes.
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|source| ChildError::Io {
                what: format!("{} cannot be started", self.program.path.display()),
                source,
            })
    }

    fn explain(&self, status: ExitStatus, log: &ServerLog) -> ChildError {
        let lines = log.lines();
        let says = |signs: &[&str]| lines.iter().any(|line| signs.iter().any(|sign| line.contains(sign)));
        if says(&UNREAD)
            && let Some(foreign) = self.foreign()
        {
            return foreign;
        }
        // What cuts is advised of what grows at its end alone: the base file beneath it is whole, or beyond repair.
        let names_base =
            |line: &String| line.contains(".base.") && DAMAGED.iter().any(|sign| line.contains(sign));
        if says(&BROKEN) || lines.iter().any(names_base) {
            let said = last_words(&lines);
            // It goes on with what cuts.
            let said = said.split(": make a backup").next().unwrap_or_default().to_owned();
            return ChildError::Broken { directory: self.data.redis(), last_words: said };
        }
        if says(&DAMAGED) {
            return ChildError::Damaged { directory: self.data.redis(), repair: self.repair_command(&lines) };
        }
        ChildError::Ended { status: status.to_string(), last_words: last_words(&lines) }
    }

    /// Whether another server wrote what this one does not read: by how it begins, and by what the directory says.
    fn foreign(&self) -> Option<ChildError> {
        let written =
            Written::read(self.data.path()).filter(|written| written.server != self.program.version);
        let by_magic = magic(&self.data.redis()).and_then(|magic| foreign(&magic, &self.program.version));
        let writer = match &written {
            Some(written) => format!("{} ({})", written.server, written.program.display()),
            None => by_magic?,
        };
        let program = written.map_or_else(|| "…".to_owned(), |written| written.program.display().to_string());
        Some(ChildError::Foreign {
            directory: self.data.redis(),
            writer,
            reader: self.program.version.clone(),
            program: self.program.path.clone(),
            remedy: format!("redis_server = \"{program}\", or REPRIEVE_REDIS_SERVER={program}"),
        })
    }

    /// The checker beside the server, on the file the server named.
    fn repair_command(&self, lines: &[String]) -> String {
        let valkey =
            self.program.path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("valkey"));
        let checker = if valkey { "valkey-check-aof" } else { "redis-check-aof" };
        let directory = self.data.redis().join("appendonlydir");
        let named = lines.iter().rev().find_map(|line| {
            let file =
                line.split_whitespace().find(|word| word.trim_matches(['.', ',', ':']).ends_with(".aof"))?;
            Some(directory.join(file.trim_matches(['.', ',', ':', '<', '>'])))
        });
        let file =
            named.filter(|file| file.exists()).unwrap_or_else(|| directory.join("appendonly.aof.manifest"));
        format!("{checker} --fix '{}'", file.display())
    }
}

/// The end of what a server said before it ended: its warnings, which tell why, else whatever came last. Its advice about
/// the machine, "WARNING Memory overcommit must be enabled!", is no reason.
fn last_words(lines: &[String]) -> String {
    let warning = |line: &String| line.split_once(" # ").map(|(_, said)| said.to_owned());
    let warnings = lines.iter().rev().filter_map(warning).filter(|said| !said.starts_with("WARNING"));
    let mut last: Vec<String> = warnings.take(LAST_WARNINGS).collect();
    last.reverse();
    match (last.is_empty(), lines.last()) {
        (false, _) => last.join(" / "),
        (true, Some(line)) => line.clone(),
        (true, None) => "(nothing)".to_owned(),
    }
}

/// Asks the server to end, and kills it if it takes too long.
fn end(child: &mut Child) {
    let start = Instant::now();
    if let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        // It may have died this moment; then there is nothing to ask.
        let _ = kill_process(pid, Signal::TERM);
    }
    while start.elapsed() < STOP_MAX {
        if !matches!(child.try_wait(), Ok(None)) {
            return;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    tracing::warn!("the embedded Redis did not end within {} s and is killed", STOP_MAX.as_secs());
    let _ = child.kill();
    let _ = child.wait();
}

/// Everything the server is told, as arguments: no file, no shell.
fn server_arguments(data: &DataDir, maxmemory: &str) -> Vec<std::ffi::OsString> {
    let directory = data.redis();
    let settings: [(&str, &Path); 16] = [
        ("--port", Path::new("0")),
        ("--unixsocket", data.socket()),
        ("--unixsocketperm", Path::new("600")),
        ("--dir", &directory),
        ("--databases", Path::new("1")),
        ("--save", Path::new("")),
        ("--appendonly", Path::new("yes")),
        // What was acknowledged survives a power cut; 2 ms a write, shared by concurrent ones.
        ("--appendfsync", Path::new("always")),
        // A tail cut off by a power loss is no reason to refuse: that write was never acknowledged.
        ("--aof-load-truncated", Path::new("yes")),
        ("--maxmemory", Path::new(maxmemory)),
        ("--maxmemory-policy", Path::new("noeviction")),
        // A caller that asks meanwhile is told that it is busy, before its own timeout.
        ("--busy-reply-threshold", Path::new("500")),
        ("--protected-mode", Path::new("yes")),
        ("--daemonize", Path::new("no")),
        ("--logfile", Path::new("")),
        ("--loglevel", Path::new("notice")),
    ];
    settings.iter().flat_map(|(name, value)| [name.into(), value.as_os_str().to_owned()]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_words_of_a_server_say_why_it_ended() {
        let lines = |said: &[&str]| said.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
        let overcommit = "9:C 1 Jan 2026 00:00:00.000 # WARNING Memory overcommit must be enabled!";
        let port = "9:M 1 Jan 2026 00:00:00.000 # Failed listening on port 6379 (tcp), aborting.";
        let loaded = "9:M 1 Jan 2026 00:00:00.000 * DB loaded";

        assert_eq!(
            last_words(&lines(&[overcommit, loaded, port])),
            "Failed listening on port 6379 (tcp), aborting."
        );
        assert_eq!(last_words(&lines(&[overcommit, loaded])), loaded);
        assert_eq!(last_words(&[]), "(nothing)");
    }
}
