"""Long texts are cut where a reader would pause, and nothing of them is lost."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tools_web.text import split_text, truncate

TEXTS = st.text(alphabet="ab. \n", max_size=300)


@given(TEXTS, st.integers(1, 40))
def test_the_pieces_are_the_text_and_none_is_too_long(text: str, size: int) -> None:
    pieces = split_text(text, size)
    assert "".join(pieces) == text
    assert all(0 < len(piece) <= size for piece in pieces) or pieces == [""]


@given(TEXTS, st.integers(0, 40))
def test_a_cut_text_is_its_beginning(text: str, maximum: int) -> None:
    cut = truncate(text, maximum)
    assert text.startswith(cut)
    assert len(cut) <= max(maximum, 0)
    assert cut == text or len(text) > maximum


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("a" * 95 + "\n\n" + "b" * 50, "a" * 95 + "\n\n"),
        ("a" * 95 + "\n" + "b" * 50, "a" * 95 + "\n"),
        ("a" * 92 + ". b c " + "d" * 50, "a" * 92 + ". "),
        ("a" * 95 + " " + "b" * 50, "a" * 95 + " "),
        ("a" * 50 + "\n\n" + "b" * 100, "a" * 50 + "\n\n" + "b" * 48),
    ],
)
def test_a_piece_ends_at_the_best_pause_that_is_late_in_it(text: str, first: str) -> None:
    assert split_text(text, 100)[0] == first


def test_time_grows_with_the_text_and_no_faster() -> None:
    def seconds(size: int) -> float:
        begun = time.process_time()
        split_text("word " * (size // 5), 100)
        return time.process_time() - begun

    small = max(min(seconds(50_000) for _ in range(3)), 0.0005)
    assert min(seconds(500_000) for _ in range(2)) < small * 60
