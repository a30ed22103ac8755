//! See `reprieve_fuzz::filters`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| reprieve_fuzz::filters::check(data));
