"""Caches catalogs of sources on disk, and returns old ones when a source cannot be reached."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from hermes_files.atomic import write_atomic
from hermes_tools_skills.providers.protocol import CatalogEntry, SourceError

_MAX_FILES = 200


@dataclass(slots=True)
class CatalogCache:
    """The cache.

    Attributes:
        folder: Its directory.
        seconds: How long a catalog is used without a request.
        offline: Whether to use the cache only.
        notes: Which catalogs are old, and why.
    """

    folder: Path
    seconds: float
    offline: bool = False
    notes: list[str] = field(default_factory=list)

    def entries(self, name: str, make: Callable[[], Sequence[CatalogEntry]]) -> list[CatalogEntry]:
        """Return the entries of a catalog.

        Raises:
            SourceError: It is not cached, and cannot be requested.
        """
        file = self.folder / f"{hashlib.sha256(name.encode()).hexdigest()[:32]}.json"
        stored = _read(file, name)
        if stored is not None and (self.offline or 0 <= time.time() - stored[0] < self.seconds):
            return stored[1]
        if self.offline:
            raise SourceError(f"{name} is not in the cache.", kind="network")
        try:
            found = list(make())
        except SourceError as error:
            if stored is None or error.kind not in ("network", "rate_limited"):
                raise
            when = time.strftime("%Y-%m-%d %H:%M", time.localtime(stored[0]))
            self.notes.append(f"{error.reason} This is what {name} listed on {when}.")
            return stored[1]
        body = {"name": name, "time": time.time(), "entries": [asdict(entry) for entry in found]}
        write_atomic(file, json.dumps(body).encode())
        self._remove_oldest()
        return found

    def clear(self) -> int:
        """Remove everything and return the number of catalogs."""
        files = list(self.folder.glob("*.json"))
        for file in files:
            file.unlink(missing_ok=True)
        return len(files)

    def _remove_oldest(self) -> None:
        files = list(self.folder.glob("*.json"))
        if len(files) > _MAX_FILES:
            files.sort(key=lambda file: file.stat().st_mtime)
            for file in files[: len(files) - _MAX_FILES]:
                file.unlink(missing_ok=True)


def _read(file: Path, name: str) -> tuple[float, list[CatalogEntry]] | None:
    """Return when a catalog was stored, and its entries; None if it is not stored or damaged."""
    try:
        found = json.loads(file.read_bytes())
        if found["name"] != name:
            return None
        return float(found["time"]), [_entry(each) for each in found["entries"]]
    except (OSError, ValueError, KeyError, TypeError):  # it is only a cache
        return None


def _entry(found: dict[str, Any]) -> CatalogEntry:
    values = {field.name: found[field.name] for field in fields(CatalogEntry)}
    if not all(isinstance(value, str) for name, value in values.items() if name != "tags"):
        raise TypeError
    return CatalogEntry(**{**values, "tags": tuple(map(str, values["tags"]))})
