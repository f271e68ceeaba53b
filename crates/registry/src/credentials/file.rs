//! `credentials.toml`: tokens by the URL of their index, in a file that only its owner may read.
//!
//! ```toml
//! # written by `skillpm login`; for your eyes only
//! [tokens]
//! "sparse+https://skills.acme.dev/index/" = "…"
//! ```

use std::collections::BTreeMap;
use std::path::Path;

use super::Waiting;
use crate::error::{Error, Result};
use crate::io::disk::{self, FileLock, Mode};
use crate::package::{IndexUrl, Secret};

type Tokens = BTreeMap<String, Secret>;

const HEAD: &str = "# written by `skillpm login`; for your eyes only\n";

/// The token for an index.
pub(super) fn get(path: &Path, url: &str) -> Result<Option<Secret>> {
    Ok(read(path)?.remove(url))
}

/// Changes the file while nobody else does.
pub(super) fn change(path: &Path, waiting: Waiting<'_>, change: impl FnOnce(&mut Tokens)) -> Result<()> {
    let (patience, reporter) = waiting;
    let _lock = FileLock::acquire(&path.with_extension("lock"), Mode::Exclusive, patience, reporter)?;
    let mut tokens = read(path)?;
    change(&mut tokens);
    disk::write_private(path, write(&tokens).as_bytes())
}

fn read(path: &Path) -> Result<Tokens> {
    let Some(text) = disk::read_private(path)? else { return Ok(Tokens::new()) };
    parse(&text).map_err(|line| {
        // The parser's own message quotes what it did not understand.
        Error::usage(format!("{}:{line}: tokens by the URL of their index were expected", path.display()))
            .note("its form is\n  [tokens]\n  \"sparse+https://…/\" = \"…\"")
            .help("mend it, or remove it and log in again")
    })
}

/// The tokens in the file's text, or the line that is wrong.
fn parse(text: &str) -> Result<Tokens, usize> {
    let line_of = |at: usize| 1 + text.get(..at).unwrap_or_default().matches('\n').count();
    let table: toml::Table =
        toml::from_str(text).map_err(|error| line_of(error.span().map_or(0, |span| span.start)))?;
    let Some(tokens) = table.get("tokens") else {
        return if table.is_empty() { Ok(Tokens::new()) } else { Err(1) };
    };
    let tokens = tokens.as_table().ok_or(1_usize)?;
    // A person may have written it, and not canonically.
    let canonical = |url: &String| url.parse::<IndexUrl>().map_or_else(|_| url.clone(), String::from);
    let token = |(url, token): (&String, &toml::Value)| Some((canonical(url), Secret::new(token.as_str()?)));
    tokens.iter().map(token).collect::<Option<Tokens>>().ok_or(1)
}

fn write(tokens: &Tokens) -> String {
    let table: toml::Table =
        tokens.iter().map(|(url, token)| (url.clone(), toml::Value::from(token.reveal()))).collect();
    let whole = toml::Table::from_iter([("tokens".to_owned(), toml::Value::Table(table))]);
    format!("{HEAD}{whole}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let tokens = Tokens::from([
            ("sparse+https://a.dev/".to_owned(), Secret::new("one\"two\\three")),
            ("git+https://b.dev/index".to_owned(), Secret::new("four")),
        ]);
        let text = write(&tokens);
        assert!(text.starts_with("# written by `skillpm login`"));
        assert_eq!(parse(&text).unwrap(), tokens);
        assert_eq!(parse("").unwrap(), Tokens::new());
    }

    #[test]
    fn a_broken_file_is_told_by_its_line_and_not_by_its_text() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("credentials.toml");
        for text in ["[tokens]\n\"a\" = \"CANARY\n", "tokens = \"CANARY\"\n", "[tokens]\na = [\"CANARY\"]\n", "CANARY"]
        {
            disk::write_private(&path, text.as_bytes()).unwrap();
            let error = get(&path, "a").unwrap_err();
            assert!(error.message().contains("credentials.toml:"), "{error:?}");
            assert!(!format!("{error:?}").contains("CANARY"), "{error:?}");
        }
    }
}
