
set edit:completion:arg-completer[skillpm] = { |@words|
    var index = (count $words)
    set index = (- $index 1)

    put (env _CLAP_IFS="\n" _CLAP_COMPLETE_INDEX=(to-string $index) SKILLPM_COMPLETE="elvish" skillpm -- $@words) | to-lines
}

