# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_skillpm_global_optspecs
    string join \n C/directory= config= color= agent-mode= q/quiet v/verbose offline locked frozen format= y/yes no-input h/help V/version
end

function __fish_skillpm_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_skillpm_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_skillpm_using_subcommand
    set -l cmd (__fish_skillpm_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c skillpm -n "__fish_skillpm_needs_command" -s C -l directory -d 'Run in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_needs_command" -l config -d 'Override a setting for this run (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_needs_command" -l color -d 'When to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_needs_command" -l agent-mode -d 'When to print for an agent' -r -f -a "auto\t'If one of the variables that agents set is set'
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_needs_command" -l format -d 'Print in this format' -r -f -a "human\t''
json\t''"
complete -c skillpm -n "__fish_skillpm_needs_command" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_needs_command" -s v -l verbose -d 'Print more details'
complete -c skillpm -n "__fish_skillpm_needs_command" -l offline -d 'Work without network access'
complete -c skillpm -n "__fish_skillpm_needs_command" -l locked -d 'Require that the lockfile is up to date'
complete -c skillpm -n "__fish_skillpm_needs_command" -l frozen -d 'Same as --locked and --offline'
complete -c skillpm -n "__fish_skillpm_needs_command" -s y -l yes -d 'Answer yes to all prompts'
complete -c skillpm -n "__fish_skillpm_needs_command" -l no-input -d 'Never prompt; use defaults'
complete -c skillpm -n "__fish_skillpm_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_needs_command" -s V -l version -d 'Print version'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "init" -d 'Create a manifest for the project'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "new" -d 'Create a skill from a template'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "add" -d 'Add skills to the project'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "remove" -d 'Remove skills and dependencies that are no longer used'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "install" -d 'Install the locked versions'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "sync" -d 'Install the locked versions'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "update" -d 'Update skills to the newest compatible versions'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "import" -d 'Import skills installed by other tools, or a bundle'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "undo" -d 'Undo the last command that changed something'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "outdated" -d 'Show skills that have newer versions'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "diff" -d 'Show local edits, or changes in another version'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "patch" -d 'Save local edits of a skill as a patch file'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "lock" -d 'Resolve versions and write the lockfile'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "tree" -d 'Show the dependency graph'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "why" -d 'Explain why a skill is installed or visible'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "status" -d 'Show what is here and what to run next'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "list" -d 'List skills by tier'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "search" -d 'Search registries for packages and skills'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "sbom" -d 'Write an SBOM of all locked packages'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "info" -d 'Show information about a package'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "show" -d 'Print the instructions or a file of a skill'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "verify" -d 'Verify installed files against the lockfile'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "audit" -d 'Check installed and locked skills for security problems'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "vendor" -d 'Vendor all locked packages into the repository'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "export" -d 'Write a bundle for installing without a network'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "lint" -d 'Check skills against 191 rules'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "validate" -d 'Check that skills follow the specification'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "package" -d 'Pack a skill into an archive'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "convert" -d 'Write a skill in another format'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "agents" -d 'Show and choose the agents that see the skills'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "catalog" -d 'Emit the resolved catalog for an agent'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "serve" -d 'Serve the catalog over MCP'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "watch" -d 'Watch the catalog and report changes'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "budget" -d 'Show how many context tokens the skill list uses, per agent'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "propose" -d 'Propose a change of a skill for review'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "proposals" -d 'List, apply or reject proposed changes of skills'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "publish" -d 'Publish a skill to a registry'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "yank" -d 'Yank a published version, or revoke it'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "owner" -d 'Manage the owners of a package'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "registry" -d 'Create, check, renew or publish a registry index'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "cache" -d 'Manage the cache that all projects share'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "doctor" -d 'Check the installation and the project for problems'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "config" -d 'Show or change settings'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "login" -d 'Save a token for a registry'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "logout" -d 'Remove the token of a registry'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "completions" -d 'Print completions for a shell'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "man" -d 'Print a manual page'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c skillpm -n "__fish_skillpm_using_subcommand init" -s C -l directory -d 'Run in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand init" -l config -d 'Override a setting for this run (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand init" -l color -d 'When to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand init" -l agent-mode -d 'When to print for an agent' -r -f -a "auto\t'If one of the variables that agents set is set'
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand init" -l format -d 'Print in this format' -r -f -a "human\t''
json\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand init" -l no-detect -d 'Do not look for agents to install for'
complete -c skillpm -n "__fish_skillpm_using_subcommand init" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand init" -s v -l verbose -d 'Print more details'
complete -c skillpm -n "__fish_skillpm_using_subcommand init" -l offline -d 'Work without network access'
complete -c skillpm -n "__fish_skillpm_using_subcommand init" -l locked -d 'Require that the lockfile is up to date'
complete -c skillpm -n "__fish_skillpm_using_subcommand init" -l frozen -d 'Same as --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand init" -s y -l yes -d 'Answer yes to all prompts'
complete -c skillpm -n "__fish_skillpm_using_subcommand init" -l no-input -d 'Never prompt; use defaults'
complete -c skillpm -n "__fish_skillpm_using_subcommand init" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand new" -l in -d 'The directory to create it in [default: this one]' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand new" -l format -d 'Create a skill in this format, or print in it' -r -f -a "human\t''
json\t''
skill-md\t''
devai\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand new" -s C -l directory -d 'Run in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand new" -l config -d 'Override a setting for this run (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand new" -l color -d 'When to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand new" -l agent-mode -d 'When to print for an agent' -r -f -a "auto\t'If one of the variables that agents set is set'
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand new" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand new" -s v -l verbose -d 'Print more details'
complete -c skillpm -n "__fish_skillpm_using_subcommand new" -l offline -d 'Work without network access'
complete -c skillpm -n "__fish_skillpm_using_subcommand new" -l locked -d 'Require that the lockfile is up to date'
complete -c skillpm -n "__fish_skillpm_using_subcommand new" -l frozen -d 'Same as --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand new" -s y -l yes -d 'Answer yes to all prompts'
complete -c skillpm -n "__fish_skillpm_using_subcommand new" -l no-input -d 'Never prompt; use defaults'
complete -c skillpm -n "__fish_skillpm_using_subcommand new" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand add" -s s -l skill -d 'Add this skill of a source with several (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand add" -l version -d 'Version requirement, such as ^1.2 or =2.0.1' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand add" -l tag -d 'The tag of a git source' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand add" -l branch -d 'The branch of a git source' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand add" -l rev -d 'The commit of a git source' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand add" -l path -d 'The directory of the skill inside the source' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand add" -l registry -d 'The registry to search' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand add" -l as -d 'Install under this name' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand add" -l target -d 'Install into this agent\'s directory too (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand add" -l min-release-age -d 'Ignore versions published less than AGE ago' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand add" -l exclude-newer -d 'Ignore versions published after DATE' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand add" -l allow-finding -d 'Allow findings of this security rule (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand add" -s C -l directory -d 'Run in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand add" -l config -d 'Override a setting for this run (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand add" -l color -d 'When to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand add" -l agent-mode -d 'When to print for an agent' -r -f -a "auto\t'If one of the variables that agents set is set'
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand add" -l format -d 'Print in this format' -r -f -a "human\t''
json\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand add" -l all -d 'Add all skills of a source'
complete -c skillpm -n "__fish_skillpm_using_subcommand add" -l keep-going -d 'With --all, skip skills that no agent can load'
complete -c skillpm -n "__fish_skillpm_using_subcommand add" -l dev -d 'Add as a development dependency'
complete -c skillpm -n "__fish_skillpm_using_subcommand add" -l no-detect -d 'Do not look for agents to install for'
complete -c skillpm -n "__fish_skillpm_using_subcommand add" -l merge -d 'On conflict, write both versions with conflict markers'
complete -c skillpm -n "__fish_skillpm_using_subcommand add" -l ours -d 'On conflict, keep the local version'
complete -c skillpm -n "__fish_skillpm_using_subcommand add" -l theirs -d 'On conflict, take the upstream version'
complete -c skillpm -n "__fish_skillpm_using_subcommand add" -l allow-revoked -d 'Allow locked versions that their registry revoked'
complete -c skillpm -n "__fish_skillpm_using_subcommand add" -l allow-unsigned -d 'Allow an unsigned version to replace a signed one'
complete -c skillpm -n "__fish_skillpm_using_subcommand add" -s g -l global -d 'Use your own skills instead of the project\'s'
complete -c skillpm -n "__fish_skillpm_using_subcommand add" -l dry-run -d 'Show what would be done without doing it'
complete -c skillpm -n "__fish_skillpm_using_subcommand add" -l force -d 'Overwrite local changes after saving them to .skillpm/backup'
complete -c skillpm -n "__fish_skillpm_using_subcommand add" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand add" -s v -l verbose -d 'Print more details'
complete -c skillpm -n "__fish_skillpm_using_subcommand add" -l offline -d 'Work without network access'
complete -c skillpm -n "__fish_skillpm_using_subcommand add" -l locked -d 'Require that the lockfile is up to date'
complete -c skillpm -n "__fish_skillpm_using_subcommand add" -l frozen -d 'Same as --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand add" -s y -l yes -d 'Answer yes to all prompts'
complete -c skillpm -n "__fish_skillpm_using_subcommand add" -l no-input -d 'Never prompt; use defaults'
complete -c skillpm -n "__fish_skillpm_using_subcommand add" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand remove" -s C -l directory -d 'Run in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand remove" -l config -d 'Override a setting for this run (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand remove" -l color -d 'When to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand remove" -l agent-mode -d 'When to print for an agent' -r -f -a "auto\t'If one of the variables that agents set is set'
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand remove" -l format -d 'Print in this format' -r -f -a "human\t''
json\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand remove" -l source -d 'Remove all skills of the sources named'
complete -c skillpm -n "__fish_skillpm_using_subcommand remove" -s g -l global -d 'Use your own skills instead of the project\'s'
complete -c skillpm -n "__fish_skillpm_using_subcommand remove" -l dry-run -d 'Show what would be done without doing it'
complete -c skillpm -n "__fish_skillpm_using_subcommand remove" -l force -d 'Overwrite local changes after saving them to .skillpm/backup'
complete -c skillpm -n "__fish_skillpm_using_subcommand remove" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand remove" -s v -l verbose -d 'Print more details'
complete -c skillpm -n "__fish_skillpm_using_subcommand remove" -l offline -d 'Work without network access'
complete -c skillpm -n "__fish_skillpm_using_subcommand remove" -l locked -d 'Require that the lockfile is up to date'
complete -c skillpm -n "__fish_skillpm_using_subcommand remove" -l frozen -d 'Same as --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand remove" -s y -l yes -d 'Answer yes to all prompts'
complete -c skillpm -n "__fish_skillpm_using_subcommand remove" -l no-input -d 'Never prompt; use defaults'
complete -c skillpm -n "__fish_skillpm_using_subcommand remove" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand install" -l min-release-age -d 'Ignore versions published less than AGE ago' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand install" -l exclude-newer -d 'Ignore versions published after DATE' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand install" -l allow-finding -d 'Allow findings of this security rule (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand install" -s C -l directory -d 'Run in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand install" -l config -d 'Override a setting for this run (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand install" -l color -d 'When to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand install" -l agent-mode -d 'When to print for an agent' -r -f -a "auto\t'If one of the variables that agents set is set'
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand install" -l format -d 'Print in this format' -r -f -a "human\t''
json\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand install" -l merge -d 'On conflict, write both versions with conflict markers'
complete -c skillpm -n "__fish_skillpm_using_subcommand install" -l ours -d 'On conflict, keep the local version'
complete -c skillpm -n "__fish_skillpm_using_subcommand install" -l theirs -d 'On conflict, take the upstream version'
complete -c skillpm -n "__fish_skillpm_using_subcommand install" -l allow-revoked -d 'Allow locked versions that their registry revoked'
complete -c skillpm -n "__fish_skillpm_using_subcommand install" -l allow-unsigned -d 'Allow an unsigned version to replace a signed one'
complete -c skillpm -n "__fish_skillpm_using_subcommand install" -s g -l global -d 'Use your own skills instead of the project\'s'
complete -c skillpm -n "__fish_skillpm_using_subcommand install" -l dry-run -d 'Show what would be done without doing it'
complete -c skillpm -n "__fish_skillpm_using_subcommand install" -l force -d 'Overwrite local changes after saving them to .skillpm/backup'
complete -c skillpm -n "__fish_skillpm_using_subcommand install" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand install" -s v -l verbose -d 'Print more details'
complete -c skillpm -n "__fish_skillpm_using_subcommand install" -l offline -d 'Work without network access'
complete -c skillpm -n "__fish_skillpm_using_subcommand install" -l locked -d 'Require that the lockfile is up to date'
complete -c skillpm -n "__fish_skillpm_using_subcommand install" -l frozen -d 'Same as --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand install" -s y -l yes -d 'Answer yes to all prompts'
complete -c skillpm -n "__fish_skillpm_using_subcommand install" -l no-input -d 'Never prompt; use defaults'
complete -c skillpm -n "__fish_skillpm_using_subcommand install" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand sync" -l min-release-age -d 'Ignore versions published less than AGE ago' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand sync" -l exclude-newer -d 'Ignore versions published after DATE' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand sync" -l allow-finding -d 'Allow findings of this security rule (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand sync" -s C -l directory -d 'Run in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand sync" -l config -d 'Override a setting for this run (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand sync" -l color -d 'When to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand sync" -l agent-mode -d 'When to print for an agent' -r -f -a "auto\t'If one of the variables that agents set is set'
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand sync" -l format -d 'Print in this format' -r -f -a "human\t''
json\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand sync" -l merge -d 'On conflict, write both versions with conflict markers'
complete -c skillpm -n "__fish_skillpm_using_subcommand sync" -l ours -d 'On conflict, keep the local version'
complete -c skillpm -n "__fish_skillpm_using_subcommand sync" -l theirs -d 'On conflict, take the upstream version'
complete -c skillpm -n "__fish_skillpm_using_subcommand sync" -l allow-revoked -d 'Allow locked versions that their registry revoked'
complete -c skillpm -n "__fish_skillpm_using_subcommand sync" -l allow-unsigned -d 'Allow an unsigned version to replace a signed one'
complete -c skillpm -n "__fish_skillpm_using_subcommand sync" -s g -l global -d 'Use your own skills instead of the project\'s'
complete -c skillpm -n "__fish_skillpm_using_subcommand sync" -l dry-run -d 'Show what would be done without doing it'
complete -c skillpm -n "__fish_skillpm_using_subcommand sync" -l force -d 'Overwrite local changes after saving them to .skillpm/backup'
complete -c skillpm -n "__fish_skillpm_using_subcommand sync" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand sync" -s v -l verbose -d 'Print more details'
complete -c skillpm -n "__fish_skillpm_using_subcommand sync" -l offline -d 'Work without network access'
complete -c skillpm -n "__fish_skillpm_using_subcommand sync" -l locked -d 'Require that the lockfile is up to date'
complete -c skillpm -n "__fish_skillpm_using_subcommand sync" -l frozen -d 'Same as --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand sync" -s y -l yes -d 'Answer yes to all prompts'
complete -c skillpm -n "__fish_skillpm_using_subcommand sync" -l no-input -d 'Never prompt; use defaults'
complete -c skillpm -n "__fish_skillpm_using_subcommand sync" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand update" -l precise -d 'Update to this version, or for git, full commit id' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand update" -l allow-finding -d 'Allow findings of this security rule (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand update" -l exclude-newer -d 'Ignore versions published after DATE' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand update" -l min-release-age -d 'Ignore versions published less than AGE ago' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand update" -s C -l directory -d 'Run in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand update" -l config -d 'Override a setting for this run (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand update" -l color -d 'When to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand update" -l agent-mode -d 'When to print for an agent' -r -f -a "auto\t'If one of the variables that agents set is set'
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand update" -l format -d 'Print in this format' -r -f -a "human\t''
json\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand update" -l latest -d 'Update beyond the manifest\'s requirement, and raise it'
complete -c skillpm -n "__fish_skillpm_using_subcommand update" -l diff -d 'Show what changes in each file, before it is changed'
complete -c skillpm -n "__fish_skillpm_using_subcommand update" -l merge -d 'On conflict, write both versions with conflict markers'
complete -c skillpm -n "__fish_skillpm_using_subcommand update" -l ours -d 'On conflict, keep the local version'
complete -c skillpm -n "__fish_skillpm_using_subcommand update" -l theirs -d 'On conflict, take the upstream version'
complete -c skillpm -n "__fish_skillpm_using_subcommand update" -l allow-revoked -d 'Allow locked versions that their registry revoked'
complete -c skillpm -n "__fish_skillpm_using_subcommand update" -l allow-unsigned -d 'Allow an unsigned version to replace a signed one'
complete -c skillpm -n "__fish_skillpm_using_subcommand update" -s g -l global -d 'Use your own skills instead of the project\'s'
complete -c skillpm -n "__fish_skillpm_using_subcommand update" -l dry-run -d 'Show what would be done without doing it'
complete -c skillpm -n "__fish_skillpm_using_subcommand update" -l force -d 'Overwrite local changes after saving them to .skillpm/backup'
complete -c skillpm -n "__fish_skillpm_using_subcommand update" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand update" -s v -l verbose -d 'Print more details'
complete -c skillpm -n "__fish_skillpm_using_subcommand update" -l offline -d 'Work without network access'
complete -c skillpm -n "__fish_skillpm_using_subcommand update" -l locked -d 'Require that the lockfile is up to date'
complete -c skillpm -n "__fish_skillpm_using_subcommand update" -l frozen -d 'Same as --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand update" -s y -l yes -d 'Answer yes to all prompts'
complete -c skillpm -n "__fish_skillpm_using_subcommand update" -l no-input -d 'Never prompt; use defaults'
complete -c skillpm -n "__fish_skillpm_using_subcommand update" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand import" -s C -l directory -d 'Run in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand import" -l config -d 'Override a setting for this run (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand import" -l color -d 'When to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand import" -l agent-mode -d 'When to print for an agent' -r -f -a "auto\t'If one of the variables that agents set is set'
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand import" -l format -d 'Print in this format' -r -f -a "human\t''
json\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand import" -l remove-old -d 'Remove the other tools\' files that are no longer needed'
complete -c skillpm -n "__fish_skillpm_using_subcommand import" -l keep-going -d 'Skip skills that cannot be fetched now'
complete -c skillpm -n "__fish_skillpm_using_subcommand import" -l gather -d 'Merge identical unmanaged copies of a skill into one'
complete -c skillpm -n "__fish_skillpm_using_subcommand import" -l no-detect -d 'Do not look for agents to install for'
complete -c skillpm -n "__fish_skillpm_using_subcommand import" -s g -l global -d 'Use your own skills instead of the project\'s'
complete -c skillpm -n "__fish_skillpm_using_subcommand import" -l dry-run -d 'Show what would be done without doing it'
complete -c skillpm -n "__fish_skillpm_using_subcommand import" -l force -d 'Overwrite local changes after saving them to .skillpm/backup'
complete -c skillpm -n "__fish_skillpm_using_subcommand import" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand import" -s v -l verbose -d 'Print more details'
complete -c skillpm -n "__fish_skillpm_using_subcommand import" -l offline -d 'Work without network access'
complete -c skillpm -n "__fish_skillpm_using_subcommand import" -l locked -d 'Require that the lockfile is up to date'
complete -c skillpm -n "__fish_skillpm_using_subcommand import" -l frozen -d 'Same as --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand import" -s y -l yes -d 'Answer yes to all prompts'
complete -c skillpm -n "__fish_skillpm_using_subcommand import" -l no-input -d 'Never prompt; use defaults'
complete -c skillpm -n "__fish_skillpm_using_subcommand import" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand undo" -s C -l directory -d 'Run in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand undo" -l config -d 'Override a setting for this run (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand undo" -l color -d 'When to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand undo" -l agent-mode -d 'When to print for an agent' -r -f -a "auto\t'If one of the variables that agents set is set'
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand undo" -l format -d 'Print in this format' -r -f -a "human\t''
json\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand undo" -l list -d 'List commands that can be undone, newest first'
complete -c skillpm -n "__fish_skillpm_using_subcommand undo" -l dry-run -d 'Show what would be done without doing it'
complete -c skillpm -n "__fish_skillpm_using_subcommand undo" -s g -l global -d 'Use your own skills instead of the project\'s'
complete -c skillpm -n "__fish_skillpm_using_subcommand undo" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand undo" -s v -l verbose -d 'Print more details'
complete -c skillpm -n "__fish_skillpm_using_subcommand undo" -l offline -d 'Work without network access'
complete -c skillpm -n "__fish_skillpm_using_subcommand undo" -l locked -d 'Require that the lockfile is up to date'
complete -c skillpm -n "__fish_skillpm_using_subcommand undo" -l frozen -d 'Same as --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand undo" -s y -l yes -d 'Answer yes to all prompts'
complete -c skillpm -n "__fish_skillpm_using_subcommand undo" -l no-input -d 'Never prompt; use defaults'
complete -c skillpm -n "__fish_skillpm_using_subcommand undo" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand outdated" -l min-release-age -d 'Ignore versions published less than AGE ago' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand outdated" -l exclude-newer -d 'Ignore versions published after DATE' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand outdated" -s C -l directory -d 'Run in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand outdated" -l config -d 'Override a setting for this run (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand outdated" -l color -d 'When to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand outdated" -l agent-mode -d 'When to print for an agent' -r -f -a "auto\t'If one of the variables that agents set is set'
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand outdated" -l format -d 'Print in this format' -r -f -a "human\t''
json\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand outdated" -l exit-code -d 'Exit with 1 if anything is outdated'
complete -c skillpm -n "__fish_skillpm_using_subcommand outdated" -s g -l global -d 'Use your own skills instead of the project\'s'
complete -c skillpm -n "__fish_skillpm_using_subcommand outdated" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand outdated" -s v -l verbose -d 'Print more details'
complete -c skillpm -n "__fish_skillpm_using_subcommand outdated" -l offline -d 'Work without network access'
complete -c skillpm -n "__fish_skillpm_using_subcommand outdated" -l locked -d 'Require that the lockfile is up to date'
complete -c skillpm -n "__fish_skillpm_using_subcommand outdated" -l frozen -d 'Same as --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand outdated" -s y -l yes -d 'Answer yes to all prompts'
complete -c skillpm -n "__fish_skillpm_using_subcommand outdated" -l no-input -d 'Never prompt; use defaults'
complete -c skillpm -n "__fish_skillpm_using_subcommand outdated" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand diff" -l to -d 'Compare with this version, commit, or `latest`' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand diff" -s C -l directory -d 'Run in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand diff" -l config -d 'Override a setting for this run (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand diff" -l color -d 'When to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand diff" -l agent-mode -d 'When to print for an agent' -r -f -a "auto\t'If one of the variables that agents set is set'
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand diff" -l format -d 'Print in this format' -r -f -a "human\t''
json\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand diff" -l stat -d 'Show changed files and line counts only'
complete -c skillpm -n "__fish_skillpm_using_subcommand diff" -l exit-code -d 'Exit with 1 if anything differs'
complete -c skillpm -n "__fish_skillpm_using_subcommand diff" -s g -l global -d 'Use your own skills instead of the project\'s'
complete -c skillpm -n "__fish_skillpm_using_subcommand diff" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand diff" -s v -l verbose -d 'Print more details'
complete -c skillpm -n "__fish_skillpm_using_subcommand diff" -l offline -d 'Work without network access'
complete -c skillpm -n "__fish_skillpm_using_subcommand diff" -l locked -d 'Require that the lockfile is up to date'
complete -c skillpm -n "__fish_skillpm_using_subcommand diff" -l frozen -d 'Same as --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand diff" -s y -l yes -d 'Answer yes to all prompts'
complete -c skillpm -n "__fish_skillpm_using_subcommand diff" -l no-input -d 'Never prompt; use defaults'
complete -c skillpm -n "__fish_skillpm_using_subcommand diff" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand patch" -s C -l directory -d 'Run in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand patch" -l config -d 'Override a setting for this run (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand patch" -l color -d 'When to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand patch" -l agent-mode -d 'When to print for an agent' -r -f -a "auto\t'If one of the variables that agents set is set'
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand patch" -l format -d 'Print in this format' -r -f -a "human\t''
json\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand patch" -l drop -d 'Discard the saved edits and remove the patch file'
complete -c skillpm -n "__fish_skillpm_using_subcommand patch" -l dry-run -d 'Show what would be done without doing it'
complete -c skillpm -n "__fish_skillpm_using_subcommand patch" -s g -l global -d 'Use your own skills instead of the project\'s'
complete -c skillpm -n "__fish_skillpm_using_subcommand patch" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand patch" -s v -l verbose -d 'Print more details'
complete -c skillpm -n "__fish_skillpm_using_subcommand patch" -l offline -d 'Work without network access'
complete -c skillpm -n "__fish_skillpm_using_subcommand patch" -l locked -d 'Require that the lockfile is up to date'
complete -c skillpm -n "__fish_skillpm_using_subcommand patch" -l frozen -d 'Same as --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand patch" -s y -l yes -d 'Answer yes to all prompts'
complete -c skillpm -n "__fish_skillpm_using_subcommand patch" -l no-input -d 'Never prompt; use defaults'
complete -c skillpm -n "__fish_skillpm_using_subcommand patch" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand lock" -l merge -d 'Resolve a merge conflict; with FILEs, act as git\'s merge driver' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand lock" -l min-release-age -d 'Ignore versions published less than AGE ago' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand lock" -l exclude-newer -d 'Ignore versions published after DATE' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand lock" -s C -l directory -d 'Run in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand lock" -l config -d 'Override a setting for this run (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand lock" -l color -d 'When to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand lock" -l agent-mode -d 'When to print for an agent' -r -f -a "auto\t'If one of the variables that agents set is set'
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand lock" -l format -d 'Print in this format' -r -f -a "human\t''
json\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand lock" -l dry-run -d 'Show what would be done without doing it'
complete -c skillpm -n "__fish_skillpm_using_subcommand lock" -s g -l global -d 'Use your own skills instead of the project\'s'
complete -c skillpm -n "__fish_skillpm_using_subcommand lock" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand lock" -s v -l verbose -d 'Print more details'
complete -c skillpm -n "__fish_skillpm_using_subcommand lock" -l offline -d 'Work without network access'
complete -c skillpm -n "__fish_skillpm_using_subcommand lock" -l locked -d 'Require that the lockfile is up to date'
complete -c skillpm -n "__fish_skillpm_using_subcommand lock" -l frozen -d 'Same as --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand lock" -s y -l yes -d 'Answer yes to all prompts'
complete -c skillpm -n "__fish_skillpm_using_subcommand lock" -l no-input -d 'Never prompt; use defaults'
complete -c skillpm -n "__fish_skillpm_using_subcommand lock" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand tree" -l depth -d 'Maximum depth; 1 for direct dependencies only' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand tree" -s C -l directory -d 'Run in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand tree" -l config -d 'Override a setting for this run (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand tree" -l color -d 'When to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand tree" -l agent-mode -d 'When to print for an agent' -r -f -a "auto\t'If one of the variables that agents set is set'
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand tree" -l format -d 'Print in this format' -r -f -a "human\t''
json\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand tree" -s i -l invert -d 'Show the dependents of each package instead'
complete -c skillpm -n "__fish_skillpm_using_subcommand tree" -s g -l global -d 'Use your own skills instead of the project\'s'
complete -c skillpm -n "__fish_skillpm_using_subcommand tree" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand tree" -s v -l verbose -d 'Print more details'
complete -c skillpm -n "__fish_skillpm_using_subcommand tree" -l offline -d 'Work without network access'
complete -c skillpm -n "__fish_skillpm_using_subcommand tree" -l locked -d 'Require that the lockfile is up to date'
complete -c skillpm -n "__fish_skillpm_using_subcommand tree" -l frozen -d 'Same as --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand tree" -s y -l yes -d 'Answer yes to all prompts'
complete -c skillpm -n "__fish_skillpm_using_subcommand tree" -l no-input -d 'Never prompt; use defaults'
complete -c skillpm -n "__fish_skillpm_using_subcommand tree" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand why" -s C -l directory -d 'Run in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand why" -l config -d 'Override a setting for this run (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand why" -l color -d 'When to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand why" -l agent-mode -d 'When to print for an agent' -r -f -a "auto\t'If one of the variables that agents set is set'
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand why" -l format -d 'Print in this format' -r -f -a "human\t''
json\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand why" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand why" -s v -l verbose -d 'Print more details'
complete -c skillpm -n "__fish_skillpm_using_subcommand why" -l offline -d 'Work without network access'
complete -c skillpm -n "__fish_skillpm_using_subcommand why" -l locked -d 'Require that the lockfile is up to date'
complete -c skillpm -n "__fish_skillpm_using_subcommand why" -l frozen -d 'Same as --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand why" -s y -l yes -d 'Answer yes to all prompts'
complete -c skillpm -n "__fish_skillpm_using_subcommand why" -l no-input -d 'Never prompt; use defaults'
complete -c skillpm -n "__fish_skillpm_using_subcommand why" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand status" -s C -l directory -d 'Run in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand status" -l config -d 'Override a setting for this run (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand status" -l color -d 'When to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand status" -l agent-mode -d 'When to print for an agent' -r -f -a "auto\t'If one of the variables that agents set is set'
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand status" -l format -d 'Print in this format' -r -f -a "human\t''
json\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand status" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand status" -s v -l verbose -d 'Print more details'
complete -c skillpm -n "__fish_skillpm_using_subcommand status" -l offline -d 'Work without network access'
complete -c skillpm -n "__fish_skillpm_using_subcommand status" -l locked -d 'Require that the lockfile is up to date'
complete -c skillpm -n "__fish_skillpm_using_subcommand status" -l frozen -d 'Same as --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand status" -s y -l yes -d 'Answer yes to all prompts'
complete -c skillpm -n "__fish_skillpm_using_subcommand status" -l no-input -d 'Never prompt; use defaults'
complete -c skillpm -n "__fish_skillpm_using_subcommand status" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand list" -l agent -d 'List the skills that this agent sees' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand list" -s C -l directory -d 'Run in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand list" -l config -d 'Override a setting for this run (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand list" -l color -d 'When to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand list" -l agent-mode -d 'When to print for an agent' -r -f -a "auto\t'If one of the variables that agents set is set'
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand list" -l format -d 'Print in this format' -r -f -a "human\t''
json\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand list" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand list" -s v -l verbose -d 'Print more details'
complete -c skillpm -n "__fish_skillpm_using_subcommand list" -l offline -d 'Work without network access'
complete -c skillpm -n "__fish_skillpm_using_subcommand list" -l locked -d 'Require that the lockfile is up to date'
complete -c skillpm -n "__fish_skillpm_using_subcommand list" -l frozen -d 'Same as --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand list" -s y -l yes -d 'Answer yes to all prompts'
complete -c skillpm -n "__fish_skillpm_using_subcommand list" -l no-input -d 'Never prompt; use defaults'
complete -c skillpm -n "__fish_skillpm_using_subcommand list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand search" -l registry -d 'Search this registry only' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand search" -l limit -d 'Show this many at most' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand search" -l tier -d 'Search skills installed in this tier only' -r -f -a "workspace\t''
managed\t''
bundled\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand search" -s C -l directory -d 'Run in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand search" -l config -d 'Override a setting for this run (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand search" -l color -d 'When to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand search" -l agent-mode -d 'When to print for an agent' -r -f -a "auto\t'If one of the variables that agents set is set'
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand search" -l format -d 'Print in this format' -r -f -a "human\t''
json\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand search" -l installed -d 'Search installed skills only'
complete -c skillpm -n "__fish_skillpm_using_subcommand search" -l refresh -d 'Fetch the registries\' current lists'
complete -c skillpm -n "__fish_skillpm_using_subcommand search" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand search" -s v -l verbose -d 'Print more details'
complete -c skillpm -n "__fish_skillpm_using_subcommand search" -l offline -d 'Work without network access'
complete -c skillpm -n "__fish_skillpm_using_subcommand search" -l locked -d 'Require that the lockfile is up to date'
complete -c skillpm -n "__fish_skillpm_using_subcommand search" -l frozen -d 'Same as --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand search" -s y -l yes -d 'Answer yes to all prompts'
complete -c skillpm -n "__fish_skillpm_using_subcommand search" -l no-input -d 'Never prompt; use defaults'
complete -c skillpm -n "__fish_skillpm_using_subcommand search" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand sbom" -s o -l output -d 'Write into this file, not to stdout' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand sbom" -l format -d 'Print in this format' -r -f -a "cyclonedx\t''
spdx\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand sbom" -s C -l directory -d 'Run in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand sbom" -l config -d 'Override a setting for this run (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand sbom" -l color -d 'When to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand sbom" -l agent-mode -d 'When to print for an agent' -r -f -a "auto\t'If one of the variables that agents set is set'
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand sbom" -s g -l global -d 'Use your own skills instead of the project\'s'
complete -c skillpm -n "__fish_skillpm_using_subcommand sbom" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand sbom" -s v -l verbose -d 'Print more details'
complete -c skillpm -n "__fish_skillpm_using_subcommand sbom" -l offline -d 'Work without network access'
complete -c skillpm -n "__fish_skillpm_using_subcommand sbom" -l locked -d 'Require that the lockfile is up to date'
complete -c skillpm -n "__fish_skillpm_using_subcommand sbom" -l frozen -d 'Same as --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand sbom" -s y -l yes -d 'Answer yes to all prompts'
complete -c skillpm -n "__fish_skillpm_using_subcommand sbom" -l no-input -d 'Never prompt; use defaults'
complete -c skillpm -n "__fish_skillpm_using_subcommand sbom" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand info" -l registry -d 'Look in this registry only' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand info" -l skill -d 'Show this skill of a source with many' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand info" -s C -l directory -d 'Run in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand info" -l config -d 'Override a setting for this run (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand info" -l color -d 'When to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand info" -l agent-mode -d 'When to print for an agent' -r -f -a "auto\t'If one of the variables that agents set is set'
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand info" -l format -d 'Print in this format' -r -f -a "human\t''
json\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand info" -l versions -d 'Show every version, not just the newest'
complete -c skillpm -n "__fish_skillpm_using_subcommand info" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand info" -s v -l verbose -d 'Print more details'
complete -c skillpm -n "__fish_skillpm_using_subcommand info" -l offline -d 'Work without network access'
complete -c skillpm -n "__fish_skillpm_using_subcommand info" -l locked -d 'Require that the lockfile is up to date'
complete -c skillpm -n "__fish_skillpm_using_subcommand info" -l frozen -d 'Same as --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand info" -s y -l yes -d 'Answer yes to all prompts'
complete -c skillpm -n "__fish_skillpm_using_subcommand info" -l no-input -d 'Never prompt; use defaults'
complete -c skillpm -n "__fish_skillpm_using_subcommand info" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand show" -l file -d 'Print this file of the skill, not its SKILL.md' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand show" -l agent -d 'Resolve names as this agent does' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand show" -l dir -d 'Look in this directory, not the tiers (repeatable)' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand show" -l format -d 'Print in this format' -r -f -a "human\t''
json\t''
raw\t''
body\t''
xml\t''
nova\t''
nova-shipped\t''
yodoca\t''
kodelet\t''
pickle\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand show" -s C -l directory -d 'Run in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand show" -l config -d 'Override a setting for this run (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand show" -l color -d 'When to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand show" -l agent-mode -d 'When to print for an agent' -r -f -a "auto\t'If one of the variables that agents set is set'
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand show" -l files -d 'List the skill\'s files, with their sizes in bytes'
complete -c skillpm -n "__fish_skillpm_using_subcommand show" -l exact -d 'Count tokens with the o200k vocabulary'
complete -c skillpm -n "__fish_skillpm_using_subcommand show" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand show" -s v -l verbose -d 'Print more details'
complete -c skillpm -n "__fish_skillpm_using_subcommand show" -l offline -d 'Work without network access'
complete -c skillpm -n "__fish_skillpm_using_subcommand show" -l locked -d 'Require that the lockfile is up to date'
complete -c skillpm -n "__fish_skillpm_using_subcommand show" -l frozen -d 'Same as --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand show" -s y -l yes -d 'Answer yes to all prompts'
complete -c skillpm -n "__fish_skillpm_using_subcommand show" -l no-input -d 'Never prompt; use defaults'
complete -c skillpm -n "__fish_skillpm_using_subcommand show" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand verify" -s C -l directory -d 'Run in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand verify" -l config -d 'Override a setting for this run (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand verify" -l color -d 'When to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand verify" -l agent-mode -d 'When to print for an agent' -r -f -a "auto\t'If one of the variables that agents set is set'
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand verify" -l format -d 'Print in this format' -r -f -a "human\t''
json\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand verify" -s g -l global -d 'Use your own skills instead of the project\'s'
complete -c skillpm -n "__fish_skillpm_using_subcommand verify" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand verify" -s v -l verbose -d 'Print more details'
complete -c skillpm -n "__fish_skillpm_using_subcommand verify" -l offline -d 'Work without network access'
complete -c skillpm -n "__fish_skillpm_using_subcommand verify" -l locked -d 'Require that the lockfile is up to date'
complete -c skillpm -n "__fish_skillpm_using_subcommand verify" -l frozen -d 'Same as --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand verify" -s y -l yes -d 'Answer yes to all prompts'
complete -c skillpm -n "__fish_skillpm_using_subcommand verify" -l no-input -d 'Never prompt; use defaults'
complete -c skillpm -n "__fish_skillpm_using_subcommand verify" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand audit" -l format -d 'Print in this format' -r -f -a "human\t''
short\t''
json\t''
sarif\t''
github\t''
gitlab\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand audit" -l fail-on -d 'Exit with 1 from this severity on: low, medium, high (the default) or critical' -r -f -a "low\t''
medium\t''
high\t''
critical\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand audit" -l baseline -d 'Ignore findings recorded in this file' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand audit" -s C -l directory -d 'Run in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand audit" -l config -d 'Override a setting for this run (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand audit" -l color -d 'When to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand audit" -l agent-mode -d 'When to print for an agent' -r -f -a "auto\t'If one of the variables that agents set is set'
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand audit" -s g -l global -d 'Use your own skills instead of the project\'s'
complete -c skillpm -n "__fish_skillpm_using_subcommand audit" -l capabilities -d 'List commands, hosts, variables, paths, tools and scripts instead'
complete -c skillpm -n "__fish_skillpm_using_subcommand audit" -l low -d 'Include findings of low severity'
complete -c skillpm -n "__fish_skillpm_using_subcommand audit" -l statistics -d 'Count by rule instead of showing each finding'
complete -c skillpm -n "__fish_skillpm_using_subcommand audit" -l write-baseline -d 'Record all findings in the baseline'
complete -c skillpm -n "__fish_skillpm_using_subcommand audit" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand audit" -s v -l verbose -d 'Print more details'
complete -c skillpm -n "__fish_skillpm_using_subcommand audit" -l offline -d 'Work without network access'
complete -c skillpm -n "__fish_skillpm_using_subcommand audit" -l locked -d 'Require that the lockfile is up to date'
complete -c skillpm -n "__fish_skillpm_using_subcommand audit" -l frozen -d 'Same as --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand audit" -s y -l yes -d 'Answer yes to all prompts'
complete -c skillpm -n "__fish_skillpm_using_subcommand audit" -l no-input -d 'Never prompt; use defaults'
complete -c skillpm -n "__fish_skillpm_using_subcommand audit" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand vendor" -s C -l directory -d 'Run in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand vendor" -l config -d 'Override a setting for this run (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand vendor" -l color -d 'When to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand vendor" -l agent-mode -d 'When to print for an agent' -r -f -a "auto\t'If one of the variables that agents set is set'
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand vendor" -l format -d 'Print in this format' -r -f -a "human\t''
json\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand vendor" -l versioned-dirs -d 'Name directories with versions: pdf-1.2.0'
complete -c skillpm -n "__fish_skillpm_using_subcommand vendor" -l no-delete -d 'Keep packages that are no longer locked'
complete -c skillpm -n "__fish_skillpm_using_subcommand vendor" -l dry-run -d 'Show what would be done without doing it'
complete -c skillpm -n "__fish_skillpm_using_subcommand vendor" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand vendor" -s v -l verbose -d 'Print more details'
complete -c skillpm -n "__fish_skillpm_using_subcommand vendor" -l offline -d 'Work without network access'
complete -c skillpm -n "__fish_skillpm_using_subcommand vendor" -l locked -d 'Require that the lockfile is up to date'
complete -c skillpm -n "__fish_skillpm_using_subcommand vendor" -l frozen -d 'Same as --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand vendor" -s y -l yes -d 'Answer yes to all prompts'
complete -c skillpm -n "__fish_skillpm_using_subcommand vendor" -l no-input -d 'Never prompt; use defaults'
complete -c skillpm -n "__fish_skillpm_using_subcommand vendor" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand export" -s C -l directory -d 'Run in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand export" -l config -d 'Override a setting for this run (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand export" -l color -d 'When to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand export" -l agent-mode -d 'When to print for an agent' -r -f -a "auto\t'If one of the variables that agents set is set'
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand export" -l format -d 'Print in this format' -r -f -a "human\t''
json\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand export" -s g -l global -d 'Use your own skills instead of the project\'s'
complete -c skillpm -n "__fish_skillpm_using_subcommand export" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand export" -s v -l verbose -d 'Print more details'
complete -c skillpm -n "__fish_skillpm_using_subcommand export" -l offline -d 'Work without network access'
complete -c skillpm -n "__fish_skillpm_using_subcommand export" -l locked -d 'Require that the lockfile is up to date'
complete -c skillpm -n "__fish_skillpm_using_subcommand export" -l frozen -d 'Same as --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand export" -s y -l yes -d 'Answer yes to all prompts'
complete -c skillpm -n "__fish_skillpm_using_subcommand export" -l no-input -d 'Never prompt; use defaults'
complete -c skillpm -n "__fish_skillpm_using_subcommand export" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand lint" -l stdin-filename -d 'Path to report for the file on stdin' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand lint" -l format -d 'Print in this format' -r -f -a "human\t''
short\t''
json\t''
sarif\t''
github\t''
gitlab\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand lint" -l agent -d 'Check the skills that this agent sees, for it' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand lint" -l since -d 'Only skills that have changed since this commit' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand lint" -l explain -d 'Explain a rule, by code or name' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand lint" -l select -d 'Only these rules: a group (`SK3`), a code or a name (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand lint" -l extend-select -d 'These rules too (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand lint" -l ignore -d 'Not these rules (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand lint" -l allow -d 'Ignore findings of this rule (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand lint" -l note -d 'Report findings of this rule as notes (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand lint" -l warn -d 'Report findings of this rule as warnings (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand lint" -l deny -d 'Report findings of this rule as errors (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand lint" -l profile -d 'Use the rules for users, for a registry, or strict ones' -r -f -a "default\t''
publish\t''
strict\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand lint" -l target -d 'An agent that the skills are for, by its id (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand lint" -l baseline -d 'Ignore findings recorded in this file' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand lint" -s C -l directory -d 'Run in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand lint" -l config -d 'Override a setting for this run (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand lint" -l color -d 'When to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand lint" -l agent-mode -d 'When to print for an agent' -r -f -a "auto\t'If one of the variables that agents set is set'
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand lint" -l notes -d 'Include notes'
complete -c skillpm -n "__fish_skillpm_using_subcommand lint" -l statistics -d 'Count by rule instead of showing each finding'
complete -c skillpm -n "__fish_skillpm_using_subcommand lint" -l deny-warnings -d 'Report every warning as an error'
complete -c skillpm -n "__fish_skillpm_using_subcommand lint" -l isolated -d 'Ignore the settings in `skillpm.toml`'
complete -c skillpm -n "__fish_skillpm_using_subcommand lint" -l fix -d 'Apply safe fixes'
complete -c skillpm -n "__fish_skillpm_using_subcommand lint" -l unsafe-fixes -d 'Apply unsafe fixes, too: review them afterwards'
complete -c skillpm -n "__fish_skillpm_using_subcommand lint" -l diff -d 'Show what `--fix` would do as a patch, and write nothing'
complete -c skillpm -n "__fish_skillpm_using_subcommand lint" -l write-baseline -d 'Record all findings in the baseline'
complete -c skillpm -n "__fish_skillpm_using_subcommand lint" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand lint" -s v -l verbose -d 'Print more details'
complete -c skillpm -n "__fish_skillpm_using_subcommand lint" -l offline -d 'Work without network access'
complete -c skillpm -n "__fish_skillpm_using_subcommand lint" -l locked -d 'Require that the lockfile is up to date'
complete -c skillpm -n "__fish_skillpm_using_subcommand lint" -l frozen -d 'Same as --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand lint" -s y -l yes -d 'Answer yes to all prompts'
complete -c skillpm -n "__fish_skillpm_using_subcommand lint" -l no-input -d 'Never prompt; use defaults'
complete -c skillpm -n "__fish_skillpm_using_subcommand lint" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand validate" -l profile -d 'Validate as the specification\'s text or the official validator does' -r -f -a "spec\t'The specification\'s text, with real YAML'
reference\t'The verdict of skills-ref 0.1.1'"
complete -c skillpm -n "__fish_skillpm_using_subcommand validate" -l stdin-filename -d 'Path for the file on stdin; its directory gives the skill\'s name' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand validate" -l format -d 'Print in this format' -r -f -a "human\t''
short\t''
json\t''
sarif\t''
github\t''
gitlab\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand validate" -s C -l directory -d 'Run in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand validate" -l config -d 'Override a setting for this run (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand validate" -l color -d 'When to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand validate" -l agent-mode -d 'When to print for an agent' -r -f -a "auto\t'If one of the variables that agents set is set'
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand validate" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand validate" -s v -l verbose -d 'Print more details'
complete -c skillpm -n "__fish_skillpm_using_subcommand validate" -l offline -d 'Work without network access'
complete -c skillpm -n "__fish_skillpm_using_subcommand validate" -l locked -d 'Require that the lockfile is up to date'
complete -c skillpm -n "__fish_skillpm_using_subcommand validate" -l frozen -d 'Same as --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand validate" -s y -l yes -d 'Answer yes to all prompts'
complete -c skillpm -n "__fish_skillpm_using_subcommand validate" -l no-input -d 'Never prompt; use defaults'
complete -c skillpm -n "__fish_skillpm_using_subcommand validate" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand package" -s o -l output -d 'Write the archive to this file or directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand package" -l extract -d 'Check an archive and unpack it into a new directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand package" -s C -l directory -d 'Run in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand package" -l config -d 'Override a setting for this run (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand package" -l color -d 'When to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand package" -l agent-mode -d 'When to print for an agent' -r -f -a "auto\t'If one of the variables that agents set is set'
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand package" -l format -d 'Print in this format' -r -f -a "human\t''
json\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand package" -l list -d 'List the files without packing'
complete -c skillpm -n "__fish_skillpm_using_subcommand package" -l workspace -d 'Pack every workspace member'
complete -c skillpm -n "__fish_skillpm_using_subcommand package" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand package" -s v -l verbose -d 'Print more details'
complete -c skillpm -n "__fish_skillpm_using_subcommand package" -l offline -d 'Work without network access'
complete -c skillpm -n "__fish_skillpm_using_subcommand package" -l locked -d 'Require that the lockfile is up to date'
complete -c skillpm -n "__fish_skillpm_using_subcommand package" -l frozen -d 'Same as --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand package" -s y -l yes -d 'Answer yes to all prompts'
complete -c skillpm -n "__fish_skillpm_using_subcommand package" -l no-input -d 'Never prompt; use defaults'
complete -c skillpm -n "__fish_skillpm_using_subcommand package" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand convert" -l to -d 'The format to write' -r -f -a "skill-md\t'`SKILL.md`'
nova\t'`manifest.yaml` and `instructions.md`'
devai\t'`skill.json` and `execute.ts`'"
complete -c skillpm -n "__fish_skillpm_using_subcommand convert" -l out -d 'The parent of the new directory [default: the skill\'s parent]' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand convert" -s C -l directory -d 'Run in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand convert" -l config -d 'Override a setting for this run (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand convert" -l color -d 'When to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand convert" -l agent-mode -d 'When to print for an agent' -r -f -a "auto\t'If one of the variables that agents set is set'
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand convert" -l format -d 'Print in this format' -r -f -a "human\t''
json\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand convert" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand convert" -s v -l verbose -d 'Print more details'
complete -c skillpm -n "__fish_skillpm_using_subcommand convert" -l offline -d 'Work without network access'
complete -c skillpm -n "__fish_skillpm_using_subcommand convert" -l locked -d 'Require that the lockfile is up to date'
complete -c skillpm -n "__fish_skillpm_using_subcommand convert" -l frozen -d 'Same as --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand convert" -s y -l yes -d 'Answer yes to all prompts'
complete -c skillpm -n "__fish_skillpm_using_subcommand convert" -l no-input -d 'Never prompt; use defaults'
complete -c skillpm -n "__fish_skillpm_using_subcommand convert" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and not __fish_seen_subcommand_from list detect add remove help" -s C -l directory -d 'Run in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and not __fish_seen_subcommand_from list detect add remove help" -l config -d 'Override a setting for this run (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and not __fish_seen_subcommand_from list detect add remove help" -l color -d 'When to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and not __fish_seen_subcommand_from list detect add remove help" -l agent-mode -d 'When to print for an agent' -r -f -a "auto\t'If one of the variables that agents set is set'
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and not __fish_seen_subcommand_from list detect add remove help" -l format -d 'Print in this format' -r -f -a "human\t''
json\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and not __fish_seen_subcommand_from list detect add remove help" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and not __fish_seen_subcommand_from list detect add remove help" -s v -l verbose -d 'Print more details'
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and not __fish_seen_subcommand_from list detect add remove help" -l offline -d 'Work without network access'
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and not __fish_seen_subcommand_from list detect add remove help" -l locked -d 'Require that the lockfile is up to date'
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and not __fish_seen_subcommand_from list detect add remove help" -l frozen -d 'Same as --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and not __fish_seen_subcommand_from list detect add remove help" -s y -l yes -d 'Answer yes to all prompts'
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and not __fish_seen_subcommand_from list detect add remove help" -l no-input -d 'Never prompt; use defaults'
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and not __fish_seen_subcommand_from list detect add remove help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and not __fish_seen_subcommand_from list detect add remove help" -f -a "list" -d 'List targets and agents in use'
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and not __fish_seen_subcommand_from list detect add remove help" -f -a "detect" -d 'Find the agents that are used here'
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and not __fish_seen_subcommand_from list detect add remove help" -f -a "add" -d 'Install into the directories of agents, too'
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and not __fish_seen_subcommand_from list detect add remove help" -f -a "remove" -d 'No longer install into the directories of agents'
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and not __fish_seen_subcommand_from list detect add remove help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and __fish_seen_subcommand_from list" -s C -l directory -d 'Run in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and __fish_seen_subcommand_from list" -l config -d 'Override a setting for this run (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and __fish_seen_subcommand_from list" -l color -d 'When to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and __fish_seen_subcommand_from list" -l agent-mode -d 'When to print for an agent' -r -f -a "auto\t'If one of the variables that agents set is set'
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and __fish_seen_subcommand_from list" -l format -d 'Print in this format' -r -f -a "human\t''
json\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and __fish_seen_subcommand_from list" -l all -d 'List every agent that skillpm knows'
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and __fish_seen_subcommand_from list" -s g -l global -d 'Use your own skills instead of the project\'s'
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and __fish_seen_subcommand_from list" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and __fish_seen_subcommand_from list" -s v -l verbose -d 'Print more details'
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and __fish_seen_subcommand_from list" -l offline -d 'Work without network access'
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and __fish_seen_subcommand_from list" -l locked -d 'Require that the lockfile is up to date'
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and __fish_seen_subcommand_from list" -l frozen -d 'Same as --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and __fish_seen_subcommand_from list" -s y -l yes -d 'Answer yes to all prompts'
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and __fish_seen_subcommand_from list" -l no-input -d 'Never prompt; use defaults'
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and __fish_seen_subcommand_from detect" -s C -l directory -d 'Run in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and __fish_seen_subcommand_from detect" -l config -d 'Override a setting for this run (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and __fish_seen_subcommand_from detect" -l color -d 'When to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and __fish_seen_subcommand_from detect" -l agent-mode -d 'When to print for an agent' -r -f -a "auto\t'If one of the variables that agents set is set'
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and __fish_seen_subcommand_from detect" -l format -d 'Print in this format' -r -f -a "human\t''
json\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and __fish_seen_subcommand_from detect" -s g -l global -d 'Use your own skills instead of the project\'s'
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and __fish_seen_subcommand_from detect" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and __fish_seen_subcommand_from detect" -s v -l verbose -d 'Print more details'
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and __fish_seen_subcommand_from detect" -l offline -d 'Work without network access'
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and __fish_seen_subcommand_from detect" -l locked -d 'Require that the lockfile is up to date'
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and __fish_seen_subcommand_from detect" -l frozen -d 'Same as --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and __fish_seen_subcommand_from detect" -s y -l yes -d 'Answer yes to all prompts'
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and __fish_seen_subcommand_from detect" -l no-input -d 'Never prompt; use defaults'
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and __fish_seen_subcommand_from detect" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and __fish_seen_subcommand_from add" -s C -l directory -d 'Run in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and __fish_seen_subcommand_from add" -l config -d 'Override a setting for this run (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and __fish_seen_subcommand_from add" -l color -d 'When to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and __fish_seen_subcommand_from add" -l agent-mode -d 'When to print for an agent' -r -f -a "auto\t'If one of the variables that agents set is set'
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and __fish_seen_subcommand_from add" -l format -d 'Print in this format' -r -f -a "human\t''
json\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and __fish_seen_subcommand_from add" -s g -l global -d 'Use your own skills instead of the project\'s'
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and __fish_seen_subcommand_from add" -l dry-run -d 'Show what would be done without doing it'
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and __fish_seen_subcommand_from add" -l force -d 'Overwrite local changes after saving them to .skillpm/backup'
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and __fish_seen_subcommand_from add" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and __fish_seen_subcommand_from add" -s v -l verbose -d 'Print more details'
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and __fish_seen_subcommand_from add" -l offline -d 'Work without network access'
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and __fish_seen_subcommand_from add" -l locked -d 'Require that the lockfile is up to date'
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and __fish_seen_subcommand_from add" -l frozen -d 'Same as --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and __fish_seen_subcommand_from add" -s y -l yes -d 'Answer yes to all prompts'
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and __fish_seen_subcommand_from add" -l no-input -d 'Never prompt; use defaults'
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and __fish_seen_subcommand_from add" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and __fish_seen_subcommand_from remove" -s C -l directory -d 'Run in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and __fish_seen_subcommand_from remove" -l config -d 'Override a setting for this run (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and __fish_seen_subcommand_from remove" -l color -d 'When to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and __fish_seen_subcommand_from remove" -l agent-mode -d 'When to print for an agent' -r -f -a "auto\t'If one of the variables that agents set is set'
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and __fish_seen_subcommand_from remove" -l format -d 'Print in this format' -r -f -a "human\t''
json\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and __fish_seen_subcommand_from remove" -s g -l global -d 'Use your own skills instead of the project\'s'
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and __fish_seen_subcommand_from remove" -l dry-run -d 'Show what would be done without doing it'
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and __fish_seen_subcommand_from remove" -l force -d 'Overwrite local changes after saving them to .skillpm/backup'
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and __fish_seen_subcommand_from remove" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and __fish_seen_subcommand_from remove" -s v -l verbose -d 'Print more details'
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and __fish_seen_subcommand_from remove" -l offline -d 'Work without network access'
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and __fish_seen_subcommand_from remove" -l locked -d 'Require that the lockfile is up to date'
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and __fish_seen_subcommand_from remove" -l frozen -d 'Same as --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and __fish_seen_subcommand_from remove" -s y -l yes -d 'Answer yes to all prompts'
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and __fish_seen_subcommand_from remove" -l no-input -d 'Never prompt; use defaults'
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and __fish_seen_subcommand_from remove" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and __fish_seen_subcommand_from help" -f -a "list" -d 'List targets and agents in use'
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and __fish_seen_subcommand_from help" -f -a "detect" -d 'Find the agents that are used here'
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and __fish_seen_subcommand_from help" -f -a "add" -d 'Install into the directories of agents, too'
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and __fish_seen_subcommand_from help" -f -a "remove" -d 'No longer install into the directories of agents'
complete -c skillpm -n "__fish_skillpm_using_subcommand agents; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c skillpm -n "__fish_skillpm_using_subcommand catalog" -l dir -d 'Read this directory, not the tiers (repeatable)' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand catalog" -l agent -d 'Show the skills that this agent sees' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand catalog" -l only -d 'Show only these skills' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand catalog" -l search -d 'Show only skills that match these words' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand catalog" -l tag -d 'Show only skills with this tag (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand catalog" -l assume -d 'Assume os=…,bins=…,env=… (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand catalog" -l budget -d 'Fail if the listing is longer than N characters' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand catalog" -l preamble -d 'Replace the introduction with the text of this file' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand catalog" -l template -d 'Render with this template' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand catalog" -l into -d 'Update the section between markers in this file' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand catalog" -l out -d 'Write a tree of files to this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand catalog" -l base-url -d 'Where `well-known` will be served' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand catalog" -l title -d 'Set the name of the `claude-marketplace` [default: skills]' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand catalog" -l format -d 'Print in this format; --list-formats shows all' -r -f -a "json\t''
xml\t''
xml-ref\t''
markdown\t''
nova\t''
nova-shipped\t''
yodoca\t''
kodelet\t''
kodelet-tool\t''
pickle\t''
devai\t''
openai\t''
openai-responses\t''
anthropic\t''
template\t''
well-known\t''
agentskills-http\t''
claude-marketplace\t''
claude-zip\t''
bodies\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand catalog" -s C -l directory -d 'Run in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand catalog" -l config -d 'Override a setting for this run (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand catalog" -l color -d 'When to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand catalog" -l agent-mode -d 'When to print for an agent' -r -f -a "auto\t'If one of the variables that agents set is set'
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand catalog" -l all -d 'Include hidden skills, with reasons'
complete -c skillpm -n "__fish_skillpm_using_subcommand catalog" -l no-skills -d 'Show no skills, whatever is installed'
complete -c skillpm -n "__fish_skillpm_using_subcommand catalog" -l replace-openskills -d 'Replace the section that openskills wrote'
complete -c skillpm -n "__fish_skillpm_using_subcommand catalog" -l stats -d 'Print the size of each skill and format in tokens'
complete -c skillpm -n "__fish_skillpm_using_subcommand catalog" -l list-formats -d 'List all formats'
complete -c skillpm -n "__fish_skillpm_using_subcommand catalog" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand catalog" -s v -l verbose -d 'Print more details'
complete -c skillpm -n "__fish_skillpm_using_subcommand catalog" -l offline -d 'Work without network access'
complete -c skillpm -n "__fish_skillpm_using_subcommand catalog" -l locked -d 'Require that the lockfile is up to date'
complete -c skillpm -n "__fish_skillpm_using_subcommand catalog" -l frozen -d 'Same as --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand catalog" -s y -l yes -d 'Answer yes to all prompts'
complete -c skillpm -n "__fish_skillpm_using_subcommand catalog" -l no-input -d 'Never prompt; use defaults'
complete -c skillpm -n "__fish_skillpm_using_subcommand catalog" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand serve" -l http -d 'Listen for HTTP: PORT, IP or IP:PORT' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand serve" -l token -d 'Require this bearer token in HTTP requests' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand serve" -l allow-host -d 'Accept requests for this host name too (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand serve" -l agent -d 'Serve what this agent is shown, by its own order' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand serve" -l dir -d 'Read this directory, not the tiers (repeatable)' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand serve" -l only -d 'Serve just these skills' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand serve" -l assume -d 'Assume os=…,bins=…,env=… (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand serve" -s C -l directory -d 'Run in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand serve" -l config -d 'Override a setting for this run (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand serve" -l color -d 'When to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand serve" -l agent-mode -d 'When to print for an agent' -r -f -a "auto\t'If one of the variables that agents set is set'
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand serve" -l format -d 'Print in this format' -r -f -a "human\t''
json\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand serve" -l allow-proposals -d 'Let clients propose changes, for you to look at'
complete -c skillpm -n "__fish_skillpm_using_subcommand serve" -l no-skills -d 'Serve no skills, whatever is installed'
complete -c skillpm -n "__fish_skillpm_using_subcommand serve" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand serve" -s v -l verbose -d 'Print more details'
complete -c skillpm -n "__fish_skillpm_using_subcommand serve" -l offline -d 'Work without network access'
complete -c skillpm -n "__fish_skillpm_using_subcommand serve" -l locked -d 'Require that the lockfile is up to date'
complete -c skillpm -n "__fish_skillpm_using_subcommand serve" -l frozen -d 'Same as --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand serve" -s y -l yes -d 'Answer yes to all prompts'
complete -c skillpm -n "__fish_skillpm_using_subcommand serve" -l no-input -d 'Never prompt; use defaults'
complete -c skillpm -n "__fish_skillpm_using_subcommand serve" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand watch" -l dir -d 'Follow this directory, not the tiers (repeatable)' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand watch" -l agent -d 'Resolve names as this agent does' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand watch" -l poll -d 'Poll every SECONDS instead of using events' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand watch" -s C -l directory -d 'Run in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand watch" -l config -d 'Override a setting for this run (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand watch" -l color -d 'When to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand watch" -l agent-mode -d 'When to print for an agent' -r -f -a "auto\t'If one of the variables that agents set is set'
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand watch" -l format -d 'Print in this format' -r -f -a "human\t''
json\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand watch" -l existing -d 'Report existing skills first'
complete -c skillpm -n "__fish_skillpm_using_subcommand watch" -l once -d 'Exit after the first change'
complete -c skillpm -n "__fish_skillpm_using_subcommand watch" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand watch" -s v -l verbose -d 'Print more details'
complete -c skillpm -n "__fish_skillpm_using_subcommand watch" -l offline -d 'Work without network access'
complete -c skillpm -n "__fish_skillpm_using_subcommand watch" -l locked -d 'Require that the lockfile is up to date'
complete -c skillpm -n "__fish_skillpm_using_subcommand watch" -l frozen -d 'Same as --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand watch" -s y -l yes -d 'Answer yes to all prompts'
complete -c skillpm -n "__fish_skillpm_using_subcommand watch" -l no-input -d 'Never prompt; use defaults'
complete -c skillpm -n "__fish_skillpm_using_subcommand watch" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand budget" -l agent -d 'Show this agent (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand budget" -s C -l directory -d 'Run in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand budget" -l config -d 'Override a setting for this run (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand budget" -l color -d 'When to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand budget" -l agent-mode -d 'When to print for an agent' -r -f -a "auto\t'If one of the variables that agents set is set'
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand budget" -l format -d 'Print in this format' -r -f -a "human\t''
json\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand budget" -l exact -d 'Count tokens with the o200k vocabulary'
complete -c skillpm -n "__fish_skillpm_using_subcommand budget" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand budget" -s v -l verbose -d 'Print more details'
complete -c skillpm -n "__fish_skillpm_using_subcommand budget" -l offline -d 'Work without network access'
complete -c skillpm -n "__fish_skillpm_using_subcommand budget" -l locked -d 'Require that the lockfile is up to date'
complete -c skillpm -n "__fish_skillpm_using_subcommand budget" -l frozen -d 'Same as --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand budget" -s y -l yes -d 'Answer yes to all prompts'
complete -c skillpm -n "__fish_skillpm_using_subcommand budget" -l no-input -d 'Never prompt; use defaults'
complete -c skillpm -n "__fish_skillpm_using_subcommand budget" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand propose" -l file -d 'The changed SKILL.md; `-` for stdin' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand propose" -l diff -d 'The change as a unified diff; `-` for stdin' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand propose" -s j -l justification -d 'Why the change should be made' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand propose" -l evidence -d 'Evidence that the change helps (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand propose" -l by -d 'Who proposes it' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand propose" -l dir -d 'Look in this directory, not the tiers (repeatable)' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand propose" -s C -l directory -d 'Run in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand propose" -l config -d 'Override a setting for this run (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand propose" -l color -d 'When to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand propose" -l agent-mode -d 'When to print for an agent' -r -f -a "auto\t'If one of the variables that agents set is set'
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand propose" -l format -d 'Print in this format' -r -f -a "human\t''
json\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand propose" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand propose" -s v -l verbose -d 'Print more details'
complete -c skillpm -n "__fish_skillpm_using_subcommand propose" -l offline -d 'Work without network access'
complete -c skillpm -n "__fish_skillpm_using_subcommand propose" -l locked -d 'Require that the lockfile is up to date'
complete -c skillpm -n "__fish_skillpm_using_subcommand propose" -l frozen -d 'Same as --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand propose" -s y -l yes -d 'Answer yes to all prompts'
complete -c skillpm -n "__fish_skillpm_using_subcommand propose" -l no-input -d 'Never prompt; use defaults'
complete -c skillpm -n "__fish_skillpm_using_subcommand propose" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and not __fish_seen_subcommand_from list show apply reject help" -s C -l directory -d 'Run in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and not __fish_seen_subcommand_from list show apply reject help" -l config -d 'Override a setting for this run (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and not __fish_seen_subcommand_from list show apply reject help" -l color -d 'When to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and not __fish_seen_subcommand_from list show apply reject help" -l agent-mode -d 'When to print for an agent' -r -f -a "auto\t'If one of the variables that agents set is set'
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and not __fish_seen_subcommand_from list show apply reject help" -l format -d 'Print in this format' -r -f -a "human\t''
json\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and not __fish_seen_subcommand_from list show apply reject help" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and not __fish_seen_subcommand_from list show apply reject help" -s v -l verbose -d 'Print more details'
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and not __fish_seen_subcommand_from list show apply reject help" -l offline -d 'Work without network access'
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and not __fish_seen_subcommand_from list show apply reject help" -l locked -d 'Require that the lockfile is up to date'
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and not __fish_seen_subcommand_from list show apply reject help" -l frozen -d 'Same as --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and not __fish_seen_subcommand_from list show apply reject help" -s y -l yes -d 'Answer yes to all prompts'
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and not __fish_seen_subcommand_from list show apply reject help" -l no-input -d 'Never prompt; use defaults'
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and not __fish_seen_subcommand_from list show apply reject help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and not __fish_seen_subcommand_from list show apply reject help" -f -a "list" -d 'List open proposals'
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and not __fish_seen_subcommand_from list show apply reject help" -f -a "show" -d 'Print a proposal'
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and not __fish_seen_subcommand_from list show apply reject help" -f -a "apply" -d 'Apply a proposal'
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and not __fish_seen_subcommand_from list show apply reject help" -f -a "reject" -d 'Reject a proposal'
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and not __fish_seen_subcommand_from list show apply reject help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and __fish_seen_subcommand_from list" -s C -l directory -d 'Run in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and __fish_seen_subcommand_from list" -l config -d 'Override a setting for this run (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and __fish_seen_subcommand_from list" -l color -d 'When to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and __fish_seen_subcommand_from list" -l agent-mode -d 'When to print for an agent' -r -f -a "auto\t'If one of the variables that agents set is set'
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and __fish_seen_subcommand_from list" -l format -d 'Print in this format' -r -f -a "human\t''
json\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and __fish_seen_subcommand_from list" -l all -d 'Include applied and rejected proposals'
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and __fish_seen_subcommand_from list" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and __fish_seen_subcommand_from list" -s v -l verbose -d 'Print more details'
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and __fish_seen_subcommand_from list" -l offline -d 'Work without network access'
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and __fish_seen_subcommand_from list" -l locked -d 'Require that the lockfile is up to date'
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and __fish_seen_subcommand_from list" -l frozen -d 'Same as --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and __fish_seen_subcommand_from list" -s y -l yes -d 'Answer yes to all prompts'
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and __fish_seen_subcommand_from list" -l no-input -d 'Never prompt; use defaults'
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and __fish_seen_subcommand_from show" -s C -l directory -d 'Run in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and __fish_seen_subcommand_from show" -l config -d 'Override a setting for this run (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and __fish_seen_subcommand_from show" -l color -d 'When to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and __fish_seen_subcommand_from show" -l agent-mode -d 'When to print for an agent' -r -f -a "auto\t'If one of the variables that agents set is set'
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and __fish_seen_subcommand_from show" -l format -d 'Print in this format' -r -f -a "human\t''
json\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and __fish_seen_subcommand_from show" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and __fish_seen_subcommand_from show" -s v -l verbose -d 'Print more details'
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and __fish_seen_subcommand_from show" -l offline -d 'Work without network access'
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and __fish_seen_subcommand_from show" -l locked -d 'Require that the lockfile is up to date'
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and __fish_seen_subcommand_from show" -l frozen -d 'Same as --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and __fish_seen_subcommand_from show" -s y -l yes -d 'Answer yes to all prompts'
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and __fish_seen_subcommand_from show" -l no-input -d 'Never prompt; use defaults'
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and __fish_seen_subcommand_from show" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and __fish_seen_subcommand_from apply" -l dir -d 'Look for the skill in this directory, not the tiers (repeatable)' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and __fish_seen_subcommand_from apply" -s C -l directory -d 'Run in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and __fish_seen_subcommand_from apply" -l config -d 'Override a setting for this run (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and __fish_seen_subcommand_from apply" -l color -d 'When to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and __fish_seen_subcommand_from apply" -l agent-mode -d 'When to print for an agent' -r -f -a "auto\t'If one of the variables that agents set is set'
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and __fish_seen_subcommand_from apply" -l format -d 'Print in this format' -r -f -a "human\t''
json\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and __fish_seen_subcommand_from apply" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and __fish_seen_subcommand_from apply" -s v -l verbose -d 'Print more details'
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and __fish_seen_subcommand_from apply" -l offline -d 'Work without network access'
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and __fish_seen_subcommand_from apply" -l locked -d 'Require that the lockfile is up to date'
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and __fish_seen_subcommand_from apply" -l frozen -d 'Same as --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and __fish_seen_subcommand_from apply" -s y -l yes -d 'Answer yes to all prompts'
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and __fish_seen_subcommand_from apply" -l no-input -d 'Never prompt; use defaults'
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and __fish_seen_subcommand_from apply" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and __fish_seen_subcommand_from reject" -l reason -d 'Why not' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and __fish_seen_subcommand_from reject" -s C -l directory -d 'Run in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and __fish_seen_subcommand_from reject" -l config -d 'Override a setting for this run (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and __fish_seen_subcommand_from reject" -l color -d 'When to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and __fish_seen_subcommand_from reject" -l agent-mode -d 'When to print for an agent' -r -f -a "auto\t'If one of the variables that agents set is set'
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and __fish_seen_subcommand_from reject" -l format -d 'Print in this format' -r -f -a "human\t''
json\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and __fish_seen_subcommand_from reject" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and __fish_seen_subcommand_from reject" -s v -l verbose -d 'Print more details'
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and __fish_seen_subcommand_from reject" -l offline -d 'Work without network access'
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and __fish_seen_subcommand_from reject" -l locked -d 'Require that the lockfile is up to date'
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and __fish_seen_subcommand_from reject" -l frozen -d 'Same as --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and __fish_seen_subcommand_from reject" -s y -l yes -d 'Answer yes to all prompts'
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and __fish_seen_subcommand_from reject" -l no-input -d 'Never prompt; use defaults'
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and __fish_seen_subcommand_from reject" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and __fish_seen_subcommand_from help" -f -a "list" -d 'List open proposals'
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and __fish_seen_subcommand_from help" -f -a "show" -d 'Print a proposal'
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and __fish_seen_subcommand_from help" -f -a "apply" -d 'Apply a proposal'
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and __fish_seen_subcommand_from help" -f -a "reject" -d 'Reject a proposal'
complete -c skillpm -n "__fish_skillpm_using_subcommand proposals; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c skillpm -n "__fish_skillpm_using_subcommand publish" -l registry -d 'The registry to publish to, as named in the settings' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand publish" -l branch -d 'Push to this branch of the index for review' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand publish" -s C -l directory -d 'Run in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand publish" -l config -d 'Override a setting for this run (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand publish" -l color -d 'When to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand publish" -l agent-mode -d 'When to print for an agent' -r -f -a "auto\t'If one of the variables that agents set is set'
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand publish" -l format -d 'Print in this format' -r -f -a "human\t''
json\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand publish" -l dry-run -d 'Check everything without publishing'
complete -c skillpm -n "__fish_skillpm_using_subcommand publish" -l tag -d 'Tag the published commit as NAME-vX.Y.Z'
complete -c skillpm -n "__fish_skillpm_using_subcommand publish" -l workspace -d 'Publish every workspace member with a new version'
complete -c skillpm -n "__fish_skillpm_using_subcommand publish" -l sign -d 'Sign the commit of the index with your key'
complete -c skillpm -n "__fish_skillpm_using_subcommand publish" -l allow-dirty -d 'Allow uncommitted changes'
complete -c skillpm -n "__fish_skillpm_using_subcommand publish" -l allow-similar -d 'Allow a new name similar to an existing one'
complete -c skillpm -n "__fish_skillpm_using_subcommand publish" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand publish" -s v -l verbose -d 'Print more details'
complete -c skillpm -n "__fish_skillpm_using_subcommand publish" -l offline -d 'Work without network access'
complete -c skillpm -n "__fish_skillpm_using_subcommand publish" -l locked -d 'Require that the lockfile is up to date'
complete -c skillpm -n "__fish_skillpm_using_subcommand publish" -l frozen -d 'Same as --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand publish" -s y -l yes -d 'Answer yes to all prompts'
complete -c skillpm -n "__fish_skillpm_using_subcommand publish" -l no-input -d 'Never prompt; use defaults'
complete -c skillpm -n "__fish_skillpm_using_subcommand publish" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand yank" -l reason -d 'Reason for the revocation, shown to all users' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand yank" -l registry -d 'The registry of the package, as named in the settings' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand yank" -s C -l directory -d 'Run in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand yank" -l config -d 'Override a setting for this run (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand yank" -l color -d 'When to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand yank" -l agent-mode -d 'When to print for an agent' -r -f -a "auto\t'If one of the variables that agents set is set'
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand yank" -l format -d 'Print in this format' -r -f -a "human\t''
json\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand yank" -l undo -d 'Unyank the version'
complete -c skillpm -n "__fish_skillpm_using_subcommand yank" -l revoke -d 'Revoke a harmful version: refuse to install it at all'
complete -c skillpm -n "__fish_skillpm_using_subcommand yank" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand yank" -s v -l verbose -d 'Print more details'
complete -c skillpm -n "__fish_skillpm_using_subcommand yank" -l offline -d 'Work without network access'
complete -c skillpm -n "__fish_skillpm_using_subcommand yank" -l locked -d 'Require that the lockfile is up to date'
complete -c skillpm -n "__fish_skillpm_using_subcommand yank" -l frozen -d 'Same as --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand yank" -s y -l yes -d 'Answer yes to all prompts'
complete -c skillpm -n "__fish_skillpm_using_subcommand yank" -l no-input -d 'Never prompt; use defaults'
complete -c skillpm -n "__fish_skillpm_using_subcommand yank" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and not __fish_seen_subcommand_from list add remove help" -s C -l directory -d 'Run in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and not __fish_seen_subcommand_from list add remove help" -l config -d 'Override a setting for this run (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and not __fish_seen_subcommand_from list add remove help" -l color -d 'When to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and not __fish_seen_subcommand_from list add remove help" -l agent-mode -d 'When to print for an agent' -r -f -a "auto\t'If one of the variables that agents set is set'
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and not __fish_seen_subcommand_from list add remove help" -l format -d 'Print in this format' -r -f -a "human\t''
json\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and not __fish_seen_subcommand_from list add remove help" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and not __fish_seen_subcommand_from list add remove help" -s v -l verbose -d 'Print more details'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and not __fish_seen_subcommand_from list add remove help" -l offline -d 'Work without network access'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and not __fish_seen_subcommand_from list add remove help" -l locked -d 'Require that the lockfile is up to date'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and not __fish_seen_subcommand_from list add remove help" -l frozen -d 'Same as --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and not __fish_seen_subcommand_from list add remove help" -s y -l yes -d 'Answer yes to all prompts'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and not __fish_seen_subcommand_from list add remove help" -l no-input -d 'Never prompt; use defaults'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and not __fish_seen_subcommand_from list add remove help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and not __fish_seen_subcommand_from list add remove help" -f -a "list" -d 'List the owners of a package'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and not __fish_seen_subcommand_from list add remove help" -f -a "add" -d 'Add owners'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and not __fish_seen_subcommand_from list add remove help" -f -a "remove" -d 'Remove owners'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and not __fish_seen_subcommand_from list add remove help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from list" -l registry -d 'The registry of the package, as named in the settings' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from list" -s C -l directory -d 'Run in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from list" -l config -d 'Override a setting for this run (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from list" -l color -d 'When to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from list" -l agent-mode -d 'When to print for an agent' -r -f -a "auto\t'If one of the variables that agents set is set'
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from list" -l format -d 'Print in this format' -r -f -a "human\t''
json\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from list" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from list" -s v -l verbose -d 'Print more details'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from list" -l offline -d 'Work without network access'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from list" -l locked -d 'Require that the lockfile is up to date'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from list" -l frozen -d 'Same as --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from list" -s y -l yes -d 'Answer yes to all prompts'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from list" -l no-input -d 'Never prompt; use defaults'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from add" -l registry -d 'The registry of the package, as named in the settings' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from add" -s C -l directory -d 'Run in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from add" -l config -d 'Override a setting for this run (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from add" -l color -d 'When to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from add" -l agent-mode -d 'When to print for an agent' -r -f -a "auto\t'If one of the variables that agents set is set'
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from add" -l format -d 'Print in this format' -r -f -a "human\t''
json\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from add" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from add" -s v -l verbose -d 'Print more details'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from add" -l offline -d 'Work without network access'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from add" -l locked -d 'Require that the lockfile is up to date'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from add" -l frozen -d 'Same as --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from add" -s y -l yes -d 'Answer yes to all prompts'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from add" -l no-input -d 'Never prompt; use defaults'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from add" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from remove" -l registry -d 'The registry of the package, as named in the settings' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from remove" -s C -l directory -d 'Run in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from remove" -l config -d 'Override a setting for this run (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from remove" -l color -d 'When to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from remove" -l agent-mode -d 'When to print for an agent' -r -f -a "auto\t'If one of the variables that agents set is set'
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from remove" -l format -d 'Print in this format' -r -f -a "human\t''
json\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from remove" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from remove" -s v -l verbose -d 'Print more details'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from remove" -l offline -d 'Work without network access'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from remove" -l locked -d 'Require that the lockfile is up to date'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from remove" -l frozen -d 'Same as --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from remove" -s y -l yes -d 'Answer yes to all prompts'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from remove" -l no-input -d 'Never prompt; use defaults'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from remove" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from help" -f -a "list" -d 'List the owners of a package'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from help" -f -a "add" -d 'Add owners'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from help" -f -a "remove" -d 'Remove owners'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and not __fish_seen_subcommand_from new check advise renew site help" -s C -l directory -d 'Run in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and not __fish_seen_subcommand_from new check advise renew site help" -l config -d 'Override a setting for this run (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and not __fish_seen_subcommand_from new check advise renew site help" -l color -d 'When to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and not __fish_seen_subcommand_from new check advise renew site help" -l agent-mode -d 'When to print for an agent' -r -f -a "auto\t'If one of the variables that agents set is set'
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and not __fish_seen_subcommand_from new check advise renew site help" -l format -d 'Print in this format' -r -f -a "human\t''
json\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and not __fish_seen_subcommand_from new check advise renew site help" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and not __fish_seen_subcommand_from new check advise renew site help" -s v -l verbose -d 'Print more details'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and not __fish_seen_subcommand_from new check advise renew site help" -l offline -d 'Work without network access'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and not __fish_seen_subcommand_from new check advise renew site help" -l locked -d 'Require that the lockfile is up to date'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and not __fish_seen_subcommand_from new check advise renew site help" -l frozen -d 'Same as --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and not __fish_seen_subcommand_from new check advise renew site help" -s y -l yes -d 'Answer yes to all prompts'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and not __fish_seen_subcommand_from new check advise renew site help" -l no-input -d 'Never prompt; use defaults'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and not __fish_seen_subcommand_from new check advise renew site help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and not __fish_seen_subcommand_from new check advise renew site help" -f -a "new" -d 'Create an empty index'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and not __fish_seen_subcommand_from new check advise renew site help" -f -a "check" -d 'Check an index, or a change to it'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and not __fish_seen_subcommand_from new check advise renew site help" -f -a "advise" -d 'Pack advisories into the file that clients fetch'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and not __fish_seen_subcommand_from new check advise renew site help" -f -a "renew" -d 'Extend the expiry date of an index'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and not __fish_seen_subcommand_from new check advise renew site help" -f -a "site" -d 'Write a static site of skills'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and not __fish_seen_subcommand_from new check advise renew site help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from new" -l dl -d 'The location of archives [default: in the index]' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from new" -l owner -d 'An owner of the index [default: you] (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from new" -s C -l directory -d 'Run in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from new" -l config -d 'Override a setting for this run (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from new" -l color -d 'When to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from new" -l agent-mode -d 'When to print for an agent' -r -f -a "auto\t'If one of the variables that agents set is set'
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from new" -l format -d 'Print in this format' -r -f -a "human\t''
json\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from new" -l git -d 'Initialize a git repository in it'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from new" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from new" -s v -l verbose -d 'Print more details'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from new" -l offline -d 'Work without network access'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from new" -l locked -d 'Require that the lockfile is up to date'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from new" -l frozen -d 'Same as --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from new" -s y -l yes -d 'Answer yes to all prompts'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from new" -l no-input -d 'Never prompt; use defaults'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from new" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from check" -l base -d 'Check the changes between this revision and HEAD' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from check" -l by -d 'Who makes the change (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from check" -l archives -d 'Which archives to read' -r -f -a "all\t'Every one'
changed\t'Those that the change adds'"
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from check" -s C -l directory -d 'Run in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from check" -l config -d 'Override a setting for this run (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from check" -l color -d 'When to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from check" -l agent-mode -d 'When to print for an agent' -r -f -a "auto\t'If one of the variables that agents set is set'
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from check" -l format -d 'Print in this format' -r -f -a "human\t''
json\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from check" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from check" -s v -l verbose -d 'Print more details'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from check" -l offline -d 'Work without network access'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from check" -l locked -d 'Require that the lockfile is up to date'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from check" -l frozen -d 'Same as --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from check" -s y -l yes -d 'Answer yes to all prompts'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from check" -l no-input -d 'Never prompt; use defaults'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from check" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from advise" -s C -l directory -d 'Run in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from advise" -l config -d 'Override a setting for this run (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from advise" -l color -d 'When to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from advise" -l agent-mode -d 'When to print for an agent' -r -f -a "auto\t'If one of the variables that agents set is set'
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from advise" -l format -d 'Print in this format' -r -f -a "human\t''
json\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from advise" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from advise" -s v -l verbose -d 'Print more details'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from advise" -l offline -d 'Work without network access'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from advise" -l locked -d 'Require that the lockfile is up to date'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from advise" -l frozen -d 'Same as --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from advise" -s y -l yes -d 'Answer yes to all prompts'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from advise" -l no-input -d 'Never prompt; use defaults'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from advise" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from renew" -l for -d 'How long it is valid from now on' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from renew" -s C -l directory -d 'Run in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from renew" -l config -d 'Override a setting for this run (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from renew" -l color -d 'When to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from renew" -l agent-mode -d 'When to print for an agent' -r -f -a "auto\t'If one of the variables that agents set is set'
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from renew" -l format -d 'Print in this format' -r -f -a "human\t''
json\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from renew" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from renew" -s v -l verbose -d 'Print more details'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from renew" -l offline -d 'Work without network access'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from renew" -l locked -d 'Require that the lockfile is up to date'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from renew" -l frozen -d 'Same as --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from renew" -s y -l yes -d 'Answer yes to all prompts'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from renew" -l no-input -d 'Never prompt; use defaults'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from renew" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from site" -l registry -d 'Read skills from this registry' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from site" -l base-url -d 'Where it will be served' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from site" -s C -l directory -d 'Run in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from site" -l config -d 'Override a setting for this run (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from site" -l color -d 'When to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from site" -l agent-mode -d 'When to print for an agent' -r -f -a "auto\t'If one of the variables that agents set is set'
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from site" -l format -d 'Print in this format' -r -f -a "human\t''
json\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from site" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from site" -s v -l verbose -d 'Print more details'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from site" -l offline -d 'Work without network access'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from site" -l locked -d 'Require that the lockfile is up to date'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from site" -l frozen -d 'Same as --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from site" -s y -l yes -d 'Answer yes to all prompts'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from site" -l no-input -d 'Never prompt; use defaults'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from site" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from help" -f -a "new" -d 'Create an empty index'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from help" -f -a "check" -d 'Check an index, or a change to it'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from help" -f -a "advise" -d 'Pack advisories into the file that clients fetch'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from help" -f -a "renew" -d 'Extend the expiry date of an index'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from help" -f -a "site" -d 'Write a static site of skills'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and not __fish_seen_subcommand_from size dir verify prune clean help" -s C -l directory -d 'Run in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and not __fish_seen_subcommand_from size dir verify prune clean help" -l config -d 'Override a setting for this run (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and not __fish_seen_subcommand_from size dir verify prune clean help" -l color -d 'When to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and not __fish_seen_subcommand_from size dir verify prune clean help" -l agent-mode -d 'When to print for an agent' -r -f -a "auto\t'If one of the variables that agents set is set'
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and not __fish_seen_subcommand_from size dir verify prune clean help" -l format -d 'Print in this format' -r -f -a "human\t''
json\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and not __fish_seen_subcommand_from size dir verify prune clean help" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and not __fish_seen_subcommand_from size dir verify prune clean help" -s v -l verbose -d 'Print more details'
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and not __fish_seen_subcommand_from size dir verify prune clean help" -l offline -d 'Work without network access'
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and not __fish_seen_subcommand_from size dir verify prune clean help" -l locked -d 'Require that the lockfile is up to date'
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and not __fish_seen_subcommand_from size dir verify prune clean help" -l frozen -d 'Same as --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and not __fish_seen_subcommand_from size dir verify prune clean help" -s y -l yes -d 'Answer yes to all prompts'
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and not __fish_seen_subcommand_from size dir verify prune clean help" -l no-input -d 'Never prompt; use defaults'
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and not __fish_seen_subcommand_from size dir verify prune clean help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and not __fish_seen_subcommand_from size dir verify prune clean help" -f -a "size" -d 'Show the size of the cache'
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and not __fish_seen_subcommand_from size dir verify prune clean help" -f -a "dir" -d 'Print the cache directories'
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and not __fish_seen_subcommand_from size dir verify prune clean help" -f -a "verify" -d 'Verify checksums and remove damaged entries'
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and not __fish_seen_subcommand_from size dir verify prune clean help" -f -a "prune" -d 'Remove entries that were not used for a while'
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and not __fish_seen_subcommand_from size dir verify prune clean help" -f -a "clean" -d 'Remove all entries, or all of one skill or source'
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and not __fish_seen_subcommand_from size dir verify prune clean help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and __fish_seen_subcommand_from size" -s C -l directory -d 'Run in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and __fish_seen_subcommand_from size" -l config -d 'Override a setting for this run (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and __fish_seen_subcommand_from size" -l color -d 'When to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and __fish_seen_subcommand_from size" -l agent-mode -d 'When to print for an agent' -r -f -a "auto\t'If one of the variables that agents set is set'
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and __fish_seen_subcommand_from size" -l format -d 'Print in this format' -r -f -a "human\t''
json\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and __fish_seen_subcommand_from size" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and __fish_seen_subcommand_from size" -s v -l verbose -d 'Print more details'
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and __fish_seen_subcommand_from size" -l offline -d 'Work without network access'
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and __fish_seen_subcommand_from size" -l locked -d 'Require that the lockfile is up to date'
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and __fish_seen_subcommand_from size" -l frozen -d 'Same as --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and __fish_seen_subcommand_from size" -s y -l yes -d 'Answer yes to all prompts'
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and __fish_seen_subcommand_from size" -l no-input -d 'Never prompt; use defaults'
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and __fish_seen_subcommand_from size" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and __fish_seen_subcommand_from dir" -s C -l directory -d 'Run in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and __fish_seen_subcommand_from dir" -l config -d 'Override a setting for this run (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and __fish_seen_subcommand_from dir" -l color -d 'When to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and __fish_seen_subcommand_from dir" -l agent-mode -d 'When to print for an agent' -r -f -a "auto\t'If one of the variables that agents set is set'
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and __fish_seen_subcommand_from dir" -l format -d 'Print in this format' -r -f -a "human\t''
json\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and __fish_seen_subcommand_from dir" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and __fish_seen_subcommand_from dir" -s v -l verbose -d 'Print more details'
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and __fish_seen_subcommand_from dir" -l offline -d 'Work without network access'
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and __fish_seen_subcommand_from dir" -l locked -d 'Require that the lockfile is up to date'
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and __fish_seen_subcommand_from dir" -l frozen -d 'Same as --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and __fish_seen_subcommand_from dir" -s y -l yes -d 'Answer yes to all prompts'
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and __fish_seen_subcommand_from dir" -l no-input -d 'Never prompt; use defaults'
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and __fish_seen_subcommand_from dir" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and __fish_seen_subcommand_from verify" -s C -l directory -d 'Run in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and __fish_seen_subcommand_from verify" -l config -d 'Override a setting for this run (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and __fish_seen_subcommand_from verify" -l color -d 'When to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and __fish_seen_subcommand_from verify" -l agent-mode -d 'When to print for an agent' -r -f -a "auto\t'If one of the variables that agents set is set'
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and __fish_seen_subcommand_from verify" -l format -d 'Print in this format' -r -f -a "human\t''
json\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and __fish_seen_subcommand_from verify" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and __fish_seen_subcommand_from verify" -s v -l verbose -d 'Print more details'
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and __fish_seen_subcommand_from verify" -l offline -d 'Work without network access'
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and __fish_seen_subcommand_from verify" -l locked -d 'Require that the lockfile is up to date'
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and __fish_seen_subcommand_from verify" -l frozen -d 'Same as --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and __fish_seen_subcommand_from verify" -s y -l yes -d 'Answer yes to all prompts'
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and __fish_seen_subcommand_from verify" -l no-input -d 'Never prompt; use defaults'
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and __fish_seen_subcommand_from verify" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and __fish_seen_subcommand_from prune" -l older-than -d 'Remove entries not used for AGE' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and __fish_seen_subcommand_from prune" -s C -l directory -d 'Run in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and __fish_seen_subcommand_from prune" -l config -d 'Override a setting for this run (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and __fish_seen_subcommand_from prune" -l color -d 'When to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and __fish_seen_subcommand_from prune" -l agent-mode -d 'When to print for an agent' -r -f -a "auto\t'If one of the variables that agents set is set'
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and __fish_seen_subcommand_from prune" -l format -d 'Print in this format' -r -f -a "human\t''
json\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and __fish_seen_subcommand_from prune" -l dry-run -d 'Show what would be removed without removing it'
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and __fish_seen_subcommand_from prune" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and __fish_seen_subcommand_from prune" -s v -l verbose -d 'Print more details'
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and __fish_seen_subcommand_from prune" -l offline -d 'Work without network access'
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and __fish_seen_subcommand_from prune" -l locked -d 'Require that the lockfile is up to date'
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and __fish_seen_subcommand_from prune" -l frozen -d 'Same as --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and __fish_seen_subcommand_from prune" -s y -l yes -d 'Answer yes to all prompts'
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and __fish_seen_subcommand_from prune" -l no-input -d 'Never prompt; use defaults'
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and __fish_seen_subcommand_from prune" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and __fish_seen_subcommand_from clean" -s C -l directory -d 'Run in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and __fish_seen_subcommand_from clean" -l config -d 'Override a setting for this run (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and __fish_seen_subcommand_from clean" -l color -d 'When to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and __fish_seen_subcommand_from clean" -l agent-mode -d 'When to print for an agent' -r -f -a "auto\t'If one of the variables that agents set is set'
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and __fish_seen_subcommand_from clean" -l format -d 'Print in this format' -r -f -a "human\t''
json\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and __fish_seen_subcommand_from clean" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and __fish_seen_subcommand_from clean" -s v -l verbose -d 'Print more details'
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and __fish_seen_subcommand_from clean" -l offline -d 'Work without network access'
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and __fish_seen_subcommand_from clean" -l locked -d 'Require that the lockfile is up to date'
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and __fish_seen_subcommand_from clean" -l frozen -d 'Same as --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and __fish_seen_subcommand_from clean" -s y -l yes -d 'Answer yes to all prompts'
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and __fish_seen_subcommand_from clean" -l no-input -d 'Never prompt; use defaults'
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and __fish_seen_subcommand_from clean" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and __fish_seen_subcommand_from help" -f -a "size" -d 'Show the size of the cache'
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and __fish_seen_subcommand_from help" -f -a "dir" -d 'Print the cache directories'
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and __fish_seen_subcommand_from help" -f -a "verify" -d 'Verify checksums and remove damaged entries'
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and __fish_seen_subcommand_from help" -f -a "prune" -d 'Remove entries that were not used for a while'
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and __fish_seen_subcommand_from help" -f -a "clean" -d 'Remove all entries, or all of one skill or source'
complete -c skillpm -n "__fish_skillpm_using_subcommand cache; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c skillpm -n "__fish_skillpm_using_subcommand doctor" -s C -l directory -d 'Run in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand doctor" -l config -d 'Override a setting for this run (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand doctor" -l color -d 'When to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand doctor" -l agent-mode -d 'When to print for an agent' -r -f -a "auto\t'If one of the variables that agents set is set'
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand doctor" -l format -d 'Print in this format' -r -f -a "human\t''
json\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand doctor" -l fix -d 'Fix problems that can be fixed without data loss'
complete -c skillpm -n "__fish_skillpm_using_subcommand doctor" -l online -d 'Check that every registry can be reached'
complete -c skillpm -n "__fish_skillpm_using_subcommand doctor" -s g -l global -d 'Use your own skills instead of the project\'s'
complete -c skillpm -n "__fish_skillpm_using_subcommand doctor" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand doctor" -s v -l verbose -d 'Print more details'
complete -c skillpm -n "__fish_skillpm_using_subcommand doctor" -l offline -d 'Work without network access'
complete -c skillpm -n "__fish_skillpm_using_subcommand doctor" -l locked -d 'Require that the lockfile is up to date'
complete -c skillpm -n "__fish_skillpm_using_subcommand doctor" -l frozen -d 'Same as --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand doctor" -s y -l yes -d 'Answer yes to all prompts'
complete -c skillpm -n "__fish_skillpm_using_subcommand doctor" -l no-input -d 'Never prompt; use defaults'
complete -c skillpm -n "__fish_skillpm_using_subcommand doctor" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and not __fish_seen_subcommand_from list get set help" -s C -l directory -d 'Run in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and not __fish_seen_subcommand_from list get set help" -l config -d 'Override a setting for this run (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and not __fish_seen_subcommand_from list get set help" -l color -d 'When to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and not __fish_seen_subcommand_from list get set help" -l agent-mode -d 'When to print for an agent' -r -f -a "auto\t'If one of the variables that agents set is set'
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and not __fish_seen_subcommand_from list get set help" -l format -d 'Print in this format' -r -f -a "human\t''
json\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and not __fish_seen_subcommand_from list get set help" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and not __fish_seen_subcommand_from list get set help" -s v -l verbose -d 'Print more details'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and not __fish_seen_subcommand_from list get set help" -l offline -d 'Work without network access'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and not __fish_seen_subcommand_from list get set help" -l locked -d 'Require that the lockfile is up to date'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and not __fish_seen_subcommand_from list get set help" -l frozen -d 'Same as --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and not __fish_seen_subcommand_from list get set help" -s y -l yes -d 'Answer yes to all prompts'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and not __fish_seen_subcommand_from list get set help" -l no-input -d 'Never prompt; use defaults'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and not __fish_seen_subcommand_from list get set help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and not __fish_seen_subcommand_from list get set help" -f -a "list" -d 'Show all settings, and where each was set'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and not __fish_seen_subcommand_from list get set help" -f -a "get" -d 'Print one setting'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and not __fish_seen_subcommand_from list get set help" -f -a "set" -d 'Change one setting'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and not __fish_seen_subcommand_from list get set help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from list" -s C -l directory -d 'Run in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from list" -l config -d 'Override a setting for this run (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from list" -l color -d 'When to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from list" -l agent-mode -d 'When to print for an agent' -r -f -a "auto\t'If one of the variables that agents set is set'
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from list" -l format -d 'Print in this format' -r -f -a "human\t''
json\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from list" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from list" -s v -l verbose -d 'Print more details'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from list" -l offline -d 'Work without network access'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from list" -l locked -d 'Require that the lockfile is up to date'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from list" -l frozen -d 'Same as --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from list" -s y -l yes -d 'Answer yes to all prompts'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from list" -l no-input -d 'Never prompt; use defaults'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from get" -s C -l directory -d 'Run in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from get" -l config -d 'Override a setting for this run (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from get" -l color -d 'When to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from get" -l agent-mode -d 'When to print for an agent' -r -f -a "auto\t'If one of the variables that agents set is set'
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from get" -l format -d 'Print in this format' -r -f -a "human\t''
json\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from get" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from get" -s v -l verbose -d 'Print more details'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from get" -l offline -d 'Work without network access'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from get" -l locked -d 'Require that the lockfile is up to date'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from get" -l frozen -d 'Same as --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from get" -s y -l yes -d 'Answer yes to all prompts'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from get" -l no-input -d 'Never prompt; use defaults'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from get" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from set" -s C -l directory -d 'Run in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from set" -l config -d 'Override a setting for this run (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from set" -l color -d 'When to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from set" -l agent-mode -d 'When to print for an agent' -r -f -a "auto\t'If one of the variables that agents set is set'
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from set" -l format -d 'Print in this format' -r -f -a "human\t''
json\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from set" -l project -d 'Write to the project\'s file instead of your own'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from set" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from set" -s v -l verbose -d 'Print more details'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from set" -l offline -d 'Work without network access'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from set" -l locked -d 'Require that the lockfile is up to date'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from set" -l frozen -d 'Same as --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from set" -s y -l yes -d 'Answer yes to all prompts'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from set" -l no-input -d 'Never prompt; use defaults'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from set" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from help" -f -a "list" -d 'Show all settings, and where each was set'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from help" -f -a "get" -d 'Print one setting'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from help" -f -a "set" -d 'Change one setting'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c skillpm -n "__fish_skillpm_using_subcommand login" -l registry -d 'The registry, by name or by URL [default: the default one]' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand login" -s C -l directory -d 'Run in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand login" -l config -d 'Override a setting for this run (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand login" -l color -d 'When to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand login" -l agent-mode -d 'When to print for an agent' -r -f -a "auto\t'If one of the variables that agents set is set'
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand login" -l format -d 'Print in this format' -r -f -a "human\t''
json\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand login" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand login" -s v -l verbose -d 'Print more details'
complete -c skillpm -n "__fish_skillpm_using_subcommand login" -l offline -d 'Work without network access'
complete -c skillpm -n "__fish_skillpm_using_subcommand login" -l locked -d 'Require that the lockfile is up to date'
complete -c skillpm -n "__fish_skillpm_using_subcommand login" -l frozen -d 'Same as --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand login" -s y -l yes -d 'Answer yes to all prompts'
complete -c skillpm -n "__fish_skillpm_using_subcommand login" -l no-input -d 'Never prompt; use defaults'
complete -c skillpm -n "__fish_skillpm_using_subcommand login" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand logout" -l registry -d 'The registry, by name or by URL [default: the default one]' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand logout" -s C -l directory -d 'Run in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand logout" -l config -d 'Override a setting for this run (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand logout" -l color -d 'When to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand logout" -l agent-mode -d 'When to print for an agent' -r -f -a "auto\t'If one of the variables that agents set is set'
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand logout" -l format -d 'Print in this format' -r -f -a "human\t''
json\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand logout" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand logout" -s v -l verbose -d 'Print more details'
complete -c skillpm -n "__fish_skillpm_using_subcommand logout" -l offline -d 'Work without network access'
complete -c skillpm -n "__fish_skillpm_using_subcommand logout" -l locked -d 'Require that the lockfile is up to date'
complete -c skillpm -n "__fish_skillpm_using_subcommand logout" -l frozen -d 'Same as --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand logout" -s y -l yes -d 'Answer yes to all prompts'
complete -c skillpm -n "__fish_skillpm_using_subcommand logout" -l no-input -d 'Never prompt; use defaults'
complete -c skillpm -n "__fish_skillpm_using_subcommand logout" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand completions" -s C -l directory -d 'Run in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand completions" -l config -d 'Override a setting for this run (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand completions" -l color -d 'When to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand completions" -l agent-mode -d 'When to print for an agent' -r -f -a "auto\t'If one of the variables that agents set is set'
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand completions" -l format -d 'Print in this format' -r -f -a "human\t''
json\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand completions" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand completions" -s v -l verbose -d 'Print more details'
complete -c skillpm -n "__fish_skillpm_using_subcommand completions" -l offline -d 'Work without network access'
complete -c skillpm -n "__fish_skillpm_using_subcommand completions" -l locked -d 'Require that the lockfile is up to date'
complete -c skillpm -n "__fish_skillpm_using_subcommand completions" -l frozen -d 'Same as --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand completions" -s y -l yes -d 'Answer yes to all prompts'
complete -c skillpm -n "__fish_skillpm_using_subcommand completions" -l no-input -d 'Never prompt; use defaults'
complete -c skillpm -n "__fish_skillpm_using_subcommand completions" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand man" -s C -l directory -d 'Run in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand man" -l config -d 'Override a setting for this run (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand man" -l color -d 'When to use color' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand man" -l agent-mode -d 'When to print for an agent' -r -f -a "auto\t'If one of the variables that agents set is set'
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand man" -l format -d 'Print in this format' -r -f -a "human\t''
json\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand man" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand man" -s v -l verbose -d 'Print more details'
complete -c skillpm -n "__fish_skillpm_using_subcommand man" -l offline -d 'Work without network access'
complete -c skillpm -n "__fish_skillpm_using_subcommand man" -l locked -d 'Require that the lockfile is up to date'
complete -c skillpm -n "__fish_skillpm_using_subcommand man" -l frozen -d 'Same as --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand man" -s y -l yes -d 'Answer yes to all prompts'
complete -c skillpm -n "__fish_skillpm_using_subcommand man" -l no-input -d 'Never prompt; use defaults'
complete -c skillpm -n "__fish_skillpm_using_subcommand man" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update import undo outdated diff patch lock tree why status list search sbom info show verify audit vendor export lint validate package convert agents catalog serve watch budget propose proposals publish yank owner registry cache doctor config login logout completions man help" -f -a "init" -d 'Create a manifest for the project'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update import undo outdated diff patch lock tree why status list search sbom info show verify audit vendor export lint validate package convert agents catalog serve watch budget propose proposals publish yank owner registry cache doctor config login logout completions man help" -f -a "new" -d 'Create a skill from a template'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update import undo outdated diff patch lock tree why status list search sbom info show verify audit vendor export lint validate package convert agents catalog serve watch budget propose proposals publish yank owner registry cache doctor config login logout completions man help" -f -a "add" -d 'Add skills to the project'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update import undo outdated diff patch lock tree why status list search sbom info show verify audit vendor export lint validate package convert agents catalog serve watch budget propose proposals publish yank owner registry cache doctor config login logout completions man help" -f -a "remove" -d 'Remove skills and dependencies that are no longer used'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update import undo outdated diff patch lock tree why status list search sbom info show verify audit vendor export lint validate package convert agents catalog serve watch budget propose proposals publish yank owner registry cache doctor config login logout completions man help" -f -a "install" -d 'Install the locked versions'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update import undo outdated diff patch lock tree why status list search sbom info show verify audit vendor export lint validate package convert agents catalog serve watch budget propose proposals publish yank owner registry cache doctor config login logout completions man help" -f -a "update" -d 'Update skills to the newest compatible versions'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update import undo outdated diff patch lock tree why status list search sbom info show verify audit vendor export lint validate package convert agents catalog serve watch budget propose proposals publish yank owner registry cache doctor config login logout completions man help" -f -a "import" -d 'Import skills installed by other tools, or a bundle'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update import undo outdated diff patch lock tree why status list search sbom info show verify audit vendor export lint validate package convert agents catalog serve watch budget propose proposals publish yank owner registry cache doctor config login logout completions man help" -f -a "undo" -d 'Undo the last command that changed something'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update import undo outdated diff patch lock tree why status list search sbom info show verify audit vendor export lint validate package convert agents catalog serve watch budget propose proposals publish yank owner registry cache doctor config login logout completions man help" -f -a "outdated" -d 'Show skills that have newer versions'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update import undo outdated diff patch lock tree why status list search sbom info show verify audit vendor export lint validate package convert agents catalog serve watch budget propose proposals publish yank owner registry cache doctor config login logout completions man help" -f -a "diff" -d 'Show local edits, or changes in another version'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update import undo outdated diff patch lock tree why status list search sbom info show verify audit vendor export lint validate package convert agents catalog serve watch budget propose proposals publish yank owner registry cache doctor config login logout completions man help" -f -a "patch" -d 'Save local edits of a skill as a patch file'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update import undo outdated diff patch lock tree why status list search sbom info show verify audit vendor export lint validate package convert agents catalog serve watch budget propose proposals publish yank owner registry cache doctor config login logout completions man help" -f -a "lock" -d 'Resolve versions and write the lockfile'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update import undo outdated diff patch lock tree why status list search sbom info show verify audit vendor export lint validate package convert agents catalog serve watch budget propose proposals publish yank owner registry cache doctor config login logout completions man help" -f -a "tree" -d 'Show the dependency graph'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update import undo outdated diff patch lock tree why status list search sbom info show verify audit vendor export lint validate package convert agents catalog serve watch budget propose proposals publish yank owner registry cache doctor config login logout completions man help" -f -a "why" -d 'Explain why a skill is installed or visible'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update import undo outdated diff patch lock tree why status list search sbom info show verify audit vendor export lint validate package convert agents catalog serve watch budget propose proposals publish yank owner registry cache doctor config login logout completions man help" -f -a "status" -d 'Show what is here and what to run next'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update import undo outdated diff patch lock tree why status list search sbom info show verify audit vendor export lint validate package convert agents catalog serve watch budget propose proposals publish yank owner registry cache doctor config login logout completions man help" -f -a "list" -d 'List skills by tier'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update import undo outdated diff patch lock tree why status list search sbom info show verify audit vendor export lint validate package convert agents catalog serve watch budget propose proposals publish yank owner registry cache doctor config login logout completions man help" -f -a "search" -d 'Search registries for packages and skills'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update import undo outdated diff patch lock tree why status list search sbom info show verify audit vendor export lint validate package convert agents catalog serve watch budget propose proposals publish yank owner registry cache doctor config login logout completions man help" -f -a "sbom" -d 'Write an SBOM of all locked packages'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update import undo outdated diff patch lock tree why status list search sbom info show verify audit vendor export lint validate package convert agents catalog serve watch budget propose proposals publish yank owner registry cache doctor config login logout completions man help" -f -a "info" -d 'Show information about a package'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update import undo outdated diff patch lock tree why status list search sbom info show verify audit vendor export lint validate package convert agents catalog serve watch budget propose proposals publish yank owner registry cache doctor config login logout completions man help" -f -a "show" -d 'Print the instructions or a file of a skill'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update import undo outdated diff patch lock tree why status list search sbom info show verify audit vendor export lint validate package convert agents catalog serve watch budget propose proposals publish yank owner registry cache doctor config login logout completions man help" -f -a "verify" -d 'Verify installed files against the lockfile'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update import undo outdated diff patch lock tree why status list search sbom info show verify audit vendor export lint validate package convert agents catalog serve watch budget propose proposals publish yank owner registry cache doctor config login logout completions man help" -f -a "audit" -d 'Check installed and locked skills for security problems'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update import undo outdated diff patch lock tree why status list search sbom info show verify audit vendor export lint validate package convert agents catalog serve watch budget propose proposals publish yank owner registry cache doctor config login logout completions man help" -f -a "vendor" -d 'Vendor all locked packages into the repository'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update import undo outdated diff patch lock tree why status list search sbom info show verify audit vendor export lint validate package convert agents catalog serve watch budget propose proposals publish yank owner registry cache doctor config login logout completions man help" -f -a "export" -d 'Write a bundle for installing without a network'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update import undo outdated diff patch lock tree why status list search sbom info show verify audit vendor export lint validate package convert agents catalog serve watch budget propose proposals publish yank owner registry cache doctor config login logout completions man help" -f -a "lint" -d 'Check skills against 191 rules'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update import undo outdated diff patch lock tree why status list search sbom info show verify audit vendor export lint validate package convert agents catalog serve watch budget propose proposals publish yank owner registry cache doctor config login logout completions man help" -f -a "validate" -d 'Check that skills follow the specification'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update import undo outdated diff patch lock tree why status list search sbom info show verify audit vendor export lint validate package convert agents catalog serve watch budget propose proposals publish yank owner registry cache doctor config login logout completions man help" -f -a "package" -d 'Pack a skill into an archive'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update import undo outdated diff patch lock tree why status list search sbom info show verify audit vendor export lint validate package convert agents catalog serve watch budget propose proposals publish yank owner registry cache doctor config login logout completions man help" -f -a "convert" -d 'Write a skill in another format'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update import undo outdated diff patch lock tree why status list search sbom info show verify audit vendor export lint validate package convert agents catalog serve watch budget propose proposals publish yank owner registry cache doctor config login logout completions man help" -f -a "agents" -d 'Show and choose the agents that see the skills'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update import undo outdated diff patch lock tree why status list search sbom info show verify audit vendor export lint validate package convert agents catalog serve watch budget propose proposals publish yank owner registry cache doctor config login logout completions man help" -f -a "catalog" -d 'Emit the resolved catalog for an agent'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update import undo outdated diff patch lock tree why status list search sbom info show verify audit vendor export lint validate package convert agents catalog serve watch budget propose proposals publish yank owner registry cache doctor config login logout completions man help" -f -a "serve" -d 'Serve the catalog over MCP'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update import undo outdated diff patch lock tree why status list search sbom info show verify audit vendor export lint validate package convert agents catalog serve watch budget propose proposals publish yank owner registry cache doctor config login logout completions man help" -f -a "watch" -d 'Watch the catalog and report changes'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update import undo outdated diff patch lock tree why status list search sbom info show verify audit vendor export lint validate package convert agents catalog serve watch budget propose proposals publish yank owner registry cache doctor config login logout completions man help" -f -a "budget" -d 'Show how many context tokens the skill list uses, per agent'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update import undo outdated diff patch lock tree why status list search sbom info show verify audit vendor export lint validate package convert agents catalog serve watch budget propose proposals publish yank owner registry cache doctor config login logout completions man help" -f -a "propose" -d 'Propose a change of a skill for review'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update import undo outdated diff patch lock tree why status list search sbom info show verify audit vendor export lint validate package convert agents catalog serve watch budget propose proposals publish yank owner registry cache doctor config login logout completions man help" -f -a "proposals" -d 'List, apply or reject proposed changes of skills'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update import undo outdated diff patch lock tree why status list search sbom info show verify audit vendor export lint validate package convert agents catalog serve watch budget propose proposals publish yank owner registry cache doctor config login logout completions man help" -f -a "publish" -d 'Publish a skill to a registry'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update import undo outdated diff patch lock tree why status list search sbom info show verify audit vendor export lint validate package convert agents catalog serve watch budget propose proposals publish yank owner registry cache doctor config login logout completions man help" -f -a "yank" -d 'Yank a published version, or revoke it'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update import undo outdated diff patch lock tree why status list search sbom info show verify audit vendor export lint validate package convert agents catalog serve watch budget propose proposals publish yank owner registry cache doctor config login logout completions man help" -f -a "owner" -d 'Manage the owners of a package'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update import undo outdated diff patch lock tree why status list search sbom info show verify audit vendor export lint validate package convert agents catalog serve watch budget propose proposals publish yank owner registry cache doctor config login logout completions man help" -f -a "registry" -d 'Create, check, renew or publish a registry index'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update import undo outdated diff patch lock tree why status list search sbom info show verify audit vendor export lint validate package convert agents catalog serve watch budget propose proposals publish yank owner registry cache doctor config login logout completions man help" -f -a "cache" -d 'Manage the cache that all projects share'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update import undo outdated diff patch lock tree why status list search sbom info show verify audit vendor export lint validate package convert agents catalog serve watch budget propose proposals publish yank owner registry cache doctor config login logout completions man help" -f -a "doctor" -d 'Check the installation and the project for problems'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update import undo outdated diff patch lock tree why status list search sbom info show verify audit vendor export lint validate package convert agents catalog serve watch budget propose proposals publish yank owner registry cache doctor config login logout completions man help" -f -a "config" -d 'Show or change settings'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update import undo outdated diff patch lock tree why status list search sbom info show verify audit vendor export lint validate package convert agents catalog serve watch budget propose proposals publish yank owner registry cache doctor config login logout completions man help" -f -a "login" -d 'Save a token for a registry'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update import undo outdated diff patch lock tree why status list search sbom info show verify audit vendor export lint validate package convert agents catalog serve watch budget propose proposals publish yank owner registry cache doctor config login logout completions man help" -f -a "logout" -d 'Remove the token of a registry'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update import undo outdated diff patch lock tree why status list search sbom info show verify audit vendor export lint validate package convert agents catalog serve watch budget propose proposals publish yank owner registry cache doctor config login logout completions man help" -f -a "completions" -d 'Print completions for a shell'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update import undo outdated diff patch lock tree why status list search sbom info show verify audit vendor export lint validate package convert agents catalog serve watch budget propose proposals publish yank owner registry cache doctor config login logout completions man help" -f -a "man" -d 'Print a manual page'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update import undo outdated diff patch lock tree why status list search sbom info show verify audit vendor export lint validate package convert agents catalog serve watch budget propose proposals publish yank owner registry cache doctor config login logout completions man help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and __fish_seen_subcommand_from agents" -f -a "list" -d 'List targets and agents in use'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and __fish_seen_subcommand_from agents" -f -a "detect" -d 'Find the agents that are used here'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and __fish_seen_subcommand_from agents" -f -a "add" -d 'Install into the directories of agents, too'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and __fish_seen_subcommand_from agents" -f -a "remove" -d 'No longer install into the directories of agents'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and __fish_seen_subcommand_from proposals" -f -a "list" -d 'List open proposals'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and __fish_seen_subcommand_from proposals" -f -a "show" -d 'Print a proposal'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and __fish_seen_subcommand_from proposals" -f -a "apply" -d 'Apply a proposal'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and __fish_seen_subcommand_from proposals" -f -a "reject" -d 'Reject a proposal'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and __fish_seen_subcommand_from owner" -f -a "list" -d 'List the owners of a package'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and __fish_seen_subcommand_from owner" -f -a "add" -d 'Add owners'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and __fish_seen_subcommand_from owner" -f -a "remove" -d 'Remove owners'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and __fish_seen_subcommand_from registry" -f -a "new" -d 'Create an empty index'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and __fish_seen_subcommand_from registry" -f -a "check" -d 'Check an index, or a change to it'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and __fish_seen_subcommand_from registry" -f -a "advise" -d 'Pack advisories into the file that clients fetch'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and __fish_seen_subcommand_from registry" -f -a "renew" -d 'Extend the expiry date of an index'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and __fish_seen_subcommand_from registry" -f -a "site" -d 'Write a static site of skills'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and __fish_seen_subcommand_from cache" -f -a "size" -d 'Show the size of the cache'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and __fish_seen_subcommand_from cache" -f -a "dir" -d 'Print the cache directories'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and __fish_seen_subcommand_from cache" -f -a "verify" -d 'Verify checksums and remove damaged entries'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and __fish_seen_subcommand_from cache" -f -a "prune" -d 'Remove entries that were not used for a while'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and __fish_seen_subcommand_from cache" -f -a "clean" -d 'Remove all entries, or all of one skill or source'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and __fish_seen_subcommand_from config" -f -a "list" -d 'Show all settings, and where each was set'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and __fish_seen_subcommand_from config" -f -a "get" -d 'Print one setting'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and __fish_seen_subcommand_from config" -f -a "set" -d 'Change one setting'
