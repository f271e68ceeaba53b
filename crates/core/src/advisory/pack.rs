//! `advisories/all.json`: every advisory of a database in one file, so that a reader asks once.
//!
//! ```json
//! {"v":1,"advisories":[
//! {"id":"SKSA-2026-0001",…},
//! {"id":"SKSA-2026-0002",…}
//! ]}
//! ```
//!
//! Sorted by id, one a line, each with the content of its own file except whitespace.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::{ADVISORY_DIR, Advisory, AdvisoryId, osv};

/// The newest format version that this program reads.
const FORMAT_VERSION: u32 = 1;

/// The path of the file in an index.
#[must_use]
pub fn pack_path() -> String {
    format!("{ADVISORY_DIR}/all.json")
}

/// The advisories of a pack.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UnpackedAdvisories {
    /// In the order of the file.
    pub advisories: Vec<Advisory>,
    /// The reasons for which advisories were skipped, one each.
    pub skipped: Vec<String>,
}

#[derive(Deserialize)]
struct PackHeader {
    v: u32,
}

#[derive(Deserialize)]
struct PackBody {
    advisories: Vec<Value>,
}

/// The text of the pack of these advisories, each by its id as its own file has it.
///
/// # Errors
/// If a text is not JSON.
pub fn pack(texts: &BTreeMap<AdvisoryId, Vec<u8>>) -> Result<String, String> {
    let line = |(id, text): (&AdvisoryId, &Vec<u8>)| {
        let value: Value =
            serde_json::from_slice(text).map_err(|cause| format!("{id}: {cause}"))?;
        Ok(value.to_string())
    };

    let lines = texts
        .iter()
        .map(line)
        .collect::<Result<Vec<String>, String>>()?;

    Ok(format!(
        "{{\"v\":{FORMAT_VERSION},\"advisories\":[\n{}\n]}}\n",
        lines.join(",\n")
    ))
}

/// Reads a pack. An invalid advisory is skipped alone.
///
/// # Errors
/// Why the file is not a pack, or that it has a newer format version.
pub fn unpack(bytes: &[u8]) -> Result<UnpackedAdvisories, String> {
    // The version is read by itself: a newer format need not have the same keys.
    let PackHeader { v } =
        serde_json::from_slice(bytes).map_err(|cause| format!("failed to parse: {cause}"))?;
    if v > FORMAT_VERSION {
        return Err(format!(
            "unsupported format version {v}, which requires a newer skillpm"
        ));
    }

    let PackBody { advisories } =
        serde_json::from_slice(bytes).map_err(|cause| format!("failed to parse: {cause}"))?;

    let mut unpacked = UnpackedAdvisories::default();
    for (at, value) in advisories.into_iter().enumerate() {
        // One broken advisory must not hide the others.
        match osv::read_value(value) {
            Ok(parsed) => unpacked.advisories.push(parsed.advisory),
            Err(reason) => unpacked
                .skipped
                .push(format!("advisory {}: {reason}", at + 1)),
        }
    }

    Ok(unpacked)
}
