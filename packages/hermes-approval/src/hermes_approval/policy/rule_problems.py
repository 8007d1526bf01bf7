"""What can be read in a rule and was hardly meant: names that nobody bears, and words that can never hold."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from hermes_approval.matchers.globs import compile_glob
from hermes_approval.policy.call_facts import Subject, ToolLike
from hermes_approval.policy.condition import Condition
from hermes_schemas import nearest

_OF_EVERY_TOOL = frozenset({"tool", "toolset", "effect"})
"""What a tool says about itself, wherever it came from."""

_GLOBBED = frozenset({"tool", "toolset", "source", "session", "origin"})
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_GLOB_SIGNS = re.compile(r"[*?\[]")
_COMBINED = ("anyOf", "oneOf", "allOf", "$ref", "patternProperties")


class Oversight(NamedTuple):
    """Something that was hardly meant.

    Attributes:
        steps: The way to it from the rule.
        reason: What is odd about it.
        nearest: Names that were probably meant.
    """

    steps: tuple[Any, ...]
    reason: str
    nearest: tuple[str, ...] = ()


def oversights(
    rule: Mapping[Any, Any], match: Condition, unless: Condition | None, tools: Mapping[str, ToolLike]
) -> Iterator[Oversight]:
    """Everything in a rule without mistakes that was hardly meant.

    Args:
        rule: The rule as it is written.
        match: Its `match`, compiled.
        unless: Its `unless`, compiled.
        tools: The tools that there are; without any, names are not looked at.
    """
    about = [tool for tool in tools.values() if _fits(match, tool)]
    toolsets = {tool.toolset for tool in tools.values()}
    yield from _in_part("match", rule["match"], about, toolsets)
    if unless is not None:
        yield from _in_part("unless", rule["unless"], [tool for tool in about if _fits(unless, tool)], toolsets)
        if rule["unless"] == rule["match"]:
            yield Oversight(("unless",), "is the same as match, so that the rule never matches.")
        elif all(key in _GLOBBED and "*" in _items(wanted) for key, wanted in rule["unless"].items()):
            yield Oversight(("unless",), "holds for every call, so that the rule never matches.")


def _fits(condition: Condition, tool: ToolLike) -> bool:
    subject = Subject(tool, {})
    return all(test.holds(subject) for test in condition.tests if test.key in _OF_EVERY_TOOL)


def _in_part(
    part: str, data: Mapping[str, Any], about: Collection[ToolLike], toolsets: Collection[str]
) -> Iterator[Oversight]:
    for word in _items(data.get("toolset")) if toolsets else ():
        if not any(map(compile_glob(word), toolsets)):
            yield Oversight((part, "toolset"), *_no_such_toolset(word, toolsets))
    names = _argument_names(about)
    for name, wanted in data.get("args", {}).items():
        steps = (part, "args", name)
        if names is not None and name != "*" and name not in names:
            yield Oversight(steps, *_no_such_argument(name, names, about))
        for key, word in _matchers(wanted):
            reason = _odd(key, word)
            if reason:
                yield Oversight((*steps, key), reason)


# -- names that should exist ---------------------------------------------------------------------------------------


def _no_such_toolset(word: str, toolsets: Collection[str]) -> tuple[str, tuple[str, ...]]:
    if word.endswith("_tools"):
        near = nearest(word.removesuffix("_tools"), toolsets)
        return f"{word!r} is an old name; rules know the toolset that a tool names itself.", tuple(near)
    return f"no tool is of the toolset {word!r}.", tuple(nearest(word, toolsets))


def _argument_names(tools: Collection[ToolLike]) -> frozenset[str] | None:
    """The arguments that any of the tools has; None when that is not known, or one of them takes others as well."""
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
        return f"names an argument as a whole: everything within {first!r} is looked at.", (first,)
    for tool in tools:
        right = getattr(tool, "argument_aliases", {}).get(name)
        if right is not None:
            return f"is another name of {right!r}, which calls have when rules are asked.", (right,)
    return "no tool that the rule is about has such an argument.", tuple(nearest(first, names))


# -- words that can never hold -------------------------------------------------------------------------------------


def _odd(key: str, word: str) -> str:
    if key == "host" and word.startswith("."):
        return f"no host begins with a dot: for every name below it write '*{word}'."
    if key == "under" and "$" in word:
        return f"{word!r} is taken as it is written: variables are not worked out, only '~' is."
    if key == "under" and _GLOB_SIGNS.search(word):
        return f"{word!r} is taken as it is written: name the folder, and everything within is meant."
    control = _CONTROL.search(word) if key in ("glob", "regex") else None
    if control:
        return f"holds the control character {control[0]!r}: within double quotes YAML turns \\b into one; use single."
    return ""


def _matchers(wanted: Any) -> Iterator[tuple[str, str]]:
    """The name and each text of every matcher of an argument."""
    for item in wanted if isinstance(wanted, list | tuple) else [wanted]:
        if isinstance(item, Mapping):
            for key, value in item.items():
                for word in _items(value):
                    yield key, word


def _items(data: object) -> list[str]:
    items = data if isinstance(data, list | tuple) else [data]
    return [item for item in items if isinstance(item, str) and item]
