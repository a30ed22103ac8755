//! Who did what, and whether that is still what was written down.

use reprieve::model::{AuditCheck, AuditEntry, AuditFilter, InvalidName, JobRow, Timestamp};
use reprieve_access::allowance::AUDIT_CHECKS;
use serde::Deserialize;

use crate::error::ApiError;
use crate::{access, i18n};

/// A page of acts.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditView {
    /// The acts, the latest first, each with the job it was done to as that is now.
    pub acts: Vec<(AuditEntry, Option<JobRow>)>,
    /// The `before` of the next page; `None` at the end.
    pub next: Option<String>,
    /// How many acts were looked at.
    pub scanned: u64,
    /// Whether the search ended at its limit, so that there may be more that fit.
    pub cut: bool,
}

/// Acts that fit, the latest first, of those that the caller may see. Needs `SeeAudit`.
/// `before` is the `next` of the page before.
pub async fn get_audit(asked: &Asked, before: &str) -> Result<AuditView, ApiError> {
    /// Acts of a page.
    const SIZE: u16 = 50;
    let caller = access::caller()?;
    let (inspector, principal) = (caller.inspector_of_audit()?, caller.principal());
    let now = access::now().await?;
    let filter = principal.audit_seen(asked.filter(now).map_err(|why| ApiError::Invalid { why })?);
    let before = part(before).map_err(|why| ApiError::Invalid { why })?;
    let page = inspector.audit(&filter, before, SIZE).await?;
    let ids: Vec<_> = page.items.iter().filter_map(|entry| entry.target.parse().ok()).collect();
    let rows = inspector.rows(&ids).await?.into_iter().flatten();
    let rows = rows.filter(|row| principal.may_in(&row.queue)).map(|row| (row.id.to_string(), row));
    let rows: std::collections::HashMap<_, _> = rows.collect();
    let acts = page.items.into_iter().map(|entry| {
        let row = rows.get(&entry.target).cloned();
        (entry, row)
    });
    Ok(AuditView {
        acts: acts.collect(),
        next: page.next.map(|place| place.to_string()),
        scanned: page.scanned,
        cut: page.cut,
    })
}

/// Looks whether every act still reads as it was written, and follows on the one before. Needs `SeeAudit`; a person
/// may ten times an hour, whatever asks for them.
pub async fn check_audit() -> Result<AuditCheck, ApiError> {
    /// Acts of one look: a second or two. The command line goes on to the end.
    const MOST: u64 = 200_000;
    let caller = access::caller()?;
    let (inspector, principal) = (caller.inspector_of_audit()?, caller.principal());
    caller.spend(AUDIT_CHECKS, "/audit?check=1", "").await?;
    Ok(principal.audit_check_seen(inspector.verify_audit(MOST, None).await?))
}

/// What is asked for, in the words of an address. They may not read.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct Asked {
    pub(crate) by: String,
    pub(crate) verb: String,
    pub(crate) queue: String,
    pub(crate) subject: String,
    /// A span in seconds until now.
    pub(crate) within: String,
    /// Times as people write them.
    pub(crate) from: String,
    pub(crate) to: String,
    pub(crate) only: String,
}

impl Asked {
    /// The same for the engine, by its clock.
    ///
    /// # Errors
    /// What does not read, for people.
    pub fn filter(&self, now: Timestamp) -> Result<AuditFilter, String> {
        use crate::when::{When, parse};
        use reprieve::model::{AuditFilter, Timestamp};
        let instant = |text: &str| match (text.trim().is_empty(), parse(text)) {
            (true, _) => Ok(None),
            (false, Some(When::At(at))) => Ok(Some(at)),
            (false, _) => Err(i18n::not_a_time()),
        };
        let ago = part::<u32>(&self.within)?
            .map(|seconds| Timestamp::saturating_from_millis(now.as_millis() - i64::from(seconds) * 1_000));
        Ok(AuditFilter {
            by: self.by.trim().to_owned(),
            verb: self.verb.trim().to_owned(),
            queue: name(&self.queue)?,
            subject: name(&self.subject)?,
            from: instant(&self.from)?.or(ago),
            to: instant(&self.to)?,
            only: part(&self.only)?,
            ..AuditFilter::default()
        })
    }
}

/// A part of an address; `None` for an empty one.
fn part<T: std::str::FromStr<Err: ToString>>(text: &str) -> Result<Option<T>, String> {
    let text = text.trim();
    if text.is_empty() { Ok(None) } else { text.parse().map(Some).map_err(|wrong: T::Err| wrong.to_string()) }
}

/// The same for a name that somebody typed.
fn name<T: std::str::FromStr<Err = InvalidName>>(text: &str) -> Result<Option<T>, String> {
    let text = text.trim();
    let name = Some(text).filter(|text| !text.is_empty()).map(str::parse).transpose();
    name.map_err(|wrong| i18n::bad_name(&wrong))
}

#[cfg(test)]
mod tests {
    use super::*;
    use reprieve::model::{AuditOnly, Timestamp};

    #[test]
    fn an_address_says_what_is_wanted() {
        let now = Timestamp::from_millis(1_786_525_200_000).unwrap();
        let asked = Asked {
            by: " ann ".to_owned(),
            only: "bulk".to_owned(),
            within: "3600".to_owned(),
            ..Asked::default()
        };
        let filter = asked.filter(now).unwrap();
        assert_eq!((filter.by.as_str(), filter.only), ("ann", Some(AuditOnly::Bulk)));
        assert_eq!(filter.from.unwrap().as_millis(), 1_786_525_200_000 - 3_600_000);
        assert!(Asked::default().filter(now).unwrap().is_empty());
    }

    #[test]
    fn what_does_not_read_is_refused() {
        let now = Timestamp::from_millis(1).unwrap();
        let wrong = [
            Asked { queue: "a b".to_owned(), ..Asked::default() },
            Asked { from: "yesterday".to_owned(), ..Asked::default() },
            Asked { only: "some".to_owned(), ..Asked::default() },
            Asked { within: "-5".to_owned(), ..Asked::default() },
        ];
        for asked in wrong {
            assert!(asked.filter(now).is_err(), "{asked:?}");
        }
    }
}
