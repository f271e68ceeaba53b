//! SPDX 2.3: <https://spdx.github.io/spdx-spec/v2.3/>.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::purl::purl;
use super::{Bill, object, properties, vcs_url, version};
use crate::lockfile::Locked;
use crate::manifest::policy::{Licence, own_licences};
use crate::package::{SkillName, SourceId};

const DOCUMENT: &str = "SPDXRef-DOCUMENT";
const PROJECT: &str = "SPDXRef-project";
const UNKNOWN: &str = "NOASSERTION";

pub(super) fn document(bill: &Bill<'_>) -> Value {
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
    relationships.extend(bill.asked().into_iter().map(|name| relationship(PROJECT, "DEPENDS_ON", &reference(name))));
    for locked in packages {
        let of = reference(locked.install_name());
        relationships
            .extend(bill.needs(locked).into_iter().map(|name| relationship(&of, "DEPENDS_ON", &reference(name))));
    }
    // The form demands a time. The same lockfile is to give the same document: without one, it is the beginning of all.
    let created = bill.time.unwrap_or(Timestamp::UNIX_EPOCH).to_string();
    let licences = licences(bill);
    object([
        ("spdxVersion", Some(json!("SPDX-2.3"))),
        ("dataLicense", Some(json!("CC0-1.0"))),
        ("SPDXID", Some(json!(DOCUMENT))),
        ("name", Some(json!(name))),
        ("documentNamespace", Some(json!(format!("https://spdx.org/spdxdocs/skillpm-{uuid}")))),
        (
            "creationInfo",
            Some(json!({
                "created": created,
                "creators": [format!("Tool: skillpm-{}", env!("CARGO_PKG_VERSION"))],
            })),
        ),
        ("packages", Some(json!(all))),
        ("relationships", Some(json!(relationships))),
        ("hasExtractedLicensingInfos", (!licences.is_empty()).then(|| json!(licences))),
    ])
}

/// An identifier: names of skills are of letters, digits and hyphens already.
fn reference(name: &SkillName) -> String {
    format!("SPDXRef-skill-{name}")
}

fn relationship(of: &str, kind: &str, to: &str) -> Value {
    json!({"spdxElementId": of, "relationshipType": kind, "relatedSpdxElement": to})
}

fn package(bill: &Bill<'_>, locked: &Locked) -> Value {
    let facts = bill.facts(locked);
    let of_archive = |digest| json!([{"algorithm": "SHA256", "checksumValue": format!("{digest}")}]);
    let as_reference = |purl: String| json!([{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": purl}]);
    let told: Vec<String> = properties(locked).into_iter().map(|(key, value)| format!("{key}={value}")).collect();
    let declared = match bill.licence(locked) {
        Licence::None => UNKNOWN.to_owned(),
        Licence::Known(expression) => expression.into(),
        Licence::Unclear(_) => own_licence(locked.install_name()),
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
        ("comment", Some(json!(told.join("\n")))),
        ("externalRefs", purl(locked).map(as_reference)),
    ])
}

fn download_location(locked: &Locked) -> String {
    let location = match &locked.source {
        SourceId::Git { url, .. } if url.scheme() != "file" => vcs_url(locked),
        SourceId::Archive(place) if place.starts_with("https://") => Some(place.clone()),
        _ => None,
    };
    location.unwrap_or_else(|| UNKNOWN.to_owned())
}

/// What a licence is called that only its package knows.
fn own_licence(name: &SkillName) -> String {
    format!("LicenseRef-skillpm-{name}")
}

/// The licences that SPDX does not list: each must be told in the document.
fn licences(bill: &Bill<'_>) -> Vec<Value> {
    let mut told = std::collections::BTreeMap::new();
    for locked in bill.lockfile.packages() {
        match bill.licence(locked) {
            Licence::None => {}
            Licence::Unclear(text) => {
                told.insert(own_licence(locked.install_name()), text);
            }
            Licence::Known(expression) => {
                for id in own_licences(&expression) {
                    told.entry(id).or_insert_with(|| format!("as told by the package `{}`", locked.name));
                }
            }
        }
    }
    let entry = |(id, text): (String, String)| json!({"licenseId": id, "extractedText": text});
    told.into_iter().map(entry).collect()
}
