//! Which Redis: the one Reprieve is on, or another one.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;
use reprieve::model::Permission;

use crate::api::sources::{ConnectSource, HERE};
use crate::components::fields::{BackField, Submit};
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
                    <div class="field">
                        <label for="import-address">{t!("import-address")}</label>
                        <input id="import-address" name="address" required maxlength="512" placeholder="rediss://old.example:6379/0" autocomplete="off" spellcheck="false" aria-describedby="import-address-hint"/>
                        <small id="import-address-hint">{t!("import-address-hint")}</small>
                    </div>
                    <div class="field">
                        <label for="import-user">{t!("import-user")}</label>
                        <input id="import-user" name="user" maxlength="512" autocomplete="off" spellcheck="false"/>
                    </div>
                    <div class="field">
                        <label for="import-password">{t!("import-password")}</label>
                        <input id="import-password" type="password" name="password" maxlength="512" autocomplete="off" aria-describedby="import-password-hint"/>
                        <small id="import-password-hint">{t!("import-password-hint")}</small>
                    </div>
                </div>
                <details>
                    <summary>{t!("import-authority-more")}</summary>
                    <div class="field">
                        <label for="import-authority">{t!("import-authority")}</label>
                        <textarea id="import-authority" name="authority" rows="4" spellcheck="false" aria-describedby="import-authority-hint"></textarea>
                        <small id="import-authority-hint">{t!("import-authority-hint")}</small>
                    </div>
                    <div class="field">
                        <label for="import-certificate">{t!("import-certificate")}</label>
                        <textarea id="import-certificate" name="certificate" rows="4" spellcheck="false" aria-describedby="import-certificate-hint"></textarea>
                        <small id="import-certificate-hint">{t!("import-certificate-hint")}</small>
                    </div>
                    <div class="field">
                        <label for="import-key">{t!("import-key")}</label>
                        <textarea id="import-key" name="key" rows="4" autocomplete="off" spellcheck="false" aria-describedby="import-key-hint"></textarea>
                        <small id="import-key-hint">{t!("import-key-hint")}</small>
                    </div>
                </details>
                <p>
                    <Submit tone="primary" off=refusal>{t!("import-connect")}</Submit>
                </p>
            </form>
        </Section>
    }
}
