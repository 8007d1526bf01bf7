"""What words mean: the table that comes with the package, and comparing many tools at once without a library."""

from __future__ import annotations

import random
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_search import ToolIndex
from hermes_search.ranking.stems import stem
from hermes_search.ranking.word_vectors import (
    ALIKE,
    FILE,
    FULL,
    MIDDLE,
    NOTHING,
    PART,
    SIZE,
    ToolVectors,
    WordVectors,
    packed,
    word_vectors,
)

_LEVEL = st.integers(-FULL // 15, FULL // 15)
_VECTOR = st.lists(_LEVEL, min_size=SIZE, max_size=SIZE)


def _likeness(first: str, second: str) -> float:
    one, other = (word_vectors().of(map(stem, text.split())) for text in (first, second))
    assert one is not None
    assert other is not None
    return sum(a * b for a, b in zip(one, other, strict=True)) / ALIKE


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


def test_the_sum_of_known_words_has_its_full_length_and_unknown_ones_add_nothing() -> None:
    table = word_vectors()
    vector = table.of([stem("weather"), "xyzzyq", stem("forecast")])
    assert vector is not None
    assert sum(number * number for number in vector) ** 0.5 == pytest.approx(FULL, rel=0.1)
    assert vector == table.of([stem("forecast"), stem("weather")])
    assert table.of(["xyzzyq"]) is None
    assert table.of([]) is None


def test_a_table_is_read_as_it_was_written() -> None:
    patterns = bytearray(SIZE // PART * 256 * PART)
    patterns[:PART] = bytes([100, 0, 0, 0])
    patterns[PART : 2 * PART] = bytes([0, 156, 0, 0])  # 156 is -100 as a signed byte
    codes = bytes([0] + [9] * (SIZE // PART - 1)) + bytes([1] + [9] * (SIZE // PART - 1))
    table = WordVectors(packed(["tea", "jam"], bytes([170, 85]), codes, bytes(patterns)))
    assert "tea" in table
    assert "rum" not in table
    assert (table.weight("tea"), table.weight("jam")) == (1.0, 0.5)
    tea, jam, both = table.of(["tea"]), table.of(["jam"]), table.of(["tea", "jam"])
    assert tea is not None
    assert jam is not None
    assert both is not None
    assert list(tea[:3]) == [FULL, 0, 0]
    assert list(jam[:3]) == [0, -FULL, 0]
    assert list(both[:3]) == [157, -78, 0]


def test_the_table_is_small_and_read_only_when_a_search_needs_it() -> None:
    assert FILE.stat().st_size < 1_100_000
    code = "import sys, hermes_core; print(any('search.word_vectors' in it for it in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "False"


@given(st.lists(st.none() | _VECTOR, min_size=1, max_size=12), _VECTOR)
def test_lanes_hold_the_very_products_that_adding_up_gives(tools: list[list[int] | None], question: list[int]) -> None:
    likeness, _ = ToolVectors(tools).nearest(question, 5)
    expected = [sum(a * b for a, b in zip(tool or NOTHING, question, strict=True)) for tool in tools]
    assert [value - MIDDLE for value in likeness] == expected


def test_of_tools_that_are_all_alike_only_some_are_near_and_none_is_lost_that_is_nearer() -> None:
    question = word_vectors().of([stem("weather")])
    assert question is not None
    likes = word_vectors().of([stem("weather"), stem("rain"), stem("invoice")])
    tools = [likes] * 4000
    tools[3001] = question
    _, nearest = ToolVectors(tools).nearest(question, 64)
    assert 3001 in nearest
    assert 64 <= len(nearest) <= 65


def test_the_nearest_are_those_that_reach_the_bar() -> None:
    chance = random.Random(7)
    question = [chance.randint(-12, 12) for _ in range(SIZE)]
    tools = [[chance.randint(-12, 12) for _ in range(SIZE)] for _ in range(3000)]
    for number in (5, 1700, 2999):
        tools[number] = [value * 14 // 15 for value in question]
    likeness, nearest = ToolVectors(tools).nearest(question, 64)
    assert {5, 1700, 2999} <= set(nearest)
    assert len(nearest) < 300
    assert min(likeness[number] for number in nearest) > MIDDLE


def test_a_question_without_a_known_word_is_like_nothing() -> None:
    likeness, nearest = ToolVectors([NOTHING, None]).nearest(NOTHING, 5)
    assert list(likeness) == [MIDDLE, MIDDLE]
    assert nearest == []


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
