"""The hook `hermes_health_checks`: the doctor runs what plugins check, and survives whatever they do."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Examine = Callable[..., dict[str, Any]]
HEAD = """
import asyncio, os, signal, subprocess, sys, time
from pydantic import BaseModel
from hermes_core import hookimpl, tool
from hermes_core.health import HealthCheck, HealthProblem

class Shed(BaseModel):
    size: int = 3

@tool(toolset="shed")
def look_around(word: str = "spade") -> dict:
    "Look around."
    return {"seen": word}

@hookimpl
def hermes_tools():
    return [look_around]

@hookimpl
def hermes_settings():
    return {"shed": Shed}

def checks(*runs, **options):
    return [HealthCheck(name=run.__name__, run=run, tools=("look_around",), **options) for run in runs]
"""


@pytest.fixture
def examine(home: Path, tmp_path: Path) -> Examine:
    """Install a plugin with these checks, and run `hermes doctor --json` in a process of its own."""
    (tmp_path / "tmp").mkdir()
    (tmp_path / "site").mkdir()

    def run(source: str, *options: str, **env: str) -> dict[str, Any]:
        site = tmp_path / "site"
        (site / "hermes_doctor_test_shed.py").write_text(HEAD + textwrap.dedent(source), encoding="utf-8")
        info = site / "hermes_tools_shed-1.0.dist-info"
        info.mkdir(exist_ok=True)
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: hermes-tools-shed\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text("[hermes.plugins]\nshed = hermes_doctor_test_shed\n")
        done = subprocess.run(
            [sys.executable, "-m", "hermes_core", "doctor", "--json", *options],
            capture_output=True,
            encoding="utf-8",
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join([str(site), os.environ.get("PYTHONPATH", "")]),
                "PYTHONDONTWRITEBYTECODE": "1",
                "TMPDIR": str(tmp_path / "tmp"),
                **env,
            },
            timeout=60,
            check=False,
        )
        assert done.stdout.startswith("{"), done.stderr
        assert list((tmp_path / "tmp").iterdir()) == []
        return {**json.loads(done.stdout), "status": done.returncode}

    return run


def found(answer: dict[str, Any]) -> dict[str, tuple[str, str]]:
    """Level and message of everything that checks found, by check."""
    prefix = "shed: "
    return {
        each["subject"].removeprefix(prefix): (each["level"], each["message"])
        for each in answer["symptoms"]
        if each["subject"].startswith(prefix)
    }


def test_checks_may_return_or_yield_problems_sync_or_async(examine: Examine) -> None:
    answer = examine(
        """
        def fine(ctx): pass
        def returned(ctx): return HealthProblem(message="one", remedy="Do it.")
        def text(ctx): return "only words"
        def yielded(ctx): yield HealthProblem(message="two", level="warning")
        async def awaited(ctx):
            await asyncio.sleep(0)
            return [HealthProblem(message="three", level="note")]
        async def streamed(ctx):
            yield HealthProblem(message="four")

        @hookimpl
        def hermes_health_checks():
            print("printed while it is asked")
            return checks(fine, returned, text, yielded, awaited, streamed)
        """
    )
    assert answer["status"] == 1
    assert {name: each for name, each in found(answer).items() if name != "fine"} == {
        "returned": ("error", "one"),
        "text": ("error", "only words"),
        "yielded": ("warning", "two"),
        "awaited": ("note", "three"),
        "streamed": ("error", "four"),
    }
    assert found(answer)["fine"][0] == "ok"
    assert [check["ok"] for check in answer["checks"]] == [True, False, False, False, True, False]
    assert answer["not_exercised"] == []


def test_a_check_that_raises_exits_hangs_or_answers_nonsense_is_an_error_of_its_plugin(examine: Examine) -> None:
    started = time.monotonic()
    answer = examine(
        """
        def raises(ctx): raise ValueError("a loose board")
        def exits(ctx): sys.exit(0)
        def imports(ctx): import no_such_module_anywhere
        def nonsense(ctx): return [5]
        def hangs(ctx): time.sleep(600)
        def fine(ctx): pass

        @hookimpl
        def hermes_health_checks():
            return [*checks(raises, exits, imports, nonsense), *checks(hangs, timeout=0.5), *checks(fine)]
        """
    )
    assert time.monotonic() - started < 30
    messages = found(answer)
    assert messages.pop("fine")[0] == "ok"
    assert {level for level, _ in messages.values()} == {"error"}
    assert "ValueError: a loose board" in messages["raises"][1]
    assert "SystemExit" in messages["exits"][1]
    assert "no_such_module_anywhere" in messages["imports"][1]
    assert "returned a int" in messages["nonsense"][1]
    assert "did not finish within 0.5 s" in messages["hangs"][1]


@pytest.mark.parametrize(
    ("deed", "said"),
    [("os._exit(3)", "ended its process with status 3"), ("os.kill(os.getpid(), signal.SIGSEGV)", "SIGSEGV")],
)
def test_a_check_that_kills_its_process_kills_no_more_than_that(examine: Examine, deed: str, said: str) -> None:
    answer = examine(
        f"""
        def dies(ctx): {deed}

        @hookimpl
        def hermes_health_checks():
            return checks(dies)
        """
    )
    assert answer["status"] == 1
    level, message = found(answer)["dies"]
    assert level == "error"
    assert said in message


@pytest.mark.parametrize("body", ["return 5", "return [5]", "raise ValueError('no')", "yield 5"])
def test_a_hook_that_answers_nonsense_or_raises_is_an_error(examine: Examine, body: str) -> None:
    answer = examine(f"@hookimpl\ndef hermes_health_checks():\n    {body}\n")
    assert answer["status"] == 1
    assert found(answer)["list its health checks"][0] == "error"


def test_checks_for_the_network_run_only_when_the_user_allows_it(examine: Examine) -> None:
    source = """
    def asks_the_world(ctx): return HealthProblem(message=f"online is {ctx.online}")

    @hookimpl
    def hermes_health_checks():
        return checks(asks_the_world, online=True)
    """
    offline = examine(source)
    assert offline["status"] == 0
    assert offline["not_exercised"] == ["look_around"]
    assert "--online" in found(offline)["asks_the_world"][1]
    assert found(examine(source, "--online"))["asks_the_world"] == ("error", "online is True")


def test_a_check_that_skips_itself_leaves_its_tools_unexercised(examine: Examine) -> None:
    answer = examine(
        """
        def cannot(ctx): return HealthProblem(message="there is no lamp", level="skipped")

        @hookimpl
        def hermes_health_checks():
            return checks(cannot)
        """
    )
    assert answer["status"] == 0
    assert answer["not_exercised"] == ["look_around"]
    assert found(answer)["cannot"] == ("note", "not checked: there is no lamp")


def test_a_check_calls_tools_with_the_settings_of_the_user_but_without_their_policy(
    examine: Examine, home: Path
) -> None:
    home.mkdir()
    rules = (
        "policy: {rules: [{name: none, match: {tool: look_around}, action: deny, reason: closed}]}\nshed: {size: 8}\n"
    )
    (home / "config.yaml").write_text(rules, encoding="utf-8")
    answer = examine(
        """
        def calls(ctx):
            yield HealthProblem(message=str(ctx.call("look_around", {"word": "rake"})), level="note")

        def reads(ctx):
            size = ctx.settings("shed", Shed).size
            yield HealthProblem(message=f"{size} {list(ctx.scratch.iterdir())}", level="note")

        @hookimpl
        def hermes_health_checks():
            return checks(calls, reads)
        """
    )
    assert found(answer) == {"calls": ("note", "{'seen': 'rake'}"), "reads": ("note", "8 []")}
    assert [path.name for path in home.iterdir()] == ["config.yaml"]


def test_processes_of_a_check_that_hangs_do_not_outlive_the_doctor(examine: Examine, tmp_path: Path) -> None:
    note = tmp_path / "pid"
    examine(
        f"""
        def leaves(ctx):
            open({str(note)!r}, "w").write(str(subprocess.Popen(["sleep", "600"]).pid))
            time.sleep(600)

        @hookimpl
        def hermes_health_checks():
            return checks(leaves, timeout=2)
        """
    )
    assert not is_running(int(note.read_text()))


def test_ctrl_c_ends_the_checks_and_leaves_nothing(examine: Examine, home: Path, tmp_path: Path) -> None:
    note = tmp_path / "started"
    source = f"""
    def waits(ctx):
        open({str(note)!r}, "w").write(str(os.getpid()))
        time.sleep(600)

    @hookimpl
    def hermes_health_checks():
        return checks(waits)
    """
    with pytest.raises(AssertionError):  # it installs the plugin, and asks for an option that is not there
        examine(source, "--no-such-option")
    path = os.pathsep.join([str(tmp_path / "site"), os.environ.get("PYTHONPATH", "")])
    process = subprocess.Popen(
        [sys.executable, "-m", "hermes_core", "doctor"],
        env={**os.environ, "PYTHONPATH": path, "TMPDIR": str(tmp_path / "tmp")},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 30
    while not (note.exists() and note.read_text()):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=20) == 130
    assert not is_running(int(note.read_text()))
    assert list((tmp_path / "tmp").iterdir()) == []


def is_running(pid: int) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    except FileNotFoundError:
        return False


def test_health_checks_are_no_reason_to_import_a_plugin(tmp_path: Path, home: Path) -> None:
    package = tmp_path / "site" / "hermes_doctor_test_lazy"
    package.mkdir(parents=True)
    source = (
        "import hermes_core\nprint('imported')\n@hermes_core.hookimpl\ndef hermes_health_checks():\n    return []\n"
    )
    (package / "__init__.py").write_text(source, encoding="utf-8")
    manifest = {"manifest": 1, "plugin": "lazy", "api": ">=1.0,<2", "hooks": ["hermes_health_checks"]}
    (package / "hermes-plugin.json").write_text(json.dumps(manifest), encoding="utf-8")
    info = package.parent / "hermes_tools_lazy-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: hermes-tools-lazy\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text("[hermes.plugins]\nlazy = hermes_doctor_test_lazy\n", encoding="utf-8")
    program = (
        "from hermes_core import Hermes\nwith Hermes.load() as hermes:\n"
        "    print([record.imported for record in hermes.report])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(package.parent), os.environ.get("PYTHONPATH", "")])},
        timeout=60,
        check=True,
    )
    assert done.stdout == "[False]\n"


def test_the_checks_of_a_single_file_can_call_its_tools(examine: Examine, home: Path) -> None:
    (home / "plugins").mkdir(parents=True, mode=0o700)
    home.chmod(0o700)
    source = HEAD.replace("look_around", "look_up") + textwrap.dedent(
        """
        def calls(ctx):
            yield HealthProblem(message=str(ctx.call("look_up", {"word": "moon"})), level="note")

        @hookimpl
        def hermes_health_checks():
            return [HealthCheck(name="calls", run=calls, tools=("look_up",))]
        """
    )
    (home / "plugins" / "sky.py").write_text(source.replace('"shed"', '"sky"'), encoding="utf-8")
    answer = examine("@hookimpl\ndef hermes_toolsets():\n    return []\n")
    (symptom,) = [each for each in answer["symptoms"] if each["subject"] == "sky: calls"]
    assert symptom["message"] == "{'seen': 'moon'}"


def test_calls_that_were_given_up_and_still_run_are_counted(examine: Examine) -> None:
    answer = examine(
        """
        from hermes_core import Tool

        def stuck(args):
            time.sleep(600)

        @hookimpl
        def hermes_tools():
            return [Tool.from_schema({"name": "stuck"}, stuck, toolset="shed", timeout=0.1)]

        def calls(ctx):
            ctx.call("stuck", {})
            ctx.call("stuck", {})

        @hookimpl
        def hermes_health_checks():
            return checks(calls)
        """
    )
    assert answer["abandoned"] == {"stuck": 2}
    (symptom,) = [each for each in answer["symptoms"] if each["subject"] == "calls of stuck"]
    assert (symptom["level"], symptom["message"][:7]) == ("warning", "2 calls")


def test_it_says_when_no_call_was_given_up(examine: Examine) -> None:
    answer = examine("@hookimpl\ndef hermes_health_checks():\n    return []\n")
    assert answer["abandoned"] == {}
    assert ("ok", "none was abandoned") in [(each["level"], each["message"]) for each in answer["symptoms"]]
