"""Finds plugins by their entry points and loads each in isolation, whatever it does."""

from __future__ import annotations

import contextvars
import inspect
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from hermes_core.errors import HermesError, PluginError
from hermes_core.plugins.manager import Implementation, read_plugin
from hermes_core.tools.tool import Tool
from hermes_core.tools.toolset import Toolset

GROUP = "hermes.plugins"
LOAD_SECONDS = 10.0
"""How long a plugin may take to import and register: a hung one must not take the others along."""

Providers = Mapping[str, Mapping[str, Callable[[], object]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A plugin that was found but not loaded yet."""

    name: str
    origin: str
    load: Callable[[], object]
    distribution: str | None = None
    version: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Contribution:
    """What a plugin brings, checked and ready to be registered."""

    plugin: object
    implementations: tuple[Implementation, ...]
    tools: tuple[Tool, ...] = ()
    toolsets: tuple[Toolset, ...] = ()
    providers: Providers


def find_entry_points() -> tuple[Candidate, ...]:
    """Every installed plugin, by name, without importing any of them."""
    from importlib.metadata import entry_points

    found = []
    for entry in entry_points(group=GROUP):
        distribution = entry.dist
        found.append(
            Candidate(
                name=entry.name,
                origin="entry point",
                load=entry.load,
                distribution=distribution.name if distribution else None,
                version=distribution.version if distribution else None,
            )
        )
    return tuple(sorted(found, key=lambda candidate: (candidate.name, candidate.distribution or "")))


def load(candidate: Candidate, *, seconds: float = LOAD_SECONDS) -> Contribution:
    """Import a plugin and ask what it brings, in a thread of its own and under a deadline.

    Raises:
        PluginError: whatever it did instead: raised, exited, hung, or returned nonsense.
    """
    outcome: list[Contribution | PluginError] = []
    context = contextvars.copy_context()

    def run() -> None:
        try:
            outcome.append(context.run(_collect, candidate))
        except PluginError as error:
            outcome.append(error)
        except BaseException as error:  # foreign code: a plugin may even call sys.exit() while it is imported
            outcome.append(_explain(candidate, error))

    thread = threading.Thread(target=run, name=f"hermes-load-{candidate.name}", daemon=True)
    thread.start()
    thread.join(seconds)
    if not outcome:
        raise PluginError(
            f"it was still loading after {seconds:g} s.",
            plugin=candidate.name,
            distribution=candidate.distribution,
            remedy="Move slow work out of its import, or disable it with plugins.disabled in config.yaml.",
        )
    if isinstance(outcome[0], PluginError):
        raise outcome[0]
    return outcome[0]


def _collect(candidate: Candidate) -> Contribution:
    plugin = candidate.load()
    if inspect.isclass(plugin):
        plugin = plugin()
    if plugin is None:
        raise PluginError("its entry point is None.", plugin=candidate.name, remedy="Point it at a module.")
    implementations = read_plugin(plugin, candidate.name)
    tools: list[Tool] = []
    toolsets: list[Toolset] = []
    providers: dict[str, Mapping[str, Callable[[], object]]] = {}
    for implementation in implementations:
        if implementation.hook == "hermes_tools":
            tools += _checked(candidate, "hermes_tools", implementation.function(), Tool)
        elif implementation.hook == "hermes_toolsets":
            toolsets += _checked(candidate, "hermes_toolsets", implementation.function(), Toolset)
        elif implementation.hook == "hermes_providers":
            providers.update(_checked_providers(candidate, implementation.function()))
    return Contribution(
        plugin=plugin,
        implementations=implementations,
        tools=tuple(tools),
        toolsets=tuple(toolsets),
        providers=providers,
    )


def _checked(candidate: Candidate, hook: str, answer: object, kind: type[Any]) -> list[Any]:
    if answer is None:
        return []
    if isinstance(answer, kind):
        return [answer]
    if not isinstance(answer, Iterable) or isinstance(answer, str | bytes | Mapping):
        raise PluginError(
            f"{hook} returned {_described(answer)}, not a list of {kind.__name__}s.",
            plugin=candidate.name,
            distribution=candidate.distribution,
            remedy=f"Return a list: [{kind.__name__.lower()}, ...].",
        )
    items = list(answer)
    for item in items:
        if not isinstance(item, kind):
            raise PluginError(
                f"{hook} returned a list that holds {_described(item)}, not a {kind.__name__}.",
                plugin=candidate.name,
                distribution=candidate.distribution,
                remedy="Declare it with @tool or Tool.from_schema." if kind is Tool else "Make it a Toolset.",
            )
    return items


def _checked_providers(candidate: Candidate, answer: object) -> Providers:
    if answer is None:
        return {}
    if isinstance(answer, Mapping) and all(
        isinstance(point, str)
        and isinstance(named, Mapping)
        and all(isinstance(name, str) and callable(factory) for name, factory in named.items())
        for point, named in answer.items()
    ):
        return answer
    raise PluginError(
        f"hermes_providers returned {_described(answer)}.",
        plugin=candidate.name,
        distribution=candidate.distribution,
        remedy='Return {"extension point": {"name": function that makes the provider}}.',
    )


def _described(value: object) -> str:
    if inspect.iscoroutine(value):
        value.close()
        return "a coroutine (registration hooks are not async)"
    name = getattr(value, "__name__", None)
    return f"{type(value).__name__} {name}" if name else f"a {type(value).__name__}"


def _explain(candidate: Candidate, error: BaseException) -> PluginError:
    facts = {"plugin": candidate.name, "distribution": candidate.distribution}
    if isinstance(error, HermesError):
        return PluginError(str(error), **facts)
    if isinstance(error, ModuleNotFoundError):
        install = f"Install what provides the module {error.name!r}" if error.name else "Install the missing module"
        return PluginError(f"it cannot be imported: {error}.", **facts, remedy=f"{install}, or disable the plugin.")
    if isinstance(error, SyntaxError):
        where = f"{error.filename}:{error.lineno}"
        return PluginError(f"it has a syntax error at {where}: {error.msg}.", **facts, remedy="Mend or disable it.")
    if isinstance(error, SystemExit):
        return PluginError(
            f"it called sys.exit({error.code!r}) while it was loaded.", **facts, remedy="Mend or disable it."
        )
    text = f"{type(error).__name__}: {error}".rstrip(": ")
    return PluginError(f"it raised {text} while it was loaded.", **facts, remedy="Mend or disable it.")


def timed_load(candidate: Candidate, *, seconds: float = LOAD_SECONDS) -> tuple[Contribution | PluginError, float]:
    """Load a plugin, and say how long that took."""
    started = time.perf_counter()
    result: Contribution | PluginError
    try:
        result = load(candidate, seconds=seconds)
    except PluginError as error:
        result = error
    return result, time.perf_counter() - started
