"""The ways of searching that compare whole lines, whatever blanks are around them."""

from __future__ import annotations

from hermes_tools_terminal.editing.fuzzy.page import NOTHING, Hits, Page, blocks, single_blanks
from hermes_tools_terminal.editing.fuzzy.quote import Quote


def line_trimmed(page: Page, quote: Quote) -> Hits:
    """Where its lines stand, without the blanks around each."""
    return blocks(page, page.trimmed, quote.trimmed, with_end=quote.with_end)


def indentation_flexible(page: Page, quote: Quote) -> Hits:
    """Where its lines stand, however far indented and with whatever runs of blanks inside."""
    if not quote.may_stand_in(page.trimmed):
        return NOTHING
    wanted = [single_blanks(line) for line in quote.trimmed]
    return blocks(page, page.single, wanted, with_end=quote.with_end)


def trimmed_boundary(page: Page, quote: Quote) -> Hits:
    """Where its lines stand, without the blanks around each and without the blank lines that it begins or ends with."""
    first, last = quote.blank_ends
    if not (first or last):
        return NOTHING
    wanted = quote.trimmed[first : len(quote.trimmed) - last]
    return blocks(page, page.trimmed, wanted, with_end=quote.with_end)
