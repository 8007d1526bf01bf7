"""A skill at a URL: a SKILL.md, or an archive."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from hermes_tools_skills.providers.archives import is_archive, read_archive, strip_top
from hermes_tools_skills.providers.protocol import (
    CatalogEntry,
    FetchedSkill,
    SkillFile,
    SourceAccess,
    SourceError,
)
from hermes_tools_skills.providers.skill_text import choose_skill, read_front, text_field
from hermes_tools_skills.skill import FILES

_EXTENSION = re.compile(r"\.(?:md|zip|skill|tgz|tar\.gz)$", re.IGNORECASE)
_HTML = re.compile(rb"\s*<(?:!doctype|html)", re.IGNORECASE)


class Url:
    """Installs from one URL. An identifier is the URL, with `#directory` for one of several skills in an archive."""

    title = "URL"

    def search(self, query: str, limit: int, access: SourceAccess) -> Sequence[CatalogEntry]:  # noqa: ARG002 - a protocol
        """Return nothing: URLs have no catalog."""
        return ()

    def browse(self, limit: int, access: SourceAccess) -> Sequence[CatalogEntry]:  # noqa: ARG002 - a protocol
        """Return nothing: URLs have no catalog."""
        return ()

    def inspect(self, identifier: str, access: SourceAccess) -> CatalogEntry:
        """Return what the SKILL.md says."""
        return self.fetch(identifier, access).entry

    def fetch(self, identifier: str, access: SourceAccess) -> FetchedSkill:
        """Download the URL."""
        url, _, asked = identifier.partition("#")
        access.progress(f"Downloading {url}", 0, 0)
        data = access.web.get(url).body
        if is_archive(data):
            files = strip_top(read_archive(data, access.limits))
        elif _HTML.match(data):
            raise SourceError(f"{url[:200]} is a web page, not a SKILL.md or an archive.")
        else:
            files = [SkillFile(path=FILES[0], data=data)]
        folder = choose_skill([file.path for file in files], asked, url[:200])
        chosen = below(files, folder)
        front = read_front(next(file.data for file in chosen if file.path in FILES))
        name = PurePosixPath(folder).name or _EXTENSION.sub("", PurePosixPath(unquote(urlsplit(url).path)).name)
        entry = CatalogEntry(
            source="url",
            identifier=f"url:{identifier}",
            name=text_field(front, "name") or name,
            description=text_field(front, "description"),
            version=text_field(front, "version"),
            revision=hashlib.sha256(data).hexdigest(),
            url=url,
        )
        return FetchedSkill(entry=entry, files=tuple(chosen))


def below(files: Sequence[SkillFile], folder: str) -> list[SkillFile]:
    """Return the files in a directory, with paths relative to it."""
    prefix = f"{folder}/" if folder else ""
    return [
        SkillFile(path=file.path[len(prefix) :], data=file.data, executable=file.executable)
        for file in files
        if file.path.startswith(prefix)
    ]
