"""What changed between two locks, in words that somebody can decide by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from hermes_core.plugins.lock.digest import compact, tokens
from hermes_core.plugins.lock.lockfile import Lock, LockedTool
from hermes_core.plugins.lock.schema_changes import TEXT_ONLY, schema_changes
from hermes_core.plugins.lock.wording import shown

Kind = Literal["added", "removed", "changed"]

_LISTS = {
    "effects": ("new effects", "fewer effects", "effect"),
    "aliases": ("new aliases", "fewer aliases", "alias"),
    "needs": ("new needs", "fewer needs", "needed service"),
    "requires_env": ("new environment", "less environment", "environment variable"),
}
"""Fields that are lists of words: the labels for more and for less, and what one word is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One tool that is not what it was.

    Attributes:
        tool: Its name.
        plugin: The plugin that brings it; of a removed one, that brought it.
        kind: What happened to it.
        labels: What kinds of change it is, sorted by weight: see `SchemaChanges`, and `new effects`, `fewer effects`,
            `other plugin`, `renamed toolset` and the like.
        details: One sentence for each change.
        token_delta: How many tokens more every request costs.
    """

    tool: str
    plugin: str
    kind: Kind
    labels: tuple[str, ...] = ()
    details: tuple[str, ...] = ()
    token_delta: int = 0

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        return asdict(self) | {"labels": list(self.labels), "details": list(self.details)}


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionChange:
    """One plugin that comes from elsewhere, or in another version.

    Attributes:
        plugin: Its name.
        kind: What happened to it.
        distribution: Where it comes from; of a removed one, came from.
        before: The version it had.
        after: The version it has.
        distribution_before: Where it came from, when that was elsewhere.
    """

    plugin: str
    kind: Kind
    distribution: str | None
    before: str | None
    after: str | None
    distribution_before: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Differences:
    """Everything that differs between two locks, sorted by name; false when nothing does."""

    changes: tuple[Change, ...] = ()
    versions: tuple[VersionChange, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.changes or self.versions)

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        return {
            "changes": [change.as_dict() for change in self.changes],
            "versions": [change.as_dict() for change in self.versions],
        }


def compare(before: Lock, after: Lock) -> Differences:
    """What is different in `after`."""
    return Differences(changes=tuple(_changes(before, after)), versions=tuple(_versions(before, after)))


def _versions(before: Lock, after: Lock) -> Iterator[VersionChange]:
    for name in sorted({*before.plugins, *after.plugins}):
        was, now = before.plugins.get(name), after.plugins.get(name)
        if was is None and now is not None:
            yield VersionChange(
                plugin=name, kind="added", distribution=now.distribution, before=None, after=now.version
            )
        elif was is not None and now is None:
            yield VersionChange(
                plugin=name, kind="removed", distribution=was.distribution, before=was.version, after=None
            )
        elif was is not None and now is not None and was != now:
            yield VersionChange(
                plugin=name,
                kind="changed",
                distribution=now.distribution,
                before=was.version,
                after=now.version,
                distribution_before=was.distribution if was.distribution != now.distribution else None,
            )


def _changes(before: Lock, after: Lock) -> Iterator[Change]:
    for name in sorted({*before.tools, *after.tools}):
        was, now = before.tools.get(name), after.tools.get(name)
        if was is None and now is not None:
            yield _added(now)
        elif was is not None and now is None:
            yield Change(tool=name, plugin=was.plugin, kind="removed", token_delta=-tokens(was.definition))
        elif was is not None and now is not None and (was.plugin, was.digest) != (now.plugin, now.digest):
            yield _changed(was, now)


def _added(tool: LockedTool) -> Change:
    effects = tool.definition.get("effects", [])
    return Change(
        tool=tool.name,
        plugin=tool.plugin,
        kind="added",
        labels=("new effects",) if effects else (),
        details=(f"effects: {', '.join(effects)}" if effects else "declares no effects",),
        token_delta=tokens(tool.definition),
    )


def _changed(before: LockedTool, after: LockedTool) -> Change:
    was, now = before.definition, after.definition
    labels: list[str] = []
    details: list[str] = []
    if before.plugin != after.plugin:
        labels.append("other plugin")
        details.append(f"plugin was {before.plugin!r}, is {after.plugin!r} (other plugin)")
    if was.get("toolset") != now.get("toolset"):
        labels.append("renamed toolset")
        details.append(f"toolset was {was.get('toolset')!r}, is {now.get('toolset')!r} (renamed toolset)")
    for field in _LISTS:
        _compare_words(field, was, now, labels, details)
    if compact(was.get("argument_aliases", {})) != compact(now.get("argument_aliases", {})):
        labels.append("argument aliases")
        texts = [shown(side.get("argument_aliases", {})) for side in (was, now)]
        details.append(f"argument_aliases were {texts[0]}, are {texts[1]} (argument aliases)")
    schema = schema_changes(was.get("parameters"), now.get("parameters"))
    is_described_anew = was.get("description", "") != now.get("description", "")
    if is_described_anew:
        details.append(_described(was.get("description", ""), now.get("description", "")))
    if is_described_anew and not labels and not schema.labels:
        labels.append(TEXT_ONLY)
    labels += [label for label in schema.labels if label != TEXT_ONLY or not labels]
    return Change(
        tool=after.name,
        plugin=after.plugin,
        kind="changed",
        labels=tuple(labels),
        details=(*details, *schema.details),
        token_delta=tokens(now) - tokens(was),
    )


def _compare_words(
    field: str, was: Mapping[str, Any], now: Mapping[str, Any], labels: list[str], details: list[str]
) -> None:
    more, less, noun = _LISTS[field]
    old, new = set(was.get(field, ())), set(now.get(field, ()))
    for label, words, verb in ((more, new - old, "new"), (less, old - new, "gone")):
        if words:
            labels.append(label)
            details.extend(f"{noun} {word!r} is {verb} ({label})" for word in sorted(words))
    if field == "effects" and old and not new:
        details.append("no effects are declared any more, so nothing is promised")


def _described(before: str, after: str) -> str:
    """Both texts from shortly before the place where they part."""
    same = next((at for at, (one, other) in enumerate(zip(before, after, strict=False)) if one != other), None)
    start = max(0, (min(len(before), len(after)) if same is None else same) - 15)
    dots = "…" if start else ""
    was, now = (dots + shown(text[start:], 80) for text in (before, after))
    return f"description was {was}, is {now}"
