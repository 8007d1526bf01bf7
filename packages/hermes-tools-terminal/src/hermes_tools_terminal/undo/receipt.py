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
"""Below so many bytes a digest is made sooner than a thread is started."""


def digest(data: bytes) -> str:
    """The digest of a content."""
    return hashlib.sha256(data).hexdigest()


def digests(first: bytes | None, second: bytes | None) -> tuple[str | None, str | None]:
    """Those of two contents, side by side when both are large; None for what is not there."""
    if first is None or second is None or min(len(first), len(second)) < _WORTH_A_THREAD:
        return (None if first is None else digest(first)), (None if second is None else digest(second))
    found: list[str] = []
    thread = threading.Thread(target=lambda: found.append(digest(first)), name="hermes-undo-digest")
    thread.start()
    other = digest(second)
    thread.join()
    return found[0], other


FORMAT = 1
"""Counted up when older programs could not read it any more."""

State = Literal["running", "unfinished", "done", "undone"]
Kind = Literal["call", "undo", "redo"]


@dataclass(frozen=True, slots=True)
class Version:
    """What a file is on one side of a change.

    Attributes:
        sha256: The digest of its content.
        size: In bytes.
        mode: Its permissions; None when the place decides.
        owner: The number of its owner; None when the place decides.
        group: The number of its group; None when the place decides.
    """

    sha256: str
    size: int
    mode: int | None = None
    owner: int | None = None
    group: int | None = None


@dataclass(frozen=True, slots=True)
class TouchedFile:
    """One file of a call.

    Attributes:
        path: Where it is: absolute and without links.
        before: What it was; None when it was not there.
        after: What it became; None when it was removed.
    """

    path: str
    before: Version | None
    after: Version | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What a call has done to files.

    Attributes:
        number: Which one it is; numbers grow and are never given twice. 0 when nothing could be kept.
        state: `running` while a process works at it, `unfinished` when that process ended half-way, `done`, `undone`.
        kind: `undo` and `redo` are themselves changes of files, and leave receipts as calls do.
        at: When, in seconds since 1970.
        tool: Which tool.
        call: The id of the call.
        task: Whose task it was.
        session: In which session.
        place: The name of the tree that the files are in.
        files: The files, in the order in which they were changed.
        folders: The folders that were made for them, each after the one that holds it.
        undoes: The receipt that this one takes back.
        keeps_after: Whether the new contents are kept as well, so that it can be finished when it was interrupted.
        reason: Why it cannot be undone; empty when it can.
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
        """Whether what is needed to undo it was kept."""
        return not self.reason

    def sizes(self) -> list[tuple[int, int]]:
        """For each file, how many bytes of its old and of its new content are kept."""
        if self.reason:
            return [(0, 0)] * len(self.files)
        return [
            (file.before.size if file.before else 0, file.after.size if file.after and self.keeps_after else 0)
            for file in self.files
        ]

    def facts(self) -> dict[str, Any]:
        """All of it as JSON takes it."""
        told = {field.name: getattr(self, field.name) for field in fields(self)}
        told["files"] = [
            {"path": file.path, "before": _told(file.before), "after": _told(file.after)} for file in self.files
        ]
        return {**told, "folders": list(self.folders), "undoable": self.undoable}


def encode(receipt: Receipt) -> bytes:
    """The line at the top of a receipt's file. ASCII, so that names which are no text come back as they were."""
    told = receipt.facts()
    del told["state"]  # is told by the file's name, which changes at once or not at all
    del told["undoable"]
    return json.dumps({"format": FORMAT, **told}, separators=(",", ":")).encode("ascii") + b"\n"


def decode(line: bytes, number: int, state: State) -> Receipt:
    """What such a line says.

    Args:
        line: The line.
        number: The receipt's number by its name.
        state: Its state by its name.

    Raises:
        ValueError: it is none, or one of another version.
    """
    try:
        told = json.loads(line)
        version = told.get("format") if isinstance(told, dict) else None
        if type(version) is int and version > FORMAT:
            raise ValueError(
                f"it was written by a newer version of Hermes (format {version}; this one reads format {FORMAT})"
            )
        if version != FORMAT:
            raise ValueError("it is no receipt, or one of another version of Hermes")
        if told["number"] != number:
            raise ValueError("it has the name of another receipt")
        return _receipt(told, number, state)
    except (KeyError, TypeError, AttributeError, RecursionError, UnicodeError, OverflowError, json.JSONDecodeError):
        raise ValueError("its first line is damaged") from None


def _receipt(told: Mapping[str, Any], number: int, state: State) -> Receipt:
    words = {name: _text(told[name]) for name in ("tool", "call", "task", "session", "place", "reason")}
    kind, undoes, at = told["kind"], told["undoes"], told["at"]
    if kind not in get_args(Kind) or type(told["keeps_after"]) is not bool:
        raise TypeError
    if type(at) not in (int, float) or not math.isfinite(at):
        raise TypeError
    return Receipt(
        number=number,
        state=state,
        kind=cast("Kind", kind),
        at=float(at),
        files=tuple(
            TouchedFile(_path(each["path"]), _side(each["before"]), _side(each["after"])) for each in told["files"]
        ),
        folders=tuple(_path(each) for each in told["folders"]),
        undoes=None if undoes is None else _count(undoes),
        keeps_after=told["keeps_after"],
        **words,
    )


def _told(version: Version | None) -> dict[str, Any] | None:
    if version is None:
        return None
    return {
        "sha256": version.sha256,
        "size": version.size,
        "mode": version.mode,
        "owner": version.owner,
        "group": version.group,
    }


def _side(told: Mapping[str, Any] | None) -> Version | None:
    if told is None:
        return None
    numbers = {name: None if told[name] is None else _count(told[name]) for name in ("mode", "owner", "group")}
    if (numbers["mode"] or 0) > 0o7777:
        raise TypeError
    return Version(_text(told["sha256"]), _count(told["size"]), **numbers)


def _path(told: object) -> str:
    path = _text(told)
    if not path.startswith("/") or "\0" in path:
        raise TypeError
    return path


def _text(told: object) -> str:
    if not isinstance(told, str):
        raise TypeError
    return told


def _count(told: object) -> int:
    if type(told) is not int or told < 0:
        raise TypeError
    return told
