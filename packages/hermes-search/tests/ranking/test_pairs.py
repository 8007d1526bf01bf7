"""Neighbours in a question that mean more than each of them."""

from __future__ import annotations

import pytest

from hermes_search.ranking.packed_vectors import PackedVectors
from hermes_search.ranking.postings import Weights
from hermes_search.ranking.query import pairs, read_query
from hermes_search.ranking.stems import stem
from hermes_search.ranking.word_vectors import ALIKE
from hermes_search.ranking.words import split


def _likeness(question: str, word: str) -> float:
    read = read_query(question, {}, 1, lambda _: [], Weights())
    vectors = PackedVectors([])
    asked, meant = vectors.add_words([*read.stems, *read.pairs]), vectors.add_words([stem(word)])
    assert asked is not None
    assert meant is not None
    return sum(a * b for a, b in zip(asked, meant, strict=True)) / ALIKE


def test_pairs_are_stems_of_neighbours_and_one_of_them_says_something() -> None:
    assert pairs(split("How far is it to the moon?")) == ["how far", "far is", "the moon"]
    assert pairs(["umbrella"]) == pairs([]) == []


def test_a_long_text_has_no_more_pairs_than_are_worth_the_time() -> None:
    assert len(pairs(["mortgage"] * 10_000)) < 100


@pytest.mark.parametrize(
    ("question", "word", "other"),
    [
        ("how far is Leeds from York", "distance", "price"),
        ("how much is a pint in Leeds", "price", "distance"),
        ("how long does a marinade need", "duration", "price"),
    ],
)
def test_words_that_say_nothing_alone_say_something_together(question: str, word: str, other: str) -> None:
    assert _likeness(question, word) > _likeness(question, other)
