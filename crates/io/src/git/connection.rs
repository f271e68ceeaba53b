//! One connection to a repository's host: the requests of git's protocol, and the packs they return.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use gix::ObjectId;
use gix::bstr::ByteSlice;
use gix::progress::Discard;
use gix::protocol::command::Feature;
use gix::protocol::fetch::{Arguments, Response};
use gix::protocol::handshake::Ref;
use gix::protocol::transport::Protocol;
use gix::protocol::transport::client::blocking_io::{ExtendedBufRead, HandleProgress, Transport};
use gix::protocol::transport::client::capabilities::Capability;
use gix::protocol::{Command, Handshake, LsRefsCommand, SendFlushOnDrop};

use super::http::{ANSWER_MAX, LIST_MAX};
use super::ssh::ByteBudget;
use crate::disk::{DiskOperation, failpoint};

/// Largest object that is unpacked, in bytes. GitHub accepts none over 100 MB; a decompression bomb is larger.
pub(super) const OBJECT_MAX: usize = 128 << 20;

/// The objects to fetch.
pub(super) enum FetchWant<'a> {
    /// A commit with all its trees, and with its blobs, too, if the host cannot filter.
    Commit(ObjectId),
    /// A commit with everything in it.
    Everything(ObjectId),
    /// A history of this many commits, with all their trees, and with blobs only if the host cannot filter.
    History(ObjectId, usize),
    /// A history of this many commits, without trees and blobs if the host can filter.
    CommitsOnly(ObjectId, usize),
    /// An annotated tag and its commit, without trees and blobs if the host can filter.
    Tag(ObjectId),
    /// Only these blobs.
    Blobs(&'a [ObjectId]),
    /// Only these trees, with everything below them.
    Trees(&'a [ObjectId]),
}

/// Where the packs of a fetch are stored.
#[derive(Debug, Clone, Copy)]
pub(super) struct PackTarget<'a> {
    /// The directory for packs.
    pub packs: &'a Path,
    /// The hash kind of the repository.
    pub hash: gix::hash::Kind,
}

/// A cached commit, with all its trees.
pub(super) struct FetchBase {
    pub commit: ObjectId,
    /// The cached objects, which the host may use as delta bases.
    pub objects: gix::OdbHandle,
}

/// A connection after its handshake.
pub(super) struct HostConnection {
    pub transport: SendFlushOnDrop<Box<dyn Transport + Send>>,
    pub handshake: Handshake,
    /// The size limit of a response over ssh; HTTP bounds each response itself.
    pub budget: ByteBudget,
}

impl HostConnection {
    pub(super) fn object_hash(&self) -> gix::hash::Kind {
        let object_format = self.handshake.capabilities.capability("object-format");
        match object_format.as_ref().and_then(Capability::value) {
            // Without the capability it is SHA-1: older hosts know no other.
            Some(value) if value == "sha256" => gix::hash::Kind::Sha256,
            _ => gix::hash::Kind::Sha1,
        }
    }

    pub(super) fn abilities(&self) -> Vec<String> {
        let line = |ability: Capability<'_>| match ability.value() {
            Some(value) => format!("{}={value}", ability.name()),
            None => ability.name().to_string(),
        };
        self.handshake
            .capabilities
            .iter()
            .map(line)
            .filter(|line| !line.is_empty())
            .collect()
    }

    pub(super) fn ls_refs(&mut self, prefixes: &[&str]) -> gix::Result<Vec<Ref>> {
        // The older protocols send all references with the handshake.
        if let Some(refs) = &self.handshake.refs {
            return Ok(refs.clone());
        }

        self.budget.store(LIST_MAX, Ordering::Relaxed);
        // The host may return more than was asked for, so the caller filters again.
        let mut wanted = gix::protocol::ls_refs::RefPrefixes::new();
        wanted.extend(prefixes.iter().map(|&prefix| prefix.into()));
        LsRefsCommand::new(Some(wanted), &self.handshake.capabilities, agent_feature())
            .invoke_blocking(&mut self.transport.inner, &mut Discard, false)
    }

    pub(super) fn fetch(
        &mut self,
        want: &FetchWant<'_>,
        target: PackTarget<'_>,
        base: Option<&FetchBase>,
        said: &Arc<Mutex<Option<String>>>,
    ) -> gix::Result<()> {
        self.budget.store(ANSWER_MAX, Ordering::Relaxed);
        let version = self.handshake.server_protocol_version;
        let features = self.fetch_features()?;
        let is_sideband_all = features.iter().any(|(name, _)| *name == "sideband-all");

        let mut arguments = Arguments::new(version, features, false);
        if version == Protocol::V2 {
            arguments.add_feature("no-progress");
        }
        want.add_to(&mut arguments);
        let base = offer_base(&mut arguments, version, base);

        let mut reader = arguments
            .send(&mut self.transport.inner, true)
            .map_err(gix::Error::from_error)?;
        // With `sideband-all` the messages of the host come before the pack, too.
        if is_sideband_all {
            reader.set_progress_handler(Some(record_host_errors(said)));
        }
        Response::from_line_reader(version, &mut reader, true, false)?;
        if !is_sideband_all {
            reader.set_progress_handler(Some(record_host_errors(said)));
        }

        store_pack(&mut reader, target, base)?;
        // To the end, or the connection could not be used for another request.
        std::io::copy(&mut reader, &mut std::io::sink()).map_err(gix::Error::from_error)?;
        Ok(())
    }

    fn fetch_features(&self) -> gix::Result<Vec<Feature>> {
        let version = self.handshake.server_protocol_version;
        let mut features = Command::Fetch.default_features(version, &self.handshake.capabilities);
        features.push(agent_feature());
        Response::check_required_features(version, &features)?;
        Ok(features)
    }
}

impl FetchWant<'_> {
    fn add_to(&self, arguments: &mut Arguments) {
        // A host without shallow fetches sends the whole history.
        if let Some(depth) = self.depth().filter(|_| arguments.can_use_shallow()) {
            arguments.deepen(depth);
        }
        if let Some(filter) = self.filter().filter(|_| arguments.can_use_filter()) {
            arguments.filter(filter);
        }

        match self {
            FetchWant::Commit(id)
            | FetchWant::Everything(id)
            | FetchWant::History(id, _)
            | FetchWant::CommitsOnly(id, _)
            | FetchWant::Tag(id) => {
                arguments.want(id);
            }
            FetchWant::Blobs(ids) | FetchWant::Trees(ids) => {
                ids.iter().for_each(|id| arguments.want(id));
            }
        }
    }

    /// The number of commits to fetch; `None` for objects that are no commits.
    fn depth(&self) -> Option<usize> {
        match self {
            FetchWant::Commit(_) | FetchWant::Everything(_) | FetchWant::Tag(_) => Some(1),
            FetchWant::History(_, depth) | FetchWant::CommitsOnly(_, depth) => Some(*depth),
            FetchWant::Blobs(_) | FetchWant::Trees(_) => None,
        }
    }

    /// The filter that leaves out what is not wanted, in git's syntax.
    fn filter(&self) -> Option<&'static str> {
        match self {
            FetchWant::Commit(_) | FetchWant::History(..) => Some("blob:none"),
            FetchWant::CommitsOnly(..) | FetchWant::Tag(_) => Some("tree:0"),
            FetchWant::Everything(_) | FetchWant::Blobs(_) | FetchWant::Trees(_) => None,
        }
    }
}

/// Reports to the host that `base` is cached, so that it leaves its objects out; returns it if that is possible.
fn offer_base<'b>(
    arguments: &mut Arguments,
    version: Protocol,
    base: Option<&'b FetchBase>,
) -> Option<&'b FetchBase> {
    // The older protocols negotiate in several rounds, which is not worth it.
    let base = base.filter(|_| version == Protocol::V2 && arguments.can_use_shallow())?;
    // Its parents are not cached, which the host must know, or it would omit them, too.
    arguments.shallow(base.commit);
    arguments.have(base.commit);
    Some(base)
}

/// Records the messages of the host on its error channel; progress is dropped.
fn record_host_errors<'a>(said: &Arc<Mutex<Option<String>>>) -> HandleProgress<'a> {
    let said = said.clone();
    Box::new(move |is_error, text| {
        if is_error && let Ok(mut said) = said.lock() {
            *said = Some(text.to_str_lossy().chars().take(500).collect());
        }
        std::ops::ControlFlow::Continue(())
    })
}

/// Verifies every object of the pack and renames it into the directory, index last.
fn store_pack(
    reader: &mut Box<dyn ExtendedBufRead<'_> + Unpin + '_>,
    target: PackTarget<'_>,
    base: Option<&FetchBase>,
) -> gix::Result<()> {
    // Two threads, since several repositories are fetched at once.
    let options = gix::odb::pack::bundle::write::Options {
        alloc_limit_bytes: Some(OBJECT_MAX),
        thread_limit: Some(2),
        ..Default::default()
    };

    failpoint(DiskOperation::Write, target.packs).map_err(gix::Error::from_error)?;
    let outcome = gix::odb::pack::Bundle::write_to_directory(
        reader,
        Some(target.packs),
        &mut Discard,
        &AtomicBool::new(false),
        base.map(|base| base.objects.clone()),
        target.hash,
        options,
    )?;

    // The `.keep` file protects a new pack from `git gc`, which never runs here.
    if let Some(keep) = outcome.keep_path {
        let _ = failpoint(DiskOperation::Remove, &keep).and_then(|()| std::fs::remove_file(keep));
    }
    Ok(())
}

fn agent_feature() -> Feature {
    (
        "agent",
        Some(concat!("git/skillpm-", env!("CARGO_PKG_VERSION")).to_owned()),
    )
}
