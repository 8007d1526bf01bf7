"""Who wants something stopped does not want the tool that starts it."""

from __future__ import annotations

import pytest

from hermes_search import ToolIndex
from hermes_search.ranking.operation_verbs import opening, opposed, sides
from hermes_search.ranking.stems import stem

TOOLS = [
    *("timer_start", "timer_cancel", "light_turn_on", "light_turn_off", "cover_open", "cover_close"),
    *("ec2_start_instances", "ec2_stop_instances", "spotify_play", "spotify_pause", "hotel_book", "hotel_cancel"),
    *("door_lock", "door_unlock", "contacts_import", "contacts_export", "time_off_request"),
]
INDEX = ToolIndex([{"name": name, "description": f"About {name.split('_')[0]}."} for name in TOOLS], embeddings=False)


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("stop the timer", "timer_cancel"),
        ("kill the lights", "light_turn_off"),
        ("turn the light in the kitchen on", "light_turn_on"),
        ("raise the cover", "cover_open"),
        ("turn off the ec2 machine", "ec2_stop_instances"),
        ("stop spotify", "spotify_pause"),
        ("call off the hotel", "hotel_cancel"),
        ("unlock the door", "door_unlock"),
        ("lock the door", "door_lock"),
        ("download my contacts", "contacts_export"),
    ],
)
def test_the_tool_that_does_the_opposite_comes_later(query: str, name: str) -> None:
    assert INDEX.search(query)[0].name == name


def _sides(question: str) -> frozenset[int]:
    return sides(map(stem, opening(question)))


def test_small_words_count_only_beside_their_verbs() -> None:
    assert _sides("what is on my list") == frozenset()
    assert sides(["time", "off", "request"]) == frozenset()
    assert _sides("turn the radio on") == _sides("switch on the radio") != frozenset()


def test_a_text_that_says_both_wants_neither() -> None:
    assert sides([stem("start"), stem("stop")]) == frozenset()
    assert not opposed(frozenset({1}), frozenset({1, -2}))
    assert not opposed(frozenset(), frozenset({-1}))
