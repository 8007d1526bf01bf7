"""Reads a section from its defaults, the file and the environment, and finds problems."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from hermes_core.config.core_settings import POLICY_SECTIONS
from hermes_core.config.sections import Keys, SectionSpec
from hermes_core.config.setting_problems import ConfigProblem, example_line, find_value_problems, near, why_not
from hermes_files import FileError
from hermes_files.dotenv import others_may_read, parse_dotenv
from hermes_files.text_file import read_text
from hermes_files.yaml_document import Document, Steps, describe_repeated, key_of, parse_document
from hermes_schemas.schema_parts import Schema

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
"""Common sections of agents like this one: without a plugin that reads them, they have no effect and are harmless."""

_PREFIX = "HERMES_"
_SIMILAR = 0.8  # the similarity that suggests a typing error where other keys are allowed


class Override(NamedTuple):
    """A setting that a variable sets."""

    path: Keys
    variable: str
    value: Any


class Reading(NamedTuple):
    """The values of a section, those from the environment, and the problems."""

    values: Any
    overrides: Sequence[Override]
    problems: Sequence[ConfigProblem]

    def override_of(self, path: Keys) -> Override | None:
        """Return the variable's value for a setting, or for an object that contains it."""
        return next((each for each in reversed(self.overrides) if path[: len(each.path)] == each.path), None)

    def require_valid(self, source: str = "") -> Reading:
        """Return this reading. Raises `ConfigError` for the first error from a source."""
        for problem in self.problems:
            if problem.level == "error" and problem.source.startswith(source):
                raise problem.error()
        return self


def read_section(
    spec: SectionSpec, document: Document, environ: Mapping[str, str], names: Iterable[str] = ()
) -> Reading:
    """Read a section. Errors are returned as problems."""
    problems: list[ConfigProblem] = []
    found = document.data.get(spec.name)
    stored = _without_unread(spec, document, spec.schema, found, (), problems) if found is not None else {}
    base = _merge(spec.defaults(), stored) if isinstance(stored, dict) and spec.allows(None, "object") else stored
    wrong_variables: list[ConfigProblem] = []
    overrides = list(_find_overrides(spec, environ, names, wrong_variables))
    values = apply(copy.deepcopy(base), overrides)
    # Values in the file must fit even if a variable overrides them; only missing ones may come from a variable.
    value_problems = dict(_find_value_problems(spec, document, base, missing=not overrides))
    for steps, problem in _find_value_problems(spec, document, values) if overrides else ():
        value_problems.setdefault(steps, problem)
    return Reading(values, overrides, [*problems, *value_problems.values(), *wrong_variables])


def apply(values: Any, overrides: Iterable[Override]) -> Any:
    """Set the values of variables in a section, in place if it is an object."""
    for override in overrides:
        values = _put(values, override.path, copy.deepcopy(override.value))
    return values


def _put(values: Any, path: Keys, value: Any) -> Any:
    if not path:
        return value
    section = values if isinstance(values, dict) else {}
    section[path[0]] = _put(section.get(path[0]), path[1:], value)
    return section


def _merge(below: dict[str, Any], above: dict[Any, Any]) -> dict[str, Any]:
    merged = dict(below)
    for key, value in above.items():
        lower = merged.get(key)
        merged[key] = _merge(lower, value) if isinstance(lower, dict) and isinstance(value, dict) else value
    return merged


def _find_value_problems(
    spec: SectionSpec, document: Document, values: Any, *, missing: bool = True
) -> Iterator[tuple[Steps, ConfigProblem]]:
    from hermes_schemas.value_problems import REQUIRED

    for steps, reason in find_value_problems(spec, (), values):
        if missing or reason != REQUIRED:
            example = example_line(spec, tuple(step for step in steps if isinstance(step, str)))
            yield steps, ConfigProblem.at(document, (spec.name, *steps), reason=reason, example=example)


def _without_unread(
    spec: SectionSpec, document: Document, at: Schema, value: Any, above: Steps, problems: list[ConfigProblem]
) -> Any:
    if not isinstance(value, dict) or not spec.allows(at, "object"):
        return value
    declared = spec.properties(at)
    read: dict[Any, Any] = {}
    for key, item in value.items():
        steps = (*above, key)
        problem: dict[str, Any] = {}
        if not isinstance(key, str):
            reason = f"{key!r} is not a name; YAML reads some bare words as values, so quote it."
            problem = {"reason": reason, "example": example_line(spec, ())}
        elif key in declared:
            part = spec.child(at, key) or {}
            if isinstance(item, bool) and not spec.allows(part, "boolean") and not part.get("x-quoted"):
                # The setting takes words, but YAML 1.1 reads some as booleans: off is not false.
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
        if problem:
            problems.append(ConfigProblem.at(document, (spec.name, *steps), **problem))
    return read


# -- the environment ---------------------------------------------------------------------------------------------


def named_variables(environ: Mapping[str, str]) -> list[str]:
    """Return the variables of the form `HERMES_SECTION__KEY`, in any case; empty ones count as not set.

    Shorter paths come first, so that longer ones override them; the upper-case spelling comes last and wins.
    """
    found = [
        name
        for name, text in environ.items()
        if name[:7].upper() == _PREFIX and "__" in name[7:].strip("_") and text.strip()
    ]
    return sorted(found, key=lambda name: (name.count("__"), name.isupper(), name))


def is_named(spec: SectionSpec, document: Document, names: Iterable[str]) -> bool:
    """Return True if the file or a variable sets anything in a section."""
    return spec.name in document.data or any(_split(name)[0] == _plain(spec.name) for name in names)


def _find_overrides(
    spec: SectionSpec, environ: Mapping[str, str], names: Iterable[str], problems: list[ConfigProblem]
) -> Iterator[Override]:
    """Yield the values of one section from the environment, in increasing precedence."""
    found = [
        (path, variable)
        for path in spec.paths()
        for variable in reversed(spec.variables(path)[1:])
        if environ.get(variable, "").strip()
    ]
    for variable in names:
        section, *tokens = _split(variable)
        if section == _plain(spec.name):
            path = _resolve(spec, tokens)
            if spec.find(path) is not None:
                found.append((path, variable))
                continue
            reason = f"{variable} has no effect: there is no such key."
            nearest = near(path[-1], spec.properties(spec.find(path[:-1])))
            problems.append(_problem_in(variable, (spec.name, *path), reason, level="warning", nearest=nearest))
    for path, variable in found:
        value = spec.read_text(spec.find(path) or {}, environ[variable])
        if not (reason := why_not(spec, path, value)):
            yield Override(path, variable, value)
            continue
        example = example_line(spec, path, variable)
        problems.append(_problem_in(variable, (spec.name, *path), f"{variable}: {reason}", example=example))


def _problem_in(variable: str, steps: Sequence[str], reason: str, **more: Any) -> ConfigProblem:
    return ConfigProblem(key=".".join(steps), reason=reason, source=f"env {variable}", **more)


def _split(variable: str) -> list[str]:
    return [_plain(token) for token in variable[len(_PREFIX) :].strip("_").split("__")]


def _resolve(spec: SectionSpec, tokens: list[str]) -> Keys:
    """Return the path for some tokens, up to the first one that does not exist."""
    path: Keys = ()
    at: Schema = spec.schema
    for token in tokens:
        key = next((name for name in spec.properties(at) if _plain(name) == token), token)
        path, part = (*path, key), spec.child(at, key)
        if part is None:
            break
        at = part
    return path


def _plain(name: str) -> str:
    return name.lower().replace("-", "_")


# -- problems ----------------------------------------------------------------------------------------------------


def find_problems(
    file: Path, env_file: Path, sections: Mapping[str, SectionSpec], environ: Mapping[str, str]
) -> list[ConfigProblem]:
    """Return the problems of the file, then of `.env`, then of the environment."""
    found: list[ConfigProblem] = []
    try:
        document = parse_document(file, read_text(file))
    except FileError as error:
        found.append(ConfigProblem.from_error(error, "config.yaml"))
        document = Document(file=file)
    for steps, line, first in document.repeated:
        reason = describe_repeated(steps, first)
        found.append(ConfigProblem(file=str(file), line=line, key=key_of(steps), reason=reason))
    found += _secrets_in_file(document, sections)
    dotenv: dict[str, str] = {}
    found += _in_dotenv(env_file, dotenv)
    environ = {**dotenv, **environ}
    names = named_variables(environ)
    for spec in sections.values():
        found += read_section(spec, document, environ, names).problems
    found += find_unread(document, names, sections)
    return sorted(found, key=lambda each: (each.file != str(file), each.file is None, each.line or 0))


def find_unread(
    document: Document, names: Iterable[str], sections: Mapping[str, SectionSpec]
) -> Iterator[ConfigProblem]:
    """Yield sections of the file and variables that no plugin reads."""
    for name in document.data:
        if name in POLICY_SECTIONS and name not in sections:
            from hermes_core.families import install_command

            command = install_command(POLICY_SECTIONS[name])
            reason = f"no installed plugin reads it, so every call is denied. Run: {command}. Or remove the section."
            yield ConfigProblem.at(document, (name,), reason=reason, level="warning")
        elif name not in sections:
            reason = "no installed plugin reads it."
            yield ConfigProblem.at(document, (name,), reason=reason, **_severity(str(name), sections))
    known = {_plain(section) for section in sections}
    for variable in names:
        section, *keys = _split(variable)
        if section not in known:
            reason = f"{variable} has no effect: no installed plugin reads the section {section!r}."
            yield _problem_in(variable, (section, *keys), reason, **_severity(section, known))


def _severity(section: str, known: Iterable[str]) -> dict[str, Any]:
    if section in FAMILIAR_SECTIONS:
        return {"level": "note"}
    return {"level": "warning", "nearest": near(section, {*known, *FAMILIAR_SECTIONS})}


def _secrets_in_file(document: Document, sections: Mapping[str, SectionSpec]) -> Iterator[ConfigProblem]:
    for spec in sections.values():
        for path in spec.paths():
            steps = (spec.name, *path)
            if steps in document.lines and spec.is_secret(path):
                level = "warning" if others_may_read(document.file) else "note"
                reason = f"a secret is safer in .env, where 'hermes config set {key_of(steps)} VALUE' stores it."
                yield ConfigProblem.at(document, steps, level=level, reason=reason)


def _in_dotenv(file: Path, values: dict[str, str]) -> Iterator[ConfigProblem]:
    try:
        assignments = parse_dotenv(file, read_text(file) or "")
    except FileError as error:
        yield ConfigProblem.from_error(error, ".env")
        return
    warning: dict[str, Any] = {"level": "warning", "file": str(file), "source": ".env"}
    lines: dict[str, int] = {}
    for each in assignments:
        values[each.name] = each.value
        first = lines.setdefault(each.name, each.line)
        if first != each.line:
            reason = f"is repeated here, and this line wins; the first is line {first}."
            yield ConfigProblem(line=each.line, key=each.name, reason=reason, **warning)
    if others_may_read(file):
        yield ConfigProblem(reason=f"other users may read it. Run: chmod 600 {file}", **warning)
