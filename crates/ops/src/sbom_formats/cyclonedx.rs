//! CycloneDX 1.6: <https://cyclonedx.org/docs/1.6/json/>.

use serde_json::{Value, json};

use super::purl::purl;
use super::{BillOfMaterials, object, properties, vcs_url, version};
use skillpm_core::lockfile::LockedPackage;
use skillpm_core::manifest::policy::PackageLicense;
use skillpm_core::package::{SkillName, SourceId};

const PROJECT: &str = "project";

pub(super) fn document(bill: &BillOfMaterials<'_>) -> Value {
    let packages = bill.lockfile.packages();
    let own = object([
        ("type", Some(json!("application"))),
        ("bom-ref", Some(json!(PROJECT))),
        ("name", Some(json!(bill.name))),
        ("version", bill.version.map(|version| json!(version))),
    ]);

    let tool =
        json!({"type": "application", "name": "skillpm", "version": env!("CARGO_PKG_VERSION")});
    let metadata = object([
        ("timestamp", bill.time.map(|time| json!(time.to_string()))),
        ("tools", Some(json!({"components": [tool]}))),
        ("component", Some(own)),
    ]);

    // The project depends on its direct dependencies; packages on those in their lockfile entries.
    let mut dependencies = vec![dependency(PROJECT, &bill.root_names())];
    dependencies.extend(packages.iter().map(|locked| {
        dependency(
            &reference(locked.install_name()),
            &bill.dependency_names(locked),
        )
    }));

    json!({
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": format!("urn:uuid:{}", bill.uuid()),
        "version": 1,
        "metadata": metadata,
        "components": packages.iter().map(|locked| component(bill, locked)).collect::<Vec<_>>(),
        "dependencies": dependencies,
    })
}

fn reference(name: &SkillName) -> String {
    format!("skill:{name}")
}

fn dependency(of: &str, dependencies: &[&SkillName]) -> Value {
    let dependencies: Vec<String> = dependencies.iter().map(|name| reference(name)).collect();
    json!({"ref": of, "dependsOn": dependencies})
}

fn component(bill: &BillOfMaterials<'_>, locked: &LockedPackage) -> Value {
    let id = reference(locked.install_name());
    let hashes = locked
        .archive
        .map(|digest| json!([{"alg": "SHA-256", "content": digest.to_string()}]));
    let description = bill.facts(locked).description;
    let references = external_reference(locked).map(|reference| json!([reference]));

    let properties: Vec<Value> = properties(locked)
        .into_iter()
        .map(|(name, value)| json!({"name": name, "value": value}))
        .collect();

    object([
        ("type", Some(json!("library"))),
        ("bom-ref", Some(json!(id))),
        ("group", locked.name.scope().map(|scope| json!(scope))),
        ("name", Some(json!(locked.name.skill()))),
        ("version", version(locked).map(|version| json!(version))),
        ("description", description.map(|text| json!(text))),
        ("hashes", hashes),
        ("licenses", licenses(bill, locked)),
        ("purl", purl(locked).map(|purl| json!(purl))),
        ("externalReferences", references),
        ("properties", Some(json!(properties))),
    ])
}

fn licenses(bill: &BillOfMaterials<'_>, locked: &LockedPackage) -> Option<Value> {
    match bill.license(locked) {
        PackageLicense::None => None,
        PackageLicense::Known(expression) => Some(json!([{"expression": expression}])),
        // CycloneDX allows any text as a license's name, but only SPDX in `expression`.
        PackageLicense::Invalid(text) => Some(json!([{"license": {"name": text}}])),
    }
}

fn external_reference(locked: &LockedPackage) -> Option<Value> {
    match &locked.source {
        SourceId::Git { .. } => Some(json!({"type": "vcs", "url": vcs_url(locked)?})),
        SourceId::Archive(place) => Some(json!({"type": "distribution", "url": place})),
        // The URL of a registry's archive depends on its configuration, so that the index is
        // listed.
        SourceId::Registry(index) => Some(json!({"type": "distribution-intake", "url": index})),
        SourceId::WellKnown(site) | SourceId::ClawHub(site) => {
            Some(json!({"type": "website", "url": site.to_string()}))
        }
        SourceId::Path(_) => None,
    }
}
