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
    let mut packages = vec![project(bill)];
    let locked = bill.lockfile.packages().iter();
    packages.extend(locked.map(|locked| package(bill, locked)));

    // SPDX requires a time. Without one it is the Unix epoch, so that the same lockfile gives the
    // same document.
    let created = bill.time.unwrap_or(Timestamp::UNIX_EPOCH).to_string();
    let namespace = format!("https://spdx.org/spdxdocs/skillpm-{}", bill.uuid());
    let extracted = extracted_licenses(bill);

    object([
        ("spdxVersion", Some(json!("SPDX-2.3"))),
        ("dataLicense", Some(json!("CC0-1.0"))),
        ("SPDXID", Some(json!(DOCUMENT))),
        ("name", Some(json!(bill.name))),
        ("documentNamespace", Some(json!(namespace))),
        (
            "creationInfo",
            Some(json!({
                "created": created,
                "creators": [format!("Tool: skillpm-{}", env!("CARGO_PKG_VERSION"))],
            })),
        ),
        ("packages", Some(json!(packages))),
        ("relationships", Some(json!(relationships(bill)))),
        (
            "hasExtractedLicensingInfos",
            (!extracted.is_empty()).then(|| json!(extracted)),
        ),
    ])
}

/// The project itself, which SPDX lists among the packages.
fn project(bill: &BillOfMaterials<'_>) -> Value {
    object([
        ("SPDXID", Some(json!(PROJECT))),
        ("name", Some(json!(bill.name))),
        ("versionInfo", bill.version.map(|version| json!(version))),
        ("downloadLocation", Some(json!(UNKNOWN))),
        ("filesAnalyzed", Some(json!(false))),
        ("primaryPackagePurpose", Some(json!("APPLICATION"))),
    ])
}

/// What the document describes, and which packages depend on which.
fn relationships(bill: &BillOfMaterials<'_>) -> Vec<Value> {
    let mut relationships = vec![relationship(DOCUMENT, "DESCRIBES", PROJECT)];
    relationships.extend(
        bill.root_names()
            .into_iter()
            .map(|name| relationship(PROJECT, "DEPENDS_ON", &reference(name))),
    );

    for locked in bill.lockfile.packages() {
        let of = reference(locked.install_name());
        relationships.extend(
            bill.dependency_names(locked)
                .into_iter()
                .map(|name| relationship(&of, "DEPENDS_ON", &reference(name))),
        );
    }
    relationships
}

/// The identifier of a skill: its name has only letters, digits and hyphens, which SPDX allows.
fn reference(name: &SkillName) -> String {
    // An id there has letters, digits, dots and hyphens; two dots stand for the underscore of a skill of Nova.
    format!("SPDXRef-skill-{}", name.as_str().replace('_', ".."))
}

fn relationship(of: &str, kind: &str, to: &str) -> Value {
    json!({"spdxElementId": of, "relationshipType": kind, "relatedSpdxElement": to})
}

fn package(bill: &BillOfMaterials<'_>, locked: &LockedPackage) -> Value {
    let id = reference(locked.install_name());
    let checksums = locked
        .archive
        .map(|digest| json!([{"algorithm": "SHA256", "checksumValue": digest.to_string()}]));
    let description = bill.facts(locked).description;

    object([
        ("SPDXID", Some(json!(id))),
        ("name", Some(json!(locked.name))),
        ("versionInfo", version(locked).map(|version| json!(version))),
        ("downloadLocation", Some(json!(download_location(locked)))),
        // The files are not listed, so that no digest of them is required either.
        ("filesAnalyzed", Some(json!(false))),
        ("checksums", checksums),
        // A conclusion is a person's; skillpm only repeats what the author declares.
        ("licenseConcluded", Some(json!(UNKNOWN))),
        (
            "licenseDeclared",
            Some(json!(declared_license(bill, locked))),
        ),
        ("copyrightText", Some(json!(UNKNOWN))),
        ("description", description.map(|text| json!(text))),
        ("comment", Some(json!(comment(locked)))),
        ("externalRefs", purl(locked).as_deref().map(purl_reference)),
    ])
}

fn declared_license(bill: &BillOfMaterials<'_>, locked: &LockedPackage) -> String {
    match bill.license(locked) {
        PackageLicense::None => UNKNOWN.to_owned(),
        PackageLicense::Known(expression) => expression.into(),
        // SPDX allows unlisted licenses as references, whose texts `extracted_licenses` adds.
        PackageLicense::Invalid(_) => license_ref(locked.install_name()),
    }
}

/// The facts that SPDX has no field for, one a line.
fn comment(locked: &LockedPackage) -> String {
    let lines: Vec<String> = properties(locked)
        .into_iter()
        .map(|(key, value)| format!("{key}={value}"))
        .collect();
    lines.join("\n")
}

fn purl_reference(purl: &str) -> Value {
    json!([{
        "referenceCategory": "PACKAGE-MANAGER",
        "referenceType": "purl",
        "referenceLocator": purl,
    }])
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
