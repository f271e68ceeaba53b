#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| skillpm::fuzz::check("permissions", input));
