//! Rules about Devai skills.

use crate::{ExampleFile, FixAvailability, Rule, RuleCheck, RuleDocs, RuleExample};
use skillpm_core::report::DiagnosticLevel;

// With an optional parameter that has a default, which is not a finding.
const FINE: &str = r#"{
  "id": "unit-convert",
  "name": "Unit convert",
  "description": "Converts a value between two units",
  "parameters": {
    "from": { "type": "string", "description": "Source unit" },
    "value": { "type": "number", "description": "Value to convert", "required": false, "default": 1 }
  }
}
"#;

const SCRIPT_TEXT: ExampleFile =
    ExampleFile::Text("export async function execute() {\n  return { success: true };\n}\n");

const GOOD: &[RuleExample] = &[RuleExample::files(&[
    ("unit-convert/skill.json", ExampleFile::Text(FINE)),
    ("unit-convert/execute.ts", SCRIPT_TEXT),
])];

pub(super) static MANIFEST: Rule = Rule {
    code: "SKB06",
    name: "devai-manifest",
    level: Some(DiagnosticLevel::Error),
    fix: FixAvailability::Never,
    summary: "a `skill.json` that Devai rejects",
    docs: RuleDocs {
        finds: "A `skill.json` that is not valid JSON, lacks `id`, `name` or `description`, has a key twice with \
            different values, or has a parameter of a type unknown to Devai.",
        hurts: "Devai rejects the manifest, and the skill is not available to its models.",
        ignore: "Never: the skill is not available.",
        bad: &[RuleExample::files(&[
            (
                "unit-convert/skill.json",
                ExampleFile::Text(
                    "{\n  \"id\": \"unit-convert\",\n  \"name\": \"Unit convert\"\n}\n",
                ),
            ),
            ("unit-convert/execute.ts", SCRIPT_TEXT),
        ])],
        good: GOOD,
    },
    check: RuleCheck::SharedWith("nova-manifest"),
};

pub(super) static ID: Rule = Rule {
    code: "SKB07",
    name: "devai-id",
    // An error, as the skill is offered to models under a name that cannot be called.
    level: Some(DiagnosticLevel::Error),
    fix: FixAvailability::Never,
    summary: "an `id` that cannot be called",
    docs: RuleDocs {
        finds: "An `id` in a `skill.json` with characters other than a-z, 0-9 and hyphens; as a warning, one that \
            differs from the directory's name.",
        hurts: "Devai offers `x-y` as `skill_x_y`, and reads every `_` of a call as `-`: a skill `x_y` is offered, \
            but not found when it is called.",
        ignore: "Never: use hyphens instead.",
        bad: &[RuleExample::files(&[
            (
                "unit_convert/skill.json",
                ExampleFile::Text(
                    "{\n  \"id\": \"unit_convert\",\n  \"name\": \"Units\",\n  \"description\": \"Converts\"\n}\n",
                ),
            ),
            ("unit_convert/execute.ts", SCRIPT_TEXT),
        ])],
        good: GOOD,
    },
    check: RuleCheck::SharedWith("nova-manifest"),
};

pub(super) static PARAMETER: Rule = Rule {
    code: "SKB08",
    name: "devai-parameter-undescribed",
    // A warning: Devai's design has a parameter without one, though its loader refuses it.
    level: Some(DiagnosticLevel::Warning),
    fix: FixAvailability::Never,
    summary: "a parameter in a `skill.json` without a `description`",
    docs: RuleDocs {
        finds: "A parameter with a type but without a description.",
        hurts: "Devai's loader rejects the manifest, and the skill is not available. The example in Devai's own design lacks one.",
        ignore: "Never: a few words are enough.",
        bad: &[RuleExample::files(&[
            (
                "size/skill.json",
                ExampleFile::Text(
                    "{\n  \"id\": \"size\",\n  \"name\": \"Size\",\n  \"description\": \"Makes it of a size\",\n  \
                     \"parameters\": { \"size\": { \"type\": \"string\" } }\n}\n",
                ),
            ),
            ("size/execute.ts", SCRIPT_TEXT),
        ])],
        good: GOOD,
    },
    check: RuleCheck::SharedWith("nova-manifest"),
};

pub(super) static DEFAULT: Rule = Rule {
    code: "SKB09",
    name: "devai-required-default",
    // A note: the skill works, but the default is never used.
    level: Some(DiagnosticLevel::Note),
    fix: FixAvailability::Never,
    summary: "a required parameter with a default",
    docs: RuleDocs {
        finds: "A parameter in a `skill.json` with a `default` and without `\"required\": false`.",
        hurts: "Devai requires every parameter that is not declared optional: the default is never used, and a model \
            has to make up a value.",
        ignore: "The default is only an example for the model.",
        bad: &[RuleExample::files(&[
            (
                "size/skill.json",
                ExampleFile::Text(
                    "{\n  \"id\": \"size\",\n  \"name\": \"Size\",\n  \"description\": \"Makes it of a size\",\n  \
                     \"parameters\": { \"size\": { \"type\": \"number\", \"description\": \"How large\", \"default\": 1 } }\n}\n",
                ),
            ),
            ("size/execute.ts", SCRIPT_TEXT),
        ])],
        good: GOOD,
    },
    check: RuleCheck::SharedWith("nova-manifest"),
};

pub(super) static SCRIPT: Rule = Rule {
    code: "SKB10",
    name: "devai-no-script",
    level: Some(DiagnosticLevel::Error),
    fix: FixAvailability::Never,
    summary: "a `skill.json` without the `execute.ts` that it describes",
    docs: RuleDocs {
        finds: "A `skill.json` in a directory without an `execute.ts`, or one in another language.",
        hurts: "Devai reports that the skill has no `execute.ts`, and skips it.",
        ignore: "The `skill.json` belongs to another program, and the directory is not a skill.",
        bad: &[RuleExample::files(&[(
            "unit-convert/skill.json",
            ExampleFile::Text(FINE),
        )])],
        good: GOOD,
    },
    check: RuleCheck::SharedWith("nova-manifest"),
};

pub(super) static IMPORT: Rule = Rule {
    code: "SKB12",
    name: "devai-internal-import",
    level: Some(DiagnosticLevel::Warning),
    fix: FixAvailability::Never,
    summary: "an `execute.ts` that imports Devai's own modules",
    docs: RuleDocs {
        finds: "An import below `apps/api/` in the script of a Devai skill.",
        hurts: "Devai's contract with skills is `execute(args, ctx)`: its own modules may change or move at any time, and \
            the skill then fails when it is called.",
        ignore: "Never: `ctx` has fetch, env, readFile, writeFile and log.",
        bad: &[RuleExample::files(&[
            ("unit-convert/skill.json", ExampleFile::Text(FINE)),
            (
                "unit-convert/execute.ts",
                ExampleFile::Text(
                    "import { db } from \"../../apps/api/src/db\";\n\nexport async function execute() {\n  \
                     return { success: true, result: await db.all() };\n}\n",
                ),
            ),
        ])],
        good: GOOD,
    },
    check: RuleCheck::SharedWith("nova-manifest"),
};

pub(super) static EXPORT: Rule = Rule {
    code: "SKB13",
    name: "devai-no-execute",
    level: Some(DiagnosticLevel::Error),
    fix: FixAvailability::Never,
    summary: "an `execute.ts` that does not export `execute`",
    docs: RuleDocs {
        finds: "The script of a Devai skill without an export named `execute`. A default export is none; `export *` and \
            `module.exports` may be one.",
        hurts: "Devai lists the skill, and answers every call of it with an error.",
        ignore: "Never: nothing of the skill can be called.",
        bad: &[RuleExample::files(&[
            ("unit-convert/skill.json", ExampleFile::Text(FINE)),
            (
                "unit-convert/execute.ts",
                ExampleFile::Text(
                    "export default async function execute() {\n  return { success: true };\n}\n",
                ),
            ),
        ])],
        good: GOOD,
    },
    check: RuleCheck::SharedWith("nova-manifest"),
};
