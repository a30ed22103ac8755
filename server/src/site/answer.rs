//! A file as an answer: kept for ever or asked about again, compressed if the browser reads that.

use super::{ASSETS, Site, SiteFile};
use axum::body::Body;
use axum::response::{IntoResponse, Response};
use http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, HeaderMap, HeaderValue,
    IF_NONE_MATCH, VARY,
};
use http::{HeaderName, StatusCode};

/// Below an address with a hash nothing ever changes.
const FOR_EVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
/// Kept, but asked about each time.
const ASK_AGAIN: HeaderValue = HeaderValue::from_static("no-cache");

/// Answers an address below `/assets/`. `None` for another build's hash, or a name not in the table.
///
/// The address is compared as it was sent: nothing is decoded, joined or normalised.
pub(crate) fn asset(site: &Site, path: &str, headers: &HeaderMap) -> Option<Response> {
    let name = path.strip_prefix(ASSETS)?.strip_prefix(site.hash.as_str())?.strip_prefix('/')?;
    Some(site.files.get(name)?.answer(FOR_EVER, headers))
}

/// Answers an address at the root, such as `/favicon.ico`. `None` if there is no such file.
pub(crate) fn root_file(site: &Site, path: &str, headers: &HeaderMap) -> Option<Response> {
    let file = site.files.get(path.strip_prefix('/')?)?;
    let same = headers.get_all(IF_NONE_MATCH).iter().any(|given| given == file.etag);
    if same {
        let cached = [(ETAG, file.etag.clone()), (CACHE_CONTROL, ASK_AGAIN)];
        return Some((StatusCode::NOT_MODIFIED, cached).into_response());
    }
    Some(file.answer(ASK_AGAIN, headers))
}

impl SiteFile {
    fn answer(&self, keep: HeaderValue, headers: &HeaderMap) -> Response {
        let (content, encoding) = match (&self.brotli, &self.gzip) {
            (Some(brotli), _) if reads(headers, "br") => (brotli, Some("br")),
            (_, Some(gzip)) if reads(headers, "gzip") => (gzip, Some("gzip")),
            _ => (&self.plain, None),
        };
        let mut response = Response::new(Body::from(content.clone()));
        let mut set = |name: HeaderName, value: HeaderValue| response.headers_mut().insert(name, value);
        set(CONTENT_TYPE, self.content_type.clone());
        set(CACHE_CONTROL, keep);
        set(ETAG, self.etag.clone());
        set(VARY, HeaderValue::from_static("accept-encoding"));
        if let Some(encoding) = encoding {
            set(CONTENT_ENCODING, HeaderValue::from_static(encoding));
        }
        response
    }
}

/// Whether the browser reads that encoding: named, and not switched off with `q=0`.
fn reads(headers: &HeaderMap, encoding: &str) -> bool {
    let listed = headers.get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    listed.flat_map(|list| list.split(',')).any(|item| {
        let mut parts = item.split(';').map(str::trim);
        let named = parts.next().is_some_and(|name| name.eq_ignore_ascii_case(encoding));
        let off = parts.any(|weight| matches!(weight, "q=0" | "q=0.0" | "q=0.00" | "q=0.000"));
        named && !off
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::Bytes;

    fn site() -> Site {
        let files =
            [("live.js", "plain"), ("live.js.br", "br"), ("live.js.gz", "gz"), ("favicon.ico", "icon")];
        Site::from_files(files.map(|(name, text)| (name.to_owned(), Bytes::from(text))).into())
    }

    fn accepting(encodings: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(ACCEPT_ENCODING, HeaderValue::from_static(encodings))])
    }

    #[test]
    fn the_smallest_form_the_browser_reads_is_sent() {
        let site = site();
        let path = format!("{}/live.js", site.root());
        let encoding = |accepted| {
            let response = asset(&site, &path, &accepting(accepted)).unwrap();
            response.headers().get(CONTENT_ENCODING).map(|value| value.to_str().unwrap().to_owned())
        };

        assert_eq!(encoding("gzip, deflate, br").as_deref(), Some("br"));
        assert_eq!(encoding("gzip, br;q=0").as_deref(), Some("gzip"));
        assert_eq!(encoding("identity"), None);
    }

    #[test]
    fn only_names_in_the_table_are_found() {
        let site = site();
        let none = HeaderMap::new();
        let root = site.root();

        assert!(asset(&site, &format!("{root}/live.js"), &none).is_some());
        for wrong in
            ["", "/", "/live.js.br", "/../live.js", "/%6cive.js", "/live.js/", "//live.js", "/..%2flive.js"]
        {
            assert!(asset(&site, &format!("{root}{wrong}"), &none).is_none(), "{wrong:?} was found");
        }
        assert!(asset(&site, "/assets/0123456789abcdef/live.js", &none).is_none(), "another build's address");
    }

    #[test]
    fn a_file_at_the_root_is_asked_about_by_its_etag() {
        let site = site();
        let first = root_file(&site, "/favicon.ico", &HeaderMap::new()).unwrap();
        let known = HeaderMap::from_iter([(IF_NONE_MATCH, first.headers()[ETAG].clone())]);

        let second = root_file(&site, "/favicon.ico", &known).unwrap();

        assert_eq!((first.status(), second.status()), (StatusCode::OK, StatusCode::NOT_MODIFIED));
    }
}
