//! Pages and what they read in a fifth of their bytes and less.
//!
//! How long something compressed is tells whether two parts of it are alike. A site that can have a page opened with words
//! of their choice in its address, and sees how long the answer is on its way, could guess at what else stands there
//! (BREACH). So what another site has asked for is sent as it is; a browser says so in `Sec-Fetch-Site`.

use super::host::only;
use super::origin::SEC_FETCH_SITE;
use crate::site::ASSETS;
use axum::body::HttpBody as Body;
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use http::header::{ACCEPT_ENCODING, CONTENT_TYPE};
use tower_http::CompressionLevel;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{And, Predicate, SizeAbove};

/// What is smaller fits into one packet anyway, in bytes.
const SMALL: u16 = 1_024;

/// Compresses what is worth it, for clients that read that.
pub(crate) fn layer() -> CompressionLayer<And<SizeAbove, Text>> {
    // Done anew for each page. 200 KB of a list take 0.4 ms at level 1 and become 27 KB, 1 ms at level 4 and 17, 2.4 ms at 9 and 16.
    CompressionLayer::new()
        .quality(CompressionLevel::Precise(4))
        .compress_when(SizeAbove::new(SMALL).and(Text))
}

/// Takes back what a browser reads unless the request is from our own pages, or from its person. Files of the site are the
/// same for everybody.
pub(crate) async fn only_for_ours(mut request: Request, next: Next) -> Response {
    let is_file = request.uri().path().starts_with(ASSETS);
    if !is_file && !matches!(only(request.headers(), &SEC_FETCH_SITE), Some("same-origin" | "none")) {
        request.headers_mut().remove(ACCEPT_ENCODING);
    }
    next.run(request).await
}

/// Pages, and answers of server functions and of the API. Streams stay as they are: each message is to go at once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Text;

impl Predicate for Text {
    fn should_compress<B: Body>(&self, response: &http::Response<B>) -> bool {
        let content = response
            .headers()
            .get(CONTENT_TYPE)
            .and_then(|content| content.to_str().ok())
            .unwrap_or_default();
        ["text/html", "application/json"].iter().any(|text| content.starts_with(text))
    }
}
