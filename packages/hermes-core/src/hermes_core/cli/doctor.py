"""`hermes doctor`: exercise the installation, and list every problem with what to do about it."""

from __future__ import annotations

import contextlib
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from hermes_core.calls.hooks import CALL_HOOKS
from hermes_core.cli import checkup, checkup_home
from hermes_core.cli.checkup import Symptom
from hermes_core.cli.checkup_dependencies import dependencies
from hermes_core.cli.exit_codes import ExitCode
from hermes_core.cli.health.runner import CheckResult, PluginHealth, run_checks
from hermes_core.cli.health.worker import HOOK, load_leniently
from hermes_core.cli.output import clean, counted, print_json, say
from hermes_core.cli.probe import probe_host
from hermes_core.cli.run import is_debugging, warning_lines
from hermes_core.config.config import Config
from hermes_core.config.home import hermes_home
from hermes_core.config.tool_session import settings_environ, tool_session
from hermes_core.errors import ConfigError, HermesError
from hermes_core.host import Hermes
from hermes_core.inspection import abandoned_calls, hook_table, plugin_sections
from hermes_core.tools.tool import Tool

_STYLES = {"ok": "green", "note": "dim", "warning": "yellow", "error": "bold red"}
_SIGNS = {"ok": "ok", "note": "note", "warning": "warn", "error": "FAIL"}
_WRONG = ("error", "warning")
_USABLE = ("loaded", "partial")


@click.command()
@click.option("--online", is_flag=True, help="Also run checks that use the network or cost money.")
@click.option("--no-import", "no_import", is_flag=True, help="Trust the manifests, and exercise nothing.")
@click.option("-v", "--verbose", is_flag=True, help="List everything that was checked, not only problems.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(online: bool, no_import: bool, verbose: bool, as_json: bool) -> ExitCode:
    """Check the installation and suggest fixes.

    It looks at the disk, the home directory and its files, the settings and the lock; imports every enabled plugin;
    and runs the health checks of the plugins, which exercise what their tools need. Everything works offline and in a
    temporary directory, and leaves nothing behind.

    Exit status: 0 when there are no problems, 1 when there is an error or a warning. A note is not a problem.
    """
    doctor = _Doctor(online=online, quick=no_import)
    symptoms = list(doctor.examine())
    wrong = [symptom for symptom in symptoms if symptom.level in _WRONG]
    if as_json:
        print_json({"ok": not wrong, "symptoms": [each.as_dict() for each in symptoms], **doctor.facts()})
    else:
        _print(symptoms, doctor, verbose=verbose)
    return ExitCode.FOUND if wrong else ExitCode.OK


class _Doctor:
    """One examination.

    Args:
        online: Whether health checks may use the network.
        quick: Whether nothing is imported or exercised.
    """

    def __init__(self, *, online: bool, quick: bool) -> None:
        self._online = online
        self._quick = quick
        self._started = time.monotonic()
        self._progress = _Progress()
        self.results: list[CheckResult] = []
        self.tools: tuple[str, ...] = ()
        self.abandoned: Counter[str] = Counter()

    def examine(self) -> Iterator[Symptom]:
        """Look at everything, and yield what is found."""
        yield from checkup.installation()
        home = hermes_home()
        with self._progress:
            yield from _survived("home", checkup_home.home_directory(home))
            yield from _survived("temp", checkup_home.temp_directory())
            yield from _survived("modes", checkup_home.modes(home))
            yield from _survived("state", checkup_home.state_files(home))
            yield from _survived("leftovers", checkup_home.leftovers(home))
            yield from _survived("plugins directory", checkup_home.plugin_directory(home / "plugins"))
            with (
                warning_lines(show=False),  # the symptoms say the same
                contextlib.redirect_stdout(sys.stderr),
                contextlib.closing(load_leniently()) as host,
            ):
                yield from self._host(host)

    def _host(self, host: Hermes) -> Iterator[Symptom]:
        yield from _settings(host)
        yield from _lock()
        health: dict[str, PluginHealth] = {}
        if tool_session() is not None:
            yield Symptom("note", "health checks", "not run: they need a home of their own, and a tool started hermes")
        elif not self._quick:
            # Workers import the plugins that have health checks; the others are imported here.
            able = [record.name for record in host.report if HOOK in record.hooks and record.status in _USABLE]
            self._progress("importing plugins")
            if plain := [record.name for record in host.report if record.name not in able]:
                host.activate(*plain)
            able += [record.name for record in host.report if HOOK in record.hooks and record.name in plain]
            yield from self._exercise(able, health)
            self._progress("calling hooks")
            yield from _hooks(host)
        records = [
            health[record.name].record or record if record.name in health and record.status in _USABLE else record
            for record in host.report
        ]
        yield from checkup.plugins(records)
        yield from dependencies(sorted({record.distribution for record in records if record.distribution}))
        names = host.registry.names()
        host.tools()  # asks all checks side by side
        unavailable = {name: (why.reason, why.remedy) for name in names if not (why := host.why(name)).available}
        for each in health.values():
            unavailable |= each.unavailable
        yield from checkup.tools(names, unavailable)
        self.abandoned = Counter(abandoned_calls(host))
        for result in self.results:
            self.abandoned.update(result.abandoned)
        yield from checkup.calls(self.abandoned)
        self.tools = tuple(name for name in names if name not in unavailable)

    def _exercise(self, plugins: Sequence[str], health: dict[str, PluginHealth]) -> Iterator[Symptom]:
        """Run the health checks of plugins, and put into `health` what their workers report."""
        try:
            with tempfile.TemporaryDirectory(prefix="hermes-doctor-", ignore_cleanup_errors=True) as scratch:
                health |= run_checks(
                    plugins,
                    Path(scratch).resolve(),
                    online=self._online,
                    debug=is_debugging(),
                    progress=self._progress,
                )
        except OSError as error:
            message = f"nothing could be exercised: {error.strerror or error}"
            yield Symptom("error", "health checks", message, "Make a temporary directory writable, or set TMPDIR.")
        self.results = [result for each in health.values() for result in each.results]
        for result in self.results:
            subject = f"{result.plugin}: {result.name}"
            for problem in result.problems:
                yield Symptom(problem["level"], subject, problem["message"], problem["remedy"])  # type: ignore[arg-type]  # the worker checked it
            if result.skipped:
                yield Symptom("note", subject, f"not checked: {result.skipped}")
            elif not result.problems:
                yield Symptom("ok", subject, f"{result.seconds:.1f} s")

    @property
    def seconds(self) -> float:
        """How long it has taken."""
        return time.monotonic() - self._started

    @property
    def unexercised(self) -> list[str]:
        """The available tools that no health check has exercised."""
        exercised = {tool for result in self.results if not result.skipped for tool in result.tools}
        return [tool for tool in self.tools if tool not in exercised]

    def facts(self) -> dict[str, Any]:
        """Return what was checked, for `--json`."""
        return {
            "checks": [
                {
                    "plugin": result.plugin,
                    "name": result.name,
                    "tools": result.tools,
                    "ok": not result.skipped and not any(each["level"] in _WRONG for each in result.problems),
                    "skipped": result.skipped or None,
                    "seconds": result.seconds,
                }
                for result in self.results
            ],
            "not_exercised": self.unexercised,
            "abandoned": dict(self.abandoned),
            "seconds": round(self.seconds, 3),
        }


class _Progress:
    """Shows on a terminal what is being done, on one line that is removed at the end."""

    def __init__(self) -> None:
        self._shown = sys.stderr is not None and sys.stderr.isatty()

    def __call__(self, text: str) -> None:
        if self._shown:
            click.echo(f"\r\x1b[K{clean(text)[:70]} ...", nl=False, err=True)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        if self._shown:
            click.echo("\r\x1b[K", nl=False, err=True)


def _survived(subject: str, looking: Iterator[Symptom]) -> Iterator[Symptom]:
    """Yield what is found, and report a disk that does not even let us look."""
    try:
        yield from looking
    except OSError as error:
        message = f"{error.filename or 'the disk'} cannot be read ({error.strerror or error})"
        yield Symptom("error", subject, message, "Fix its owner and mode, and check the disk.")


def _settings(host: Hermes) -> Iterator[Symptom]:
    config = Config(sections=plugin_sections(host))
    try:
        yield from checkup.settings(config.problems(), config.file)
    except OSError as error:
        yield Symptom("error", "config", f"{error.filename}: {error.strerror}", "Fix its owner and mode.")


def _hooks(host: Hermes) -> Iterator[Symptom]:
    """Send a call that does nothing through the hooks of all plugins, and report those that fail."""
    if not any(hook in record.hooks for record in host.report for hook in CALL_HOOKS):
        return
    try:
        with probe_host(show=False) as probed:
            schema = {"name": "hermes_probe", "parameters": {"type": "object", "properties": {}}}
            probed.registry.register(
                Tool.from_schema(schema, lambda _args: "{}", toolset="hermes_probe"), override=True
            )
            probed.call("hermes_probe")
            failures = dict(hook_table(probed).failures)
    except HermesError:  # the settings, or a plugin that is required: reported elsewhere
        return
    for (plugin, hook), what in failures.items():
        remedy = "Fix it, or disable it with plugins.disabled in config.yaml."
        yield Symptom("error", f"plugin {plugin}", f"its hook {hook} failed: {what}", remedy)


def _lock() -> Iterator[Symptom]:
    from hermes_core.plugins.lock.lockfile import find_lock, read_lock

    file, problem = None, None
    try:
        file = find_lock(hermes_home(), settings_environ())
        if file is not None:
            read_lock(file)
    except ConfigError as error:
        problem = str(error)
    yield from checkup.lock(file, problem)


# -- for people ------------------------------------------------------------------------------------------------------


def _print(symptoms: Sequence[Symptom], doctor: _Doctor, *, verbose: bool) -> None:
    first, *others = symptoms
    say(f"{first.subject} {first.message}")
    groups: list[tuple[str, Callable[[Symptom], bool]]] = [
        ("Problems", lambda symptom: symptom.level in _WRONG),
        ("Notes", lambda symptom: symptom.level == "note"),
        ("Checked", lambda symptom: verbose and symptom.level == "ok"),
    ]
    for title, belongs in groups:
        listed = sorted(filter(belongs, others), key=lambda symptom: symptom.level != "error")
        if listed:
            say()
            say(f"{title}:", "bold")
        for symptom in listed:
            line = f"{_SIGNS[symptom.level]:<5} {clean(symptom.subject)}: {clean(symptom.message)}"
            say(line, _STYLES[symptom.level])
            if symptom.remedy and symptom.level != "ok":
                say(f"      {clean(symptom.remedy)}")
    say()
    say(_summary(symptoms, doctor))
    wrong = sum(symptom.level in _WRONG for symptom in symptoms)
    if wrong:
        say(f"{counted(wrong, 'problem')}.", "yellow")
    elif doctor.unexercised:
        say(f"No problems found, but not exercised: {clean(', '.join(doctor.unexercised))}.", "yellow")
    else:
        say("No problems found.", "green")


def _summary(symptoms: Sequence[Symptom], doctor: _Doctor) -> str:
    """Say what was checked, and how long it took."""
    plugins = len({symptom.subject for symptom in symptoms if symptom.subject.startswith("plugin ")})
    ran = sum(not result.skipped for result in doctor.results)
    parts = ("the home directory", "the disk", "the settings", counted(plugins, "plugin"))
    return f"Checked {', '.join(parts)} and ran {counted(ran, 'health check')} in {doctor.seconds:.1f} s."
