//! Which findings are reported: not those of a baseline, and notes only on request.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::find::{ByPath, LintInput, LocatedSkill};
use super::settings::SettingsByDirectory;
use super::{CommandContext, LintOptions, LintReport, display_path};
use crate::targets::relative_path;
use skillpm_core::error::{Error, Result};
use skillpm_core::report::{DiagnosticLevel, FileFinding};
use skillpm_io::disk;
use skillpm_lint::baseline::{LintBaseline, StaleFinding, finding_line};

/// The effect of the baselines.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BaselineUse {
    /// The number of findings that are not reported because a baseline lists them.
    pub known: usize,
    /// Baseline entries that no longer match a finding.
    pub stale: Vec<StaleFinding>,
    /// The written files.
    pub written: Vec<WrittenBaseline>,
}

/// A baseline that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenBaseline {
    /// The file, relative to the current directory.
    pub path: String,
    /// The number of its findings.
    pub findings: usize,
}

/// Drops and counts the findings that are not reported; writes the baseline if that was asked for.
pub(super) fn filter_findings(
    context: &CommandContext<'_>,
    options: &LintOptions,
    (found, settings): (&LintInput, &SettingsByDirectory),
    linted: &mut LintReport,
) -> Result<()> {
    let before = linted.findings.len();
    linted
        .findings
        .retain(|finding| options.notes || finding.diagnostic.level > DiagnosticLevel::Note);
    linted.hidden_notes = before - linted.findings.len();

    let here = &context.dirs.cwd;
    let mut filter = BaselineFilter {
        options,
        found,
        settings,
        // `--baseline` wins over the manifest's, for all skills.
        flag: options.baseline.as_ref().map(|path| here.join(path)),
        matchers: BTreeMap::new(),
    };
    filter.open_baselines(here)?;

    if filter.matchers.is_empty() {
        if options.write_baseline && !found.skills.is_empty() {
            return Err(Error::usage(
                "`--write-baseline` requires the path of a baseline, and none is set",
            )
            .help("name a file: `skillpm lint --write-baseline --baseline lint-baseline.toml`")
            .help("or set `baseline = \"lint-baseline.toml\"` under `[lint]` in `skillpm.toml`"));
        }
        return Ok(());
    }

    let mut usage = BaselineUse {
        known: filter.remove_known(linted),
        ..BaselineUse::default()
    };
    for (path, matcher) in filter.matchers {
        matcher.close(&path, options, here, &mut usage)?;
    }

    linted.baseline = Some(usage);
    Ok(())
}

/// The baselines of a run: each skill may have another one.
struct BaselineFilter<'a> {
    options: &'a LintOptions,
    found: &'a LintInput,
    settings: &'a SettingsByDirectory,
    /// The path of the command line.
    flag: Option<PathBuf>,
    matchers: BTreeMap<PathBuf, BaselineMatcher>,
}

impl BaselineFilter<'_> {
    /// Reads the baselines of all skills.
    fn open_baselines(&mut self, here: &Path) -> Result<()> {
        for located in &self.found.skills {
            if let Some(path) = self.path_for(located) {
                if !self.matchers.contains_key(&path) {
                    let matcher = BaselineMatcher::open(&path, self.options, here)?;
                    self.matchers.insert(path.clone(), matcher);
                }
                self.matchers
                    .entry(path)
                    .and_modify(|matcher| matcher.dirs.push(located.dir.clone()));
            }
        }

        // With `--since` only the changed skills were checked: entries of the others stay.
        // Without it, entries of skills that were deleted from a directory are stale as well.
        if self.options.since.is_none() {
            for base in self.found.roots.iter().filter(|base| base.is_recursive) {
                self.matchers
                    .values_mut()
                    .for_each(|matcher| matcher.dirs.push(base.dir.clone()));
            }
        }
        Ok(())
    }

    fn path_for(&self, located: &LocatedSkill) -> Option<PathBuf> {
        self.flag
            .clone()
            .or_else(|| self.settings.baseline(located).map(Path::to_owned))
    }

    /// Removes the findings that a baseline lists, and returns their number.
    fn remove_known(&mut self, linted: &mut LintReport) -> usize {
        let by_path = ByPath::new(self.found);
        let sources = &linted.sources;
        let before = linted.findings.len();

        linted.findings.retain(|finding| {
            let source = sources.get(&finding.path).map(String::as_str);
            !self.match_finding(&by_path, finding, source)
        });

        before - linted.findings.len()
    }

    /// Whether the baseline of the finding's skill lists it; `source` is the text of its file.
    fn match_finding(
        &mut self,
        by_path: &ByPath<'_>,
        finding: &FileFinding,
        source: Option<&str>,
    ) -> bool {
        let Some(located) = by_path.skill_at(&finding.path) else {
            return false;
        };
        let path = self.path_for(located);
        let Some(matcher) = path.and_then(|path| self.matchers.get_mut(&path)) else {
            return false;
        };

        // An entry names the text of the line, not its number, so that it survives edits above.
        let line = finding_line(source, &finding.diagnostic);
        matcher.match_finding(&located.file_path(&finding.path), finding, line)
    }
}

/// One baseline, and what this run finds for it.
struct BaselineMatcher {
    /// The findings of the file.
    old: LintBaseline,
    /// The findings of this run.
    new: LintBaseline,
    is_written: bool,
    /// The directory that its paths are relative to.
    root: PathBuf,
    /// The directories that this run checks.
    dirs: Vec<PathBuf>,
}

impl BaselineMatcher {
    fn open(path: &Path, options: &LintOptions, here: &Path) -> Result<BaselineMatcher> {
        let name = display_path(here, path);
        let old = match disk::read_text(path)? {
            // An invalid baseline is about to be replaced, so that it is no error here.
            Some(text) if options.write_baseline => {
                LintBaseline::parse(&text, &name).unwrap_or_default()
            }
            Some(text) => LintBaseline::parse(&text, &name)?,
            None if options.write_baseline => LintBaseline::default(),
            None => {
                return Err(
                    Error::usage(format!("baseline `{name}` not found")).help(format!(
                        "to create it, run `skillpm lint --write-baseline --baseline {name}`"
                    )),
                );
            }
        };
        // Its paths are relative to where it is, so that it can be committed.
        let root = disk::real_path(path.parent().unwrap_or(here));

        Ok(BaselineMatcher {
            old,
            new: LintBaseline::default(),
            is_written: options.write_baseline,
            root,
            dirs: Vec::new(),
        })
    }

    /// Whether the baseline, as it is or as it will be written, lists a finding.
    fn match_finding(&mut self, file: &Path, finding: &FileFinding, line: &str) -> bool {
        let path = relative_path(file, &self.root);

        let was_there = self.old.consume(&path, &finding.diagnostic.rule, line);
        // The new baseline lists what is found now, so that entries that are gone drop out.
        if self.is_written {
            self.new.add(&path, &finding.diagnostic.rule, line);
        }

        was_there || self.is_written
    }

    fn close(
        self,
        path: &Path,
        options: &LintOptions,
        here: &Path,
        usage: &mut BaselineUse,
    ) -> Result<()> {
        let BaselineMatcher {
            old,
            mut new,
            root,
            dirs,
            ..
        } = self;
        // Entries of files that this run did not check are neither stale nor lost.
        let (stale, kept) = old.into_stale_and_kept(|path| {
            let real = disk::normalize_path(&root.join(path));
            dirs.iter().any(|dir| real.starts_with(dir))
        });
        usage.stale.extend(stale);

        if options.write_baseline {
            new.extend(kept);
            let written = WrittenBaseline {
                path: display_path(here, path),
                findings: new.len(),
            };
            disk::write_atomic(path, new.to_text().as_bytes())?;
            usage.written.push(written);
        }

        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_path_leads_back_to_the_file() {
        for (root, file, relative) in [
            ("/p", "/p/s/SKILL.md", "s/SKILL.md"),
            ("/p/ci/x", "/p/s/SKILL.md", "../../s/SKILL.md"),
            ("/p", "/q", "../q"),
        ] {
            assert_eq!(relative_path(Path::new(file), Path::new(root)), relative);
            assert_eq!(
                disk::normalize_path(&Path::new(root).join(relative)),
                Path::new(file)
            );
        }
    }
}
