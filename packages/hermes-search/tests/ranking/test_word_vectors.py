"""The table of word vectors, and comparing the texts of many tools, with numpy and without."""

from __future__ import annotations

import random
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_search import ToolIndex
from hermes_search.ranking.embeddings import installed
from hermes_search.ranking.numpy_vectors import NumpyVectors
from hermes_search.ranking.packed_vectors import PackedVectors
from hermes_search.ranking.stems import stem
from hermes_search.ranking.word_vectors import (
    ALIKE,
    FILE,
    FULL,
    LEAST_LIKENESS,
    NOTHING,
    PART,
    SIZE,
    WordVectors,
    pack,
    word_vectors,
)

ARITHMETICS = [
    PackedVectors,
    pytest.param(NumpyVectors, marks=pytest.mark.skipif(not installed(), reason="the extra 'search' is missing")),
]
Arithmetic = type[PackedVectors] | type[NumpyVectors]
STEMS = sorted(word_vectors().numbers)
TEXTS = st.lists(st.lists(st.sampled_from(STEMS), max_size=6), min_size=1, max_size=40)


def _vector(text: str) -> list[int]:
    vector = PackedVectors([]).add_words(map(stem, text.split()))
    assert vector is not None
    return list(vector)


def _likeness(first: str, second: str) -> float:
    return sum(a * b for a, b in zip(_vector(first), _vector(second), strict=True)) / ALIKE


@pytest.mark.parametrize(
    ("word", "near", "far"),
    [
        ("delete", "remove", "weather"),
        ("umbrella", "rain", "invoice"),
        ("physician", "doctor", "keyboard"),
        ("song", "music", "mortgage"),
        ("flight", "airline", "grammar"),
    ],
)
def test_words_that_are_used_alike_lie_closer_than_others(word: str, near: str, far: str) -> None:
    assert _likeness(word, near) > _likeness(word, far) + 0.1


def test_a_word_that_says_much_weighs_more_than_one_that_says_little() -> None:
    table = word_vectors()
    assert table.weight(stem("weather")) > 1.5 * table.weight(stem("want")) > 0
    assert table.weight("xyzzyq") == 0


@pytest.mark.parametrize("arithmetic", ARITHMETICS)
def test_the_sum_of_known_words_has_its_full_length_and_unknown_ones_add_nothing(arithmetic: Arithmetic) -> None:
    vectors = arithmetic([])
    vector = vectors.add_words([stem("weather"), "xyzzyq", stem("forecast")])
    assert vector is not None
    assert sum(number * number for number in vector) ** 0.5 == pytest.approx(FULL, rel=0.1)
    assert list(vector) == _vector("forecast weather")
    assert vectors.add_words(["xyzzyq"]) is None
    assert vectors.add_words([]) is None


@pytest.mark.parametrize("arithmetic", ARITHMETICS)
def test_a_table_is_read_as_it_was_written(arithmetic: Arithmetic) -> None:
    patterns = bytearray(SIZE // PART * 256 * PART)
    patterns[:PART] = bytes([100, 0, 0, 0])
    patterns[PART : 2 * PART] = bytes([0, 156, 0, 0])  # 156 is -100 as a signed byte
    codes = bytes([0] + [9] * (SIZE // PART - 1)) + bytes([1] + [9] * (SIZE // PART - 1))
    table = WordVectors(pack(["tea", "jam"], bytes([170, 85]), codes, bytes(patterns)))
    assert "tea" in table
    assert "rum" not in table
    assert (table.weight("tea"), table.weight("jam")) == (1.0, 0.5)
    vectors = arithmetic([], table)
    sums = [vectors.add_words(stems) for stems in (["tea"], ["jam"], ["tea", "jam"])]
    assert [list(each[:3]) for each in sums if each is not None] == [[FULL, 0, 0], [0, -FULL, 0], [157, -78, 0]]


def test_the_table_is_small_and_read_only_when_a_search_needs_it() -> None:
    assert FILE.stat().st_size < 1_100_000
    code = "import sys, hermes_core; print(any('search.word_vectors' in it for it in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize("arithmetic", ARITHMETICS)
@given(tools=TEXTS, question=st.lists(st.sampled_from(STEMS), min_size=1, max_size=6), limit=st.integers(1, 9))
def test_likeness_is_the_product_of_the_vectors_and_the_nearest_are_the_highest(
    arithmetic: Arithmetic, tools: list[list[str]], question: list[str], limit: int
) -> None:
    vectors, plain = arithmetic(tools), PackedVectors([])
    asked = plain.add_words(question) or NOTHING
    likeness, nearest = vectors.nearest(asked, limit)
    rows = [plain.add_words(stems) or NOTHING for stems in tools]
    assert list(likeness) == [sum(a * b for a, b in zip(row, asked, strict=True)) for row in rows]
    near = sorted((each for each in likeness if each >= LEAST_LIKENESS), reverse=True)[:limit]
    assert nearest == sorted(set(nearest))
    assert sorted((likeness[tool] for tool in nearest), reverse=True)[:limit] == near


@pytest.mark.parametrize("arithmetic", ARITHMETICS)
def test_of_equal_tools_only_some_are_near_and_no_nearer_tool_is_lost(arithmetic: Arithmetic) -> None:
    tools = [[stem(word) for word in ("weather", "rain", "invoice")]] * 4000
    tools[3001] = [stem("weather")]
    _, nearest = arithmetic(tools).nearest(_vector("weather"), 64)
    assert 3001 in nearest
    assert 64 <= len(nearest) <= 65


@pytest.mark.parametrize("arithmetic", ARITHMETICS)
def test_the_nearest_of_thousands_are_found(arithmetic: Arithmetic) -> None:
    chance = random.Random(7)
    question = chance.sample(STEMS, 4)
    tools = [chance.sample(STEMS, 12) for _ in range(3000)]
    for number in (5, 1700, 2999):
        tools[number] = [*question, "xyzzyq"]
    _, nearest = arithmetic(tools).nearest(PackedVectors([]).add_words(question) or NOTHING, 64)
    assert {5, 1700, 2999} <= set(nearest)
    assert len(nearest) < 300


@pytest.mark.parametrize("arithmetic", ARITHMETICS)
def test_a_question_without_a_known_word_is_like_nothing(arithmetic: Arithmetic) -> None:
    likeness, nearest = arithmetic([["weather"], []]).nearest(NOTHING, 5)
    assert list(likeness) == [0, 0]
    assert nearest == []


@pytest.mark.parametrize("arithmetic", ARITHMETICS)
def test_an_empty_catalog_has_nothing_near(arithmetic: Arithmetic) -> None:
    assert arithmetic([]).nearest(_vector("weather"), 5)[1] == []


TOOLS = [
    {"name": "kettle", "description": "Boils water for hot drinks."},
    {"name": "ledger", "description": "Keeps accounts of income and expenses."},
    {"name": "violin", "description": "Plays melodies on four strings."},
    {"name": "spade", "description": "Digs holes in soil."},
]
INDEX = ToolIndex(TOOLS, embeddings=False)


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("a symphony for the orchestra", "violin"),
        ("profits and losses", "ledger"),
        ("bury something in the earth", "spade"),
        ("coffee", "kettle"),
    ],
)
def test_a_tool_is_found_without_any_of_its_words_and_without_the_extra(query: str, name: str) -> None:
    hit = INDEX.search(query)[0]
    assert (hit.name, hit.why) == (name, ("meaning",))


def test_one_word_out_of_many_that_matches_by_chance_does_not_decide() -> None:
    tools = [*TOOLS, {"name": "photo_editor", "description": "Removes the background of a picture."}]
    index = ToolIndex(tools, embeddings=False)
    assert index.search("background music by a string quartet with piano and cello")[0].name == "violin"


def test_a_word_that_matches_is_found_even_when_it_means_something_else() -> None:
    tools = [*TOOLS, {"name": "zq", "description": "Vexillology of quokkas, umbrella."}]
    assert "zq" in [hit.name for hit in ToolIndex(tools, embeddings=False).search("umbrella invoice tax accounting")]


def test_numbers_count_less_than_words() -> None:
    tools = [
        {"name": "hotels_4", "description": "Books 4 rooms."},
        {"name": "fetch_person", "description": "A person."},
    ]
    assert ToolIndex(tools, embeddings=False).search("person with number 4")[0].name == "fetch_person"


def test_a_word_of_the_dictionary_is_no_misspelt_name() -> None:
    tools = [{"name": "song_lyrics"}, {"name": "fit_log"}]
    index = ToolIndex(tools, embeddings=False)
    assert all(not any(line.startswith("name") for line in hit.why) for hit in index.search("blog"))


def test_words_of_asking_are_not_joined_into_a_name() -> None:
    index = ToolIndex(
        [{"name": "whois", "description": "Owner of a domain."}, {"name": "team_players"}], embeddings=False
    )
    assert index.search("everyone who is playing in the team")[0].name == "team_players"
