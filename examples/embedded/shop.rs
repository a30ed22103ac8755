//! A shop with a sign-in of its own. It has the dashboard below `/jobs`, a worker, and a button that calls a deletion off.
//!
//! ```text
//! cargo xtask site
//! cargo run -p reprieve-server --features embed --example embedded -- redis://127.0.0.1:6379
//! ```
//!
//! Then open http://127.0.0.1:3000 and sign in as `ann` (an operator) or `bob` (who may only look).

use anyhow::Context as _;
use axum::extract::{Form, State};
use axum::http::header::{COOKIE, SET_COOKIE};
use axum::http::request::Parts;
use axum::response::{Html, IntoResponse, Redirect};
use axum::routing::{get, post};
use axum::{Router, serve};
use reprieve::model::{Delay, JobId, Kind, QueueName, Role};
use reprieve::{Engine, EngineConfig};
use reprieve_server::{Dashboard, HostUser};
use tokio_util::sync::CancellationToken;

/// The shop's own sign-in: whatever it is, the dashboard asks it who somebody is. A real one has passwords.
fn who(request: &Parts) -> Option<HostUser> {
    let cookie = request.headers.get(COOKIE)?.to_str().ok()?;
    let name = cookie.split("; ").find_map(|pair| pair.strip_prefix("user="))?;
    let role = if name == "ann" { Role::Operator } else { Role::Viewer };
    HostUser::new(name, role).ok()
}

async fn sign_in(Form(form): Form<Vec<(String, String)>>) -> impl IntoResponse {
    let name = form.into_iter().find(|(field, _)| field == "name").map(|(_, name)| name).unwrap_or_default();
    ([(SET_COOKIE, format!("user={name}; Path=/; HttpOnly; SameSite=Strict"))], Redirect::to("/"))
}

/// The shop's page: a deletion that can be called off.
async fn home(State(engine): State<Engine>) -> Result<Html<String>, String> {
    let deletion = engine.inspector().job(&deletion()).await.map_err(|error| error.to_string())?;
    let state = deletion.map_or_else(|| "not planned".to_owned(), |detail| detail.job.state.to_string());
    Ok(Html(format!(
        "<h1>Shop</h1><p>The deletion of your data is {state}.</p>\
         <form method=post action=/keep><button>Keep my data</button></form>\
         <form method=post action=/sign-in><input name=name aria-label=Name><button>Sign in</button></form>\
         <a href=/jobs>Jobs</a>"
    )))
}

async fn keep(State(engine): State<Engine>) -> Result<Redirect, String> {
    engine.client().cancel(&deletion()).await.map_err(|error| error.to_string())?;
    Ok(Redirect::to("/"))
}

fn deletion() -> JobId {
    "delete-data-of-4711".parse().expect("it is an id")
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let url = std::env::args().nth(1).context("name a Redis, such as redis://127.0.0.1:6379")?;
    let engine = Engine::connect(EngineConfig::new(url)).await.context("this Redis cannot be used")?;
    let _maintenance = engine.maintenance().start();
    let delete = async |_| {
        println!("the data is deleted");
        Ok(())
    };
    let _worker =
        engine.worker().queue(QueueName::default(), 4).handler("delete_data", delete).start().await?;
    let client = engine.client();
    client.enqueue_raw(Kind::new("delete_data")?, "{}").id(deletion()).in_(Delay::days(30)).send().await?;

    let dashboard = Dashboard::new(engine.clone()).base_path("/jobs".parse()?).auth(who);
    let shop =
        Router::new().route("/", get(home)).route("/keep", post(keep)).route("/sign-in", post(sign_in));
    let app = shop.with_state(engine).merge(dashboard.into_router(CancellationToken::new()));
    let address = std::env::var("LISTEN").unwrap_or_else(|_| "127.0.0.1:3000".to_owned());
    let listener = tokio::net::TcpListener::bind(address).await?;
    println!("listening on http://{}", listener.local_addr()?);
    Ok(serve(listener, app).await?)
}
