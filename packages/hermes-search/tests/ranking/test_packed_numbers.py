"""PackedNumbers hold what arrays would, and find the highest of them."""

from __future__ import annotations

from array import array

from hypothesis import given
from hypothesis import strategies as st

from hermes_search import ToolIndex
from hermes_search.ranking.packed_numbers import PackedNumbers
from hermes_search.ranking.postings import Weights

_NUMBERS = st.lists(st.integers(0, (1 << 31) - 1), min_size=1, max_size=400)


@given(_NUMBERS)
def test_what_is_joined_can_be_parted_again(numbers: list[int]) -> None:
    lanes = PackedNumbers(len(numbers), 4)
    assert list(lanes.parted(lanes.joined(array("I", numbers)))) == numbers


@given(_NUMBERS, st.integers(1, 20), st.integers(1, 1 << 31))
def test_the_highest_are_there_and_all_others_reach_the_least(numbers: list[int], most: int, least: int) -> None:
    lanes = PackedNumbers(len(numbers), 4)
    found = lanes.highest(lanes.joined(array("I", numbers)), numbers, most, least)
    assert found == sorted(set(found))
    assert all(numbers[place] >= least for place in found)
    wanted = sorted((it for it in numbers if it >= least), reverse=True)[:most]
    assert sorted((numbers[place] for place in found), reverse=True)[:most] == wanted


def test_of_many_that_are_equal_only_some_are_found_and_none_is_missed_that_is_higher() -> None:
    numbers = [7] * 5000
    numbers[4321] = 8
    lanes = PackedNumbers(len(numbers), 4)
    found = lanes.highest(lanes.joined(array("I", numbers)), numbers, 64, 1)
    assert 4321 in found
    assert 64 <= len(found) <= 65


def test_a_tool_with_three_common_words_is_found_among_thousands_that_have_one_of_them() -> None:
    crowd = [
        {"name": f"{word}_{number}", "description": f"Handles the {word} number {number}."}
        for word in ("invoice", "statement", "berlin")
        for number in range(900)
    ]
    wanted = {"name": "branch_papers", "description": "Every invoice, with its statement, of the office in Berlin."}
    assert ToolIndex([*crowd, wanted], embeddings=False).search("invoice statement Berlin")[0].name == "branch_papers"


def test_common_words_that_are_worth_nothing_are_left_out() -> None:
    tools = [{"name": f"remove_{number}", "description": "Deletes."} for number in range(400)]
    index = ToolIndex(tools, embeddings=False, weights=Weights(synonyms=0.0, topics=0.0, fillers=0.0))
    assert len(index.search("show removed things")) == 5
    assert index.search("show") == []


def test_as_many_are_found_as_are_asked_for_wherever_they_stand() -> None:
    tools = [
        {"name": f"t{number:05}", "description": "zorgle " * (1 + (number % 31 == 0)) if number % 4 == 0 else "Other."}
        for number in range(6000)
    ]
    index = ToolIndex(tools, embeddings=False)
    for limit in (5, 20, 50, 300):
        assert len(index.search("zorgle", limit)) == limit
