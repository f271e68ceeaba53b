//! Static files of a web server: `sparse+https://acme.dev/index/`.
//!
//! A wave of files is asked for at once, each that we have a copy of with the server's own marks of it (`If-None-Match`,
//! `If-Modified-Since`), and each once a command. With the network off the copies answer.

use std::sync::Arc;

use super::copies::{Copy, Held};
use super::revalidated::{Answer, Revalidated};
use super::{PUBLISHED, Place, limit_of};
use crate::error::Result;
use crate::index::Tools;
use crate::io::http::{Allowance, Outcome, Request};
use crate::package::{IndexUrl, Secret};

pub(super) struct Sparse<'a> {
    index: IndexUrl,
    /// The server that chose it; `None` if a person did.
    named_by: Option<String>,
    copies: Revalidated<'a>,
    tools: Tools<'a>,
}

/// Most bytes of files that are asked for together, but for the list of all packages.
const WAVE_MAX: u64 = 64 << 20;

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
        let allowance = Arc::new(Allowance::new(WAVE_MAX));
        let request = |(path, copy): &(&str, &Copy)| {
            let is_list = PUBLISHED.contains(path);
            let allowance = (!is_list).then(|| Arc::clone(&allowance));
            Request { allowance, ..self.request(path, copy, token.as_ref()) }
        };
        let requests: Vec<Request> = open.iter().map(request).collect();
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
