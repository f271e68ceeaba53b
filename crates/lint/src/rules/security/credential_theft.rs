//! SK714: secrets that are read and sent to a third-party host in the same file or pipe; and wallet
//! addresses that are replaced in the clipboard.

use std::cell::RefCell;
use std::collections::HashMap;

use super::credentials::RULE;
use super::hosts::{HostClass, WebAddress, classify_host, is_in_domain};
use super::pattern_table;
use super::redact::redact_text;
use super::remote_code::pipe::fetched_address;
use super::scan::SecurityPattern;
use super::sink::{FindingSink, PatternFinding};
use super::text::{ScanText, TextKind, WindowScope};
use super::view::PatternMatch;
use skillpm_core::report::DiagnosticLevel;

const HELP: &str =
    "let the program that owns the credentials use them; never send them to another host";

pub(super) const PATTERNS: &[SecurityPattern] = pattern_table!("credential_theft");

/// Records a credential store named in code: nothing by itself, an error where the same file sends
/// what it reads.
fn check_store_name(hit: &PatternMatch<'_>, sink: &mut FindingSink<'_>) {
    // A public key is made to be given away.
    let is_public = hit.group("public").is_some() || hit.group("public2").is_some();
    let line = hit.full_text()[hit.view.source.line_range(hit.span.start)].to_lowercase();
    // To check or protect a store is not to read it.
    let only_asks = [
        "exists(",
        "is_file(",
        "chmod",
        "print(",
        "console.log",
        "help=",
    ]
    .iter()
    .any(|word| line.contains(word));

    if is_public || only_asks {
        return;
    }

    let store = redact_text(hit.group("store").unwrap_or_default());
    let message = format!("reads `{store}` and sends it to another host");
    let variables = follow_secret(hit, "");
    sink.record_name(
        hit,
        PatternFinding::new(&RULE, DiagnosticLevel::Error, message, HELP).never_excused(),
        variables,
    );
}

/// Records all environment variables in a variable: an error where the same file sends what is made of them.
fn check_environment_variable(hit: &PatternMatch<'_>, sink: &mut FindingSink<'_>) {
    const OTHERS: [&str; 7] = ["key", "token", "secret", "pass", "aws", "github", "api"];
    let around = hit
        .window_text(hit.span.start, WindowScope::Following(2))
        .to_lowercase();
    // A program that reads its own settings takes those with its prefix.
    let prefix = around
        .split_once("startswith(")
        .and_then(|(_, rest)| rest.split(')').next());
    if prefix.is_some_and(|prefix| !OTHERS.iter().any(|word| prefix.contains(word))) {
        return;
    }

    let message = "reads all environment variables and sends them to another host";
    let variables = follow_secret(hit, "");
    let finding = PatternFinding::new(&RULE, DiagnosticLevel::Error, message, HELP).never_excused();
    sink.record_environment(hit, finding, variables);
}

/// Records a secret from the environment that code names: an error where the same file sends it to
/// a collector.
fn check_env_secret(hit: &PatternMatch<'_>, sink: &mut FindingSink<'_>) {
    let source = &hit.view.source;
    let secret = hit
        .group("store")
        .or(hit.group("taken"))
        .unwrap_or_default();
    // To follow a name costs a pass over the whole file, which only pays if the file names a
    // collector.
    if is_hook_secret(secret) || !hit.is_code() || !find_collectors(source).is_in_file {
        return;
    }

    let message = format!(
        "reads the secret `{}` and sends it to an endpoint that shows it to a third party",
        redact_text(secret)
    );
    let variables = follow_secret(hit, secret);
    let finding = PatternFinding::new(&RULE, DiagnosticLevel::Error, message, HELP).never_excused();
    sink.record_name_for_collectors(hit, finding, variables, secret);
}

/// Returns the variables that hold the value that a match names; the same lines are followed once.
fn follow_secret(hit: &PatternMatch<'_>, secret: &str) -> Vec<String> {
    let source = &hit.view.source;
    // The lines around it decide which names hold it. A file can name it in each of a million
    // places, and to follow it costs a pass over the whole file.
    let around =
        hit.full_text()[source.window_range(hit.span.start, WindowScope::Around(6))].to_owned();
    let followed = &find_collectors(source).tainted_names;
    let key = (secret.to_owned(), around);

    let known = followed.borrow().get(&key).cloned();
    known.unwrap_or_else(|| {
        let variables = find_tainted_names(source, hit.span.start, secret);
        followed.borrow_mut().insert(key, variables.clone());
        variables
    })
}

/// Reports a command that sends a secret from the environment to a collector, each written in the
/// command or in a variable.
fn check_secret_upload(hit: &PatternMatch<'_>, sink: &mut FindingSink<'_>) {
    let source = &hit.view.source;
    if !hit.is_code() {
        return;
    }

    let Some(address) = fetched_address(hit, hit.text()).filter(is_collector) else {
        return;
    };
    // A function of a shell gets its secret from its call, which is elsewhere.
    let secret = find_secret(source, hit.text()).or_else(|| find_secret_in_call(hit));
    if let Some(secret) = secret.filter(|secret| !is_named_after_host(secret, address.host)) {
        let message = format!(
            "sends the secret `{}` to an endpoint that shows it to a third party",
            redact_text(secret)
        );
        sink.report(
            hit,
            PatternFinding::new(&RULE, DiagnosticLevel::Error, message, HELP).never_excused(),
        );
    }
}

/// Returns the first variable in a command that is a secret by its name, or is built from one.
fn find_secret<'t>(source: &ScanText<'_>, command: &'t str) -> Option<&'t str> {
    // Each `$` of a command begins a name, whatever the shell.
    let names = command.split('$').skip(1).map(leading_variable);
    names
        .take(NAMES_MAX)
        .find(|name| is_secret_variable(source, name))
}

/// Returns the name of the variable that a text begins with, after its `$`.
fn leading_variable(text: &str) -> &str {
    let text = text.trim_start_matches(['{', '(']);
    // PowerShell writes `$env:NAME`.
    let text = if begins_with(text, "env:") {
        &text["env:".len()..]
    } else {
        text
    };
    words(text).next().unwrap_or_default()
}

/// Whether a variable is a secret by its name, or is built from one: `BODY="k=$API_TOKEN"` hides
/// the name of the secret once.
fn is_secret_variable(source: &ScanText<'_>, name: &str) -> bool {
    is_secret_name(name)
        || source
            .variable_value(name)
            .is_some_and(|value| value.split('$').skip(1).any(starts_with_secret_name))
}

/// Returns the secret that a shell function is called with, if a command in it sends its arguments.
fn find_secret_in_call<'h>(hit: &PatternMatch<'h>) -> Option<&'h str> {
    let source = &hit.view.source;
    // Without arguments in the command, its function sends nothing of the call.
    if !["$1", "$2", "$@", "$*", "${1"]
        .iter()
        .any(|argument| hit.text().contains(argument))
    {
        return None;
    }

    // The function is the last that begins before the command, and is called after it.
    let before = &hit.full_text()[source
        .window_range(hit.span.start, WindowScope::Section)
        .start..hit.span.start];
    let function = before.lines().rev().find_map(shell_function)?;
    let end = hit
        .full_text()
        .floor_char_boundary(hit.full_text().len().min(hit.span.end + CALLS_REACH));
    // The calls are outside the window, so their lines are paid for here.
    source.spend(end - hit.span.end);
    let calls = hit.full_text()[hit.span.end..end]
        .lines()
        .filter(|line| line.split_whitespace().next() == Some(function));
    calls
        .take(NAMES_MAX)
        .find_map(|call| find_secret(source, call))
}

/// How far after a shell function its calls are searched, in bytes.
const CALLS_REACH: usize = 4096;

/// Returns the shell function that a line begins: `name() {`, `function name {`.
fn shell_function(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let name = match line.strip_prefix("function ") {
        Some(rest) => rest.split([' ', '(', '{']).next(),
        None => line
            .split_once("()")
            .filter(|(_, rest)| rest.trim_start().starts_with('{'))
            .map(|(name, _)| name.trim_end()),
    };

    name.filter(|name| {
        !name.is_empty()
            && name
                .chars()
                .all(|c| c.is_alphanumeric() || "_-".contains(c))
    })
}

/// Whether a text begins with an ASCII word, in any case.
fn begins_with(text: &str, word: &str) -> bool {
    text.get(..word.len())
        .is_some_and(|begin| begin.eq_ignore_ascii_case(word))
}

/// Whether the text after a `$` is the name of a secret.
fn starts_with_secret_name(rest: &str) -> bool {
    words(rest.trim_start_matches('{'))
        .next()
        .is_some_and(is_secret_name)
}

/// Whether an environment variable is a secret by its name.
fn is_secret_name(name: &str) -> bool {
    const SECRETS: [&str; 8] = [
        "TOKEN",
        "SECRET",
        "PASSW",
        "API_KEY",
        "APIKEY",
        "ACCESS_KEY",
        "PRIVATE_KEY",
        "CREDENTIAL",
    ];
    // Names of variables are in upper case; other text with these words is prose.
    SECRETS.iter().any(|secret| name.contains(secret)) && !is_hook_secret(name)
}

/// Whether a secret belongs to the collector itself: without it nothing can be sent there.
fn is_hook_secret(name: &str) -> bool {
    const HOOKS: [&str; 7] = [
        "HOOK", "TELEGRAM", "BOT", "DISCORD", "SLACK", "NGROK", "TUNNEL",
    ];
    let name = name.to_ascii_uppercase();
    HOOKS.iter().any(|hook| name.contains(hook))
}

/// Whether a secret is named after its host: `PASTEBIN_API_KEY`, for `pastebin.com`.
pub(super) fn is_named_after_host(secret: &str, host: &str) -> bool {
    let letters =
        |text: &str| -> String { text.chars().filter(char::is_ascii_alphanumeric).collect() };
    let name = letters(secret).to_ascii_uppercase();
    let label = host
        .rsplit('.')
        .nth(1)
        .map(|label| letters(label).to_ascii_uppercase());
    // A short label is in many names by chance: `io`, `dev`.
    label.is_some_and(|label| label.len() >= 4 && name.contains(&label))
}

/// The collectors that a program names: hosts that show the received data to a third party.
#[derive(Default)]
pub(super) struct KnownCollectors {
    /// Whether the program names any.
    is_in_file: bool,
    /// The host of the first.
    host: String,
    /// The variables that hold one, or are built from such a variable.
    variables: Vec<String>,
    /// The variables that hold a secret, by its name and the lines around it: each is followed
    /// once.
    tainted_names: RefCell<HashMap<(String, String), Vec<String>>>,
}

/// Finds the collectors that a program names, with the variables that hold them. Only assignments
/// are followed: a function that is called with one may be called with other hosts, too.
fn find_collectors<'s>(source: &'s ScanText<'_>) -> &'s KnownCollectors {
    source.collectors.get_or_init(|| read_collectors(source))
}

fn read_collectors(source: &ScanText<'_>) -> KnownCollectors {
    let lines = followed_lines(source.text);
    source.spend(total_length(&lines));

    // The hosts are often in a constant at the top, and the call names the constant.
    let mut named = lines
        .iter()
        .filter_map(|line| Some((line, collector_host(line)?)));
    let Some((first, host)) = named.next() else {
        return KnownCollectors::default();
    };
    let mut known = assigned_names(first);
    known.extend(named.flat_map(|(line, _)| assigned_names(line)));
    known.truncate(NAMES_MAX);

    // A variable may be built from one that was found in the previous round.
    for _ in 0..ROUNDS_MAX * usize::from(!known.is_empty()) {
        source.spend(total_length(&lines));
        if !add_built_names(&lines, &mut known) {
            break;
        }
    }

    KnownCollectors {
        is_in_file: true,
        host: host.to_owned(),
        variables: known.into_iter().map(str::to_owned).collect(),
        ..KnownCollectors::default()
    }
}

fn total_length(lines: &[&str]) -> usize {
    lines.iter().map(|line| line.len()).sum()
}

/// Adds the variables that are built from a known one, and returns whether there were any.
fn add_built_names<'t>(lines: &[&'t str], known: &mut Vec<&'t str>) -> bool {
    let before = known.len();
    // The result of a call is the answer, and not the address.
    for line in lines.iter().filter(|line| !is_call(line)) {
        let Some((_, value)) = line.split_once('=') else {
            continue;
        };
        if words(value).any(|word| known.contains(&word)) {
            let mut names = assigned_names(line);
            names.retain(|name| !known.contains(name));
            known.extend(names);
        }
    }
    known.truncate(NAMES_MAX);
    known.len() != before
}

/// Whether a line is a call: its assignment is a response, and not a host.
fn is_call(line: &str) -> bool {
    const CALLS: [&str; 8] = [
        ".post(",
        ".get(",
        ".put(",
        "fetch(",
        "urlopen(",
        "curl ",
        "-RestMethod",
        "-WebRequest",
    ];
    CALLS.iter().any(|call| line.contains(call))
}

/// Returns the host of the first collector in a line: in a URL, or by itself between quotes.
fn collector_host(line: &str) -> Option<&str> {
    let addresses = line
        .match_indices("://")
        .filter_map(|(at, _)| WebAddress::parse_at(line, at));
    if let Some(address) = addresses.take(NAMES_MAX).find(is_collector) {
        return Some(address.host);
    }
    // The path alone: the host is joined to it in code.
    if line.contains("\"/api/webhooks/") || line.contains("'/api/webhooks/") {
        return Some("discord.com");
    }

    // Every second piece between quotation marks is inside of them.
    let quoted = line
        .split(['"', '\'', '`'])
        .skip(1)
        .step_by(2)
        .take(NAMES_MAX);
    let hosts = quoted
        .filter_map(|text| text.split(['/', ':']).next())
        .filter(|host| host.contains('.'));
    hosts.into_iter().find(|host| {
        matches!(
            classify_host(host),
            HostClass::Catcher | HostClass::Paste | HostClass::Drop
        )
    })
}

/// Whether data sent to an address is shown to an anonymous owner.
fn is_collector(address: &WebAddress<'_>) -> bool {
    let is_hook = ["discord.com", "discordapp.com"]
        .iter()
        .any(|host| address.host.eq_ignore_ascii_case(host))
        && address.path.starts_with("/api/webhooks/");
    // A tunnel leads to a machine that may be the user's, so it is not one of these.
    is_hook
        || matches!(
            address.host_class(),
            HostClass::Catcher | HostClass::Paste | HostClass::Drop
        )
}

/// Finds the variables in a program that hold the value named at a byte, or are built from it:
/// through assignments, loops, arguments and return values. The program is read line by line, and a
/// name means the same everywhere. `secret` is the name of the value wherever the program uses it,
/// or empty.
fn find_tainted_names(source: &ScanText<'_>, at: usize, secret: &str) -> Vec<String> {
    let lines = followed_lines(source.text);
    let functions = defined_functions(&lines);
    source.spend(ROUNDS_MAX * total_length(&lines));

    let own = memchr::memchr_iter(b'\n', &source.text.as_bytes()[..at]).count();
    let mut known = match lines.get(own) {
        // What a function returns is what its callers get.
        Some(line) if line.trim_start().starts_with("return ") => lines[..own]
            .iter()
            .rev()
            .find_map(|line| defined_function(line))
            .into_iter()
            .collect(),
        _ => names_assigned_above(&lines, own),
    };
    // One is left for the name of the secret itself.
    known.truncate(NAMES_MAX - 1);
    known.extend((!secret.is_empty()).then_some(secret));

    // Each round follows the names one step further, also upwards in the file.
    for _ in 0..ROUNDS_MAX {
        if !add_reached_names(&lines, &functions, &mut known) {
            break;
        }
    }
    known.into_iter().map(str::to_owned).collect()
}

/// Finds the functions of a program by name, each with the line that defines it.
fn defined_functions<'t>(lines: &[&'t str]) -> HashMap<&'t str, &'t str> {
    let mut functions: HashMap<&str, &str> = lines
        .iter()
        .filter_map(|line| Some((defined_function(line)?, *line)))
        .collect();
    for line in lines {
        if let Some(name) = shell_function(line) {
            // The first definition counts, as a reader would take it.
            functions.entry(name).or_insert(line);
        }
    }
    functions
}

/// Returns the variables of the assignment that a line belongs to: it may begin some lines above
/// the line that names the secret.
fn names_assigned_above<'t>(lines: &[&'t str], own: usize) -> Vec<&'t str> {
    (own.saturating_sub(6)..=own)
        .rev()
        .filter_map(|line| lines.get(line))
        .map(|line| assigned_names(line))
        .find(|names| !names.is_empty())
        .unwrap_or_default()
}

/// Adds the names that a known one reaches in one round, and returns whether there were any.
fn add_reached_names<'t>(
    lines: &[&'t str],
    functions: &HashMap<&str, &'t str>,
    known: &mut Vec<&'t str>,
) -> bool {
    let before = known.len();
    let mut function = "";
    for line in lines {
        function = defined_function(line).unwrap_or(function);
        if !words(line).any(|word| known.contains(&word)) {
            continue;
        }

        let mut more = assigned_names(line);
        // What a function returns is what its callers get.
        if line.trim_start().starts_with("return") {
            more.push(function);
        }
        more.extend(parameters_of_called(line, functions));

        for name in more {
            if known.len() < NAMES_MAX && !name.is_empty() && !known.contains(&name) {
                known.push(name);
            }
        }
    }
    known.len() != before
}

/// Returns the parameters of the functions that a line calls: the arguments of the call end up in
/// them.
fn parameters_of_called<'t>(line: &str, functions: &HashMap<&str, &'t str>) -> Vec<&'t str> {
    // A shell calls functions without parentheses.
    let command = line.split_whitespace().next();
    called_functions(line)
        .chain(command)
        .filter_map(|name| functions.get(name))
        .filter_map(|definition| definition.split_once('('))
        .flat_map(|(_, parameters)| words(parameters))
        .collect()
}

/// Returns the lines of a program in which names are followed.
fn followed_lines(text: &str) -> Vec<&str> {
    text.lines()
        .take(LINES_MAX)
        .map(|line| &line[..line.floor_char_boundary(LINE_MAX)])
        .collect()
}

/// Most lines of a program in which a secret is followed.
const LINES_MAX: usize = 1500;

/// Most bytes of a line in which it is followed.
const LINE_MAX: usize = 512;

/// Most variables in which it is followed.
const NAMES_MAX: usize = 64;

/// Most passes over a program: a secret that is passed on more often is not followed.
const ROUNDS_MAX: usize = 4;

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
}

/// Returns the function that a line begins.
fn defined_function(line: &str) -> Option<&str> {
    let line = line.trim_start().trim_start_matches("async ");
    words(
        line.strip_prefix("def ")
            .or_else(|| line.strip_prefix("function "))?,
    )
    .next()
}

/// Returns the functions that a line calls, unless it begins one.
fn called_functions(line: &str) -> impl Iterator<Item = &str> {
    let line = if defined_function(line).is_some() {
        ""
    } else {
        line
    };
    line.match_indices('(')
        .filter_map(|(open, _)| called_function(&line[..open]))
}

/// Returns the function that is called if a parenthesis opens after this text.
fn called_function(before: &str) -> Option<&str> {
    let name = before
        .rsplit(|c: char| !c.is_alphanumeric() && c != '_')
        .next()
        .unwrap_or(before);
    // A method of the same name is another function.
    let is_method = before[..before.len() - name.len()].ends_with('.');
    (!is_method && !name.is_empty()).then_some(name)
}

/// Returns the variables that a line assigns: `name = …`, `name[key] = …`, `for name in …`, `… as
/// name:`.
fn assigned_names(line: &str) -> Vec<&str> {
    let line = line.trim_start();
    let is_keyword = |word: &&str| ["const", "let", "var"].contains(word);
    if let Some((names, rest)) = line
        .strip_prefix("for ")
        .and_then(|rest| rest.split_once(" in ").or_else(|| rest.split_once(" of ")))
    {
        let names = words(names).filter(|word| !is_keyword(word));
        // The body may be on the same line.
        let body = rest.split_once('{').map(|(_, body)| assigned_names(body));
        return names.chain(body.unwrap_or_default()).collect();
    }
    // `names.append(…)` adds to a variable.
    if let Some((name, rest)) = line.split_once('.')
        && ["append(", "push(", "update(", "extend("]
            .iter()
            .any(|call| rest.starts_with(call))
    {
        return words(name).take(1).collect();
    }

    // `==` compares, and does not assign.
    let assigned = line
        .split_once('=')
        .filter(|(_, right)| !right.starts_with('='))
        .map(|(left, _)| left.split('[').next().unwrap_or(left));
    let assigned = assigned.filter(|left| !left.contains(['(', '"', '\'', '<', '>', '!']));
    let name = assigned.and_then(|left| words(left).find(|word| !is_keyword(word)));
    // `with open(…) as name:` assigns, too; `import … as name` does not matter here.
    let called = line
        .rsplit_once(" as ")
        .and_then(|(_, name)| words(name).next());

    name.into_iter()
        .chain(called.filter(|_| line.starts_with("with ")))
        .collect()
}

/// Calls and commands that read a file.
const READS: [&str; 12] = [
    ".read(",
    "read_text",
    "read_bytes",
    "readfile",
    "file_get_contents",
    "file.read",
    "cat ",
    "base64",
    "tar ",
    "zipfile",
    "get-content",
    "xxd ",
];

fn check_read_and_sent(hit: &PatternMatch<'_>, sink: &mut FindingSink<'_>) {
    let call = hit.text().to_lowercase();
    // A key file that authenticates the call is not what the call sends.
    if ["--netrc-file", "--cert", "--key "]
        .iter()
        .any(|option| call.contains(option))
    {
        return;
    }

    let is_dns = hit.group("dns").is_some();
    let is_collected = hit.is_code() && goes_to_collector(hit, &call);
    // A page is not a program: there only a collector makes it a theft.
    let is_page = hit.view.source.kind == TextKind::Markdown;
    // A lookup with a variable in its name sends that variable, and any answer will do.
    let is_sent = is_dns
        || sends_payload(&call)
            && written_address(hit).is_some_and(|address| is_untrusted_recipient(&address));

    let is_leak = is_sent && !is_page;
    if !is_leak && !is_collected {
        return;
    }

    let host = &find_collectors(&hit.view.source).host;
    let has_read = || reads_file_before(hit) || reads_file_in_arguments(&call);
    if (is_leak || has_body(&call)) && !is_page && has_read() {
        sink.record_read_leak(hit, is_collected.then(|| host.clone()));
    } else if is_collected {
        sink.record_variable_leak(hit, Some(host.clone()));
    } else if is_leak {
        sink.record_variable_leak(hit, None);
    }
}

fn reads_file(text: &str) -> bool {
    READS.iter().any(|word| text.contains(word))
}

/// Whether a file is read in the lines before a call.
fn reads_file_before(hit: &PatternMatch<'_>) -> bool {
    let window = hit
        .view
        .source
        .window_range(hit.span.start, WindowScope::Around(8));
    let before = hit.full_text()[window.start.min(hit.span.start)..hit.span.start].to_lowercase();

    // A network response that is read there is not a file of the user.
    let answers = ["urlopen", "requests.", "fetch("];
    before
        .lines()
        .any(|line| reads_file(line) && !answers.iter().any(|word| line.contains(word)))
}

/// Whether a file is read in the arguments of a call.
fn reads_file_in_arguments(call: &str) -> bool {
    let (_, arguments) = call.split_once(',').unwrap_or_default();
    // Reading the response comes after the call.
    let end = arguments.rfind(").read").unwrap_or(arguments.len());
    reads_file(&arguments[..end])
}

/// Whether a call, in lower case, sends more than its URL.
fn sends_payload(call: &str) -> bool {
    let second = call
        .split_once(',')
        .filter(|_| call.starts_with("urlopen"))
        .map_or("", |(_, second)| second.trim_start());
    let is_given = !second.is_empty()
        && !["timeout", "context"]
            .iter()
            .any(|option| second.starts_with(option));
    is_given || has_body(call)
}

/// Whether a call, in lower case, has a body.
fn has_body(call: &str) -> bool {
    const BODIES: [&str; 10] = [
        "data", "json", "body", "put", "read", " -d", " -f ", " -t ", "@", "content",
    ];
    call.starts_with("request(")
        || call.contains("post")
        || BODIES.iter().any(|word| call.contains(word))
}

/// Whether a call goes to a collector, written in the call or held by a variable in it.
fn goes_to_collector(hit: &PatternMatch<'_>, call: &str) -> bool {
    let known = find_collectors(&hit.view.source);
    if !known.is_in_file {
        return false;
    }
    let is_known = |word: &str| known.variables.iter().any(|name| name == word);
    let to = hit.group("to").is_some_and(is_known);

    // Writing to a file is not a call, even if the written text names a collector.
    let is_written =
        hit.group("to").is_some() && (call.contains(".write(") || call.contains(".end("));
    to || !is_written && (collector_host(hit.text()).is_some() || words(hit.text()).any(is_known))
}

/// Returns the address of a call, written in the call or held by its first argument.
fn written_address<'h>(hit: &PatternMatch<'h>) -> Option<WebAddress<'h>> {
    WebAddress::find(hit.text()).or_else(|| argument_address(hit))
}

/// Returns the address in the variable that is the first argument of a call.
fn argument_address<'h>(hit: &PatternMatch<'h>) -> Option<WebAddress<'h>> {
    let (_, arguments) = hit.text().split_once('(')?;
    let name = arguments.split([',', ')']).next()?.trim();
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    if !is_name {
        return None;
    }

    WebAddress::find(hit.view.source.variable_value(name)?)
}

/// Whether a host is not one of the services that issue such secrets.
fn is_untrusted_recipient(address: &WebAddress<'_>) -> bool {
    const SERVICES: [&str; 17] = [
        "amazonaws.com",
        "googleapis.com",
        "google.com",
        "azure.com",
        "microsoft.com",
        "microsoftonline.com",
        "windows.net",
        "github.com",
        "gitlab.com",
        "npmjs.org",
        "pypi.org",
        "docker.com",
        "docker.io",
        "heroku.com",
        "run.app",
        "appspot.com",
        "githubusercontent.com",
    ];
    let host = address.host.to_lowercase();
    let is_service = is_in_domain(&host, &SERVICES);

    !is_service
        && !host.contains(['$', '{', '<'])
        && !matches!(
            address.host_class(),
            HostClass::NonPublic | HostClass::Known
        )
}

/// Reports a file of secrets in a variable that is sent some lines later.
fn check_file_upload(hit: &PatternMatch<'_>, sink: &mut FindingSink<'_>) {
    let Some(name) = hit.group("name").or(hit.group("set")) else {
        return;
    };

    let end = hit
        .full_text()
        .floor_char_boundary(hit.full_text().len().min(hit.span.end + 2048));
    let sent = hit.full_text()[hit.span.end..end]
        .lines()
        .find(|line| sends_file(line, name));

    let to = sent.and_then(|line| fetched_address(hit, line));
    if let Some(address) = to.filter(is_untrusted_recipient) {
        let store = redact_text(hit.group("store").unwrap_or_default());
        let message = format!("sends `{store}` to `{}`", redact_text(address.host));
        sink.report(
            hit,
            PatternFinding::new(&RULE, DiagnosticLevel::Error, message, HELP).never_excused(),
        );
    }
}

/// Whether a command sends the file whose path a variable has.
fn sends_file(line: &str, name: &str) -> bool {
    let has_file = ["@", "@\"", "< ", "< \"", "-T ", "-T \""]
        .iter()
        .any(|mark| {
            line.contains(&format!("{mark}${name}")) || line.contains(&format!("{mark}${{{name}}}"))
        });
    has_file
        && ["curl ", "wget ", "nc ", "ncat "]
            .iter()
            .any(|word| line.contains(word))
}

/// Reports a printed token that is sent to a host other than its own.
fn check_printed_token(hit: &PatternMatch<'_>, sink: &mut FindingSink<'_>) {
    let printed = hit
        .group("printed")
        .or(hit.group("given"))
        .unwrap_or_default();
    if let Some(address) = WebAddress::find(hit.text()).filter(is_untrusted_recipient) {
        let message = format!(
            "sends the output of `{}` to `{}`",
            redact_text(printed),
            redact_text(address.host)
        );
        sink.report(
            hit,
            PatternFinding::new(&RULE, DiagnosticLevel::Error, message, HELP),
        );
    }
}

/// Reports a loop that replaces wallet addresses in the clipboard.
fn check_clipboard_hijack(hit: &PatternMatch<'_>, sink: &mut FindingSink<'_>) {
    let does = hit
        .view
        .source
        .is_clipboard_hijacker
        .get_or_init(|| hijacks_clipboard(hit.full_text()));
    if *does {
        let message = "clipboard hijacker: replaces wallet addresses in the clipboard";
        sink.report(
            hit,
            PatternFinding::new(
                &RULE,
                DiagnosticLevel::Error,
                message,
                "remove it: payments of the user would go to another wallet",
            )
            .never_excused(),
        );
    }
}

/// Whether a program replaces wallet addresses in the clipboard. The answer is cached for the file,
/// however often it uses the clipboard.
fn hijacks_clipboard(text: &str) -> bool {
    let text = text.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
    let knows_wallets = has(&[
        "bc1[",
        "bc1q[",
        "(bc1",
        "0x[0-9a-f",
        "0x[a-f0-9",
        "[13][a-km-z",
    ]);
    let takes = has(&[
        "pbpaste",
        "\"-o\"",
        "xclip -o",
        "wl-paste",
        "get-clipboard",
        "pyperclip.paste",
        "clipboard.readtext",
    ]);
    let exchanges = has(&[".sub(", ".replace(", "-replace", "sed "]);
    let watches = has(&["while", "setinterval", "sleep"]);

    knows_wallets && takes && exchanges && watches
}
