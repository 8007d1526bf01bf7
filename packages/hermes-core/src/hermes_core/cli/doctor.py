"""`hermes doctor`: everything that may be wrong, at once, with what to do about it."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator

import click

from hermes_core.cli import checkup
from hermes_core.cli.checkup import Symptom
from hermes_core.cli.exit_codes import ExitCode
from hermes_core.cli.invocation import current_invocation
from hermes_core.cli.logs import warning_lines
from hermes_core.cli.output import clean, print_json, say
from hermes_core.config.config import Config
from hermes_core.config.home import hermes_home
from hermes_core.config.settings import Settings
from hermes_core.errors import ConfigError
from hermes_core.host import Hermes
from hermes_core.starting import own_sections

_STYLES = {"ok": "green", "note": "dim", "warning": "yellow", "error": "bold red"}
_SIGNS = {"ok": "ok", "note": "note", "warning": "warn", "error": "FAIL"}


@click.command()
@click.option("--no-import", "no_import", is_flag=True, help="Believe the manifests; import no plugin that has one.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(no_import: bool, as_json: bool) -> ExitCode:
    """Look for everything that may be wrong, and say what to do.

    Every plugin is imported, so that one that would fail at its first call is found now. Exit status: 0 when nothing
    is wrong, 1 when there is an error or a warning.
    """
    symptoms = list(_examine(no_import=no_import))
    wrong = [symptom for symptom in symptoms if symptom.level in ("warning", "error")]
    if as_json:
        print_json({"ok": not wrong, "symptoms": [symptom.as_dict() for symptom in symptoms]})
        return ExitCode.FOUND if wrong else ExitCode.OK
    for symptom in symptoms:
        say(f"{_SIGNS[symptom.level]:<5} {clean(symptom.subject)}: {clean(symptom.message)}", _STYLES[symptom.level])
        if symptom.remedy and symptom.level != "ok":
            say(f"      {clean(symptom.remedy)}")
    say()
    if wrong:
        say(f"{len(wrong)} {'problem' if len(wrong) == 1 else 'problems'}.", "yellow")
    else:
        say("Nothing is wrong.", "green")
    return ExitCode.FOUND if wrong else ExitCode.OK


def _examine(*, no_import: bool) -> Iterator[Symptom]:
    yield from checkup.installation()
    folder = hermes_home()
    yield from checkup.home(folder)
    with (
        warning_lines(show=False, debug=current_invocation().debug),  # the symptoms tell what they would say
        contextlib.redirect_stdout(sys.stderr),
        contextlib.closing(_host()) as host,
    ):
        config = Config(sections=(*own_sections(), *host.sections))
        try:
            yield from checkup.settings(config.problems(), config.file)
        except OSError as error:
            yield Symptom("error", "config", f"{error.filename}: {error.strerror}", "Mend its owner and mode.")
        yield from _lock()
        if not no_import:
            host.activate()
        yield from checkup.plugins(host)
        yield from checkup.tools(host)


def _host() -> Hermes:
    """A host, whatever the settings and the lock say: people need this command most when they cannot be used."""
    try:
        return Hermes.load(only_looking=True)
    except (ConfigError, OSError):
        pass
    try:
        return Hermes.load(only_looking=True, locked=False)
    except (ConfigError, OSError):
        return Hermes.load(settings=Settings(), only_looking=True, locked=False)


def _lock() -> Iterator[Symptom]:
    from hermes_core.plugins.lock.lockfile import find_lock, read_lock

    file, problem = None, None
    try:
        file = find_lock(hermes_home(), os.environ)
        if file is not None:
            read_lock(file)
    except ConfigError as error:
        problem = str(error)
    yield from checkup.lock(file, problem)
