"""The grants that outlive a process: one file of the user's, shared by every process that runs."""

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
    """Seconds since 1970 that only grow: at least as fast as the process's own time passes.

    Args:
        clock: The clock that can be set; the system's when it is not given.
    """

    __slots__ = ("_clock", "_latest", "_since")

    def __init__(self, clock: Callable[[], float] | None = None) -> None:
        self._clock = clock
        self._latest = float("-inf")
        self._since = time.monotonic()

    def __call__(self) -> float:
        """What time it is."""
        if self._clock is not None:  # a clock of somebody's own has nothing to do with the time that passes
            self._latest = max(self._clock(), self._latest)
            return self._latest
        before, self._since = self._since, time.monotonic()
        self._latest = max(time.time(), self._latest + self._since - before)
        return self._latest


FILE = "approvals.json"
VERSION = 2
UNBOUND_VERSION = 1
"""Until then grants held in every directory. Those from prompts match no call any more that depends on facts."""
_KEYS = {"version", "grants", "gone", "forgotten"}
_SETTLED = 100_000_000
"""Nanoseconds: file systems count time in ticks, so a file younger than this may change without showing it."""
_KEEP_EXPIRED = 7 * 24 * 3600
"""Seconds that an expired grant stays to be seen in `export`."""
_KEEP_GONE = 10_000
"""How many used-up and revoked ids are remembered one by one, so that none of them comes back."""
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
_UNTIL_THEN = "until then no stored grant is used and nothing is written."
_REMEDY = f"Mend it, or move it away and approve again; {_UNTIL_THEN}"


@dataclass(slots=True)
class _Content:
    """What the file holds.

    Attributes:
        grants: Those that are not used up, by their ids.
        gone: Ids that were used up or revoked, with the `at` of the grant; None where an older file does not say it.
        forgotten: The latest `at` of a grant that is gone and whose id is not remembered. A grant from before that
            time may be one of those, so none of them comes back, whatever the clock says.
    """

    grants: dict[str, Grant] = field(default_factory=dict)
    gone: dict[str, float | None] = field(default_factory=dict)
    forgotten: float | None = None

    def expired(self, now: float) -> list[Grant]:
        """The grants whose time is over."""
        return [grant for grant in self.grants.values() if grant.expires is not None and grant.expires <= now]

    def end_expired(self, now: float) -> bool:
        """Use up what has expired, so that it does not hold again when the clock is set back; False if nothing has."""
        ended = [grant for grant in self.expired(now) if grant.uses != 0]
        self.grants.update((grant.id, replace(grant, uses=0)) for grant in ended)
        return bool(ended)

    def remove(self, grant: Grant) -> None:
        """Take a grant away for good."""
        del self.grants[grant.id]
        self.gone[grant.id] = grant.at

    def may_come(self, grant: Grant) -> bool:
        """Whether it is certain that the grant is not one that is gone."""
        return grant.id not in self.gone and (self.forgotten is None or grant.at > self.forgotten)

    def tidy(self, now: float) -> None:
        """End what has expired, take away what expired long ago, and forget the oldest of too many ids."""
        self.end_expired(now)
        for grant in self.expired(now - _KEEP_EXPIRED):
            self.remove(grant)
        dated = sorted((at, each) for each, at in self.gone.items() if at is not None)
        for at, each in dated[: max(len(dated) - _KEEP_GONE, 0)]:
            del self.gone[each]
            self.forgotten = at if self.forgotten is None else max(at, self.forgotten)


class GrantStore:
    """The `always` grants in `$HERMES_HOME/approvals.json`. Safe to use from every thread and process at once."""

    def __init__(self, home: str | os.PathLike[str], clock: Callable[[], float] | None = None) -> None:
        self.file = Path(home) / FILE
        self._clock = SteadyClock(clock)
        self._read: tuple[tuple[int, ...], _Content] | None = None

    def grants(self) -> tuple[Grant, ...]:
        """The grants that hold now, with the uses that are left, as the file says at this moment.

        Raises:
            ConfigError: the file cannot be read.
        """
        now = self._clock()
        return tuple(grant for grant in self._ended(now).grants.values() if grant.live(now))

    def add(self, grant: Grant) -> None:
        """Store a grant. One that is there already keeps the uses that it has left.

        Raises:
            ConfigError: it is not for `always`; its id is another grant's, or was used up or revoked; the file cannot
                be read.
            OSError: the file cannot be written.
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
        """Take a grant away, for every process; False when there is none of that id.

        Raises:
            ConfigError: the file cannot be read.
            OSError: the file cannot be written.
        """

        def change(content: _Content) -> bool:
            grant = content.grants.get(id)
            if grant is not None:
                content.remove(grant)
            return grant is not None

        refuse_inside("Grants cannot be revoked")
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
        return [grant.as_dict() for grant in self._ended(self._clock()).grants.values()]

    def _change(self, change: Callable[[_Content], bool]) -> bool:
        """Change what the file holds now; nothing is written when `change` says False, or raises.

        A link stays one: what it leads to is locked and written, as two homes may share it.
        """
        self._read = None
        try:
            target = self.file.resolve()
        except (OSError, RuntimeError) as error:  # which of them depends on the version of Python
            raise self._broken(error) from error
        with file_lock(target):
            content = self._load()[1]
            changed = change(content)
            if changed:
                content.tidy(self._clock())
                write_atomic(target, _encoded(content))
        return changed

    def _ended(self, now: float) -> _Content:
        """What the file holds, after what has expired was ended there for good."""
        content = self._current()
        if any(grant.uses != 0 for grant in content.expired(now)):
            with suppress(OSError):  # a file that cannot be written: in this process they have expired in any case
                self._change(lambda latest: latest.end_expired(now))
                return self._current()
        return content

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
            return _mark_of(self.file.stat())
        except FileNotFoundError:
            return ()
        except OSError as error:
            raise self._broken(error) from error

    def _load(self) -> tuple[tuple[int, ...], _Content]:
        try:
            # Without waiting: a pipe is no file of grants.
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
        """Grants that others could have written allow nothing."""
        if facts.st_uid not in (os.geteuid(), 0):
            raise ConfigError(
                f"belongs to another user (uid {facts.st_uid}). Move it away and approve again; {_UNTIL_THEN}",
                file=str(self.file),
            )
        if facts.st_mode & _OTHERS_WRITE:
            raise ConfigError(
                f"other users may write to it. If what it allows is what you allowed, run `chmod 600 {self.file}`; "
                f"{_UNTIL_THEN}",
                file=str(self.file),
            )

    def _content(self, data: Any) -> _Content:
        if isinstance(data, dict) and (newer := newer_format(data.get("version"), VERSION)):
            remedy = f"Upgrade hermes-core, or move the file away and approve again; {_UNTIL_THEN}"
            raise ConfigError(f"cannot be read ({newer}). {remedy}", file=str(self.file))
        versions = (UNBOUND_VERSION, VERSION)
        if not isinstance(data, dict) or data.get("version") not in versions or set(data) - _KEYS:
            raise self._broken(f"it is no list of approvals of version {VERSION}")
        listed, gone, forgotten = data.get("grants"), data.get("gone", {}), data.get("forgotten")
        if isinstance(gone, list) and all(isinstance(each, str) for each in gone):
            gone = dict.fromkeys(gone)
        if not isinstance(listed, list) or not isinstance(gone, dict):
            raise self._broken("'grants' is a list, and 'gone' an object")
        if not all(_is_time(at) for at in (forgotten, *gone.values())):
            raise self._broken("the times of what is gone are seconds since 1970")
        content = _Content(gone=gone, forgotten=forgotten)
        for index, each in enumerate(listed):
            grant = self._grant(each, f"grants[{index}]")
            if data["version"] == UNBOUND_VERSION:
                grant = as_bound(grant)
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

    def _broken(self, why: object) -> ConfigError:
        return ConfigError(f"cannot be read ({why}). {_REMEDY}", file=str(self.file))


def as_bound(grant: Grant) -> Grant:
    """A grant of a version without facts. One from a prompt names its session, and holds for calls without facts only.

    Every other was made by hand, and holds as it is written.
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
    # Half of a surrogate pair, which UTF-8 cannot hold, becomes its JSON escape.
    return (json.dumps(data, indent=2, ensure_ascii=False) + "\n").encode("utf-8", "backslashreplace")


def _mark_of(facts: os.stat_result) -> tuple[int, ...]:
    return (facts.st_mtime_ns, facts.st_ctime_ns, facts.st_size, facts.st_ino, facts.st_dev)


def _is_time(at: object) -> bool:
    return at is None or (isinstance(at, int | float) and not isinstance(at, bool))


def _once_each(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for key, value in pairs:
        if key in made:
            raise ValueError(f"the key {key!r} is there twice")
        made[key] = value
    return made


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
