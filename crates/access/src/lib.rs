//! Who may do what in Reprieve.
//!
//! [`People`] sign in with a password, a second factor or a provider; programs show one of the [`Tokens`]. Either is a
//! [`Principal`], whose role or token says what it may do, by the one table in [`reprieve::model::matrix`]. Screens and HTTP
//! API ask [`Access`] for what they need, and get a part of the engine or why not.

mod access;
pub mod allowance;
mod denied;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;
mod people;
mod principal;
mod rules;
mod seal;
mod tokens;

pub use access::Access;
pub use allowance::Allowance;
pub use denied::Denied;
#[cfg(feature = "testing")]
pub use people::make_cheap_hashes;
pub use people::{
    Admission, Enrolment, FederatedLogin, Invitation, Opened, PASSWORD_CHARS_MAX, PASSWORD_CHARS_MIN, People,
    Proof, SESSION_IDLE_MAX, SESSION_LASTS_MAX, SignIn, Signed, Visitor, counted_address,
};
pub use principal::{Credential, Principal, SessionId, TOKEN_NAME, sees_own_acts_only};
pub use rules::waits;
pub use seal::{NotOurs, Seals};
pub use tokens::{Checked, Tokens};
