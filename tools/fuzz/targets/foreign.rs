//! See `reprieve_fuzz::foreign`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| reprieve_fuzz::foreign::check(data));
