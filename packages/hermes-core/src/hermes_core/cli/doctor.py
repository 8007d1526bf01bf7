"""`hermes doctor`: exercise the installation, and list every problem with what to do about it."""

from __future__ import annotations

import contextlib
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from hermes_core import __version__
from hermes_core.calls.hooks import CALL_HOOKS
from hermes_core.cli import checkup
from hermes_core.cli.checkup import Symptom
from hermes_core.cli.checkup_home import check_home
from hermes_core.cli.exit_codes import ExitCode
from hermes_core.cli.health_runner import CheckResult, PluginHealth, run_checks
from hermes_core.cli.health_worker import HOOK, load_leniently
from hermes_core.cli.output import counted, json_option, print_json, say
from hermes_core.cli.probe import probe_host
from hermes_core.cli.run import is_debugging, warning_lines
from hermes_core.config.config import Config
from hermes_core.config.home import hermes_home
from hermes_core.config.tool_session import tool_session
from hermes_core.errors import HermesError
from hermes_core.host import Hermes
from hermes_core.inspection import abandoned_calls, hook_table, plugin_sections
from hermes_core.plugins.api import API_VERSION
from hermes_core.tools.tool import Tool
from hermes_text.terminal import clean

_STYLES = {"ok": "green", "note": "dim", "warning": "yellow", "error": "bold red"}
_SIGNS = {"ok": "ok", "note": "note", "warning": "warn", "error": "FAIL"}
_PROBLEMS = ("error", "warning")
_USABLE = ("loaded", "partial")


@click.command()
@click.option("--online", is_flag=True, help="Also run checks that use the network or cost money.")
@click.option("--no-import", "no_import", is_flag=True, help="Trust the manifests, and exercise nothing.")
@click.option("-v", "--verbose", is_flag=True, help="List everything that was checked, not only problems.")
@json_option
def command(online: bool, no_import: bool, verbose: bool, as_json: bool) -> ExitCode:
    """Check the installation and suggest fixes.

    It looks at the disk, the home directory and its files, the settings and the lock; imports every enabled plugin;
    and runs the health checks of the plugins, which exercise what their tools need. Everything works offline and in a
    temporary directory, and leaves nothing behind.

    Exit status: 0 when there are no problems, 1 when there is an error or a warning. A note is not a problem.
    """
    doctor = _Doctor(online=online, quick=no_import)
    try:
        symptoms = list(doctor.examine())
    finally:
        _show_progress("")
    problems = sum(symptom.level in _PROBLEMS for symptom in symptoms)
    if as_json:
        print_json({"ok": not problems, "symptoms": [each.as_dict() for each in symptoms], **doctor.facts()})
        return ExitCode.FOUND if problems else ExitCode.OK
    _print_symptoms(symptoms, verbose=verbose)
    say()
    say(_summary(symptoms, doctor))
    if problems:
        say(f"{counted(problems, 'problem')}.", "yellow")
    elif doctor.unexercised:
        say(f"No problems found, but not exercised: {clean(', '.join(doctor.unexercised))}.", "yellow")
    else:
        say("No problems found.", "green")
    return ExitCode.FOUND if problems else ExitCode.OK


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
        self.results: list[CheckResult] = []
        self.tools: tuple[str, ...] = ()
        self.abandoned: Counter[str] = Counter()

    def examine(self) -> Iterator[Symptom]:
        """Look at everything, and yield what is found."""
        python = ".".join(map(str, sys.version_info[:3]))
        versions = f"{__version__}, plugin API {API_VERSION}, Python {python} ({sys.executable})"
        yield Symptom("ok", "hermes-core", versions)
        yield from check_home(hermes_home())
        with (
            warning_lines(show=False),  # the symptoms say the same
            contextlib.redirect_stdout(sys.stderr),
            contextlib.closing(load_leniently()) as host,
        ):
            yield from checkup.check_settings(Config(sections=plugin_sections(host)))
            yield from checkup.check_lock()
            health: dict[str, PluginHealth] = {}
            if tool_session() is not None:
                message = "not run: they need their own home, and a tool started hermes"
                yield Symptom("note", "health checks", message)
            elif not self._quick:
                yield from self._exercise(host, health)
            yield from self._report(host, health)

    def _exercise(self, host: Hermes, health: dict[str, PluginHealth]) -> Iterator[Symptom]:
        """Import all plugins, run their health checks, and put into `health` what the workers report."""
        # Workers import the plugins that have health checks; the others are imported here.
        checked = [record.name for record in host.report if HOOK in record.hooks and record.status in _USABLE]
        _show_progress("importing plugins")
        if others := [record.name for record in host.report if record.name not in checked]:
            host.activate(*others)
        checked += [record.name for record in host.report if HOOK in record.hooks and record.name in others]
        try:
            with tempfile.TemporaryDirectory(prefix="hermes-doctor-", ignore_cleanup_errors=True) as scratch:
                folder = Path(scratch).resolve()
                debug = is_debugging()
                health |= run_checks(checked, folder, online=self._online, debug=debug, progress=_show_progress)
        except OSError as error:
            message = f"nothing could be exercised: {error.strerror or error}"
            yield Symptom("error", "health checks", message, "Make a temporary directory writable, or set TMPDIR.")
        self.results = [result for each in health.values() for result in each.results]
        for result in self.results:
            subject = f"{result.plugin}: {result.name}"
            for problem in result.problems:
                yield Symptom(subject=subject, **problem)  # type: ignore[arg-type]  # the worker checked its level
            if result.skipped:
                yield Symptom("note", subject, f"not checked: {result.skipped}")
            elif not result.problems:
                yield Symptom("ok", subject, f"{result.seconds:.1f} s")
        _show_progress("calling hooks")
        yield from _probe_hooks(host)

    def _report(self, host: Hermes, health: dict[str, PluginHealth]) -> Iterator[Symptom]:
        """Yield what became of the plugins and their tools."""
        imported = {name: each.record for name, each in health.items() if each.record is not None}
        records = [imported.get(record.name, record) if record.status in _USABLE else record for record in host.report]
        yield from checkup.check_plugins(records)
        yield from checkup.check_dependencies(sorted({each.distribution for each in records if each.distribution}))
        names = host.registry.names()
        host.tools()  # asks all availability checks side by side
        unavailable = {name: (why.reason, why.remedy) for name in names if not (why := host.why(name)).available}
        for each in health.values():
            unavailable |= each.unavailable
        yield from checkup.check_tools(names, unavailable)
        self.abandoned = Counter(abandoned_calls(host))
        for result in self.results:
            self.abandoned.update(result.abandoned)
        yield from checkup.check_abandoned_calls(self.abandoned)
        self.tools = tuple(name for name in names if name not in unavailable)

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
                    "ok": not result.skipped and not any(each["level"] in _PROBLEMS for each in result.problems),
                    "skipped": result.skipped or None,
                    "seconds": result.seconds,
                }
                for result in self.results
            ],
            "not_exercised": self.unexercised,
            "abandoned": dict(self.abandoned),
            "seconds": round(self.seconds, 3),
        }


def _probe_hooks(host: Hermes) -> Iterator[Symptom]:
    """Send a call that does nothing through the hooks of all plugins, and report those that fail."""
    if not any(hook in record.hooks for record in host.report for hook in CALL_HOOKS):
        return
    try:
        with probe_host(show=False) as probed:
            schema = {"name": "hermes_probe", "parameters": {"type": "object", "properties": {}}}
            probe = Tool.from_schema(schema, lambda _args: "{}", toolset="hermes_probe")
            probed.registry.register(probe, override=True)
            probed.call("hermes_probe")
            failures = dict(hook_table(probed).failures)
    except HermesError:  # the settings, or a plugin that is required: reported elsewhere
        return
    for (plugin, hook), what in failures.items():
        remedy = "Fix it, or disable it with plugins.disabled in config.yaml."
        yield Symptom("error", f"plugin {plugin}", f"its hook {hook} failed: {what}", remedy)


def _show_progress(text: str) -> None:
    """Show on a terminal what is being done, on one line; an empty text removes the line."""
    if sys.stderr is not None and sys.stderr.isatty():
        click.echo(f"\r\x1b[K{clean(text)[:70]}{' ...' if text else ''}", nl=False, err=True)


def _print_symptoms(symptoms: Sequence[Symptom], *, verbose: bool) -> None:
    first, *others = symptoms
    say(f"{first.subject} {first.message}")
    groups = {"Problems": _PROBLEMS, "Notes": ("note",), "Checked": ("ok",) if verbose else ()}
    for title, levels in groups.items():
        listed = [symptom for level in levels for symptom in others if symptom.level == level]
        if listed:
            say()
            say(f"{title}:", "bold")
        for symptom in listed:
            line = f"{_SIGNS[symptom.level]:<5} {clean(symptom.subject)}: {clean(symptom.message)}"
            say(line, _STYLES[symptom.level])
            if symptom.remedy and symptom.level != "ok":
                say(f"      {clean(symptom.remedy)}")


def _summary(symptoms: Sequence[Symptom], doctor: _Doctor) -> str:
    plugins = len({symptom.subject for symptom in symptoms if symptom.subject.startswith("plugin ")})
    ran = sum(not result.skipped for result in doctor.results)
    parts = ("the home directory", "the disk", "the settings", counted(plugins, "plugin"))
    return f"Checked {', '.join(parts)} and ran {counted(ran, 'health check')} in {doctor.seconds:.1f} s."
