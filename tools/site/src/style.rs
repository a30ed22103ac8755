//! The style sheets, joined into one.

use std::path::Path;

use anyhow::{Context, Result, bail};

#[cfg(test)]
mod colours;

/// Reads `main.css` and puts each sheet in the place of the line that imports it.
///
/// Knows one form, alone on its line: `@import "components/badge.css" layer(components);`.
/// A browser would fetch each of them one after the other, so none may remain.
pub(crate) fn join(folder: &Path) -> Result<String> {
    let main = read(&folder.join("main.css"))?;
    let mut joined = String::with_capacity(64 * 1024);
    for line in main.lines() {
        match import(line) {
            Some((sheet, layer)) => {
                let content = read(&folder.join(sheet))?;
                if content.contains("@import") {
                    bail!("{sheet} imports another sheet; only main.css may");
                }
                joined.push_str(&format!("@layer {layer} {{\n{}\n}}\n", content.trim_end()));
            }
            None if line.trim_start().starts_with("@import") => {
                bail!("main.css: not understood: {line}\nwrite: @import \"sheet.css\" layer(name);");
            }
            None => {
                joined.push_str(line);
                joined.push('\n');
            }
        }
    }
    Ok(joined)
}

/// The sheet and the layer of an import line.
fn import(line: &str) -> Option<(&str, &str)> {
    let rest = line.trim().strip_prefix("@import")?.trim_start();
    let rest = rest.strip_prefix("url(").unwrap_or(rest);
    let (sheet, rest) = rest.strip_prefix('"')?.split_once('"')?;
    let layer = rest.trim_start_matches(')').trim().strip_prefix("layer(")?.strip_suffix(");")?;
    Some((sheet, layer))
}

fn read(file: &Path) -> Result<String> {
    std::fs::read_to_string(file).with_context(|| file.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_import_line_names_its_sheet_and_its_layer() {
        let line = r#"@import "components/badge.css" layer(components);"#;
        assert_eq!(import(line), Some(("components/badge.css", "components")));
        assert_eq!(import(r#"@import url("base.css") layer(base);"#), Some(("base.css", "base")));
        assert_eq!(import("@layer reset, tokens;"), None);
        assert_eq!(import(r#"@import "print.css" print;"#), None);
    }
}
