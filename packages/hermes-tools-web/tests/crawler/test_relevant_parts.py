"""What is shown of a page that is too long to be shown whole."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hermes_tools_web.crawler.relevance import Relevance, select_relevant
from hermes_tools_web.text import json_length, truncate_to_json

_TEXTS = st.text(alphabet='ab "\\\n\t.é😀', max_size=200)


@given(st.lists(_TEXTS, min_size=1, max_size=12), st.sampled_from(["", "ab", "a"]), st.integers(0, 400))
def test_parts_that_fit_cost_no_more_than_they_may(blocks: list[str], wanted: str, maximum: int) -> None:
    text = "\n\n".join(blocks)
    parts = select_relevant(text, Relevance(wanted), maximum)

    assert json_length(parts) <= maximum
    assert all(part.strip() in text for part in parts.split("[…]"))


def test_what_fits_is_shown_though_it_stands_far_below() -> None:
    blocks = ["# The shop", *(f"Paragraph {number} is about nothing at all." for number in range(50))]
    blocks[40] = "The warranty lasts two years."
    text = "\n\n".join(blocks)

    parts = select_relevant(text, Relevance("How long is the warranty?"), 300)

    assert parts.startswith("# The shop\n\nParagraph 0 is about nothing at all.")
    assert parts.endswith("[…]\n\nThe warranty lasts two years.")
    assert select_relevant(text, Relevance(""), 300) == truncate_to_json(text, 300)
