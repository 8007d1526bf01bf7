"""A skill in a directory of this machine."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from hermes_files.regular_files import read_regular_file
from hermes_tools_skills.providers.file_checks import is_left_out
from hermes_tools_skills.providers.protocol import (
    CatalogEntry,
    FetchedSkill,
    FileNameError,
    SizeLimits,
    SkillFile,
    SourceAccess,
    SourceError,
)
from hermes_tools_skills.providers.skill_text import read_front, text_field
from hermes_tools_skills.skill import FILES


class Directory:
    """Copies a directory. An identifier is its path."""

    title = "Directory"

    def search(self, query: str, limit: int, access: SourceAccess) -> Sequence[CatalogEntry]:  # noqa: ARG002 - a protocol
        """Return nothing: directories have no catalog."""
        return ()

    def browse(self, limit: int, access: SourceAccess) -> Sequence[CatalogEntry]:  # noqa: ARG002 - a protocol
        """Return nothing: directories have no catalog."""
        return ()

    def inspect(self, identifier: str, access: SourceAccess) -> CatalogEntry:
        """Return what the SKILL.md says."""
        return self.fetch(identifier, access).entry

    def fetch(self, identifier: str, access: SourceAccess) -> FetchedSkill:
        """Read all files; links are refused, and files of version control left out."""
        path = Path(os.path.abspath(Path(identifier).expanduser()))
        path = path.parent if path.name in FILES else path
        try:
            files = list(read_directory(path, access.limits))
        except OSError as error:
            raise SourceError(f"{path} cannot be read: {error.strerror or error}.", kind="not_found") from error
        content = next((file.data for file in files if file.path in FILES), None)
        if content is None:
            raise SourceError(f"{path} is not a skill: it has no SKILL.md.", kind="not_found")
        front = read_front(content)
        entry = CatalogEntry(
            source="directory",
            identifier=f"directory:{path}",
            name=text_field(front, "name") or path.name,
            description=text_field(front, "description"),
            version=text_field(front, "version"),
        )
        return FetchedSkill(entry=entry, files=tuple(files))


def read_directory(top: Path, limits: SizeLimits, *, everything: bool = False) -> Iterator[SkillFile]:
    """Yield the files below a directory.

    Args:
        top: The directory.
        limits: How many files, and how large, are read.
        everything: Whether to include the files of version control, which are not a part of a skill.

    Raises:
        SourceError: A limit is exceeded, or something is neither a file nor a directory.
        OSError: It cannot be read.
    """
    count = total = 0
    pending = [top]
    while pending:
        with os.scandir(pending.pop()) as entries:
            found = sorted(entries, key=lambda entry: entry.name)
        for item in found:
            path = os.path.relpath(item.path, top)
            if not everything and is_left_out(path):
                continue
            if item.is_dir(follow_symlinks=False):
                pending.append(top / path)
                continue
            status = item.stat(follow_symlinks=False)
            if not stat.S_ISREG(status.st_mode):
                raise FileNameError(path, "is a link or a device")
            limits.require_file(path, status.st_size)
            data = read_regular_file(item.path, limits.file_bytes)
            count, total = count + 1, total + len(data)
            limits.require(count, total)
            yield SkillFile(path=path, data=data, executable=bool(status.st_mode & 0o111))
