//! Where the traces of jobs are looked at.

use std::str::FromStr;

/// Stands for the id of a trace in an address.
const PLACE: &str = "{trace}";
/// Digits of the id of a trace in a `traceparent` of the W3C.
const ID_DIGITS: usize = 32;

/// The address of a trace in a system that keeps them: `https://traces.example/trace/{trace}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TracePage(String);

impl FromStr for TracePage {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if !text.starts_with("https://") && !text.starts_with("http://") {
            return Err(format!("{text:?} begins neither with https:// nor with http://"));
        }
        if text.matches(PLACE).count() != 1 {
            return Err(format!("{text:?} needs {PLACE} once, where the id of a trace stands"));
        }
        Ok(Self(text.to_owned()))
    }
}

impl TracePage {
    /// The address of the trace that a job's `traceparent` names; `None` where that is none.
    pub fn of(&self, parent: &str) -> Option<String> {
        let id = parent.split('-').nth(1)?;
        let is_one = id.len() == ID_DIGITS
            && id.bytes().all(|digit| digit.is_ascii_hexdigit())
            && id.bytes().any(|digit| digit != b'0');
        is_one.then(|| self.0.replace(PLACE, id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_leads_to_its_trace() {
        let page = "https://traces.example/trace/{trace}?q=1".parse::<TracePage>().unwrap();
        let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        let address = "https://traces.example/trace/0af7651916cd43dd8448eb211c80319c?q=1";
        assert_eq!(page.of(parent).as_deref(), Some(address));
        let none = format!("00-{}-b7ad6b7169203331-01", "0".repeat(ID_DIGITS));
        for wrong in ["", "00", "00-0af7-b7ad6b7169203331-01", "00-\"><script>-b7ad6b7169203331-01", &none] {
            assert_eq!(page.of(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn an_address_says_where_the_id_stands() {
        for wrong in [
            "traces.example/{trace}",
            "javascript:{trace}",
            "https://traces.example/",
            "https://{trace}/{trace}",
        ] {
            wrong.parse::<TracePage>().unwrap_err();
        }
    }
}
