"""Lists every rule id that a finding can carry: command rules, path rules, and findings of the reader itself."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from hermes_guard.guard import MAX_LENGTH, Guard
from hermes_guard.paths.rule import PathRule
from hermes_guard.rules import registry
from hermes_guard.rules.family import Family, Rule
from hermes_guard.shell.reader_state import MAX_DEPTH
from hermes_guard.verdict import Severity

EXAMPLES = Path(__file__).with_name("examples")
"""The examples of the built-in rules, one TOML file per group. Judging does not read them."""


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


def _reading(id: str, reason: str) -> Entry:
    return Entry(id=id, family="reading", severity="ask", reason=reason, effects=frozenset({"unknown"}))


READING = (
    _reading("guard.failed", "the guard itself failed; its log says how"),
    _reading("shell.too-deep", f"shell code is nested more than {MAX_DEPTH} deep"),
    _reading("shell.too-long", f"there is too much to read: {MAX_LENGTH:,} characters at most"),
    _reading("shell.unknown-code", "a shell reads code that is unknown until it runs"),
    _reading("shell.unknown-command", "the name of the command is not certain"),
    _reading("shell.unknown-state", "an earlier command may have changed what this one means"),
    _reading("shell.unreadable", "the text is not complete shell code"),
    _reading(
        "text.deceptive", "the text is not what it looks like: escapes, invisible, reversed or look-alike characters"
    ),
)
"""Findings of the reader."""


def _path(id: str, reason: str, ops: tuple[str, ...] = ("read", "write")) -> Entry:
    return Entry(id=id, family="path", severity="ask", reason=reason, effects=frozenset(ops), ops=ops)


PATHS = (
    _path("path.control-character", "The path contains control characters, which hide what it names."),
    _path(
        "path.deceptive", "The path contains invisible characters, or characters that reverse the direction of text."
    ),
    _path("path.device", "It is a device, not a file."),
    _path("path.empty", "The path is empty."),
    _path("path.fifo", "It is a pipe: a program that opens it waits for the other end."),
    _path("path.malformed", "It is not a path."),
    _path("path.other-home", "It is in the home directory of another user.", ("write",)),
    _path(
        "path.outside-workspace",
        "It is outside the workspace, the home directory and temporary directories.",
        ("write",),
    ),
    _path("path.root-folder", "It is directly in the root directory.", ("write",)),
    _path("path.socket", "It is a socket: a program listens there."),
    _path("path.too-long", "The path is too long for any file."),
    _path("path.unresolved", "Symbolic links in the path cannot be resolved."),
)
"""Findings about a path that come from checks instead of rules."""


def catalogue(guard: Guard) -> tuple[Entry, ...]:
    """Return every rule of a guard with its examples, by id."""
    builtin = [*READING, *PATHS]
    own: list[Entry] = []
    # A path rule is more specific than the list above, and user rules override both.
    for rule in guard.paths.rules:
        (own if rule.id in guard.paths.added else builtin).append(_of_path(rule))
    for family in guard.families:
        (builtin if family in registry.families() else own).extend(_of_command(family, rule) for rule in family.rules)
    found = {entry.id: entry for entry in (*map(_with_examples, builtin), *own)}
    return tuple(entry for _, entry in sorted(found.items()))


@cache
def load_examples() -> Mapping[str, Mapping[str, list[str]]]:
    """Load the examples of the built-in rules by id and kind: `match` and `not_match`."""
    import tomllib

    found: dict[str, dict[str, list[str]]] = {}
    for file in sorted(EXAMPLES.glob("*.toml")):
        found |= tomllib.loads(file.read_text(encoding="utf-8"))
    return found


def _with_examples(entry: Entry) -> Entry:
    examples = load_examples().get(entry.id, {})
    match, not_match = (tuple(examples.get(kind, ())) for kind in ("match", "not_match"))
    return replace(entry, match=match or entry.match, not_match=not_match or entry.not_match)


def _of_command(family: Family, rule: Rule) -> Entry:
    return Entry(
        id=rule.id,
        family=family.name,
        severity=rule.severity,
        reason=rule.reason,
        effects=rule.effects,
        match=rule.match,
        not_match=rule.not_match,
    )


def _of_path(rule: PathRule) -> Entry:
    return Entry(
        id=rule.id,
        family="path",
        severity=rule.severity,
        reason=rule.reason,
        effects=rule.effects | set(rule.ops),
        match=rule.match,
        not_match=rule.not_match,
        ops=rule.ops,
    )
