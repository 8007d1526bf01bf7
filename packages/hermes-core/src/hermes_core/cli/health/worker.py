"""The process that runs the health checks of one plugin and reports each as a line of JSON on stdout."""

from __future__ import annotations

import contextlib
import inspect
import itertools
import json
import os
import sys
import threading
import time
from collections import Counter
from collections.abc import AsyncIterable, Callable, Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import anyio

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


def main() -> None:
    """Run the checks that the job on stdin names."""
    job = json.loads(sys.stdin.readline())
    reports = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # stdout carries reports only, whatever plugins print
    threading.Thread(target=_end_with_parent, daemon=True).start()
    sys.path[:] = job["path"]

    def report(**facts: Any) -> None:
        reports.write(json.dumps(facts) + "\n")
        reports.flush()

    # Without waiting for threads: one that hangs has been reported.
    try:
        _run_all(job, report)
        report(end=True)
    finally:
        os._exit(0)


def _end_with_parent() -> None:
    """Stop when the doctor is gone: it holds the other end of stdin and writes nothing more to it."""
    sys.stdin.read()
    os._exit(1)


def _run_all(job: Mapping[str, Any], report: Callable[..., None]) -> None:
    plugin, online, host = job["plugin"], bool(job["online"]), load_leniently()
    host.activate(plugin)
    record = host.report.get(plugin)
    verdicts = {name: host.why(name) for name in (record.tools if record else ())}
    report(
        record=None if record is None else asdict(record),
        unavailable={name: [why.reason, why.remedy] for name, why in verdicts.items() if not why.available},
    )
    try:
        checks = [
            check
            for implementation in hook_table(host).implementations(HOOK)
            if implementation.plugin == plugin
            for check in checked_health_checks(plugin, implementation.function())
        ]
    except BaseException as error:  # foreign code
        report(check="list its health checks", problems=[_problem_of(error, "")])
        return
    for number, check in enumerate(checks):
        facts = {"check": check.name, "tools": list(check.tools)}
        if check.online and not online:
            report(**facts, skipped="it needs the network; run 'hermes doctor --online'")
            continue
        report(**facts, timeout=check.timeout)
        scratch = Path(job["scratch"]) / str(number)
        scratch.mkdir()
        started = time.monotonic()
        problems, abandoned = _run(check, host, plugin, scratch, online=online)
        report(**facts, seconds=round(time.monotonic() - started, 3), problems=problems, abandoned=abandoned)


def load_leniently() -> Hermes:
    """Load a host even when the settings or the lock are unusable: that is when people run the doctor."""
    from hermes_core.config.config import Config

    for options in ({}, {"locked": False}):
        with contextlib.suppress(ConfigError, OSError):
            return Hermes.load(only_looking=True, checked=False, **options)  # type: ignore[arg-type]  # locked is its only key
    return Hermes.load(config=Config(data={}), only_looking=True, locked=False)


def _run(
    check: HealthCheck, host: Hermes, plugin: str, scratch: Path, *, online: bool
) -> tuple[list[dict[str, str]], dict[str, int]]:
    """Run one check in a thread of its own; return its problems, and the calls that were given up and still run."""
    callers = _Callers(host, plugin, scratch / "home")
    context = HealthContext(host.home, scratch, online, callers.call, _reader(host, plugin), host.providers)
    outcome: list[list[dict[str, str]]] = []

    def run() -> None:
        try:
            outcome.append([_plain(found) for found in _answered(check.run(context))])
        except BaseException as error:  # foreign code: a check may even call sys.exit()
            record = host.report.get(plugin)
            outcome.append([_problem_of(error, (record.distribution if record else None) or plugin)])

    _bounded(run, check.timeout)
    abandoned = callers.abandoned
    _bounded(callers.close, _CLOSE_SECONDS)
    if outcome:
        return outcome[0], abandoned
    message = f"it did not finish within {check.timeout:g} s."
    return [{"level": "error", "message": message, "remedy": "Report it to the author of the plugin."}], abandoned


def _bounded(function: Callable[[], None], seconds: float) -> None:
    thread = threading.Thread(target=function, daemon=True)
    thread.start()
    thread.join(seconds)


def _answered(answer: Any) -> Iterable[object]:
    """Return everything that a check found, however it answered."""
    if inspect.isawaitable(answer) or isinstance(answer, AsyncIterable):
        answer = anyio.run(_awaited, answer)
    if answer is None:
        return []
    if isinstance(answer, HealthProblem | str):
        return [answer]
    return list(itertools.islice(answer, _MOST_PROBLEMS))


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


def _plain(found: object) -> dict[str, str]:
    if isinstance(found, HealthProblem):
        return {"level": found.level, "message": str(found.message), "remedy": str(found.remedy)}
    if isinstance(found, str):
        return {"level": "error", "message": found, "remedy": ""}
    raise TypeError(f"a health check returned a {type(found).__name__}, not a HealthProblem")


def _problem_of(error: BaseException, distribution: str) -> dict[str, str]:
    """Describe what a check raised."""
    remedy = error.remedy or "" if isinstance(error, PluginError) else "Run 'hermes --debug doctor' to see more."
    message = error.reason if isinstance(error, PluginError) else describe_error(error)
    if isinstance(error, ImportError):
        message = f"a module cannot be imported: {describe_error(error)}"
        missing = f"Install what provides the module {error.name!r}, or reinstall" if error.name else "Reinstall"
        remedy = f"{missing} {distribution} with its dependencies."
        if error.name and error.name.partition(".")[0] in sys.modules:  # part of a package that is there
            remedy = f"Install the version of {error.name.partition('.')[0]!r} that {distribution} requires."
    return {"level": "error", "message": message, "remedy": remedy}


def _reader(host: Hermes, plugin: str) -> Callable[[str, Any], Any]:
    def read(section: str, model: Any) -> Any:
        if not host._config.is_readable(section, plugin):
            raise PluginError(
                f"it cannot read the section {section!r} of config.yaml, which it does not declare.",
                plugin=plugin,
                remedy="Return it from hermes_settings.",
            )
        return host.config.section(section) if model is None else host.config.model(section, model)

    return read


class _Callers:
    """Hosts in which a check calls tools: one for each set of settings, all in the same home."""

    def __init__(self, host: Hermes, plugin: str, home: Path) -> None:
        self._host = host
        self._plugin = plugin
        self._home = home
        self._made: dict[str, Hermes] = {}

    def call(self, name: str, args: Mapping[str, Any], settings: Mapping[str, Any]) -> Any:
        """Call a tool and decode its result."""
        key = json.dumps(settings, sort_keys=True)
        if key not in self._made:
            self._made[key] = self._make(settings)
        return json.loads(self._made[key].call(name, args))

    @property
    def abandoned(self) -> dict[str, int]:
        """How many calls of each tool or hook were given up and still run."""
        return dict(sum((Counter(abandoned_calls(host)) for host in self._made.values()), Counter()))

    def close(self) -> None:
        """End the sessions of all hosts, with what they started."""
        for host in self._made.values():
            host.close()

    def _make(self, settings: Mapping[str, Any]) -> Hermes:
        self._share_plugins()
        config = self._host.config
        names = {spec.name for spec in plugin_sections(self._host)} - {"policy"}
        stored = {name: value for name in names if (value := config.stored(name)) is not None}
        judges = tuple(
            record.name
            for record in self._host.report
            # A health check asks whether a tool works, not whether it may run.
            if record.name != self._plugin and (record.denies or not set(POLICY_HOOKS).isdisjoint(record.hooks))
        )
        core = {name: value for name in SECTIONS if (value := config.said(name)) is not None}
        plugins = core.get("plugins", {})
        core["plugins"] = {**plugins, "disabled": [*(plugins.get("disabled") or ()), *judges], "required": []}
        return Hermes.load(
            home=self._home,
            locked=False,
            config={**core, **stored, **settings},
            environ=self._environment(settings),
            is_probe=True,
        )

    def _share_plugins(self) -> None:
        """Let the home of the calls have the same single-file plugins as that of the user."""
        self._home.mkdir(mode=0o700, exist_ok=True)
        for name in ("plugins", TRUST_FILE):
            if os.path.exists(self._host.home / name) and not os.path.lexists(self._home / name):
                (self._home / name).symlink_to(self._host.home / name)

    def _environment(self, settings: Mapping[str, Any]) -> dict[str, str]:
        """Return the user's variables, without those that would override the settings of the check."""
        replaced = [spec for spec in plugin_sections(self._host) if spec.name in settings]
        variables = {name for spec in replaced for name in _variables(spec.schema)}
        prefixes = tuple(f"HERMES_{spec.name.upper()}__" for spec in replaced)
        environ = self._host.config.environ
        return {
            name: value
            for name, value in environ.items()
            if name not in variables and not (prefixes and name.upper().startswith(prefixes))
        }


def _variables(schema: object) -> Iterable[str]:
    """Yield the variables that a JSON schema of settings names as sources of values."""
    if isinstance(schema, Mapping):
        if isinstance(schema.get("x-env"), str):
            yield schema["x-env"]
        for part in schema.values():
            yield from _variables(part)
    elif isinstance(schema, list | tuple):
        for part in schema:
            yield from _variables(part)


if __name__ == "__main__":
    main()
