"""Where secrets come from: settings that are marked as secrets, `.env`, and variables whose names say so."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hermes_core.config.tool_session import settings_environ
from hermes_core.errors import ConfigError
from hermes_files import FileError
from hermes_files.dotenv import parse_dotenv
from hermes_text.secrets.values import certain_secrets, names_secret

if TYPE_CHECKING:
    from hermes_core.config.config import Config


def find_own(
    dotenv: Mapping[str, str], environ: Mapping[str, str], config: Config | None, required: Iterable[str]
) -> Iterator[tuple[str, str]]:
    """Yield the user's own secrets, each with its name: in `.env`, in the environment and in settings."""
    named = set(required)
    for name, value in dotenv.items():
        yield from certain_secrets(name, value, named=name in named or names_secret(name))
    environ = settings_environ(environ)
    with suppress(ConfigError):  # `.env` is broken, which the settings report
        environ = environ if config is None else config.environ
    for name, value in dict(environ).items():
        if name in named or names_secret(name):
            yield from certain_secrets(name, value, named=True)
    for _, key, value in secret_settings(config):
        yield from certain_secrets(key, value, named=True)


def read_dotenv(file: Path, before: dict[str, str]) -> dict[str, str]:
    """Return the variables in `.env`; those it had before when it is half-written or broken."""
    try:
        text = file.read_text(encoding="utf-8-sig", errors="replace")
        return {each.name: each.value for each in parse_dotenv(file, text)}
    except FileNotFoundError:
        return {}
    except (OSError, FileError):
        return before


def secret_settings(config: Config | None) -> Iterator[tuple[str, str, str]]:
    """Yield each text in a setting that is marked as a secret, with its section and its key."""
    if config is None:
        return
    for spec in config.sections.values():
        if "writeOnly" not in repr(spec.schema):  # to read a section takes time
            continue
        for way, value in spec.find_secrets(_read_section(config, spec.name)):
            for leaf in _leaves(value):
                yield spec.name, ".".join((spec.name, *way)), leaf


def _read_section(config: Config, name: str) -> object:
    with suppress(ConfigError):
        return config.section(name)
    with suppress(ConfigError):  # no tool gets a section that is invalid, but what the file says is still a secret
        return config.stored(name)
    return None


def _leaves(value: Any) -> Iterator[str]:
    if hasattr(value, "get_secret_value"):
        value = value.get_secret_value()
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from _leaves(item)
    elif isinstance(value, (str, int, float)) and not isinstance(value, bool):
        yield str(value)
