//! `lint` of what lies beside a `SKILL.md`: links, files, scripts and the manifest. Whole outputs, and what `--fix` makes.

use crate::support::Sandbox;

const HEAD: &str =
    "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n";

/// A skill with these files beside a `SKILL.md` of this body.
fn skill(body: &str, files: &[(&str, &[u8])]) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write(
        "pdf/SKILL.md",
        format!("{HEAD}---\n\n# PDF forms\n\n{body}"),
    );
    for (path, bytes) in files {
        sandbox.write(&format!("pdf/{path}"), bytes);
    }
    sandbox
}

#[test]
fn broken_links_are_reported_and_fixed_if_unambiguous() {
    let body = "\u{e9} [a](references/filds.md#x), [b](References/Fields.md#names), [c](../csv/SKILL.md), [d](/etc/x.md),\n\
                [e](scripts\\fill.py), [f](#nowhere), ![g][img] and `references/gone.md`.\n\n[img]: <assets/a b.png>\n";
    // What is compared has `/` for every `\`; the file below is compared as it is.
    let sandbox = skill(
        body,
        &[
            ("references/fields.md", b"# Names\n"),
            ("scripts/fill.py", b"print(1)\n"),
        ],
    );
    sandbox.skillpm("lint pdf --notes --format short").exits(1).stdout(
        "pdf/SKILL.md:8:7: error[SK501] broken-link: the link points to `references/filds.md`, which does not exist
pdf/SKILL.md:8:35: warning[SK506] link-case-mismatch: the link `References/Fields.md#names` differs in case from the file `references/fields.md`
pdf/SKILL.md:8:68: warning[SK503] link-escapes-skill: the link points outside the skill: `../csv/SKILL.md`
pdf/SKILL.md:8:90: warning[SK504] absolute-link: the link has an absolute path: `/etc/x.md`
pdf/SKILL.md:9:5: warning[SK505] backslash-path: the path `scripts/fill.py` contains backslashes
pdf/SKILL.md:9:27: note[SK507] broken-anchor: anchor `#nowhere` not found in this file
pdf/SKILL.md:9:53: warning[SK502] missing-path-reference: `references/gone.md` does not exist in the skill
pdf/SKILL.md:11:9: error[SK501] broken-link: the image points to `assets/a b.png`, which does not exist
pdf/references/fields.md: note[SK508] unreferenced-file: this file is not referenced from `SKILL.md`, directly or indirectly
",
    );
    sandbox.skillpm("lint pdf --fix --unsafe-fixes").exits(1);
    let mended = body
        .replace("filds", "fields")
        .replace("References/Fields.md", "references/fields.md")
        .replace("scripts\\fill.py", "scripts/fill.py");
    sandbox.reads(
        "pdf/SKILL.md",
        &format!("{HEAD}---\n\n# PDF forms\n\n{mended}"),
    );
}

#[test]
fn unwanted_files_are_reported_and_not_packed() {
    let big = vec![0xff; (1 << 20) + 1];
    let sandbox = skill(
        "See `assets/`.\n",
        &[
            (".env", b"TOKEN=1\n"),
            ("assets/forms.zip", b"PK\x03\x04\x14\x00\xff"),
            ("assets/tool", b"\x7fELF\x02\x01\x01\x00"),
            ("assets/big.bin", &big),
            ("scripts/__pycache__/fill.pyc", b"\xcb\x0d\x0d\x0a"),
        ],
    );
    sandbox.skillpm("lint pdf --notes --format short").exits(1).stdout(
        "pdf/.env: error[SK514] secret-file: a file named `.env` usually contains secrets
pdf/SKILL.md:6:1: note[SK402] body-stub: the body has only 27 characters
pdf/assets/big.bin: warning[SK511] large-file: the file is 1.1 MiB; the budget is 1 MiB
pdf/assets/forms.zip: warning[SK512] opaque-archive: this is an archive (zip)
pdf/assets/tool: error[SK513] executable-binary: this is a compiled program (ELF, Linux)
pdf/scripts/__pycache__/fill.pyc: warning[SK510] junk-file: `scripts/__pycache__` is compiled Python and does not belong in a skill
pdf/scripts/__pycache__/fill.pyc: warning[SK726] opaque-blob: compiled Python without its source
pdf/scripts/__pycache__/fill.pyc: note[SK508] unreferenced-file: this file is not referenced from `SKILL.md`, directly or indirectly
",
    );
    sandbox.skillpm("lint pdf --fix").exits(1);
    sandbox.reads("pdf/.skillpmignore", ".env\nscripts/__pycache__/\n");
}

#[test]
fn script_findings_have_lines_and_fixes() {
    let sandbox = skill(
        "Run `scripts/fill.py`, `scripts/old.py`, `scripts/run.sh` and `scripts/bad.py`.\n",
        &[
            (
                "scripts/fill.py",
                "import yaml\nprint(\"\u{e9}\" + input(\"x\"))\n".as_bytes(),
            ),
            ("scripts/old.py", b"import sys\nprint \"x\"\n"),
            ("scripts/bad.py", b"\xef\xbb\xbfdef f():\r\n    x = = 1\r\n"),
            (
                "scripts/run.sh",
                b"[[ $1 ]] && echo \"$1\"\r\nread -p x y\r\n",
            ),
        ],
    );
    sandbox
        .skillpm("lint pdf --notes --format short")
        .exits(1)
        .stdout(
            "pdf/SKILL.md:6:1: note[SK402] body-stub: the body has only 92 characters
pdf/scripts/bad.py:2:9: error[SK601] python-syntax: syntax error: expected an expression
pdf/scripts/fill.py:1:8: note[SK605] undeclared-python-deps: undeclared dependency on `yaml`
pdf/scripts/fill.py:2:13: warning[SK604] interactive-input: `input()` waits for user input
pdf/scripts/old.py:2:7: error[SK601] python-syntax: this is Python 2: `print` without parentheses
pdf/scripts/run.sh:1:1: warning[SK603] missing-shebang: the script has no shebang line
pdf/scripts/run.sh:1:22: error[SK602] crlf-shell-script: 2 lines end with a carriage return
pdf/scripts/run.sh:2:1: warning[SK604] interactive-input: `read` waits for user input
",
        );
    sandbox.skillpm("lint pdf --fix").exits(1);
    sandbox.reads(
        "pdf/scripts/run.sh",
        "#!/usr/bin/env bash\n[[ $1 ]] && echo \"$1\"\nread -p x y\n",
    );
    sandbox.reads("pdf/scripts/old.py", "import sys\nprint \"x\"\n");
}

#[test]
fn manifest_findings_have_places_and_fixes() {
    let sandbox = skill(
        "See [a](references/a.md). First use the `forms` skill.\n",
        &[("references/a.md", b"# A\n")],
    );
    sandbox.write(
        "pdf/skillpm.toml",
        "[package]\r\nname = \"acme/forms\"\r\nversion = \"1.2\"\r\nlicence = \"MIT\"\r\nexclude = [\"references/a.md\"]\r\n\r\n\
         [dependencies]\r\nx = \"*\"\r\n",
    );
    sandbox.skillpm("lint pdf --notes --format short").exits(1).stdout(
        "pdf/SKILL.md:6:1: note[SK402] body-stub: the body has only 67 characters
pdf/SKILL.md:8:9: error[SK809] include-misses-reference: the link points to `references/a.md`, which `exclude` in `skillpm.toml` excludes from the package
pdf/SKILL.md:8:42: note[SK808] dependency-undeclared: `forms` is used here but is not a dependency of the package
pdf/skillpm.toml:2:8: error[SK803] manifest-name-drift: the package is named `acme/forms`, but its skill `pdf`
pdf/skillpm.toml:2:8: note[SK811] publish-metadata: missing license and repository
pdf/skillpm.toml:3:11: error[SK804] version-not-semver: invalid version `1.2`: it must have the form `1.4.2`
pdf/skillpm.toml:4:1: warning[SK802] manifest-unknown-key: unknown key `licence`
pdf/skillpm.toml:8:5: warning[SK806] dependency-unbounded: the dependency `x` accepts any version
",
    );
    sandbox.skillpm("lint pdf --fix").exits(1);
    sandbox.reads(
        "pdf/skillpm.toml",
        "[package]\r\nname = \"acme/pdf\"\r\nversion = \"1.2.0\"\r\nlicense = \"MIT\"\r\nexclude = [\"references/a.md\"]\r\n\r\n\
         [dependencies]\r\nx = \"*\"\r\n",
    );
}

#[test]
fn dependency_cycle_is_reported_once() {
    let sandbox = Sandbox::new();
    for (name, need) in [("a", "b"), ("b", "c"), ("c", "a")] {
        let head = HEAD
            .replace("pdf\n", &format!("{name}\n"))
            .replace("PDF", name);
        sandbox.write(
            &format!("all/{name}/SKILL.md"),
            format!("{head}---\n\n# {name}\n\nFill the form with care, please.\n"),
        );
        sandbox.write(
            &format!("all/{name}/skillpm.toml"),
            format!("[dependencies]\n{need} = {{ path = \"../{need}\" }}\n"),
        );
    }
    sandbox.skillpm("lint all --format short").exits(1).stdout(
        "all/c/skillpm.toml:2:1: error[SK807] dependency-cycle: dependency cycle: `a` depends on `b` depends on `c` depends on `a`\n",
    );
}
