"""The ways of searching that compare letter by letter: as quoted, or with other blanks, escapes, typography."""

from __future__ import annotations

import re
from typing import Final

from hermes_tools_terminal.editing.fuzzy.escapes import unescaped
from hermes_tools_terminal.editing.fuzzy.page import (
    NOTHING,
    Hits,
    Page,
    Shifts,
    Span,
    blocks,
    occurrences,
    single_blanks,
)
from hermes_tools_terminal.editing.fuzzy.quote import Quote
from hermes_tools_terminal.editing.fuzzy.typography import plain, widened

_RUN: Final = re.compile(r"[ \t]{2,}")
_LINE_END: Final = re.compile(r"[ \t]+(?=\n|\Z)")


def exact(page: Page, quote: Quote) -> Hits:
    """Where the quote stands as it is."""
    return occurrences(page.text, quote.text, page.start, page.end)


def whitespace_normalized(page: Page, quote: Quote) -> Hits:
    """Where it stands when a run of blanks and tabs counts as one; blanks behind it at a line's end are taken along."""
    if not quote.may_stand_in(page.trimmed):
        return NOTHING
    wanted = single_blanks(quote.text)
    bare = "\n".join(line.strip() for line in wanted.split("\n")).strip()
    if not bare or bare not in page.single:  # which is there soon, while the whole text is slow to change
        return NOTHING
    hits = occurrences(single_blanks(page.part), wanted)
    shifts = _blanks_left_out(page.part if hits.spans else "")
    return Hits(tuple(_with_blanks_behind(page, shifts, span) for span in hits.spans), hits.several)


def escape_normalized(page: Page, quote: Quote) -> Hits:
    r"""Where it stands when `\n`, `\t` and `\r` in it are the characters that they mean."""
    wanted = unescaped(quote.text)
    if wanted == quote.text or not wanted.strip():
        return NOTHING
    return occurrences(page.text, wanted, page.start, page.end)


def unicode_normalized(page: Page, quote: Quote) -> Hits:
    """Where it stands when typographic characters count as the plain ones; failing that, so by trimmed lines."""
    wanted, text = plain(quote.text), plain(page.part)
    if not wanted.strip() or (wanted is quote.text and text is page.part):
        return NOTHING
    hits = occurrences(text, wanted)
    shifts = _narrowed(page.part if hits.spans else "")
    spans: list[Span] = []
    for start, end in hits.spans:
        span = shifts.original(start), shifts.original(end)
        if plain(page.part[slice(*span)]) == wanted:  # otherwise it begins or ends inside a character
            spans.append((page.base + span[0], page.base + span[1]))
    if spans:
        return Hits(tuple(spans), hits.several and (len(spans) > 1 or len(hits.spans) == 1))
    return blocks(page, page.plain, [plain(line).strip() for line in quote.lines], with_end=quote.with_end)


def _blanks_left_out(text: str) -> Shifts:
    after: list[int] = []
    distance: list[int] = []
    gone = 0
    for run in _RUN.finditer(text):
        after.append(run.start() - gone + 1)
        gone += run.end() - run.start() - 1
        distance.append(gone)
    return Shifts(after, distance)


def _narrowed(text: str) -> Shifts:
    after: list[int] = []
    distance: list[int] = []
    more = 0
    for place, wider in widened(text):
        # Every place inside the widened character leads to the character itself.
        for step in range(1, wider + 1):
            after.append(place + more + step)
            distance.append(-more - step)
        more += wider
    return Shifts(after, distance)


def _with_blanks_behind(page: Page, shifts: Shifts, span: Span) -> Span:
    start, end = (shifts.original(place) for place in span)
    behind = _LINE_END.match(page.part, end)
    return page.base + start, page.base + (behind.end() if behind else end)
