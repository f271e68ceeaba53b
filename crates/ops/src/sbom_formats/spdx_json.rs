//! SPDX 2.3: <https://spdx.github.io/spdx-spec/v2.3/>.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::purl::purl;
use super::{BillOfMaterials, object, properties, vcs_url, version};
use skillpm_core::lockfile::LockedPackage;
use skillpm_core::manifest::policy::{PackageLicense, unlisted_licenses};
use skillpm_core::package::{SkillName, SourceId};

const DOCUMENT: &str = "SPDXRef-DOCUMENT";
const PROJECT: &str = "SPDXRef-project";
const UNKNOWN: &str = "NOASSERTION";

pub(super) fn document(bill: &BillOfMaterials<'_>) -> Value {
    let packages = bill.lockfile.packages();
    let uuid = bill.uuid();
    let name = bill.name;

    let own = object([
        ("SPDXID", Some(json!(PROJECT))),
        ("name", Some(json!(name))),
        ("versionInfo", bill.version.map(|version| json!(version))),
        ("downloadLocation", Some(json!(UNKNOWN))),
        ("filesAnalyzed", Some(json!(false))),
        ("primaryPackagePurpose", Some(json!("APPLICATION"))),
    ]);

    let mut all = vec![own];
    all.extend(packages.iter().map(|locked| package(bill, locked)));

    let mut relationships = vec![relationship(DOCUMENT, "DESCRIBES", PROJECT)];
    relationships.extend(
        bill.root_names()
            .into_iter()
            .map(|name| relationship(PROJECT, "DEPENDS_ON", &reference(name))),
    );

    for locked in packages {
        let of = reference(locked.install_name());
        relationships.extend(
            bill.dependency_names(locked)
                .into_iter()
                .map(|name| relationship(&of, "DEPENDS_ON", &reference(name))),
        );
    }
    // SPDX requires a time. Without one it is the Unix epoch, so that the same lockfile gives the
    // same document.
    let created = bill.time.unwrap_or(Timestamp::UNIX_EPOCH).to_string();
    let extracted = extracted_licenses(bill);

    object([
        ("spdxVersion", Some(json!("SPDX-2.3"))),
        ("dataLicense", Some(json!("CC0-1.0"))),
        ("SPDXID", Some(json!(DOCUMENT))),
        ("name", Some(json!(name))),
        (
            "documentNamespace",
            Some(json!(format!("https://spdx.org/spdxdocs/skillpm-{uuid}"))),
        ),
        (
            "creationInfo",
            Some(json!({
                "created": created,
                "creators": [format!("Tool: skillpm-{}", env!("CARGO_PKG_VERSION"))],
            })),
        ),
        ("packages", Some(json!(all))),
        ("relationships", Some(json!(relationships))),
        (
            "hasExtractedLicensingInfos",
            (!extracted.is_empty()).then(|| json!(extracted)),
        ),
    ])
}

/// The identifier of a skill: its name has only letters, digits and hyphens, which SPDX allows.
fn reference(name: &SkillName) -> String {
    format!("SPDXRef-skill-{name}")
}

fn relationship(of: &str, kind: &str, to: &str) -> Value {
    json!({"spdxElementId": of, "relationshipType": kind, "relatedSpdxElement": to})
}

fn package(bill: &BillOfMaterials<'_>, locked: &LockedPackage) -> Value {
    let facts = bill.facts(locked);
    let of_archive =
        |digest| json!([{"algorithm": "SHA256", "checksumValue": format!("{digest}")}]);
    let as_reference = |purl: String| json!([{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": purl}]);

    let comment: Vec<String> = properties(locked)
        .into_iter()
        .map(|(key, value)| format!("{key}={value}"))
        .collect();

    let declared = match bill.license(locked) {
        PackageLicense::None => UNKNOWN.to_owned(),
        PackageLicense::Known(expression) => expression.into(),
        // SPDX allows unlisted licenses as references, whose texts `extracted_licenses` adds.
        PackageLicense::Invalid(_) => license_ref(locked.install_name()),
    };

    object([
        ("SPDXID", Some(json!(reference(locked.install_name())))),
        ("name", Some(json!(locked.name))),
        ("versionInfo", version(locked).map(|version| json!(version))),
        ("downloadLocation", Some(json!(download_location(locked)))),
        ("filesAnalyzed", Some(json!(false))),
        ("checksums", locked.archive.map(of_archive)),
        ("licenseConcluded", Some(json!(UNKNOWN))),
        ("licenseDeclared", Some(json!(declared))),
        ("copyrightText", Some(json!(UNKNOWN))),
        ("description", facts.description.map(|text| json!(text))),
        ("comment", Some(json!(comment.join("\n")))),
        ("externalRefs", purl(locked).map(as_reference)),
    ])
}

fn download_location(locked: &LockedPackage) -> String {
    let location = match &locked.source {
        // Others cannot download from a local repository or archive; plain HTTP is not trusted.
        SourceId::Git { url, .. } if url.scheme() != "file" => vcs_url(locked),
        SourceId::Archive(place) if place.starts_with("https://") => Some(place.clone()),
        _ => None,
    };
    location.unwrap_or_else(|| UNKNOWN.to_owned())
}

/// The identifier of a license that is not an SPDX expression.
fn license_ref(name: &SkillName) -> String {
    format!("LicenseRef-skillpm-{name}")
}

/// The licenses that SPDX does not list: the document must have the text of each.
fn extracted_licenses(bill: &BillOfMaterials<'_>) -> Vec<Value> {
    let mut extracted = std::collections::BTreeMap::new();

    for locked in bill.lockfile.packages() {
        match bill.license(locked) {
            PackageLicense::None => {}
            PackageLicense::Invalid(text) => {
                extracted.insert(license_ref(locked.install_name()), text);
            }
            PackageLicense::Known(expression) => {
                for id in unlisted_licenses(&expression) {
                    extracted
                        .entry(id)
                        .or_insert_with(|| format!("as stated by the package `{}`", locked.name));
                }
            }
        }
    }

    let entry = |(id, text): (String, String)| json!({"licenseId": id, "extractedText": text});
    extracted.into_iter().map(entry).collect()
}
