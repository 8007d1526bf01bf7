"""Reads the name and description of a skill that was downloaded, and picks one of several skills."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hermes_text.terminal import clean
from hermes_tools_skills.frontmatter import Frontmatter, FrontmatterError, parse_frontmatter
from hermes_tools_skills.providers.protocol import SourceError
from hermes_tools_skills.skill import FILES

_MAX_LISTED = 30


def read_front(data: bytes) -> Frontmatter | None:
    """Return the parts of a SKILL.md; None if its frontmatter cannot be read."""
    try:
        return parse_frontmatter(data.decode("utf-8", errors="replace"))
    except FrontmatterError:
        return None


def text_field(front: Frontmatter | None, key: str) -> str:
    """Return a field of a frontmatter on one line; empty if it is missing."""
    value = front.data.get(key) if front else None
    return clean(value) if isinstance(value, str) else ""


def find_skills(paths: Iterable[str]) -> list[str]:
    """Return the directories with a SKILL.md, without those inside of another skill; empty for the top."""
    found = {path.rpartition("/")[0] for path in paths if path.rpartition("/")[2] in FILES}
    chosen: list[str] = []
    for folder in sorted(found, key=lambda path: path.split("/")):
        outer = chosen[-1] if chosen else ""  # in sorted order, the last one chosen is the only one that may contain it
        if "node_modules" not in folder.split("/") and not (outer and folder.startswith(f"{outer}/")):
            chosen.append(folder)
    return chosen


def choose_skill(paths: Iterable[str], asked: str, location: str) -> str:
    """Return the directory of the skill with this path or name.

    Args:
        paths: The paths of all files.
        asked: The path of a directory, or its name; empty if there is only one skill.
        location: What contains them, for errors.

    Raises:
        SourceError: There is no such skill, or there are several.
    """
    folders = find_skills(paths)
    if not folders:
        raise SourceError(f"{location} contains no skill (no SKILL.md).", kind="not_found")
    if asked:
        found = [folder for folder in folders if folder == asked]
        found = found or [folder for folder in folders if f"/{folder}".endswith(f"/{asked}")]
    else:
        found = folders if len(folders) == 1 else [folder for folder in folders if not folder]
    if len(found) == 1:
        return found[0]
    problem = f"has {len(found)} skills named {asked!r}" if found else f"has no skill {asked!r}"
    if not asked:
        problem = f"contains {len(folders)} skills"
    raise SourceError(f"{location} {problem}. Name one of: {_listed(found or folders)}.", kind="not_found")


def _listed(folders: Sequence[str]) -> str:
    more = f" and {len(folders) - _MAX_LISTED} more" if len(folders) > _MAX_LISTED else ""
    return ", ".join(clean(folder) or "." for folder in folders[:_MAX_LISTED]) + more
