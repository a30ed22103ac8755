//! What an empty house shows: how to enqueue the first job.

use leptos::prelude::*;

use crate::components::snippet::{Snippet, TokenNote, token_line};
use crate::session::Session;
use crate::t;

/// Two ways to the first job, ready to copy.
#[component]
pub(crate) fn FirstJob() -> impl IntoView {
    let session = Session::get();
    let (origin, token) = (&session.address, token_line(&session));
    let curl = format!(
        "curl {origin}/api/v1/jobs{token} \\\n  -H 'content-type: application/json' \\\n  \
         -d '{{\"kind\":\"delete_resource\",\"subject\":\"resource:4711\",\n       \
         \"payload\":{{\"id\":4711}},\"delay_ms\":3600000}}'"
    );
    let rust = "client\n    .enqueue(&DeleteResource { id: 4711 })?\n    .in_(Delay::hours(1))\n    \
                .subject(Subject::new(\"resource:4711\")?)\n    .send()\n    .await?;"
        .to_owned();
    view! {
        <section class="first-job" aria-labelledby="first-job-title">
            <h2 id="first-job-title">{t!("overview-no-jobs")}</h2>
            <p>
                {t!("overview-first-job")}
            </p>
            <TokenNote/>
            <div class="snippets">
                <Snippet title="curl" code=curl/>
                <Snippet title="Rust" code=rust/>
            </div>
        </section>
    }
}
