//! The parts pages are made of. One file, one thing, one style sheet of the same name.

#[allow(unreachable_pub, reason = "the component macro makes the props of a private component public")]
pub mod acts;
pub mod badge;
#[cfg(feature = "ssr")]
pub mod chart;
pub mod confirm;
pub mod copy;
pub mod demo_banner;
pub mod elapsed;
pub mod empty;
pub mod error_panel;
pub mod fields;
pub mod first_job;
pub(crate) mod focus;
pub mod frame;
pub mod hits;
pub mod icons;
#[cfg(feature = "ssr")]
#[allow(unreachable_pub, reason = "the component macro makes the props of a private component public")]
pub mod job_acts;
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
pub mod pinned_views;
pub mod post_form;
pub mod prove;
pub(crate) mod refusal;
pub mod search;
pub mod section;
pub mod sign_in_ends;
pub mod signed_out;
pub mod snippet;
pub mod strip;
pub mod theme_switch;
#[cfg(feature = "ssr")]
pub mod there_now;
pub mod time;
pub(crate) mod turn;
