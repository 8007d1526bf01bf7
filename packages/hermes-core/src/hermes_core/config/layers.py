"""The layers of a section: its defaults, what the file says over them, and the environment over that."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hermes_core.config.problems import ConfigProblem, example_line, faults, near, typed, why_not
from hermes_core.config.sections import Schema, SectionSpec, Way
from hermes_files.yaml_document import Document, Steps, key_of

FAMILIAR_SECTIONS = frozenset(
    """
    _config_version agent approvals auxiliary browser checkpoints clarify code_execution command_allowlist
    compression context context_file_max_chars cron curator delegation discord display fallback_model
    file_read_max_chars gateway hooks honcho human_delay image_gen lsp mcp mcp_servers memory messaging model
    model_aliases moa network onboarding personalities platform_toolsets platforms privacy prompt_caching
    provider_routing providers quick_commands security session_reset sessions skills slack smart_model_routing stt
    streaming telegram terminal timezone tool_loop_guardrails tool_output tools tts updates video_gen vision voice
    web whatsapp worktree x_search
    """.split()  # noqa: SIM905 - a list of sixty lines would bury the code around it
)
"""Sections that agents of this kind commonly have: without a plugin that reads them they do nothing, and no harm."""

_PREFIX = "HERMES_"
_SIMILAR = 0.8
"""How much a key must resemble a declared one, out of 1, where other keys are allowed as well."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Override:
    """One setting that a variable sets."""

    way: Way
    variable: str
    value: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A section's values, what the environment sets of them, and what is wrong."""

    values: Any
    overrides: Sequence[Override] = ()
    problems: list[ConfigProblem] = field(default_factory=list)

    def override_of(self, way: Way) -> Override | None:
        """Return what the environment says about a setting, or about an object around it."""
        found = [each for each in self.overrides if way[: len(each.way)] == each.way]
        return found[-1] if found else None

    def require_valid(self, source: str = "") -> Reading:
        """Return this reading. Raises `ConfigError` for the first error that comes from a source."""
        for problem in self.problems:
            if problem.level == "error" and problem.source.startswith(source):
                raise problem.error()
        return self


def read_section(spec: SectionSpec, document: Document, environ: Mapping[str, str], names: Sequence[str]) -> Reading:
    """Read everything about one section. Nothing is raised: what is wrong is among the problems."""
    problems: list[ConfigProblem] = []
    raw = document.data.get(spec.name)
    said = _without_unread(spec, document, spec.schema, raw, (), problems) if raw is not None else {}
    base = _merged(spec.defaults(), said) if isinstance(said, dict) and spec.allows(None, "object") else said
    wrong: list[ConfigProblem] = []
    overrides = list(_overrides(spec, environ, names, wrong))
    values = copy.deepcopy(base)
    for override in overrides:
        values = put(values, override.way, copy.deepcopy(override.value))
    # What the file says must fit, even where a variable hides it; only what is missing may come from one.
    found = dict(_judged(spec, document, base, missing=not overrides))
    for steps, problem in _judged(spec, document, values) if overrides else ():
        found.setdefault(steps, problem)
    return Reading(values=values, overrides=overrides, problems=[*problems, *found.values(), *wrong])


def put(values: Any, way: Way, value: Any) -> Any:
    """Set one value in a section; what is in the way and no section gives way."""
    if not way:
        return value
    new = values if isinstance(values, dict) else {}
    new[way[0]] = put(new.get(way[0]), way[1:], value)
    return new


def _merged(below: dict[str, Any], above: dict[Any, Any]) -> dict[str, Any]:
    merged = dict(below)
    for key, value in above.items():
        lower = merged.get(key)
        merged[key] = _merged(lower, value) if isinstance(lower, dict) and isinstance(value, dict) else value
    return merged


def _judged(
    spec: SectionSpec, document: Document, values: Any, *, missing: bool = True
) -> Iterator[tuple[Steps, ConfigProblem]]:
    for steps, rule, reason in faults(spec, (), values):
        if missing or rule != "required":
            example = example_line(spec, tuple(step for step in steps if isinstance(step, str)))
            yield steps, problem_at(document, (spec.name, *steps), reason=reason, example=example)


def problem_at(document: Document, steps: Steps, **more: Any) -> ConfigProblem:
    """Make a problem with a place in the file, where the file says anything about it."""
    line = document.line_of(steps)
    return ConfigProblem(file=str(document.file) if line else None, line=line, key=key_of(steps), **more)


def _without_unread(
    spec: SectionSpec, document: Document, at: Schema, value: Any, above: Steps, problems: list[ConfigProblem]
) -> Any:
    """A section without what nobody reads: keys that do not exist, and keys without a value."""
    if not isinstance(value, dict) or not spec.allows(at, "object"):
        return value
    declared = spec.properties(at)
    read: dict[Any, Any] = {}
    for key, item in value.items():
        steps = (*above, key)
        problem: dict[str, Any] | None = None
        if not isinstance(key, str):
            reason = f"{key!r} is not a name; YAML reads some bare words as values, so quote it."
            problem = {"reason": reason, "example": example_line(spec, ())}
        elif key in declared:
            part = spec.child(at, key) or {}
            if isinstance(item, bool) and not spec.allows(part, "boolean") and not part.get("x-quoted"):
                # The word that YAML 1.1 reads as a boolean, where a setting takes words: off is not false.
                item = document.words.get((spec.name, *steps), item)  # noqa: PLW2901
            if item is not None or spec.allows(part, "null"):
                read[key] = _without_unread(spec, document, part, item, steps, problems)
        elif spec.is_open(at):
            read[key] = item
            if nearest := near(key, declared, likeness=_SIMILAR):
                problem = {"reason": "there is no such key.", "level": "warning", "nearest": nearest}
        else:
            nearest = near(key, declared)
            more = "" if nearest or not declared else f" The keys are {', '.join(list(declared)[:12])}."
            problem = {"reason": f"there is no such key.{more}", "level": "warning", "nearest": nearest}
        if problem is not None:
            problems.append(problem_at(document, (spec.name, *steps), **problem))
    return read


# -- the environment ---------------------------------------------------------------------------------------------


def named_variables(environ: Mapping[str, str]) -> list[str]:
    """Return the variables of the form `HERMES_SECTION__KEY`, whatever their case; empty ones count as not set.

    Shallow ones come first, so that those of single parts win; of two spellings the capital one comes last and wins.
    """
    found = [
        name
        for name, text in environ.items()
        if name[:7].upper() == _PREFIX and "__" in name[7:].strip("_") and text.strip()
    ]
    return sorted(found, key=lambda name: (name.count("__"), name.isupper(), name))


def is_named(spec: SectionSpec, document: Document, names: Iterable[str]) -> bool:
    """Return True when the file or a variable says something about a section."""
    return spec.name in document.data or any(_split(name)[0] == _plain(spec.name) for name in names)


def unread(section: str, known: Iterable[str]) -> dict[str, Any]:
    """Return how bad it is that nothing reads a section, and the names that were probably meant."""
    if section in FAMILIAR_SECTIONS:
        return {"level": "note"}
    return {"level": "warning", "nearest": near(section, {*known, *FAMILIAR_SECTIONS})}


def unclaimed(names: Iterable[str], sections: Iterable[str]) -> Iterator[ConfigProblem]:
    """Yield variables whose section nobody reads."""
    known = {_plain(section): section for section in sections}
    for variable in names:
        section, *keys = _split(variable)
        if section not in known:
            reason = f"{variable} has no effect: no installed plugin reads the section {section!r}."
            yield _in_variable(variable, (section, *keys), reason, **unread(section, known))


def _overrides(
    spec: SectionSpec, environ: Mapping[str, str], names: Iterable[str], problems: list[ConfigProblem]
) -> Iterator[Override]:
    """What the environment says about one section, weakest first."""
    found = [
        (way, variable)
        for way in spec.ways()
        for variable in reversed(spec.variables(way)[1:])
        if environ.get(variable, "").strip()
    ]
    for variable in names:
        section, *tokens = _split(variable)
        if section == _plain(spec.name):
            way = _resolve(spec, tokens)
            if spec.at(way) is not None:
                found.append((way, variable))
                continue
            reason = f"{variable} has no effect: there is no such key."
            nearest = near(way[-1], spec.properties(spec.at(way[:-1])))
            problems.append(_in_variable(variable, (spec.name, *way), reason, level="warning", nearest=nearest))
    for way, variable in found:
        value = typed(spec, spec.at(way) or {}, environ[variable])
        if not (reason := why_not(spec, way, value)):
            yield Override(way=way, variable=variable, value=value)
            continue
        example = example_line(spec, way, variable)
        problems.append(_in_variable(variable, (spec.name, *way), f"{variable}: {reason}", example=example))


def _in_variable(variable: str, steps: Sequence[str], reason: str, **more: Any) -> ConfigProblem:
    return ConfigProblem(key=".".join(steps), reason=reason, source=f"env {variable}", **more)


def _split(variable: str) -> list[str]:
    """The section and the keys that a variable's name stands for, in plain letters."""
    return [_plain(token) for token in variable[len(_PREFIX) :].strip("_").split("__")]


def _resolve(spec: SectionSpec, tokens: list[str]) -> Way:
    """The way that tokens stand for, up to the first one that leads nowhere."""
    way: Way = ()
    at: Schema = spec.schema
    for token in tokens:
        key = next((name for name in spec.properties(at) if _plain(name) == token), token)
        way, part = (*way, key), spec.child(at, key)
        if part is None:
            break
        at = part
    return way


def _plain(name: str) -> str:
    return name.lower().replace("-", "_")
