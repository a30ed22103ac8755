//! Shapes on the page: what a body or an answer is made of.

use super::{inline, text};
use maud::{Markup, html};
use serde_json::Value;

/// Every shape that has a name, with its fields.
pub(super) fn shapes(schemas: &Value) -> Markup {
    let named = schemas.as_object().into_iter().flatten();
    html! {
        @for (name, schema) in named {
            section.shape id={ "shape-" (name) } {
                h3 { (name) " " @if schema.get("properties").is_none() { small { (type_of(schema)) } } }
                p { (inline(text(&schema["description"]))) }
                (fields(schema))
            }
        }
    }
}

/// The fields of an object as a table; nothing for anything else.
pub(super) fn fields(schema: &Value) -> Markup {
    let properties = schema["properties"].as_object();
    // An answer has all its fields; of a body, which refuses fields that it does not know, the reader has to know.
    let is_body = schema["additionalProperties"] == false;
    let required = schema["required"].as_array().filter(|_| is_body).map(Vec::as_slice).unwrap_or_default();
    html! {
        @if let Some(properties) = properties {
            div.table-scroll { table.table {
                thead { tr { th { "Field" } th { "Type" } th { "Meaning" } } }
                tbody { @for (name, field) in properties { tr {
                    td { code { (name) } @if required.iter().any(|value| value == name) { " " small { "required" } } }
                    td { (type_of(field)) }
                    td { (inline(text(&field["description"]))) }
                } } }
            } }
        }
        @for part in schema["allOf"].as_array().into_iter().flatten() { (fields(part)) }
    }
}

/// The type of a value in a few words, with a link to its shape where it has one.
pub(super) fn type_of(schema: &Value) -> Markup {
    if let Some(name) = schema["$ref"].as_str().and_then(|path| path.rsplit('/').next()) {
        return html! { a href={ "#shape-" (name) } { (name) } };
    }
    for (choice, between) in [("oneOf", " or "), ("anyOf", " or "), ("allOf", " and ")] {
        if let Some(parts) = schema[choice].as_array() {
            return html! {
                @for (index, part) in parts.iter().enumerate() { @if index > 0 { (between) } (type_of(part)) }
            };
        }
    }
    if let Some(words) = schema["enum"].as_array() {
        return html! { @for (index, word) in words.iter().enumerate() { @if index > 0 { ", " } code { (text(word)) } } };
    }
    let word = match &schema["type"] {
        Value::String(word) => word.clone(),
        Value::Array(words) => words.iter().map(text).collect::<Vec<_>>().join(" or "),
        _ => "any".to_owned(),
    };
    html! {
        (word)
        @if schema.get("items").is_some() { " of " (type_of(&schema["items"])) }
        (bounds(schema))
    }
}

/// The least and most of a number, text or list.
fn bounds(schema: &Value) -> Markup {
    let pairs = [
        ("minimum", "maximum", ""),
        ("minLength", "maxLength", " characters"),
        ("minItems", "maxItems", " items"),
    ];
    html! {
        @for (least, most, unit) in pairs {
            @match (schema.get(least), schema.get(most)) {
                (Some(least), Some(most)) => small { " " (least) " to " (most) (unit) },
                (Some(least), None) => small { " from " (least) (unit) },
                (None, Some(most)) => small { " up to " (most) (unit) },
                (None, None) => {}
            }
        }
    }
}
