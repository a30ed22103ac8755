//! See `reprieve_fuzz::csv`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| reprieve_fuzz::csv::check(data));
