"""Divide a page into runs of text, and measure them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate

from hermes_tools_web.documents.html_tree import Node, walk
from hermes_tools_web.documents.markdown.context import BLOCK_TAGS

TOKEN = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]|\w+")
"""A word, or a character of a script without spaces."""
_PROSE = 80
_SENTENCE = 40
_LINKED = 0.35
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_ENDS = (".", "!", "?", ":", ";", "…", "。", "！", "？", "”", "’", '"', "'", ")", "»", "।", "؟")
_WIDE = "\u2e80"
"""Characters from here on stand for more than a letter."""
_STAYS = ("#", "mailto:", "tel:")
"""Links within the page and to people do not count as links."""
_BREAKS = BLOCK_TAGS | {"br"}


@dataclass(slots=True, eq=False)
class Run:
    """Text between two block boundaries, such as a paragraph."""

    owner: Node
    """The block element with the text."""
    pieces: list[tuple[Node, bool]] = field(default_factory=list)
    """Where the text is: an element, and whether it is the text after the element."""
    images: list[Node] = field(default_factory=list)
    text: str = ""
    linked: int = 0
    """The number of characters in links to other pages."""
    selected: bool = False
    """True when trafilatura selected the text."""
    comment: bool = False
    """True when trafilatura found that the text is a reader's comment."""

    size: int = 0
    """The number of characters."""
    density: float = 0.0
    """The share of linked characters."""
    prose: bool = False
    """True for at least a sentence, outside of links and headings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Weight:
    """The text of an element with its descendants."""

    text: int
    linked: int
    selected: int
    titles: int

    @property
    def own(self) -> int:
        """The characters outside of links."""
        return self.text - self.linked

    @property
    def density(self) -> float:
        """The share of linked characters."""
        return self.linked / self.text if self.text else 0.0


class PageText:
    """The runs of a page in order, with the weight of every block element."""

    def __init__(self, root: Node) -> None:
        self.runs: list[Run] = []
        self._spans: dict[Node, tuple[int, int]] = {}
        self._titles: list[int] = []
        self._divide(root)
        self.measure()

    def measure(self) -> None:
        """Sum up the runs, again after their selection."""
        self._text = [0, *accumulate(run.size for run in self.runs)]
        self._linked = [0, *accumulate(run.linked for run in self.runs)]
        self._selected = [0, *accumulate(run.size * run.selected for run in self.runs)]

    def span(self, node: Node) -> tuple[int, int]:
        """Return the numbers of the first run within an element and of the first run after it."""
        return self._spans.get(node, (0, 0))

    def within(self, node: Node) -> list[Run]:
        """Return the runs of an element."""
        first, end = self.span(node)
        return self.runs[first:end]

    def weight(self, node: Node) -> Weight:
        """Return the weight of a block element."""
        first, end = self.span(node)
        return Weight(
            text=self._text[end] - self._text[first],
            linked=self._linked[end] - self._linked[first],
            selected=self._selected[end] - self._selected[first],
            titles=sum(first <= at < end for at in self._titles[:20]),
        )

    def _divide(self, root: Node) -> None:
        owners = [root]
        started: dict[Node, int] = {}
        run = Run(root)
        parts: list[str] = []
        links = 0

        def end() -> None:
            nonlocal run, parts
            if not parts and not run.images:
                run.owner = owners[-1]
                return
            run.text = " ".join("".join(parts).split())
            if run.text or run.images:
                run.size = len(run.text)
                run.linked = min(run.linked, run.size)
                run.density = run.linked / run.size if run.size else 0.0
                run.prose = _is_prose(run)
                self.runs.append(run)
            run, parts = Run(owners[-1]), []

        def add(node: Node, text: str | None, *, tail: bool) -> None:
            if text and not text.isspace():
                run.pieces.append((node, tail))
                parts.append(text)
                if links:
                    run.linked += len(text.strip())
            elif text and parts:
                parts.append(" ")

        for event, node in walk(root):
            leads = node.tag == "a" and _leads(node)
            if event == "start":
                if node.tag in BLOCK_TAGS:
                    end()
                    owners.append(node)
                    run.owner = node
                    if node.tag == "h1":
                        self._titles.append(len(self.runs))
                elif node.tag == "br":
                    parts.append(" ")
                elif node.tag == "img":
                    run.images.append(node)
                started[node] = len(self.runs)
                links += leads
                add(node, node.text, tail=False)
                continue
            links -= leads
            if node.tag in BLOCK_TAGS:
                end()
                owners.pop()
                run.owner = owners[-1] if owners else root
            self._spans[node] = (started[node], len(self.runs))
            add(node, node.tail, tail=True)
        end()
        # The runs around an inline element belong to its parent.
        self._spans[root] = (0, len(self.runs))


def _leads(node: Node) -> bool:
    href = node.get("href")
    if href is None:  # a script follows it, unless it is the target of a link
        return node.get("name") is None and node.get("id") is None
    return not href[:7].lower().startswith(_STAYS)


def _is_prose(run: Run) -> bool:
    size = run.size - run.linked
    if run.density > _LINKED or run.owner.tag in _HEADINGS:
        return False
    if max(run.text[:_SENTENCE], default="") >= _WIDE:
        size *= 3
    return size >= _PROSE or (size >= _SENTENCE and run.text.endswith(_ENDS))


def ancestors(node: Node) -> Iterator[Node]:
    """Yield an element and those around it."""
    yield node
    yield from node.iterancestors()
