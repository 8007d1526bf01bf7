"""What must be found in the Markdown of a page, each in the form that any extractor could write it in."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from textwrap import dedent
from urllib.parse import unquote

_LINK = re.compile(
    r"(?<!\\)!?\[((?:[^\[\]\\]|\\.)*)\]\(<?([^()\s]*?(?:\\?\([^()\s]*\)[^()\s]*?)*)>?(?:\s+\"[^\"]*\")?\)"
)
_MARKS = re.compile(r"[*`~]|(?<!\w)_+|_+(?!\w)|\\(?=[^\w\s])")


@dataclass(frozen=True)
class ExtractedText:
    """What an extractor wrote."""

    markdown: str

    @cached_property
    def plain(self) -> str:
        """Its words on one line, without marks of emphasis and addresses of links."""
        return _plain(self.markdown)

    @cached_property
    def lines(self) -> list[str]:
        """Its lines, without marks and addresses."""
        return [_plain(line) for line in self.markdown.split("\n")]

    @cached_property
    def raw_lines(self) -> list[str]:
        """Its lines as they are."""
        return [line.rstrip() for line in self.markdown.split("\n")]

    @cached_property
    def links(self) -> list[tuple[str, str]]:
        """Texts and addresses of its links."""
        return [(_plain(text), url) for text, url in _LINK.findall(self.markdown)]


@dataclass(frozen=True, kw_only=True)
class Check:
    """One thing that must be found."""

    what: str
    """`text`, `row`, `code`, `item`, `link` or `heading`."""
    name: str
    found: Callable[[ExtractedText], bool]


def text(said: str) -> Check:
    """Words in their order, wherever they stand."""
    wanted = _plain(said)
    return Check(what="text", name=said, found=lambda written: wanted in written.plain)


def row(*cells: str) -> Check:
    """Cells of one row on one line, with bars between them."""
    pattern = re.compile(r"\s*\|\s*".join(re.escape(_plain(cell)) for cell in cells))
    return Check(
        what="row",
        name=" | ".join(cells),
        found=lambda written: any(pattern.search(line) for line in written.lines if "|" in line),
    )


def code(source: str) -> Check:
    """Lines of code, one below the other, indented against each other as they were."""
    wanted = [line.rstrip() for line in dedent(source).strip("\n").split("\n")]
    return Check(what="code", name=wanted[0], found=lambda written: _has_lines(written.raw_lines, wanted))


def item(said: str) -> Check:
    """An item of a list, on a line that begins like one."""
    pattern = re.compile(r"\s*(?:[-+*•]|\d+[.)])\s+" + re.escape(_plain(said)))
    return Check(what="item", name=said, found=lambda written: any(map(pattern.match, _item_lines(written))))


def link(said: str, url: str) -> Check:
    """A link with its text and its absolute address."""
    wanted = _plain(said)
    return Check(
        what="link",
        name=f"{said} -> {url}",
        found=lambda written: any(wanted in name and url == _bare(at) for name, at in written.links),
    )


def heading(said: str) -> Check:
    """A heading of any level."""
    pattern = re.compile(r"#{1,6} .*" + re.escape(_plain(said)))
    return Check(what="heading", name=said, found=lambda written: any(map(pattern.match, written.lines)))


def _plain(said: str) -> str:
    said = _LINK.sub(lambda match: match.group(1), said)
    said = _LINK.sub(lambda match: match.group(1), said)
    return " ".join(_MARKS.sub("", said).split())


def _bare(url: str) -> str:
    """An address without escapes and without what follows readers around: both are matters of taste."""
    return re.sub(r"(?<=[?&])utm_\w+=[^&#]*&?", "", unquote(url.replace("\\", "")))


def _item_lines(written: ExtractedText) -> list[str]:
    """The star of an item is a mark of emphasis to those who take marks away."""
    pairs = zip(written.markdown.split("\n"), written.lines, strict=True)
    return [f"- {line}" if raw.lstrip().startswith("* ") else line for raw, line in pairs]


def _has_lines(lines: list[str], wanted: list[str]) -> bool:
    first = wanted[0].strip()
    for at, line in enumerate(lines):
        if line.strip().lstrip("> ") != first:
            continue
        before = line[: len(line) - len(line.lstrip())]
        if [part.removeprefix(before) for part in lines[at : at + len(wanted)]] == wanted:
            return True
    return False
