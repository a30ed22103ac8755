//! One operation on the page.

use super::schema::{fields, type_of};
use super::{inline, prose, text};
use maud::{Markup, html};
use serde_json::Value;

/// One operation of the document.
pub(super) struct Operation<'a> {
    method: &'a str,
    path: &'a str,
    value: &'a Value,
}

impl<'a> Operation<'a> {
    /// All of them, in the order of their addresses.
    pub(super) fn all(document: &'a Value) -> Vec<Self> {
        let paths = document["paths"].as_object().into_iter().flatten();
        paths
            .flat_map(|(path, item)| {
                let methods = item.as_object().into_iter().flatten();
                methods.map(move |(method, value)| Self { method, path, value })
            })
            .collect()
    }

    /// Whether it stands under that tag.
    pub(super) fn is_about(&self, tag: &str) -> bool {
        self.value["tags"].as_array().is_some_and(|tags| tags.iter().any(|value| value == tag))
    }

    pub(super) fn render(&self) -> Markup {
        let body = &self.value["requestBody"]["content"]["application/json"];
        html! {
            details.operation id=(text(&self.value["operationId"])) {
                summary {
                    code.operation-method data-method=(self.method) { (self.method.to_uppercase()) }
                    code.operation-path { (self.path) }
                    span.operation-summary { (inline(text(&self.value["summary"]))) }
                }
                div.operation-body {
                    (prose(text(&self.value["description"])))
                    @if let Some(permission) = self.permission() {
                        p.quiet { "A token needs the permission " code { (permission) } "." }
                    }
                    (self.parameters())
                    @if !body.is_null() {
                        h3 { "Body " small { (type_of(&body["schema"])) } }
                        (fields(&body["schema"]))
                        (examples(body))
                    }
                    (self.answers())
                }
            }
        }
    }

    fn permission(&self) -> Option<&str> {
        self.value["security"][0]["token"][0].as_str()
    }

    fn parameters(&self) -> Markup {
        let parameters = self.value["parameters"].as_array().map(Vec::as_slice).unwrap_or_default();
        html! {
            @if !parameters.is_empty() {
                h3 { "Parameters" }
                div.table-scroll { table.table {
                    thead { tr { th { "Name" } th { "In" } th { "Type" } th { "Meaning" } } }
                    tbody { @for parameter in parameters { tr {
                        td { code { (text(&parameter["name"])) } }
                        td { (text(&parameter["in"])) }
                        td { (type_of(&parameter["schema"])) }
                        td { (inline(text(&parameter["description"]))) }
                    } } }
                } }
            }
        }
    }

    fn answers(&self) -> Markup {
        // The head of the page says of all of them that anything else is a problem.
        let answers = self.value["responses"].as_object().into_iter().flatten();
        let answers = answers.filter(|(status, _)| *status != "default");
        html! {
            h3 { "Answers" }
            div.table-scroll { table.table {
                thead { tr { th { "Status" } th { "Type" } th { "When" } } }
                tbody { @for (status, answer) in answers { tr {
                    td { code { (status) } }
                    td { @for content in answer["content"].as_object().into_iter().flat_map(|all| all.values()) {
                        (type_of(&content["schema"]))
                    } }
                    td { (inline(text(&answer["description"]))) }
                } } }
            } }
        }
    }
}

/// The examples of a body, as text.
fn examples(body: &Value) -> Markup {
    let named = body["examples"].as_object().into_iter().flatten();
    html! {
        @for (_, example) in named {
            p.quiet { (text(&example["summary"])) }
            (code(&example["value"]))
        }
        @if !body["example"].is_null() { (code(&body["example"])) }
    }
}

fn code(value: &Value) -> Markup {
    html! { pre.operation-example { code { (serde_json::to_string_pretty(value).unwrap_or_default()) } } }
}
