//! How a regex becomes an automaton. The build script includes this file, too: what it precompiles
//! is what the program would compile.

use regex_automata::nfa::thompson::{self, Compiler, NFA};
use regex_automata::util::syntax;

/// Builds the automaton of a regex.
pub(super) fn build_nfa(pattern: &str) -> NFA {
    // A window may begin in the middle of a character.
    let config = thompson::Config::new().utf8(false);
    Compiler::new()
        .configure(config)
        .syntax(syntax_config(true))
        .build(pattern)
        .expect("the regexes are constants, and tested")
}

/// Bytes and not Unicode letters: small and fast; `.` matches a line end, too.
pub(super) fn syntax_config(any_case: bool) -> syntax::Config {
    syntax::Config::new()
        .case_insensitive(any_case)
        .dot_matches_new_line(true)
        .unicode(false)
        .utf8(false)
}

/// Whether a byte is a letter, a digit or `_`.
pub(super) fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
