//! Downloads the files of listed skills, in waves of bounded size, and checks their digests.

use super::SiteSkill;
use super::listing::{SiteContent, SiteFile, SiteFileKind};
use crate::sources::PackageSources;
use skillpm_core::error::{Error, Result};
use skillpm_core::package::{Sha256Digest, Tree, TreeBuilder, TreeLimits};
use skillpm_io::archive::{self, ARCHIVE_MAX};
use skillpm_io::http::{HttpOutcome, HttpRequest};

/// Most bytes of the files that are requested together.
const WAVE_MAX: u64 = 160 << 20;

/// A skill that is being downloaded.
enum PartialSkill {
    FileList(TreeBuilder),
    Complete(SiteSkill),
}

/// A file to download for one of the skills.
struct SiteDownload<'c> {
    skill_index: usize,
    kind: SiteDownloadKind<'c>,
    request: HttpRequest,
}

enum SiteDownloadKind<'c> {
    /// The whole skill.
    SingleFile(SiteFileKind, &'c Sha256Digest),
    /// One of its files.
    ListedFile(&'c str),
}

/// Downloads the files of several skills, in waves.
pub(super) fn download_skills(
    sources: &PackageSources<'_>,
    contents: Vec<Result<&SiteContent>>,
) -> Vec<Result<SiteSkill>> {
    let mut skills: Vec<Result<PartialSkill>> = Vec::new();
    let mut parts: Vec<SiteDownload<'_>> = Vec::new();
    for content in contents {
        // Before any of the files is requested.
        let content = content.and_then(|content| match content {
            SiteContent::FileList(files) => sources
                .budget
                .check_file_count(files.len())
                .map(|()| content),
            SiteContent::SingleFile { .. } => Ok(content),
        });
        if let Ok(content) = &content {
            parts.extend(plan_downloads(skills.len(), content));
        }
        skills.push(content.map(|_| PartialSkill::FileList(Tree::builder())));
    }

    let mut rest = parts.as_slice();
    while !rest.is_empty() {
        let (wave, later) = rest.split_at(wave_size(rest));
        download_wave(sources, wave, &mut skills);
        rest = later;
    }

    skills
        .into_iter()
        .map(|skill| match skill? {
            PartialSkill::FileList(tree) => Ok(SiteSkill {
                tree: tree.finish(),
                digest: None,
            }),
            PartialSkill::Complete(skill) => Ok(skill),
        })
        .collect()
}

fn download_wave(
    sources: &PackageSources<'_>,
    wave: &[SiteDownload<'_>],
    skills: &mut [Result<PartialSkill>],
) {
    // The other files of a skill that failed are not requested.
    let wave: Vec<&SiteDownload<'_>> = wave
        .iter()
        .filter(|part| skills[part.skill_index].is_ok())
        .collect();
    let requests: Vec<HttpRequest> = wave.iter().map(|part| part.request.clone()).collect();
    let answers = sources.tools.http.get_all(&requests, sources.reporter);

    for (part, answer) in wave.into_iter().zip(answers) {
        let skill = &mut skills[part.skill_index];
        let added = response_bytes(part, answer)
            .and_then(|bytes| add_downloaded(sources, skill, part, bytes));
        if let Err(error) = added {
            *skill = Err(error);
        }
    }
}

fn plan_downloads(skill_index: usize, content: &SiteContent) -> Vec<SiteDownload<'_>> {
    match content {
        SiteContent::SingleFile { kind, url, digest } => {
            vec![plan_single_file(skill_index, *kind, url, digest)]
        }
        SiteContent::FileList(files) => files
            .iter()
            .map(|file| plan_listed_file(skill_index, file))
            .collect(),
    }
}

fn plan_single_file<'c>(
    skill_index: usize,
    kind: SiteFileKind,
    url: &str,
    digest: &'c Sha256Digest,
) -> SiteDownload<'c> {
    // A limit for each file by its kind, so that no response is larger than a package may be.
    let limit = match kind {
        SiteFileKind::Archive => ARCHIVE_MAX,
        SiteFileKind::SkillMd => TreeLimits::default().skill_md,
    };
    SiteDownload {
        skill_index,
        kind: SiteDownloadKind::SingleFile(kind, digest),
        request: HttpRequest {
            sha256: Some(*digest),
            ..HttpRequest::new(url, limit)
        },
    }
}

fn plan_listed_file(skill_index: usize, file: &SiteFile) -> SiteDownload<'_> {
    let path = file.path.as_str();
    let limits = TreeLimits::default();
    let limit = if path == "SKILL.md" {
        limits.skill_md
    } else {
        limits.file
    };
    SiteDownload {
        skill_index,
        kind: SiteDownloadKind::ListedFile(path),
        request: HttpRequest {
            sha256: file.digest,
            ..HttpRequest::new(&file.url, limit)
        },
    }
}

/// How many of the next files are requested together.
fn wave_size(parts: &[SiteDownload<'_>]) -> usize {
    let mut bytes = 0;
    let fits = |part: &&SiteDownload<'_>| {
        // By the limit and not by the size, which is only known afterwards.
        bytes += part.request.limit;
        bytes <= WAVE_MAX
    };
    // One at least, however large it may be.
    parts.iter().take_while(fits).count().max(1)
}

fn response_bytes(part: &SiteDownload<'_>, answer: Result<HttpOutcome>) -> Result<Vec<u8>> {
    match answer? {
        HttpOutcome::Fresh(got) => Ok(got.bytes),
        HttpOutcome::Missing(status) | HttpOutcome::Refused(status, _) => {
            Err(Error::network(format!(
                "failed to fetch `{}`: HTTP status {status}",
                part.request.url
            )))
        }
        HttpOutcome::NotModified => {
            Err(Error::internal("a plain request got a conditional answer"))
        }
    }
}

fn add_downloaded(
    sources: &PackageSources<'_>,
    skill: &mut Result<PartialSkill>,
    part: &SiteDownload<'_>,
    bytes: Vec<u8>,
) -> Result<()> {
    let Ok(building) = skill else { return Ok(()) };
    match (&part.kind, building) {
        (SiteDownloadKind::ListedFile(path), PartialSkill::FileList(tree)) => {
            // Charged file by file: the size of the whole is not known before the last one.
            sources.budget.charge_bytes(bytes.len() as u64)?;
            tree.add(path, bytes, false)
        }
        (SiteDownloadKind::SingleFile(form, digest), building) => {
            let tree = sources
                .budget
                .charge(unpack(*form, &part.request.url, bytes)?)?;
            *building = PartialSkill::Complete(SiteSkill {
                tree,
                digest: Some(**digest),
            });
            Ok(())
        }
        (SiteDownloadKind::ListedFile(_), PartialSkill::Complete(_)) => Err(Error::internal(
            "a skill was downloaded both as one file and in parts",
        )),
    }
}

fn unpack(form: SiteFileKind, url: &str, bytes: Vec<u8>) -> Result<Tree> {
    // One `SKILL.md` is the whole skill.
    if form == SiteFileKind::SkillMd {
        let mut tree = Tree::builder();
        tree.add("SKILL.md", bytes, false)?;
        return Ok(tree.finish());
    }

    // By its first bytes, too: the server decides what the URL ends in.
    let unpacked = archive::ArchiveFormat::detect(url, &bytes)
        .and_then(|kind| archive::unpack(&bytes, kind))
        .and_then(archive::strip_top);
    unpacked
        .map(|(tree, _)| tree)
        .map_err(|error| error.wrap(format!("failed to unpack `{url}`")))
}
