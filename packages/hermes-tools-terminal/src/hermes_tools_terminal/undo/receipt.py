"""The receipt of a call that changed files, and its serialized header."""

from __future__ import annotations

import hashlib
import json
import math
import threading
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, cast, get_args

_WORTH_A_THREAD = 256 * 1024
"""Content size from which hashing in a second thread pays off."""


def digest(data: bytes) -> str:
    """Return the SHA-256 of some content."""
    return hashlib.sha256(data).hexdigest()


def digests(first: bytes | None, second: bytes | None) -> tuple[str | None, str | None]:
    """Return the digests of two contents, computed in parallel when both are large; None for missing content."""
    if first is None or second is None or min(len(first), len(second)) < _WORTH_A_THREAD:
        return (None if first is None else digest(first)), (None if second is None else digest(second))
    found: list[str] = []
    thread = threading.Thread(target=lambda: found.append(digest(first)), name="hermes-undo-digest")
    thread.start()
    other = digest(second)
    thread.join()
    return found[0], other


FORMAT = 1
"""Incremented when older versions can no longer read the format."""

State = Literal["running", "unfinished", "done", "undone"]
Kind = Literal["call", "undo", "redo"]


@dataclass(frozen=True, slots=True)
class Version:
    """The state of a file before or after a change; mode, owner and group are None if unknown."""

    sha256: str
    size: int
    mode: int | None = None
    owner: int | None = None
    group: int | None = None


@dataclass(frozen=True, slots=True)
class TouchedFile:
    """A file that a call changed.

    Attributes:
        path: The absolute path, without symbolic links.
        before: The version before the call; None if the file did not exist.
        after: The version after the call; None if the file was removed.
    """

    path: str
    before: Version | None
    after: Version | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """A record of what a call did to files.

    Attributes:
        number: The receipt number; numbers increase and are never reused. 0 if nothing could be stored.
        state: `running` while a process works on it, `unfinished` if that process died, then `done` or `undone`.
        kind: `call`, or `undo` and `redo`, which change files and leave receipts themselves.
        at: The time, in seconds since the epoch.
        tool: The name of the tool.
        call: The id of the call.
        task: The name of the task.
        session: The id of the session.
        place: The name of the filesystem that holds the files.
        files: The files, in the order in which they were changed.
        folders: The directories that were created for them, parents first.
        undoes: The number of the receipt that this one undoes.
        keeps_after: Whether the new contents are stored too, so that an interrupted call can be finished.
        reason: Why it cannot be undone; empty if it can.
    """

    number: int
    state: State
    kind: Kind
    at: float
    tool: str
    call: str
    task: str
    session: str
    place: str
    files: tuple[TouchedFile, ...]
    folders: tuple[str, ...] = ()
    undoes: int | None = None
    keeps_after: bool = False
    reason: str = ""

    @property
    def undoable(self) -> bool:
        """Whether the receipt can be undone."""
        return not self.reason

    def sizes(self) -> list[tuple[int, int]]:
        """Return for each file how many bytes of old and new content are stored."""
        if self.reason:
            return [(0, 0)] * len(self.files)
        return [
            (file.before.size if file.before else 0, file.after.size if file.after and self.keeps_after else 0)
            for file in self.files
        ]

    def facts(self) -> dict[str, Any]:
        """Return the receipt as JSON-compatible data."""
        data = {field.name: getattr(self, field.name) for field in fields(self)}
        data["files"] = [
            {"path": file.path, "before": _version_data(file.before), "after": _version_data(file.after)}
            for file in self.files
        ]
        return {**data, "folders": list(self.folders), "undoable": self.undoable}


def encode(receipt: Receipt) -> bytes:
    """Serialize the header line of a receipt. ASCII, so that undecodable names survive."""
    data = receipt.facts()
    del data["state"]  # part of the file name, which changes atomically
    del data["undoable"]
    return json.dumps({"format": FORMAT, **data}, separators=(",", ":")).encode("ascii") + b"\n"


def decode(line: bytes, number: int, state: State) -> Receipt:
    """Parse the header line of a receipt. Raise `ValueError` if the line is invalid or has an unsupported format."""
    try:
        data = json.loads(line)
        version = data.get("format") if isinstance(data, dict) else None
        if type(version) is int and version > FORMAT:
            raise ValueError(
                f"it was written by a newer version of Hermes (format {version}; this one reads format {FORMAT})"
            )
        if version != FORMAT:
            raise ValueError("it is not a receipt, or was written by another version of Hermes")
        if data["number"] != number:
            raise ValueError("its number does not match its name")
        return _receipt(data, number, state)
    except (KeyError, TypeError, AttributeError, RecursionError, UnicodeError, OverflowError, json.JSONDecodeError):
        raise ValueError("its first line is damaged") from None


def _receipt(data: Mapping[str, Any], number: int, state: State) -> Receipt:
    words = {name: _text(data[name]) for name in ("tool", "call", "task", "session", "place", "reason")}
    kind, undoes, at = data["kind"], data["undoes"], data["at"]
    if kind not in get_args(Kind) or type(data["keeps_after"]) is not bool:
        raise TypeError
    if type(at) not in (int, float) or not math.isfinite(at):
        raise TypeError
    return Receipt(
        number=number,
        state=state,
        kind=cast("Kind", kind),
        at=float(at),
        files=tuple(
            TouchedFile(_path(each["path"]), _side(each["before"]), _side(each["after"])) for each in data["files"]
        ),
        folders=tuple(_path(each) for each in data["folders"]),
        undoes=None if undoes is None else _count(undoes),
        keeps_after=data["keeps_after"],
        **words,
    )


def _version_data(version: Version | None) -> dict[str, Any] | None:
    if version is None:
        return None
    return {
        "sha256": version.sha256,
        "size": version.size,
        "mode": version.mode,
        "owner": version.owner,
        "group": version.group,
    }


def _side(data: Mapping[str, Any] | None) -> Version | None:
    if data is None:
        return None
    numbers = {name: None if data[name] is None else _count(data[name]) for name in ("mode", "owner", "group")}
    if (numbers["mode"] or 0) > 0o7777:
        raise TypeError
    return Version(_text(data["sha256"]), _count(data["size"]), **numbers)


def _path(data: object) -> str:
    path = _text(data)
    if not path.startswith("/") or "\0" in path:
        raise TypeError
    return path


def _text(data: object) -> str:
    if not isinstance(data, str):
        raise TypeError
    return data


def _count(data: object) -> int:
    if type(data) is not int or data < 0:
        raise TypeError
    return data
