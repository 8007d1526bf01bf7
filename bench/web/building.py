"""Builds pages: prose that never repeats, and a record of what must be kept and what is noise."""

from __future__ import annotations

import random
from dataclasses import dataclass
from html import escape

from bench.web import checks
from bench.web.checks import Check

_SUBJECTS = (
    "the harbour council",
    "a retired surveyor",
    "the northern ferry line",
    "every second household",
    "the museum's archive",
    "our small team",
    "the old waterworks",
    "a travelling botanist",
    "the regional court",
    "the night shift",
    "the weather station",
    "a former student",
    "the orchard's owner",
    "the railway museum",
    "the village bakery",
    "one careful reader",
    "the survey of last spring",
    "a visiting engineer",
)
_VERBS = (
    "measured",
    "described",
    "rebuilt",
    "questioned",
    "catalogued",
    "delayed",
    "compared",
    "restored",
    "mapped",
    "explained",
    "abandoned",
    "praised",
    "tested",
    "remembered",
    "recorded",
    "postponed",
    "examined",
    "defended",
)
_OBJECTS = (
    "the stone bridge",
    "a series of letters",
    "the winter timetable",
    "three unusual samples",
    "the flooded cellar",
    "its own figures",
    "a forgotten contract",
    "the eastern slope",
    "the price of timber",
    "the glass roof",
    "a set of brass instruments",
    "the tidal gate",
    "the second draft",
    "several broken tiles",
    "the long corridor",
    "an early photograph",
    "the copper wiring",
    "a quiet compromise",
)
_ENDS = (
    "before the first frost",
    "without much notice",
    "in the course of one afternoon",
    "although nobody had asked",  # conventions: allow - the text of a page
    "as the records show",
    "with help from the neighbours",
    "and published the results",
    "during a long and rainy week",
    "to the surprise of most residents",
    "for reasons that are still discussed",
    "at a cost of forty thousand",
    "with remarkable patience",
    "in a room above the station",
)


class Prose:
    """Sentences that look like those of people, the same in every run.

    Args:
        seed: Which sentences.
    """

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed)
        self._count = 0

    def sentence(self) -> str:
        """One sentence with a number that no other has."""
        pick = self._random.choice
        self._count += 1
        said = f"{pick(_SUBJECTS)} {pick(_VERBS)} {pick(_OBJECTS)} {pick(_ENDS)}"
        extra = (
            f", and {self._count * 7 + 3} of {self._count * 11 + 40} visitors agreed" if self._count % 3 == 0 else ""
        )
        return f"{said[0].upper()}{said[1:]}{extra}."

    def paragraph(self, sentences: int = 4) -> str:
        """Several sentences."""
        return " ".join(self.sentence() for _ in range(sentences))


@dataclass(frozen=True, kw_only=True)
class Page:
    """A page with what is expected of those who read it."""

    name: str
    body: bytes
    content_type: str
    url: str
    keep: tuple[Check, ...]
    noise: tuple[str, ...]

    @property
    def is_html(self) -> bool:
        """Whether an extractor that knows nothing but HTML can read it."""
        return "html" in self.content_type


class Builder:
    """Puts a page together.

    Args:
        name: What the page is.
        url: Where it pretends to be.
    """

    def __init__(self, name: str, url: str = "") -> None:
        self.name = name
        self.url = url or f"https://www.{name.partition(' ')[0].lower()}.example/section/page.html"
        self.prose = Prose(name)
        self._keep: list[Check] = []
        self._noise: list[str] = []

    def keep(self, said: str) -> str:
        """A text that belongs to the contents."""
        self._keep.append(checks.text(said))
        return escape(said, quote=False)

    def noise(self, said: str) -> str:
        """A text that is only around the contents."""
        self._noise.append(said)
        return escape(said, quote=False)

    def paragraphs(self, count: int, sentences: int = 4) -> str:
        """Paragraphs of contents."""
        return "\n".join(f"<p>{self.keep(self.prose.paragraph(sentences))}</p>" for _ in range(count))

    def title(self, said: str, tag: str = "h2", attributes: str = "", after: str = "") -> str:
        """A heading of the contents."""
        self._keep.append(checks.heading(said))
        return f"<{tag}{' ' + attributes if attributes else ''}>{escape(said, quote=False)}{after}</{tag}>"

    def items(self, *said: str, tag: str = "ul") -> str:
        """A list of contents."""
        self._keep.extend(checks.item(one) for one in said)
        return f"<{tag}>" + "\n".join(f"<li>{escape(one, quote=False)}</li>" for one in said) + f"</{tag}>"

    def item(self, said: str) -> str:
        """A text that stands in an item of a list."""
        self._keep.append(checks.item(said))
        return escape(said, quote=False)

    def row(self, *cells: str, tag: str = "td") -> str:
        """A row of a table."""
        self._keep.append(checks.row(*cells))
        return "<tr>" + "".join(f"<{tag}>{escape(cell, quote=False)}</{tag}>" for cell in cells) + "</tr>"

    def code(self, source: str) -> str:
        """Lines of code, escaped."""
        self._keep.append(checks.code(source))
        return escape(source, quote=False)

    def link(self, said: str, href: str, absolute: str) -> str:
        """A link in the contents."""
        self._keep.append(checks.link(said, absolute))
        return f'<a href="{escape(href)}">{escape(said, quote=False)}</a>'

    def expect(self, *found: Check) -> None:
        """Something else that must be kept."""
        self._keep.extend(found)

    def done(self, body: str | bytes, content_type: str = "text/html; charset=utf-8", charset: str = "utf-8") -> Page:
        """The page."""
        return Page(
            name=self.name,
            body=body if isinstance(body, bytes) else body.encode(charset),
            content_type=content_type,
            url=self.url,
            keep=tuple(self._keep),
            noise=tuple(self._noise),
        )
