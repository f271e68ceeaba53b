//! A zip for each skill, as Anthropic's Skills API takes it: one directory at the top, called as the skill.
//!
//! ```text
//! pdf.zip      pdf/SKILL.md, pdf/scripts/a.py
//! ```

use std::collections::BTreeSet;

use super::{Files, Offered, Offering};
use crate::error::{Error, Result};
use crate::io::archive;
use crate::package::{File, SkillName};

/// Packs each skill as it comes; see [`Offering`].
#[derive(Debug, Default)]
pub struct ClaudeZip {
    names: BTreeSet<SkillName>,
}

impl Offering for ClaudeZip {
    fn add(&mut self, skill: &Offered<'_>) -> Result<Files> {
        skill.text()?;
        let name = skill.name.as_str();
        if !self.names.insert(skill.name.clone()) {
            return Err(Error::negative(format!("two skills are called `{name}`, and their zips would be, too")));
        }
        let bytes = archive::pack_zip(skill.tree, name)
            .map_err(|error| error.wrap(format!("`{name}` cannot be put into an archive")))?;
        Ok(Files::from([(format!("{name}.zip"), File { bytes, executable: false })]))
    }

    fn finish(&mut self) -> Files {
        Files::new()
    }
}
