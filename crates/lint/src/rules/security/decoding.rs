//! The regexes by which matches are decoded and quoted, ready to be matched.

use std::sync::LazyLock;

use super::pattern::CompiledPattern;

include!(concat!(env!("OUT_DIR"), "/security/decoding.rs"));

/// An escape of a byte: `hex` or `octal`.
pub(super) static ESCAPES: LazyLock<CompiledPattern> =
    LazyLock::new(|| CompiledPattern::new(&BYTE_ESCAPE));
/// Data in base64.
pub(super) static DATA: LazyLock<CompiledPattern> =
    LazyLock::new(|| CompiledPattern::new(&DATA_RUN));
/// A `variable`, or an `argument` of a call.
pub(super) static NAMES: LazyLock<CompiledPattern> =
    LazyLock::new(|| CompiledPattern::new(&VARIABLE_NAME));
/// A `variable` in a command that fetches.
pub(super) static FETCHED_NAMES: LazyLock<CompiledPattern> =
    LazyLock::new(|| CompiledPattern::new(&FETCHED_VARIABLE));
/// A run that may be a secret.
pub(super) static LONG_RUNS: LazyLock<CompiledPattern> =
    LazyLock::new(|| CompiledPattern::new(&LONG_RUN));
