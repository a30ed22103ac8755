//! The function library: all Lua files in one text, loaded once into each server.
//!
//! Its name and those of its functions carry a hash of the text, so that processes of two versions can work on one
//! Redis, each with its own. See docs/adr/0011.

use super::rights;
use super::script::VERBS;
use super::verb::{Flags, Verb};
use crate::constants;
use redis::Script;
use std::collections::HashSet;
use std::sync::LazyLock;

/// The library of this version.
pub(super) static LIBRARY: LazyLock<Library> = LazyLock::new(Library::assemble);

/// How the names of all libraries begin, those of other versions too.
pub(super) const NAME_PREFIX: &str = "reprieve_";
/// Hexadecimal digits of the hash in a name: enough that no two texts ever share one.
const HASH_DIGITS: usize = 16;
/// The line of a verb's file up to which its text is run once, when the library is loaded; the rest is the function.
const EACH_CALL: &str = "-- Each call:\n";

/// The lines before all files: they know the name, which is made of what follows.
const HEAD_LINES: usize = 2;

/// How Redis names a line of a library.
const LINE_MARK: &str = "user_function:";

macro_rules! shared {
    ($($file:literal),+ $(,)?) => {
        /// What the functions share, by file, each file behind those it builds on. Lua has 200 names at the top of a script, so
        /// most files keep theirs inside `do … end` and give the others one.
        const SHARED: &[(&str, &str)] = &[$(
            (concat!("core/", $file), include_str!(concat!("../../lua/core/", $file, ".lua"))),
        )+];
    };
}
shared!(
    "call",
    "memory",
    "rights",
    "clock",
    "stats",
    "record",
    "job",
    "due_queues",
    "history",
    "events",
    "concurrency_keys",
    "payload_index",
    "move",
    "strays",
    "limits",
    "constraints",
    "claim",
    "complete",
    "audit",
    "operation",
    "halt",
    "person",
    "fleet",
    "sink",
    "sink_stream",
    "sink_list",
    "sink_asynq",
    "cancel",
    "intake",
    "imported",
    "repeats",
    "cron",
    "plan",
    "batch",
    "receipt",
    "act",
    "bulk",
    "row",
    "candidate",
    "keyset",
);

pub(super) struct Library {
    pub(super) name: String,
    /// What `FUNCTION LOAD` takes.
    pub(super) text: String,
    places: Vec<Place>,
}

/// From which line of the library on stands a file, and from which line of that.
struct Place {
    line: usize,
    file: &'static str,
    line_of_file: usize,
}

impl Library {
    fn assemble() -> Self {
        let (text, places) = joined();
        #[cfg(feature = "flaws")]
        let text = super::flaw::built_in(&text);
        let script = Script::new(&text);
        let name = format!("{NAME_PREFIX}{}", script.get_hash().get(..HASH_DIGITS).unwrap_or_default());
        let text = format!("#!lua name={name}\nlocal NAME = \"{name}\"\n{text}");
        Self { name, text, places }
    }

    /// What Redis knows a verb by.
    pub(super) fn function<'a>(&self, verb: &'a Verb) -> &'a str {
        verb.function.get_or_init(|| format!("{}_{}", self.name, verb.name))
    }

    /// The verb that Redis knows by this name; `None` for one that is not of this library.
    pub(super) fn verb_of(&self, function: &str) -> Option<&'static str> {
        let name = function.strip_prefix(&self.name)?.strip_prefix('_')?;
        VERBS.iter().map(|verb| verb.name).find(|known| *known == name)
    }

    /// What Redis said, with lines of files instead of lines of the library.
    pub(super) fn with_places(&self, said: &str) -> String {
        let mut parts = said.split(LINE_MARK);
        let mut told = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let digits = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
            let (line, rest) = part.split_at(digits);
            match line.parse().ok().and_then(|line| self.place(line)) {
                Some((file, line)) => told += &format!("{file}.lua:{line}"),
                None => told.extend([LINE_MARK, line]),
            }
            told += rest;
        }
        told
    }

    /// The file and its line that stand on a line of the library.
    fn place(&self, line: usize) -> Option<(&'static str, usize)> {
        let behind = self.places.partition_point(|place| place.line <= line);
        let place = self.places.get(behind.checked_sub(1)?)?;
        Some((place.file, line - place.line + place.line_of_file))
    }
}

/// All files in one text, and where each stands in the library.
fn joined() -> (String, Vec<Place>) {
    let (mut text, mut places, mut line) = (String::new(), Vec::new(), HEAD_LINES + 1);
    let mut add = |piece: &str, of: Option<(&'static str, usize)>| {
        if let Some((file, line_of_file)) = of {
            places.push(Place { line, file, line_of_file });
        }
        text.push_str(piece);
        text.push('\n');
        line += piece.matches('\n').count() + 1;
    };
    add(&GIVEN, None);
    for (file, shared) in SHARED {
        #[cfg(feature = "flaws")]
        let shared = &super::flaw::text_of(file, shared);
        add(shared, Some((file, 1)));
    }
    for verb in VERBS {
        let text = verb.text;
        #[cfg(feature = "flaws")]
        let text = &super::flaw::text_of(verb.file, text);
        let (once, each_call) = halves(text);
        let (flags, writes) = (verb.flags.of_function(), verb.flags != Flags::Reads);
        add("do", None);
        add(once, Some((verb.file, 1)));
        add(&format!("redis.register_function({{ function_name = NAME .. \"_{}\",", verb.name), None);
        add(
            &format!("flags = {{ {flags} }}, callback = function(keys, args) begin(keys, args, {writes})"),
            None,
        );
        add(each_call, Some((verb.file, once.matches('\n').count() + 1)));
        add("end }) end", None);
    }
    (text, places)
}

/// The line of Lua that all files build on: what Rust gives to them.
static GIVEN: LazyLock<String> = LazyLock::new(|| {
    let called = called();
    let is_called = |tried: &&str| {
        tried.split(' ').next().is_some_and(|name| called.contains(name.to_uppercase().as_str()))
    };
    let commands: Vec<&str> = rights::needed().filter(is_called).collect();
    format!("{} constants.COMMANDS = {{ \"{}\" }}", constants::in_lua(), commands.join("\", \""))
});

/// The commands without which functions cannot go on. What sinks need beside them is theirs alone, and what is called by
/// `soft` or `pcall` may fail.
fn called() -> HashSet<&'static str> {
    let files = SHARED.iter().copied().chain(VERBS.iter().map(|verb| (verb.file, verb.text)));
    let of_jobs = files.filter(|(file, _)| !file.contains("sink"));
    let calls = of_jobs.flat_map(|(_, text)| text.split("redis.call(\"").skip(1));
    calls.filter_map(|call| call.split('"').next()).collect()
}

/// A verb's text: what is done once, when the library is loaded, and what each call does.
fn halves(text: &str) -> (&str, &str) {
    match text.find(EACH_CALL) {
        Some(at) => text.split_at(at),
        None => ("", text),
    }
}

impl Flags {
    const fn of_function(self) -> &'static str {
        match self {
            Self::Grows => "",
            Self::Drains => "\"allow-oom\"",
            Self::Reads => "\"no-writes\"",
        }
    }
}

impl Verb {
    /// The verb as a script of its own, for a Redis that has no room for the library.
    pub(super) fn script(&self) -> Script {
        let flags = match self.flags {
            Flags::Grows => "",
            Flags::Drains => " flags=allow-oom",
            Flags::Reads => " flags=no-writes",
        };
        let (once, each_call) = halves(self.text);
        let shared = SHARED.iter().map(|(_, text)| *text).collect::<Vec<_>>().join("\n");
        let (given, writes) = (&*GIVEN, self.flags != Flags::Reads);
        Script::new(&format!(
            "#!lua{flags}\nlocal NAME\nlocal given_keys, given_args = KEYS, ARGV\n{given}\n{shared}\n{once}\n\
             begin(given_keys, given_args, {writes})\n{each_call}"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// The names that a text declares outside of all functions and of a `do … end` that stands at the start of a line.
    fn declared(text: &str) -> impl Iterator<Item = &str> {
        let text = text.split_once("\ndo\n").map_or(text, |(open, _)| open);
        text.lines().filter_map(|line| line.strip_prefix("local ")).flat_map(|rest| {
            let names = rest.strip_prefix("function ").unwrap_or(rest);
            names.split(['=', '(']).next().unwrap_or_default().split(',').map(str::trim)
        })
    }

    #[test]
    fn no_two_shared_files_give_a_name_twice() {
        let mut names = HashSet::from(["constants"]);
        for (file, text) in SHARED {
            for name in declared(text) {
                assert!(names.insert(name), "{file} gives the name {name} once more");
            }
        }
        // What Lua allows at the top of a script, where a verb stands behind them when there is no room for the library.
        for verb in VERBS {
            let all = names.len() + declared(verb.text).count();
            assert!(all <= 200, "{} and what it needs have {all} names", verb.name);
        }
    }

    #[test]
    fn every_shared_file_is_in_the_library() {
        for entry in std::fs::read_dir("lua/core").unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let name = name.strip_suffix(".lua").unwrap();
            assert!(SHARED.iter().any(|(file, _)| file.strip_prefix("core/") == Some(name)), "{name}");
        }
    }

    #[test]
    fn a_line_of_the_library_is_told_as_that_of_its_file() {
        let of = |needle: &str| 1 + LIBRARY.text.lines().position(|line| line == needle).unwrap();
        let first = of("local clock = {}");
        let in_file = 1 + include_str!("../../lua/core/clock.lua")
            .lines()
            .position(|l| l == "local clock = {}")
            .unwrap();
        assert_eq!(
            LIBRARY.with_places(&format!("user_function:{first}: no")),
            format!("core/clock.lua:{in_file}: no")
        );
        let line = "local id, token, message, wait = ARGV[2], ARGV[3], ARGV[4], ARGV[5]";
        let in_file = 1 + include_str!("../../lua/functions/jobs/fail.lua")
            .lines()
            .position(|known| known == line)
            .unwrap();
        let told = LIBRARY.with_places(&format!("bad argument, on @user_function:{}.", of(line)));
        assert_eq!(told, format!("bad argument, on @functions/jobs/fail.lua:{in_file}."));
    }

    #[test]
    fn what_names_no_line_is_told_as_it_is() {
        for said in ["", "OOM", "user_function:", "user_function:x", "user_function:1: y"] {
            assert_eq!(LIBRARY.with_places(said), said);
        }
    }
}
