//! Confirmation of level L1: a popover beside its button that says what will happen.

use leptos::prelude::*;

use crate::t;

/// A button, and the question that it opens: what will happen, a form, and a way back that is named for what stays.
#[component]
pub(crate) fn Confirm(
    /// The popover's id.
    #[prop(into)]
    id: String,
    /// What stands on the button.
    #[prop(into)]
    trigger: ViewFn,
    #[prop(into)] title: String,
    /// What will happen, in one sentence.
    #[prop(into)]
    sentence: String,
    #[prop(into)] dismiss: String,
    /// Why the button is off; empty while it is on.
    #[prop(optional, into)]
    disabled_because: String,
    #[prop(default = "plain")] tone: &'static str,
    /// The popover opens on the button that changes nothing, and Enter in its fields sends nothing: for what cannot be taken
    /// back.
    #[prop(optional)]
    dismiss_first: bool,
    /// The key that presses the button; empty for none.
    #[prop(optional)]
    key: &'static str,
    /// The element that says what the button is about, by its id.
    #[prop(optional, into)]
    about: Option<String>,
    children: Children,
) -> impl IntoView {
    let heading = format!("{id}-title");
    let off = !disabled_because.is_empty();
    // Why it is off is told by its title, which a description would take the place of.
    let described = about.filter(|_| !off);
    let hint = match key {
        _ if off => Some(disabled_because),
        "" => None,
        key => Some(t!("acts-with-key", act = title.clone(), key = key)),
    };
    let key = Some(key).filter(|key| !key.is_empty());
    let (popover, target, title_of) = (id.clone(), id.clone(), heading.clone());
    view! {
        <span class="confirm">
            <button
                type="button"
                class="button"
                data-tone=tone
                popovertarget=target
                aria-describedby=described
                aria-disabled=off.then_some("true")
                title=hint
                data-key=key
            >
                {trigger.run()}
            </button>
            <div id=popover class="popover" popover="auto" role="dialog" aria-labelledby=title_of>
                <h2 id=heading>{title}</h2>
                <p>{sentence}</p>
                {children()}
                <button
                    type="button"
                    class="button"
                    data-tone="quiet"
                    popovertarget=id
                    popovertargetaction="hide"
                    autofocus=dismiss_first
                >
                    {dismiss}
                </button>
            </div>
        </span>
    }
}
