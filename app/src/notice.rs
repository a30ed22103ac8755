//! What was just done, said for a while, with a way back.

use std::sync::Arc;

use leptos::prelude::*;

use crate::clock::Clock;
use crate::error::ApiError;
use crate::i18n::{Said, Tone};
use crate::live::voice::Voice;
use crate::t;

/// How many notices stay on screen; older ones make room.
const NOTICES_MAX: usize = 4;
/// How many the list behind the bell remembers while the page is open.
const LOG_MAX: usize = 50;

/// Takes an act back; it is given the attempt to do so. Shared, not kept by an owner: the control that made it may be gone
/// when it is pressed.
pub type Undo = Arc<dyn Fn(Attempt) + Send + Sync>;

/// An attempt to take an act back.
#[derive(Clone)]
pub struct Attempt {
    notices: Notices,
    /// What said that it can be.
    notice: Notice,
}

impl Attempt {
    /// Says what came of it.
    pub fn answer<T>(self, answer: &Result<T, ApiError>, sentence: impl FnOnce(&T) -> Said) {
        match answer {
            Ok(outcome) => self.notices.add(sentence(outcome), Next::default(), None, Sort::Undo),
            Err(error) => self.fail(error),
        }
    }

    /// Says why it came to nothing. What may pass leaves the act its way back.
    pub fn fail(self, error: &ApiError) {
        let Self { notices, notice } = self;
        let stays = error.may_pass();
        if stays {
            notices.put_back(notice);
        }
        let said = Said { tone: Tone::Bad, text: error.sentence() };
        notices.add(said, Next::of(error), None, if stays { Sort::Told } else { Sort::Undo });
    }
}

/// One sentence on screen.
#[derive(Clone)]
pub struct Notice {
    /// Tells it apart from the others.
    pub id: u64,
    /// The sentence and how to take it.
    pub said: Said,
    /// What to do next, after a failure; empty otherwise.
    pub next_step: String,
    /// Whether that is to show who one is, and a link leads there.
    pub prove: bool,
    /// Takes the act back; `None` when it cannot be, or has been.
    pub undo: Option<Undo>,
    /// Whether it says what somebody just did here, and not what came by itself or was not done.
    pub is_act: bool,
    /// When it was said, by the server's clock.
    pub at_ms: Option<i64>,
    /// It follows one that is gone with its button, which may have had the focus.
    pub follows: bool,
}

/// What a notice is about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    /// What somebody just did.
    Act,
    /// That an act was taken back, or why it was not: it takes the place of what said that it can be.
    Undo,
    /// What came by itself, or that there was nothing to do.
    Told,
}

/// What to do after a failure.
#[derive(Default)]
struct Next {
    step: String,
    prove: bool,
}

impl Next {
    fn of(error: &ApiError) -> Self {
        Self { step: error.next_step(), prove: *error == ApiError::ProveFirst }
    }
}

/// The notices of this page, newest last.
#[derive(Clone, Copy)]
pub struct Notices {
    list: RwSignal<Vec<Notice>>,
    log: RwSignal<Vec<Notice>>,
    unread: RwSignal<usize>,
    clock: Clock,
    voice: Voice,
    next_id: StoredValue<u64>,
}

impl Notices {
    /// Provides the notices to every component below.
    pub fn provide(clock: Clock, voice: Voice) -> Self {
        let notices = Self {
            list: RwSignal::new(Vec::new()),
            log: RwSignal::new(Vec::new()),
            unread: RwSignal::new(0),
            clock,
            voice,
            next_id: StoredValue::new(1),
        };
        provide_context(notices);
        notices
    }

    /// The notices of this page.
    #[must_use]
    pub fn get() -> Self {
        expect_context()
    }

    /// All that are shown.
    #[must_use]
    pub fn list(self) -> Vec<Notice> {
        self.list.get()
    }

    /// All that were said on this page, newest first, at most 50.
    #[must_use]
    pub fn log(self) -> Vec<Notice> {
        self.log.with(|log| log.iter().rev().cloned().collect())
    }

    /// How many were said since somebody last looked at the log.
    #[must_use]
    pub fn unread(self) -> usize {
        self.unread.get()
    }

    /// Somebody looks at the log.
    pub fn read(self) {
        self.unread.set(0);
    }

    /// Takes that act back; `false` when it cannot be, or has been.
    pub fn undo(self, id: u64) -> bool {
        let taken = self.log.try_update(|log| {
            let notice = log.iter_mut().find(|notice| notice.id == id)?;
            let whole = notice.clone();
            notice.undo.take().map(|undo| (undo, whole))
        });
        self.dismiss(id);
        let Some((undo, notice)) = taken.flatten() else { return false };
        undo(Attempt { notices: self, notice });
        true
    }

    /// Shows one again whose act was not taken back, with its button.
    fn put_back(self, mut notice: Notice) {
        notice.follows = true;
        let _ = self.log.try_update(|log| {
            if let Some(known) = log.iter_mut().find(|known| known.id == notice.id) {
                known.undo.clone_from(&notice.undo);
            }
        });
        self.show(notice);
    }

    /// Takes the latest act back, or says that it cannot be: an older one is not what somebody means who presses a key.
    /// `false` when nothing was done yet.
    pub fn undo_last(self) -> bool {
        let is_act = |notice: &&Notice| notice.undo.is_some() || notice.is_act;
        let last = self.log.with_untracked(|log| log.iter().rev().find(is_act).map(|notice| notice.id));
        let Some(last) = last else { return false };
        if !self.undo(last) {
            self.tell(Said::bad(t!("frame-undo-none")));
        }
        true
    }

    /// Says what was done.
    pub fn say(self, said: Said) {
        self.add(said, Next::default(), None, Sort::Act);
    }

    /// Says what is no act: what came by itself, or that there was nothing to do.
    pub fn tell(self, said: Said) {
        self.add(said, Next::default(), None, Sort::Told);
    }

    /// Says what was done, with a button that takes it back.
    pub fn say_with_undo(self, said: Said, undo: Undo) {
        self.add(said, Next::default(), Some(undo), Sort::Act);
    }

    /// Says what was done, with a button that takes it back where it can be.
    pub fn say_with(self, said: Said, undo: Option<Undo>) {
        self.add(said, Next::default(), undo, Sort::Act);
    }

    /// Says why it was not done, and what to do.
    pub fn fail(self, error: &ApiError) {
        self.add(Said { tone: Tone::Bad, text: error.sentence() }, Next::of(error), None, Sort::Act);
    }

    /// Says what an action answered: the outcome's sentence or the error's.
    pub fn answer<T>(self, answer: &Result<T, ApiError>, sentence: impl FnOnce(&T) -> Said) {
        match answer {
            Ok(outcome) => self.say(sentence(outcome)),
            Err(error) => self.fail(error),
        }
    }

    /// Takes one off the screen.
    pub fn dismiss(self, id: u64) {
        let _ = self.list.try_update(|list| list.retain(|notice| notice.id != id));
    }

    fn add(self, said: Said, Next { step: next_step, prove }: Next, undo: Option<Undo>, sort: Sort) {
        let id = self.next_id.try_update_value(|next| {
            *next += 1;
            *next
        });
        let Some(id) = id else { return };
        self.voice.answer(format!("{} {next_step}", said.text).trim_end().to_owned());
        let at_ms = self.clock.now_ms_untracked();
        let (is_act, follows) = (sort != Sort::Told && said.tone != Tone::Bad, sort == Sort::Undo);
        let notice = Notice { id, said, next_step, prove, undo, is_act, at_ms, follows };
        let _ = self.unread.try_update(|unread| *unread += 1);
        let _ = self.log.try_update(|log| {
            log.push(notice.clone());
            let surplus = log.len().saturating_sub(LOG_MAX);
            log.drain(..surplus);
        });
        self.show(notice);
    }

    fn show(self, notice: Notice) {
        let _ = self.list.try_update(|list| {
            list.push(notice);
            let surplus = list.len().saturating_sub(NOTICES_MAX);
            list.drain(..surplus);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::live::Live;

    #[test]
    fn an_act_that_could_not_be_taken_back_can_be_unless_that_is_settled() {
        Owner::new().with(|| {
            let clock = Clock::provide();
            let notices = Notices::provide(clock, Voice::provide(Live::provide(clock), clock));
            let undoable = |error: ApiError| {
                notices.say_with_undo(
                    Said::good("done".to_owned()),
                    Arc::new(move |attempt: Attempt| attempt.fail(&error)),
                );
            };
            let ways_back = || notices.log().iter().filter(|notice| notice.undo.is_some()).count();

            undoable(ApiError::Offline);
            for _ in 0..2 {
                assert!(notices.undo_last());
                assert_eq!(ways_back(), 1);
                let shown = notices.list().into_iter().filter(|notice| notice.undo.is_some());
                assert_eq!(shown.map(|notice| notice.said.text).collect::<Vec<_>>(), ["done"]);
            }

            undoable(ApiError::NotFound);
            assert!(notices.undo_last());
            assert_eq!(ways_back(), 1, "that of the first");
        });
    }

    #[test]
    fn behind_an_act_that_cannot_be_taken_back_none_that_is_older_is() {
        Owner::new().with(|| {
            let clock = Clock::provide();
            let notices = Notices::provide(clock, Voice::provide(Live::provide(clock), clock));
            let said = |text: &str| Said::good(text.to_owned());
            assert!(!notices.undo_last(), "nothing was done yet");
            notices.say_with_undo(
                said("held"),
                Arc::new(move |attempt: Attempt| attempt.answer(&Ok(()), |()| said("released"))),
            );
            let older = notices.log().first().map(|notice| notice.id).unwrap();
            notices.say(said("started"));

            // However often: what says so is no act either.
            for _ in 0..2 {
                assert!(notices.undo_last());
                let last = notices.log().remove(0);
                assert_eq!(
                    (last.said.text.as_str(), last.said.tone),
                    ("The last act cannot be undone.", Tone::Bad)
                );
            }

            assert!(notices.undo(older), "its own button still does it");
        });
    }

    #[test]
    fn what_comes_by_itself_stands_in_the_way_of_no_act() {
        Owner::new().with(|| {
            let clock = Clock::provide();
            let notices = Notices::provide(clock, Voice::provide(Live::provide(clock), clock));
            let said = |text: &str| Said::good(text.to_owned());
            notices.say_with_undo(
                said("held"),
                Arc::new(move |attempt: Attempt| attempt.answer(&Ok(()), |()| said("released"))),
            );
            notices.fail(&ApiError::Offline);
            notices.tell(said("a run has ended"));

            assert!(notices.undo_last());

            assert_eq!(notices.log().remove(0).said.text, "released");
        });
    }

    #[test]
    fn what_says_that_an_act_was_taken_back_takes_the_place_of_what_said_that_it_can_be() {
        Owner::new().with(|| {
            let clock = Clock::provide();
            let notices = Notices::provide(clock, Voice::provide(Live::provide(clock), clock));
            let said = |text: &str| Said::good(text.to_owned());
            notices.say_with_undo(
                said("done"),
                Arc::new(move |attempt: Attempt| attempt.answer(&Ok(()), |()| said("back"))),
            );

            assert!(notices.undo_last());

            let shown = notices.list().into_iter().map(|notice| (notice.said.text, notice.follows));
            assert_eq!(shown.collect::<Vec<_>>(), [("back".to_owned(), true)]);
        });
    }
}
