"""Calls as text: in the examples of rules, and on the command line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from hermes_approval.policy.call_facts import Subject, ToolFacts, ToolLike
from hermes_approval.policy.rule import Rule, explain_exception, explain_mismatch
from hermes_core.errors import ConfigError

_EXAMPLE = 'terminal {"command": "git status"}, or: terminal command="git status"'
_NAME = re.compile(r"\s*([^\s{}=]+)\s*")
_NOT_IN_EXAMPLES = frozenset({"source", "session", "origin", "time"})
_NOT_WITHOUT_THE_TOOL = _NOT_IN_EXAMPLES | {"toolset", "effect"}


def parse_call(text: str) -> tuple[str, dict[str, Any]]:
    """Return the tool's name and the arguments of `NAME {JSON}` or `NAME key=value ...`.

    A value after `=` is JSON if it can be parsed, otherwise text; quotes work as in a shell.

    Raises:
        ConfigError: it is not a call.
    """
    match = _NAME.match(text)
    if match is None:
        raise ConfigError(f"{_short(text)} does not begin with the name of a tool.", example=_EXAMPLE)
    rest = text[match.end() :].strip()
    return match[1], _object(rest) if rest.startswith("{") else _pairs(rest)


def _object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{_short(text)} cannot be read as JSON: {error}.", example=_EXAMPLE) from None
    assert isinstance(value, dict)  # only objects begin with a brace
    return value


def _pairs(text: str) -> dict[str, Any]:
    import shlex

    try:
        words = shlex.split(text)
    except ValueError as error:
        raise ConfigError(f"{_short(text)} cannot be split into words: {error}.", example=_EXAMPLE) from None
    args: dict[str, Any] = {}
    for word in words:
        key, sign, value = word.partition("=")
        if not sign or not key:
            raise ConfigError(f"{_short(word)} is neither key=value nor a JSON object.", example=_EXAMPLE)
        if key in args:
            raise ConfigError(f"the argument {key!r} is given twice.", example=_EXAMPLE)
        args[key] = _value(value)
    return args


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:59] + "…")


def wrong_examples(rule: Rule, tools: Mapping[str, ToolLike]) -> Iterator[tuple[str, int, str]]:
    """Yield each example with the wrong result: `match` or `not_match`, its position, and an explanation.

    An example has a tool and arguments. Session, origin, source and time are assumed to match, and so are toolset and
    effects of an unknown tool; an `unless` that has any of these keys is assumed not to hold.
    """
    for part, should_match in (("match", True), ("not_match", False)):
        for position, text in enumerate(getattr(rule.examples, part)):
            try:
                name, args = parse_call(text)
            except ConfigError as error:
                yield part, position, f"rule {rule.name!r}: {error.reason}"
                continue
            tool = tools.get(name)
            unknown = _NOT_IN_EXAMPLES if tool else _NOT_WITHOUT_THE_TOOL
            obstacle = _obstacle(rule, Subject(tool or ToolFacts(name), args), unknown)
            if should_match and obstacle:
                yield part, position, f"rule {rule.name!r} does not match its example {_short(text)}: {obstacle}."
            elif not should_match and tool is None and rule.match.asks(("toolset", "effect")):
                continue  # unknown facts of the tool may keep it from matching
            elif not should_match and not obstacle:
                yield part, position, f"rule {rule.name!r} matches {_short(text)}, which is under not_match."


def _obstacle(rule: Rule, subject: Subject, unknown: frozenset[str]) -> str:
    failing = rule.match.failing(subject, unknown)
    if failing is not None:
        return explain_mismatch(failing, subject)
    if rule.unless is not None and not rule.unless.asks(unknown) and rule.is_excepted(subject):
        return explain_exception(rule)
    return ""
