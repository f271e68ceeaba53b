//! The signatures of commits and tags, and whether commits are in the history of the repository.

use std::collections::BTreeMap;

use super::super::SignatureRequest;
use super::OpenRepository;
use super::trees::read_trees_at;
use skillpm_core::error::{Error, Result};
use skillpm_core::lockfile::LockedPackage;
use skillpm_core::package::{Checksum, GitReference, RelPath, SourceId, Tree};
use skillpm_core::provenance::{SignatureStatus, TrustedKey, VerifyError, VerifyResult};
use skillpm_io::git::CommitId;
use skillpm_io::gpgv::GpgvVerifier;

/// Verifies the signatures of packages: that of the tag they were fetched by, else that of their commit. The locked content
/// must be that of the commit; all missing blobs are fetched in one request.
pub(in crate::sources) fn verify_packages(
    opened: &mut OpenRepository<'_>,
    asked: &[&SignatureRequest<'_>],
) -> Vec<Result<SignatureStatus>> {
    let verdicts = verify_commits(opened, asked);

    // Only a commit with a trusted signature proves anything about the content.
    let mut places: Vec<(CommitId, &str)> = Vec::new();
    for (asked, verdict) in asked.iter().zip(&verdicts) {
        if let Ok(Some((commit, Ok(_)))) = verdict {
            places.push((
                *commit,
                asked.package.path.as_ref().map_or("", RelPath::as_str),
            ));
        }
    }

    // The signature is of the commit, and says nothing about the lockfile: so the content is compared.
    let mut trees = read_trees_at(opened, &places).into_iter();

    let asked = asked.iter().zip(verdicts);
    asked
        .map(|(asked, verdict)| signature_status(asked.package, verdict?, &mut trees))
        .collect()
}

/// The status of a package by the verdict on its commit; `trees` continues with the tree of each signed commit.
fn signature_status(
    package: &LockedPackage,
    verdict: CommitVerdict,
    trees: &mut impl Iterator<Item = Result<Tree>>,
) -> Result<SignatureStatus> {
    let Some((commit, verdict)) = verdict else {
        return Ok(SignatureStatus::unverified(VerifyError::NoTrustedKeys));
    };

    if verdict.is_ok() {
        let tree = trees
            .next()
            .expect("the tree of each signed commit was read")?;
        check_content_of_commit(package, &commit, &tree)?;
    }

    Ok(SignatureStatus {
        verdict: verdict.map_err(|error| error.about(format!("commit {}", commit.short()))),
        is_expected: true,
    })
}

/// The commit of a package, and whether one of the keys signed it; `None` if there are no keys.
type CommitVerdict = Option<(CommitId, VerifyResult)>;

/// The subject of a signature: a reference, its commit, and the keys that may sign.
type SignatureSubject<'q> = (&'q GitReference, CommitId, &'q [TrustedKey]);

/// Verifies the commits of packages; skills of one commit share its signature.
fn verify_commits<'q>(
    opened: &mut OpenRepository<'_>,
    asked: &[&'q SignatureRequest<'q>],
) -> Vec<Result<CommitVerdict>> {
    let mut known = Vec::new();
    asked
        .iter()
        .map(|asked| verify_commit(opened, asked, &mut known))
        .collect()
}

fn verify_commit<'q>(
    opened: &mut OpenRepository<'_>,
    asked: &'q SignatureRequest<'q>,
    known: &mut Vec<(SignatureSubject<'q>, VerifyResult)>,
) -> Result<CommitVerdict> {
    let SourceId::Git { reference, .. } = &asked.package.source else {
        return Err(Error::internal(
            "a repository was asked for another source's package",
        ));
    };

    if asked.keys.is_empty() {
        return Ok(None);
    }

    let commit: CommitId = asked
        .package
        .commit
        .as_deref()
        .unwrap_or_default()
        .parse()?;
    // Skills of one commit share its signature.
    let subject = (reference, commit, asked.keys.as_slice());

    if let Some((_, verdict)) = known.iter().find(|(known, _)| *known == subject) {
        return Ok(Some((commit, verdict.clone())));
    }

    // May run a program (`gpgv`), and so is done once for each commit.
    let verdict = opened
        .repository()
        .signed_at(reference, &commit)?
        .verify(&asked.keys, &GpgvVerifier);

    known.push((subject, verdict.clone()));
    Ok(Some((commit, verdict)))
}

fn check_content_of_commit(package: &LockedPackage, commit: &CommitId, tree: &Tree) -> Result<()> {
    let found = Checksum::from_tree(tree);
    if found != package.upstream_checksum() {
        return Err(Error::integrity(format!(
            "checksum mismatch for `{}`: it differs from its signed commit",
            package.reference()
        ))
        .note(format!("locked  {}", package.upstream_checksum()))
        .note(format!("commit {commit} has  {found}"))
        .help(format!(
            "restore the lockfile, or run `skillpm update {}`",
            package.install_name()
        )));
    }
    Ok(())
}

/// Whether the commits of packages are in the history of a branch or tag.
pub(in crate::sources) fn check_reachable(
    opened: &mut OpenRepository<'_>,
    packages: &[&&LockedPackage],
) -> Vec<Result<Option<bool>>> {
    // Forks share their objects with the repository on some hosts, so being served proves nothing.
    let mut known: BTreeMap<CommitId, Result<Option<bool>>> = BTreeMap::new();
    let mut check = |package: &&&LockedPackage| {
        let commit: CommitId = package.commit.as_deref().unwrap_or_default().parse()?;
        known
            .entry(commit)
            .or_insert_with(|| opened.repository().is_reachable(&commit))
            .clone()
    };

    packages.iter().map(&mut check).collect()
}
