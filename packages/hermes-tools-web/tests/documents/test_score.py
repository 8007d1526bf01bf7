"""The extractor keeps what it should on the pages of the benchmark, and leaves the noise."""

from __future__ import annotations

import pytest
from bench.web import held_out, seen
from bench.web.building import Page
from bench.web.extractors import ours, trafilatura_alone
from bench.web.facts import KEPT, NOISE, tally

_SEEN = [make() for make in seen.MAKERS if make.__name__ != "huge"]
_HELD_OUT = [make() for make in held_out.MAKERS]


@pytest.mark.parametrize("pages", [_SEEN, _HELD_OUT], ids=["seen", "held out"])
def test_contents_are_kept_and_noise_is_not(pages: list[Page]) -> None:
    found = tally(ours, pages)
    assert found.kept >= KEPT * found.wanted, found.lost
    assert found.noise <= NOISE * found.unwanted, found.noisy


@pytest.mark.parametrize("pages", [_SEEN, _HELD_OUT], ids=["seen", "held out"])
def test_it_is_better_than_trafilatura_alone(pages: list[Page]) -> None:
    html = [page for page in pages if page.is_html]
    found, alone = tally(ours, html), tally(trafilatura_alone, html)
    assert found.kept > alone.kept
    assert found.noise < alone.noise


def test_the_pages_are_many_and_different() -> None:
    names = [page.name for page in (*_SEEN, *_HELD_OUT)]
    assert len(names) == len(set(names)) >= 36
    assert len(_HELD_OUT) >= len(names) // 3
