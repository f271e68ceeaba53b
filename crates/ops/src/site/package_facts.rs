//! What the files of a package say on its page: instructions, files, findings, capabilities, agents, tokens.

use serde_json::Value;

use crate::lint::untrusted_skill;
use skillpm_catalog::site::{
    AgentSupport, AuditFinding, AuditSummary, CapabilityList, FacetGroup, FilePlace, PackageFacet,
    PackagePage, PageFile, RuleEntry, UsedValue,
};
use skillpm_core::package::Tree;
use skillpm_core::report::{FileFinding, Severity};
use skillpm_core::skill::{Skill, SkillFormat, tokens};
use skillpm_lint::agents::{self, AgentModel, LoadOutcome};
use skillpm_lint::capabilities::{CapabilityUse, ScriptFile, capabilities};
use skillpm_lint::{LintSettings, SkillDir, rules};

/// The largest part of a file that its page shows, in bytes.
const FILE_SHOWN_MAX: usize = 32 << 10;

/// The limit of bytes that are shown of all files of a package.
const FILES_SHOWN_MAX: usize = 192 << 10;

/// The most findings that a page lists.
const FINDINGS_MAX: usize = 25;

/// The most values of one kind of capability that a page lists.
const CAPABILITIES_MAX: usize = 8;

/// Adds to a page what the files of a package say.
pub(crate) fn add_tree(
    page: &mut PackagePage,
    directory: &str,
    tree: &Tree,
    skill: Option<&Skill>,
) {
    let dir = untrusted_skill("", directory, tree.clone());

    page.files = page_files(tree);
    add_audit(page, &dir);
    page.capabilities = capability_lists(&dir, skill);
    if let Some(skill) = skill {
        add_skill(page, directory, tree, skill);
    }
}

/// Adds the facts of the skill's own file.
fn add_skill(page: &mut PackagePage, directory: &str, tree: &Tree, skill: &Skill) {
    let file = match skill.format {
        SkillFormat::SkillMd => "SKILL.md",
        // Of the other formats, only Nova's has instructions.
        _ => "instructions.md",
    };
    if let Some(text) = tree.get(file).map(String::from_utf8_lossy) {
        let start = match skill.format {
            SkillFormat::SkillMd => skill.body_start,
            _ => 0,
        };
        page.instructions = text
            .get(start..)
            .map(str::to_owned)
            .filter(|body| !body.trim().is_empty());
        page.row.tokens = Some(tokens::approximate(&text));
        if skill.format == SkillFormat::SkillMd {
            add_agents(page, &text, directory);
        }
    }

    let listed = format!("{}: {}", page.row.name, page.row.description);
    page.listing_tokens = Some(tokens::approximate(&listed));
    let facts = [
        ("Author", &skill.author),
        ("Homepage", &skill.homepage),
        ("Compatibility", &skill.compatibility),
    ];
    for (label, value) in facts {
        page.facts
            .extend(value.iter().map(|value| (label.to_owned(), value.clone())));
    }
    if skill.format != SkillFormat::SkillMd {
        page.facts
            .push(("Format".to_owned(), skill.format.name().to_owned()));
    }
}

/// The files, with the text of those that a page can show.
fn page_files(tree: &Tree) -> Vec<PageFile> {
    let mut left = FILES_SHOWN_MAX;
    let describe = |(path, file): (
        &skillpm_core::package::RelPath,
        &skillpm_core::package::TreeFile,
    )| {
        let text = std::str::from_utf8(&file.bytes)
            .ok()
            .filter(|text| !text.is_empty() && !text.contains('\0') && left > 0);
        let shown = text.map(|text| {
            let end = text.floor_char_boundary(FILE_SHOWN_MAX.min(left));
            left -= end;
            text[..end].to_owned()
        });
        PageFile {
            path: path.to_string(),
            size: file.bytes.len() as u64,
            executable: file.executable,
            is_cut: shown
                .as_ref()
                .is_some_and(|shown| shown.len() < file.bytes.len()),
            text: shown,
        }
    };
    tree.files().map(describe).collect()
}

/// Runs the static rules, as `audit` does.
fn add_audit(page: &mut PackagePage, dir: &SkillDir) {
    let mut findings = skillpm_lint::audit(dir, &LintSettings::default());
    // The worst first; the order of files stays for those of one severity.
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.diagnostic.severity));

    let worst = findings
        .first()
        .and_then(|finding| finding.diagnostic.severity);
    page.row.facets.push(PackageFacet {
        group: FacetGroup::Audit,
        value: worst.map_or("none", Severity::name).to_owned(),
    });

    let more = findings.len().saturating_sub(FINDINGS_MAX);
    page.audit = Some(AuditSummary {
        findings: findings
            .iter()
            .take(FINDINGS_MAX)
            .map(audit_finding)
            .collect(),
        more,
    });
}

fn audit_finding(finding: &FileFinding) -> AuditFinding {
    let found = &finding.diagnostic;
    AuditFinding {
        severity: found.severity.map_or("low", Severity::name).to_owned(),
        code: rules::find(&found.rule).map_or(String::new(), |rule| rule.code.to_owned()),
        rule: found.rule.clone(),
        message: found.message.clone(),
        place: FilePlace {
            path: finding.path.clone(),
            line: found.position.map(|(line, _)| line),
        },
    }
}

/// Adds how each modeled agent loads the skill.
fn add_agents(page: &mut PackagePage, text: &str, directory: &str) {
    for agent in AgentModel::ALL {
        let (is_listed, problem) = match agents::load(agent, text, directory) {
            LoadOutcome::Listed { .. } => (true, None),
            LoadOutcome::Degraded { .. } => {
                (true, Some("lists it without its frontmatter".to_owned()))
            }
            LoadOutcome::Dropped(reason) => (false, Some(reason)),
        };
        if is_listed {
            page.row.facets.push(PackageFacet {
                group: FacetGroup::Agent,
                value: agent_title(agent),
            });
        }
        page.agents.push(AgentSupport {
            title: agent_title(agent),
            problem,
            is_listed,
        });
    }
}

/// The name of an agent without the marks that it has in messages.
fn agent_title(agent: AgentModel) -> String {
    agent.title().trim_matches('`').to_owned()
}

/// What the skill uses, as `audit --capabilities` lists it, but for the hosts of links about the skill.
fn capability_lists(dir: &SkillDir, skill: Option<&Skill>) -> Vec<CapabilityList> {
    let mut found = capabilities(dir);
    remove_own_links(&mut found.hosts, dir, skill);
    remove_own_links(&mut found.network, dir, skill);
    let used = |uses: Vec<CapabilityUse>| uses.into_iter().map(used_value).collect();
    let tools = found.tools.into_iter().map(|name| UsedValue {
        name,
        ..UsedValue::default()
    });

    [
        ("Tools", tools.collect()),
        (
            "Scripts",
            found.scripts.into_iter().map(script_value).collect(),
        ),
        ("Commands", used(found.commands)),
        ("Network", used(found.network)),
        ("Hosts", used(found.hosts)),
        ("Environment", used(found.variables)),
        ("Paths", used(found.paths)),
    ]
    .into_iter()
    .filter(|(_, values): &(_, Vec<UsedValue>)| !values.is_empty())
    .map(|(label, mut values)| {
        let more = values.len().saturating_sub(CAPABILITIES_MAX);
        values.truncate(CAPABILITIES_MAX);
        CapabilityList {
            label: label.to_owned(),
            values,
            more,
        }
    })
    .collect()
}

fn used_value(used: CapabilityUse) -> UsedValue {
    let first = used.locations.first();
    let place = first.and_then(|place| place.rsplit_once(':'));
    UsedValue {
        place: place.map(|(path, line)| FilePlace {
            path: path.to_owned(),
            line: line.parse().ok(),
        }),
        name: used.value,
        note: String::new(),
    }
}

fn script_value(script: ScriptFile) -> UsedValue {
    UsedValue {
        name: script.path,
        note: script.interpreter.unwrap_or_default(),
        place: None,
    }
}

/// Keys of a skill's frontmatter with links about the skill and its author, which no agent follows.
const LINK_KEYS: [&str; 8] = [
    "author",
    "authors",
    "documentation",
    "homepage",
    "license",
    "repository",
    "source",
    "url",
];

/// Removes the hosts that are only in links about the skill: those of its manifest, and of such keys in its frontmatter.
fn remove_own_links(uses: &mut Vec<CapabilityUse>, dir: &SkillDir, skill: Option<&Skill>) {
    let page = dir.skill_file();
    let head = page.and_then(|page| page.text()?.get(..skill?.body_start));
    let head_end = head.map_or(0, |head| head.lines().count());
    let is_about_skill = |place: &str| match place.rsplit_once(':') {
        Some((path, line)) if page.is_some_and(|page| *page.path == *path) => {
            line.parse().is_ok_and(|line: usize| line <= head_end)
        }
        Some((path, _)) => path == "skillpm.toml",
        None => false,
    };

    let mut followed = String::new();
    if let Some(skill) = skill {
        collect_followed(&skill.frontmatter, true, &mut followed);
    }
    uses.retain_mut(|used| {
        // What an agent reads there is a use as well.
        if followed.contains(&used.value) {
            return true;
        }
        used.locations.retain(|place| !is_about_skill(place));
        !used.locations.is_empty()
    });
}

/// Collects the texts of a frontmatter that an agent reads or runs, in lower case.
fn collect_followed(value: &Value, has_links: bool, followed: &mut String) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                let key = key.to_lowercase();
                if !(has_links && LINK_KEYS.contains(&key.as_str())) {
                    // Deeper keys of these names are of hooks and servers, which are requested.
                    collect_followed(value, has_links && key == "metadata", followed);
                }
            }
        }
        Value::Array(values) => {
            for value in values {
                collect_followed(value, false, followed);
            }
        }
        Value::String(text) => {
            followed.push_str(&text.to_lowercase());
            followed.push('\n');
        }
        _ => {}
    }
}

/// The rules that findings link to, by code.
pub(crate) fn rule_entries() -> Vec<RuleEntry> {
    let audited = rules::all().filter(|rule| rule.is_audited());
    let mut entries: Vec<RuleEntry> = audited
        .map(|rule| RuleEntry {
            code: rule.code.to_owned(),
            name: rule.name.to_owned(),
            severity: rule
                .level
                .and_then(|level| rule.severity_at(level))
                .map_or("low", Severity::name)
                .to_owned(),
            summary: rule.docs.finds.to_owned(),
            reason: rule.docs.hurts.to_owned(),
        })
        .collect();
    entries.sort_by(|a, b| a.code.cmp(&b.code));
    entries
}
