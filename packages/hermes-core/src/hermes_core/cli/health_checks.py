"""Runs the health checks of plugins, in one process per plugin, because a check may hang or crash.

A process reads its job as one line of JSON from stdin and writes its report as lines of JSON to stdout.
"""

from __future__ import annotations

import contextlib
import inspect
import itertools
import json
import os
import re
import select
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import AsyncIterable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio

from hermes_core.cli.installation_checks import PROBLEMS, Symptom, check_plugin
from hermes_core.cli.probe import run_within
from hermes_core.config.config import Config
from hermes_core.errors import ConfigError, PluginError, describe_error
from hermes_core.health import HealthCheck, HealthProblem, checked_health_checks
from hermes_core.host import Hermes, parts_of
from hermes_core.inspection import abandoned_calls, hook_table, plugin_sections
from hermes_core.plugins.api_version import POLICY_HOOKS
from hermes_core.plugins.trust import FILE as TRUST_FILE

HOOK = "hermes_health_checks"
_START_SECONDS = 60.0  # for a process to import its plugin, which has its own deadline
_GRACE_SECONDS = 15.0  # for a process to report after the deadline of a check
_CLOSE_SECONDS = 5.0
_MAX_PROBLEMS = 100  # per check, which may never stop reporting
_REPORT = "Report it to the author of the plugin."


@dataclass(slots=True)
class Report:
    """The report of a process: the state of its plugin and tools, and the health checks that ran."""

    loading: list[Symptom] = field(default_factory=list)
    unavailable: dict[str, tuple[str, str]] = field(default_factory=dict)
    symptoms: list[Symptom] = field(default_factory=list)
    checks: list[dict[str, Any]] = field(default_factory=list)
    abandoned: Counter[str] = field(default_factory=Counter)

    def add(self, facts: Mapping[str, Any]) -> None:
        """Add the contents of one line."""
        self.loading += [Symptom(*each) for each in facts.get("loading", ())]
        self.unavailable |= facts.get("unavailable", {})
        self.symptoms += [Symptom(*each) for each in facts.get("symptoms", ())]
        self.checks += facts.get("checks", ())
        self.abandoned.update(facts.get("abandoned", {}))


def load_leniently() -> Hermes:
    """Load a host even if the settings or the lock are invalid, because that is when people run the doctor."""
    for locked in (True, False):
        with contextlib.suppress(ConfigError, OSError):
            return Hermes.load(only_looking=True, checked=False, locked=locked)
    return Hermes.load(config=Config(data={}), only_looking=True, locked=False)


def run_checks(
    plugins: Sequence[str], scratch: Path, *, online: bool, debug: bool, progress: Callable[[str], None]
) -> dict[str, Report]:
    """Import plugins and run their health checks, several plugins in parallel, in a directory for scratch files."""
    limit = max(2, os.cpu_count() or 1)
    workers: list[_Worker] = []
    running: list[_Worker] = []
    try:
        while len(workers) < len(plugins) or running:
            while len(workers) < len(plugins) and len(running) < limit:
                folder = scratch / str(len(workers))
                folder.mkdir()
                worker = _Worker(plugins[len(workers)], folder, online=online, debug=debug, progress=progress)
                workers.append(worker)
                running.append(worker)
            wait = min(worker.deadline for worker in running) - time.monotonic()
            ready, _, _ = select.select(running, [], [], max(0.0, wait))
            for worker in running.copy():
                is_over = not worker.read() if worker in ready else time.monotonic() > worker.deadline
                if is_over:
                    worker.end()
                    running.remove(worker)
    finally:  # also after Ctrl-C
        for worker in running:
            worker.kill()
    return {worker.plugin: worker.report for worker in workers}


class _Worker:
    def __init__(
        self, plugin: str, scratch: Path, *, online: bool, debug: bool, progress: Callable[[str], None]
    ) -> None:
        self.plugin = plugin
        self.report = Report()
        self._progress = progress
        self._has_finished = False
        job = {"plugin": plugin, "scratch": str(scratch), "online": online, "path": [str(entry) for entry in sys.path]}
        self._process = subprocess.Popen(
            # -P: a module in the current directory must not replace an installed one.
            [sys.executable, "-P", "-m", "hermes_core.cli.health_checks"],
            bufsize=0,  # a buffer would hide lines from `select`
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=None if debug else subprocess.DEVNULL,
            start_new_session=True,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._stdin, self._stdout = self._process.stdin, self._process.stdout
        with contextlib.suppress(BrokenPipeError):  # it has died, which its exit code explains
            self._stdin.write(json.dumps(job).encode() + b"\n")
        self._begin("import it", (), _START_SECONDS)

    def _begin(self, name: str, tools: Sequence[str], seconds: float) -> None:
        self._doing, self._tools = name, tools
        self.deadline = time.monotonic() + seconds
        self._progress(f"{self.plugin}: {name}")

    def fileno(self) -> int:
        return self._stdout.fileno()

    def read(self) -> bool:
        """Read one line; return False if the process has ended."""
        line = self._stdout.readline()
        if not line.endswith(b"\n"):
            return False
        facts = json.loads(line)
        self.report.add(facts)
        self._has_finished = facts.get("finished", False)
        self._begin(*facts.get("begin", ("run its health checks", (), _GRACE_SECONDS)))
        return True

    def end(self) -> None:
        if not self._has_finished:
            problem = HealthProblem(message=self._fate(), remedy=_REPORT)
            self.report.add(_result(self.plugin, self._doing, [problem], tools=self._tools))
        self.kill()

    def kill(self) -> None:
        if self._process.returncode is None:  # its process id is not reused before `wait`
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        self._stdin.close()
        self._stdout.close()

    def _fate(self) -> str:
        try:
            status = self._process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            return "the process that runs the check stopped responding, and was killed."
        if status < 0:
            return f"the check killed its process ({signal.Signals(-status).name})."
        return f"the check ended its process with status {status}."


def _result(
    plugin: str, name: str, problems: Sequence[HealthProblem], *, tools: Sequence[str] = (), seconds: float = 0.0
) -> dict[str, Any]:
    subject = f"{plugin}: {name}"
    skipped = " ".join(str(each.message) for each in problems if each.level == "skipped")
    symptoms = [
        Symptom(each.level, subject, str(each.message), str(each.remedy))
        for each in problems
        if each.level != "skipped"
    ]
    ok = not skipped and not any(each.level in PROBLEMS for each in symptoms)
    if skipped:
        symptoms.append(Symptom("note", subject, f"not checked: {skipped}"))
    elif not symptoms:
        symptoms.append(Symptom("ok", subject, f"{seconds:.1f} s"))
    facts = {"plugin": plugin, "name": name, "tools": [*tools], "ok": ok, "skipped": skipped or None}
    return {"checks": [{**facts, "seconds": round(seconds, 3)}], "symptoms": symptoms}


# -- in the process of a plugin --------------------------------------------------------------------------------------


def main() -> None:
    """Run the checks of the job on stdin."""
    job = json.loads(sys.stdin.readline())
    reports = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # stdout carries reports only, whatever plugins print
    threading.Thread(target=_end_with_parent, daemon=True).start()
    sys.path[:] = job["path"]
    try:
        for facts in _examine(job["plugin"], Path(job["scratch"]), online=job["online"]):
            reports.write(json.dumps(facts) + "\n")
            reports.flush()
    finally:
        os._exit(0)  # without waiting for threads: one that hangs has been reported


def _end_with_parent() -> None:
    sys.stdin.read()  # the doctor keeps the pipe open without writing
    os._exit(1)


def _examine(plugin: str, scratch: Path, *, online: bool) -> Iterator[dict[str, Any]]:
    listing = "list its health checks"
    host = load_leniently()
    host.activate(plugin)
    record = host.report.get(plugin)
    verdicts = {name: host.why(name) for name in (record.tools if record else ())}
    unavailable = {name: [why.reason, why.remedy] for name, why in verdicts.items() if not why.available}
    loading = list(check_plugin(record)) if record else []
    yield {"loading": loading, "unavailable": unavailable, "begin": [listing, (), _START_SECONDS]}
    distribution = (record.distribution if record else None) or plugin
    try:
        checks = [
            check
            for implementation in hook_table(host).implementations(HOOK)
            if implementation.plugin == plugin
            for check in checked_health_checks(plugin, implementation.function())
        ]
    except BaseException as error:  # foreign code
        yield _result(plugin, listing, [_problem_of(error, distribution)])
        checks = []
    for number, check in enumerate(checks):
        if check.online and not online:
            offline = HealthProblem(message="it needs the network; run 'hermes doctor --online'", level="skipped")
            yield _result(plugin, check.name, [offline], tools=check.tools)
            continue
        yield {"begin": [check.name, check.tools, check.timeout + _GRACE_SECONDS]}
        started = time.monotonic()
        folder = scratch / str(number)
        folder.mkdir()
        context = _Context(host, plugin, folder, online=online)
        problems = _run(check, context, distribution)
        abandoned = context.abandoned()
        run_within(context.close, _CLOSE_SECONDS)
        seconds = time.monotonic() - started
        yield {**_result(plugin, check.name, problems, tools=check.tools, seconds=seconds), "abandoned": abandoned}
    yield {"finished": True}


def _run(check: HealthCheck, context: _Context, distribution: str) -> list[HealthProblem]:
    """Run a check in a thread that can be abandoned, and return its problems."""
    found: list[HealthProblem] = []

    def run() -> None:
        try:
            found.extend(map(_as_problem, _answers(check.run(context))))
        except BaseException as error:  # foreign code: a check may even call sys.exit()
            found.append(_problem_of(error, distribution))

    if run_within(run, check.timeout) is None:
        return [HealthProblem(message=f"it did not finish within {check.timeout:g} s.", remedy=_REPORT)]
    return found


def _answers(answer: Any) -> list[object]:
    """Return all results of a check, which may be a value, an iterable or async."""
    if inspect.isawaitable(answer) or isinstance(answer, AsyncIterable):
        answer = anyio.run(_awaited, answer)
    if answer is None:
        return []
    return [answer] if isinstance(answer, HealthProblem | str) else list(itertools.islice(answer, _MAX_PROBLEMS))


async def _awaited(answer: Any) -> Any:
    if inspect.isawaitable(answer):
        answer = await answer
    if not isinstance(answer, AsyncIterable):
        return answer
    found: list[object] = []
    async for each in answer:
        found.append(each)
        if len(found) == _MAX_PROBLEMS:
            break
    return found


def _as_problem(found: object) -> HealthProblem:
    problem = HealthProblem(message=found) if isinstance(found, str) else found
    if not isinstance(problem, HealthProblem):
        raise TypeError(f"a health check returned a {type(problem).__name__}, not a HealthProblem")
    return problem


def _problem_of(error: BaseException, distribution: str) -> HealthProblem:
    if isinstance(error, PluginError):
        return HealthProblem(message=error.reason, remedy=error.remedy or "")
    message = describe_error(error)
    if isinstance(error, ImportError):
        remedy = f"Reinstall {distribution} with its dependencies."
        return HealthProblem(message=f"a module cannot be imported: {message}", remedy=remedy)
    return HealthProblem(message=message, remedy="Run 'hermes --debug doctor' to see more.")


class _Context:
    """Implements `HealthContext`, with a host for each set of settings, all in the same home."""

    def __init__(self, host: Hermes, plugin: str, scratch: Path, *, online: bool) -> None:
        self.home = host.home
        self.scratch = scratch
        self.online = online
        self.providers = host.providers
        self._host = host
        self._plugin = plugin
        self._hosts: dict[str, Hermes] = {}

    def call(
        self, name: str, args: Mapping[str, Any] | None = None, settings: Mapping[str, Mapping[str, Any]] | None = None
    ) -> Any:
        key = json.dumps(settings, sort_keys=True)
        if key not in self._hosts:
            self._hosts[key] = self._load(settings or {})
        return json.loads(self._hosts[key].call(name, args or {}))

    def settings(self, section: str, model: Any = None) -> Any:
        if not parts_of(self._host).config.is_readable(section, self._plugin):
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
        home = self.scratch / "home"
        home.mkdir(mode=0o700, exist_ok=True)
        for name in ("plugins", TRUST_FILE):
            if os.path.exists(self.home / name) and not os.path.lexists(home / name):
                (home / name).symlink_to(self.home / name)
        config = self._host.config
        policies = [
            record.name
            for record in self._host.report
            if record.name != self._plugin and (record.denies or not set(POLICY_HOOKS).isdisjoint(record.hooks))
        ]
        plugins = config.get_configured("plugins") or {}
        disabled = [*(plugins.get("disabled") or ()), *policies]
        data = {**config.data(), **settings, "plugins": {**plugins, "disabled": disabled, "required": []}}
        data.pop("policy", None)
        # Variables would override the settings of the check.
        replaced = [spec.schema for spec in plugin_sections(self._host) if spec.name in settings]
        variables = set(re.findall(r'"x-env": "(\w+)"', json.dumps(replaced)))
        prefixes = tuple(f"HERMES_{name.upper()}__" for name in (*settings, "plugins"))
        environ = {
            name: value
            for name, value in config.environ.items()
            if name not in variables and not name.upper().startswith(prefixes)
        }
        return Hermes.load(home=home, locked=False, config=data, environ=environ, is_probe=True)


if __name__ == "__main__":
    main()
