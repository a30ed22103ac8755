//! The vocabulary of the support desk, which the configuration reads.

#[expect(dead_code, reason = "the screens use what the fuzzer does not")]
#[path = "../../../app/src/desk/vocabulary.rs"]
pub mod vocabulary;
