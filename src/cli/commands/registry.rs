//! `registry`: creates, checks and renews an index, packs its advisories, and builds its web site; each is a function
//! of `ops::registry` or `ops::site`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use serde_json::json;

use super::plural;
use crate::cli::CliSession;
use crate::error::Result;
use crate::ops::registry::advise::advise;
use crate::ops::registry::check::{ArchiveScope, CheckOptions, check};
use crate::ops::registry::new::{NewOptions, create_index};
use crate::ops::registry::renew::{RenewOptions, renew};
use crate::ops::site::{SiteOptions, site};
use crate::package::SiteUrl;
use crate::report::{DiagnosticLevel, FileFinding};

/// Create, check, renew or publish a registry index
///
/// `new` creates an index: a directory of small files, to be kept in git, with a CI
/// workflow that checks every change to it.
///
/// `check` verifies an index, and exits with 1 on errors: index lines are canonical and
/// in the right file, dependencies exist, archives match their lines and pass the checks
/// of publishing. With `--base` it checks a change, too: versions are only appended, and
/// by authorized publishers.
///
/// `advise` packs the advisories of an index into the file that `skillpm audit` fetches,
/// if all are valid.
///
/// `renew` writes a new expiry date into an index (`expires`, and the next `serial` if it
/// has one), for a nightly job. No version is selected from an expired index, so that an
/// old copy cannot pass for the newest.
///
/// `site` writes a directory of static files for any web server: a page to browse, and
/// the skills below `/.well-known/agent-skills`, where agents and other tools look for
/// them. With `--registry`, includes the registry itself, to be used as
/// `sparse+https://…`. With `--search-only`, has nothing but `search.d/`, the search index
/// of that registry, to be put beside it.
///
/// Without `--registry`, the site has the members of the workspace, or the package, or
/// the installed skills of the project.
///
/// Replaces the whole directory; one with other files is refused.
///
/// Examples:
///
///   skillpm registry new index --git
///   skillpm registry check
///   skillpm registry check index --base origin/main --by github:alice
///   skillpm registry renew --for '7 days'
///   skillpm registry site public --registry acme --base-url https://skills.acme.dev
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
#[expect(clippy::doc_markdown, reason = "the help is read on a terminal")]
pub(in crate::cli) struct RegistryArgs {
    #[command(subcommand)]
    action: RegistryCommand,
}

#[derive(Debug, Subcommand)]
enum RegistryCommand {
    /// Create an empty index
    New {
        /// The directory: new or empty
        dir: PathBuf,
        /// Initialize a git repository in it
        #[arg(long)]
        git: bool,
        /// The location of archives [default: in the index]
        #[arg(long, value_name = "TEMPLATE")]
        dl: Option<String>,
        /// An owner of the index [default: you] (repeatable)
        #[arg(long, value_name = "IDENTITY")]
        owner: Vec<String>,
    },
    /// Check an index, or a change to it
    Check {
        /// Directory of the index [default: this one]
        dir: Option<PathBuf>,
        /// Check the changes between this revision and HEAD
        #[arg(long, value_name = "REV")]
        base: Option<String>,
        /// Who makes the change (repeatable)
        #[arg(long, value_name = "IDENTITY", requires = "base")]
        by: Vec<String>,
        /// Which archives to read
        #[arg(long, value_name = "WHICH")]
        archives: Option<ArchiveChoice>,
    },
    /// Pack advisories into the file that clients fetch
    Advise {
        /// Directory of the index, or of advisories alone [default: this one]
        dir: Option<PathBuf>,
    },
    /// Extend the expiry date of an index
    Renew {
        /// Directory of the index [default: this one]
        dir: Option<PathBuf>,
        /// How long it is valid from now on
        #[arg(long = "for", value_name = "AGE", default_value = "7 days")]
        lasts: String,
    },
    /// Write a static site of skills
    Site {
        /// The directory: new, empty, or an earlier site
        out: PathBuf,
        /// Read skills from this registry
        #[arg(long, value_name = "REGISTRY")]
        registry: Option<String>,
        /// Name of the site [default: that of the registry]
        #[arg(long, value_name = "TEXT", conflicts_with = "search_only")]
        title: Option<String>,
        /// Where it will be served
        #[arg(long, value_name = "URL")]
        base_url: Option<String>,
        /// Write only the registry's search index
        #[arg(long, requires = "registry")]
        search_only: bool,
    },
    // The same as at the top, where cargo has them and their pages are.
    #[command(hide = true)]
    Yank(super::yank::YankArgs),
    #[command(hide = true)]
    Owner(super::owner::OwnerArgs),
    #[command(hide = true)]
    Login(super::login::LoginArgs),
    #[command(hide = true)]
    Logout(super::logout::LogoutArgs),
}

/// Which archives are read.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum ArchiveChoice {
    /// Every one.
    All,
    /// Those that the change adds.
    Changed,
}

impl RegistryArgs {
    pub(in crate::cli) fn run(&self, session: &CliSession<'_>) -> Result<u8> {
        match &self.action {
            RegistryCommand::Yank(arguments) => arguments.run(session),
            RegistryCommand::Owner(arguments) => arguments.run(session),
            RegistryCommand::Login(arguments) => arguments.run(session),
            RegistryCommand::Logout(arguments) => arguments.run(session),
            RegistryCommand::New {
                dir,
                git,
                dl,
                owner,
            } => {
                let (dir, dl, owners) = (dir.clone(), dl.clone(), owner.clone());
                run_new(
                    session,
                    &NewOptions {
                        dir,
                        git: *git,
                        dl,
                        owners,
                    },
                )
            }
            RegistryCommand::Check {
                dir,
                base,
                by,
                archives,
            } => {
                // `None` leaves the choice to the check: it depends on `--base`.
                let archives = archives.map(|which| match which {
                    ArchiveChoice::All => ArchiveScope::All,
                    // In a review of a change, the archives that were there are checked already.
                    ArchiveChoice::Changed => ArchiveScope::Changed,
                });
                check_index(
                    session,
                    &CheckOptions {
                        dir: dir.clone(),
                        base: base.clone(),
                        by: by.clone(),
                        archives,
                    },
                )
            }
            RegistryCommand::Advise { dir } => pack_advisories(session, dir.as_ref()),
            RegistryCommand::Renew { dir, lasts } => renew_index(
                session,
                &RenewOptions {
                    dir: dir.clone(),
                    lasts: lasts.clone(),
                },
            ),
            RegistryCommand::Site {
                out,
                registry,
                title,
                base_url,
                search_only,
            } => {
                // Parsed first, so that a wrong URL fails before anything is read.
                let base = base_url.as_deref().map(str::parse::<SiteUrl>).transpose()?;
                let options = SiteOptions {
                    out: out.clone(),
                    registry: registry.clone(),
                    title: title.clone(),
                    base,
                    search_only: *search_only,
                };
                write_site(session, &options)
            }
        }
    }
}

fn run_new(session: &CliSession<'_>, options: &NewOptions) -> Result<u8> {
    let created = create_index(&session.context, options)?;

    if session.wants_json()? {
        session.shell.print_object(&json!({
            "type": "registry",
            "path": created.dir,
            "files": created.files,
            "owners": created.owners,
            "commit": created.commit,
        }));
        return Ok(0);
    }

    // As it was typed: the next lines have the full path.
    let kept = format!(
        "{}, owned by {}",
        options.dir.display(),
        created.owners.join(", ")
    );
    session.shell.status("Created", &kept);

    let place = created.dir.display();
    // Without git, a registry is a directory that any web server can serve.
    let (form, next) = match created.commit {
        Some(_) => (
            "git+file://",
            "push it to a server, and share its `git+https://` or `git+ssh://` URL",
        ),
        None => ("file://", "put it under git or on a web server to share it"),
    };

    session.shell.status(
        "Next:",
        &format!("skillpm config set registries.NAME.index {form}{place}"),
    );
    // The second command of the same step, so that it has no verb of its own.
    session.shell.status("", "skillpm publish --registry NAME");
    session.shell.status("Then:", next);
    Ok(0)
}

fn check_index(session: &CliSession<'_>, options: &CheckOptions) -> Result<u8> {
    let checked = check(&session.context, options)?;
    let as_json = session.wants_json()?;
    // Before the totals: a long list would push them off the screen.
    print_findings(session, &checked.findings, as_json);

    let errors = checked
        .findings
        .iter()
        .filter(|finding| finding.is_error())
        .count();
    if as_json {
        session.shell.print_object(&json!({
            "type": "summary",
            "packages": checked.packages,
            "versions": checked.versions,
            "archives": checked.archives,
            // Archives at other hosts are not fetched: the check needs no network.
            "archives_elsewhere": checked.elsewhere,
            "errors": errors,
            "warnings": checked.findings.len() - errors,
        }));
    } else {
        let checked_counts = format!(
            "{}, {}, {}",
            plural(checked.packages, "package"),
            plural(checked.versions, "version"),
            plural(checked.archives, "archive")
        );

        let elsewhere = if checked.elsewhere == 0 {
            String::new()
        } else {
            format!(
                "; {} elsewhere, not read",
                plural(checked.elsewhere, "archive")
            )
        };

        match errors {
            0 => session
                .shell
                .status("Checked", &format!("{checked_counts}{elsewhere}")),
            _ => session.shell.warn(
                &format!("{} in {checked_counts}{elsewhere}", plural(errors, "error")),
                None,
            ),
        }
    }

    Ok(u8::from(errors > 0))
}

/// Prints the problems in the files of an index.
fn print_findings(session: &CliSession<'_>, findings: &[FileFinding], as_json: bool) {
    for FileFinding { path, diagnostic } in findings {
        if as_json {
            session
                .shell
                .print_object(&crate::cli::render::json::diagnostic_json(path, diagnostic));
        } else {
            // An index has no notes: what is not an error is a warning.
            let level = if diagnostic.level == DiagnosticLevel::Error {
                "error"
            } else {
                "warning"
            };

            let place = diagnostic.location(path);
            session.shell.print_line(&format!(
                "{place}: {level}: {} ({})",
                diagnostic.message, diagnostic.rule
            ));

            diagnostic
                .help
                .iter()
                .for_each(|help| session.shell.print_line(&format!("  help: {help}")));
        }
    }
}

fn pack_advisories(session: &CliSession<'_>, dir: Option<&PathBuf>) -> Result<u8> {
    let advised = advise(&session.context, dir)?;
    let as_json = session.wants_json()?;
    print_findings(session, &advised.findings, as_json);

    let errors = advised
        .findings
        .iter()
        .filter(|finding| finding.is_error())
        .count();

    // The plural is irregular.
    let count = if advised.advisories == 1 {
        "1 advisory".to_owned()
    } else {
        format!("{} advisories", advised.advisories)
    };

    if as_json {
        session.shell.print_object(&json!({
            "type": "advised",
            "path": advised.dir,
            "advisories": advised.advisories,
            "written": advised.written,
            "errors": errors,
            "warnings": advised.findings.len() - errors,
        }));
    } else if errors > 0 {
        // A file with some of the advisories would silently drop the others for every reader.
        session.shell.warn(
            &format!(
                "{} in {count}; nothing was written",
                plural(errors, "error")
            ),
            None,
        );
    } else if advised.written.is_empty() {
        session.shell.status("Unchanged", &count);
    } else {
        session
            .shell
            .status("Wrote", &format!("{}: {count}", advised.written.join(", ")));
    }

    Ok(u8::from(errors > 0))
}

fn renew_index(session: &CliSession<'_>, options: &RenewOptions) -> Result<u8> {
    let renewed = renew(&session.context, options)?;

    if session.wants_json()? {
        session.shell.print_object(&json!({
            "type": "renewed",
            "path": renewed.dir,
            "expires": renewed.expires.to_string(),
            "serial": renewed.serial,
        }));
        return Ok(0);
    }

    // `serial` is raised only in an index that has one.
    let number = renewed
        .serial
        .map(|serial| format!(", serial {serial}"))
        .unwrap_or_default();
    session.shell.status(
        "Renewed",
        &format!("config.json: expires {}{number}", renewed.expires),
    );
    Ok(0)
}

fn write_site(session: &CliSession<'_>, options: &SiteOptions) -> Result<u8> {
    let as_json = session.wants_json()?;
    let made = site(&session.context, options)?;

    if as_json {
        session.shell.print_object(&json!({
            "type": "site",
            "out": made.out,
            "skills": made.skills,
            "packages": made.packages,
            "versions": made.versions,
            "files": made.files,
            "bytes": made.bytes,
        }));
        return Ok(0);
    }

    let versions = match made.versions {
        0 => String::new(),
        count => format!(
            ", {} of {}",
            plural(count, "version"),
            plural(made.packages, "package")
        ),
    };

    let skills = match made.skills {
        // Of other formats alone: none is below `/.well-known/`.
        0 => format!("{} on its page", plural(made.shown, "skill")),
        count => plural(count, "skill"),
    };
    let files = plural(made.files, "file");
    if options.search_only {
        let packages = plural(made.packages, "package");
        let out = made.out.display();
        session.shell.status(
            "Wrote",
            &format!("the search index of {packages} to {out} ({files})"),
        );
        return Ok(0);
    }

    session.shell.status(
        "Wrote",
        &format!("{skills}{versions} to {} ({files})", made.out.display()),
    );
    Ok(0)
}
