//! The ssh transport for gix: runs the user's own ssh program, and bounds size and time of its output.
//!
//! gix can start ssh itself, but reads from the host without a limit, and passes the output of ssh to the terminal,
//! including escape sequences of the host. The program is started here as git does it, so `core.sshCommand`,
//! `GIT_SSH_COMMAND` and `ssh.variant` apply; gix's own connection does the rest.

use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind, Read};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use gix::bstr::ByteSlice;
use gix::protocol::transport::Protocol;
use gix::protocol::transport::client::Error as ClientError;
use gix::protocol::transport::client::blocking_io::ssh::ProgramKind;
use gix::protocol::transport::client::blocking_io::ssh::connect::Options;
use gix::protocol::transport::client::blocking_io::ssh::invocation::Error as InvocationError;
use gix::protocol::transport::client::git::ConnectMode;
use gix::protocol::transport::client::git::blocking_io::Connection;
use gix::url::ArgumentSafety;

use super::environment::remove_repository_variables;
use super::http::{HostState, SLOW_BYTES, TransportError, lock_state};
use crate::traffic::ActiveRequest;

/// Bytes that are read from ssh at once.
const CHUNK: usize = 32 << 10;
/// Most bytes of ssh's stderr that are parsed and shown.
const STDERR_MAX: u64 = 4 << 10;
/// The exit code of ssh if the connection fails, and not the command on the host.
const CONNECTION_FAILED: i32 = 255;
/// How long to wait for ssh's stderr after its output has ended.
const STDERR_WAIT: Duration = Duration::from_secs(1);

/// The options of OpenSSH where no one can answer it: it must not prompt, nor wait for a host that does not respond.
const UNATTENDED_OPTIONS: [&str; 2] = ["-oBatchMode=yes", "-oConnectTimeout=10"];

/// The bytes that a host may still send before its response is too large.
pub(super) type ByteBudget = Arc<AtomicU64>;

/// The settings of an ssh connection.
pub(super) struct SshSettings {
    /// The program, from git's configuration and environment.
    pub program: Options,
    /// Whether ssh may prompt on the terminal.
    pub is_interactive: bool,
    /// How long the host may be silent.
    pub silence: Duration,
}

impl SshSettings {
    /// The options for a program of this kind; none for a command of the user's own, which is left as it is.
    fn unattended_options(&self, kind: ProgramKind) -> &'static [&'static str] {
        if self.program.command.is_none() && !self.is_interactive && kind == ProgramKind::Ssh {
            &UNATTENDED_OPTIONS
        } else {
            &[]
        }
    }
}

/// The line for `GIT_SSH_COMMAND` when git itself runs ssh unattended; `None` if the user has configured a program or its
/// kind.
pub(super) fn unattended_command(configured: &Options) -> Option<String> {
    let is_plain =
        configured.command.is_none() && matches!(configured.kind, None | Some(ProgramKind::Ssh));
    is_plain.then(|| format!("ssh {}", UNATTENDED_OPTIONS.join(" ")))
}

/// Starts ssh and asks it to run git's `upload-pack` for the repository of `url`.
///
/// # Errors
/// If the URL's host or user could be taken for an option, or if ssh cannot be started.
pub(super) fn connect(
    url: &gix::Url,
    settings: &SshSettings,
    state: Arc<Mutex<HostState>>,
    budget: ByteBudget,
    logged: ActiveRequest,
) -> Result<Connection<HostOutput, ChildStdin>, ClientError> {
    let path = gix::url::expand_path::for_shell(url.path.clone());
    let remote_command = [
        "git-upload-pack".into(),
        // Quoted, since the host's shell reads the line.
        gix::quote::single(path.as_ref())
            .to_os_str_lossy()
            .into_owned(),
    ];

    let ssh = ssh_command(url, settings, remote_command)?;
    let (output, stdin) = start_ssh(ssh, settings, state, budget, logged)?;

    let no_host = None::<(&str, Option<u16>)>;
    let connection = Connection::new(
        output,
        stdin,
        Protocol::V2,
        path,
        no_host,
        ConnectMode::Process,
        false,
    );
    Ok(connection.custom_url(Some(url.to_bstring())))
}

/// Starts the program with threads that read its output.
fn start_ssh(
    mut ssh: Command,
    settings: &SshSettings,
    state: Arc<Mutex<HostState>>,
    budget: ByteBudget,
    logged: ActiveRequest,
) -> Result<(HostOutput, ChildStdin), ClientError> {
    ssh.stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = ssh.spawn().map_err(|source| ClientError::InvokeProgram {
        source,
        command: settings.program.ssh_command().to_owned(),
    })?;

    let missing = || ClientError::Io(io::Error::other("ssh was started without its pipes"));
    let stdin = child.stdin.take().ok_or_else(missing)?;
    let stdout = child.stdout.take().ok_or_else(missing)?;
    let stderr = child.stderr.take().ok_or_else(missing)?;

    let output = HostOutput {
        child,
        chunks: read_in_background(stdout),
        stderr_text: read_stderr(stderr),
        chunk: Vec::new(),
        position: 0,
        is_first: true,
        may_wait_for_person: settings.is_interactive,
        silence: settings.silence,
        waited: Duration::ZERO,
        received_meanwhile: 0,
        budget,
        state,
        logged,
    };
    Ok((output, stdin))
}

/// The ssh command line: options, host, and remote command.
fn ssh_command(
    url: &gix::Url,
    settings: &SshSettings,
    remote_command: [OsString; 2],
) -> Result<Command, ClientError> {
    let options = &settings.program;
    let host = host_argument(url).map_err(ClientError::SshInvocation)?;
    let program = options.ssh_command();
    let kind = options
        .kind
        .unwrap_or_else(|| program_kind(program, &host, options.disallow_shell));

    // As arguments, not as part of the program: without a command of the user's own, no shell is between.
    let unattended = settings.unattended_options(kind).iter().map(OsString::from);
    let mut arguments: Vec<OsString> = unattended.collect();
    arguments.extend(option_arguments(kind, url.port, program)?);
    arguments.push(host.into());
    arguments.extend(remote_command);

    let mut ssh = prepare(program, arguments, options.disallow_shell)?;
    // For `SendEnv` in the arguments. A server that does not accept it speaks the older protocol.
    if kind == ProgramKind::Ssh {
        ssh.env("GIT_PROTOCOL", "version=2");
    }
    // Its stderr is parsed for the reason of a failure, in English.
    ssh.env("LANG", "C").env("LC_ALL", "C");
    remove_repository_variables(&mut ssh);
    Ok(ssh)
}

/// The options of an ssh program of this kind: the port, and that it passes the protocol version on.
fn option_arguments(
    kind: ProgramKind,
    port: Option<u16>,
    program: &OsStr,
) -> Result<Vec<OsString>, ClientError> {
    let mut arguments: Vec<OsString> = Vec::new();
    let port = port.map(|port| port.to_string());
    match (kind, port) {
        (ProgramKind::Ssh, port) => {
            arguments.extend(["-o".into(), "SendEnv=GIT_PROTOCOL".into()]);
            arguments.extend(port.map(|port| format!("-p{port}").into()));
        }
        // The port option of a program of unknown kind cannot be known.
        (ProgramKind::Simple, Some(_)) => {
            let function = "setting the port";
            return Err(ClientError::SshInvocation(InvocationError::Unsupported {
                command: program.into(),
                function,
            }));
        }
        (ProgramKind::Simple, None) => {}
        (ProgramKind::Plink | ProgramKind::Putty | ProgramKind::TortoisePlink, port) => {
            // As git does: without it, TortoisePlink would ask in a window.
            arguments.extend((kind == ProgramKind::TortoisePlink).then(|| "-batch".into()));
            arguments.extend(port.into_iter().flat_map(|port| ["-P".into(), port.into()]));
        }
    }
    Ok(arguments)
}

/// `user@host`, which ssh cannot take for an option.
fn host_argument(url: &gix::Url) -> Result<String, InvocationError> {
    match (url.user_as_argument(), url.host_as_argument()) {
        // A host such as `-oProxyCommand=…` would run a program (CVE-2017-1000117).
        (ArgumentSafety::Dangerous(user), _) => {
            Err(InvocationError::AmbiguousUserName { user: user.into() })
        }
        // With a user before it, no host looks like an option.
        (
            ArgumentSafety::Usable(user),
            ArgumentSafety::Usable(host) | ArgumentSafety::Dangerous(host),
        ) => Ok(format!("{user}@{host}")),
        (ArgumentSafety::Absent, ArgumentSafety::Usable(host)) => Ok(host.to_owned()),
        (_, ArgumentSafety::Dangerous(host)) => {
            Err(InvocationError::AmbiguousHostName { host: host.into() })
        }
        (_, ArgumentSafety::Absent) => Err(InvocationError::AmbiguousHostName {
            host: String::new(),
        }),
    }
}

/// The kind of an ssh program: by its name, else OpenSSH if it supports `-G`, as git detects it.
fn program_kind(program: &OsStr, host: &str, no_shell: bool) -> ProgramKind {
    let by_name = ProgramKind::from(program);
    if by_name != ProgramKind::Simple {
        return by_name;
    }

    let knows_openssh_options =
        prepare(program, ["-G".into(), host.into()], no_shell).is_ok_and(|mut ssh| {
            ssh.stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null());
            ssh.status().is_ok_and(|status| status.success())
        });
    if knows_openssh_options {
        ProgramKind::Ssh
    } else {
        ProgramKind::Simple
    }
}

/// A program, which may be a line for a shell as `core.sshCommand` is, with arguments.
fn prepare(
    program: &OsStr,
    arguments: impl IntoIterator<Item = OsString>,
    no_shell: bool,
) -> Result<Command, ClientError> {
    // As git does: `core.sshCommand` may have arguments and quotes.
    let mut prepared = gix::command::prepare(program)
        .command_may_be_shell_script()
        .args(arguments);
    if no_shell {
        prepared.use_shell = false;
    }
    let source = |error| io::Error::new(ErrorKind::InvalidInput, error);
    Command::try_from(prepared).map_err(|error| ClientError::InvokeProgram {
        source: source(error),
        command: program.to_owned(),
    })
}

/// The output of the host, bounded in bytes and time. Kills ssh on drop.
pub(super) struct HostOutput {
    child: Child,
    chunks: Receiver<io::Result<Vec<u8>>>,
    stderr_text: Receiver<String>,
    chunk: Vec<u8>,
    /// The first byte of `chunk` that was not read yet.
    position: usize,
    is_first: bool,
    /// Whether ssh may prompt for a passphrase before the host sends anything.
    may_wait_for_person: bool,
    silence: Duration,
    /// The time waited since the host last sent [`SLOW_BYTES`].
    waited: Duration,
    received_meanwhile: u64,
    budget: ByteBudget,
    state: Arc<Mutex<HostState>>,
    logged: ActiveRequest,
}

impl Read for HostOutput {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.position == self.chunk.len() {
            self.chunk = self.next_chunk()?;
            self.position = 0;
        }

        let rest = &self.chunk[self.position..];
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        self.position += count;
        Ok(count)
    }
}

impl HostOutput {
    /// The next bytes; empty if ssh has ended.
    fn next_chunk(&mut self) -> io::Result<Vec<u8>> {
        let chunk = match self.receive() {
            Ok(chunk) => chunk?,
            Err(RecvTimeoutError::Timeout) => {
                return Err(
                    self.stop_with(TransportError::Stalled(self.silence), ErrorKind::TimedOut)
                );
            }
            Err(RecvTimeoutError::Disconnected) => return self.end_of_output(),
        };

        self.is_first = false;
        let count = chunk.len() as u64;
        self.logged.received(count);
        // One budget for the whole response.
        // Checked here, as gix reads until the host ends.
        let taken = self
            .budget
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
                left.checked_sub(count)
            });
        if taken.is_err() {
            return Err(self.stop_with(TransportError::TooLarge, ErrorKind::FileTooLarge));
        }
        Ok(chunk)
    }

    /// Waits for the host. Only the waiting time counts, so that a slow local disk is not taken for silence of the host.
    fn receive(&mut self) -> Result<io::Result<Vec<u8>>, RecvTimeoutError> {
        // Entering a passphrase may take any time.
        if self.is_first && self.may_wait_for_person {
            return self
                .chunks
                .recv()
                .map_err(|_| RecvTimeoutError::Disconnected);
        }

        let started = Instant::now();
        let received = self
            .chunks
            .recv_timeout(self.silence.saturating_sub(self.waited))?;
        self.waited += started.elapsed();
        self.received_meanwhile += received.as_ref().map_or(0, |chunk| chunk.len() as u64);
        if self.received_meanwhile >= SLOW_BYTES {
            self.waited = Duration::ZERO;
            self.received_meanwhile = 0;
        }
        Ok(received)
    }

    /// The exit code of ssh, whose output has ended; `None` if it goes on all the same.
    fn exit_code(&mut self) -> Option<i32> {
        let started = Instant::now();
        while started.elapsed() < STDERR_WAIT {
            if let Some(status) = self.child.try_wait().ok()? {
                return status.code();
            }
            thread::sleep(Duration::from_millis(2));
        }
        None
    }

    fn stop_with(&mut self, fault: TransportError, kind: ErrorKind) -> io::Error {
        let _ = self.child.kill();
        // gix would only say that reading failed.
        lock_state(&self.state).error = Some(fault);
        kind.into()
    }

    /// The reason why ssh ended, if its stderr has one; else the end of the output.
    fn end_of_output(&mut self) -> io::Result<Vec<u8>> {
        let stderr_text = self
            .stderr_text
            .recv_timeout(STDERR_WAIT)
            .unwrap_or_default();
        match stderr_text
            .lines()
            .find_map(|line| Some((error_kind(line)?, line)))
        {
            Some((kind, line)) => Err(io::Error::new(kind, line.to_owned())),
            None if !self.is_first => Ok(Vec::new()),
            // There was no output at all, so stderr is the reason.
            None if !stderr_text.trim().is_empty() => {
                Err(io::Error::other(stderr_text.trim().to_owned()))
            }
            // A quiet ssh (`LogLevel QUIET`) has only its exit code for a connection that failed.
            None if self.exit_code() == Some(CONNECTION_FAILED) => {
                Err(ErrorKind::ConnectionReset.into())
            }
            None => Err(io::Error::other("no output")),
        }
    }
}

impl Drop for HostOutput {
    fn drop(&mut self) {
        // ssh may wait for input that never comes, and then `wait` would block.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The kind of error for a line of OpenSSH's or `PuTTY`'s stderr. [`ErrorKind::ConnectionReset`] is one after which the
/// host may be asked again.
fn error_kind(line: &str) -> Option<ErrorKind> {
    let line = line.to_ascii_lowercase();
    let says = |words: &[&str]| words.iter().any(|words| line.contains(words));
    if says(&["permission denied", "publickey"]) {
        Some(ErrorKind::PermissionDenied)
    } else if says(&["resolve hostname"]) {
        Some(ErrorKind::ConnectionRefused)
    } else if says(&[
        // A server with too many connections (`MaxStartups`) closes the next ones before anything else.
        "exchange_identification",
        "connection closed",
        "closed by remote host",
        "connection reset",
        "connection refused",
        "broken pipe",
    ]) {
        Some(ErrorKind::ConnectionReset)
    } else if says(&["connect to host", "connection to "]) {
        Some(ErrorKind::NotFound)
    } else {
        None
    }
}

/// Reads ssh's output in a thread, as reading a pipe with a timeout is not portable.
fn read_in_background(stdout: ChildStdout) -> Receiver<io::Result<Vec<u8>>> {
    let (sender, chunks) = mpsc::sync_channel(2);
    thread::spawn(move || send_chunks(stdout, &sender));
    chunks
}

/// Sends the output in chunks, until its end, an error, or the drop of the receiver.
fn send_chunks(mut stdout: ChildStdout, sender: &SyncSender<io::Result<Vec<u8>>>) {
    let mut buffer = vec![0; CHUNK];
    loop {
        let chunk = match stdout.read(&mut buffer) {
            Ok(0) => return,
            Ok(count) => Ok(buffer[..count].to_vec()),
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => Err(error),
        };
        let is_last = chunk.is_err();
        // There is no reader after an error or a drop.
        if sender.send(chunk).is_err() || is_last {
            return;
        }
    }
}

/// Reads all of ssh's stderr, and keeps the beginning of it.
fn read_stderr(mut stderr: ChildStderr) -> Receiver<String> {
    let (sender, stderr_text) = mpsc::sync_channel(1);
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = (&mut stderr).take(STDERR_MAX).read_to_end(&mut bytes);
        let _ = sender.send(bytes.to_str_lossy().into_owned());
        // A full pipe would stop ssh.
        let _ = io::copy(&mut stderr, &mut io::sink());
    });
    stderr_text
}
