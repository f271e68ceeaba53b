//! Paths of files as URIs of the protocol.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use lsp_types::Uri;
use url::Url;

/// The path of a `file:` URI; `None` for another scheme, such as that of a text without a file.
pub(crate) fn to_path(uri: &Uri) -> Option<PathBuf> {
    let url = Url::parse(uri.as_str()).ok()?;
    (url.scheme() == "file").then(|| url.to_file_path().ok())?
}

/// The URI of an absolute path.
pub(crate) fn from_path(path: &Path) -> Option<Uri> {
    let url = Url::from_file_path(path).ok()?;
    Uri::from_str(url.as_str()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(windows, ignore = "its paths are those of Unix")]
    fn path_survives_its_uri() {
        let path = Path::new("/a b/ü#1/SKILL.md");
        let uri = from_path(path).unwrap();
        assert_eq!(uri.as_str(), "file:///a%20b/%C3%BC%231/SKILL.md");
        assert_eq!(to_path(&uri).as_deref(), Some(path));
        assert_eq!(to_path(&Uri::from_str("untitled:x").unwrap()), None);
    }

    #[cfg(windows)]
    #[test]
    fn drive_of_a_uri_may_be_escaped_and_in_lower_case() {
        let path = Path::new(r"C:\a b\SKILL.md");
        // As Visual Studio Code writes it.
        let escaped = Uri::from_str("file:///c%3A/a%20b/SKILL.md").unwrap();
        assert_eq!(to_path(&escaped).as_deref(), Some(path));
        assert_eq!(
            from_path(path).unwrap().as_str(),
            "file:///C:/a%20b/SKILL.md"
        );
    }
}
