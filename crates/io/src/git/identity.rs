//! The author and committer, as git determines them.
//!
//! | | first | then | then | last |
//! |---|---|---|---|---|
//! | author | `GIT_AUTHOR_EMAIL` | `author.email` | `user.email` | `EMAIL` |
//! | committer | `GIT_COMMITTER_EMAIL` | `committer.email` | `user.email` | `EMAIL` |
//!
//! Names are looked up in the same order, without `EMAIL`. As in git, a variable that is set but empty counts. Unlike
//! git, no address is generated from the machine's name if nothing is configured: it would not be a real one.

use std::path::Path;

use gix::bstr::ByteSlice;

use super::commit::{CommitAuthor, GitIdentity};
use super::config::load_config;
use super::failure;
use skillpm_core::error::Result;

/// Author and committer of a commit made in a directory, from the variables and the configuration that git reads; empty if
/// neither is set.
///
/// # Errors
/// If the git configuration cannot be read.
pub fn commit_author(
    dir: &Path,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<CommitAuthor> {
    let config = load_config(dir).map_err(|cause| failure::configuration_error(&cause))?;
    let text = |key: &str| Some(config.string(key)?.to_str().ok()?.trim().to_owned());
    Ok(author_from(&text, variable))
}

fn author_from(
    text: &dyn Fn(&str) -> Option<String>,
    variable: &dyn Fn(&str) -> Option<String>,
) -> CommitAuthor {
    let GitIdentity { name, email } = find_identity("author", text, variable);
    CommitAuthor {
        name,
        email,
        committer: find_identity("committer", text, variable),
        signing: None,
    }
}

/// The person in a role (`author`, `committer`).
fn find_identity(
    role: &str,
    text: &dyn Fn(&str) -> Option<String>,
    variable: &dyn Fn(&str) -> Option<String>,
) -> GitIdentity {
    let own = |what: &str| {
        variable(&format!("GIT_{role}_{what}").to_uppercase())
            .or_else(|| text(&format!("{role}.{what}")))
            .or_else(|| text(&format!("user.{what}")))
    };

    let email = own("email")
        .or_else(|| variable("EMAIL"))
        .unwrap_or_default();
    GitIdentity {
        name: own("name").unwrap_or_default().trim().to_owned(),
        email: email.trim().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn names_and_addresses_are_looked_up_in_order() {
        let mut variables = BTreeMap::from([
            ("GIT_AUTHOR_EMAIL", "1@a"),
            ("GIT_COMMITTER_EMAIL", "1@c"),
            ("GIT_AUTHOR_NAME", "One"),
            ("EMAIL", "4@both"),
        ]);
        let mut config = BTreeMap::from([
            ("author.email", "2@a"),
            ("committer.email", "2@c"),
            ("author.name", "Two"),
            ("user.email", "3@both"),
            ("user.name", "Three"),
        ]);
        let found = |variables: &BTreeMap<&str, &str>, config: &BTreeMap<&str, &str>| {
            let text = |key: &str| config.get(key).map(ToString::to_string);
            let variable = |key: &str| variables.get(key).map(ToString::to_string);
            let author = author_from(&text, &variable);
            [
                author.name,
                author.email,
                author.committer.name,
                author.committer.email,
            ]
        };
        assert_eq!(found(&variables, &config), ["One", "1@a", "Three", "1@c"]);
        variables.retain(|name, _| *name == "EMAIL");
        assert_eq!(found(&variables, &config), ["Two", "2@a", "Three", "2@c"]);
        config.retain(|key, _| key.starts_with("user."));
        assert_eq!(
            found(&variables, &config),
            ["Three", "3@both", "Three", "3@both"]
        );
        config.clear();
        assert_eq!(found(&variables, &config), ["", "4@both", "", "4@both"]);
        assert_eq!(
            found(
                &BTreeMap::from([("GIT_AUTHOR_EMAIL", ""), ("EMAIL", "4@both")]),
                &config
            )[1],
            ""
        );
    }
}
