//! One act on a job at a time: what is asked for while another act on it is on its way goes once that is answered.
//!
//! Together they would be in conflict, and whoever asked for both be told that somebody was faster.

#[cfg(any(feature = "hydrate", test))]
use std::collections::VecDeque;

use reprieve::model::JobId;

/// Whether an act on a job may go at once. Otherwise it is to [`wait`].
pub(crate) fn is_free(job: &JobId) -> bool {
    #[cfg(feature = "hydrate")]
    return browser::LINE.with_borrow(|line| line.is_free(job));
    #[cfg(not(feature = "hydrate"))]
    {
        let _ = job;
        true
    }
}

/// Has an act go once all that was asked for before it is answered, and the page knows what was said. The same once more, as
/// a double click has it, does not go.
pub(crate) fn wait(job: &JobId, what: String, go: impl FnOnce() + 'static) {
    #[cfg(feature = "hydrate")]
    browser::LINE.with_borrow_mut(|line| line.wait(job, what, Box::new(go)));
    #[cfg(not(feature = "hydrate"))]
    let _ = (job, what, go);
}

/// An act that is on its way, until this is dropped.
#[cfg_attr(not(feature = "hydrate"), expect(dead_code, reason = "nobody acts on a server"))]
pub(crate) struct Turn(JobId);

impl Turn {
    /// It goes. `what` tells it from other acts on the job.
    pub(crate) fn begin(job: &JobId, what: String) -> Self {
        #[cfg(feature = "hydrate")]
        browser::LINE.with_borrow_mut(|line| line.begin(job, what));
        #[cfg(not(feature = "hydrate"))]
        drop(what);
        Self(job.clone())
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        #[cfg(feature = "hydrate")]
        browser::end(&self.0);
    }
}

/// Acts on their way, and those that wait for them, each with what tells it from others on its job.
#[cfg(any(feature = "hydrate", test))]
#[derive(Default)]
struct Line {
    on_their_way: Vec<(JobId, String)>,
    /// In the order in which they were asked for. As many as somebody presses while one is on its way.
    waiting: VecDeque<(JobId, String, Go)>,
}

/// Sends an act whose turn has come.
#[cfg(any(feature = "hydrate", test))]
type Go = Box<dyn FnOnce()>;

#[cfg(any(feature = "hydrate", test))]
impl Line {
    fn is_free(&self, job: &JobId) -> bool {
        self.last(job).is_none()
    }

    /// What was asked for last, if it is not answered yet.
    fn last(&self, job: &JobId) -> Option<&str> {
        let waiting = self.waiting.iter().rev().find(|(of, ..)| of == job).map(|(_, what, _)| what);
        let on_its_way = || self.on_their_way.iter().rev().find(|(of, _)| of == job).map(|(_, what)| what);
        waiting.or_else(on_its_way).map(String::as_str)
    }

    fn wait(&mut self, job: &JobId, what: String, go: Go) {
        if self.last(job) != Some(&what) {
            self.waiting.push_back((job.clone(), what, go));
        }
    }

    fn begin(&mut self, job: &JobId, what: String) {
        self.on_their_way.push((job.clone(), what));
    }

    fn end(&mut self, job: &JobId) {
        if let Some(place) = self.on_their_way.iter().position(|(of, _)| of == job) {
            self.on_their_way.remove(place);
        }
    }

    /// The next act on a job that nothing is on its way for any more.
    fn next(&mut self, job: &JobId) -> Option<Go> {
        if self.on_their_way.iter().any(|(of, _)| of == job) {
            return None;
        }
        let place = self.waiting.iter().position(|(of, ..)| of == job)?;
        self.waiting.remove(place).map(|(_, _, go)| go)
    }
}

#[cfg(feature = "hydrate")]
mod browser {
    use std::cell::RefCell;
    use std::time::Duration;

    use leptos::prelude::set_timeout;
    use reprieve::model::JobId;

    use super::Line;

    thread_local! {
        /// Of the tab: what waits is not forgotten with the part of the page that it was asked for in.
        pub(super) static LINE: RefCell<Line> = RefCell::default();
    }

    /// An act was answered. What waits goes once the page has done with the answer: a timer is later than all of that.
    pub(super) fn end(job: &JobId) {
        LINE.with_borrow_mut(|line| line.end(job));
        let job = job.clone();
        let next = move || {
            while let Some(go) = LINE.with_borrow_mut(|line| line.next(&job)) {
                go();
            }
        };
        set_timeout(next, Duration::ZERO);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;
    use std::rc::Rc;

    fn id(id: &str) -> JobId {
        JobId::new(id).unwrap()
    }

    #[test]
    fn an_act_waits_for_those_on_the_same_job_that_were_asked_for_before() {
        let (mut line, gone) = (Line::default(), Rc::new(RefCell::new(Vec::new())));
        let note = |what: &'static str| {
            let gone = gone.clone();
            Box::new(move || gone.borrow_mut().push(what)) as Go
        };
        line.begin(&id("a"), "hold".to_owned());
        assert!(!line.is_free(&id("a")) && line.is_free(&id("b")));
        line.wait(&id("a"), "run".to_owned(), note("run"));
        line.wait(&id("a"), "cancel".to_owned(), note("cancel"));
        assert!(line.next(&id("a")).is_none(), "the first is on its way");

        line.end(&id("a"));
        assert!(!line.is_free(&id("a")), "who comes now comes after those that wait");
        line.next(&id("a")).unwrap()();
        line.begin(&id("a"), "run".to_owned());
        assert!(line.next(&id("a")).is_none());
        line.end(&id("a"));
        line.next(&id("a")).unwrap()();
        assert_eq!(*gone.borrow(), ["run", "cancel"]);
        assert!(line.is_free(&id("a")));
    }

    #[test]
    fn the_same_act_once_more_does_not_wait() {
        let mut line = Line::default();
        line.begin(&id("a"), "hold".to_owned());
        line.wait(&id("a"), "hold".to_owned(), Box::new(|| ()));
        assert!(line.waiting.is_empty(), "a double click");
        line.wait(&id("a"), "run".to_owned(), Box::new(|| ()));
        line.wait(&id("a"), "run".to_owned(), Box::new(|| ()));
        line.wait(&id("a"), "hold".to_owned(), Box::new(|| ()));
        assert_eq!(line.waiting.len(), 2);
    }
}
