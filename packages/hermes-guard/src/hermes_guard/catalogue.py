"""Lists every rule id that a finding can carry: command rules, path rules, and findings of the reader itself."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hermes_guard.guard import MAX_LENGTH, Guard
from hermes_guard.shell.reader_state import MAX_DEPTH
from hermes_guard.verdict import Severity


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One rule as shown in a list."""

    id: str
    #: The rule family; `path` and `reading` for rules that are not about commands.
    family: str
    severity: Severity
    reason: str
    effects: frozenset[str] = frozenset()
    match: tuple[str, ...] = ()
    not_match: tuple[str, ...] = ()
    #: For rules about paths: `read`, `write`.
    ops: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return the entry as plain JSON data."""
        return {
            "id": self.id,
            "family": self.family,
            "severity": self.severity,
            "reason": self.reason,
            "effects": sorted(self.effects),
            "match": list(self.match),
            "not_match": list(self.not_match),
            "ops": list(self.ops),
        }


def _reading(id: str, reason: str, match: str, not_match: str) -> Entry:
    return Entry(
        id=id,
        family="reading",
        severity="ask",
        reason=reason,
        effects=frozenset({"unknown"}),
        match=(match,) if match else (),
        not_match=(not_match,) if not_match else (),
    )


READING = (
    _reading("guard.failed", "the guard itself failed; its log says how", "", "ls"),
    _reading(
        "shell.too-deep", f"shell code is nested more than {MAX_DEPTH} deep", "sudo " * 20 + "ls", "sudo sh -c 'ls'"
    ),
    _reading("shell.too-long", f"there is too much to read: {MAX_LENGTH:,} characters at most", "", "ls"),
    _reading("shell.unknown-code", "a shell reads code that nobody knows before it runs", "cat x | sh", "sh -c 'ls'"),
    _reading("shell.unknown-command", "the name of the command is not certain", "$CMD x", "x=ls; $x"),
    _reading("shell.unknown-state", "an earlier command may have changed what this one means", "", "ls"),
    _reading("shell.unreadable", "the text is not complete shell code", "echo 'a", "echo 'a'"),
    _reading(
        "text.deceptive",
        "the text is not what it looks like: escapes, invisible, turned or look-alike characters",
        "l\u200bs",
        "echo 'naïve 日本語'",
    ),
)
"""Findings of the reader."""


def _path(id: str, reason: str, ops: tuple[str, ...] = ("read", "write")) -> Entry:
    return Entry(id=id, family="path", severity="ask", reason=reason, effects=frozenset(ops), ops=ops)


PATHS = (
    _path("path.control-character", "The path holds control characters, which hide what it names."),
    _path("path.deceptive", "The path holds invisible characters, or such that turn the direction of text around."),
    _path("path.device", "It is a device, not a file."),
    _path("path.empty", "The path is empty."),
    _path("path.fifo", "It is a pipe: whoever opens it waits for the other end."),
    _path("path.malformed", "It is not a path."),
    _path("path.other-home", "It lies in the home of somebody else.", ("write",)),
    _path("path.outside-workspace", "It lies outside of the workspace, the home and temporary folders.", ("write",)),
    _path("path.root-folder", "It lies directly in the root of the file system.", ("write",)),
    _path("path.socket", "It is a socket: a program listens there."),
    _path("path.too-long", "No file has so long a path."),
    _path("path.unresolved", "Links on the way to it cannot be followed."),
)
"""Findings about a path that come from checks instead of rules."""


def catalogue(guard: Guard) -> tuple[Entry, ...]:
    """Return every rule of a guard, by id."""
    found = {entry.id: entry for entry in (*READING, *PATHS)}
    # A path rule is more specific than the list above, and user rules override both.
    found |= {entry.id: entry for entry in _of_paths(guard)}
    found |= {entry.id: entry for entry in _of_families(guard)}
    return tuple(entry for _, entry in sorted(found.items()))


def _of_families(guard: Guard) -> Iterator[Entry]:
    for family in guard.families:
        for rule in family.rules:
            yield Entry(
                id=rule.id,
                family=family.name,
                severity=rule.severity,
                reason=rule.reason,
                effects=rule.effects,
                match=rule.match,
                not_match=rule.not_match,
            )


def _of_paths(guard: Guard) -> Iterator[Entry]:
    for rule in guard.paths.rules:
        yield Entry(
            id=rule.id,
            family="path",
            severity=rule.severity,
            reason=rule.reason,
            effects=rule.effects | set(rule.ops),
            match=rule.match,
            not_match=rule.not_match,
            ops=rule.ops,
        )
