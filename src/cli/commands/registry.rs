use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, ValueEnum};
use serde_json::json;

use super::plural;
use crate::cli::Session;
use crate::error::Result;
use crate::ops::registry::advise::advise;
use crate::ops::registry::check::{Archives, CheckOptions, check};
use crate::ops::registry::new::{NewOptions, new};
use crate::ops::registry::renew::{RenewOptions, renew};
use crate::ops::site::{SiteOptions, site};
use crate::package::SiteUrl;
use crate::report::{Finding, Level};

/// Keep a registry: make one, check it, renew it, show it
///
/// `new` makes an index: a directory of small files, to be kept in git, with a workflow
/// that checks every change to it.
///
/// `check` holds an index to what it promises, and exits with 1 if it does not: lines
/// that are canonical and at their place, needs that are answered, archives that are
/// those of their lines and fit to be published. With `--base` it judges a change, too:
/// versions are only appended, and by whoever may publish them.
///
/// `advise` puts the advisories of an index into the one file that `skillpm audit` asks
/// for, if each is one.
///
/// `renew` writes into an index until when it is to be believed (`expires`, and the next
/// `serial` if it has one), for a job that runs every night. Past that time nobody
/// chooses a version from it: so an old copy cannot pass for the newest for ever.
///
/// `site` writes a directory of static files that any web server can serve: a page
/// to look through, and the skills below `/.well-known/agent-skills`, where agents
/// and other tools look for them. With `--registry` the registry itself is in it
/// too, to be read as `sparse+https://…`.
///
/// Without `--registry` it offers what is here: the members of the workspace, or
/// the package, or the skills that the project has installed.
///
/// The directory is replaced as a whole; one with anything else in it is refused.
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
pub(in crate::cli) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Make an index with nothing in it
    New {
        /// The directory: new or empty
        dir: PathBuf,
        /// Make a git repository of it
        #[arg(long)]
        git: bool,
        /// Where archives are [default: in the index]
        #[arg(long, value_name = "TEMPLATE")]
        dl: Option<String>,
        /// Who keeps it [default: you] (repeatable)
        #[arg(long, value_name = "IDENTITY")]
        owner: Vec<String>,
    },
    /// Hold an index, or a change of it, to its rules
    Check {
        /// Directory of the index [default: this one]
        dir: Option<PathBuf>,
        /// Judge what HEAD changes from this revision
        #[arg(long, value_name = "REV")]
        base: Option<String>,
        /// Who makes the change (repeatable)
        #[arg(long, value_name = "IDENTITY", requires = "base")]
        by: Vec<String>,
        /// Which archives to read
        #[arg(long, value_name = "WHICH")]
        archives: Option<Which>,
    },
    /// Put advisories together for readers
    Advise {
        /// Directory of the index, or of advisories alone [default: this one]
        dir: Option<PathBuf>,
    },
    /// Say until when an index is to be believed
    Renew {
        /// Directory of the index [default: this one]
        dir: Option<PathBuf>,
        /// How long from now on
        #[arg(long = "for", value_name = "AGE", default_value = "7 days")]
        lasts: String,
    },
    /// Write a static site of skills
    Site {
        /// The directory: new, empty, or an earlier site
        out: PathBuf,
        /// Make it from this registry
        #[arg(long, value_name = "REGISTRY")]
        registry: Option<String>,
        /// Where it will be served
        #[arg(long, value_name = "URL")]
        base_url: Option<String>,
    },
}

/// Which archives are read.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Which {
    /// Every one.
    All,
    /// Those that the change adds.
    Changed,
}

impl Arguments {
    pub(in crate::cli) fn run(&self, session: &Session<'_>) -> Result<u8> {
        match &self.action {
            Action::New { dir, git, dl, owner } => {
                let (dir, dl, owners) = (dir.clone(), dl.clone(), owner.clone());
                make(session, &NewOptions { dir, git: *git, dl, owners })
            }
            Action::Check { dir, base, by, archives } => {
                let archives = archives.map(|which| match which {
                    Which::All => Archives::All,
                    Which::Changed => Archives::Changed,
                });
                judge(session, &CheckOptions { dir: dir.clone(), base: base.clone(), by: by.clone(), archives })
            }
            Action::Advise { dir } => put_together(session, dir.as_ref()),
            Action::Renew { dir, lasts } => prolong(session, &RenewOptions { dir: dir.clone(), lasts: lasts.clone() }),
            Action::Site { out, registry, base_url } => {
                write_site(session, out, registry.as_deref(), base_url.as_deref())
            }
        }
    }
}

fn make(session: &Session<'_>, options: &NewOptions) -> Result<u8> {
    let made = new(&session.context, options)?;
    if session.json()? {
        session.shell.object(&json!({
            "type": "registry",
            "path": made.dir,
            "files": made.files,
            "owners": made.owners,
            "commit": made.commit,
        }));
        return Ok(0);
    }
    let kept = format!("{}, kept by {}", options.dir.display(), made.owners.join(", "));
    session.shell.status("Created", &kept);
    let place = made.dir.display();
    let (form, next) = match made.commit {
        Some(_) => {
            ("git+file://", "push it where others can read it, and give them its `git+https://` or `git+ssh://` URL")
        }
        None => ("file://", "put it under git, or on a web server, for others to read it"),
    };
    session.shell.status("Next", &format!("skillpm config set registries.NAME.index {form}{place}"));
    session.shell.status("", "skillpm publish --registry NAME");
    session.shell.status("Then", next);
    Ok(0)
}

fn judge(session: &Session<'_>, options: &CheckOptions) -> Result<u8> {
    let checked = check(&session.context, options)?;
    let as_json = session.json()?;
    tell(session, &checked.findings, as_json);
    let errors = checked.findings.iter().filter(|finding| finding.denies()).count();
    if as_json {
        session.shell.object(&json!({
            "type": "summary",
            "packages": checked.packages,
            "versions": checked.versions,
            "archives": checked.archives,
            "archives-elsewhere": checked.elsewhere,
            "errors": errors,
            "warnings": checked.findings.len() - errors,
        }));
    } else {
        let looked = format!(
            "{}, {}, {}",
            plural(checked.packages, "package"),
            plural(checked.versions, "version"),
            plural(checked.archives, "archive")
        );
        let elsewhere = if checked.elsewhere == 0 {
            String::new()
        } else {
            format!("; {} elsewhere, not read", plural(checked.elsewhere, "archive"))
        };
        match errors {
            0 => session.shell.status("Checked", &format!("{looked}{elsewhere}")),
            _ => session.shell.warn(&format!("{} in {looked}{elsewhere}", plural(errors, "error")), None),
        }
    }
    Ok(u8::from(errors > 0))
}

/// Tells what is wrong with the files of an index.
fn tell(session: &Session<'_>, findings: &[Finding], as_json: bool) {
    for Finding { path, diagnostic } in findings {
        if as_json {
            session.shell.object(&crate::cli::render::json::found(path, diagnostic));
        } else {
            let level = if diagnostic.level == Level::Error { "error" } else { "warning" };
            let place = diagnostic.place(path);
            session.shell.line(&format!("{place}: {level}: {} ({})", diagnostic.message, diagnostic.rule));
            diagnostic.help.iter().for_each(|help| session.shell.line(&format!("  help: {help}")));
        }
    }
}

fn put_together(session: &Session<'_>, dir: Option<&PathBuf>) -> Result<u8> {
    let advised = advise(&session.context, dir)?;
    let as_json = session.json()?;
    tell(session, &advised.findings, as_json);
    let errors = advised.findings.iter().filter(|finding| finding.denies()).count();
    let count =
        if advised.advisories == 1 { "1 advisory".to_owned() } else { format!("{} advisories", advised.advisories) };
    if as_json {
        session.shell.object(&json!({
            "type": "advised",
            "path": advised.dir,
            "advisories": advised.advisories,
            "written": advised.written,
            "errors": errors,
            "warnings": advised.findings.len() - errors,
        }));
    } else if errors > 0 {
        session.shell.warn(&format!("{} in {count}: nothing was written", plural(errors, "error")), None);
    } else if advised.written.is_empty() {
        session.shell.status("Unchanged", &count);
    } else {
        session.shell.status("Wrote", &format!("{}: {count}", advised.written.join(", ")));
    }
    Ok(u8::from(errors > 0))
}

fn prolong(session: &Session<'_>, options: &RenewOptions) -> Result<u8> {
    let renewed = renew(&session.context, options)?;
    if session.json()? {
        session.shell.object(&json!({
            "type": "renewed",
            "path": renewed.dir,
            "expires": renewed.expires.to_string(),
            "serial": renewed.serial,
        }));
        return Ok(0);
    }
    let number = renewed.serial.map(|serial| format!(", serial {serial}")).unwrap_or_default();
    session.shell.status("Renewed", &format!("config.json: good until {}{number}", renewed.expires));
    Ok(0)
}

fn write_site(session: &Session<'_>, out: &Path, registry: Option<&str>, base_url: Option<&str>) -> Result<u8> {
    let as_json = session.json()?;
    let base = base_url.map(str::parse::<SiteUrl>).transpose()?;
    let made =
        site(&session.context, &SiteOptions { out: out.to_owned(), registry: registry.map(str::to_owned), base })?;
    if as_json {
        session.shell.object(&json!({
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
        count => format!(", {} of {}", plural(count, "version"), plural(made.packages, "package")),
    };
    let (skills, files) = (plural(made.skills, "skill"), plural(made.files, "file"));
    session.shell.status("Wrote", &format!("{skills}{versions} to {} ({files})", made.out.display()));
    Ok(0)
}
