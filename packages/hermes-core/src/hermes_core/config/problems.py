"""What is wrong with a setting: the place, the reason without anything secret, and a remedy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from hermes_core.config.sections import Path, SectionSpec
from hermes_core.errors import ConfigError, did_you_mean
from hermes_files import FileError
from hermes_files.yaml_document import Document, Steps, key_of
from hermes_text.secrets.names import looks_secret, masked

Level = Literal["error", "warning", "note"]
REQUIRED = "is required."
"""The reason for a value that is missing."""

_MAX_REASONS = 50
_MAX_NAMED = 12
_PLACE = ("file", "line", "column", "key", "example")


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigProblem:
    """One thing that is wrong, or worth knowing.

    Attributes:
        level: `error` is refused on reading, `warning` has no effect or is unsafe, `note` is harmless.
        file: The file; None when the value comes from the environment.
        line: The line in the file.
        column: The column in that line, counted from 1, where the file is not valid YAML.
        key: The setting, as `section.key`.
        reason: What is wrong.
        nearest: Names that were probably meant.
        example: Something that would be right.
        source: `config.yaml`, `.env`, or `env NAME`.
    """

    level: Level = "error"
    file: str | None = None
    line: int | None = None
    column: int | None = None
    key: str | None = None
    reason: str
    nearest: tuple[str, ...] = ()
    example: str | None = None
    source: str = "config.yaml"

    def __str__(self) -> str:
        return str(self.error())

    def error(self) -> ConfigError:
        """Return the same as an exception."""
        return ConfigError(self.reason + did_you_mean(self.nearest), **{name: getattr(self, name) for name in _PLACE})

    @classmethod
    def from_error(cls, error: FileError, source: str) -> ConfigProblem:
        """Return what is wrong with a file."""
        return cls(source=source, **vars(error))

    @classmethod
    def at(cls, document: Document, steps: Steps, **more: Any) -> ConfigProblem:
        """Make a problem with its line, if the file says anything about the setting."""
        line = document.line_of(steps)
        return cls(file=str(document.file) if line else None, line=line, key=key_of(steps), **more)


def near(name: str, known: Iterable[str], *, likeness: float = 0.6) -> tuple[str, ...]:
    """Return the known name that was probably meant; `likeness` is how similar the two must be, out of 1."""
    from hermes_schemas.suggestions import nearest

    return tuple(nearest(name, known, 1, likeness=likeness))


def find_misfits(spec: SectionSpec, path: Path, value: object) -> Iterator[tuple[Steps, str, str]]:
    """Yield what does not fit a setting: the steps to it from there, the rule, and a sentence without secrets."""
    from hermes_schemas.checker import compile_checker

    for violation in compile_checker(spec.find(path) or {}).violations(value, limit=_MAX_REASONS):
        steps = violation.steps
        inner = (*path, *(step for step in steps if isinstance(step, str)))
        yield steps, violation.rule, _reason(spec, inner, violation.rule, violation.message, _value_at(value, steps))


def why_not(spec: SectionSpec, path: Path, value: object) -> str:
    """Explain why a value cannot be that of a setting; empty when it can."""
    for steps, _, reason in find_misfits(spec, path, value):
        return f"{steps[-1]!r}: {reason}" if steps else reason
    return ""


def example_line(spec: SectionSpec, path: Path, variable: str = "") -> str | None:
    """Return a line of `config.yaml`, a setting of a variable, or a command that would be right."""
    from hermes_schemas.validation.messages import example, preview
    from hermes_schemas.validation.references import MISSING, References

    while (part := spec.find(path)) is None:
        path = path[:-1]
    if spec.is_secret(path):
        return None if variable else f"hermes config set {'.'.join((spec.name, *path))} VALUE"
    value = example(part, References(part).resolve)
    if value is MISSING or value is None:
        return None
    text = preview(value, 80)
    if variable:
        return f"{variable}={value if isinstance(value, str) else text}"
    for key in reversed(path):
        text = f"{{{key}: {text}}}"
    return f"{spec.name}: {text}"


def _reason(spec: SectionSpec, path: Path, rule: str, message: str, value: object) -> str:
    """Explain what is wrong with a value; `message`, which may quote it, is used only where it cannot be a secret."""
    from hermes_schemas.validation.messages import describe, kind_of, preview
    from hermes_schemas.validation.references import References

    if rule in ("required", "additionalProperties"):
        return REQUIRED if rule == "required" else "there is no such part."
    part = spec.find(path) or {}
    expected = describe(part, References(part).resolve)
    if spec.is_secret(path) or any(looks_secret(key) for key in path):
        return f"is something else than {expected}; the value is not shown, because it is a secret."
    if isinstance(value, (dict, list)):  # something in it may be a secret
        return f"is {kind_of(value)}, where {expected} should be."
    shown = preview(value, 80)
    if rule == "enum" and masked(shown) == shown:
        allowed = part.get("enum", ())
        words = ", ".join(preview(each, 80) for each in allowed[:_MAX_NAMED])
        reason = f"is {shown}, which is not one of {words}{', ...' if len(allowed) > _MAX_NAMED else ''}."
        yaml_words = " YAML reads yes, no, on and off without quotes as booleans."
        return reason + (yaml_words if isinstance(value, bool) else "")
    return message if masked(message) == message else f"is something else than {expected}."


def _value_at(value: Any, steps: Steps) -> object:
    for step in steps:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return None
    return value
