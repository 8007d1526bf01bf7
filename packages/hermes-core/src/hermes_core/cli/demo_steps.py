"""The steps of `hermes demo`. Tools are called by name: the core knows no package that brings them."""

from __future__ import annotations

import contextlib
import io
import json
import textwrap
import threading
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from hermes_core.approval.finding import ApprovalRequest
from hermes_core.calls.call import CallRecord
from hermes_core.cli.demo import Script
from hermes_core.host import Hermes

_TERMINAL = "hermes-tools-terminal"
_WEB = "hermes-tools-web"
_CONFIG = """\
security: {allow_private_urls: true}
terminal: {env: local}
policy:
  rules:
    - name: no-push
      match: {tool: terminal, args: {command: {regex: '^git push'}}}
      action: deny
      reason: Only people push.
"""
_FILE = 'greeting = "Hello"\nprint(greeting, "world")\n'
_PAGE = """<!doctype html><html><head><title>Opening hours</title></head><body><nav><a href="/">Home</a></nav><main>
<h1>Opening hours</h1><p>The museum is open from ten to six, every day but Monday. Admission is free on Sundays, and the
garden stays open until dusk in summer.</p></main></body></html>"""
_WIDTH = 96
_LONGEST = 400
"""Characters of an answer that are shown."""


def play(script: Script, folder: Path) -> None:
    """Play every step that the installed packages allow."""
    home = folder / "home"
    home.mkdir(mode=0o700)
    (home / "config.yaml").write_text(_CONFIG, encoding="utf-8")
    asked: list[ApprovalRequest] = []

    def approve(request: ApprovalRequest) -> str:
        asked.append(request)
        return "once"

    with Hermes.load(home=home, locked=False, approver=approve) as hermes:
        names = {spec.name for spec in hermes.tools()}
        if not names & {"terminal", "web_extract"}:
            from hermes_core.cli.demo_tools import play_without_packages

            play_without_packages(script, folder)
            script.skip("A guarded shell, and files that can be restored", _TERMINAL)
            script.skip("Pages from the web", _WEB)
            return
        stage = _Stage(script, hermes)
        _list_tools(script, hermes)
        if "terminal" in names:
            _run_commands(stage)
            _edit_file(stage, folder / "work" / "hello.py")
            _apply_policy(stage)
            _ask(stage, asked)
        else:
            script.skip("A guarded shell, files that can be restored, a policy, an approval", _TERMINAL)
        if "web_extract" in names:
            _read_page(stage)
        else:
            script.skip("A page from the web", _WEB)
        _search_tools(stage)


class _Stage:
    """Calls tools as a model would, and shows what was asked and what came back."""

    def __init__(self, script: Script, hermes: Hermes) -> None:
        self.script = script
        self.hermes = hermes

    def call(
        self, name: str, args: dict[str, Any], *, refused: bool = False, only: Sequence[str] = ()
    ) -> dict[str, Any]:
        """Call a tool, show the answer, and return it.

        Args:
            name: The tool.
            args: Its arguments.
            refused: Whether it must not run.
            only: The keys of the answer that are shown; all of them when none is named.

        Raises:
            RuntimeError: it ran though it should have been refused, or the other way round.
        """
        self.script.show(f"{name} {json.dumps(args)}")
        record: CallRecord = self.hermes.run(name, args)
        for repair in record.call.repairs:
            self.script.show(f"repaired: {repair}", "skipped")
        answer = json.loads(record.result)
        shown = {key: answer[key] for key in only if key in answer} if record.code is None and only else answer
        self.script.show(_shortened(shown), "refusal" if record.code else "answer")
        if (record.code == "denied") != refused or (record.code and not refused):
            raise RuntimeError(f"{name} {'was not refused' if refused else 'did not work'}")
        return answer if isinstance(answer, dict) else {"result": answer}


def _shortened(answer: Any) -> str:
    """An answer without what is empty, cut to a few lines."""
    if isinstance(answer, dict):
        answer = {key: value for key, value in answer.items() if value not in (None, "", [], {}) and key != "hint"}
    return _wrapped(json.dumps(answer, ensure_ascii=False)) if answer else "→ done"


def _wrapped(text: str) -> str:
    """A text in lines that fit a terminal, without its middle when it is long."""
    text = text if len(text) <= _LONGEST else f"{text[: _LONGEST // 4]} ... {text[-_LONGEST * 3 // 4 :]}"
    return "\n".join(textwrap.wrap(text, _WIDTH, initial_indent="→ ", subsequent_indent="  ", break_on_hyphens=False))


def _list_tools(script: Script, hermes: Hermes) -> None:
    with script.step("The tools"):
        script.say("These tools come from the packages that are installed. Nothing of them is imported yet:")
        by_toolset: dict[str, list[str]] = {}
        for spec in hermes.tools():
            by_toolset.setdefault(spec.toolset, []).append(spec.name)
        for toolset, names in sorted(by_toolset.items()):
            script.show(f"{toolset:<16} {', '.join(names)}")


def _run_commands(stage: _Stage) -> None:
    with stage.script.step("A guarded shell"):
        stage.script.say("Every command is read before it runs. This one only looks around, so it runs at once:")
        answer = stage.call("terminal", {"command": "echo hello from $(basename $PWD)"})
        _require("hello from work" in str(answer.get("output")), "the command printed something else")
        stage.script.say("A model that sends text where a number is expected is understood:")
        stage.call("terminal", {"command": "test -d /", "timeout": "30"})
    with stage.script.step("A command that is refused"):
        stage.script.say("This one would destroy the machine. No setting and no approval lets it run:")
        stage.call("terminal", {"command": "rm -rf /"}, refused=True)


def _edit_file(stage: _Stage, file: Path) -> None:
    with stage.script.step("A file, patched and restored"):
        stage.script.say("The model writes a file and changes a line of it:")
        stage.call("write_file", {"file_path": file.name, "content": _FILE}, only=("bytes_written", "receipt"))
        change = {"path": file.name, "old_string": '"Hello"', "new_string": '"Goodbye"'}
        patched = stage.call("patch", change, only=("success", "receipt"))
        stage.script.show("\n".join(str(patched.get("diff")).splitlines()[2:]), "answer")
        _require("Goodbye" in file.read_text(encoding="utf-8"), "the file was not changed")
        stage.script.say("Every change leaves a receipt. You take the last one back:")
        stage.script.show("hermes undo")
        stage.script.show(_undo(stage.hermes), "answer")
        _require(file.read_text(encoding="utf-8") == _FILE, "the file was not restored")
        stage.call("read_file", {"file_path": file.name}, only=("content",))


def _undo(hermes: Hermes) -> str:
    """Run the command `undo` of the plugin, and return its first line."""
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            hermes.command("undo").main([], prog_name="hermes undo", standalone_mode=False)
    except SystemExit as ended:
        _require(not ended.code, f"hermes undo ended with {ended.code}: {printed.getvalue().strip()}")
    return "→ " + (printed.getvalue().strip().splitlines() or [""])[0]


def _apply_policy(stage: _Stage) -> None:
    with stage.script.step("Your policy decides"):
        stage.script.say("A policy is a list of rules in config.yaml. This one is at work here:")
        rule = _CONFIG.partition("rules:\n")[2]
        stage.script.show(textwrap.dedent(rule))
        stage.call("terminal", {"command": "git push origin main"}, refused=True)


def _ask(stage: _Stage, asked: list[ApprovalRequest]) -> None:
    with stage.script.step("An approval"):
        stage.script.say("Deleting a directory is sometimes right, so you are asked. The demo answers for you, once:")
        before = len(asked)
        stage.call("terminal", {"command": "mkdir build && touch build/a && rm -rf build"})
        _require(len(asked) > before, "no approval was asked for")
        reasons = "; ".join(finding.reason for finding in asked[-1].findings)
        stage.script.show(f"asked: {reasons}. Answer: once.", "skipped")


def _read_page(stage: _Stage) -> None:
    with stage.script.step("A page from the web"), _served(_PAGE) as address:
        stage.script.say(
            "The demo has a web server on this machine. A page comes back as Markdown, marked as untrusted:"
        )
        answer = stage.call("web_extract", {"urls": [f"{address}/hours"]})
        _require("open from ten to six" in json.dumps(answer), "the page was not read")


def _search_tools(stage: _Stage) -> None:
    with stage.script.step("Tool search"):
        stage.script.say("With hundreds of tools a model is shown a few, and searches for the others by what they do:")
        from hermes_core.search.catalog import index_of

        specs = {spec.name: spec for spec in stage.hermes.tools(available=False)}
        functions = [{"name": s.name, "description": s.description, "parameters": s.parameters} for s in specs.values()]
        index = index_of(functions, specs.get)
        for query in ("find text in my files", "read a whole website"):
            hits = index.search(query, limit=3)
            _require(bool(hits), f"nothing was found for {query!r}")
            stage.script.show(f"hermes search {query!r}")
            stage.script.show(f"→ {', '.join(hit.name for hit in hits)}", "answer")


@contextlib.contextmanager
def _served(page: str) -> Iterator[str]:
    """Serve a page on a free port of loopback for the length of a block."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = page.encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Write nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join(5)


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise RuntimeError(otherwise)
