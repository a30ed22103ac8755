//! Who may do what, by role.

use leptos::prelude::*;
use reprieve::model::Role;
use reprieve::model::matrix::{Grant, MATRIX, Rule};

use super::Section;
use crate::components::demo_banner::role_name;
use crate::components::icons::{Icon, icon};
use crate::session::Session;
use crate::{i18n, t};

/// What the table calls its actions.
const ACTIONS: &str = "rights";

/// The table of rights as the gate has it, a row an action and a column a role.
#[component]
pub(super) fn Roles() -> impl IntoView {
    let own = Session::get().role;
    let head = Role::ALL.map(|role| {
        let yours = (own == Some(role)).then(|| view! { " " <small>{t!("settings-roles-yours")}</small> });
        view! { <th scope="col" data-own=(own == Some(role)).to_string()>{role_name(role)} {yours}</th> }
    });
    view! {
        <Section id="roles" title=t!("settings-roles") hint=t!("settings-roles-hint")>
            <table class="table rights" aria-labelledby="roles-title">
                <thead>
                    <tr>
                        <th scope="col">{t!("settings-roles-what")}</th>
                        {head}
                        <th scope="col">{t!("settings-roles-when")}</th>
                    </tr>
                </thead>
                <tbody>{MATRIX.iter().map(row).collect_view()}</tbody>
            </table>
        </Section>
    }
}

fn row(rule: &'static Rule) -> impl IntoView {
    let cells = Role::ALL.map(|role| cell(role, rule.grants[role.column()]));
    view! {
        <tr data-action=rule.action>
            <th scope="row">{i18n::word(ACTIONS, rule.action)} " " <code>{rule.permission.to_string()}</code></th>
            {cells}
            <td class="rights-when">{i18n::word("rights-when", rule.condition)}</td>
        </tr>
    }
}

/// What a role gets of an action: a picture with a word for it.
fn cell(role: Role, grant: Grant) -> impl IntoView {
    let (word, what) = match grant {
        Grant::Yes => {
            let all =
                view! { {icon(Icon::Check)} <span class="visually-hidden">{t!("settings-roles-yes")}</span> };
            ("yes", all.into_any())
        }
        Grant::No => {
            let none = view! { <span aria-hidden="true">"–"</span> <span class="visually-hidden">{t!("settings-roles-no")}</span> };
            ("no", none.into_any())
        }
        Grant::Limited(limit) => {
            let some = view! { {icon(Icon::Check)} <small>{i18n::word("rights-limit", limit)}</small> };
            ("limited", some.into_any())
        }
    };
    view! { <td data-label=role_name(role) data-grant=word>{what}</td> }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_two_actions_of_the_table_are_called_alike() {
        let actions: BTreeSet<_> = MATRIX.iter().map(|rule| i18n::word(ACTIONS, rule.action)).collect();
        assert_eq!(actions.len(), MATRIX.len());
    }
}
