//! Copies that are held against what there is now: a wave of files at once, each once a command. With the network off the
//! copies answer.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use super::copies::{Copies, Copy, Held};
use crate::error::{Error, Result};
use crate::index::Tools;
use crate::package::IndexUrl;
use crate::report::Event;

/// What whoever serves an index says of a file of which there may be a copy.
pub(super) enum Answer {
    /// The copy is the file.
    Same,
    /// There is no such file.
    Missing,
    /// This is the file.
    Fresh(Held),
}

pub(super) struct Revalidated<'a> {
    index: IndexUrl,
    copies: Copies,
    tools: Tools<'a>,
    /// The paths of which the copy was found to be the file, in this run.
    asked: Mutex<HashSet<String>>,
}

impl<'a> Revalidated<'a> {
    pub(super) fn new(index: &IndexUrl, tools: Tools<'a>) -> Self {
        Revalidated { index: index.clone(), copies: Copies::of(index, &tools), tools, asked: Mutex::default() }
    }

    /// The content of files; `ask` gets an answer for each of those that must be asked for, with the copies of them.
    pub(super) fn read_all(
        &self,
        paths: &[String],
        ask: impl FnOnce(&[(&str, &Copy)]) -> Vec<Result<Answer>>,
    ) -> Vec<Result<Option<Vec<u8>>>> {
        let is_settled: Vec<bool> = {
            let asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
            paths.iter().map(|path| self.tools.offline || asked.contains(path)).collect()
        };
        let copies: Vec<Copy> = paths.iter().map(|path| self.copies.get(path)).collect();
        let open = paths.iter().zip(&copies).zip(&is_settled).filter(|(_, settled)| !**settled);
        let open: Vec<(&str, &Copy)> = open.map(|((path, copy), _)| (path.as_str(), copy)).collect();
        let mut answers = if open.is_empty() { Vec::new() } else { ask(&open) }.into_iter();
        let pairs = paths.iter().zip(copies).zip(&is_settled);
        pairs
            .map(|((path, copy), settled)| match settled {
                true => self.recall(path, copy),
                false => self.settle(path, copy, answers.next().expect("every file that is asked for has an answer")),
            })
            .collect()
    }

    /// What the answer makes of the copy.
    fn settle(&self, path: &str, copy: Copy, answer: Result<Answer>) -> Result<Option<Vec<u8>>> {
        let now = match (answer?, copy) {
            (Answer::Same, Copy::Held(held)) => Some(held.bytes),
            (Answer::Same, _) => return Err(Error::internal("there was no copy to be the same as")),
            (Answer::Missing, Copy::Missing) => None,
            (Answer::Missing, copy) => {
                self.copies.put(path, &copy, None)?;
                None
            }
            (Answer::Fresh(held), copy) => {
                if copy == Copy::Damaged {
                    let message =
                        format!("the copy of `{path}` from index `{}` was damaged; it was brought anew", self.index);
                    self.tools.reporter.report(Event::Detail { message });
                }
                self.copies.put(path, &copy, Some(&held))?;
                Some(held.bytes)
            }
        };
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned());
        Ok(now)
    }

    /// The answer from what is here.
    fn recall(&self, path: &str, copy: Copy) -> Result<Option<Vec<u8>>> {
        match copy {
            Copy::Held(held) => Ok(Some(held.bytes)),
            Copy::Missing => Ok(None),
            Copy::None | Copy::Damaged => Err(Error::network(format!(
                "there is no copy of `{path}` from index `{}`, and the network is off",
                self.index
            ))
            .help("run it once without `--offline`; what it needs is then kept")),
        }
    }

    /// Every package's file of which a copy is held, with its path.
    pub(super) fn brought(&self) -> Result<Vec<(String, Vec<u8>)>> {
        let held = |path: String| match self.copies.get(&path) {
            Copy::Held(held) => Some((path, held.bytes)),
            _ => None,
        };
        Ok(self.copies.packages()?.into_iter().filter_map(held).collect())
    }
}
