//! SK720 and SK722: doors that a skill opens for somebody else: containers that own the machine, programs that git runs,
//! keys that the skill brings along.

use super::agents::GUARDRAILS;
use super::hosts::{Address, Sort};
use super::scan::{Hit, Ledger, Pattern, Round, Tell};
use super::show::shown;
use super::system::PERSISTENCE;
use super::text::Scope;
use crate::report::Level;

pub(super) const PATTERNS: &[Pattern] = &[
    Pattern {
        triggers: &["--privileged"],
        scope: Scope::Statement,
        form: r"\b(?:docker|podman|nerdctl)\s+(?:container\s+)?(?:run|create)\b[^\n]{0,600}",
        needs: &["/:/", "source=/,", "src=/,"],
        round: Round::First,
        only: None,
        judge: owns_the_machine,
    },
    Pattern {
        triggers: &["core.fsmonitor", "core.hookspath", "init.templatedir", "core.sshcommand"],
        scope: Scope::Around(6),
        form: r#"\bgit\s+config\s[^\n]{0,40}?(?:core\.(?:fsmonitor|hookspath|sshcommand)|init\.templatedir)\s+["']?(?P<value>[^\s"'\n]+)"#,
        needs: &["://"],
        round: Round::First,
        only: None,
        judge: git_runs_what_was_fetched,
    },
    Pattern {
        triggers: &["authorized_keys"],
        scope: Scope::Statement,
        form: r"\b(?P<key>(?:ssh-(?:ed25519|rsa|dss)|ecdsa-sha2-\S{4,20})\s+AAAA[a-z0-9+/]{36,})[^\n]{0,200}?(?:>>?|\btee\b)[^\n]{0,80}?authorized_keys",
        needs: &["aaaa"],
        round: Round::First,
        only: None,
        judge: brings_a_key,
    },
];

/// Where images are published under somebody's name.
const REGISTRIES: [&str; 9] = [
    "docker.io",
    "ghcr.io",
    "quay.io",
    "gcr.io",
    "pkg.dev",
    "mcr.microsoft.com",
    "public.ecr.aws",
    "registry.k8s.io",
    "registry.gitlab.com",
];

fn owns_the_machine(hit: &Hit<'_>, ledger: &mut Ledger<'_>) {
    let text = hit.text().to_lowercase();
    let mounts_all = ["-v /:/", "-v=/:/", "--volume /:/", "--volume=/:/", "source=/,", "src=/,"]
        .iter()
        .any(|root| text.contains(root));
    if !(mounts_all && text.contains("--privileged")) {
        return;
    }
    let registry = text.split_whitespace().filter(|word| !word.starts_with(['-', '/', '$', '.'])).find_map(|word| {
        let (host, _) = word.split_once('/')?;
        let host = host.split(':').next()?;
        let is_host = host.contains('.') && host.chars().all(|c| c.is_ascii_alphanumeric() || ".-".contains(c));
        is_host.then_some(host)
    });
    let stranger = registry.filter(|host| !REGISTRIES.iter().any(|known| host.ends_with(known)));
    let (level, whose) = match stranger {
        Some(host) => (Level::Error, format!(" to an image of `{}`", shown(host))),
        None => (Level::Warning, String::new()),
    };
    let help = "give the container the directories and the rights that it needs, and no more";
    ledger.tell(hit, Tell::new(&GUARDRAILS, level, format!("gives the whole machine{whose}"), help));
}

fn git_runs_what_was_fetched(hit: &Hit<'_>, ledger: &mut Ledger<'_>) {
    let value = hit.group("value").unwrap_or_default();
    let name = value.rsplit('/').next().unwrap_or(value);
    let window = hit.view.source.span(hit.trigger, Scope::Around(6));
    let fetched = hit.whole()[window].lines().find(|line| {
        let is_download = ["curl ", "wget ", "git clone "].iter().any(|word| line.contains(word));
        is_download && name.len() > 2 && line.contains(name)
    });
    let Some(address) = fetched.and_then(Address::find) else { return };
    if !matches!(address.sort(), Sort::Nobody | Sort::Known) {
        let message = format!("makes git run what comes from `{}`, at each of its commands", shown(address.host));
        let help = "write the hook into the skill, where it can be read, and let the user put it in place";
        ledger.tell(hit, Tell::new(&PERSISTENCE, Level::Error, message, help));
    }
}

fn brings_a_key(hit: &Hit<'_>, ledger: &mut Ledger<'_>) {
    let message = "lets the owner of a key log in to this machine, and brings the key along";
    let help = "let the user name a key of theirs: `ssh-copy-id HOST`";
    ledger.tell(hit, Tell::new(&PERSISTENCE, Level::Error, message, help));
}
