
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
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Override a setting for this run (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use color')
            [CompletionResult]::new('--agent-mode', '--agent-mode', [CompletionResultType]::ParameterName, 'When to print for an agent')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this format')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Work without network access')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Require that the lockfile is up to date')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Same as --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never prompt; use defaults')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('init', 'init', [CompletionResultType]::ParameterValue, 'Create a manifest for the project')
            [CompletionResult]::new('new', 'new', [CompletionResultType]::ParameterValue, 'Create a skill from a template')
            [CompletionResult]::new('add', 'add', [CompletionResultType]::ParameterValue, 'Add skills to the project')
            [CompletionResult]::new('remove', 'remove', [CompletionResultType]::ParameterValue, 'Remove skills and dependencies that are no longer used')
            [CompletionResult]::new('install', 'install', [CompletionResultType]::ParameterValue, 'Install the locked versions')
            [CompletionResult]::new('sync', 'sync', [CompletionResultType]::ParameterValue, 'Install the locked versions')
            [CompletionResult]::new('update', 'update', [CompletionResultType]::ParameterValue, 'Update skills to the newest compatible versions')
            [CompletionResult]::new('import', 'import', [CompletionResultType]::ParameterValue, 'Import skills installed by other tools, or a bundle')
            [CompletionResult]::new('undo', 'undo', [CompletionResultType]::ParameterValue, 'Undo the last command that changed something')
            [CompletionResult]::new('outdated', 'outdated', [CompletionResultType]::ParameterValue, 'Show skills that have newer versions')
            [CompletionResult]::new('diff', 'diff', [CompletionResultType]::ParameterValue, 'Show local edits, or changes in another version')
            [CompletionResult]::new('patch', 'patch', [CompletionResultType]::ParameterValue, 'Save local edits of a skill as a patch file')
            [CompletionResult]::new('lock', 'lock', [CompletionResultType]::ParameterValue, 'Resolve versions and write the lockfile')
            [CompletionResult]::new('tree', 'tree', [CompletionResultType]::ParameterValue, 'Show the dependency graph')
            [CompletionResult]::new('why', 'why', [CompletionResultType]::ParameterValue, 'Explain why a skill is installed or visible')
            [CompletionResult]::new('status', 'status', [CompletionResultType]::ParameterValue, 'Show what is here and what to run next')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List skills by tier')
            [CompletionResult]::new('search', 'search', [CompletionResultType]::ParameterValue, 'Search registries for packages and skills')
            [CompletionResult]::new('sbom', 'sbom', [CompletionResultType]::ParameterValue, 'Write an SBOM of all locked packages')
            [CompletionResult]::new('info', 'info', [CompletionResultType]::ParameterValue, 'Show information about a package')
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Print the instructions or a file of a skill')
            [CompletionResult]::new('verify', 'verify', [CompletionResultType]::ParameterValue, 'Verify installed files against the lockfile')
            [CompletionResult]::new('audit', 'audit', [CompletionResultType]::ParameterValue, 'Check installed and locked skills for security problems')
            [CompletionResult]::new('vendor', 'vendor', [CompletionResultType]::ParameterValue, 'Vendor all locked packages into the repository')
            [CompletionResult]::new('export', 'export', [CompletionResultType]::ParameterValue, 'Write a bundle for installing without a network')
            [CompletionResult]::new('lint', 'lint', [CompletionResultType]::ParameterValue, 'Check skills against 191 rules')
            [CompletionResult]::new('validate', 'validate', [CompletionResultType]::ParameterValue, 'Check that skills follow the specification')
            [CompletionResult]::new('package', 'package', [CompletionResultType]::ParameterValue, 'Pack a skill into an archive')
            [CompletionResult]::new('convert', 'convert', [CompletionResultType]::ParameterValue, 'Write a skill in another format')
            [CompletionResult]::new('agents', 'agents', [CompletionResultType]::ParameterValue, 'Show and choose the agents that see the skills')
            [CompletionResult]::new('catalog', 'catalog', [CompletionResultType]::ParameterValue, 'Emit the resolved catalog for an agent')
            [CompletionResult]::new('serve', 'serve', [CompletionResultType]::ParameterValue, 'Serve the catalog over MCP')
            [CompletionResult]::new('watch', 'watch', [CompletionResultType]::ParameterValue, 'Watch the catalog and report changes')
            [CompletionResult]::new('budget', 'budget', [CompletionResultType]::ParameterValue, 'Show how many context tokens the skill list uses, per agent')
            [CompletionResult]::new('propose', 'propose', [CompletionResultType]::ParameterValue, 'Propose a change of a skill for review')
            [CompletionResult]::new('proposals', 'proposals', [CompletionResultType]::ParameterValue, 'List, apply or reject proposed changes of skills')
            [CompletionResult]::new('publish', 'publish', [CompletionResultType]::ParameterValue, 'Publish a skill to a registry')
            [CompletionResult]::new('yank', 'yank', [CompletionResultType]::ParameterValue, 'Yank a published version, or revoke it')
            [CompletionResult]::new('owner', 'owner', [CompletionResultType]::ParameterValue, 'Manage the owners of a package')
            [CompletionResult]::new('registry', 'registry', [CompletionResultType]::ParameterValue, 'Create, check, renew or publish a registry index')
            [CompletionResult]::new('cache', 'cache', [CompletionResultType]::ParameterValue, 'Manage the cache that all projects share')
            [CompletionResult]::new('doctor', 'doctor', [CompletionResultType]::ParameterValue, 'Check the installation and the project for problems')
            [CompletionResult]::new('config', 'config', [CompletionResultType]::ParameterValue, 'Show or change settings')
            [CompletionResult]::new('login', 'login', [CompletionResultType]::ParameterValue, 'Save a token for a registry')
            [CompletionResult]::new('logout', 'logout', [CompletionResultType]::ParameterValue, 'Remove the token of a registry')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print completions for a shell')
            [CompletionResult]::new('man', 'man', [CompletionResultType]::ParameterValue, 'Print a manual page')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'skillpm;init' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Override a setting for this run (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use color')
            [CompletionResult]::new('--agent-mode', '--agent-mode', [CompletionResultType]::ParameterName, 'When to print for an agent')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this format')
            [CompletionResult]::new('--no-detect', '--no-detect', [CompletionResultType]::ParameterName, 'Do not look for agents to install for')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Work without network access')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Require that the lockfile is up to date')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Same as --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never prompt; use defaults')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;new' {
            [CompletionResult]::new('--in', '--in', [CompletionResultType]::ParameterName, 'The directory to create it in [default: this one]')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Create a skill in this format, or print in it')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Override a setting for this run (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use color')
            [CompletionResult]::new('--agent-mode', '--agent-mode', [CompletionResultType]::ParameterName, 'When to print for an agent')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Work without network access')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Require that the lockfile is up to date')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Same as --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never prompt; use defaults')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;add' {
            [CompletionResult]::new('-s', '-s', [CompletionResultType]::ParameterName, 'Add this skill of a source with several (repeatable)')
            [CompletionResult]::new('--skill', '--skill', [CompletionResultType]::ParameterName, 'Add this skill of a source with several (repeatable)')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Version requirement, such as ^1.2 or =2.0.1')
            [CompletionResult]::new('--tag', '--tag', [CompletionResultType]::ParameterName, 'The tag of a git source')
            [CompletionResult]::new('--branch', '--branch', [CompletionResultType]::ParameterName, 'The branch of a git source')
            [CompletionResult]::new('--rev', '--rev', [CompletionResultType]::ParameterName, 'The commit of a git source')
            [CompletionResult]::new('--path', '--path', [CompletionResultType]::ParameterName, 'The directory of the skill inside the source')
            [CompletionResult]::new('--registry', '--registry', [CompletionResultType]::ParameterName, 'The registry to search')
            [CompletionResult]::new('--as', '--as', [CompletionResultType]::ParameterName, 'Install under this name')
            [CompletionResult]::new('--target', '--target', [CompletionResultType]::ParameterName, 'Install into this agent''s directory too (repeatable)')
            [CompletionResult]::new('--min-release-age', '--min-release-age', [CompletionResultType]::ParameterName, 'Ignore versions published less than AGE ago')
            [CompletionResult]::new('--exclude-newer', '--exclude-newer', [CompletionResultType]::ParameterName, 'Ignore versions published after DATE')
            [CompletionResult]::new('--allow-finding', '--allow-finding', [CompletionResultType]::ParameterName, 'Allow findings of this security rule (repeatable)')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Override a setting for this run (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use color')
            [CompletionResult]::new('--agent-mode', '--agent-mode', [CompletionResultType]::ParameterName, 'When to print for an agent')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this format')
            [CompletionResult]::new('--all', '--all', [CompletionResultType]::ParameterName, 'Add all skills of a source')
            [CompletionResult]::new('--keep-going', '--keep-going', [CompletionResultType]::ParameterName, 'With --all, skip skills that no agent can load')
            [CompletionResult]::new('--dev', '--dev', [CompletionResultType]::ParameterName, 'Add as a development dependency')
            [CompletionResult]::new('--no-detect', '--no-detect', [CompletionResultType]::ParameterName, 'Do not look for agents to install for')
            [CompletionResult]::new('--merge', '--merge', [CompletionResultType]::ParameterName, 'On conflict, write both versions with conflict markers')
            [CompletionResult]::new('--ours', '--ours', [CompletionResultType]::ParameterName, 'On conflict, keep the local version')
            [CompletionResult]::new('--theirs', '--theirs', [CompletionResultType]::ParameterName, 'On conflict, take the upstream version')
            [CompletionResult]::new('--allow-revoked', '--allow-revoked', [CompletionResultType]::ParameterName, 'Allow locked versions that their registry revoked')
            [CompletionResult]::new('--allow-unsigned', '--allow-unsigned', [CompletionResultType]::ParameterName, 'Allow an unsigned version to replace a signed one')
            [CompletionResult]::new('-g', '-g', [CompletionResultType]::ParameterName, 'Use your own skills instead of the project''s')
            [CompletionResult]::new('--global', '--global', [CompletionResultType]::ParameterName, 'Use your own skills instead of the project''s')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Show what would be done without doing it')
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Overwrite local changes after saving them to .skillpm/backup')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Work without network access')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Require that the lockfile is up to date')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Same as --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never prompt; use defaults')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;remove' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Override a setting for this run (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use color')
            [CompletionResult]::new('--agent-mode', '--agent-mode', [CompletionResultType]::ParameterName, 'When to print for an agent')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this format')
            [CompletionResult]::new('--source', '--source', [CompletionResultType]::ParameterName, 'Remove all skills of the sources named')
            [CompletionResult]::new('-g', '-g', [CompletionResultType]::ParameterName, 'Use your own skills instead of the project''s')
            [CompletionResult]::new('--global', '--global', [CompletionResultType]::ParameterName, 'Use your own skills instead of the project''s')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Show what would be done without doing it')
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Overwrite local changes after saving them to .skillpm/backup')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Work without network access')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Require that the lockfile is up to date')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Same as --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never prompt; use defaults')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;install' {
            [CompletionResult]::new('--min-release-age', '--min-release-age', [CompletionResultType]::ParameterName, 'Ignore versions published less than AGE ago')
            [CompletionResult]::new('--exclude-newer', '--exclude-newer', [CompletionResultType]::ParameterName, 'Ignore versions published after DATE')
            [CompletionResult]::new('--allow-finding', '--allow-finding', [CompletionResultType]::ParameterName, 'Allow findings of this security rule (repeatable)')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Override a setting for this run (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use color')
            [CompletionResult]::new('--agent-mode', '--agent-mode', [CompletionResultType]::ParameterName, 'When to print for an agent')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this format')
            [CompletionResult]::new('--merge', '--merge', [CompletionResultType]::ParameterName, 'On conflict, write both versions with conflict markers')
            [CompletionResult]::new('--ours', '--ours', [CompletionResultType]::ParameterName, 'On conflict, keep the local version')
            [CompletionResult]::new('--theirs', '--theirs', [CompletionResultType]::ParameterName, 'On conflict, take the upstream version')
            [CompletionResult]::new('--allow-revoked', '--allow-revoked', [CompletionResultType]::ParameterName, 'Allow locked versions that their registry revoked')
            [CompletionResult]::new('--allow-unsigned', '--allow-unsigned', [CompletionResultType]::ParameterName, 'Allow an unsigned version to replace a signed one')
            [CompletionResult]::new('-g', '-g', [CompletionResultType]::ParameterName, 'Use your own skills instead of the project''s')
            [CompletionResult]::new('--global', '--global', [CompletionResultType]::ParameterName, 'Use your own skills instead of the project''s')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Show what would be done without doing it')
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Overwrite local changes after saving them to .skillpm/backup')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Work without network access')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Require that the lockfile is up to date')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Same as --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never prompt; use defaults')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;sync' {
            [CompletionResult]::new('--min-release-age', '--min-release-age', [CompletionResultType]::ParameterName, 'Ignore versions published less than AGE ago')
            [CompletionResult]::new('--exclude-newer', '--exclude-newer', [CompletionResultType]::ParameterName, 'Ignore versions published after DATE')
            [CompletionResult]::new('--allow-finding', '--allow-finding', [CompletionResultType]::ParameterName, 'Allow findings of this security rule (repeatable)')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Override a setting for this run (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use color')
            [CompletionResult]::new('--agent-mode', '--agent-mode', [CompletionResultType]::ParameterName, 'When to print for an agent')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this format')
            [CompletionResult]::new('--merge', '--merge', [CompletionResultType]::ParameterName, 'On conflict, write both versions with conflict markers')
            [CompletionResult]::new('--ours', '--ours', [CompletionResultType]::ParameterName, 'On conflict, keep the local version')
            [CompletionResult]::new('--theirs', '--theirs', [CompletionResultType]::ParameterName, 'On conflict, take the upstream version')
            [CompletionResult]::new('--allow-revoked', '--allow-revoked', [CompletionResultType]::ParameterName, 'Allow locked versions that their registry revoked')
            [CompletionResult]::new('--allow-unsigned', '--allow-unsigned', [CompletionResultType]::ParameterName, 'Allow an unsigned version to replace a signed one')
            [CompletionResult]::new('-g', '-g', [CompletionResultType]::ParameterName, 'Use your own skills instead of the project''s')
            [CompletionResult]::new('--global', '--global', [CompletionResultType]::ParameterName, 'Use your own skills instead of the project''s')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Show what would be done without doing it')
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Overwrite local changes after saving them to .skillpm/backup')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Work without network access')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Require that the lockfile is up to date')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Same as --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never prompt; use defaults')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;update' {
            [CompletionResult]::new('--precise', '--precise', [CompletionResultType]::ParameterName, 'Update to this version, or for git, full commit id')
            [CompletionResult]::new('--allow-finding', '--allow-finding', [CompletionResultType]::ParameterName, 'Allow findings of this security rule (repeatable)')
            [CompletionResult]::new('--exclude-newer', '--exclude-newer', [CompletionResultType]::ParameterName, 'Ignore versions published after DATE')
            [CompletionResult]::new('--min-release-age', '--min-release-age', [CompletionResultType]::ParameterName, 'Ignore versions published less than AGE ago')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Override a setting for this run (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use color')
            [CompletionResult]::new('--agent-mode', '--agent-mode', [CompletionResultType]::ParameterName, 'When to print for an agent')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this format')
            [CompletionResult]::new('--latest', '--latest', [CompletionResultType]::ParameterName, 'Update beyond the manifest''s requirement, and raise it')
            [CompletionResult]::new('--diff', '--diff', [CompletionResultType]::ParameterName, 'Show what changes in each file, before it is changed')
            [CompletionResult]::new('--merge', '--merge', [CompletionResultType]::ParameterName, 'On conflict, write both versions with conflict markers')
            [CompletionResult]::new('--ours', '--ours', [CompletionResultType]::ParameterName, 'On conflict, keep the local version')
            [CompletionResult]::new('--theirs', '--theirs', [CompletionResultType]::ParameterName, 'On conflict, take the upstream version')
            [CompletionResult]::new('--allow-revoked', '--allow-revoked', [CompletionResultType]::ParameterName, 'Allow locked versions that their registry revoked')
            [CompletionResult]::new('--allow-unsigned', '--allow-unsigned', [CompletionResultType]::ParameterName, 'Allow an unsigned version to replace a signed one')
            [CompletionResult]::new('-g', '-g', [CompletionResultType]::ParameterName, 'Use your own skills instead of the project''s')
            [CompletionResult]::new('--global', '--global', [CompletionResultType]::ParameterName, 'Use your own skills instead of the project''s')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Show what would be done without doing it')
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Overwrite local changes after saving them to .skillpm/backup')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Work without network access')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Require that the lockfile is up to date')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Same as --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never prompt; use defaults')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;import' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Override a setting for this run (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use color')
            [CompletionResult]::new('--agent-mode', '--agent-mode', [CompletionResultType]::ParameterName, 'When to print for an agent')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this format')
            [CompletionResult]::new('--remove-old', '--remove-old', [CompletionResultType]::ParameterName, 'Remove the other tools'' files that are no longer needed')
            [CompletionResult]::new('--keep-going', '--keep-going', [CompletionResultType]::ParameterName, 'Skip skills that cannot be fetched now')
            [CompletionResult]::new('--gather', '--gather', [CompletionResultType]::ParameterName, 'Merge identical unmanaged copies of a skill into one')
            [CompletionResult]::new('--no-detect', '--no-detect', [CompletionResultType]::ParameterName, 'Do not look for agents to install for')
            [CompletionResult]::new('-g', '-g', [CompletionResultType]::ParameterName, 'Use your own skills instead of the project''s')
            [CompletionResult]::new('--global', '--global', [CompletionResultType]::ParameterName, 'Use your own skills instead of the project''s')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Show what would be done without doing it')
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Overwrite local changes after saving them to .skillpm/backup')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Work without network access')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Require that the lockfile is up to date')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Same as --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never prompt; use defaults')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;undo' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Override a setting for this run (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use color')
            [CompletionResult]::new('--agent-mode', '--agent-mode', [CompletionResultType]::ParameterName, 'When to print for an agent')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this format')
            [CompletionResult]::new('--list', '--list', [CompletionResultType]::ParameterName, 'List commands that can be undone, newest first')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Show what would be done without doing it')
            [CompletionResult]::new('-g', '-g', [CompletionResultType]::ParameterName, 'Use your own skills instead of the project''s')
            [CompletionResult]::new('--global', '--global', [CompletionResultType]::ParameterName, 'Use your own skills instead of the project''s')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Work without network access')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Require that the lockfile is up to date')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Same as --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never prompt; use defaults')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;outdated' {
            [CompletionResult]::new('--min-release-age', '--min-release-age', [CompletionResultType]::ParameterName, 'Ignore versions published less than AGE ago')
            [CompletionResult]::new('--exclude-newer', '--exclude-newer', [CompletionResultType]::ParameterName, 'Ignore versions published after DATE')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Override a setting for this run (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use color')
            [CompletionResult]::new('--agent-mode', '--agent-mode', [CompletionResultType]::ParameterName, 'When to print for an agent')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this format')
            [CompletionResult]::new('--exit-code', '--exit-code', [CompletionResultType]::ParameterName, 'Exit with 1 if anything is outdated')
            [CompletionResult]::new('-g', '-g', [CompletionResultType]::ParameterName, 'Use your own skills instead of the project''s')
            [CompletionResult]::new('--global', '--global', [CompletionResultType]::ParameterName, 'Use your own skills instead of the project''s')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Work without network access')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Require that the lockfile is up to date')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Same as --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never prompt; use defaults')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;diff' {
            [CompletionResult]::new('--to', '--to', [CompletionResultType]::ParameterName, 'Compare with this version, commit, or `latest`')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Override a setting for this run (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use color')
            [CompletionResult]::new('--agent-mode', '--agent-mode', [CompletionResultType]::ParameterName, 'When to print for an agent')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this format')
            [CompletionResult]::new('--stat', '--stat', [CompletionResultType]::ParameterName, 'Show changed files and line counts only')
            [CompletionResult]::new('--exit-code', '--exit-code', [CompletionResultType]::ParameterName, 'Exit with 1 if anything differs')
            [CompletionResult]::new('-g', '-g', [CompletionResultType]::ParameterName, 'Use your own skills instead of the project''s')
            [CompletionResult]::new('--global', '--global', [CompletionResultType]::ParameterName, 'Use your own skills instead of the project''s')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Work without network access')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Require that the lockfile is up to date')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Same as --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never prompt; use defaults')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;patch' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Override a setting for this run (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use color')
            [CompletionResult]::new('--agent-mode', '--agent-mode', [CompletionResultType]::ParameterName, 'When to print for an agent')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this format')
            [CompletionResult]::new('--drop', '--drop', [CompletionResultType]::ParameterName, 'Discard the saved edits and remove the patch file')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Show what would be done without doing it')
            [CompletionResult]::new('-g', '-g', [CompletionResultType]::ParameterName, 'Use your own skills instead of the project''s')
            [CompletionResult]::new('--global', '--global', [CompletionResultType]::ParameterName, 'Use your own skills instead of the project''s')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Work without network access')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Require that the lockfile is up to date')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Same as --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never prompt; use defaults')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;lock' {
            [CompletionResult]::new('--merge', '--merge', [CompletionResultType]::ParameterName, 'Resolve a merge conflict; with FILEs, act as git''s merge driver')
            [CompletionResult]::new('--min-release-age', '--min-release-age', [CompletionResultType]::ParameterName, 'Ignore versions published less than AGE ago')
            [CompletionResult]::new('--exclude-newer', '--exclude-newer', [CompletionResultType]::ParameterName, 'Ignore versions published after DATE')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Override a setting for this run (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use color')
            [CompletionResult]::new('--agent-mode', '--agent-mode', [CompletionResultType]::ParameterName, 'When to print for an agent')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this format')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Show what would be done without doing it')
            [CompletionResult]::new('-g', '-g', [CompletionResultType]::ParameterName, 'Use your own skills instead of the project''s')
            [CompletionResult]::new('--global', '--global', [CompletionResultType]::ParameterName, 'Use your own skills instead of the project''s')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Work without network access')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Require that the lockfile is up to date')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Same as --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never prompt; use defaults')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;tree' {
            [CompletionResult]::new('--depth', '--depth', [CompletionResultType]::ParameterName, 'Maximum depth; 1 for direct dependencies only')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Override a setting for this run (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use color')
            [CompletionResult]::new('--agent-mode', '--agent-mode', [CompletionResultType]::ParameterName, 'When to print for an agent')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this format')
            [CompletionResult]::new('-i', '-i', [CompletionResultType]::ParameterName, 'Show the dependents of each package instead')
            [CompletionResult]::new('--invert', '--invert', [CompletionResultType]::ParameterName, 'Show the dependents of each package instead')
            [CompletionResult]::new('-g', '-g', [CompletionResultType]::ParameterName, 'Use your own skills instead of the project''s')
            [CompletionResult]::new('--global', '--global', [CompletionResultType]::ParameterName, 'Use your own skills instead of the project''s')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Work without network access')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Require that the lockfile is up to date')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Same as --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never prompt; use defaults')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;why' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Override a setting for this run (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use color')
            [CompletionResult]::new('--agent-mode', '--agent-mode', [CompletionResultType]::ParameterName, 'When to print for an agent')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this format')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Work without network access')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Require that the lockfile is up to date')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Same as --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never prompt; use defaults')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;status' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Override a setting for this run (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use color')
            [CompletionResult]::new('--agent-mode', '--agent-mode', [CompletionResultType]::ParameterName, 'When to print for an agent')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this format')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Work without network access')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Require that the lockfile is up to date')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Same as --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never prompt; use defaults')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;list' {
            [CompletionResult]::new('--agent', '--agent', [CompletionResultType]::ParameterName, 'List the skills that this agent sees')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Override a setting for this run (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use color')
            [CompletionResult]::new('--agent-mode', '--agent-mode', [CompletionResultType]::ParameterName, 'When to print for an agent')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this format')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Work without network access')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Require that the lockfile is up to date')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Same as --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never prompt; use defaults')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;search' {
            [CompletionResult]::new('--registry', '--registry', [CompletionResultType]::ParameterName, 'Search this registry only')
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'Show this many at most')
            [CompletionResult]::new('--tier', '--tier', [CompletionResultType]::ParameterName, 'Search skills installed in this tier only')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Override a setting for this run (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use color')
            [CompletionResult]::new('--agent-mode', '--agent-mode', [CompletionResultType]::ParameterName, 'When to print for an agent')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this format')
            [CompletionResult]::new('--installed', '--installed', [CompletionResultType]::ParameterName, 'Search installed skills only')
            [CompletionResult]::new('--refresh', '--refresh', [CompletionResultType]::ParameterName, 'Fetch the registries'' current lists')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Work without network access')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Require that the lockfile is up to date')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Same as --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never prompt; use defaults')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;sbom' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write into this file, not to stdout')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write into this file, not to stdout')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this format')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Override a setting for this run (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use color')
            [CompletionResult]::new('--agent-mode', '--agent-mode', [CompletionResultType]::ParameterName, 'When to print for an agent')
            [CompletionResult]::new('-g', '-g', [CompletionResultType]::ParameterName, 'Use your own skills instead of the project''s')
            [CompletionResult]::new('--global', '--global', [CompletionResultType]::ParameterName, 'Use your own skills instead of the project''s')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Work without network access')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Require that the lockfile is up to date')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Same as --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never prompt; use defaults')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;info' {
            [CompletionResult]::new('--registry', '--registry', [CompletionResultType]::ParameterName, 'Look in this registry only')
            [CompletionResult]::new('--skill', '--skill', [CompletionResultType]::ParameterName, 'Show this skill of a source with many')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Override a setting for this run (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use color')
            [CompletionResult]::new('--agent-mode', '--agent-mode', [CompletionResultType]::ParameterName, 'When to print for an agent')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this format')
            [CompletionResult]::new('--versions', '--versions', [CompletionResultType]::ParameterName, 'Show every version, not just the newest')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Work without network access')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Require that the lockfile is up to date')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Same as --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never prompt; use defaults')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;show' {
            [CompletionResult]::new('--file', '--file', [CompletionResultType]::ParameterName, 'Print this file of the skill, not its SKILL.md')
            [CompletionResult]::new('--agent', '--agent', [CompletionResultType]::ParameterName, 'Resolve names as this agent does')
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Look in this directory, not the tiers (repeatable)')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this format')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Override a setting for this run (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use color')
            [CompletionResult]::new('--agent-mode', '--agent-mode', [CompletionResultType]::ParameterName, 'When to print for an agent')
            [CompletionResult]::new('--files', '--files', [CompletionResultType]::ParameterName, 'List the skill''s files, with their sizes in bytes')
            [CompletionResult]::new('--exact', '--exact', [CompletionResultType]::ParameterName, 'Count tokens with the o200k vocabulary')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Work without network access')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Require that the lockfile is up to date')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Same as --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never prompt; use defaults')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;verify' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Override a setting for this run (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use color')
            [CompletionResult]::new('--agent-mode', '--agent-mode', [CompletionResultType]::ParameterName, 'When to print for an agent')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this format')
            [CompletionResult]::new('-g', '-g', [CompletionResultType]::ParameterName, 'Use your own skills instead of the project''s')
            [CompletionResult]::new('--global', '--global', [CompletionResultType]::ParameterName, 'Use your own skills instead of the project''s')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Work without network access')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Require that the lockfile is up to date')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Same as --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never prompt; use defaults')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;audit' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this format')
            [CompletionResult]::new('--fail-on', '--fail-on', [CompletionResultType]::ParameterName, 'Exit with 1 from this severity on: low, medium, high (the default) or critical')
            [CompletionResult]::new('--baseline', '--baseline', [CompletionResultType]::ParameterName, 'Ignore findings recorded in this file')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Override a setting for this run (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use color')
            [CompletionResult]::new('--agent-mode', '--agent-mode', [CompletionResultType]::ParameterName, 'When to print for an agent')
            [CompletionResult]::new('-g', '-g', [CompletionResultType]::ParameterName, 'Use your own skills instead of the project''s')
            [CompletionResult]::new('--global', '--global', [CompletionResultType]::ParameterName, 'Use your own skills instead of the project''s')
            [CompletionResult]::new('--capabilities', '--capabilities', [CompletionResultType]::ParameterName, 'List commands, hosts, variables, paths, tools and scripts instead')
            [CompletionResult]::new('--low', '--low', [CompletionResultType]::ParameterName, 'Include findings of low severity')
            [CompletionResult]::new('--statistics', '--statistics', [CompletionResultType]::ParameterName, 'Count by rule instead of showing each finding')
            [CompletionResult]::new('--write-baseline', '--write-baseline', [CompletionResultType]::ParameterName, 'Record all findings in the baseline')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Work without network access')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Require that the lockfile is up to date')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Same as --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never prompt; use defaults')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;vendor' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Override a setting for this run (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use color')
            [CompletionResult]::new('--agent-mode', '--agent-mode', [CompletionResultType]::ParameterName, 'When to print for an agent')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this format')
            [CompletionResult]::new('--versioned-dirs', '--versioned-dirs', [CompletionResultType]::ParameterName, 'Name directories with versions: pdf-1.2.0')
            [CompletionResult]::new('--no-delete', '--no-delete', [CompletionResultType]::ParameterName, 'Keep packages that are no longer locked')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Show what would be done without doing it')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Work without network access')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Require that the lockfile is up to date')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Same as --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never prompt; use defaults')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;export' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Override a setting for this run (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use color')
            [CompletionResult]::new('--agent-mode', '--agent-mode', [CompletionResultType]::ParameterName, 'When to print for an agent')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this format')
            [CompletionResult]::new('-g', '-g', [CompletionResultType]::ParameterName, 'Use your own skills instead of the project''s')
            [CompletionResult]::new('--global', '--global', [CompletionResultType]::ParameterName, 'Use your own skills instead of the project''s')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Work without network access')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Require that the lockfile is up to date')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Same as --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never prompt; use defaults')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;lint' {
            [CompletionResult]::new('--stdin-filename', '--stdin-filename', [CompletionResultType]::ParameterName, 'Path to report for the file on stdin')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this format')
            [CompletionResult]::new('--agent', '--agent', [CompletionResultType]::ParameterName, 'Check the skills that this agent sees, for it')
            [CompletionResult]::new('--since', '--since', [CompletionResultType]::ParameterName, 'Only skills that have changed since this commit')
            [CompletionResult]::new('--explain', '--explain', [CompletionResultType]::ParameterName, 'Explain a rule, by code or name')
            [CompletionResult]::new('--select', '--select', [CompletionResultType]::ParameterName, 'Only these rules: a group (`SK3`), a code or a name (repeatable)')
            [CompletionResult]::new('--extend-select', '--extend-select', [CompletionResultType]::ParameterName, 'These rules too (repeatable)')
            [CompletionResult]::new('--ignore', '--ignore', [CompletionResultType]::ParameterName, 'Not these rules (repeatable)')
            [CompletionResult]::new('--allow', '--allow', [CompletionResultType]::ParameterName, 'Ignore findings of this rule (repeatable)')
            [CompletionResult]::new('--note', '--note', [CompletionResultType]::ParameterName, 'Report findings of this rule as notes (repeatable)')
            [CompletionResult]::new('--warn', '--warn', [CompletionResultType]::ParameterName, 'Report findings of this rule as warnings (repeatable)')
            [CompletionResult]::new('--deny', '--deny', [CompletionResultType]::ParameterName, 'Report findings of this rule as errors (repeatable)')
            [CompletionResult]::new('--profile', '--profile', [CompletionResultType]::ParameterName, 'Use the rules for users, for a registry, or strict ones')
            [CompletionResult]::new('--target', '--target', [CompletionResultType]::ParameterName, 'An agent that the skills are for, by its id (repeatable)')
            [CompletionResult]::new('--baseline', '--baseline', [CompletionResultType]::ParameterName, 'Ignore findings recorded in this file')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Override a setting for this run (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use color')
            [CompletionResult]::new('--agent-mode', '--agent-mode', [CompletionResultType]::ParameterName, 'When to print for an agent')
            [CompletionResult]::new('--notes', '--notes', [CompletionResultType]::ParameterName, 'Include notes')
            [CompletionResult]::new('--statistics', '--statistics', [CompletionResultType]::ParameterName, 'Count by rule instead of showing each finding')
            [CompletionResult]::new('--deny-warnings', '--deny-warnings', [CompletionResultType]::ParameterName, 'Report every warning as an error')
            [CompletionResult]::new('--isolated', '--isolated', [CompletionResultType]::ParameterName, 'Ignore the settings in `skillpm.toml`')
            [CompletionResult]::new('--fix', '--fix', [CompletionResultType]::ParameterName, 'Apply safe fixes')
            [CompletionResult]::new('--unsafe-fixes', '--unsafe-fixes', [CompletionResultType]::ParameterName, 'Apply unsafe fixes, too: review them afterwards')
            [CompletionResult]::new('--diff', '--diff', [CompletionResultType]::ParameterName, 'Show what `--fix` would do as a patch, and write nothing')
            [CompletionResult]::new('--write-baseline', '--write-baseline', [CompletionResultType]::ParameterName, 'Record all findings in the baseline')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Work without network access')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Require that the lockfile is up to date')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Same as --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never prompt; use defaults')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;validate' {
            [CompletionResult]::new('--profile', '--profile', [CompletionResultType]::ParameterName, 'Validate as the specification''s text or the official validator does')
            [CompletionResult]::new('--stdin-filename', '--stdin-filename', [CompletionResultType]::ParameterName, 'Path for the file on stdin; its directory gives the skill''s name')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this format')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Override a setting for this run (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use color')
            [CompletionResult]::new('--agent-mode', '--agent-mode', [CompletionResultType]::ParameterName, 'When to print for an agent')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Work without network access')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Require that the lockfile is up to date')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Same as --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never prompt; use defaults')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;package' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write the archive to this file or directory')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write the archive to this file or directory')
            [CompletionResult]::new('--extract', '--extract', [CompletionResultType]::ParameterName, 'Check an archive and unpack it into a new directory')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Override a setting for this run (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use color')
            [CompletionResult]::new('--agent-mode', '--agent-mode', [CompletionResultType]::ParameterName, 'When to print for an agent')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this format')
            [CompletionResult]::new('--list', '--list', [CompletionResultType]::ParameterName, 'List the files without packing')
            [CompletionResult]::new('--workspace', '--workspace', [CompletionResultType]::ParameterName, 'Pack every workspace member')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Work without network access')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Require that the lockfile is up to date')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Same as --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never prompt; use defaults')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;convert' {
            [CompletionResult]::new('--to', '--to', [CompletionResultType]::ParameterName, 'The format to write')
            [CompletionResult]::new('--out', '--out', [CompletionResultType]::ParameterName, 'The parent of the new directory [default: the skill''s parent]')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Override a setting for this run (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use color')
            [CompletionResult]::new('--agent-mode', '--agent-mode', [CompletionResultType]::ParameterName, 'When to print for an agent')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this format')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Work without network access')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Require that the lockfile is up to date')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Same as --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never prompt; use defaults')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;agents' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Override a setting for this run (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use color')
            [CompletionResult]::new('--agent-mode', '--agent-mode', [CompletionResultType]::ParameterName, 'When to print for an agent')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this format')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Work without network access')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Require that the lockfile is up to date')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Same as --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never prompt; use defaults')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List targets and agents in use')
            [CompletionResult]::new('detect', 'detect', [CompletionResultType]::ParameterValue, 'Find the agents that are used here')
            [CompletionResult]::new('add', 'add', [CompletionResultType]::ParameterValue, 'Install into the directories of agents, too')
            [CompletionResult]::new('remove', 'remove', [CompletionResultType]::ParameterValue, 'No longer install into the directories of agents')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'skillpm;agents;list' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Override a setting for this run (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use color')
            [CompletionResult]::new('--agent-mode', '--agent-mode', [CompletionResultType]::ParameterName, 'When to print for an agent')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this format')
            [CompletionResult]::new('--all', '--all', [CompletionResultType]::ParameterName, 'List every agent that skillpm knows')
            [CompletionResult]::new('-g', '-g', [CompletionResultType]::ParameterName, 'Use your own skills instead of the project''s')
            [CompletionResult]::new('--global', '--global', [CompletionResultType]::ParameterName, 'Use your own skills instead of the project''s')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Work without network access')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Require that the lockfile is up to date')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Same as --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never prompt; use defaults')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;agents;detect' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Override a setting for this run (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use color')
            [CompletionResult]::new('--agent-mode', '--agent-mode', [CompletionResultType]::ParameterName, 'When to print for an agent')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this format')
            [CompletionResult]::new('-g', '-g', [CompletionResultType]::ParameterName, 'Use your own skills instead of the project''s')
            [CompletionResult]::new('--global', '--global', [CompletionResultType]::ParameterName, 'Use your own skills instead of the project''s')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Work without network access')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Require that the lockfile is up to date')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Same as --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never prompt; use defaults')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;agents;add' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Override a setting for this run (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use color')
            [CompletionResult]::new('--agent-mode', '--agent-mode', [CompletionResultType]::ParameterName, 'When to print for an agent')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this format')
            [CompletionResult]::new('-g', '-g', [CompletionResultType]::ParameterName, 'Use your own skills instead of the project''s')
            [CompletionResult]::new('--global', '--global', [CompletionResultType]::ParameterName, 'Use your own skills instead of the project''s')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Show what would be done without doing it')
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Overwrite local changes after saving them to .skillpm/backup')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Work without network access')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Require that the lockfile is up to date')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Same as --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never prompt; use defaults')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;agents;remove' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Override a setting for this run (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use color')
            [CompletionResult]::new('--agent-mode', '--agent-mode', [CompletionResultType]::ParameterName, 'When to print for an agent')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this format')
            [CompletionResult]::new('-g', '-g', [CompletionResultType]::ParameterName, 'Use your own skills instead of the project''s')
            [CompletionResult]::new('--global', '--global', [CompletionResultType]::ParameterName, 'Use your own skills instead of the project''s')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Show what would be done without doing it')
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Overwrite local changes after saving them to .skillpm/backup')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Work without network access')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Require that the lockfile is up to date')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Same as --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never prompt; use defaults')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;agents;help' {
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List targets and agents in use')
            [CompletionResult]::new('detect', 'detect', [CompletionResultType]::ParameterValue, 'Find the agents that are used here')
            [CompletionResult]::new('add', 'add', [CompletionResultType]::ParameterValue, 'Install into the directories of agents, too')
            [CompletionResult]::new('remove', 'remove', [CompletionResultType]::ParameterValue, 'No longer install into the directories of agents')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'skillpm;agents;help;list' {
            break
        }
        'skillpm;agents;help;detect' {
            break
        }
        'skillpm;agents;help;add' {
            break
        }
        'skillpm;agents;help;remove' {
            break
        }
        'skillpm;agents;help;help' {
            break
        }
        'skillpm;catalog' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Read this directory, not the tiers (repeatable)')
            [CompletionResult]::new('--agent', '--agent', [CompletionResultType]::ParameterName, 'Show the skills that this agent sees')
            [CompletionResult]::new('--only', '--only', [CompletionResultType]::ParameterName, 'Show only these skills')
            [CompletionResult]::new('--search', '--search', [CompletionResultType]::ParameterName, 'Show only skills that match these words')
            [CompletionResult]::new('--tag', '--tag', [CompletionResultType]::ParameterName, 'Show only skills with this tag (repeatable)')
            [CompletionResult]::new('--assume', '--assume', [CompletionResultType]::ParameterName, 'Assume os=…,bins=…,env=… (repeatable)')
            [CompletionResult]::new('--budget', '--budget', [CompletionResultType]::ParameterName, 'Fail if the listing is longer than N characters')
            [CompletionResult]::new('--preamble', '--preamble', [CompletionResultType]::ParameterName, 'Replace the introduction with the text of this file')
            [CompletionResult]::new('--template', '--template', [CompletionResultType]::ParameterName, 'Render with this template')
            [CompletionResult]::new('--into', '--into', [CompletionResultType]::ParameterName, 'Update the section between markers in this file')
            [CompletionResult]::new('--out', '--out', [CompletionResultType]::ParameterName, 'Write a tree of files to this directory')
            [CompletionResult]::new('--base-url', '--base-url', [CompletionResultType]::ParameterName, 'Where `well-known` will be served')
            [CompletionResult]::new('--title', '--title', [CompletionResultType]::ParameterName, 'Set the name of the `claude-marketplace` [default: skills]')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this format; --list-formats shows all')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Override a setting for this run (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use color')
            [CompletionResult]::new('--agent-mode', '--agent-mode', [CompletionResultType]::ParameterName, 'When to print for an agent')
            [CompletionResult]::new('--all', '--all', [CompletionResultType]::ParameterName, 'Include hidden skills, with reasons')
            [CompletionResult]::new('--no-skills', '--no-skills', [CompletionResultType]::ParameterName, 'Show no skills, whatever is installed')
            [CompletionResult]::new('--replace-openskills', '--replace-openskills', [CompletionResultType]::ParameterName, 'Replace the section that openskills wrote')
            [CompletionResult]::new('--stats', '--stats', [CompletionResultType]::ParameterName, 'Print the size of each skill and format in tokens')
            [CompletionResult]::new('--list-formats', '--list-formats', [CompletionResultType]::ParameterName, 'List all formats')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Work without network access')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Require that the lockfile is up to date')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Same as --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never prompt; use defaults')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;serve' {
            [CompletionResult]::new('--http', '--http', [CompletionResultType]::ParameterName, 'Listen for HTTP: PORT, IP or IP:PORT')
            [CompletionResult]::new('--token', '--token', [CompletionResultType]::ParameterName, 'Require this bearer token in HTTP requests')
            [CompletionResult]::new('--allow-host', '--allow-host', [CompletionResultType]::ParameterName, 'Accept requests for this host name too (repeatable)')
            [CompletionResult]::new('--agent', '--agent', [CompletionResultType]::ParameterName, 'Serve what this agent is shown, by its own order')
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Read this directory, not the tiers (repeatable)')
            [CompletionResult]::new('--only', '--only', [CompletionResultType]::ParameterName, 'Serve just these skills')
            [CompletionResult]::new('--assume', '--assume', [CompletionResultType]::ParameterName, 'Assume os=…,bins=…,env=… (repeatable)')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Override a setting for this run (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use color')
            [CompletionResult]::new('--agent-mode', '--agent-mode', [CompletionResultType]::ParameterName, 'When to print for an agent')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this format')
            [CompletionResult]::new('--allow-proposals', '--allow-proposals', [CompletionResultType]::ParameterName, 'Let clients propose changes, for you to look at')
            [CompletionResult]::new('--no-skills', '--no-skills', [CompletionResultType]::ParameterName, 'Serve no skills, whatever is installed')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Work without network access')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Require that the lockfile is up to date')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Same as --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never prompt; use defaults')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;watch' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Follow this directory, not the tiers (repeatable)')
            [CompletionResult]::new('--agent', '--agent', [CompletionResultType]::ParameterName, 'Resolve names as this agent does')
            [CompletionResult]::new('--poll', '--poll', [CompletionResultType]::ParameterName, 'Poll every SECONDS instead of using events')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Override a setting for this run (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use color')
            [CompletionResult]::new('--agent-mode', '--agent-mode', [CompletionResultType]::ParameterName, 'When to print for an agent')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this format')
            [CompletionResult]::new('--existing', '--existing', [CompletionResultType]::ParameterName, 'Report existing skills first')
            [CompletionResult]::new('--once', '--once', [CompletionResultType]::ParameterName, 'Exit after the first change')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Work without network access')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Require that the lockfile is up to date')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Same as --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never prompt; use defaults')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;budget' {
            [CompletionResult]::new('--agent', '--agent', [CompletionResultType]::ParameterName, 'Show this agent (repeatable)')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Override a setting for this run (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use color')
            [CompletionResult]::new('--agent-mode', '--agent-mode', [CompletionResultType]::ParameterName, 'When to print for an agent')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this format')
            [CompletionResult]::new('--exact', '--exact', [CompletionResultType]::ParameterName, 'Count tokens with the o200k vocabulary')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Work without network access')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Require that the lockfile is up to date')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Same as --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never prompt; use defaults')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;propose' {
            [CompletionResult]::new('--file', '--file', [CompletionResultType]::ParameterName, 'The changed SKILL.md; `-` for stdin')
            [CompletionResult]::new('--diff', '--diff', [CompletionResultType]::ParameterName, 'The change as a unified diff; `-` for stdin')
            [CompletionResult]::new('-j', '-j', [CompletionResultType]::ParameterName, 'Why the change should be made')
            [CompletionResult]::new('--justification', '--justification', [CompletionResultType]::ParameterName, 'Why the change should be made')
            [CompletionResult]::new('--evidence', '--evidence', [CompletionResultType]::ParameterName, 'Evidence that the change helps (repeatable)')
            [CompletionResult]::new('--by', '--by', [CompletionResultType]::ParameterName, 'Who proposes it')
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Look in this directory, not the tiers (repeatable)')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Override a setting for this run (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use color')
            [CompletionResult]::new('--agent-mode', '--agent-mode', [CompletionResultType]::ParameterName, 'When to print for an agent')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this format')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Work without network access')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Require that the lockfile is up to date')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Same as --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never prompt; use defaults')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;proposals' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Override a setting for this run (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use color')
            [CompletionResult]::new('--agent-mode', '--agent-mode', [CompletionResultType]::ParameterName, 'When to print for an agent')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this format')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Work without network access')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Require that the lockfile is up to date')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Same as --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never prompt; use defaults')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List open proposals')
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Print a proposal')
            [CompletionResult]::new('apply', 'apply', [CompletionResultType]::ParameterValue, 'Apply a proposal')
            [CompletionResult]::new('reject', 'reject', [CompletionResultType]::ParameterValue, 'Reject a proposal')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'skillpm;proposals;list' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Override a setting for this run (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use color')
            [CompletionResult]::new('--agent-mode', '--agent-mode', [CompletionResultType]::ParameterName, 'When to print for an agent')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this format')
            [CompletionResult]::new('--all', '--all', [CompletionResultType]::ParameterName, 'Include applied and rejected proposals')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Work without network access')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Require that the lockfile is up to date')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Same as --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never prompt; use defaults')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;proposals;show' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Override a setting for this run (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use color')
            [CompletionResult]::new('--agent-mode', '--agent-mode', [CompletionResultType]::ParameterName, 'When to print for an agent')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this format')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Work without network access')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Require that the lockfile is up to date')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Same as --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never prompt; use defaults')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;proposals;apply' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Look for the skill in this directory, not the tiers (repeatable)')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Override a setting for this run (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use color')
            [CompletionResult]::new('--agent-mode', '--agent-mode', [CompletionResultType]::ParameterName, 'When to print for an agent')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this format')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Work without network access')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Require that the lockfile is up to date')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Same as --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never prompt; use defaults')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;proposals;reject' {
            [CompletionResult]::new('--reason', '--reason', [CompletionResultType]::ParameterName, 'Why not')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Override a setting for this run (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use color')
            [CompletionResult]::new('--agent-mode', '--agent-mode', [CompletionResultType]::ParameterName, 'When to print for an agent')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this format')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Work without network access')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Require that the lockfile is up to date')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Same as --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never prompt; use defaults')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;proposals;help' {
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List open proposals')
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Print a proposal')
            [CompletionResult]::new('apply', 'apply', [CompletionResultType]::ParameterValue, 'Apply a proposal')
            [CompletionResult]::new('reject', 'reject', [CompletionResultType]::ParameterValue, 'Reject a proposal')
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
            [CompletionResult]::new('--registry', '--registry', [CompletionResultType]::ParameterName, 'The registry to publish to, as named in the settings')
            [CompletionResult]::new('--branch', '--branch', [CompletionResultType]::ParameterName, 'Push to this branch of the index for review')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Override a setting for this run (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use color')
            [CompletionResult]::new('--agent-mode', '--agent-mode', [CompletionResultType]::ParameterName, 'When to print for an agent')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this format')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Check everything without publishing')
            [CompletionResult]::new('--tag', '--tag', [CompletionResultType]::ParameterName, 'Tag the published commit as NAME-vX.Y.Z')
            [CompletionResult]::new('--workspace', '--workspace', [CompletionResultType]::ParameterName, 'Publish every workspace member with a new version')
            [CompletionResult]::new('--sign', '--sign', [CompletionResultType]::ParameterName, 'Sign the commit of the index with your key')
            [CompletionResult]::new('--allow-dirty', '--allow-dirty', [CompletionResultType]::ParameterName, 'Allow uncommitted changes')
            [CompletionResult]::new('--allow-similar', '--allow-similar', [CompletionResultType]::ParameterName, 'Allow a new name similar to an existing one')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Work without network access')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Require that the lockfile is up to date')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Same as --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never prompt; use defaults')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;yank' {
            [CompletionResult]::new('--reason', '--reason', [CompletionResultType]::ParameterName, 'Reason for the revocation, shown to all users')
            [CompletionResult]::new('--registry', '--registry', [CompletionResultType]::ParameterName, 'The registry of the package, as named in the settings')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Override a setting for this run (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use color')
            [CompletionResult]::new('--agent-mode', '--agent-mode', [CompletionResultType]::ParameterName, 'When to print for an agent')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this format')
            [CompletionResult]::new('--undo', '--undo', [CompletionResultType]::ParameterName, 'Unyank the version')
            [CompletionResult]::new('--revoke', '--revoke', [CompletionResultType]::ParameterName, 'Revoke a harmful version: refuse to install it at all')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Work without network access')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Require that the lockfile is up to date')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Same as --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never prompt; use defaults')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;owner' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Override a setting for this run (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use color')
            [CompletionResult]::new('--agent-mode', '--agent-mode', [CompletionResultType]::ParameterName, 'When to print for an agent')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this format')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Work without network access')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Require that the lockfile is up to date')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Same as --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never prompt; use defaults')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List the owners of a package')
            [CompletionResult]::new('add', 'add', [CompletionResultType]::ParameterValue, 'Add owners')
            [CompletionResult]::new('remove', 'remove', [CompletionResultType]::ParameterValue, 'Remove owners')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'skillpm;owner;list' {
            [CompletionResult]::new('--registry', '--registry', [CompletionResultType]::ParameterName, 'The registry of the package, as named in the settings')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Override a setting for this run (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use color')
            [CompletionResult]::new('--agent-mode', '--agent-mode', [CompletionResultType]::ParameterName, 'When to print for an agent')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this format')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Work without network access')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Require that the lockfile is up to date')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Same as --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never prompt; use defaults')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;owner;add' {
            [CompletionResult]::new('--registry', '--registry', [CompletionResultType]::ParameterName, 'The registry of the package, as named in the settings')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Override a setting for this run (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use color')
            [CompletionResult]::new('--agent-mode', '--agent-mode', [CompletionResultType]::ParameterName, 'When to print for an agent')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this format')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Work without network access')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Require that the lockfile is up to date')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Same as --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never prompt; use defaults')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;owner;remove' {
            [CompletionResult]::new('--registry', '--registry', [CompletionResultType]::ParameterName, 'The registry of the package, as named in the settings')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Override a setting for this run (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use color')
            [CompletionResult]::new('--agent-mode', '--agent-mode', [CompletionResultType]::ParameterName, 'When to print for an agent')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this format')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Work without network access')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Require that the lockfile is up to date')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Same as --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never prompt; use defaults')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;owner;help' {
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List the owners of a package')
            [CompletionResult]::new('add', 'add', [CompletionResultType]::ParameterValue, 'Add owners')
            [CompletionResult]::new('remove', 'remove', [CompletionResultType]::ParameterValue, 'Remove owners')
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
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Override a setting for this run (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use color')
            [CompletionResult]::new('--agent-mode', '--agent-mode', [CompletionResultType]::ParameterName, 'When to print for an agent')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this format')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Work without network access')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Require that the lockfile is up to date')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Same as --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never prompt; use defaults')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('new', 'new', [CompletionResultType]::ParameterValue, 'Create an empty index')
            [CompletionResult]::new('check', 'check', [CompletionResultType]::ParameterValue, 'Check an index, or a change to it')
            [CompletionResult]::new('advise', 'advise', [CompletionResultType]::ParameterValue, 'Pack advisories into the file that clients fetch')
            [CompletionResult]::new('renew', 'renew', [CompletionResultType]::ParameterValue, 'Extend the expiry date of an index')
            [CompletionResult]::new('site', 'site', [CompletionResultType]::ParameterValue, 'Write a static site of skills')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'skillpm;registry;new' {
            [CompletionResult]::new('--dl', '--dl', [CompletionResultType]::ParameterName, 'The location of archives [default: in the index]')
            [CompletionResult]::new('--owner', '--owner', [CompletionResultType]::ParameterName, 'An owner of the index [default: you] (repeatable)')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Override a setting for this run (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use color')
            [CompletionResult]::new('--agent-mode', '--agent-mode', [CompletionResultType]::ParameterName, 'When to print for an agent')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this format')
            [CompletionResult]::new('--git', '--git', [CompletionResultType]::ParameterName, 'Initialize a git repository in it')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Work without network access')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Require that the lockfile is up to date')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Same as --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never prompt; use defaults')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;registry;check' {
            [CompletionResult]::new('--base', '--base', [CompletionResultType]::ParameterName, 'Check the changes between this revision and HEAD')
            [CompletionResult]::new('--by', '--by', [CompletionResultType]::ParameterName, 'Who makes the change (repeatable)')
            [CompletionResult]::new('--archives', '--archives', [CompletionResultType]::ParameterName, 'Which archives to read')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Override a setting for this run (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use color')
            [CompletionResult]::new('--agent-mode', '--agent-mode', [CompletionResultType]::ParameterName, 'When to print for an agent')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this format')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Work without network access')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Require that the lockfile is up to date')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Same as --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never prompt; use defaults')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;registry;advise' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Override a setting for this run (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use color')
            [CompletionResult]::new('--agent-mode', '--agent-mode', [CompletionResultType]::ParameterName, 'When to print for an agent')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this format')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Work without network access')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Require that the lockfile is up to date')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Same as --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never prompt; use defaults')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;registry;renew' {
            [CompletionResult]::new('--for', '--for', [CompletionResultType]::ParameterName, 'How long it is valid from now on')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Override a setting for this run (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use color')
            [CompletionResult]::new('--agent-mode', '--agent-mode', [CompletionResultType]::ParameterName, 'When to print for an agent')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this format')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Work without network access')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Require that the lockfile is up to date')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Same as --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never prompt; use defaults')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;registry;site' {
            [CompletionResult]::new('--registry', '--registry', [CompletionResultType]::ParameterName, 'Read skills from this registry')
            [CompletionResult]::new('--base-url', '--base-url', [CompletionResultType]::ParameterName, 'Where it will be served')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Override a setting for this run (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use color')
            [CompletionResult]::new('--agent-mode', '--agent-mode', [CompletionResultType]::ParameterName, 'When to print for an agent')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this format')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Work without network access')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Require that the lockfile is up to date')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Same as --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never prompt; use defaults')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;registry;help' {
            [CompletionResult]::new('new', 'new', [CompletionResultType]::ParameterValue, 'Create an empty index')
            [CompletionResult]::new('check', 'check', [CompletionResultType]::ParameterValue, 'Check an index, or a change to it')
            [CompletionResult]::new('advise', 'advise', [CompletionResultType]::ParameterValue, 'Pack advisories into the file that clients fetch')
            [CompletionResult]::new('renew', 'renew', [CompletionResultType]::ParameterValue, 'Extend the expiry date of an index')
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
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Override a setting for this run (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use color')
            [CompletionResult]::new('--agent-mode', '--agent-mode', [CompletionResultType]::ParameterName, 'When to print for an agent')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this format')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Work without network access')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Require that the lockfile is up to date')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Same as --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never prompt; use defaults')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('size', 'size', [CompletionResultType]::ParameterValue, 'Show the size of the cache')
            [CompletionResult]::new('dir', 'dir', [CompletionResultType]::ParameterValue, 'Print the cache directories')
            [CompletionResult]::new('verify', 'verify', [CompletionResultType]::ParameterValue, 'Verify checksums and remove damaged entries')
            [CompletionResult]::new('prune', 'prune', [CompletionResultType]::ParameterValue, 'Remove entries that were not used for a while')
            [CompletionResult]::new('clean', 'clean', [CompletionResultType]::ParameterValue, 'Remove all entries, or all of one skill or source')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'skillpm;cache;size' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Override a setting for this run (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use color')
            [CompletionResult]::new('--agent-mode', '--agent-mode', [CompletionResultType]::ParameterName, 'When to print for an agent')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this format')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Work without network access')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Require that the lockfile is up to date')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Same as --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never prompt; use defaults')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;cache;dir' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Override a setting for this run (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use color')
            [CompletionResult]::new('--agent-mode', '--agent-mode', [CompletionResultType]::ParameterName, 'When to print for an agent')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this format')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Work without network access')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Require that the lockfile is up to date')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Same as --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never prompt; use defaults')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;cache;verify' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Override a setting for this run (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use color')
            [CompletionResult]::new('--agent-mode', '--agent-mode', [CompletionResultType]::ParameterName, 'When to print for an agent')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this format')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Work without network access')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Require that the lockfile is up to date')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Same as --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never prompt; use defaults')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;cache;prune' {
            [CompletionResult]::new('--older-than', '--older-than', [CompletionResultType]::ParameterName, 'Remove entries not used for AGE')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Override a setting for this run (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use color')
            [CompletionResult]::new('--agent-mode', '--agent-mode', [CompletionResultType]::ParameterName, 'When to print for an agent')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this format')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Show what would be removed without removing it')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Work without network access')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Require that the lockfile is up to date')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Same as --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never prompt; use defaults')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;cache;clean' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Override a setting for this run (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use color')
            [CompletionResult]::new('--agent-mode', '--agent-mode', [CompletionResultType]::ParameterName, 'When to print for an agent')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this format')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Work without network access')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Require that the lockfile is up to date')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Same as --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never prompt; use defaults')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;cache;help' {
            [CompletionResult]::new('size', 'size', [CompletionResultType]::ParameterValue, 'Show the size of the cache')
            [CompletionResult]::new('dir', 'dir', [CompletionResultType]::ParameterValue, 'Print the cache directories')
            [CompletionResult]::new('verify', 'verify', [CompletionResultType]::ParameterValue, 'Verify checksums and remove damaged entries')
            [CompletionResult]::new('prune', 'prune', [CompletionResultType]::ParameterValue, 'Remove entries that were not used for a while')
            [CompletionResult]::new('clean', 'clean', [CompletionResultType]::ParameterValue, 'Remove all entries, or all of one skill or source')
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
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Override a setting for this run (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use color')
            [CompletionResult]::new('--agent-mode', '--agent-mode', [CompletionResultType]::ParameterName, 'When to print for an agent')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this format')
            [CompletionResult]::new('--fix', '--fix', [CompletionResultType]::ParameterName, 'Fix problems that can be fixed without data loss')
            [CompletionResult]::new('--online', '--online', [CompletionResultType]::ParameterName, 'Check that every registry can be reached')
            [CompletionResult]::new('-g', '-g', [CompletionResultType]::ParameterName, 'Use your own skills instead of the project''s')
            [CompletionResult]::new('--global', '--global', [CompletionResultType]::ParameterName, 'Use your own skills instead of the project''s')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Work without network access')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Require that the lockfile is up to date')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Same as --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never prompt; use defaults')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;config' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Override a setting for this run (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use color')
            [CompletionResult]::new('--agent-mode', '--agent-mode', [CompletionResultType]::ParameterName, 'When to print for an agent')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this format')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Work without network access')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Require that the lockfile is up to date')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Same as --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never prompt; use defaults')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'Show all settings, and where each was set')
            [CompletionResult]::new('get', 'get', [CompletionResultType]::ParameterValue, 'Print one setting')
            [CompletionResult]::new('set', 'set', [CompletionResultType]::ParameterValue, 'Change one setting')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'skillpm;config;list' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Override a setting for this run (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use color')
            [CompletionResult]::new('--agent-mode', '--agent-mode', [CompletionResultType]::ParameterName, 'When to print for an agent')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this format')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Work without network access')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Require that the lockfile is up to date')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Same as --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never prompt; use defaults')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;config;get' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Override a setting for this run (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use color')
            [CompletionResult]::new('--agent-mode', '--agent-mode', [CompletionResultType]::ParameterName, 'When to print for an agent')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this format')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Work without network access')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Require that the lockfile is up to date')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Same as --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never prompt; use defaults')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;config;set' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Override a setting for this run (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use color')
            [CompletionResult]::new('--agent-mode', '--agent-mode', [CompletionResultType]::ParameterName, 'When to print for an agent')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this format')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Write to the project''s file instead of your own')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Work without network access')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Require that the lockfile is up to date')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Same as --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never prompt; use defaults')
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
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Override a setting for this run (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use color')
            [CompletionResult]::new('--agent-mode', '--agent-mode', [CompletionResultType]::ParameterName, 'When to print for an agent')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this format')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Work without network access')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Require that the lockfile is up to date')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Same as --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never prompt; use defaults')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;logout' {
            [CompletionResult]::new('--registry', '--registry', [CompletionResultType]::ParameterName, 'The registry, by name or by URL [default: the default one]')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Override a setting for this run (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use color')
            [CompletionResult]::new('--agent-mode', '--agent-mode', [CompletionResultType]::ParameterName, 'When to print for an agent')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this format')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Work without network access')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Require that the lockfile is up to date')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Same as --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never prompt; use defaults')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;completions' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Override a setting for this run (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use color')
            [CompletionResult]::new('--agent-mode', '--agent-mode', [CompletionResultType]::ParameterName, 'When to print for an agent')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this format')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Work without network access')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Require that the lockfile is up to date')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Same as --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never prompt; use defaults')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;man' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Override a setting for this run (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use color')
            [CompletionResult]::new('--agent-mode', '--agent-mode', [CompletionResultType]::ParameterName, 'When to print for an agent')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print in this format')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print errors only')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more details')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Work without network access')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Require that the lockfile is up to date')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Same as --locked and --offline')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Answer yes to all prompts')
            [CompletionResult]::new('--no-input', '--no-input', [CompletionResultType]::ParameterName, 'Never prompt; use defaults')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'skillpm;help' {
            [CompletionResult]::new('init', 'init', [CompletionResultType]::ParameterValue, 'Create a manifest for the project')
            [CompletionResult]::new('new', 'new', [CompletionResultType]::ParameterValue, 'Create a skill from a template')
            [CompletionResult]::new('add', 'add', [CompletionResultType]::ParameterValue, 'Add skills to the project')
            [CompletionResult]::new('remove', 'remove', [CompletionResultType]::ParameterValue, 'Remove skills and dependencies that are no longer used')
            [CompletionResult]::new('install', 'install', [CompletionResultType]::ParameterValue, 'Install the locked versions')
            [CompletionResult]::new('update', 'update', [CompletionResultType]::ParameterValue, 'Update skills to the newest compatible versions')
            [CompletionResult]::new('import', 'import', [CompletionResultType]::ParameterValue, 'Import skills installed by other tools, or a bundle')
            [CompletionResult]::new('undo', 'undo', [CompletionResultType]::ParameterValue, 'Undo the last command that changed something')
            [CompletionResult]::new('outdated', 'outdated', [CompletionResultType]::ParameterValue, 'Show skills that have newer versions')
            [CompletionResult]::new('diff', 'diff', [CompletionResultType]::ParameterValue, 'Show local edits, or changes in another version')
            [CompletionResult]::new('patch', 'patch', [CompletionResultType]::ParameterValue, 'Save local edits of a skill as a patch file')
            [CompletionResult]::new('lock', 'lock', [CompletionResultType]::ParameterValue, 'Resolve versions and write the lockfile')
            [CompletionResult]::new('tree', 'tree', [CompletionResultType]::ParameterValue, 'Show the dependency graph')
            [CompletionResult]::new('why', 'why', [CompletionResultType]::ParameterValue, 'Explain why a skill is installed or visible')
            [CompletionResult]::new('status', 'status', [CompletionResultType]::ParameterValue, 'Show what is here and what to run next')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List skills by tier')
            [CompletionResult]::new('search', 'search', [CompletionResultType]::ParameterValue, 'Search registries for packages and skills')
            [CompletionResult]::new('sbom', 'sbom', [CompletionResultType]::ParameterValue, 'Write an SBOM of all locked packages')
            [CompletionResult]::new('info', 'info', [CompletionResultType]::ParameterValue, 'Show information about a package')
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Print the instructions or a file of a skill')
            [CompletionResult]::new('verify', 'verify', [CompletionResultType]::ParameterValue, 'Verify installed files against the lockfile')
            [CompletionResult]::new('audit', 'audit', [CompletionResultType]::ParameterValue, 'Check installed and locked skills for security problems')
            [CompletionResult]::new('vendor', 'vendor', [CompletionResultType]::ParameterValue, 'Vendor all locked packages into the repository')
            [CompletionResult]::new('export', 'export', [CompletionResultType]::ParameterValue, 'Write a bundle for installing without a network')
            [CompletionResult]::new('lint', 'lint', [CompletionResultType]::ParameterValue, 'Check skills against 191 rules')
            [CompletionResult]::new('validate', 'validate', [CompletionResultType]::ParameterValue, 'Check that skills follow the specification')
            [CompletionResult]::new('package', 'package', [CompletionResultType]::ParameterValue, 'Pack a skill into an archive')
            [CompletionResult]::new('convert', 'convert', [CompletionResultType]::ParameterValue, 'Write a skill in another format')
            [CompletionResult]::new('agents', 'agents', [CompletionResultType]::ParameterValue, 'Show and choose the agents that see the skills')
            [CompletionResult]::new('catalog', 'catalog', [CompletionResultType]::ParameterValue, 'Emit the resolved catalog for an agent')
            [CompletionResult]::new('serve', 'serve', [CompletionResultType]::ParameterValue, 'Serve the catalog over MCP')
            [CompletionResult]::new('watch', 'watch', [CompletionResultType]::ParameterValue, 'Watch the catalog and report changes')
            [CompletionResult]::new('budget', 'budget', [CompletionResultType]::ParameterValue, 'Show how many context tokens the skill list uses, per agent')
            [CompletionResult]::new('propose', 'propose', [CompletionResultType]::ParameterValue, 'Propose a change of a skill for review')
            [CompletionResult]::new('proposals', 'proposals', [CompletionResultType]::ParameterValue, 'List, apply or reject proposed changes of skills')
            [CompletionResult]::new('publish', 'publish', [CompletionResultType]::ParameterValue, 'Publish a skill to a registry')
            [CompletionResult]::new('yank', 'yank', [CompletionResultType]::ParameterValue, 'Yank a published version, or revoke it')
            [CompletionResult]::new('owner', 'owner', [CompletionResultType]::ParameterValue, 'Manage the owners of a package')
            [CompletionResult]::new('registry', 'registry', [CompletionResultType]::ParameterValue, 'Create, check, renew or publish a registry index')
            [CompletionResult]::new('cache', 'cache', [CompletionResultType]::ParameterValue, 'Manage the cache that all projects share')
            [CompletionResult]::new('doctor', 'doctor', [CompletionResultType]::ParameterValue, 'Check the installation and the project for problems')
            [CompletionResult]::new('config', 'config', [CompletionResultType]::ParameterValue, 'Show or change settings')
            [CompletionResult]::new('login', 'login', [CompletionResultType]::ParameterValue, 'Save a token for a registry')
            [CompletionResult]::new('logout', 'logout', [CompletionResultType]::ParameterValue, 'Remove the token of a registry')
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
        'skillpm;help;status' {
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
        'skillpm;help;agents' {
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List targets and agents in use')
            [CompletionResult]::new('detect', 'detect', [CompletionResultType]::ParameterValue, 'Find the agents that are used here')
            [CompletionResult]::new('add', 'add', [CompletionResultType]::ParameterValue, 'Install into the directories of agents, too')
            [CompletionResult]::new('remove', 'remove', [CompletionResultType]::ParameterValue, 'No longer install into the directories of agents')
            break
        }
        'skillpm;help;agents;list' {
            break
        }
        'skillpm;help;agents;detect' {
            break
        }
        'skillpm;help;agents;add' {
            break
        }
        'skillpm;help;agents;remove' {
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
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List open proposals')
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Print a proposal')
            [CompletionResult]::new('apply', 'apply', [CompletionResultType]::ParameterValue, 'Apply a proposal')
            [CompletionResult]::new('reject', 'reject', [CompletionResultType]::ParameterValue, 'Reject a proposal')
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
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List the owners of a package')
            [CompletionResult]::new('add', 'add', [CompletionResultType]::ParameterValue, 'Add owners')
            [CompletionResult]::new('remove', 'remove', [CompletionResultType]::ParameterValue, 'Remove owners')
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
            [CompletionResult]::new('new', 'new', [CompletionResultType]::ParameterValue, 'Create an empty index')
            [CompletionResult]::new('check', 'check', [CompletionResultType]::ParameterValue, 'Check an index, or a change to it')
            [CompletionResult]::new('advise', 'advise', [CompletionResultType]::ParameterValue, 'Pack advisories into the file that clients fetch')
            [CompletionResult]::new('renew', 'renew', [CompletionResultType]::ParameterValue, 'Extend the expiry date of an index')
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
            [CompletionResult]::new('size', 'size', [CompletionResultType]::ParameterValue, 'Show the size of the cache')
            [CompletionResult]::new('dir', 'dir', [CompletionResultType]::ParameterValue, 'Print the cache directories')
            [CompletionResult]::new('verify', 'verify', [CompletionResultType]::ParameterValue, 'Verify checksums and remove damaged entries')
            [CompletionResult]::new('prune', 'prune', [CompletionResultType]::ParameterValue, 'Remove entries that were not used for a while')
            [CompletionResult]::new('clean', 'clean', [CompletionResultType]::ParameterValue, 'Remove all entries, or all of one skill or source')
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
