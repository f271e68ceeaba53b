
using namespace System.Management.Automation
using namespace System.Management.Automation.Language

Register-ArgumentCompleter -Native -CommandName 'skillpm' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $commandElements = $commandAst.CommandElements
    $command = @(
        'skillpm'
        for ($i = 1; $i -lt $commandElements.Count; $i++) {
            $element = $commandElements[$i]
            if ($element -isnot [StringConstantExpressionAst] -or
                $element.StringConstantType -ne [StringConstantType]::BareWord -or
                $element.Value.StartsWith('-') -or
                $element.Value -eq $wordToComplete) {
                break
        }
        $element.Value
    }) -join ';'

    $completions = @(switch ($command) {
        'skillpm' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Set a setting for this run, as KEY=VALUE (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this form: human, json; for a catalog, one of --list-formats')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Refuse the network; use what was brought before')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Refuse to change the lockfile; fail if it would have to')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Both --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never ask; take what can be decided without')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('init', 'init', [CompletionResultType]::ParameterValue, 'Make a manifest for this project')
            [CompletionResult]::new('new', 'new', [CompletionResultType]::ParameterValue, 'Make a new skill from a template')
            [CompletionResult]::new('add', 'add', [CompletionResultType]::ParameterValue, 'Add skills to the project')
            [CompletionResult]::new('remove', 'remove', [CompletionResultType]::ParameterValue, 'Remove skills, and what only they needed')
            [CompletionResult]::new('install', 'install', [CompletionResultType]::ParameterValue, 'Install what the lockfile says')
            [CompletionResult]::new('sync', 'sync', [CompletionResultType]::ParameterValue, 'Install what the lockfile says')
            [CompletionResult]::new('update', 'update', [CompletionResultType]::ParameterValue, 'Update to the newest that fits')
            [CompletionResult]::new('import', 'import', [CompletionResultType]::ParameterValue, 'Take over what other tools have installed')
            [CompletionResult]::new('undo', 'undo', [CompletionResultType]::ParameterValue, 'Undo the last command that changed something')
            [CompletionResult]::new('outdated', 'outdated', [CompletionResultType]::ParameterValue, 'Show what has something newer')
            [CompletionResult]::new('diff', 'diff', [CompletionResultType]::ParameterValue, 'Show what you edited, or what another version brings')
            [CompletionResult]::new('patch', 'patch', [CompletionResultType]::ParameterValue, 'Keep what you edited as a patch file')
            [CompletionResult]::new('lock', 'lock', [CompletionResultType]::ParameterValue, 'Decide on versions and write the lockfile')
            [CompletionResult]::new('tree', 'tree', [CompletionResultType]::ParameterValue, 'Show the dependency graph')
            [CompletionResult]::new('why', 'why', [CompletionResultType]::ParameterValue, 'Tell why a skill is there')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List the skills that are there, by tier')
            [CompletionResult]::new('search', 'search', [CompletionResultType]::ParameterValue, 'Find packages and skills by words')
            [CompletionResult]::new('sbom', 'sbom', [CompletionResultType]::ParameterValue, 'Write a bill of materials of what is locked')
            [CompletionResult]::new('info', 'info', [CompletionResultType]::ParameterValue, 'Show what is known of a package before installing it')
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Print a skill''s instructions, or one of its files')
            [CompletionResult]::new('verify', 'verify', [CompletionResultType]::ParameterValue, 'Check every installed byte against the lockfile')
            [CompletionResult]::new('audit', 'audit', [CompletionResultType]::ParameterValue, 'Look for danger in skills that are installed or locked')
            [CompletionResult]::new('vendor', 'vendor', [CompletionResultType]::ParameterValue, 'Keep every locked package in this repository')
            [CompletionResult]::new('export', 'export', [CompletionResultType]::ParameterValue, 'Write a bundle for a machine without a network')
            [CompletionResult]::new('lint', 'lint', [CompletionResultType]::ParameterValue, 'Find what is wrong with skills')
            [CompletionResult]::new('validate', 'validate', [CompletionResultType]::ParameterValue, 'Check that skills follow the specification')
            [CompletionResult]::new('package', 'package', [CompletionResultType]::ParameterValue, 'Pack a skill into the archive that registries serve')
            [CompletionResult]::new('convert', 'convert', [CompletionResultType]::ParameterValue, 'Write a skill in another format')
            [CompletionResult]::new('catalog', 'catalog', [CompletionResultType]::ParameterValue, 'Emit the resolved catalog for an agent')
            [CompletionResult]::new('serve', 'serve', [CompletionResultType]::ParameterValue, 'Serve the catalog over MCP')
            [CompletionResult]::new('watch', 'watch', [CompletionResultType]::ParameterValue, 'Say what changes in the catalog, as it changes')
            [CompletionResult]::new('budget', 'budget', [CompletionResultType]::ParameterValue, 'Tell what listing the skills costs each agent')
            [CompletionResult]::new('propose', 'propose', [CompletionResultType]::ParameterValue, 'Propose a change of a skill, for a person to decide on')
            [CompletionResult]::new('proposals', 'proposals', [CompletionResultType]::ParameterValue, 'Decide on changes of skills that were proposed')
            [CompletionResult]::new('publish', 'publish', [CompletionResultType]::ParameterValue, 'Publish a skill to a registry')
            [CompletionResult]::new('yank', 'yank', [CompletionResultType]::ParameterValue, 'Withdraw a published version from new resolves')
            [CompletionResult]::new('owner', 'owner', [CompletionResultType]::ParameterValue, 'Show or change who may publish')
            [CompletionResult]::new('registry', 'registry', [CompletionResultType]::ParameterValue, 'Keep a registry: make one, check it, renew it, show it')
            [CompletionResult]::new('cache', 'cache', [CompletionResultType]::ParameterValue, 'Look after what is kept for all projects')
            [CompletionResult]::new('doctor', 'doctor', [CompletionResultType]::ParameterValue, 'Look for everything that can be wrong')
            [CompletionResult]::new('config', 'config', [CompletionResultType]::ParameterValue, 'Show or change settings')
            [CompletionResult]::new('login', 'login', [CompletionResultType]::ParameterValue, 'Keep a token for a registry')
            [CompletionResult]::new('logout', 'logout', [CompletionResultType]::ParameterValue, 'Forget the token of a registry')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print completions for a shell')
            [CompletionResult]::new('man', 'man', [CompletionResultType]::ParameterValue, 'Print a manual page')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'skillpm;init' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Set a setting for this run, as KEY=VALUE (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this form: human, json; for a catalog, one of --list-formats')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Refuse the network; use what was brought before')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Refuse to change the lockfile; fail if it would have to')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Both --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never ask; take what can be decided without')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;new' {
            [CompletionResult]::new('--in', '--in', [CompletionResultType]::ParameterName, 'The directory to make it in [default: this one]')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Set a setting for this run, as KEY=VALUE (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this form: human, json; for a catalog, one of --list-formats')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Refuse the network; use what was brought before')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Refuse to change the lockfile; fail if it would have to')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Both --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never ask; take what can be decided without')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;add' {
            [CompletionResult]::new('-s', '-s', [CompletionResultType]::ParameterName, 'Take this skill of a source with many (repeatable)')
            [CompletionResult]::new('--skill', '--skill', [CompletionResultType]::ParameterName, 'Take this skill of a source with many (repeatable)')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Which versions fit, such as ^1.2 or =2.0.1')
            [CompletionResult]::new('--tag', '--tag', [CompletionResultType]::ParameterName, 'The tag of a git source')
            [CompletionResult]::new('--branch', '--branch', [CompletionResultType]::ParameterName, 'The branch of a git source')
            [CompletionResult]::new('--rev', '--rev', [CompletionResultType]::ParameterName, 'The commit of a git source')
            [CompletionResult]::new('--path', '--path', [CompletionResultType]::ParameterName, 'The directory of the skill inside the source')
            [CompletionResult]::new('--registry', '--registry', [CompletionResultType]::ParameterName, 'The registry to take names from')
            [CompletionResult]::new('--as', '--as', [CompletionResultType]::ParameterName, 'Install under this name')
            [CompletionResult]::new('--target', '--target', [CompletionResultType]::ParameterName, 'Install into this agent''s directory too (repeatable)')
            [CompletionResult]::new('--min-release-age', '--min-release-age', [CompletionResultType]::ParameterName, 'Pass over versions published more lately than AGE')
            [CompletionResult]::new('--exclude-newer', '--exclude-newer', [CompletionResultType]::ParameterName, 'Pass over versions published after DATE')
            [CompletionResult]::new('--allow-finding', '--allow-finding', [CompletionResultType]::ParameterName, 'Install in spite of what this rule finds (repeatable)')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Set a setting for this run, as KEY=VALUE (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this form: human, json; for a catalog, one of --list-formats')
            [CompletionResult]::new('--all', '--all', [CompletionResultType]::ParameterName, 'Take all skills of a source')
            [CompletionResult]::new('--keep-going', '--keep-going', [CompletionResultType]::ParameterName, 'With --all, leave out what no agent would load')
            [CompletionResult]::new('--dev', '--dev', [CompletionResultType]::ParameterName, 'For work on this package only, not for its users')
            [CompletionResult]::new('--merge', '--merge', [CompletionResultType]::ParameterName, 'Where you and upstream changed the same, write both')
            [CompletionResult]::new('--ours', '--ours', [CompletionResultType]::ParameterName, 'There, keep yours')
            [CompletionResult]::new('--theirs', '--theirs', [CompletionResultType]::ParameterName, 'There, take what upstream has')
            [CompletionResult]::new('--allow-revoked', '--allow-revoked', [CompletionResultType]::ParameterName, 'Install what its registry revoked, from the lockfile')
            [CompletionResult]::new('--allow-unsigned', '--allow-unsigned', [CompletionResultType]::ParameterName, 'Let what nobody vouches for follow what was signed')
            [CompletionResult]::new('-g', '-g', [CompletionResultType]::ParameterName, 'Work on your own skills, not the project''s')
            [CompletionResult]::new('--global', '--global', [CompletionResultType]::ParameterName, 'Work on your own skills, not the project''s')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Tell what would be done, and do nothing')
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Save what is in the way to .skillpm/backup; go on')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Refuse the network; use what was brought before')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Refuse to change the lockfile; fail if it would have to')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Both --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never ask; take what can be decided without')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;remove' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Set a setting for this run, as KEY=VALUE (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this form: human, json; for a catalog, one of --list-formats')
            [CompletionResult]::new('--source', '--source', [CompletionResultType]::ParameterName, 'Remove all skills of the sources named')
            [CompletionResult]::new('-g', '-g', [CompletionResultType]::ParameterName, 'Work on your own skills, not the project''s')
            [CompletionResult]::new('--global', '--global', [CompletionResultType]::ParameterName, 'Work on your own skills, not the project''s')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Tell what would be done, and do nothing')
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Save what is in the way to .skillpm/backup; go on')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Refuse the network; use what was brought before')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Refuse to change the lockfile; fail if it would have to')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Both --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never ask; take what can be decided without')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;install' {
            [CompletionResult]::new('--min-release-age', '--min-release-age', [CompletionResultType]::ParameterName, 'Pass over versions published more lately than AGE')
            [CompletionResult]::new('--exclude-newer', '--exclude-newer', [CompletionResultType]::ParameterName, 'Pass over versions published after DATE')
            [CompletionResult]::new('--allow-finding', '--allow-finding', [CompletionResultType]::ParameterName, 'Install in spite of what this rule finds (repeatable)')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Set a setting for this run, as KEY=VALUE (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this form: human, json; for a catalog, one of --list-formats')
            [CompletionResult]::new('--merge', '--merge', [CompletionResultType]::ParameterName, 'Where you and upstream changed the same, write both')
            [CompletionResult]::new('--ours', '--ours', [CompletionResultType]::ParameterName, 'There, keep yours')
            [CompletionResult]::new('--theirs', '--theirs', [CompletionResultType]::ParameterName, 'There, take what upstream has')
            [CompletionResult]::new('--allow-revoked', '--allow-revoked', [CompletionResultType]::ParameterName, 'Install what its registry revoked, from the lockfile')
            [CompletionResult]::new('--allow-unsigned', '--allow-unsigned', [CompletionResultType]::ParameterName, 'Let what nobody vouches for follow what was signed')
            [CompletionResult]::new('-g', '-g', [CompletionResultType]::ParameterName, 'Work on your own skills, not the project''s')
            [CompletionResult]::new('--global', '--global', [CompletionResultType]::ParameterName, 'Work on your own skills, not the project''s')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Tell what would be done, and do nothing')
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Save what is in the way to .skillpm/backup; go on')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Refuse the network; use what was brought before')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Refuse to change the lockfile; fail if it would have to')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Both --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never ask; take what can be decided without')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;sync' {
            [CompletionResult]::new('--min-release-age', '--min-release-age', [CompletionResultType]::ParameterName, 'Pass over versions published more lately than AGE')
            [CompletionResult]::new('--exclude-newer', '--exclude-newer', [CompletionResultType]::ParameterName, 'Pass over versions published after DATE')
            [CompletionResult]::new('--allow-finding', '--allow-finding', [CompletionResultType]::ParameterName, 'Install in spite of what this rule finds (repeatable)')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Set a setting for this run, as KEY=VALUE (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this form: human, json; for a catalog, one of --list-formats')
            [CompletionResult]::new('--merge', '--merge', [CompletionResultType]::ParameterName, 'Where you and upstream changed the same, write both')
            [CompletionResult]::new('--ours', '--ours', [CompletionResultType]::ParameterName, 'There, keep yours')
            [CompletionResult]::new('--theirs', '--theirs', [CompletionResultType]::ParameterName, 'There, take what upstream has')
            [CompletionResult]::new('--allow-revoked', '--allow-revoked', [CompletionResultType]::ParameterName, 'Install what its registry revoked, from the lockfile')
            [CompletionResult]::new('--allow-unsigned', '--allow-unsigned', [CompletionResultType]::ParameterName, 'Let what nobody vouches for follow what was signed')
            [CompletionResult]::new('-g', '-g', [CompletionResultType]::ParameterName, 'Work on your own skills, not the project''s')
            [CompletionResult]::new('--global', '--global', [CompletionResultType]::ParameterName, 'Work on your own skills, not the project''s')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Tell what would be done, and do nothing')
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Save what is in the way to .skillpm/backup; go on')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Refuse the network; use what was brought before')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Refuse to change the lockfile; fail if it would have to')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Both --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never ask; take what can be decided without')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;update' {
            [CompletionResult]::new('--precise', '--precise', [CompletionResultType]::ParameterName, 'Go to this version, or for git to this full commit id')
            [CompletionResult]::new('--allow-finding', '--allow-finding', [CompletionResultType]::ParameterName, 'Install in spite of what this rule finds (repeatable)')
            [CompletionResult]::new('--exclude-newer', '--exclude-newer', [CompletionResultType]::ParameterName, 'Pass over versions published after DATE')
            [CompletionResult]::new('--min-release-age', '--min-release-age', [CompletionResultType]::ParameterName, 'Pass over versions published more lately than AGE')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Set a setting for this run, as KEY=VALUE (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this form: human, json; for a catalog, one of --list-formats')
            [CompletionResult]::new('--latest', '--latest', [CompletionResultType]::ParameterName, 'Go beyond the manifest''s requirement, and raise it')
            [CompletionResult]::new('--diff', '--diff', [CompletionResultType]::ParameterName, 'Show what changes in each file, before it is changed')
            [CompletionResult]::new('--merge', '--merge', [CompletionResultType]::ParameterName, 'Where you and upstream changed the same, write both')
            [CompletionResult]::new('--ours', '--ours', [CompletionResultType]::ParameterName, 'There, keep yours')
            [CompletionResult]::new('--theirs', '--theirs', [CompletionResultType]::ParameterName, 'There, take what upstream has')
            [CompletionResult]::new('--allow-revoked', '--allow-revoked', [CompletionResultType]::ParameterName, 'Install what its registry revoked, from the lockfile')
            [CompletionResult]::new('--allow-unsigned', '--allow-unsigned', [CompletionResultType]::ParameterName, 'Let what nobody vouches for follow what was signed')
            [CompletionResult]::new('-g', '-g', [CompletionResultType]::ParameterName, 'Work on your own skills, not the project''s')
            [CompletionResult]::new('--global', '--global', [CompletionResultType]::ParameterName, 'Work on your own skills, not the project''s')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Tell what would be done, and do nothing')
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Save what is in the way to .skillpm/backup; go on')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Refuse the network; use what was brought before')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Refuse to change the lockfile; fail if it would have to')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Both --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never ask; take what can be decided without')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;import' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Set a setting for this run, as KEY=VALUE (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this form: human, json; for a catalog, one of --list-formats')
            [CompletionResult]::new('--remove-old', '--remove-old', [CompletionResultType]::ParameterName, 'Take away the other tools'' files that are of no more use')
            [CompletionResult]::new('--keep-going', '--keep-going', [CompletionResultType]::ParameterName, 'Leave what cannot be had now, and take over the others')
            [CompletionResult]::new('--gather', '--gather', [CompletionResultType]::ParameterName, 'Make one of the copies of a skill that nobody claims')
            [CompletionResult]::new('-g', '-g', [CompletionResultType]::ParameterName, 'Work on your own skills, not the project''s')
            [CompletionResult]::new('--global', '--global', [CompletionResultType]::ParameterName, 'Work on your own skills, not the project''s')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Tell what would be done, and do nothing')
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Save what is in the way to .skillpm/backup; go on')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Refuse the network; use what was brought before')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Refuse to change the lockfile; fail if it would have to')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Both --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never ask; take what can be decided without')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;undo' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Set a setting for this run, as KEY=VALUE (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this form: human, json; for a catalog, one of --list-formats')
            [CompletionResult]::new('--list', '--list', [CompletionResultType]::ParameterName, 'List what can be undone, the last first')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Tell what would be done, and do nothing')
            [CompletionResult]::new('-g', '-g', [CompletionResultType]::ParameterName, 'Work on your own skills, not the project''s')
            [CompletionResult]::new('--global', '--global', [CompletionResultType]::ParameterName, 'Work on your own skills, not the project''s')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Refuse the network; use what was brought before')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Refuse to change the lockfile; fail if it would have to')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Both --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never ask; take what can be decided without')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;outdated' {
            [CompletionResult]::new('--min-release-age', '--min-release-age', [CompletionResultType]::ParameterName, 'Pass over versions published more lately than AGE')
            [CompletionResult]::new('--exclude-newer', '--exclude-newer', [CompletionResultType]::ParameterName, 'Pass over versions published after DATE')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Set a setting for this run, as KEY=VALUE (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this form: human, json; for a catalog, one of --list-formats')
            [CompletionResult]::new('--exit-code', '--exit-code', [CompletionResultType]::ParameterName, 'Exit with 1 if anything is outdated')
            [CompletionResult]::new('-g', '-g', [CompletionResultType]::ParameterName, 'Work on your own skills, not the project''s')
            [CompletionResult]::new('--global', '--global', [CompletionResultType]::ParameterName, 'Work on your own skills, not the project''s')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Refuse the network; use what was brought before')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Refuse to change the lockfile; fail if it would have to')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Both --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never ask; take what can be decided without')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;diff' {
            [CompletionResult]::new('--to', '--to', [CompletionResultType]::ParameterName, 'Compare with this version, commit, or `latest`')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Set a setting for this run, as KEY=VALUE (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this form: human, json; for a catalog, one of --list-formats')
            [CompletionResult]::new('--stat', '--stat', [CompletionResultType]::ParameterName, 'Tell just the files, and how many lines')
            [CompletionResult]::new('--exit-code', '--exit-code', [CompletionResultType]::ParameterName, 'Exit with 1 if anything differs')
            [CompletionResult]::new('-g', '-g', [CompletionResultType]::ParameterName, 'Work on your own skills, not the project''s')
            [CompletionResult]::new('--global', '--global', [CompletionResultType]::ParameterName, 'Work on your own skills, not the project''s')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Refuse the network; use what was brought before')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Refuse to change the lockfile; fail if it would have to')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Both --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never ask; take what can be decided without')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;patch' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Set a setting for this run, as KEY=VALUE (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this form: human, json; for a catalog, one of --list-formats')
            [CompletionResult]::new('--drop', '--drop', [CompletionResultType]::ParameterName, 'Give up the edits that are kept, and remove their patch file')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Tell what would be done, and do nothing')
            [CompletionResult]::new('-g', '-g', [CompletionResultType]::ParameterName, 'Work on your own skills, not the project''s')
            [CompletionResult]::new('--global', '--global', [CompletionResultType]::ParameterName, 'Work on your own skills, not the project''s')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Refuse the network; use what was brought before')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Refuse to change the lockfile; fail if it would have to')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Both --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never ask; take what can be decided without')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;lock' {
            [CompletionResult]::new('--merge', '--merge', [CompletionResultType]::ParameterName, 'Settle a merge conflict; with FILEs, be git''s merge driver')
            [CompletionResult]::new('--min-release-age', '--min-release-age', [CompletionResultType]::ParameterName, 'Pass over versions published more lately than AGE')
            [CompletionResult]::new('--exclude-newer', '--exclude-newer', [CompletionResultType]::ParameterName, 'Pass over versions published after DATE')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Set a setting for this run, as KEY=VALUE (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this form: human, json; for a catalog, one of --list-formats')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Tell what would be done, and do nothing')
            [CompletionResult]::new('-g', '-g', [CompletionResultType]::ParameterName, 'Work on your own skills, not the project''s')
            [CompletionResult]::new('--global', '--global', [CompletionResultType]::ParameterName, 'Work on your own skills, not the project''s')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Refuse the network; use what was brought before')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Refuse to change the lockfile; fail if it would have to')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Both --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never ask; take what can be decided without')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;tree' {
            [CompletionResult]::new('--depth', '--depth', [CompletionResultType]::ParameterName, 'How many levels to show; 1 for the project''s own dependencies alone')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Set a setting for this run, as KEY=VALUE (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this form: human, json; for a catalog, one of --list-formats')
            [CompletionResult]::new('-i', '-i', [CompletionResultType]::ParameterName, 'Show who needs each package instead of what it needs')
            [CompletionResult]::new('--invert', '--invert', [CompletionResultType]::ParameterName, 'Show who needs each package instead of what it needs')
            [CompletionResult]::new('-g', '-g', [CompletionResultType]::ParameterName, 'Work on your own skills, not the project''s')
            [CompletionResult]::new('--global', '--global', [CompletionResultType]::ParameterName, 'Work on your own skills, not the project''s')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Refuse the network; use what was brought before')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Refuse to change the lockfile; fail if it would have to')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Both --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never ask; take what can be decided without')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;why' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Set a setting for this run, as KEY=VALUE (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this form: human, json; for a catalog, one of --list-formats')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Refuse the network; use what was brought before')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Refuse to change the lockfile; fail if it would have to')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Both --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never ask; take what can be decided without')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;list' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Set a setting for this run, as KEY=VALUE (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this form: human, json; for a catalog, one of --list-formats')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Refuse the network; use what was brought before')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Refuse to change the lockfile; fail if it would have to')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Both --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never ask; take what can be decided without')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;search' {
            [CompletionResult]::new('--registry', '--registry', [CompletionResultType]::ParameterName, 'Search this registry only')
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'Show this many at most')
            [CompletionResult]::new('--tier', '--tier', [CompletionResultType]::ParameterName, 'Search what is installed in this tier only')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Set a setting for this run, as KEY=VALUE (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this form: human, json; for a catalog, one of --list-formats')
            [CompletionResult]::new('--installed', '--installed', [CompletionResultType]::ParameterName, 'Search what is installed only')
            [CompletionResult]::new('--refresh', '--refresh', [CompletionResultType]::ParameterName, 'Ask the registries what there is now')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Refuse the network; use what was brought before')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Refuse to change the lockfile; fail if it would have to')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Both --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never ask; take what can be decided without')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;sbom' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write into this file, not to stdout')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write into this file, not to stdout')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Set a setting for this run, as KEY=VALUE (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this form: human, json; for a catalog, one of --list-formats')
            [CompletionResult]::new('-g', '-g', [CompletionResultType]::ParameterName, 'Work on your own skills, not the project''s')
            [CompletionResult]::new('--global', '--global', [CompletionResultType]::ParameterName, 'Work on your own skills, not the project''s')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Refuse the network; use what was brought before')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Refuse to change the lockfile; fail if it would have to')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Both --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never ask; take what can be decided without')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;info' {
            [CompletionResult]::new('--registry', '--registry', [CompletionResultType]::ParameterName, 'Look in this registry only')
            [CompletionResult]::new('--skill', '--skill', [CompletionResultType]::ParameterName, 'Show this skill of a source with many')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Set a setting for this run, as KEY=VALUE (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this form: human, json; for a catalog, one of --list-formats')
            [CompletionResult]::new('--versions', '--versions', [CompletionResultType]::ParameterName, 'Show every version, not just the newest')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Refuse the network; use what was brought before')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Refuse to change the lockfile; fail if it would have to')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Both --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never ask; take what can be decided without')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;show' {
            [CompletionResult]::new('--file', '--file', [CompletionResultType]::ParameterName, 'Another file of the skill than its SKILL.md')
            [CompletionResult]::new('--agent', '--agent', [CompletionResultType]::ParameterName, 'As this agent sees it, in its own order')
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Look in this directory, not the tiers (repeatable)')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Set a setting for this run, as KEY=VALUE (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this form: human, json; for a catalog, one of --list-formats')
            [CompletionResult]::new('--files', '--files', [CompletionResultType]::ParameterName, 'List the skill''s files, with their sizes in bytes')
            [CompletionResult]::new('--exact', '--exact', [CompletionResultType]::ParameterName, 'Count tokens by the o200k vocabulary, not roughly')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Refuse the network; use what was brought before')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Refuse to change the lockfile; fail if it would have to')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Both --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never ask; take what can be decided without')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;verify' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Set a setting for this run, as KEY=VALUE (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this form: human, json; for a catalog, one of --list-formats')
            [CompletionResult]::new('-g', '-g', [CompletionResultType]::ParameterName, 'Work on your own skills, not the project''s')
            [CompletionResult]::new('--global', '--global', [CompletionResultType]::ParameterName, 'Work on your own skills, not the project''s')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Refuse the network; use what was brought before')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Refuse to change the lockfile; fail if it would have to')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Both --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never ask; take what can be decided without')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;audit' {
            [CompletionResult]::new('--fail-on', '--fail-on', [CompletionResultType]::ParameterName, 'Exit with 1 from this severity on: low, medium, high (the default) or critical')
            [CompletionResult]::new('--baseline', '--baseline', [CompletionResultType]::ParameterName, 'Do not tell the findings recorded in this file')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Set a setting for this run, as KEY=VALUE (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this form: human, json; for a catalog, one of --list-formats')
            [CompletionResult]::new('-g', '-g', [CompletionResultType]::ParameterName, 'Work on your own skills, not the project''s')
            [CompletionResult]::new('--global', '--global', [CompletionResultType]::ParameterName, 'Work on your own skills, not the project''s')
            [CompletionResult]::new('--capabilities', '--capabilities', [CompletionResultType]::ParameterName, 'Take stock instead of judging: commands, hosts, variables, paths, tools, scripts')
            [CompletionResult]::new('--low', '--low', [CompletionResultType]::ParameterName, 'Show findings of low severity, too')
            [CompletionResult]::new('--statistics', '--statistics', [CompletionResultType]::ParameterName, 'Count by rule instead of showing each finding')
            [CompletionResult]::new('--write-baseline', '--write-baseline', [CompletionResultType]::ParameterName, 'Record all findings in the baseline')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Refuse the network; use what was brought before')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Refuse to change the lockfile; fail if it would have to')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Both --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never ask; take what can be decided without')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;vendor' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Set a setting for this run, as KEY=VALUE (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this form: human, json; for a catalog, one of --list-formats')
            [CompletionResult]::new('--versioned-dirs', '--versioned-dirs', [CompletionResultType]::ParameterName, 'Name directories with versions: pdf-1.2.0')
            [CompletionResult]::new('--no-delete', '--no-delete', [CompletionResultType]::ParameterName, 'Keep what is locked no more')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Tell what would be done, and do nothing')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Refuse the network; use what was brought before')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Refuse to change the lockfile; fail if it would have to')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Both --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never ask; take what can be decided without')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;export' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Set a setting for this run, as KEY=VALUE (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this form: human, json; for a catalog, one of --list-formats')
            [CompletionResult]::new('-g', '-g', [CompletionResultType]::ParameterName, 'Work on your own skills, not the project''s')
            [CompletionResult]::new('--global', '--global', [CompletionResultType]::ParameterName, 'Work on your own skills, not the project''s')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Refuse the network; use what was brought before')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Refuse to change the lockfile; fail if it would have to')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Both --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never ask; take what can be decided without')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;lint' {
            [CompletionResult]::new('--stdin-filename', '--stdin-filename', [CompletionResultType]::ParameterName, 'What the file on stdin is called')
            [CompletionResult]::new('--since', '--since', [CompletionResultType]::ParameterName, 'Only skills that have changed since this commit')
            [CompletionResult]::new('--explain', '--explain', [CompletionResultType]::ParameterName, 'Explain a rule, by code or name')
            [CompletionResult]::new('--select', '--select', [CompletionResultType]::ParameterName, 'Only these rules: a group (`SK3`), a code or a name (repeatable)')
            [CompletionResult]::new('--extend-select', '--extend-select', [CompletionResultType]::ParameterName, 'These rules too (repeatable)')
            [CompletionResult]::new('--ignore', '--ignore', [CompletionResultType]::ParameterName, 'Not these rules (repeatable)')
            [CompletionResult]::new('--allow', '--allow', [CompletionResultType]::ParameterName, 'Drop what this rule finds (repeatable)')
            [CompletionResult]::new('--note', '--note', [CompletionResultType]::ParameterName, 'Make what this rule finds a note (repeatable)')
            [CompletionResult]::new('--warn', '--warn', [CompletionResultType]::ParameterName, 'Make what this rule finds a warning (repeatable)')
            [CompletionResult]::new('--deny', '--deny', [CompletionResultType]::ParameterName, 'Make what this rule finds an error (repeatable)')
            [CompletionResult]::new('--profile', '--profile', [CompletionResultType]::ParameterName, 'Judge for users, for a registry, or hard')
            [CompletionResult]::new('--target', '--target', [CompletionResultType]::ParameterName, 'An agent that the skills are for, by its id (repeatable)')
            [CompletionResult]::new('--baseline', '--baseline', [CompletionResultType]::ParameterName, 'Do not tell the findings recorded in this file')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Set a setting for this run, as KEY=VALUE (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this form: human, json; for a catalog, one of --list-formats')
            [CompletionResult]::new('--notes', '--notes', [CompletionResultType]::ParameterName, 'Show notes, too')
            [CompletionResult]::new('--statistics', '--statistics', [CompletionResultType]::ParameterName, 'Count by rule instead of showing each finding')
            [CompletionResult]::new('--deny-warnings', '--deny-warnings', [CompletionResultType]::ParameterName, 'Make every warning an error')
            [CompletionResult]::new('--isolated', '--isolated', [CompletionResultType]::ParameterName, 'Ask no `skillpm.toml`')
            [CompletionResult]::new('--fix', '--fix', [CompletionResultType]::ParameterName, 'Mend what can be mended safely')
            [CompletionResult]::new('--unsafe-fixes', '--unsafe-fixes', [CompletionResultType]::ParameterName, 'Apply fixes that guess, too: look at them afterwards')
            [CompletionResult]::new('--diff', '--diff', [CompletionResultType]::ParameterName, 'Show what `--fix` would do as a patch, and write nothing')
            [CompletionResult]::new('--write-baseline', '--write-baseline', [CompletionResultType]::ParameterName, 'Record all findings in the baseline')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Refuse the network; use what was brought before')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Refuse to change the lockfile; fail if it would have to')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Both --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never ask; take what can be decided without')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;validate' {
            [CompletionResult]::new('--profile', '--profile', [CompletionResultType]::ParameterName, 'Whose verdict is wanted: the specification''s text, or the official validator''s')
            [CompletionResult]::new('--stdin-filename', '--stdin-filename', [CompletionResultType]::ParameterName, 'Where the file on stdin would stand; its directory gives the skill''s name')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Set a setting for this run, as KEY=VALUE (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this form: human, json; for a catalog, one of --list-formats')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Refuse the network; use what was brought before')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Refuse to change the lockfile; fail if it would have to')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Both --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never ask; take what can be decided without')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;package' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write the archive to this file or directory')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write the archive to this file or directory')
            [CompletionResult]::new('--extract', '--extract', [CompletionResultType]::ParameterName, 'Check an archive and unpack it into a new directory')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Set a setting for this run, as KEY=VALUE (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this form: human, json; for a catalog, one of --list-formats')
            [CompletionResult]::new('--list', '--list', [CompletionResultType]::ParameterName, 'Show the files; write nothing')
            [CompletionResult]::new('--workspace', '--workspace', [CompletionResultType]::ParameterName, 'Pack every member of the workspace')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Refuse the network; use what was brought before')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Refuse to change the lockfile; fail if it would have to')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Both --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never ask; take what can be decided without')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;convert' {
            [CompletionResult]::new('--to', '--to', [CompletionResultType]::ParameterName, 'The format it is to have')
            [CompletionResult]::new('--out', '--out', [CompletionResultType]::ParameterName, 'The directory to make the new one in [default: the one around the skill]')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Set a setting for this run, as KEY=VALUE (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this form: human, json; for a catalog, one of --list-formats')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Refuse the network; use what was brought before')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Refuse to change the lockfile; fail if it would have to')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Both --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never ask; take what can be decided without')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;catalog' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Read this directory, not the tiers (repeatable)')
            [CompletionResult]::new('--agent', '--agent', [CompletionResultType]::ParameterName, 'What this agent is shown, in its own order')
            [CompletionResult]::new('--only', '--only', [CompletionResultType]::ParameterName, 'Show just these skills')
            [CompletionResult]::new('--search', '--search', [CompletionResultType]::ParameterName, 'Show just those whose name, tags or description hold these words')
            [CompletionResult]::new('--tag', '--tag', [CompletionResultType]::ParameterName, 'Show just those with this tag (repeatable)')
            [CompletionResult]::new('--assume', '--assume', [CompletionResultType]::ParameterName, 'Take os=…,bins=…,env=… for granted (repeatable)')
            [CompletionResult]::new('--budget', '--budget', [CompletionResultType]::ParameterName, 'Fail if the listing is longer than N characters')
            [CompletionResult]::new('--preamble', '--preamble', [CompletionResultType]::ParameterName, 'Advise the model with this file''s text')
            [CompletionResult]::new('--template', '--template', [CompletionResultType]::ParameterName, 'Write it by this template')
            [CompletionResult]::new('--into', '--into', [CompletionResultType]::ParameterName, 'Rewrite the section between the markers of this file')
            [CompletionResult]::new('--out', '--out', [CompletionResultType]::ParameterName, 'Write a tree of files to this directory')
            [CompletionResult]::new('--base-url', '--base-url', [CompletionResultType]::ParameterName, 'Where `well-known` will be served')
            [CompletionResult]::new('--title', '--title', [CompletionResultType]::ParameterName, 'What `claude-marketplace` calls itself [default: skills]')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Set a setting for this run, as KEY=VALUE (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this form: human, json; for a catalog, one of --list-formats')
            [CompletionResult]::new('--all', '--all', [CompletionResultType]::ParameterName, 'Show the hidden ones too, and why they are')
            [CompletionResult]::new('--replace-openskills', '--replace-openskills', [CompletionResultType]::ParameterName, 'Take the place of the section that openskills keeps there')
            [CompletionResult]::new('--stats', '--stats', [CompletionResultType]::ParameterName, 'Print what the skills and the forms cost a model')
            [CompletionResult]::new('--list-formats', '--list-formats', [CompletionResultType]::ParameterName, 'List the forms there are')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Refuse the network; use what was brought before')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Refuse to change the lockfile; fail if it would have to')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Both --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never ask; take what can be decided without')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;serve' {
            [CompletionResult]::new('--http', '--http', [CompletionResultType]::ParameterName, 'Listen for HTTP: PORT, IP or IP:PORT')
            [CompletionResult]::new('--token', '--token', [CompletionResultType]::ParameterName, 'Ask each HTTP request for this bearer token')
            [CompletionResult]::new('--allow-host', '--allow-host', [CompletionResultType]::ParameterName, 'Answer to this host name too (repeatable)')
            [CompletionResult]::new('--agent', '--agent', [CompletionResultType]::ParameterName, 'Serve what this agent is shown, by its own order')
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Read this directory, not the tiers (repeatable)')
            [CompletionResult]::new('--only', '--only', [CompletionResultType]::ParameterName, 'Serve just these skills')
            [CompletionResult]::new('--assume', '--assume', [CompletionResultType]::ParameterName, 'Take os=…,bins=…,env=… for granted (repeatable)')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Set a setting for this run, as KEY=VALUE (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this form: human, json; for a catalog, one of --list-formats')
            [CompletionResult]::new('--allow-proposals', '--allow-proposals', [CompletionResultType]::ParameterName, 'Let clients propose changes, for you to look at')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Refuse the network; use what was brought before')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Refuse to change the lockfile; fail if it would have to')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Both --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never ask; take what can be decided without')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;watch' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Follow this directory, not the tiers (repeatable)')
            [CompletionResult]::new('--agent', '--agent', [CompletionResultType]::ParameterName, 'As this agent sees them, in its own order')
            [CompletionResult]::new('--poll', '--poll', [CompletionResultType]::ParameterName, 'Look every SECONDS, and do not rely on events')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Set a setting for this run, as KEY=VALUE (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this form: human, json; for a catalog, one of --list-formats')
            [CompletionResult]::new('--existing', '--existing', [CompletionResultType]::ParameterName, 'Begin with what is there already')
            [CompletionResult]::new('--once', '--once', [CompletionResultType]::ParameterName, 'End after the first change')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Refuse the network; use what was brought before')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Refuse to change the lockfile; fail if it would have to')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Both --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never ask; take what can be decided without')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;budget' {
            [CompletionResult]::new('--agent', '--agent', [CompletionResultType]::ParameterName, 'Look at this agent (repeatable)')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Set a setting for this run, as KEY=VALUE (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this form: human, json; for a catalog, one of --list-formats')
            [CompletionResult]::new('--exact', '--exact', [CompletionResultType]::ParameterName, 'Count tokens by a real vocabulary, o200k')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Refuse the network; use what was brought before')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Refuse to change the lockfile; fail if it would have to')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Both --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never ask; take what can be decided without')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;propose' {
            [CompletionResult]::new('--file', '--file', [CompletionResultType]::ParameterName, 'The SKILL.md as it should be; `-` for stdin')
            [CompletionResult]::new('--diff', '--diff', [CompletionResultType]::ParameterName, 'The change as a unified diff; `-` for stdin')
            [CompletionResult]::new('-j', '-j', [CompletionResultType]::ParameterName, 'Why the change should be made')
            [CompletionResult]::new('--justification', '--justification', [CompletionResultType]::ParameterName, 'Why the change should be made')
            [CompletionResult]::new('--evidence', '--evidence', [CompletionResultType]::ParameterName, 'What shows that it helps (repeatable)')
            [CompletionResult]::new('--by', '--by', [CompletionResultType]::ParameterName, 'Who proposes it')
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Look in this directory, not the tiers (repeatable)')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Set a setting for this run, as KEY=VALUE (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this form: human, json; for a catalog, one of --list-formats')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Refuse the network; use what was brought before')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Refuse to change the lockfile; fail if it would have to')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Both --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never ask; take what can be decided without')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;proposals' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Set a setting for this run, as KEY=VALUE (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this form: human, json; for a catalog, one of --list-formats')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Refuse the network; use what was brought before')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Refuse to change the lockfile; fail if it would have to')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Both --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never ask; take what can be decided without')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'Show the proposals that wait')
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Print a proposal')
            [CompletionResult]::new('apply', 'apply', [CompletionResultType]::ParameterValue, 'Make the change')
            [CompletionResult]::new('reject', 'reject', [CompletionResultType]::ParameterValue, 'Note that the change will not be made')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'skillpm;proposals;list' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Set a setting for this run, as KEY=VALUE (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this form: human, json; for a catalog, one of --list-formats')
            [CompletionResult]::new('--all', '--all', [CompletionResultType]::ParameterName, 'Show those that were decided on, too')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Refuse the network; use what was brought before')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Refuse to change the lockfile; fail if it would have to')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Both --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never ask; take what can be decided without')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;proposals;show' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Set a setting for this run, as KEY=VALUE (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this form: human, json; for a catalog, one of --list-formats')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Refuse the network; use what was brought before')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Refuse to change the lockfile; fail if it would have to')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Both --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never ask; take what can be decided without')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;proposals;apply' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Look for the skill in this directory, not the tiers (repeatable)')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Set a setting for this run, as KEY=VALUE (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this form: human, json; for a catalog, one of --list-formats')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Refuse the network; use what was brought before')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Refuse to change the lockfile; fail if it would have to')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Both --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never ask; take what can be decided without')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;proposals;reject' {
            [CompletionResult]::new('--reason', '--reason', [CompletionResultType]::ParameterName, 'Why not')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Set a setting for this run, as KEY=VALUE (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this form: human, json; for a catalog, one of --list-formats')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Refuse the network; use what was brought before')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Refuse to change the lockfile; fail if it would have to')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Both --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never ask; take what can be decided without')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;proposals;help' {
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'Show the proposals that wait')
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Print a proposal')
            [CompletionResult]::new('apply', 'apply', [CompletionResultType]::ParameterValue, 'Make the change')
            [CompletionResult]::new('reject', 'reject', [CompletionResultType]::ParameterValue, 'Note that the change will not be made')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'skillpm;proposals;help;list' {
            break
        }
        'skillpm;proposals;help;show' {
            break
        }
        'skillpm;proposals;help;apply' {
            break
        }
        'skillpm;proposals;help;reject' {
            break
        }
        'skillpm;proposals;help;help' {
            break
        }
        'skillpm;publish' {
            [CompletionResult]::new('--registry', '--registry', [CompletionResultType]::ParameterName, 'The registry to publish to, by its name in the settings')
            [CompletionResult]::new('--branch', '--branch', [CompletionResultType]::ParameterName, 'Leave it on this branch of the index, for review')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Set a setting for this run, as KEY=VALUE (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this form: human, json; for a catalog, one of --list-formats')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Do all but the change')
            [CompletionResult]::new('--tag', '--tag', [CompletionResultType]::ParameterName, 'Tag the commit it is made from as NAME-vX.Y.Z')
            [CompletionResult]::new('--workspace', '--workspace', [CompletionResultType]::ParameterName, 'Publish every member whose version is new')
            [CompletionResult]::new('--sign', '--sign', [CompletionResultType]::ParameterName, 'Sign the commit of the index with your key')
            [CompletionResult]::new('--allow-dirty', '--allow-dirty', [CompletionResultType]::ParameterName, 'Publish what was not committed, too')
            [CompletionResult]::new('--allow-similar', '--allow-similar', [CompletionResultType]::ParameterName, 'Take a new name that is like another''s')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Refuse the network; use what was brought before')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Refuse to change the lockfile; fail if it would have to')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Both --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never ask; take what can be decided without')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;yank' {
            [CompletionResult]::new('--reason', '--reason', [CompletionResultType]::ParameterName, 'Why it is revoked, in a sentence that everybody reads')
            [CompletionResult]::new('--registry', '--registry', [CompletionResultType]::ParameterName, 'The registry it is in, by its name in the settings')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Set a setting for this run, as KEY=VALUE (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this form: human, json; for a catalog, one of --list-formats')
            [CompletionResult]::new('--undo', '--undo', [CompletionResultType]::ParameterName, 'Take it back in')
            [CompletionResult]::new('--revoke', '--revoke', [CompletionResultType]::ParameterName, 'Forbid it to everybody, because it does harm')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Refuse the network; use what was brought before')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Refuse to change the lockfile; fail if it would have to')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Both --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never ask; take what can be decided without')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;owner' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Set a setting for this run, as KEY=VALUE (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this form: human, json; for a catalog, one of --list-formats')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Refuse the network; use what was brought before')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Refuse to change the lockfile; fail if it would have to')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Both --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never ask; take what can be decided without')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'Show who may publish a name')
            [CompletionResult]::new('add', 'add', [CompletionResultType]::ParameterValue, 'Let others publish it, too')
            [CompletionResult]::new('remove', 'remove', [CompletionResultType]::ParameterValue, 'Let others publish it no more')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'skillpm;owner;list' {
            [CompletionResult]::new('--registry', '--registry', [CompletionResultType]::ParameterName, 'The registry it is in, by its name in the settings')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Set a setting for this run, as KEY=VALUE (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this form: human, json; for a catalog, one of --list-formats')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Refuse the network; use what was brought before')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Refuse to change the lockfile; fail if it would have to')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Both --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never ask; take what can be decided without')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;owner;add' {
            [CompletionResult]::new('--registry', '--registry', [CompletionResultType]::ParameterName, 'The registry it is in, by its name in the settings')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Set a setting for this run, as KEY=VALUE (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this form: human, json; for a catalog, one of --list-formats')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Refuse the network; use what was brought before')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Refuse to change the lockfile; fail if it would have to')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Both --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never ask; take what can be decided without')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;owner;remove' {
            [CompletionResult]::new('--registry', '--registry', [CompletionResultType]::ParameterName, 'The registry it is in, by its name in the settings')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Set a setting for this run, as KEY=VALUE (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this form: human, json; for a catalog, one of --list-formats')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Refuse the network; use what was brought before')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Refuse to change the lockfile; fail if it would have to')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Both --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never ask; take what can be decided without')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;owner;help' {
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'Show who may publish a name')
            [CompletionResult]::new('add', 'add', [CompletionResultType]::ParameterValue, 'Let others publish it, too')
            [CompletionResult]::new('remove', 'remove', [CompletionResultType]::ParameterValue, 'Let others publish it no more')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'skillpm;owner;help;list' {
            break
        }
        'skillpm;owner;help;add' {
            break
        }
        'skillpm;owner;help;remove' {
            break
        }
        'skillpm;owner;help;help' {
            break
        }
        'skillpm;registry' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Set a setting for this run, as KEY=VALUE (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this form: human, json; for a catalog, one of --list-formats')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Refuse the network; use what was brought before')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Refuse to change the lockfile; fail if it would have to')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Both --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never ask; take what can be decided without')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('new', 'new', [CompletionResultType]::ParameterValue, 'Make an index with nothing in it')
            [CompletionResult]::new('check', 'check', [CompletionResultType]::ParameterValue, 'Hold an index, or a change of it, to its rules')
            [CompletionResult]::new('advise', 'advise', [CompletionResultType]::ParameterValue, 'Put advisories together for readers')
            [CompletionResult]::new('renew', 'renew', [CompletionResultType]::ParameterValue, 'Say until when an index is to be believed')
            [CompletionResult]::new('site', 'site', [CompletionResultType]::ParameterValue, 'Write a static site of skills')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'skillpm;registry;new' {
            [CompletionResult]::new('--dl', '--dl', [CompletionResultType]::ParameterName, 'Where archives are [default: in the index]')
            [CompletionResult]::new('--owner', '--owner', [CompletionResultType]::ParameterName, 'Who keeps it [default: you] (repeatable)')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Set a setting for this run, as KEY=VALUE (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this form: human, json; for a catalog, one of --list-formats')
            [CompletionResult]::new('--git', '--git', [CompletionResultType]::ParameterName, 'Make a git repository of it')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Refuse the network; use what was brought before')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Refuse to change the lockfile; fail if it would have to')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Both --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never ask; take what can be decided without')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;registry;check' {
            [CompletionResult]::new('--base', '--base', [CompletionResultType]::ParameterName, 'Judge what HEAD changes from this revision')
            [CompletionResult]::new('--by', '--by', [CompletionResultType]::ParameterName, 'Who makes the change (repeatable)')
            [CompletionResult]::new('--archives', '--archives', [CompletionResultType]::ParameterName, 'Which archives to read')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Set a setting for this run, as KEY=VALUE (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this form: human, json; for a catalog, one of --list-formats')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Refuse the network; use what was brought before')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Refuse to change the lockfile; fail if it would have to')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Both --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never ask; take what can be decided without')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;registry;advise' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Set a setting for this run, as KEY=VALUE (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this form: human, json; for a catalog, one of --list-formats')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Refuse the network; use what was brought before')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Refuse to change the lockfile; fail if it would have to')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Both --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never ask; take what can be decided without')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;registry;renew' {
            [CompletionResult]::new('--for', '--for', [CompletionResultType]::ParameterName, 'How long from now on')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Set a setting for this run, as KEY=VALUE (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this form: human, json; for a catalog, one of --list-formats')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Refuse the network; use what was brought before')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Refuse to change the lockfile; fail if it would have to')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Both --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never ask; take what can be decided without')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;registry;site' {
            [CompletionResult]::new('--registry', '--registry', [CompletionResultType]::ParameterName, 'Make it from this registry')
            [CompletionResult]::new('--base-url', '--base-url', [CompletionResultType]::ParameterName, 'Where it will be served')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Set a setting for this run, as KEY=VALUE (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this form: human, json; for a catalog, one of --list-formats')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Refuse the network; use what was brought before')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Refuse to change the lockfile; fail if it would have to')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Both --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never ask; take what can be decided without')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;registry;help' {
            [CompletionResult]::new('new', 'new', [CompletionResultType]::ParameterValue, 'Make an index with nothing in it')
            [CompletionResult]::new('check', 'check', [CompletionResultType]::ParameterValue, 'Hold an index, or a change of it, to its rules')
            [CompletionResult]::new('advise', 'advise', [CompletionResultType]::ParameterValue, 'Put advisories together for readers')
            [CompletionResult]::new('renew', 'renew', [CompletionResultType]::ParameterValue, 'Say until when an index is to be believed')
            [CompletionResult]::new('site', 'site', [CompletionResultType]::ParameterValue, 'Write a static site of skills')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'skillpm;registry;help;new' {
            break
        }
        'skillpm;registry;help;check' {
            break
        }
        'skillpm;registry;help;advise' {
            break
        }
        'skillpm;registry;help;renew' {
            break
        }
        'skillpm;registry;help;site' {
            break
        }
        'skillpm;registry;help;help' {
            break
        }
        'skillpm;cache' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Set a setting for this run, as KEY=VALUE (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this form: human, json; for a catalog, one of --list-formats')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Refuse the network; use what was brought before')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Refuse to change the lockfile; fail if it would have to')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Both --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never ask; take what can be decided without')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('size', 'size', [CompletionResultType]::ParameterValue, 'Show how much is kept')
            [CompletionResult]::new('dir', 'dir', [CompletionResultType]::ParameterValue, 'Print the directories that hold it')
            [CompletionResult]::new('verify', 'verify', [CompletionResultType]::ParameterValue, 'Read all of it; take away what is damaged')
            [CompletionResult]::new('prune', 'prune', [CompletionResultType]::ParameterValue, 'Take away what was not used for long')
            [CompletionResult]::new('clean', 'clean', [CompletionResultType]::ParameterValue, 'Take away all of it, or all of one thing')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'skillpm;cache;size' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Set a setting for this run, as KEY=VALUE (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this form: human, json; for a catalog, one of --list-formats')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Refuse the network; use what was brought before')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Refuse to change the lockfile; fail if it would have to')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Both --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never ask; take what can be decided without')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;cache;dir' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Set a setting for this run, as KEY=VALUE (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this form: human, json; for a catalog, one of --list-formats')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Refuse the network; use what was brought before')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Refuse to change the lockfile; fail if it would have to')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Both --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never ask; take what can be decided without')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;cache;verify' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Set a setting for this run, as KEY=VALUE (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this form: human, json; for a catalog, one of --list-formats')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Refuse the network; use what was brought before')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Refuse to change the lockfile; fail if it would have to')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Both --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never ask; take what can be decided without')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;cache;prune' {
            [CompletionResult]::new('--older-than', '--older-than', [CompletionResultType]::ParameterName, 'Take what was not used for AGE')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Set a setting for this run, as KEY=VALUE (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this form: human, json; for a catalog, one of --list-formats')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Tell what would go, and take nothing')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Refuse the network; use what was brought before')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Refuse to change the lockfile; fail if it would have to')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Both --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never ask; take what can be decided without')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;cache;clean' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Set a setting for this run, as KEY=VALUE (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this form: human, json; for a catalog, one of --list-formats')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Refuse the network; use what was brought before')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Refuse to change the lockfile; fail if it would have to')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Both --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never ask; take what can be decided without')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;cache;help' {
            [CompletionResult]::new('size', 'size', [CompletionResultType]::ParameterValue, 'Show how much is kept')
            [CompletionResult]::new('dir', 'dir', [CompletionResultType]::ParameterValue, 'Print the directories that hold it')
            [CompletionResult]::new('verify', 'verify', [CompletionResultType]::ParameterValue, 'Read all of it; take away what is damaged')
            [CompletionResult]::new('prune', 'prune', [CompletionResultType]::ParameterValue, 'Take away what was not used for long')
            [CompletionResult]::new('clean', 'clean', [CompletionResultType]::ParameterValue, 'Take away all of it, or all of one thing')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'skillpm;cache;help;size' {
            break
        }
        'skillpm;cache;help;dir' {
            break
        }
        'skillpm;cache;help;verify' {
            break
        }
        'skillpm;cache;help;prune' {
            break
        }
        'skillpm;cache;help;clean' {
            break
        }
        'skillpm;cache;help;help' {
            break
        }
        'skillpm;doctor' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Set a setting for this run, as KEY=VALUE (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this form: human, json; for a catalog, one of --list-formats')
            [CompletionResult]::new('--fix', '--fix', [CompletionResultType]::ParameterName, 'Mend what can be mended without losing anything')
            [CompletionResult]::new('--online', '--online', [CompletionResultType]::ParameterName, 'Ask every registry whether it answers, too')
            [CompletionResult]::new('-g', '-g', [CompletionResultType]::ParameterName, 'Work on your own skills, not the project''s')
            [CompletionResult]::new('--global', '--global', [CompletionResultType]::ParameterName, 'Work on your own skills, not the project''s')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Refuse the network; use what was brought before')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Refuse to change the lockfile; fail if it would have to')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Both --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never ask; take what can be decided without')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;config' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Set a setting for this run, as KEY=VALUE (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this form: human, json; for a catalog, one of --list-formats')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Refuse the network; use what was brought before')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Refuse to change the lockfile; fail if it would have to')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Both --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never ask; take what can be decided without')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'Show all settings, and where each was set')
            [CompletionResult]::new('get', 'get', [CompletionResultType]::ParameterValue, 'Print one setting')
            [CompletionResult]::new('set', 'set', [CompletionResultType]::ParameterValue, 'Change one setting')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'skillpm;config;list' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Set a setting for this run, as KEY=VALUE (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this form: human, json; for a catalog, one of --list-formats')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Refuse the network; use what was brought before')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Refuse to change the lockfile; fail if it would have to')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Both --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never ask; take what can be decided without')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;config;get' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Set a setting for this run, as KEY=VALUE (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this form: human, json; for a catalog, one of --list-formats')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Refuse the network; use what was brought before')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Refuse to change the lockfile; fail if it would have to')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Both --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never ask; take what can be decided without')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;config;set' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Set a setting for this run, as KEY=VALUE (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this form: human, json; for a catalog, one of --list-formats')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'In the project''s file instead of your own')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Refuse the network; use what was brought before')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Refuse to change the lockfile; fail if it would have to')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Both --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never ask; take what can be decided without')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;config;help' {
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'Show all settings, and where each was set')
            [CompletionResult]::new('get', 'get', [CompletionResultType]::ParameterValue, 'Print one setting')
            [CompletionResult]::new('set', 'set', [CompletionResultType]::ParameterValue, 'Change one setting')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'skillpm;config;help;list' {
            break
        }
        'skillpm;config;help;get' {
            break
        }
        'skillpm;config;help;set' {
            break
        }
        'skillpm;config;help;help' {
            break
        }
        'skillpm;login' {
            [CompletionResult]::new('--registry', '--registry', [CompletionResultType]::ParameterName, 'The registry, by name or by URL [default: the default one]')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Set a setting for this run, as KEY=VALUE (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this form: human, json; for a catalog, one of --list-formats')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Refuse the network; use what was brought before')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Refuse to change the lockfile; fail if it would have to')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Both --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never ask; take what can be decided without')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;logout' {
            [CompletionResult]::new('--registry', '--registry', [CompletionResultType]::ParameterName, 'The registry, by name or by URL [default: the default one]')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Set a setting for this run, as KEY=VALUE (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this form: human, json; for a catalog, one of --list-formats')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Refuse the network; use what was brought before')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Refuse to change the lockfile; fail if it would have to')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Both --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never ask; take what can be decided without')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;completions' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Set a setting for this run, as KEY=VALUE (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this form: human, json; for a catalog, one of --list-formats')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Refuse the network; use what was brought before')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Refuse to change the lockfile; fail if it would have to')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Both --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never ask; take what can be decided without')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;man' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run as if started in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Set a setting for this run, as KEY=VALUE (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this form: human, json; for a catalog, one of --list-formats')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more of what is done')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Refuse the network; use what was brought before')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Refuse to change the lockfile; fail if it would have to')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Both --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to every question')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never ask; take what can be decided without')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;help' {
            [CompletionResult]::new('init', 'init', [CompletionResultType]::ParameterValue, 'Make a manifest for this project')
            [CompletionResult]::new('new', 'new', [CompletionResultType]::ParameterValue, 'Make a new skill from a template')
            [CompletionResult]::new('add', 'add', [CompletionResultType]::ParameterValue, 'Add skills to the project')
            [CompletionResult]::new('remove', 'remove', [CompletionResultType]::ParameterValue, 'Remove skills, and what only they needed')
            [CompletionResult]::new('install', 'install', [CompletionResultType]::ParameterValue, 'Install what the lockfile says')
            [CompletionResult]::new('update', 'update', [CompletionResultType]::ParameterValue, 'Update to the newest that fits')
            [CompletionResult]::new('import', 'import', [CompletionResultType]::ParameterValue, 'Take over what other tools have installed')
            [CompletionResult]::new('undo', 'undo', [CompletionResultType]::ParameterValue, 'Undo the last command that changed something')
            [CompletionResult]::new('outdated', 'outdated', [CompletionResultType]::ParameterValue, 'Show what has something newer')
            [CompletionResult]::new('diff', 'diff', [CompletionResultType]::ParameterValue, 'Show what you edited, or what another version brings')
            [CompletionResult]::new('patch', 'patch', [CompletionResultType]::ParameterValue, 'Keep what you edited as a patch file')
            [CompletionResult]::new('lock', 'lock', [CompletionResultType]::ParameterValue, 'Decide on versions and write the lockfile')
            [CompletionResult]::new('tree', 'tree', [CompletionResultType]::ParameterValue, 'Show the dependency graph')
            [CompletionResult]::new('why', 'why', [CompletionResultType]::ParameterValue, 'Tell why a skill is there')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List the skills that are there, by tier')
            [CompletionResult]::new('search', 'search', [CompletionResultType]::ParameterValue, 'Find packages and skills by words')
            [CompletionResult]::new('sbom', 'sbom', [CompletionResultType]::ParameterValue, 'Write a bill of materials of what is locked')
            [CompletionResult]::new('info', 'info', [CompletionResultType]::ParameterValue, 'Show what is known of a package before installing it')
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Print a skill''s instructions, or one of its files')
            [CompletionResult]::new('verify', 'verify', [CompletionResultType]::ParameterValue, 'Check every installed byte against the lockfile')
            [CompletionResult]::new('audit', 'audit', [CompletionResultType]::ParameterValue, 'Look for danger in skills that are installed or locked')
            [CompletionResult]::new('vendor', 'vendor', [CompletionResultType]::ParameterValue, 'Keep every locked package in this repository')
            [CompletionResult]::new('export', 'export', [CompletionResultType]::ParameterValue, 'Write a bundle for a machine without a network')
            [CompletionResult]::new('lint', 'lint', [CompletionResultType]::ParameterValue, 'Find what is wrong with skills')
            [CompletionResult]::new('validate', 'validate', [CompletionResultType]::ParameterValue, 'Check that skills follow the specification')
            [CompletionResult]::new('package', 'package', [CompletionResultType]::ParameterValue, 'Pack a skill into the archive that registries serve')
            [CompletionResult]::new('convert', 'convert', [CompletionResultType]::ParameterValue, 'Write a skill in another format')
            [CompletionResult]::new('catalog', 'catalog', [CompletionResultType]::ParameterValue, 'Emit the resolved catalog for an agent')
            [CompletionResult]::new('serve', 'serve', [CompletionResultType]::ParameterValue, 'Serve the catalog over MCP')
            [CompletionResult]::new('watch', 'watch', [CompletionResultType]::ParameterValue, 'Say what changes in the catalog, as it changes')
            [CompletionResult]::new('budget', 'budget', [CompletionResultType]::ParameterValue, 'Tell what listing the skills costs each agent')
            [CompletionResult]::new('propose', 'propose', [CompletionResultType]::ParameterValue, 'Propose a change of a skill, for a person to decide on')
            [CompletionResult]::new('proposals', 'proposals', [CompletionResultType]::ParameterValue, 'Decide on changes of skills that were proposed')
            [CompletionResult]::new('publish', 'publish', [CompletionResultType]::ParameterValue, 'Publish a skill to a registry')
            [CompletionResult]::new('yank', 'yank', [CompletionResultType]::ParameterValue, 'Withdraw a published version from new resolves')
            [CompletionResult]::new('owner', 'owner', [CompletionResultType]::ParameterValue, 'Show or change who may publish')
            [CompletionResult]::new('registry', 'registry', [CompletionResultType]::ParameterValue, 'Keep a registry: make one, check it, renew it, show it')
            [CompletionResult]::new('cache', 'cache', [CompletionResultType]::ParameterValue, 'Look after what is kept for all projects')
            [CompletionResult]::new('doctor', 'doctor', [CompletionResultType]::ParameterValue, 'Look for everything that can be wrong')
            [CompletionResult]::new('config', 'config', [CompletionResultType]::ParameterValue, 'Show or change settings')
            [CompletionResult]::new('login', 'login', [CompletionResultType]::ParameterValue, 'Keep a token for a registry')
            [CompletionResult]::new('logout', 'logout', [CompletionResultType]::ParameterValue, 'Forget the token of a registry')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print completions for a shell')
            [CompletionResult]::new('man', 'man', [CompletionResultType]::ParameterValue, 'Print a manual page')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'skillpm;help;init' {
            break
        }
        'skillpm;help;new' {
            break
        }
        'skillpm;help;add' {
            break
        }
        'skillpm;help;remove' {
            break
        }
        'skillpm;help;install' {
            break
        }
        'skillpm;help;update' {
            break
        }
        'skillpm;help;import' {
            break
        }
        'skillpm;help;undo' {
            break
        }
        'skillpm;help;outdated' {
            break
        }
        'skillpm;help;diff' {
            break
        }
        'skillpm;help;patch' {
            break
        }
        'skillpm;help;lock' {
            break
        }
        'skillpm;help;tree' {
            break
        }
        'skillpm;help;why' {
            break
        }
        'skillpm;help;list' {
            break
        }
        'skillpm;help;search' {
            break
        }
        'skillpm;help;sbom' {
            break
        }
        'skillpm;help;info' {
            break
        }
        'skillpm;help;show' {
            break
        }
        'skillpm;help;verify' {
            break
        }
        'skillpm;help;audit' {
            break
        }
        'skillpm;help;vendor' {
            break
        }
        'skillpm;help;export' {
            break
        }
        'skillpm;help;lint' {
            break
        }
        'skillpm;help;validate' {
            break
        }
        'skillpm;help;package' {
            break
        }
        'skillpm;help;convert' {
            break
        }
        'skillpm;help;catalog' {
            break
        }
        'skillpm;help;serve' {
            break
        }
        'skillpm;help;watch' {
            break
        }
        'skillpm;help;budget' {
            break
        }
        'skillpm;help;propose' {
            break
        }
        'skillpm;help;proposals' {
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'Show the proposals that wait')
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Print a proposal')
            [CompletionResult]::new('apply', 'apply', [CompletionResultType]::ParameterValue, 'Make the change')
            [CompletionResult]::new('reject', 'reject', [CompletionResultType]::ParameterValue, 'Note that the change will not be made')
            break
        }
        'skillpm;help;proposals;list' {
            break
        }
        'skillpm;help;proposals;show' {
            break
        }
        'skillpm;help;proposals;apply' {
            break
        }
        'skillpm;help;proposals;reject' {
            break
        }
        'skillpm;help;publish' {
            break
        }
        'skillpm;help;yank' {
            break
        }
        'skillpm;help;owner' {
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'Show who may publish a name')
            [CompletionResult]::new('add', 'add', [CompletionResultType]::ParameterValue, 'Let others publish it, too')
            [CompletionResult]::new('remove', 'remove', [CompletionResultType]::ParameterValue, 'Let others publish it no more')
            break
        }
        'skillpm;help;owner;list' {
            break
        }
        'skillpm;help;owner;add' {
            break
        }
        'skillpm;help;owner;remove' {
            break
        }
        'skillpm;help;registry' {
            [CompletionResult]::new('new', 'new', [CompletionResultType]::ParameterValue, 'Make an index with nothing in it')
            [CompletionResult]::new('check', 'check', [CompletionResultType]::ParameterValue, 'Hold an index, or a change of it, to its rules')
            [CompletionResult]::new('advise', 'advise', [CompletionResultType]::ParameterValue, 'Put advisories together for readers')
            [CompletionResult]::new('renew', 'renew', [CompletionResultType]::ParameterValue, 'Say until when an index is to be believed')
            [CompletionResult]::new('site', 'site', [CompletionResultType]::ParameterValue, 'Write a static site of skills')
            break
        }
        'skillpm;help;registry;new' {
            break
        }
        'skillpm;help;registry;check' {
            break
        }
        'skillpm;help;registry;advise' {
            break
        }
        'skillpm;help;registry;renew' {
            break
        }
        'skillpm;help;registry;site' {
            break
        }
        'skillpm;help;cache' {
            [CompletionResult]::new('size', 'size', [CompletionResultType]::ParameterValue, 'Show how much is kept')
            [CompletionResult]::new('dir', 'dir', [CompletionResultType]::ParameterValue, 'Print the directories that hold it')
            [CompletionResult]::new('verify', 'verify', [CompletionResultType]::ParameterValue, 'Read all of it; take away what is damaged')
            [CompletionResult]::new('prune', 'prune', [CompletionResultType]::ParameterValue, 'Take away what was not used for long')
            [CompletionResult]::new('clean', 'clean', [CompletionResultType]::ParameterValue, 'Take away all of it, or all of one thing')
            break
        }
        'skillpm;help;cache;size' {
            break
        }
        'skillpm;help;cache;dir' {
            break
        }
        'skillpm;help;cache;verify' {
            break
        }
        'skillpm;help;cache;prune' {
            break
        }
        'skillpm;help;cache;clean' {
            break
        }
        'skillpm;help;doctor' {
            break
        }
        'skillpm;help;config' {
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'Show all settings, and where each was set')
            [CompletionResult]::new('get', 'get', [CompletionResultType]::ParameterValue, 'Print one setting')
            [CompletionResult]::new('set', 'set', [CompletionResultType]::ParameterValue, 'Change one setting')
            break
        }
        'skillpm;help;config;list' {
            break
        }
        'skillpm;help;config;get' {
            break
        }
        'skillpm;help;config;set' {
            break
        }
        'skillpm;help;login' {
            break
        }
        'skillpm;help;logout' {
            break
        }
        'skillpm;help;completions' {
            break
        }
        'skillpm;help;man' {
            break
        }
        'skillpm;help;help' {
            break
        }
    })

    $completions.Where{ $_.CompletionText -like "$wordToComplete*" } |
        Sort-Object -Property ListItemText
}
