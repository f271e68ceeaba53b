//! `credentials.toml`: tokens by the URL of their index, in a file that only its owner may read.
//!
//! ```toml
//! # written by `skillpm login`; for your eyes only
//! [tokens]
//! "sparse+https://skills.acme.dev/index/" = "…"
//! ```

use std::collections::BTreeMap;
use std::path::Path;

use super::LockWait;
use skillpm_core::error::{Error, Result};
use skillpm_core::package::{IndexUrl, SecretString};
use skillpm_io::disk::{self, FileLock, LockMode};

type TokensByUrl = BTreeMap<String, SecretString>;

const FILE_HEADER: &str = "# written by `skillpm login`; for your eyes only\n";

/// The token for an index.
pub(super) fn read_token(path: &Path, url: &str) -> Result<Option<SecretString>> {
    Ok(read_tokens(path)?.remove(url))
}

/// Changes the file under its lock, so that no other process changes it at the same time.
pub(super) fn update_tokens(
    path: &Path,
    waiting: LockWait<'_>,
    change: impl FnOnce(&mut TokensByUrl),
) -> Result<()> {
    let (patience, reporter) = waiting;
    let _lock = FileLock::acquire(
        &path.with_extension("lock"),
        LockMode::Exclusive,
        patience,
        reporter,
    )?;

    // Read under the lock: another `login` may have written a token meanwhile.
    let mut tokens = read_tokens(path)?;
    change(&mut tokens);
    disk::write_private(path, render_tokens(&tokens).as_bytes())
}

fn read_tokens(path: &Path) -> Result<TokensByUrl> {
    let Some(text) = disk::read_private(path)? else {
        return Ok(TokensByUrl::new());
    };
    parse_tokens(&text).map_err(|line| credentials_parse_error(path, line))
}

fn credentials_parse_error(path: &Path, line: usize) -> Error {
    // The parser's own message quotes what it did not understand.
    Error::usage(format!(
        "failed to parse credentials at `{}:{line}`: expected tokens by the URL of their index",
        path.display()
    ))
    .note("its format is\n  [tokens]\n  \"sparse+https://…/\" = \"…\"")
    .help("fix it, or remove it and run `skillpm login` again")
}

/// Parses the file's text; the error is the number of the invalid line.
fn parse_tokens(text: &str) -> Result<TokensByUrl, usize> {
    let line_of = |at: usize| 1 + text.get(..at).unwrap_or_default().matches('\n').count();
    // The parser's error quotes the file, so only its line is passed on.
    let table: toml::Table =
        toml::from_str(text).map_err(|error| line_of(error.span().map_or(0, |span| span.start)))?;
    let Some(tokens) = table.get("tokens") else {
        return if table.is_empty() {
            Ok(TokensByUrl::new())
        } else {
            Err(1)
        };
    };

    let tokens = tokens.as_table().ok_or(1_usize)?;
    // The file may have been edited by hand, with a URL that is not canonical.
    let canonical = |url: &String| {
        url.parse::<IndexUrl>()
            .map_or_else(|_| url.clone(), String::from)
    };
    let token = |(url, token): (&String, &toml::Value)| {
        Some((canonical(url), SecretString::new(token.as_str()?)))
    };
    tokens
        .iter()
        .map(token)
        .collect::<Option<TokensByUrl>>()
        .ok_or(1)
}

fn render_tokens(tokens: &TokensByUrl) -> String {
    let table: toml::Table = tokens
        .iter()
        .map(|(url, token)| (url.clone(), toml::Value::from(token.reveal())))
        .collect();
    let document = toml::Table::from_iter([("tokens".to_owned(), toml::Value::Table(table))]);
    format!("{FILE_HEADER}{document}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_tokens_are_read_back() {
        let tokens = TokensByUrl::from([
            (
                "sparse+https://a.dev/".to_owned(),
                SecretString::new("one\"two\\three"),
            ),
            (
                "git+https://b.dev/index".to_owned(),
                SecretString::new("four"),
            ),
        ]);
        let text = render_tokens(&tokens);
        assert!(text.starts_with("# written by `skillpm login`"));
        assert_eq!(parse_tokens(&text).unwrap(), tokens);
        assert_eq!(parse_tokens("").unwrap(), TokensByUrl::new());
    }

    #[test]
    fn an_error_names_the_line_of_a_broken_file_and_not_its_text() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("credentials.toml");
        for text in [
            "[tokens]\n\"a\" = \"CANARY\n",
            "tokens = \"CANARY\"\n",
            "[tokens]\na = [\"CANARY\"]\n",
            "CANARY",
        ] {
            disk::write_private(&path, text.as_bytes()).unwrap();
            let error = read_token(&path, "a").unwrap_err();
            assert!(error.message().contains("credentials.toml:"), "{error:?}");
            assert!(!format!("{error:?}").contains("CANARY"), "{error:?}");
        }
    }
}
