//! The latest answer of a resource: old data stays while new data loads, and when it fails to.

use leptos::prelude::*;
use serde::de::DeserializeOwned;

use crate::error::ApiError;
use crate::live::reading::Reading;

/// What is known, and what went wrong since.
pub struct Latest<T: Send + Sync + 'static> {
    /// The newest data there was; `None` until the first.
    pub data: Memo<Option<T>>,
    /// Why the newest attempt to read failed; `None` when it did not.
    pub error: Memo<Option<ApiError>>,
}

impl<T: Send + Sync + 'static> Clone for Latest<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Send + Sync + 'static> Copy for Latest<T> {}

impl<T: Clone + PartialEq + DeserializeOwned + Send + Sync + 'static> Latest<T> {
    /// Follows a resource. Made inside a `Transition`, behind the first answer.
    #[must_use]
    pub fn of(resource: Reading<Result<T, ApiError>>) -> Self {
        Self {
            data: Memo::new(move |before: Option<&Option<T>>| match resource.get() {
                Some(Ok(data)) => Some(data),
                _ => before.cloned().flatten(),
            }),
            error: Memo::new(move |_| resource.get().and_then(Result::err)),
        }
    }

    /// Follows a resource whose answers say what they are about, where the page asks about something else without being
    /// another: an answer about anything else than `about` is none.
    #[must_use]
    pub fn about<A>(resource: Reading<(A, Result<T, ApiError>)>, about: Memo<A>) -> Self
    where
        A: Clone + PartialEq + DeserializeOwned + Send + Sync + 'static,
    {
        let known = Memo::new(move |before: Option<&Option<(A, T)>>| match resource.get() {
            Some((of, Ok(data))) => Some((of, data)),
            _ => before.cloned().flatten(),
        });
        let is_asked = move |of: &A| about.with(|about| about == of);
        Self {
            data: Memo::new(move |_| {
                known
                    .with(|known| known.as_ref().filter(|(of, _)| is_asked(of)).map(|(_, data)| data.clone()))
            }),
            error: Memo::new(move |_| {
                resource.get().filter(|(of, _)| is_asked(of)).and_then(|(_, answer)| answer.err())
            }),
        }
    }
}
