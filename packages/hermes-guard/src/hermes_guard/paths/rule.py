"""Defines a path rule, and reads rules from a user's file."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, cast, get_args

from hermes_guard.verdict import Severity

Op = Literal["read", "write"]

READ: tuple[Op, ...] = ("read",)
WRITE: tuple[Op, ...] = ("write",)
BOTH: tuple[Op, ...] = ("read", "write")

_OPS = get_args(Op)
_SEVERITIES = get_args(Severity)
_LISTS = ("patterns", "unless", "match", "not_match")
_FIELDS = frozenset({"id", "ops", "severity", "reason", "effects", "broad", "in_workspace", *_LISTS})


@dataclass(frozen=True, slots=True, kw_only=True)
class PathRule:
    """One path rule: which paths, for which operations, how severe, and why.

    A pattern is `/absolute`, `~/below/any/home` or `**/anywhere`. `*`, `?`, `[a-z]` and `[!a-z]` stay within one name,
    `**` spans directories, and a trailing `/**` matches the directory and everything below it. Matching ignores case.

    Attributes:
        id: A stable id, such as `path.ssh-key`.
        severity: `allow` cancels questions of other rules for these paths, but never a refusal.
        reason: One sentence for a human.
        effects: Effects besides reading or writing, named like tool effects.
        unless: Patterns that the rule excludes.
        broad: True for a rule about a whole directory tree, which yields to any other matching rule.
        in_workspace: False for a rule about a whole directory tree that exempts a workspace inside it.
        match: Examples that the rule matches, for each of its operations. A glob is judged like those that it covers.
        not_match: Examples that it does not match.
    """

    id: str
    ops: tuple[Op, ...]
    severity: Severity
    reason: str
    patterns: tuple[str, ...]
    unless: tuple[str, ...] = ()
    effects: frozenset[str] = frozenset()
    broad: bool = False
    in_workspace: bool = True
    match: tuple[str, ...] = ()
    not_match: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.id or not self.reason:
            raise ValueError(f"A path rule needs an id and a reason: {self!r}")
        if not self.ops or not set(self.ops) <= set(_OPS):
            raise ValueError(f"{self.id}: the operations are 'read' and 'write', not {self.ops!r}")
        if self.severity not in _SEVERITIES:
            raise ValueError(f"{self.id}: the severity is one of {', '.join(_SEVERITIES)}, not {self.severity!r}")
        if not self.patterns:
            raise ValueError(f"{self.id}: a rule without patterns never matches")
        for pattern in (*self.patterns, *self.unless):
            if not pattern.startswith(("/", "~/", "**/")) or len(pattern) < 2:
                raise ValueError(f"{self.id}: {pattern!r} must begin with '/', '~/' or '**/'")


def rules_from_data(entries: Iterable[Mapping[str, object]]) -> tuple[PathRule, ...]:
    """Read rules from plain data, as loaded from a TOML, YAML or JSON file.

    Raises:
        ValueError: An entry is invalid; the message names it and the problem.
    """
    return tuple(_rule(entry) for entry in entries)


def _rule(entry: Mapping[str, object]) -> PathRule:
    name = str(entry.get("id", "a rule without id"))
    for key in sorted(set(entry) - _FIELDS):
        raise ValueError(f"{name}: unknown key {key!r}; the keys are {', '.join(sorted(_FIELDS))}")
    return PathRule(
        id=_text(name, entry, "id", ""),
        ops=cast("tuple[Op, ...]", _texts(name, entry, "ops") or BOTH),
        severity=cast("Severity", _text(name, entry, "severity", "ask")),
        reason=_text(name, entry, "reason", ""),
        effects=frozenset(_texts(name, entry, "effects")),
        broad=_flag(name, entry, "broad", False),
        in_workspace=_flag(name, entry, "in_workspace", True),
        patterns=_texts(name, entry, "patterns"),
        unless=_texts(name, entry, "unless"),
        match=_texts(name, entry, "match"),
        not_match=_texts(name, entry, "not_match"),
    )


def _text(name: str, entry: Mapping[str, object], key: str, default: str) -> str:
    value = entry.get(key, default)
    if not isinstance(value, str):
        raise ValueError(f"{name}: {key} is a text, not {value!r}")  # noqa: TRY004 - one error for a bad file
    return value


def _flag(name: str, entry: Mapping[str, object], key: str, default: bool) -> bool:
    value = entry.get(key, default)
    if not isinstance(value, bool):
        raise ValueError(f"{name}: {key} is true or false, not {value!r}")  # noqa: TRY004 - one error for a bad file
    return value


def _texts(name: str, entry: Mapping[str, object], key: str) -> tuple[str, ...]:
    value = entry.get(key, ())
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
        raise ValueError(f"{name}: {key} is a list of texts, not {value!r}")
    return tuple(value)
