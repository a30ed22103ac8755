//! How the browser calls server functions.
//!
//! Leptos' own way is written anew for each function, from the request to the last field of the answer. Here all of them
//! share what is the same for all, and an answer is read as what comes within a page is: by code that is there already.

use std::future::Future;
use std::marker::PhantomData;

use http::Method;
use leptos::server_fn::client::Client;
use leptos::server_fn::codec::{Encoding, GetUrl, Json, PostUrl};
use leptos::server_fn::server::Server;
use leptos::server_fn::{Http, Protocol};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::ApiError;
#[cfg(feature = "hydrate")]
use crate::json;

/// The header of a call that a page makes by itself, while nobody is at it. Without one there is somebody.
pub const UNATTENDED: &str = "x-unattended";

/// For functions that only read.
pub type Get = Call<GetUrl>;
/// For functions that change something.
pub type Post = Call<PostUrl>;

/// [`Http`] with arguments as forms have them and answers in JSON.
pub struct Call<Arguments>(PhantomData<Arguments>);

impl<Arguments, Input, Output, C, S> Protocol<Input, Output, C, S, ApiError> for Call<Arguments>
where
    Arguments: Encoding,
    Http<Arguments, Json>: Protocol<Input, Output, C, S, ApiError>,
    Input: Serialize + Send,
    Output: DeserializeOwned + Send,
    C: Client<ApiError>,
    S: Server<ApiError>,
{
    const METHOD: Method = Arguments::METHOD;

    fn run_server<F, A>(
        request: S::Request,
        function: F,
    ) -> impl Future<Output = Result<S::Response, ApiError>> + Send
    where
        F: Fn(Input) -> A + Send,
        A: Future<Output = Result<Output, ApiError>> + Send,
    {
        Http::<Arguments, Json>::run_server(request, function)
    }

    #[cfg(feature = "hydrate")]
    async fn run_client(path: &str, input: Input) -> Result<Output, ApiError> {
        let arguments = arguments(&input)?;
        call(Arguments::METHOD, path, arguments).await
    }

    /// Nobody calls from a server.
    #[cfg(not(feature = "hydrate"))]
    fn run_client(path: &str, input: Input) -> impl Future<Output = Result<Output, ApiError>> + Send {
        Http::<Arguments, Json>::run_client(path, input)
    }
}

/// Calls a function with what a form holds, URL-encoded.
#[cfg(feature = "hydrate")]
pub(crate) async fn post<T: DeserializeOwned>(path: &str, form: String) -> Result<T, ApiError> {
    call(Method::POST, path, form).await
}

/// The arguments of a function as a form would hold them.
#[cfg(feature = "hydrate")]
pub(crate) fn arguments(input: &impl Serialize) -> Result<String, ApiError> {
    serde_qs::to_string(input).map_err(|why| ApiError::internal(&why))
}

/// Calls a function, reads its answer, and goes where that leads. Whoever has gone to another page meanwhile stays there.
#[cfg(feature = "hydrate")]
async fn call<T: DeserializeOwned>(method: Method, path: &str, arguments: String) -> Result<T, ApiError> {
    let page = browser::page();
    let answer = browser::ask(method, path, arguments).await?;
    let read = json::read(&answer.text).map_err(|why| ApiError::internal(&why))?;
    if let Some(location) = answer.location.filter(|_| browser::page() == page) {
        leptos::server_fn::redirect::call_redirect_hook(&location);
    }
    Ok(read)
}

#[cfg(feature = "hydrate")]
mod browser {
    use http::Method;
    use leptos::prelude::window;
    use leptos::server_fn::ContentType;
    use leptos::server_fn::client::Client;
    use leptos::server_fn::client::browser::BrowserClient;
    use leptos::server_fn::codec::{JsonEncoding, PostUrl};
    use leptos::server_fn::request::ClientReq;
    use leptos::server_fn::request::browser::BrowserRequest;
    use leptos::server_fn::response::ClientRes;

    use super::UNATTENDED;
    use crate::attention;
    use crate::error::ApiError;

    /// What a function has answered.
    pub(super) struct Answer {
        /// In JSON.
        pub(super) text: String,
        /// Where it leads, if it leads anywhere.
        pub(super) location: Option<String>,
    }

    /// The page that is on screen, whatever of it is chosen.
    pub(super) fn page() -> Option<String> {
        window().location().pathname().ok()
    }

    /// Sends a request and waits for the answer.
    pub(super) async fn ask(method: Method, path: &str, arguments: String) -> Result<Answer, ApiError> {
        let (form, accepts) = (PostUrl::CONTENT_TYPE, JsonEncoding::CONTENT_TYPE);
        let request = if method == Method::GET {
            <BrowserRequest as ClientReq<ApiError>>::try_new_get(path, form, accepts, &arguments)?
        } else {
            BrowserRequest::try_new_post(path, form, accepts, arguments)?
        };
        if attention::is_away() {
            request.headers().set(UNATTENDED, "1");
        }
        attention::ask();
        let response = <BrowserClient as Client<ApiError>>::send(request).await?;
        let status = ClientRes::<ApiError>::status(&response);
        let leads = (300..400).contains(&status) || ClientRes::<ApiError>::has_redirect(&response);
        let location = leads.then(|| ClientRes::<ApiError>::location(&response));
        let text = ClientRes::<ApiError>::try_into_string(response).await?;
        // Of what is too long no function hears: the refusal is none of theirs.
        if status == 413 {
            return Err(ApiError::TooLarge);
        }
        if status >= 400 {
            return Err(ApiError::read(&text));
        }
        Ok(Answer { text, location })
    }
}
