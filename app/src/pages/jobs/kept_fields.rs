//! What a form of the list leads on with.

use leptos::prelude::*;

use crate::list::Address;

/// What [`Address::kept`] keeps, in a form that asks for the rest.
#[component]
pub(super) fn KeptFields(address: Address, asked: &'static [&'static str]) -> impl IntoView {
    let field = |(name, value)| view! { <input type="hidden" name=name value=value/> };
    address.kept(asked).into_iter().map(field).collect_view()
}
