//! See `reprieve_fuzz::tokens`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| reprieve_fuzz::tokens::check(data));
