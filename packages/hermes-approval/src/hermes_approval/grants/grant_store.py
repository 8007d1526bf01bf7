"""The grants that outlive a process: one file of the user, shared by every process."""

from __future__ import annotations

import json
import os
import stat
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NoReturn

from hermes_approval.grants.grant import Grant
from hermes_core.errors import ConfigError
from hermes_core.settings import refuse_inside
from hermes_files.atomic import file_lock, newer_format, write_atomic


class SteadyClock:
    """Seconds since 1970 that never go back, and grow at least as fast as real time.

    Args:
        clock: A clock that can be set; the system's by default.
    """

    __slots__ = ("_clock", "_latest", "_since")

    def __init__(self, clock: Callable[[], float] | None = None) -> None:
        self._clock = clock
        self._latest = float("-inf")
        self._since = time.monotonic()

    def __call__(self) -> float:
        """Return the time."""
        if self._clock is not None:  # another clock need not follow real time
            self._latest = max(self._clock(), self._latest)
            return self._latest
        before, self._since = self._since, time.monotonic()
        self._latest = max(time.time(), self._latest + self._since - before)
        return self._latest


FILE = "approvals.json"
VERSION = 2
UNBOUND_VERSION = 1
"""The last version without facts. Its grants from prompts no longer match calls that depend on facts."""
_KEYS = {"version", "grants", "gone", "forgotten"}
_SETTLED = 100_000_000
"""Nanoseconds. File systems count time in ticks, so a younger file may change without a new time stamp."""
_KEEP_EXPIRED = 7 * 24 * 3600
"""How many seconds `export` still shows an expired grant."""
_KEEP_GONE = 10_000
"""How many ids of used-up and revoked grants are remembered, so that none of them comes back."""
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
_UNTIL_THEN = "until then no stored grant is used and nothing is written."
_REMEDY = f"Repair it, or move it away and approve again; {_UNTIL_THEN}"


@dataclass(slots=True)
class _Content:
    """The content of the file.

    Attributes:
        grants: The grants that are not used up, by id.
        gone: Ids of used-up and revoked grants, with the `at` of the grant; None if an older file does not say.
        forgotten: The latest `at` of a removed grant whose id is no longer remembered. An older grant may be one of
            those, so it cannot be added, whatever the clock says.
    """

    grants: dict[str, Grant] = field(default_factory=dict)
    gone: dict[str, float | None] = field(default_factory=dict)
    forgotten: float | None = None

    def expired(self, now: float) -> list[Grant]:
        """Return the expired grants."""
        return [grant for grant in self.grants.values() if grant.expires is not None and grant.expires <= now]

    def end_expired(self, now: float) -> bool:
        """Use up the expired grants, so that setting the clock back does not revive them."""
        ended = [grant for grant in self.expired(now) if grant.uses != 0]
        self.grants.update((grant.id, replace(grant, uses=0)) for grant in ended)
        return bool(ended)

    def remove(self, grant: Grant) -> None:
        del self.grants[grant.id]
        self.gone[grant.id] = grant.at

    def may_come(self, grant: Grant) -> bool:
        """Return True if the grant is certainly not a removed one."""
        return grant.id not in self.gone and (self.forgotten is None or grant.at > self.forgotten)

    def tidy(self, now: float) -> None:
        """Drop grants that expired long ago, and the oldest of too many ids."""
        self.end_expired(now)
        for grant in self.expired(now - _KEEP_EXPIRED):
            self.remove(grant)
        dated = sorted((at, each) for each, at in self.gone.items() if at is not None)
        for at, each in dated[: max(len(dated) - _KEEP_GONE, 0)]:
            del self.gone[each]
            self.forgotten = at if self.forgotten is None else max(at, self.forgotten)


class GrantStore:
    """The `always` grants in `$HERMES_HOME/approvals.json`. Safe to use from every thread and process.

    Every method raises `ConfigError` if the file cannot be read, and `OSError` if it has to be written and cannot.
    """

    def __init__(self, home: str | os.PathLike[str], clock: Callable[[], float] | None = None) -> None:
        self.file = Path(home) / FILE
        self._clock = SteadyClock(clock)
        self._read: tuple[tuple[int, ...], _Content] | None = None

    def grants(self) -> tuple[Grant, ...]:
        """Return the live grants with the uses left, as the file says at this moment."""
        now = self._clock()
        return tuple(grant for grant in self._ended(now).grants.values() if grant.live(now))

    def add(self, grant: Grant) -> None:
        """Store a grant. A grant that is already stored keeps the uses it has left.

        Raises:
            ConfigError: it is not for `always`, another grant has its id, or it was used up or revoked.
        """
        refuse_inside("Grants cannot be added")
        if grant.scope != "always":
            raise ConfigError(f"only grants for 'always' are stored, not for {grant.scope!r}.", key=grant.id)

        def change(content: _Content) -> bool:
            known = content.grants.get(grant.id)
            if known is None and not content.may_come(grant):
                why = "was" if grant.id in content.gone else "is so old that it may have been"
                raise ConfigError(f"this grant {why} used up or revoked. Make a new one.", key=grant.id)
            if known is not None and replace(known, uses=grant.uses).as_dict() != grant.as_dict():
                raise ConfigError("there is another grant with this id.", file=str(self.file), key=grant.id)
            content.grants.setdefault(grant.id, grant)
            return known is None

        self._change(change)

    def revoke(self, id: str) -> bool:
        """Remove a grant for every process; False if there is none with that id."""

        def change(content: _Content) -> bool:
            grant = content.grants.get(id)
            if grant is not None:
                content.remove(grant)
            return grant is not None

        refuse_inside("Grants cannot be revoked")
        return id in self._current().grants and self._change(change)

    def consume(self, *ids: str) -> bool:
        """Use each of these grants once, or none of them; False if one is no longer live."""
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
        """Return all stored grants as plain JSON, including recently expired ones."""
        return [grant.as_dict() for grant in self._ended(self._clock()).grants.values()]

    def _change(self, change: Callable[[_Content], bool]) -> bool:
        """Change the content under the file's lock; nothing is written if `change` returns False or raises.

        A link stays a link: its target is locked and written, as two homes may share it.
        """
        self._read = None
        try:
            target = self.file.resolve()
        except (OSError, RuntimeError) as error:  # depending on the version of Python
            raise self._broken(error) from error
        with file_lock(target):
            content = self._load()[1]
            changed = change(content)
            if changed:
                content.tidy(self._clock())
                write_atomic(target, _encoded(content))
        return changed

    def _ended(self, now: float) -> _Content:
        """Return the content after marking expired grants as permanently ended."""
        content = self._current()
        if any(grant.uses != 0 for grant in content.expired(now)):
            with suppress(OSError):  # in this process they have expired even if the file cannot be written
                self._change(lambda latest: latest.end_expired(now))
                return self._current()
        return content

    def _current(self) -> _Content:
        """Return the content, read again only if the file changed. Callers do not change it."""
        read = self._read
        if read is None or read[0] != self._mark():
            read = self._load()
            settled = not read[0] or time.time_ns() - read[0][0] > _SETTLED
            self._read = read if settled else None
        return read[1]

    def _mark(self) -> tuple[int, ...]:
        try:
            return _mark_of(self.file.stat())
        except FileNotFoundError:
            return ()
        except OSError as error:
            raise self._broken(error) from error

    def _load(self) -> tuple[tuple[int, ...], _Content]:
        try:
            # Do not block: it may be a pipe.
            descriptor = os.open(self.file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except FileNotFoundError:
            return (), _Content()
        except OSError as error:
            raise self._broken(error) from error
        try:
            facts = os.fstat(descriptor)
            if not stat.S_ISREG(facts.st_mode):
                raise self._broken("it is not a file")
            self._require_trust(facts)
            with os.fdopen(descriptor, "rb", closefd=False) as file:
                data = json.loads(file.read(), object_pairs_hook=_once_each, parse_constant=_no_constant)
        except (OSError, ValueError, RecursionError) as error:
            raise self._broken(error) from error
        finally:
            os.close(descriptor)
        return _mark_of(facts), self._content(data)

    def _require_trust(self, facts: os.stat_result) -> None:
        """Refuse a file that other users could have written."""
        if facts.st_uid not in (os.geteuid(), 0):
            raise ConfigError(
                f"belongs to another user (uid {facts.st_uid}). Move it away and approve again; {_UNTIL_THEN}",
                file=str(self.file),
            )
        if facts.st_mode & _OTHERS_WRITE:
            raise ConfigError(
                f"other users may write to it. If you allowed everything in it, run `chmod 600 {self.file}`; "
                f"{_UNTIL_THEN}",
                file=str(self.file),
            )

    def _content(self, data: Any) -> _Content:
        if isinstance(data, dict) and (newer := newer_format(data.get("version"), VERSION)):
            remedy = f"Upgrade hermes-approval, or move the file away and approve again; {_UNTIL_THEN}"
            raise ConfigError(f"cannot be read ({newer}). {remedy}", file=str(self.file))
        versions = (UNBOUND_VERSION, VERSION)
        if not isinstance(data, dict) or data.get("version") not in versions or set(data) - _KEYS:
            raise self._broken(f"it is not a list of approvals of version {VERSION}")
        listed, gone, forgotten = data.get("grants"), data.get("gone", {}), data.get("forgotten")
        if isinstance(gone, list) and all(isinstance(each, str) for each in gone):
            gone = dict.fromkeys(gone)
        if not isinstance(listed, list) or not isinstance(gone, dict):
            raise self._broken("'grants' must be a list, and 'gone' an object")
        if not all(_is_time(at) for at in (forgotten, *gone.values())):
            raise self._broken("the times of removed grants must be seconds since 1970")
        content = _Content(gone=gone, forgotten=forgotten)
        for index, each in enumerate(listed):
            grant = self._grant(each, f"grants[{index}]")
            if data["version"] == UNBOUND_VERSION:
                grant = as_bound(grant)
            if grant.id in content.grants or grant.id in content.gone or grant.scope != "always":
                raise self._broken(f"grants[{index}] is a duplicate, was revoked, or is not for 'always'")
            content.grants[grant.id] = grant
        return content

    def _grant(self, data: object, key: str) -> Grant:
        try:
            return Grant.from_dict(data, file=str(self.file), key=key)
        except ConfigError as error:
            raise ConfigError(
                f"{error.reason} {_REMEDY}", file=error.file, key=error.key, example=error.example
            ) from error

    def _broken(self, why: object) -> ConfigError:
        return ConfigError(f"cannot be read ({why}). {_REMEDY}", file=str(self.file))


def as_bound(grant: Grant) -> Grant:
    """Convert a grant of a version without facts. One from a prompt has a session, and only matches calls without
    facts. All others were made by hand, and stay the same.
    """
    return replace(grant, bound=()) if grant.session is not None and grant.bound is None else grant


def _count(content: _Content, grant: Grant) -> None:
    left = (grant.uses or 0) - 1
    if left:
        content.grants[grant.id] = replace(grant, uses=left)
    else:
        content.remove(grant)


def _encoded(content: _Content) -> bytes:
    data: dict[str, Any] = {
        "version": VERSION,
        "grants": [grant.as_dict() for grant in content.grants.values()],
        "gone": content.gone,
    }
    if content.forgotten is not None:
        data["forgotten"] = content.forgotten
    # A lone surrogate, which UTF-8 cannot encode, becomes its JSON escape.
    return (json.dumps(data, indent=2, ensure_ascii=False) + "\n").encode("utf-8", "backslashreplace")


def _mark_of(facts: os.stat_result) -> tuple[int, ...]:
    return (facts.st_mtime_ns, facts.st_ctime_ns, facts.st_size, facts.st_ino, facts.st_dev)


def _is_time(at: object) -> bool:
    return at is None or (isinstance(at, int | float) and not isinstance(at, bool))


def _once_each(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for key, value in pairs:
        if key in made:
            raise ValueError(f"the key {key!r} occurs twice")
        made[key] = value
    return made


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
