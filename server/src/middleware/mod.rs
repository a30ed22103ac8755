//! What every request passes through, one layer a file, outermost first.
//!
//! ```text
//! request_id        every answer has a name, and every log line of it
//! client_ip         where it comes from, through proxies of ours
//! hsts              over TLS of ours: come that way again
//! security_headers  on everything: pages, problems, files, streams
//! no_store          what is not said to be kept is not kept
//! compression       pages and what they read, but nothing that another site has asked for
//! base_path         links of pages lead below the path of the dashboard
//! on_page           what the layers below refuse, for readers of pages
//! panic_guard       a handler that panics answers 500 and harms nobody else
//! host              names we do not answer to: 421
//! address           addresses of pages that are too long: 414
//! method            methods nobody uses here: 405
//! origin            changes from other sites: 403
//! content_type      bodies in no declared format: 415
//! body_limit        bodies that are too long: 413
//! deadline          answers that take too long: 503
//! principal         who is asking
//! shared_pages      one rendering for all tabs of a visitor that ask for the same page at once
//! sealed            what payloads are searched for stands in no address of a list: 303
//! ```

pub(crate) mod address;
pub(crate) mod body_limit;
pub(crate) mod client_ip;
pub(crate) mod compression;
pub(crate) mod content_type;
pub(crate) mod deadline;
pub(crate) mod host;
pub(crate) mod hsts;
pub(crate) mod method;
pub(crate) mod no_store;
pub(crate) mod origin;
pub(crate) mod panic_guard;
pub(crate) mod refusal;
pub(crate) mod request_id;
pub(crate) mod sealed;
pub(crate) mod security_headers;
pub(crate) mod shared_pages;

/// Where the HTTP API begins. It reads its own bodies, with limits and messages of its own.
pub(crate) const API: &str = "/api/v1/";
