"""Searching by meaning: what the extra adds, and what is said when it is missing."""

from __future__ import annotations

import logging

import pytest

from hermes_search import ToolIndex
from hermes_search.ranking import embeddings
from hermes_search.ranking.embeddings import installed, load_model
from hermes_search.ranking.fusion import Vectors
from hermes_search.ranking.stems import stem
from hermes_search.ranking.word_vectors import word_vectors

TOOLS = [
    {"name": "kettle", "description": "Boils water for hot drinks."},
    {"name": "ledger", "description": "Keeps accounts of income and expenses."},
    {"name": "violin", "description": "Plays melodies on four strings."},
    {"name": "spade", "description": "Digs holes in soil."},
]
with_extra = pytest.mark.skipif(not installed(), reason="the extra 'search' is not installed")


@pytest.fixture
def without_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the extra were not installed, whether it is or not."""
    monkeypatch.setattr(embeddings, "find_spec", lambda name: None)
    load_model.cache_clear()


@pytest.mark.usefixtures("without_extra")
def test_without_the_extra_asking_for_vectors_names_the_remedy() -> None:
    with pytest.raises(embeddings.VectorsUnavailableError, match=r"not installed: hermes-search\[search\]"):
        ToolIndex(TOOLS, embeddings=True)


@pytest.mark.usefixtures("without_extra")
def test_without_the_extra_words_are_searched() -> None:
    index = ToolIndex(TOOLS)
    assert not index.embeddings
    assert index.search("melodies")[0].name == "violin"


@with_extra
def test_where_the_extra_is_installed_it_is_used_unless_refused() -> None:
    assert ToolIndex(TOOLS).embeddings
    assert not ToolIndex(TOOLS, embeddings=False).embeddings


@with_extra
@pytest.mark.parametrize(
    "query", ["zzqqxx", "asdfghjkl qwertyuiop", "zzzz", "42", "\U0001f984", "\u5929\u6c17\u3092\u6559\u3048\u3066"]
)
def test_what_means_nothing_finds_nothing(query: str) -> None:
    assert ToolIndex(TOOLS, embeddings=True).search(query) == []


@with_extra
def test_a_question_without_a_common_word_finds_the_tool_it_means() -> None:
    hit = ToolIndex(TOOLS, embeddings=True).search("excavating")[0]
    assert (hit.name, hit.why) == ("spade", ("meaning",))


@with_extra
def test_vectors_know_words_that_meaning_does_not() -> None:
    assert stem("musicological") not in word_vectors()
    texts = [f"{it['name']} {it['description']}" for it in TOOLS]
    likeness = Vectors(load_model(), texts).likeness("musicological", range(len(TOOLS)))
    assert TOOLS[max(likeness, key=lambda tool: likeness[tool])]["name"] == "violin"


@with_extra
def test_an_exact_name_comes_first_with_vectors_too() -> None:
    index = ToolIndex(TOOLS, embeddings=True)
    assert [index.search(tool["name"])[0].name for tool in TOOLS] == [tool["name"] for tool in TOOLS]


@with_extra
@pytest.mark.parametrize("query", ["\ud800", "😀", "\x00", "x" * 100_000, "the of"])
def test_odd_questions_are_harmless_to_vectors(query: str) -> None:
    hits = ToolIndex(TOOLS, embeddings=True).search(query)
    assert {hit.name for hit in hits} <= {tool["name"] for tool in TOOLS}


@with_extra
def test_the_model_is_read_once_and_leaves_logging_alone() -> None:
    before = list(logging.getLogger().handlers)
    assert load_model() is load_model()
    assert logging.getLogger().handlers == before


@with_extra
def test_an_empty_catalogue_has_no_vectors_to_compare() -> None:
    assert ToolIndex([], embeddings=True).search("anything") == []


@with_extra
def test_words_that_only_the_vectors_know_find_a_tool_by_themselves() -> None:
    model = load_model()
    found = Vectors(model, ["plays melodies on a violin", "digs holes in soil"]).likeness("violinista", [])
    assert max(found, key=lambda tool: found[tool]) == 0


@with_extra
def test_vectors_are_compared_only_with_the_tools_in_question() -> None:
    vectors = Vectors(load_model(), [tool["description"] for tool in TOOLS])
    every, some = vectors.likeness("music", []), vectors.likeness("music", [2, 0])
    assert list(some) == [2, 0]
    assert some == pytest.approx({2: every[2], 0: every[0]}, abs=1e-6)


@with_extra
def test_what_stands_in_quotes_counts_half_in_vectors_too() -> None:
    tools = [
        {"name": "press_button", "description": "Press a button on the page."},
        {"name": "add_to_cart", "description": "Add an article to the cart of a shop."},
    ]
    index = ToolIndex(tools, embeddings=True)
    assert index.search('press the "Add to cart" button on this page')[0].name == "press_button"
    assert index.search("add this article to the cart")[0].name == "add_to_cart"


@with_extra
def test_addresses_are_left_out_of_vectors_unless_there_is_nothing_else() -> None:
    vectors = Vectors(load_model(), ["open a web page", "play a song"])
    plain = vectors.likeness("open the page", [0, 1])
    assert vectors.likeness("open the page https://tune.example/song/melody", [0, 1]) == pytest.approx(plain)
    assert any(vectors.likeness("https://tune.example/song/melody", [0, 1]).values())
