//! A look at a hidden part of a payload, from a shell.

use super::Shell;

#[tokio::test(flavor = "multi_thread")]
async fn a_hidden_part_is_shown_for_a_reason_and_stands_in_the_audit() {
    let shell = Shell::new().await;
    shell.values(&["enqueue", "k", r#"{"phone": "+49 151", "n": [1]}"#, "--id", "a", "--in", "1h"]);
    let rules = r#"[{"kinds": "*", "path": "phone"}, {"kinds": "*", "path": "n"}]"#;
    shell.values(&["settings", "set", "redaction", rules]);

    let (end, said) = shell.says(&["reveal", "a", "/phone", "--reason", "it bounced"]);

    assert_eq!((end, said.trim_end()), (0, "+49 151"));
    let list = &shell.values(&["reveal", "a", "/n", "--reason", "again"])[0];
    assert_eq!((&list["value"][0], &list["part"]), (&1.into(), &"/n".into()));
    for (words, end) in [
        (&["reveal", "a", "", "--reason", "r"][..], 3),
        (&["reveal", "a", "/phone/x", "--reason", "r"], 3),
        (&["reveal", "a", "/fax", "--reason", "r"], 4),
        (&["reveal", "none", "/phone", "--reason", "r"], 4),
        (&["reveal", "a", "/phone", "--reason", " "], 2),
        (&["reveal", "a", "/phone"], 2),
        (&["reveal", "a", "phone", "--reason", "r"], 2),
    ] {
        let output = shell.run(words);
        assert_eq!(output.status.code(), Some(end), "{words:?}");
        assert!(output.stdout.is_empty(), "{words:?}");
    }
    let audit = shell.values(&["audit", "list", "--act", "reveal"]);
    let text = format!("{audit:?}");
    assert!(text.contains("cli:ada") && text.contains("it bounced") && !text.contains("+49"), "{text}");
}
