//! Every sentence the screens ask for exists in every language, with the same arguments, and none is left over.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use fluent_bundle::FluentResource;
use leptos::prelude::{Owner, provide_context};
use reprieve::model::filter::Field;
use reprieve::model::matrix::{Grant, MATRIX};
use reprieve::model::{
    AlertKind, AuditSort, BulkState, BulkVerb, Check, Colour, Finding, HaltReason, JobState, LogLevel, Role,
    StateGroup,
};

use super::*;
use crate::components::{key_help, navigation};
use crate::error::{ApiError, refused_at_desk};
use crate::forecast::View;
use crate::i18n::tags;
use crate::light;
use crate::preferences::{Density, Theme};
use crate::schedule::FormField;

/// What a message takes: the names behind `$` in its text.
fn messages(language: &str) -> BTreeMap<String, BTreeSet<String>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("locales").join(language);
    let mut messages = BTreeMap::new();
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        if let Err((_, mistakes)) = FluentResource::try_new(text.clone()) {
            panic!("{}: {mistakes:?}", path.display());
        }
        let mut key = String::new();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            if let Some((name, _)) = line.split_once(" =").filter(|_| line.starts_with(char::is_alphabetic)) {
                key = name.to_owned();
                let twice = messages.insert(key.clone(), BTreeSet::new());
                assert!(twice.is_none(), "{}: {key} stands twice", path.display());
            }
            for part in line.split('$').skip(1) {
                let name: String = part.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                messages.get_mut(&key).unwrap().insert(name);
            }
        }
    }
    messages
}

/// What became of the jobs of a bulk run, in the words of the scripts.
const OUTCOMES: &str = "cancelled requested already_finished ready delayed held retrying purged wrong_state overdue \
    free subject_full duplicate changed started forbidden protected missing damaged";

/// The words of addresses that are told as good, as worth knowing, and as bad.
const SAID_GOOD: &str = "cancel.cancelled cancel_subject.cancelled reinstate.delayed reinstate.at reinstate.moved \
    reinstate.held retry_now.ready reschedule.delayed hold.held unhold.delayed edit.delayed purge.purged \
    reveal.part duplicate.enqueued retry_failures.started mute.muted unmute.changed limit.changed pause.changed \
    resume.changed halt.changed desk.called_off desk.put_back desk.postponed desk.held desk.released settings.set \
    settings.appearance settings.tested import.taken import.restored worker.quiet worker.resume worker.stop \
    bulk.asked bulk.started view.saved account.password account.factor account.no_factor account.ended \
    account.proved account.proved_ahead people.saved people.removed people.revoked schedule.put.created \
    schedule.put.changed schedule.pause.changed schedule.resume.changed schedule.remove.changed schedule.run.job";
const SAID_PLAIN: &str = "cancel.requested cancel.already_finished reveal.not_hidden reveal.within enqueue.exists \
    duplicate.exists unmute.same limit.same pause.same resume.same halt.same desk.past desk.partly \
    desk.nothing_back desk.nothing settings.same worker.unchanged worker.stopping worker.claims bulk.aborted \
    view.removed schedule.put.unchanged schedule.pause.unchanged schedule.resume.unchanged";
const SAID_BAD: &str = "cancel_subject.too_many reinstate.overdue reinstate.wrong_state retry_now.wrong_state \
    reschedule.wrong_state hold.wrong_state unhold.wrong_state edit.wrong_state purge.wrong_state \
    reveal.no_such_part reveal.no_reason desk.conflict desk.goes_on worker.missing account.wrong account.differ \
    account.code account.wait account.busy account.first_over account.first_elsewhere account.invitation_over \
    account.short account.long account.common account.oidc_untrue account.oidc_away account.oidc_expired \
    account.oidc_denied account.oidc_group account.oidc_claim account.oidc_name account.oidc_taken \
    account.oidc_disabled account.oidc_unproved people.has_factor people.federated people.taken people.nobody \
    people.changed people.full people.token_taken people.token_powerless people.token_full people.last_admin \
    people.raised people.invalid error.signed_out error.prove_first error.too_far error.too_many error.rate_limited \
    error.export_running error.conflict error.duplicate error.setting_changed error.not_found error.bulk_conflict \
    error.lapsed error.invalid error.unavailable error.other_redis error.storage_full error.forbidden \
    error.internal schedule.put.full schedule.run.no_room schedule.conflict schedule.missing";

/// The keys of all words that [`known`] is asked for.
fn words_of_sets() -> Vec<String> {
    // The last two are only ever refused.
    let verbs = AuditSort::ALL.into_iter().flat_map(AuditSort::verbs).copied();
    let verbs = verbs.chain(["provider", "start_bulk"]);
    let limits = MATRIX.iter().flat_map(|rule| &rule.grants).filter_map(|grant| match grant {
        Grant::Limited(limit) => Some(*limit),
        Grant::No | Grant::Yes => None,
    });
    let conditions = MATRIX.iter().map(|rule| rule.condition).filter(|condition| !condition.is_empty());
    let bulk_verbs = || BulkVerb::ALL.into_iter().map(BulkVerb::as_str);
    let pages = || navigation::WORK.iter().chain(&navigation::UPKEEP).map(|page| page.word);
    let sets = [
        ("audit-verb", verbs.collect()),
        ("audit-halt", HaltReason::ALL.map(HaltReason::as_str).to_vec()),
        ("filter-field", Field::ALL.map(Field::as_str).to_vec()),
        ("bulk-state", BulkState::ALL.map(BulkState::as_str).to_vec()),
        ("bulk-word", OUTCOMES.split_whitespace().collect()),
        ("states", JobState::ALL.map(JobState::as_str).to_vec()),
        ("states-meaning", JobState::ALL.map(JobState::as_str).to_vec()),
        ("states-list", StateGroup::ALL.map(StateGroup::as_str).to_vec()),
        ("states-empty", StateGroup::ALL.map(StateGroup::as_str).to_vec()),
        ("settings-colour", Colour::ALL.map(Colour::as_str).to_vec()),
        ("account-role", Role::ALL.map(Role::as_str).to_vec()),
        ("job-result", "done failed snoozed released stalled unheard cancelled".split(' ').collect()),
        ("job-log", LogLevel::ALL.map(LogLevel::as_str).to_vec()),
        ("forecast-view", View::ALL.map(View::as_str).to_vec()),
        ("overview-range", "15m 1h 24h 7d 2m 30d".split(' ').collect()),
        ("schedules-field", FormField::ALL.map(FormField::as_str).to_vec()),
        ("frame-theme", Theme::ALL.map(Theme::as_str).to_vec()),
        ("settings-alert", AlertKind::ALL.map(AlertKind::as_str).to_vec()),
        ("settings-density", Density::ALL.map(Density::as_str).to_vec()),
        ("rights", MATRIX.iter().map(|rule| rule.action).collect()),
        ("rights-limit", limits.collect()),
        ("rights-when", conditions.collect()),
        ("said-good", SAID_GOOD.split_whitespace().collect()),
        ("said-plain", SAID_PLAIN.split_whitespace().collect()),
        ("said-bad", SAID_BAD.split_whitespace().collect()),
        (navigation::NAMES, pages().collect()),
        (navigation::WORDS, pages().collect()),
        (key_help::WHERE, key_help::GROUPS.map(|(place, _)| place).to_vec()),
        (key_help::DO, key_help::GROUPS.iter().flat_map(|(_, keys)| *keys).map(|(_, act)| *act).collect()),
        ("bulk-verb", bulk_verbs().chain(["ask", "retry"]).collect()),
        ("bulk-means", bulk_verbs().filter(|verb| *verb != "reschedule").collect()),
        ("bulk-felt", bulk_verbs().filter(|verb| *verb != "purge").collect()),
        ("schedules-missed", vec!["skip", "once", "all"]),
        ("schedules-overlap", vec!["allow", "skip"]),
        ("schedules-outcome", vec!["enqueued", "overlapped", "missed", "refused", "run_now"]),
        ("schedules-note", vec!["shifted", "first_of_two", "second_of_two"]),
        (
            "overview",
            "throughput throughput-unit lateness lateness-unit wait wait-unit run run-unit"
                .split(' ')
                .collect(),
        ),
        ("redis-verdict", vec!["good", "look", "wrong"]),
        ("import-type", vec!["string", "list", "set", "zset", "hash", "stream"]),
    ];
    sets.into_iter()
        .flat_map(|(set, words): (_, Vec<&str>)| words.into_iter().map(move |word| key_of(set, word)))
        .collect()
}

/// The keys and argument names of every `t!` in the sources, and the keys of the words of sets.
fn asked() -> BTreeMap<String, BTreeSet<String>> {
    let mut asked: BTreeMap<_, _> = words_of_sets().into_iter().map(|key| (key, BTreeSet::new())).collect();
    // What the engine writes is recognised by its sentences; fields fill those of tagged values.
    let of = |set, tags: Vec<String>| tags.into_iter().map(move |tag| key_of(set, &tag));
    let errors = || tags::<ApiError>("error");
    let found = || tags::<Finding>("found");
    let of_tags = of("errors", errors()).chain(of("errors-next", errors()));
    let of_tags = of_tags.chain(of("support-refused", errors()));
    let of_tags = of_tags.chain(of("redis-found", found())).chain(of("redis-advice", found()));
    let of_tags: BTreeSet<String> = of_tags.chain(of("redis-check", tags::<Check>(""))).collect();
    let is_of_values = |key: &String| {
        key.starts_with("import-said-") || key.starts_with("acts-why-") || of_tags.contains(key)
    };
    let acts = BulkVerb::ALL.map(BulkVerb::as_str).into_iter().chain(["retry"]);
    let acts = acts.map(|verb| key_of("bulk-act", verb));
    let counted = acts.chain(["2m", "1h", "24h", "30d"].map(|span| key_of("overview-due", span)));
    asked.extend(counted.map(|key| (key, ["count".to_owned()].into())));
    let places = || light::PLACES.map(str::to_owned).into();
    let of_script = light::SENTENCES.into_iter().chain(light::COUNTED);
    asked.extend(of_script.map(|key| (key.to_owned(), places())));
    asked.extend(messages("en").into_iter().filter(|(key, _)| is_of_values(key)));
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if !path.ends_with("words/tests.rs") && !path.ends_with("words.rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                let code: String = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
                for (place, call) in code.match_indices("t!(") {
                    // `format!(` and `assert!(` end alike.
                    if code[..place].ends_with(char::is_alphanumeric) {
                        continue;
                    }
                    let rest = code[place + call.len()..].trim_start();
                    let Some(rest) = rest.strip_prefix('"') else { continue };
                    let Some((key, rest)) = rest.split_once('"') else { continue };
                    if key.contains([' ', '{']) {
                        continue;
                    }
                    let names: BTreeSet<String> = asked.remove(key).unwrap_or_default();
                    asked.insert(key.to_owned(), names.into_iter().chain(arguments(rest)).collect());
                }
            }
        }
    }
    asked
}

/// The names before `=` up to the end of the call.
fn arguments(rest: &str) -> Vec<String> {
    let (mut depth, mut names, mut word) = (0_i32, Vec::new(), String::new());
    for c in rest.chars() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' if depth == 0 => break,
            ')' | ']' | '}' => depth -= 1,
            '=' if depth == 0 && !word.is_empty() => names.push(std::mem::take(&mut word)),
            ',' if depth == 0 => word.clear(),
            c if depth == 0 && (c.is_alphanumeric() || c == '_') => word.push(c),
            _ => {}
        }
    }
    names
}

#[test]
fn every_language_has_the_same_sentences_with_the_same_arguments() {
    let english = messages("en");
    let chinese = messages("zh-CN");
    assert!(english.len() > 10, "the files were not read");
    let only_english: Vec<_> = english.keys().filter(|key| !chinese.contains_key(*key)).collect();
    let only_chinese: Vec<_> = chinese.keys().filter(|key| !english.contains_key(*key)).collect();
    assert!(only_english.is_empty(), "not in Chinese: {only_english:?}");
    assert!(only_chinese.is_empty(), "not in English: {only_chinese:?}");
    for (key, arguments) in &english {
        assert_eq!(arguments, &chinese[key], "{key} takes other arguments in Chinese");
    }
}

#[test]
fn every_sentence_that_is_asked_for_exists_and_none_is_left_over() {
    let (english, asked) = (messages("en"), asked());
    let missing: Vec<_> = asked.keys().filter(|key| !english.contains_key(*key)).collect();
    assert!(missing.is_empty(), "asked for, but in no file: {missing:?}");
    for (key, arguments) in &english {
        let given = asked.get(key).unwrap_or_else(|| panic!("nobody asks for {key}"));
        assert!(arguments.is_subset(given), "{key} wants {arguments:?} and is given {given:?}");
    }
}

/// Each sentence is written out in full: one inside another hides what a translator has to fit.
#[test]
fn no_sentence_stands_in_another() {
    for tag in ["en", "zh-CN"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("locales").join(tag);
        for file in std::fs::read_dir(folder).unwrap() {
            let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
            for inner in text.split('{').skip(1) {
                let first = inner.trim_start().chars().next().unwrap();
                assert!(matches!(first, '$' | '"') || first.is_ascii_uppercase(), "{tag}: {{{inner}");
            }
        }
    }
}

#[test]
fn every_file_is_part_of_the_program() {
    for (language, tag) in [(Language::English, "en"), (Language::Chinese, "zh-CN")] {
        for key in messages(tag).keys() {
            assert!(of(language).get_message(key).is_some(), "{key} is in no list of {tag}");
        }
    }
}

#[test]
fn a_number_is_grouped_and_chooses_the_plural() {
    let counted = |language, count: u64| {
        let mut arguments = FluentArgs::new();
        arguments.set("count", count);
        said(language, "frame-jobs", Some(&arguments)).unwrap()
    };
    assert_eq!(counted(Language::English, 1), "1 job");
    assert_eq!(counted(Language::English, 1_204), "1,204 jobs");
    assert_eq!(counted(Language::Chinese, 1_204), "1,204 个任务");
}

#[test]
fn one_verb_cancels_a_job_from_the_button_to_the_audit() {
    let keys = [
        "acts-cancel",
        "acts-cancel-title",
        "acts-cancel-job",
        "acts-cancel-anyway",
        "said-good-cancel-cancelled",
        "job-says-cancelled",
        "job-says-cancelled-why",
        "jobs-called-off",
        "states-meaning-cancelled",
        "audit-verb-cancel",
    ];
    for key in keys {
        let english = said(Language::English, key, None).unwrap().to_lowercase();
        assert!(english.contains("cancel") && !english.contains("called off"), "{key}: {english}");
        let chinese = said(Language::Chinese, key, None).unwrap();
        assert!(chinese.contains("撤销"), "{key}: {chinese}");
    }
}

/// Keys of sentences, and what they call a thing.
const CHINESE_NAMES: [(&str, &str); 25] = [
    ("redis-replicas", "从节点"),
    ("redis-confirmed-by", "从节点"),
    ("overview-kept-replicas", "从节点"),
    ("redis-found-jobs-readable", "隔离"),
    ("redis-found-jobs-unreadable", "隔离"),
    ("overview-quarantined", "隔离"),
    ("import-writes-journal", "接管记录"),
    ("import-back-until", "接管记录"),
    ("import-said-kept-again", "接管记录"),
    ("bulk-tick", "勾选"),
    ("bulk-tick-all", "勾选"),
    ("frame-key-all", "勾选"),
    ("filter-density", "行高"),
    ("settings-density", "行高"),
    ("account-name", "用户名"),
    ("said-bad-account-wrong", "用户名"),
    ("said-bad-people-taken", "用户名"),
    ("account-said-name", "用户名"),
    ("support-find-any", "号码"),
    ("frame-search-number", "号码"),
    ("acts-undo", "恢复"),
    ("said-good-reinstate-delayed", "恢复"),
    ("audit-verb-reinstate", "恢复"),
    ("support-release", "恢复执行"),
    ("support-step-held", "恢复执行"),
];

#[test]
fn a_thing_has_one_name_on_all_screens_in_chinese() {
    for (key, name) in CHINESE_NAMES {
        let chinese = said(Language::Chinese, key, None).unwrap();
        assert!(chinese.contains(name), "{key}: {chinese}");
    }
}

#[test]
fn the_desk_has_no_word_of_queues() {
    let words = [
        ("en", ["job", "queue", "worker", "redis", "payload"]),
        ("zh-CN", ["任务", "队列", "工作进程", "redis", "到期"]),
    ];
    let owner = Owner::new();
    owner.set();
    for (language, (_, words)) in [Language::English, Language::Chinese].into_iter().zip(words) {
        provide_context(language);
        let refusals = [
            ApiError::Unavailable { sentence: t!("errors-redis-unreachable"), since: None },
            ApiError::Offline,
            ApiError::TooSlow,
            ApiError::OutcomeUnknown { is_once: false },
            ApiError::OutcomeUnknown { is_once: true },
            ApiError::NotFound,
            ApiError::StorageFull,
            ApiError::TooLarge,
            ApiError::TooFar { days_max: 400 },
            ApiError::Internal { request_id: "r-7".to_owned() },
        ];
        for error in refusals {
            let small = refused_at_desk(&error).to_lowercase();
            assert!(!words.iter().any(|word| small.contains(word)), "{small}");
        }
    }
    for (tag, words) in words {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("locales").join(tag).join("support.ftl");
        for line in std::fs::read_to_string(file).unwrap().lines().filter(|line| !line.starts_with('#')) {
            let small = line.to_lowercase();
            assert!(!words.iter().any(|word| small.contains(word)), "{tag}: {line}");
        }
    }
}

#[test]
fn one_of_something_is_not_said_as_many() {
    let table = [
        ("acts-why-attempts", "its one attempt used"),
        ("acts-why-batch-failed", "of its batch 1 is dead and 1 cancelled"),
        ("bulk-typed-wrong", "the run has 1 job; type that number"),
        ("settings-alert-dead-rule", "mail: more than one job dies within an hour"),
        ("settings-alert-unserved-rule", "mail: more than one ready job waits and nobody works on it"),
    ];
    let mut arguments = FluentArgs::new();
    for name in ["count", "dead", "cancelled", "over"] {
        arguments.set(name, 1);
    }
    arguments.set("queue", "mail");
    for (key, sentence) in table {
        assert_eq!(said(Language::English, key, Some(&arguments)).unwrap(), sentence);
    }
}
