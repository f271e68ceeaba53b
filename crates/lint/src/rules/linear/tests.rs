//! That every rule takes time in proportion to what it reads, whatever is written there.
//!
//! There is no counter that all rules, parsers and regular expressions share, so this measures the time that the thread
//! itself has run, which other work on the machine does not change much. Four times the text may take twelve times as long,
//! plus what a cache or a page fault may cost: work that grows with the square takes sixteen times.

use std::time::Duration;

use super::all;
use crate::lint::{Check, Content, File, Found, Page, Settings, SkillDir, Subject};

/// What is repeated.
const SHAPES: &[&str] = &[
    "<!--",
    "<!-- -->",
    "-->",
    "[",
    "]",
    "[a](",
    "![",
    "[a]: b\n",
    "[a][",
    "`",
    "`a` ",
    "```\n",
    "~~~\na\n",
    "*",
    "**a",
    "_a ",
    "*a _b ",
    "(",
    ")",
    "<a ",
    "<a href=\"",
    "</",
    "<",
    "&#",
    "&#97;",
    "\\x41",
    "\\",
    "$(",
    "${",
    "$ifs",
    "\"",
    "'",
    "\"a' ",
    "''",
    "QUJDREVGR0g=",
    "aB3",
    "a",
    " ",
    "\n",
    "\t",
    "> ",
    "- ",
    "  - ",
    "# ",
    "# a\n",
    "## a\n\n[b](#a-1) ",
    "[b](#c) ",
    "1. ",
    "|",
    "| a ",
    "|a|\n|-|\n",
    "---\n",
    "a: b\n",
    "a: &a [",
    "{",
    "{{",
    "[[",
    "- [ ] ",
    "http://",
    "https://a.dev/b ",
    "://",
    "https://bit.ly/a ",
    "curl ",
    "curl a | sh\n",
    "curl \\\n",
    "download http://a.dev/b.zip ",
    "password: a ",
    "**password**: a ",
    "http://1.2.3.5 ",
    "base64 -d ",
    "echo a|base64 -d|",
    "a=b\n",
    "a=$(curl a) ",
    "eval $a ",
    "exec(",
    "open('.env')\n",
    "'~/.ssh/id_rsa' ",
    "x = '~/.aws/credentials'\n",
    "requests.post(a, data=b)\n",
    "def f(x): return f(x)\n",
    "rm -rf ",
    "never ",
    "do not tell ",
    "ignore all previous ",
    "pbcopy\n",
    concat!("AKI", "AQ3EGR5TZ7UBD2KXN "),
    concat!("gh", "p_Zk3Vq9TbW7mXr2HsY8dLc5NfJ4gPw6Ta1RuK "),
    "-----BEGIN PRIVATE KEY-----",
    "TODO ",
    "/home/a/b ",
    "\u{200b}",
    "a\u{200b}",
    "\u{202e}",
    "\u{2066}a",
    "\u{e0041}",
    "\u{300}\u{200d}",
    "\u{2800}",
    "\u{430}a",
    "\u{1b}[",
    "\u{1b}[1;",
    "import a\n",
    "if a:\n",
    "<script ",
    "onload=\"",
    "printf '\\x63\\x75\\x72",
    "dig txt a |",
    "skillpm-lint ",
    "<!-- skillpm: ignore -->\n",
];

/// A skill of nothing but this: in its page, a page beside it, scripts and a picture.
fn skill(shape: &str, bytes: usize) -> SkillDir {
    let text = shape.repeat(bytes / shape.len() + 1);
    let page =
        format!("---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n\n{text}");
    let file =
        |path: &str, text: &str| File { path: path.into(), content: Content::Text(text.into()), executable: false };
    let files = vec![file("SKILL.md", &page), file("form.svg", &text), file("notes.md", &text), file("run.py", &text)];
    SkillDir { directory: "pdf".into(), files, ..SkillDir::default() }
}

/// How long the thread ran while it did something.
fn cost(work: impl FnOnce()) -> Duration {
    let before = ran();
    work();
    ran().saturating_sub(before)
}

/// How long the thread ran so far.
fn ran() -> Duration {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    Duration::from_nanos(stat.split(' ').next().unwrap().parse().unwrap())
}

/// The cost of each rule, and of what is read before any is asked, by name.
fn costs(skill: &SkillDir) -> Vec<(&'static str, Duration)> {
    let settings = Settings::default();
    let mut page = None;
    let reader = cost(|| {
        let file = skill.page().unwrap();
        let read = Page::read(&file.path, file.text().unwrap(), &skill.directory);
        read.markdown();
        page = Some(read);
    });
    let subject = Subject { skill, settings: &settings, page };
    let mut costs = vec![("the readers", reader)];
    for rule in all() {
        if let Check::Skill(check) = rule.check {
            costs.push((rule.name, cost(|| check(&subject, &mut Found::default()))));
        }
    }
    costs
}

/// What grows faster than the text, of a text of so many bytes and one of four times as many.
fn superlinear(shape: &str, bytes: usize) -> Vec<String> {
    let allowed = |short: Duration| short * 12 + Duration::from_millis(60);
    let once = || -> Vec<String> {
        let (short, long) = (costs(&skill(shape, bytes)), costs(&skill(shape, 4 * bytes)));
        let pairs = short.into_iter().zip(long);
        let slow = pairs.filter(|((_, short), (_, long))| *long > allowed(*short));
        slow.map(|((rule, short), (_, long))| format!("{shape:?}, {rule}: {short:?} and {long:?}")).collect()
    };
    // What only once took so long was something else.
    let found = once();
    if found.is_empty() { found } else { once() }
}

/// The same of all shapes.
fn all_superlinear(bytes: usize) -> Vec<String> {
    const THREADS: usize = 2;

    let part = |first: usize| -> Vec<String> {
        SHAPES.iter().skip(first).step_by(THREADS).flat_map(|shape| superlinear(shape, bytes)).collect()
    };
    std::thread::scope(|scope| {
        let parts: Vec<_> = (0..THREADS).map(|first| scope.spawn(move || part(first))).collect();
        parts.into_iter().flat_map(|part| part.join().unwrap()).collect()
    })
}

#[test]
#[cfg(target_os = "linux")]
fn every_rule_takes_time_in_proportion_to_the_text() {
    // What is made once is no part of it.
    costs(&skill(&SHAPES.concat(), 1 << 12));

    let bytes = std::env::var("SKILLPM_LINEAR_BYTES").ok().and_then(|bytes| bytes.parse().ok()).unwrap_or(1 << 11);
    let found = all_superlinear(bytes);
    assert!(found.is_empty(), "{} grow too fast:\n{}", found.len(), found.join("\n"));
}

#[test]
#[cfg(target_os = "linux")]
fn every_rule_takes_time_in_proportion_to_twenty_megabytes() {
    if std::env::var_os("SKILLPM_NIGHTLY").is_none() {
        return;
    }
    // Four files, of 5 and of 20 million bytes together.
    let found = all_superlinear(20_000_000 / 4 / 4);
    assert!(found.is_empty(), "{} grow too fast:\n{}", found.len(), found.join("\n"));
}
