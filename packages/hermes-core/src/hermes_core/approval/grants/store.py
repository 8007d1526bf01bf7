"""The grants that outlive a process: one file of the user's, shared by every process that runs."""

from __future__ import annotations

import json
import os
import stat
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NoReturn

from hermes_core.approval.grants.grant import Grant
from hermes_core.errors import ConfigError
from hermes_core.files.atomic import write_atomic
from hermes_core.files.locks import file_lock

FILE = "approvals.json"
_VERSION = 1
_SETTLED = 100_000_000
"""Nanoseconds: file systems count time in ticks, so a file younger than this may change without showing it."""
_KEEP_EXPIRED = 7 * 24 * 3600
"""Seconds that an expired grant stays to be seen in `export`."""
_KEEP_GONE = 10_000
"""How many used-up and revoked ids are remembered, so that none of them comes back."""
_REMEDY = "Mend it, or move it away and approve again; until then no stored grant is used and nothing is written."


@dataclass(slots=True)
class _Content:
    grants: dict[str, Grant] = field(default_factory=dict)
    gone: dict[str, None] = field(default_factory=dict)


class GrantStore:
    """The `always` grants in `$HERMES_HOME/approvals.json`. Safe to use from every thread and process at once."""

    def __init__(self, home: str | os.PathLike[str], clock: Callable[[], float] = time.time) -> None:
        self.file = Path(home) / FILE
        self._clock = clock
        self._read: tuple[tuple[int, ...], _Content] | None = None

    def grants(self) -> tuple[Grant, ...]:
        """The grants that hold now, with the uses that are left, as the file says at this moment.

        Raises:
            ConfigError: the file cannot be read.
        """
        now = self._clock()
        return tuple(grant for grant in self._current().grants.values() if grant.live(now))

    def add(self, grant: Grant) -> None:
        """Store a grant. One that is there already keeps the uses that it has left.

        Raises:
            ConfigError: it is not for `always`; its id is another grant's, or was used up or revoked; the file cannot
                be read.
            OSError: the file cannot be written.
        """
        if grant.scope != "always":
            raise ConfigError(f"only grants for 'always' are stored, not for {grant.scope!r}.", key=grant.id)

        def change(content: _Content) -> bool:
            known = content.grants.get(grant.id)
            if grant.id in content.gone:
                raise ConfigError("this grant was used up or revoked. Make a new one.", key=grant.id)
            if known is not None and replace(known, uses=grant.uses).as_dict() != grant.as_dict():
                raise ConfigError("there is another grant with this id.", file=str(self.file), key=grant.id)
            content.grants.setdefault(grant.id, grant)
            return known is None

        self._change(change)

    def revoke(self, id: str) -> bool:
        """Take a grant away, for every process; False when there is none of that id.

        Raises:
            ConfigError: the file cannot be read.
            OSError: the file cannot be written.
        """

        def change(content: _Content) -> bool:
            content.gone[id] = None
            return content.grants.pop(id, None) is not None

        return id in self._current().grants and self._change(change)

    def consume(self, *ids: str) -> bool:
        """Count one use of each of these grants, or of none; False when one of them does not hold any more.

        Raises:
            ConfigError: the file cannot be read.
            OSError: the file cannot be written, so nothing was counted.
        """
        now = self._clock()

        def change(content: _Content) -> bool:
            grants = [content.grants.get(each) for each in dict.fromkeys(ids)]
            if not all(grant is not None and grant.live(now) for grant in grants):
                return False
            counted = [grant for grant in grants if grant is not None and grant.uses is not None]
            for grant in counted:
                _count(content, grant)
            return bool(counted)

        held = {grant.id: grant for grant in self.grants()}
        if not all(each in held for each in ids):
            return False
        return all(held[each].uses is None for each in ids) or self._change(change)

    def export(self) -> list[dict[str, Any]]:
        """Every stored grant as plain JSON, those that expired lately too.

        Raises:
            ConfigError: the file cannot be read.
        """
        return [grant.as_dict() for grant in self._current().grants.values()]

    def _change(self, change: Callable[[_Content], bool]) -> bool:
        """Change what the file holds now; nothing is written when `change` says False, or raises."""
        self._read = None
        with file_lock(self.file):
            content = self._load()[1]
            changed = change(content)
            if changed:
                write_atomic(self.file, self._encoded(content))
        return changed

    def _current(self) -> _Content:
        """What the file holds, read again only when it changed. Nobody changes what this returns."""
        read = self._read
        if read is None or read[0] != self._mark():
            read = self._load()
            settled = not read[0] or time.time_ns() - read[0][0] > _SETTLED
            self._read = read if settled else None
        return read[1]

    def _mark(self) -> tuple[int, ...]:
        try:
            found = self.file.stat()
        except FileNotFoundError:
            return ()
        except OSError as error:
            raise self._broken(error) from error
        return (found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino, found.st_dev)

    def _load(self) -> tuple[tuple[int, ...], _Content]:
        mark = self._mark()
        if not mark:
            return mark, _Content()
        try:
            if not stat.S_ISREG(self.file.stat().st_mode):
                raise ValueError("it is not a file")
            data = json.loads(self.file.read_bytes(), object_pairs_hook=_once_each, parse_constant=_no_constant)
        except FileNotFoundError:
            return (), _Content()
        except (OSError, ValueError, RecursionError) as error:
            raise self._broken(error) from error
        return mark, self._content(data)

    def _content(self, data: Any) -> _Content:
        if not isinstance(data, dict) or data.get("version") != _VERSION or set(data) - {"version", "grants", "gone"}:
            raise self._broken(f"it is no list of approvals of version {_VERSION}")
        listed, gone = data.get("grants"), data.get("gone", [])
        if (
            not isinstance(listed, list)
            or not isinstance(gone, list)
            or not all(isinstance(each, str) for each in gone)
        ):
            raise self._broken("'grants' and 'gone' are lists")
        content = _Content(gone=dict.fromkeys(gone))
        for index, each in enumerate(listed):
            grant = self._grant(each, f"grants[{index}]")
            if grant.id in content.grants or grant.id in content.gone or grant.scope != "always":
                raise self._broken(f"grants[{index}] is there twice, was revoked, or is not for 'always'")
            content.grants[grant.id] = grant
        return content

    def _grant(self, data: object, key: str) -> Grant:
        try:
            return Grant.from_dict(data, file=str(self.file), key=key)
        except ConfigError as error:
            raise ConfigError(
                f"{error.reason} {_REMEDY}", file=error.file, key=error.key, example=error.example
            ) from error

    def _encoded(self, content: _Content) -> bytes:
        since = self._clock() - _KEEP_EXPIRED
        kept = [each for each in content.grants.values() if each.expires is None or each.expires > since]
        data = {
            "version": _VERSION,
            "grants": [grant.as_dict() for grant in kept],
            "gone": list(content.gone)[-_KEEP_GONE:],
        }
        # Half of a surrogate pair, which UTF-8 cannot hold, becomes its JSON escape.
        return (json.dumps(data, indent=2, ensure_ascii=False) + "\n").encode("utf-8", "backslashreplace")

    def _broken(self, why: object) -> ConfigError:
        return ConfigError(f"cannot be read ({why}). {_REMEDY}", file=str(self.file))


def _count(content: _Content, grant: Grant) -> None:
    left = (grant.uses or 0) - 1
    if left:
        content.grants[grant.id] = replace(grant, uses=left)
    else:
        del content.grants[grant.id]
        content.gone[grant.id] = None


def _once_each(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for key, value in pairs:
        if key in made:
            raise ValueError(f"the key {key!r} is there twice")
        made[key] = value
    return made


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
