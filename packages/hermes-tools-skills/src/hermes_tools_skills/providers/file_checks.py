"""Checks the names and sizes of downloaded files before any of them is written."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from hermes_tools_skills.providers.protocol import FileNameError, SizeLimits, SkillFile

_MAX_PATH, _MAX_SEGMENT, _MAX_DEPTH = 1_000, 200, 16
_UNSAFE = re.compile(r'[\x00-\x1f\x7f-\x9f\\:*?"<>|\ud800-\udfff]')
_RESERVED = re.compile(r"(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])(?:\..*)?", re.IGNORECASE)
"""Names of devices on Windows, also with an extension."""
_LEFT_OUT = frozenset((".git", ".hg", ".svn", "__MACOSX", ".DS_Store"))
"""What version control and archivers add, and what is not a part of the skill."""


def is_left_out(path: str) -> bool:
    """Return whether a path belongs to version control or an archiver."""
    return not _LEFT_OUT.isdisjoint(path.split("/"))


def require_safe_name(path: str) -> None:
    """Raise `FileNameError` unless a relative path means the same file on every system, inside of the skill."""
    if not path or len(path) > _MAX_PATH:
        raise FileNameError(path, "has an empty name or a very long one")
    if found := _UNSAFE.search(path):
        raise FileNameError(path, f"has the character {found[0]!a} in its name")
    if path.startswith("/"):
        raise FileNameError(path, "has an absolute path")
    segments = path.split("/")
    if len(segments) > _MAX_DEPTH:
        raise FileNameError(path, f"is more than {_MAX_DEPTH} directories deep")
    if unicodedata.normalize("NFC", path) != path:
        raise FileNameError(path, "has a name in which characters are composed unusually (not NFC)")
    for char in path:
        if not char.isascii() and unicodedata.category(char) in ("Cf", "Cc", "Co", "Cn", "Zl", "Zp"):
            raise FileNameError(path, f"has an invisible character in its name ({char!a})")
    for segment in segments:
        _require_safe_segment(path, segment)


def _require_safe_segment(path: str, segment: str) -> None:
    if segment in ("", ".", ".."):
        raise FileNameError(path, "has a path with an empty part or dots")
    if len(segment.encode()) > _MAX_SEGMENT:
        raise FileNameError(path, f"has a part of more than {_MAX_SEGMENT} bytes in its name")
    if segment != segment.strip() or segment.endswith("."):
        raise FileNameError(path, "has a part that begins or ends with a blank, or ends with a dot")
    if _RESERVED.fullmatch(segment):
        raise FileNameError(path, f"has a part that names a device on Windows ({segment})")


def check_files(files: Iterable[SkillFile], limits: SizeLimits) -> tuple[SkillFile, ...]:
    """Return the files of a skill, sorted, if all of them can be written safely.

    Raises:
        SourceError: A name is unsafe, two names collide on some system, or a limit is exceeded.
    """
    chosen: list[SkillFile] = []
    names: dict[str, str] = {}
    total = 0
    for file in files:
        require_safe_name(file.path)
        if is_left_out(file.path):
            continue
        limits.require_file(file.path, len(file.data))
        chosen.append(file)
        total += len(file.data)
        limits.require(len(chosen), total)
        segments = file.path.split("/")
        for count in range(1, len(segments) + 1):
            part = "/".join(segments[:count]) + ("/" if count < len(segments) else "")
            known = names.get(folded := _folded(part.rstrip("/")))
            if known is not None and (known != part or part == file.path):
                raise FileNameError(file.path, f"collides with {known!r}: some systems do not distinguish them")
            names[folded] = part
    return tuple(sorted(chosen, key=lambda file: file.path))


def _folded(path: str) -> str:
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", path).casefold())
