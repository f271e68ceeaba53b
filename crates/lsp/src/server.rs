//! The server's loop: the life of a connection, the open documents, and when they are checked.

use std::collections::{BTreeMap, VecDeque};
use std::io::Write;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response, ResponseError};
use lsp_types::notification::{self as notes, Notification as _};
use lsp_types::{
    DiagnosticSeverity, InitializeParams, InitializeResult, MessageType, NumberOrString,
    PublishDiagnosticsParams, ServerInfo,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use skillpm_core::error::{Error, ErrorContext as _, Result};

use crate::checker::{CheckJob, CheckResult, DocumentChecker, find_root};
use crate::documents::{DocumentKind, OpenDocument, OpenDocuments};
use crate::findings::{LocatedSource, PublishedFiles, SOURCE, render_finding, subject};
use crate::sessions::{ClientSession, server_capabilities};
use crate::text_positions::LineIndex;
use crate::worker::{FoundVersions, WorkerJob, check};

/// How long typing has to pause before a document is checked.
const TYPING_PAUSE: Duration = Duration::from_millis(150);

/// Something that happened.
pub(crate) enum ServerEvent {
    /// The client sent a message.
    Message(Message),
    /// The client sent something that is no message.
    Invalid(ErrorCode, String),
    /// The client is gone, or what it sends cannot be read.
    End(Option<String>),
    /// A document was checked.
    Checked(Box<CheckResult>),
    /// The sources of dependencies were asked.
    Versions(Box<FoundVersions>),
}

/// Where a connection is in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ConnectionPhase {
    /// Before `initialize`.
    Waiting,
    Running,
    /// After `shutdown`.
    ShutDown,
}

/// An answer to a request.
pub(crate) type RequestAnswer = Result<Value, ResponseError>;

/// The server of one client.
pub(crate) struct LanguageServer<'a, W> {
    pub(crate) checker: &'a DocumentChecker<'a>,
    output: W,
    jobs: Sender<WorkerJob>,
    phase: ConnectionPhase,
    pub(crate) session: ClientSession,
    pub(crate) documents: OpenDocuments,
    /// The last result of each document.
    pub(crate) results: BTreeMap<PathBuf, CheckResult>,
    /// What the sources of each manifest's dependencies answered.
    pub(crate) versions: BTreeMap<PathBuf, FoundVersions>,
    /// When each document is to be checked.
    due: BTreeMap<PathBuf, Instant>,
    published: PublishedFiles,
    /// The number of requests that were sent to the client.
    requests: i32,
}

impl<'a, W: Write> LanguageServer<'a, W> {
    pub(crate) fn new(
        checker: &'a DocumentChecker<'a>,
        output: W,
        jobs: Sender<WorkerJob>,
    ) -> Self {
        LanguageServer {
            checker,
            output,
            jobs,
            phase: ConnectionPhase::Waiting,
            session: ClientSession::default(),
            documents: OpenDocuments::default(),
            results: BTreeMap::new(),
            versions: BTreeMap::new(),
            due: BTreeMap::new(),
            published: PublishedFiles::default(),
            requests: 0,
        }
    }

    /// Handles events until the connection ends; returns the exit code.
    ///
    /// # Errors
    /// If the output cannot be written, or the input is not of the protocol.
    pub(crate) fn serve(mut self, events: &Receiver<ServerEvent>) -> Result<u8> {
        let mut waiting = VecDeque::new();
        loop {
            self.start_due_checks();
            if waiting.is_empty() {
                match events.recv_timeout(self.time_to_next_check()) {
                    Ok(event) => waiting.push_back(event),
                    Err(RecvTimeoutError::Timeout) => continue,
                    Err(RecvTimeoutError::Disconnected) => return Ok(1),
                }
            }

            // All that came meanwhile: a request may have been cancelled since.
            waiting.extend(events.try_iter());
            self.answer_cancelled(&mut waiting)?;
            if let Some(event) = waiting.pop_front()
                && let ControlFlow::Break(code) = self.handle(event)?
            {
                return Ok(code);
            }
        }
    }

    /// Answers the waiting requests that the client has cancelled.
    fn answer_cancelled(&mut self, waiting: &mut VecDeque<ServerEvent>) -> Result<()> {
        let cancelled: Vec<RequestId> = waiting.iter().filter_map(cancelled_request).collect();
        for id in cancelled {
            let is_this = |event: &ServerEvent| matches!(event, ServerEvent::Message(Message::Request(request)) if request.id == id);
            if let Some(at) = waiting.iter().position(is_this) {
                waiting.remove(at);
                let reason = response_error(ErrorCode::RequestCanceled, "cancelled by the client");
                self.respond(id, Err(reason))?;
            }
        }
        Ok(())
    }

    fn handle(&mut self, event: ServerEvent) -> Result<ControlFlow<u8>> {
        match event {
            ServerEvent::Message(Message::Request(request)) => self.handle_request(request)?,
            ServerEvent::Message(Message::Notification(notification)) => {
                if notification.method == notes::Exit::METHOD {
                    return Ok(ControlFlow::Break(self.exit_code()));
                }
                self.handle_notification(notification)?;
            }
            ServerEvent::Message(Message::Response(response)) => {
                if let Err(error) = response.response_result {
                    self.log(
                        MessageType::WARNING,
                        &format!("the client refused: {}", error.message),
                    )?;
                }
            }
            ServerEvent::Invalid(code, reason) => self.send_invalid(code, &reason)?,
            ServerEvent::End(None) => return Ok(ControlFlow::Break(self.exit_code())),
            ServerEvent::End(Some(reason)) => {
                return Err(Error::usage(format!("failed to read from the client: {reason}"))
                    .help("start `skillpm lsp` from an editor; it reads the language server protocol on stdin"));
            }
            ServerEvent::Checked(result) => self.take_result(*result)?,
            ServerEvent::Versions(found) => {
                self.versions.insert(found.path.clone(), *found);
                if self.session.features.refresh_lenses {
                    self.request("workspace/codeLens/refresh", Value::Null)?;
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// The exit code if the connection ends now: 1 without `shutdown`, as the protocol has it.
    fn exit_code(&self) -> u8 {
        u8::from(self.phase != ConnectionPhase::ShutDown)
    }

    fn handle_request(&mut self, request: Request) -> Result<()> {
        let Request { id, method, params } = request;
        let answer = match (self.phase, method.as_str()) {
            (ConnectionPhase::Waiting, "initialize") => self.initialize(params),
            (ConnectionPhase::Waiting, _) => Err(response_error(
                ErrorCode::ServerNotInitialized,
                "the first request has to be `initialize`",
            )),
            (ConnectionPhase::Running, "initialize") | (ConnectionPhase::ShutDown, _) => Err(
                response_error(ErrorCode::InvalidRequest, &format!("unexpected `{method}`")),
            ),
            (ConnectionPhase::Running, "shutdown") => {
                self.phase = ConnectionPhase::ShutDown;
                Ok(Value::Null)
            }
            (ConnectionPhase::Running, _) => {
                // One request that fails must not end the others.
                let answer = catch_unwind(AssertUnwindSafe(|| self.answer(&method, params)));
                answer.unwrap_or_else(|_| {
                    let reason = format!("internal: `{method}` panicked; please report it");
                    Err(response_error(ErrorCode::InternalError, &reason))
                })
            }
        };

        if let Err(error) = &answer
            && error.code == ErrorCode::InternalError as i32
        {
            let message = error.message.clone();
            self.log(MessageType::ERROR, &message)?;
        }
        self.respond(id, answer)
    }

    fn initialize(&mut self, params: Value) -> RequestAnswer {
        let params: InitializeParams = parse_params(params)?;
        self.session = ClientSession::new(&params);
        self.documents.encoding = self.session.encoding;
        self.phase = ConnectionPhase::Running;
        Ok(to_json(&InitializeResult {
            capabilities: server_capabilities(self.session.encoding),
            server_info: Some(ServerInfo {
                name: SOURCE.to_owned(),
                version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            }),
        }))
    }

    /// Answers a request of a running client.
    fn answer(&mut self, method: &str, params: Value) -> RequestAnswer {
        match method {
            "textDocument/hover" => Ok(to_json(&self.hover(&parse_params(params)?))),
            "textDocument/completion" => Ok(to_json(&self.complete(&parse_params(params)?))),
            "textDocument/codeAction" => Ok(to_json(&self.code_actions(&parse_params(params)?))),
            "textDocument/documentLink" => {
                Ok(to_json(&self.document_links(&parse_params(params)?)))
            }
            "textDocument/definition" => Ok(to_json(&self.definition(&parse_params(params)?))),
            "textDocument/codeLens" => Ok(to_json(&self.code_lenses(&parse_params(params)?))),
            "workspace/executeCommand" => self.execute_command(&parse_params(params)?),
            _ => {
                let reason = format!("unknown method `{method}`");
                Err(response_error(ErrorCode::MethodNotFound, &reason))
            }
        }
    }

    fn handle_notification(&mut self, notification: Notification) -> Result<()> {
        // Before and after its life, a client may say nothing but `exit`.
        if self.phase != ConnectionPhase::Running {
            return Ok(());
        }

        let method = notification.method.clone();
        let handled = catch_unwind(AssertUnwindSafe(|| self.take_notification(notification)));
        match handled {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => {
                let message = format!("`{method}` was ignored: {}", error.message);
                self.log(MessageType::ERROR, &message)
            }
            Err(_) => self.log(
                MessageType::ERROR,
                &format!("internal: `{method}` panicked"),
            ),
        }
    }

    fn take_notification(&mut self, notification: Notification) -> Result<(), ResponseError> {
        let Notification { method, params } = notification;
        let failed = |error: Error| response_error(ErrorCode::InternalError, error.message());
        match method.as_str() {
            notes::Initialized::METHOD => self.watch_files().map_err(failed)?,
            notes::DidOpenTextDocument::METHOD => self.open(parse_params(params)?),
            notes::DidChangeTextDocument::METHOD => self.change(parse_params(params)?),
            notes::DidSaveTextDocument::METHOD => self.save(&parse_params(params)?),
            notes::DidCloseTextDocument::METHOD => {
                self.close(&parse_params(params)?).map_err(failed)?;
            }
            notes::DidChangeWatchedFiles::METHOD => self.check_all(),
            notes::DidChangeWorkspaceFolders::METHOD => {
                let params: lsp_types::DidChangeWorkspaceFoldersParams = parse_params(params)?;
                self.session
                    .change_folders(&params.event.added, &params.event.removed);
                self.check_all();
            }
            notes::DidChangeConfiguration::METHOD => {
                let params: lsp_types::DidChangeConfigurationParams = parse_params(params)?;
                self.session.settings.update(params.settings);
                self.check_all();
            }
            _ => {}
        }
        Ok(())
    }

    /// Asks the client to report changes of the files that findings depend on.
    fn watch_files(&mut self) -> Result<()> {
        if !self.session.features.watch_files {
            return Ok(());
        }
        let watchers = ["**/SKILL.md", "**/skillpm.toml", "**/skillpm.lock"];
        let watchers = watchers.map(|pattern| json!({"globPattern": pattern}));
        let registration = json!({
            "id": "skillpm-files",
            "method": notes::DidChangeWatchedFiles::METHOD,
            "registerOptions": {"watchers": watchers},
        });
        self.request(
            "client/registerCapability",
            json!({"registrations": [registration]}),
        )
    }

    fn open(&mut self, params: lsp_types::DidOpenTextDocumentParams) {
        let item = params.text_document;
        let opened = self.documents.open(item.uri, item.version, item.text);
        if let Some(path) = opened.map(|document| document.path.clone()) {
            self.schedule(&path, Duration::ZERO);
            self.ask_sources(&path);
        }
    }

    fn change(&mut self, params: lsp_types::DidChangeTextDocumentParams) {
        let document = params.text_document;
        let changes = params.content_changes;
        let document = self
            .documents
            .change(&document.uri, document.version, changes);
        if let Some(path) = document.map(|document| document.path.clone()) {
            self.schedule(&path, TYPING_PAUSE);
        }
    }

    fn save(&mut self, params: &lsp_types::DidSaveTextDocumentParams) {
        // What is on disk now counts for the other skills, too.
        self.check_all();
        let saved = self.documents.find(&params.text_document.uri);
        if let Some(path) = saved.map(|document| document.path.clone()) {
            self.ask_sources(&path);
        }
    }

    fn close(&mut self, params: &lsp_types::DidCloseTextDocumentParams) -> Result<()> {
        let Some(document) = self.documents.close(&params.text_document.uri) else {
            return Ok(());
        };
        self.due.remove(&document.path);
        self.versions.remove(&document.path);
        let Some(result) = self.results.remove(&document.path) else {
            return Ok(());
        };

        // Findings of a skill stay as long as one of its files is open.
        let about = subject(&result);
        if let Some(other) = self.results.values().find(|other| subject(other) == about) {
            let other = other.path.clone();
            self.schedule(&other, Duration::ZERO);
            return Ok(());
        }
        for path in self.published.withdraw(about) {
            self.publish_nothing(&path)?;
        }
        Ok(())
    }

    /// Checks all open documents again.
    fn check_all(&mut self) {
        self.checker.forget_neighbors();
        let paths: Vec<PathBuf> = self
            .documents
            .iter()
            .map(|document| document.path.clone())
            .collect();
        for path in paths {
            self.schedule(&path, Duration::ZERO);
        }
    }

    /// Checks a document after a pause; a later call puts it off.
    fn schedule(&mut self, path: &Path, pause: Duration) {
        let due = Instant::now() + pause;
        self.due.insert(path.to_owned(), due);

        // The settings of a manifest apply to the skills below it.
        let is_manifest = |document: &OpenDocument| document.kind == DocumentKind::Manifest;
        if self.documents.at(path).is_some_and(is_manifest) {
            let dir = path.parent().unwrap_or(path);
            let below = self
                .documents
                .iter()
                .filter(|document| document.path.starts_with(dir));
            let below = below.filter(|document| !is_manifest(document));
            self.due
                .extend(below.map(|document| (document.path.clone(), due)));
        }
    }

    fn time_to_next_check(&self) -> Duration {
        let next = self.due.values().min();
        next.map_or(Duration::from_hours(1), |due| {
            due.saturating_duration_since(Instant::now())
        })
    }

    fn start_due_checks(&mut self) {
        let now = Instant::now();
        let due: Vec<PathBuf> = self
            .due
            .iter()
            .filter(|(_, at)| **at <= now)
            .map(|(path, _)| path.clone())
            .collect();
        for path in due {
            self.due.remove(&path);
            if let Some(job) = self.job(&path) {
                // Without the worker there is nothing left to do but to answer requests.
                _ = self.jobs.send(WorkerJob::Check(Box::new(job)));
            }
        }
    }

    /// Asks the sources of a manifest's dependencies for versions, if the client allows that.
    fn ask_sources(&mut self, path: &Path) {
        let document = self
            .documents
            .at(path)
            .filter(|_| self.session.settings.network);
        if let Some(document) = document.filter(|document| document.kind == DocumentKind::Manifest)
        {
            _ = self
                .jobs
                .send(WorkerJob::Versions(Box::new(document.clone())));
        }
    }

    /// The job that checks a document as it is now; `None` for one that is not checked.
    pub(crate) fn job(&self, path: &Path) -> Option<CheckJob> {
        let document = self.documents.at(path)?;
        if document.kind == DocumentKind::Other {
            return None;
        }
        let others = self
            .documents
            .iter()
            .filter(|other| other.path != document.path);
        Some(CheckJob {
            root: find_root(path, &self.session.folders),
            document: document.clone(),
            others: others.cloned().collect(),
            notes: self.session.settings.notes,
        })
    }

    /// The result for a document as it is now, which is checked if it was not yet.
    pub(crate) fn current_result(&mut self, path: &Path) -> Option<&CheckResult> {
        let version = self.documents.at(path)?.version;
        if self
            .results
            .get(path)
            .is_none_or(|result| result.version != version)
        {
            let result = check(self.checker, &self.job(path)?);
            self.results.insert(path.to_owned(), result);
        }
        self.results.get(path)
    }

    /// Keeps a result and sends its findings, unless the document has changed since.
    fn take_result(&mut self, result: CheckResult) -> Result<()> {
        let current = self.documents.at(&result.path);
        if current.is_none_or(|document| document.version != result.version) {
            return Ok(());
        }

        let mut gone = self.published.replace(&result);
        // A document that was in no skill and now is in one had findings of its own.
        if result.skill.is_some() {
            gone.extend(self.published.withdraw(&result.path));
            gone.retain(|path| !result.files.contains_key(path));
        }
        for path in gone {
            self.publish_nothing(&path)?;
        }
        for path in result.files.keys() {
            // An open manifest has a check of its own, which finds more.
            let is_own = *path == result.path;
            let other = self.documents.at(path).filter(|_| !is_own);
            if other.is_none_or(|other| other.kind != DocumentKind::Manifest) {
                self.publish(path, &result)?;
            }
        }
        self.results.insert(result.path.clone(), result);
        Ok(())
    }

    /// Sends the findings of one file.
    fn publish(&mut self, path: &Path, result: &CheckResult) -> Result<()> {
        let open = self.documents.at(path);
        let uri = match open {
            Some(document) => Some(document.uri.clone()),
            None => crate::uris::from_path(path),
        };
        let (Some(file), Some(uri)) = (result.files.get(path), uri) else {
            return Ok(());
        };

        let lines = LineIndex::new(&file.text, self.session.encoding);
        let source = LocatedSource {
            uri: &uri,
            text: &file.text,
            lines: &lines,
        };
        let findings = file.findings.iter();
        let mut diagnostics: Vec<lsp_types::Diagnostic> = findings
            .map(|finding| render_finding(self.checker, source, finding))
            .collect();
        if *path == result.path {
            diagnostics.extend(result.failure.as_ref().map(render_failure));
        }

        let version = open
            .filter(|_| *path == result.path)
            .map(|document| document.version);
        self.send_notification::<notes::PublishDiagnostics>(&PublishDiagnosticsParams::new(
            uri,
            diagnostics,
            version,
        ))
    }

    fn publish_nothing(&mut self, path: &Path) -> Result<()> {
        let open = self.documents.at(path).map(|document| document.uri.clone());
        let Some(uri) = open.or_else(|| crate::uris::from_path(path)) else {
            return Ok(());
        };
        let params = PublishDiagnosticsParams::new(uri, Vec::new(), None);
        self.send_notification::<notes::PublishDiagnostics>(&params)
    }

    /// Shows a line in the client's log.
    fn log(&mut self, typ: MessageType, message: &str) -> Result<()> {
        self.send_notification::<notes::LogMessage>(&lsp_types::LogMessageParams {
            typ,
            message: message.to_owned(),
        })
    }

    fn send_notification<N: notes::Notification>(&mut self, params: &N::Params) -> Result<()> {
        let params = to_json(params);
        self.send(&Notification::new(N::METHOD.to_owned(), params).into())
    }

    /// Sends a request, whose answer does not matter.
    pub(crate) fn request(&mut self, method: &str, params: Value) -> Result<()> {
        self.requests += 1;
        let id = RequestId::from(self.requests);
        self.send(&Request::new(id, method.to_owned(), params).into())
    }

    fn respond(&mut self, id: RequestId, answer: RequestAnswer) -> Result<()> {
        self.send(&Message::Response(Response {
            id,
            response_result: answer,
        }))
    }

    fn send(&mut self, message: &Message) -> Result<()> {
        let written = message.write(&mut self.output);
        written
            .and_then(|()| self.output.flush())
            .context(|| "failed to write to the client".to_owned())
    }

    /// Answers what is no message: its id is not known.
    fn send_invalid(&mut self, code: ErrorCode, reason: &str) -> Result<()> {
        let answer = json!({
            "jsonrpc": "2.0",
            "id": null,
            "error": {"code": code as i32, "message": reason},
        });
        let text = answer.to_string();
        let written = write!(self.output, "Content-Length: {}\r\n\r\n{text}", text.len());
        written
            .and_then(|()| self.output.flush())
            .context(|| "failed to write to the client".to_owned())
    }
}

/// The request that a notification cancels.
fn cancelled_request(event: &ServerEvent) -> Option<RequestId> {
    let ServerEvent::Message(Message::Notification(notification)) = event else {
        return None;
    };
    if notification.method != notes::Cancel::METHOD {
        return None;
    }
    let params: lsp_types::CancelParams =
        serde_json::from_value(notification.params.clone()).ok()?;
    Some(match params.id {
        NumberOrString::Number(id) => id.into(),
        NumberOrString::String(id) => id.into(),
    })
}

/// A failure to check a document, at its beginning.
fn render_failure(error: &Error) -> lsp_types::Diagnostic {
    let mut lines = vec![format!("failed to check: {}", error.in_one_line())];
    lines.extend(error.notes().iter().map(|note| format!("note: {note}")));
    lines.extend(error.helps().iter().map(|help| format!("help: {help}")));
    lsp_types::Diagnostic {
        severity: Some(DiagnosticSeverity::ERROR),
        source: Some(SOURCE.to_owned()),
        message: lines.join("\n"),
        ..lsp_types::Diagnostic::default()
    }
}

fn parse_params<T: DeserializeOwned>(params: Value) -> Result<T, ResponseError> {
    serde_json::from_value(params).map_err(|error| {
        response_error(
            ErrorCode::InvalidParams,
            &format!("invalid parameters: {error}"),
        )
    })
}

fn to_json<T: serde::Serialize>(value: &T) -> Value {
    serde_json::to_value(value).expect("types of the protocol are JSON")
}

pub(crate) fn response_error(code: ErrorCode, message: &str) -> ResponseError {
    ResponseError {
        code: code as i32,
        message: message.to_owned(),
        data: None,
    }
}

#[cfg(test)]
mod tests;
