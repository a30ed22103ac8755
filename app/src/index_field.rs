//! A field of payloads that is indexed, as a line of a form has it: `order.id`, or `payload.order.id` as in filters.

use reprieve::model::Settings;
use reprieve::model::filter::{Field, PayloadPath};

/// As the line shows it: bare, unless that would be read as what a filter has in front.
pub(crate) fn text(field: &PayloadPath) -> String {
    let bare = field.to_string();
    if without_front(&bare).is_some() { in_filter(field) } else { bare }
}

/// As filters name it.
pub(crate) fn in_filter(field: &PayloadPath) -> String {
    format!("{}.{field}", Field::Payload)
}

/// What somebody typed; `None` when it is no path, or one that is too long.
pub(crate) fn read(line: &str) -> Option<PayloadPath> {
    let path = without_front(line).unwrap_or(line);
    path.parse().ok().filter(|_| path.len() <= Settings::INDEX_FIELD_BYTES_MAX)
}

fn without_front(line: &str) -> Option<&str> {
    line.strip_prefix(Field::Payload.as_str())?.strip_prefix('.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_path_with_or_without_what_filters_have_in_front() {
        for (line, path) in [
            ("order.id", "order.id"),
            ("payload.order.id", "order.id"),
            ("items.0.sku", "items.0.sku"),
            ("payload", "payload"),
            ("payloads.id", "payloads.id"),
            ("payload.payload.id", "payload.id"),
        ] {
            assert_eq!(read(line).map(|field| field.to_string()).as_deref(), Some(path), "{line}");
        }
    }

    #[test]
    fn what_is_shown_is_read_as_the_same_field() {
        for path in ["order.id", "payload", "payload.id", "payload.payload"] {
            let field: PayloadPath = path.parse().unwrap();
            assert_eq!(read(&text(&field)), Some(field));
        }
    }

    #[test]
    fn what_is_no_path_is_none() {
        let long = "a".repeat(Settings::INDEX_FIELD_BYTES_MAX + 1);
        for line in
            ["", "payload.", "order id", "order..id", "amount:>10", "a.b.c.d.e.f.g.h.i", long.as_str()]
        {
            assert_eq!(read(line), None, "{line}");
        }
    }
}
