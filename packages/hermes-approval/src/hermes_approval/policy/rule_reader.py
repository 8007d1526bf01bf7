"""Reads the rules of `config.yaml`, and finds all errors in them at once."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from hermes_approval.matchers.rule_error import RuleError, quote
from hermes_approval.policy.call_facts import ToolLike
from hermes_approval.policy.condition import Condition, compile_condition
from hermes_approval.policy.example_calls import wrong_examples
from hermes_approval.policy.rule import ACTIONS, Action, Examples, Rule
from hermes_approval.policy.rule_warnings import RuleWarning, find_warnings, unknown_lifts, unknown_names
from hermes_approval.policy.ruleset import RuleSet
from hermes_core.settings import ConfigProblem, Level
from hermes_files.yaml_document import Steps, key_of
from hermes_schemas import nearest

LineOf = Callable[[Steps], int | None]
KnownTools = Mapping[str, ToolLike] | Iterable[str]

_SECTION = "policy"
_KEYS = ("shadow", "rules")
_RULE_KEYS = ("name", "match", "unless", "action", "reason", "lifts", "shadow", "examples")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*", re.ASCII)
_EXAMPLE = "policy: {rules: [{name: no-deletes, match: {effect: delete}, action: ask}]}"
_EXAMPLES = {
    "name": "name: no-pushes-to-main",
    "action": "action: deny",
    "reason": "reason: Pushes to main go through a pull request.",
    "lifts": "lifts: [policy.ask-before-pushes, 'delete.*']",
    "shadow": "shadow: true",
    "examples": "examples: {match: ['terminal {\"command\": \"git push\"}'], not_match: ['terminal command=ls']}",
}


def read_rules(
    data: object, *, file: str, line_of: LineOf, known_tools: KnownTools | None = None
) -> tuple[RuleSet, list[ConfigProblem]]:
    """Return the rules of the section, and every problem in them; the examples of each rule are run.

    A rule with an error is left out. While there is a problem of level `error`, do not judge calls by the others: a
    broken deny would let calls through. Raise the first one with `problem.error()`.

    Args:
        data: The section `policy`; None if it is missing.
        file: The file, for messages.
        line_of: Returns the line of an entry for its full path, as `Document.line_of` does.
        known_tools: The known tools, by name. A rule for another tool gets a warning. With the tools themselves,
            examples know toolsets and effects, and rules with unknown toolsets and arguments get a warning.
    """
    return _Reader(file, line_of, known_tools).read(data)


class _Reader:
    def __init__(self, file: str, line_of: LineOf, known_tools: KnownTools | None) -> None:
        self._file = file
        self._line_of = line_of
        self._tools: Mapping[str, ToolLike] = known_tools if isinstance(known_tools, Mapping) else {}
        self._names = None if known_tools is None else frozenset(known_tools)
        self._problems: list[ConfigProblem] = []

    def read(self, data: object) -> tuple[RuleSet, list[ConfigProblem]]:
        if data is None:
            return RuleSet(), []
        if not isinstance(data, Mapping):
            self._wrong(RuleError(f"is {quote(data)}, not a section.", example=_EXAMPLE))
            return RuleSet(), self._problems
        self._refuse_unknown(data, _KEYS, _EXAMPLE)
        shadow = self._yes_or_no(data, "shadow", ())
        entries = data.get("rules")
        if entries is not None and not isinstance(entries, list | tuple):
            self._wrong(RuleError(f"is {quote(entries)}, not a list of rules.", example=_EXAMPLE), "rules")
            entries = ()
        rules: list[Rule] = []
        for index, entry in enumerate(entries or ()):
            rule = self._rule(entry, ("rules", index), rules)
            if rule is not None:
                rules.append(rule)
        for found in unknown_lifts(rules, entries or ()):
            self._warn(found)
        self._problems.sort(key=lambda problem: problem.line or 0)
        return RuleSet(rules, shadow=shadow), self._problems

    def _rule(self, entry: object, steps: Steps, others: list[Rule]) -> Rule | None:
        before = self._errors()
        if not isinstance(entry, Mapping):
            self._wrong(RuleError(f"is {quote(entry)}, not a rule.", example=_EXAMPLE), *steps)
            return None
        self._refuse_unknown(entry, _RULE_KEYS, _EXAMPLE, steps)
        name = self._name(entry, steps, others)
        action = self._action(entry.get("action"), (*steps, "action"))
        strict = action != "allow"
        match = self._condition(entry.get("match"), strict, (*steps, "match"))
        unless = self._condition(entry["unless"], not strict, (*steps, "unless")) if "unless" in entry else None
        reason = entry.get("reason")
        if reason is not None and not isinstance(reason, str):
            self._wrong(RuleError(f"is {quote(reason)}, not a text.", example=_EXAMPLES["reason"]), *steps, "reason")
        lifts = self._texts(entry, "lifts", steps, _EXAMPLES["lifts"])
        if lifts and strict:
            self._wrong(RuleError("only a rule with action allow can have lifts."), *steps, "lifts")
        shadow = self._yes_or_no(entry, "shadow", steps)
        examples = self._examples(entry.get("examples"), (*steps, "examples"))
        if self._errors() > before:
            return None
        line = self._line_of((_SECTION, *steps))
        rule = Rule(
            name=name, action=action, match=match, unless=unless, reason=(reason or "").strip(), lifts=lifts,
            shadow=shadow, examples=examples, file=self._file, line=line,
        )  # fmt: skip
        for found in find_warnings(entry, match, unless, self._tools):
            self._warn(found, *steps)
        for part, position, why in wrong_examples(rule, self._tools):
            self._wrong(RuleError(why), *steps, "examples", part, position)
        return rule if self._errors() == before else None

    def _action(self, value: object, steps: Steps) -> Action:
        for action in ACTIONS:
            if value == action:
                return action
        reason = "is required" if value is None else f"is {quote(value)}"
        near = nearest(str(value), ACTIONS)
        self._wrong(RuleError(f"{reason}: allow, ask or deny.", nearest=near, example=_EXAMPLES["action"]), *steps)
        return "deny"

    def _name(self, entry: Mapping[Any, Any], steps: Steps, others: list[Rule]) -> str:
        name = entry.get("name")
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            reason = "is required" if name is None else f"is {quote(name)}"
            wrong = RuleError(f"{reason}: a name of letters, digits, '-', '_' and '.'.", example=_EXAMPLES["name"])
            self._wrong(wrong, *steps, "name")
            return ""
        twin = next((rule for rule in others if rule.name == name), None)
        if twin is not None:
            self._wrong(RuleError(f"there is already a rule {name!r}: {twin.place}."), *steps, "name")
        return name

    def _condition(self, data: object, strict: bool, steps: Steps) -> Condition:
        condition, errors = compile_condition(data, strict=strict)
        for error in errors:
            self._wrong(error, *steps)
        if isinstance(data, Mapping):
            for found in unknown_names(data, self._names):
                self._warn(found, *steps)
        return condition

    def _examples(self, data: object, steps: Steps) -> Examples:
        if data is None:
            return Examples()
        if not isinstance(data, Mapping):
            self._wrong(RuleError(f"is {quote(data)}, not examples.", example=_EXAMPLES["examples"]), *steps)
            return Examples()
        self._refuse_unknown(data, ("match", "not_match"), _EXAMPLES["examples"], steps)
        parts = {key: self._texts(data, key, steps, _EXAMPLES["examples"]) for key in ("match", "not_match")}
        return Examples(**parts)

    def _yes_or_no(self, data: Mapping[Any, Any], key: str, steps: Steps) -> bool:
        value = data.get(key)
        if value is not None and not isinstance(value, bool):
            wrong = RuleError(f"is {quote(value)}, not true or false.", example=_EXAMPLES["shadow"])
            self._wrong(wrong, *steps, key)
        return value is True

    def _texts(self, data: Mapping[Any, Any], key: str, steps: Steps, example: str) -> tuple[str, ...]:
        value = data.get(key)
        items = [] if value is None else [value] if isinstance(value, str) else value
        if not isinstance(items, list | tuple):
            self._wrong(RuleError(f"is {quote(value)}, not a list of texts.", example=example), *steps, key)
            return ()
        for position, item in enumerate(items):
            if not isinstance(item, str) or not item:
                reason = f"is {quote(item)}, not a text; YAML needs quotes around text with braces or colons."
                self._wrong(RuleError(reason, example=example), *steps, key, position)
        return tuple(item for item in items if isinstance(item, str) and item)

    def _refuse_unknown(self, data: Mapping[Any, Any], known: tuple[str, ...], example: str, steps: Steps = ()) -> None:
        for key in data:
            if key not in known:
                near = nearest(str(key), known)
                more = "" if near else f" The keys are {', '.join(known)}."
                self._wrong(RuleError(f"there is no such key.{more}", nearest=near, example=example), *steps, key)

    def _wrong(self, error: RuleError, *steps: Any) -> None:
        self._add("error", error.reason, error.nearest, (*steps, *error.steps), error.example)

    def _warn(self, found: RuleWarning, *steps: Any) -> None:
        self._add("warning", found.reason, tuple(found.nearest), (*steps, *found.steps), None)

    def _add(self, level: Level, reason: str, near: tuple[str, ...], steps: Steps, example: str | None) -> None:
        whole = (_SECTION, *steps)
        self._problems.append(
            ConfigProblem(
                level=level,
                file=self._file,
                line=self._line_of(whole),
                key=key_of(whole),
                reason=reason,
                nearest=near,
                example=example,
            )
        )

    def _errors(self) -> int:
        return sum(problem.level == "error" for problem in self._problems)
