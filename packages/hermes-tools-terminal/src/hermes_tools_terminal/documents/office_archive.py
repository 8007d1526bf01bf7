"""Read Office files: ZIP archives of XML parts, with limits on their unpacked size."""

from __future__ import annotations

import io
import posixpath
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final
from xml.parsers import expat

from hermes_tools_terminal.documents.extractors import DocumentError

MAX_UNPACKED: Final = 100 * 1024 * 1024
"""The maximum unpacked size of all parts that are read."""

MAX_RATIO: Final = 200
"""The maximum compression ratio of a part beyond a megabyte; for text it is about ten."""

_CHUNK: Final = 1 << 16
_ZIP_ERRORS: Final = (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError, ValueError)
"""Errors of `zipfile` for archives that are damaged, encrypted or in an unknown format."""

Start = Callable[[str, dict[str, str]], None]
End = Callable[[str], None]
Letters = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Link:
    """A reference from a part to another: its id, the type of the relationship, and the name of the other part."""

    name: str
    type: str
    target: str


class Package:
    """An Office file.

    Raises:
        DocumentError: It is not an archive.
    """

    def __init__(self, data: bytes, kind: str) -> None:
        self.kind = kind
        self._left = MAX_UNPACKED
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(data))
        except _ZIP_ERRORS as error:
            raise DocumentError(kind, f"the archive is damaged ({error}).") from None
        self._names = frozenset(self._archive.namelist())

    def __contains__(self, name: str) -> bool:
        return name in self._names

    def parse(self, name: str, start: Start, end: End, letters: Letters) -> None:
        """Parse the XML of a part.

        Args:
            name: The name of the part.
            start: Called at the start of each element with its local name and attributes.
            end: Called at the end of each element.
            letters: Called with the text between tags.

        Raises:
            DocumentError: The part is missing, damaged or too large, or has a document type.
        """
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartElementHandler = lambda tag, attributes: start(
            _local(tag), {_local(name): value for name, value in attributes.items()}
        )
        parser.EndElementHandler = lambda tag: end(_local(tag))
        parser.CharacterDataHandler = letters
        parser.StartDoctypeDeclHandler = self._refuse
        try:
            for chunk in self._chunks(name):
                parser.Parse(chunk, False)
            parser.Parse(b"", True)
        except expat.ExpatError as error:
            raise DocumentError(self.kind, f"its part {name} is damaged ({error}).") from None

    def links(self, part: str) -> list[Link]:
        """Return the references of a part, or of the package if the name is empty. Raise `DocumentError` if
        they are damaged.
        """
        folder, name = posixpath.split(part)
        listed = posixpath.join(folder, "_rels", f"{name}.rels")
        found: list[Link] = []

        def start(tag: str, attributes: dict[str, str]) -> None:
            if tag == "Relationship":
                target = posixpath.normpath(posixpath.join("/", folder, attributes.get("Target", ""))).lstrip("/")
                found.append(Link(attributes.get("Id", ""), attributes.get("Type", ""), target))

        if listed in self:
            self.parse(listed, start, lambda _: None, lambda _: None)
        return found

    def main_part(self, usual: str) -> str:
        """Return the name of the main part, which nearly always is the usual one."""
        if usual in self:
            return usual
        return next((link.target for link in self.links("") if link.type.endswith("/officeDocument")), usual)

    def _chunks(self, name: str) -> Iterator[bytes]:
        if name not in self._names:
            raise DocumentError(self.kind, f"its part {name} is missing.")
        try:
            info = self._archive.getinfo(name)
            most = min(self._left, max(1 << 20, MAX_RATIO * info.compress_size))
            with self._archive.open(info) as part:
                while chunk := part.read(_CHUNK):
                    self._left -= len(chunk)
                    most -= len(chunk)
                    if most < 0:
                        raise DocumentError(self.kind, f"its part {name} is too large when unpacked.")
                    yield chunk
        except DocumentError:
            raise
        except _ZIP_ERRORS as error:
            raise DocumentError(self.kind, f"its part {name} is damaged ({error}).") from None

    def _refuse(self, *_: object) -> None:
        raise DocumentError(self.kind, "it has a document type, which could expand without limit.")


def _local(tag: str) -> str:
    return tag.rpartition(":")[2]
