//! Addresses of lists hold nothing that payloads are searched for, but what only this namespace can read again.

use app::list::sealed::Opened;
use app::routes::encoded;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use http::{Method, Uri};
use reprieve::Engine;
use reprieve::model::Permission;
use reprieve::model::filter::{is_open, seals};
use reprieve_access::{Principal, Seals};

/// The lists.
const LISTS: &str = "/jobs/";
/// The parameter with the filter.
const LINE: &str = "q";

/// Leads an address with an open text on to the sealed one, and tells the page what a sealed one says. Without Redis it
/// does neither: then the page says so.
pub(crate) async fn layer(State(engine): State<Engine>, mut request: Request, next: Next) -> Response {
    let Some(line) = asked(&request) else { return next.run(request).await };
    let Ok(key) = Seals::read(&engine).await else { return next.run(request).await };
    if is_open(&line)
        && let Some(there) = sealed(request.uri(), &line, &key)
    {
        return Redirect::to(&there).into_response();
    }
    request.extensions_mut().insert(Opened(key.opened(&line).into_iter().collect()));
    next.run(request).await
}

/// The filter of a list that somebody looks at who may, where it is or was to be sealed.
fn asked(request: &Request) -> Option<String> {
    let may = request.extensions().get::<Principal>().is_some_and(|who| who.may(Permission::View));
    let is_list = request.method() == Method::GET && request.uri().path().starts_with(LISTS);
    let pairs = url::form_urlencoded::parse(request.uri().query()?.as_bytes());
    let (_, line) = pairs.filter(|(name, _)| name == LINE).last().filter(|_| may && is_list)?;
    let line = line.trim();
    (!line.is_empty() && (is_open(line) || !seals(line).is_empty())).then(|| line.to_owned())
}

/// The same address with that line sealed; `None` where it has texts that were sealed elsewhere.
fn sealed(address: &Uri, line: &str, key: &Seals) -> Option<String> {
    let line = encoded(&key.seal_line(line).ok()?);
    let is_line = |pair: &&str| pair.split('=').next() != Some(LINE);
    let others =
        address.query().unwrap_or_default().split('&').filter(is_line).filter(|pair| !pair.is_empty());
    let query: Vec<String> = others.map(ToOwned::to_owned).chain([format!("{LINE}={line}")]).collect();
    Some(format!("{}?{}", address.path(), query.join("&")))
}
