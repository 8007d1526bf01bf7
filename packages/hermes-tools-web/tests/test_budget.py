"""The room of a result is divided fairly."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tools_web.text import divide_budget, json_length, truncate_to_json


@pytest.mark.parametrize(
    ("sizes", "room", "given_to"),
    [
        ([10, 20], 100, [10, 20]),
        ([1000, 1000], 100, [50, 50]),
        ([1000, 10, 1000], 100, [45, 10, 45]),
        ([1000], 100, [100]),
        ([5, 5], -3, [0, 0]),
        ([], 100, []),
    ],
)
def test_each_gets_what_it_needs_or_as_much_as_the_others(sizes: list[int], room: int, given_to: list[int]) -> None:
    assert divide_budget(sizes, room) == given_to


@given(st.lists(st.integers(0, 10_000), max_size=6), st.integers(0, 20_000))
def test_nobody_gets_more_than_it_needs_and_no_room_is_left_while_somebody_needs_it(
    sizes: list[int], room: int
) -> None:
    given_to = divide_budget(sizes, room)
    assert all(got <= size for got, size in zip(given_to, sizes, strict=True))
    assert sum(given_to) <= room
    if sum(sizes) >= room:
        assert sum(given_to) > room - len(sizes) or not sizes


@given(st.text(), st.integers(0, 60))
def test_what_is_shown_fits_and_is_the_beginning(text: str, room: int) -> None:
    shown = truncate_to_json(text, room)
    assert text.startswith(shown)
    assert len(json.dumps(shown, ensure_ascii=False)) - 2 <= room
    assert shown == text or json_length(text) > room


def test_as_much_is_shown_as_fits() -> None:
    assert len(truncate_to_json("a" * 1_000, 100)) == 100
    assert len(truncate_to_json('"' * 1_000, 100)) == 50
    assert truncate_to_json("word " * 100, 52) == ("word " * 10).strip()


@given(st.lists(st.tuples(st.integers(0, 500), st.integers(1, 9)), max_size=20), st.integers(0, 2000))
def test_nobody_gets_more_than_wanted_and_nothing_is_wasted(pages: list[tuple[int, int]], room: int) -> None:
    wanted, weights = [want for want, _ in pages], [weight for _, weight in pages]
    given_ = divide_budget(wanted, room, weights)

    assert all(got <= want for got, want in zip(given_, wanted, strict=True))
    assert sum(given_) <= room
    assert sum(given_) >= min(sum(wanted), room) - len(pages)  # but for what rounding takes


@given(st.lists(st.integers(0, 500), min_size=1, max_size=20), st.integers(0, 2000))
def test_whoever_is_cut_gets_as_much_as_anybody(wanted: list[int], room: int) -> None:
    given_ = divide_budget(wanted, room)

    assert all(got + len(wanted) >= max(given_) for got, want in zip(given_, wanted, strict=True) if got < want)


def test_who_counts_more_is_cut_less() -> None:
    assert divide_budget([1000, 1000, 10], 410, [3, 1, 1]) == [300, 100, 10]
