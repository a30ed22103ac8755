//! Settings from file, environment and flags: the later wins, and all mistakes come at once.

use crate::support::{directory, run};
use clap::Parser;
use reprieve::model::{Delay, Missed, Overlap};
use reprieve_server::cli::{Cli, Command};
use reprieve_server::config::Flags;
use reprieve_server::config::{Config, LogFormat, Mistakes, RedisConfig};
use reprieve_sinks::Destination;
use std::fs;
use std::path::Path;
use std::time::Duration;

/// A secret that signs.
const HUSH: &str = "whsec_aHVzaGh1c2hodXNoaHVzaGh1c2hodXNo";

/// Settings from the text of a file, environment variables and flags.
fn load(file: &str, variables: &[(&str, &str)], arguments: &[&str]) -> Result<Config, Mistakes> {
    let directory = directory();
    let path = directory.path().join("reprieve.toml");
    fs::write(&path, file).unwrap();
    fs::write(directory.path().join("secret"), format!("{HUSH}\n")).unwrap();
    let mut flags = flags(arguments);
    flags.place.config = Some(path.to_str().unwrap().to_owned());
    let variable =
        |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
    Config::load_with(&flags, &variable)
}

fn flags(arguments: &[&str]) -> Flags {
    let words = ["reprieve", "serve"].iter().chain(arguments);
    match Cli::try_parse_from(words).unwrap().command {
        Command::Serve(flags) => flags,
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_mistake_is_told_at_once_with_its_line() {
    let file = r#"listen = "0.0.0.0:8080"
lisen = "127.0.0.1:1"
namespace = "a b"
redis = "http://example.com"

[serve]
allowed_hosts = ["good.example", 7, "a/b"]
wrok = true

[retention]
done = "a week"

[[webhook]]
kind = "mail.*"
url = "ftp://example.com"
timeout_ms = 0
secret_file = "nowhere"

[[webhook]]
url = "https://example.com"
alow_private = true

[[queue]]
name = "mail"
dead_most = 0
"#;

    let mistakes = load(
        file,
        &[("REPRIEVE_LOG_FORMAT", "xml"), ("REPRIEVE_TRACES", "https://traces.example")],
        &["--webhook", "nonsense"],
    )
    .unwrap_err();

    let lines: Vec<String> = mistakes
        .all()
        .iter()
        .map(|mistake| {
            let origin = mistake.origin.to_string();
            let place = origin.rsplit_once(" line ").map_or(origin.clone(), |(_, line)| line.to_owned());
            format!("{place}: {}", mistake.what)
        })
        .collect();
    let told = lines.join("\n");
    let expected = [
        ("1: ", "no TLS"),
        ("2: ", r#"did you mean "listen"?"#),
        ("3: ", "namespace contains"),
        ("4: ", "do not begin with http:"),
        ("7: ", "list of texts"),
        ("7: ", "is not a host name"),
        ("8: ", r#"did you mean "work"?"#),
        ("11: ", "is not a span of time"),
        ("15: ", "begins with ftp:"),
        ("16: ", "timeout_ms must be between"),
        ("17: ", "cannot be read"),
        ("19: ", "this [[webhook]] has no kind"),
        ("21: ", r#"did you mean "allow_private"?"#),
        ("25: ", "dead_most must be between 1"),
        ("REPRIEVE_LOG_FORMAT: ", "not known"),
        ("REPRIEVE_TRACES: ", "needs {trace} once"),
        ("--webhook: ", "has no '='"),
    ];
    for (place, what) in expected {
        let found = lines.iter().any(|line| line.starts_with(place) && line.contains(what));
        assert!(found, "{place}{what} is missing in\n{told}");
    }
    assert_eq!(lines.len(), expected.len(), "{told}");
    assert!(mistakes.to_string().starts_with("17 mistakes in the configuration:"), "{mistakes}");
}

#[test]
fn what_is_not_toml_is_told_with_its_line_too() {
    let mistakes = load("listen = \"127.0.0.1:1\"\nnamespace = \n", &[], &[]).unwrap_err();

    assert!(mistakes.all()[0].origin.to_string().ends_with("line 2"), "{mistakes}");
}

#[test]
fn the_later_layer_wins() {
    let file = "listen = \"127.0.0.1:1\"\nnamespace = \"file\"\ndata = \"from-file\"\nlog = \"json\"\n";

    let config = load(
        file,
        &[("REPRIEVE_LISTEN", "127.0.0.1:2"), ("REPRIEVE_NAMESPACE", "variable")],
        &["--listen", "127.0.0.1:3"],
    )
    .unwrap();

    assert_eq!(config.listen.address.port(), 3);
    assert_eq!(config.namespace.as_str(), "variable");
    assert_eq!(config.data, Path::new("from-file"));
    assert_eq!(config.log, LogFormat::Json);
}

#[test]
fn a_directory_named_on_the_command_line_puts_a_redis_of_an_earlier_layer_aside() {
    let embedded = RedisConfig::Embedded { program: None, maxmemory: None };
    let url = "redis://127.0.0.1:1";
    let file = format!("redis = \"{url}\"\n");
    let redis = |file: &str, variables: &[(&str, &str)], words: &[&str]| {
        load(file, variables, words).map(|config| config.redis)
    };
    assert_eq!(redis("", &[("REPRIEVE_REDIS", url)], &["--data", "staging"]), Ok(embedded.clone()));
    assert_eq!(redis(&file, &[], &["--data", "staging"]), Ok(embedded));
    let named = [("REPRIEVE_DATA", "staging")];
    assert!(
        matches!(redis(&file, &named, &[]), Ok(RedisConfig::External(_))),
        "the file may say where the data is"
    );

    let both = redis("", &[], &["--data", "staging", "--redis", url]).unwrap_err();
    assert!(both.to_string().contains("--redis: --data and --redis name two places"), "{both}");

    let variable = |name: &str| (name == "REPRIEVE_REDIS").then(|| url.to_owned());
    let demo = |words: &[&str]| {
        let demo = flags(words).or_data("demo-data");
        Config::load_with(&demo, &variable).map(|config| (config.redis, config.data))
    };
    let (redis, _) = demo(&[]).unwrap();
    assert!(matches!(redis, RedisConfig::External(_)), "a demo's own directory puts nothing aside");
    let (redis, data) = demo(&["--data", "staging"]).unwrap();
    assert_eq!((redis, data), (RedisConfig::Embedded { program: None, maxmemory: None }, "staging".into()));
    let both = demo(&["--data", "staging", "--redis", url]).unwrap_err();
    assert!(both.to_string().contains("--redis: --data and --redis name two places"), "{both}");
}

#[test]
fn the_entry_of_a_namespace_says_its_shards_where_no_flag_does() {
    let file = "namespace = \"shop\"\nshards = 16\n[[namespaces]]\nname = \"shop\"\nhost = \"shop.example\"\n\
                [[namespaces]]\nname = \"billing\"\nshards = 4\n";
    let shards =
        |variables: &[(&str, &str)], words: &[&str]| load(file, variables, words).unwrap().machines.shards;
    assert_eq!(shards(&[], &[]), 16);
    assert_eq!(shards(&[], &["--namespace", "billing"]), 4);
    assert_eq!(shards(&[("REPRIEVE_SHARDS", "2")], &[]), 2);
    assert_eq!(shards(&[("REPRIEVE_SHARDS", "2")], &["--namespace", "billing"]), 4);
    assert_eq!(shards(&[], &["--namespace", "billing", "--shards", "3"]), 3);

    for wrong in ["0", "257", "70000"] {
        let file = format!("[[namespaces]]\nname = \"billing\"\nshards = {wrong}\n");
        let mistakes = load(&file, &[], &[]).unwrap_err().to_string();
        assert!(mistakes.contains("line 3: shards must be between 1 and 256"), "{mistakes}");
    }
}

#[test]
fn two_namespaces_under_one_host_name_are_refused_where_they_would_be_shown() {
    let billing = |host: &str| format!("[[namespaces]]\nname = \"billing\"\nhost = \"{host}\"\n");
    let allowed = |host: &str| format!("[serve]\nallowed_hosts = [\"{host}\"]\n{}", billing(host));
    let post = "[[namespaces]]\nname = \"post\"\nhost = \"billing.localhost\"\n".to_owned();
    for (file, words, line) in [
        (allowed("https://jobs.example"), &[][..], "line 5: namespaces billing and default have"),
        (billing("localhost"), &[], "line 3: namespaces billing and default have"),
        (post, &["--namespace", "shop,billing"], "line 3: namespaces post and billing have"),
        (
            "[serve]\nallowed_hosts = [\"billing.localhost\"]\n".to_owned(),
            &["--namespace", "shop,billing"],
            "--namespace: namespaces billing and shop have",
        ),
    ] {
        let mistakes = load(&file, &[], words).unwrap_err().to_string();
        assert!(mistakes.contains(line), "{file}: {mistakes}");
    }
    // The main one has the first that is no other's.
    for allowed in ["\"jobs.example\", \"billing.example\"", "\"billing.example\", \"jobs.example\""] {
        let apart = format!("[serve]\nallowed_hosts = [{allowed}]\n{}", billing("billing.example"));
        assert_eq!(load(&apart, &[], &[]).unwrap().host.name, "jobs.example", "{allowed}");
    }

    // A verb acts in a namespace and shows none.
    let directory = directory();
    let path = directory.path().join("reprieve.toml");
    fs::write(&path, billing("localhost")).unwrap();
    let mut verb = flags(&["--namespace", "scratch"]);
    (verb.place.config, verb.shows_nothing) = (Some(path.to_str().unwrap().to_owned()), true);
    Config::load_with(&verb, &|_| None).unwrap();
}

#[test]
fn a_program_and_a_verb_know_as_many_shards_of_a_second_namespace() {
    let entry = "[[namespaces]]\nname = \"billing\"\n";
    let variable: &[(&str, &str)] = &[("REPRIEVE_SHARDS", "2")];
    for (file, variables, expected) in [
        (String::new(), &[][..], 1),
        (entry.to_owned(), &[], 1),
        (format!("{entry}shards = 4\n"), &[], 4),
        (format!("shards = 16\n{entry}"), &[], 16),
        (format!("shards = 16\n{entry}shards = 4\n"), &[], 4),
        (format!("shards = 16\n{entry}"), variable, 2),
        (format!("{entry}shards = 4\n"), variable, 4),
    ] {
        let verb = load(&file, variables, &["--namespace", "billing"]).unwrap();
        let serve = ["--namespace", "shop,billing", "--shards", "8"];
        let program = load(&file, variables, &serve).unwrap();
        let [billing] = &program.extra_namespaces[..] else { panic!("{:?}", program.extra_namespaces) };
        assert_eq!((verb.machines.shards, program.machines.shards), (expected, 8), "{file}");
        assert_eq!(billing.shards.unwrap_or(1), expected, "{file}");
    }
}

#[test]
fn a_whole_configuration_is_read() {
    let directory = directory();
    let secret = directory.path().join("secret");
    fs::write(&secret, format!("{HUSH}\n")).unwrap();
    let file = format!(
        r#"
redis_server = "/usr/bin/valkey-server"
redis_maxmemory = "2GB"
[serve]
allowed_hosts = ["https://jobs.example"]
work = false
traces = "https://traces.example/{{trace}}"
[retention]
done = "2d"
undo_window = "12h"
[[queue]]
name = "slow"
dead = "30d"
dead_most = 5
[[webhook]]
kind = "mail.*"
queue = "slow"
url = "https://example.com/hook"
secret_file = "{}"
timeout_ms = 2500
allow_private = true
"#,
        secret.display()
    );

    let config = load(&file, &[], &["--webhook", "*=https://hooks.example/all"]).unwrap();

    assert!(!config.work);
    assert!(config.listen.allowed_hosts[0].https);
    assert!(
        config
            .traces
            .as_ref()
            .is_some_and(|page| page.of("00-0af7651916cd43dd8448eb211c80319c-1-01").is_some())
    );
    assert_eq!(config.retention.done, Some(Delay::days(2)));
    assert_eq!(config.retention.undo_window, Some(Delay::hours(12)));
    assert_eq!(config.retention.dead, None, "what is not said stays as people have set it");
    let kept = config.queues[0].retention;
    assert_eq!((kept.dead, kept.dead_most, kept.done_most), (Some(Delay::days(30)), Some(5), None));
    let RedisConfig::Embedded { program, maxmemory } = &config.redis else { panic!("{:?}", config.redis) };
    assert!(program.as_ref().is_some_and(|path| path.ends_with("valkey-server")));
    assert_eq!(maxmemory.as_deref(), Some("2gb"));
    let [flag, file] = config.webhooks.as_slice() else { panic!("{:?}", config.webhooks) };
    assert_eq!(flag.kind.as_str(), "*");
    assert_eq!(file.queue.as_ref().unwrap().as_str(), "slow");
    assert_eq!(file.timeout, Duration::from_millis(2500));
    assert_eq!(file.secret.as_ref().unwrap().expose(), HUSH);
    assert!(file.allow_private && !flag.allow_private);
    assert!(!format!("{config:?}").contains(HUSH));
}

#[test]
fn a_webhook_of_the_command_line_is_allowed_by_a_flag() {
    for url in ["http://127.0.0.1:9000/", "https://127.0.0.1:9000/"] {
        let mistakes = load("", &[], &["--webhook", &format!("delete_*={url}")]).unwrap_err().to_string();
        assert!(mistakes.contains("--webhook-allow-private allows"), "{mistakes}");
        assert!(!mistakes.contains("allow_private = true"), "{mistakes}");
    }
}

#[test]
fn a_webhook_that_could_not_be_started_is_a_mistake_of_the_settings() {
    let directory = directory();
    let secret = directory.path().join("secret");
    fs::write(&secret, "no secret\n").unwrap();
    let file = format!(
        "[[webhook]]\nkind = \"a\"\nurl = \"http://hooks.example/T0KEN\"\n\
         [[webhook]]\nkind = \"b\"\nurl = \"https://10.0.0.1/T0KEN\"\n\
         [[webhook]]\nkind = \"c\"\nurl = \"https://hooks.example/\"\nsecret_file = \"{}\"\n",
        secret.display()
    );
    fs::write(directory.path().join("reprieve.toml"), file).unwrap();

    for start in [&["serve", "--data", "data"][..], &["worker", "--data", "data"]] {
        let (status, said) = run(start, directory.path());
        assert_eq!(status.code(), Some(2), "{said}");
        for mistake in
            ["line 3: the webhook for kind a: it is not https", "line 6: the webhook for kind b", "line 10: "]
        {
            assert!(said.contains(mistake), "{mistake}: {said}");
        }
        assert!(!said.contains("T0KEN") && !said.contains("no secret\n"), "{said}");
    }
}

#[test]
fn a_webhook_behind_a_prefix_of_nat64_is_judged_by_the_address_it_leads_to() {
    let file = |nat64: &str, host: &str| {
        format!("outgoing_nat64 = {nat64}\n[[webhook]]\nkind = \"*\"\nurl = \"https://[{host}]/\"\n")
    };
    let own = r#"["2001:db8:64::/96", "2a00:64::/96"]"#;
    let config = load(&file(own, "2001:db8:64::8.8.8.8"), &[], &[]).unwrap();
    assert_eq!(config.outgoing.nat64.len(), 2);
    load(&file("[]", "2a00:64::10.0.0.1"), &[], &[]).unwrap();
    let of_environment = [("REPRIEVE_OUTGOING_NAT64", "2a00:64::/96")];
    for (nat64, variables) in [(own, &[][..]), ("[]", &of_environment[..])] {
        let mistakes = load(&file(nat64, "2a00:64::10.0.0.1"), variables, &[]).unwrap_err();
        let said = mistakes.to_string();
        assert!(said.contains(":4: ") || said.contains("line 4"), "{said}");
        assert!(said.contains("2a00:64::a00:1, which leads to 10.0.0.1"), "{said}");
    }
    for wrong in ["2001:db8:64::/95", "2001:db8:64::1", "10.0.0.0/8", "64"] {
        let mistakes = load(&file(&format!("[{wrong:?}]"), "2606:4700::1111"), &[], &[]).unwrap_err();
        assert!(mistakes.to_string().contains("is not a NAT64 prefix"), "{mistakes}");
    }
}

#[test]
fn the_audit_has_a_bound_and_goes_where_it_is_told() {
    let audit =
        |file: &str, variables: &[(&str, &str)]| load(file, variables, &[]).map(|config| config.audit);
    let usual = audit("", &[]).unwrap();
    assert_eq!((usual.most.entries, usual.most.bytes, usual.archive), (1_000_000, 256 << 20, None));
    let file = "audit_entries = 0\naudit_bytes = 0\naudit_archive = \"a\"\n";
    let said = audit(file, &[("REPRIEVE_AUDIT_ENTRIES", "5000")]).unwrap();
    assert_eq!((said.most.entries, said.most.bytes), (5_000, 0));
    assert_eq!(said.archive.as_deref(), Some(Path::new("a")));
    let of_environment = audit(file, &[("REPRIEVE_AUDIT_BYTES", "1048576")]).unwrap();
    assert_eq!((of_environment.most.entries, of_environment.most.bytes), (0, 1 << 20));
    let mistakes = audit("audit_entries = 999\naudit_bytes = 1048575\n", &[]).unwrap_err().to_string();
    assert!(
        mistakes.contains("is not a number of entries") && mistakes.contains("is not a number of bytes"),
        "{mistakes}"
    );
}

#[test]
fn a_password_belongs_in_no_command_line() {
    let url = "redis://:canary@127.0.0.1:6379";

    let mistakes = load("", &[], &["--redis", url]).unwrap_err();
    let config = load("", &[("REPRIEVE_REDIS", url)], &[]).unwrap();

    assert!(mistakes.to_string().contains("REPRIEVE_REDIS") && !mistakes.to_string().contains("canary"));
    assert!(!format!("{config:?}").contains("canary"));
}

#[test]
fn an_address_that_others_could_reach_is_refused_with_the_way_out() {
    let directory = directory();
    for address in ["0.0.0.0:0", "[::]:0", "192.0.2.1:80"] {
        let (status, said) = run(&["serve", "--listen", address, "--data", "data"], directory.path());

        assert_eq!(status.code(), Some(2), "{said}");
        assert!(said.contains("no TLS") && said.contains("ssh -L"), "{said}");
        assert!(!directory.path().join("data").exists(), "nothing was begun");
    }
}

#[test]
fn a_rule_may_protect_a_kind_and_says_something_at_least() {
    let rules = |text: &str| {
        load(&format!("[[rule]]\nkind = \"notice\"\n{text}"), &[], &[]).map(|config| config.rules)
    };
    let [rule] = rules("protected = true").unwrap().try_into().unwrap();
    assert!(rule.protected && rule.window.is_none() && rule.lateness.is_none());
    let [late] = rules("late = \"1h\"").unwrap().try_into().unwrap();
    assert!(!late.protected);
    for nothing in ["", "protected = false"] {
        let mistakes = rules(nothing).unwrap_err().to_string();
        assert!(mistakes.contains("a rule needs hours, late, or protected = true"), "{mistakes}");
    }
}

#[test]
fn cron_entries_are_read_with_all_they_say() {
    let file = r#"
[[cron]]
name = "nightly-report"
schedule = "30 2 * * *"
zone = "Europe/Berlin"
overlap = "skip"
missed = "once"
kind = "report"
queue = "reports"
subject = "account:all"
payload = '{"full": true}'
priority = 1
max_attempts = 3
timeout = "10min"
retention = "30d"
tags = ["nightly"]
"#;
    let [entry] = load(file, &[], &[]).unwrap().cron.try_into().unwrap();
    assert_eq!(
        (entry.name.as_str(), entry.schedule.as_str(), entry.zone.as_str()),
        ("nightly-report", "30 2 * * *", "Europe/Berlin")
    );
    assert_eq!((entry.overlap, entry.missed), (Overlap::Skip, Missed::Once));
    assert_eq!((entry.queue.as_str(), entry.subject.unwrap().as_str()), ("reports", "account:all"));
    assert_eq!(
        (entry.payload, entry.priority.as_u8(), entry.max_attempts),
        (b"{\"full\": true}".to_vec(), 1, Some(3))
    );
    assert_eq!((entry.timeout, entry.retention), (Some(Delay::minutes(10)), Some(Delay::days(30))));
    assert_eq!(entry.tags, ["nightly"]);
}

#[test]
fn a_cron_entry_without_a_payload_has_null() {
    let file = "[[cron]]\nname = \"n\"\nschedule = \"@daily\"\nkind = \"report\"\n";
    let [entry] = load(file, &[], &[]).unwrap().cron.try_into().unwrap();
    assert_eq!(entry.payload, b"null");
}

#[test]
fn the_payload_of_a_cron_entry_is_read_as_strictly_as_over_http() {
    let deep = format!("{}{}", "[".repeat(65), "]".repeat(65));
    for (payload, why) in
        [(r#"{"a":1,"a":2}"#, "has the key \"a\" twice"), (deep.as_str(), "is nested deeper than 64 levels")]
    {
        let file = format!(
            "[[cron]]\nname = \"n\"\nschedule = \"@daily\"\nkind = \"report\"\npayload = '{payload}'\n"
        );
        let mistakes = load(&file, &[], &[]).unwrap_err().to_string();
        assert!(mistakes.contains(&format!("line 5: the payload {why}")), "{mistakes}");
    }
}

#[test]
fn a_spread_that_is_not_shorter_than_its_hours_is_a_mistake_of_its_line() {
    let rule = |hours: &str, spread: &str| {
        let file = format!("[[rule]]\nkind = \"k\"\nhours = \"{hours}\"\nspread = \"{spread}\"\n");
        load(&file, &[], &[]).map(|config| config.rules.len())
    };
    for (hours, most, less) in [("08:00-09:00", "1h", "59m"), ("22:00-06:00", "8h", "7h")] {
        let mistakes = rule(hours, most).unwrap_err().to_string();
        assert!(mistakes.contains("line 4: a spread is shorter than its hours"), "{mistakes}");
        assert_eq!(rule(hours, less), Ok(1), "{hours}");
    }
}

#[test]
fn a_span_beyond_a_thousand_years_is_a_mistake_of_its_line() {
    let file = r#"[retention]
done = "400000d"
undo_window = "366000d"

[[queue]]
name = "mail"
dead = "400000d"

[[rule]]
kind = "mail"
late = "9000000000h"
"#;
    let mistakes = load(file, &[], &[]).unwrap_err();
    for line in [2, 7, 11] {
        let place = format!("line {line}: ");
        let told = mistakes.to_string();
        assert!(
            told.lines().any(|it| it.contains(&place) && it.contains("a thousand years")),
            "{line}: {told}"
        );
    }
    assert_eq!(mistakes.all().len(), 3, "{mistakes}");
}

#[test]
fn every_mistake_in_a_cron_entry_has_its_line() {
    let file = r#"[[cron]]
name = "a b"
schedule = "0 0 30 2 *"
zone = "Mars/Olympus"
overlap = "never"
missed = "some"
kind = "report"
payload = "{"
priority = 12
max_attempts = 0
timeout = "soon"
when = "now"

[[cron]]
schedule = "@every 10ms"

[[cron]]
name = "twice"
schedule = "@daily"
kind = "report"

[[cron]]
name = "twice"
schedule = "@daily"
kind = "report"

[[cron]]
name = "words"
schedule = "@daily"
kind = "report"
tags = ["two words"]

[[cron]]
name = "hasty"
schedule = "@daily"
kind = "report"
timeout = "0s"
"#;
    let large = format!(
        "\n[[cron]]\nname = \"large\"\nschedule = \"@daily\"\nkind = \"report\"\npayload = '\"{}\"'\n",
        "x".repeat(300_000)
    );
    let file = &format!("{file}{large}");
    let mistakes = load(file, &[], &[]).unwrap_err();
    let shown: Vec<String> = mistakes.to_string().lines().skip(1).map(str::to_owned).collect();
    for (line, part) in [
        (2, "cron entry contains ' '"),
        (3, "never fires"),
        (4, "is not known"),
        (5, "overlap is"),
        (6, "missed is"),
        (8, "payload is not JSON"),
        (9, "priority must be between 0 and 9"),
        (10, "max_attempts must be between 1"),
        (11, "is not a span of time"),
        (12, "unknown key \"when\""),
        (14, "this [[cron]] has no name"),
        (14, "this [[cron]] has no kind"),
        (15, "at most once a second"),
        (22, "two [[cron]] named twice"),
        (27, "cannot be declared: tags"),
        (33, "cannot be declared: timeout"),
        (39, "cannot be declared: the payload"),
    ] {
        let place = format!("reprieve.toml line {line}: ");
        assert!(shown.iter().any(|it| it.contains(&place) && it.contains(part)), "{line} {part}: {shown:#?}");
    }
    assert_eq!(shown.len(), 17, "{shown:#?}");
}

#[test]
fn sinks_are_read_with_their_limits() {
    let file = r#"
[[sink]]
name = "python"
type = "stream"
queues = ["mail", "sms"]
stream = "orders"
group = "workers"
timeout_ms = 60000
outstanding = 500
reply = "orders:replies"

[[sink]]
name = "go"
type = "asynq"
queues = ["heavy"]
asynq_queue = "default"
max_retry = 3
"#;

    let config = load(file, &[], &[]).unwrap();

    let [python, go] = config.sinks.as_slice() else { panic!("{:?}", config.sinks) };
    assert_eq!((python.timeout, python.outstanding, python.queues.len()), (Delay::minutes(1), 500, 2));
    assert!(matches!(&python.destination, Destination::Stream { group, .. } if group == "workers"));
    assert!(matches!(&go.destination, Destination::Asynq { max_retry: 3, .. }));
}

#[test]
fn every_mistake_in_a_sink_is_told_with_its_line() {
    for (sink, told) in [
        ("type = \"topic\"", "\"topic\" is not a sink; there are stream, list and asynq"),
        ("type = \"list\"", "this [[sink]] has no list"),
        ("type = \"list\"\nlist = \"a\"\ngroup = \"b\"", "unknown key \"group\""),
        ("type = \"list\"\nlist = \"reprieve:{default}:events\"", "as Reprieve's own keys do"),
        ("type = \"list\"\nlist = \"a\"\ntimeout_ms = 5", "is 5 ms, 100 ms to 7 days are allowed"),
        ("type = \"list\"\nlist = \"a\"\noutstanding = 5000", "is 5000, 1 to 1000 are allowed"),
        ("type = \"stream\"\nstream = \"a\"", "this [[sink]] has no group"),
        ("type = \"asynq\"\nasynq_queue = \"a}b\"", "holds a brace"),
        ("type = \"asynq\"\nasynq_queue = \"a\"\nmax_retry = 99999", "max_retry must be between 0 and 65535"),
    ] {
        let file = format!("[[sink]]\nname = \"o\"\nqueues = [\"q\"]\n{sink}\n");
        let mistakes = load(&file, &[], &[]).unwrap_err().to_string();
        assert!(mistakes.contains(told) && mistakes.contains("line"), "{sink}: {mistakes}");
    }
    let nameless = load("[[sink]]\ntype = \"list\"\nlist = \"a\"\n", &[], &[]).unwrap_err().to_string();
    assert!(nameless.contains("this [[sink]] has no name"), "{nameless}");
}

#[test]
fn two_that_would_take_each_others_jobs_are_told_apart_before_they_start() {
    let sink = |name: &str, queue: &str| {
        format!("[[sink]]\nname = \"{name}\"\ntype = \"list\"\nlist = \"l\"\nqueues = [\"{queue}\"]\n")
    };
    let asynq =
        "[[sink]]\nname = \"o\"\ntype = \"asynq\"\nasynq_queue = \"low\"\nqueues = [\"q\"]\n".to_owned();
    let import = "[[import]]\nname = \"i\"\nformat = \"asynq\"\nqueues = [\"mail\", \"low\"]\n";
    let hook = "[[webhook]]\nkind = \"a\"\nurl = \"https://example.com\"\n";
    for (file, told) in [
        (sink("o", "q") + &sink("p", "q"), "sink p takes from queue q, as sink o does"),
        (sink("o", "q") + &sink("o", "r"), "there are two [[sink]] named o"),
        (sink("o", "q") + hook, "as the webhook for kind a does; give one of them a queue of its own"),
        (sink("o", "q") + hook + "queue = \"q\"\n", "give one of them another queue"),
        (asynq.clone() + import, "sink o publishes to asynq's queue low, from which importer i takes"),
        (
            sink("o", "q") + &asynq.replace("\"o\"", "\"p\"").replace("\"q\"", "\"r\"") + "reply = \"l\"\n",
            "sink p reads reports from l, to which sink o publishes",
        ),
        (sink("o", "q") + "reply = \"l\"\n", "reply of sink o is where it publishes to"),
        (
            sink("o", "q").replace("\"l\"", "\"orders:{}\"") + "reply = \"orders:{default}\"\n",
            "sink o reads reports from orders:{default}, to which sink o publishes",
        ),
        (
            sink("o", "q")
                + "reply = \"asynq:{}:pending\"\n"
                + &asynq.replace("\"o\"", "\"p\"").replace("\"q\"", "\"r\"").replace("low", "default"),
            "sink o reads reports from asynq:{}:pending, to which sink p publishes",
        ),
    ] {
        let mistakes = load(&file, &[], &[]).unwrap_err().to_string();
        assert!(mistakes.contains(told), "{mistakes}");
    }
    assert!(load(&(sink("o", "q") + hook + "queue = \"r\"\n"), &[], &[]).is_ok());
    let elsewhere = asynq + import + "redis = \"redis://old:6379\"\n";
    assert!(load(&elsewhere, &[], &[]).is_ok(), "another Redis has another queue of that name");
}

#[test]
fn a_provider_is_read_with_its_groups_and_its_secret_comes_from_a_file_or_the_environment() {
    let directory = directory();
    let secret = directory.path().join("oidc");
    fs::write(&secret, "from the file\n").unwrap();
    let file = format!(
        r#"
[oidc]
issuer = "https://login.example/realms/staff"
client_id = "reprieve"
client_secret_file = "{}"
scopes = ["profile", "groups"]

[[oidc.group]]
name = "Jobs Admins"
role = "admin"

[[oidc.group]]
name = "support"
role = "support"
queues = ["mail", "sms"]
namespaces = ["billing"]
"#,
        secret.display()
    );

    let oidc = load(&file, &[], &[]).unwrap().oidc.unwrap();

    assert_eq!(
        (oidc.issuer.as_str(), oidc.label.as_str()),
        ("https://login.example/realms/staff", "OpenID Connect")
    );
    assert_eq!(oidc.scopes, ["openid", "profile", "groups"]);
    assert_eq!(oidc.client_secret.unwrap().expose(), "from the file");
    assert_eq!((oidc.groups[0].name.as_str(), oidc.groups[0].queues.len()), ("Jobs Admins", 0));
    assert_eq!(oidc.groups[1].queues, ["mail".parse().unwrap(), "sms".parse().unwrap()]);
    assert_eq!(oidc.groups[1].namespaces, ["billing".parse().unwrap()]);

    let variables = [("REPRIEVE_OIDC_CLIENT_SECRET", "from the environment")];
    let config = load(&file, &variables, &[]).unwrap();
    assert!(!format!("{config:?}").contains("from the"), "secrets are not printed");
    assert_eq!(config.oidc.unwrap().client_secret.unwrap().expose(), "from the environment");
}

#[test]
fn a_provider_that_could_let_in_the_wrong_people_is_a_mistake() {
    let group = "\n[[oidc.group]]\nname = \"a\"\nrole = \"viewer\"\n";
    let good = "[oidc]\nissuer = \"https://login.example\"\nclient_id = \"a\"\n";
    for (file, told) in [
        (good.to_owned(), "this needs 1 to 200"),
        (format!("{good}client_secret = \"hush\"\n{group}"), "unknown key"),
        (format!("[oidc]\nissuer = \"http://login.example\"\nclient_id = \"a\"\n{group}"), "not https"),
        (format!("[oidc]\nclient_id = \"a\"\n{group}"), "has no issuer"),
        (format!("{good}{group}queues = [\"a b\"]\n"), "queue"),
        (format!("{good}{group}namespaces = [\"a b\"]\n"), "namespace"),
        (format!("{good}{}", group.replace("viewer", "root")), "role"),
        (format!("{good}scopes = [\"a b\"]\n{group}"), "scope"),
        (format!("{good}{group}\n[serve]\nlogin = \"off\"\n"), "login off"),
    ] {
        let mistakes = load(&file, &[], &[]).unwrap_err();
        let all: Vec<_> = mistakes.all().iter().map(|mistake| mistake.what.as_str()).collect();
        assert!(all.join("\n").contains(told), "{file}: {all:?}");
    }
}

#[test]
fn a_proxy_is_believed_with_a_long_secret_and_headers_of_its_own() {
    let directory = directory();
    let (long, short) = (directory.path().join("long"), directory.path().join("short"));
    fs::write(&long, "sixteen bytes and more\n").unwrap();
    fs::write(&short, "hush\n").unwrap();
    let file = |secret: &Path, more: &str| {
        let group = "\n[[proxy.group]]\nname = \"a\"\nrole = \"viewer\"\n";
        format!("[proxy]\nsecret_file = \"{}\"\n{more}{group}", secret.display())
    };
    let proxy = load(&file(&long, ""), &[], &[]).unwrap().proxy.unwrap();
    assert_eq!(proxy.from, ["127.0.0.1/32".parse().unwrap(), "::1/128".parse().unwrap()]);
    let proxy =
        load(&file(&long, "from = [\"10.0.0.0/8\", \"::1\"]\nname_header = \"Remote-User\"\n"), &[], &[]);
    let proxy = proxy.unwrap().proxy.unwrap();
    assert_eq!((proxy.from.len(), proxy.name_header.as_str()), (2, "remote-user"));

    for (secret, more, told) in [
        (&short, "", "shorter than 16"),
        (&long, "from = [\"everywhere\"]\n", "neither an address nor a network"),
        (&long, "name_header = \"cookie\"\n", "means something else"),
        (&long, "name_header = \"a b\"\n", "not the name of a header"),
        (&long, "name_header = \"x-proxy-secret\"\n", "are the same"),
    ] {
        let mistakes = load(&file(secret, more), &[], &[]).unwrap_err();
        let all: Vec<_> = mistakes.all().iter().map(|mistake| mistake.what.as_str()).collect();
        assert!(all.join("\n").contains(told), "{more}: {all:?}");
    }
}

#[test]
fn proxies_are_trusted_by_address_and_never_everywhere() {
    let directory = directory();
    let secret = directory.path().join("secret");
    fs::write(&secret, "sixteen bytes and more\n").unwrap();
    let serve = "[serve]\ntrusted_proxies = [\"10.0.0.7\", \"10.1.0.0/16\"]\n";
    let nets = |all: &[&str]| all.iter().map(|net| net.parse().unwrap()).collect::<Vec<_>>();
    assert!(load("", &[], &[]).unwrap().listen.trusted_proxies.is_empty(), "nobody unless somebody says so");
    let config =
        load(serve, &[("REPRIEVE_TRUSTED_PROXIES", "::1, 10.0.0.9")], &["--trusted-proxy", "10.0.0.8"])
            .unwrap();
    let all = nets(&["10.0.0.7/32", "10.1.0.0/16", "::1/128", "10.0.0.9/32", "10.0.0.8/32"]);
    assert_eq!(config.listen.trusted_proxies, all);

    // One that signs people in is among them, unless it has a place of its own.
    let proxy = |from: &str| {
        let group = "[[proxy.group]]\nname = \"a\"\nrole = \"viewer\"\n";
        format!("{serve}[proxy]\nsecret_file = \"{}\"\n{from}{group}", secret.display())
    };
    let from = |file: &str| load(file, &[], &[]).unwrap().proxy.unwrap().from;
    assert_eq!(from(&proxy("")), nets(&["10.0.0.7/32", "10.1.0.0/16"]));
    assert_eq!(from(&proxy("from = [\"10.0.0.1\"]\n")), nets(&["10.0.0.1/32"]));

    for (net, told) in [
        ("proxy.example", "neither an address"),
        ("10.0.0.7:80", "neither an address"),
        ("10.0.0.0/33", "neither an address"),
        ("0.0.0.0/0", "is everybody"),
        ("::/0", "is everybody"),
    ] {
        let mistakes = load("", &[], &["--trusted-proxy", net]).unwrap_err();
        let all: Vec<_> = mistakes.all().iter().map(|mistake| mistake.what.as_str()).collect();
        assert!(all.join("\n").contains(told), "{net}: {all:?}");
    }
}
