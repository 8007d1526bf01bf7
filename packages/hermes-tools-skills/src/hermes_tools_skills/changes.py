"""Plan a change of a skill: read the present version, and compute the one file that becomes different."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal

from hermes_core.errors import ToolInputError
from hermes_editing.decoded_text import EncodingError, Text, decode, is_binary
from hermes_editing.diff import unified
from hermes_editing.fuzzy.replace import replace
from hermes_editing.fuzzy.results import AlreadyAppliedError, ManyMatchesError, NoMatchError
from hermes_files.regular_files import read_regular_file
from hermes_tools_skills.frontmatter import FrontmatterError, parse_frontmatter
from hermes_tools_skills.index import is_inside
from hermes_tools_skills.library import Library
from hermes_tools_skills.resources import FOLDERS, MAX_BYTES
from hermes_tools_skills.skill import FILES, MAX_DESCRIPTION, Skill

Action = Literal["create", "patch", "edit", "delete", "write_file", "remove_file"]

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
_MAX_CHARS = 100_000
_MAX_PATH = 400
_PREVIEW = 500
_SAFE_PART = re.compile(r"[^\x00-\x1f\x7f/\\]{1,200}")


class ChangeError(ToolInputError):
    """Raised when a change is not possible; nothing was changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeRequest:
    """What a model asks for: the arguments of `skill_manage`."""

    action: Action
    name: str
    content: str | None = None
    category: str | None = None
    old_string: str | None = None
    new_string: str | None = None
    replace_all: bool = False
    file_path: str | None = None
    file_content: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A change of one file, or the removal of a whole skill.

    Attributes:
        action: The action.
        skill: The id of the skill.
        directory: Its directory, which does not exist yet if the skill is created.
        file: The file, relative to the directory; empty if the whole skill is removed.
        before: The present content; None if the file does not exist.
        after: The new content; None if the file is removed.
        strategy: How the text to replace was found.
        count: How many places were replaced.
    """

    action: Action
    skill: str
    directory: Path
    file: str = ""
    before: bytes | None = None
    after: bytes | None = None
    strategy: str = ""
    count: int = 0

    def diff(self) -> str:
        """Return a unified diff of the file, or describe the removal of a skill."""
        if not self.file:
            return f"The whole skill is deleted: {self.directory}"
        before, after = ((data or b"").decode("utf-8", errors="replace") for data in (self.before, self.after))
        return unified(before, after, f"{self.directory.name}/{self.file}")


def plan_change(library: Library, request: ChangeRequest) -> Change:
    """Return the change that a request would make now.

    Raises:
        ChangeError: The request is incomplete, or the change would not be valid.
        SkillNotFoundError: There is no such skill.
    """
    _require_arguments(request)
    if request.action == "create":
        return _create(library, request)
    skill = library.find(request.name)
    _require_writable(skill, library)
    if request.action == "delete":
        return Change(action="delete", skill=skill.id, directory=skill.directory)
    path = _file_path(skill, request)
    before = _read(skill.directory, path)
    if request.action == "patch":
        return _patch(skill, path, before, request)
    if request.action == "remove_file":
        if before is None:
            raise ChangeError(f"{path} does not exist in the skill {skill.id}.")
        return Change(action="remove_file", skill=skill.id, directory=skill.directory, file=path, before=before)
    text = (request.content if request.action == "edit" else request.file_content) or ""
    after = _encode(text, path)
    if path == skill.file.name:
        require_valid_content(text, skill.name)
    if after == before:
        raise ChangeError(f"{path} has this content already. Nothing was changed.")
    return Change(
        action=request.action, skill=skill.id, directory=skill.directory, file=path, before=before, after=after
    )


_REQUIRED = {
    "create": ("content",),
    "edit": ("content",),
    "patch": ("old_string", "new_string"),
    "write_file": ("file_path", "file_content"),
    "remove_file": ("file_path",),
    "delete": (),
}


def _require_arguments(request: ChangeRequest) -> None:
    missing = [name for name in _REQUIRED[request.action] if getattr(request, name) is None]
    if missing:
        raise ChangeError(f"The action {request.action} requires {' and '.join(missing)}.")


def _require_writable(skill: Skill, library: Library) -> None:
    if not skill.writable:
        raise ChangeError(
            f"The skill {skill.id} cannot be changed: it is not in {library.directory}.",
            hint="Create a skill with another name, or ask the user to change it.",
        )
    top = os.path.realpath(library.directory)
    if os.path.realpath(skill.directory) != str(skill.directory) or not is_inside(str(skill.directory), top):
        raise ChangeError(f"The skill {skill.id} cannot be changed: its directory is a link.")


def _create(library: Library, request: ChangeRequest) -> Change:
    name, category, content = request.name, request.category or "", request.content or ""
    for label, value in (("name", name), ("category", category)):
        if (value or label == "name") and not _NAME.fullmatch(value):
            raise ChangeError(
                f"The {label} {value[:80]!r} is not valid.",
                hint="Use 1 to 64 lower-case letters, digits, '.', '_' and '-', beginning with a letter or digit.",
            )
    require_valid_content(content, name)
    taken = [skill for skill in library.all_skills()[0] if name in (skill.name, skill.directory.name)]
    directory = Path(os.path.realpath(library.directory), category, name)
    if taken or os.path.lexists(directory):
        raise ChangeError(
            f"There is a skill {name!r} already.", hint="Change it with patch or edit, or choose another name."
        )
    if os.path.lexists(directory.parent / FILES[0]) and category:
        raise ChangeError(f"{category!r} is a skill, not a category.")
    path = f"{category}/{name}" if category else name
    return Change(action="create", skill=path, directory=directory, file=FILES[0], after=_encode(content, FILES[0]))


def _patch(skill: Skill, path: str, before: bytes | None, request: ChangeRequest) -> Change:
    if before is None:
        raise ChangeError(f"{path} does not exist in the skill {skill.id}.", hint="Create it with write_file.")
    text = _decode(before, path)
    try:
        done = replace(text.text, request.old_string or "", request.new_string or "", everywhere=request.replace_all)
    except NoMatchError as error:
        similar = [{"line": each.line, "text": each.text} for each in error.suggestions]
        raise ChangeError(f"{path}: {error}", file_preview=text.text[:_PREVIEW], similar=similar) from None
    except ManyMatchesError as error:
        raise ChangeError(f"{path}: {error}", matches=error.count, lines=list(error.lines)) from None
    except AlreadyAppliedError as error:
        raise ChangeError(f"{path}: {error}") from None
    except ValueError as error:
        raise ChangeError(f"{path}: {error}") from None
    if len(done.text) > _MAX_CHARS:
        raise ChangeError(f"{path} would have {len(done.text):,} characters; at most {_MAX_CHARS:,} are allowed.")
    if path == skill.file.name:
        _require_no_new_problem(done.text, text.text, skill)
    try:
        after = text.encode(done.text)
    except EncodingError as error:
        raise ChangeError(f"{path}: {error}") from None
    return Change(
        action="patch",
        skill=skill.id,
        directory=skill.directory,
        file=path,
        before=before,
        after=after,
        strategy=done.strategy,
        count=done.count,
    )


def _require_no_new_problem(text: str, before: str, skill: Skill) -> None:
    """Raise `ChangeError` if a text is not valid, unless the present version has the same problem and can be loaded."""
    try:
        require_valid_content(text, skill.name)
    except ChangeError as error:
        try:
            require_valid_content(before, skill.name)
        except ChangeError as known:
            if str(known) == str(error) and _is_loadable(text):
                return
        raise


def _is_loadable(text: str) -> bool:
    try:
        front = parse_frontmatter(text)
    except FrontmatterError:
        return False
    return bool(str(front.data.get("description", "")).strip() and front.body.strip())


def require_valid_content(content: str, name: str) -> None:
    """Raise `ChangeError` unless a text is a complete SKILL.md of the skill with this name."""
    try:
        front = parse_frontmatter(content, lenient=False)
    except FrontmatterError as error:
        raise ChangeError(
            f"The content is not a valid SKILL.md, {error}",
            hint="Begin with a line '---', then 'name: ...' and 'description: ...', and a line '---'.",
        ) from None
    given, description = front.data.get("name"), front.data.get("description")
    if given != name:
        raise ChangeError(f"The name in the frontmatter is {given!r}; it must be {name!r}.")
    if not isinstance(description, str) or not description.strip():
        raise ChangeError("The frontmatter has no description.", hint="Say what the skill does and when to use it.")
    if len(description) > MAX_DESCRIPTION:
        raise ChangeError(f"The description has {len(description):,} characters; {MAX_DESCRIPTION:,} are allowed.")
    if not front.body.strip():
        raise ChangeError("There are no instructions after the frontmatter.")


def _file_path(skill: Skill, request: ChangeRequest) -> str:
    own = skill.file.name
    if request.action == "edit" or (request.action == "patch" and not request.file_path):
        return own
    path = (request.file_path or "").removeprefix("./")
    if path in (own, FILES[0]) and request.action in ("patch", "write_file"):
        return own
    parts = path.split("/")
    if len(path) > _MAX_PATH or not all(_SAFE_PART.fullmatch(part) and not part.startswith(".") for part in parts):
        raise ChangeError(f"The path {path[:80]!r} is not valid.", hint="Use a path such as references/api.md.")
    if parts[0] not in FOLDERS or len(parts) < 2 or PurePosixPath(path).is_absolute():
        raise ChangeError(
            f"{path[:80]} cannot be changed.", hint=f"Files must be in {', '.join(f'{each}/' for each in FOLDERS)}."
        )
    return path


def _read(directory: Path, path: str) -> bytes | None:
    """Return the content of a file; None if it does not exist. A link anywhere on the path is refused."""
    for parent in [*reversed(PurePosixPath(path).parents), PurePosixPath(path)]:
        if os.path.islink(directory / parent):
            raise ChangeError(f"{path} cannot be changed: {parent} is a link.")
    try:
        data = read_regular_file(str(directory / path), MAX_BYTES)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ChangeError(f"{path} cannot be read: {error.strerror or error}.") from None
    if len(data) > MAX_BYTES:
        raise ChangeError(f"{path} is larger than {MAX_BYTES >> 20} MiB.")
    return data


def _decode(data: bytes, path: str) -> Text:
    if is_binary(data, ""):
        raise ChangeError(f"{path} is not a text file.")
    return decode(data, path)


def _encode(text: str, path: str) -> bytes:
    if len(text) > _MAX_CHARS:
        raise ChangeError(f"{path} has {len(text):,} characters; at most {_MAX_CHARS:,} are allowed.")
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise ChangeError(f"{path} contains lone surrogates, which are not valid text.") from None
