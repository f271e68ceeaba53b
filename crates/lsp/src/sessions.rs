//! What was agreed with the client: its capabilities, folders and settings, and what the server offers.

use std::path::PathBuf;

use lsp_types::{
    CodeActionKind, CodeActionOptions, CodeActionProviderCapability, CodeLensOptions,
    CompletionOptions, DocumentLinkOptions, ExecuteCommandOptions, HoverProviderCapability,
    InitializeParams, OneOf, ResourceOperationKind, SaveOptions, ServerCapabilities,
    TextDocumentSyncCapability, TextDocumentSyncKind, TextDocumentSyncOptions,
    TextDocumentSyncSaveOptions, Uri, WorkDoneProgressOptions, WorkspaceFolder,
    WorkspaceFoldersServerCapabilities, WorkspaceServerCapabilities,
};
use serde::Deserialize;
use serde_json::Value;

use crate::code_actions::FIX_ALL;
use crate::code_lenses::UPDATE_COMMAND;
use crate::text_positions::ColumnEncoding;

/// The settings of a client: `initializationOptions`, or `skillpm` in its configuration.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ClientSettings {
    /// Whether notes are reported.
    pub(crate) notes: bool,
    /// Whether code lenses may ask the sources of dependencies for versions.
    pub(crate) network: bool,
}

/// The settings that a client sends.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct SentSettings {
    notes: Option<bool>,
    network: Option<bool>,
}

impl ClientSettings {
    /// Changes to the settings in a value, which may have them under `skillpm`.
    ///
    /// Those that it lacks stay, and all if it is invalid: Emacs sends an empty configuration after the initialization
    /// options, and Visual Studio Code sends `null`.
    pub(crate) fn update(&mut self, value: Value) {
        let own = value.get("skillpm").cloned().unwrap_or(value);
        let sent: SentSettings = serde_json::from_value(own).unwrap_or_default();
        self.notes = sent.notes.unwrap_or(self.notes);
        self.network = sent.network.unwrap_or(self.network);
    }
}

/// What the client can do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a capability of its own in the protocol"
)]
pub(crate) struct ClientFeatures {
    /// Edits of versioned documents, and of several kinds in one.
    pub(crate) document_changes: bool,
    /// Edits that rename a file.
    pub(crate) rename_file: bool,
    /// Edits that create a file.
    pub(crate) create_file: bool,
    /// Code actions that say why they cannot be used.
    pub(crate) disabled_actions: bool,
    /// Requests to apply an edit.
    pub(crate) apply_edit: bool,
    /// Requests to ask for code lenses again.
    pub(crate) refresh_lenses: bool,
    /// Requests to watch files.
    pub(crate) watch_files: bool,
    /// Tooltips of links.
    pub(crate) link_tooltips: bool,
}

/// An initialized client.
#[derive(Debug, Clone, Default)]
pub(crate) struct ClientSession {
    pub(crate) features: ClientFeatures,
    pub(crate) settings: ClientSettings,
    pub(crate) encoding: ColumnEncoding,
    /// The directories that are open in it.
    pub(crate) folders: Vec<PathBuf>,
}

impl ClientSession {
    pub(crate) fn new(params: &InitializeParams) -> ClientSession {
        let general = params.capabilities.general.as_ref();
        let offered = general.and_then(|general| general.position_encodings.as_deref());
        let mut settings = ClientSettings::default();
        settings.update(params.initialization_options.clone().unwrap_or_default());
        ClientSession {
            features: read_features(params),
            settings,
            encoding: ColumnEncoding::negotiate(offered),
            folders: read_folders(params),
        }
    }

    /// Adds and removes folders.
    pub(crate) fn change_folders(
        &mut self,
        added: &[WorkspaceFolder],
        removed: &[WorkspaceFolder],
    ) {
        let paths = |folders: &[WorkspaceFolder]| -> Vec<PathBuf> {
            folders
                .iter()
                .filter_map(|folder| crate::uris::to_path(&folder.uri))
                .collect()
        };
        let removed = paths(removed);
        self.folders.retain(|folder| !removed.contains(folder));
        self.folders.extend(paths(added));
    }
}

fn read_features(params: &InitializeParams) -> ClientFeatures {
    let capabilities = &params.capabilities;
    let workspace = capabilities.workspace.as_ref();
    let edit = workspace.and_then(|workspace| workspace.workspace_edit.as_ref());
    let operations = edit
        .and_then(|edit| edit.resource_operations.as_deref())
        .unwrap_or_default();
    let text = capabilities.text_document.as_ref();

    ClientFeatures {
        document_changes: edit.and_then(|edit| edit.document_changes) == Some(true),
        rename_file: operations.contains(&ResourceOperationKind::Rename),
        create_file: operations.contains(&ResourceOperationKind::Create),
        disabled_actions: text
            .and_then(|text| text.code_action.as_ref()?.disabled_support)
            .unwrap_or(false),
        apply_edit: workspace.and_then(|workspace| workspace.apply_edit) == Some(true),
        refresh_lenses: workspace
            .and_then(|workspace| workspace.code_lens.as_ref()?.refresh_support)
            .unwrap_or(false),
        watch_files: workspace
            .and_then(|workspace| {
                workspace
                    .did_change_watched_files
                    .as_ref()?
                    .dynamic_registration
            })
            .unwrap_or(false),
        link_tooltips: text
            .and_then(|text| text.document_link.as_ref()?.tooltip_support)
            .unwrap_or(false),
    }
}

#[expect(deprecated, reason = "older clients have a root and no folders")]
fn read_folders(params: &InitializeParams) -> Vec<PathBuf> {
    let folders = params.workspace_folders.as_deref().unwrap_or_default();
    let mut uris: Vec<&Uri> = folders.iter().map(|folder| &folder.uri).collect();
    if uris.is_empty() {
        uris.extend(&params.root_uri);
    }
    uris.into_iter().filter_map(crate::uris::to_path).collect()
}

/// What the server offers.
pub(crate) fn server_capabilities(encoding: ColumnEncoding) -> ServerCapabilities {
    let progress = WorkDoneProgressOptions::default();
    ServerCapabilities {
        position_encoding: Some(encoding.kind()),
        text_document_sync: Some(TextDocumentSyncCapability::Options(
            TextDocumentSyncOptions {
                open_close: Some(true),
                change: Some(TextDocumentSyncKind::INCREMENTAL),
                save: Some(TextDocumentSyncSaveOptions::SaveOptions(
                    SaveOptions::default(),
                )),
                ..TextDocumentSyncOptions::default()
            },
        )),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        completion_provider: Some(CompletionOptions {
            // Where a key, a value or the name of a table begins.
            trigger_characters: Some(["\"", "'", ".", "[", "=", ":"].map(str::to_owned).to_vec()),
            ..CompletionOptions::default()
        }),
        definition_provider: Some(OneOf::Left(true)),
        document_link_provider: Some(DocumentLinkOptions {
            resolve_provider: Some(false),
            work_done_progress_options: progress,
        }),
        code_action_provider: Some(CodeActionProviderCapability::Options(CodeActionOptions {
            code_action_kinds: Some(vec![CodeActionKind::QUICKFIX, FIX_ALL]),
            ..CodeActionOptions::default()
        })),
        code_lens_provider: Some(CodeLensOptions {
            resolve_provider: Some(false),
        }),
        execute_command_provider: Some(ExecuteCommandOptions {
            commands: vec![UPDATE_COMMAND.to_owned()],
            work_done_progress_options: progress,
        }),
        workspace: Some(WorkspaceServerCapabilities {
            workspace_folders: Some(WorkspaceFoldersServerCapabilities {
                supported: Some(true),
                change_notifications: Some(OneOf::Left(true)),
            }),
            file_operations: None,
        }),
        ..ServerCapabilities::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn settings_are_read_from_either_form() {
        let notes = |value: Value| {
            let mut settings = ClientSettings::default();
            settings.update(value);
            settings.notes
        };
        assert!(notes(json!({"skillpm": {"notes": true}})));
        assert!(notes(json!({"notes": true, "other": 1})));
        assert!(!notes(json!({"notes": 1})));
    }

    #[test]
    fn settings_that_are_not_sent_stay() {
        let mut settings = ClientSettings {
            notes: true,
            network: true,
        };
        settings.update(Value::Null);
        settings.update(json!({"skillpm": {"network": false}}));
        assert!(settings.notes && !settings.network);
    }
}
