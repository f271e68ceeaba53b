//! What is wrong with the files of a skill of Devai's.

use crate::lint::{Check, Docs, Example, Fixes, Piece, Rule};
use crate::report::Level;

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

const SCRIPT_TEXT: Piece = Piece::Text("export async function execute() {\n  return { success: true };\n}\n");

const GOOD: &[Example] =
    &[Example::files(&[("unit-convert/skill.json", Piece::Text(FINE)), ("unit-convert/execute.ts", SCRIPT_TEXT)])];

pub(super) static MANIFEST: Rule = Rule {
    code: "SKB06",
    name: "devai-manifest",
    level: Some(Level::Error),
    fix: Fixes::Never,
    summary: "a `skill.json` that Devai does not take",
    docs: Docs {
        finds: "A `skill.json` that is no JSON, lacks `id`, `name` or `description`, gives a key twice with different values, \
                or has a parameter of a type that Devai does not know.",
        hurts: "Devai refuses the manifest, and its models never hear of the skill.",
        ignore: "Never: the skill is not there.",
        bad: &[Example::files(&[
            (
                "unit-convert/skill.json",
                Piece::Text("{\n  \"id\": \"unit-convert\",\n  \"name\": \"Unit convert\"\n}\n"),
            ),
            ("unit-convert/execute.ts", SCRIPT_TEXT),
        ])],
        good: GOOD,
    },
    check: Check::With("nova-manifest"),
};

pub(super) static ID: Rule = Rule {
    code: "SKB07",
    name: "devai-id",
    level: Some(Level::Error),
    fix: Fixes::Never,
    summary: "an `id` that no call reaches",
    docs: Docs {
        finds: "An `id` in a `skill.json` with other characters than a-z, 0-9 and hyphens; as a warning, one that is not the \
                directory's name.",
        hurts: "Devai offers `x-y` as `skill_x_y`, and reads every `_` of a call as `-`: a skill `x_y` is offered, and never \
                found when it is called.",
        ignore: "Never: a hyphen does.",
        bad: &[Example::files(&[
            (
                "unit_convert/skill.json",
                Piece::Text(
                    "{\n  \"id\": \"unit_convert\",\n  \"name\": \"Units\",\n  \"description\": \"Converts\"\n}\n",
                ),
            ),
            ("unit_convert/execute.ts", SCRIPT_TEXT),
        ])],
        good: GOOD,
    },
    check: Check::With("nova-manifest"),
};

pub(super) static PARAMETER: Rule = Rule {
    code: "SKB08",
    name: "devai-parameter-undescribed",
    level: Some(Level::Error),
    fix: Fixes::Never,
    summary: "a parameter in a `skill.json` without a `description`",
    docs: Docs {
        finds: "A parameter that says its type, and not what it is for.",
        hurts: "Devai refuses the manifest, and the skill is not there. The example in its own design lacks one.",
        ignore: "Never: a few words do.",
        bad: &[Example::files(&[
            (
                "size/skill.json",
                Piece::Text(
                    "{\n  \"id\": \"size\",\n  \"name\": \"Size\",\n  \"description\": \"Makes it of a size\",\n  \
                     \"parameters\": { \"size\": { \"type\": \"string\" } }\n}\n",
                ),
            ),
            ("size/execute.ts", SCRIPT_TEXT),
        ])],
        good: GOOD,
    },
    check: Check::With("nova-manifest"),
};

pub(super) static DEFAULT: Rule = Rule {
    code: "SKB09",
    name: "devai-required-default",
    level: Some(Level::Note),
    fix: Fixes::Never,
    summary: "a parameter that has a default and must be given all the same",
    docs: Docs {
        finds: "A parameter in a `skill.json` with a `default` and without `\"required\": false`.",
        hurts: "Devai asks for every parameter that is not said to be optional: the default is never used, and a model has to \
                make up a value.",
        ignore: "The default is only an example for the model.",
        bad: &[Example::files(&[
            (
                "size/skill.json",
                Piece::Text(
                    "{\n  \"id\": \"size\",\n  \"name\": \"Size\",\n  \"description\": \"Makes it of a size\",\n  \
                     \"parameters\": { \"size\": { \"type\": \"number\", \"description\": \"How large\", \"default\": 1 } }\n}\n",
                ),
            ),
            ("size/execute.ts", SCRIPT_TEXT),
        ])],
        good: GOOD,
    },
    check: Check::With("nova-manifest"),
};

pub(super) static SCRIPT: Rule = Rule {
    code: "SKB10",
    name: "devai-no-script",
    level: Some(Level::Error),
    fix: Fixes::Never,
    summary: "a `skill.json` without the `execute.ts` that it describes",
    docs: Docs {
        finds: "A `skill.json` in a directory that has no `execute.ts`, nor one in another language.",
        hurts: "Devai says that the skill has no `execute.ts`, and passes it over.",
        ignore: "The `skill.json` is of another program, and the directory is no skill.",
        bad: &[Example::files(&[("unit-convert/skill.json", Piece::Text(FINE))])],
        good: GOOD,
    },
    check: Check::With("nova-manifest"),
};
