let skillpm_others = ($env.config.completions?.external?.completer? | default null)
$env.config.completions.external = {
    enable: true
    completer: {|spans: list<string>|
        if ($spans | first) == "skillpm" {
            with-env { SKILLPM_COMPLETE: "nushell" } { ^skillpm -- ...$spans } | from json
        } else if $skillpm_others != null {
            do $skillpm_others $spans
        }
    }
}
