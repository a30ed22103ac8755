//! What an empty house shows: how to enqueue the first job.

use leptos::prelude::*;

use crate::components::snippet::Snippet;
use crate::session::Session;

/// Two ways to the first job, ready to copy.
#[component]
pub fn FirstJob() -> impl IntoView {
    let origin = Session::get().origin;
    let curl = format!(
        "curl {origin}/api/v1/jobs \\\n  -H 'content-type: application/json' \\\n  \
         -d '{{\"kind\":\"delete_resource\",\"subject\":\"resource:4711\",\n       \
         \"payload\":{{\"id\":4711}},\"delay_ms\":3600000}}'"
    );
    let rust = "client\n    .enqueue(&DeleteResource { id: 4711 })?\n    .in_(Delay::hours(1))\n    \
                .subject(Subject::new(\"resource:4711\")?)\n    .send()\n    .await?;"
        .to_owned();
    view! {
        <section class="first-job" aria-labelledby="first-job-title">
            <h2 id="first-job-title">"No jobs yet"</h2>
            <p>
                "Enqueue one that is due in an hour. It shows up here at once, and until then you can call it off, put it back, or run it now."
            </p>
            <div class="snippets">
                <Snippet title="curl" code=curl/>
                <Snippet title="Rust" code=rust/>
            </div>
        </section>
    }
}
