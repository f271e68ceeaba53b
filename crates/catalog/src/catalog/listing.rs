//! A skill's descriptor, in a compact form for listings of a hundred thousand skills.

use std::borrow::Cow;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use super::text::one_line;
use skillpm_core::skill::formats::devai;
use skillpm_core::skill::{
    EnvVar, InstallMethod, RunSettings, Skill, SkillFormat, SkillGates, SkillTool,
};

/// A [`Skill`] without its frontmatter's text: what a catalog shows of it.
///
/// A skill with nothing but name and description, and those are most, takes two strings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillListing {
    /// The frontmatter's `name`, or the directory's name where it has none.
    pub name: Box<str>,
    /// What the skill does and when to use it.
    pub description: Box<str>,
    /// Where the instructions begin, in bytes of the file.
    pub body_start: u32,
    facts: Option<Box<SkillFacts>>,
}

/// Rare fields, with the common values as defaults.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "four independent facts of the frontmatter"
)]
pub struct SkillFacts {
    /// The format it is written in.
    pub format: SkillFormat,
    /// What people call it, where that is not the name.
    pub display_name: Option<Box<str>>,
    /// When to use it, if that is a field of its own.
    pub when_to_use: Option<Box<str>>,
    /// Whether the frontmatter has a `name` of its own.
    pub named: bool,
    /// Whether a model may choose the skill by itself.
    pub model_invocable: bool,
    /// Whether a person may call it by name.
    pub user_invocable: bool,
    /// Whether it is hidden from those who choose among a repository's skills.
    pub internal: bool,
    /// The version, as written.
    pub version: Option<Box<str>>,
    /// The license.
    pub license: Option<Box<str>>,
    /// What it says it runs on.
    pub compatibility: Option<Box<str>>,
    /// Who wrote it.
    pub author: Option<Box<str>>,
    /// Its page.
    pub homepage: Option<Box<str>>,
    /// Its tags.
    pub tags: Box<[Box<str>]>,
    /// The skills it builds on, each `name` or `name@req`.
    pub requires: Box<[Box<str>]>,
    /// The tools it asks leave for.
    pub allowed_tools: Box<[Box<str>]>,
    /// What it declares to be called.
    pub tools: Box<[SkillTool]>,
    /// The words it takes when a person calls it by name.
    pub arguments: Box<[Box<str>]>,
    /// The argument hint shown to a person.
    pub argument_hint: Option<Box<str>>,
    /// How an agent is to run it; `None` for nothing said.
    pub run: Option<Box<RunSettings>>,
    /// How what it needs can be installed.
    pub install: Box<[InstallMethod]>,
    /// The environment variables it reads.
    pub env_vars: Box<[EnvVar]>,
    /// What must be there for it to be of use; `None` for nothing.
    pub gates: Option<Box<SkillGates>>,
}

impl Default for SkillFacts {
    fn default() -> Self {
        SkillFacts {
            format: SkillFormat::SkillMd,
            display_name: None,
            when_to_use: None,
            // The defaults are those of a frontmatter with `name` and `description` alone, not
            // `false` for all.
            named: true,
            model_invocable: true,
            user_invocable: true,
            internal: false,
            version: None,
            license: None,
            compatibility: None,
            author: None,
            homepage: None,
            tags: Box::default(),
            requires: Box::default(),
            allowed_tools: Box::default(),
            tools: Box::default(),
            arguments: Box::default(),
            argument_hint: None,
            run: None,
            install: Box::default(),
            env_vars: Box::default(),
            gates: None,
        }
    }
}

impl SkillListing {
    /// A skill of which nothing is known but what an agent shows of it.
    #[must_use]
    pub fn from_shown(name: &str, description: &str) -> Self {
        SkillListing {
            name: name.into(),
            description: description.into(),
            body_start: 0,
            facts: None,
        }
    }

    /// Rare fields.
    #[must_use]
    pub fn facts(&self) -> &SkillFacts {
        // One value for all skills without rare fields, so that callers need not ask whether there
        // are any.
        static DEFAULT_FACTS: LazyLock<SkillFacts> = LazyLock::new(SkillFacts::default);

        self.facts.as_deref().unwrap_or(&DEFAULT_FACTS)
    }

    /// The purpose shown to a model, on one line: its description, and when to use it if that is a field of its own.
    #[must_use]
    pub fn summary(&self) -> Cow<'_, str> {
        let description = one_line(&self.description);

        match self.facts().when_to_use.as_deref().map(one_line) {
            Some(when) if !when.is_empty() => Cow::Owned(format!("{description} {when}")),
            _ => description,
        }
    }

    /// The replacement for instructions of a skill that is a call; `None` for one with a file of instructions.
    #[must_use]
    pub fn generated_instructions(&self) -> Option<String> {
        let facts = self.facts();

        // Devai runs a script and has no text for a model, so the call is described instead.
        let script = facts.run.as_ref().and_then(|run| run.script.as_deref());
        (facts.format == SkillFormat::Devai)
            .then(|| devai::render_instructions(&self.description, &facts.tools, script))
    }
}

impl From<Skill> for SkillListing {
    fn from(mut skill: Skill) -> Self {
        let (name, description) = (
            std::mem::take(&mut skill.name).into(),
            std::mem::take(&mut skill.description).into(),
        );
        let body_start = u32::try_from(skill.body_start).unwrap_or(u32::MAX);
        let facts = SkillFacts::from(skill);

        SkillListing {
            name,
            description,
            body_start,
            // Most skills say nothing of this, and then the box is not allocated.
            facts: (facts != SkillFacts::default()).then(|| Box::new(facts)),
        }
    }
}

impl From<Skill> for SkillFacts {
    fn from(skill: Skill) -> Self {
        SkillFacts {
            format: skill.format,
            display_name: skill.display_name.map(Into::into),
            when_to_use: skill.when_to_use.map(Into::into),
            named: skill.named,
            model_invocable: skill.model_invocable,
            user_invocable: skill.user_invocable,
            internal: skill.internal,
            version: skill.version.map(Into::into),
            license: skill.license.map(Into::into),
            compatibility: skill.compatibility.map(Into::into),
            author: skill.author.map(Into::into),
            homepage: skill.homepage.map(Into::into),
            tags: box_texts(skill.tags),
            requires: box_texts(skill.requires),
            allowed_tools: box_texts(skill.allowed_tools),
            tools: skill.tools.into(),
            arguments: box_texts(skill.arguments),
            argument_hint: skill.argument_hint.map(Into::into),
            // Both are rare and large, so a skill without them has a null pointer for each.
            run: (skill.run != RunSettings::default()).then(|| Box::new(skill.run)),
            install: skill.install.into(),
            env_vars: skill.env_vars.into(),
            gates: (skill.gates != SkillGates::default()).then(|| Box::new(skill.gates)),
        }
    }
}

fn box_texts(texts: Vec<String>) -> Box<[Box<str>]> {
    texts.into_iter().map(Into::into).collect()
}
