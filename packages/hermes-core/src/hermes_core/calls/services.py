"""State that belongs to the application, given to tools by type."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


class Services:
    """What one host or session provides; what it does not have, its parent may."""

    __slots__ = ("_parent", "_provided")

    def __init__(self, provided: Mapping[type | str, Any] | None = None, parent: Services | None = None) -> None:
        self._provided: dict[type | str, Any] = dict(provided or {})
        self._parent = parent

    def provide(self, key: type | str, value: Any) -> None:
        """Make a service known from now on."""
        self._provided[key] = value

    def has(self, key: type | str) -> bool:
        """Whether somebody provides it."""
        return any(True for _ in self._found(key))

    def get(self, key: type | str) -> Any:
        """The service; raises `KeyError` when nobody provides it."""
        for value in self._found(key):
            return value
        raise KeyError(key if isinstance(key, str) else key.__qualname__)

    def _found(self, key: type | str) -> Iterator[Any]:
        """Exact keys first; then a type by its name, so that a tool can name what it does not import."""
        if key in self._provided:
            yield self._provided[key]
        for known, value in self._provided.items():
            if isinstance(key, str) is not isinstance(known, str) and _names(key) & _names(known):
                yield value
        if self._parent is not None:
            yield from self._parent._found(key)


def _names(key: type | str) -> set[str]:
    return {key} if isinstance(key, str) else {key.__name__, f"{key.__module__}.{key.__qualname__}"}
