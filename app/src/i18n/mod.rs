//! The words of the screens: `t!("key", name = value)` says a sentence in the language of the page.
//!
//! One folder per language (`app/locales`), one Fluent file per area; a sentence is always written whole, never
//! glued from pieces.

mod audit;
mod engine;
mod filter;
mod imports;
mod language;
mod modes;
mod outcomes;
mod pseudo;
mod reasons;
mod said;
mod schedules;
mod states;
mod tagged;
mod values;
mod words;

pub use audit::{AuditWhy, audit_outcome, audit_sort, audit_verb, audit_why, halt};
pub use filter::{bulk_act, bulk_consequence, bulk_felt, bulk_state, bulk_word, filter_problem};
pub use fluent_bundle::FluentArgs;
pub use imports::{import_said, import_warning, known_set, redis_type, rolled_back, taken_over};
pub use language::Language;
pub use modes::{colour, place, run_mode};
pub use outcomes::{Tell, said, subject_cancelled};
use reasons::is_known_why;
pub use reasons::{
    INCIDENT, INCIDENT_CHARS_MAX, OTHER_CHARS_MIN, OTHER_REASON, REASONS, ReasonsFor, chosen_why, reason, why,
};
pub use said::{Said, Tone};
pub use schedules::schedule_code;
pub use states::{about, empty_list, group, needs, needs_everywhere, state};
#[cfg(test)]
pub(crate) use tagged::tags;
pub(crate) use tagged::{Tagged, json_word};
pub use values::{bad_name, not_a_number, not_a_time};
pub(crate) use values::{bad_value, too_large};
pub use words::say;
pub(crate) use words::{counted, word};
