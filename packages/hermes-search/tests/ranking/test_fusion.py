"""Opinions brought together."""

from __future__ import annotations

from hermes_search.ranking.fusion import fuse_scores
from hermes_search.ranking.postings import Weights
from hermes_search.ranking.word_vectors import ALIKE

ALIKE_BY_HALF = ALIKE // 2


def test_likeness_counts_less_the_more_tools_there_are() -> None:
    few, many = (fuse_scores({}, [0], 1.0, [ALIKE_BY_HALF] * size, None, Weights())[0] for size in (500, 4_000))
    assert fuse_scores({}, [0], 1.0, [ALIKE_BY_HALF], None, Weights())[0] == few
    assert 0.25 < many / few < 0.4


def test_a_tool_that_no_word_leads_to_must_be_like_the_question() -> None:
    assert fuse_scores({}, [0, 1], 1.0, [0, ALIKE_BY_HALF], None, Weights()).keys() == {1}


def test_a_word_that_matches_is_never_outvoted_altogether() -> None:
    assert fuse_scores({0: 1.0}, [0], 1.0, [-ALIKE], None, Weights()) == {0: 0.5}
    assert fuse_scores({0: 1.0}, [0], 1.0, [-ALIKE], {0: -1.0}, Weights()) == {0: 0.5}
