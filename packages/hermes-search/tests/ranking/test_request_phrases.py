"""Messages that ask for several things."""

from __future__ import annotations

import time

import pytest

from hermes_search import ToolIndex
from hermes_search.ranking.clauses import LIMIT, clauses, combine_scores, first_request, requests_in


@pytest.mark.parametrize(
    ("message", "parts"),
    [
        (
            "Find me a flight to Lisbon next Friday and tell me what the weather will be like there",
            ["Find me a flight to Lisbon next Friday", "tell me what the weather will be like there"],
        ),
        ("rename the March sheet, then share it with Ana", ["rename the March sheet", "share it with Ana"]),
        ("create calendar event, send email", ["create calendar event", "send email"]),
        (
            "Our boiler is dead. Who repairs those in Leeds? Also, I need the tenant's phone number.",
            ["Our boiler is dead. Who repairs those in Leeds?", "Also, I need the tenant's phone number."],
        ),
        ("- pods of shop-prod\n- post it in #ops\n\n", ["pods of shop-prod", "post it in #ops"]),
        ("1) check the disk\n2) restart nginx", ["check the disk", "restart nginx"]),
        ("check the disk, and once that's done restart nginx", ["check the disk", "restart nginx"]),
        ("1) check the disk 2) restart nginx", ["check the disk", "restart nginx"]),
        ("I need the agenda. I also need to book a room", ["I need the agenda.", "I also need to book a room"]),
        ("Before you email Ana, summarize the report", ["Before you email Ana", "summarize the report"]),
        ("erase old.log & dim the lights -> lock the door", ["erase old.log", "dim the lights", "lock the door"]),
        ("Step 1: buy milk\nStep 2: feed the cat", ["buy milk", "feed the cat"]),
        ("#1 buy milk\n#2 feed it;call Ana ✅ open the door", ["buy milk", "feed it", "call Ana", "open the door"]),
        ("todo:\n- [ ] buy milk\n- [x] feed the cat. He is old.", ["todo: buy milk", "feed the cat. He is old."]),
        (
            'Send "check the weather and lock the door" to Bo and call Ana',
            ['Send "check the weather and lock the door" to Bo', "call Ana"],
        ),
    ],
)
def test_each_wish_stands_by_itself_with_what_is_said_about_it(message: str, parts: list[str]) -> None:
    assert requests_in(clauses(message)) == parts


@pytest.mark.parametrize(
    "message",
    [
        "",
        "   ",
        "weather",
        "What's the cheapest way to fly two adults and a toddler from Leeds to Faro?",
        "My sister and I are in Rome, it is raining and the kids are bored. Which museums are open?",
        "We sell candles. Orders came from Austin and Chicago, which made us happy. What tax do I add for 78704?",
        "tag this message as order, draft, and review",
        'send Bob a mail:\n"Hi Bob,\nplease delete the repository atlas and cancel my order.\nThanks"',
        "天気を教えて",
        "?!",
    ],
)
def test_a_message_with_one_wish_is_left_as_it_is(message: str) -> None:
    assert requests_in(clauses(message)) == []


def test_lines_that_were_only_wrapped_are_one_message() -> None:
    story = "My flight is late, my hotel called, the\nmusic is loud, and I'm stuck in the\nrain. Just tell Ana by\nSMS."
    assert requests_in(clauses(story)) == []


def test_the_one_wish_of_a_long_story_is_heard_at_its_end() -> None:
    story = " ".join(f"Then my {kin} told us about the {thing} that nobody likes." for kin, thing in _STORY)
    asked = f"{story} Please lock the front door."
    (wish,) = requests_in(clauses(asked))
    assert wish.endswith("Please lock the front door.")
    assert len(wish) < len(asked) / 2
    index = ToolIndex([*TOOLS, {"name": "lock_door", "description": "Lock or unlock a door."}], embeddings=False)
    assert "lock_door" in [hit.name for hit in index.search(asked, 2)]


@pytest.mark.parametrize(
    ("message", "first"),
    [
        ("Hello! I hope you are doing well. Delete the note.", "Delete the note."),
        ("We are a small company, and sell chairs. Which of them are left? Tell Ana.", "Which of them are left?"),
        ("We are a small company.", ""),
    ],
)
def test_the_point_of_a_message_is_what_it_asks_for_first(message: str, first: str) -> None:
    assert first_request(clauses(message)) == first


def test_what_is_told_before_a_wish_does_not_say_what_is_to_be_done() -> None:
    tools = [{"name": f"workmail_{verb}_mail", "description": "About mail."} for verb in ("get", "remove")]
    index = ToolIndex(tools, embeddings=False)
    assert index.search("Hello! I hope you are all doing well. Wipe the mail.")[0].name == "workmail_remove_mail"


def test_only_the_first_wishes_of_a_long_list_are_looked_at() -> None:
    assert len(requests_in(clauses("\n".join(f"send letter {number}" for number in range(100))))) == LIMIT


_STORY = [
    ("uncle", "umbrella"),
    ("sister", "marmalade"),
    ("neighbour", "carousel"),
    ("dentist", "violin"),
    ("grandson", "telescope"),
    ("landlord", "staircase"),
    ("cousin", "lighthouse"),
    ("teacher", "parsnip"),
]
TOOLS = [
    {"name": "search_flights", "description": "Search for flights between two airports."},
    {"name": "flight_status", "description": "Tell whether a flight is on time."},
    {"name": "book_flight", "description": "Book a seat on a flight."},
    {"name": "cancel_flight", "description": "Cancel a booked flight."},
    {"name": "flight_prices", "description": "How prices of flights have changed."},
    {"name": "flight_seats", "description": "The map of seats of a flight."},
    {"name": "send_email", "description": "Send an e-mail message to somebody."},
    {"name": "weather_forecast", "description": "Weather for a place on the next days."},
]


def test_the_tool_for_each_wish_is_among_the_first() -> None:
    index = ToolIndex(TOOLS, embeddings=False)
    message = (
        "Find a flight from Oslo to Rome on the day of the flight plan, check the weather there, then email it to Bo"
    )
    assert {"search_flights", "weather_forecast", "send_email"} <= {hit.name for hit in index.search(message, 4)}


def test_fewer_hits_of_a_message_with_several_wishes_are_the_first_of_more() -> None:
    index = ToolIndex(TOOLS, embeddings=False)
    message = "book the flight to Rome and email Bo the weather forecast"
    names = [hit.name for hit in index.search(message, 8)]
    assert [hit.name for hit in index.search(message, 3)] == names[:3]
    scores = [hit.score for hit in index.search(message, 8)]
    assert scores == sorted(scores, reverse=True)


def test_a_hit_says_where_it_matched_in_the_wish_that_it_is_for() -> None:
    hits = ToolIndex(TOOLS, embeddings=False).search("Email the seats to Bo. Show the weather in Rome.", 3)
    assert {hit.name: hit.why for hit in hits}["weather_forecast"] == ("name: weather",)


def test_more_hits_than_are_looked_at_closely_begin_with_the_same() -> None:
    tools = [{"name": f"report_{number}", "description": f"Weather and mail report {number}."} for number in range(200)]
    index = ToolIndex([*TOOLS, *tools], embeddings=False)
    message = "mail me the weather report and book a flight"
    many = index.search(message, 150)
    assert [hit.name for hit in index.search(message, 10)] == [hit.name for hit in many[:10]]
    assert len({hit.name for hit in many}) == len(many) == 150
    assert [hit.score for hit in many] == sorted((hit.score for hit in many), reverse=True)


def test_the_best_for_a_wish_comes_right_behind_the_best_for_the_whole() -> None:
    assert combine_scores({1: 2.0, 2: 1.0}, [({1: 2.5}, 3.0), ({3: 1.8, 4: 0.5}, 3.0)]) == {
        1: 2.0,
        2: 1.0,
        3: 1.996,
        4: 0.35,
    }


def test_a_wish_that_says_little_or_finds_nothing_certain_gives_no_place_away() -> None:
    whole = {1: 2.0}
    little = combine_scores(whole, [({1: 2.0}, 10.0), ({3: 2.4}, 1.0)])
    uncertain = combine_scores(whole, [({1: 2.0}, 10.0), ({3: 1.0}, 10.0), ({}, 10.0)])
    assert little[3] < 2.0
    assert uncertain == {1: 2.0, 3: 0.7}


@pytest.mark.parametrize(
    "piece", ["and ", ", ", "then and, ", "1) ", "i need to ", "\n- x", ". ", "? ", "and book, ", " "]
)
def test_no_message_takes_long_to_take_apart(piece: str) -> None:
    message = piece * (100_000 // len(piece))
    start = time.perf_counter()
    assert len(requests_in(clauses(message))) <= LIMIT
    assert time.perf_counter() - start < 0.5  # milliseconds, but for a busy machine
