//! How forms call server functions: with arguments as forms have them, and answers in JSON for programs.

use leptos::server_fn::Http;
use leptos::server_fn::codec::{GetUrl, Json, PostUrl};

/// The header of a call that a page makes by itself, while nobody is at it. Without one there is somebody.
pub const UNATTENDED: &str = "x-unattended";

/// For functions that only read.
pub type Get = Http<GetUrl, Json>;
/// For functions that change something.
pub type Post = Http<PostUrl, Json>;
