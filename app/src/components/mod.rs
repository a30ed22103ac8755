//! The parts pages are made of. One file, one thing, one style sheet of the same name.

#[allow(unreachable_pub, reason = "the component macro makes the props of a private component public")]
pub mod acts;
pub(crate) mod badge;
pub(crate) mod chart;
pub(crate) mod confirm;
pub(crate) mod copy;
pub(crate) mod demo_banner;
pub(crate) mod elapsed;
pub(crate) mod empty;
pub(crate) mod error_panel;
pub(crate) mod fields;
pub(crate) mod first_job;
pub(crate) mod frame;
pub(crate) mod hits;
pub(crate) mod icons;
pub(crate) mod key_help;
pub(crate) mod language_switch;
pub(crate) mod live_badge;
pub(crate) mod namespace_switch;
pub(crate) mod navigation;
pub(crate) mod notice_log;
pub(crate) mod notices;
pub(crate) mod page_head;
pub(crate) mod palette;
pub(crate) mod pinned_views;
pub(crate) mod prove;
pub(crate) mod search;
pub(crate) mod section;
pub(crate) mod sign_in_ends;
pub(crate) mod signed_out;
pub(crate) mod snippet;
pub(crate) mod strip;
pub(crate) mod table;
pub(crate) mod theme_switch;
pub(crate) mod there_now;
pub(crate) mod time;
