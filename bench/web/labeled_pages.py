"""Loads labeled pages: recorded HTML with the text that a reader wants.

A directory of them has `pages.jsonl`, one line for each page, and for each name `NAME.html` and `NAME.txt`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.web.shingles import tokenize

COMMITTED = Path(__file__).parent / "labeled"


@dataclass(frozen=True, kw_only=True)
class LabeledPage:
    """A page and its main text.

    Attributes:
        name: The name of its files.
        kind: What it is, such as `news` or `recipe`.
        language: Its language, as in `<html lang>`.
        url: Where it pretends to be.
        title: Its heading.
        optional: Lines that may be part of the text or not, such as the title and captions of images.
        body: The HTML.
        text: The main text.
    """

    name: str
    kind: str
    language: str
    url: str
    title: str
    optional: tuple[str, ...]
    body: bytes
    text: str


def load(directory: Path = COMMITTED) -> list[LabeledPage]:
    """Load the pages of a directory."""
    with (directory / "pages.jsonl").open(encoding="utf-8") as lines:
        return [_load(directory, json.loads(line)) for line in lines if line.strip()]


def _load(directory: Path, label: dict[str, Any]) -> LabeledPage:
    name = label["name"]
    return LabeledPage(
        name=name,
        kind=label["kind"],
        language=label["language"],
        url=label["url"],
        title=label["title"],
        optional=(label["title"], *label.get("optional", ())),
        body=(directory / f"{name}.html").read_bytes(),
        text=(directory / f"{name}.txt").read_text(encoding="utf-8"),
    )


def without_optional(text: str, page: LabeledPage) -> str:
    """Remove lines that are optional: extractors disagree about titles and captions, and either choice is sensible."""
    optional = {tuple(tokenize(line)) for line in page.optional}
    longest = max(map(len, page.optional)) * 2 + 20  # with marks, and with characters that are not tokens
    return "\n".join(
        line for line in text.split("\n") if len(line) > longest or tuple(tokenize(line)) not in optional
    )
