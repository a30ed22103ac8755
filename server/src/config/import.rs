//! Which foreign queues are taken over as long as the program runs.

use super::document::Section;
use super::pem::{client_certificate, read_certificates};
use super::span::read_settable_span;
use reprieve::model::Delay;
use reprieve_import::{ImportName, Source};
use serde_json::{Map, Value};

/// How long an item can be put back unless said otherwise.
const KEEP_DEFAULT: Delay = Delay::days(30);
/// Keys whose values are texts of the source.
const TEXTS: [&str; 8] = ["key", "topic", "kind", "queue", "unit", "id", "subject", "prefix"];
/// Keys whose values are flags of the source.
const FLAGS: [&str; 5] = ["processing", "archived", "completed", "failed", "unacked"];

/// One `[[import]]`.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ImportConfig {
    /// Its name.
    pub name: ImportName,
    /// Where its jobs come from, and what they become.
    pub source: Source,
    /// How long an item can be put back.
    pub keep: Delay,
}

/// Reads every `[[import]]`.
pub(super) fn read(root: &Section<'_>) -> Vec<ImportConfig> {
    root.tables_by_name("import", from_section, |import| import.name.as_str())
}

fn from_section(section: &Section<'_>) -> Option<ImportConfig> {
    let before = section.notes.count();
    let name = section.read_required("name", str::parse::<ImportName>);
    let keep = section.read("keep", read_settable_span).unwrap_or(KEEP_DEFAULT);
    let written = source(section);
    if section.notes.count() > before {
        return None;
    }
    let source = serde_json::from_value::<Source>(Value::Object(written)).map_err(|why| why.to_string());
    let source = source.and_then(|source| match source.check() {
        Ok(()) => Ok(source),
        Err(why) => Err(why.to_string()),
    });
    match source {
        Ok(source) => Some(ImportConfig { name: name?, source, keep }),
        Err(why) => {
            section.note(format!("this importer cannot be: {why}"));
            None
        }
    }
}

/// The source as the API reads it; what does not belong to its format is refused there.
fn source(section: &Section<'_>) -> Map<String, Value> {
    let mut source = Map::new();
    let mut put = |key: &str, value: Option<Value>| source.extend(value.map(|value| (key.to_owned(), value)));
    let text = |key| section.text(key).map(|given| Value::from(given.value));
    put("format", section.required("format").map(|given| given.value.into()));
    for key in TEXTS {
        put(key, text(key));
    }
    for key in FLAGS {
        put(key, section.truth(key).map(Value::from));
    }
    put("max_attempts", section.number("max_attempts").map(|given| given.value.into()));
    let queues: Vec<String> = section.texts("queues").into_iter().map(|given| given.value).collect();
    put("queues", (!queues.is_empty()).then(|| queues.into()));
    let url = text("redis");
    let authority = section.text("redis_ca_file");
    let (certificate, key) = (section.text("redis_cert_file"), section.text("redis_key_file"));
    if url.is_none() && authority.is_some() {
        section.note("this importer has a redis_ca_file and no redis");
    }
    if url.is_none() && (certificate.is_some() || key.is_some()) {
        section.note("this importer has a redis_cert_file and no redis");
    }
    put("url", url);
    put("authority", section.notes.read(authority.as_ref(), read_certificates).map(Value::from));
    let client = client_certificate("redis", certificate.as_ref(), key.as_ref(), section.notes);
    if let Some((certificate, key)) = client {
        put("client_certificate", Some(certificate.into()));
        put("client_key", Some(key.into()));
    }
    source
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::document::Document;
    use crate::config::mistake::Notes;
    use reprieve_import::ImportFormat;
    use reprieve_import::Layout;
    use std::path::Path;

    fn read_text(text: &str) -> Result<Vec<ImportConfig>, String> {
        let notes = Notes::default();
        let document = Document::new(Path::new("reprieve.toml"), text.to_owned());
        let imports = document.read(&notes, read);
        notes.or_mistakes(imports).map_err(|mistakes| mistakes.to_string())
    }

    #[test]
    fn an_importer_reads_its_source() {
        let imports = read_text(
            "[[import]]\nname = \"legacy\"\nformat = \"asynq\"\nqueues = [\"mail\"]\narchived = true\nkeep = \"7d\"\n\
             redis = \"redis://user:secret@old:6379\"\n",
        )
        .unwrap();
        assert_eq!(imports[0].source.format(), ImportFormat::Asynq);
        assert_eq!(imports[0].keep, Delay::days(7));
        assert!(!format!("{imports:?}").contains("secret"));
        let bullmq = "[[import]]\nname = \"legacy\"\nformat = \"bullmq\"\n";
        let imports =
            read_text(&format!("{bullmq}queues = [\"mail\"]\nprefix = \"shop\"\nfailed = true\n")).unwrap();
        let Layout::Bullmq(source) = &imports[0].source.layout else { panic!("queues of BullMQ") };
        assert_eq!((source.prefix.as_str(), source.failed), ("shop", true));
        assert!(read_text(bullmq).unwrap_err().contains("queues"));
        let named = |format: &str, more: &str| {
            read_text(&format!("[[import]]\nname = \"old\"\nformat = \"{format}\"\n{more}"))
        };
        for format in ["sidekiq", "rq", "arq", "celery"] {
            assert_eq!(named(format, "").unwrap()[0].source.format().as_str(), format);
        }
        let bees = named("bee-queue", "queues = [\"mail\"]\nkind = \"note\"\n").unwrap();
        let Layout::BeeQueue(source) = &bees[0].source.layout else { panic!("queues of Bee-Queue") };
        assert_eq!(source.kind.as_ref().unwrap().as_str(), "note");
        let unknown = named("arq", "failed = true\n").unwrap_err();
        assert!(unknown.contains("failed is nothing that arq has"), "{unknown}");
    }

    #[test]
    fn an_authority_of_ones_own_is_read_for_another_redis() {
        let authority = crate::tls::made::Authority::new();
        let file = authority.path().join("ca.pem");
        let pem = std::fs::read_to_string(&file).unwrap();
        let text = |redis: &str, file: &Path| {
            let file = file.display();
            format!("[[import]]\nname = \"a\"\nformat = \"asynq\"\n{redis}redis_ca_file = \"{file}\"\n")
        };
        let other = "redis = \"rediss://old:6380\"\n";
        let imports = read_text(&text(other, &file)).unwrap();
        assert_eq!(imports[0].source.authority, Some(pem));
        let missing = read_text(&text(other, &authority.path().join("none.pem"))).unwrap_err();
        assert!(missing.contains("cannot be read"), "{missing}");
        assert!(read_text(&text("", &file)).unwrap_err().contains("has a redis_ca_file and no redis"));
    }

    #[test]
    fn what_does_not_belong_to_the_format_is_a_mistake_with_its_line() {
        let error = |text: &str| read_text(text).unwrap_err();
        assert!(error("[[import]]\nname = \"a\"\nformat = \"zset\"\nkey = \"due\"\n").contains("kind"));
        assert!(
            error("[[import]]\nname = \"a\"\nformat = \"delayq\"\ntopic = \"t\"\nkey = \"x\"\n")
                .contains("key")
        );
        assert!(error("[[import]]\nname = \"a\"\nformat = \"kafka\"\n").contains("kafka"));
        assert!(error("[[import]]\nformat = \"asynq\"\n").contains("has no name"));
        let twice = "[[import]]\nname = \"a\"\nformat = \"asynq\"\n".repeat(2);
        assert!(error(&twice).contains("there are two [[import]] named a"));
    }
}
