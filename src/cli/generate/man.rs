//! Man pages: `skillpm(1)`, and one for each command.
//!
//! What clap knows comes from clap; the text below a command's first line is read as its doc comment is written:
//!
//! ```text
//! Add skills to the project            the first line: NAME
//!
//! Finds them, writes them …            paragraphs: DESCRIPTION, with `code` in bold
//!
//!   ./dir, ../dir                      indented by two: verbatim
//!
//! Examples:                            what follows it: EXAMPLES
//!
//!   skillpm add commit-messages
//! ```

use std::collections::BTreeMap;
use std::io::Write;

use clap::builder::PossibleValue;
use clap::{Arg, ArgAction, Command, CommandFactory};
use clap_mangen::Man;
use clap_mangen::roff::{Inline, Roff, bold, italic, roman};

use crate::cli::{CliArgs, EXIT_CODES};
use crate::config::SETTINGS;

/// What skillpm itself reads from the environment besides settings, and what the crates below it read.
// By hand, since no table has them: each is read where it is needed, or by a crate.
pub(super) const ENVIRONMENT: [(&str, &str); 15] = [
    (
        "SKILLPM_HOME",
        "the directory of skillpm's own files, instead of `~/.skillpm`",
    ),
    (
        "SKILLPM_REGISTRIES_NAME_TOKEN",
        "the token of registry NAME, in capitals, with `_` for other signs",
    ),
    (
        "SKILLPM_REGISTRIES_NAME_INDEX",
        "the index that this token is for, where only a project's file says what NAME is",
    ),
    ("SKILLPM_TOKEN", "the token of the default registry"),
    ("HOME", "where your own skills and settings are"),
    (
        "NO_COLOR",
        "no color, if it is set and not empty; `--color` goes before it",
    ),
    ("CLICOLOR_FORCE", "color even where no terminal is"),
    (
        "HTTPS_PROXY, HTTP_PROXY, ALL_PROXY",
        "the proxy to reach the network through",
    ),
    ("NO_PROXY", "hosts to reach without it, separated by commas"),
    (
        "SSL_CERT_FILE",
        "the root certificates to trust instead of the system's, as PEM",
    ),
    (
        "NETRC",
        "the file with logins for git repositories, instead of `~/.netrc`",
    ),
    (
        "GIT_SSH_COMMAND, GIT_SSH",
        "how to run ssh for `ssh://` repositories, as for git",
    ),
    (
        "GIT_CONFIG_GLOBAL, GIT_CONFIG_COUNT, …",
        "git's settings, which apply to skillpm's git commands too",
    ),
    (
        "AWS_…, GOOGLE_…, AZURE_…",
        "who you are to an object store, and where that is, as for their own programs",
    ),
    ("SSH_AUTH_SOCK", "the agent with your ssh keys"),
];

/// Where things are.
// What a person finds in a repository or a home directory, and may wonder about.
const FILES: [(&str, &str); 10] = [
    (
        "skillpm.toml",
        "the manifest: what the project asks for; written by people, edited by `skillpm add`",
    ),
    (
        "skillpm.lock",
        "the lockfile: what was decided, with checksums; commit it",
    ),
    (
        ".agents/skills/",
        "where the project's skills are installed",
    ),
    (
        ".skillpm/config.toml",
        "settings of the project and of the directories below it",
    ),
    (
        ".skillpm/",
        "what was installed where, and backups of edited skills; not for commits",
    ),
    ("~/.skillpm/config.toml", "your own settings"),
    (
        "~/.skillpm/credentials.toml",
        "tokens of registries, for your eyes only; written by `skillpm login`",
    ),
    (
        "~/.skillpm/store/",
        "every package that was ever installed, by checksum",
    ),
    (
        "~/.skillpm/git/",
        "copies of git repositories; `skillpm cache` looks after them",
    ),
    (
        "~/.agents/skills/",
        "your own skills: the managed tier, `--global`",
    ),
];

/// The commands that a reader of a command's page may want next.
// By hand: what belongs together for a reader follows from no name.
const RELATED: &[(&str, &[&str])] = &[
    ("add", &["install", "remove", "update"]),
    ("agents", &["catalog", "doctor", "list"]),
    ("audit", &["lint", "verify"]),
    ("bundle", &["install", "vendor"]),
    ("cache", &["doctor", "install", "undo"]),
    ("catalog", &["list", "show", "why"]),
    ("completions", &["man"]),
    ("config", &[]),
    ("convert", &["lint", "new"]),
    ("diff", &["patch", "update", "verify"]),
    ("disable", &["enable", "remove"]),
    ("doctor", &["cache", "install", "verify"]),
    ("enable", &["disable", "install"]),
    ("import", &["add", "undo"]),
    ("info", &["add", "search"]),
    ("init", &["add", "new"]),
    ("install", &["add", "lock", "update", "verify"]),
    ("lint", &["package", "publish", "validate"]),
    ("list", &["catalog", "show", "tree", "why"]),
    ("lock", &["install", "update"]),
    ("login", &["config", "logout"]),
    ("logout", &["login"]),
    ("lsp", &["lint", "validate"]),
    ("man", &["completions"]),
    ("new", &["init"]),
    ("outdated", &["update"]),
    ("owner", &["publish"]),
    ("package", &["new", "publish"]),
    ("patch", &["diff", "undo", "update", "verify"]),
    ("proposals", &["show"]),
    ("publish", &["owner", "yank"]),
    ("registry", &["add", "config", "owner", "publish"]),
    ("remove", &["add", "why"]),
    ("restore", &["diff", "patch", "undo"]),
    ("sbom", &["list", "lock", "tree"]),
    ("search", &["add", "info", "list"]),
    ("serve", &["catalog", "show"]),
    ("show", &["catalog", "list"]),
    ("status", &["doctor", "list", "outdated"]),
    ("tree", &["list", "why"]),
    ("undo", &["install", "update"]),
    ("update", &["install", "lock", "outdated"]),
    ("validate", &["lint", "publish"]),
    ("vendor", &["bundle", "install", "lock", "undo"]),
    ("verify", &["install"]),
    ("watch", &["catalog"]),
    ("why", &["list", "tree"]),
    ("yank", &["publish"]),
];

/// Every man page by its file's name: `skillpm.1`, and `skillpm-add.1` for a command.
#[must_use]
pub fn render_pages() -> BTreeMap<String, Vec<u8>> {
    let mut root = CliArgs::command();
    // Built, or the arguments that every command takes would be missing from its page.
    root.build();

    let subpages = visible_subcommands(&root)
        .map(|command| (file_name(command), render_command_page(command)));
    let mut pages: BTreeMap<_, _> = subpages.collect();
    pages.insert(file_name(&root), render_root_page(&root));
    pages
}

fn render_root_page(root: &Command) -> Vec<u8> {
    let long = LongAbout::from_command(root);
    let mut page = ManPage::new(root);

    page.section("SYNOPSIS").text(vec![
        bold("skillpm"),
        roman(" [options] "),
        italic("command"),
        roman(" …"),
    ]);
    page.section("DESCRIPTION").paragraphs(&long.description);

    page.section("COMMANDS");
    for command in visible_subcommands(root) {
        page.definition(
            vec![bold(title(command)), roman("(1)")],
            &format!("{}{}", short_about(command), alias_note(command)),
        );
    }
    page.options(root);

    page.exit_codes();
    page.environment();
    page.section("FILES");
    for (path, meaning) in FILES {
        page.definition(vec![bold(path)], meaning);
    }

    page.see_also(visible_subcommands(root).map(title));
    page.finish()
}

fn render_command_page(command: &Command) -> Vec<u8> {
    // Synopsis and options come from clap, so a page cannot miss a flag.
    let long = LongAbout::from_command(command);
    let mut page = ManPage::new(command);

    page.section("SYNOPSIS").text(synopsis(command));
    page.section("DESCRIPTION").paragraphs(&format!(
        "{}{}.\n\n{}",
        short_about(command),
        alias_note(command),
        long.description
    ));

    if command.has_subcommands() {
        page.section("COMMANDS");
        visible_subcommands(command).for_each(|command| page.subcommand(command));
    }
    page.options(command);

    page.section("EXIT STATUS")
        .paragraphs("0 on success; the others are listed in `skillpm`(1).");
    if !long.examples.is_empty() {
        page.section("EXAMPLES").paragraphs(&long.examples);
    }

    let related = RELATED
        .iter()
        .find(|(name, _)| *name == command.get_name())
        .map_or(&[][..], |(_, names)| names);

    page.see_also(
        ["skillpm".to_owned()]
            .into_iter()
            .chain(related.iter().map(|name| format!("skillpm-{name}"))),
    );
    page.finish()
}

/// The subcommands of a command, except `help`.
pub(super) fn visible_subcommands(command: &Command) -> impl Iterator<Item = &Command> {
    command
        .get_subcommands()
        .filter(|command| command.get_name() != "help" && !command.is_hide_set())
}

/// `skillpm`, or `skillpm-add` for a command.
fn title(command: &Command) -> String {
    command
        .get_display_name()
        .unwrap_or_else(|| command.get_name())
        .to_owned()
}

fn file_name(command: &Command) -> String {
    format!("{}.1", title(command))
}

pub(super) fn short_about(command: &Command) -> String {
    command
        .get_about()
        .map(ToString::to_string)
        .unwrap_or_default()
}

/// The aliases of a command, as shown after its first line.
pub(super) fn alias_note(command: &Command) -> String {
    let names: Vec<_> = command.get_visible_aliases().collect();
    if names.is_empty() {
        String::new()
    } else {
        format!(" (also `{}`)", names.join("`, `"))
    }
}

/// The text of a command below its first line.
pub(super) struct LongAbout {
    pub(super) description: String,
    pub(super) examples: String,
}

impl LongAbout {
    pub(super) fn from_command(command: &Command) -> Self {
        let text = command
            .get_long_about()
            .map(ToString::to_string)
            .unwrap_or_default();

        // The first paragraph is the short text again, which NAME has already.
        let rest = text.split_once("\n\n").map_or("", |(_, below)| below);
        let (description, examples) = rest.split_once("Examples:\n\n").unwrap_or((rest, ""));

        LongAbout {
            description: description.trim_end().to_owned(),
            examples: examples.trim_end().to_owned(),
        }
    }
}

/// The command with its own flags and arguments; those that every command takes are summed up.
fn synopsis(command: &Command) -> Vec<Inline> {
    let mut line = vec![bold(
        command.get_bin_name().unwrap_or_else(|| command.get_name()),
    )];

    let is_own = |argument: &&Arg| {
        !argument.is_hide_set() && !argument.is_global_set() && argument.get_id() != "help"
    };

    let (positionals, flags): (Vec<_>, Vec<_>) = command
        .get_arguments()
        .filter(is_own)
        .partition(|argument| argument.is_positional());

    for argument in flags.into_iter().chain(positionals) {
        let (open, close) = if argument.is_required_set() {
            (" ", "")
        } else {
            (" [", "]")
        };
        line.push(roman(open));
        line.extend(argument_synopsis(argument));
        line.push(roman(close));
    }

    if command.has_subcommands() {
        line.extend([roman(" ["), italic("command"), roman("]")]);
    }

    line
}

/// `--tag TAG`, `SPEC …`.
fn argument_synopsis(argument: &Arg) -> Vec<Inline> {
    let mut line = Vec::new();
    if let Some(long) = argument.get_long() {
        line.push(bold(format!("--{long}")));
    }

    if matches!(argument.get_action(), ArgAction::Set | ArgAction::Append) {
        let names = argument.get_value_names().unwrap_or_default();
        // A flag and its value stay on one line of the synopsis.
        let blank = if line.is_empty() { "" } else { NO_BREAK_SPACE };
        line.push(roman(blank));
        line.push(italic(names.join(" ")));
    }

    // After the value, as clap's own usage has it.
    if matches!(argument.get_action(), ArgAction::Append) {
        line.push(roman(format!("{NO_BREAK_SPACE}…")));
    }
    line
}

/// A blank at which no line ends.
const NO_BREAK_SPACE: &str = "\u{a0}";

/// A page that is being written.
struct ManPage {
    bytes: Vec<u8>,
}

impl ManPage {
    /// A page with its title and name.
    fn new(command: &Command) -> Self {
        let mut page = ManPage {
            bytes: Roff::new().render().into_bytes(),
        };

        // No date: the same tree of commands makes the same bytes.
        let fields = [
            &title(command),
            "1",
            "\"\"",
            concat!("skillpm ", env!("CARGO_PKG_VERSION")),
            "skillpm manual",
        ];

        page.append(|out| Roff::new().control("TH", fields).to_writer(out));
        // Names and flags are not to be hyphenated, nor torn apart.
        page.control("nh", None).control("ad", Some("l"));

        page.section("NAME").text(vec![roman(format!(
            "{} - {}",
            title(command),
            short_about(command)
        ))]);
        page
    }

    /// The page in ASCII, as every roff reads it.
    fn finish(self) -> Vec<u8> {
        // ASCII alone: groff reads its input as Latin-1 unless preconv runs before it.
        let text = String::from_utf8(self.bytes).expect("clap's text and ours is UTF-8");
        let escaped = |c: char| match c {
            '…' => "...".to_owned(),
            '\u{a0}' => "\\ ".to_owned(),
            _ if c.is_ascii() => c.to_string(),
            _ => format!("\\[u{:04X}]", u32::from(c)),
        };

        text.chars().map(escaped).collect::<String>().into_bytes()
    }

    /// Adds lines, without the definitions that [`Roff`] begins each piece with: the page has them once.
    fn append(&mut self, write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> &mut Self {
        let mut bytes = Vec::new();
        write(&mut bytes).expect(IN_MEMORY);

        let definitions = Roff::new().render();
        self.bytes
            .extend_from_slice(bytes.strip_prefix(definitions.as_bytes()).unwrap_or(&bytes));
        self
    }

    fn control(&mut self, name: &str, argument: Option<&str>) -> &mut Self {
        self.append(|out| Roff::new().control(name, argument).to_writer(out))
    }

    fn section(&mut self, heading: &str) -> &mut Self {
        self.control("SH", Some(heading))
    }

    fn text(&mut self, line: Vec<Inline>) -> &mut Self {
        self.append(|out| Roff::new().text(line).to_writer(out))
    }

    /// A term, and what it means, indented.
    fn definition(&mut self, term: Vec<Inline>, meaning: &str) {
        self.control("TP", None).text(term).text(bold_code(meaning));
    }

    /// Paragraphs, and blocks that stay as they are.
    fn paragraphs(&mut self, text: &str) {
        for (at, part) in text
            .split("\n\n")
            .filter(|part| !part.trim().is_empty())
            .enumerate()
        {
            if at > 0 {
                self.control("PP", None);
            }

            // roff fills paragraphs, which would join the lines of a table or of commands.
            if part.starts_with("  ") {
                self.control("RS", Some("4")).control("nf", None);
                for line in part.lines() {
                    self.text(bold_code(line.get(2..).unwrap_or(line)));
                }
                self.control("fi", None).control("RE", None);
            } else {
                for line in part.lines() {
                    self.text(bold_code(line));
                }
            }
        }
    }

    /// Arguments, own options and global ones, each under a heading.
    fn options(&mut self, command: &Command) {
        for global in [false, true] {
            // Rendered twice, with the other half hidden, to get two headings out of clap_mangen.
            let man = Man::new(with_help_headings(command).mut_args(|argument| {
                let is_other = argument.is_global_set() != global;
                argument.hide(is_other)
            }));
            self.append(|out| man.render_options_section(out));
        }
    }

    fn exit_codes(&mut self) {
        self.section("EXIT STATUS");

        // The text is that of `--help`; the page takes it apart again.
        for code in EXIT_CODES.trim_start_matches("Exit codes: ").split(" · ") {
            let (number, meaning) = code
                .split_once(' ')
                .expect("a number precedes each meaning");
            self.definition(vec![bold(number)], meaning);
        }
    }

    fn environment(&mut self) {
        self.section("ENVIRONMENT");
        for (names, meaning) in ENVIRONMENT {
            self.definition(vec![bold(names)], meaning);
        }

        // A setting of a table (`registries.*`) has no variable of its own.
        for setting in SETTINGS
            .iter()
            .filter(|setting| !setting.env_variables().is_empty())
        {
            let default = setting
                .default
                .map(|text| format!(" [default: {text}]"))
                .unwrap_or_default();
            let meaning = format!("the setting `{}`: {}{default}", setting.key, setting.about);
            self.definition(vec![bold(setting.env_variables().join(", "))], &meaning);
        }
    }

    /// A command of a command, which has no page of its own.
    fn subcommand(&mut self, command: &Command) {
        self.control("SS", None)
            .text(synopsis(command))
            .text(vec![roman(format!("{}.", short_about(command)))]);

        let own: Vec<_> = command
            .get_arguments()
            .filter(|own| !own.is_global_set() && own.get_id() != "help")
            .collect();

        for argument in own {
            let help = argument
                .get_help()
                .map(ToString::to_string)
                .unwrap_or_default();
            self.definition(argument_synopsis(argument), &help);
        }
    }

    fn see_also(&mut self, titles: impl Iterator<Item = String>) {
        let mut line = Vec::new();
        for title in titles {
            let comma = if line.is_empty() { "" } else { ", " };
            line.extend([roman(comma), bold(title), roman("(1)")]);
        }

        self.section("SEE ALSO").text(line);
    }
}

const IN_MEMORY: &str = "writing to memory cannot fail";

/// The command with a heading for everything that it takes, no help hidden, and possible values beside it.
fn with_help_headings(command: &Command) -> Command {
    command.clone().mut_args(with_help_heading)
}

fn with_help_heading(argument: Arg) -> Arg {
    // clap_mangen leaves out hidden options only.
    if argument.is_hide_set() && argument.is_positional() {
        return argument.long("hidden");
    }
    let heading = match argument.get_help_heading() {
        Some(heading) => heading.to_owned(),
        None if argument.is_positional() => "Arguments".to_owned(),
        None => "Options".to_owned(),
    };

    let values = argument.get_possible_values();
    let names: Vec<&str> = values.iter().map(PossibleValue::get_name).collect();
    let is_switch = !matches!(argument.get_action(), ArgAction::Set | ArgAction::Append);

    let help = argument
        .get_help()
        .map(ToString::to_string)
        .unwrap_or_default();

    // A switch has `true` and `false` as possible values, which no one types.
    let help = if names.is_empty() || is_switch {
        help
    } else {
        format!("{help}: {}", names.join(", "))
    };

    argument
        .help(help)
        .help_heading(heading)
        // What `-h` leaves out to fit a screen belongs on a page that is read at leisure.
        .hide_short_help(false)
        .hide_possible_values(true)
}

/// A line with `code` in bold.
fn bold_code(line: &str) -> Vec<Inline> {
    let parts = line.split('`').enumerate();
    // Backticks come in pairs, so that every second part is code.
    parts
        .map(|(at, part)| if at % 2 == 0 { roman(part) } else { bold(part) })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_a_page_that_names_its_neighbours() {
        let pages = render_pages();
        let commands: Vec<&str> = pages
            .keys()
            .filter_map(|page| page.strip_prefix("skillpm-")?.strip_suffix(".1"))
            .collect();
        assert_eq!(
            RELATED.iter().map(|(name, _)| *name).collect::<Vec<_>>(),
            commands
        );
        for name in RELATED.iter().flat_map(|(_, names)| *names) {
            assert!(commands.contains(name), "{name}");
        }
    }

    #[test]
    fn manual_page_has_usage_and_examples() {
        let page = String::from_utf8(render_pages().remove("skillpm-add.1").unwrap()).unwrap();
        for part in [
            ".TH skillpm-add 1 \"\" ",
            "\n.SH NAME\nskillpm\\-add \\- Add skills to the project\n",
            "\n.SH SYNOPSIS\n\\fBskillpm add\\fR ",
            "\n.nf\nskillpm add commit\\-messages\n",
            "\n\\&./dir, ../dir, /dir",
            "\n.SH \"SEE ALSO\"\n\\fBskillpm\\fR(1), ",
        ] {
            assert!(page.contains(part), "{part:?} is not in\n{page}");
        }
    }

    #[test]
    fn pages_are_ascii_and_the_root_lists_every_exit_code() {
        let pages = render_pages();
        assert!(pages.values().all(|page| page.is_ascii()));
        let root = String::from_utf8_lossy(&pages["skillpm.1"]).into_owned();
        for code in 0..=6 {
            assert!(root.contains(&format!("\n.TP\n\\fB{code}\\fR\n")), "{code}");
        }
    }
}
