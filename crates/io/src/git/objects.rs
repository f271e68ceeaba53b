//! The object database of a local repository: the size is checked before an object is read, and the hash after, so
//! that the content always matches the id, however the bytes got there.

use std::cell::RefCell;
use std::collections::HashSet;
use std::path::Path;

use gix::ObjectId;
use gix::objs::{Exists, Find, Kind};
use gix::odb::store::init::Slots;

use super::id::CommitId;
use super::local_refs;
use super::refs::RemoteRef;
use skillpm_core::error::Error;

/// Largest tree, commit or tag that is read, in bytes. A directory of 100,000 files is about 5 MB.
const META_MAX: u64 = 32 << 20;
/// Most tags that are followed to find the commit they name.
const TAGS_MAX: usize = 8;

/// Why an object cannot be read.
#[derive(Debug)]
pub(super) enum ObjectError {
    /// It does not exist.
    Missing(ObjectId),
    /// It exists, but its bytes do not match its id, or cannot be read at all.
    Damaged(ObjectId),
    /// It is intact, but too large, of the wrong kind or otherwise refused.
    Refused(Error),
}

impl From<Error> for ObjectError {
    fn from(error: Error) -> Self {
        ObjectError::Refused(error)
    }
}

/// The parsed fields of a commit.
pub(super) struct ParsedCommit {
    pub id: ObjectId,
    pub tree: ObjectId,
    pub time: Option<i64>,
    pub parents: Vec<ObjectId>,
}

/// The object database of one repository.
pub(super) struct ObjectDatabase {
    repo: gix::Repository,
    /// Objects that were verified or fetched in this run. They are hashed again when they are read; this only saves
    /// checking them beforehand.
    verified: RefCell<HashSet<ObjectId>>,
}

impl ObjectDatabase {
    /// Opens the repository at `path`, which may also be a checkout, with no configuration except its own.
    pub(super) fn open(path: &Path) -> gix::Result<Self> {
        // Replacement refs would return another object than the requested one.
        let options = gix::open::Options::isolated()
            .config_overrides(["core.useReplaceRefs=false"])
            // Slots for packs that this and other processes add while this one is open.
            .object_store_slots(Slots::AsNeededByDiskState {
                multiplier: 1.5,
                minimum: 256,
            });
        Ok(ObjectDatabase {
            repo: gix::open_opts(path, options)?,
            verified: RefCell::default(),
        })
    }

    /// An empty database in memory.
    #[cfg(any(test, feature = "test-support"))]
    pub(super) fn in_memory() -> Self {
        thread_local! {
            static EMPTY: gix::Repository = {
                let dir = tempfile::tempdir().expect("a directory can be made");
                gix::init_bare(dir.path()).expect("a repository can be made")
            };
        }
        let repo = EMPTY.with(Clone::clone).with_object_memory();
        ObjectDatabase {
            repo,
            verified: RefCell::default(),
        }
    }

    /// Writes an object, whatever its bytes are.
    #[cfg(any(test, feature = "test-support"))]
    pub(super) fn write(&self, kind: Kind, bytes: &[u8]) -> ObjectId {
        use gix::objs::Write as _;
        self.repo
            .objects
            .write_buf(kind, bytes)
            .expect("writing to memory does not fail")
    }

    /// The hash kind of the repository.
    pub(super) fn object_hash(&self) -> gix::hash::Kind {
        self.repo.object_hash()
    }

    /// A separate handle on the object database, for resolving deltas against existing objects.
    pub(super) fn handle(&self) -> gix::OdbHandle {
        self.repo.objects.clone()
    }

    /// Whether an object is here.
    pub(super) fn contains(&self, id: ObjectId) -> bool {
        self.has_object(id)
    }

    /// Those of `ids` that are not here.
    pub(super) fn missing_ids(&self, ids: &[ObjectId]) -> Vec<ObjectId> {
        let Some(first) = ids.iter().position(|&id| !self.has_object(id)) else {
            return Vec::new();
        };

        // That has refreshed the list of packs, which is too slow to repeat for each of thousands.
        let mut objects = self.repo.objects.clone();
        objects.refresh_never();
        ids[first..]
            .iter()
            .copied()
            .filter(|&id| !self.has_matching_hash(id) || !objects.exists(&id))
            .collect()
    }

    fn has_object(&self, id: ObjectId) -> bool {
        self.has_matching_hash(id) && self.repo.objects.exists(&id)
    }

    /// Whether an object was verified before.
    pub(super) fn is_verified(&self, id: &ObjectId) -> bool {
        self.verified.borrow().contains(id)
    }

    /// Marks objects as verified for the rest of this run.
    pub(super) fn mark_verified(&self, ids: &[ObjectId]) {
        self.verified.borrow_mut().extend(ids);
    }

    /// Size of a blob without reading it.
    pub(super) fn blob_size(&self, id: ObjectId) -> Result<u64, ObjectError> {
        self.object_size(id, Kind::Blob)
    }

    /// Reads an object and checks that its bytes match the id.
    pub(super) fn read_object(&self, id: ObjectId, kind: Kind) -> Result<Vec<u8>, ObjectError> {
        // The size of a blob is for the caller to check, whose limit it is.
        let limit = if kind == Kind::Blob {
            u64::MAX
        } else {
            META_MAX
        };
        self.read_object_within(id, kind, limit)
    }

    /// The same, for an object of at most `limit` bytes.
    pub(super) fn read_object_within(
        &self,
        id: ObjectId,
        kind: Kind,
        limit: u64,
    ) -> Result<Vec<u8>, ObjectError> {
        // Before the object is read: a small one in the pack can unpack to any size. Once: of a delta this is a chain to follow.
        let size = self.object_size(id, kind)?;
        if size > limit {
            let what = if kind == Kind::Blob {
                "file".to_owned()
            } else {
                kind.to_string()
            };
            return Err(Error::integrity(format!(
                "refusing to read {what} {id}: it has {size} bytes; the limit is {limit}"
            ))
            .into());
        }

        let mut bytes = Vec::new();
        match self.repo.objects.try_find(&id, &mut bytes) {
            // Hashed here, as a pack's own checksum does not verify a single object.
            Ok(Some(data)) if data.kind == kind && data.verify_checksum(&id).is_ok() => {}
            Ok(None) => return Err(ObjectError::Missing(id)),
            Ok(Some(_)) | Err(_) => return Err(ObjectError::Damaged(id)),
        }
        Ok(bytes)
    }

    /// Reads a commit; an annotated tag is followed to its commit.
    pub(super) fn read_commit(&self, id: ObjectId) -> Result<ParsedCommit, ObjectError> {
        let mut at = id;
        for _ in 0..TAGS_MAX {
            match self.object_kind(at)? {
                Kind::Commit => return self.parse_commit(at),
                Kind::Tag => {
                    let bytes = self.read_object(at, Kind::Tag)?;
                    let tag = gix::objs::TagRefIter::from_bytes(&bytes, at.kind());
                    at = tag.target_id().map_err(|_| unreadable_object("tag", at))?;
                }
                kind => return Err(not_a_commit(id, kind).into()),
            }
        }
        Err(not_a_commit(id, Kind::Tag).into())
    }

    fn parse_commit(&self, id: ObjectId) -> Result<ParsedCommit, ObjectError> {
        let bytes = self.read_object(id, Kind::Commit)?;
        let commit = || gix::objs::CommitRefIter::from_bytes(&bytes, id.kind());
        let tree = commit()
            .tree_id()
            .map_err(|_| unreadable_object("commit", id))?;
        let time = commit()
            .committer()
            .ok()
            .and_then(|signature| signature.time().ok())
            .map(|time| time.seconds);
        let parents = commit().parent_ids().collect();

        Ok(ParsedCommit {
            id,
            tree,
            time,
            parents,
        })
    }

    /// Every commit in the database whose id begins with `hex`.
    pub(super) fn commits_with_prefix(&self, hex: &str) -> Vec<CommitId> {
        let Ok(prefix) = gix::hash::Prefix::from_hex(hex) else {
            return Vec::new();
        };

        let mut found = HashSet::new();
        // An ambiguous prefix is not an error here: all matches are wanted.
        let _ = self.repo.objects.lookup_prefix(prefix, Some(&mut found));

        found
            .into_iter()
            .filter(|&id| matches!(self.object_kind(id), Ok(Kind::Commit)))
            .map(CommitId)
            .collect()
    }

    /// The references of this repository itself, for a local one.
    pub(super) fn local_refs(&self, prefixes: &[&str]) -> gix::Result<Vec<RemoteRef>> {
        local_refs::list_refs(&self.repo, prefixes)
    }

    /// The branch that HEAD names, whether it exists or not; `None` if HEAD is detached.
    pub(super) fn head_name(&self) -> Option<String> {
        local_refs::head_name(&self.repo).ok()?
    }

    /// Whether the object is known, and no commit.
    pub(super) fn is_other_kind(&self, id: ObjectId) -> bool {
        matches!(self.object_kind(id), Ok(kind) if kind != Kind::Commit)
    }

    fn object_kind(&self, id: ObjectId) -> Result<Kind, ObjectError> {
        Ok(self.read_header(id)?.kind())
    }

    fn object_size(&self, id: ObjectId, kind: Kind) -> Result<u64, ObjectError> {
        let header = self.read_header(id)?;
        if header.kind() != kind {
            return Err(Error::integrity(format!(
                "invalid object {id}: found a {}, expected a {kind}",
                header.kind()
            ))
            .into());
        }
        Ok(header.size())
    }

    fn read_header(&self, id: ObjectId) -> Result<gix::odb::find::Header, ObjectError> {
        if !self.has_matching_hash(id) {
            return Err(ObjectError::Missing(id));
        }
        match gix::odb::Header::try_header(&self.repo.objects, &id) {
            Ok(Some(header)) => Ok(header),
            Ok(None) => Err(ObjectError::Missing(id)),
            Err(_) => Err(ObjectError::Damaged(id)),
        }
    }

    /// Whether the id has the hash kind of the repository; no other can be in it.
    fn has_matching_hash(&self, id: ObjectId) -> bool {
        id.kind() == self.object_hash()
    }
}

fn unreadable_object(what: &str, id: ObjectId) -> Error {
    Error::integrity(format!("failed to read {what} {id} of the repository"))
}

fn not_a_commit(id: ObjectId, kind: Kind) -> Error {
    Error::integrity(format!(
        "invalid object {id}: found a {kind}, expected a commit"
    ))
}
