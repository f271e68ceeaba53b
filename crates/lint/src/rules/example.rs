//! What the examples of rules are made of.

/// The text of a `SKILL.md` that is fine, with this body; or, for a directory and a text, an example: a skill in a
/// directory of this name that has only a `SKILL.md` of this text; and `[lint]`.
macro_rules! page {
    ($directory:literal, $text:expr) => {
        page!($directory, $text, "")
    };
    ($directory:literal, $text:expr, $settings:expr) => {
        $crate::lint::Example {
            files: &[(concat!($directory, "/SKILL.md"), $crate::lint::Piece::Text($text))],
            settings: $settings,
        }
    };
    ($body:literal) => {
        $crate::lint::Piece::Text(concat!(
            "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n\n",
            $body
        ))
    };
}

/// An example of one `SKILL.md` that is fine but for this body.
macro_rules! page_only {
    ($body:literal) => {
        $crate::lint::Example::page(&[("pdf/SKILL.md", page!($body))])
    };
}

/// An example of a `SKILL.md` with this body, and other files.
macro_rules! page_and {
    ($body:literal, $(($path:literal, $piece:expr)),+ $(,)?) => {
        $crate::lint::Example::files(&[("pdf/SKILL.md", page!($body)), $(($path, $piece)),+])
    };
}
