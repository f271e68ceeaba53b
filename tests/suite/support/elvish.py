#!/usr/bin/env python3
"""Prints what completes a line in Elvish: `elvish.py ELVISH SCRIPT LINE`.

Elvish has completions only where it is interactive, so it runs on a terminal of its own, and writes them to a file.
"""

import os
import pty
import select
import sys
import tempfile
import time

elvish, script, line = sys.argv[1:]
words = " ".join(f"'{word}'" for word in line.split(" "))
with tempfile.TemporaryDirectory() as scratch:
    found = os.path.join(scratch, "found")
    child, terminal = pty.fork()
    if child == 0:
        os.execv(elvish, [elvish, "-norc", "-db", os.path.join(scratch, "db")])

    command = f"eval (slurp < '{script}'); $edit:completion:arg-completer[skillpm] {words} | to-lines > '{found}'; exit\r"
    os.write(terminal, command.encode())
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        ready, _, _ = select.select([terminal], [], [], 0.1)
        try:
            # What the terminal shows is read, or the shell would wait for it.
            if ready and not os.read(terminal, 4096):
                break
        except OSError:
            break
    with open(found) as text:
        sys.stdout.write(text.read())
