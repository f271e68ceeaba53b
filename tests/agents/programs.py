"""The published agents as `record.py` and `record_trees.py` start them: without a network, in an empty home, bounded in time."""

import contextlib
import http.server
import json
import os
import socket
import subprocess
import tempfile
import threading
import time
import urllib.request

SECONDS = 120
QUIET = {"NO_COLOR": "1", "CI": "1", "DISABLE_TELEMETRY": "1", "DO_NOT_TRACK": "1"}


def environment(home, **variables):
    return {"PATH": os.environ["PATH"], "HOME": str(home), **QUIET, **variables}


def make_repository(directory):
    """An empty git repository, in a tenth of the time that `git init` takes."""
    git = directory / ".git"
    for part in ("objects/info", "objects/pack", "refs/heads", "refs/tags"):
        (git / part).mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    (git / "config").write_text("[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n")


def run(*command, cwd, env):
    """What a command prints. It goes through a file: some of these programs end before a pipe is empty."""
    with tempfile.TemporaryFile() as out:
        quiet = {"stdin": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "timeout": SECONDS}
        subprocess.run(command, cwd=cwd, env=env, stdout=out, **quiet)
        out.seek(0)
        return out.read().decode()


class LoopbackService:
    """Stands where an agent's service would be: it keeps each request, and refuses it."""

    def __init__(self, refusal):
        self.requests = requests = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                requests.append(self.rfile.read(int(self.headers.get("content-length", 0))))
                body = json.dumps(refusal).encode()
                self.send_response(400)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_GET(self):
                self.send_response(404)
                self.send_header("content-length", "0")
                self.end_headers()

            do_HEAD = do_GET

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


@contextlib.contextmanager
def started(*command, seconds=SECONDS, **options):
    """A program that runs until the block is left."""
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL, **options)
    timer = threading.Timer(seconds, process.kill)
    timer.start()
    try:
        yield process
    finally:
        timer.cancel()
        process.kill()
        process.wait()


# Claude Code: its list of skills is in the first request that it makes.

CLAUDE_CODE_HEADING = "The following skills are available"


def claude_code(tools):
    """The program, or nothing; `.ci/run` has it in a directory of its own."""
    places = (tools / "node_modules/@anthropic-ai", tools.parent / "claude-code/node_modules/@anthropic-ai")
    return next((exe for place in places for exe in place.glob("claude-code-*/claude")), None)


def claude_code_listing(tools, cwd, home, arguments=(), **variables):
    """The text of its listing, without the heading, and what it prints about the session that starts."""
    with LoopbackService({"type": "error", "error": {"type": "invalid_request_error", "message": "no"}}) as service:
        env = environment(home, ANTHROPIC_BASE_URL=service.url, ANTHROPIC_API_KEY="none",
                          CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1", **variables)
        printed = run(claude_code(tools), "-p", "hi", *arguments, cwd=cwd, env=env)
    asked = [json.loads(request) for request in service.requests]
    texts = [content.get("text", "") for request in asked for message in request.get("messages", [])
             if isinstance(message["content"], list) for content in message["content"]]
    if not texts:
        raise RuntimeError("Claude Code sent nothing")
    text = next((text for text in texts if CLAUDE_CODE_HEADING in text), "")
    listing = text[text.find(CLAUDE_CODE_HEADING):].split("</system-reminder>")[0]
    return listing.partition("\n")[2].strip("\n"), printed


# Codex: it renders what the model would see, and its server lists what the user may name.

def codex(tools):
    return next((tools / "node_modules/@openai").glob("codex-*/vendor/*/bin/codex"))


def codex_prompt(tools, cwd, home):
    """The text of the section about skills, or nothing."""
    env = environment(home)
    messages = json.loads(run(codex(tools), "debug", "prompt-input", "hi", cwd=cwd, env=env))
    texts = [content.get("text", "") for message in messages for content in message.get("content", [])]
    section = next((text for text in texts if text.startswith("<skills_instructions>")), "")
    return section.removeprefix("<skills_instructions>").removesuffix("</skills_instructions>").strip("\n")


def codex_skills(tools, cwd, home):
    """Every skill that its server lists for the directory."""
    env = environment(home)
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with started(codex(tools), "app-server", cwd=cwd, env=env, **pipes) as server:

        def ask(message, answer=True):
            server.stdin.write((json.dumps(message) + "\n").encode())
            server.stdin.flush()
            while answer:
                heard = json.loads(server.stdout.readline())
                if heard.get("id") == message["id"]:
                    return heard["result"]

        client = {"name": "skillpm", "title": "skillpm", "version": "1"}
        ask({"method": "initialize", "id": 1, "params": {"clientInfo": client}})
        ask({"method": "initialized"}, answer=False)
        listed = ask({"method": "skills/list", "id": 2, "params": {"cwds": [str(cwd)], "forceReload": True}})
    return [skill for entry in listed["data"] for skill in entry["skills"]]


# OpenCode: its server is asked for a session, and what that sends to a model is caught.

def opencode(tools):
    return tools / "node_modules/opencode-linux-x64/bin/opencode"


class OpenCode:
    """A server of it, whose state is kept out of the home."""

    def __init__(self, tools, home, state, **variables):
        self.service = LoopbackService({"error": {"message": "no", "type": "invalid_request_error"}})
        provider = {"npm": "@ai-sdk/openai-compatible", "name": "fake", "options": {"baseURL": self.service.url, "apiKey": "none"},
                    "models": {"one": {"name": "one", "limit": {"context": 200000, "output": 1000}}}}
        config = {"model": "fake/one", "small_model": "fake/one", "autoupdate": False, "share": "disabled", "snapshot": False,
                  "provider": {"fake": provider}}
        places = {f"XDG_{name}_HOME": str(state / name) for name in ("DATA", "STATE", "CACHE")}
        env = environment(home, OPENCODE_CONFIG_CONTENT=json.dumps(config), OPENCODE_DISABLE_MODELS_FETCH="1", **places, **variables)
        command = [opencode(tools), "serve", "--port", str(_free_port())]
        self.server = started(*command, seconds=600, cwd=home, env=env, stdout=subprocess.PIPE)

    def __enter__(self):
        self.service.__enter__()
        process = self.server.__enter__()
        self.url = next(line.split()[-1] for line in map(bytes.decode, process.stdout) if "listening" in line)
        return self

    def __exit__(self, *error):
        self.server.__exit__(None, None, None)
        self.service.__exit__(*error)

    def ask(self, path, cwd, message=None):
        data = None if message is None else json.dumps(message).encode()
        request = urllib.request.Request(f"{self.url}{path}?directory={cwd}", data, {"content-type": "application/json"})
        with urllib.request.urlopen(request, timeout=SECONDS) as response:
            return json.loads(response.read() or b"null")

    def skills(self, cwd):
        """Every skill that it loads in the directory."""
        return self.ask("/skill", cwd)

    def prompt(self, cwd):
        """The system prompt of a session in the directory."""
        session = self.ask("/session", cwd, {"title": "skills"})["id"]
        message = {"parts": [{"type": "text", "text": session}], "model": {"providerID": "fake", "modelID": "one"}}
        self.ask(f"/session/{session}/prompt_async", cwd, message)
        until = time.monotonic() + SECONDS
        # A session sends another request, for its title, without tools.
        while not (asked := [request for request in self.service.requests if b'"tools"' in request and session.encode() in request]):
            if time.monotonic() > until:
                raise RuntimeError(f"OpenCode sent nothing for {cwd}")
            time.sleep(0.02)
        return json.loads(asked[0])["messages"][0]["content"]


def _free_port():
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        return bound.getsockname()[1]
