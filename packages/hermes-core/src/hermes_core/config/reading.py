"""One section as it holds: defaults, what the file says over them, and the environment over that."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hermes_core.config.document import Document, Steps, key_of
from hermes_core.config.overrides import Override, find_overrides
from hermes_core.config.problems import ConfigProblem
from hermes_core.config.sections import Schema, SectionSpec, Way
from hermes_core.config.values import example_line, faults_of, near, reason_of, value_at

_ALIKE = 0.8
"""How much a key must resemble a declared one, out of 1, where other keys are allowed as well."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A section's values, what the environment sets of them, and what is wrong."""

    values: Any
    overrides: Sequence[Override] = ()
    problems: list[ConfigProblem] = field(default_factory=list)

    def override_of(self, way: Way) -> Override | None:
        """What the environment says about a setting, or about an object around it."""
        found = [each for each in self.overrides if way[: len(each.way)] == each.way]
        return found[-1] if found else None


def read_section(spec: SectionSpec, document: Document, environ: Mapping[str, str], names: Sequence[str]) -> Reading:
    """Everything about one section. Nothing is raised: what is wrong is among the problems."""
    problems: list[ConfigProblem] = []
    raw = document.data.get(spec.name)
    said = _Cleaner(spec, document, problems).clean(spec.schema, raw, ()) if raw is not None else {}
    base = _over(spec.defaults(), said) if isinstance(said, dict) and spec.allows(None, "object") else said
    overrides, wrong = find_overrides(spec, environ, names)
    values = copy.deepcopy(base)
    for override in overrides:
        values = put(values, override.way, copy.deepcopy(override.value))
    wrong_in_file = [each for each in _judged(spec, document, base) if not overrides or each[1] != "required"]
    found = {each[0]: each for each in wrong_in_file}
    for each in _judged(spec, document, values) if overrides else ():
        found.setdefault(each[0], each)
    problems += [problem for _, _, problem in found.values()]
    return Reading(values=values, overrides=overrides, problems=problems + wrong)


def put(values: Any, way: Way, value: Any) -> Any:
    """A section with one value set; what stands in the way and is no section gives way."""
    if not way:
        return value
    new = values if isinstance(values, dict) else {}
    new[way[0]] = put(new.get(way[0]), way[1:], value)
    return new


def _over(below: dict[str, Any], above: dict[Any, Any]) -> dict[str, Any]:
    merged = dict(below)
    for key, value in above.items():
        lower = merged.get(key)
        merged[key] = _over(lower, value) if isinstance(lower, dict) and isinstance(value, dict) else value
    return merged


class _Cleaner:
    """Takes out of a section what nobody reads: keys that do not exist, and keys without a value."""

    def __init__(self, spec: SectionSpec, document: Document, problems: list[ConfigProblem]) -> None:
        self._spec = spec
        self._document = document
        self._problems = problems

    def clean(self, at: Schema, value: Any, steps: Steps) -> Any:
        spec = self._spec
        if not isinstance(value, dict) or not spec.allows(at, "object"):
            return value
        declared = spec.properties(at)
        kept: dict[Any, Any] = {}
        for key, item in value.items():
            below = (*steps, key)
            if not isinstance(key, str):
                reason = f"{key!r} is not a name; YAML reads some bare words as values, so quote it."
                self._problems.append(self._problem(below, reason, example=example_line(spec, ())))
            elif key in declared:
                part = spec.child(at, key) or {}
                if isinstance(item, bool):
                    item = self._word(part, item, below)  # noqa: PLW2901 - what was written, not what YAML made of it
                if item is not None or spec.allows(part, "null"):
                    kept[key] = self.clean(part, item, below)
            elif spec.is_open(at):
                kept[key] = item
                if close := near(key, declared, likeness=_ALIKE):
                    reason = "there is no such key."
                    self._problems.append(self._problem(below, reason, level="warning", nearest=close))
            else:
                self._problems.append(self._unknown(below, key, declared))
        return kept

    def _word(self, part: Schema, item: bool, steps: Steps) -> bool | str:
        """The word that YAML 1.1 reads as a boolean, where a setting takes words: `mode: off` is not `mode: false`."""
        if self._spec.allows(part, "boolean") or part.get("x-quoted"):
            return item
        return self._document.words.get((self._spec.name, *steps), item)

    def _unknown(self, steps: Steps, key: str, declared: Mapping[str, Any]) -> ConfigProblem:
        close = near(key, declared)
        more = "" if close or not declared else f" The keys are {', '.join(list(declared)[:12])}."
        return self._problem(steps, f"there is no such key.{more}", level="warning", nearest=close)

    def _problem(self, steps: Steps, reason: str, **more: Any) -> ConfigProblem:
        steps = (self._spec.name, *steps)
        line = self._document.line_of(steps)
        return ConfigProblem(file=str(self._document.file), line=line, key=key_of(steps), reason=reason, **more)


def _judged(spec: SectionSpec, document: Document, values: Any) -> Iterator[tuple[Steps, str, ConfigProblem]]:
    for steps, rule, message in faults_of(spec, spec.schema, values):
        whole = (spec.name, *steps)
        line = document.line_of(whole)
        way = tuple(step for step in steps if isinstance(step, str))
        yield (
            steps,
            rule,
            ConfigProblem(
                file=str(document.file) if line else None,
                line=line,
                key=key_of(whole),
                reason=reason_of(spec, way, rule, message, value_at(values, steps)),
                example=example_line(spec, way),
            ),
        )
