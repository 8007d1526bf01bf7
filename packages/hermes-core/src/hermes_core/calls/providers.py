"""What plugins provide for the extension points of tool families."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

from hermes_core.errors import describe_error


class Providers:
    """Every provider of a host, by extension point and name; each is made at its first use."""

    def __init__(self) -> None:
        self._points: dict[str, dict[str, _Provider]] = {}

    def add(self, point: str, name: str, make: Any) -> bool:
        """Register a provider for an extension point; False when the name is taken."""
        named = self._points.setdefault(point, {})
        if name in named:
            return False
        named[name] = _Provider(make)
        return True

    def of(self, point: str) -> Mapping[str, Any]:
        """Every provider of an extension point; one that cannot be made is reported and left out."""
        made: dict[str, Any] = {}
        for name, provider in list(self._points.get(point, {}).items()):
            try:
                made[name] = provider.get()
            except (Exception, SystemExit) as error:  # foreign code: one that fails must not take the others along
                from hermes_core.logs import log

                log.warning("Provider %s of %s cannot be made: %s", name, point, describe_error(error), exc_info=error)
        return made


class _Provider:
    """A provider that is made when somebody asks for it."""

    __slots__ = ("_lock", "_made", "_make")

    def __init__(self, make: Any) -> None:
        self._make = make
        self._made: list[Any] = []
        self._lock = threading.Lock()

    def get(self) -> Any:
        with self._lock:
            if not self._made:
                self._made.append(self._make())
            return self._made[0]
