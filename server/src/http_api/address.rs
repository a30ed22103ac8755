//! Addresses with slashes inside a name.
//!
//! Ids, subjects and keys may hold slashes, and people write them as they are. The router takes a name as one
//! segment, so a slash inside one becomes `%2F` before the router looks.

use http::{Method, Uri};
use utoipa::openapi::{OpenApi, PathItem};

/// Path parameters whose values may hold slashes.
const SLASHED: [&str; 3] = ["{id}", "{subject}", "{key}"];

/// The addresses of the API in which one parameter may hold slashes.
#[derive(Debug, Clone, Default)]
pub(super) struct Addresses(Vec<Address>);

#[derive(Debug, Clone)]
struct Address {
    /// The segments before the parameter and behind it.
    before: Vec<String>,
    behind: Vec<String>,
    reads: bool,
    posts: bool,
}

impl Addresses {
    /// Those of a document; the more of an address is fixed, the earlier it is tried.
    pub(super) fn of(document: &OpenApi) -> Self {
        let mut all: Vec<_> =
            document.paths.paths.iter().filter_map(|(path, item)| Address::of(path, item)).collect();
        all.sort_by_key(|address| std::cmp::Reverse(address.before.len() + address.behind.len()));
        Self(all)
    }

    /// The same address with the slashes inside its name escaped.
    pub(super) fn escape(&self, method: &Method, uri: &Uri) -> Option<Uri> {
        let segments: Vec<&str> = uri.path().split('/').collect();
        let path = self.0.iter().filter(|address| address.takes(method)).find_map(|a| a.fold(&segments))?;
        let whole = match uri.query() {
            Some(query) => format!("{path}?{query}"),
            None => path,
        };
        whole.parse().ok()
    }
}

impl Address {
    fn of(path: &str, item: &PathItem) -> Option<Self> {
        let segments: Vec<String> = path.split('/').map(ToOwned::to_owned).collect();
        let place = segments.iter().position(|segment| SLASHED.contains(&segment.as_str()))?;
        let (before, behind) = (segments[..place].to_vec(), segments[place + 1..].to_vec());
        Some(Self { before, behind, reads: item.get.is_some(), posts: item.post.is_some() })
    }

    const fn takes(&self, method: &Method) -> bool {
        match *method {
            Method::GET | Method::HEAD => self.reads,
            Method::POST => self.posts,
            _ => false,
        }
    }

    /// The segments with those of the name folded into one, if there are several and the rest fits.
    fn fold(&self, segments: &[&str]) -> Option<String> {
        let inner = segments.strip_prefix_like(&self.before)?.strip_suffix_like(&self.behind)?;
        if inner.len() < 2 {
            // Nothing to escape, but nothing of a longer address either.
            return (inner.len() == 1).then(|| segments.join("/"));
        }
        let mut path = self.before.join("/");
        path.push('/');
        path.push_str(&inner.join("%2F"));
        for segment in &self.behind {
            path.push('/');
            path.push_str(segment);
        }
        Some(path)
    }
}

/// `strip_prefix` and `strip_suffix` for segments, where a parameter fits anything.
trait Segments: Sized {
    fn strip_prefix_like(self, pattern: &[String]) -> Option<Self>;
    fn strip_suffix_like(self, pattern: &[String]) -> Option<Self>;
}

impl Segments for &[&str] {
    fn strip_prefix_like(self, pattern: &[String]) -> Option<Self> {
        let (first, rest) = self.split_at_checked(pattern.len())?;
        fits(first, pattern).then_some(rest)
    }

    fn strip_suffix_like(self, pattern: &[String]) -> Option<Self> {
        let (rest, last) = self.split_at_checked(self.len().checked_sub(pattern.len())?)?;
        fits(last, pattern).then_some(rest)
    }
}

fn fits(segments: &[&str], pattern: &[String]) -> bool {
    segments.iter().zip(pattern).all(|(segment, wanted)| wanted.starts_with('{') || segment == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn escaped(method: &Method, path: &str) -> String {
        let addresses = Addresses::of(&super::super::document::describe());
        let uri: Uri = path.parse().unwrap();
        addresses.escape(method, &uri).unwrap_or(uri).to_string()
    }

    #[test]
    fn a_slash_inside_a_name_is_told_from_one_behind_it() {
        let (get, post) = (Method::GET, Method::POST);
        for (method, path, expected) in [
            (&get, "/api/v1/jobs/a", "/api/v1/jobs/a"),
            (&get, "/api/v1/jobs/a/b/c?x=/", "/api/v1/jobs/a%2Fb%2Fc?x=/"),
            (&get, "/api/v1/jobs/a%2Fb", "/api/v1/jobs/a%2Fb"),
            (&post, "/api/v1/jobs/a/cancel", "/api/v1/jobs/a/cancel"),
            (&post, "/api/v1/jobs/a/b/cancel", "/api/v1/jobs/a%2Fb/cancel"),
            (&post, "/api/v1/jobs/cancel/cancel", "/api/v1/jobs/cancel/cancel"),
            (&get, "/api/v1/jobs/a/cancel", "/api/v1/jobs/a%2Fcancel"),
            (&get, "/api/v1/subjects/shop/7", "/api/v1/subjects/shop%2F7"),
            (&post, "/api/v1/subjects/shop/7/cancel", "/api/v1/subjects/shop%2F7/cancel"),
            (&post, "/api/v1/jobs/a/explode", "/api/v1/jobs/a/explode"),
            (&post, "/api/v1/queues/a/pause", "/api/v1/queues/a/pause"),
        ] {
            assert_eq!(escaped(method, path), expected, "{method} {path}");
        }
    }
}
