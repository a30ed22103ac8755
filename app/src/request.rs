//! What a request says of itself.

use std::sync::atomic::{AtomicU64, Ordering};

use http::header::ACCEPT;
use http::request::Parts;
use leptos::prelude::use_context;
use reprieve_access::Principal;

/// The id of the request from its `x-request-id`, or a number unique in this process.
pub(crate) fn request_id() -> String {
    static COUNTED: AtomicU64 = AtomicU64::new(1);
    use_context::<Parts>()
        .and_then(|parts| parts.headers.get("x-request-id")?.to_str().ok().map(ToOwned::to_owned))
        .unwrap_or_else(|| format!("r{}", COUNTED.fetch_add(1, Ordering::Relaxed)))
}

/// A browser that sends a form by itself accepts HTML; the page's script asks for JSON.
pub(crate) fn sent_by_plain_form() -> bool {
    use_context::<Parts>().is_some_and(|parts| {
        parts
            .headers
            .get(ACCEPT)
            .and_then(|value| value.to_str().ok())
            .is_some_and(|v| v.contains("text/html"))
    })
}

/// Who sends this request. Nobody is somebody without rights.
pub(crate) fn principal() -> Principal {
    use_context::<Parts>()
        .and_then(|parts| parts.extensions.get::<Principal>().cloned())
        .unwrap_or_else(Principal::nobody)
}
