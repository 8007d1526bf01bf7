"""Suggests values to a shell that completes a line: soon or not at all, and never with a word.

What is installed is looked at in a process of its own. Whatever plugins do there, print, hang, exit or crash, the
line that somebody is typing stays as it is.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, NoReturn

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from hermes_core.config.config import Config

Suggestion = tuple[str, str]
"""A value, and what some shells show beside it."""

_SECONDS = 3.0
"""How long somebody who pressed Tab waits before they think that the shell is stuck."""
_HARMLESS = re.compile(r"[\w./%+,-]+")
"""What no shell reads as anything but itself, nor as the end of a word; other values would need quotes."""


def tool_names(_ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Tools that are installed, whether they can run here or not."""
    return suggest(incomplete, lambda: _ask_apart(_tools))


def toolset_names(_ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Toolsets that are declared or registered, and `all`."""
    return suggest(incomplete, lambda: _ask_apart(_toolsets))


def plugin_names(_ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Plugins that were found, whether they could be loaded or not."""
    return suggest(incomplete, lambda: _ask_apart(_plugins))


def hook_names(_ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Hooks, also for somebody who leaves out the prefix."""
    return suggest(incomplete, lambda: _hooks(incomplete))


def readable_keys(_ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Settings and whole sections, declared or in the file."""
    return suggest(incomplete, lambda: _ask_apart(_readable_keys))


def settable_keys(_ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Settings, declared or in the file."""
    return suggest(incomplete, lambda: _ask_apart(_settable_keys))


def stored_keys(_ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """What stands in the file, and the secrets in `.env`."""
    return suggest(incomplete, lambda: _ask_apart(_stored_keys))


def suggest(incomplete: str, gather: Callable[[], Iterable[Suggestion]]) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    from hermes_core.cli.output import clean

    try:
        found = dict(gather())
    except Exception:  # a half-typed line is no place to say what went wrong: the command will, once it runs
        return []
    return [
        CompletionItem(value, help=clean(text) or None)
        for value, text in found.items()
        if value.startswith(incomplete) and _HARMLESS.fullmatch(value)
    ]


# -- what there is, as the other process finds it --------------------------------------------------------------------


def _tools() -> Iterator[Suggestion]:
    from hermes_core import Hermes

    for spec in Hermes.load(only_looking=True, locked=False, checked=False).tools(available=False):
        yield spec.name, _first_line(spec.description)


def _toolsets() -> Iterator[Suggestion]:
    from hermes_core import Hermes

    host = Hermes.load(only_looking=True, locked=False, checked=False)
    for name in host.toolsets.known_names(host.registry.snapshot):
        declared = host.toolsets.get(name)
        yield name, _first_line(declared.description) if declared else ""
    yield "all", "Every tool."


def _plugins() -> Iterator[Suggestion]:
    from hermes_core import Hermes

    for record in Hermes.load(only_looking=True, locked=False, checked=False).report:
        yield record.name, record.distribution or record.origin


def _hooks(incomplete: str) -> Iterator[Suggestion]:
    from hermes_core import hookspecs
    from hermes_core.plugins.manager import HOOKS

    prefix = f"{hookspecs.PROJECT}_"
    for hook in HOOKS:
        name = hook if prefix.startswith(incomplete[: len(prefix)]) else hook.removeprefix(prefix)
        yield name, _first_line(getattr(hookspecs, hook).__doc__ or "")


def _readable_keys() -> Iterator[Suggestion]:
    config = _config()
    for spec in config.sections.values():
        yield spec.name, str(spec.schema.get("description", ""))
    yield from _declared_keys(config)
    yield from _keys_in_file(config)


def _settable_keys() -> Iterator[Suggestion]:
    config = _config()
    yield from _declared_keys(config)
    for key, text in _keys_in_file(config):
        if key not in config.sections:
            yield key, text


def _stored_keys() -> Iterator[Suggestion]:
    config = _config()
    yield from _keys_in_file(config)
    for key, text in _declared_keys(config):
        if config.is_secret(key) and config.origin(key).file == str(config.env_file):
            yield key, text


def _config() -> Config:
    from hermes_core import Hermes
    from hermes_core.config.config import Config

    return Config(sections=Hermes.load(only_looking=True, locked=False, checked=False).sections)


def _declared_keys(config: Config) -> Iterator[Suggestion]:
    from hermes_core.config.document import key_of

    for spec in config.sections.values():
        for way in spec.ways():
            yield key_of((spec.name, *way)), str((spec.at(way) or {}).get("description", ""))


def _keys_in_file(config: Config) -> Iterator[Suggestion]:
    from hermes_core.config.document import key_of, read_document

    for steps in read_document(config.file).places:
        if steps and all(isinstance(step, str) for step in steps):  # not the items of lists
            yield key_of(steps), "" if len(steps) > 1 else "section"


def _first_line(text: str) -> str:
    return next(iter(text.strip().splitlines()), "")


# -- the other process -----------------------------------------------------------------------------------------------


def _ask_apart(gather: Callable[[], Iterable[Suggestion]]) -> list[Suggestion]:
    """What a function gives in a process of its own, which does not outlive the answer nor the deadline."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        _answer(gather, writing)
    try:
        os.close(writing)
        return [(value, text) for value, text in json.loads(_read_line(reading))]
    finally:
        os.close(reading)
        _end(child)


def _answer(gather: Callable[[], Iterable[Suggestion]], writing: int) -> NoReturn:
    try:
        os.setsid()  # without a terminal nobody can be asked for a password
        null = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(null, stream)
        with open(writing, "w", encoding="utf-8") as pipe:
            pipe.write(json.dumps(list(gather())) + "\n")
    finally:
        os._exit(0)  # whatever is still running, or was to run at the end, does not


def _read_line(reading: int) -> bytes:
    import select
    import time

    deadline = time.monotonic() + _SECONDS
    read = b""
    while not read.endswith(b"\n"):
        ready, _, _ = select.select([reading], [], [], max(0.0, deadline - time.monotonic()))
        chunk = os.read(reading, 65536) if ready else b""
        if not chunk:  # too late, or the process is gone
            break
        read += chunk
    return read


def _end(child: int) -> None:
    import signal

    for kill in (os.killpg, os.kill):  # a group there is only once the process has made itself one
        try:
            kill(child, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):  # it is over, which some systems call forbidden
            pass
    os.waitpid(child, 0)
