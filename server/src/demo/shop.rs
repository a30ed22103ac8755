//! The shop: what its customers do, minute by minute.

use super::catalog::Rental;
use super::happening::{Agenda, Happening};
use super::orders;
use super::speed::Speed;
use super::telephone::Telephone;
use rand::Rng;
use reprieve::model::Delay;
use std::ops::Range;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use url::Url;

/// Resources that are rented when the shop opens, at any age.
const OPENING_RENTALS: u32 = 40;
/// Beyond this many waiting jobs nobody rents any more; in real time a month's worth would pile up otherwise.
const WAITING_MAX: u64 = 2_000;
/// Invoices of one run: a few seconds' work for the two that billing sends at once.
const INVOICES: u32 = 30;
/// How long the shop waits for the API before it opens.
const OPENING_TRY: Duration = Duration::from_millis(200);

/// A small shop that keeps Reprieve busy.
#[derive(Debug)]
pub struct Shop {
    telephone: Telephone,
    speed: Speed,
    agenda: Agenda,
    next_number: u32,
}

impl Shop {
    /// A shop that calls the API at `address` (`http://127.0.0.1:8080`).
    ///
    /// # Errors
    /// No HTTP client on this machine.
    pub fn new(address: Url, speed: Speed) -> anyhow::Result<Self> {
        Ok(Self {
            telephone: Telephone::new(address)?,
            speed,
            agenda: Agenda::default(),
            next_number: first_number(),
        })
    }

    /// Opens, and goes on until told to stop. A call that fails is told and forgotten; the next one comes soon.
    pub async fn run(mut self, shutdown: CancellationToken) {
        let stopped = shutdown.clone();
        stopped
            .run_until_cancelled(async move {
                while let Err(error) = self.open().await {
                    tracing::debug!("the shop cannot open yet: {error:#}");
                    tokio::time::sleep(OPENING_TRY).await;
                }
                loop {
                    let what = self.agenda.next().await;
                    if let Err(error) = self.happen(what).await {
                        tracing::debug!("the shop could not do what it wanted: {error:#}");
                    }
                }
            })
            .await;
    }

    /// Fills every list at once, so that there is something to see.
    async fn open(&mut self) -> anyhow::Result<()> {
        if let Err(error) = self.telephone.index(&orders::LOOKED_FOR).await {
            tracing::debug!("the shop has other fields in the index: {error:#}");
        }
        for _ in 0..OPENING_RENTALS {
            let age = Delay::millis(rand::rng().random_range(0..Delay::days(30).as_millis()));
            let plan = orders::expiry(&self.rental(), age, self.speed);
            self.telephone.plan(&plan).await?;
        }
        let first_invoice = self.numbers(INVOICES);
        let mut jobs = orders::invoices(first_invoice, INVOICES);
        for _ in 0..4 {
            let number = self.numbers(4);
            let rental = self.rental();
            jobs.extend([
                orders::charge(number),
                orders::backup(number + 1),
                orders::crm_sync(number + 2),
                orders::closing(&rental, self.speed),
            ]);
        }
        jobs.push(orders::report(self.next_number));
        self.telephone.enqueue(jobs).await?;
        self.second_thoughts_at_the_opening().await?;
        for schedule in orders::schedules() {
            self.telephone.schedule(&schedule).await?;
        }
        let first = self.numbers(INVOICES);
        self.telephone.enqueue(orders::invoices_made_twice(first, INVOICES, self.speed)).await?;
        self.telephone.cancel_tagged(orders::TWICE, "Duplicate").await?;
        self.plan();
        Ok(())
    }

    /// Two customers have renewed, and the lawyers hold one deletion, before anybody looks.
    async fn second_thoughts_at_the_opening(&mut self) -> anyhow::Result<()> {
        for _ in 0..2 {
            let rental = self.rental();
            self.telephone.plan(&orders::expiry(&rental, Delay::days(20), self.speed)).await?;
            self.telephone.cancel_subject(&rental.subject(), "renewed for a year").await?;
        }
        let rental = self.rental();
        self.telephone.enqueue(vec![orders::closing(&rental, self.speed)]).await?;
        self.hold(&format!("account:{}:close", rental.number)).await
    }

    /// Notes the first of everything that then repeats itself.
    fn plan(&mut self) {
        for (seconds, what) in [
            (0..1, Happening::StoryRents),
            (0..1, Happening::Rents),
            (1..3, Happening::Deletes),
            (4..6, Happening::Leaves),
            (1..2, Happening::BacksUp),
            (3..5, Happening::Charges),
            (6..9, Happening::Syncs),
            (8..10, Happening::Reports),
            (25..30, Happening::Invoices),
        ] {
            self.later(seconds, what);
        }
    }

    async fn happen(&mut self, what: Happening) -> anyhow::Result<()> {
        self.repeat(&what);
        match what {
            Happening::Rents => self.rents().await,
            Happening::StoryRents => self.story_rents().await,
            Happening::Deletes => self.deletes().await,
            Happening::Leaves => self.leaves().await,
            Happening::CallsOff(subject, reason) => self.calls_off(&subject, reason).await,
            Happening::PutsBack(ids, reason) => self.puts_back(&ids, reason).await,
            Happening::Holds(id) => self.hold(&id).await,
            Happening::LetsGo(id) => self.telephone.act(&id, "unhold", "dispute settled").await,
            Happening::Invoices => {
                let first = self.numbers(INVOICES);
                self.telephone.enqueue(orders::invoices(first, INVOICES)).await
            }
            Happening::Charges => self.one(orders::charge).await,
            Happening::BacksUp => self.one(orders::backup).await,
            Happening::Reports => self.one(orders::report).await,
            Happening::Syncs => self.one(orders::crm_sync).await,
        }
    }

    /// What happens again and again is noted again before it happens, so that a failed call stops nothing.
    fn repeat(&mut self, what: &Happening) {
        let seconds = match what {
            Happening::Rents => 1..3,
            Happening::Deletes => 3..6,
            Happening::Leaves => 6..10,
            Happening::Charges => 5..9,
            Happening::BacksUp => 2..5,
            Happening::Reports => 14..20,
            Happening::Syncs => 35..55,
            Happening::Invoices => 40..60,
            _ => return,
        };
        self.later(seconds, what.clone());
    }

    async fn rents(&mut self) -> anyhow::Result<()> {
        if self.telephone.waiting().await? >= WAITING_MAX {
            return Ok(());
        }
        let rental = self.rental();
        let subject = rental.subject();
        self.telephone.plan(&orders::expiry(&rental, Delay::ZERO, self.speed)).await?;
        if chance(25) {
            self.in_days(24..29, Happening::CallsOff(subject, "renewed for a year"));
        }
        Ok(())
    }

    /// Rented again on the very day it goes, so that there is always something to see under its subject.
    async fn story_rents(&mut self) -> anyhow::Result<()> {
        self.in_days(30..31, Happening::StoryRents);
        let rental = Rental::of_the_story(self.numbers(1));
        self.telephone.plan(&orders::expiry(&rental, Delay::ZERO, self.speed)).await
    }

    async fn deletes(&mut self) -> anyhow::Result<()> {
        let rental = self.rental();
        let subject = rental.subject();
        self.telephone.enqueue(vec![orders::deletion(&rental, self.speed)]).await?;
        if chance(30) {
            self.in_hours(6..20, Happening::CallsOff(subject, "deleted by mistake"));
        }
        Ok(())
    }

    async fn leaves(&mut self) -> anyhow::Result<()> {
        let rental = self.rental();
        let account = format!("account:{}", rental.number);
        self.telephone.enqueue(vec![orders::closing(&rental, self.speed)]).await?;
        if chance(30) {
            self.in_days(3..12, Happening::CallsOff(account, "stays after all"));
        } else if chance(15) {
            self.in_days(2..8, Happening::Holds(format!("{account}:close")));
        }
        Ok(())
    }

    /// Now and then the one who called it off is sorry for that too.
    async fn calls_off(&mut self, subject: &str, reason: &'static str) -> anyhow::Result<()> {
        let stopped = self.telephone.cancel_subject(subject, reason).await?;
        if !stopped.is_empty() && chance(25) {
            self.in_hours(4..12, Happening::PutsBack(stopped, "the payment bounced"));
        }
        Ok(())
    }

    /// A job whose time has passed meanwhile stays cancelled; the API says so, and the shop accepts it.
    async fn puts_back(&self, ids: &[String], reason: &str) -> anyhow::Result<()> {
        for id in ids {
            if let Err(refused) = self.telephone.act(id, "reinstate", reason).await {
                tracing::debug!("{id} stays called off: {refused:#}");
            }
        }
        Ok(())
    }

    async fn hold(&mut self, id: &str) -> anyhow::Result<()> {
        self.telephone.act(id, "hold", "open dispute, see ticket 2209").await?;
        self.later(45..75, Happening::LetsGo(id.to_owned()));
        Ok(())
    }

    async fn one(&mut self, order: fn(u32) -> serde_json::Value) -> anyhow::Result<()> {
        let number = self.numbers(1);
        self.telephone.enqueue(vec![order(number)]).await
    }

    fn rental(&mut self) -> Rental {
        Rental::of(self.numbers(1))
    }

    /// Takes that many numbers; the first of them.
    fn numbers(&mut self, count: u32) -> u32 {
        let first = self.next_number;
        self.next_number = first.saturating_add(count);
        first
    }

    /// In that many of our seconds.
    fn later(&mut self, seconds: Range<u64>, what: Happening) {
        let ms = rand::rng().random_range(seconds.start * 1_000..seconds.end * 1_000);
        self.agenda.note(Instant::now() + Duration::from_millis(ms), what);
    }

    /// In that many of the shop's days.
    fn in_days(&mut self, days: Range<i64>, what: Happening) {
        self.in_hours(days.start * 24..days.end * 24, what);
    }

    /// In that many of the shop's hours.
    fn in_hours(&mut self, hours: Range<i64>, what: Happening) {
        let wait = self.speed.ours(Delay::hours(rand::rng().random_range(hours)));
        self.agenda.note(Instant::now() + wait.as_duration(), what);
    }
}

fn chance(percent: u32) -> bool {
    rand::rng().random_range(0..100) < percent
}

/// Begins with five digits that an earlier run on the same data has hardly used: they move on with the clock.
fn first_number() -> u32 {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    u32::try_from(10_000 + seconds % 80_000).unwrap_or(10_000)
}
