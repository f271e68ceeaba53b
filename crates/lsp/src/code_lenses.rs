//! Code lenses above dependencies that have a newer version, and the command that takes it.

use std::io::Write;

use lsp_server::ErrorCode;
use lsp_types::{CodeLens, CodeLensParams, Command, ExecuteCommandParams, Uri};
use semver::Version;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use skillpm_core::manifest::inspect::{SpannedDependency, inspect_manifest};
use skillpm_ops::dependency_versions::{DependencyVersions, VersionLookup, raise_requirement};

use crate::documents::{DocumentKind, OpenDocument};
use crate::edits::{FileChange, line_edits, workspace_edit};
use crate::server::{LanguageServer, RequestAnswer, response_error};
use crate::worker::find_versions;

/// The command that raises the requirement of a dependency.
pub(crate) const UPDATE_COMMAND: &str = "skillpm.update";

/// The argument of [`UPDATE_COMMAND`].
#[derive(Debug, Clone, Serialize, Deserialize)]
struct UpdateArgument {
    /// The manifest.
    uri: Uri,
    /// The name that the dependency is installed under.
    name: String,
    /// The package.
    package: String,
    /// The version to allow.
    version: Version,
}

impl<W: Write> LanguageServer<'_, W> {
    /// The lenses of a manifest: one for each dependency with a newer version.
    pub(crate) fn code_lenses(&mut self, params: &CodeLensParams) -> Option<Vec<CodeLens>> {
        let document = self.documents.find(&params.text_document.uri)?;
        if document.kind != DocumentKind::Manifest {
            return None;
        }
        let versions = self.known_versions(document)?;
        let outline = inspect_manifest(&document.text);
        let lenses = outline.dependencies.iter().filter_map(|dependency| {
            let known = find_known(&versions, &dependency.key.text)?;
            let newer = known.newer.as_ref()?;
            Some(CodeLens {
                range: document.range(&dependency.key.span),
                command: Some(Command {
                    title: format!("newer: {newer}"),
                    ..update_command(document, dependency, known)
                }),
                data: None,
            })
        });
        Some(lenses.collect())
    }

    /// What the sources answered, else what the caches have.
    pub(crate) fn known_versions(
        &self,
        document: &OpenDocument,
    ) -> Option<Vec<DependencyVersions>> {
        let found = self.versions.get(&document.path);
        let answered = found.and_then(|found| found.versions.as_ref().ok().cloned());
        answered.or_else(|| find_versions(self.checker, document, VersionLookup::Cached).ok())
    }

    /// Runs a command of a client.
    pub(crate) fn execute_command(&mut self, params: &ExecuteCommandParams) -> RequestAnswer {
        if params.command != UPDATE_COMMAND {
            let reason = format!("unknown command `{}`", params.command);
            return Err(response_error(ErrorCode::InvalidParams, &reason));
        }
        let invalid = |reason: &str| {
            let reason = format!("invalid argument of `{UPDATE_COMMAND}`: {reason}");
            response_error(ErrorCode::InvalidParams, &reason)
        };
        let argument = params.arguments.first().cloned().unwrap_or_default();
        let argument: UpdateArgument =
            serde_json::from_value(argument).map_err(|error| invalid(&error.to_string()))?;
        let document = self.documents.find(&argument.uri);
        let document = document.filter(|document| document.kind == DocumentKind::Manifest);
        let document = document.ok_or_else(|| invalid("the manifest is not open"))?;

        let UpdateArgument {
            name,
            package,
            version,
            ..
        } = &argument;
        let text = raise_requirement(&document.text, name, package, version)
            .map_err(|error| response_error(ErrorCode::RequestFailed, &error.in_one_line()))?;
        let edits = line_edits(document, &text);
        let change = FileChange::Edit(document.uri.clone(), Some(document.version), edits);
        let edit = workspace_edit(self.session.features, vec![change]);

        // The client makes the edit, so that it can be undone there and is not saved by others.
        if !self.session.features.apply_edit {
            return Ok(json!(edit));
        }
        let label = format!("Update {name} to {version}");
        self.request("workspace/applyEdit", json!({"label": label, "edit": edit}))
            .map_err(|error| response_error(ErrorCode::InternalError, error.message()))?;
        Ok(Value::Null)
    }
}

/// The command of a lens, without a title; it does nothing for a dependency without a version requirement.
fn update_command(
    document: &OpenDocument,
    dependency: &SpannedDependency,
    known: &DependencyVersions,
) -> Command {
    let argument = |version: &Version| UpdateArgument {
        uri: document.uri.clone(),
        name: known.name.to_string(),
        package: known.package.to_string(),
        version: version.clone(),
    };
    let version = known
        .newer_version()
        .filter(|_| dependency.version.is_some());
    Command {
        title: String::new(),
        command: version.map_or("", |_| UPDATE_COMMAND).to_owned(),
        arguments: version.map(|version| vec![json!(argument(version))]),
    }
}

/// The dependency with a key, which is a skill's name or `scope/name`.
pub(crate) fn find_known<'v>(
    versions: &'v [DependencyVersions],
    key: &str,
) -> Option<&'v DependencyVersions> {
    let name = key.rsplit('/').next().unwrap_or(key);
    versions.iter().find(|known| known.name.as_str() == name)
}
