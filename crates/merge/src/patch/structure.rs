//! The structure of a patch, read line by line before any of it is applied.
//!
//! The crate that applies patches is as generous as `patch`: it takes a head without content for an empty file, and what
//! it cannot read between two files for a remark. A patch that was cut or damaged then applies in part. So every line
//! must have its place here:
//!
//! ```text
//! Edits of the skill `pdf`, made to 1.2.0.                  a remark, up to the first `diff --git`
//! diff --git a/logo.png b/logo.png                          a part: its head,
//! index 257cc56..5716ca5 100644                             what git calls the content before and afterwards,
//! GIT binary patch                                          and content that is complete
//! literal 3
//! KcmZQzU|;|M00aO5
//!
//! literal 3
//! KcmZQzV_*OP00IC3
//!
//! # end of patch                                            the last line, where the first lines promise it
//! ```

use super::binary::{self, Form};

/// What the remark at the top promises of the last line, so that a patch that was cut between two parts is found out.
pub(super) const PROMISE: &str = "The last line of this file is `# end of patch`.";

/// That line; `git apply` and `patch` pass over it.
pub(super) const LAST_LINE: &str = "# end of patch";

/// One file in a patch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PatchPart<'p> {
    /// The line at which it begins, counted from 1.
    pub(super) line: usize,
    /// What git calls the content before and afterwards, perhaps abbreviated; `None` if it does not say.
    pub(super) blobs: Option<(&'p str, &'p str)>,
    /// Whether its content is whole in it, whatever there was before.
    pub(super) is_literal: bool,
}

/// Why a patch cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StructureError {
    /// The line, counted from 1.
    pub(super) line: usize,
    /// What is wrong there.
    pub(super) reason: String,
}

type Result<T> = std::result::Result<T, StructureError>;

/// The parts of a patch, in the order of the file.
pub(super) fn read(patch: &[u8], is_git: bool) -> Result<Vec<PatchPart<'_>>> {
    let mut lines = PatchLines { rest: patch, number: 0 };
    let has_promise = lines.skip_remark(is_git)?;
    let framed = if has_promise { Some(without_last_line(patch)?) } else { None };
    if !patch.ends_with(b"\n") {
        return Err(StructureError { line: line_count(patch), reason: "the patch ends within a line".into() });
    }
    if let Some(length) = framed {
        let read = patch.len() - lines.rest.len();
        lines.rest = patch.get(read..length).unwrap_or_default();
    }

    let mut parts = Vec::new();
    while lines.peek().is_some() {
        parts.push(if is_git { lines.git_part(has_promise)? } else { lines.plain_part()? });
        lines.skip_between(is_git)?;
    }
    if parts.is_empty() {
        return Err(lines.error("the patch changes no file"));
    }
    Ok(parts)
}

/// How long a patch is without its last line, which must be the one that was promised.
fn without_last_line(patch: &[u8]) -> Result<usize> {
    let text = patch.trim_ascii_end();
    let end = text.strip_suffix(LAST_LINE.as_bytes()).filter(|rest| rest.ends_with(b"\n"));
    end.map(<[u8]>::len).ok_or_else(|| StructureError {
        line: line_count(patch),
        reason: format!("the patch was cut: its last line is not `{LAST_LINE}`"),
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

/// What the head of a part says.
#[derive(Default)]
struct PartHead<'p> {
    blobs: Option<(&'p str, &'p str)>,
    is_created: bool,
    is_deleted: bool,
    /// Of `old mode` and `new mode`, of `rename from` and `rename to`, and of the two for copies, how many there are.
    modes: usize,
    names: usize,
    /// The names in the latter.
    moved: Vec<&'p [u8]>,
    /// What git says of a file that moved: whether it is the very same.
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
        self.peek().is_some_and(|line| line.starts_with(start.as_bytes()))
    }

    /// An error at the line that was read last.
    fn error(&self, reason: impl Into<String>) -> StructureError {
        StructureError { line: self.number, reason: reason.into() }
    }

    /// An error at the next line, or at the end of the patch.
    fn error_next(&self, expected: &str) -> StructureError {
        let (line, found) = match self.peek() {
            Some(_) => (self.number + 1, "this line is not"),
            None => (self.number, "the patch ends before"),
        };
        StructureError { line, reason: format!("{found} {expected}") }
    }

    /// Passes over what is written before the first part, and returns whether it promises a last line.
    fn skip_remark(&mut self, is_git: bool) -> Result<bool> {
        let mut has_promise = false;
        while self.peek().is_some() && !self.is_at_part(is_git) {
            let line = self.next().unwrap_or_default();
            // A first part whose head is damaged is not a remark.
            let is_promised = has_promise && !line.trim_ascii().is_empty();
            if is_promised || belongs_to_part(line) {
                return Err(self.error("this line belongs to a file, and none was named before"));
            }
            has_promise |= line.trim_ascii_end() == PROMISE.as_bytes();
        }
        Ok(has_promise)
    }

    fn is_at_part(&self, is_git: bool) -> bool {
        self.next_is(if is_git { "diff --git " } else { "--- " })
    }

    /// Passes over what may be between two parts: blank lines, comments, and the text of the mails that `git format-patch`
    /// writes.
    fn skip_between(&mut self, is_git: bool) -> Result<()> {
        let mut is_mail = false;
        while self.peek().is_some() && !self.is_at_part(is_git) {
            let line = self.next().unwrap_or_default();
            let trimmed = line.trim_ascii_end();
            is_mail |= line.starts_with(b"From ") || trimmed == b"--";
            let is_known = is_mail || trimmed.is_empty() || line.starts_with(b"#");
            // Other tools write these between the parts of a plain diff.
            let is_plain = !is_git
                && ["diff ", "Index: ", "=====", "Only in "].iter().any(|start| line.starts_with(start.as_bytes()));
            if belongs_to_part(line) || !(is_known || is_plain) {
                return Err(self.error("this line is neither part of a change nor the start of the next file"));
            }
        }
        Ok(())
    }

    /// A part of a plain unified diff.
    fn plain_part(&mut self) -> Result<PatchPart<'p>> {
        let line = self.number + 1;
        self.text()?;
        Ok(PatchPart { line, blobs: None, is_literal: false })
    }

    /// A part as git writes it. `is_framed` if the last line of the patch is there, so that nothing is missing behind it.
    fn git_part(&mut self, is_framed: bool) -> Result<PatchPart<'p>> {
        let names = self.next().unwrap_or_default().strip_prefix(b"diff --git ").unwrap_or_default();
        let line = self.number;
        let head = self.head()?;
        if !head.names_agree(names) {
            return Err(StructureError {
                line,
                reason: format!("the names in `{}` do not agree", String::from_utf8_lossy(names)),
            });
        }
        let mut is_literal = false;
        if self.next_is("GIT binary patch") {
            self.next();
            is_literal = self.block()? == Form::Literal;
            self.block()?;
        } else if self.next_is("Binary files ") {
            self.next();
        } else if self.next_is("--- ") {
            self.text()?;
        } else if !head.is_complete(is_framed || self.peek().is_some()) {
            return Err(self.error_next("the content that the head of this file announces"));
        }
        Ok(PatchPart { line, blobs: head.blobs, is_literal })
    }

    fn head(&mut self) -> Result<PartHead<'p>> {
        let mut head = PartHead::default();
        while let Some(line) = self.peek() {
            let starts = |start: &str| line.starts_with(start.as_bytes());
            if starts("index ") {
                self.next();
                head.blobs = Some(blobs(line).ok_or_else(|| self.error("invalid `index` line"))?);
                continue;
            }
            if starts("new file mode ") {
                head.is_created = true;
            } else if starts("deleted file mode ") {
                head.is_deleted = true;
            } else if starts("old mode ") || starts("new mode ") {
                head.modes += 1;
            } else if let Some(name) = moved_name(line) {
                head.names += 1;
                head.moved.push(name);
            } else if starts("similarity index ") {
                head.is_same = Some(line.trim_ascii_end().ends_with(b" 100%"));
            } else if !starts("dissimilarity index ") {
                break;
            }
            self.next();
        }
        if head.modes % 2 == 1 || head.names % 2 == 1 {
            return Err(self.error_next("the other of two lines that belong together"));
        }
        Ok(head)
    }

    /// Two names and what changes line by line.
    fn text(&mut self) -> Result<()> {
        self.next();
        if !self.next_is("+++ ") {
            return Err(self.error_next("the `+++` line of this file"));
        }
        self.next();
        if !self.next_is("@@ -") {
            return Err(self.error_next("a hunk, `@@ -…`"));
        }
        while self.next_is("@@ -") {
            self.hunk()?;
        }
        Ok(())
    }

    fn hunk(&mut self) -> Result<()> {
        let header = self.next().unwrap_or_default();
        let (mut old, mut new) = hunk_counts(header).ok_or_else(|| self.error("invalid head of a hunk"))?;
        let start = self.number;
        while old > 0 || new > 0 {
            let (takes_old, takes_new) = match self.peek().map(<[u8]>::first) {
                Some(None | Some(b' ')) => (1, 1),
                Some(Some(b'-')) => (1, 0),
                Some(Some(b'+')) => (0, 1),
                Some(Some(b'\\')) => (0, 0),
                _ => return Err(self.error_next(&format!("the rest of the hunk that begins at line {start}"))),
            };
            self.next();
            let counts = (u64::checked_sub(old, takes_old), u64::checked_sub(new, takes_new));
            let (Some(old_left), Some(new_left)) = counts else {
                return Err(self.error(format!("the hunk that begins at line {start} has other lines than it says")));
            };
            (old, new) = (old_left, new_left);
        }
        while self.next_is("\\") {
            self.next();
        }
        Ok(())
    }

    /// One direction of what is no text, down to the empty line that ends it.
    fn block(&mut self) -> Result<Form> {
        let line = self.peek().and_then(|line| std::str::from_utf8(line).ok()).unwrap_or_default();
        let size = |start: &str| line.strip_prefix(start)?.trim_end().parse::<u64>().ok();
        let (form, size) = match (size("literal "), size("delta ")) {
            (Some(size), _) => (Form::Literal, size),
            (None, Some(size)) => (Form::Delta, size),
            (None, None) => return Err(self.error_next("`literal` or `delta` and a size")),
        };
        self.next();
        let start = self.number;

        let before = self.rest;
        loop {
            match self.next() {
                None => return Err(self.error(format!("the patch ends within the binary data of line {start}"))),
                Some(line) if line.trim_ascii().is_empty() => break,
                Some(_) => {}
            }
        }
        let data = &before[..before.len() - self.rest.len()];
        binary::check(size, data).map_err(|reason| StructureError {
            line: start,
            reason: format!("of the file that begins before this line, {reason}"),
        })?;
        Ok(form)
    }
}

impl PartHead<'_> {
    /// Whether the line `diff --git a/x b/x` names one file twice, or the two that the lines of a move name.
    fn names_agree(&self, names: &[u8]) -> bool {
        let names = names.strip_suffix(b"\r").unwrap_or(names);
        if !self.moved.is_empty() {
            return self.moved.iter().all(|name| memchr::memmem::find(names, name).is_some());
        }
        let (before, after) = names.split_at(names.len() / 2);
        let Some(after) = after.strip_prefix(b" ") else { return false };
        let without = |name: &'_ [u8], side: &[u8]| {
            let (quote, name) = name.strip_prefix(b"\"").map_or((false, name), |name| (true, name));
            Some((quote, name.strip_prefix(side)?.to_vec()))
        };
        let is_one = without(before, b"a/").is_some() && without(before, b"a/") == without(after, b"b/");
        is_one || before == after
    }

    /// Whether nothing more is to come: a file that only moved, can be run now, or is empty.
    fn is_complete(&self, is_followed: bool) -> bool {
        match self.blobs {
            Some((before, after)) => {
                let is_empty = |blob: &str| is_none(blob) || binary::blob_id(b"").starts_with(blob);
                (self.is_created || self.is_deleted) && is_empty(before) && is_empty(after)
            }
            // Earlier versions of this program wrote empty files and those that moved so. At the end it may as well be cut.
            None if self.is_created || self.is_deleted => is_followed,
            None if self.names > 0 => self.is_same.unwrap_or(is_followed),
            None => self.modes > 0,
        }
    }
}

/// Whether no line of a remark is like this.
fn belongs_to_part(line: &[u8]) -> bool {
    ["GIT binary patch", "@@ -", "+++ "].iter().any(|start| line.starts_with(start.as_bytes()))
}

/// The name in a line such as `rename to x`, without quotes.
fn moved_name(line: &[u8]) -> Option<&[u8]> {
    let starts: [&[u8]; 4] = [b"rename from ", b"rename to ", b"copy from ", b"copy to "];
    let name = starts.iter().find_map(|start| line.strip_prefix(*start))?.trim_ascii_end();
    Some(name.strip_prefix(b"\"").and_then(|name| name.strip_suffix(b"\"")).unwrap_or(name))
}

/// Whether git means by this that there is no file.
pub(super) fn is_none(blob: &str) -> bool {
    blob.bytes().all(|digit| digit == b'0')
}

/// The two names of content in a line `index 257cc56..5716ca5 100644`.
fn blobs(line: &[u8]) -> Option<(&str, &str)> {
    let text = std::str::from_utf8(line).ok()?.strip_prefix("index ")?;
    let (before, after) = text.split_whitespace().next()?.split_once("..")?;
    let is_name = |name: &str| (4..=64).contains(&name.len()) && name.bytes().all(|digit| digit.is_ascii_hexdigit());
    (is_name(before) && is_name(after)).then_some((before, after))
}

/// How many lines a hunk has of before and of afterwards: `@@ -1,3 +1,4 @@`.
fn hunk_counts(header: &[u8]) -> Option<(u64, u64)> {
    let text = String::from_utf8_lossy(header);
    let (ranges, _) = text.strip_prefix("@@ -")?.split_once(" @@")?;
    let (old, new) = ranges.split_once(" +")?;
    let count = |range: &str| match range.split_once(',') {
        Some((_, count)) => count.parse().ok(),
        None => Some(1),
    };
    Some((count(old)?, count(new)?))
}
