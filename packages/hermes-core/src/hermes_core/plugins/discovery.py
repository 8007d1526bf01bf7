"""Finds plugins by their entry points and loads each in isolation, whatever it does."""

from __future__ import annotations

import contextvars
import inspect
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hermes_core.errors import HermesError, PluginError, describe_error
from hermes_core.plugins.manager import Implementation, read_plugin
from hermes_core.tools.tool import Tool
from hermes_core.tools.toolset import Toolset

if TYPE_CHECKING:
    from importlib.metadata import Distribution, EntryPoint

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

    try:
        found = [_candidate(entry) for entry in entry_points(group=GROUP)]
    except Exception:  # one damaged installation must not hide the others
        found = list(_find_one_by_one())
    return tuple(sorted(found, key=lambda candidate: (candidate.name, candidate.distribution or "")))


def _candidate(entry: EntryPoint) -> Candidate:
    name, version = _who_ships(entry.dist)
    return Candidate(name=entry.name, origin="entry point", load=entry.load, distribution=name, version=version)


def _who_ships(distribution: Distribution | None) -> tuple[str | None, str | None]:
    try:
        return (distribution.name, distribution.version) if distribution else (None, None)
    except Exception:  # an installation that was interrupted has no metadata, on some versions of Python no name
        return None, None


def _find_one_by_one() -> Iterator[Candidate]:
    """Every plugin of every distribution that can be read. The first of a name on the path counts, as for imports."""
    from importlib.metadata import distributions

    seen: set[str] = set()
    for distribution in distributions():
        name, version = _who_ships(distribution)
        if name is not None and name.lower() in seen:
            continue
        seen.add((name or "").lower())
        try:
            entries = list(distribution.entry_points.select(group=GROUP))
        except Exception as error:  # damaged
            if _may_ship_plugins(distribution):
                yield _damaged(name or "?", version, error)
            continue
        yield from map(_candidate, entries)


def _may_ship_plugins(distribution: Distribution) -> bool:
    try:
        return GROUP in (distribution.read_text("entry_points.txt") or "")
    except Exception:  # not even text: nobody can tell
        return True


def _damaged(name: str, version: str | None, error: Exception) -> Candidate:
    def refuse() -> object:
        raise PluginError(
            f"its entry_points.txt cannot be read ({describe_error(error)}).",
            plugin=name,
            distribution=name,
            remedy="Uninstall the distribution and install it again.",
        )

    return Candidate(name=name, origin="entry point", load=refuse, distribution=name, version=version)


def load(candidate: Candidate, *, seconds: float | None = None) -> Contribution:
    """Import a plugin and ask what it brings, in a thread of its own and under a deadline.

    Raises:
        PluginError: whatever it did instead: raised, exited, hung, or returned nonsense.
    """
    seconds = LOAD_SECONDS if seconds is None else seconds
    outcome: list[Contribution | PluginError] = []
    context = contextvars.copy_context()

    def run() -> None:
        try:
            outcome.append(context.run(_collect, candidate))
        except PluginError as error:
            outcome.append(error)
        except BaseException as error:  # foreign code: a plugin may even call sys.exit() while it is imported
            explained = _explain(candidate, error)
            explained.__cause__ = error
            outcome.append(explained)

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
        return PluginError(str(error), **facts, remedy="Mend or disable it.")
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
    return PluginError(f"it raised {describe_error(error)} while it was loaded.", **facts, remedy="Mend or disable it.")


def timed_load(candidate: Candidate, *, seconds: float | None = None) -> tuple[Contribution | PluginError, float]:
    """Load a plugin, and say how long that took."""
    started = time.perf_counter()
    result: Contribution | PluginError
    try:
        result = load(candidate, seconds=seconds)
    except PluginError as error:
        result = error
    return result, time.perf_counter() - started
