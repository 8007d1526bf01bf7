"""`hermes call` asks the person at the terminal, obeys what they say, and keeps stdout for the result."""

from __future__ import annotations

import json
import os
import pty
import select
import shlex
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Protocol

import pytest

VAULT = '''
from hermes_core import Deny, Finding, ToolContext, hookimpl, tool


@tool(toolset="vault")
def wipe(path: str, depth: int = 1) -> str:
    """Wipe a folder."""
    return f"wiped {path}"


@tool(toolset="vault")
def shred(path: str) -> str:
    """Shred a file."""
    return f"shredded {path}"


@tool(toolset="vault")
def wipe_all(path: str, ctx: ToolContext) -> str:
    """Wipe a folder by calling another tool."""
    return ctx.call_tool("shred", {"path": path})


@hookimpl
def hermes_tools():
    return [wipe, shred, wipe_all]


@hookimpl
def hermes_pre_tool_call(call):
    return Deny("not this one") if call.args.get("path") == "/policy" else None


@hookimpl
def hermes_assess_call(call):
    path = call.args.get("path", "")
    if path == "/":
        return [Finding(rule="vault.root", severity="refuse", reason="It wipes everything.")]
    if path == "/broken":
        raise RuntimeError("no idea")
    found = [Finding(rule="vault.wipe", severity="ask", reason="It wipes a folder.")]
    if call.args.get("depth", 1) > 1:
        found.append(Finding(rule="vault.deep", severity="ask", reason="It goes deep."))
    return found
'''
PATIENCE = 30.0
PROMPT = "Your answer: "


class Bench(Protocol):
    """What of the workshop is used here."""

    home: Path
    folder: Path
    environment: dict[str, str]

    def install(self, source: str, *, name: str) -> Path: ...
    def run(self, *args: str) -> subprocess.CompletedProcess[str]: ...


class Screen:
    """`hermes call` at a terminal of its own; its stdout goes to a file."""

    def __init__(self, bench: Bench, *words: str) -> None:
        self.out = bench.folder / "stdout"
        self.master, slave = pty.openpty()
        termios.tcsetwinsize(slave, (60, 100))
        # The first terminal that the leader of a new session opens becomes the one that controls it.
        script = 'tty=$1; out=$2; shift 2; exec "$@" <"$tty" 2>"$tty" >"$out"'
        command = [sys.executable, "-m", "hermes_core", "call", *words]
        opened = ["/bin/sh", "-c", script, "sh", os.ttyname(slave), str(self.out), *command]
        environ = {**bench.environment, "TERM": "dumb", "COLUMNS": "", "LINES": "", "PYTHONWARNINGS": "error"}
        self.process = subprocess.Popen(opened, start_new_session=True, env=environ, cwd=bench.folder)
        self._open = [self.master, slave]
        self.seen = ""

    def wait_for(self, text: str) -> None:
        """Read until this text has been shown."""
        until = time.monotonic() + PATIENCE
        while text not in self.seen:
            self._read(until, text)

    def reply(self, keys: str) -> None:
        """Wait for the next question, and press keys."""
        self.wait_for(PROMPT)
        self.seen = self.seen.replace(PROMPT, "Asked: ")
        os.write(self.master, keys.encode())

    def end(self) -> tuple[int, str]:
        """Exit status and stdout."""
        code = self.process.wait(PATIENCE)
        while select.select([self.master], [], [], 0.05)[0]:
            self.seen += os.read(self.master, 65536).decode("utf-8", "replace")
        return code, self.out.read_text(encoding="utf-8")

    def close(self) -> None:
        """End the process and the terminal."""
        self.process.kill()
        self.process.wait(PATIENCE)
        for each in self._open:
            os.close(each)

    def _read(self, until: float, text: str) -> None:
        if not select.select([self.master], [], [], max(until - time.monotonic(), 0))[0]:
            raise AssertionError(f"{text!r} did not appear in {self.seen!r}")
        self.seen += os.read(self.master, 65536).decode("utf-8", "replace")


At = Callable[..., Screen]


@pytest.fixture
def vault(workshop: Bench) -> Bench:
    workshop.install(VAULT, name="vault")
    return workshop


@pytest.fixture
def at_terminal(vault: Bench) -> Iterator[At]:
    screens: list[Screen] = []

    def call(*words: str) -> Screen:
        screens.append(Screen(vault, *words))
        return screens[-1]

    yield call
    for screen in screens:
        screen.close()


def configure(bench: Bench, text: str) -> None:
    bench.home.mkdir(exist_ok=True)
    (bench.home / "config.yaml").write_text(text, encoding="utf-8")


def told(outcome: subprocess.CompletedProcess[str], code: int = 0) -> Any:
    assert outcome.returncode == code, outcome.stdout + outcome.stderr
    return json.loads(outcome.stdout)


def grants_of(bench: Bench) -> list[dict[str, Any]]:
    grants: list[dict[str, Any]] = told(bench.run("approvals", "list", "--json"))["grants"]
    return grants


# -- with nobody there -------------------------------------------------------------------------------------------


def test_without_a_terminal_and_a_grant_it_is_denied_and_says_how(vault: Bench) -> None:
    outcome = vault.run("call", "wipe", "path=/tmp/it's here", "depth=2")
    assert outcome.returncode == 4
    assert "no approver is available" in json.loads(outcome.stdout)["error"]
    lines = [line.strip() for line in outcome.stderr.splitlines() if line.startswith("  hermes approvals add")]
    assert [shlex.split(line)[4] for line in lines] == ["vault.wipe", "vault.deep"]
    for line in lines:  # what it says can be pasted, and allows exactly this
        assert vault.run(*shlex.split(line)[1:]).returncode == 0
    assert vault.run("call", "wipe", "path=/tmp/it's here", "depth=2").returncode == 0
    assert vault.run("call", "wipe", "path=/tmp/it's here", "depth=3").returncode == 4
    assert vault.run("call", "wipe", "path=/tmp/it's here").returncode == 4


def test_values_that_no_terminal_should_show_are_hinted_at_as_json(vault: Bench) -> None:
    outcome = vault.run("call", "wipe", "path=a\x1b[31m\nb")
    (line,) = [line.strip() for line in outcome.stderr.splitlines() if line.startswith("  hermes approvals add")]
    assert vault.run(*shlex.split(line)[1:]).returncode == 0
    assert vault.run("call", "wipe", "path=a\x1b[31m\nb").returncode == 0
    long = vault.run("call", "wipe", f"path={'x' * 5000}")
    assert long.returncode == 4
    assert "hermes approvals add --help" in long.stderr


def test_yes_approves_this_one_call_and_grants_nothing(vault: Bench) -> None:
    record = told(vault.run("call", "wipe", "path=/tmp/a", "--yes", "--json"))
    assert record["decision"]["by"] == "--yes"
    assert not (vault.home / "approvals.json").exists()
    assert vault.run("call", "wipe", "path=/tmp/a").returncode == 4


def test_yes_is_not_for_the_calls_that_the_tool_makes(vault: Bench, at_terminal: At) -> None:
    outcome = vault.run("call", "wipe_all", "path=/tmp/a", "--yes", "--json")
    record = told(outcome, 1)
    assert record["decision"]["by"] == "--yes"
    assert "shred was not run" in record["result"]["error"]
    assert record["result"]["decision"] == "no-approver"
    screen = at_terminal("wipe_all", "path=/tmp/a", "--yes")
    screen.wait_for("Approval needed: shred")
    assert "Approval needed: wipe_all" not in screen.seen
    screen.reply("o\n")
    code, out = screen.end()
    assert code == 0
    assert "shredded /tmp/a" in out


def test_yes_is_not_for_a_call_that_nobody_could_assess(vault: Bench, at_terminal: At) -> None:
    outcome = vault.run("call", "wipe", "path=/broken", "--yes")
    assert outcome.returncode == 4
    assert "only a person at a terminal can approve it" in outcome.stderr
    assert "approvals add" not in outcome.stderr
    screen = at_terminal("wipe", "path=/broken", "--yes")
    screen.reply("o\n")
    assert screen.end() == (0, '"wiped /broken"\n')


def test_what_is_hinted_at_allows_no_other_plugins_tool(vault: Bench) -> None:
    outcome = vault.run("call", "wipe", "path=/tmp/a")
    (line,) = [line.strip() for line in outcome.stderr.splitlines() if line.startswith("  hermes approvals add")]
    assert line.startswith("hermes approvals add wipe vault.wipe --source vault --arg path=/tmp/a")
    assert vault.run(*shlex.split(line)[1:]).returncode == 0
    assert vault.run("call", "wipe", "path=/tmp/a").returncode == 0


@pytest.mark.parametrize("path", ["/", "/policy"])
def test_yes_does_not_lift_what_is_refused_or_denied_by_policy(vault: Bench, path: str) -> None:
    for words in (["--yes"], []):
        outcome = vault.run("call", "wipe", f"path={path}", *words, "--json")
        assert told(outcome, 4)["decision"]["outcome"] == ("refused" if path == "/" else "denied-by-policy")
        assert "approvals add" not in outcome.stderr


def test_yes_asks_no_model_first(vault: Bench) -> None:
    configure(vault, "approvals:\n  mode: smart\n  smart_model: x\n  smart_base_url: http://127.0.0.1:9/v1\n")
    outcome = vault.run("call", "wipe", "path=/tmp/a", "--yes", "--json")
    assert told(outcome)["decision"]["by"] == "--yes"
    assert "Smart approval" not in outcome.stderr


def test_mode_off_allows_what_would_be_asked_and_nothing_that_is_refused(vault: Bench) -> None:
    configure(vault, "approvals:\n  mode: off\n")
    assert told(vault.run("call", "wipe", "path=/tmp/a", "--json"))["decision"]["by"] == "approvals.mode"
    assert told(vault.run("call", "wipe", "path=/", "--json"), 4)["decision"]["outcome"] == "refused"
    assert "shredded /tmp/a" in vault.run("call", "wipe_all", "path=/tmp/a", "--yes").stdout  # yes takes nothing away


# -- at the terminal ---------------------------------------------------------------------------------------------


def test_once_runs_this_call_and_the_next_is_asked_again(vault: Bench, at_terminal: At) -> None:
    screen = at_terminal("wipe", "path=/tmp/a", "--json")
    screen.reply("o\n")
    code, out = screen.end()
    record = json.loads(out)  # stdout holds the result alone
    assert (code, record["result"]) == (0, "wiped /tmp/a")
    assert record["decision"]["by"].endswith(" (terminal)")
    assert "It wipes a folder. (vault.wipe)" in screen.seen
    assert grants_of(vault) == []
    again = at_terminal("wipe", "path=/tmp/a")
    again.reply("d\n")
    assert again.end()[0] == 4


def test_session_runs_it_and_leaves_nothing_for_other_processes(vault: Bench, at_terminal: At) -> None:
    screen = at_terminal("wipe", "path=/tmp/a")
    screen.reply("s\n")
    assert screen.end() == (0, '"wiped /tmp/a"\n')
    assert grants_of(vault) == []
    assert vault.run("call", "wipe", "path=/tmp/a").returncode == 4


def test_always_is_honoured_by_the_next_process_and_nowhere_wider(vault: Bench, at_terminal: At) -> None:
    screen = at_terminal("wipe", "path=/tmp/a")
    screen.reply("a\n")
    assert screen.end()[0] == 0
    (grant,) = grants_of(vault)
    assert (grant["tool"], grant["rule"], grant["source"]) == ("wipe", "vault.wipe", "vault")
    assert grant["args"] == {"path": {"equals": "/tmp/a"}, "depth": {"equals": 1}}
    assert grant["by"].endswith(" (terminal)")
    record = told(vault.run("call", "wipe", "path=/tmp/a", "--json"))
    assert record["decision"]["by"] == f"grant {grant['id']}"
    unasked = at_terminal("wipe", "path=/tmp/a")
    assert unasked.end()[0] == 0
    assert "Approval needed" not in unasked.seen
    assert vault.run("call", "wipe", "path=/tmp/b").returncode == 4
    assert vault.run("call", "wipe", "path=/tmp/a", "depth=1").returncode == 0  # the same, spelled out
    assert vault.run("call", "wipe", "path=/tmp/a", "depth=2").returncode == 4
    assert vault.run("call", "shred", "path=/tmp/a").returncode == 4


def test_always_for_two_findings_makes_a_grant_for_each(vault: Bench, at_terminal: At) -> None:
    screen = at_terminal("wipe", "path=/tmp/a", "depth=2")
    screen.reply("a\n")
    assert screen.end()[0] == 0
    assert {grant["rule"] for grant in grants_of(vault)} == {"vault.wipe", "vault.deep"}
    assert vault.run("call", "wipe", "path=/tmp/a", "depth=2").returncode == 0


@pytest.mark.parametrize("depth", ["1", "2"])
def test_a_narrower_grant_can_be_chosen(vault: Bench, at_terminal: At, depth: str) -> None:
    screen = at_terminal("wipe", "path=/tmp/a", f"depth={depth}")
    screen.reply("l\n")
    screen.wait_for("allow that, b back")
    offers = [line.strip() for line in screen.seen.splitlines()]
    (number,) = [line.partition(".")[0] for line in offers if line.endswith("always, for one use:")]
    screen.reply(f"{number}\n")
    assert screen.end()[0] == 0
    assert [grant["uses"] for grant in grants_of(vault)] == [1] * int(depth)
    assert vault.run("call", "wipe", "path=/tmp/a", f"depth={depth}").returncode == 0
    assert vault.run("call", "wipe", "path=/tmp/a", f"depth={depth}").returncode == 4
    assert grants_of(vault) == []


@pytest.mark.parametrize(
    ("keys", "reason"),
    [
        ("d\n", "denied at the terminal"),
        ("\n", "bare Enter"),
        ("\x04", "end of input"),
        ("\x03", "Ctrl-C"),
    ],
)
def test_everything_but_a_clear_yes_is_a_no(at_terminal: At, keys: str, reason: str) -> None:
    screen = at_terminal("wipe", "path=/tmp/a", "--json")
    screen.reply(keys)
    code, out = screen.end()
    record = json.loads(out)
    assert (code, record["decision"]["outcome"]) == (4, "denied-by-human")
    assert record["decision"]["reason"] == reason
    assert record["decision"]["by"].endswith(" (terminal)")


def test_a_prompt_that_nobody_answers_times_out(vault: Bench, at_terminal: At) -> None:
    configure(vault, "approvals:\n  timeout: 1\n")
    screen = at_terminal("wipe", "path=/tmp/a", "--json")
    screen.wait_for(PROMPT)
    code, out = screen.end()
    decision = json.loads(out)["decision"]
    assert (code, decision["outcome"], decision["by"]) == (4, "timed-out", "terminal approver")
    assert "Not answered in time" in screen.seen


def test_a_prompt_goes_away_when_the_host_waits_no_longer(vault: Bench, at_terminal: At) -> None:
    configure(vault, "calls:\n  approval_timeout: 1\n")
    screen = at_terminal("wipe", "path=/tmp/a", "--json")
    screen.wait_for(PROMPT)
    code, out = screen.end()
    decision = json.loads(out)["decision"]
    assert (code, decision["outcome"], decision["by"]) == (4, "timed-out", "terminal approver")


def test_what_is_refused_is_never_asked_at_the_terminal(at_terminal: At) -> None:
    screen = at_terminal("wipe", "path=/")
    assert screen.end()[0] == 4
    assert "Approval needed" not in screen.seen


def test_a_plugin_may_be_called_terminal(workshop: Bench) -> None:
    workshop.install(VAULT, name="terminal")
    assert workshop.run("call", "wipe", "path=/tmp/a", "--yes").stdout == '"wiped /tmp/a"\n'
    outcome = workshop.run("call", "wipe", "path=/tmp/a")
    assert (outcome.returncode, "no approver is available" in outcome.stdout) == (4, True)


def test_yes_asks_nobody_at_the_terminal(at_terminal: At) -> None:
    screen = at_terminal("wipe", "path=/tmp/a", "--yes")
    assert screen.end()[0] == 0
    assert "Approval needed" not in screen.seen


def test_a_yes_is_not_for_a_call_that_borrows_its_id(bare: Callable[..., Any], home: Path) -> None:
    (home / "plugins").mkdir(parents=True, exist_ok=True)
    (home / "plugins" / "borrowing.py").write_text(
        """
from hermes_core import Finding, ToolContext, hookimpl, tool


@tool(toolset="b", assess=lambda args, ctx: Finding(rule="b.ask", severity="ask", reason="it asks"))
def inner() -> str:
    '''Do something.'''
    return "INNER RAN"


@tool(toolset="b")
def nested(ctx: ToolContext) -> str:
    '''Call it.'''
    return ctx.call_tool("inner", {}, id=ctx.call.id)


@tool(toolset="b")
def batched(ctx: ToolContext) -> str:
    '''Call it in a batch.'''
    return ctx.batch([{"id": ctx.call.id, "name": "inner", "args": {}}])[0]


@hookimpl
def hermes_tools():
    return [inner, nested, batched]
"""
    )
    for name in ("nested", "batched"):
        outcome = bare("call", name, "--yes")
        assert "INNER RAN" not in outcome.stdout
        assert "no-approver" in outcome.stdout
    assert "INNER RAN" in bare("call", "inner", "--yes").stdout
