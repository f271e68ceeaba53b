//! Checks the structure of a patch line by line, before any of it is applied.
//!
//! The crate that applies patches is as lenient as `patch`: it takes a header without content for an empty file, and
//! unreadable lines between two files for a comment. A truncated or damaged patch would then be applied in part. So every
//! line must be one of these:
//!
//! ```text
//! Edits of the skill `pdf`, made to 1.2.0.                  a comment, up to the first `diff --git`
//! diff --git a/logo.png b/logo.png                          a part: its header,
//! index 257cc56..5716ca5 100644                             the blob ids before and after,
//! GIT binary patch                                          and content that is complete
//! literal 3
//! KcmZQzU|;|M00aO5
//!
//! literal 3
//! KcmZQzV_*OP00IC3
//!
//! # end of patch                                            the last line, if the comment announces it
//! ```

use super::binary::{self, BinaryForm};

/// The announcement of the last line in the comment at the top, so that a patch cut between two parts is detected.
pub(super) const LAST_LINE_NOTICE: &str = "The last line of this file is `# end of patch`.";

/// The last line; `git apply` and `patch` ignore it.
pub(super) const LAST_LINE: &str = "# end of patch";

/// One file in a patch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PatchPart<'p> {
    /// The line at which it begins, counted from 1.
    pub(super) line: usize,
    /// The blob ids before and after, perhaps abbreviated; `None` without an `index` line.
    pub(super) blobs: Option<(&'p str, &'p str)>,
    /// Whether it has the whole new content, independent of the old one.
    pub(super) is_literal: bool,
}

/// Why a patch is invalid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StructureError {
    /// The line, counted from 1.
    pub(super) line: usize,
    /// The reason.
    pub(super) reason: String,
}

type Result<T> = std::result::Result<T, StructureError>;

/// The parts of a patch, in the order of the file.
///
/// # Errors
/// The first line that does not belong, or at which the patch ends too early.
pub(super) fn read_structure(patch: &[u8], is_git: bool) -> Result<Vec<PatchPart<'_>>> {
    let mut lines = PatchLines {
        rest: patch,
        number: 0,
    };
    // Only a patch that announces its last line must have it: others are written by git and by
    // people.
    let announces_last_line = lines.skip_comment(is_git)?;
    let framed = if announces_last_line {
        Some(without_last_line(patch)?)
    } else {
        None
    };

    if !patch.ends_with(b"\n") {
        return Err(StructureError {
            line: line_count(patch),
            reason: "truncated patch: it ends within a line".into(),
        });
    }
    if let Some(length) = framed {
        // The parts end before the last line.
        let read = patch.len() - lines.rest.len();
        lines.rest = patch.get(read..length).unwrap_or_default();
    }

    let mut parts = Vec::new();
    // The crate that applies patches skips what it cannot read; here every line must belong
    // to something.
    while lines.peek().is_some() {
        parts.push(if is_git {
            lines.read_git_part(announces_last_line)?
        } else {
            lines.read_plain_part()?
        });
        lines.skip_between(is_git)?;
    }

    if parts.is_empty() {
        return Err(lines.error("the patch changes no file"));
    }
    Ok(parts)
}

/// The length of a patch without its last line, which must be the announced one.
fn without_last_line(patch: &[u8]) -> Result<usize> {
    // An editor or a mail program may have added blank lines at the end.
    let text = patch.trim_ascii_end();
    let end = text
        .strip_suffix(LAST_LINE.as_bytes())
        .filter(|rest| rest.ends_with(b"\n"));
    end.map(<[u8]>::len).ok_or_else(|| StructureError {
        line: line_count(patch),
        reason: format!("truncated patch: its last line is not `{LAST_LINE}`"),
    })
}

fn line_count(text: &[u8]) -> usize {
    text.split_inclusive(|byte| *byte == b'\n').count()
}

struct PatchLines<'p> {
    rest: &'p [u8],
    /// The line that was read last, counted from 1.
    number: usize,
}

/// The header of a part.
#[derive(Default)]
struct PartHeader<'p> {
    blobs: Option<(&'p str, &'p str)>,
    is_created: bool,
    is_deleted: bool,
    /// The number of `old mode` and `new mode` lines, and of `rename` and `copy` lines.
    modes: usize,
    names: usize,
    /// The names in the `rename` and `copy` lines.
    moved: Vec<&'p [u8]>,
    /// Whether a renamed file has the same content; `None` if git does not say.
    is_same: Option<bool>,
}

impl<'p> PatchLines<'p> {
    /// The next line without its end.
    fn peek(&self) -> Option<&'p [u8]> {
        let line = self.rest.split_inclusive(|byte| *byte == b'\n').next()?;
        Some(line.strip_suffix(b"\n").unwrap_or(line))
    }

    fn next(&mut self) -> Option<&'p [u8]> {
        let line = self.peek()?;
        self.rest = self.rest.get(line.len() + 1..).unwrap_or_default();
        self.number += 1;
        Some(line)
    }

    fn next_is(&self, start: &str) -> bool {
        self.peek()
            .is_some_and(|line| line.starts_with(start.as_bytes()))
    }

    /// An error at the line that was read last.
    fn error(&self, reason: impl Into<String>) -> StructureError {
        StructureError {
            line: self.number,
            reason: reason.into(),
        }
    }

    /// An error at the next line, or at the end of the patch.
    fn error_next(&self, expected: &str) -> StructureError {
        let (line, found) = match self.peek() {
            Some(_) => (self.number + 1, "expected"),
            None => (self.number, "unexpected end of patch: expected"),
        };
        StructureError {
            line,
            reason: format!("{found} {expected}"),
        }
    }

    /// Skips the comment before the first part, and returns whether it announces a last line.
    fn skip_comment(&mut self, is_git: bool) -> Result<bool> {
        let mut announces_last_line = false;
        while self.peek().is_some() && !self.is_at_part(is_git) {
            let line = self.next().unwrap_or_default();
            // A first part with a damaged header is not a comment.
            let is_after_notice = announces_last_line && !line.trim_ascii().is_empty();
            if is_after_notice || belongs_to_part(line) {
                return Err(self.error("unexpected line before the header of the first file"));
            }
            announces_last_line |= line.trim_ascii_end() == LAST_LINE_NOTICE.as_bytes();
        }
        Ok(announces_last_line)
    }

    fn is_at_part(&self, is_git: bool) -> bool {
        self.next_is(if is_git { "diff --git " } else { "--- " })
    }

    /// Skips the lines allowed between two parts: blank lines, comments, and the text of the mails that `git format-patch`
    /// writes.
    fn skip_between(&mut self, is_git: bool) -> Result<()> {
        let mut is_mail = false;
        while self.peek().is_some() && !self.is_at_part(is_git) {
            let line = self.next().unwrap_or_default();
            let trimmed = line.trim_ascii_end();
            // A mail ends with `-- ` and git's version.
            is_mail |= line.starts_with(b"From ") || trimmed == b"--";
            let is_known = is_mail || trimmed.is_empty() || line.starts_with(b"#");
            // Other tools write these between the parts of a plain diff.
            let is_plain = !is_git
                && ["diff ", "Index: ", "=====", "Only in "]
                    .iter()
                    .any(|start| line.starts_with(start.as_bytes()));
            if belongs_to_part(line) || !(is_known || is_plain) {
                return Err(self.error(
                    "this line is neither part of a change nor the start of the next file",
                ));
            }
        }
        Ok(())
    }

    /// A part of a plain unified diff.
    fn read_plain_part(&mut self) -> Result<PatchPart<'p>> {
        let line = self.number + 1;
        self.read_text()?;
        Ok(PatchPart {
            line,
            blobs: None,
            is_literal: false,
        })
    }

    /// A part as git writes it. With `is_framed` the patch has its last line, so nothing is missing after the part.
    fn read_git_part(&mut self, is_framed: bool) -> Result<PatchPart<'p>> {
        let names = self
            .next()
            .unwrap_or_default()
            .strip_prefix(b"diff --git ")
            .unwrap_or_default();
        let line = self.number;

        let header = self.read_header()?;
        // A damaged name would create a file beside the one that was meant.
        if !header.names_match(names) {
            return Err(StructureError {
                line,
                reason: format!(
                    "the file names in `{}` do not match",
                    String::from_utf8_lossy(names)
                ),
            });
        }

        let mut is_literal = false;
        if self.next_is("GIT binary patch") {
            self.next();
            is_literal = self.read_block()? == BinaryForm::Literal;
            // The reverse direction, which git writes as well.
            self.read_block()?;
        } else if self.next_is("Binary files ") {
            self.next();
        } else if self.next_is("--- ") {
            self.read_text()?;
        } else if !header.is_complete(is_framed || self.peek().is_some()) {
            return Err(self.error_next("the content announced by the header of this file"));
        }

        Ok(PatchPart {
            line,
            blobs: header.blobs,
            is_literal,
        })
    }

    fn read_header(&mut self) -> Result<PartHeader<'p>> {
        let mut header = PartHeader::default();
        while let Some(line) = self.peek() {
            let starts = |start: &str| line.starts_with(start.as_bytes());
            if starts("index ") {
                self.next();
                header.blobs =
                    Some(parse_blobs(line).ok_or_else(|| self.error("invalid `index` line"))?);
                continue;
            }

            if starts("new file mode ") {
                header.is_created = true;
            } else if starts("deleted file mode ") {
                header.is_deleted = true;
            } else if starts("old mode ") || starts("new mode ") {
                header.modes += 1;
            } else if let Some(name) = moved_name(line) {
                header.names += 1;
                header.moved.push(name);
            } else if starts("similarity index ") {
                header.is_same = Some(line.trim_ascii_end().ends_with(b" 100%"));
            } else if !starts("dissimilarity index ") {
                break;
            }
            self.next();
        }

        // They come in pairs, so that one alone means that a line is lost.
        if header.modes % 2 == 1 || header.names % 2 == 1 {
            return Err(self.error_next("the second line of a mode, rename or copy"));
        }
        Ok(header)
    }

    /// The two name lines and the hunks of a text.
    fn read_text(&mut self) -> Result<()> {
        self.next();
        if !self.next_is("+++ ") {
            return Err(self.error_next("the `+++` line of this file"));
        }
        self.next();
        if !self.next_is("@@ -") {
            return Err(self.error_next("a hunk (`@@ -…`)"));
        }
        while self.next_is("@@ -") {
            self.read_hunk()?;
        }
        Ok(())
    }

    fn read_hunk(&mut self) -> Result<()> {
        let header = self.next().unwrap_or_default();
        let (mut old, mut new) =
            parse_hunk_counts(header).ok_or_else(|| self.error("invalid hunk header"))?;

        // The counts say where the hunk ends: a removed line `-- x` looks like the header of a
        // file.
        let start = self.number;
        while old > 0 || new > 0 {
            let (takes_old, takes_new) = match self.peek().map(<[u8]>::first) {
                // Some editors strip the space of an empty context line.
                Some(None | Some(b' ')) => (1, 1),
                Some(Some(b'-')) => (1, 0),
                Some(Some(b'+')) => (0, 1),
                Some(Some(b'\\')) => (0, 0),
                _ => {
                    return Err(self
                        .error_next(&format!("the rest of the hunk that begins at line {start}")));
                }
            };

            self.next();
            let counts = (
                u64::checked_sub(old, takes_old),
                u64::checked_sub(new, takes_new),
            );
            let (Some(old_left), Some(new_left)) = counts else {
                return Err(self.error(format!(
                    "the hunk that begins at line {start} does not match its line counts"
                )));
            };
            (old, new) = (old_left, new_left);
        }

        // `\ No newline at end of file`, after the last line of either side.
        while self.next_is("\\") {
            self.next();
        }
        Ok(())
    }

    /// One direction of binary data, down to the empty line that ends it.
    fn read_block(&mut self) -> Result<BinaryForm> {
        let line = self
            .peek()
            .and_then(|line| std::str::from_utf8(line).ok())
            .unwrap_or_default();
        let size = |start: &str| line.strip_prefix(start)?.trim_end().parse::<u64>().ok();
        let (form, size) = match (size("literal "), size("delta ")) {
            (Some(size), _) => (BinaryForm::Literal, size),
            (None, Some(size)) => (BinaryForm::Delta, size),
            (None, None) => return Err(self.error_next("`literal` or `delta` and a size")),
        };
        self.next();
        let start = self.number;

        let before = self.rest;
        loop {
            match self.next() {
                None => {
                    return Err(self.error(format!(
                        "unexpected end of patch in the binary data of line {start}"
                    )));
                }
                Some(line) if line.trim_ascii().is_empty() => break,
                Some(_) => {}
            }
        }
        let data = &before[..before.len() - self.rest.len()];
        binary::check_block(size, data).map_err(|reason| StructureError {
            line: start,
            reason: format!("invalid content of the file that begins before this line: {reason}"),
        })?;
        Ok(form)
    }
}

impl PartHeader<'_> {
    /// Whether the line `diff --git a/x b/x` names one file twice, or the two of the `rename` lines.
    fn names_match(&self, names: &[u8]) -> bool {
        let names = names.strip_suffix(b"\r").unwrap_or(names);
        if !self.moved.is_empty() {
            return self
                .moved
                .iter()
                // Contained only, since quotes and prefixes differ between the two lines.
                .all(|name| memchr::memmem::find(names, name).is_some());
        }

        // Unless it moved, both names are equally long: `a/x b/x`.
        let (before, after) = names.split_at(names.len() / 2);
        let Some(after) = after.strip_prefix(b" ") else {
            return false;
        };

        // With `--no-prefix` the two names are simply equal.
        let path = strip_side(before, b"a/");
        (path.is_some() && path == strip_side(after, b"b/")) || before == after
    }

    /// Whether the header is all of the part: a file that was only renamed, changed its mode, or is empty.
    fn is_complete(&self, is_followed: bool) -> bool {
        match self.blobs {
            Some((before, after)) => {
                let is_empty =
                    |blob: &str| is_absent_blob(blob) || binary::blob_id(b"").starts_with(blob);
                (self.is_created || self.is_deleted) && is_empty(before) && is_empty(after)
            }
            // Earlier versions of skillpm wrote empty and renamed files so. At the end of a patch it may as well be truncated.
            None if self.is_created || self.is_deleted => is_followed,
            // A rename of less than 100 % must be followed by hunks.
            None if self.names > 0 => self.is_same.unwrap_or(is_followed),
            // A change of the mode alone has nothing else.
            None => self.modes > 0,
        }
    }
}

/// A name without its `a/` or `b/`, and whether it is quoted.
fn strip_side<'n>(name: &'n [u8], side: &[u8]) -> Option<(bool, &'n [u8])> {
    match name.strip_prefix(b"\"") {
        Some(name) => Some((true, name.strip_prefix(side)?)),
        None => Some((false, name.strip_prefix(side)?)),
    }
}

/// Whether a line can only be part of a file, not of a comment.
fn belongs_to_part(line: &[u8]) -> bool {
    ["GIT binary patch", "@@ -", "+++ "]
        .iter()
        .any(|start| line.starts_with(start.as_bytes()))
}

/// The name in a line such as `rename to x`, without quotes.
fn moved_name(line: &[u8]) -> Option<&[u8]> {
    let starts: [&[u8]; 4] = [b"rename from ", b"rename to ", b"copy from ", b"copy to "];
    let name = starts
        .iter()
        .find_map(|start| line.strip_prefix(*start))?
        .trim_ascii_end();
    Some(
        name.strip_prefix(b"\"")
            .and_then(|name| name.strip_suffix(b"\""))
            .unwrap_or(name),
    )
}

/// Whether a blob id is all zeros, which git writes for a missing file.
pub(super) fn is_absent_blob(blob: &str) -> bool {
    blob.bytes().all(|digit| digit == b'0')
}

/// The two blob ids in a line `index 257cc56..5716ca5 100644`.
fn parse_blobs(line: &[u8]) -> Option<(&str, &str)> {
    let text = std::str::from_utf8(line).ok()?.strip_prefix("index ")?;
    let (before, after) = text.split_whitespace().next()?.split_once("..")?;
    // git abbreviates to four digits or more; a SHA-256 has 64.
    let is_name = |name: &str| {
        (4..=64).contains(&name.len()) && name.bytes().all(|digit| digit.is_ascii_hexdigit())
    };
    (is_name(before) && is_name(after)).then_some((before, after))
}

/// The numbers of old and of new lines in a hunk header: `@@ -1,3 +1,4 @@`.
fn parse_hunk_counts(header: &[u8]) -> Option<(u64, u64)> {
    let text = String::from_utf8_lossy(header);
    let (ranges, _) = text.strip_prefix("@@ -")?.split_once(" @@")?;
    let (old, new) = ranges.split_once(" +")?;
    let count = |range: &str| match range.split_once(',') {
        Some((_, count)) => count.parse().ok(),
        None => Some(1),
    };
    Some((count(old)?, count(new)?))
}
