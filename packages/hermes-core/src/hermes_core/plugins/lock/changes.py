"""What changed between two locks: which tools and versions, and the text diff of each definition."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Any, Literal, NamedTuple

from hermes_core.plugins.lock.lockfile import Lock, LockedPlugin, LockedTool

Kind = Literal["added", "removed", "changed"]

_MAX_COMPARED = 1_000
"""Lines of definitions that are matched with each other: the time for it grows faster than their number."""


class Change(NamedTuple):
    """One tool that is not what it was; a removed one is described as it was.

    `fields` names the parts of its definition that changed, `diff` has the lines that did, after `+` or `-`, and
    `token_delta` is how many tokens more every request costs.
    """

    tool: str
    plugin: str
    kind: Kind
    fields: list[str]
    diff: list[str]
    token_delta: int


class VersionChange(NamedTuple):
    """One plugin that comes from another distribution, or in another version; a removed one as it was."""

    plugin: str
    kind: Kind
    distribution: str | None
    before: str | None
    after: str | None
    distribution_before: str | None = None
    """Where it came from, if that changed."""


class Differences(NamedTuple):
    """Everything that differs between two locks, sorted by name; false when nothing does."""

    changes: tuple[Change, ...] = ()
    versions: tuple[VersionChange, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.changes or self.versions)

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON."""
        return {name: [each._asdict() for each in part] for name, part in self._asdict().items()}


def compare(before: Lock, after: Lock) -> Differences:
    """Return what is different in `after`."""
    tools = sorted({*before.tools, *after.tools})
    plugins = sorted({*before.plugins, *after.plugins})
    changes = (_change(name, before.tools.get(name), after.tools.get(name)) for name in tools)
    versions = (_version_change(name, before.plugins.get(name), after.plugins.get(name)) for name in plugins)
    return Differences(tuple(filter(None, changes)), tuple(filter(None, versions)))


def _kind(before: object, after: object) -> Kind:
    return "added" if before is None else "removed" if after is None else "changed"


def _version_change(name: str, before: LockedPlugin | None, after: LockedPlugin | None) -> VersionChange | None:
    if before == after:
        return None
    was, now = before or LockedPlugin(), after or LockedPlugin()
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
    if before and after and before.digest == after.digest:
        return None
    nothing = LockedTool(plugin="", tokens=0, digest="", definition=[])
    was, now = before or nothing, after or nothing
    diff = list(_diff(was.definition, now.definition))
    fields = [re.split(r"[.:\[]", line[2:], maxsplit=1)[0] for line in diff] if before and after else []
    return Change(
        tool=name,
        plugin=now.plugin or was.plugin,
        kind=_kind(before, after),
        fields=list(dict.fromkeys(fields)),
        diff=diff,
        token_delta=now.tokens - was.tokens,
    )


def _diff(old: list[str], new: list[str]) -> Iterator[str]:
    """Yield the lines that were removed and added; a very long definition is shown as replaced."""
    if max(len(old), len(new)) > _MAX_COMPARED:
        yield from (f"- {line}" for line in old)
        yield from (f"+ {line}" for line in new)
        return
    for tag, old_start, old_end, new_start, new_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            yield from (f"- {line}" for line in old[old_start:old_end])
            yield from (f"+ {line}" for line in new[new_start:new_end])
