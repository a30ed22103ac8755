//! The table of rights in words: what it calls its actions, limits and conditions, for people.

use super::words::word;

/// An action of the table; as the table has it where nobody has words for it.
pub fn right_action(action: &str) -> String {
    word("rights", action)
}

/// How much of an action a role gets.
pub fn right_limit(limit: &str) -> String {
    word("rights-limit", limit)
}

/// What has to be so besides; empty for nothing.
pub fn right_condition(condition: &str) -> String {
    word("rights-when", condition)
}

#[cfg(test)]
mod tests {
    use super::*;
    use reprieve::model::matrix::MATRIX;
    use std::collections::BTreeSet;

    #[test]
    fn no_two_actions_of_the_table_are_called_alike() {
        let actions: BTreeSet<_> = MATRIX.iter().map(|rule| right_action(rule.action)).collect();
        assert_eq!(actions.len(), MATRIX.len());
    }
}
