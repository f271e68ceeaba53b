//! `badge.svg`: name and version of a package, for a readme.

use super::html_text::escape_html;

/// The width of a badge's text in pixels, at the size that is used here, and the space on each side of it.
// An average of common fonts: the exact one is unknown, and `textLength` fits the text into the width.
const LETTER_WIDTH: usize = 7;
const PADDING: usize = 7;

/// The longest texts that are shown, in characters.
const TEXT_MAX: usize = 80;

/// The badge of a package.
pub(super) fn render_badge(name: &str, version: Option<&str>) -> String {
    let label = shorten(name);
    let value = shorten(version.unwrap_or("skill"));
    let (label_width, value_width) = (text_width(&label), text_width(&value));
    let (left, right) = (label_width + 2 * PADDING, value_width + 2 * PADDING);
    let (label, value) = (escape_html(&label), escape_html(&value));

    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"20\" role=\"img\" aria-label=\"{label} {value}\">\n\
         <title>{label} {value}</title>\n\
         <clipPath id=\"r\"><rect width=\"{width}\" height=\"20\" rx=\"4\"/></clipPath>\n\
         <g clip-path=\"url(#r)\"><rect width=\"{left}\" height=\"20\" fill=\"#3b4252\"/>\
         <rect x=\"{left}\" width=\"{right}\" height=\"20\" fill=\"#1b6e5f\"/></g>\n\
         <g fill=\"#fff\" font-family=\"Verdana,DejaVu Sans,sans-serif\" font-size=\"11\">\
         <text x=\"{PADDING}\" y=\"14\" textLength=\"{label_width}\">{label}</text>\
         <text x=\"{value_start}\" y=\"14\" textLength=\"{value_width}\">{value}</text></g>\n</svg>\n",
        width = left + right,
        value_start = left + PADDING,
    )
}

fn shorten(text: &str) -> String {
    super::html_text::cut_text(text, TEXT_MAX).into_owned()
}

fn text_width(text: &str) -> usize {
    text.chars().count() * LETTER_WIDTH
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn badge_has_name_and_version_and_escapes_both() {
        let badge = render_badge("acme/pdf", Some("1.2.0"));
        assert!(badge.contains("aria-label=\"acme/pdf 1.2.0\""), "{badge}");
        assert!(badge.contains("width=\"119\""), "{badge}");
        let evil = render_badge("</svg><script>", None);
        assert!(
            !evil.contains("<script>") && evil.matches("</svg>").count() == 1,
            "{evil}"
        );
    }
}
