"""`hermes config`: show, check and change settings."""

from __future__ import annotations

import contextlib
import json
import os
import re
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from hermes_core import ConfigError, Hermes
from hermes_core.cli.completion import readable_keys, settable_keys, stored_keys
from hermes_core.cli.exit_codes import ExitCode
from hermes_core.cli.output import counted, is_terminal, json_option, note, print_either, print_json, print_table, say
from hermes_core.cli.run import plugin_output, warning_lines
from hermes_core.config.config import Config
from hermes_core.errors import did_you_mean
from hermes_core.inspection import plugin_sections
from hermes_files import FileError
from hermes_files.yaml_document import key_of, parse_document
from hermes_schemas import nearest
from hermes_text.tables import Column
from hermes_text.terminal import clean, harmless

_STYLES = {"error": "bold red", "warning": "yellow", "note": "dim"}


@click.group()
def command() -> None:
    """Show, check and change settings.

    Write a key as 'section.key'. A variable such as HERMES_SECTION__KEY overrides config.yaml, which overrides the
    default. Secrets are stored in .env and never shown.
    """


def _config() -> Config:
    """Return the settings, with the sections of installed plugins, even if the settings are invalid."""
    return _config_and_variables()[0]


def _config_and_variables() -> tuple[Config, frozenset[str]]:
    """Return the settings, and the environment variables that installed tools require."""
    with plugin_output(show=False):
        try:
            host = Hermes.load(only_looking=True, locked=False, checked=False)
        except ConfigError:
            host = Hermes.load(config=Config(data={}), only_looking=True, locked=False)  # without the invalid settings
        with contextlib.closing(host):
            required = (name for spec in host.tools(available=False) for name in spec.requires_env)
            return Config(sections=plugin_sections(host)), frozenset(required)


def _setting_of(key: str, config: Config, required: frozenset[str]) -> str | None:
    """Return the setting that a key refers to; None if it is a variable that installed tools require."""
    if not re.fullmatch(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)+", key) or key in config.names():
        return key
    settings = {
        variable: key_of((name, *path))
        for name, section in config.sections.items()
        for path in section.paths()
        for variable in section.variables(path)[1:]
    }
    if key in settings:
        return settings[key]
    if key in required:
        return None
    reason = "no installed tool or plugin reads this variable." + did_you_mean(nearest(key, [*settings, *required]))
    raise ConfigError(reason, key=key)


# -- showing -----------------------------------------------------------------------------------------------------


@command.command()
@click.argument("key", shell_complete=readable_keys)
@json_option
def get(key: str, as_json: bool) -> None:
    """Print the value of a setting or a section.

    Exit code: 0, even if it is not set; 2 if there is no such setting or the settings are invalid.
    """
    config = _config()
    with warning_lines():
        value = config.get_masked(key)
    if as_json:
        print_json(value)
    elif value is None:
        note(f"{clean(key)} is not set.")
    else:
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
        say("\n".join(map(harmless, text.splitlines())) if is_terminal() else text)


@command.command()
@json_option
@click.option("--defaults", is_flag=True, help="Also show settings that are not set.")
@click.option("--origin", "origins", is_flag=True, help="Show where each value comes from.")
def show(as_json: bool, defaults: bool, origins: bool) -> None:
    """Show all values that are set.

    This includes values from the environment. Exit code: 0, or 2 if the settings are invalid.
    """
    config = _config()
    with warning_lines():
        rows = [row for row in _rows(config, defaults=defaults) if defaults or row[2] != "default"]
    if as_json:
        print_json({key: {"value": value, "origin": origin} if origins else value for key, value, origin in rows})
        return
    if not rows:
        note("Nothing is set; the defaults apply. 'hermes config show --defaults' shows them.")
        return
    columns = [Column(title="key", style="bold cyan"), Column(title="value", fit="wrap")]
    if origins:
        columns.append(Column(title="origin", style="dim"))
    print_table(columns, ((key, _as_text(value), origin)[: len(columns)] for key, value, origin in rows))


def _rows(config: Config, *, defaults: bool) -> Iterator[tuple[str, Any, str]]:
    """Yield the key, the value without secrets and the origin of each setting."""
    for name in config.names():
        ways = dict(_leaves(config.get_masked((name,)), ()))
        spec = config.sections.get(name)
        declared = list(spec.paths()) if spec is not None else []
        unset = [way for way in declared if defaults and way not in ways and config.get((name, *way)) is None]
        order = {way: number for number, way in enumerate(declared)}
        for way in sorted([*ways, *unset], key=lambda way: order.get(way, len(order))):
            yield key_of((name, *way)), ways.get(way), str(config.origin((name, *way)))


def _leaves(value: Any, way: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    if isinstance(value, dict) and (value or not way):
        for key, item in value.items():
            yield from _leaves(item, (*way, str(key)))
    else:
        yield way, value


def _as_text(value: Any) -> str:
    if value is None:
        return "not set"
    return value if isinstance(value, str) and value else json.dumps(value, ensure_ascii=False, default=str)


@command.command()
@click.option("--env", "env", is_flag=True, help="Print the path of the file with the secrets.")
@json_option
def path(env: bool, as_json: bool) -> None:
    """Print the path of config.yaml.

    The file may not exist. Exit code: 0.
    """
    config = Config()
    file = config.env_file if env else config.file
    print_either(as_json, {"file": str(file), "exists": file.exists()}, str(file))


@command.command()
@json_option
def check(as_json: bool) -> ExitCode:
    """Check the settings and list all problems.

    Exit code: 2 if there is an error or a warning, 0 if there are only notes.
    """
    config = _config()
    problems = config.problems()
    wrong = [problem for problem in problems if problem.level != "note"]
    if as_json:
        print_json({"file": str(config.file), "ok": not wrong, "problems": [asdict(problem) for problem in problems]})
    else:
        for problem in problems:
            say(f"{problem.level}: {clean(problem)}", _STYLES[problem.level])
        if not config.file.exists():
            say(f"There is no {config.file}; the defaults apply.")
        elif not wrong:
            say(f"{config.file} is valid.", "green")
        if wrong:
            say(f"{counted(len(wrong), 'problem')}.", "yellow")
    return ExitCode.USAGE if wrong else ExitCode.OK


# -- changing ----------------------------------------------------------------------------------------------------


@command.command("set", context_settings={"ignore_unknown_options": True})  # a value may begin with a minus
@click.argument("key", shell_complete=settable_keys)
@click.argument("value")
@json_option
def set_(key: str, value: str, as_json: bool) -> None:
    """Set one value.

    The rest of the file does not change. KEY is a setting, or an environment variable that an installed tool requires,
    which is stored in .env. VALUE is converted to the type of the setting: 60, true, a,b or JSON. With '-', the command
    prompts for the value or reads it from a pipe, so that a secret does not end up in your shell history. Exit code: 0
    on success, 2 if nothing was changed.
    """
    config, required = _config_and_variables()
    setting = _setting_of(key, config, required)
    text = _read_value(key) if value == "-" else value
    if setting is None:
        file = config.set_variable(key, text)
        if os.environ.get(key, text) != text:
            note(f"hermes: warning: {clean(key)} is set in the environment, which overrides {file.name}.")
        print_either(as_json, {"key": key, "file": str(file)}, f"Set {clean(key)} in {file}.")
        return
    key = setting
    declared = key.partition(".")[0].strip('"') in config.sections
    file = config.set(key, text if declared else _guessed(text))
    with warning_lines(show=False):
        origin = config.origin(key)
    if origin.variable and (file == config.file or not origin.file):
        note(f"hermes: warning: {origin.variable} is set in the environment, which overrides {file.name}.")
    elif not declared:
        note("hermes: warning: no installed plugin reads it.")
    print_either(as_json, {"key": key, "file": str(file)}, f"Set {clean(key)} in {file}.")


@command.command()
@click.argument("key", shell_complete=stored_keys)
@json_option
def unset(key: str, as_json: bool) -> None:
    """Remove one value from the file.

    Its default then applies again. Exit code: 0 on success, 2 if it was not set or nothing was changed.
    """
    config, required = _config_and_variables()
    setting = _setting_of(key, config, required)
    if setting is None:
        if not config.unset_variable(key):
            raise ConfigError(f"it is not set in {config.env_file.name}.", key=key)
        print_either(as_json, {"key": key, "file": str(config.env_file)}, f"Removed {clean(key)}.")
        return
    key = setting
    if not config.unset(key):
        with warning_lines(show=False):
            there = [key for key, _, origin in _rows(config, defaults=False) if origin != "default"]
        raise ConfigError(f"it is not set in {config.file.name}." + did_you_mean(nearest(key, there)), key=key)
    print_either(as_json, {"key": key, "file": str(config.file)}, f"Removed {clean(key)}.")


def _read_value(key: str) -> str:
    if sys.stdin is not None and sys.stdin.isatty():
        return str(click.prompt(f"Value of {clean(key)} (not shown)", hide_input=True, err=True))
    return sys.stdin.read().rstrip("\r\n")


def _guessed(text: str) -> Any:
    """Parse a value without a schema like YAML; keep it as a string if it is not clearly another type."""
    value: Any = text
    if text.strip() and "\n" not in text:
        with contextlib.suppress(FileError):
            value = parse_document(Path("VALUE"), f"value: {text}").data.get("value")
    return text if isinstance(value, str) else value
