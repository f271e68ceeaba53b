//! `sbom`: what a project consists of, for those who have to know.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::Context;
use super::fetch::{Stock, fetch};
use super::patch_files::PatchFiles;
use super::policy::licence;
use crate::error::{Error, Result};
use crate::lockfile::Locked;
use crate::package::{SkillName, Tree};
use crate::sbom::{Bill, Facts, Form};
use crate::skill::formats;
use crate::sources::Sources;
use crate::store::Store;
use crate::workspace::Sort;

/// Makes a bill of materials of what is locked. Files of packages that are not in the store are brought into it.
///
/// # Errors
/// If there is no lockfile, it does not fit the manifest's form, or a package cannot be had.
pub fn sbom(context: &Context<'_>, sort: Sort, form: Form) -> Result<String> {
    let workspace = context.workspace(sort)?;
    let registries = |name: Option<&str>| context.config.registry(name);
    let lines = workspace.lines(&registries)?;
    let lockfile = workspace.required_lockfile()?;
    let tools = context.tools()?;
    let sources = Sources::new(&tools, &workspace.root, &registries, context.reporter);
    let store = Store::open(&context.places.skillpm, context.patience(), context.reporter)?;
    let patch_files = PatchFiles::read(&workspace.root, &lines.manifest.edits)?;
    let stock = Stock { store: &store, sources: &sources, patch_files: &patch_files, reporter: context.reporter };
    let packages: Vec<&Locked> = lockfile.packages().iter().collect();
    let trees = fetch(&packages, &mut BTreeMap::new(), stock)?;
    let facts: BTreeMap<SkillName, Facts> =
        trees.iter().map(|(name, tree)| (name.clone(), facts(tree, name))).collect();
    let mut roots: Vec<SkillName> = lines.roots.iter().map(|root| root.dependency.alias.clone()).collect();
    roots.sort();
    roots.dedup();
    let package = lines.manifest.package.as_ref();
    let directory = workspace.root.file_name().map(|name| name.to_string_lossy().into_owned());
    let name = package.map(|package| package.name.to_string()).or(directory).unwrap_or_else(|| "project".into());
    let version = package.and_then(|package| package.version.as_ref()).map(ToString::to_string);
    let bill = Bill {
        name: &name,
        version: version.as_deref(),
        lockfile: &lockfile,
        roots: &roots,
        facts: &facts,
        time: time(context)?,
    };
    Ok(bill.to_text(form))
}

fn facts(tree: &Tree, name: &SkillName) -> Facts {
    let skill = formats::of_tree(tree, name.as_str()).and_then(|read| read.about("SKILL.md").skill);
    Facts { licence: licence(tree, name.as_str()), description: skill.map(|skill| skill.description) }
}

/// The time that `SOURCE_DATE_EPOCH` says, as for every build that is to be the same again.
fn time(context: &Context<'_>) -> Result<Option<Timestamp>> {
    let Some(text) = (context.variable)("SOURCE_DATE_EPOCH").filter(|text| !text.is_empty()) else { return Ok(None) };
    let seconds = text.parse::<i64>().ok().and_then(|seconds| Timestamp::from_second(seconds).ok());
    seconds.map(Some).ok_or_else(|| {
        Error::usage(format!("`SOURCE_DATE_EPOCH` is `{}`, which is no count of seconds", text.escape_debug()))
            .help("set it to seconds since 1970, such as `git log -1 --format=%ct` prints, or unset it")
    })
}
