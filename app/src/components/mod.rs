//! The parts pages are made of. One file, one thing, one style sheet of the same name.

#[allow(unreachable_pub, reason = "the component macro makes the props of a private component public")]
pub mod acts;
pub mod badge;
pub mod chart;
pub mod confirm;
pub mod copy;
pub mod demo_banner;
pub mod elapsed;
pub mod empty;
pub mod error_panel;
pub mod fields;
pub(crate) mod focus;
pub mod frame;
pub mod hits;
pub mod icons;
pub mod key_help;
pub mod keys;
pub mod language_switch;
pub mod live_badge;
pub mod loading;
pub mod namespace_switch;
pub mod navigation;
pub mod notice_log;
pub mod notices;
pub(crate) mod off;
pub mod palette;
pub mod post_form;
pub(crate) mod refusal;
pub mod search;
pub mod section;
pub mod signed_out;
pub mod snippet;
pub mod strip;
pub mod theme_switch;
pub mod time;
pub mod unsaved;
