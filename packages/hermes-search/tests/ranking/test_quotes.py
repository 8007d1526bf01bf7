"""What stands in quotes says little about which tool is wanted."""

from __future__ import annotations

import time

import pytest

from hermes_search import ToolIndex
from hermes_search.ranking.request_phrases import stressed, unquoted


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ('click the "Add to cart" button', "click the   button"),
        ("rename the sheet “Paid rent” to `Open rent`", "rename the sheet   to  "),
        ("post 'lunch is ready' in the channel", "post   in the channel"),
        ("publier l'article «La pluie» en ligne", "publier l'article   en ligne"),
        ("create a playlist named ‘rain’", "create a playlist named  "),
        ("send „Wie geht's?“ to the channel", "send   to the channel"),
        ('mail this to Bob:\n"Hi Bob,\nplease delete it.\nThanks"', "mail this to Bob:\n "),
        ("explain this error:\n```\nraise KeyError\n```", "explain this error:\n "),
    ],
)
def test_what_stands_in_quotes_is_left_out(text: str, rest: str) -> None:
    assert unquoted(text) == rest
    assert stressed(text) == f"{rest} {text}"


@pytest.mark.parametrize(
    "text",
    [
        "click the button",
        'tool for "image resizing"',
        '"create issue" github',
        "the dogs' home and Ana's office",
        'an inch is 1" and a foot 12',
        'which stores sell 13" laptops, show reviews of the 15" ones',
        'Ana from sales asks "could you please delete the branch dev"',
        '"',
        "",
    ],
)
def test_quotes_count_in_full_where_little_is_said_beside_them(text: str) -> None:
    assert unquoted(text) is None
    assert stressed(text) == text


TOOLS = [
    {"name": "press_button", "description": "Press a button on the page."},
    {"name": "add_to_cart", "description": "Add an article to the cart of a shop."},
    {"name": "send_chat", "description": "Write to a channel of the team."},
    {"name": "order_lunch", "description": "Order lunch for the team."},
]


def test_a_button_that_is_called_like_a_tool_is_still_a_button() -> None:
    index = ToolIndex(TOOLS, embeddings=False)
    assert index.search('press the "Add to cart" button on this page')[0].name == "press_button"
    assert index.search("add this article to the cart")[0].name == "add_to_cart"
    assert index.search('write "order lunch for the team" to the channel')[0].name == "send_chat"


def test_a_tool_whose_name_stands_in_quotes_comes_first() -> None:
    assert ToolIndex(TOOLS, embeddings=False).search("call `order_lunch` on this page")[0].name == "order_lunch"


@pytest.mark.parametrize("mark", ['"', "'", "“", "«", "„", "`", " '", '" ', "```"])
def test_marks_without_end_take_no_time(mark: str) -> None:
    start = time.perf_counter()
    ToolIndex(TOOLS, embeddings=False).search(mark * 200_000)
    assert time.perf_counter() - start < 0.5  # milliseconds, but for a busy machine
