"""What is wrong with a setting: the place, the reason without anything secret, and a remedy."""

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
    """One thing that is wrong, or worth knowing: its place, `reason` and a remedy, as `ConfigError` has them.

    Attributes:
        level: `error` is refused on reading, `warning` has no effect or is unsafe, `note` is harmless.
        nearest: Names that were probably meant.
        source: `config.yaml`, `.env`, or `env NAME`; values of the environment have no file.
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


def find_value_problems(spec: SectionSpec, path: Keys, value: object) -> Iterator[ValueProblem]:
    """Yield what does not fit in the value of a setting, without quoting secrets."""
    from hermes_schemas import value_problems

    def holds_secret(text: str) -> bool:
        return bool(masked(text) != text)

    return value_problems.find_value_problems(spec, path, value, names_secret=looks_secret, holds_secret=holds_secret)


def why_not(spec: SectionSpec, path: Keys, value: object) -> str:
    """Explain why a value cannot be that of a setting; empty when it can."""
    for steps, reason in find_value_problems(spec, path, value):
        return f"{steps[-1]!r}: {reason}" if steps else reason
    return ""


def example_line(spec: SectionSpec, path: Keys, variable: str = "") -> str | None:
    """Return a line of `config.yaml`, a setting of a variable, or a command that would be right."""
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
