#!/usr/bin/env python3
"""Writes docs/recordings/NAME.svg: the commands of a page and their output, as a terminal that scrolls.

    .ci/recordings.py            writes them
    .ci/recordings.py --check    exits with 1 if one is out of date

The output is that of the page, which tests/suite/documents.rs compares with what the commands print. So the same page makes the
same bytes on every machine. The tour begins with docs/recordings/search.txt, whose screens tests/suite/prompts.rs compares with
those of a terminal. It needs Python alone.
"""

import pathlib
import re
import sys
from xml.sax.saxutils import escape

ROOT = pathlib.Path(__file__).resolve().parent.parent
RECORDINGS = {
    "tour": ("README.md", "skillpm: a tour"),
    "first-project": ("docs/tutorial/first-project.md", "skillpm: a first project"),
    "first-skill": ("docs/tutorial/first-skill.md", "skillpm: a first skill"),
    "first-registry": ("docs/tutorial/first-registry.md", "skillpm: a first registry"),
}

COLUMNS, ROWS = 100, 26
CHAR_WIDTH, LINE_HEIGHT, FONT_SIZE = 8.0, 18, 13
MARGIN, TITLE_HEIGHT = 14, 28

# Seconds: before a command, for each character that is typed, and after each line of output.
PAUSE, TYPING, OUTPUT = 0.9, 0.03, 0.06
# How long the end is shown before it begins again.
REST = 6.0

STYLE = """
svg { background: #16181d; }
text { font: %dpx ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #d6d9e0; white-space: pre; }
.title { fill: #8a919e; }
.command { fill: #ffffff; font-weight: bold; }
.status { fill: #7bd88f; font-weight: bold; }
.error { fill: #ff7b72; }
.help { fill: #79c0ff; }
""".strip() % FONT_SIZE


def console_lines(page):
    """The lines of a page's console blocks."""
    text = (ROOT / page).read_text(encoding="utf-8")
    blocks = re.findall(r"^```console\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [line for block in blocks for line in block.splitlines() if line.strip()]


def search_lines():
    """The screens of a search, and what is typed."""
    text = (ROOT / "docs/recordings/search.txt").read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line]


def shorten(line):
    return line if len(line) <= COLUMNS else line[: COLUMNS - 1] + "…"


def line_spans(line):
    """A line as colored spans."""
    if line.startswith("$ "):
        return f'<tspan class="command">{escape(line)}</tspan>'
    for start, name in (("error", "error"), ("warning", "error"), ("help:", "help"), ("caused by:", "error"), ("?", "help"), (">", "command")):
        if line.startswith(start):
            return f'<tspan class="{name}">{escape(line)}</tspan>'
    # The word of what was done is aligned to the right, in twelve columns.
    status = re.match(r" +[A-Z][a-z]+(?= )", line)
    if status and len(status.group()) == 12:
        return f'<tspan class="status">{escape(line[:12])}</tspan>{escape(line[12:])}'
    return escape(line)


def times(lines):
    """When each line appears, in seconds, and when the last one has been read."""
    now, found = 0.0, []
    for line in lines:
        now += PAUSE + TYPING * len(line) if line.startswith(("$ ", "? ")) else OUTPUT
        found.append(now)
    return found, now + REST


def recording(page, title):
    own = search_lines() if page == "README.md" else []
    lines = [shorten(line) for line in own + console_lines(page)]
    shown, end = times(lines)
    width = int(COLUMNS * CHAR_WIDTH) + 2 * MARGIN
    height = TITLE_HEIGHT + ROWS * LINE_HEIGHT + MARGIN

    rules, texts, scroll = [], [], []
    for number, (line, time) in enumerate(zip(lines, shown)):
        percent = f"{100 * time / end:.2f}%"
        rules.append(f"@keyframes l{number} {{ 0% {{ opacity: 0; }} {percent}, 100% {{ opacity: 1; }} }}")
        rules.append(f".l{number} {{ animation-name: l{number}; }}")
        top = (number + 1) * LINE_HEIGHT
        texts.append(f'<text class="line l{number}" y="{top}" xml:space="preserve">{line_spans(line)}</text>')
        if number >= ROWS:
            scroll.append(f"{percent} {{ transform: translateY({-(number + 1 - ROWS) * LINE_HEIGHT}px); }}")
    last = -max(0, len(lines) - ROWS) * LINE_HEIGHT
    rules.append(f"@keyframes scroll {{ 0% {{ transform: none; }} {' '.join(scroll)} 100% {{ transform: translateY({last}px); }} }}")
    rules.append(f".line, .scroll {{ animation-duration: {end:.2f}s; animation-timing-function: step-end; animation-iteration-count: infinite; }}")
    rules.append(".scroll { animation-name: scroll; }")
    rules.append(
        "@media (prefers-reduced-motion: reduce) { .line, .scroll { animation: none; } "
        f".scroll {{ transform: translateY({last}px); }} }}"
    )

    css = "\n".join([STYLE, *rules])
    body = "\n".join(texts)
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" aria-label="{escape(title)}">
<title>{escape(title)}</title>
<style>
{css}
</style>
<rect width="{width}" height="{height}" rx="8" fill="#16181d"/>
<text class="title" x="{MARGIN}" y="19">{escape(title)}</text>
<svg x="{MARGIN}" y="{TITLE_HEIGHT}" width="{width - 2 * MARGIN}" height="{ROWS * LINE_HEIGHT + 6}">
<g class="scroll">
{body}
</g>
</svg>
</svg>
"""


def main():
    is_check = sys.argv[1:] == ["--check"]
    stale = []
    for name, (page, title) in RECORDINGS.items():
        path = ROOT / "docs/recordings" / f"{name}.svg"
        text = recording(page, title)
        if is_check:
            if not path.exists() or path.read_text(encoding="utf-8") != text:
                stale.append(str(path.relative_to(ROOT)))
        else:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
    if stale:
        print(f"out of date: {', '.join(stale)}; .ci/recordings.py writes them again", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
