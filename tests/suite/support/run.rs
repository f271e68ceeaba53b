//! Running the real binary and judging what it did.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::{Read, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use regex::Regex;
use snapbox::IntoData;

use super::sandbox::{clean_command, prepare_home};
use super::{Sandbox, schema};

/// Far longer than any run takes, even one of fifty at once on a machine that does much besides; what is still going then
/// hangs.
const PATIENCE: Duration = Duration::from_mins(3);

/// One run of `skillpm`, to be started by asking for its exit code.
#[must_use = "a run that is not judged proves nothing"]
pub(crate) struct Run<'s> {
    sandbox: &'s Sandbox,
    args: Vec<String>,
    env: Vec<(OsString, OsString)>,
    dir: PathBuf,
    home: PathBuf,
    stdin: Vec<u8>,
    shell: Option<(&'static [&'static str], String)>,
    trace: Vec<String>,
    is_unprivileged: bool,
    out: Out,
}

/// Where stdout goes.
enum Out {
    /// To the test.
    Here,
    /// To a device that is always full.
    #[cfg(target_os = "linux")]
    Full,
    /// To a pipe from which nobody reads.
    ClosedPipe,
}

impl<'s> Run<'s> {
    pub(super) fn new(sandbox: &'s Sandbox, args: Vec<String>) -> Self {
        let (dir, home) = (sandbox.path("."), sandbox.home());
        let (env, stdin, trace) = (Vec::new(), Vec::new(), Vec::new());
        Run {
            sandbox,
            args,
            env,
            dir,
            home,
            stdin,
            shell: None,
            trace,
            is_unprivileged: false,
            out: Out::Here,
        }
    }

    /// Sets an environment variable.
    pub(crate) fn env(mut self, key: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.env.push((key.into(), value.into()));
        self
    }

    /// Sets several environment variables.
    pub(crate) fn envs(mut self, pairs: &[(&str, String)]) -> Self {
        self.env
            .extend(pairs.iter().map(|(key, value)| (key.into(), value.into())));
        self
    }

    /// Runs in this directory: relative to the project, or absolute.
    pub(crate) fn in_dir(mut self, dir: impl AsRef<Path>) -> Self {
        self.dir = self.dir.join(dir);
        self
    }

    /// Runs with another home beside the sandbox's own, made if it is not there: another person, or another machine.
    pub(crate) fn home(mut self, name: &str) -> Self {
        self.home = self.sandbox.root().join(name);
        prepare_home(&self.home);
        self
    }

    /// Gives it this to read.
    pub(crate) fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = bytes.into();
        self
    }

    /// Runs in a mount namespace of its own, after this shell script with `mount` commands. The script's directory is
    /// the run's; skillpm follows where it says `"$@"`, else at its end.
    #[cfg(target_os = "linux")]
    pub(crate) fn after_mounting(mut self, script: &str) -> Self {
        self.shell = Some((&["unshare", "-rm", "sh"], whole(script)));
        self
    }

    /// Runs after this shell script, which sets limits (`ulimit`) or does as much; as for [`Run::after_mounting`].
    #[cfg(unix)]
    pub(crate) fn after(mut self, script: &str) -> Self {
        self.shell = Some((&["bash"], whole(script)));
        self
    }

    /// Writes its stdout to a device that is always full.
    #[cfg(target_os = "linux")]
    pub(crate) fn into_full_device(mut self) -> Self {
        self.out = Out::Full;
        self
    }

    /// Writes its stdout to a pipe from which nobody reads.
    pub(crate) fn into_closed_pipe(mut self) -> Self {
        self.out = Out::ClosedPipe;
        self
    }

    /// Runs as somebody to whom things can be forbidden; see [`Sandbox::hand_over`].
    #[cfg(unix)]
    pub(crate) fn unprivileged(mut self) -> Self {
        self.is_unprivileged = true;
        self
    }

    /// Runs on a terminal, on which a person answers with these keys once it shows `question`; what it shows is stdout.
    #[cfg(unix)]
    pub(crate) fn on_terminal(self, question: &str, keys: &str) -> Outcome {
        self.answers_on_terminal(&[(question, keys)])
    }

    /// Runs on a terminal, and answers these questions, one after the other, with these keys.
    #[cfg(unix)]
    pub(crate) fn answers_on_terminal(self, steps: &[(&str, &str)]) -> Outcome {
        let (questions, keys): (Vec<&str>, Vec<&str>) = steps.iter().copied().unzip();
        let mut command = clean_command("python3", self.sandbox.root(), &self.home);
        command
            .args([
                "-c",
                TERMINAL,
                &questions.join("\u{1e}"),
                &keys.join("\u{1e}"),
                env!("CARGO_BIN_EXE_skillpm"),
            ])
            .args(&self.args);
        command
            .envs(self.env.iter().map(|(key, value)| (key, value)))
            .env("TERM", "xterm")
            .current_dir(&self.dir);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        self.start(&mut command).wait()
    }

    /// Runs under `strace` with these arguments.
    #[cfg(target_os = "linux")]
    pub(crate) fn traced(mut self, arguments: &[&str]) -> Self {
        self.trace = arguments.iter().map(ToString::to_string).collect();
        self
    }

    pub(super) fn command(&self) -> Command {
        let binary = env!("CARGO_BIN_EXE_skillpm");
        let root = self.sandbox.root();
        let mut command = match &self.shell {
            #[cfg(unix)]
            None if self.is_unprivileged => super::unprivileged_user::command(root, &self.home),
            None if self.trace.is_empty() => clean_command(binary, root, &self.home),
            None => {
                let mut command = clean_command("strace", root, &self.home);
                command.args(&self.trace).arg(binary);
                command
            }
            Some((shell, script)) => {
                let mut command = clean_command(shell[0], root, &self.home);
                command.args(&shell[1..]).args(["-c", script, "sh", binary]);
                command
            }
        };
        command
            .args(&self.args)
            .envs(self.env.iter().map(|(key, value)| (key, value)))
            .current_dir(&self.dir);
        command
            .stdin(Stdio::piped())
            .stdout(self.out.stdio())
            .stderr(Stdio::piped());
        command
    }

    /// Starts it in a process group of its own, together with all that it starts, and does not wait.
    #[cfg(unix)]
    pub(crate) fn spawn_in_group(self) -> Running<'s> {
        use std::os::unix::process::CommandExt as _;
        let mut command = self.command();
        command.process_group(0);
        self.start(&mut command)
    }

    /// Starts it and does not wait.
    pub(crate) fn spawn(self) -> Running<'s> {
        let mut command = self.command();
        self.start(&mut command)
    }

    fn start(self, command: &mut Command) -> Running<'s> {
        let mut child = command.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let (out, err) = (child.stdout.take(), child.stderr.take().unwrap());
        let bytes = self.stdin.clone();
        // A run that fails early does not read all it is given; that is its right.
        std::thread::spawn(move || drop(stdin.write_all(&bytes)));
        // Else the child's end of a pipe that nobody reads would stay open here.
        command.stdout(Stdio::null());
        let out: Box<dyn Read + Send> = match out {
            Some(out) => Box::new(out),
            None => Box::new(std::io::empty()),
        };
        Running {
            stdout: drain(out),
            stderr: drain(err),
            child,
            run: self,
        }
    }

    /// Runs it and fails unless it ends with this code.
    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Outcome {
        let outcome = self.spawn().wait();
        outcome.ended(code);
        outcome
    }

    /// Runs it and fails unless it ends with one of these codes, where the contract leaves a choice.
    #[track_caller]
    pub(crate) fn exits_one_of<const N: usize>(self, codes: [i32; N]) -> Outcome {
        let outcome = self.spawn().wait();
        let fits = outcome.code.is_some_and(|code| codes.contains(&code));
        outcome.holds(fits, || {
            format!("it should have exited with one of {codes:?}")
        });
        outcome
    }
}

impl Out {
    fn stdio(&self) -> Stdio {
        match self {
            Out::Here => Stdio::piped(),
            #[cfg(target_os = "linux")]
            Out::Full => std::fs::OpenOptions::new()
                .write(true)
                .open("/dev/full")
                .unwrap()
                .into(),
            Out::ClosedPipe => std::io::pipe().unwrap().1.into(),
        }
    }
}

/// A run that goes on while the test does something else.
pub(crate) struct Running<'s> {
    run: Run<'s>,
    child: Child,
    stdout: std::thread::JoinHandle<Vec<u8>>,
    stderr: std::thread::JoinHandle<Vec<u8>>,
}

impl Running<'_> {
    /// Kills it so that it can tidy nothing up (SIGKILL); says whether it was still going.
    pub(crate) fn kill(mut self) -> bool {
        let going = self.child.try_wait().unwrap().is_none();
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        going
    }

    /// Kills it and all that it started, as [`Running::kill`] does it alone.
    #[cfg(unix)]
    pub(crate) fn kill_group(mut self) -> bool {
        let going = self.child.try_wait().unwrap().is_none();
        if going {
            let group = format!("-{}", self.child.id());
            let _ = Command::new("kill")
                .args(["-KILL", "--", &group])
                .stderr(Stdio::null())
                .status();
        }
        self.child.wait().unwrap();
        going
    }

    /// Sends it a signal, if it is still going; says whether it was.
    #[cfg(unix)]
    pub(crate) fn signal(&mut self, name: &str) -> bool {
        let going = self.child.try_wait().unwrap().is_none();
        if going {
            let _ = Command::new("kill")
                .args(["-s", name, &self.child.id().to_string()])
                .status();
        }
        going
    }

    /// Waits until what was to be done before it is done, and it has begun itself.
    #[cfg(target_os = "linux")]
    pub(crate) fn begun(&self) {
        let comm = format!("/proc/{}/comm", self.child.id());
        while std::fs::read_to_string(&comm)
            .is_ok_and(|name| !["", "skillpm"].contains(&name.trim()))
        {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Waits until it has stopped itself at the failpoint that `SKILLPM_FAILPOINT` names; says whether it did before its end.
    #[cfg(target_os = "linux")]
    pub(crate) fn stopped(&mut self) -> bool {
        let stat = format!("/proc/{}/stat", self.child.id());
        loop {
            let text = std::fs::read_to_string(&stat).unwrap_or_default();
            match text.rsplit_once(") ").map(|(_, rest)| rest.as_bytes()[0]) {
                Some(b'T') => return true,
                Some(b'Z') | None => return false,
                Some(_) => std::thread::sleep(Duration::from_millis(1)),
            }
        }
    }

    /// Lets it go on.
    #[cfg(target_os = "linux")]
    pub(crate) fn go_on(&self) {
        let status = Command::new("kill")
            .args(["-CONT", &self.child.id().to_string()])
            .status();
        assert!(status.unwrap().success());
    }

    /// Waits for its end.
    #[track_caller]
    pub(crate) fn wait(mut self) -> Outcome {
        let status = self.wait_patiently();
        let text =
            |bytes: Vec<u8>| with_slashes(String::from_utf8(bytes).expect("skillpm prints UTF-8"));
        let (stdout, stderr) = (
            text(self.stdout.join().unwrap()),
            text(self.stderr.join().unwrap()),
        );
        let (root, home) = (
            path_text(self.run.sandbox.root()),
            path_text(&self.run.home),
        );
        let outcome = Outcome {
            line: self.run.args.join(" "),
            root,
            home,
            code: status.code(),
            status,
            stdout,
            stderr,
        };
        if self.run.shell.is_none() {
            schema::check(&self.run.args, &outcome);
        }
        outcome
    }

    #[track_caller]
    fn wait_patiently(&mut self) -> ExitStatus {
        let start = Instant::now();
        let mut nap = Duration::from_micros(500);
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            if start.elapsed() > PATIENCE {
                let _ = self.child.kill();
                panic!(
                    "`skillpm {}` still ran after {PATIENCE:?}",
                    self.run.args.join(" ")
                );
            }
            std::thread::sleep(nap);
            nap = (nap * 2).min(Duration::from_millis(10));
        }
    }
}

/// A path as [`Outcome`] has it, with `/` between its parts.
pub(crate) fn path_text(path: &Path) -> String {
    with_slashes(path.to_str().unwrap().to_owned())
}

/// Paths as the tests write them.
pub(crate) fn with_slashes(text: String) -> String {
    if cfg!(not(windows)) {
        text
    } else if text.starts_with(['{', '[']) {
        // As JSON escapes them.
        text.replace(r"\\", "/").replace("/u{", r"\\u{")
    } else {
        // An escaped character is no part of a path.
        text.replace('\\', "/").replace("/u{", r"\u{")
    }
}

/// A script that fails with its first command, and ends with what is run.
fn whole(script: &str) -> String {
    let run = if script.contains("\"$@\"") {
        ""
    } else {
        "\nexec \"$@\""
    };
    format!("set -e\n{script}{run}")
}

/// A terminal with a person before it: waits for the question, presses the keys, and shows what was shown, without colours.
#[cfg(unix)]
const TERMINAL: &str = include_str!("terminal.py");

fn drain(mut stream: impl Read + Send + 'static) -> std::thread::JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        bytes
    })
}

/// What a run did. Each question fails the test with the whole run if the answer is no.
pub(crate) struct Outcome {
    line: String,
    root: String,
    home: String,
    status: ExitStatus,
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Outcome {
    /// The code it ended with; none if it was killed.
    pub(crate) fn code(&self) -> Option<i32> {
        self.code
    }

    /// Whether it was killed, on Windows by itself: there a killed process has a code as well.
    pub(crate) fn was_killed(&self) -> bool {
        const FAST_FAIL: i32 = 0xC000_0409_u32.cast_signed();
        self.code
            .is_none_or(|code| cfg!(windows) && code == FAST_FAIL)
    }

    /// It ended with this code.
    #[track_caller]
    pub(crate) fn ended(&self, code: i32) -> &Self {
        self.holds(self.code == Some(code), || {
            format!("it should have exited with {code}")
        })
    }

    /// The whole of stdout is this. `[..]` stands for anything in a line and a line `...` for any lines; paths, hashes
    /// and times are written as [`redact`] says. A `file!` is rewritten under `SNAPSHOTS=overwrite`.
    #[track_caller]
    pub(crate) fn stdout(&self, expected: impl IntoData) -> &Self {
        self.compare("stdout", &self.stdout, expected.into_data())
    }

    /// The whole of stderr is this; see [`Outcome::stdout`].
    #[track_caller]
    pub(crate) fn stderr(&self, expected: impl IntoData) -> &Self {
        self.compare("stderr", &self.stderr, expected.into_data())
    }

    /// This stands somewhere in stdout.
    #[track_caller]
    pub(crate) fn stdout_has(&self, text: &str) -> &Self {
        self.holds(self.redacted(&self.stdout).contains(text), || {
            format!("stdout should hold `{text}`")
        })
    }

    /// This stands somewhere in stderr.
    #[track_caller]
    pub(crate) fn stderr_has(&self, text: &str) -> &Self {
        self.holds(self.redacted(&self.stderr).contains(text), || {
            format!("stderr should hold `{text}`")
        })
    }

    /// This stands somewhere in stdout or stderr, where the contract leaves open which.
    #[track_caller]
    pub(crate) fn prints(&self, text: &str) -> &Self {
        let found = self.redacted(&self.stdout).contains(text)
            || self.redacted(&self.stderr).contains(text);
        self.holds(found, || format!("`{text}` should be printed"))
    }

    /// This is printed nowhere.
    #[track_caller]
    pub(crate) fn never_prints(&self, text: &str) -> &Self {
        self.holds(
            !self.stdout.contains(text) && !self.stderr.contains(text),
            || format!("`{text}` was printed"),
        )
    }

    /// It tells one error, with these words in it or below it, and a line of help; it neither panics nor tells it twice.
    #[track_caller]
    pub(crate) fn explains<const N: usize>(&self, words: [&str; N]) -> &Self {
        let text = self.redacted(&self.stderr);
        let errors = text
            .lines()
            .filter(|line| line.starts_with("error"))
            .count();
        self.holds(errors == 1, || {
            format!("one line should begin with `error`, not {errors}")
        });
        self.holds(
            text.lines()
                .any(|line| line.trim_start().starts_with("help:")),
            || "there is no help line".into(),
        );
        self.holds(!text.contains("panicked"), || "it panicked".into());
        words
            .iter()
            .fold(self, |outcome, word| outcome.stderr_has(word))
    }

    /// Stdout as it is.
    pub(crate) fn stderr_text(&self) -> &str {
        &self.stderr
    }

    pub(crate) fn stdout_text(&self) -> &str {
        &self.stdout
    }

    /// Stdout, which is one JSON value.
    #[track_caller]
    pub(crate) fn stdout_json(&self) -> serde_json::Value {
        match serde_json::from_str(&self.stdout) {
            Ok(value) => value,
            Err(error) => panic!("stdout is not one JSON value: {error}\n{}", self.shown()),
        }
    }

    /// Stdout, which is one JSON object a line, each with a `type`.
    #[track_caller]
    pub(crate) fn stdout_json_lines(&self) -> Vec<serde_json::Value> {
        let parse = |line: &str| serde_json::from_str::<serde_json::Value>(line).ok();
        let lines: Option<Vec<_>> = self.stdout.lines().map(parse).collect();
        let typed = lines
            .as_ref()
            .is_some_and(|lines| lines.iter().all(|line| line["type"].is_string()));
        self.holds(typed, || {
            "stdout should be JSON objects with a `type`, one a line".into()
        });
        lines.unwrap()
    }

    #[track_caller]
    fn compare(&self, name: &str, actual: &str, expected: snapbox::Data) -> &Self {
        let assert = snapbox::Assert::new().action_env(snapbox::assert::DEFAULT_ACTION_ENV);
        let actual = self.redacted(actual).into_data();
        if let Err(error) = assert.try_eq(Some(&name), actual, expected) {
            panic!("{name} is not what it should be\n{error}\n{}", self.shown());
        }
        self
    }

    #[track_caller]
    pub(super) fn holds(&self, holds: bool, why: impl FnOnce() -> String) -> &Self {
        assert!(holds, "{}\n{}", why(), self.shown());
        self
    }

    fn redacted(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (dir, name) in [(&self.home, "[HOME]"), (&self.root, "[ROOT]")] {
            // The path in a URL begins with a `/` also where it begins with a drive.
            let in_url = format!("file:///{}", dir.trim_start_matches('/'));
            text = text
                .replace(&in_url, &format!("file://{name}"))
                .replace(dir.as_str(), name);
        }
        redact(&text)
    }

    fn shown(&self) -> String {
        let mut shown = format!("$ skillpm {}\n{}\n", self.line, self.status);
        for (name, text) in [("stdout", &self.stdout), ("stderr", &self.stderr)] {
            let _ = write!(shown, "--- {name}\n{text}");
        }
        shown
    }
}

/// Replaces what differs from run to run: `[SUM]` for a checksum, `[SHA]` for 64 hexadecimal digits, `[COMMIT]` for 40,
/// `[URL]` for a server on loopback, `[TIME]` for a moment or a duration.
pub(crate) fn redact(text: &str) -> String {
    static RULES: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
        [
            ("skill-tree-v1:[0-9a-f]{64}", "[SUM]"),
            ("[0-9a-f]{64}", "[SHA]"),
            ("[0-9a-f]{40}", "[COMMIT]"),
            (
                "(http|ssh)://([a-z]+@)?(127.0.0.1|localhost):[0-9]+",
                "[URL]",
            ),
            (
                "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+(Z|[+-][0-9:]+)",
                "[TIME]",
            ),
            ("[0-9]+([.][0-9]+)? ?(ms|s)(?-u:\\b)", "[TIME]"),
        ]
        .map(|(pattern, name)| (Regex::new(pattern).unwrap(), name))
        .into()
    });
    RULES.iter().fold(text.to_owned(), |text, (rule, name)| {
        rule.replace_all(&text, *name).into_owned()
    })
}

#[test]
fn varying_text_is_redacted() {
    let text = format!(
        "a {0}{0} b {1}{1} c skill-tree-v1:{0}{0} in 1.25s, http://127.0.0.1:80/x",
        "0123456789abcdef".repeat(2),
        "0123456789".repeat(2)
    );
    assert_eq!(
        redact(&text),
        "a [SHA] b [COMMIT] c [SUM] in [TIME], [URL]/x"
    );
}
