//! SK720 and SK722: access for a third party: containers with full access to the machine, programs
//! that git runs, SSH keys that the skill contains.

use super::agents::GUARDRAILS;
use super::hosts::{self, HostClass, WebAddress};
use super::pattern_table;
use super::redact::redact_text;
use super::scan::SecurityPattern;
use super::sink::{FindingSink, PatternFinding};
use super::system::PERSISTENCE;
use super::text::WindowScope;
use super::view::PatternMatch;
use skillpm_core::report::DiagnosticLevel;

pub(super) const PATTERNS: &[SecurityPattern] = pattern_table!("footholds");

fn check_privileged_container(hit: &PatternMatch<'_>, sink: &mut FindingSink<'_>) {
    let text = hit.text().to_lowercase();
    let mounts_all = [
        "-v /:/",
        "-v=/:/",
        "--volume /:/",
        "--volume=/:/",
        "source=/,",
        "src=/,",
    ]
    .iter()
    .any(|root| text.contains(root));

    // Either alone is usual: a build needs privileges, and a backup reads the disk.
    if !(mounts_all && text.contains("--privileged")) {
        return;
    }

    // The image is the first word with a host in front of its first slash.
    let registry = text
        .split_whitespace()
        .filter(|word| !word.starts_with(['-', '/', '$', '.']))
        .find_map(image_host);
    // An image without a host is from Docker Hub.
    let unknown_registry = registry.filter(|host| {
        !hosts::IMAGE_REGISTRIES
            .iter()
            .any(|known| host.ends_with(known))
    });

    let (level, image) = match unknown_registry {
        Some(host) => (
            DiagnosticLevel::Error,
            format!(", running an image from `{}`", redact_text(host)),
        ),
        None => (DiagnosticLevel::Warning, String::new()),
    };
    let help = "give the container only the directories and privileges that it needs";
    sink.report(
        hit,
        PatternFinding::new(
            &GUARDRAILS,
            level,
            format!("gives a privileged container full access to the machine{image}"),
            help,
        ),
    );
}

/// Returns the host of an image such as `host:5000/name`; `None` if it has no host.
fn image_host(word: &str) -> Option<&str> {
    let (host, _) = word.split_once('/')?;
    let host = host.split(':').next()?;
    let is_host = host.contains('.')
        && host
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || ".-".contains(c));
    is_host.then_some(host)
}

fn check_git_hook(hit: &PatternMatch<'_>, sink: &mut FindingSink<'_>) {
    let value = hit.group("value").unwrap_or_default();
    let name = value.rsplit('/').next().unwrap_or(value);
    let window = hit
        .view
        .source
        .window_range(hit.trigger, WindowScope::Around(6));

    // The hook is fetched close by: git would run whatever the host serves.
    let fetched = hit.full_text()[window].lines().find(|line| {
        let is_download = ["curl ", "wget ", "git clone "]
            .iter()
            .any(|word| line.contains(word));
        // Shorter names are parts of other words.
        is_download && name.len() > 2 && line.contains(name)
    });

    let Some(address) = fetched.and_then(WebAddress::find) else {
        return;
    };

    if !matches!(
        address.host_class(),
        HostClass::NonPublic | HostClass::Known
    ) {
        let message = format!(
            "makes git run a download from `{}` with each of its commands",
            redact_text(address.host)
        );
        let help =
            "put the hook into the skill, where it can be reviewed, and let the user install it";
        sink.report(
            hit,
            PatternFinding::new(&PERSISTENCE, DiagnosticLevel::Error, message, help),
        );
    }
}

fn report_authorized_key(hit: &PatternMatch<'_>, sink: &mut FindingSink<'_>) {
    let message =
        "adds an SSH key from the skill to `authorized_keys`: its owner can log in to this machine";
    let help = "let the user add a key of their own: `ssh-copy-id HOST`";
    sink.report(
        hit,
        PatternFinding::new(&PERSISTENCE, DiagnosticLevel::Error, message, help),
    );
}
