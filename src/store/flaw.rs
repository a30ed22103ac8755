//! Ways to build the scripts wrongly, to see that the proof and the tests find out: `REPRIEVE_FLAW` names one of the flaws
//! below, `REPRIEVE_LUA_FILE` has the text of one file read from elsewhere.
//!
//! Compiled in by the feature `flaws` alone, which nothing that ships asks for.

/// A name, and what is written instead of what.
struct Flaw {
    name: &'static str,
    instead: &'static [(&'static str, &'static str)],
}

const FLAWS: &[Flaw] = &[
    // A report is taken whatever its token.
    Flaw {
        name: "no_fence",
        instead: &[
            ("j.state == \"active\" and j.token == tonumber(token)", "j.state == \"active\""),
            (
                "local holds = version and (lines and lines.token or version) == token and",
                "local holds = version and",
            ),
        ],
    },
    // A cancel does not look whether the job runs.
    Flaw {
        name: "cancel_unchecked",
        instead: &[("if not LIVE[from] or from == \"active\" or", "if not LIVE[from] or")],
    },
    // A cancel keeps no answer for its repeat.
    Flaw {
        name: "operation_forgotten",
        instead: &[(
            "local answer = redis.call(\"GET\", answer_key(verb, target, op))",
            "local answer = nil",
        )],
    },
    // What a person does is not written down.
    Flaw {
        name: "audit_missing",
        instead: &[("audit.link(now, by, \"cancel\", id, why, outcome, before, to, more)\n", "\n")],
    },
    // Nobody takes jobs back.
    Flaw {
        name: "no_recoverer",
        instead: &[(
            "\"active\"), \"-inf\", \"(\" .. int(now), \"BYSCORE\"",
            "\"active\"), \"-inf\", \"(0\", \"BYSCORE\"",
        )],
    },
    // Jobs are taken back while their lease lasts.
    Flaw {
        name: "recover_live",
        instead: &[(
            "\"active\"), \"-inf\", \"(\" .. int(now), \"BYSCORE\"",
            "\"active\"), \"-inf\", \"(\" .. int(now + 11900), \"BYSCORE\"",
        )],
    },
    // Jobs become ready two seconds before their time.
    Flaw {
        name: "early",
        instead: &[
            (
                "state), \"-inf\", now, \"BYSCORE\", \"LIMIT\", 0, most, \"WITHSCORES\")",
                "state), \"-inf\", now + 2000, \"BYSCORE\", \"LIMIT\", 0, most, \"WITHSCORES\")",
            ),
            ("job.due(), \"-inf\", now, \"BYSCORE\"", "job.due(), \"-inf\", now + 2000, \"BYSCORE\""),
        ],
    },
    // Leases that run out are not counted.
    Flaw {
        name: "stalls_uncounted",
        instead: &[("changes.stalls, changes.unheard = stalls,", "changes.stalls, changes.unheard = 0,")],
    },
    // The index of a subject does not hear that a job has ended.
    Flaw {
        name: "subject_unindexed",
        instead: &[(
            "if subject ~= \"\" then job.stands_in_subject(subject, now_text, id) end\n      if started",
            "if started",
        )],
    },
    // A job that is taken in is answered, and not kept.
    Flaw {
        name: "enqueue_forgets",
        instead: &[(
            "local function create(now, to, id, queue, kind, subject, payload, due_ms, by, why, options, created_ms)\n",
            "local function create(now, to, id, queue, kind, subject, payload, due_ms, by, why, options, created_ms)\n  if id:byte(-1) % 5 == 0 then return int(due_ms), \"1\" end\n",
        )],
    },
];

/// The text of a file of the library, named without `.lua`: the one that is compiled in, or with
/// `REPRIEVE_LUA_FILE=core/job.lua=/tmp/job.lua` for `core/job` what is in that file.
///
/// # Panics
/// For a variable that is not of this form, or a file that cannot be read.
pub(super) fn text_of(file: &str, built_in: &str) -> String {
    let Ok(variable) = std::env::var("REPRIEVE_LUA_FILE") else { return built_in.to_owned() };
    let named = variable.split_once(".lua=");
    let (replaced, path) =
        named.unwrap_or_else(|| panic!("REPRIEVE_LUA_FILE={variable} is not FILE.lua=PATH"));
    if replaced != file {
        return built_in.to_owned();
    }
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The text of the whole library as it is, or with the flaw that `REPRIEVE_FLAW` names.
///
/// # Panics
/// For a flaw that nobody knows, or that the scripts have outgrown.
pub(super) fn built_in(text: &str) -> String {
    let Ok(name) = std::env::var("REPRIEVE_FLAW") else { return text.to_owned() };
    let flaw = FLAWS.iter().find(|flaw| flaw.name == name);
    let flaw = flaw.unwrap_or_else(|| panic!("there is no flaw {name:?}"));
    flaw.instead.iter().fold(text.to_owned(), |text, (what, instead)| {
        assert!(text.contains(what), "the flaw {name} finds nothing to spoil");
        text.replacen(what, instead, 1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::library::LIBRARY;

    #[test]
    fn each_flaw_still_finds_what_it_spoils() {
        for flaw in FLAWS {
            for (what, _) in flaw.instead {
                assert_eq!(LIBRARY.text.matches(what).count(), 1, "{}", flaw.name);
            }
        }
    }
}
