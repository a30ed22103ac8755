//! Failures that nobody is to be told of for a while, and what is told of those who died lately.

use super::{Inspector, Operator};
use crate::error::{Error, Result};
use crate::model::{Attention, Delay, JobRow, ListQuery, Mute, QueueName, Settings, StateGroup, failure};
use std::collections::HashMap;

/// How long a failure may be muted: by then somebody has mended it, or looks again.
const MUTED_MOST: Delay = Delay::days(30);
/// Bytes of a mask: those of an error line of 200 characters.
const MASK_BYTES_MAX: usize = 800;
/// How often a change is tried again that somebody else's came before.
const CHANGE_TRIES: u32 = 5;
/// What counts as lately.
const LATELY: Delay = Delay::hours(1);
/// Dead jobs that are looked at, the latest: about 8 ms of Redis.
const DEATHS_MAX: u64 = 1_000;
/// Rows of one page.
const PAGE: u16 = 200;
/// Failures of one look that are worth a line each; the rarest are left to the page of failures.
const LINES_MAX: usize = 5;

/// Who died within the last hour, as far as it was looked at.
#[derive(Debug, Default)]
pub(super) struct Deaths {
    /// Those whose failure nobody muted.
    told: Vec<JobRow>,
    /// How many others.
    muted: u64,
    /// Whether there may be more.
    more: bool,
}

impl Deaths {
    /// How many of so many deaths are to be told of, in a queue where something is muted. Where not all were looked at,
    /// the others are taken to be alike: there are too many, or their jobs are dead no more. None is told of when all
    /// of those are.
    pub(super) fn told_of(&self, deaths: u64) -> u64 {
        let told = u64::try_from(self.told.len()).unwrap_or(u64::MAX);
        match told.saturating_add(self.muted) {
            0 => 0,
            looked_at if self.more || looked_at < deaths => deaths.saturating_mul(told) / looked_at,
            _ => deaths.saturating_sub(self.muted),
        }
    }

    /// The same by queue and failure, the most frequent first.
    pub(super) fn lines(self) -> Vec<Attention> {
        let mut counts: HashMap<(QueueName, String), (u64, String)> = HashMap::new();
        // The latest comes first: its error is the example.
        for row in self.told {
            let failure = (row.queue, failure::masked(&row.error_line));
            counts.entry(failure).or_insert((0, row.error_line)).0 += 1;
        }
        let mut counts: Vec<_> = counts.into_iter().collect();
        counts.sort_by(|(a, (many, _)), (b, (few, _))| few.cmp(many).then_with(|| a.cmp(b)));
        counts.truncate(LINES_MAX);
        let or_more = self.more;
        let line = |((queue, error), (last_hour, example))| Attention::Dying {
            queue,
            error,
            example,
            last_hour,
            or_more,
        };
        counts.into_iter().map(line).collect()
    }
}

impl Inspector {
    /// The dead jobs of one queue or of all that died within the last hour, among the latest 1,000.
    pub(super) async fn deaths(&self, queue: Option<&QueueName>) -> Result<Deaths> {
        let (redaction, settings) = (self.settings.redaction().await?, self.settings.get().await?);
        let now = self.shards.now().await?;
        let (mut deaths, mut looked_at, mut after) = (Deaths::default(), 0, None);
        loop {
            let query = ListQuery::group(StateGroup::Dead).queue(queue.cloned()).after(after).size(PAGE);
            let page = self.shards.list(&query).await?;
            for mut row in page.rows {
                if now.millis_since(row.ended.unwrap_or(row.due)) > LATELY.as_millis() {
                    return Ok(deaths);
                }
                looked_at += 1;
                // Before what may not be seen of it is gone.
                let mask = failure::masked(&row.error_line);
                if settings.muted.iter().any(|mute| mute.holds(&mask, &row.queue, now)) {
                    deaths.muted += 1;
                } else {
                    redaction.row(&mut row);
                    deaths.told.push(row);
                }
            }
            after = page.next;
            deaths.more = after.is_some();
            if after.is_none() || looked_at >= DEATHS_MAX {
                return Ok(deaths);
            }
        }
    }
}

impl Operator {
    /// Mutes a failure, in one queue or in all, in place of what muted it there before.
    ///
    /// # Errors
    /// [`Error::Invalid`]: nothing changed. [`Error::Unavailable`], also when others change it all the time.
    pub async fn mute(&self, mask: &str, queue: Option<&QueueName>, span: Delay, why: &str) -> Result<bool> {
        if span <= Delay::ZERO || span > MUTED_MOST {
            return Err(Error::invalid("span", "is longer than nothing and at most 30 days"));
        }
        // A mask is its own mask.
        if mask.len() > MASK_BYTES_MAX || failure::masked(mask) != mask {
            return Err(Error::invalid("mask", "is no error line with its details masked"));
        }
        let until = self.shards().now().await? + span;
        let mute = Mute { mask: mask.to_owned(), queue: queue.cloned(), until, by: self.actor().to_owned() };
        self.change_muted(mask, queue, Some(mute), why).await
    }

    /// Has a failure told again that was muted, there or in all queues; `false` if it was not.
    ///
    /// # Errors
    /// As [`mute`](Self::mute).
    pub async fn unmute(&self, mask: &str, queue: Option<&QueueName>, why: &str) -> Result<bool> {
        self.change_muted(mask, queue, None, why).await
    }

    async fn change_muted(
        &self,
        mask: &str,
        queue: Option<&QueueName>,
        mute: Option<Mute>,
        why: &str,
    ) -> Result<bool> {
        for _ in 0..CHANGE_TRIES {
            let (seen, now) = (self.settings.get().await?, self.shards().now().await?);
            let mut muted = seen.muted.clone();
            muted.retain(|there| there.until > now && (there.mask != mask || there.queue.as_ref() != queue));
            muted.extend(mute.clone());
            if muted.len() > Settings::MUTED_MAX {
                return Err(Error::invalid(
                    "mask",
                    "is one too many: at most 50 failures are muted at a time",
                ));
            }
            let having_seen = self.having_seen(Settings::clone(&seen));
            match having_seen.set("muted", &muted, |seen| &seen.muted, why).await {
                // It was read anew; the next try sees what is there.
                Err(Error::SettingChanged { .. }) => {}
                answer => return answer,
            }
        }
        Err(Error::Unavailable { what: "what is muted is being changed by others".to_owned() })
    }
}
