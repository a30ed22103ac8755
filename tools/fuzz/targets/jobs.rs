//! See `reprieve_fuzz::jobs`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| reprieve_fuzz::jobs::check(data));
