"""`hermes doctor`: check the installation, and list all problems with their fixes."""

from __future__ import annotations

import contextlib
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from hermes_core import __version__
from hermes_core.calls.hooks import CALL_HOOKS
from hermes_core.cli import installation_checks as checks
from hermes_core.cli.exit_codes import ExitCode
from hermes_core.cli.health_checks import HOOK, Report, load_leniently, run_checks
from hermes_core.cli.installation_checks import PROBLEMS, Symptom
from hermes_core.cli.output import counted, json_option, print_json, say
from hermes_core.cli.probe import probe_host
from hermes_core.cli.run import is_debugging, plugin_output
from hermes_core.config.config import Config
from hermes_core.config.home import hermes_home
from hermes_core.config.tool_session import tool_session
from hermes_core.errors import HermesError
from hermes_core.host import Hermes
from hermes_core.inspection import abandoned_calls, hook_table, plugin_sections
from hermes_core.plugins.api_version import API_VERSION
from hermes_core.tools.tool import Tool
from hermes_text.terminal import clean

_STYLES = {"ok": "green", "note": "dim", "warning": "yellow", "error": "bold red"}
_SIGNS = {"ok": "ok", "note": "note", "warning": "warn", "error": "FAIL"}
_USABLE = ("loaded", "partial")


@click.command()
@click.option("--online", is_flag=True, help="Also run checks that use the network or cost money.")
@click.option("--no-import", "no_import", is_flag=True, help="Trust the manifests; import and run nothing.")
@click.option("-v", "--verbose", is_flag=True, help="List all checks, not only problems.")
@json_option
def command(online: bool, no_import: bool, verbose: bool, as_json: bool) -> ExitCode:
    """Check the installation and suggest fixes.

    This checks the disk, the home directory and its files, the settings and the lock; imports every enabled plugin; and
    runs the plugins' health checks, which exercise what their tools need. All checks work offline and in a temporary
    directory, which is removed.

    Exit code: 0 if there are no problems, 1 if there is an error or a warning. A note is not a problem.
    """
    started = time.monotonic()
    try:
        symptoms, facts = _examine(online=online, quick=no_import)
    finally:
        _show_progress("")
    problems = sum(symptom.level in PROBLEMS for symptom in symptoms)
    seconds = time.monotonic() - started
    if as_json:
        shown = [each.as_dict() for each in symptoms]
        print_json({"ok": not problems, "symptoms": shown, **facts, "seconds": round(seconds, 3)})
        return ExitCode.FOUND if problems else ExitCode.OK
    _print_symptoms(symptoms, verbose=verbose)
    plugins = len({symptom.subject for symptom in symptoms if symptom.subject.startswith("plugin ")})
    ran = sum(not check["skipped"] for check in facts["checks"])
    parts = ("the home directory", "the disk", "the settings", counted(plugins, "plugin"))
    say()
    say(f"Checked {', '.join(parts)} and ran {counted(ran, 'health check')} in {seconds:.1f} s.")
    if problems:
        say(f"{counted(problems, 'problem')}.", "yellow")
    elif facts["not_exercised"]:
        say(f"No problems found, but not exercised: {clean(', '.join(facts['not_exercised']))}.", "yellow")
    else:
        say("No problems found.", "green")
    return ExitCode.FOUND if problems else ExitCode.OK


def _examine(*, online: bool, quick: bool) -> tuple[list[Symptom], dict[str, Any]]:
    """Run all checks, without imports if `quick`; return the symptoms and facts about the run."""
    python = ".".join(map(str, sys.version_info[:3]))
    versions = f"{__version__}, plugin API {API_VERSION}, Python {python} ({sys.executable})"
    symptoms = [Symptom("ok", "hermes-core", versions), *checks.check_home(hermes_home())]
    reports: dict[str, Report] = {}
    with plugin_output(show=False), contextlib.closing(load_leniently()) as host:  # the symptoms say the same
        symptoms += checks.check_settings(Config(sections=plugin_sections(host)))
        symptoms += checks.check_lock()
        if tool_session() is not None:
            message = "not run: they need their own home, and a tool started hermes"
            symptoms.append(Symptom("note", "health checks", message))
        elif not quick:
            symptoms += _exercise(host, reports, online=online)
        symptoms += _check_plugins(host, reports)
        names = host.registry.names()
        host.tools()  # runs all availability checks in parallel
        unavailable = {name: (why.reason, why.remedy) for name in names if not (why := host.why(name)).available}
        abandoned = Counter(abandoned_calls(host))
    for report in reports.values():
        unavailable |= report.unavailable
        abandoned.update(report.abandoned)
    symptoms += checks.check_tools(names, unavailable)
    symptoms += checks.check_abandoned_calls(abandoned)
    ran = [check for report in reports.values() for check in report.checks]
    exercised = {tool for check in ran if not check["skipped"] for tool in check["tools"]}
    not_exercised = [name for name in names if name not in unavailable and name not in exercised]
    return symptoms, {"checks": ran, "not_exercised": not_exercised, "abandoned": dict(abandoned)}


def _exercise(host: Hermes, reports: dict[str, Report], *, online: bool) -> Iterator[Symptom]:
    """Import all plugins and run their health checks; add the results to `reports`."""
    # Processes import the plugins that have health checks; the others are imported here.
    checked = [record.name for record in host.report if HOOK in record.hooks and record.status in _USABLE]
    _show_progress("importing plugins")
    if others := [record.name for record in host.report if record.name not in checked]:
        host.activate(*others)
    checked += [record.name for record in host.report if HOOK in record.hooks and record.name in others]
    try:
        with tempfile.TemporaryDirectory(prefix="hermes-doctor-", ignore_cleanup_errors=True) as scratch:
            folder = Path(scratch).resolve()
            reports |= run_checks(checked, folder, online=online, debug=is_debugging(), progress=_show_progress)
    except OSError as error:
        message = f"nothing could be exercised: {error.strerror or error}"
        yield Symptom("error", "health checks", message, "Make a temporary directory writable, or set TMPDIR.")
    for report in reports.values():
        yield from report.symptoms
    _show_progress("calling hooks")
    yield from _probe_hooks(host)


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
    except HermesError:  # invalid settings or a missing plugin, which are reported elsewhere
        return
    for (plugin, hook), what in failures.items():
        remedy = "Fix it, or disable it with plugins.disabled in config.yaml."
        yield Symptom("error", f"plugin {plugin}", f"its hook {hook} failed: {what}", remedy)


def _check_plugins(host: Hermes, reports: dict[str, Report]) -> Iterator[Symptom]:
    """Report the load status of each plugin, from the process that imported it if there is one."""
    for record in host.report:
        report = reports.get(record.name) if record.status in _USABLE else None
        yield from report.loading if report and report.loading else checks.check_plugin(record)
    if not len(host.report):
        yield Symptom("note", "plugins", "none is installed", "'hermes tools' explains how to install some.")
    yield from checks.check_dependencies(sorted({each.distribution for each in host.report if each.distribution}))


def _show_progress(text: str) -> None:
    """Show the current activity in one line on a terminal; an empty text removes the line."""
    if sys.stderr is not None and sys.stderr.isatty():
        click.echo(f"\r\x1b[K{clean(text)[:70]}{' ...' if text else ''}", nl=False, err=True)


def _print_symptoms(symptoms: list[Symptom], *, verbose: bool) -> None:
    first, *others = symptoms
    say(f"{first.subject} {first.message}")
    groups = {"Problems": PROBLEMS, "Notes": ("note",), "Checked": ("ok",) if verbose else ()}
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
