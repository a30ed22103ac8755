//! See `reprieve_fuzz::replies`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| reprieve_fuzz::replies::check(data));
