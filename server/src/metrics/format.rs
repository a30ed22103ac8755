//! The two text formats of a scrape, chosen by `Accept`.

use http::{HeaderMap, header};
use std::collections::HashMap;

/// How numbers are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    /// That of OpenMetrics, which Prometheus asks for since version 2.5.
    OpenMetrics,
    /// The older one, version 0.0.4, for scrapers that do not ask for the other.
    Text,
}

impl Format {
    /// The one that the scraper likes more.
    pub(super) fn asked_for(headers: &HeaderMap) -> Self {
        let [open, text] =
            ["application/openmetrics-text", "text/plain"].map(|wanted| weight(headers, wanted));
        if open > 0.0 && open >= text { Self::OpenMetrics } else { Self::Text }
    }

    pub(super) const fn content_type(self) -> &'static str {
        match self {
            Self::OpenMetrics => "application/openmetrics-text; version=1.0.0; charset=utf-8",
            Self::Text => "text/plain; version=0.0.4; charset=utf-8",
        }
    }

    /// A page of OpenMetrics in this format.
    pub(super) fn of(self, page: String) -> String {
        match self {
            Self::OpenMetrics => page,
            Self::Text => older(&page),
        }
    }
}

/// How much a type is wanted, 0 to 1.
fn weight(headers: &HeaderMap, wanted: &str) -> f32 {
    let lines = headers.get_all(header::ACCEPT).iter().filter_map(|line| line.to_str().ok());
    let weights = lines.flat_map(|line| line.split(',')).filter_map(|range| {
        let mut parts = range.split(';').map(str::trim);
        let named = parts.next().is_some_and(|name| name.eq_ignore_ascii_case(wanted));
        let weight = parts.find_map(|part| part.strip_prefix("q=")).map_or(1.0, |q| q.parse().unwrap_or(0.0));
        named.then_some(weight)
    });
    weights.fold(0.0, f32::max)
}

/// Counters and infos have the name of their samples there, infos are gauges, and there is no end.
fn older(page: &str) -> String {
    let suffix = |line: &'_ str| match line.strip_prefix("# TYPE ")?.split_once(' ')? {
        (name, "counter") => Some((name.to_owned(), "_total")),
        (name, "info") => Some((name.to_owned(), "_info")),
        _ => None,
    };
    let renamed: HashMap<String, &str> = page.lines().filter_map(suffix).collect();
    let mut text = String::with_capacity(page.len());
    for line in page.lines().filter(|line| *line != "# EOF" && !line.starts_with("# UNIT ")) {
        let mut words = line.splitn(4, ' ');
        match (words.next(), words.next(), words.next().and_then(|name| Some((name, renamed.get(name)?)))) {
            (Some("#"), Some(what), Some((name, suffix))) => {
                let rest = words.next().unwrap_or_default();
                let rest = if (what, rest) == ("TYPE", "info") { "gauge" } else { rest };
                text.push_str(&format!("# {what} {name}{suffix} {rest}"));
            }
            _ => text.push_str(line),
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    #[test]
    fn a_scraper_gets_the_format_it_asks_for() {
        let prometheus_3 = "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,\
                            application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;q=0.4,\
                            text/plain;version=0.0.4;q=0.3,*/*;q=0.2";
        for (accept, format) in [
            (Some(prometheus_3), Format::OpenMetrics),
            (Some("application/openmetrics-text; version=1.0.0; charset=utf-8"), Format::OpenMetrics),
            (Some("text/plain;version=0.0.4;q=0.9, application/openmetrics-text;q=0.1"), Format::Text),
            (Some("text/plain;version=0.0.4"), Format::Text),
            (Some("application/openmetrics-text;q=0"), Format::Text),
            (Some("*/*"), Format::Text),
            (None, Format::Text),
        ] {
            let mut headers = HeaderMap::new();
            headers.extend(accept.map(|accept| (header::ACCEPT, HeaderValue::from_static(accept))));
            assert_eq!(Format::asked_for(&headers), format, "{accept:?}");
        }
    }

    #[test]
    fn the_older_format_names_counters_and_infos_as_their_samples() {
        let page = "# HELP a Jobs in it.\n# TYPE a gauge\na 1\n# HELP b Jobs taken in.\n# TYPE b counter\n\
                    b_total{queue=\"x y\"} 2\n# HELP c An info.\n# TYPE c info\nc_info{v=\"1\"} 1\n# EOF\n";
        let older = "# HELP a Jobs in it.\n# TYPE a gauge\na 1\n# HELP b_total Jobs taken in.\n\
                     # TYPE b_total counter\nb_total{queue=\"x y\"} 2\n# HELP c_info An info.\n\
                     # TYPE c_info gauge\nc_info{v=\"1\"} 1\n";
        assert_eq!(Format::Text.of(page.to_owned()), older);
        assert_eq!(Format::OpenMetrics.of(page.to_owned()), page);
    }
}
