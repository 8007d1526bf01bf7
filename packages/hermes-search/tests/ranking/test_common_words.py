"""Words that many tools have."""

from __future__ import annotations

from hermes_search import ToolIndex
from hermes_search.ranking.postings import Weights


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
