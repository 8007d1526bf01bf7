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

MOST_UNPACKED: Final = 100 * 1024 * 1024
"""How many bytes all parts that are read may have together."""

MOST_RATIO: Final = 200
"""How much bigger than packed a part may be, from a megabyte on; text gets about ten times smaller."""

_CHUNK: Final = 1 << 16
_TROUBLES: Final = (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError, ValueError)
"""What `zipfile` raises for archives that are damaged, encrypted or packed in a way that it does not know."""

Start = Callable[[str, dict[str, str]], None]
End = Callable[[str], None]
Letters = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Link:
    """What a part refers to.

    Attributes:
        name: By which name.
        type: What it is to it.
        target: The other part's name.
    """

    name: str
    type: str
    target: str


class Package:
    """The parts of an office file.

    Args:
        data: The file's bytes.
        kind: What it is, for errors.

    Raises:
        DocumentError: it is no archive.
    """

    def __init__(self, data: bytes, kind: str) -> None:
        self.kind = kind
        self._left = MOST_UNPACKED
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(data))
        except _TROUBLES as error:
            raise DocumentError(kind, f"the archive is damaged ({error}).") from None
        self._names = frozenset(self._archive.namelist())

    def __contains__(self, name: str) -> bool:
        return name in self._names

    def parse(self, name: str, start: Start, end: End, letters: Letters) -> None:
        """Read a part, telling what is in it.

        Args:
            name: The part's name.
            start: Called for each tag with its name and its attributes, names without prefixes.
            end: Called at each one's end.
            letters: Called for the text between tags.

        Raises:
            DocumentError: it is missing, damaged or too big, or defines entities of its own.
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
        """What a part refers to; nothing when it does not say.

        Args:
            part: The part's name; no text for the whole package.

        Raises:
            DocumentError: what it says is damaged.
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
        """The name of the part that everything else hangs on.

        Args:
            usual: What it is called by almost everybody.
        """
        if usual in self:
            return usual
        return next((link.target for link in self.links("") if link.type.endswith("/officeDocument")), usual)

    def _chunks(self, name: str) -> Iterator[bytes]:
        if name not in self._names:
            raise DocumentError(self.kind, f"its part {name} is missing.")
        try:
            info = self._archive.getinfo(name)
            most = min(self._left, max(1 << 20, MOST_RATIO * info.compress_size))
            with self._archive.open(info) as part:
                while chunk := part.read(_CHUNK):
                    self._left -= len(chunk)
                    most -= len(chunk)
                    if most < 0:
                        raise DocumentError(self.kind, f"its part {name} is too big when unpacked.")
                    yield chunk
        except DocumentError:
            raise
        except _TROUBLES as error:
            raise DocumentError(self.kind, f"its part {name} is damaged ({error}).") from None

    def _refuse(self, *_: object) -> None:
        raise DocumentError(self.kind, "it has a document type of its own, which could expand to anything.")


def _local(tag: str) -> str:
    return tag.rpartition(":")[2]
