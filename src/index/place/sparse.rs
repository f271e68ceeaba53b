//! Static files of a web server: `sparse+https://acme.dev/index/`.
//!
//! A wave of files is asked for at once, each that we have a copy of with the server's own marks of it (`If-None-Match`,
//! `If-Modified-Since`), and each once a command. With the network off the copies answer.

use super::copies::{Copy, Held};
use super::revalidated::{Answer, Revalidated};
use super::{FILE_MAX, LIST_MAX, Place};
use crate::error::Result;
use crate::index::Tools;
use crate::index::search::PUBLISHED;
use crate::io::http::{Outcome, Request};
use crate::package::{IndexUrl, Secret};

pub(super) struct Sparse<'a> {
    index: IndexUrl,
    /// The server that chose it; `None` if a person did.
    named_by: Option<String>,
    copies: Revalidated<'a>,
    tools: Tools<'a>,
}

impl<'a> Sparse<'a> {
    pub(super) fn new(index: &IndexUrl, named_by: Option<&IndexUrl>, tools: Tools<'a>) -> Self {
        let named_by = named_by.map(|by| by.inner().to_owned());
        Sparse { index: index.clone(), named_by, copies: Revalidated::new(index, tools), tools }
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

    /// Asks the server for files of which there may be copies.
    fn ask(&self, open: &[(&str, &Copy)]) -> Vec<Result<Answer>> {
        let token = match (self.tools.tokens)(self.index.as_str()) {
            Ok(token) => token,
            Err(error) => return open.iter().map(|_| Err(error.clone())).collect(),
        };
        let requests: Vec<Request> = open.iter().map(|(path, copy)| self.request(path, copy, token.as_ref())).collect();
        let answers = self.tools.http.get_all(&requests, self.tools.reporter).into_iter();
        answers.map(|answer| answer.map(told)).collect()
    }
}

fn told(outcome: Outcome) -> Answer {
    match outcome {
        Outcome::NotModified => Answer::Same,
        Outcome::Missing(_) => Answer::Missing,
        Outcome::Fresh(response) => {
            let (etag, last_modified) = (response.etag, response.last_modified);
            Answer::Fresh(Held { bytes: response.bytes, etag, last_modified })
        }
    }
}

/// Most bytes that a file may have: of the list that is published for searches more than of any other.
fn limit_of(path: &str) -> u64 {
    if PUBLISHED.contains(&path) { LIST_MAX } else { FILE_MAX }
}

impl Place for Sparse<'_> {
    fn read_all(&self, paths: &[String]) -> Vec<Result<Option<Vec<u8>>>> {
        self.copies.read_all(paths, |open| self.ask(open))
    }

    fn paths(&self) -> Result<Option<Vec<String>>> {
        Ok(None)
    }

    fn brought(&self) -> Result<Vec<(String, Vec<u8>)>> {
        self.copies.brought()
    }

    fn url_of(&self, path: &str) -> Option<String> {
        Some(self.url(path))
    }
}
