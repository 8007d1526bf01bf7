"""The process that runs the health checks of one plugin and reports each as a line of JSON on stdout."""

from __future__ import annotations

import contextlib
import inspect
import itertools
import json
import os
import re
import sys
import threading
import time
from collections import Counter
from collections.abc import AsyncIterable, Callable, Mapping
from pathlib import Path
from typing import Any

import anyio

from hermes_core.config.config import Config
from hermes_core.config.settings import SECTIONS
from hermes_core.errors import ConfigError, PluginError, describe_error
from hermes_core.health import HealthCheck, HealthContext, HealthProblem, checked_health_checks
from hermes_core.host import Hermes
from hermes_core.inspection import abandoned_calls, hook_table, plugin_sections
from hermes_core.plugins.api import POLICY_HOOKS
from hermes_core.plugins.trust import FILE as TRUST_FILE

HOOK = "hermes_health_checks"
_MOST_PROBLEMS = 100
"""A check that finds more than this says nothing new, and may never stop."""
_CLOSE_SECONDS = 5.0
_REPORT = "Report it to the author of the plugin."


def main() -> None:
    """Run the checks of the job on stdin."""
    job = json.loads(sys.stdin.readline())
    reports = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # stdout carries reports only, whatever plugins print
    threading.Thread(target=_end_with_parent, daemon=True).start()
    sys.path[:] = job["path"]

    def report(**facts: Any) -> None:
        reports.write(json.dumps(facts) + "\n")
        reports.flush()

    try:
        _run_checks(job["plugin"], Path(job["scratch"]), report, online=job["online"])
        report(end=True)
    finally:
        os._exit(0)  # without waiting for threads: one that hangs has been reported


def load_leniently() -> Hermes:
    """Load a host even when the settings or the lock are unusable: that is when people run the doctor."""
    for locked in (True, False):
        with contextlib.suppress(ConfigError, OSError):
            return Hermes.load(only_looking=True, checked=False, locked=locked)
    return Hermes.load(config=Config(data={}), only_looking=True, locked=False)


def _end_with_parent() -> None:
    sys.stdin.read()  # the doctor holds the other end, and writes nothing more to it
    os._exit(1)


def _run_checks(plugin: str, scratch: Path, report: Callable[..., None], *, online: bool) -> None:
    host = load_leniently()
    host.activate(plugin)
    record = host.report.get(plugin)
    verdicts = {name: host.why(name) for name in (record.tools if record else ())}
    report(
        record=record and record._asdict(),
        unavailable={name: [why.reason, why.remedy] for name, why in verdicts.items() if not why.available},
    )
    distribution = (record.distribution if record else None) or plugin
    try:
        checks = [
            check
            for implementation in hook_table(host).implementations(HOOK)
            if implementation.plugin == plugin
            for check in checked_health_checks(plugin, implementation.function())
        ]
    except BaseException as error:  # foreign code
        report(name="list its health checks", problems=[_problem_of(error, distribution)])
        return
    for number, check in enumerate(checks):
        facts = {"name": check.name, "tools": check.tools}
        if check.online and not online:
            report(**facts, skipped="it needs the network; run 'hermes doctor --online'")
            continue
        report(**facts, timeout=check.timeout)
        started = time.monotonic()
        folder = scratch / str(number)
        folder.mkdir()
        caller = _Caller(host, plugin, folder / "home")
        context = HealthContext(host.home, folder, online, caller.call, caller.settings, host.providers)
        problems = _run(check, context, distribution)
        abandoned = caller.abandoned()
        _run_within(caller.close, _CLOSE_SECONDS)
        report(**facts, seconds=round(time.monotonic() - started, 3), problems=problems, abandoned=abandoned)


def _run(check: HealthCheck, context: HealthContext, distribution: str) -> list[dict[str, str]]:
    """Run a check in a thread that can be abandoned, and return its problems."""
    finished: list[list[dict[str, str]]] = []

    def run() -> None:
        try:
            finished.append([_as_dict(found) for found in _found(check.run(context))])
        except BaseException as error:  # foreign code: a check may even call sys.exit()
            finished.append([_problem_of(error, distribution)])

    _run_within(run, check.timeout)
    late = _as_dict(HealthProblem(message=f"it did not finish within {check.timeout:g} s.", remedy=_REPORT))
    return finished[0] if finished else [late]


def _run_within(function: Callable[[], None], seconds: float) -> None:
    thread = threading.Thread(target=function, daemon=True)
    thread.start()
    thread.join(seconds)


def _found(answer: Any) -> list[object]:
    """Return everything that a check found, however it answers."""
    if inspect.isawaitable(answer) or isinstance(answer, AsyncIterable):
        answer = anyio.run(_awaited, answer)
    if answer is None:
        return []
    return [answer] if isinstance(answer, HealthProblem | str) else list(itertools.islice(answer, _MOST_PROBLEMS))


async def _awaited(answer: Any) -> Any:
    if inspect.isawaitable(answer):
        answer = await answer
    if not isinstance(answer, AsyncIterable):
        return answer
    found: list[object] = []
    async for each in answer:
        found.append(each)
        if len(found) == _MOST_PROBLEMS:
            break
    return found


def _as_dict(found: object) -> dict[str, str]:
    problem = HealthProblem(message=found) if isinstance(found, str) else found
    if not isinstance(problem, HealthProblem):
        raise TypeError(f"a health check returned a {type(problem).__name__}, not a HealthProblem")
    return {"level": problem.level, "message": str(problem.message), "remedy": str(problem.remedy)}


def _problem_of(error: BaseException, distribution: str) -> dict[str, str]:
    """Describe what a check raised."""
    message, remedy = describe_error(error), "Run 'hermes --debug doctor' to see more."
    if isinstance(error, PluginError):
        message, remedy = error.reason, error.remedy or ""
    elif isinstance(error, ImportError):
        message, package = f"a module cannot be imported: {message}", (error.name or "").partition(".")[0]
        missing = f"Install what provides the module {error.name!r}, or reinstall" if error.name else "Reinstall"
        remedy = f"{missing} {distribution} with its dependencies."
        if package in sys.modules:  # only a part of the package is missing
            remedy = f"Install the version of {package!r} that {distribution} requires."
    return _as_dict(HealthProblem(message=message, remedy=remedy))


class _Caller:
    """Calls tools for a check, in a host for each set of settings, all in the same home."""

    def __init__(self, host: Hermes, plugin: str, home: Path) -> None:
        self._host = host
        self._plugin = plugin
        self._home = home
        self._hosts: dict[str, Hermes] = {}

    def call(self, name: str, args: Mapping[str, Any], settings: Mapping[str, Any]) -> Any:
        key = json.dumps(settings, sort_keys=True)
        if key not in self._hosts:
            self._hosts[key] = self._load(settings)
        return json.loads(self._hosts[key].call(name, args))

    def settings(self, section: str, model: Any) -> Any:
        if not self._host._config.is_readable(section, self._plugin):
            raise PluginError(
                f"it cannot read the section {section!r} of config.yaml, which it does not declare.",
                plugin=self._plugin,
                remedy="Return it from hermes_settings.",
            )
        config = self._host.config
        return config.section(section) if model is None else config.model(section, model)

    def abandoned(self) -> dict[str, int]:
        return dict(sum((Counter(abandoned_calls(host)) for host in self._hosts.values()), Counter()))

    def close(self) -> None:
        for host in self._hosts.values():
            host.close()

    def _load(self, settings: Mapping[str, Any]) -> Hermes:
        """Load a host with the user's single-file plugins, settings and variables, but without policies."""
        self._home.mkdir(mode=0o700, exist_ok=True)
        for name in ("plugins", TRUST_FILE):
            if os.path.exists(self._host.home / name) and not os.path.lexists(self._home / name):
                (self._home / name).symlink_to(self._host.home / name)
        config = self._host.config
        sections = {spec.name: spec for spec in plugin_sections(self._host)}
        stored = {name: config.stored(name) for name in sections if name != "policy"}
        core = {name: config.said(name) for name in SECTIONS}
        policies = [
            record.name
            for record in self._host.report
            if record.name != self._plugin and (record.denies or not set(POLICY_HOOKS).isdisjoint(record.hooks))
        ]
        plugins = core["plugins"] or {}
        core["plugins"] = {**plugins, "disabled": [*(plugins.get("disabled") or ()), *policies], "required": []}
        replaced = {name: sections[name].schema for name in settings if name in sections}
        variables = set(re.findall(r'"x-env": "(\w+)"', json.dumps(replaced)))
        prefixes = tuple(f"HERMES_{name.upper()}__" for name in replaced)
        return Hermes.load(
            home=self._home,
            locked=False,
            config={name: value for name, value in {**core, **stored, **settings}.items() if value is not None},
            # A variable would win over the settings of the check.
            environ={
                name: value
                for name, value in config.environ.items()
                if name not in variables and not name.upper().startswith(prefixes)
            },
            is_probe=True,
        )


if __name__ == "__main__":
    main()
