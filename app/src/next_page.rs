//! Which addresses a form or a link may ask to go on to: only pages of ours.

/// Longest address somebody may want to go on to.
const NEXT_BYTES_MAX: usize = 2_000;

/// Where to go on to: the page that was wanted, if it is one of ours; home otherwise.
pub fn next_page(wanted: &str) -> &str {
    let is_plain = wanted.len() <= NEXT_BYTES_MAX
        && wanted.bytes().all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'\\' | b'#'));
    let path = wanted.split('?').next().unwrap_or_default();
    let mut parts = path.split('/');
    let is_rooted = wanted.starts_with('/') && parts.next() == Some("");
    let area = parts.next().unwrap_or_default();
    // No part of a path climbs, and none is empty but the last.
    let climbs = path.split('/').skip(1).any(|part| {
        let part = part.to_ascii_lowercase().replace("%2e", ".");
        part == "." || part == ".."
    });
    let is_known = PAGES.contains(&area);
    if is_plain && is_rooted && !climbs && !path.contains("//") && is_known { wanted } else { "/" }
}

/// The first parts of the addresses of our pages.
pub const PAGES: [&str; 19] = [
    "",
    "jobs",
    "job",
    "desk",
    "dead",
    "queue",
    "search",
    "bulk",
    "import",
    "redis",
    "settings",
    "workers",
    "forecast",
    "schedules",
    "schedule",
    "account",
    "people",
    "audit",
    "namespaces",
];

#[cfg(test)]
mod tests {
    use super::next_page;

    #[test]
    fn the_way_on_leads_to_pages_of_ours_alone() {
        for ours in [
            "/",
            "/jobs/delay",
            "/jobs/dead?queue=mail&q=a%20b",
            "/job/a%2Fb",
            "/account",
            "/?said=x",
            "/desk/resource:1",
        ] {
            assert_eq!(next_page(ours), ours);
        }
        let spellings = [
            "",
            "//",
            "///",
            "//evil.example",
            "///evil.example",
            "/\\evil.example",
            "\\\\evil.example",
            "\\/evil.example",
            "/\\/evil.example",
            "/%09/evil.example",
            "/\t/evil.example",
            "/\n/evil.example",
            "/\r\n/evil.example",
            "https://evil.example",
            "http://evil.example",
            "HTTPS://evil.example",
            "https:evil.example",
            "https:/evil.example",
            "https:///evil.example",
            "//evil.example/jobs",
            "/.evil.example",
            "/..//evil.example",
            "/./evil.example",
            "/jobs//evil.example",
            "/jobs/..//evil.example",
            "/jobs/../../evil",
            "/jobs/%2e%2e/%2e%2e/evil",
            "/jobs/%2E%2E/x",
            "/jobs/.%2e/x",
            "javascript:alert(1)",
            "JaVaScRiPt:alert(1)",
            " javascript:alert(1)",
            "data:text/html,x",
            "vbscript:x",
            "blob:x",
            "file:///etc/passwd",
            "ftp://evil.example",
            "mailto:a@b",
            "//evil.example#@localhost",
            "/jobs#@evil",
            "@evil.example",
            "evil.example",
            "evil.example/jobs",
            "localhost@evil.example",
            "/\u{2215}evil.example",
            "/\u{ff0f}evil.example",
            "\u{ff0f}\u{ff0f}evil.example",
            "/login",
            "/login?next=//evil",
            "/logout",
            "/first",
            "/welcome",
            "/api/fn/cancel_job",
            "/api/v1/jobs",
            "/healthz",
            "/metrics",
            "/export/jobs.csv",
            "/nowhere",
            "?next=/jobs",
            "jobs/delay",
            "./jobs",
            "/jobs\0",
            "/jobs/é",
            "/ jobs",
        ];
        assert!(spellings.len() >= 60);
        for spelling in spellings {
            assert_eq!(next_page(spelling), "/", "{spelling:?}");
        }
        assert_eq!(next_page(&format!("/jobs/{}", "x".repeat(2_000))), "/");
    }
}
