//! `ci/update/propose.sh`, against a bare repository and a server with the part of GitHub's API that it uses.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use super::{Output, Path, PathBuf, fs, has_programs, root, text};
use crate::support::{Sandbox, Server};

const TOKEN: &str = "ghs_0123456789abcdef";
const PULLS: &str = "/repos/acme/app/pulls";

/// A project on a host, with one skill that is outdated.
struct HostedProject {
    sandbox: Sandbox,
    server: Server,
    is_open: Arc<AtomicBool>,
}

impl HostedProject {
    fn prepare() -> Option<HostedProject> {
        if !has_programs(&["bash", "git", "curl", "jq"]) {
            return None;
        }
        let sandbox = Sandbox::new();
        let server = Server::start(&sandbox);
        let is_open = Arc::new(AtomicBool::new(false));
        let open = Arc::clone(&is_open);
        server.handle(Arc::new(move |path, query| answer(path, query, &open)));
        let project = HostedProject {
            sandbox,
            server,
            is_open,
        };

        project.shell(
            &project.sandbox.root().join("home"),
            "git init -q --bare app.git && git init -q app && cd app && git remote add origin ~/app.git && \
             printf '[dependencies]\\ncommit-messages = \"^1.0\"\\n' > skillpm.toml && skillpm -q lock && \
             skillpm -q update commit-messages --precise 1.0.0 && git add -A && git commit -qm first && git push -q origin main",
        );
        Some(project)
    }

    /// Runs a script, which has to succeed; gives what it printed.
    #[track_caller]
    fn shell(&self, dir: &Path, script: &str) -> String {
        let output = self
            .sandbox
            .shell(script)
            .current_dir(dir)
            .output()
            .unwrap();
        assert!(output.status.success(), "{script}: {}", text(&output));
        String::from_utf8(output.stdout)
            .unwrap()
            .trim_end()
            .to_owned()
    }

    /// A new clone, as a job has one, of so many commits.
    fn clone_with_depth(&self, depth: usize) -> PathBuf {
        let clone = self.sandbox.root().join("clone");
        let _ = fs::remove_dir_all(&clone);
        let command = format!(
            "git clone -q --depth {depth} file://$HOME/app.git '{}'",
            clone.display()
        );
        self.shell(self.sandbox.root(), &command);
        clone
    }

    fn propose_with(&self, clone: &Path, arguments: &str) -> Output {
        self.server.forget();
        let _ = fs::remove_file(self.sandbox.root().join("output"));
        self.sandbox
            .shell("exec \"$SCRIPT\"")
            .env("SCRIPT", root().join("ci/update/propose.sh"))
            .env("GITHUB_API_URL", self.server.url("").trim_end_matches('/'))
            .env("GITHUB_REPOSITORY", "acme/app")
            .env("GITHUB_TOKEN", TOKEN)
            .env("GITHUB_OUTPUT", self.sandbox.root().join("output"))
            .env("ARGS", arguments)
            .current_dir(clone)
            .output()
            .unwrap()
    }

    fn propose(&self) -> Output {
        self.propose_with(&self.clone_with_depth(1), "")
    }

    fn outputs(&self) -> String {
        fs::read_to_string(self.sandbox.root().join("output")).unwrap()
    }

    /// What a git command prints for the repository on the host.
    #[track_caller]
    fn on_host(&self, arguments: &str) -> String {
        self.shell(
            self.sandbox.root(),
            &format!("git -C home/app.git {arguments}"),
        )
    }

    /// Methods and paths of the requests.
    fn requests(&self) -> Vec<String> {
        self.server
            .requests()
            .into_iter()
            .map(|request| request.line)
            .collect()
    }

    /// The body of the last request.
    fn last_body(&self) -> Value {
        serde_json::from_slice(&self.server.requests().last().unwrap().body).unwrap()
    }
}

/// GitHub, as far as the script uses it: a list of pull requests if there is a query, else one pull request.
fn answer(path: &str, query: &str, is_open: &AtomicBool) -> Option<(u16, &'static str, Vec<u8>)> {
    let pull = json!({"number": 7, "html_url": "https://github.com/acme/app/pull/7"});
    let body = match path {
        PULLS if !query.is_empty() && is_open.load(Ordering::SeqCst) => json!([pull]),
        PULLS if !query.is_empty() => json!([]),
        PULLS | "/repos/acme/app/pulls/7" => pull,
        _ => return None,
    };
    Some((200, "application/json", body.to_string().into_bytes()))
}

#[test]
fn proposal_opens_a_pull_request_with_the_diff_as_its_text() {
    let Some(project) = HostedProject::prepare() else {
        return;
    };
    let output = project.propose();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert!(
        text(&output).ends_with("Pull request 7: https://github.com/acme/app/pull/7\n"),
        "{}",
        text(&output)
    );
    assert_eq!(project.outputs(), "changed=true\npull-request=7\n");

    let query = "state=open&base=main&head=acme:skillpm/update";
    assert_eq!(
        project.requests(),
        [format!("GET {PULLS}?{query}"), format!("POST {PULLS}")]
    );
    let bearer = format!("Bearer {TOKEN}");
    assert!(
        project
            .server
            .requests()
            .iter()
            .all(|request| request.headers.get("authorization") == Some(&bearer))
    );
    assert!(!text(&output).contains(TOKEN));

    let body = project.last_body();
    assert_eq!(
        (&body["title"], &body["head"], &body["base"]),
        (
            &"Update skills".into(),
            &"skillpm/update".into(),
            &"main".into()
        )
    );
    let body = body["body"].as_str().unwrap();
    assert!(
        body.contains("     Updated commit-messages 1.0.0 -> 1.2.0\n"),
        "{body}"
    );
    // The diff has fences of three backticks.
    assert!(
        body.contains("\n````diff\ndiff --git a/.agents/skills/commit-messages/SKILL.md "),
        "{body}"
    );
    assert!(body.ends_with("\n````\n"), "{body}");

    assert_eq!(
        project.on_host("log --format='%cn %s' main..skillpm/update"),
        "skillpm Update skills"
    );
    let lock = project.on_host("show skillpm/update:skillpm.lock");
    assert!(lock.contains("version = \"1.2.0\""), "{lock}");
    assert_eq!(
        project
            .on_host("show main:skillpm.lock")
            .matches("1.0.0")
            .count(),
        1
    );
}

#[test]
fn second_proposal_updates_its_pull_request_and_pushes_nothing() {
    let Some(project) = HostedProject::prepare() else {
        return;
    };
    project.propose();
    let commit = project.on_host("rev-parse skillpm/update");
    project.is_open.store(true, Ordering::SeqCst);
    let output = project.propose();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert!(
        project.requests()[1].starts_with("PATCH /repos/acme/app/pulls/7"),
        "{:?}",
        project.requests()
    );
    assert_eq!(project.on_host("rev-parse skillpm/update"), commit);
}

#[test]
fn proposal_moves_its_branch_onto_a_newer_base() {
    let Some(project) = HostedProject::prepare() else {
        return;
    };
    project.propose();
    project.is_open.store(true, Ordering::SeqCst);
    let app = project.sandbox.root().join("home/app");
    for number in 0..3 {
        project.shell(&app, &format!("echo {number} > readme && git add -A && git commit -qm 'change {number}' && git push -q origin main"));
    }
    // Of so few commits, this clone has not the one that the branch began at.
    let output = project.propose();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert_eq!(
        project.on_host("log --format=%s skillpm/update"),
        "Update skills\nchange 2\nchange 1\nchange 0\nfirst"
    );
}

#[test]
fn proposal_without_anything_newer_does_nothing() {
    let Some(project) = HostedProject::prepare() else {
        return;
    };
    let app = project.sandbox.root().join("home/app");
    project.shell(
        &app,
        "skillpm -q update && git add -A && git commit -qm update && git push -q origin main",
    );
    let output = project.propose();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert_eq!(project.requests().len(), 0);
    assert_eq!(project.outputs(), "changed=false\n");
    assert_eq!(
        project.on_host("for-each-ref --format='%(refname)'"),
        "refs/heads/main"
    );
}

#[test]
fn branch_with_commits_of_others_is_left_as_it_is() {
    let Some(project) = HostedProject::prepare() else {
        return;
    };
    project.propose();
    let clone = project.clone_with_depth(1);
    project.shell(
        &clone,
        "git fetch -q origin skillpm/update && git checkout -q FETCH_HEAD && echo mine > mine && git add -A && \
         git commit -qm mine && git push -q origin HEAD:skillpm/update",
    );
    let commit = project.on_host("rev-parse skillpm/update");
    let output = project.propose();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert!(
        text(&output).contains("::warning::skillpm/update has commits of others"),
        "{}",
        text(&output)
    );
    assert_eq!(project.on_host("rev-parse skillpm/update"), commit);
    assert_eq!(
        (project.requests().len(), project.outputs().as_str()),
        (0, "changed=false\n")
    );
}

#[test]
fn refused_request_of_a_proposal_is_an_error_with_help() {
    let Some(project) = HostedProject::prepare() else {
        return;
    };
    project.server.handle(Arc::new(|_, _| {
        let body = json!({"message": "Resource not accessible by integration"});
        Some((403, "application/json", body.to_string().into_bytes()))
    }));
    let output = project.propose();
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    let printed = text(&output);
    assert!(
        printed.contains("answered 403: Resource not accessible by integration\nhelp: "),
        "{printed}"
    );
}

#[test]
fn update_that_fails_opens_no_pull_request() {
    let Some(project) = HostedProject::prepare() else {
        return;
    };
    let clone = project.clone_with_depth(1);
    let output = project.propose_with(&clone, "no-such-skill");
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    assert!(
        text(&output)
            .contains("error: skillpm update failed, and no pull request was opened\nhelp: "),
        "{}",
        text(&output)
    );
    assert_eq!(project.requests().len(), 0);

    project.shell(&clone, "echo changed > changed");
    let output = project.propose_with(&clone, "");
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text(&output).starts_with("error: the working tree has changes\nhelp: "),
        "{}",
        text(&output)
    );
}
