//! The cookies: what opens a session, what makes a browser known, and a sign-in that is under way elsewhere.
//!
//! Browsers send a cookie to every port of a host, and those that they guard to every path. So its name carries port and
//! base path, and two installations on one host do not overwrite each other's.

use super::oidc::FLOW_LASTS_SECONDS;
use crate::config::BasePath;
use crate::middleware::host::{Hosts, host_of};
use http::header::{COOKIE, SET_COOKIE};
use http::{HeaderMap, HeaderValue};
use reprieve_access::SESSION_LASTS_MAX;

/// A quarter of a year, in seconds: as long as Redis knows the browser.
const DEVICE_SECONDS: u64 = 7_776_000;

/// What of the three a cookie is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cookie {
    Session,
    Device,
    /// A sign-in by the provider, which the browser brings back from there. There may be several: each has its mark behind the
    /// name.
    Flow,
}

/// What stands between the name of a cookie and its mark.
const MARKED: char = '.';

impl Cookie {
    /// Its name at an address of ours. Under TLS the browser itself sees to it that nobody else sets it.
    fn name(self, origin: &str, base: &BasePath) -> String {
        let name = match self {
            Self::Session => "rp",
            Self::Device => "rp-device",
            Self::Flow => "rp-oidc",
        };
        let guarded = if is_secure(origin) { "__Host-" } else { "" };
        let below = base.as_str().replace('/', "-");
        match origin.rsplit_once(':').filter(|(_, port)| port.parse::<u16>().is_ok()) {
            Some((_, port)) => format!("{guarded}{name}-{port}{below}"),
            None => format!("{guarded}{name}{below}"),
        }
    }

    /// What the request holds of it; empty for nothing, and where there are two.
    pub(super) fn read(self, headers: &HeaderMap, hosts: &Hosts) -> String {
        value(headers, &self.name(&origin(headers, hosts), hosts.base())).unwrap_or_default()
    }

    /// The header that sets it.
    pub(super) fn set(self, text: &str, headers: &HeaderMap, hosts: &Hosts) -> Option<HeaderValue> {
        self.set_marked("", text, headers, hosts)
    }

    fn set_marked(self, mark: &str, text: &str, headers: &HeaderMap, hosts: &Hosts) -> Option<HeaderValue> {
        let seconds = match self {
            Self::Session => SESSION_LASTS_MAX.as_secs(),
            Self::Device => DEVICE_SECONDS,
            Self::Flow => FLOW_LASTS_SECONDS,
        };
        let seconds = if text.is_empty() { 0 } else { seconds };
        let origin = origin(headers, hosts);
        let name = self.name(&origin, hosts.base());
        let secure = if is_secure(&origin) { "; Secure" } else { "" };
        // Another site leads back to us with it: a strict one would stay at home.
        let site = if self == Self::Flow { "Lax" } else { "Strict" };
        let mark = if mark.is_empty() { String::new() } else { format!("{MARKED}{mark}") };
        let cookie =
            format!("{name}{mark}={text}; Path=/; Max-Age={seconds}; HttpOnly; SameSite={site}{secure}");
        HeaderValue::from_str(&cookie).ok()
    }

    /// Sets the one with that mark on an answer; an empty text removes it.
    pub(super) fn put_marked(
        self,
        answer: &mut HeaderMap,
        (mark, text): (&str, &str),
        headers: &HeaderMap,
        hosts: &Hosts,
    ) {
        if let Some(cookie) = self.set_marked(mark, text, headers, hosts) {
            answer.append(SET_COOKIE, cookie);
        }
    }

    /// All that a request has, by their marks.
    pub(super) fn marked(self, headers: &HeaderMap, hosts: &Hosts) -> Vec<(String, String)> {
        let name = self.name(&origin(headers, hosts), hosts.base());
        let of_it = |(found, text): (&str, &str)| {
            let mark = found.strip_prefix(&name)?.strip_prefix(MARKED)?;
            Some((mark.to_owned(), text.to_owned()))
        };
        pairs(headers).filter_map(of_it).collect()
    }

    /// Sets it on an answer.
    pub(super) fn put(self, answer: &mut HeaderMap, text: &str, headers: &HeaderMap, hosts: &Hosts) {
        if let Some(cookie) = self.set(text, headers, hosts) {
            answer.append(SET_COOKIE, cookie);
        }
    }
}

/// The origin under which the browser sees us.
pub(super) fn origin(headers: &HeaderMap, hosts: &Hosts) -> String {
    host_of(headers).and_then(|host| hosts.origin(host)).unwrap_or_default()
}

fn is_secure(origin: &str) -> bool {
    origin.starts_with("https://")
}

/// What a cookie of that name holds, if there is exactly one.
pub(super) fn value(headers: &HeaderMap, name: &str) -> Option<String> {
    let mut found = pairs(headers).filter(|(found, _)| *found == name).map(|(_, value)| value.to_owned());
    found.next().filter(|_| found.next().is_none())
}

fn pairs(headers: &HeaderMap) -> impl Iterator<Item = (&str, &str)> {
    let texts = headers.get_all(COOKIE).iter().filter_map(|text| text.to_str().ok());
    texts.flat_map(|text| text.split(';')).filter_map(|pair| pair.trim().split_once('='))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::AllowedHost;

    #[test]
    fn under_tls_the_browser_guards_the_cookie_and_nowhere_does_a_script_read_it() {
        let hosts = Hosts::new(&[AllowedHost::read("https://jobs.example").unwrap()]);
        let from =
            |host: &'static str| HeaderMap::from_iter([(http::header::HOST, HeaderValue::from_static(host))]);
        assert_eq!(
            Cookie::Session.set("a", &from("jobs.example"), &hosts).unwrap(),
            "__Host-rp=a; Path=/; Max-Age=28800; HttpOnly; SameSite=Strict; Secure"
        );
        assert_eq!(
            Cookie::Session.set("", &from("localhost:8080"), &hosts).unwrap(),
            "rp-8080=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict"
        );
        assert_eq!(
            Cookie::Flow.set_marked("Xy_1", "a", &from("jobs.example"), &hosts).unwrap(),
            "__Host-rp-oidc.Xy_1=a; Path=/; Max-Age=600; HttpOnly; SameSite=Lax; Secure"
        );
    }

    #[test]
    fn installations_at_two_ports_of_a_host_read_each_their_own() {
        let hosts = Hosts::new(&[
            AllowedHost::read("https://jobs.example").unwrap(),
            AllowedHost::read("http://behind.example:8090").unwrap(),
        ]);
        let read = |host: &'static str| {
            let sent = "rp=a; rp-81=b; rp-82=c; rp-8090=d; __Host-rp=e; __Host-rp-8443=f; rp-device-81=g";
            let headers = [(http::header::HOST, host), (COOKIE, sent)];
            let headers = headers.map(|(name, value)| (name, HeaderValue::from_static(value)));
            Cookie::Session.read(&HeaderMap::from_iter(headers), &hosts)
        };
        for (host, id) in [
            ("localhost", "a"),
            ("localhost:81", "b"),
            ("[::1]:82", "c"),
            ("[::1]", "a"),
            ("behind.example", "d"),
            ("jobs.example", "e"),
            ("jobs.example:8443", "f"),
            ("localhost:83", ""),
        ] {
            assert_eq!(read(host), id, "{host}");
        }
    }

    #[test]
    fn installations_below_two_paths_of_a_host_read_each_their_own() {
        let sent = "rp=a; rp-81=b; rp-81-jobs=c; rp-jobs=d; rp-tools-jobs=e";
        for (host, base, id) in [
            ("localhost:81", "/jobs", "c"),
            ("localhost", "/jobs", "d"),
            ("localhost", "/tools/jobs", "e"),
            ("localhost:81", "/", "b"),
            ("localhost", "/other", ""),
        ] {
            let hosts = Hosts::new(&[]).below(base.parse().unwrap());
            let headers = [(http::header::HOST, host), (COOKIE, sent)];
            let headers = headers.map(|(name, value)| (name, HeaderValue::from_static(value)));
            assert_eq!(Cookie::Session.read(&HeaderMap::from_iter(headers), &hosts), id, "{host} {base}");
        }
    }

    #[test]
    fn several_of_a_sort_are_told_by_their_marks() {
        let hosts = Hosts::new(&[]);
        let text = "rp=s; rp-oidc.a=1; rp-oidc=old; rp-oidc.b=2; xrp-oidc.c=3";
        let headers = HeaderMap::from_iter([(COOKIE, HeaderValue::from_static(text))]);
        let found = Cookie::Flow.marked(&headers, &hosts);
        assert_eq!(found, [("a", "1"), ("b", "2")].map(|(mark, text)| (mark.to_owned(), text.to_owned())));
    }

    #[test]
    fn a_cookie_that_comes_twice_is_none() {
        let headers = |text: &'static str| HeaderMap::from_iter([(COOKIE, HeaderValue::from_static(text))]);
        assert_eq!(value(&headers("a=1; rp=x"), "rp").as_deref(), Some("x"));
        assert_eq!(value(&headers("rp=x; rp=y"), "rp"), None);
        assert_eq!(value(&headers("xrp=x"), "rp"), None);
    }
}
