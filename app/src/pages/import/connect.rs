//! Which Redis: the one Reprieve is on, or another one.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;
use reprieve::model::Permission;

use crate::api::sources::{ConnectSource, HERE};
use crate::components::fields::{BackField, Submit, labelled};
use crate::components::section::Section;
use crate::session::Session;
use crate::{routes, t};

/// The address and the login of another Redis. The login goes to the server and never comes back.
#[component]
pub(super) fn Connect(
    /// The one that is chosen already.
    from: Option<String>,
) -> impl IntoView {
    let refusal = Session::get().lacks(&[Permission::ImportJobs]);
    let here = format!("{}?from={HERE}", routes::IMPORT);
    let is_here = (from.as_deref() == Some(HERE)).then_some("true");
    view! {
        <Section id="import-connect" title=t!("import-step-connect") hint=t!("import-connect-hint")>
            <p><a class="button" href=here aria-current=is_here>{t!("import-here")}</a></p>
            <h3>{t!("import-elsewhere")}</h3>
            <form method="post" action=ConnectSource::PATH class="settings-form">
                <BackField/>
                <div class="settings-grid">
                    {labelled("import-address", t!("import-address"), Some(t!("import-address-hint")), view! {
                        <input id="import-address" name="address" required maxlength="512" placeholder="rediss://old.example:6379/0" autocomplete="off" spellcheck="false" aria-describedby="import-address-hint"/>
                    })}
                    {labelled("import-user", t!("import-user"), None, view! {
                        <input id="import-user" name="user" maxlength="512" autocomplete="off" spellcheck="false"/>
                    })}
                    {labelled("import-password", t!("import-password"), Some(t!("import-password-hint")), view! {
                        <input id="import-password" type="password" name="password" maxlength="512" autocomplete="off" aria-describedby="import-password-hint"/>
                    })}
                </div>
                <details>
                    <summary>{t!("import-authority-more")}</summary>
                    {labelled("import-authority", t!("import-authority"), Some(t!("import-authority-hint")), view! {
                        <textarea id="import-authority" name="authority" rows="4" spellcheck="false" aria-describedby="import-authority-hint"></textarea>
                    })}
                    {labelled("import-certificate", t!("import-certificate"), Some(t!("import-certificate-hint")), view! {
                        <textarea id="import-certificate" name="certificate" rows="4" spellcheck="false" aria-describedby="import-certificate-hint"></textarea>
                    })}
                    {labelled("import-key", t!("import-key"), Some(t!("import-key-hint")), view! {
                        <textarea id="import-key" name="key" rows="4" autocomplete="off" spellcheck="false" aria-describedby="import-key-hint"></textarea>
                    })}
                </details>
                <p>
                    <Submit tone="primary" off=refusal>{t!("import-connect")}</Submit>
                </p>
            </form>
        </Section>
    }
}
