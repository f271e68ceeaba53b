//! `advisories/all.json`: every advisory of a database in one file, so that a reader asks once.
//!
//! ```json
//! {"v":1,"advisories":[
//! {"id":"SKSA-2026-0001",…},
//! {"id":"SKSA-2026-0002",…}
//! ]}
//! ```
//!
//! Sorted by id, one a line, each as its own file has it but for blanks.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::{Advisory, AdvisoryId, FOLDER, osv};

/// The newest form of the file this program reads.
const FORM: u32 = 1;

/// The path of the file in an index.
#[must_use]
pub fn path() -> String {
    format!("{FOLDER}/all.json")
}

/// What was read of a pack.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Unpacked {
    /// In the order of the file.
    pub advisories: Vec<Advisory>,
    /// What was passed over, each with its reason.
    pub skipped: Vec<String>,
}

#[derive(Deserialize)]
struct Form {
    v: u32,
}

#[derive(Deserialize)]
struct Pack {
    advisories: Vec<Value>,
}

/// The text of the pack of these advisories, each by its id as its own file has it.
///
/// # Errors
/// If a text is not JSON.
pub fn pack(texts: &BTreeMap<AdvisoryId, Vec<u8>>) -> Result<String, String> {
    let line = |(id, text): (&AdvisoryId, &Vec<u8>)| {
        let value: Value = serde_json::from_slice(text).map_err(|cause| format!("{id}: {cause}"))?;
        Ok(value.to_string())
    };
    let lines = texts.iter().map(line).collect::<Result<Vec<String>, String>>()?;
    Ok(format!("{{\"v\":{FORM},\"advisories\":[\n{}\n]}}\n", lines.join(",\n")))
}

/// Reads a pack. An advisory that cannot be read is passed over alone.
///
/// # Errors
/// Why the file is no pack, or is of a newer form.
pub fn unpack(bytes: &[u8]) -> Result<Unpacked, String> {
    let Form { v } = serde_json::from_slice(bytes).map_err(|cause| format!("it cannot be read: {cause}"))?;
    if v > FORM {
        return Err(format!("it is of form {v}, which a newer skillpm reads"));
    }
    let Pack { advisories } = serde_json::from_slice(bytes).map_err(|cause| format!("it cannot be read: {cause}"))?;
    let mut unpacked = Unpacked::default();
    for (at, value) in advisories.into_iter().enumerate() {
        match osv::read(value) {
            Ok(parsed) => unpacked.advisories.push(parsed.advisory),
            Err(reason) => unpacked.skipped.push(format!("advisory {}: {reason}", at + 1)),
        }
    }
    Ok(unpacked)
}
