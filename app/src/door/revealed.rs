//! A hidden part of a payload, for a browser without script: shown once, on a page of its own.

use leptos::prelude::*;
use reprieve::model::PartPath;

use super::document;
use crate::pages::job::payload::plain;
use crate::t;

/// What was behind the mark. The server provides it in the context of [`revealed`].
#[derive(Clone)]
pub struct Behind {
    /// Which part of the payload.
    pub part: PartPath,
    /// What is hidden there.
    pub value: Vec<u8>,
    /// The page they came from.
    pub back: String,
}

/// One hidden part, now and never again.
pub fn revealed() -> impl IntoView {
    let behind = use_context::<Behind>();
    let behind =
        behind.unwrap_or(Behind { part: PartPath::default(), value: Vec::new(), back: "/".to_owned() });
    let at = if behind.part.names().is_empty() { t!("job-reveal-whole") } else { behind.part.to_string() };
    let title = t!("job-reveal-title", part = at.as_str());
    document(
        title.clone(),
        view! {
            <h1>{title}</h1>
            <p>{t!("job-revealed-once")}</p>
            <pre class="payload" tabindex="0" data-once="">{plain(&behind.value)}</pre>
            <p><a class="button" data-tone="primary" href=behind.back>{t!("job-revealed-back")}</a></p>
        },
    )
}
