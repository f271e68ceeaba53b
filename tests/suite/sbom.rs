//! `sbom`: bills of materials, held to the official validators of both forms.

use std::process::Command;

use serde_json::{Value, json};
use snapbox::str;

use crate::support::{Repo, Sandbox, archive, find_python};

/// A project with a package of every kind of source but a registry's, two of them with licences.
fn project() -> (Sandbox, Repo) {
    let sandbox = Sandbox::project_here();
    crate::dependency_tree::write_chain(&sandbox);
    sandbox.write(
        "alpha/SKILL.md",
        "---\nname: alpha\ndescription: First of two.\nlicense: MIT OR LicenseRef-acme\n---\n",
    );
    sandbox.write(
        "beta/SKILL.md",
        "---\nname: beta\ndescription: Second.\nlicense: Proprietary, see LICENSE.txt\n---\n",
    );
    let repo = Repo::new(&sandbox, "skills");
    repo.skill("skills/pdf", "Reads PDF.")
        .commit("first")
        .annotated_tag("v1.0.0");
    sandbox
        .skillpm(format!("add {} --skill pdf --version ^1", repo.url()))
        .exits(0);
    sandbox.skillpm("add ./alpha").exits(0);
    sandbox.skillpm("add changelog --as notes").exits(0);
    let page = "---\nname: packed\ndescription: Came in an archive.\n---\n";
    sandbox.write(
        "packed-1.0.0.tar.gz",
        archive::tar_gz(&[("packed-1.0.0/SKILL.md", page.as_bytes(), 0o644)]),
    );
    sandbox.skillpm("add ./packed-1.0.0.tar.gz").exits(0);
    (sandbox, repo)
}

fn bill(sandbox: &Sandbox, form: &str) -> Value {
    serde_json::from_str(
        sandbox
            .skillpm(format!("sbom --format {form}"))
            .exits(0)
            .stdout_text(),
    )
    .unwrap()
}

/// The component of a name.
#[track_caller]
fn named<'v>(list: &'v Value, name: &str) -> &'v Value {
    list.as_array()
        .unwrap()
        .iter()
        .find(|one| one["name"] == name)
        .unwrap_or_else(|| panic!("no {name} in {list:#}"))
}

#[track_caller]
fn is_valid(sandbox: &Sandbox, form: &str, program: &str) {
    let Some(python) = find_python("sbom", "`cyclonedx-python-lib` and `spdx-tools`") else {
        return;
    };
    sandbox
        .skillpm(format!("sbom --format {form} --output bom.{form}.json"))
        .exits(0);
    let ran = Command::new(python)
        .args(["-c", program])
        .arg(sandbox.path(&format!("bom.{form}.json")))
        .output()
        .unwrap();
    let said = [ran.stdout, ran.stderr]
        .map(|bytes| String::from_utf8(bytes).unwrap())
        .concat();
    assert!(
        ran.status.success(),
        "{said}\n{}",
        sandbox.read(&format!("bom.{form}.json"))
    );
}

#[test]
fn cyclonedx_matches_its_schema() {
    let (sandbox, _repo) = project();
    is_valid(
        &sandbox,
        "cyclonedx",
        "import sys\n\
         from cyclonedx.schema import SchemaVersion\n\
         from cyclonedx.validation.json import JsonStrictValidator\n\
         fault = JsonStrictValidator(SchemaVersion.V1_6).validate_str(open(sys.argv[1]).read())\n\
         sys.exit(repr(fault) if fault else 0)",
    );
}

#[test]
fn spdx_passes_its_validator() {
    let (sandbox, _repo) = project();
    is_valid(
        &sandbox,
        "spdx",
        "import sys\n\
         from spdx_tools.spdx.parser.parse_anything import parse_file\n\
         from spdx_tools.spdx.validation.document_validator import validate_full_spdx_document\n\
         faults = validate_full_spdx_document(parse_file(sys.argv[1]), 'SPDX-2.3')\n\
         sys.exit('\\n'.join(map(repr, faults)) if faults else 0)",
    );
}

#[test]
fn cyclonedx_lists_locked_packages() {
    let (sandbox, repo) = project();
    let bill = bill(&sandbox, "cyclonedx");
    assert_eq!(
        (&bill["bomFormat"], &bill["specVersion"]),
        (&json!("CycloneDX"), &json!("1.6"))
    );
    assert_eq!(bill["metadata"].get("timestamp"), None);
    let components = &bill["components"];
    let names: Vec<&str> = components
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        [
            "alpha",
            "beta",
            "changelog",
            "commit-messages",
            "packed",
            "pdf"
        ]
    );
    let pdf = named(components, "pdf");
    assert_eq!(pdf["version"], "1.0.0");
    assert_eq!(pdf["description"], "Reads PDF.");
    let vcs = format!("git+{}@{}#skills/pdf", repo.url(), repo.commit_of("v1.0.0"));
    assert_eq!(
        pdf["externalReferences"],
        json!([{"type": "vcs", "url": vcs}])
    );
    assert!(
        pdf["purl"]
            .as_str()
            .unwrap()
            .starts_with("pkg:generic/pdf@1.0.0?vcs_url=git%2Bfile"),
        "{pdf:#}"
    );
    let checksum = json!({"name": "skillpm:checksum", "value": sandbox.locked("pdf", "checksum")});
    assert!(pdf["properties"].as_array().unwrap().contains(&checksum));
    let notes = named(components, "changelog");
    assert_eq!(notes["bom-ref"], "skill:notes");
    let archive = sandbox
        .locked("changelog", "archive")
        .replace("sha256:", "");
    assert_eq!(
        notes["hashes"],
        json!([{"alg": "SHA-256", "content": archive}])
    );
    assert_eq!(
        named(components, "alpha")["licenses"],
        json!([{"expression": "MIT OR LicenseRef-acme"}])
    );
    assert_eq!(
        named(components, "beta")["licenses"],
        json!([{"license": {"name": "Proprietary, see LICENSE.txt"}}])
    );
    let needs = |of: &str| {
        let list = bill["dependencies"].as_array().unwrap();
        list.iter().find(|one| one["ref"] == of).unwrap()["dependsOn"].clone()
    };
    assert_eq!(
        needs("project"),
        json!(["skill:alpha", "skill:notes", "skill:packed", "skill:pdf"])
    );
    assert_eq!(needs("skill:alpha"), json!(["skill:beta"]));
    assert_eq!(needs("skill:beta"), json!([]));
}

#[test]
fn spdx_lists_locked_packages() {
    let (sandbox, _repo) = project();
    let bill = bill(&sandbox, "spdx");
    assert_eq!(
        (&bill["spdxVersion"], &bill["creationInfo"]["created"]),
        (&json!("SPDX-2.3"), &json!("1970-01-01T00:00:00Z"))
    );
    assert_eq!(
        named(&bill["packages"], "alpha")["licenseDeclared"],
        "MIT OR LicenseRef-acme"
    );
    assert_eq!(
        named(&bill["packages"], "beta")["licenseDeclared"],
        "LicenseRef-skillpm-beta"
    );
    assert_eq!(
        named(&bill["packages"], "pdf")["licenseDeclared"],
        "NOASSERTION"
    );
    let own: Vec<&Value> = bill["hasExtractedLicensingInfos"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["licenseId"])
        .collect();
    assert_eq!(own, ["LicenseRef-acme", "LicenseRef-skillpm-beta"]);
    let edge = json!({
        "spdxElementId": "SPDXRef-skill-alpha", "relationshipType": "DEPENDS_ON", "relatedSpdxElement": "SPDXRef-skill-beta",
    });
    assert!(bill["relationships"].as_array().unwrap().contains(&edge));
}

#[test]
fn same_lockfile_gives_the_same_bytes() {
    let (sandbox, _repo) = project();
    for form in ["cyclonedx", "spdx"] {
        let once = sandbox
            .skillpm(format!("sbom --format {form}"))
            .exits(0)
            .stdout_text()
            .to_owned();
        let elsewhere = sandbox
            .skillpm(format!("sbom --format {form}"))
            .home("elsewhere")
            .env("TZ", "Asia/Tokyo")
            .exits(0);
        assert_eq!(elsewhere.stdout_text(), once);
    }
    let serial = |value: Value| value["serialNumber"].as_str().unwrap().to_owned();
    let before = serial(bill(&sandbox, "cyclonedx"));
    assert!(before.starts_with("urn:uuid:"), "{before}");
    sandbox.skillpm("remove pdf").exits(0);
    assert_ne!(serial(bill(&sandbox, "cyclonedx")), before);
}

#[test]
fn time_is_included_only_if_given() {
    let (sandbox, _repo) = project();
    let told = |epoch: &str, form: &str| {
        sandbox
            .skillpm(format!("sbom --format {form}"))
            .env("SOURCE_DATE_EPOCH", epoch)
    };
    for (form, key) in [("cyclonedx", "timestamp"), ("spdx", "created")] {
        let line = format!("\"{key}\": \"2025-06-15T15:06:40Z\"");
        assert!(
            told("1750000000", form)
                .exits(0)
                .stdout_text()
                .contains(&line),
            "{form}"
        );
    }
    told("today", "spdx")
        .exits(2)
        .explains(["SOURCE_DATE_EPOCH", "today"]);
}

#[test]
fn unknown_format_and_missing_lockfile_are_errors() {
    let sandbox = Sandbox::project_here();
    sandbox
        .skillpm("sbom --format xml")
        .exits(2)
        .stderr(str![[r"
error: invalid value 'xml' for '--format <FORMAT>'
  [possible values: cyclonedx, spdx]

For more information, try '--help'.

"]]);
    sandbox
        .skillpm("list --format spdx")
        .exits(2)
        .stderr_has("invalid value 'spdx' for '--format <FORMAT>'");
    sandbox
        .skillpm("sbom --output bom.json")
        .exits(2)
        .stderr(str![[r"
error: lockfile `skillpm.lock` not found in `[ROOT]/project`
help: run `skillpm install` to create it

"]]);
    sandbox.lacks(["bom.json"]);
}
