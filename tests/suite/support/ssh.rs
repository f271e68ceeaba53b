//! A real sshd on loopback, with a key in an agent; and an `ssh` that runs the command on this machine.

use std::fs;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::sandbox::clean_command;
use super::{Sandbox, skipped};

const SSHD: &str = "/usr/sbin/sshd";

/// An ssh server that knows one key, the agent that holds it, and a client configuration that trusts the server.
///
/// Each connection is handed to an `sshd -i` of its own, so no port is guessed and no daemon outlives the test.
pub(crate) struct Ssh {
    dir: PathBuf,
    address: SocketAddr,
    user: String,
    agent: Child,
    open: Arc<AtomicBool>,
    connections: Arc<AtomicUsize>,
}

impl Ssh {
    /// Starts server and agent. Without an sshd on this machine, says that the test is skipped and returns `None`.
    pub(crate) fn start(sandbox: &Sandbox) -> Option<Self> {
        if !Path::new(SSHD).exists() {
            skipped(&format!(
                "there is no {SSHD}; `apt-get install openssh-server` brings it"
            ));
            return None;
        }
        let dir = sandbox.root().join("ssh");
        fs::create_dir(&dir).unwrap();
        for key in ["host", "client", "stranger"] {
            tool(sandbox, "ssh-keygen")
                .args(["-q", "-t", "ed25519", "-N", "", "-f"])
                .arg(dir.join(key))
                .succeed();
        }
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        configure(&dir, address.port());
        let agent = start_agent(sandbox, &dir);
        let (open, connections) = (
            Arc::new(AtomicBool::new(true)),
            Arc::new(AtomicUsize::new(0)),
        );
        let (stays_open, counter, config) = (
            Arc::clone(&open),
            Arc::clone(&connections),
            dir.join("sshd_config"),
        );
        std::thread::spawn(move || {
            for stream in listener
                .incoming()
                .take_while(|_| stays_open.load(Ordering::SeqCst))
            {
                counter.fetch_add(1, Ordering::SeqCst);
                hand_over(stream.unwrap(), &config);
            }
        });
        let user = tool(sandbox, "id").arg("-un").succeed();
        Some(Ssh {
            dir,
            address,
            user,
            agent,
            open,
            connections,
        })
    }

    /// The URL of a directory on this machine.
    pub(crate) fn url(&self, path: &Path) -> String {
        format!("ssh://{}@{}{}", self.user, self.address, path.display())
    }

    /// What a client needs: the agent that holds the key, and an `ssh` on `PATH` that knows the server. No variable and
    /// no setting of git's names that program, as on most machines.
    pub(crate) fn env(&self) -> Vec<(&'static str, String)> {
        let socket = self.dir.join("agent.sock").display().to_string();
        let mut env = self.env_without_agent();
        env.push(("SSH_AUTH_SOCK", socket));
        env
    }

    /// The same without the agent.
    pub(crate) fn env_without_agent(&self) -> Vec<(&'static str, String)> {
        vec![("PATH", path_with(&self.dir.join("bin")))]
    }

    /// Makes the client expect another server's key, as it does when somebody stands between.
    pub(crate) fn expect_another_host_key(&self) {
        know_host(&self.dir, self.address.port(), "stranger");
    }

    /// How many connections there were.
    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

impl Drop for Ssh {
    fn drop(&mut self) {
        let _ = self.agent.kill();
        let _ = self.agent.wait();
        self.open.store(false, Ordering::SeqCst);
        let _ = TcpStream::connect(self.address);
    }
}

fn configure(dir: &Path, port: u16) {
    // sshd drops its privileges into this directory and does not make it.
    let _ = fs::create_dir_all("/run/sshd");
    let at = dir.display();
    let path = std::env::var("PATH").unwrap();
    fs::copy(dir.join("client.pub"), dir.join("authorized_keys")).unwrap();
    let server = format!(
        "HostKey {at}/host\nAuthorizedKeysFile {at}/authorized_keys\nPidFile none\nStrictModes no\nUsePAM no\n\
         PasswordAuthentication no\nKbdInteractiveAuthentication no\nPermitRootLogin prohibit-password\n\
         AcceptEnv GIT_PROTOCOL\nSetEnv PATH={path}\nLogLevel ERROR\n"
    );
    fs::write(dir.join("sshd_config"), server).unwrap();
    let client = format!(
        "Host *\n  UserKnownHostsFile {at}/known_hosts\n  GlobalKnownHostsFile none\n  StrictHostKeyChecking yes\n  \
         BatchMode yes\n  IdentityFile none\n  SendEnv GIT_PROTOCOL\n  LogLevel ERROR\n"
    );
    fs::write(dir.join("ssh_config"), client).unwrap();
    // ssh takes the home from the list of users, not from `HOME`, so its configuration is an argument.
    write_program(
        &dir.join("bin/ssh"),
        &format!("PATH='{path}' exec ssh -F '{at}/ssh_config' \"$@\"\n"),
    );
    know_host(dir, port, "host");
}

fn know_host(dir: &Path, port: u16, key: &str) {
    let key = fs::read_to_string(dir.join(format!("{key}.pub"))).unwrap();
    fs::write(dir.join("known_hosts"), format!("[127.0.0.1]:{port} {key}")).unwrap();
}

fn start_agent(sandbox: &Sandbox, dir: &Path) -> Child {
    let socket = dir.join("agent.sock");
    let mut agent = clean_command("ssh-agent", sandbox.root(), &sandbox.home());
    let agent = agent
        .args(["-D", "-a"])
        .arg(&socket)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    // The socket is there before anybody listens at it.
    while std::os::unix::net::UnixStream::connect(&socket).is_err() {
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    tool(sandbox, "ssh-add")
        .arg("-q")
        .arg(dir.join("client"))
        .env("SSH_AUTH_SOCK", &socket)
        .succeed();
    agent
}

fn hand_over(stream: TcpStream, config: &Path) {
    let input = OwnedFd::from(stream.try_clone().unwrap());
    let mut sshd = Command::new(SSHD);
    sshd.args(["-i", "-f"])
        .arg(config)
        .stdin(input)
        .stdout(OwnedFd::from(stream))
        .stderr(Stdio::null());
    if let Ok(mut child) = sshd.spawn() {
        std::thread::spawn(move || child.wait());
    }
}

/// A program in the place of `ssh`, which writes its arguments down and runs the command on this machine.
pub(crate) struct FakeSsh {
    program: PathBuf,
}

/// What [`FakeSsh`] does; `$dir` is its directory. A `fail-N` there is the stderr of a connection that fails, a
/// `cut-SERVICE-N` the number of bytes after which one is cut, a `before-N` what is run before the Nth fetch is answered; with
/// `version-0` it passes no version of git's protocol, as an sshd without `AcceptEnv`.
const FAKE_SSH: &str = r#"dir=$(dirname "$0")
{ printf '[%s] ' "$@"; echo; } >>"$dir/calls"
[ "$1" = -G ] && exit 0
for fault in "$dir"/fail-*; do
    # Only one process can rename it.
    if mv "$fault" "$dir/failing-$$" 2>/dev/null; then cat "$dir/failing-$$" >&2; exit 255; fi
done
while :; do
    case $1 in -o | -p | -P | -F) shift 2 ;; -*) shift ;; *) break ;; esac
done
shift
service=${1%% *}
[ ! -e "$dir/version-0" ] || unset GIT_PROTOCOL
script=$dir/before-$(grep -c git-upload-pack "$dir/calls")
[ ! -e "$script" ] || sh "$script" >&2
for fault in "$dir/cut-$service"-*; do
    # By byte, as `head` would keep them back; and the other end sees the cut although the command goes on.
    if mv "$fault" "$dir/cutting-$$" 2>/dev/null; then sh -c "$*" | { dd bs=1 count="$(cat "$dir/cutting-$$")" 2>/dev/null; kill -9 $$; }; fi
done
exec sh -c "$*"
"#;

impl FakeSsh {
    /// Writes the program at a path below the sandbox's root.
    pub(crate) fn new(sandbox: &Sandbox, path: &str) -> Self {
        let program = sandbox.root().join(path);
        write_program(&program, FAKE_SSH);
        FakeSsh { program }
    }

    /// Where it is.
    pub(crate) fn program(&self) -> &Path {
        &self.program
    }

    /// An environment in which it is on `PATH`, and that has nothing else about ssh.
    pub(crate) fn env(&self) -> Vec<(&'static str, String)> {
        vec![("PATH", path_with(self.program.parent().unwrap()))]
    }

    /// The next connections fail, after this was written to stderr.
    pub(crate) fn fail(&self, times: usize, stderr: &str) {
        self.fault("fail", times, stderr);
    }

    /// The next connections for a service (`git-upload-pack`) are cut after as many bytes.
    pub(crate) fn cut(&self, service: &str, times: usize, bytes: usize) {
        self.fault(&format!("cut-{service}"), times, &bytes.to_string());
    }

    /// Passes no version of git's protocol on, and runs a script before it answers the Nth fetch.
    pub(crate) fn before_fetch(&self, nth: usize, script: &str) {
        fs::write(self.program.with_file_name("version-0"), "").unwrap();
        fs::write(self.program.with_file_name(format!("before-{nth}")), script).unwrap();
    }

    fn fault(&self, kind: &str, times: usize, text: &str) {
        for time in 0..times {
            fs::write(self.program.with_file_name(format!("{kind}-{time}")), text).unwrap();
        }
    }

    /// The connections that are still to fail or to be cut.
    pub(crate) fn faults(&self) -> usize {
        let dir = fs::read_dir(self.program.parent().unwrap()).unwrap();
        let names = dir.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names
            .filter(|name| name.starts_with("fail-") || name.starts_with("cut-"))
            .count()
    }

    /// The arguments of each start, each in brackets.
    pub(crate) fn calls(&self) -> Vec<String> {
        let calls = fs::read_to_string(self.program.with_file_name("calls")).unwrap_or_default();
        calls
            .lines()
            .map(|line| line.trim_end().to_owned())
            .collect()
    }

    /// Forgets the calls so far.
    pub(crate) fn forget(&self) {
        let _ = fs::remove_file(self.program.with_file_name("calls"));
    }
}

/// `PATH` with this directory before all others.
fn path_with(dir: &Path) -> String {
    format!("{}:{}", dir.display(), std::env::var("PATH").unwrap())
}

fn write_program(path: &Path, script: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, format!("#!/bin/sh\n{script}")).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn tool(sandbox: &Sandbox, program: &str) -> Command {
    clean_command(program, sandbox.root(), &sandbox.home())
}

trait Succeed {
    fn succeed(&mut self) -> String;
}

impl Succeed for Command {
    fn succeed(&mut self) -> String {
        let output = self.stdin(Stdio::null()).output().unwrap();
        assert!(
            output.status.success(),
            "{self:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }
}

#[test]
fn git_clones_over_ssh_only_with_the_agent() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo_with("pdf");
    let Some(ssh) = Ssh::start(&sandbox) else {
        return;
    };
    let clone = |env: Vec<(&'static str, String)>, to: &str| {
        let mut git = tool(&sandbox, "git");
        git.args(["clone", "-q", &ssh.url(repo.path()), to])
            .current_dir(sandbox.root())
            .envs(env);
        git.stdin(Stdio::null()).output().unwrap()
    };
    let with = clone(ssh.env(), "with");
    assert!(
        with.status.success(),
        "{}",
        String::from_utf8_lossy(&with.stderr)
    );
    assert!(sandbox.root().join("with/skills/pdf/SKILL.md").exists());
    assert!(!clone(ssh.env_without_agent(), "without").status.success());
    ssh.expect_another_host_key();
    assert!(!clone(ssh.env(), "other").status.success());
    assert_eq!(ssh.connections(), 3);
}
