//! The agents whose loaders are modeled.

use super::{
    AgentLoader, CutRule, InvocationRule, LinkPolicy, ListingOrder, LoaderRoot, ProjectScope,
    SameRootRule, SearchRules, ShownPath,
};
use crate::catalog::DuplicatePolicy;

/// As deep as an agent goes that knows no limit; a path longer than this is one that no system opens.
const ANY_DEPTH: usize = 64;

/// A directory for each skill, one level down.
const FLAT: SearchRules = SearchRules {
    depth: 1,
    root_is_skill: false,
    enters_skills: false,
    enters_hidden: false,
    enters_node_modules: true,
    reads_loose_files: false,
    reads_commands: false,
    skills_max: None,
    directory_links: LinkPolicy::Followed,
    file_links: LinkPolicy::Followed,
    shown_path: ShownPath::Found,
    reads_ignore_files: false,
};

const CLAUDE_CODE: SearchRules = SearchRules {
    enters_hidden: true,
    ..FLAT
};

/// Its custom commands, which are skills to it: every page, in all directories.
const CLAUDE_COMMANDS: SearchRules = SearchRules {
    depth: ANY_DEPTH,
    reads_commands: true,
    ..CLAUDE_CODE
};

const CODEX: SearchRules = SearchRules {
    depth: 6,
    root_is_skill: true,
    enters_skills: true,
    file_links: LinkPolicy::Ignored,
    shown_path: ShownPath::RealRoot,
    ..FLAT
};

/// Its glob is `SKILL.md` and `*/SKILL.md`.
const GEMINI_CLI: SearchRules = SearchRules {
    root_is_skill: true,
    enters_skills: true,
    enters_node_modules: false,
    ..FLAT
};

/// A link that leaves a directory of the project is not followed.
const OPENCLAW: SearchRules = SearchRules {
    depth: 6,
    skills_max: Some(200),
    root_is_skill: true,
    enters_node_modules: false,
    directory_links: LinkPolicy::Inside,
    file_links: LinkPolicy::Inside,
    ..FLAT
};

/// In the user's own directories links may lead anywhere.
const OPENCLAW_USER: SearchRules = SearchRules {
    directory_links: LinkPolicy::Followed,
    shown_path: ShownPath::RealDirectory,
    ..OPENCLAW
};

/// Its glob is `**/SKILL.md`.
const OPENCODE: SearchRules = SearchRules {
    depth: ANY_DEPTH,
    root_is_skill: true,
    enters_skills: true,
    ..FLAT
};

/// In the directories of other agents it looks into those that begin with a dot, too.
const OPENCODE_SHARED: SearchRules = SearchRules {
    enters_hidden: true,
    ..OPENCODE
};

const PI_SHARED: SearchRules = SearchRules {
    depth: ANY_DEPTH,
    reads_ignore_files: true,
    root_is_skill: true,
    enters_node_modules: false,
    ..FLAT
};

/// Its own directories may have skills that are single files.
const PI_OWN: SearchRules = SearchRules {
    reads_loose_files: true,
    ..PI_SHARED
};

const fn root(path: &'static str, search: SearchRules) -> LoaderRoot {
    LoaderRoot {
        path,
        climbs: false,
        search,
    }
}

const fn climbing(path: &'static str, search: SearchRules) -> LoaderRoot {
    LoaderRoot {
        path,
        climbs: true,
        search,
    }
}

/// The agents, by id.
pub const LOADERS: &[AgentLoader] = &[
    AgentLoader {
        agent: "claude-code",
        roots: &[
            root("${CLAUDE_CONFIG_DIR:-~/.claude}/skills", CLAUDE_CODE),
            climbing(".claude/skills", CLAUDE_CODE),
            // Last, since a skill wins over a command of its name.
            root("${CLAUDE_CONFIG_DIR:-~/.claude}/commands", CLAUDE_COMMANDS),
            climbing(".claude/commands", CLAUDE_COMMANDS),
        ],
        search: CLAUDE_CODE,
        project: ProjectScope::RepositoryOrBelowHome,
        duplicates: DuplicatePolicy::OneWins,
        same_root: SameRootRule::FirstWins,
        once_per_file: true,
        races: false,
        order: Some(ListingOrder::FoundCollated),
        cut: CutRule::WholeDescriptions,
        knows_gates: false,
        shows_both_names: true,
        needs_description: false,
        knows_paths: true,
        shows_paths: false,
        invocation: InvocationRule::Known,
        product: None,
    },
    AgentLoader {
        agent: "codex",
        roots: &[
            climbing(".agents/skills", CODEX),
            climbing(".codex/skills", CODEX),
            root("~/.agents/skills", CODEX),
            root("${CODEX_HOME:-~/.codex}/skills", CODEX),
            root("${CODEX_HOME:-~/.codex}/skills/.system", CODEX),
            root("/etc/codex/skills", CODEX),
        ],
        search: CODEX,
        project: ProjectScope::Repository,
        duplicates: DuplicatePolicy::ListsAll,
        same_root: SameRootRule::FirstWins,
        once_per_file: true,
        races: false,
        order: Some(ListingOrder::ScopeAndName),
        cut: CutRule::Evenly,
        knows_gates: false,
        shows_both_names: false,
        needs_description: false,
        knows_paths: false,
        shows_paths: true,
        invocation: InvocationRule::Ignored,
        product: Some("codex"),
    },
    AgentLoader {
        agent: "gemini-cli",
        roots: &[
            root(".agents/skills", GEMINI_CLI),
            root(".gemini/skills", GEMINI_CLI),
            root("~/.agents/skills", GEMINI_CLI),
            root("~/.gemini/skills", GEMINI_CLI),
        ],
        search: GEMINI_CLI,
        project: ProjectScope::Repository,
        duplicates: DuplicatePolicy::OneWins,
        same_root: SameRootRule::LastWins,
        once_per_file: false,
        races: false,
        // Each of its directories is read in the order of the disk.
        order: None,
        cut: CutRule::Nothing,
        knows_gates: false,
        shows_both_names: false,
        needs_description: false,
        knows_paths: false,
        shows_paths: true,
        invocation: InvocationRule::Ignored,
        product: None,
    },
    AgentLoader {
        agent: "openclaw",
        roots: &[
            root("skills", OPENCLAW),
            root(".agents/skills", OPENCLAW),
            root("~/.agents/skills", OPENCLAW_USER),
            root("~/.openclaw/skills", OPENCLAW_USER),
        ],
        search: OPENCLAW_USER,
        project: ProjectScope::Workspace,
        duplicates: DuplicatePolicy::OneWins,
        same_root: SameRootRule::LastWins,
        once_per_file: false,
        races: false,
        order: Some(ListingOrder::Collated),
        cut: CutRule::OneLength,
        knows_gates: true,
        shows_both_names: false,
        needs_description: false,
        knows_paths: false,
        shows_paths: true,
        invocation: InvocationRule::Known,
        product: None,
    },
    AgentLoader {
        agent: "opencode",
        roots: &[
            climbing(".opencode/skills", OPENCODE),
            climbing(".opencode/skill", OPENCODE),
            root("${XDG_CONFIG_HOME:-~/.config}/opencode/skills", OPENCODE),
            root("${XDG_CONFIG_HOME:-~/.config}/opencode/skill", OPENCODE),
            root("~/.opencode/skills", OPENCODE),
            root("~/.opencode/skill", OPENCODE),
            climbing(".agents/skills", OPENCODE_SHARED),
            climbing(".claude/skills", OPENCODE_SHARED),
            root("~/.agents/skills", OPENCODE_SHARED),
            root("~/.claude/skills", OPENCODE_SHARED),
        ],
        search: OPENCODE,
        project: ProjectScope::RepositoryOrAll,
        duplicates: DuplicatePolicy::OneWins,
        same_root: SameRootRule::LastWins,
        once_per_file: false,
        races: true,
        order: Some(ListingOrder::ByName),
        cut: CutRule::Nothing,
        knows_gates: false,
        shows_both_names: false,
        needs_description: true,
        knows_paths: false,
        shows_paths: true,
        invocation: InvocationRule::Ignored,
        product: None,
    },
    AgentLoader {
        agent: "pi",
        roots: &[
            root(".pi/skills", PI_OWN),
            climbing(".agents/skills", PI_SHARED),
            root("~/.pi/agent/skills", PI_OWN),
            root("~/.agents/skills", PI_SHARED),
        ],
        search: PI_SHARED,
        project: ProjectScope::RepositoryOrAll,
        duplicates: DuplicatePolicy::OneWins,
        same_root: SameRootRule::FirstWins,
        once_per_file: true,
        races: false,
        order: Some(ListingOrder::Found),
        cut: CutRule::Nothing,
        knows_gates: false,
        shows_both_names: false,
        needs_description: false,
        knows_paths: false,
        shows_paths: true,
        invocation: InvocationRule::OnlyTrue,
        product: None,
    },
];
