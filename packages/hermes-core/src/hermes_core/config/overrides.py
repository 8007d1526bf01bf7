"""Settings from the environment: `HERMES_SECTION__KEY`, and the variables that a section names itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from hermes_core.config.core_sections import FAMILIAR_SECTIONS
from hermes_core.config.problems import ConfigProblem
from hermes_core.config.sections import SectionSpec, Way
from hermes_core.config.values import example, near, shown, typed, why_not

_PREFIX = "HERMES_"


@dataclass(frozen=True, slots=True, kw_only=True)
class Override:
    """One setting that a variable sets."""

    way: Way
    variable: str
    value: Any


def named_variables(environ: Mapping[str, str]) -> list[str]:
    """The variables of the form `HERMES_SECTION__KEY`, whatever their case; empty ones count as not set.

    Shallow ones come first, so that those of single parts win; of two spellings the capital one comes last and wins.
    """
    found = [
        name
        for name, text in environ.items()
        if name[:7].upper() == _PREFIX and "__" in name[7:].strip("_") and text.strip()
    ]
    return sorted(found, key=lambda name: (name.count("__"), name.isupper(), name))


def find_overrides(
    spec: SectionSpec, environ: Mapping[str, str], names: Iterable[str]
) -> tuple[list[Override], list[ConfigProblem]]:
    """What the environment says about one section, weakest first, and what is wrong with it."""
    found: list[Override] = []
    problems: list[ConfigProblem] = []
    for way, variable in _sources(spec, environ, names, problems):
        part = spec.at(way)
        assert part is not None  # _sources gives only what there is
        value = typed(spec, part, environ[variable])
        reason = why_not(spec, way, value)
        if not reason:
            found.append(Override(way=way, variable=variable, value=value))
        else:
            problems.append(
                ConfigProblem(
                    key=".".join((spec.name, *way)),
                    reason=f"{variable}: {reason}",
                    source=f"env {variable}",
                    example=_example(spec, way, variable),
                )
            )
    return found, problems


def _sources(
    spec: SectionSpec, environ: Mapping[str, str], names: Iterable[str], problems: list[ConfigProblem]
) -> Iterator[tuple[Way, str]]:
    for way in spec.ways():
        for variable in reversed(spec.variables(way)[1:]):
            if environ.get(variable, "").strip():
                yield way, variable
    for variable in names:
        section, *tokens = split(variable)
        if section != _plain(spec.name):
            continue
        way, missing = _resolve(spec, tokens)
        if missing is None:
            yield way, variable
        else:
            problems.append(_unknown(spec, way, missing, variable))


def split(variable: str) -> list[str]:
    """The section and the keys that a variable's name stands for, in plain letters."""
    return [_plain(token) for token in variable[len(_PREFIX) :].strip("_").split("__")]


def unclaimed(names: Iterable[str], sections: Iterable[str]) -> Iterator[ConfigProblem]:
    """Variables whose section nobody reads."""
    known = {_plain(section): section for section in sections}
    for variable in names:
        section = split(variable)[0]
        if section not in known:
            familiar = section in FAMILIAR_SECTIONS
            yield ConfigProblem(
                level="note" if familiar else "warning",
                key=".".join(split(variable)),
                reason=f"{variable} has no effect: no installed plugin reads the section {section!r}.",
                nearest=() if familiar else near(section, {*known, *FAMILIAR_SECTIONS}),
                source=f"env {variable}",
            )


def _resolve(spec: SectionSpec, tokens: list[str]) -> tuple[Way, str | None]:
    """The way that the tokens stand for, and the token that leads nowhere."""
    way: Way = ()
    at: Mapping[str, Any] = spec.schema
    for token in tokens:
        key = next((name for name in spec.properties(at) if _plain(name) == token), token)
        part = spec.child(at, key)
        if part is None:
            return way, token
        way, at = (*way, key), part
    return way, None


def _unknown(spec: SectionSpec, way: Way, token: str, variable: str) -> ConfigProblem:
    known = spec.properties(spec.at(way))
    return ConfigProblem(
        level="warning",
        key=".".join((spec.name, *way, token)),
        reason=f"{variable} has no effect: there is no such key.",
        nearest=near(token, known),
        source=f"env {variable}",
    )


def _plain(name: str) -> str:
    return name.lower().replace("-", "_")


def _example(spec: SectionSpec, way: Way, variable: str) -> str | None:
    found = None if spec.is_secret(way) else example(spec, spec.at(way) or {})
    return None if found is None else f"{variable}={found if isinstance(found, str) else shown(found)}"
