#!/usr/bin/env python3
"""Checks the form of one git commit message. Reads a file or, for `-`, standard input. Changes nothing.

usage: check-message.py [--max-subject N] [--max-body N] FILE|-

exit: 0 clean, 1 findings (on stdout, one a line), 2 called wrongly or unreadable
"""

import argparse
import re
import sys

EMPTY_SUBJECTS = re.compile(
    r"^(?:[\w./()-]+!?: *)?"
    r"(?:wip|fix(?:es|ed)?|fix(?:es|ed)? (?:a )?bugs?|update[sd]?|changes?|misc|cleanup|refactor(?:ing)?|tweaks?|stuff|"
    r"various|temp|test|(?:minor|small|various) (?:changes|fixes|improvements|updates)|"
    r"address(?:es|ed)? (?:review )?(?:comments|feedback)|(?:update[sd]?|change[sd]?|modif(?:y|ied)) \S+\.\w{1,5})$",
    re.IGNORECASE,
)
TRAILER = re.compile(r"^(?:[A-Z][A-Za-z]*(?:-[A-Za-z]+)+|BREAKING[ -]CHANGE|Fixes|Closes|Refs|See)(?:: | #)\S")
SCISSORS = re.compile(r"^# -+ >8 -+")


def message_lines(text):
    """The message as git would store it: no comment lines, nothing below the scissors, no blank lines at the ends."""
    lines = []
    for line in text.splitlines():
        if SCISSORS.match(line):
            break
        # A line such as "#812 is not enough" is text; git's own comments have a blank after the sign or nothing at all.
        if line == "#" or line.startswith(("# ", "#\t")):
            continue
        lines.append(line.rstrip())
    while lines and not lines[0]:
        lines.pop(0)
    while lines and not lines[-1]:
        lines.pop()
    return lines


def check_subject(subject, limit):
    if re.match(r"^(?:fixup|squash|amend)! ", subject):
        yield 1, "is meant to be squashed into another commit before it is shared"
        return
    if subject.startswith(('Merge ', 'Revert "', 'Reapply "')):
        return
    if len(subject) > limit:
        yield 1, f"subject has {len(subject)} characters, the limit is {limit}"
    if subject.endswith(".") and not subject.endswith("..."):
        yield 1, "subject ends in a full stop"
    if EMPTY_SUBJECTS.match(subject):
        yield 1, "subject does not say what changed"
    if subject.startswith((" ", "\t")):
        yield 1, "subject starts with a blank"


def check_body(lines, limit):
    if len(lines) > 1 and lines[1]:
        yield 2, "no blank line between subject and body"
    fenced = False
    for number, line in enumerate(lines[1:], start=2):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        # Code, quotations, tables, addresses and trailers cannot be wrapped.
        exempt = fenced or line.startswith((" ", "\t", ">", "|")) or "://" in line or TRAILER.match(line)
        if len(line) > limit and not exempt:
            yield number, f"line has {len(line)} characters, the limit is {limit}"


def check_trailers(lines):
    numbers = [n for n, line in enumerate(lines, start=1) if n > 1 and TRAILER.match(line)]
    if not numbers:
        return
    last_paragraph = max((n for n, line in enumerate(lines, start=1) if not line), default=1)
    for number in numbers:
        if number < last_paragraph and lines[number - 1].startswith(("Signed-off-by", "Co-authored-by", "Reviewed-by")):
            yield number, "trailer outside the last paragraph is not read by git"


def main(argv):
    parser = argparse.ArgumentParser(description="Check the form of one git commit message.")
    parser.add_argument("file", help="file with the message, or - for standard input")
    parser.add_argument("--max-subject", type=int, default=72, metavar="N")
    parser.add_argument("--max-body", type=int, default=72, metavar="N")
    options = parser.parse_args(argv)
    try:
        source = sys.stdin if options.file == "-" else open(options.file, encoding="utf-8")
        with source:
            text = source.read()
    except (OSError, UnicodeDecodeError) as error:
        print(f"check-message: could not read {options.file}: {error}", file=sys.stderr)
        return 2

    lines = message_lines(text)
    if not lines:
        print("1: the message is empty")
        return 1
    findings = [
        *check_subject(lines[0], options.max_subject),
        *check_body(lines, options.max_body),
        *check_trailers(lines),
    ]
    for number, fault in sorted(findings):
        print(f"{number}: {fault}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
