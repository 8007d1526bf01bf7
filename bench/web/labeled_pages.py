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
        optional: The title, and words that may be in the text or not, such as captions and authors of posts.
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
    """Remove lines of nothing but optional words, unless the label has them: extractors disagree about titles,
    captions and the names and dates above a post, and either choice is sensible.
    """
    optional = {token for line in page.optional for token in tokenize(line)}
    longest = max(map(len, page.optional)) * 2 + 60  # with marks, and with characters that are not tokens
    wanted = {tuple(tokenize(line)) for line in page.text.split("\n") if len(line) <= longest}
    return "\n".join(line for line in text.split("\n") if not _is_optional(line, longest, optional, wanted))


def _is_optional(line: str, longest: int, optional: set[str], wanted: set[tuple[str, ...]]) -> bool:
    if len(line) > longest:
        return False
    tokens = tokenize(line)
    return optional.issuperset(tokens) and tuple(tokens) not in wanted
