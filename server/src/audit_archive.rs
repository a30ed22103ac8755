//! The archive of the audit: entries leave Redis for a folder, a file of JSON lines a cut, and are read from there to prove
//! that nothing is missing in between.
//!
//! A file is named `<shard>-<id of its first entry>.jsonl`, in the folder of its namespace. It is whole on the disk before the
//! first of its entries is removed from Redis.

use crate::config::AuditConfig;
use anyhow::Context as _;
use reprieve::model::{ArchivedEntry, AuditSize, Namespace, Shard};
use reprieve::{Engine, Error};
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, BufWriter, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Between looks: the audit of a busy namespace grows by some thousand entries meanwhile.
const PERIOD: Duration = Duration::from_secs(60);
/// How often it is said that the audit is longer than it should be.
const SAID_PERIOD: Duration = Duration::from_secs(3_600);
/// How the file of a cut ends, and one that is not whole.
const WHOLE: &str = "jsonl";
const PART: &str = "part";

/// The folder of one namespace.
#[derive(Debug, Clone)]
pub(crate) struct Archive {
    folder: PathBuf,
}

impl Archive {
    /// The folder of that namespace below this one.
    pub(crate) fn of(folder: &Path, namespace: &Namespace) -> Self {
        Self { folder: folder.join(namespace.as_str()) }
    }

    /// Writes a cut, whose entries are all of one shard.
    fn write(&self, entries: &[ArchivedEntry]) -> io::Result<()> {
        let Some(first) = entries.first() else { return Ok(()) };
        DirBuilder::new().recursive(true).mode(0o700).create(&self.folder)?;
        let path = self.folder.join(name_of(first));
        let part = path.with_extension(PART);
        let file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&part)?;
        let mut lines = BufWriter::new(file);
        for entry in entries {
            serde_json::to_writer(&mut lines, entry)?;
            lines.write_all(b"\n")?;
        }
        lines.into_inner()?.sync_all()?;
        fs::rename(&part, &path)?;
        File::open(&self.folder)?.sync_all()
    }

    /// The entries of a shard, the oldest first.
    pub(crate) fn read(&self, shard: Shard) -> impl Iterator<Item = Result<ArchivedEntry, Error>> + use<> {
        let (files, failed) = match self.files(shard) {
            Ok(files) => (files, None),
            Err(error) => (Vec::new(), Some(Err(unreadable(&self.folder, &error)))),
        };
        failed.into_iter().chain(files.into_iter().flat_map(|path| {
            let (lines, failed) = match File::open(&path) {
                Ok(file) => (Some(BufReader::new(file).lines()), None),
                Err(error) => (None, Some(Err(unreadable(&path, &error)))),
            };
            let read = move |line: io::Result<String>| {
                let entry = line.and_then(|line| Ok(serde_json::from_str(&line)?));
                entry.map_err(|error| unreadable(&path, &error))
            };
            failed.into_iter().chain(lines.into_iter().flatten().map(read))
        }))
    }

    /// The files of a shard, in the order of their entries.
    fn files(&self, shard: Shard) -> io::Result<Vec<PathBuf>> {
        let mut files = Vec::new();
        for file in fs::read_dir(&self.folder)? {
            let path = file?.path();
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if name.starts_with(&format!("{}-", shard.0)) && path.extension().is_some_and(|is| is == WHOLE) {
                files.push(path);
            }
        }
        files.sort();
        Ok(files)
    }
}

/// Its numbers are filled up with zeros, so that the names are in the order of the entries.
fn name_of(first: &ArchivedEntry) -> String {
    let (ms, sequence) = first.id.split_once('-').unwrap_or((&first.id, "0"));
    format!("{}-{ms:0>15}-{sequence:0>10}.{WHOLE}", first.shard.0)
}

fn unreadable(path: &Path, why: &io::Error) -> Error {
    Error::Refused { why: format!("the archive of the audit cannot be read: {}: {why}", path.display()) }
}

/// Keeps the audit of each namespace within its bound.
#[derive(Debug)]
pub(crate) struct Archivists {
    tasks: TaskTracker,
    stop: CancellationToken,
}

impl Archivists {
    /// Starts one for each of these namespaces.
    pub(crate) fn start<'a>(engines: impl Iterator<Item = &'a Engine>, config: &AuditConfig) -> Self {
        let (tasks, stop) = (TaskTracker::new(), CancellationToken::new());
        for engine in engines {
            tasks.spawn(run(engine.clone(), config.clone(), stop.clone()));
        }
        tasks.close();
        Self { tasks, stop }
    }

    /// Ends them after their present file.
    pub(crate) async fn shutdown(self) {
        self.stop.cancel();
        self.tasks.wait().await;
    }
}

async fn run(engine: Engine, config: AuditConfig, stop: CancellationToken) {
    let archive = config.archive.as_deref().map(|folder| Archive::of(folder, engine.namespace()));
    let mut said: Option<Instant> = None;
    while !stop.is_cancelled() {
        let done = match &archive {
            Some(archive) => cut(&engine, archive, config.most, &stop).await,
            None => warn(&engine, config.most, &mut said).await,
        };
        if let Err(error) = done
            && said.is_none_or(|at| at.elapsed() >= SAID_PERIOD)
        {
            tracing::error!("the audit of {} cannot be archived: {error:#}", engine.namespace());
            said = Some(Instant::now());
        }
        stop.run_until_cancelled(tokio::time::sleep(PERIOD)).await;
    }
}

/// Moves what is too much into the archive, a file a cut.
pub(crate) async fn cut(
    engine: &Engine,
    archive: &Archive,
    most: AuditSize,
    stop: &CancellationToken,
) -> anyhow::Result<()> {
    let inspector = engine.inspector();
    while !stop.is_cancelled() {
        let surplus = inspector.audit_surplus(most).await?;
        if surplus.is_empty() {
            break;
        }
        let (archive, folder) = (archive.clone(), archive.folder.display().to_string());
        let written = tokio::task::spawn_blocking(move || archive.write(&surplus).map(|()| surplus));
        let surplus = written.await?.with_context(|| format!("{folder} cannot be written"))?;
        inspector.remove_archived(&surplus).await?;
        tracing::info!("{} entries of the audit went into the archive in {folder}", surplus.len());
    }
    Ok(())
}

/// Says that the audit is too large. Without an archive nothing is cut: what is gone would be gone for good.
async fn warn(engine: &Engine, most: AuditSize, said: &mut Option<Instant>) -> anyhow::Result<()> {
    if most == AuditSize::default() || said.is_some_and(|at| at.elapsed() < SAID_PERIOD) {
        return Ok(());
    }
    let size = engine.inspector().audit_size().await?;
    if size.exceeds(most) {
        tracing::warn!(
            "the audit of {} has {} entries in {} bytes, more than audit_entries = {} and audit_bytes = {} allow: name \
             a folder with audit_archive, and the oldest go there; until then all stay in redis",
            engine.namespace(),
            size.entries,
            size.bytes,
            most.entries,
            most.bytes,
        );
        *said = Some(Instant::now());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use reprieve::model::{AuditFault, QueueName};
    use reprieve::testing::TestRedis;

    /// So many acts of a person.
    async fn act(redis: &TestRedis, times: u32) {
        let operator = redis.engine().operator("ann");
        for time in 0..times {
            operator.pause(&QueueName::default(), &format!("reason {time}")).await.unwrap();
            operator.resume(&QueueName::default(), "").await.unwrap();
        }
    }

    const fn entries(entries: u64) -> AuditSize {
        AuditSize { entries, bytes: 0 }
    }

    async fn cut_to(redis: &TestRedis, archive: &Archive, most: AuditSize) {
        cut(redis.engine(), archive, most, &CancellationToken::new()).await.unwrap();
    }

    #[tokio::test]
    async fn what_is_too_much_goes_into_the_archive_and_both_together_are_proven() {
        let redis = TestRedis::namespace().await;
        let folder = tempfile::tempdir().unwrap();
        let archive = Archive::of(folder.path(), redis.engine().namespace());
        let inspector = redis.engine().inspector();
        act(&redis, 10).await;
        let anchor = inspector.verify_audit(1_000, None).await.unwrap().heads.remove(0);
        cut_to(&redis, &archive, entries(20)).await;
        assert_eq!(inspector.audit_size().await.unwrap().entries, 20, "as many as there may be");
        act(&redis, 10).await;

        cut_to(&redis, &archive, entries(30)).await;
        cut_to(&redis, &archive, entries(20)).await;

        assert_eq!(inspector.audit_size().await.unwrap().entries, 18);
        let verify = async |anchor: Option<&str>| {
            inspector.verify_audit_behind(1_000, anchor, |shard| archive.read(shard)).await.unwrap()
        };
        let check = verify(Some(&anchor)).await;
        assert!(check.is_sound() && check.complete, "{check:?}");
        assert_eq!((check.archived, check.checked, check.anchored), (Some(22), 18, Some(true)));
        let alone = inspector.verify_audit(1_000, Some(&anchor)).await.unwrap();
        assert_eq!((alone.broken, alone.anchored), (None, Some(false)), "that one is in the archive alone");

        // A file that is gone, or a line that says something else, is found.
        let files = archive.files(Shard::FIRST).unwrap();
        let (first, last) = (&files[0], &files[files.len() - 1]);
        assert!(files.len() > 1, "{files:?}");
        let kept = fs::read(last).unwrap();
        fs::remove_file(last).unwrap();
        let broken = verify(None).await.broken.unwrap();
        assert_eq!(broken.how, AuditFault::Unlinked);
        fs::write(last, kept).unwrap();
        let text = fs::read_to_string(first).unwrap();
        fs::write(first, text.replacen("reason 0", "reason 9", 1)).unwrap();
        assert_eq!(verify(None).await.broken.unwrap().how, AuditFault::Altered);
        fs::write(first, "no JSON\n").unwrap();
        let unread = inspector.verify_audit_behind(1_000, None, |shard| archive.read(shard)).await;
        assert!(unread.unwrap_err().to_string().contains("cannot be read"));
    }

    #[tokio::test]
    async fn an_audit_of_few_and_long_entries_is_cut_for_its_bytes() {
        let redis = TestRedis::namespace().await;
        let folder = tempfile::tempdir().unwrap();
        let archive = Archive::of(folder.path(), redis.engine().namespace());
        let (inspector, operator) = (redis.engine().inspector(), redis.engine().operator("ann"));
        act(&redis, 50).await;
        for _ in 0..50 {
            operator.pause(&QueueName::default(), &"long ".repeat(90)).await.unwrap();
            operator.resume(&QueueName::default(), "").await.unwrap();
        }
        let before = inspector.audit_size().await.unwrap();
        assert_eq!(before.entries, 200);
        // The field values alone, without hashes and ids.
        assert!(before.bytes > 50 * 450, "{before:?}");
        let most = AuditSize { entries: 0, bytes: 16 << 10 };
        assert!(before.exceeds(most) && !before.exceeds(entries(200)), "{before:?}");

        cut_to(&redis, &archive, most).await;

        let after = inspector.audit_size().await.unwrap();
        assert!(!after.exceeds(most) && after.entries > 0, "{after:?}");
        let check = inspector.verify_audit_behind(1_000, None, |shard| archive.read(shard)).await.unwrap();
        assert!(check.is_sound() && check.complete, "{check:?}");
        assert_eq!(check.archived.unwrap() + check.checked, 200);
    }

    #[tokio::test]
    async fn what_was_archived_and_not_yet_removed_is_there_twice_and_proven_once() {
        let redis = TestRedis::namespace().await;
        let folder = tempfile::tempdir().unwrap();
        let archive = Archive::of(folder.path(), redis.engine().namespace());
        let inspector = redis.engine().inspector();
        act(&redis, 10).await;
        // Given: the process was killed between the two.
        archive.write(&inspector.audit_surplus(entries(10)).await.unwrap()).unwrap();
        let check = inspector.verify_audit_behind(1_000, None, |shard| archive.read(shard)).await.unwrap();
        assert!(check.is_sound(), "{check:?}");
        assert_eq!(check.archived.unwrap() + check.checked, 20);

        act(&redis, 5).await;
        cut_to(&redis, &archive, entries(10)).await;

        let check = inspector.verify_audit_behind(1_000, None, |shard| archive.read(shard)).await.unwrap();
        assert!(check.is_sound(), "{check:?}");
        assert_eq!(check.archived.unwrap() + check.checked, 30);
    }

    #[tokio::test]
    async fn nothing_is_removed_that_could_not_be_written() {
        let redis = TestRedis::namespace().await;
        let folder = tempfile::tempdir().unwrap();
        act(&redis, 5).await;
        let blocked = folder.path().join("file");
        fs::write(&blocked, "").unwrap();
        let archive = Archive::of(&blocked, redis.engine().namespace());

        let failed = cut(redis.engine(), &archive, entries(5), &CancellationToken::new()).await;

        assert!(format!("{:#}", failed.unwrap_err()).contains("cannot be written"));
        assert_eq!(redis.engine().inspector().audit_size().await.unwrap().entries, 10);
    }

    #[test]
    fn files_are_in_the_order_of_their_entries() {
        let entry = |id: &str| {
            serde_json::from_value::<ArchivedEntry>(serde_json::json!({ "id": id, "shard": 3, "by": "ann" }))
                .unwrap()
        };
        let names = ["999999999999-0", "1763690000000-2", "1763690000000-10"].map(|id| name_of(&entry(id)));
        assert!(names.is_sorted(), "{names:?}");
        assert_eq!(names[1], "3-001763690000000-0000000002.jsonl");
    }
}
