//! Characters that a reader of foreign text does not see.

/// Whether a character acts on a reader without being seen: controls, overrides of direction, annotations, tags.
#[must_use]
pub fn is_hidden(c: char) -> bool {
    // Joiners are not hidden: scripts and emoji need them.
    c.is_control()
        || is_tag(c)
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}')
}

/// Whether a character is a tag, which emoji flags are spelled with.
#[must_use]
pub fn is_tag(c: char) -> bool {
    matches!(c, '\u{e0000}'..='\u{e007f}')
}

/// Whether nothing is seen of a character that is neither a blank nor a control: what Unicode lets a program ignore, fillers,
/// separators of lines. Some of these are spelling, such as a joiner in Persian.
#[must_use]
pub fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d159}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}
