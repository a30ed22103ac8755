//! Which foreign queues are taken over as long as the program runs.

use super::document::Section;
use super::mistake::Mistakes;
use super::pem::{client_certificate, read_certificates};
use super::span::read_settable_span;
use reprieve::model::Delay;
use reprieve_import::{ImportName, Source};
use serde_json::{Map, Value};

/// How long an item can be put back unless said otherwise.
const KEEP_DEFAULT: Delay = Delay::days(30);
/// Keys whose values are texts of the source.
const TEXTS: [&str; 9] = ["format", "key", "topic", "kind", "queue", "unit", "id", "subject", "prefix"];
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
pub(super) fn read(root: &Section<'_>, mistakes: &mut Mistakes) -> Vec<ImportConfig> {
    let mut imports: Vec<ImportConfig> = Vec::new();
    for section in root.sections("import", mistakes) {
        let Some(import) = from_section(&section, mistakes) else { continue };
        if imports.iter().any(|other| other.name == import.name) {
            mistakes.note(&section.origin(), format!("there are two importers named {}", import.name));
        }
        imports.push(import);
    }
    imports
}

fn from_section(section: &Section<'_>, mistakes: &mut Mistakes) -> Option<ImportConfig> {
    let before = mistakes.all().len();
    let known: Vec<&str> = [
        "name",
        "redis",
        "redis_ca_file",
        "redis_cert_file",
        "redis_key_file",
        "keep",
        "queues",
        "max_attempts",
    ]
    .into_iter()
    .chain(TEXTS)
    .chain(FLAGS)
    .collect();
    section.refuse_unknown(&known, mistakes);
    let name = section.required("name", "import", mistakes);
    let name = mistakes.read(name.as_ref(), |text| text.parse::<ImportName>());
    let keep = section.text("keep", mistakes);
    let keep = mistakes.read(keep.as_ref(), read_settable_span).unwrap_or(KEEP_DEFAULT);
    section.required("format", "import", mistakes);
    let written = source(section, mistakes);
    if mistakes.all().len() > before {
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
            mistakes.note(&section.origin(), format!("this importer cannot be: {why}"));
            None
        }
    }
}

/// The source as the API reads it; what does not belong to its format is refused there.
fn source(section: &Section<'_>, mistakes: &mut Mistakes) -> Map<String, Value> {
    let mut source = Map::new();
    for key in TEXTS {
        source.extend(section.text(key, mistakes).map(|given| (key.to_owned(), Value::from(given.value))));
    }
    for key in FLAGS {
        source.extend(section.flag(key, mistakes).map(|given| (key.to_owned(), Value::from(given.value))));
    }
    let attempts = section.number("max_attempts", mistakes);
    source.extend(attempts.map(|given| ("max_attempts".to_owned(), Value::from(given.value))));
    source.extend(section.text("redis", mistakes).map(|given| ("url".to_owned(), Value::from(given.value))));
    let authority = section.text("redis_ca_file", mistakes);
    if authority.is_some() && !source.contains_key("url") {
        mistakes.note(&section.origin(), "this importer has a redis_ca_file and no redis".to_owned());
    }
    let authority = mistakes.read(authority.as_ref(), read_certificates);
    source.extend(authority.map(|pem| ("authority".to_owned(), Value::from(pem))));
    let (certificate, key) =
        (section.text("redis_cert_file", mistakes), section.text("redis_key_file", mistakes));
    if (certificate.is_some() || key.is_some()) && !source.contains_key("url") {
        mistakes.note(&section.origin(), "this importer has a redis_cert_file and no redis".to_owned());
    }
    if let Some((certificate, key)) =
        client_certificate("redis", certificate.as_ref(), key.as_ref(), mistakes)
    {
        source.insert("client_certificate".to_owned(), Value::from(certificate));
        source.insert("client_key".to_owned(), Value::from(key));
    }
    let queues: Vec<Value> =
        section.texts("queues", mistakes).into_iter().map(|given| Value::from(given.value)).collect();
    if !queues.is_empty() {
        source.insert("queues".to_owned(), Value::from(queues));
    }
    source
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::document::Document;
    use reprieve_import::ImportFormat;
    use reprieve_import::Layout;
    use std::path::Path;

    fn read_text(text: &str) -> Result<Vec<ImportConfig>, String> {
        let mut mistakes = Mistakes::default();
        let document = Document::new(Path::new("reprieve.toml"), text.to_owned());
        let imports = document.read(&mut mistakes, read);
        if mistakes.is_empty() { Ok(imports) } else { Err(mistakes.to_string()) }
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
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("ca.pem");
        let pem = "-----BEGIN CERTIFICATE-----\n";
        std::fs::write(&file, pem).unwrap();
        let text = |redis: &str, file: &Path| {
            let file = file.display();
            format!("[[import]]\nname = \"a\"\nformat = \"asynq\"\n{redis}redis_ca_file = \"{file}\"\n")
        };
        let other = "redis = \"rediss://old:6380\"\n";
        let imports = read_text(&text(other, &file)).unwrap();
        assert_eq!(imports[0].source.authority.as_deref(), Some(pem));
        let missing = read_text(&text(other, &directory.path().join("none.pem"))).unwrap_err();
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
        assert!(error(&twice).contains("there are two importers named a"));
    }
}
