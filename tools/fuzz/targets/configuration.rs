//! See `reprieve_fuzz::configuration`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| reprieve_fuzz::configuration::check(data));
