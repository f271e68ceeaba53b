//! What editors show with the settings of `docs/how-to/editors.md`.

use std::process::Stdio;

use snapbox::str;

use super::{PDF, registry};
use crate::names::root;
use crate::support::{Sandbox, overwrites, skipped};

/// What is between two marks of a text.
fn between<'t>(text: &'t str, start: &str, end: &str) -> &'t str {
    let (_, rest) = text.split_once(start).unwrap();
    rest.split_once(end).unwrap().0
}

/// Whether a command of the machine succeeds.
fn succeeds(command: &str) -> bool {
    let output = Sandbox::new().shell(command).output().unwrap();
    output.status.success()
}

/// What an editor prints in a project with a skill and a manifest, with settings in a file.
fn show(file: &str, settings: &str, command: &str) -> String {
    let sandbox = registry();
    sandbox.write(file, settings);
    sandbox.write("skills/pdf/SKILL.md", PDF);
    sandbox.write("skills/pdf/references/fields.md", "# Fields\n");
    sandbox.write(
        "skillpm.toml",
        "[dependencies]\n\"acme/pdf\" = \"^1.0\"\n\n[install]\nlink = \"\"\n",
    );
    let line = format!("cd '{}' && exec {command}", sandbox.path("").display());
    let output = sandbox.shell(&line).stdin(Stdio::null()).output().unwrap();
    let shown = String::from_utf8(output.stdout).unwrap().replace('\r', "");

    // Where the registry is differs from run to run.
    let home = sandbox.root().canonicalize().unwrap().display().to_string();
    let shown = shown.replace(&home, "/home/ann");
    let shown: Vec<&str> = shown.lines().map(str::trim_end).collect();
    let shown = format!("{}\n", shown.join("\n"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{shown}{errors}");
    shown
}

#[test]
fn neovim_shows_what_its_page_has() {
    if !succeeds("command -v nvim") {
        skipped("there is no Neovim; `.ci/run` brings Debian's");
        return;
    }
    let page_path = root().join("docs/how-to/editors.md");
    let page = std::fs::read_to_string(&page_path).unwrap();
    let settings = between(&page, "```lua\n", "```\n");

    let script = root().join("tests/fixtures/lsp/neovim.lua");
    let shown = show(
        "init.lua",
        settings,
        &format!(
            "nvim --headless --clean -u init.lua -S '{}' 2>&1",
            script.display()
        ),
    );

    let recorded = between(&page, "```text\n", "```\n");
    if overwrites() {
        let start = page.find("```text\n").unwrap() + "```text\n".len();
        let mut page = page.clone();
        page.replace_range(start..start + recorded.len(), &shown);
        std::fs::write(&page_path, page).unwrap();
        return;
    }
    snapbox::assert_data_eq!(shown, recorded.to_owned());
}

#[test]
fn emacs_shows_the_same_with_the_settings_of_its_page() {
    let has_packages = "emacs --batch --eval '(package-activate-all)' --eval \"(require 'eglot)\" --eval \"(require 'markdown-mode)\"";
    if !succeeds(has_packages) {
        skipped("there is no Emacs with eglot and markdown-mode; `.ci/run` brings Debian's");
        return;
    }
    let page = std::fs::read_to_string(root().join("docs/how-to/editors.md")).unwrap();
    let settings = between(&page, "```elisp\n", "```\n");
    let script = root().join("tests/fixtures/lsp/emacs.el");
    let shown = show(
        "init.el",
        settings,
        &format!(
            "emacs --batch --eval '(package-activate-all)' --load init.el --load '{}'",
            script.display()
        ),
    );
    snapbox::assert_data_eq!(
        shown,
        str![[r"
$ emacs skills/pdf/SKILL.md
4:1 skillpm [SK131]: no agent reads `allowed_tools`; did you mean `allowed-tools`?
6:45 skillpm [SK501]: the link points to `references/none.md`, which does not exist
6:70 skillpm [SK502]: `scripts/fill.py` does not exist in the skill
hover at 2:2
  **`name`** (in the specification)

  The skill's name: lowercase letters, digits and hyphens, at most 64, and the same as its directory's.

  Read by: all agents.
code action: Write `allowed-tools` (unsafe: review it)
  allowed-tools: Bash
completion at 5:17
  true, false
$ emacs skillpm.toml
5:8 skillpm [SK801]: unknown variant ``, expected `copy` or `symlink`
hover at 2:4
  **acme/pdf**

  - locked: `1.0.0`
  - newest: `2.0.1`
  - source: registry file:///home/ann/www/index
completion at 5:9
  copy, symlink

"]]
    );
}
