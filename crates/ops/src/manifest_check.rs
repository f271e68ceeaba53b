//! Checks a manifest as an editor has it: every fault that some command would fail on, with its span.
//!
//! ```text
//! text ─ inspect_manifest ─ syntax, keys, values
//!   └──── parsers of the tables, members, settings, agents ─ what needs more than the text
//! ```

use std::collections::BTreeSet;
use std::path::Path;

use super::{CommandContext, agents};
use skillpm_core::error::{Error, Result};
use skillpm_core::manifest::inspect::{
    ManifestFault, ManifestFaultKind, ManifestOutline, SpannedText, fault_from_error,
    inspect_manifest,
};
use skillpm_core::manifest::{self, Manifest, audit, lint};
use skillpm_lint::{LintFlags, LintSettings, SettingsWarning};
use skillpm_registry::workspace::Workspace;

/// A fault, and what the commands make of it.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedFault {
    /// The fault.
    pub fault: ManifestFault,
    /// Whether commands fail on it; otherwise they warn.
    pub is_error: bool,
}

/// The faults of a manifest with this text in a directory, in the order of the file.
///
/// Most parsers stop at their first fault, so that more may come up once these are fixed. A network is not used.
#[must_use]
pub fn check_manifest(context: &CommandContext<'_>, dir: &Path, text: &str) -> Vec<CheckedFault> {
    let outline = inspect_manifest(text);
    let is_broken = |fault: &ManifestFault| fault.kind == ManifestFaultKind::Syntax;
    let mut faults: Vec<CheckedFault> = outline.faults.iter().cloned().map(as_error).collect();
    // What the tables mean is unclear while the syntax is broken.
    if outline.faults.iter().any(is_broken) {
        return faults;
    }

    let mut warnings = Vec::new();
    let checks = [
        parse_whole(context, dir, text),
        check_lint_table(context, text, &mut warnings),
        check_audit_table(text),
        check_patches(context, text),
    ];
    let failed = checks.into_iter().filter_map(Result::err);
    faults.extend(failed.map(|error| as_error(fault_from_error(text, manifest::FILE, &error))));
    faults.extend(unknown_targets(context, &outline).into_iter().map(as_error));
    faults.extend(warnings.into_iter().map(|warning| CheckedFault {
        fault: fault_from_error(text, manifest::FILE, &settings_warning(warning)),
        is_error: false,
    }));

    // Two parsers may report the same thing.
    let start = |checked: &CheckedFault| checked.fault.span.as_ref().map(|span| span.start);
    let mut seen = BTreeSet::new();
    faults.retain(|checked| seen.insert((start(checked), checked.fault.help.clone())));
    faults.sort_by_key(start);
    faults
}

fn as_error(fault: ManifestFault) -> CheckedFault {
    CheckedFault {
        fault,
        is_error: true,
    }
}

/// Parses the manifest with the settings of its registries and what it inherits.
fn parse_whole(context: &CommandContext<'_>, dir: &Path, text: &str) -> Result<()> {
    let registries = |name: Option<&str>| context.config.registry(name);
    // A broken manifest of the workspace is reported in that file.
    let shared = Workspace::inherited_by(dir, &registries).unwrap_or_default();
    match Manifest::parse_member(text, manifest::FILE, &registries, shared.as_ref()) {
        // `inspect_manifest` has reported it with its span.
        Err(error) if error.in_one_line().contains("unknown key") => Ok(()),
        parsed => parsed.map(|_| ()),
    }
}

/// Checks `[lint]`, and adds its warnings, such as those about unknown rules.
fn check_lint_table(
    context: &CommandContext<'_>,
    text: &str,
    warnings: &mut Vec<SettingsWarning>,
) -> Result<()> {
    let Some(table) = lint::parse_lint_table(text, manifest::FILE)? else {
        return Ok(());
    };
    warnings.extend(LintSettings::new(Some(&table), &LintFlags::default())?.1);
    for target in table.targets.iter().flatten() {
        agents::required_agent(context, &target.text)
            .map_err(|error| error.wrap(format!("unknown target at {}", target.location)))?;
    }
    Ok(())
}

fn check_audit_table(text: &str) -> Result<()> {
    audit::parse_audit_table(text, manifest::FILE).map(|_| ())
}

fn check_patches(context: &CommandContext<'_>, text: &str) -> Result<()> {
    let registries = |name: Option<&str>| context.config.registry(name);
    manifest::parse_patches(text, manifest::FILE, &registries).map(|_| ())
}

/// A warning about `[lint]` in the form that has a place in the text.
fn settings_warning(warning: SettingsWarning) -> Error {
    let error = Error::usage(warning.message);
    match warning.help {
        Some(help) => error.help(help),
        None => error,
    }
}

/// Agents in `install.targets` that are not known.
fn unknown_targets(context: &CommandContext<'_>, outline: &ManifestOutline) -> Vec<ManifestFault> {
    let check = |target: &SpannedText| {
        let error = agents::required_agent(context, &target.text).err()?;
        Some(ManifestFault {
            message: error.in_one_line(),
            span: Some(target.span.clone()),
            kind: ManifestFaultKind::Syntax,
            help: error.helps().first().cloned(),
        })
    };
    outline.targets.iter().filter_map(check).collect()
}
