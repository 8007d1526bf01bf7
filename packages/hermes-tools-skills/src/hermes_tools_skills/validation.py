"""Check a skill against the specification of agentskills.io. Loading accepts much more."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from hermes_tools_skills.frontmatter import FrontmatterError, parse_frontmatter
from hermes_tools_skills.skill import FILES, MAX_DESCRIPTION, MAX_NAME, SkillError, read_text

FIELDS = ("name", "description", "license", "compatibility", "metadata", "allowed-tools")
HERMES_FIELDS = (
    "category",
    "disable-model-invocation",
    "environments",
    "platforms",
    "prerequisites",
    "related_skills",
    "required_credential_files",
    "required_environment_variables",
    "setup",
    "tags",
    "version",
)
"""The fields that Hermes reads in addition."""

_MAX_COMPATIBILITY = 500
_MAX_LINES = 500
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_TEXT_FIELDS = ("name", "description", "license", "compatibility", "allowed-tools")


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillProblem:
    """One deviation from the specification.

    Attributes:
        level: `error` if the specification forbids it, `warning` if it advises against it.
        rule: A stable id, such as `name.characters`.
        message: What is wrong, as a sentence.
        file: The file, relative to the skill.
        line: The line, counted from 1; None for the whole file.
    """

    level: Literal["error", "warning"] = "error"
    rule: str
    message: str
    file: str = FILES[0]
    line: int | None = None

    def __str__(self) -> str:
        location = f"{self.file}:{self.line}" if self.line else self.file
        return f"{location}: {self.level}: {self.message} [{self.rule}]"


def validate_skill(path: str | os.PathLike[str]) -> list[SkillProblem]:
    """Return the problems of a skill, errors first. `path` is its directory or its SKILL.md. Raises nothing."""
    return sorted(_problems(Path(path)), key=lambda problem: problem.level)


def _problems(path: Path) -> Iterator[SkillProblem]:
    directory = path.parent if path.name in FILES else path
    try:
        names = os.listdir(directory)
    except OSError as error:
        yield SkillProblem(rule="directory", message=f"The directory cannot be read: {error.strerror}.", file=".")
        return
    name = next((name for name in FILES if name in names), None)
    if name is None:
        yield SkillProblem(rule="file.missing", message="There is no SKILL.md.", file=".")
        return
    if name != FILES[0]:
        yield SkillProblem(level="warning", rule="file.name", message=f"{name} should be named SKILL.md.", file=name)
    try:
        text, notes = read_text(directory / name)
    except SkillError as error:
        yield SkillProblem(rule="file.unreadable", message=error.reason, file=name)
        return
    for note in notes:
        yield SkillProblem(rule="file.encoding", message=note, file=name)
    if text.startswith("\ufeff"):
        message = "The file begins with a byte order mark, which some readers refuse."
        yield SkillProblem(level="warning", rule="file.bom", message=message, file=name, line=1)
    try:
        front = parse_frontmatter(text.removeprefix("\ufeff"), lenient=False)
    except FrontmatterError as error:
        yield SkillProblem(rule="frontmatter", message=error.reason, file=name, line=error.line)
        return
    yield from _field_problems(front.data, directory)
    yield from _body_problems(front.body, front.body_line)


def _field_problems(data: Mapping[str, Any], directory: Path) -> Iterator[SkillProblem]:
    for field in _TEXT_FIELDS:
        if field in data and not isinstance(data[field], str):
            yield SkillProblem(rule=f"{field}.type", message=f"{field} is not text.")
    yield from _name_problems(data.get("name"), directory)
    description = data.get("description", "")
    if isinstance(description, str):
        if not description.strip():
            yield SkillProblem(rule="description.missing", message="description is missing or blank.")
        elif len(description) > MAX_DESCRIPTION:
            message = f"description has {len(description):,} characters; {MAX_DESCRIPTION:,} are allowed."
            yield SkillProblem(rule="description.length", message=message)
    compatibility = data.get("compatibility")
    if isinstance(compatibility, str) and not 1 <= len(compatibility) <= _MAX_COMPATIBILITY:
        message = f"compatibility has {len(compatibility):,} characters; 1 to {_MAX_COMPATIBILITY} are allowed."
        yield SkillProblem(rule="compatibility.length", message=message)
    metadata = data.get("metadata", {})
    if not isinstance(metadata, Mapping):
        yield SkillProblem(rule="metadata.type", message="metadata is not a mapping.")
    elif any(not isinstance(value, str) for key, value in metadata.items() if key != "hermes"):
        message = "metadata should map names to text; other programs may ignore nested values."
        yield SkillProblem(level="warning", rule="metadata.nested", message=message)
    for field in data:
        if field in HERMES_FIELDS:
            message = f"{field} is not part of the specification; only Hermes reads it here."
            yield SkillProblem(level="warning", rule="field.hermes", message=message)
        elif field not in FIELDS:
            yield SkillProblem(rule="field.unknown", message=f"The field {field!r} is not part of the specification.")


def _name_problems(name: object, directory: Path) -> Iterator[SkillProblem]:
    if not isinstance(name, str):
        if name is None:
            yield SkillProblem(rule="name.missing", message="name is missing.")
        return
    if not 1 <= len(name) <= MAX_NAME:
        yield SkillProblem(rule="name.length", message=f"name has {len(name)} characters; 1 to {MAX_NAME} are allowed.")
    elif not _NAME.fullmatch(name):
        message = "name may contain lower-case letters, digits and single hyphens between them."
        yield SkillProblem(rule="name.characters", message=message)
    folder = directory.resolve().name
    if name and unicodedata.normalize("NFKC", name) != unicodedata.normalize("NFKC", folder):
        yield SkillProblem(rule="name.directory", message=f"name is {name!r}, but the directory is named {folder!r}.")


def _body_problems(body: str, first_line: int) -> Iterator[SkillProblem]:
    if not body.strip():
        yield SkillProblem(level="warning", rule="body.empty", message="There are no instructions.", line=first_line)
    elif (lines := body.count("\n")) > _MAX_LINES:
        message = f"The instructions have {lines:,} lines; move details to references, and keep at most {_MAX_LINES}."
        yield SkillProblem(level="warning", rule="body.length", message=message, line=first_line)
