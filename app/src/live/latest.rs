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
}
