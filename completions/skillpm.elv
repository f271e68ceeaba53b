
use builtin;
use str;

set edit:completion:arg-completer[skillpm] = {|@words|
    fn spaces {|n|
        builtin:repeat $n ' ' | str:join ''
    }
    fn cand {|text desc|
        edit:complex-candidate $text &display=$text' '(spaces (- 14 (wcswidth $text)))$desc
    }
    var command = 'skillpm'
    for word $words[1..-1] {
        if (str:has-prefix $word '-') {
            break
        }
        set command = $command';'$word
    }
    var completions = [
        &'skillpm'= {
            cand -C 'Run as if started in this directory'
            cand --directory 'Run as if started in this directory'
            cand --config 'Set a setting for this run, as KEY=VALUE (repeatable)'
            cand --color 'When to use colour'
            cand --format 'Print in this form'
            cand -q 'Print errors only'
            cand --quiet 'Print errors only'
            cand -v 'Print more of what is done'
            cand --verbose 'Print more of what is done'
            cand --offline 'Refuse the network; use what was brought before'
            cand --locked 'Refuse to change the lockfile; fail if it would have to'
            cand --frozen 'Both --locked and --offline'
            cand -y 'Answer yes to every question'
            cand --yes 'Answer yes to every question'
            cand --no-input 'Never ask; take what can be decided without'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
            cand init 'Make a manifest for this project'
            cand new 'Make a new skill from a template'
            cand add 'Add skills to the project'
            cand remove 'Remove skills, and what only they needed'
            cand install 'Install what the lockfile says'
            cand sync 'Install what the lockfile says'
            cand update 'Update to the newest that fits'
            cand outdated 'Show what has something newer'
            cand lock 'Decide on versions and write the lockfile'
            cand tree 'Show the dependency graph'
            cand why 'Tell why a skill is there'
            cand list 'List the skills that are there, by tier'
            cand show 'Print a skill''s text, or one of its files'
            cand verify 'Check every installed byte against the lockfile'
            cand package 'Pack a skill into the archive that registries serve'
            cand catalog 'Emit the resolved catalog for an agent'
            cand publish 'Publish a skill to a registry'
            cand yank 'Withdraw a published version from new resolves'
            cand owner 'Show or change who may publish'
            cand registry 'Keep a registry: make one, check it, show it'
            cand config 'Show or change settings'
            cand completions 'Print completions for a shell'
            cand man 'Print a manual page'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'skillpm;init'= {
            cand -C 'Run as if started in this directory'
            cand --directory 'Run as if started in this directory'
            cand --config 'Set a setting for this run, as KEY=VALUE (repeatable)'
            cand --color 'When to use colour'
            cand --format 'Print in this form'
            cand -q 'Print errors only'
            cand --quiet 'Print errors only'
            cand -v 'Print more of what is done'
            cand --verbose 'Print more of what is done'
            cand --offline 'Refuse the network; use what was brought before'
            cand --locked 'Refuse to change the lockfile; fail if it would have to'
            cand --frozen 'Both --locked and --offline'
            cand -y 'Answer yes to every question'
            cand --yes 'Answer yes to every question'
            cand --no-input 'Never ask; take what can be decided without'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'skillpm;new'= {
            cand --in 'The directory to make it in [default: this one]'
            cand -C 'Run as if started in this directory'
            cand --directory 'Run as if started in this directory'
            cand --config 'Set a setting for this run, as KEY=VALUE (repeatable)'
            cand --color 'When to use colour'
            cand --format 'Print in this form'
            cand -q 'Print errors only'
            cand --quiet 'Print errors only'
            cand -v 'Print more of what is done'
            cand --verbose 'Print more of what is done'
            cand --offline 'Refuse the network; use what was brought before'
            cand --locked 'Refuse to change the lockfile; fail if it would have to'
            cand --frozen 'Both --locked and --offline'
            cand -y 'Answer yes to every question'
            cand --yes 'Answer yes to every question'
            cand --no-input 'Never ask; take what can be decided without'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'skillpm;add'= {
            cand -s 'Take this skill of a source with many (repeatable)'
            cand --skill 'Take this skill of a source with many (repeatable)'
            cand --version 'Which versions fit, such as ^1.2 or =2.0.1'
            cand --tag 'The tag of a git source'
            cand --branch 'The branch of a git source'
            cand --rev 'The commit of a git source'
            cand --path 'The directory of the skill inside the source'
            cand --registry 'The registry to take names from'
            cand --as 'Install under this name'
            cand --target 'Install into this agent''s directory too (repeatable)'
            cand -C 'Run as if started in this directory'
            cand --directory 'Run as if started in this directory'
            cand --config 'Set a setting for this run, as KEY=VALUE (repeatable)'
            cand --color 'When to use colour'
            cand --format 'Print in this form'
            cand --all 'Take all skills of a source'
            cand --keep-going 'With --all, leave out what no agent would load'
            cand --dev 'For work on this package only, not for its users'
            cand -g 'Work on your own skills, not the project''s'
            cand --global 'Work on your own skills, not the project''s'
            cand --dry-run 'Tell what would be done, and do nothing'
            cand --force 'Save what is in the way to .skillpm/backup; go on'
            cand -q 'Print errors only'
            cand --quiet 'Print errors only'
            cand -v 'Print more of what is done'
            cand --verbose 'Print more of what is done'
            cand --offline 'Refuse the network; use what was brought before'
            cand --locked 'Refuse to change the lockfile; fail if it would have to'
            cand --frozen 'Both --locked and --offline'
            cand -y 'Answer yes to every question'
            cand --yes 'Answer yes to every question'
            cand --no-input 'Never ask; take what can be decided without'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'skillpm;remove'= {
            cand -C 'Run as if started in this directory'
            cand --directory 'Run as if started in this directory'
            cand --config 'Set a setting for this run, as KEY=VALUE (repeatable)'
            cand --color 'When to use colour'
            cand --format 'Print in this form'
            cand --source 'Remove all skills of the sources named'
            cand -g 'Work on your own skills, not the project''s'
            cand --global 'Work on your own skills, not the project''s'
            cand --dry-run 'Tell what would be done, and do nothing'
            cand --force 'Save what is in the way to .skillpm/backup; go on'
            cand -q 'Print errors only'
            cand --quiet 'Print errors only'
            cand -v 'Print more of what is done'
            cand --verbose 'Print more of what is done'
            cand --offline 'Refuse the network; use what was brought before'
            cand --locked 'Refuse to change the lockfile; fail if it would have to'
            cand --frozen 'Both --locked and --offline'
            cand -y 'Answer yes to every question'
            cand --yes 'Answer yes to every question'
            cand --no-input 'Never ask; take what can be decided without'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'skillpm;install'= {
            cand -C 'Run as if started in this directory'
            cand --directory 'Run as if started in this directory'
            cand --config 'Set a setting for this run, as KEY=VALUE (repeatable)'
            cand --color 'When to use colour'
            cand --format 'Print in this form'
            cand -g 'Work on your own skills, not the project''s'
            cand --global 'Work on your own skills, not the project''s'
            cand --dry-run 'Tell what would be done, and do nothing'
            cand --force 'Save what is in the way to .skillpm/backup; go on'
            cand -q 'Print errors only'
            cand --quiet 'Print errors only'
            cand -v 'Print more of what is done'
            cand --verbose 'Print more of what is done'
            cand --offline 'Refuse the network; use what was brought before'
            cand --locked 'Refuse to change the lockfile; fail if it would have to'
            cand --frozen 'Both --locked and --offline'
            cand -y 'Answer yes to every question'
            cand --yes 'Answer yes to every question'
            cand --no-input 'Never ask; take what can be decided without'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'skillpm;sync'= {
            cand -C 'Run as if started in this directory'
            cand --directory 'Run as if started in this directory'
            cand --config 'Set a setting for this run, as KEY=VALUE (repeatable)'
            cand --color 'When to use colour'
            cand --format 'Print in this form'
            cand -g 'Work on your own skills, not the project''s'
            cand --global 'Work on your own skills, not the project''s'
            cand --dry-run 'Tell what would be done, and do nothing'
            cand --force 'Save what is in the way to .skillpm/backup; go on'
            cand -q 'Print errors only'
            cand --quiet 'Print errors only'
            cand -v 'Print more of what is done'
            cand --verbose 'Print more of what is done'
            cand --offline 'Refuse the network; use what was brought before'
            cand --locked 'Refuse to change the lockfile; fail if it would have to'
            cand --frozen 'Both --locked and --offline'
            cand -y 'Answer yes to every question'
            cand --yes 'Answer yes to every question'
            cand --no-input 'Never ask; take what can be decided without'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'skillpm;update'= {
            cand --precise 'Go to this version, or for git to this full commit id'
            cand -C 'Run as if started in this directory'
            cand --directory 'Run as if started in this directory'
            cand --config 'Set a setting for this run, as KEY=VALUE (repeatable)'
            cand --color 'When to use colour'
            cand --format 'Print in this form'
            cand --latest 'Go beyond the manifest''s requirement, and raise it'
            cand -g 'Work on your own skills, not the project''s'
            cand --global 'Work on your own skills, not the project''s'
            cand --dry-run 'Tell what would be done, and do nothing'
            cand --force 'Save what is in the way to .skillpm/backup; go on'
            cand -q 'Print errors only'
            cand --quiet 'Print errors only'
            cand -v 'Print more of what is done'
            cand --verbose 'Print more of what is done'
            cand --offline 'Refuse the network; use what was brought before'
            cand --locked 'Refuse to change the lockfile; fail if it would have to'
            cand --frozen 'Both --locked and --offline'
            cand -y 'Answer yes to every question'
            cand --yes 'Answer yes to every question'
            cand --no-input 'Never ask; take what can be decided without'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'skillpm;outdated'= {
            cand -C 'Run as if started in this directory'
            cand --directory 'Run as if started in this directory'
            cand --config 'Set a setting for this run, as KEY=VALUE (repeatable)'
            cand --color 'When to use colour'
            cand --format 'Print in this form'
            cand --exit-code 'Exit with 1 if anything is outdated'
            cand -g 'Work on your own skills, not the project''s'
            cand --global 'Work on your own skills, not the project''s'
            cand -q 'Print errors only'
            cand --quiet 'Print errors only'
            cand -v 'Print more of what is done'
            cand --verbose 'Print more of what is done'
            cand --offline 'Refuse the network; use what was brought before'
            cand --locked 'Refuse to change the lockfile; fail if it would have to'
            cand --frozen 'Both --locked and --offline'
            cand -y 'Answer yes to every question'
            cand --yes 'Answer yes to every question'
            cand --no-input 'Never ask; take what can be decided without'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'skillpm;lock'= {
            cand -C 'Run as if started in this directory'
            cand --directory 'Run as if started in this directory'
            cand --config 'Set a setting for this run, as KEY=VALUE (repeatable)'
            cand --color 'When to use colour'
            cand --format 'Print in this form'
            cand --dry-run 'Tell what would be done, and do nothing'
            cand -g 'Work on your own skills, not the project''s'
            cand --global 'Work on your own skills, not the project''s'
            cand -q 'Print errors only'
            cand --quiet 'Print errors only'
            cand -v 'Print more of what is done'
            cand --verbose 'Print more of what is done'
            cand --offline 'Refuse the network; use what was brought before'
            cand --locked 'Refuse to change the lockfile; fail if it would have to'
            cand --frozen 'Both --locked and --offline'
            cand -y 'Answer yes to every question'
            cand --yes 'Answer yes to every question'
            cand --no-input 'Never ask; take what can be decided without'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'skillpm;tree'= {
            cand --depth 'How many levels to show; 1 for the project''s own dependencies alone'
            cand -C 'Run as if started in this directory'
            cand --directory 'Run as if started in this directory'
            cand --config 'Set a setting for this run, as KEY=VALUE (repeatable)'
            cand --color 'When to use colour'
            cand --format 'Print in this form'
            cand -i 'Show who needs each package instead of what it needs'
            cand --invert 'Show who needs each package instead of what it needs'
            cand -g 'Work on your own skills, not the project''s'
            cand --global 'Work on your own skills, not the project''s'
            cand -q 'Print errors only'
            cand --quiet 'Print errors only'
            cand -v 'Print more of what is done'
            cand --verbose 'Print more of what is done'
            cand --offline 'Refuse the network; use what was brought before'
            cand --locked 'Refuse to change the lockfile; fail if it would have to'
            cand --frozen 'Both --locked and --offline'
            cand -y 'Answer yes to every question'
            cand --yes 'Answer yes to every question'
            cand --no-input 'Never ask; take what can be decided without'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'skillpm;why'= {
            cand -C 'Run as if started in this directory'
            cand --directory 'Run as if started in this directory'
            cand --config 'Set a setting for this run, as KEY=VALUE (repeatable)'
            cand --color 'When to use colour'
            cand --format 'Print in this form'
            cand -q 'Print errors only'
            cand --quiet 'Print errors only'
            cand -v 'Print more of what is done'
            cand --verbose 'Print more of what is done'
            cand --offline 'Refuse the network; use what was brought before'
            cand --locked 'Refuse to change the lockfile; fail if it would have to'
            cand --frozen 'Both --locked and --offline'
            cand -y 'Answer yes to every question'
            cand --yes 'Answer yes to every question'
            cand --no-input 'Never ask; take what can be decided without'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'skillpm;list'= {
            cand -C 'Run as if started in this directory'
            cand --directory 'Run as if started in this directory'
            cand --config 'Set a setting for this run, as KEY=VALUE (repeatable)'
            cand --color 'When to use colour'
            cand --format 'Print in this form'
            cand -q 'Print errors only'
            cand --quiet 'Print errors only'
            cand -v 'Print more of what is done'
            cand --verbose 'Print more of what is done'
            cand --offline 'Refuse the network; use what was brought before'
            cand --locked 'Refuse to change the lockfile; fail if it would have to'
            cand --frozen 'Both --locked and --offline'
            cand -y 'Answer yes to every question'
            cand --yes 'Answer yes to every question'
            cand --no-input 'Never ask; take what can be decided without'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'skillpm;show'= {
            cand --file 'Another file of the skill than its SKILL.md'
            cand -C 'Run as if started in this directory'
            cand --directory 'Run as if started in this directory'
            cand --config 'Set a setting for this run, as KEY=VALUE (repeatable)'
            cand --color 'When to use colour'
            cand --format 'Print in this form'
            cand -q 'Print errors only'
            cand --quiet 'Print errors only'
            cand -v 'Print more of what is done'
            cand --verbose 'Print more of what is done'
            cand --offline 'Refuse the network; use what was brought before'
            cand --locked 'Refuse to change the lockfile; fail if it would have to'
            cand --frozen 'Both --locked and --offline'
            cand -y 'Answer yes to every question'
            cand --yes 'Answer yes to every question'
            cand --no-input 'Never ask; take what can be decided without'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'skillpm;verify'= {
            cand -C 'Run as if started in this directory'
            cand --directory 'Run as if started in this directory'
            cand --config 'Set a setting for this run, as KEY=VALUE (repeatable)'
            cand --color 'When to use colour'
            cand --format 'Print in this form'
            cand -g 'Work on your own skills, not the project''s'
            cand --global 'Work on your own skills, not the project''s'
            cand -q 'Print errors only'
            cand --quiet 'Print errors only'
            cand -v 'Print more of what is done'
            cand --verbose 'Print more of what is done'
            cand --offline 'Refuse the network; use what was brought before'
            cand --locked 'Refuse to change the lockfile; fail if it would have to'
            cand --frozen 'Both --locked and --offline'
            cand -y 'Answer yes to every question'
            cand --yes 'Answer yes to every question'
            cand --no-input 'Never ask; take what can be decided without'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'skillpm;package'= {
            cand -o 'Write the archive to this file or directory'
            cand --output 'Write the archive to this file or directory'
            cand --extract 'Check an archive and unpack it into a new directory'
            cand -C 'Run as if started in this directory'
            cand --directory 'Run as if started in this directory'
            cand --config 'Set a setting for this run, as KEY=VALUE (repeatable)'
            cand --color 'When to use colour'
            cand --format 'Print in this form'
            cand --list 'Show the files; write nothing'
            cand --workspace 'Pack every member of the workspace'
            cand -q 'Print errors only'
            cand --quiet 'Print errors only'
            cand -v 'Print more of what is done'
            cand --verbose 'Print more of what is done'
            cand --offline 'Refuse the network; use what was brought before'
            cand --locked 'Refuse to change the lockfile; fail if it would have to'
            cand --frozen 'Both --locked and --offline'
            cand -y 'Answer yes to every question'
            cand --yes 'Answer yes to every question'
            cand --no-input 'Never ask; take what can be decided without'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'skillpm;catalog'= {
            cand --dir 'Read this directory, not the tiers (repeatable)'
            cand --only 'Show just these skills'
            cand --assume 'Take os=…,bins=…,env=… for granted (repeatable)'
            cand --preamble 'Advise the model with this file''s text'
            cand --into 'Rewrite the section between the markers of this file'
            cand -C 'Run as if started in this directory'
            cand --directory 'Run as if started in this directory'
            cand --config 'Set a setting for this run, as KEY=VALUE (repeatable)'
            cand --color 'When to use colour'
            cand --format 'Print in this form'
            cand --all 'Show the hidden ones too, and why they are'
            cand --list-formats 'List the forms there are'
            cand -q 'Print errors only'
            cand --quiet 'Print errors only'
            cand -v 'Print more of what is done'
            cand --verbose 'Print more of what is done'
            cand --offline 'Refuse the network; use what was brought before'
            cand --locked 'Refuse to change the lockfile; fail if it would have to'
            cand --frozen 'Both --locked and --offline'
            cand -y 'Answer yes to every question'
            cand --yes 'Answer yes to every question'
            cand --no-input 'Never ask; take what can be decided without'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'skillpm;publish'= {
            cand --registry 'The registry to publish to, by its name in the settings'
            cand --branch 'Leave it on this branch of the index, for review'
            cand -C 'Run as if started in this directory'
            cand --directory 'Run as if started in this directory'
            cand --config 'Set a setting for this run, as KEY=VALUE (repeatable)'
            cand --color 'When to use colour'
            cand --format 'Print in this form'
            cand --dry-run 'Do all but the change'
            cand --tag 'Tag the commit it is made from as NAME-vX.Y.Z'
            cand --workspace 'Publish every member whose version is new'
            cand --allow-dirty 'Publish what was not committed, too'
            cand --allow-similar 'Take a new name that is like another''s'
            cand -q 'Print errors only'
            cand --quiet 'Print errors only'
            cand -v 'Print more of what is done'
            cand --verbose 'Print more of what is done'
            cand --offline 'Refuse the network; use what was brought before'
            cand --locked 'Refuse to change the lockfile; fail if it would have to'
            cand --frozen 'Both --locked and --offline'
            cand -y 'Answer yes to every question'
            cand --yes 'Answer yes to every question'
            cand --no-input 'Never ask; take what can be decided without'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'skillpm;yank'= {
            cand --registry 'The registry it is in, by its name in the settings'
            cand -C 'Run as if started in this directory'
            cand --directory 'Run as if started in this directory'
            cand --config 'Set a setting for this run, as KEY=VALUE (repeatable)'
            cand --color 'When to use colour'
            cand --format 'Print in this form'
            cand --undo 'Take it back in'
            cand -q 'Print errors only'
            cand --quiet 'Print errors only'
            cand -v 'Print more of what is done'
            cand --verbose 'Print more of what is done'
            cand --offline 'Refuse the network; use what was brought before'
            cand --locked 'Refuse to change the lockfile; fail if it would have to'
            cand --frozen 'Both --locked and --offline'
            cand -y 'Answer yes to every question'
            cand --yes 'Answer yes to every question'
            cand --no-input 'Never ask; take what can be decided without'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'skillpm;owner'= {
            cand -C 'Run as if started in this directory'
            cand --directory 'Run as if started in this directory'
            cand --config 'Set a setting for this run, as KEY=VALUE (repeatable)'
            cand --color 'When to use colour'
            cand --format 'Print in this form'
            cand -q 'Print errors only'
            cand --quiet 'Print errors only'
            cand -v 'Print more of what is done'
            cand --verbose 'Print more of what is done'
            cand --offline 'Refuse the network; use what was brought before'
            cand --locked 'Refuse to change the lockfile; fail if it would have to'
            cand --frozen 'Both --locked and --offline'
            cand -y 'Answer yes to every question'
            cand --yes 'Answer yes to every question'
            cand --no-input 'Never ask; take what can be decided without'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand list 'Show who may publish a name'
            cand add 'Let others publish it, too'
            cand remove 'Let others publish it no more'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'skillpm;owner;list'= {
            cand --registry 'The registry it is in, by its name in the settings'
            cand -C 'Run as if started in this directory'
            cand --directory 'Run as if started in this directory'
            cand --config 'Set a setting for this run, as KEY=VALUE (repeatable)'
            cand --color 'When to use colour'
            cand --format 'Print in this form'
            cand -q 'Print errors only'
            cand --quiet 'Print errors only'
            cand -v 'Print more of what is done'
            cand --verbose 'Print more of what is done'
            cand --offline 'Refuse the network; use what was brought before'
            cand --locked 'Refuse to change the lockfile; fail if it would have to'
            cand --frozen 'Both --locked and --offline'
            cand -y 'Answer yes to every question'
            cand --yes 'Answer yes to every question'
            cand --no-input 'Never ask; take what can be decided without'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'skillpm;owner;add'= {
            cand --registry 'The registry it is in, by its name in the settings'
            cand -C 'Run as if started in this directory'
            cand --directory 'Run as if started in this directory'
            cand --config 'Set a setting for this run, as KEY=VALUE (repeatable)'
            cand --color 'When to use colour'
            cand --format 'Print in this form'
            cand -q 'Print errors only'
            cand --quiet 'Print errors only'
            cand -v 'Print more of what is done'
            cand --verbose 'Print more of what is done'
            cand --offline 'Refuse the network; use what was brought before'
            cand --locked 'Refuse to change the lockfile; fail if it would have to'
            cand --frozen 'Both --locked and --offline'
            cand -y 'Answer yes to every question'
            cand --yes 'Answer yes to every question'
            cand --no-input 'Never ask; take what can be decided without'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'skillpm;owner;remove'= {
            cand --registry 'The registry it is in, by its name in the settings'
            cand -C 'Run as if started in this directory'
            cand --directory 'Run as if started in this directory'
            cand --config 'Set a setting for this run, as KEY=VALUE (repeatable)'
            cand --color 'When to use colour'
            cand --format 'Print in this form'
            cand -q 'Print errors only'
            cand --quiet 'Print errors only'
            cand -v 'Print more of what is done'
            cand --verbose 'Print more of what is done'
            cand --offline 'Refuse the network; use what was brought before'
            cand --locked 'Refuse to change the lockfile; fail if it would have to'
            cand --frozen 'Both --locked and --offline'
            cand -y 'Answer yes to every question'
            cand --yes 'Answer yes to every question'
            cand --no-input 'Never ask; take what can be decided without'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'skillpm;owner;help'= {
            cand list 'Show who may publish a name'
            cand add 'Let others publish it, too'
            cand remove 'Let others publish it no more'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'skillpm;owner;help;list'= {
        }
        &'skillpm;owner;help;add'= {
        }
        &'skillpm;owner;help;remove'= {
        }
        &'skillpm;owner;help;help'= {
        }
        &'skillpm;registry'= {
            cand -C 'Run as if started in this directory'
            cand --directory 'Run as if started in this directory'
            cand --config 'Set a setting for this run, as KEY=VALUE (repeatable)'
            cand --color 'When to use colour'
            cand --format 'Print in this form'
            cand -q 'Print errors only'
            cand --quiet 'Print errors only'
            cand -v 'Print more of what is done'
            cand --verbose 'Print more of what is done'
            cand --offline 'Refuse the network; use what was brought before'
            cand --locked 'Refuse to change the lockfile; fail if it would have to'
            cand --frozen 'Both --locked and --offline'
            cand -y 'Answer yes to every question'
            cand --yes 'Answer yes to every question'
            cand --no-input 'Never ask; take what can be decided without'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand new 'Make an index with nothing in it'
            cand check 'Hold an index, or a change of it, to its rules'
            cand site 'Write a static site of skills'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'skillpm;registry;new'= {
            cand --dl 'Where archives are [default: in the index]'
            cand --owner 'Who keeps it [default: you] (repeatable)'
            cand -C 'Run as if started in this directory'
            cand --directory 'Run as if started in this directory'
            cand --config 'Set a setting for this run, as KEY=VALUE (repeatable)'
            cand --color 'When to use colour'
            cand --format 'Print in this form'
            cand --git 'Make a git repository of it'
            cand -q 'Print errors only'
            cand --quiet 'Print errors only'
            cand -v 'Print more of what is done'
            cand --verbose 'Print more of what is done'
            cand --offline 'Refuse the network; use what was brought before'
            cand --locked 'Refuse to change the lockfile; fail if it would have to'
            cand --frozen 'Both --locked and --offline'
            cand -y 'Answer yes to every question'
            cand --yes 'Answer yes to every question'
            cand --no-input 'Never ask; take what can be decided without'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'skillpm;registry;check'= {
            cand --base 'Judge what HEAD changes from this revision'
            cand --by 'Who makes the change (repeatable)'
            cand --archives 'Which archives to read'
            cand -C 'Run as if started in this directory'
            cand --directory 'Run as if started in this directory'
            cand --config 'Set a setting for this run, as KEY=VALUE (repeatable)'
            cand --color 'When to use colour'
            cand --format 'Print in this form'
            cand -q 'Print errors only'
            cand --quiet 'Print errors only'
            cand -v 'Print more of what is done'
            cand --verbose 'Print more of what is done'
            cand --offline 'Refuse the network; use what was brought before'
            cand --locked 'Refuse to change the lockfile; fail if it would have to'
            cand --frozen 'Both --locked and --offline'
            cand -y 'Answer yes to every question'
            cand --yes 'Answer yes to every question'
            cand --no-input 'Never ask; take what can be decided without'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'skillpm;registry;site'= {
            cand --registry 'Make it from this registry'
            cand --base-url 'Where it will be served'
            cand -C 'Run as if started in this directory'
            cand --directory 'Run as if started in this directory'
            cand --config 'Set a setting for this run, as KEY=VALUE (repeatable)'
            cand --color 'When to use colour'
            cand --format 'Print in this form'
            cand -q 'Print errors only'
            cand --quiet 'Print errors only'
            cand -v 'Print more of what is done'
            cand --verbose 'Print more of what is done'
            cand --offline 'Refuse the network; use what was brought before'
            cand --locked 'Refuse to change the lockfile; fail if it would have to'
            cand --frozen 'Both --locked and --offline'
            cand -y 'Answer yes to every question'
            cand --yes 'Answer yes to every question'
            cand --no-input 'Never ask; take what can be decided without'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'skillpm;registry;help'= {
            cand new 'Make an index with nothing in it'
            cand check 'Hold an index, or a change of it, to its rules'
            cand site 'Write a static site of skills'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'skillpm;registry;help;new'= {
        }
        &'skillpm;registry;help;check'= {
        }
        &'skillpm;registry;help;site'= {
        }
        &'skillpm;registry;help;help'= {
        }
        &'skillpm;config'= {
            cand -C 'Run as if started in this directory'
            cand --directory 'Run as if started in this directory'
            cand --config 'Set a setting for this run, as KEY=VALUE (repeatable)'
            cand --color 'When to use colour'
            cand --format 'Print in this form'
            cand -q 'Print errors only'
            cand --quiet 'Print errors only'
            cand -v 'Print more of what is done'
            cand --verbose 'Print more of what is done'
            cand --offline 'Refuse the network; use what was brought before'
            cand --locked 'Refuse to change the lockfile; fail if it would have to'
            cand --frozen 'Both --locked and --offline'
            cand -y 'Answer yes to every question'
            cand --yes 'Answer yes to every question'
            cand --no-input 'Never ask; take what can be decided without'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand list 'Show all settings, and where each was set'
            cand get 'Print one setting'
            cand set 'Change one setting'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'skillpm;config;list'= {
            cand -C 'Run as if started in this directory'
            cand --directory 'Run as if started in this directory'
            cand --config 'Set a setting for this run, as KEY=VALUE (repeatable)'
            cand --color 'When to use colour'
            cand --format 'Print in this form'
            cand -q 'Print errors only'
            cand --quiet 'Print errors only'
            cand -v 'Print more of what is done'
            cand --verbose 'Print more of what is done'
            cand --offline 'Refuse the network; use what was brought before'
            cand --locked 'Refuse to change the lockfile; fail if it would have to'
            cand --frozen 'Both --locked and --offline'
            cand -y 'Answer yes to every question'
            cand --yes 'Answer yes to every question'
            cand --no-input 'Never ask; take what can be decided without'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'skillpm;config;get'= {
            cand -C 'Run as if started in this directory'
            cand --directory 'Run as if started in this directory'
            cand --config 'Set a setting for this run, as KEY=VALUE (repeatable)'
            cand --color 'When to use colour'
            cand --format 'Print in this form'
            cand -q 'Print errors only'
            cand --quiet 'Print errors only'
            cand -v 'Print more of what is done'
            cand --verbose 'Print more of what is done'
            cand --offline 'Refuse the network; use what was brought before'
            cand --locked 'Refuse to change the lockfile; fail if it would have to'
            cand --frozen 'Both --locked and --offline'
            cand -y 'Answer yes to every question'
            cand --yes 'Answer yes to every question'
            cand --no-input 'Never ask; take what can be decided without'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'skillpm;config;set'= {
            cand -C 'Run as if started in this directory'
            cand --directory 'Run as if started in this directory'
            cand --config 'Set a setting for this run, as KEY=VALUE (repeatable)'
            cand --color 'When to use colour'
            cand --format 'Print in this form'
            cand --project 'In the project''s file instead of your own'
            cand -q 'Print errors only'
            cand --quiet 'Print errors only'
            cand -v 'Print more of what is done'
            cand --verbose 'Print more of what is done'
            cand --offline 'Refuse the network; use what was brought before'
            cand --locked 'Refuse to change the lockfile; fail if it would have to'
            cand --frozen 'Both --locked and --offline'
            cand -y 'Answer yes to every question'
            cand --yes 'Answer yes to every question'
            cand --no-input 'Never ask; take what can be decided without'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'skillpm;config;help'= {
            cand list 'Show all settings, and where each was set'
            cand get 'Print one setting'
            cand set 'Change one setting'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'skillpm;config;help;list'= {
        }
        &'skillpm;config;help;get'= {
        }
        &'skillpm;config;help;set'= {
        }
        &'skillpm;config;help;help'= {
        }
        &'skillpm;completions'= {
            cand -C 'Run as if started in this directory'
            cand --directory 'Run as if started in this directory'
            cand --config 'Set a setting for this run, as KEY=VALUE (repeatable)'
            cand --color 'When to use colour'
            cand --format 'Print in this form'
            cand -q 'Print errors only'
            cand --quiet 'Print errors only'
            cand -v 'Print more of what is done'
            cand --verbose 'Print more of what is done'
            cand --offline 'Refuse the network; use what was brought before'
            cand --locked 'Refuse to change the lockfile; fail if it would have to'
            cand --frozen 'Both --locked and --offline'
            cand -y 'Answer yes to every question'
            cand --yes 'Answer yes to every question'
            cand --no-input 'Never ask; take what can be decided without'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'skillpm;man'= {
            cand -C 'Run as if started in this directory'
            cand --directory 'Run as if started in this directory'
            cand --config 'Set a setting for this run, as KEY=VALUE (repeatable)'
            cand --color 'When to use colour'
            cand --format 'Print in this form'
            cand -q 'Print errors only'
            cand --quiet 'Print errors only'
            cand -v 'Print more of what is done'
            cand --verbose 'Print more of what is done'
            cand --offline 'Refuse the network; use what was brought before'
            cand --locked 'Refuse to change the lockfile; fail if it would have to'
            cand --frozen 'Both --locked and --offline'
            cand -y 'Answer yes to every question'
            cand --yes 'Answer yes to every question'
            cand --no-input 'Never ask; take what can be decided without'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'skillpm;help'= {
            cand init 'Make a manifest for this project'
            cand new 'Make a new skill from a template'
            cand add 'Add skills to the project'
            cand remove 'Remove skills, and what only they needed'
            cand install 'Install what the lockfile says'
            cand update 'Update to the newest that fits'
            cand outdated 'Show what has something newer'
            cand lock 'Decide on versions and write the lockfile'
            cand tree 'Show the dependency graph'
            cand why 'Tell why a skill is there'
            cand list 'List the skills that are there, by tier'
            cand show 'Print a skill''s text, or one of its files'
            cand verify 'Check every installed byte against the lockfile'
            cand package 'Pack a skill into the archive that registries serve'
            cand catalog 'Emit the resolved catalog for an agent'
            cand publish 'Publish a skill to a registry'
            cand yank 'Withdraw a published version from new resolves'
            cand owner 'Show or change who may publish'
            cand registry 'Keep a registry: make one, check it, show it'
            cand config 'Show or change settings'
            cand completions 'Print completions for a shell'
            cand man 'Print a manual page'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'skillpm;help;init'= {
        }
        &'skillpm;help;new'= {
        }
        &'skillpm;help;add'= {
        }
        &'skillpm;help;remove'= {
        }
        &'skillpm;help;install'= {
        }
        &'skillpm;help;update'= {
        }
        &'skillpm;help;outdated'= {
        }
        &'skillpm;help;lock'= {
        }
        &'skillpm;help;tree'= {
        }
        &'skillpm;help;why'= {
        }
        &'skillpm;help;list'= {
        }
        &'skillpm;help;show'= {
        }
        &'skillpm;help;verify'= {
        }
        &'skillpm;help;package'= {
        }
        &'skillpm;help;catalog'= {
        }
        &'skillpm;help;publish'= {
        }
        &'skillpm;help;yank'= {
        }
        &'skillpm;help;owner'= {
            cand list 'Show who may publish a name'
            cand add 'Let others publish it, too'
            cand remove 'Let others publish it no more'
        }
        &'skillpm;help;owner;list'= {
        }
        &'skillpm;help;owner;add'= {
        }
        &'skillpm;help;owner;remove'= {
        }
        &'skillpm;help;registry'= {
            cand new 'Make an index with nothing in it'
            cand check 'Hold an index, or a change of it, to its rules'
            cand site 'Write a static site of skills'
        }
        &'skillpm;help;registry;new'= {
        }
        &'skillpm;help;registry;check'= {
        }
        &'skillpm;help;registry;site'= {
        }
        &'skillpm;help;config'= {
            cand list 'Show all settings, and where each was set'
            cand get 'Print one setting'
            cand set 'Change one setting'
        }
        &'skillpm;help;config;list'= {
        }
        &'skillpm;help;config;get'= {
        }
        &'skillpm;help;config;set'= {
        }
        &'skillpm;help;completions'= {
        }
        &'skillpm;help;man'= {
        }
        &'skillpm;help;help'= {
        }
    ]
    $completions[$command]
}
