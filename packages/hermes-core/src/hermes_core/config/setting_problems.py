"""Problems of settings: the location, the reason without secrets, and a remedy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from hermes_core.config.sections import Keys, SectionSpec
from hermes_core.errors import ConfigError, did_you_mean
from hermes_files import FileError
from hermes_files.yaml_document import Document, Steps, key_of
from hermes_text.secrets.secret_names import looks_secret, masked

if TYPE_CHECKING:
    from hermes_schemas.value_problems import ValueProblem

Level = Literal["error", "warning", "note"]
_PLACE = ("file", "line", "column", "key", "example")


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigProblem:
    """One problem: an `error` is rejected, a `warning` has no effect or is unsafe, a `note` is harmless.

    `nearest` are similar names; `source` is `config.yaml`, `.env`, or `env NAME`.
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
        return ConfigError(self.reason + did_you_mean(self.nearest), **{name: getattr(self, name) for name in _PLACE})

    @classmethod
    def from_error(cls, error: FileError, source: str) -> ConfigProblem:
        return cls(source=source, **vars(error))

    @classmethod
    def at(cls, document: Document, steps: Steps, **more: Any) -> ConfigProblem:
        """Create a problem with its line, if the setting is in the file."""
        line = document.line_of(steps)
        return cls(file=str(document.file) if line else None, line=line, key=key_of(steps), **more)


def near(name: str, known: Iterable[str], *, likeness: float = 0.6) -> tuple[str, ...]:
    """Return the most similar known name; `likeness` is the required similarity between 0 and 1."""
    from hermes_schemas.suggestions import nearest

    return tuple(nearest(name, known, 1, likeness=likeness))


def find_value_problems(spec: SectionSpec, path: Keys, value: object) -> Iterator[ValueProblem]:
    """Yield the problems of a value, without quoting secrets."""
    from hermes_schemas import value_problems

    def holds_secret(text: str) -> bool:
        return bool(masked(text) != text)

    return value_problems.find_value_problems(spec, path, value, names_secret=looks_secret, holds_secret=holds_secret)


def why_not(spec: SectionSpec, path: Keys, value: object) -> str:
    """Explain why a value does not fit a setting; empty if it fits."""
    for steps, reason in find_value_problems(spec, path, value):
        return f"{steps[-1]!r}: {reason}" if steps else reason
    return ""


def example_line(spec: SectionSpec, path: Keys, variable: str = "") -> str | None:
    """Return a valid line of `config.yaml`, assignment of a variable, or command."""
    from hermes_schemas.value_problems import example_of

    while spec.find(path) is None:
        path = path[:-1]
    if spec.is_secret(path):
        return None if variable else f"hermes config set {'.'.join((spec.name, *path))} VALUE"
    if (example := example_of(spec, path)) is None:
        return None
    value, text = example
    if variable:
        return f"{variable}={value if isinstance(value, str) else text}"
    for key in reversed(path):
        text = f"{{{key}: {text}}}"
    return f"{spec.name}: {text}"
