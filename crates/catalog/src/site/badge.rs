//! `badge.svg`: name and version of a package, for a readme.

use minijinja::context;

use super::html_text::cut_text;
use super::templates::render;
use skillpm_core::package::TreeFile;

/// The width of a badge's text in pixels, at the size that is used here, and the space on each side of it.
// An average of common fonts: the exact one is unknown, and `textLength` fits the text into the width.
const LETTER_WIDTH: usize = 7;
const PADDING: usize = 7;

/// The longest texts that are shown, in characters.
const TEXT_MAX: usize = 80;

/// The badge of a package.
pub(super) fn render_badge(name: &str, version: Option<&str>) -> TreeFile {
    let label = cut_text(name, TEXT_MAX);
    let value = cut_text(version.unwrap_or("skill"), TEXT_MAX);
    let width = |text: &str| text.chars().count() * LETTER_WIDTH + 2 * PADDING;
    render(
        "badge.svg",
        context! { label, value, left => width(&label), right => width(&value), padding => PADDING },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn badge_has_name_and_version_and_escapes_both() {
        let text = |file: TreeFile| String::from_utf8(file.bytes).unwrap();
        let badge = text(render_badge("acme/pdf", Some("1.2.0")));
        assert!(badge.contains("aria-label=\"acme/pdf 1.2.0\""), "{badge}");
        assert!(badge.contains("width=\"119\""), "{badge}");
        let evil = text(render_badge("</svg><script>", None));
        assert!(
            !evil.contains("<script>") && evil.matches("</svg>").count() == 1,
            "{evil}"
        );
    }
}
