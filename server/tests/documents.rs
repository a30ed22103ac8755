//! The commands of the documents, run as they stand: those of each in a directory and on a program of their own.

use crate::support::{directory, program};
use std::collections::VecDeque;
use std::fmt::Write as _;
use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;

/// Documents run at once: each is a program, a Redis and a shell.
const AT_ONCE: usize = 3;

/// What only a machine of its own can do, which `cargo xtask dist --check` gives it, or a server that is not here.
const ELSEWHERE: [&str; 7] =
    ["cargo ", "sudo ", "docker ", "npm ", "jobs.example.com:8443", "redis://old:6379", "redis+cluster://"];

/// What a reader already has when they open a document, besides an empty dashboard without sign-in. `<name>` in a command is
/// what the function `name` prints.
fn before(document: &str) -> &'static str {
    match document {
        "docs/how-to/audit.md" => {
            "reprieve enqueue notice --id one --in 1h && reprieve cancel one\n\
             hash() { reprieve audit verify | grep -o '[0-9a-f]\\{40\\}'; }"
        }
        "docs/how-to/bulk.md" => {
            "for n in 1 2 3; do reprieve enqueue notice --queue mail --in 1h; done\n\
             run() { reprieve bulk list | grep -om 1 '[0-9a-f]\\{8\\}-[-0-9a-f]*'; }"
        }
        "docs/how-to/settings.md" => {
            "reprieve enqueue send_notice '{\"customer\": {\"phone\": \"555 0100\"}}' --in 1h --id delete-4711"
        }
        "docs/how-to/retention.md" => {
            "reprieve enqueue notice --subject resource:4711 --id one --in 1h && reprieve cancel one"
        }
        "docs/reference/cli.md" => {
            "reprieve enqueue delete_resource '{\"id\": 4711}' --in 30d --id delete-4711\n\
             echo '{\"days\": 7}' > report.json\n\
             echo '{\"kind\": \"report\", \"delay_ms\": 1000}' > jobs.jsonl"
        }
        "docs/reference/filters.md" | "docs/reference/http.md" => {
            "TOKEN=$(reprieve token add earlier --may view --may lists.export | grep rpv_)\n\
             reprieve enqueue notice --id delete-4711 --in 1h"
        }
        _ => "",
    }
}

/// A block of commands, and the line where it stands.
struct Block {
    line: usize,
    commands: String,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// Every document of readers, as a path from the root.
fn documents() -> VecDeque<PathBuf> {
    let mut found = VecDeque::from([PathBuf::from("README.md")]);
    for folder in ["docs/tutorial", "docs/how-to", "docs/reference", "docs/explanation"] {
        for file in fs::read_dir(root().join(folder)).unwrap() {
            let name = file.unwrap().file_name();
            found.push_back(Path::new(folder).join(name));
        }
    }
    found
}

/// The blocks of a document that are for a shell.
fn blocks(text: &str) -> Vec<Block> {
    let (mut found, mut open) = (Vec::new(), None::<Block>);
    for (line, text) in (1..).zip(text.lines()) {
        match &mut open {
            Some(_) if text.starts_with("```") => found.extend(open.take()),
            Some(block) => writeln!(block.commands, "{text}").unwrap(),
            None if text == "```sh" => open = Some(Block { line: line + 1, commands: String::new() }),
            None => {}
        }
    }
    found.retain(|block| !ELSEWHERE.iter().any(|word| block.commands.contains(word)));
    found
}

/// A port that nobody has at the moment.
fn free_port() -> String {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port().to_string()
}

/// Puts what the function `name` prints in the place of each `<name>`.
fn filled_in(commands: &str) -> String {
    let mut parts = commands.split('<');
    let mut filled = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let name: String = part.chars().take_while(char::is_ascii_lowercase).collect();
        match part[name.len()..].strip_prefix('>') {
            Some(rest) if !name.is_empty() => write!(filled, "$({name}){rest}").unwrap(),
            _ => write!(filled, "<{part}").unwrap(),
        }
    }
    filled
}

/// Wrappers around three programs. `serve` runs in the background, one at a time, and returns once it answers; `curl` fails if
/// the answer is a refusal, and leaves a stream after two seconds; `redis-cli` finds the Redis of the program.
fn put_programs(bin: &Path, port: &str) {
    let real = program();
    let serve = format!(
        "#!/bin/bash\n\
         [ \"$1\" = serve ] || exec {real} \"$@\"\n\
         if [ -f serve.pid ]; then\n\
           kill \"$(<serve.pid)\"\n\
           while kill -0 \"$(<serve.pid)\" 2>/dev/null; do sleep 0.05; done\n\
         fi\n\
         {real} \"$@\" --listen 127.0.0.1:{port} > serve.log 2>&1 &\n\
         echo $! > serve.pid\n\
         until curl -so answer 127.0.0.1:{port}/healthz; do\n\
           kill -0 $! 2>/dev/null || {{ cat serve.log; exit 1; }}\n\
           sleep 0.05\n\
         done\n"
    );
    let path = std::env::var("PATH").unwrap_or_default();
    let curl = format!(
        "#!/bin/bash\n\
         PATH={path}\n\
         [[ \"$1\" = -*N* ]] || exec curl --fail-with-body --max-time 20 \"$@\"\n\
         curl --fail --max-time 2 \"$@\" || [ $? = 28 ]\n"
    );
    let redis = format!(
        "#!/bin/bash\n\
         [[ \"$1\" = -* ]] || set -- -s reprieve-data/redis.sock \"$@\"\n\
         PATH={path} exec redis-cli \"$@\"\n"
    );
    for (name, text) in [("reprieve", serve), ("curl", curl), ("redis-cli", redis)] {
        fs::write(bin.join(name), text).unwrap();
        fs::set_permissions(bin.join(name), fs::Permissions::from_mode(0o755)).unwrap();
    }
}

/// Runs the commands of a document; what went wrong, if anything did.
fn try_out(document: &Path) -> Result<(), String> {
    let name = document.to_str().unwrap();
    let blocks = blocks(&fs::read_to_string(root().join(document)).unwrap());
    if blocks.is_empty() {
        return Ok(());
    }
    let (place, port, other_port) = (directory(), free_port(), free_port());
    let bin = place.path().join("bin");
    fs::create_dir(&bin).unwrap();
    put_programs(&bin, &port);
    let mut script = format!(
        "set -Eeuo pipefail\ntrap 'echo \"{name}:$block: $BASH_COMMAND\"' ERR\nblock=0\n\
         reprieve serve --login off\n{}\n",
        before(name)
    );
    for Block { line, commands } in blocks {
        writeln!(script, "block={line}\n{}", filled_in(&commands)).unwrap();
    }
    let script = script
        .replace("localhost:8080", "127.0.0.1:8080")
        .replace("127.0.0.1:8080", &format!("127.0.0.1:{port}"));
    let script = script.replace("6380", &other_port);
    fs::write(place.path().join("script"), script).unwrap();
    let log = fs::File::create(place.path().join("log")).unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
    let mut shell = Command::new("timeout")
        .args(["120", "bash", "script"])
        .current_dir(place.path())
        .env("PATH", path)
        .stdin(Stdio::null())
        .stdout(log.try_clone().unwrap())
        .stderr(log)
        .process_group(0)
        .spawn()
        .unwrap();
    let group = shell.id();
    let is_well = shell.wait().unwrap().success();
    // What the document started is still running.
    for end in [
        &["kill", "-TERM", "--", &format!("-{group}")][..],
        &["redis-cli", "-p", &other_port, "SHUTDOWN", "NOSAVE"],
    ] {
        Command::new(end[0]).args(&end[1..]).stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
    }
    let said = fs::read_to_string(place.path().join("log")).unwrap();
    if is_well { Ok(()) } else { Err(format!("{name} failed:\n{said}")) }
}

#[test]
fn the_commands_of_every_document_work_as_they_stand() {
    let (waiting, failed) = (Mutex::new(documents()), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                loop {
                    let Some(document) = waiting.lock().unwrap().pop_front() else { return };
                    if let Err(why) = try_out(&document) {
                        failed.lock().unwrap().push(why);
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap();
    assert!(failed.is_empty(), "{}", failed.join("\n\n"));
}
