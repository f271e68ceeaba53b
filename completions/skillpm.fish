complete --keep-order --exclusive --command skillpm --arguments "(SKILLPM_COMPLETE=fish skillpm -- (commandline --current-process --tokenize --cut-at-cursor) (commandline --current-token))"
