//! Regular expressions as people write them: over several lines, with comments and fragments.
//!
//! ```text
//! (?x)
//! \b curl \s [^\n]{0,80}?      # the gap
//! \| \s* {{shell}}
//! ```
//!
//! becomes `\bcurl\s[^\n]*?\|\s*(?:…)`, and matches count up to some length.

use std::collections::BTreeMap;

use regex_automata::util::syntax::parse_with;

use super::super::compile::syntax_config;

/// Named parts of regexes, in one line each.
#[derive(Clone, Default)]
pub(super) struct RegexFragments(BTreeMap<String, String>);

/// A regex, ready to be compiled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ExpandedRegex {
    /// The regex in one line, without fragments and large counts.
    pub(super) text: String,
    /// The longest match that counts, in bytes.
    pub(super) longest: usize,
}

impl RegexFragments {
    /// Adds a fragment, which uses no others.
    pub(super) fn add(&mut self, name: &str, regex: &str) -> Result<(), String> {
        let line = to_one_line(regex.trim_end())?;
        if line.contains("{{") {
            return Err("a fragment uses no other fragments".into());
        }
        match self.0.insert(name.to_owned(), line) {
            Some(_) => Err("it is defined twice".into()),
            None => Ok(()),
        }
    }

    /// Expands a regex.
    pub(super) fn expand(&self, regex: &str) -> Result<ExpandedRegex, String> {
        let line = self.insert_into(&to_one_line(regex)?)?;
        let (text, gap) = drop_counts(&line);
        let longest = match gap {
            0 => usize::MAX,
            gap => 120 + gap + gap / 2,
        };
        Ok(ExpandedRegex { text, longest })
    }

    /// Replaces each `{{name}}` by its fragment.
    fn insert_into(&self, line: &str) -> Result<String, String> {
        let (mut expanded, mut rest) = (String::new(), line);
        let mut used: Vec<&str> = Vec::new();
        while let Some((before, after)) = rest.split_once("{{") {
            let (name, after) = after
                .split_once("}}")
                .ok_or("`{{` without `}}` in the regex")?;
            let fragment = self
                .0
                .get(name)
                .ok_or_else(|| format!("unknown fragment `{name}`"))?;

            expanded.push_str(before);
            // A group name may be in a regex only once.
            if used.contains(&name) {
                expanded.push_str(&unname_groups(fragment));
            } else {
                expanded.push_str(fragment);
                used.push(name);
            }
            rest = after;
        }
        expanded.push_str(rest);
        Ok(expanded)
    }
}

/// Returns a regex whose named groups are groups without a name.
fn unname_groups(fragment: &str) -> String {
    let (mut plain, mut rest) = (String::new(), fragment);
    while let Some((before, after)) = rest.split_once("(?P<") {
        plain.push_str(before);
        plain.push_str("(?:");
        rest = after.split_once('>').map_or("", |(_, after)| after);
    }
    plain.push_str(rest);
    plain
}

/// Removes the layout of a regex that begins with `(?x)`; any other is in one line already.
pub(super) fn to_one_line(regex: &str) -> Result<String, String> {
    let Some(verbose) = regex.trim_start().strip_prefix("(?x)") else {
        return Ok(regex.to_owned());
    };
    let line = strip_layout(verbose);

    // The regex that is reviewed and the one that is compiled must be the same to the parser.
    let parse = |text: &str| {
        let bare = text.replace("{{", "(?:fragment_").replace("}}", ")");
        parse_with(&bare, &syntax_config(true)).map_err(|error| error.to_string())
    };
    if parse(regex.trim_start())? != parse(&line)? {
        return Err("the regex changes its meaning without its layout".into());
    }
    Ok(line)
}

/// Removes blanks and comments that are not escaped.
fn strip_layout(verbose: &str) -> String {
    let mut line = String::with_capacity(verbose.len());
    let mut chars = verbose.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                // These are escaped only because of the layout.
                Some(escaped @ (' ' | '#')) => line.push(escaped),
                Some(escaped) => line.extend(['\\', escaped]),
                None => line.push('\\'),
            },
            '#' => {
                chars.by_ref().find(|c| *c == '\n');
            }
            c if c.is_whitespace() => {}
            c => line.push(c),
        }
    }
    line
}

/// Returns a regex without large counts, and the largest of them. A gap of at most so many bytes
/// becomes one of any length, and the length of the whole match is checked instead: an automaton
/// that counts is a thousand times as large.
pub(super) fn drop_counts(regex: &str) -> (String, usize) {
    let mut plain = String::with_capacity(regex.len());
    let (mut rest, mut largest) = (regex, 0);
    while let Some(open) = rest.find('{') {
        match large_count(&rest[open + 1..]) {
            Some(count) => {
                plain.push_str(&rest[..open]);
                plain.push(if count.least == 0 { '*' } else { '+' });
                largest = largest.max(count.most);
                rest = count.after;
            }
            // Small counts stay: they cost few states.
            None => {
                plain.push_str(&rest[..=open]);
                rest = &rest[open + 1..];
            }
        }
    }

    plain.push_str(rest);
    (plain, largest)
}

/// A count such as `{0,80}`, and the regex after it.
struct LargeCount<'r> {
    least: usize,
    most: usize,
    after: &'r str,
}

/// Parses a large count after its `{`.
fn large_count(rest: &str) -> Option<LargeCount<'_>> {
    let (count, after) = rest.split_once('}')?;
    let (least, most) = count.split_once(',')?;
    let (least, most) = (least.parse().ok()?, most.parse().ok()?);
    (least <= 1 && most >= 20).then_some(LargeCount { least, most, after })
}
