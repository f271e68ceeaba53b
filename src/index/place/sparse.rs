//! Static files of a web server: `sparse+https://acme.dev/index/`.
//!
//! A wave of files is asked for at once, each that we have a copy of with the server's own marks of it (`If-None-Match`,
//! `If-Modified-Since`), and each once a command. With the network off the copies answer.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use super::copies::{Copies, Copy, Held};
use super::{FILE_MAX, LIST_MAX, Place};
use crate::error::{Error, Result};
use crate::index::Tools;
use crate::index::search::PUBLISHED;
use crate::io::http::{Outcome, Request};
use crate::package::{IndexUrl, Secret};
use crate::report::Event;

pub(super) struct Sparse<'a> {
    index: IndexUrl,
    /// The server that chose it; `None` if a person did.
    named_by: Option<String>,
    copies: Copies,
    tools: Tools<'a>,
    /// The paths of which the copy was found to be the file, in this run.
    asked: Mutex<HashSet<String>>,
}

impl<'a> Sparse<'a> {
    pub(super) fn new(index: &IndexUrl, named_by: Option<&IndexUrl>, tools: Tools<'a>) -> Self {
        let copies = Copies::of(index, &tools);
        let named_by = named_by.map(|by| by.inner().to_owned());
        Sparse { index: index.clone(), named_by, copies, tools, asked: Mutex::default() }
    }

    /// The question for a file: whether it is another than the copy.
    fn request(&self, path: &str, copy: &Copy, token: Option<&Secret>) -> Request {
        let request = Request {
            named_by: self.named_by.clone(),
            authorization: token.cloned(),
            ..Request::new(self.url(path), limit_of(path))
        };
        match copy {
            Copy::Held(held) => {
                Request { etag: held.etag.clone(), last_modified: held.last_modified.clone(), ..request }
            }
            _ => request,
        }
    }

    fn url(&self, path: &str) -> String {
        // Some object stores take a `+` (of a version) for a blank.
        format!("{}{}", self.index.inner(), path.replace('+', "%2B"))
    }

    /// What the server's answer makes of the copy.
    fn settle(&self, path: &str, copy: Copy, answer: Result<Outcome>) -> Result<Option<Vec<u8>>> {
        let now = match (answer?, copy) {
            (Outcome::NotModified, Copy::Held(held)) => Some(held.bytes),
            (Outcome::NotModified, _) => return Err(Error::internal("there was no copy to be not modified")),
            (Outcome::Missing(_), Copy::Missing) => None,
            (Outcome::Missing(_), copy) => {
                self.copies.put(path, &copy, None)?;
                None
            }
            (Outcome::Fresh(response), copy) => {
                if copy == Copy::Damaged {
                    let message =
                        format!("the copy of `{path}` from index `{}` was damaged; it was brought anew", self.index);
                    self.tools.reporter.report(Event::Detail { message });
                }
                let held = Held { bytes: response.bytes, etag: response.etag, last_modified: response.last_modified };
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
}

/// Most bytes that a file may have: of the list that is published for searches more than of any other.
fn limit_of(path: &str) -> u64 {
    if PUBLISHED.contains(&path) { LIST_MAX } else { FILE_MAX }
}

impl Place for Sparse<'_> {
    fn read_all(&self, paths: &[String]) -> Vec<Result<Option<Vec<u8>>>> {
        let is_settled: Vec<bool> = {
            let asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
            paths.iter().map(|path| self.tools.offline || asked.contains(path)).collect()
        };
        let copies: Vec<Copy> = paths.iter().map(|path| self.copies.get(path)).collect();
        let open = paths.iter().zip(&copies).zip(&is_settled).filter(|(_, settled)| !**settled);
        // Nobody is asked for a token that nothing is asked with.
        let token = match is_settled.contains(&false).then(|| (self.tools.tokens)(self.index.as_str())).transpose() {
            Ok(token) => token.flatten(),
            Err(error) => return paths.iter().map(|_| Err(error.clone())).collect(),
        };
        let requests: Vec<Request> = open.map(|((path, copy), _)| self.request(path, copy, token.as_ref())).collect();
        let mut answers = self.tools.http.get_all(&requests, self.tools.reporter).into_iter();
        let pairs = paths.iter().zip(copies).zip(&is_settled);
        pairs
            .map(|((path, copy), settled)| {
                if *settled {
                    return self.recall(path, copy);
                }
                self.settle(path, copy, answers.next().expect("every request has an answer"))
            })
            .collect()
    }

    fn paths(&self) -> Result<Option<Vec<String>>> {
        Ok(None)
    }

    fn brought(&self) -> Result<Vec<(String, Vec<u8>)>> {
        let held = |path: String| match self.copies.get(&path) {
            Copy::Held(held) => Some((path, held.bytes)),
            _ => None,
        };
        Ok(self.copies.packages()?.into_iter().filter_map(held).collect())
    }

    fn url_of(&self, path: &str) -> Option<String> {
        Some(self.url(path))
    }
}
