"""What is known about a skill, and how its SKILL.md is read: leniently, with notes about what was ignored."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from hermes_files.regular_files import read_regular_file
from hermes_text import clean_text
from hermes_text.terminal import clean
from hermes_tools_skills.frontmatter import Frontmatter, FrontmatterError, parse_frontmatter

Origin = Literal["project", "home", "configured", "user", "plugin"]
"""A trusted project, `$HERMES_HOME/skills`, a configured directory, `~/.agents/skills`, or a directory of a plugin."""

FILES = ("SKILL.md", "skill.md")
"""The names of the file with the instructions, in order of preference."""

MAX_BYTES = 1 << 20
"""The maximum size of a SKILL.md that is read."""

MAX_NAME, MAX_DESCRIPTION = 64, 1024
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}")
_MAX_ITEMS = 100


class SkillError(Exception):
    """Raised when a skill cannot be read.

    Attributes:
        reason: What is wrong, as a sentence.
    """

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


@dataclass(frozen=True, slots=True, kw_only=True)
class Variable:
    """An environment variable that a skill needs.

    Attributes:
        name: Its name.
        prompt: What it contains.
        help: How to get a value.
        optional: Whether the skill works without it.
    """

    name: str
    prompt: str = ""
    help: str = ""
    optional: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirements:
    """What a skill needs before it can be used.

    Attributes:
        platforms: The operating systems that it supports: `macos`, `linux` or `windows`; all if empty.
        variables: Environment variables.
        credential_files: Files with credentials, relative to `$HERMES_HOME`.
        commands: Programs on PATH.
        help: How to set it up.
    """

    platforms: tuple[str, ...] = ()
    variables: tuple[Variable, ...] = ()
    credential_files: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    help: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Skill:
    """A skill that was found, without its body.

    Attributes:
        name: The name in the frontmatter, or the directory's if that is not a valid name.
        description: What it does and when to use it, on one line.
        category: The category in the frontmatter, or the directories between the root and the skill.
        tags: Its tags.
        related: The names of related skills.
        directory: Its directory.
        file: Its SKILL.md.
        root: The directory in which it was found.
        origin: What kind of root that is.
        plugin: The plugin that ships it, empty for all others.
        frontmatter: The whole frontmatter.
        requirements: What it needs.
        model_invocation: Whether models may see it. Users can view it in any case.
        notes: What was ignored or fixed while reading it, as sentences.
    """

    name: str
    description: str
    category: str
    tags: tuple[str, ...]
    related: tuple[str, ...]
    directory: Path
    file: Path
    root: Path
    origin: Origin
    plugin: str
    frontmatter: Mapping[str, Any]
    requirements: Requirements
    model_invocation: bool
    notes: tuple[str, ...]

    @property
    def id(self) -> str:
        """The name that identifies it among all skills: `devops/deploy`, `project:deploy` or `plugin:deploy`."""
        if self.origin == "plugin":
            return f"{self.plugin}:{self.name}"
        path = self.directory.relative_to(self.root).as_posix()
        return path if self.origin == "home" else f"{self.origin}:{path}"

    @property
    def writable(self) -> bool:
        """Whether `skill_manage` may change it."""
        return self.origin == "home"


def read_text(file: Path) -> tuple[str, list[str]]:
    """Return the text of a SKILL.md, and notes about its encoding.

    Raises:
        SkillError: It cannot be read, or is too large.
    """
    try:
        data = read_regular_file(str(file), MAX_BYTES)
    except OSError as error:
        raise SkillError(f"{file.name} cannot be read: {error.strerror or error}.") from None
    if len(data) > MAX_BYTES:
        raise SkillError(f"{file.name} is larger than {MAX_BYTES >> 20} MiB.")
    if b"\0" in data[:4096]:
        raise SkillError(f"{file.name} is not a text file in UTF-8.")
    try:
        return data.decode("utf-8"), []
    except UnicodeDecodeError:
        return data.decode("utf-8", errors="replace"), [f"{file.name} is not UTF-8: some characters were replaced."]


def load_skill(file: Path, *, root: Path, origin: Origin, plugin: str = "") -> Skill:
    """Read a skill without its body.

    Raises:
        SkillError: The frontmatter cannot be read, or has no description.
    """
    text, notes = read_text(file)
    try:
        front = parse_frontmatter(text)
    except FrontmatterError as error:
        raise SkillError(f"{file.name}, {error}") from None
    return make_skill(front, file=file, root=root, origin=origin, plugin=plugin, notes=notes)


def make_skill(
    front: Frontmatter, *, file: Path, root: Path, origin: Origin, plugin: str = "", notes: Iterable[str] = ()
) -> Skill:
    """Return a skill with this frontmatter. Raises `SkillError` if it has no description."""
    found = [*notes, *front.notes]
    data = front.data
    directory = file.parent
    description = clean(clean_text(_text(data.get("description"))))  # models see it before they choose the skill
    if not description:
        raise SkillError(f"{file.name} has no description.")
    if len(description) > MAX_DESCRIPTION:
        found.append(
            f"The description has {len(description):,} characters; the specification allows {MAX_DESCRIPTION:,}."
        )
    hermes = _hermes_metadata(data)
    return Skill(
        name=_name(data.get("name"), directory.name, found),
        description=description,
        category=_category(data, hermes, directory, root),
        tags=_words(hermes.get("tags", data.get("tags"))),
        related=_words(hermes.get("related_skills", data.get("related_skills"))),
        directory=directory,
        file=file,
        root=root,
        origin=origin,
        plugin=plugin,
        frontmatter=data,
        requirements=_requirements(data, hermes, found),
        model_invocation=_text(data.get("disable-model-invocation")).lower() not in ("true", "yes", "1", "on"),
        notes=tuple(found),
    )


def _name(value: object, folder: str, notes: list[str]) -> str:
    name = _text(value).strip()
    if not name:
        notes.append("The frontmatter has no name: the directory's name is used.")
    elif not _NAME.fullmatch(name):
        notes.append(f"The name {clean(name)[:80]!r} is not valid: the directory's name is used.")
    else:
        if name != folder:
            notes.append(f"The name {name!r} differs from the directory's name {folder!r}.")
        return name
    return clean(folder)


def _category(data: Mapping[str, Any], hermes: Mapping[str, Any], directory: Path, root: Path) -> str:
    parents = directory.relative_to(root).parts[:-1] if directory != root else ()
    given = _text(hermes.get("category") or data.get("category"))
    return clean(given or "/".join(part for part in parents if not part.startswith(".")))[:MAX_NAME]


def _hermes_metadata(data: Mapping[str, Any]) -> Mapping[str, Any]:
    metadata = data.get("metadata")
    hermes = metadata.get("hermes") if isinstance(metadata, Mapping) else None
    return hermes if isinstance(hermes, Mapping) else metadata if isinstance(metadata, Mapping) else {}


def _requirements(data: Mapping[str, Any], hermes: Mapping[str, Any], notes: list[str]) -> Requirements:
    prerequisites, setup = (_mapping(data.get(key)) for key in ("prerequisites", "setup"))
    asked = [*_items(data.get("required_environment_variables")), *_items(setup.get("collect_secrets"))]
    variables = {each.name: each for each in _variables([*asked, *_items(prerequisites.get("env_vars"))], notes)}
    files = [
        _text(each.get("path") if isinstance(each, Mapping) else each)
        for each in _items(data.get("required_credential_files"))
    ]
    return Requirements(
        platforms=tuple(word.lower() for word in _words(data.get("platforms", hermes.get("platforms")))),
        variables=tuple(variables.values()),
        credential_files=tuple(filter(None, map(clean, files))),
        commands=_words(prerequisites.get("commands")),
        help=clean(_text(setup.get("help"))),
    )


def _variables(items: Iterable[object], notes: list[str]) -> Iterator[Variable]:
    for item in items:
        entry = item if isinstance(item, Mapping) else {"name": item}
        name = _text(entry.get("name", entry.get("env_var")))
        if not _VARIABLE.fullmatch(name):
            notes.append(f"{clean(name)[:80]!r} is not the name of an environment variable, and was ignored.")
            continue
        yield Variable(
            name=name,
            prompt=clean(_text(entry.get("prompt"))),
            help=clean(_text(entry.get("help", entry.get("provider_url")))),
            optional=_text(entry.get("optional")).lower() in ("true", "yes"),
        )


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _items(value: object) -> list[Any]:
    return value[:_MAX_ITEMS] if isinstance(value, list) else [] if value in (None, "", {}) else [value]


def _words(value: object) -> tuple[str, ...]:
    """Return the words of a list, or of a text like `a, b` or `[a, b]`."""
    given = re.split(r"[,\n]", value.strip("[] ")) if isinstance(value, str) else _items(value)
    return tuple(dict.fromkeys(filter(None, (clean(_text(each))[:MAX_NAME] for each in given))))[:_MAX_ITEMS]


def skill_file(directory: str | os.PathLike[str], names: Iterable[str] | None = None) -> str | None:
    """Return the path of the SKILL.md of a directory whose entries have these names; None if it has none."""
    present = set(os.listdir(directory) if names is None else names)
    return next((os.path.join(directory, name) for name in FILES if name in present), None)
