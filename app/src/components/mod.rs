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
pub mod first_job;
pub mod frame;
pub mod hits;
pub mod icons;
pub mod key_help;
pub mod language_switch;
pub mod live_badge;
pub mod namespace_switch;
pub mod navigation;
pub mod notice_log;
pub mod notices;
pub mod palette;
pub mod pinned_views;
pub mod prove;
pub mod search;
pub mod section;
pub mod sign_in_ends;
pub mod signed_out;
pub mod snippet;
pub mod strip;
pub mod theme_switch;
pub mod there_now;
pub mod time;
