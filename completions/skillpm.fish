# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_skillpm_global_optspecs
    string join \n C/directory= config= color= q/quiet v/verbose offline locked frozen format= y/yes no-input h/help V/version
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

complete -c skillpm -n "__fish_skillpm_needs_command" -s C -l directory -d 'Run as if started in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_needs_command" -l config -d 'Set a setting for this run, as KEY=VALUE (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_needs_command" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_needs_command" -l format -d 'Print in this form' -r -f -a "human\t''
json\t''
xml\t''
xml-ref\t''
markdown\t''
short\t''
sarif\t''
github\t''
gitlab\t''"
complete -c skillpm -n "__fish_skillpm_needs_command" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_needs_command" -s v -l verbose -d 'Print more of what is done'
complete -c skillpm -n "__fish_skillpm_needs_command" -l offline -d 'Refuse the network; use what was brought before'
complete -c skillpm -n "__fish_skillpm_needs_command" -l locked -d 'Refuse to change the lockfile; fail if it would have to'
complete -c skillpm -n "__fish_skillpm_needs_command" -l frozen -d 'Both --locked and --offline'
complete -c skillpm -n "__fish_skillpm_needs_command" -s y -l yes -d 'Answer yes to every question'
complete -c skillpm -n "__fish_skillpm_needs_command" -l no-input -d 'Never ask; take what can be decided without'
complete -c skillpm -n "__fish_skillpm_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_needs_command" -s V -l version -d 'Print version'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "init" -d 'Make a manifest for this project'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "new" -d 'Make a new skill from a template'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "add" -d 'Add skills to the project'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "remove" -d 'Remove skills, and what only they needed'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "install" -d 'Install what the lockfile says'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "sync" -d 'Install what the lockfile says'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "update" -d 'Update to the newest that fits'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "undo" -d 'Undo the last command that changed something'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "outdated" -d 'Show what has something newer'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "diff" -d 'Show what you edited, or what another version brings'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "lock" -d 'Decide on versions and write the lockfile'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "tree" -d 'Show the dependency graph'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "why" -d 'Tell why a skill is there'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "list" -d 'List the skills that are there, by tier'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "search" -d 'Find packages and skills by words'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "info" -d 'Show what is known of a package before installing it'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "show" -d 'Print a skill\'s text, or one of its files'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "verify" -d 'Check every installed byte against the lockfile'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "lint" -d 'Find what is wrong with skills'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "validate" -d 'Check that skills follow the specification'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "package" -d 'Pack a skill into the archive that registries serve'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "catalog" -d 'Emit the resolved catalog for an agent'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "publish" -d 'Publish a skill to a registry'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "yank" -d 'Withdraw a published version from new resolves'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "owner" -d 'Show or change who may publish'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "registry" -d 'Keep a registry: make one, check it, show it'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "config" -d 'Show or change settings'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "login" -d 'Keep a token for a registry'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "logout" -d 'Forget the token of a registry'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "completions" -d 'Print completions for a shell'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "man" -d 'Print a manual page'
complete -c skillpm -n "__fish_skillpm_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c skillpm -n "__fish_skillpm_using_subcommand init" -s C -l directory -d 'Run as if started in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand init" -l config -d 'Set a setting for this run, as KEY=VALUE (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand init" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand init" -l format -d 'Print in this form' -r -f -a "human\t''
json\t''
xml\t''
xml-ref\t''
markdown\t''
short\t''
sarif\t''
github\t''
gitlab\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand init" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand init" -s v -l verbose -d 'Print more of what is done'
complete -c skillpm -n "__fish_skillpm_using_subcommand init" -l offline -d 'Refuse the network; use what was brought before'
complete -c skillpm -n "__fish_skillpm_using_subcommand init" -l locked -d 'Refuse to change the lockfile; fail if it would have to'
complete -c skillpm -n "__fish_skillpm_using_subcommand init" -l frozen -d 'Both --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand init" -s y -l yes -d 'Answer yes to every question'
complete -c skillpm -n "__fish_skillpm_using_subcommand init" -l no-input -d 'Never ask; take what can be decided without'
complete -c skillpm -n "__fish_skillpm_using_subcommand init" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand new" -l in -d 'The directory to make it in [default: this one]' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand new" -s C -l directory -d 'Run as if started in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand new" -l config -d 'Set a setting for this run, as KEY=VALUE (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand new" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand new" -l format -d 'Print in this form' -r -f -a "human\t''
json\t''
xml\t''
xml-ref\t''
markdown\t''
short\t''
sarif\t''
github\t''
gitlab\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand new" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand new" -s v -l verbose -d 'Print more of what is done'
complete -c skillpm -n "__fish_skillpm_using_subcommand new" -l offline -d 'Refuse the network; use what was brought before'
complete -c skillpm -n "__fish_skillpm_using_subcommand new" -l locked -d 'Refuse to change the lockfile; fail if it would have to'
complete -c skillpm -n "__fish_skillpm_using_subcommand new" -l frozen -d 'Both --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand new" -s y -l yes -d 'Answer yes to every question'
complete -c skillpm -n "__fish_skillpm_using_subcommand new" -l no-input -d 'Never ask; take what can be decided without'
complete -c skillpm -n "__fish_skillpm_using_subcommand new" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand add" -s s -l skill -d 'Take this skill of a source with many (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand add" -l version -d 'Which versions fit, such as ^1.2 or =2.0.1' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand add" -l tag -d 'The tag of a git source' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand add" -l branch -d 'The branch of a git source' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand add" -l rev -d 'The commit of a git source' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand add" -l path -d 'The directory of the skill inside the source' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand add" -l registry -d 'The registry to take names from' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand add" -l as -d 'Install under this name' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand add" -l target -d 'Install into this agent\'s directory too (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand add" -l min-release-age -d 'Pass over versions published more lately than AGE' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand add" -l exclude-newer -d 'Pass over versions published after DATE' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand add" -s C -l directory -d 'Run as if started in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand add" -l config -d 'Set a setting for this run, as KEY=VALUE (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand add" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand add" -l format -d 'Print in this form' -r -f -a "human\t''
json\t''
xml\t''
xml-ref\t''
markdown\t''
short\t''
sarif\t''
github\t''
gitlab\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand add" -l all -d 'Take all skills of a source'
complete -c skillpm -n "__fish_skillpm_using_subcommand add" -l keep-going -d 'With --all, leave out what no agent would load'
complete -c skillpm -n "__fish_skillpm_using_subcommand add" -l dev -d 'For work on this package only, not for its users'
complete -c skillpm -n "__fish_skillpm_using_subcommand add" -l merge -d 'Where you and upstream changed the same, write both'
complete -c skillpm -n "__fish_skillpm_using_subcommand add" -l ours -d 'There, keep yours'
complete -c skillpm -n "__fish_skillpm_using_subcommand add" -l theirs -d 'There, take what upstream has'
complete -c skillpm -n "__fish_skillpm_using_subcommand add" -s g -l global -d 'Work on your own skills, not the project\'s'
complete -c skillpm -n "__fish_skillpm_using_subcommand add" -l dry-run -d 'Tell what would be done, and do nothing'
complete -c skillpm -n "__fish_skillpm_using_subcommand add" -l force -d 'Save what is in the way to .skillpm/backup; go on'
complete -c skillpm -n "__fish_skillpm_using_subcommand add" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand add" -s v -l verbose -d 'Print more of what is done'
complete -c skillpm -n "__fish_skillpm_using_subcommand add" -l offline -d 'Refuse the network; use what was brought before'
complete -c skillpm -n "__fish_skillpm_using_subcommand add" -l locked -d 'Refuse to change the lockfile; fail if it would have to'
complete -c skillpm -n "__fish_skillpm_using_subcommand add" -l frozen -d 'Both --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand add" -s y -l yes -d 'Answer yes to every question'
complete -c skillpm -n "__fish_skillpm_using_subcommand add" -l no-input -d 'Never ask; take what can be decided without'
complete -c skillpm -n "__fish_skillpm_using_subcommand add" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand remove" -s C -l directory -d 'Run as if started in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand remove" -l config -d 'Set a setting for this run, as KEY=VALUE (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand remove" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand remove" -l format -d 'Print in this form' -r -f -a "human\t''
json\t''
xml\t''
xml-ref\t''
markdown\t''
short\t''
sarif\t''
github\t''
gitlab\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand remove" -l source -d 'Remove all skills of the sources named'
complete -c skillpm -n "__fish_skillpm_using_subcommand remove" -s g -l global -d 'Work on your own skills, not the project\'s'
complete -c skillpm -n "__fish_skillpm_using_subcommand remove" -l dry-run -d 'Tell what would be done, and do nothing'
complete -c skillpm -n "__fish_skillpm_using_subcommand remove" -l force -d 'Save what is in the way to .skillpm/backup; go on'
complete -c skillpm -n "__fish_skillpm_using_subcommand remove" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand remove" -s v -l verbose -d 'Print more of what is done'
complete -c skillpm -n "__fish_skillpm_using_subcommand remove" -l offline -d 'Refuse the network; use what was brought before'
complete -c skillpm -n "__fish_skillpm_using_subcommand remove" -l locked -d 'Refuse to change the lockfile; fail if it would have to'
complete -c skillpm -n "__fish_skillpm_using_subcommand remove" -l frozen -d 'Both --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand remove" -s y -l yes -d 'Answer yes to every question'
complete -c skillpm -n "__fish_skillpm_using_subcommand remove" -l no-input -d 'Never ask; take what can be decided without'
complete -c skillpm -n "__fish_skillpm_using_subcommand remove" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand install" -l min-release-age -d 'Pass over versions published more lately than AGE' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand install" -l exclude-newer -d 'Pass over versions published after DATE' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand install" -s C -l directory -d 'Run as if started in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand install" -l config -d 'Set a setting for this run, as KEY=VALUE (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand install" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand install" -l format -d 'Print in this form' -r -f -a "human\t''
json\t''
xml\t''
xml-ref\t''
markdown\t''
short\t''
sarif\t''
github\t''
gitlab\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand install" -l merge -d 'Where you and upstream changed the same, write both'
complete -c skillpm -n "__fish_skillpm_using_subcommand install" -l ours -d 'There, keep yours'
complete -c skillpm -n "__fish_skillpm_using_subcommand install" -l theirs -d 'There, take what upstream has'
complete -c skillpm -n "__fish_skillpm_using_subcommand install" -s g -l global -d 'Work on your own skills, not the project\'s'
complete -c skillpm -n "__fish_skillpm_using_subcommand install" -l dry-run -d 'Tell what would be done, and do nothing'
complete -c skillpm -n "__fish_skillpm_using_subcommand install" -l force -d 'Save what is in the way to .skillpm/backup; go on'
complete -c skillpm -n "__fish_skillpm_using_subcommand install" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand install" -s v -l verbose -d 'Print more of what is done'
complete -c skillpm -n "__fish_skillpm_using_subcommand install" -l offline -d 'Refuse the network; use what was brought before'
complete -c skillpm -n "__fish_skillpm_using_subcommand install" -l locked -d 'Refuse to change the lockfile; fail if it would have to'
complete -c skillpm -n "__fish_skillpm_using_subcommand install" -l frozen -d 'Both --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand install" -s y -l yes -d 'Answer yes to every question'
complete -c skillpm -n "__fish_skillpm_using_subcommand install" -l no-input -d 'Never ask; take what can be decided without'
complete -c skillpm -n "__fish_skillpm_using_subcommand install" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand sync" -l min-release-age -d 'Pass over versions published more lately than AGE' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand sync" -l exclude-newer -d 'Pass over versions published after DATE' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand sync" -s C -l directory -d 'Run as if started in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand sync" -l config -d 'Set a setting for this run, as KEY=VALUE (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand sync" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand sync" -l format -d 'Print in this form' -r -f -a "human\t''
json\t''
xml\t''
xml-ref\t''
markdown\t''
short\t''
sarif\t''
github\t''
gitlab\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand sync" -l merge -d 'Where you and upstream changed the same, write both'
complete -c skillpm -n "__fish_skillpm_using_subcommand sync" -l ours -d 'There, keep yours'
complete -c skillpm -n "__fish_skillpm_using_subcommand sync" -l theirs -d 'There, take what upstream has'
complete -c skillpm -n "__fish_skillpm_using_subcommand sync" -s g -l global -d 'Work on your own skills, not the project\'s'
complete -c skillpm -n "__fish_skillpm_using_subcommand sync" -l dry-run -d 'Tell what would be done, and do nothing'
complete -c skillpm -n "__fish_skillpm_using_subcommand sync" -l force -d 'Save what is in the way to .skillpm/backup; go on'
complete -c skillpm -n "__fish_skillpm_using_subcommand sync" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand sync" -s v -l verbose -d 'Print more of what is done'
complete -c skillpm -n "__fish_skillpm_using_subcommand sync" -l offline -d 'Refuse the network; use what was brought before'
complete -c skillpm -n "__fish_skillpm_using_subcommand sync" -l locked -d 'Refuse to change the lockfile; fail if it would have to'
complete -c skillpm -n "__fish_skillpm_using_subcommand sync" -l frozen -d 'Both --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand sync" -s y -l yes -d 'Answer yes to every question'
complete -c skillpm -n "__fish_skillpm_using_subcommand sync" -l no-input -d 'Never ask; take what can be decided without'
complete -c skillpm -n "__fish_skillpm_using_subcommand sync" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand update" -l precise -d 'Go to this version, or for git to this full commit id' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand update" -l min-release-age -d 'Pass over versions published more lately than AGE' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand update" -l exclude-newer -d 'Pass over versions published after DATE' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand update" -s C -l directory -d 'Run as if started in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand update" -l config -d 'Set a setting for this run, as KEY=VALUE (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand update" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand update" -l format -d 'Print in this form' -r -f -a "human\t''
json\t''
xml\t''
xml-ref\t''
markdown\t''
short\t''
sarif\t''
github\t''
gitlab\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand update" -l latest -d 'Go beyond the manifest\'s requirement, and raise it'
complete -c skillpm -n "__fish_skillpm_using_subcommand update" -l merge -d 'Where you and upstream changed the same, write both'
complete -c skillpm -n "__fish_skillpm_using_subcommand update" -l ours -d 'There, keep yours'
complete -c skillpm -n "__fish_skillpm_using_subcommand update" -l theirs -d 'There, take what upstream has'
complete -c skillpm -n "__fish_skillpm_using_subcommand update" -s g -l global -d 'Work on your own skills, not the project\'s'
complete -c skillpm -n "__fish_skillpm_using_subcommand update" -l dry-run -d 'Tell what would be done, and do nothing'
complete -c skillpm -n "__fish_skillpm_using_subcommand update" -l force -d 'Save what is in the way to .skillpm/backup; go on'
complete -c skillpm -n "__fish_skillpm_using_subcommand update" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand update" -s v -l verbose -d 'Print more of what is done'
complete -c skillpm -n "__fish_skillpm_using_subcommand update" -l offline -d 'Refuse the network; use what was brought before'
complete -c skillpm -n "__fish_skillpm_using_subcommand update" -l locked -d 'Refuse to change the lockfile; fail if it would have to'
complete -c skillpm -n "__fish_skillpm_using_subcommand update" -l frozen -d 'Both --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand update" -s y -l yes -d 'Answer yes to every question'
complete -c skillpm -n "__fish_skillpm_using_subcommand update" -l no-input -d 'Never ask; take what can be decided without'
complete -c skillpm -n "__fish_skillpm_using_subcommand update" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand undo" -s C -l directory -d 'Run as if started in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand undo" -l config -d 'Set a setting for this run, as KEY=VALUE (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand undo" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand undo" -l format -d 'Print in this form' -r -f -a "human\t''
json\t''
xml\t''
xml-ref\t''
markdown\t''
short\t''
sarif\t''
github\t''
gitlab\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand undo" -l list -d 'List what can be undone, the last first'
complete -c skillpm -n "__fish_skillpm_using_subcommand undo" -l dry-run -d 'Tell what would be done, and do nothing'
complete -c skillpm -n "__fish_skillpm_using_subcommand undo" -s g -l global -d 'Work on your own skills, not the project\'s'
complete -c skillpm -n "__fish_skillpm_using_subcommand undo" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand undo" -s v -l verbose -d 'Print more of what is done'
complete -c skillpm -n "__fish_skillpm_using_subcommand undo" -l offline -d 'Refuse the network; use what was brought before'
complete -c skillpm -n "__fish_skillpm_using_subcommand undo" -l locked -d 'Refuse to change the lockfile; fail if it would have to'
complete -c skillpm -n "__fish_skillpm_using_subcommand undo" -l frozen -d 'Both --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand undo" -s y -l yes -d 'Answer yes to every question'
complete -c skillpm -n "__fish_skillpm_using_subcommand undo" -l no-input -d 'Never ask; take what can be decided without'
complete -c skillpm -n "__fish_skillpm_using_subcommand undo" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand outdated" -l min-release-age -d 'Pass over versions published more lately than AGE' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand outdated" -l exclude-newer -d 'Pass over versions published after DATE' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand outdated" -s C -l directory -d 'Run as if started in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand outdated" -l config -d 'Set a setting for this run, as KEY=VALUE (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand outdated" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand outdated" -l format -d 'Print in this form' -r -f -a "human\t''
json\t''
xml\t''
xml-ref\t''
markdown\t''
short\t''
sarif\t''
github\t''
gitlab\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand outdated" -l exit-code -d 'Exit with 1 if anything is outdated'
complete -c skillpm -n "__fish_skillpm_using_subcommand outdated" -s g -l global -d 'Work on your own skills, not the project\'s'
complete -c skillpm -n "__fish_skillpm_using_subcommand outdated" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand outdated" -s v -l verbose -d 'Print more of what is done'
complete -c skillpm -n "__fish_skillpm_using_subcommand outdated" -l offline -d 'Refuse the network; use what was brought before'
complete -c skillpm -n "__fish_skillpm_using_subcommand outdated" -l locked -d 'Refuse to change the lockfile; fail if it would have to'
complete -c skillpm -n "__fish_skillpm_using_subcommand outdated" -l frozen -d 'Both --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand outdated" -s y -l yes -d 'Answer yes to every question'
complete -c skillpm -n "__fish_skillpm_using_subcommand outdated" -l no-input -d 'Never ask; take what can be decided without'
complete -c skillpm -n "__fish_skillpm_using_subcommand outdated" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand diff" -l to -d 'Compare with this version, commit, or `latest`' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand diff" -s C -l directory -d 'Run as if started in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand diff" -l config -d 'Set a setting for this run, as KEY=VALUE (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand diff" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand diff" -l format -d 'Print in this form' -r -f -a "human\t''
json\t''
xml\t''
xml-ref\t''
markdown\t''
short\t''
sarif\t''
github\t''
gitlab\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand diff" -l stat -d 'Tell just the files, and how many lines'
complete -c skillpm -n "__fish_skillpm_using_subcommand diff" -l exit-code -d 'Exit with 1 if anything differs'
complete -c skillpm -n "__fish_skillpm_using_subcommand diff" -s g -l global -d 'Work on your own skills, not the project\'s'
complete -c skillpm -n "__fish_skillpm_using_subcommand diff" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand diff" -s v -l verbose -d 'Print more of what is done'
complete -c skillpm -n "__fish_skillpm_using_subcommand diff" -l offline -d 'Refuse the network; use what was brought before'
complete -c skillpm -n "__fish_skillpm_using_subcommand diff" -l locked -d 'Refuse to change the lockfile; fail if it would have to'
complete -c skillpm -n "__fish_skillpm_using_subcommand diff" -l frozen -d 'Both --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand diff" -s y -l yes -d 'Answer yes to every question'
complete -c skillpm -n "__fish_skillpm_using_subcommand diff" -l no-input -d 'Never ask; take what can be decided without'
complete -c skillpm -n "__fish_skillpm_using_subcommand diff" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand lock" -l min-release-age -d 'Pass over versions published more lately than AGE' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand lock" -l exclude-newer -d 'Pass over versions published after DATE' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand lock" -s C -l directory -d 'Run as if started in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand lock" -l config -d 'Set a setting for this run, as KEY=VALUE (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand lock" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand lock" -l format -d 'Print in this form' -r -f -a "human\t''
json\t''
xml\t''
xml-ref\t''
markdown\t''
short\t''
sarif\t''
github\t''
gitlab\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand lock" -l dry-run -d 'Tell what would be done, and do nothing'
complete -c skillpm -n "__fish_skillpm_using_subcommand lock" -s g -l global -d 'Work on your own skills, not the project\'s'
complete -c skillpm -n "__fish_skillpm_using_subcommand lock" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand lock" -s v -l verbose -d 'Print more of what is done'
complete -c skillpm -n "__fish_skillpm_using_subcommand lock" -l offline -d 'Refuse the network; use what was brought before'
complete -c skillpm -n "__fish_skillpm_using_subcommand lock" -l locked -d 'Refuse to change the lockfile; fail if it would have to'
complete -c skillpm -n "__fish_skillpm_using_subcommand lock" -l frozen -d 'Both --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand lock" -s y -l yes -d 'Answer yes to every question'
complete -c skillpm -n "__fish_skillpm_using_subcommand lock" -l no-input -d 'Never ask; take what can be decided without'
complete -c skillpm -n "__fish_skillpm_using_subcommand lock" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand tree" -l depth -d 'How many levels to show; 1 for the project\'s own dependencies alone' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand tree" -s C -l directory -d 'Run as if started in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand tree" -l config -d 'Set a setting for this run, as KEY=VALUE (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand tree" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand tree" -l format -d 'Print in this form' -r -f -a "human\t''
json\t''
xml\t''
xml-ref\t''
markdown\t''
short\t''
sarif\t''
github\t''
gitlab\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand tree" -s i -l invert -d 'Show who needs each package instead of what it needs'
complete -c skillpm -n "__fish_skillpm_using_subcommand tree" -s g -l global -d 'Work on your own skills, not the project\'s'
complete -c skillpm -n "__fish_skillpm_using_subcommand tree" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand tree" -s v -l verbose -d 'Print more of what is done'
complete -c skillpm -n "__fish_skillpm_using_subcommand tree" -l offline -d 'Refuse the network; use what was brought before'
complete -c skillpm -n "__fish_skillpm_using_subcommand tree" -l locked -d 'Refuse to change the lockfile; fail if it would have to'
complete -c skillpm -n "__fish_skillpm_using_subcommand tree" -l frozen -d 'Both --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand tree" -s y -l yes -d 'Answer yes to every question'
complete -c skillpm -n "__fish_skillpm_using_subcommand tree" -l no-input -d 'Never ask; take what can be decided without'
complete -c skillpm -n "__fish_skillpm_using_subcommand tree" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand why" -s C -l directory -d 'Run as if started in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand why" -l config -d 'Set a setting for this run, as KEY=VALUE (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand why" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand why" -l format -d 'Print in this form' -r -f -a "human\t''
json\t''
xml\t''
xml-ref\t''
markdown\t''
short\t''
sarif\t''
github\t''
gitlab\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand why" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand why" -s v -l verbose -d 'Print more of what is done'
complete -c skillpm -n "__fish_skillpm_using_subcommand why" -l offline -d 'Refuse the network; use what was brought before'
complete -c skillpm -n "__fish_skillpm_using_subcommand why" -l locked -d 'Refuse to change the lockfile; fail if it would have to'
complete -c skillpm -n "__fish_skillpm_using_subcommand why" -l frozen -d 'Both --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand why" -s y -l yes -d 'Answer yes to every question'
complete -c skillpm -n "__fish_skillpm_using_subcommand why" -l no-input -d 'Never ask; take what can be decided without'
complete -c skillpm -n "__fish_skillpm_using_subcommand why" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand list" -s C -l directory -d 'Run as if started in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand list" -l config -d 'Set a setting for this run, as KEY=VALUE (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand list" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand list" -l format -d 'Print in this form' -r -f -a "human\t''
json\t''
xml\t''
xml-ref\t''
markdown\t''
short\t''
sarif\t''
github\t''
gitlab\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand list" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand list" -s v -l verbose -d 'Print more of what is done'
complete -c skillpm -n "__fish_skillpm_using_subcommand list" -l offline -d 'Refuse the network; use what was brought before'
complete -c skillpm -n "__fish_skillpm_using_subcommand list" -l locked -d 'Refuse to change the lockfile; fail if it would have to'
complete -c skillpm -n "__fish_skillpm_using_subcommand list" -l frozen -d 'Both --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand list" -s y -l yes -d 'Answer yes to every question'
complete -c skillpm -n "__fish_skillpm_using_subcommand list" -l no-input -d 'Never ask; take what can be decided without'
complete -c skillpm -n "__fish_skillpm_using_subcommand list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand search" -l registry -d 'Search this registry only' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand search" -l limit -d 'Show this many at most' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand search" -l tier -d 'Search what is installed in this tier only' -r -f -a "workspace\t''
managed\t''
bundled\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand search" -s C -l directory -d 'Run as if started in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand search" -l config -d 'Set a setting for this run, as KEY=VALUE (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand search" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand search" -l format -d 'Print in this form' -r -f -a "human\t''
json\t''
xml\t''
xml-ref\t''
markdown\t''
short\t''
sarif\t''
github\t''
gitlab\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand search" -l installed -d 'Search what is installed only'
complete -c skillpm -n "__fish_skillpm_using_subcommand search" -l refresh -d 'Ask the registries what there is now'
complete -c skillpm -n "__fish_skillpm_using_subcommand search" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand search" -s v -l verbose -d 'Print more of what is done'
complete -c skillpm -n "__fish_skillpm_using_subcommand search" -l offline -d 'Refuse the network; use what was brought before'
complete -c skillpm -n "__fish_skillpm_using_subcommand search" -l locked -d 'Refuse to change the lockfile; fail if it would have to'
complete -c skillpm -n "__fish_skillpm_using_subcommand search" -l frozen -d 'Both --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand search" -s y -l yes -d 'Answer yes to every question'
complete -c skillpm -n "__fish_skillpm_using_subcommand search" -l no-input -d 'Never ask; take what can be decided without'
complete -c skillpm -n "__fish_skillpm_using_subcommand search" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand info" -l registry -d 'Look in this registry only' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand info" -l skill -d 'Show this skill of a source with many' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand info" -s C -l directory -d 'Run as if started in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand info" -l config -d 'Set a setting for this run, as KEY=VALUE (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand info" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand info" -l format -d 'Print in this form' -r -f -a "human\t''
json\t''
xml\t''
xml-ref\t''
markdown\t''
short\t''
sarif\t''
github\t''
gitlab\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand info" -l versions -d 'Show every version, not just the newest'
complete -c skillpm -n "__fish_skillpm_using_subcommand info" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand info" -s v -l verbose -d 'Print more of what is done'
complete -c skillpm -n "__fish_skillpm_using_subcommand info" -l offline -d 'Refuse the network; use what was brought before'
complete -c skillpm -n "__fish_skillpm_using_subcommand info" -l locked -d 'Refuse to change the lockfile; fail if it would have to'
complete -c skillpm -n "__fish_skillpm_using_subcommand info" -l frozen -d 'Both --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand info" -s y -l yes -d 'Answer yes to every question'
complete -c skillpm -n "__fish_skillpm_using_subcommand info" -l no-input -d 'Never ask; take what can be decided without'
complete -c skillpm -n "__fish_skillpm_using_subcommand info" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand show" -l file -d 'Another file of the skill than its SKILL.md' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand show" -s C -l directory -d 'Run as if started in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand show" -l config -d 'Set a setting for this run, as KEY=VALUE (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand show" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand show" -l format -d 'Print in this form' -r -f -a "human\t''
json\t''
xml\t''
xml-ref\t''
markdown\t''
short\t''
sarif\t''
github\t''
gitlab\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand show" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand show" -s v -l verbose -d 'Print more of what is done'
complete -c skillpm -n "__fish_skillpm_using_subcommand show" -l offline -d 'Refuse the network; use what was brought before'
complete -c skillpm -n "__fish_skillpm_using_subcommand show" -l locked -d 'Refuse to change the lockfile; fail if it would have to'
complete -c skillpm -n "__fish_skillpm_using_subcommand show" -l frozen -d 'Both --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand show" -s y -l yes -d 'Answer yes to every question'
complete -c skillpm -n "__fish_skillpm_using_subcommand show" -l no-input -d 'Never ask; take what can be decided without'
complete -c skillpm -n "__fish_skillpm_using_subcommand show" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand verify" -s C -l directory -d 'Run as if started in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand verify" -l config -d 'Set a setting for this run, as KEY=VALUE (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand verify" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand verify" -l format -d 'Print in this form' -r -f -a "human\t''
json\t''
xml\t''
xml-ref\t''
markdown\t''
short\t''
sarif\t''
github\t''
gitlab\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand verify" -s g -l global -d 'Work on your own skills, not the project\'s'
complete -c skillpm -n "__fish_skillpm_using_subcommand verify" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand verify" -s v -l verbose -d 'Print more of what is done'
complete -c skillpm -n "__fish_skillpm_using_subcommand verify" -l offline -d 'Refuse the network; use what was brought before'
complete -c skillpm -n "__fish_skillpm_using_subcommand verify" -l locked -d 'Refuse to change the lockfile; fail if it would have to'
complete -c skillpm -n "__fish_skillpm_using_subcommand verify" -l frozen -d 'Both --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand verify" -s y -l yes -d 'Answer yes to every question'
complete -c skillpm -n "__fish_skillpm_using_subcommand verify" -l no-input -d 'Never ask; take what can be decided without'
complete -c skillpm -n "__fish_skillpm_using_subcommand verify" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand lint" -l stdin-filename -d 'What the file on stdin is called' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand lint" -l since -d 'Only skills that have changed since this commit' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand lint" -l explain -d 'Explain a rule, by code or name' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand lint" -l select -d 'Only these rules: a group (`SK3`), a code or a name (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand lint" -l extend-select -d 'These rules too (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand lint" -l ignore -d 'Not these rules (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand lint" -l allow -d 'Drop what this rule finds (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand lint" -l note -d 'Make what this rule finds a note (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand lint" -l warn -d 'Make what this rule finds a warning (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand lint" -l deny -d 'Make what this rule finds an error (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand lint" -l profile -d 'Judge for users, for a registry, or hard' -r -f -a "default\t''
publish\t''
strict\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand lint" -l target -d 'An agent that the skills are for, by its id (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand lint" -l baseline -d 'Do not tell the findings recorded in this file' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand lint" -s C -l directory -d 'Run as if started in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand lint" -l config -d 'Set a setting for this run, as KEY=VALUE (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand lint" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand lint" -l format -d 'Print in this form' -r -f -a "human\t''
json\t''
xml\t''
xml-ref\t''
markdown\t''
short\t''
sarif\t''
github\t''
gitlab\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand lint" -l notes -d 'Show notes, too'
complete -c skillpm -n "__fish_skillpm_using_subcommand lint" -l statistics -d 'Count by rule instead of showing each finding'
complete -c skillpm -n "__fish_skillpm_using_subcommand lint" -l deny-warnings -d 'Make every warning an error'
complete -c skillpm -n "__fish_skillpm_using_subcommand lint" -l isolated -d 'Ask no `skillpm.toml`'
complete -c skillpm -n "__fish_skillpm_using_subcommand lint" -l fix -d 'Mend what can be mended safely'
complete -c skillpm -n "__fish_skillpm_using_subcommand lint" -l unsafe-fixes -d 'Apply fixes that guess, too: look at them afterwards'
complete -c skillpm -n "__fish_skillpm_using_subcommand lint" -l diff -d 'Show what `--fix` would do as a patch, and write nothing'
complete -c skillpm -n "__fish_skillpm_using_subcommand lint" -l write-baseline -d 'Record all findings in the baseline'
complete -c skillpm -n "__fish_skillpm_using_subcommand lint" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand lint" -s v -l verbose -d 'Print more of what is done'
complete -c skillpm -n "__fish_skillpm_using_subcommand lint" -l offline -d 'Refuse the network; use what was brought before'
complete -c skillpm -n "__fish_skillpm_using_subcommand lint" -l locked -d 'Refuse to change the lockfile; fail if it would have to'
complete -c skillpm -n "__fish_skillpm_using_subcommand lint" -l frozen -d 'Both --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand lint" -s y -l yes -d 'Answer yes to every question'
complete -c skillpm -n "__fish_skillpm_using_subcommand lint" -l no-input -d 'Never ask; take what can be decided without'
complete -c skillpm -n "__fish_skillpm_using_subcommand lint" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand validate" -l profile -d 'Whose verdict is wanted: the specification\'s text, or the official validator\'s' -r -f -a "spec\t'The specification\'s text, with real YAML'
reference\t'The verdict of skills-ref 0.1.1'"
complete -c skillpm -n "__fish_skillpm_using_subcommand validate" -l stdin-filename -d 'Where the file on stdin would stand; its directory gives the skill\'s name' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand validate" -s C -l directory -d 'Run as if started in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand validate" -l config -d 'Set a setting for this run, as KEY=VALUE (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand validate" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand validate" -l format -d 'Print in this form' -r -f -a "human\t''
json\t''
xml\t''
xml-ref\t''
markdown\t''
short\t''
sarif\t''
github\t''
gitlab\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand validate" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand validate" -s v -l verbose -d 'Print more of what is done'
complete -c skillpm -n "__fish_skillpm_using_subcommand validate" -l offline -d 'Refuse the network; use what was brought before'
complete -c skillpm -n "__fish_skillpm_using_subcommand validate" -l locked -d 'Refuse to change the lockfile; fail if it would have to'
complete -c skillpm -n "__fish_skillpm_using_subcommand validate" -l frozen -d 'Both --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand validate" -s y -l yes -d 'Answer yes to every question'
complete -c skillpm -n "__fish_skillpm_using_subcommand validate" -l no-input -d 'Never ask; take what can be decided without'
complete -c skillpm -n "__fish_skillpm_using_subcommand validate" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand package" -s o -l output -d 'Write the archive to this file or directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand package" -l extract -d 'Check an archive and unpack it into a new directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand package" -s C -l directory -d 'Run as if started in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand package" -l config -d 'Set a setting for this run, as KEY=VALUE (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand package" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand package" -l format -d 'Print in this form' -r -f -a "human\t''
json\t''
xml\t''
xml-ref\t''
markdown\t''
short\t''
sarif\t''
github\t''
gitlab\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand package" -l list -d 'Show the files; write nothing'
complete -c skillpm -n "__fish_skillpm_using_subcommand package" -l workspace -d 'Pack every member of the workspace'
complete -c skillpm -n "__fish_skillpm_using_subcommand package" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand package" -s v -l verbose -d 'Print more of what is done'
complete -c skillpm -n "__fish_skillpm_using_subcommand package" -l offline -d 'Refuse the network; use what was brought before'
complete -c skillpm -n "__fish_skillpm_using_subcommand package" -l locked -d 'Refuse to change the lockfile; fail if it would have to'
complete -c skillpm -n "__fish_skillpm_using_subcommand package" -l frozen -d 'Both --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand package" -s y -l yes -d 'Answer yes to every question'
complete -c skillpm -n "__fish_skillpm_using_subcommand package" -l no-input -d 'Never ask; take what can be decided without'
complete -c skillpm -n "__fish_skillpm_using_subcommand package" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand catalog" -l dir -d 'Read this directory, not the tiers (repeatable)' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand catalog" -l only -d 'Show just these skills' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand catalog" -l assume -d 'Take os=…,bins=…,env=… for granted (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand catalog" -l preamble -d 'Advise the model with this file\'s text' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand catalog" -l into -d 'Rewrite the section between the markers of this file' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand catalog" -s C -l directory -d 'Run as if started in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand catalog" -l config -d 'Set a setting for this run, as KEY=VALUE (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand catalog" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand catalog" -l format -d 'Print in this form' -r -f -a "human\t''
json\t''
xml\t''
xml-ref\t''
markdown\t''
short\t''
sarif\t''
github\t''
gitlab\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand catalog" -l all -d 'Show the hidden ones too, and why they are'
complete -c skillpm -n "__fish_skillpm_using_subcommand catalog" -l list-formats -d 'List the forms there are'
complete -c skillpm -n "__fish_skillpm_using_subcommand catalog" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand catalog" -s v -l verbose -d 'Print more of what is done'
complete -c skillpm -n "__fish_skillpm_using_subcommand catalog" -l offline -d 'Refuse the network; use what was brought before'
complete -c skillpm -n "__fish_skillpm_using_subcommand catalog" -l locked -d 'Refuse to change the lockfile; fail if it would have to'
complete -c skillpm -n "__fish_skillpm_using_subcommand catalog" -l frozen -d 'Both --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand catalog" -s y -l yes -d 'Answer yes to every question'
complete -c skillpm -n "__fish_skillpm_using_subcommand catalog" -l no-input -d 'Never ask; take what can be decided without'
complete -c skillpm -n "__fish_skillpm_using_subcommand catalog" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand publish" -l registry -d 'The registry to publish to, by its name in the settings' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand publish" -l branch -d 'Leave it on this branch of the index, for review' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand publish" -s C -l directory -d 'Run as if started in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand publish" -l config -d 'Set a setting for this run, as KEY=VALUE (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand publish" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand publish" -l format -d 'Print in this form' -r -f -a "human\t''
json\t''
xml\t''
xml-ref\t''
markdown\t''
short\t''
sarif\t''
github\t''
gitlab\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand publish" -l dry-run -d 'Do all but the change'
complete -c skillpm -n "__fish_skillpm_using_subcommand publish" -l tag -d 'Tag the commit it is made from as NAME-vX.Y.Z'
complete -c skillpm -n "__fish_skillpm_using_subcommand publish" -l workspace -d 'Publish every member whose version is new'
complete -c skillpm -n "__fish_skillpm_using_subcommand publish" -l allow-dirty -d 'Publish what was not committed, too'
complete -c skillpm -n "__fish_skillpm_using_subcommand publish" -l allow-similar -d 'Take a new name that is like another\'s'
complete -c skillpm -n "__fish_skillpm_using_subcommand publish" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand publish" -s v -l verbose -d 'Print more of what is done'
complete -c skillpm -n "__fish_skillpm_using_subcommand publish" -l offline -d 'Refuse the network; use what was brought before'
complete -c skillpm -n "__fish_skillpm_using_subcommand publish" -l locked -d 'Refuse to change the lockfile; fail if it would have to'
complete -c skillpm -n "__fish_skillpm_using_subcommand publish" -l frozen -d 'Both --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand publish" -s y -l yes -d 'Answer yes to every question'
complete -c skillpm -n "__fish_skillpm_using_subcommand publish" -l no-input -d 'Never ask; take what can be decided without'
complete -c skillpm -n "__fish_skillpm_using_subcommand publish" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand yank" -l registry -d 'The registry it is in, by its name in the settings' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand yank" -s C -l directory -d 'Run as if started in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand yank" -l config -d 'Set a setting for this run, as KEY=VALUE (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand yank" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand yank" -l format -d 'Print in this form' -r -f -a "human\t''
json\t''
xml\t''
xml-ref\t''
markdown\t''
short\t''
sarif\t''
github\t''
gitlab\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand yank" -l undo -d 'Take it back in'
complete -c skillpm -n "__fish_skillpm_using_subcommand yank" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand yank" -s v -l verbose -d 'Print more of what is done'
complete -c skillpm -n "__fish_skillpm_using_subcommand yank" -l offline -d 'Refuse the network; use what was brought before'
complete -c skillpm -n "__fish_skillpm_using_subcommand yank" -l locked -d 'Refuse to change the lockfile; fail if it would have to'
complete -c skillpm -n "__fish_skillpm_using_subcommand yank" -l frozen -d 'Both --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand yank" -s y -l yes -d 'Answer yes to every question'
complete -c skillpm -n "__fish_skillpm_using_subcommand yank" -l no-input -d 'Never ask; take what can be decided without'
complete -c skillpm -n "__fish_skillpm_using_subcommand yank" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and not __fish_seen_subcommand_from list add remove help" -s C -l directory -d 'Run as if started in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and not __fish_seen_subcommand_from list add remove help" -l config -d 'Set a setting for this run, as KEY=VALUE (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and not __fish_seen_subcommand_from list add remove help" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and not __fish_seen_subcommand_from list add remove help" -l format -d 'Print in this form' -r -f -a "human\t''
json\t''
xml\t''
xml-ref\t''
markdown\t''
short\t''
sarif\t''
github\t''
gitlab\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and not __fish_seen_subcommand_from list add remove help" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and not __fish_seen_subcommand_from list add remove help" -s v -l verbose -d 'Print more of what is done'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and not __fish_seen_subcommand_from list add remove help" -l offline -d 'Refuse the network; use what was brought before'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and not __fish_seen_subcommand_from list add remove help" -l locked -d 'Refuse to change the lockfile; fail if it would have to'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and not __fish_seen_subcommand_from list add remove help" -l frozen -d 'Both --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and not __fish_seen_subcommand_from list add remove help" -s y -l yes -d 'Answer yes to every question'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and not __fish_seen_subcommand_from list add remove help" -l no-input -d 'Never ask; take what can be decided without'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and not __fish_seen_subcommand_from list add remove help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and not __fish_seen_subcommand_from list add remove help" -f -a "list" -d 'Show who may publish a name'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and not __fish_seen_subcommand_from list add remove help" -f -a "add" -d 'Let others publish it, too'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and not __fish_seen_subcommand_from list add remove help" -f -a "remove" -d 'Let others publish it no more'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and not __fish_seen_subcommand_from list add remove help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from list" -l registry -d 'The registry it is in, by its name in the settings' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from list" -s C -l directory -d 'Run as if started in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from list" -l config -d 'Set a setting for this run, as KEY=VALUE (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from list" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from list" -l format -d 'Print in this form' -r -f -a "human\t''
json\t''
xml\t''
xml-ref\t''
markdown\t''
short\t''
sarif\t''
github\t''
gitlab\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from list" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from list" -s v -l verbose -d 'Print more of what is done'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from list" -l offline -d 'Refuse the network; use what was brought before'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from list" -l locked -d 'Refuse to change the lockfile; fail if it would have to'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from list" -l frozen -d 'Both --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from list" -s y -l yes -d 'Answer yes to every question'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from list" -l no-input -d 'Never ask; take what can be decided without'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from add" -l registry -d 'The registry it is in, by its name in the settings' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from add" -s C -l directory -d 'Run as if started in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from add" -l config -d 'Set a setting for this run, as KEY=VALUE (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from add" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from add" -l format -d 'Print in this form' -r -f -a "human\t''
json\t''
xml\t''
xml-ref\t''
markdown\t''
short\t''
sarif\t''
github\t''
gitlab\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from add" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from add" -s v -l verbose -d 'Print more of what is done'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from add" -l offline -d 'Refuse the network; use what was brought before'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from add" -l locked -d 'Refuse to change the lockfile; fail if it would have to'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from add" -l frozen -d 'Both --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from add" -s y -l yes -d 'Answer yes to every question'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from add" -l no-input -d 'Never ask; take what can be decided without'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from add" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from remove" -l registry -d 'The registry it is in, by its name in the settings' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from remove" -s C -l directory -d 'Run as if started in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from remove" -l config -d 'Set a setting for this run, as KEY=VALUE (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from remove" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from remove" -l format -d 'Print in this form' -r -f -a "human\t''
json\t''
xml\t''
xml-ref\t''
markdown\t''
short\t''
sarif\t''
github\t''
gitlab\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from remove" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from remove" -s v -l verbose -d 'Print more of what is done'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from remove" -l offline -d 'Refuse the network; use what was brought before'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from remove" -l locked -d 'Refuse to change the lockfile; fail if it would have to'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from remove" -l frozen -d 'Both --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from remove" -s y -l yes -d 'Answer yes to every question'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from remove" -l no-input -d 'Never ask; take what can be decided without'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from remove" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from help" -f -a "list" -d 'Show who may publish a name'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from help" -f -a "add" -d 'Let others publish it, too'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from help" -f -a "remove" -d 'Let others publish it no more'
complete -c skillpm -n "__fish_skillpm_using_subcommand owner; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and not __fish_seen_subcommand_from new check site help" -s C -l directory -d 'Run as if started in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and not __fish_seen_subcommand_from new check site help" -l config -d 'Set a setting for this run, as KEY=VALUE (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and not __fish_seen_subcommand_from new check site help" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and not __fish_seen_subcommand_from new check site help" -l format -d 'Print in this form' -r -f -a "human\t''
json\t''
xml\t''
xml-ref\t''
markdown\t''
short\t''
sarif\t''
github\t''
gitlab\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and not __fish_seen_subcommand_from new check site help" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and not __fish_seen_subcommand_from new check site help" -s v -l verbose -d 'Print more of what is done'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and not __fish_seen_subcommand_from new check site help" -l offline -d 'Refuse the network; use what was brought before'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and not __fish_seen_subcommand_from new check site help" -l locked -d 'Refuse to change the lockfile; fail if it would have to'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and not __fish_seen_subcommand_from new check site help" -l frozen -d 'Both --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and not __fish_seen_subcommand_from new check site help" -s y -l yes -d 'Answer yes to every question'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and not __fish_seen_subcommand_from new check site help" -l no-input -d 'Never ask; take what can be decided without'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and not __fish_seen_subcommand_from new check site help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and not __fish_seen_subcommand_from new check site help" -f -a "new" -d 'Make an index with nothing in it'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and not __fish_seen_subcommand_from new check site help" -f -a "check" -d 'Hold an index, or a change of it, to its rules'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and not __fish_seen_subcommand_from new check site help" -f -a "site" -d 'Write a static site of skills'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and not __fish_seen_subcommand_from new check site help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from new" -l dl -d 'Where archives are [default: in the index]' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from new" -l owner -d 'Who keeps it [default: you] (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from new" -s C -l directory -d 'Run as if started in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from new" -l config -d 'Set a setting for this run, as KEY=VALUE (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from new" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from new" -l format -d 'Print in this form' -r -f -a "human\t''
json\t''
xml\t''
xml-ref\t''
markdown\t''
short\t''
sarif\t''
github\t''
gitlab\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from new" -l git -d 'Make a git repository of it'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from new" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from new" -s v -l verbose -d 'Print more of what is done'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from new" -l offline -d 'Refuse the network; use what was brought before'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from new" -l locked -d 'Refuse to change the lockfile; fail if it would have to'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from new" -l frozen -d 'Both --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from new" -s y -l yes -d 'Answer yes to every question'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from new" -l no-input -d 'Never ask; take what can be decided without'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from new" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from check" -l base -d 'Judge what HEAD changes from this revision' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from check" -l by -d 'Who makes the change (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from check" -l archives -d 'Which archives to read' -r -f -a "all\t'Every one'
changed\t'Those that the change adds'"
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from check" -s C -l directory -d 'Run as if started in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from check" -l config -d 'Set a setting for this run, as KEY=VALUE (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from check" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from check" -l format -d 'Print in this form' -r -f -a "human\t''
json\t''
xml\t''
xml-ref\t''
markdown\t''
short\t''
sarif\t''
github\t''
gitlab\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from check" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from check" -s v -l verbose -d 'Print more of what is done'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from check" -l offline -d 'Refuse the network; use what was brought before'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from check" -l locked -d 'Refuse to change the lockfile; fail if it would have to'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from check" -l frozen -d 'Both --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from check" -s y -l yes -d 'Answer yes to every question'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from check" -l no-input -d 'Never ask; take what can be decided without'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from check" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from site" -l registry -d 'Make it from this registry' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from site" -l base-url -d 'Where it will be served' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from site" -s C -l directory -d 'Run as if started in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from site" -l config -d 'Set a setting for this run, as KEY=VALUE (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from site" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from site" -l format -d 'Print in this form' -r -f -a "human\t''
json\t''
xml\t''
xml-ref\t''
markdown\t''
short\t''
sarif\t''
github\t''
gitlab\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from site" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from site" -s v -l verbose -d 'Print more of what is done'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from site" -l offline -d 'Refuse the network; use what was brought before'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from site" -l locked -d 'Refuse to change the lockfile; fail if it would have to'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from site" -l frozen -d 'Both --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from site" -s y -l yes -d 'Answer yes to every question'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from site" -l no-input -d 'Never ask; take what can be decided without'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from site" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from help" -f -a "new" -d 'Make an index with nothing in it'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from help" -f -a "check" -d 'Hold an index, or a change of it, to its rules'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from help" -f -a "site" -d 'Write a static site of skills'
complete -c skillpm -n "__fish_skillpm_using_subcommand registry; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and not __fish_seen_subcommand_from list get set help" -s C -l directory -d 'Run as if started in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and not __fish_seen_subcommand_from list get set help" -l config -d 'Set a setting for this run, as KEY=VALUE (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and not __fish_seen_subcommand_from list get set help" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and not __fish_seen_subcommand_from list get set help" -l format -d 'Print in this form' -r -f -a "human\t''
json\t''
xml\t''
xml-ref\t''
markdown\t''
short\t''
sarif\t''
github\t''
gitlab\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and not __fish_seen_subcommand_from list get set help" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and not __fish_seen_subcommand_from list get set help" -s v -l verbose -d 'Print more of what is done'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and not __fish_seen_subcommand_from list get set help" -l offline -d 'Refuse the network; use what was brought before'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and not __fish_seen_subcommand_from list get set help" -l locked -d 'Refuse to change the lockfile; fail if it would have to'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and not __fish_seen_subcommand_from list get set help" -l frozen -d 'Both --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and not __fish_seen_subcommand_from list get set help" -s y -l yes -d 'Answer yes to every question'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and not __fish_seen_subcommand_from list get set help" -l no-input -d 'Never ask; take what can be decided without'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and not __fish_seen_subcommand_from list get set help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and not __fish_seen_subcommand_from list get set help" -f -a "list" -d 'Show all settings, and where each was set'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and not __fish_seen_subcommand_from list get set help" -f -a "get" -d 'Print one setting'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and not __fish_seen_subcommand_from list get set help" -f -a "set" -d 'Change one setting'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and not __fish_seen_subcommand_from list get set help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from list" -s C -l directory -d 'Run as if started in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from list" -l config -d 'Set a setting for this run, as KEY=VALUE (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from list" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from list" -l format -d 'Print in this form' -r -f -a "human\t''
json\t''
xml\t''
xml-ref\t''
markdown\t''
short\t''
sarif\t''
github\t''
gitlab\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from list" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from list" -s v -l verbose -d 'Print more of what is done'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from list" -l offline -d 'Refuse the network; use what was brought before'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from list" -l locked -d 'Refuse to change the lockfile; fail if it would have to'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from list" -l frozen -d 'Both --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from list" -s y -l yes -d 'Answer yes to every question'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from list" -l no-input -d 'Never ask; take what can be decided without'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from get" -s C -l directory -d 'Run as if started in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from get" -l config -d 'Set a setting for this run, as KEY=VALUE (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from get" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from get" -l format -d 'Print in this form' -r -f -a "human\t''
json\t''
xml\t''
xml-ref\t''
markdown\t''
short\t''
sarif\t''
github\t''
gitlab\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from get" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from get" -s v -l verbose -d 'Print more of what is done'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from get" -l offline -d 'Refuse the network; use what was brought before'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from get" -l locked -d 'Refuse to change the lockfile; fail if it would have to'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from get" -l frozen -d 'Both --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from get" -s y -l yes -d 'Answer yes to every question'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from get" -l no-input -d 'Never ask; take what can be decided without'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from get" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from set" -s C -l directory -d 'Run as if started in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from set" -l config -d 'Set a setting for this run, as KEY=VALUE (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from set" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from set" -l format -d 'Print in this form' -r -f -a "human\t''
json\t''
xml\t''
xml-ref\t''
markdown\t''
short\t''
sarif\t''
github\t''
gitlab\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from set" -l project -d 'In the project\'s file instead of your own'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from set" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from set" -s v -l verbose -d 'Print more of what is done'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from set" -l offline -d 'Refuse the network; use what was brought before'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from set" -l locked -d 'Refuse to change the lockfile; fail if it would have to'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from set" -l frozen -d 'Both --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from set" -s y -l yes -d 'Answer yes to every question'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from set" -l no-input -d 'Never ask; take what can be decided without'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from set" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from help" -f -a "list" -d 'Show all settings, and where each was set'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from help" -f -a "get" -d 'Print one setting'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from help" -f -a "set" -d 'Change one setting'
complete -c skillpm -n "__fish_skillpm_using_subcommand config; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c skillpm -n "__fish_skillpm_using_subcommand login" -l registry -d 'The registry, by name or by URL [default: the default one]' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand login" -s C -l directory -d 'Run as if started in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand login" -l config -d 'Set a setting for this run, as KEY=VALUE (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand login" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand login" -l format -d 'Print in this form' -r -f -a "human\t''
json\t''
xml\t''
xml-ref\t''
markdown\t''
short\t''
sarif\t''
github\t''
gitlab\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand login" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand login" -s v -l verbose -d 'Print more of what is done'
complete -c skillpm -n "__fish_skillpm_using_subcommand login" -l offline -d 'Refuse the network; use what was brought before'
complete -c skillpm -n "__fish_skillpm_using_subcommand login" -l locked -d 'Refuse to change the lockfile; fail if it would have to'
complete -c skillpm -n "__fish_skillpm_using_subcommand login" -l frozen -d 'Both --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand login" -s y -l yes -d 'Answer yes to every question'
complete -c skillpm -n "__fish_skillpm_using_subcommand login" -l no-input -d 'Never ask; take what can be decided without'
complete -c skillpm -n "__fish_skillpm_using_subcommand login" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand logout" -l registry -d 'The registry, by name or by URL [default: the default one]' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand logout" -s C -l directory -d 'Run as if started in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand logout" -l config -d 'Set a setting for this run, as KEY=VALUE (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand logout" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand logout" -l format -d 'Print in this form' -r -f -a "human\t''
json\t''
xml\t''
xml-ref\t''
markdown\t''
short\t''
sarif\t''
github\t''
gitlab\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand logout" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand logout" -s v -l verbose -d 'Print more of what is done'
complete -c skillpm -n "__fish_skillpm_using_subcommand logout" -l offline -d 'Refuse the network; use what was brought before'
complete -c skillpm -n "__fish_skillpm_using_subcommand logout" -l locked -d 'Refuse to change the lockfile; fail if it would have to'
complete -c skillpm -n "__fish_skillpm_using_subcommand logout" -l frozen -d 'Both --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand logout" -s y -l yes -d 'Answer yes to every question'
complete -c skillpm -n "__fish_skillpm_using_subcommand logout" -l no-input -d 'Never ask; take what can be decided without'
complete -c skillpm -n "__fish_skillpm_using_subcommand logout" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand completions" -s C -l directory -d 'Run as if started in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand completions" -l config -d 'Set a setting for this run, as KEY=VALUE (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand completions" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand completions" -l format -d 'Print in this form' -r -f -a "human\t''
json\t''
xml\t''
xml-ref\t''
markdown\t''
short\t''
sarif\t''
github\t''
gitlab\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand completions" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand completions" -s v -l verbose -d 'Print more of what is done'
complete -c skillpm -n "__fish_skillpm_using_subcommand completions" -l offline -d 'Refuse the network; use what was brought before'
complete -c skillpm -n "__fish_skillpm_using_subcommand completions" -l locked -d 'Refuse to change the lockfile; fail if it would have to'
complete -c skillpm -n "__fish_skillpm_using_subcommand completions" -l frozen -d 'Both --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand completions" -s y -l yes -d 'Answer yes to every question'
complete -c skillpm -n "__fish_skillpm_using_subcommand completions" -l no-input -d 'Never ask; take what can be decided without'
complete -c skillpm -n "__fish_skillpm_using_subcommand completions" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand man" -s C -l directory -d 'Run as if started in this directory' -r -F
complete -c skillpm -n "__fish_skillpm_using_subcommand man" -l config -d 'Set a setting for this run, as KEY=VALUE (repeatable)' -r
complete -c skillpm -n "__fish_skillpm_using_subcommand man" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand man" -l format -d 'Print in this form' -r -f -a "human\t''
json\t''
xml\t''
xml-ref\t''
markdown\t''
short\t''
sarif\t''
github\t''
gitlab\t''"
complete -c skillpm -n "__fish_skillpm_using_subcommand man" -s q -l quiet -d 'Print errors only'
complete -c skillpm -n "__fish_skillpm_using_subcommand man" -s v -l verbose -d 'Print more of what is done'
complete -c skillpm -n "__fish_skillpm_using_subcommand man" -l offline -d 'Refuse the network; use what was brought before'
complete -c skillpm -n "__fish_skillpm_using_subcommand man" -l locked -d 'Refuse to change the lockfile; fail if it would have to'
complete -c skillpm -n "__fish_skillpm_using_subcommand man" -l frozen -d 'Both --locked and --offline'
complete -c skillpm -n "__fish_skillpm_using_subcommand man" -s y -l yes -d 'Answer yes to every question'
complete -c skillpm -n "__fish_skillpm_using_subcommand man" -l no-input -d 'Never ask; take what can be decided without'
complete -c skillpm -n "__fish_skillpm_using_subcommand man" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update undo outdated diff lock tree why list search info show verify lint validate package catalog publish yank owner registry config login logout completions man help" -f -a "init" -d 'Make a manifest for this project'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update undo outdated diff lock tree why list search info show verify lint validate package catalog publish yank owner registry config login logout completions man help" -f -a "new" -d 'Make a new skill from a template'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update undo outdated diff lock tree why list search info show verify lint validate package catalog publish yank owner registry config login logout completions man help" -f -a "add" -d 'Add skills to the project'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update undo outdated diff lock tree why list search info show verify lint validate package catalog publish yank owner registry config login logout completions man help" -f -a "remove" -d 'Remove skills, and what only they needed'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update undo outdated diff lock tree why list search info show verify lint validate package catalog publish yank owner registry config login logout completions man help" -f -a "install" -d 'Install what the lockfile says'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update undo outdated diff lock tree why list search info show verify lint validate package catalog publish yank owner registry config login logout completions man help" -f -a "update" -d 'Update to the newest that fits'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update undo outdated diff lock tree why list search info show verify lint validate package catalog publish yank owner registry config login logout completions man help" -f -a "undo" -d 'Undo the last command that changed something'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update undo outdated diff lock tree why list search info show verify lint validate package catalog publish yank owner registry config login logout completions man help" -f -a "outdated" -d 'Show what has something newer'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update undo outdated diff lock tree why list search info show verify lint validate package catalog publish yank owner registry config login logout completions man help" -f -a "diff" -d 'Show what you edited, or what another version brings'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update undo outdated diff lock tree why list search info show verify lint validate package catalog publish yank owner registry config login logout completions man help" -f -a "lock" -d 'Decide on versions and write the lockfile'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update undo outdated diff lock tree why list search info show verify lint validate package catalog publish yank owner registry config login logout completions man help" -f -a "tree" -d 'Show the dependency graph'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update undo outdated diff lock tree why list search info show verify lint validate package catalog publish yank owner registry config login logout completions man help" -f -a "why" -d 'Tell why a skill is there'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update undo outdated diff lock tree why list search info show verify lint validate package catalog publish yank owner registry config login logout completions man help" -f -a "list" -d 'List the skills that are there, by tier'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update undo outdated diff lock tree why list search info show verify lint validate package catalog publish yank owner registry config login logout completions man help" -f -a "search" -d 'Find packages and skills by words'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update undo outdated diff lock tree why list search info show verify lint validate package catalog publish yank owner registry config login logout completions man help" -f -a "info" -d 'Show what is known of a package before installing it'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update undo outdated diff lock tree why list search info show verify lint validate package catalog publish yank owner registry config login logout completions man help" -f -a "show" -d 'Print a skill\'s text, or one of its files'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update undo outdated diff lock tree why list search info show verify lint validate package catalog publish yank owner registry config login logout completions man help" -f -a "verify" -d 'Check every installed byte against the lockfile'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update undo outdated diff lock tree why list search info show verify lint validate package catalog publish yank owner registry config login logout completions man help" -f -a "lint" -d 'Find what is wrong with skills'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update undo outdated diff lock tree why list search info show verify lint validate package catalog publish yank owner registry config login logout completions man help" -f -a "validate" -d 'Check that skills follow the specification'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update undo outdated diff lock tree why list search info show verify lint validate package catalog publish yank owner registry config login logout completions man help" -f -a "package" -d 'Pack a skill into the archive that registries serve'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update undo outdated diff lock tree why list search info show verify lint validate package catalog publish yank owner registry config login logout completions man help" -f -a "catalog" -d 'Emit the resolved catalog for an agent'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update undo outdated diff lock tree why list search info show verify lint validate package catalog publish yank owner registry config login logout completions man help" -f -a "publish" -d 'Publish a skill to a registry'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update undo outdated diff lock tree why list search info show verify lint validate package catalog publish yank owner registry config login logout completions man help" -f -a "yank" -d 'Withdraw a published version from new resolves'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update undo outdated diff lock tree why list search info show verify lint validate package catalog publish yank owner registry config login logout completions man help" -f -a "owner" -d 'Show or change who may publish'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update undo outdated diff lock tree why list search info show verify lint validate package catalog publish yank owner registry config login logout completions man help" -f -a "registry" -d 'Keep a registry: make one, check it, show it'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update undo outdated diff lock tree why list search info show verify lint validate package catalog publish yank owner registry config login logout completions man help" -f -a "config" -d 'Show or change settings'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update undo outdated diff lock tree why list search info show verify lint validate package catalog publish yank owner registry config login logout completions man help" -f -a "login" -d 'Keep a token for a registry'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update undo outdated diff lock tree why list search info show verify lint validate package catalog publish yank owner registry config login logout completions man help" -f -a "logout" -d 'Forget the token of a registry'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update undo outdated diff lock tree why list search info show verify lint validate package catalog publish yank owner registry config login logout completions man help" -f -a "completions" -d 'Print completions for a shell'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update undo outdated diff lock tree why list search info show verify lint validate package catalog publish yank owner registry config login logout completions man help" -f -a "man" -d 'Print a manual page'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and not __fish_seen_subcommand_from init new add remove install update undo outdated diff lock tree why list search info show verify lint validate package catalog publish yank owner registry config login logout completions man help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and __fish_seen_subcommand_from owner" -f -a "list" -d 'Show who may publish a name'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and __fish_seen_subcommand_from owner" -f -a "add" -d 'Let others publish it, too'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and __fish_seen_subcommand_from owner" -f -a "remove" -d 'Let others publish it no more'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and __fish_seen_subcommand_from registry" -f -a "new" -d 'Make an index with nothing in it'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and __fish_seen_subcommand_from registry" -f -a "check" -d 'Hold an index, or a change of it, to its rules'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and __fish_seen_subcommand_from registry" -f -a "site" -d 'Write a static site of skills'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and __fish_seen_subcommand_from config" -f -a "list" -d 'Show all settings, and where each was set'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and __fish_seen_subcommand_from config" -f -a "get" -d 'Print one setting'
complete -c skillpm -n "__fish_skillpm_using_subcommand help; and __fish_seen_subcommand_from config" -f -a "set" -d 'Change one setting'
