"""Reading a question: which words are looked for, and what each of them is worth."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hermes_search.ranking.postings import Posting, Weights, build
from hermes_search.ranking.query import Query, read_query
from hermes_search.ranking.stems import stem
from hermes_search.ranking.tool_fields import Fields, read_fields

WEIGHTS = Weights()


def _fields(name: str, description: str) -> Fields:
    found = read_fields({"name": name, "description": description})
    assert found is not None
    return found


TOOLS = [
    _fields("delete_comment", "Remove a remark."),
    _fields("erase_disk", "Destroy all data."),
    _fields("quokka_photo", "Pictures of animals, with 4 views."),
    _fields("acmetron_ping", "Reach the Acmetron service."),
    _fields("weather", "Forecast of rain."),
    _fields("show_time", "The clock."),
]


@pytest.fixture(scope="module")
def postings() -> dict[str, Posting]:
    """The index of the tools above."""
    return build(TOOLS, WEIGHTS)


def _read(text: str, postings: dict[str, Posting]) -> Query:
    return read_query(text, postings, len(TOOLS), lambda word: [], WEIGHTS)


def _worth(word: str, postings: dict[str, Posting]) -> float:
    return next(term.worth for term in _read(word, postings).terms if term.key == stem(word))


def test_a_word_counts_no_more_for_having_synonyms(postings: dict[str, Posting]) -> None:
    in_full = replace(WEIGHTS, saying=0.0)  # every word counts alike
    terms = read_query("delete", postings, len(TOOLS), lambda word: [], in_full).terms
    assert len(terms) > 1, "the word and at least one of its groups"
    together = sum(term.worth * postings[term.key].rarity for term in terms)
    assert together == pytest.approx(postings["delet"].rarity, rel=0.01)


def test_a_name_counts_more_than_a_word_and_a_word_more_than_a_filler_or_a_number(postings: dict[str, Posting]) -> None:
    name, word, filler, number = (_worth(it, postings) for it in ("acmetron", "photo", "show", "4"))
    assert name > word > max(filler, number) > 0


def test_a_word_that_no_tool_has_makes_the_promise_larger_and_a_strange_name_makes_it_so_less(
    postings: dict[str, Posting],
) -> None:
    plain, missing, strange = (_read(it, postings).promise for it in ("weather", "weather mortgage", "weather xyzzyq"))
    assert plain < strange < missing


def test_stems_are_told_also_of_words_that_no_tool_has(postings: dict[str, Posting]) -> None:
    assert _read("the mortgage of quokkas", postings).stems == ["mortgag", "quokka"]


def test_neighbours_are_joined_unless_one_of_them_is_a_stop_word() -> None:
    postings = build([_fields("whois", ""), _fields("database", "")], WEIGHTS)
    assert [term.key for term in read_query("data base", postings, 2, lambda word: [], WEIGHTS).terms] == ["databas"]
    assert read_query("who is", postings, 2, lambda word: [], WEIGHTS).terms == []


def test_parts_of_a_name_that_is_known_as_a_whole_count_little() -> None:
    postings = build([_fields("github_lock", ""), _fields("git_hub_accounts", ""), _fields("other", "")], WEIGHTS)
    worths = {it.key: it.worth for it in read_query("GitHub", postings, 3, lambda word: [], WEIGHTS).terms}
    assert worths["github"] > 5 * max(worths["git"], worths["hub"])
    both = {it.key: it.worth for it in read_query("git on GitHub", postings, 3, lambda word: [], WEIGHTS).terms}
    assert both["git"] > 5 * worths["git"], "said by itself, too"


def test_parts_count_in_full_where_nobody_knows_the_whole() -> None:
    postings = build([_fields("quokka_photo", ""), _fields("other", "")], WEIGHTS)
    read = read_query("QuokkaPhoto", postings, 2, lambda word: [], WEIGHTS)
    assert {it.key: it.worth for it in read.terms}["quokka"] == WEIGHTS.names
    assert read.stems == ["quokka", "photo"]
