"""Finds suspicious parts of valid rules: unknown names, and conditions that never hold."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from hermes_approval.matchers.globs import compile_glob, is_plain
from hermes_approval.policy.call_facts import Subject, ToolLike
from hermes_approval.policy.condition import Condition
from hermes_approval.policy.rule import Rule
from hermes_schemas import nearest

_OF_EVERY_TOOL = frozenset({"tool", "toolset", "effect"})
"""The keys about facts that a tool has in itself, whatever its source."""

_GLOBBED = frozenset({"tool", "toolset", "source", "session", "origin"})
_ORIGINS = ("direct", "batch", "nested")
_SESSIONS = ("interactive", "batch", "cron")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_GLOB_SIGNS = re.compile(r"[*?\[]")
_COMBINED = ("anyOf", "oneOf", "allOf", "$ref", "patternProperties")


class RuleWarning(NamedTuple):
    """A part of a rule that is probably a error.

    Attributes:
        steps: The path to it.
        reason: What is wrong with it.
        nearest: Names that were probably meant.
    """

    steps: tuple[Any, ...]
    reason: str
    nearest: Sequence[str] = ()


def find_warnings(
    rule: Mapping[Any, Any], match: Condition, unless: Condition | None, tools: Mapping[str, ToolLike]
) -> Iterator[RuleWarning]:
    """Yield every suspicious part of a valid rule, with the path from the rule.

    Args:
        rule: The rule as it is written.
        match: Its `match`, compiled.
        unless: Its `unless`, compiled.
        tools: The known tools; without any, names are not checked.
    """
    about = [tool for tool in tools.values() if _fits(match, tool)]
    toolsets = {tool.toolset for tool in tools.values()}
    yield from _in_part("match", rule["match"], about, toolsets)
    if unless is not None:
        yield from _in_part("unless", rule["unless"], [tool for tool in about if _fits(unless, tool)], toolsets)
        if rule["unless"] == rule["match"]:
            yield RuleWarning(("unless",), "is the same as match, so the rule never matches.")
        elif all(key in _GLOBBED and "*" in texts_in(value) for key, value in rule["unless"].items()):
            yield RuleWarning(("unless",), "holds for every call, so the rule never matches.")


def unknown_names(condition: Mapping[Any, Any], tools: Collection[str] | None) -> Iterator[RuleWarning]:
    """Yield the unknown tools, origins and session kinds in `match` or `unless`, with the path from there."""
    for word in texts_in(condition.get("tool")) if tools is not None else ():
        if word == "tool_call":  # calls of tool search are judged as calls of the inner tool
            yield RuleWarning(("tool",), "rules never see tool_call, but the tool that it calls: name that tool.")
        elif not any(map(compile_glob(word), tools or ())):
            reason = "no tool has this name." if is_plain(word) else f"no tool matches {word!r}."
            yield RuleWarning(("tool",), reason, nearest(word, tools or ()))
    for key, known in (("origin", _ORIGINS), ("session", _SESSIONS)):
        for word in texts_in(condition.get(key)):
            near = nearest(word, known)
            if is_plain(word) and word not in known and (near or key == "origin"):  # sessions may have other kinds
                yield RuleWarning((key,), f"{word!r} is none of the usual {', '.join(known)}.", near)


def unknown_lifts(rules: Iterable[Rule], entries: Iterable[object]) -> Iterator[RuleWarning]:
    """Yield the ids under `lifts` that are not the id of a rule, with the path from the section."""
    names = {index: entry.get("name") for index, entry in enumerate(entries) if isinstance(entry, Mapping)}
    where = {name: index for index, name in names.items() if isinstance(name, str)}
    for rule in rules:
        for word in rule.lifts:
            name = word.removeprefix("policy.")
            if name != word and is_plain(name) and name not in where:
                near = [f"policy.{other}" for other in nearest(name, where)]
                yield RuleWarning(("rules", where[rule.name], "lifts"), f"no rule has the id {word!r}.", near)


def texts_in(data: object) -> list[str]:
    """Return the non-empty texts of a value that may be one text or a list."""
    items = data if isinstance(data, list | tuple) else [data]
    return [item for item in items if isinstance(item, str) and item]


def _fits(condition: Condition, tool: ToolLike) -> bool:
    subject = Subject(tool, {})
    return all(test.holds(subject) for test in condition.checks if test.key in _OF_EVERY_TOOL)


def _in_part(
    part: str, data: Mapping[str, Any], about: Collection[ToolLike], toolsets: Collection[str]
) -> Iterator[RuleWarning]:
    for word in texts_in(data.get("toolset")) if toolsets else ():
        if not any(map(compile_glob(word), toolsets)):
            yield RuleWarning((part, "toolset"), *_no_such_toolset(word, toolsets))
    names = _argument_names(about)
    for name, expected in data.get("args", {}).items():
        steps = (part, "args", name)
        if names is not None and name != "*" and name not in names:
            yield RuleWarning(steps, *_no_such_argument(name, names, about))
        for key, word in _matchers(expected):
            reason = _odd(key, word)
            if reason:
                yield RuleWarning((*steps, key), reason)


def _no_such_toolset(word: str, toolsets: Collection[str]) -> tuple[str, tuple[str, ...]]:
    if word.endswith("_tools"):
        near = nearest(word.removesuffix("_tools"), toolsets)
        return f"{word!r} is an old name; rules use the toolset of the tool itself.", tuple(near)
    return f"no tool has the toolset {word!r}.", tuple(nearest(word, toolsets))


def _argument_names(tools: Collection[ToolLike]) -> frozenset[str] | None:
    """Return the arguments that the tools have; None if unknown, or if one of them accepts others as well."""
    names: set[str] = set()
    for tool in tools:
        schema = getattr(tool, "parameters", None)
        if not isinstance(schema, Mapping) or any(word in schema for word in _COMBINED):
            return None
        if schema.get("additionalProperties", False) is not False or not isinstance(schema.get("properties"), Mapping):
            return None
        names.update(schema["properties"])
    return frozenset(names) if tools else None


def _no_such_argument(name: str, names: Collection[str], tools: Iterable[ToolLike]) -> tuple[str, tuple[str, ...]]:
    first, dot, _ = name.partition(".")
    if dot and first in names:
        return f"must name a whole argument: everything within {first!r} is compared.", (first,)
    for tool in tools:
        right = getattr(tool, "argument_aliases", {}).get(name)
        if right is not None:
            return f"is another name of {right!r}, which calls have when rules judge them.", (right,)
    return "no tool that the rule matches has this argument.", tuple(nearest(first, names))


def _odd(key: str, word: str) -> str:
    if key == "host" and word.startswith("."):
        return f"no host begins with a dot: for every subdomain write '*{word}'."
    if key == "under" and "$" in word:
        return f"{word!r} is used literally: only '~' is expanded, variables are not."
    if key == "under" and _GLOB_SIGNS.search(word):
        return f"{word!r} is used literally: name the directory, which includes everything in it."
    control = _CONTROL.search(word) if key in ("glob", "regex") else None
    if control:
        return (
            f"holds the control character {control[0]!r}: YAML turns \\b in double quotes into one; use single quotes."
        )
    return ""


def _matchers(expected: Any) -> Iterator[tuple[str, str]]:
    for item in expected if isinstance(expected, list | tuple) else [expected]:
        if isinstance(item, Mapping):
            for key, value in item.items():
                for word in texts_in(value):
                    yield key, word
