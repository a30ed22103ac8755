//! What stands between redis-server and the system: a clock that jumps, a disk that fills up and forgets. See the C in
//! `tools/proof/shim`, which the server is started with.

use anyhow::{Context, Result, ensure};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::process::Command;

const SOURCES: [(&str, &str); 2] =
    [("clock.c", include_str!("../shim/clock.c")), ("disk.c", include_str!("../shim/disk.c"))];
/// Both files are mapped, and have this size.
const PAGE: usize = 4_096;
/// Where the disk's file says how many calls are syncing.
const SYNCING_AT: u64 = 8;
/// Where what was synced begins, in the disk's file: pairs of inode and size, of eight bytes each.
const SYNCED_AT: usize = 16;

/// The library of a run.
pub(crate) struct Library {
    folder: PathBuf,
}

impl Library {
    /// Builds it, in a folder of the run.
    pub(crate) fn build(folder: &Path) -> Result<Self> {
        let library = Self { folder: folder.to_owned() };
        let mut command = Command::new("cc");
        command.args(["-shared", "-fPIC", "-O2", "-o"]).arg(library.path());
        for (name, text) in SOURCES {
            let source = folder.join(name);
            std::fs::write(&source, text)?;
            command.arg(source);
        }
        let built = command.output().context("there is no C compiler: install one as `cc`, such as gcc")?;
        ensure!(built.status.success(), "the shims do not build: {}", String::from_utf8_lossy(&built.stderr));
        Ok(library)
    }

    fn path(&self) -> PathBuf {
        self.folder.join("shim.so")
    }

    /// What one server, known by its port, is started with.
    pub(crate) fn shim(&self, port: u16) -> Result<Shim> {
        let (clock_path, disk_path) =
            (self.folder.join(format!("clock-{port}")), self.folder.join(format!("disk-{port}")));
        std::fs::write(&clock_path, [0; PAGE])?;
        std::fs::write(&disk_path, [0; PAGE])?;
        let open = |path| OpenOptions::new().read(true).write(true).open(path);
        let (clock, disk) = (open(&clock_path)?, open(&disk_path)?);
        let text = |path: PathBuf| path.to_string_lossy().into_owned();
        let shim = Shim {
            clock,
            disk,
            environment: [
                ("LD_PRELOAD", text(self.path())),
                ("SKEW_FILE", text(clock_path)),
                ("DISK_FILE", text(disk_path)),
            ],
        };
        shim.leave_room(None)?;
        Ok(shim)
    }
}

/// The clock and the disk of one server.
pub(crate) struct Shim {
    clock: File,
    disk: File,
    environment: [(&'static str, String); 3],
}

impl Shim {
    pub(crate) fn environment(&self) -> [(&str, &str); 3] {
        self.environment.each_ref().map(|(name, value)| (*name, value.as_str()))
    }

    /// From now on the server's clock shows so much more than the real one, or less.
    pub(crate) fn skew(&self, ms: i64) -> Result<()> {
        Ok(self.clock.write_all_at(&(ms * 1_000).to_le_bytes(), 0)?)
    }

    /// From now on the log takes so many bytes more, or any number.
    pub(crate) fn leave_room(&self, bytes: Option<u16>) -> Result<()> {
        Ok(self.disk.write_all_at(&bytes.map_or(-1, i64::from).to_le_bytes(), 0)?)
    }

    /// Whether the server is syncing a file at the moment.
    pub(crate) fn is_syncing(&self) -> Result<bool> {
        let mut count = [0; 8];
        self.disk.read_exact_at(&mut count, SYNCING_AT)?;
        Ok(i64::from_le_bytes(count) > 0)
    }

    /// What was under way when the server died is no more.
    pub(crate) fn forget_syncing(&self) -> Result<()> {
        Ok(self.disk.write_all_at(&[0; 8], SYNCING_AT)?)
    }

    /// Cuts what a dead server had not synced off the ends of its logs. What a rewrite made was synced before it counted.
    pub(crate) fn forget_unsynced(&self, directory: &Path) -> Result<()> {
        let synced = self.synced()?;
        for entry in std::fs::read_dir(directory.join("appendonlydir"))? {
            let path = entry?.path();
            if !path.to_string_lossy().ends_with(".incr.aof") {
                continue;
            }
            let (log, size) = (OpenOptions::new().write(true).open(&path)?, path.metadata()?.len());
            let safe = synced.get(&path.metadata()?.ino()).copied().unwrap_or(0);
            log.set_len(size.min(safe))?;
        }
        Ok(())
    }

    /// The size of each file that is safe, by inode.
    fn synced(&self) -> Result<BTreeMap<u64, u64>> {
        let mut page = [0; PAGE];
        self.disk.read_exact_at(&mut page, 0)?;
        let number = |bytes: &[u8]| bytes.try_into().map(u64::from_le_bytes).unwrap_or_default();
        let pairs = page[SYNCED_AT..].chunks_exact(16);
        Ok(pairs.map(|pair| (number(&pair[..8]), number(&pair[8..]))).collect())
    }
}
