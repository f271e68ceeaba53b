//! Macros for the examples of rules.

/// The text of a valid `SKILL.md` with this body; or, for a directory and a text, an example: a skill in a directory of
/// this name with only this `SKILL.md`, and an optional `[lint]` table.
macro_rules! page {
    ($directory:literal, $text:expr) => {
        page!($directory, $text, "")
    };
    ($directory:literal, $text:expr, $settings:expr) => {
        $crate::RuleExample {
            files: &[(concat!($directory, "/SKILL.md"), $crate::ExampleFile::Text($text))],
            settings: $settings,
        }
    };
    ($body:literal) => {
        // Valid in every other respect, so that only the rule of the example can report something.
        $crate::ExampleFile::Text(concat!(
            "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n\n",
            $body
        ))
    };
}

/// An example of a skill with only a `SKILL.md`, valid except possibly for this body.
macro_rules! page_only {
    ($body:literal) => {
        $crate::RuleExample::page(&[("pdf/SKILL.md", page!($body))])
    };
}

/// An example of a `SKILL.md` with this body, and other files.
macro_rules! page_and {
    ($body:literal, $(($path:literal, $piece:expr)),+ $(,)?) => {
        $crate::RuleExample::files(&[("pdf/SKILL.md", page!($body)), $(($path, $piece)),+])
    };
}
