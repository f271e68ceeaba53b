//! What the files of a package say on its page: instructions, files, findings, capabilities, agents, tokens.

use crate::lint::untrusted_skill;
use skillpm_catalog::site::{
    AgentSupport, AuditFinding, AuditSummary, CapabilityList, FacetGroup, PackageFacet,
    PackagePage, PageFile, RuleEntry,
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
    page.capabilities = capability_lists(&dir);
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
        value: worst.map_or("clean", Severity::name).to_owned(),
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
    let place = match found.position {
        Some((line, _)) => format!("{}:{line}", finding.path),
        None => finding.path.clone(),
    };
    AuditFinding {
        severity: found.severity.map_or("low", Severity::name).to_owned(),
        code: rules::find(&found.rule).map_or(String::new(), |rule| rule.code.to_owned()),
        rule: found.rule.clone(),
        message: found.message.clone(),
        place,
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

/// What the skill uses, as `audit --capabilities` lists it.
fn capability_lists(dir: &SkillDir) -> Vec<CapabilityList> {
    let found = capabilities(dir);
    let used = |uses: Vec<CapabilityUse>| -> Vec<(String, String)> {
        let first = |one: CapabilityUse| {
            (
                one.value,
                one.locations.into_iter().next().unwrap_or_default(),
            )
        };
        uses.into_iter().map(first).collect()
    };
    let tools = found.tools.into_iter().map(|tool| (tool, String::new()));

    [
        ("Tools", tools.collect()),
        (
            "Scripts",
            found.scripts.into_iter().map(describe_script).collect(),
        ),
        ("Commands", used(found.commands)),
        ("Network", used(found.network)),
        ("Hosts", used(found.hosts)),
        ("Environment", used(found.variables)),
        ("Paths", used(found.paths)),
    ]
    .into_iter()
    .filter(|(_, values)| !values.is_empty())
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

fn describe_script(script: ScriptFile) -> (String, String) {
    (script.path, script.interpreter.unwrap_or_default())
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
