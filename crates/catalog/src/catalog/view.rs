//! Views: the filters between all skills and a catalog.

use std::path::{Path, PathBuf};

use super::glob::matches_glob;
use super::permission::ToolPermissions;
use super::switches::{SwitchOutcome, SwitchRule, deciding_rule};
use super::text::one_line;
use super::{
    AgentSettings, DuplicatePolicy, GateAssumptions, HiddenReason, MissingRequirements,
    PathFinding, SkillCandidate, SkillFacts, SkillRoot, Tier, gates,
};
use skillpm_core::report::{Diagnostic, DiagnosticLevel};
use skillpm_core::skill::SkillFormat;

/// One set of filters, and its source. Patterns match names; `*` matches any characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillFilter {
    /// Who made it, for the reason: `` `[catalog]` of skillpm.toml ``.
    pub set_by: String,
    /// Whether there are skills at all.
    pub enabled: bool,
    /// Only names that fit one of these patterns; `None` for all, and an empty list for none.
    pub allow: Option<Vec<String>>,
    /// Not the names that fit one of these patterns.
    pub deny: Vec<String>,
}

impl SkillFilter {
    /// The filter of `file` that leaves out one name.
    #[must_use]
    pub fn denying(file: &str, name: &str) -> Self {
        SkillFilter {
            set_by: format!("`{file}`"),
            enabled: true,
            allow: None,
            deny: vec![name.to_owned()],
        }
    }

    /// The filter that leaves out every skill.
    #[must_use]
    pub fn disabling(set_by: String) -> Self {
        SkillFilter {
            set_by,
            enabled: false,
            allow: None,
            deny: Vec::new(),
        }
    }

    /// Why it leaves out a skill with these names: its own, and that of its directory.
    #[must_use]
    pub fn exclusion_reason(&self, names: &[&str]) -> Option<(HiddenReason, String)> {
        if !self.enabled {
            return Some((
                HiddenReason::Disabled,
                format!("skills are switched off in {}", self.set_by),
            ));
        }

        // `deny` comes before `allow`: a name that both lists fit is denied.
        let fits = |pattern: &String| names.iter().any(|name| matches_glob(pattern, name));
        if let Some(pattern) = self.deny.iter().find(|pattern| fits(pattern)) {
            return Some((
                HiddenReason::Denied,
                format!("`{}` is denied in {}", one_line(pattern), self.set_by),
            ));
        }

        let is_left_out = self
            .allow
            .as_ref()
            .is_some_and(|allow| !allow.iter().any(fits));

        is_left_out.then(|| {
            (
                HiddenReason::NotAllowed,
                format!("only others are allowed in {}", self.set_by),
            )
        })
    }
}

/// A file of an agent's own that names the skills which it always carries.
#[derive(Debug, Clone)]
pub struct AlwaysFile {
    /// The file.
    pub path: PathBuf,
    /// Line and column of each name, counted from 1, in the order of the names.
    pub positions: Vec<(usize, usize)>,
}

/// The selection of skills for a catalog.
#[derive(Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is something that an agent knows, or not"
)]
pub struct CatalogView {
    /// Only these names; `None` for all.
    pub only: Option<Vec<String>>,
    /// The filters, each of which can leave a skill out.
    pub filters: Vec<SkillFilter>,
    /// The names of the skills whose instructions the agent always carries, in its order.
    pub always: Vec<String>,
    /// The file of the agent's own that names those; `None` if `skillpm.toml` does.
    pub always_file: Option<AlwaysFile>,
    /// Permissions for tools.
    pub permissions: ToolPermissions,
    /// The facts for the gates.
    pub assumptions: GateAssumptions,
    /// The agent's own configuration, if available.
    pub settings: Option<AgentSettings>,
    /// The product name in `agents/openai.yaml`; `None` for agents that ignore that file.
    pub product: Option<&'static str>,
    /// How several skills of one name are resolved.
    pub duplicates: DuplicatePolicy,
    /// The only format that the agent reads; `None` for any.
    pub format: Option<SkillFormat>,
    /// Who forbids that a skill of the project covers another: `` `policy.deny-shadowing` in skillpm.toml ``.
    pub deny_shadowing: Option<String>,
    /// Whether the agent identifies a skill by its directory, and not by its name.
    pub ids_are_directories: bool,
    /// The switches of the agent's own configuration; of those about a skill the last counts.
    pub switches: Vec<SwitchRule>,
    /// Whether requirements of the machine count; some agents do not know them.
    pub knows_gates: bool,
    /// Whether `disable-model-invocation` counts; some agents do not know it.
    pub knows_invocation: bool,
    /// Whether what disables invocation is not loaded at all.
    pub drops_by_invocation: bool,
    /// Whether a skill with `paths` is hidden until one of these files is worked on.
    pub knows_paths: bool,
}

impl CatalogView {
    /// Everything that these assumptions leave.
    #[must_use]
    pub fn with_assumptions(assumptions: GateAssumptions) -> Self {
        CatalogView {
            only: None,
            filters: Vec::new(),
            always: Vec::new(),
            always_file: None,
            permissions: ToolPermissions::default(),
            assumptions,
            settings: None,
            product: None,
            duplicates: DuplicatePolicy::OneWins,
            format: None,
            deny_shadowing: None,
            ids_are_directories: false,
            switches: Vec::new(),
            knows_gates: true,
            knows_invocation: true,
            drops_by_invocation: false,
            knows_paths: false,
        }
    }

    /// Whether a filter, of skillpm or of the agent itself, switches skills off altogether.
    #[must_use]
    pub fn is_disabled(&self) -> bool {
        let of_agent = self.settings.iter().flat_map(|settings| &settings.filters);

        self.filters
            .iter()
            .chain(of_agent)
            .any(|filter| !filter.enabled)
    }

    /// The missing requirements of a candidate in `tier`, and why it is hidden, if it is.
    #[must_use]
    pub fn check_candidate(
        &self,
        candidate: &SkillCandidate,
        tier: Tier,
        roots: &[SkillRoot],
    ) -> (MissingRequirements, Option<(HiddenReason, String)>) {
        let name = &*candidate.listing.name;
        let missing = self.find_missing(candidate);

        // The first reason counts; docs/views.md lists them in this order.
        let why = self
            .request_reason(candidate)
            .or_else(|| find_exclusion(&self.filters, &[name, candidate.id()]))
            .or_else(|| self.settings_reason(candidate))
            .or_else(|| self.switch_reason(candidate, roots))
            .or_else(|| self.bundled_reason(name, tier))
            .or_else(|| {
                (!missing.is_empty()).then(|| (HiddenReason::Ineligible, missing.sentence()))
            })
            .or_else(|| self.codex_reason(candidate))
            .or_else(|| self.shown_reason(candidate))
            .or_else(|| self.invocation_reason(candidate.listing.facts()));

        (missing, why)
    }

    /// Why a skill is not among those that were asked for by name.
    fn request_reason(&self, candidate: &SkillCandidate) -> Option<(HiddenReason, String)> {
        let only = self.only.as_ref()?;

        (!only.iter().any(|wanted| candidate.is_called(wanted))).then(|| {
            (
                HiddenReason::NotAskedFor,
                "only others were asked for".to_owned(),
            )
        })
    }

    /// Why the agent's own configuration leaves a skill out.
    fn settings_reason(&self, candidate: &SkillCandidate) -> Option<(HiddenReason, String)> {
        let settings = self.settings.as_ref()?;

        // The settings know a skill by its own key, and skillpm.toml by its name.
        find_exclusion(&settings.filters, &[settings_key(candidate)])
    }

    /// Why a switch of the agent's own leaves a skill out.
    fn switch_reason(
        &self,
        candidate: &SkillCandidate,
        roots: &[SkillRoot],
    ) -> Option<(HiddenReason, String)> {
        let rule = deciding_rule(&self.switches, candidate, roots)?;
        (rule.outcome == SwitchOutcome::Hidden).then(|| {
            let name = one_line(candidate.shown_name());
            (
                HiddenReason::Denied,
                format!("`{name}` is switched off in {}", rule.set_by),
            )
        })
    }

    /// Whether a switch of the agent's own keeps the description of a skill out of its list.
    pub(super) fn lists_name_only(&self, candidate: &SkillCandidate, roots: &[SkillRoot]) -> bool {
        deciding_rule(&self.switches, candidate, roots)
            .is_some_and(|rule| rule.outcome == SwitchOutcome::NameOnly)
    }

    /// Why the agent's own configuration leaves a bundled skill out.
    fn bundled_reason(&self, name: &str, tier: Tier) -> Option<(HiddenReason, String)> {
        // OpenClaw's list is about the skills that come with it; the others pass whatever it says.
        let allow = self
            .settings
            .as_ref()
            .filter(|_| tier == Tier::Bundled)?
            .allow_bundled
            .as_ref()?;

        (!allow.iter().any(|allowed| allowed == name)).then(|| {
            (
                HiddenReason::NotAllowed,
                "the agent's `allowBundled` has others only".to_owned(),
            )
        })
    }

    /// Why the skill's `agents/openai.yaml` keeps it from the product that looks.
    fn codex_reason(&self, candidate: &SkillCandidate) -> Option<(HiddenReason, String)> {
        let (product, codex) = (self.product?, candidate.codex()?);

        // Authors spell the product in any case.
        let is_for = |other: &String| other.eq_ignore_ascii_case(product);
        if !codex.products.is_empty() && !codex.products.iter().any(is_for) {
            return Some((
                HiddenReason::NotAllowed,
                "its `agents/openai.yaml` is for other products".to_owned(),
            ));
        }

        (codex.allow_implicit_invocation == Some(false)).then(|| {
            let by = "its `agents/openai.yaml` disables invocation by the model";
            (HiddenReason::NotModelInvocable, by.to_owned())
        })
    }

    /// Why the agent's list has no place for a skill that it loads.
    fn shown_reason(&self, candidate: &SkillCandidate) -> Option<(HiddenReason, String)> {
        // A command is listed whatever is worked on.
        let gates = candidate.listing.facts().gates.as_ref()?;
        (candidate.command.is_none() && self.knows_paths && !gates.paths.is_empty()).then(|| {
            let because = "the agent lists it once a file is worked on that fits its `paths`";
            (HiddenReason::Ineligible, because.to_owned())
        })
    }

    /// Why a skill keeps itself from models.
    fn invocation_reason(&self, facts: &SkillFacts) -> Option<(HiddenReason, String)> {
        self.knows_invocation
            .then(|| invocation_reason(facts))
            .flatten()
    }

    /// The same of a skill that the agent does not load.
    pub(super) fn dropped_reason(&self, facts: &SkillFacts) -> Option<(HiddenReason, String)> {
        self.drops_by_invocation
            .then(|| invocation_reason(facts))
            .flatten()
    }

    fn find_missing(&self, candidate: &SkillCandidate) -> MissingRequirements {
        let gates = candidate.listing.facts().gates.as_ref();
        let Some(gates) = gates.filter(|_| self.knows_gates) else {
            return MissingRequirements::default();
        };

        let mut missing = gates::find_missing(gates, &self.assumptions);
        // A variable that the agent sets for the skill is there for it, though not in our
        // environment.
        if let Some(settings) = &self.settings {
            let (key, primary) = (settings_key(candidate), gates.primary_env.as_deref());
            missing
                .env
                .retain(|variable| !settings.provides(key, variable, primary));
        }

        missing
    }
}

/// The first reason of the filters to leave out a skill of these names, or of this key.
fn find_exclusion(filters: &[SkillFilter], names: &[&str]) -> Option<(HiddenReason, String)> {
    filters
        .iter()
        .find_map(|filter| filter.exclusion_reason(names))
}

/// Why a skill keeps itself from models.
fn invocation_reason(facts: &SkillFacts) -> Option<(HiddenReason, String)> {
    if facts.model_invocable {
        return None;
    }

    // With neither, the skill can be reached only by another that requires it.
    let user_note = if facts.user_invocable {
        ""
    } else {
        ", nor a person call it by name"
    };

    Some((
        HiddenReason::NotModelInvocable,
        format!("it disables invocation by the model{user_note}"),
    ))
}

/// What an agent's own configuration knows a skill by.
fn settings_key(candidate: &SkillCandidate) -> &str {
    let own = candidate
        .listing
        .facts()
        .gates
        .as_ref()
        .and_then(|gates| gates.skill_key.as_deref());
    own.unwrap_or(&candidate.listing.name)
}

/// The findings that skills which are always to be carried are not there.
pub(super) fn always_absent_findings(
    view: &CatalogView,
    is_absent: impl Fn(&str) -> bool,
) -> Vec<PathFinding> {
    // The key is the manifest's `always`, or in the agent's own file Yodoca's `uses_skills`.
    let (key, path) = match &view.always_file {
        Some(file) => ("uses_skills", file.path.as_path()),
        None => ("always", Path::new("skillpm.toml")),
    };
    let position = |at: usize| view.always_file.as_ref()?.positions.get(at).copied();

    let names = view.always.iter().enumerate();
    names
        .filter(|(_, name)| is_absent(name))
        .map(|(at, name)| PathFinding {
            path: path.to_owned(),
            diagnostic: Diagnostic {
                position: position(at),
                ..Diagnostic::new(
                    "always-absent",
                    DiagnosticLevel::Warning,
                    format!("skill `{}` of `{key}` not found", one_line(name)),
                )
                .help(format!("remove it from `{key}`, or add the skill"))
            },
        })
        .collect()
}
