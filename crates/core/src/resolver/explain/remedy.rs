//! The changes that resolve a conflict, as sentences with commands that can be pasted.

use semver::{Version, VersionReq};

use super::notes::{is_about_one_line, is_direct};
use super::{ExplainContext, render_aliases, render_line};
use crate::package::{GitReference, PackageDependency, SkillName, SourceId};
use crate::resolver::conflict::{Conflict, ConflictCause, ConflictRemedy};
use crate::resolver::root::{MemberRef, RootDependency};

impl ExplainContext<'_> {
    pub(super) fn render_remedy(
        &self,
        remedy: &ConflictRemedy,
        conflict: &Conflict,
    ) -> Option<String> {
        match remedy {
            ConflictRemedy::Change { line, req, version } => {
                Some(self.render_change(line, req, version.as_ref(), &conflict.cause))
            }
            ConflictRemedy::Rename { line, alias } => {
                Some(match self.add_command(line, &line.dependency.req, alias) {
                    Some(command) => {
                        format!("install one of them under another name, such as with `{command}`")
                    }
                    None => {
                        format!(
                            "install one of them under another name, such as with `--as {alias}` for `{}`",
                            line.dependency.package
                        )
                    }
                })
            }
            ConflictRemedy::WithoutPrecise(id) => {
                Some(format!("without `--precise`, `{id}` is selected"))
            }
            // Removing the one dependency in question is not a remedy, it is giving up on it.
            ConflictRemedy::RemoveOneOf { .. } if is_about_one_line(&conflict.cause) => None,
            ConflictRemedy::RemoveOneOf { lines } => {
                Some(match (lines.as_slice(), conflict.lines.as_slice()) {
                    ([line], [_]) => format!(
                        "the other dependencies resolve without {}",
                        render_line(line)
                    ),
                    ([line], all) => {
                        format!(
                            "no other version of {} helps; the other dependencies resolve without {}",
                            render_aliases(all),
                            render_line(line)
                        )
                    }
                    (_, all) => format!(
                        "no other version of {} helps; the other dependencies resolve without one of them",
                        render_aliases(all)
                    ),
                })
            }
        }
    }

    fn render_change(
        &self,
        line: &RootDependency,
        req: &VersionReq,
        version: Option<&Version>,
        cause: &ConflictCause,
    ) -> String {
        let asked = &line.dependency;
        let is_newest = matches!(cause, ConflictCause::NothingFits { requirements, hints, .. }
            if is_direct(requirements) && asked.source.has_versions() && version.is_some() && hints.newest.as_ref() == version);

        let is_pre_release = version.is_some_and(|version| !version.pre.is_empty());

        let why = match version {
            Some(version) if is_newest => format!("`{version}` is the newest version; "),
            Some(version) if is_pre_release => format!("`{version}` is a pre-release; "),
            Some(version) => format!("`{} {version}` would fit; ", asked.package),
            None => String::new(),
        };

        // `add` takes a requirement only where there are versions to choose from.
        match self
            .add_command(line, req, &asked.alias)
            .filter(|_| asked.source.has_versions())
        {
            Some(command) => format!("{why}to use it, run `{command}`"),
            None => format!(
                "{why}change the requirement of {} from `{}` to `{req}`",
                render_line(line),
                asked.req
            ),
        }
    }

    /// Suggests narrowing the requirement that leaves the search the most versions.
    pub(super) fn render_narrowing(&self, line: &RootDependency, width: usize) -> String {
        let name = render_line(line);
        match &line.dependency.source {
            // For another one `info` requires its name, which is not known here.
            SourceId::Registry(_) if self.is_default(&line.dependency.source) => format!(
                "narrow the requirement of {name}, which matches {width} versions; `skillpm info {}` lists them",
                line.dependency.package
            ),
            _ => format!("narrow the requirement of {name}, which matches {width} versions"),
        }
    }

    /// The command that adds a dependency; `None` if only a registry's index is known and not its name.
    #[must_use]
    pub fn add_command(
        &self,
        line: &RootDependency,
        req: &VersionReq,
        alias: &SkillName,
    ) -> Option<String> {
        let RootDependency {
            dependency: line,
            member,
        } = line;

        let mut words = self.spec_words(line, req)?;
        if alias != line.package.skill() {
            words.extend(["--as".into(), alias.to_string()]);
        }
        if line.dev {
            words.push("--dev".into());
        }

        // The command is meant to be pasted into a shell, and names come from packages and hosts.
        let words: Vec<String> = words.into_iter().map(shell_quoted).collect();
        let add = format!("add {}", words.join(" "));
        Some(command_in(member.as_ref(), &add))
    }

    /// The arguments of `add` that name a dependency's package and its requirement.
    fn spec_words(&self, line: &PackageDependency, req: &VersionReq) -> Option<Vec<String>> {
        let at = if *req == VersionReq::STAR {
            String::new()
        } else {
            format!("@{req}")
        };

        Some(match &line.source {
            SourceId::Registry(_) if self.is_default(&line.source) => {
                vec![format!("{}{at}", line.package)]
            }
            // `add` needs a registry's name, and only the URL of its index is known here.
            SourceId::Registry(_) => return None,
            // A branch, tag or commit leaves no version to require.
            SourceId::Git { url, reference } if *reference == GitReference::Versions => {
                git_words(format!("{url}{at}"), reference, line)
            }
            SourceId::Git { url, reference } => git_words(url.to_string(), reference, line),
            SourceId::Path(path) if path.starts_with(['/', '.']) => vec![path.clone()],
            // Without the dot it would be the name of a package.
            SourceId::Path(path) => vec![format!("./{path}")],
            SourceId::Archive(place) => vec![place.clone()],
            SourceId::WellKnown(site) => {
                vec![site.to_spec(), "--skill".into(), line.package.to_string()]
            }
            SourceId::ClawHub(_) => vec![format!("clawhub:{}{at}", line.package)],
        })
    }
}

/// A command of skillpm in the directory of a member, to be pasted into a shell; `None` for that of the project.
#[must_use]
pub fn command_in(member: Option<&MemberRef>, command: &str) -> String {
    let place = member.map_or(String::new(), |member| {
        format!("-C {} ", shell_quoted(member.dir.clone()))
    });
    format!("skillpm {place}{command}")
}

/// The arguments that name a skill of a git repository.
fn git_words(spec: String, reference: &GitReference, line: &PackageDependency) -> Vec<String> {
    let mut words = vec![spec];
    words.extend(reference_flags(reference));

    match &line.subdir {
        Some(subdir) => words.extend(["--path".into(), subdir.to_string()]),
        None => words.extend(["--skill".into(), line.package.to_string()]),
    }
    words
}

fn reference_flags(reference: &GitReference) -> Vec<String> {
    match reference {
        GitReference::Default | GitReference::Versions => Vec::new(),
        GitReference::Branch(name) => vec!["--branch".into(), name.clone()],
        GitReference::Tag(name) => vec!["--tag".into(), name.clone()],
        GitReference::Rev(name) => vec!["--rev".into(), name.clone()],
    }
}

/// A word quoted for a POSIX shell where it needs that.
#[must_use]
pub fn shell_quoted(word: String) -> String {
    // A list of what is safe, and not of what is special: shells differ in the latter. `~` and `*`
    // are quoted.
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "@^=._/:+-".contains(c);
    if word.chars().all(is_plain) {
        word
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}
