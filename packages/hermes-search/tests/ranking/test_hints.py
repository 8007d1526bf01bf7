"""What a question shows without naming it."""

from __future__ import annotations

import time

import pytest

from hermes_search import ToolIndex
from hermes_search.ranking.query import hints


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Someone logged in from 81.2.69.142, where is that?", ["ip", "address"]),
        ("Was jane@doe.com in any breach?", ["email", "address"]),
        ("Is +44 20 7946 0958 real?", ["phone", "number"]),
        ("What is at 48.85, 2.29?", ["coordinates", "latitude", "longitude", "location"]),
        ("Is http://free-phone.win dangerous?", ["url", "website", "page"]),
        ("Who owns example.org?", ["domain", "website"]),
        ("Write out interview.mp3", ["audio", "file"]),
        ("show me what is in config.yaml", ["file"]),
        ("cat /etc/hosts", ["file", "path"]),
        ("open ./notes/todo.md", ["file", "path"]),
        ("unpack backup.tar.gz", ["archive", "file"]),
        ("tell #general that lunch is ready", ["channel", "tag"]),
        ("100 miles in km", ["convert", "unit"]),
        ("what is 17% of 340", ["calculate", "math", "expression"]),
        ("either/or, and/or, 24/7, issue #12", []),
        ("what is 17 * 23", ["calculate", "math", "expression"]),
        ("solve x^2 = 9", ["calculate", "math", "expression"]),
        ("from 5-7 on 03/04, 24/7, pages 3-9", []),
        ("version 1.2.3 of 4 things at 5", []),
        ("", []),
    ],
)
def test_shapes_stand_for_words(text: str, words: list[str]) -> None:
    assert hints(text, ()) == words


def test_a_service_that_is_called_like_a_domain_is_no_domain() -> None:
    assert hints("a room on booking.com", {"book"}) == []
    assert hints("a slot on cal.com", {"calcom"}) == []


def test_only_the_first_shapes_of_a_text_are_looked_at() -> None:
    assert hints("9:30 " * 20 + "81.2.69.142", ()) == ["time"]


def test_a_tool_is_found_by_what_the_question_shows() -> None:
    index = ToolIndex(
        [
            {"name": "geo_lookup", "description": "Country and city of an IP address."},
            {"name": "read_log", "description": "Lines of a log by name."},
            {"name": "list_teams", "description": "All teams."},
        ],
        embeddings=False,
    )
    hit = index.search("81.2.69.142?")[0]
    assert (hit.name, hit.why) == ("geo_lookup", ("summary: ip, address",))


@pytest.mark.parametrize(
    "piece", ["a", "a.", "a-", "1", "1.", "+1", "0x", "http", "1.11 ,", "+1(", "$ ", "a@", "@a.", "%1"]
)
def test_a_long_text_takes_no_longer_than_it_is_long(piece: str) -> None:
    text = piece * (100_000 // len(piece))
    began = time.process_time()
    hints(text, ())
    assert time.process_time() - began < 5  # some hundredths of a second; with the square of it, half a minute
