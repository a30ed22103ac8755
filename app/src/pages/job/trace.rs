//! The text of a failure, with the lines of libraries folded between those of one's own program.

use leptos::prelude::*;

use crate::t;

/// What the path of a frame holds that is no part of the program itself: Rust, Python, JavaScript, Go, Java.
const LIBRARIES: [&str; 12] = [
    "/rustc/",
    "/.cargo/registry/",
    "/.cargo/git/",
    "/site-packages/",
    "/dist-packages/",
    "/lib/python",
    "<frozen ",
    "/node_modules/",
    "(node:",
    "/go/pkg/mod/",
    "/usr/local/go/",
    "at java.base/",
];
/// Fewer lines than this are no shorter once they are folded.
const FOLDED_MIN: usize = 2;

/// Lines that belong together.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    /// Of the message, or of one's own program.
    Own(String),
    /// Of libraries: how many, and which.
    Libraries(usize, String),
}

/// The whole text, with libraries folded.
pub(super) fn trace(text: &str) -> AnyView {
    let parts = parts(text).into_iter().map(|part| match part {
        Part::Own(lines) => view! { <pre tabindex="0">{lines}</pre> }.into_any(),
        Part::Libraries(count, lines) => view! {
            <details class="trace-libraries">
                <summary>{t!("job-trace-libraries", count = count)}</summary>
                <pre tabindex="0">{lines}</pre>
            </details>
        }
        .into_any(),
    });
    view! { <div class="trace">{parts.collect_view()}</div> }.into_any()
}

fn parts(text: &str) -> Vec<Part> {
    let lines: Vec<&str> = text.lines().collect();
    let foreign = foreign(&lines);
    let mut parts = Vec::new();
    let mut from = 0;
    while let Some(&is_foreign) = foreign.get(from) {
        let count = foreign[from..].iter().take_while(|&&other| other == is_foreign).count();
        let joined = lines[from..from + count].join("\n");
        match parts.last_mut() {
            _ if is_foreign && count >= FOLDED_MIN => parts.push(Part::Libraries(count, joined)),
            Some(Part::Own(before)) => {
                before.push('\n');
                before.push_str(&joined);
            }
            _ => parts.push(Part::Own(joined)),
        }
        from += count;
    }
    parts
}

/// Which lines are of libraries. A frame has one line or two: Rust and Go say the place behind the function, Python says
/// it before the code.
fn foreign(lines: &[&str]) -> Vec<bool> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut foreign: Vec<bool> =
        lines.iter().map(|line| LIBRARIES.iter().any(|library| line.contains(library))).collect();
    for (at, line) in lines.iter().enumerate() {
        let (place, named) = (line.trim_start(), foreign[at]);
        if named && at > 1 && (place.starts_with("at /") || place.starts_with('/')) {
            foreign[at - 1] |= indent(lines[at - 1]) < indent(line);
        }
        if named
            && place.starts_with("File \"")
            && let Some(code) = lines.get(at + 1).filter(|code| indent(code) > indent(line))
        {
            foreign[at + 1] |= !code.trim_start().starts_with("File \"");
        }
    }
    // The first line says what went wrong.
    if let Some(first) = foreign.first_mut() {
        *first = false;
    }
    foreign
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is left open, and how many lines each fold has.
    fn told(text: &str) -> (Vec<String>, Vec<usize>) {
        let (mut own, mut folds) = (Vec::new(), Vec::new());
        for part in parts(text) {
            match part {
                Part::Own(lines) => own.extend(lines.lines().map(|line| line.trim().to_owned())),
                Part::Libraries(count, _) => folds.push(count),
            }
        }
        (own, folds)
    }

    #[test]
    fn of_a_trace_in_rust_ones_own_frames_stay() {
        let (own, folds) = told(
            "no such user\nstack backtrace:\n   0: std::panicking::begin\n             at /rustc/9fc6/library/std/src/panicking.rs:692:5\n   1: core::panicking::panic\n             at /rustc/9fc6/library/core/src/panicking.rs:75:14\n   2: shop::mail::send\n             at ./src/mail.rs:40:9\n   3: tokio::runtime::task\n             at /root/.cargo/registry/src/index/tokio-1.54/src/task.rs:1:1",
        );
        assert_eq!(own, ["no such user", "stack backtrace:", "2: shop::mail::send", "at ./src/mail.rs:40:9"]);
        assert_eq!(folds, [4, 2]);
    }

    #[test]
    fn of_a_trace_in_python_ones_own_frames_stay_with_their_code() {
        let (own, folds) = told(
            "Traceback (most recent call last):\n  File \"/app/mail.py\", line 3, in send\n    client.post(url)\n  File \"/venv/lib/site-packages/httpx/client.py\", line 9, in post\n    raise error\nhttpx.ConnectError: refused",
        );
        assert_eq!(folds, [2]);
        assert!(
            own.contains(&"client.post(url)".to_owned())
                && own.contains(&"httpx.ConnectError: refused".to_owned())
        );
    }

    #[test]
    fn of_a_trace_in_javascript_the_message_stays() {
        let (own, folds) = told(
            "Error: refused\n    at connect (node:net:1:1)\n    at /app/node_modules/undici/index.js:1:1\n    at send (/app/mail.js:4:2)",
        );
        assert_eq!(
            (own, folds),
            (vec!["Error: refused".to_owned(), "at send (/app/mail.js:4:2)".to_owned()], vec![2])
        );
    }

    #[test]
    fn a_text_without_frames_is_one_part_and_nothing_is_lost() {
        for text in ["refused", "first\nsecond\n\nthird", "", "a /rustc/ b\nc"] {
            assert!(parts(text).len() <= 1, "{text}");
            assert_eq!(told(text).0.len(), text.lines().count(), "{text}");
        }
    }
}
