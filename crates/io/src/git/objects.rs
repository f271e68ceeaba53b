//! The objects of one repository on this disk: read by id, measured before they are read, and hashed after, so that
//! what comes out is what the id promises however the bytes got there.

use std::cell::RefCell;
use std::collections::HashSet;
use std::path::Path;

use gix::ObjectId;
use gix::objs::{Exists, Find, Kind};
use gix::odb::store::init::Slots;

use super::id::CommitId;
use super::refs::RemoteRef;
use crate::error::Error;

/// Largest tree, commit or tag that is read, in bytes. A directory of 100,000 files is about 5 MB.
const META_MAX: u64 = 32 << 20;
/// Most tags that are followed to find the commit they name.
const TAGS_MAX: usize = 8;

/// Why an object cannot be had.
#[derive(Debug)]
pub(super) enum Lack {
    /// It is not there.
    Missing(ObjectId),
    /// It is there, but its bytes are not those that the id promises, or cannot be read at all.
    Damaged(ObjectId),
    /// It is what it claims to be, and nobody should touch it.
    Refused(Error),
}

impl From<Error> for Lack {
    fn from(error: Error) -> Self {
        Lack::Refused(error)
    }
}

/// What is read from a commit.
pub(super) struct Commit {
    pub id: ObjectId,
    pub tree: ObjectId,
    pub time: Option<i64>,
    pub parents: Vec<ObjectId>,
}

/// The object database of one repository.
pub(super) struct Objects {
    repo: gix::Repository,
    /// Objects that were found to be what their ids promise, or that have just come in, in this run. They are hashed
    /// again when they are read; this spares only looking at them beforehand.
    sound: RefCell<HashSet<ObjectId>>,
}

impl Objects {
    /// Opens the repository at `path`, which may also be a checkout, without heeding any configuration but its own.
    pub(super) fn open(path: &Path) -> gix::Result<Self> {
        // Replacement refs would give another object than the one asked for.
        let options = gix::open::Options::isolated()
            .config_overrides(["core.useReplaceRefs=false"])
            // Room for the packs that arrive, from here and from other processes, while this one is open.
            .object_store_slots(Slots::AsNeededByDiskState { multiplier: 1.5, minimum: 256 });
        Ok(Objects { repo: gix::open_opts(path, options)?, sound: RefCell::default() })
    }

    /// An empty database that no disk holds.
    #[cfg(any(test, fuzzing))]
    pub(super) fn in_memory() -> Self {
        thread_local! {
            static EMPTY: gix::Repository = {
                let dir = tempfile::tempdir().expect("a directory can be made");
                gix::init_bare(dir.path()).expect("a repository can be made")
            };
        }
        let repo = EMPTY.with(Clone::clone).with_object_memory();
        Objects { repo, sound: RefCell::default() }
    }

    /// Writes an object, whatever its bytes are.
    #[cfg(any(test, fuzzing))]
    pub(super) fn write(&self, kind: Kind, bytes: &[u8]) -> ObjectId {
        use gix::objs::Write as _;
        self.repo.objects.write_buf(kind, bytes).expect("memory takes all")
    }

    /// Which hash the repository is built on.
    pub(super) fn hash(&self) -> gix::hash::Kind {
        self.repo.object_hash()
    }

    /// A handle of its own on the object database, for what resolves deltas against objects that are here.
    pub(super) fn handle(&self) -> gix::OdbHandle {
        self.repo.objects.clone()
    }

    /// Whether an object is here.
    pub(super) fn holds(&self, id: ObjectId) -> bool {
        self.has(id)
    }

    /// Those of `ids` that are not here.
    pub(super) fn missing(&self, ids: &[ObjectId]) -> Vec<ObjectId> {
        let Some(first) = ids.iter().position(|&id| !self.has(id)) else { return Vec::new() };
        // That has looked at the disk anew, which is not worth doing again for each of thousands.
        let mut objects = self.repo.objects.clone();
        objects.refresh_never();
        ids[first..].iter().copied().filter(|&id| !self.fits(id) || !objects.exists(&id)).collect()
    }

    fn has(&self, id: ObjectId) -> bool {
        self.fits(id) && self.repo.objects.exists(&id)
    }

    /// Whether an object was called sound before.
    pub(super) fn is_sound(&self, id: &ObjectId) -> bool {
        self.sound.borrow().contains(id)
    }

    /// Calls objects sound for the rest of this run.
    pub(super) fn call_sound(&self, ids: &[ObjectId]) {
        self.sound.borrow_mut().extend(ids);
    }

    /// Size of a blob without reading it.
    pub(super) fn blob_size(&self, id: ObjectId) -> Result<u64, Lack> {
        self.measure(id, Kind::Blob)
    }

    /// Reads an object and checks that its bytes have the id they were asked for by.
    pub(super) fn read(&self, id: ObjectId, kind: Kind) -> Result<Vec<u8>, Lack> {
        let size = self.measure(id, kind)?;
        if kind != Kind::Blob && size > META_MAX {
            return Err(Error::integrity(format!("{kind} {id} has {size} bytes; the limit is {META_MAX}")).into());
        }
        let mut bytes = Vec::new();
        match self.repo.objects.try_find(&id, &mut bytes) {
            Ok(Some(data)) if data.kind == kind && data.verify_checksum(&id).is_ok() => {}
            Ok(None) => return Err(Lack::Missing(id)),
            Ok(Some(_)) | Err(_) => return Err(Lack::Damaged(id)),
        }
        Ok(bytes)
    }

    /// Reads a commit; an annotated tag is followed to its commit.
    pub(super) fn commit(&self, id: ObjectId) -> Result<Commit, Lack> {
        let mut at = id;
        for _ in 0..TAGS_MAX {
            match self.kind(at)? {
                Kind::Commit => return self.parse_commit(at),
                Kind::Tag => {
                    let bytes = self.read(at, Kind::Tag)?;
                    let tag = gix::objs::TagRefIter::from_bytes(&bytes, at.kind());
                    at = tag.target_id().map_err(|_| unreadable("tag", at))?;
                }
                kind => return Err(not_a_commit(id, kind).into()),
            }
        }
        Err(not_a_commit(id, Kind::Tag).into())
    }

    fn parse_commit(&self, id: ObjectId) -> Result<Commit, Lack> {
        let bytes = self.read(id, Kind::Commit)?;
        let commit = || gix::objs::CommitRefIter::from_bytes(&bytes, id.kind());
        let tree = commit().tree_id().map_err(|_| unreadable("commit", id))?;
        let time = commit().committer().ok().and_then(|signature| signature.time().ok()).map(|time| time.seconds);
        let parents = commit().parent_ids().collect();
        Ok(Commit { id, tree, time, parents })
    }

    /// Every commit whose id begins with `hex` among the objects that are here.
    pub(super) fn commits_beginning(&self, hex: &str) -> Vec<CommitId> {
        let Ok(prefix) = gix::hash::Prefix::from_hex(hex) else { return Vec::new() };
        let mut found = HashSet::new();
        let _ = self.repo.objects.lookup_prefix(prefix, Some(&mut found));
        found.into_iter().filter(|&id| matches!(self.kind(id), Ok(Kind::Commit))).map(CommitId).collect()
    }

    /// References of this very repository, for one that is on this disk.
    pub(super) fn local_refs(&self, prefixes: &[&str]) -> gix::Result<Vec<RemoteRef>> {
        let mut found = Vec::new();
        if prefixes.iter().any(|prefix| "HEAD".starts_with(prefix)) {
            let mut head = self.repo.head()?;
            let target = head.referent_name().map(|name| name.as_bstr().to_string());
            if let Ok(Some(id)) = head.try_peel_to_id() {
                found.push(RemoteRef { name: "HEAD".into(), commit: CommitId(id.detach()), target, tag: None });
            }
        }
        for reference in self.repo.references()?.all()?.peeled()? {
            // A reference to an object that is not there is of no use to anyone, and git lists it no more than we do.
            let Ok(reference) = reference else { continue };
            let name = reference.name().as_bstr().to_string();
            if prefixes.iter().any(|prefix| name.starts_with(prefix)) {
                let commit = CommitId(reference.id().detach());
                found.push(RemoteRef { tag: self.tag_at(&name, &commit), name, commit, target: None });
            }
        }
        Ok(found)
    }

    /// The tag object that a reference is at, if that is not the commit itself.
    fn tag_at(&self, name: &str, commit: &CommitId) -> Option<CommitId> {
        if !name.starts_with("refs/tags/") {
            return None;
        }
        let reference = self.repo.try_find_reference(name).ok()??;
        let id = CommitId(reference.try_id()?.detach());
        (id != *commit).then_some(id)
    }

    /// The branch that HEAD names, whether it is there or not; `None` if HEAD is a commit.
    pub(super) fn head_name(&self) -> Option<String> {
        Some(self.repo.head_name().ok()??.as_bstr().to_string())
    }

    fn kind(&self, id: ObjectId) -> Result<Kind, Lack> {
        Ok(self.header(id)?.kind())
    }

    fn measure(&self, id: ObjectId, kind: Kind) -> Result<u64, Lack> {
        let header = self.header(id)?;
        if header.kind() != kind {
            return Err(Error::integrity(format!("object {id} is a {}, not a {kind}", header.kind())).into());
        }
        Ok(header.size())
    }

    fn header(&self, id: ObjectId) -> Result<gix::odb::find::Header, Lack> {
        if !self.fits(id) {
            return Err(Lack::Missing(id));
        }
        match gix::odb::Header::try_header(&self.repo.objects, &id) {
            Ok(Some(header)) => Ok(header),
            Ok(None) => Err(Lack::Missing(id)),
            Err(_) => Err(Lack::Damaged(id)),
        }
    }

    /// Whether the id is of the hash that the repository is built on; no other can be in it.
    fn fits(&self, id: ObjectId) -> bool {
        id.kind() == self.hash()
    }
}

fn unreadable(what: &str, id: ObjectId) -> Error {
    Error::integrity(format!("{what} {id} of the repository cannot be read"))
}

fn not_a_commit(id: ObjectId, kind: Kind) -> Error {
    Error::integrity(format!("object {id} is a {kind}, not a commit"))
}
