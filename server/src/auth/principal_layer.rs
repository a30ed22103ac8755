//! Who is asking.

use super::{AuthLayer, is_page};
use crate::problem::IsElsewhere;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http::StatusCode;
use reprieve_access::Credential;
use std::borrow::Cow;

/// Puts the principal into the request, where `access` looks for it; or refuses.
pub(crate) async fn layer(State(auth): State<AuthLayer>, request: Request, next: Next) -> Response {
    let (mut parts, body) = request.into_parts();
    match auth.principal(&parts).await {
        Ok(principal) => {
            let asks = (principal.credential == Credential::Token && !parts.method.is_safe())
                .then(|| (principal.clone(), parts.method.clone(), parts.uri.clone()));
            parts.extensions.insert(principal);
            let asked = is_page(&parts).then(|| parts.clone());
            let response = next.run(Request::from_parts(parts, body)).await;
            // What a program may do its handler knows, not the door.
            let is_elsewhere = response.extensions().get::<IsElsewhere>().is_some();
            let refused = response.status() == StatusCode::FORBIDDEN || is_elsewhere;
            if let Some((program, method, uri)) = asks.filter(|_| refused) {
                let auth = auth.clone();
                let note = async move {
                    let asked = format!("{method} {}", without_subject(uri.path()));
                    auth.note_program(&program, &asked).await;
                };
                // Beside the answer: how long it takes does not tell that something is there.
                if is_elsewhere { drop(tokio::spawn(note)) } else { note.await }
            }
            auth.told(response, asked.as_ref(), true).await
        }
        Err(refusal) => auth.told(refusal, Some(&parts), false).await,
    }
}

/// An address without the subject that it names: the audit is kept when all that is known of a subject is erased.
fn without_subject(path: &str) -> Cow<'_, str> {
    const SUBJECTS: &str = "/api/v1/subjects/";
    let Some(rest) = path.strip_prefix(SUBJECTS) else { return Cow::Borrowed(path) };
    // What is done to it stands behind it.
    let verb = ["/cancel", "/erase"].into_iter().find(|verb| rest.ends_with(verb)).unwrap_or_default();
    Cow::Owned(format!("{SUBJECTS}{{subject}}{verb}"))
}
