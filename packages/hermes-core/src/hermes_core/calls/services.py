"""The services of an application, by type, and the providers of plugins, by extension point."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from hermes_core.errors import ToolUnavailableError, describe_error


class Services:
    """The services of one host or session, and of its parent."""

    __slots__ = ("_parent", "_provided")

    def __init__(self, provided: Mapping[type | str, Any] | None = None, parent: Services | None = None) -> None:
        self._provided: dict[type | str, Any] = dict(provided or {})
        self._parent = parent

    def provide(self, key: type | str, value: Any) -> None:
        self._provided[key] = value

    def has(self, key: type | str) -> bool:
        return any(True for _ in self._found(key))

    def get(self, key: type | str) -> Any:
        """Return the service; raise `KeyError` if it is not provided."""
        for value in self._found(key):
            return value
        raise KeyError(key if isinstance(key, str) else key.__qualname__)

    def _found(self, key: type | str) -> Iterator[Any]:
        """Look for the exact key, then for a type by its name, so that tools need not import the type."""
        if key in self._provided:
            yield self._provided[key]
        for known, value in self._provided.items():
            if isinstance(key, str) is not isinstance(known, str) and _names(key) & _names(known):
                yield value
        if self._parent is not None:
            yield from self._parent._found(key)


def missing_service(tool: str, key: type | str) -> ToolUnavailableError:
    """Return the error for a tool that needs a service which is not provided."""
    service = key if isinstance(key, str) else key.__name__
    hint = f"It needs the service {service!r}, which this application does not provide."
    return ToolUnavailableError(f"{tool} must be handled by the agent loop", hint=hint)


def _names(key: type | str) -> set[str]:
    return {key} if isinstance(key, str) else {key.__name__, f"{key.__module__}.{key.__qualname__}"}


class Providers:
    """The providers of a host, by extension point and name; each is created when it is first used."""

    def __init__(self) -> None:
        self._points: dict[str, dict[str, Callable[[], Any]]] = {}

    def add(self, point: str, name: str, make: Callable[[], Any]) -> bool:
        """Register a provider for an extension point; return False if the name is taken."""
        named = self._points.setdefault(point, {})
        if name in named:
            return False
        named[name] = _once(make)
        return True

    def of(self, point: str) -> Mapping[str, Any]:
        """Return all providers of an extension point. A provider that fails to start is logged and left out."""
        made: dict[str, Any] = {}
        for name, get in list(self._points.get(point, {}).items()):
            try:
                made[name] = get()
            except (Exception, SystemExit) as error:  # foreign code: one that fails must not affect the others
                from hermes_core.logs import log

                log.warning("Provider %s of %s cannot be made: %s", name, point, describe_error(error), exc_info=error)
        return made


def _once(make: Callable[[], Any]) -> Callable[[], Any]:
    lock, made = threading.Lock(), list[Any]()

    def get() -> Any:
        with lock:
            if not made:
                made.append(make())
            return made[0]

    return get
