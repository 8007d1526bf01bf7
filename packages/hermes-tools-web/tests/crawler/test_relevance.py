"""Which links and pages fit to what the user wants to know."""

from __future__ import annotations

import pytest

from hermes_tools_web.crawler.relevance import Relevance, stem_words


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        ("Find the prices of all plans", "Pricing plan"),
        ("How do I install it?", "Installation"),
        ("authentication", "Authenticating users"),
        ("Wie sind die Öffnungszeiten?", "öffnungszeiten"),
        ("価格を調べて", "製品の価格一覧"),
    ],
)
def test_links_that_share_words_fit(wanted: str, text: str) -> None:
    assert Relevance(wanted).score(text=text, url="https://example.org/") > 0


def test_words_that_everybody_uses_do_not_count() -> None:
    relevance = Relevance("Please find all information about the pages of this website")

    assert relevance.score(text="About this website: all pages", url="https://www.example.org/information") == 0


def test_the_words_of_a_link_count_most_then_its_url_then_where_it_stands() -> None:
    relevance = Relevance("warranty")
    scores = [
        relevance.score(text="Warranty", url="https://example.org/a"),
        relevance.score(text="More", url="https://example.org/warranty.html"),
        relevance.score(text="More", url="https://example.org/a", title="Warranty"),
        relevance.score(text="More", url="https://warranty.example/a"),
    ]

    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) == 4
    assert scores[-1] == 0  # the host is the same for all


def test_without_instructions_everything_is_alike() -> None:
    relevance = Relevance("")

    assert relevance.score(text="Anything", url="https://example.org/anything") == 0
    assert relevance.coverage(title="Anything", text="anything") == 0


def test_pages_fit_by_their_title_and_text() -> None:
    relevance = Relevance("warranty period")

    assert relevance.coverage(title="Warranty", text="The period is two years.") > relevance.coverage(
        title="", text="a period"
    )
    assert relevance.coverage(title="Jobs", text="We hire.") == 0


def test_only_the_beginning_of_a_long_text_is_read() -> None:
    assert "thing" not in stem_words("x " * 5000 + "thing")
    assert "thing" in stem_words("thing " + "x " * 5000)
