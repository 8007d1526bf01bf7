"""What changed between two locks: which tools and versions, and the text diff of each definition."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from difflib import SequenceMatcher
from typing import Any, Literal

from hermes_core.plugins.lock.lockfile import Lock, LockedPlugin, LockedTool

Kind = Literal["added", "removed", "changed"]

_MAX_COMPARED = 1_000
"""Lines that differ between two definitions: the time to match them grows faster than their number."""
_CONTEXT = 2
"""Unchanged lines that are shown around a change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One tool that is not what it was.

    Attributes:
        tool: Its name.
        plugin: The plugin that brings it; of a removed one, that brought it.
        kind: What happened to it.
        fields: The parts of its definition that changed, such as `effects`; empty unless it changed.
        diff: The text diff of its definition. Lines start with `+`, `-`, a space, or `@@` and the place.
        token_delta: How many tokens more every request costs.
    """

    tool: str
    plugin: str
    kind: Kind
    fields: list[str]
    diff: list[str]
    token_delta: int


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionChange:
    """One plugin that comes from another distribution, or in another version.

    Attributes:
        plugin: Its name.
        kind: What happened to it.
        distribution: Where it comes from; of a removed one, came from.
        before: The version it had.
        after: The version it has.
        distribution_before: Where it came from, if that changed.
    """

    plugin: str
    kind: Kind
    distribution: str | None
    before: str | None
    after: str | None
    distribution_before: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Differences:
    """Everything that differs between two locks, sorted by name; false when nothing does."""

    changes: tuple[Change, ...] = ()
    versions: tuple[VersionChange, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.changes or self.versions)

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON."""
        return {
            "changes": [asdict(each) for each in self.changes],
            "versions": [asdict(each) for each in self.versions],
        }


def compare(before: Lock, after: Lock) -> Differences:
    """Return what is different in `after`."""
    tools = (
        _change(name, before.tools.get(name), after.tools.get(name)) for name in sorted({*before.tools, *after.tools})
    )
    plugins = (
        _version_change(name, before.plugins.get(name), after.plugins.get(name))
        for name in sorted({*before.plugins, *after.plugins})
    )
    return Differences(changes=tuple(filter(None, tools)), versions=tuple(filter(None, plugins)))


def _kind(before: object, after: object) -> Kind:
    return "added" if before is None else "removed" if after is None else "changed"


def _version_change(name: str, before: LockedPlugin | None, after: LockedPlugin | None) -> VersionChange | None:
    if before == after:
        return None
    was, now = before or LockedPlugin(name=name), after or LockedPlugin(name=name)
    is_moved = before is not None and after is not None and was.distribution != now.distribution
    return VersionChange(
        plugin=name,
        kind=_kind(before, after),
        distribution=now.distribution if after is not None else was.distribution,
        before=was.version,
        after=now.version,
        distribution_before=was.distribution if is_moved else None,
    )


def _change(name: str, before: LockedTool | None, after: LockedTool | None) -> Change | None:
    if before is not None and after is not None and before.digest == after.digest:
        return None
    old, new = before.definition if before else [], after.definition if after else []
    return Change(
        tool=name,
        plugin=after.plugin if after else before.plugin if before else "",
        kind=_kind(before, after),
        fields=_changed_fields(old, new) if before and after else [],
        diff=list(_diff(old, new)),
        token_delta=(after.tokens if after else 0) - (before.tokens if before else 0),
    )


def _changed_fields(old: list[str], new: list[str]) -> list[str]:
    was, now = _by_field(old), _by_field(new)
    return [field for field in {**now, **was} if was.get(field) != now.get(field)]


def _by_field(lines: list[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    field = ""
    for line in lines:
        if not line.startswith(" "):
            field = line.partition(":")[0]
        found.setdefault(field, []).append(line)
    return found


def _diff(old: list[str], new: list[str]) -> Iterator[str]:
    """Yield the lines of a diff; each group of changes follows a line that says where in the definition it is."""
    start = _same_lines(old, new)
    end = _same_lines(old[start:][::-1], new[start:][::-1])
    if max(len(old), len(new)) - start - end > _MAX_COMPARED:  # everything in between is shown as replaced
        groups = [[("replace", start, len(old) - end, start, len(new) - end)]]
    else:
        groups = list(SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(_CONTEXT))
    for group in groups:
        place = _place(new, group[0][3]) if new else ""
        if place:
            yield f"@@ {place}"
        for tag, old_start, old_end, new_start, new_end in group:
            if tag == "equal":
                yield from (f"  {line}" for line in old[old_start:old_end])
            else:
                yield from (f"- {line}" for line in old[old_start:old_end])
                yield from (f"+ {line}" for line in new[new_start:new_end])


def _same_lines(old: list[str], new: list[str]) -> int:
    """Return how many lines two texts have in common at their start."""
    differing = (at for at, (one, other) in enumerate(zip(old, new, strict=False)) if one != other)
    return next(differing, min(len(old), len(new)))


def _place(lines: list[str], at: int) -> str:
    """Return the way to a line: the labels above it that are indented less."""
    steps: list[str] = []
    indent = _indent(lines[at]) if at < len(lines) else 0
    for line in reversed(lines[:at]):
        if _indent(line) < indent:
            indent = _indent(line)
            steps.append(line.strip().removesuffix(":"))
    return ".".join(reversed(steps))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))
