//! The environment of git and of ssh, when skillpm runs them.

use std::process::Command;

/// Variables that would redirect git to another repository or change its behavior: those of `git rev-parse
/// --local-env-vars` without the configuration, and those that write traces to its output or to files.
const REPOSITORY_VARIABLES: [&str; 21] = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_ATTR_SOURCE",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_DIR",
    "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_NAMESPACE",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_QUARANTINE_PATH",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_TRACE",
    "GIT_TRACE2",
    "GIT_TRACE_CURL",
    "GIT_TRACE_PACKET",
    "GIT_WORK_TREE",
];

/// Removes the variables that name another repository than the one the program is run for.
pub(super) fn remove_repository_variables(program: &mut Command) {
    for name in REPOSITORY_VARIABLES {
        program.env_remove(name);
    }
}
