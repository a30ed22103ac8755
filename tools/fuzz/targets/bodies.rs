//! See `reprieve_fuzz::bodies`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| reprieve_fuzz::bodies::check(data));
