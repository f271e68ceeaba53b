//! Which files of a skill a web server may serve as they are.
//!
//! A static site sets no headers: its server decides by the name of a file what it is. A page of a skill would run its scripts with
//! the origin of the site, and a settings file would change the server. Such a file is in the skill's archive only.

/// Endings for which a server sends something that a browser shows as a page of the site, or that the server runs itself.
const ACTIVE: [&str; 31] = [
    // HTML, and what old servers call it.
    "html", "htm", "xhtml", "xht", "xhtm", "shtml", "shtm", "stm", "hta", "htc", "mht", "mhtml",
    // XML: a browser runs the scripts of XHTML and SVG in it, and style sheets that make such.
    "xml", "svg", "svgz", "xsl", "xslt", "rdf", "rss", "atom", "mml", "mathml", "xul", "wsdl",
    // Code of servers.
    "php", "phtml", "phar", "asp", "aspx", "jsp", "cfm",
];

/// Endings that every server and browser takes for something without scripts, whatever the file begins with.
const PASSIVE: [&str; 33] = [
    "md", "markdown", "txt", "json", "jsonl", "csv", "tsv", "yaml", "yml", "toml", "ini", "css",
    "js", "mjs", "cjs", "ts", "py", "sh", "rb", "go", "rs", "png", "jpg", "jpeg", "gif", "webp",
    "avif", "ico", "pdf", "woff", "woff2", "wasm", "zip",
];

/// Whether a server may take the file at this path for a page, or for settings or code of its own.
pub(super) fn is_active(path: &str, bytes: &[u8]) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    // Apache and IIS read these in every directory.
    if name.starts_with(".ht") || name == ".user.ini" || name == "web.config" {
        return true;
    }

    // Apache takes the type of any ending: `page.html.bak` is a page.
    let mut endings = name.split('.').skip(1);
    if endings.any(|ending| ACTIVE.contains(&ending)) {
        return true;
    }

    let last = name.rsplit_once('.').map(|(_, ending)| ending);
    // Of other endings browsers and servers guess, and XML has dozens of them.
    !last.is_some_and(|ending| PASSIVE.contains(&ending)) && looks_like_markup(bytes)
}

/// Whether a file begins as HTML or XML do, in UTF-8 or UTF-16.
fn looks_like_markup(bytes: &[u8]) -> bool {
    let bytes = [&b"\xef\xbb\xbf"[..], b"\xff\xfe", b"\xfe\xff"]
        .iter()
        .find_map(|mark| bytes.strip_prefix(*mark))
        .unwrap_or(bytes);
    let is_blank = |byte: &u8| byte.is_ascii_whitespace() || *byte == 0;
    bytes.iter().find(|byte| !is_blank(byte)) == Some(&b'<')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_and_settings_of_servers_are_active_whatever_their_case_and_endings() {
        for path in [
            "a.html",
            "d/A.HTM",
            "x.svg",
            "x.svg.bak",
            "feed.xml",
            "t.xhtml",
            "i.php",
            "m.xslt",
            "d/.htaccess",
            ".htpasswd",
            "web.config",
            ".user.ini",
        ] {
            assert!(is_active(path, b"text"), "{path}");
        }
        for path in [
            "SKILL.md", "a/b.md", "run.sh", "html", "svg.py", "logo.png", "x.htmlx",
        ] {
            assert!(!is_active(path, b"text"), "{path}");
        }
    }

    #[test]
    fn markup_is_active_unless_its_ending_is_known() {
        for bytes in [
            &b"<svg onload=alert(1)>"[..],
            b"\n \t<!doctype html>",
            b"\xef\xbb\xbf<?xml version='1.0'?>",
            b"\xff\xfe<\0s\0",
            b"\xfe\xff\0<\0s",
        ] {
            assert!(is_active("notes", bytes) && is_active("x.gpx", bytes));
            assert!(!is_active("notes.md", bytes) && !is_active("x.txt", bytes));
        }
        assert!(!is_active("notes", b"a <b>") && !is_active("LICENSE", b"MIT"));
    }
}
