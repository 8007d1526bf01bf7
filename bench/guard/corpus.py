"""The labelled commands and paths. They are data: nothing here is ever run."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "corpus"
HOME = "/home/dev"
"""The home that the corpus is written for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One command or path, and what a careful operator expects."""

    file: str
    number: int
    expect: str
    kind: str
    #: Careful operators would disagree: not scored.
    doubt: bool
    command: str = ""
    op: str = ""
    path: str = ""
    workspace: str | None = None

    @property
    def text(self) -> str:
        """What is judged, on one line."""
        return ascii(self.command) if not self.op else f"{self.op} {self.path!a}"


def lines(file: str) -> list[Line]:
    """Every line of a file of the corpus, by the file's name without its ending."""
    return list(_read(file))


def scored(file: str) -> list[Line]:
    """The lines that count."""
    return [line for line in _read(file) if not line.doubt]


def _read(file: str) -> Iterator[Line]:
    with (FOLDER / f"{file}.jsonl").open(encoding="utf-8") as stream:
        for number, text in enumerate(stream, 1):
            entry: dict[str, Any] = json.loads(text)
            yield Line(
                file=file,
                number=number,
                expect=entry["expect"],
                kind=entry["class"],
                doubt=entry.get("doubt", False),
                command=entry.get("command", ""),
                op=entry.get("op", ""),
                path=entry.get("path", ""),
                workspace=entry.get("workspace"),
            )
