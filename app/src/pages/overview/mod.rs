//! The overview: is it healthy, and what is coming?

use leptos::prelude::*;
use leptos_meta::Title;

use crate::components::strip::Strip;

/// Is it healthy, and what is coming?
#[component]
pub fn OverviewPage() -> impl IntoView {
    view! {
        <Title text="Overview · Reprieve"/>
        <h1>"Overview"</h1>
        <Strip/>
    }
}
