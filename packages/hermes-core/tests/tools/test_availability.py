"""Every "no" has a reason and a remedy, and asking costs each check once in thirty seconds."""

from __future__ import annotations

import dataclasses
import importlib
import re
import shlex
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hermes_core import Hermes, Tool, ToolUnavailableError
from hermes_core.tools import availability as module
from hermes_core.tools.availability import Availability
from hermes_core.tools.requirements import Verdict, gates_of

Make = Callable[..., Hermes]


def make(name: str = "a", toolset: str = "web", **fields: Any) -> Tool:
    return Tool.from_schema({"name": name}, lambda args, **info: "{}", toolset=toolset, **fields)


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class Counted:
    """A check that counts how often it runs."""

    def __init__(self, answer: object = True) -> None:
        self.answer = answer
        self.runs = 0

    def __call__(self) -> object:
        self.runs += 1
        return self.answer


def asked(check: Callable[[], object]) -> Verdict:
    return Availability().of(make(check=check))


# Gates


def test_a_tool_that_needs_nothing_is_available() -> None:
    assert Availability().of(make())
    assert Availability().of(make()).reason == ""


def test_an_environment_variable_must_be_set_and_counts_at_once() -> None:
    environ: dict[str, str] = {}
    gate = Availability(environ=environ)
    tool = make(requires_env=["SEARCH_KEY"])
    verdict = gate.of(tool)
    assert not verdict
    assert "SEARCH_KEY is not set" in verdict.reason
    assert "Set SEARCH_KEY" in verdict.remedy
    environ["SEARCH_KEY"] = "   "
    assert not gate.of(tool)
    environ["SEARCH_KEY"] = "x"
    assert gate.of(tool)
    del environ["SEARCH_KEY"]
    assert not gate.of(tool)


def test_the_environment_of_the_process_is_the_default(monkeypatch: pytest.MonkeyPatch, host: Make) -> None:
    monkeypatch.delenv("HERMES_TEST_KEY", raising=False)
    hermes = host(tools=[make(requires_env=["HERMES_TEST_KEY"])])
    assert hermes.definitions() == []
    monkeypatch.setenv("HERMES_TEST_KEY", "x")
    assert len(hermes.definitions()) == 1
    monkeypatch.delenv("HERMES_TEST_KEY")
    assert hermes.definitions() == []


def test_a_program_must_be_on_the_path(tmp_path: Path) -> None:
    clock = Clock()
    gate = Availability(clock=clock, environ={"PATH": str(tmp_path)})
    tool = make(requires_bin=["frobnicate"])
    verdict = gate.of(tool)
    assert "'frobnicate' is not on PATH" in verdict.reason
    assert "Install frobnicate" in verdict.remedy
    program = tmp_path / "frobnicate"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    assert not gate.of(tool), "the answer holds for thirty seconds"
    clock.now += 30
    assert gate.of(tool)


def test_the_first_thing_that_is_missing_speaks() -> None:
    check = Counted()
    tool = make(requires_env=["NO_SUCH_KEY"], requires_bin=["no-such-program"], check=check)
    assert "NO_SUCH_KEY" in Availability(environ={}).of(tool).reason
    assert "no-such-program" in Availability(environ={"NO_SUCH_KEY": "x"}).of(tool).reason
    assert check.runs == 0


# Extras


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    site = tmp_path / "site"
    site.mkdir()
    monkeypatch.syspath_prepend(site)

    def add(name: str, *requires: str, version: str = "1.0") -> None:
        folder = site / f"{name.replace('-', '_')}-1.0.dist-info"
        folder.mkdir(exist_ok=True)
        lines = [
            "Metadata-Version: 2.1",
            f"Name: {name}",
            f"Version: {version}",
            *(f"Requires-Dist: {r}" for r in requires),
        ]
        offered = sorted({found for line in requires for found in re.findall(r'extra == "([^"]+)"', line)})
        lines += [f"Provides-Extra: {found}" for found in offered]
        (folder / "METADATA").write_text("\n".join(lines) + "\n")
        importlib.invalidate_caches()

    yield add
    importlib.invalidate_caches()


def extra(requirement: str) -> Verdict:
    return Availability().of(make(requires_extra=[requirement]))


def test_a_missing_extra_comes_with_the_exact_line_to_run(install: Callable[..., None]) -> None:
    install("dice-tools", 'frob-pdf>=2; extra == "pdf"', "yaml-thing", 'other; extra == "web"')
    verdict = extra("dice-tools[pdf]")
    assert not verdict
    assert verdict.reason == "dice-tools[pdf] is not installed (missing frob-pdf)"
    assert verdict.remedy == "Run: pip install 'dice-tools[pdf]'"
    install("frob-pdf", version="1.9")
    assert "missing frob-pdf>=2" in extra("dice-tools[pdf]").reason
    install("frob-pdf", version="2.0")
    assert extra("dice-tools[pdf]")
    assert not extra("dice-tools[pdf,web]")


def test_a_missing_package_comes_with_the_line_to_run() -> None:
    for requirement in ("no-such-package", "no-such-package[pdf]"):
        verdict = extra(requirement)
        assert verdict.reason == f"{requirement} is not installed (missing no-such-package)"
        assert verdict.remedy == f"Run: pip install {shlex.quote(requirement)}"


def test_an_extra_that_does_not_exist_is_told_from_one_that_is_not_installed(install: Callable[..., None]) -> None:
    install("dice-tools", 'frob; extra == "pdf"')
    assert extra("dice-tools[pfd]").reason == "dice-tools has no extra 'pfd'"


@pytest.mark.parametrize("nonsense", ["a b", "[pdf]", "pkg[pdf"])
def test_what_is_no_extra_says_so(nonsense: str) -> None:
    assert "is not the name of an extra" in extra(nonsense).reason


def test_names_of_extras_are_compared_as_pip_does(install: Callable[..., None]) -> None:
    install("dice-tools", 'frob; extra == "deep-voice"')
    install("frob")
    for spelling in ("dice-tools[deep-voice]", "Dice_Tools[Deep_Voice]", "dice.tools[deep.voice]"):
        assert extra(spelling)


def test_a_dependency_for_other_machines_is_not_missing(install: Callable[..., None]) -> None:
    install(
        "dice-tools",
        'winthing; sys_platform == "no-such-platform" and extra == "x"',
        'oldthing; python_version < "3.8" and extra == "x"',
        'newthing; (python_full_version >= "3.99.0") and extra == "x"',
        'jython-thing; platform_python_implementation == "Jython" and extra == "x"',
        'notposix; os_name != "posix" and extra == "x"',
        'wanted (>=1.0); python_version >= "3.8" and os_name == "posix" and extra == "x"',
    )
    assert "missing wanted" in extra("dice-tools[x]").reason
    install("wanted")
    assert extra("dice-tools[x]")


def test_conditions_are_judged_as_pip_judges_them(install: Callable[..., None]) -> None:
    install(
        "dice-tools",
        'frob; (os_name == "x" or os_name == "posix") and extra == "x"',
        'odd; os_name == "y" and extra == "z"',
    )
    assert "missing frob" in extra("dice-tools[x]").reason
    assert extra("dice-tools[z]")


def test_an_extra_made_of_other_extras_needs_them_all(install: Callable[..., None]) -> None:
    install(
        "dice-tools",
        'dice-tools[pdf,web]; extra == "all"',
        'frob; extra == "pdf"',
        'other[fast]; extra == "web"',
        'dice-tools[all]; extra == "web"',
    )
    install("frob")
    install("other", 'speedup; extra == "fast"')
    verdict = extra("dice-tools[all]")
    assert "missing speedup" in verdict.reason
    assert verdict.remedy == "Run: pip install 'dice-tools[all]'"
    install("speedup")
    assert extra("dice-tools[all]")


# Checks


def test_checks_that_hang_are_waited_for_together(host: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hermes_core.tools.availability.CHECK_SECONDS", 0.3)
    never = threading.Event()
    tools = [make(f"stuck_{number}", check=lambda number=number: never.wait()) for number in range(10)]
    started = time.monotonic()
    assert host(tools=tools).definitions() == []
    assert time.monotonic() - started < 2  # one after the other they would take 3 s
    never.set()


@pytest.mark.parametrize("answer", [True, 1, "yes", object()])
def test_a_check_that_says_something_true_passes(answer: object) -> None:
    assert asked(lambda: answer)


@pytest.mark.parametrize("answer", [False, None, 0, "", []])
def test_a_check_that_says_something_false_is_named_with_its_docstring(answer: object) -> None:
    def browser_is_installed() -> object:
        """A browser must be installed."""
        return answer

    verdict = asked(browser_is_installed)
    assert not verdict
    assert "browser_is_installed" in verdict.reason
    assert "A browser must be installed." in verdict.reason


def test_a_check_may_give_the_verdict_itself() -> None:
    said = Verdict(available=False, reason="too cold", remedy="Heat it.")
    assert asked(lambda: said) == said


def test_a_raising_check_means_no_and_keeps_its_reason() -> None:
    def check() -> bool:
        raise ConnectionError("server is down")

    verdict = asked(check)
    assert not verdict
    assert "ConnectionError: server is down" in verdict.reason


def test_a_check_can_raise_the_reason_and_the_remedy() -> None:
    def check() -> bool:
        raise ToolUnavailableError("no display", hint="Start one with Xvfb.")

    verdict = asked(check)
    assert (verdict.reason, verdict.remedy) == ("no display", "Start one with Xvfb.")


class Unspeakable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


@pytest.mark.parametrize("error", [SystemExit(3), KeyboardInterrupt(), GeneratorExit(), Unspeakable()])
def test_whatever_a_check_raises_only_means_no(error: BaseException) -> None:
    def check() -> bool:
        raise error

    verdict = asked(check)
    assert not verdict
    assert type(error).__name__ in verdict.reason


def test_an_answer_without_a_truth_value_means_no() -> None:
    class Neither:
        def __bool__(self) -> bool:
            raise ValueError("neither")

    assert "neither" in asked(Neither).reason


def test_an_async_check_is_refused_with_the_remedy() -> None:
    async def check() -> bool:
        return True

    verdict = asked(check)
    assert not verdict
    assert "async" in verdict.reason
    assert "without `async`" in verdict.remedy


def test_a_check_runs_in_the_context_of_who_asks() -> None:
    import contextvars

    who: contextvars.ContextVar[str] = contextvars.ContextVar("who", default="nobody")
    who.set("me")
    assert asked(lambda: who.get() == "me")


# The cache


def test_an_answer_holds_for_thirty_seconds() -> None:
    clock, check = Clock(), Counted(False)
    gate = Availability(clock=clock)
    tool = make(check=check)
    assert not gate.of(tool)
    check.answer = True
    clock.now += 29.9
    assert not gate.of(tool)
    assert check.runs == 1
    clock.now += 0.1
    assert gate.of(tool)
    assert check.runs == 2


def test_forgetting_asks_again() -> None:
    check = Counted(False)
    gate = Availability(clock=Clock())
    tool = make(check=check)
    assert not gate.of(tool)
    check.answer = True
    gate.invalidate()
    assert gate.of(tool)


def test_a_check_that_many_tools_share_runs_once_in_a_pass(host: Make) -> None:
    check = Counted()
    hermes = host(tools=[make(f"t{number}", check=check) for number in range(50)])
    assert len(hermes.definitions()) == 50
    assert len(hermes.definitions(format="anthropic")) == 50
    assert hermes.why("t1")
    assert check.runs == 1


def test_a_bound_method_is_one_check_however_often_it_is_named(host: Make) -> None:
    class Server:
        runs = 0

        def is_up(self) -> bool:
            self.runs += 1
            return True

    server = Server()
    hermes = host(tools=[make(f"t{number}", check=server.is_up) for number in range(5)])
    assert len(hermes.definitions()) == 5
    assert server.runs == 1


def test_a_shared_check_runs_once_when_many_threads_ask() -> None:
    started, go_on = threading.Event(), threading.Event()
    runs: list[int] = []

    def check() -> bool:
        runs.append(1)
        started.set()
        return go_on.wait(10)

    gate, tool = Availability(), make(check=check)
    verdicts: list[bool] = []
    threads = [threading.Thread(target=lambda: verdicts.append(bool(gate.of(tool)))) for _ in range(8)]
    for thread in threads:
        thread.start()
    assert started.wait(10)
    go_on.set()
    for thread in threads:
        thread.join(10)
    assert verdicts == [True] * 8
    assert len(runs) == 1


def test_a_check_whose_run_ends_while_another_thread_asks_runs_once() -> None:
    runs: list[int] = []

    def check() -> bool:
        runs.append(1)
        return True

    tool, availability = make(check=check), Availability()
    (gate,) = gates_of(tool)
    assert availability.check(gate).available
    # The other thread found no answer before that run ended, and asks for one now.
    assert availability._ask([gate], 1.0)[0].available
    assert runs == [1]


def test_hosts_do_not_share_answers(host: Make) -> None:
    check = Counted()
    for _ in range(2):
        host(tools=[make(check=check)]).definitions()
    assert check.runs == 2


def test_a_check_that_cannot_be_hashed_disturbs_nobody(host: Make) -> None:
    @dataclasses.dataclass
    class Ready:
        """Something must be ready."""

        ready: bool

        def __call__(self) -> bool:
            return self.ready

    hermes = host(tools=[make("plain"), make("yes", check=Ready(True)), make("no", check=Ready(False))])
    assert [entry["function"]["name"] for entry in hermes.definitions()] == ["plain", "yes"]
    assert not hermes.why("no")
    assert hermes._visibility.availability.toolset(Ready(True))


def test_answers_of_tools_that_have_gone_are_forgotten() -> None:
    clock = Clock()
    gate = Availability(clock=clock)
    for number in range(2000):
        clock.now += 1
        assert gate.of(make(f"t{number}", check=lambda: True))
    assert len(gate._known) < 600
    assert gate._running == {}


def test_a_toolset_without_a_check_is_available() -> None:
    gate = Availability()
    assert gate.toolset(None)
    assert gate.toolset(lambda: True)
    assert not gate.toolset(lambda: False)


# Checks that hang or ask back


def test_a_hanging_check_costs_its_deadline_once_and_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CHECK_SECONDS", 0.05)
    clock, release = Clock(), threading.Event()
    runs: list[int] = []

    def check() -> bool:
        runs.append(1)
        return release.wait(30)

    gate, tool = Availability(clock=clock), make(check=check)
    verdict = gate.of(tool)
    assert "longer than 0.05 s" in verdict.reason
    assert gate.of(tool) == verdict
    for _ in range(5):
        clock.now += 60
        assert "still running" in gate.of(tool).reason
    assert len(runs) == 1
    release.set()
    for thread in threading.enumerate():
        if thread.name == "hermes-check":
            thread.join(10)
    clock.now += 60
    assert gate.of(tool)
    assert len(runs) == 2


def test_the_tools_beside_a_hanging_one_are_listed(monkeypatch: pytest.MonkeyPatch, host: Make) -> None:
    monkeypatch.setattr(module, "CHECK_SECONDS", 0.05)
    release = threading.Event()
    hermes = host(tools=[make("hangs", check=lambda: release.wait(30)), make("works")])
    assert [entry["function"]["name"] for entry in hermes.definitions()] == ["works"]
    release.set()


def test_a_check_that_asks_for_the_definitions_of_its_own_host_does_not_wait_for_itself(host: Make) -> None:
    hermes = host(tools=[make("plain")])
    seen: list[list[str]] = []

    def check() -> bool:
        seen.append([entry["function"]["name"] for entry in hermes.definitions()])
        return "plain" in seen[-1]

    hermes.registry.register(make("curious", check=check))
    assert [entry["function"]["name"] for entry in hermes.definitions()] == ["curious", "plain"]
    assert seen == [["plain"]]
    assert hermes.why("curious")


def test_two_checks_that_ask_for_each_other_come_to_an_end(host: Make) -> None:
    hermes = host()
    hermes.registry.register(make("one", check=lambda: len(hermes.definitions()) >= 0))
    hermes.registry.register(make("two", check=lambda: len(hermes.definitions()) >= 0))
    assert {entry["function"]["name"] for entry in hermes.definitions()} <= {"one", "two"}


def test_a_check_may_ask_another_host(host: Make) -> None:
    other = host(tools=[make("x", check=lambda: True)])

    def check() -> bool:
        return len(other.definitions()) == 1

    other.registry.register(make("y", check=lambda: False))
    assert host(tools=[make(check=check)]).definitions()


def test_why_names_the_reason_and_remedy_by_alias_too(host: Make) -> None:
    hermes = host(tools=[make("search", aliases=["find"], requires_env=["NO_SUCH_KEY_HERE"])])
    for name in ("search", "find"):
        assert "NO_SUCH_KEY_HERE" in hermes.why(name).reason
