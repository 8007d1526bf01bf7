"""Reading answers of which nothing can be taken for granted."""

from __future__ import annotations

from typing import Any

import pytest

from hermes_tools_web.providers.account import Account
from hermes_tools_web.providers.api import items, match_pages, optional_items, part, read_facts, text, texts
from hermes_tools_web.providers.protocol import Page, ProviderError
from hermes_tools_web.providers.tavily import TavilyProvider

ACCOUNT = Account(name="tavily", setup=TavilyProvider.setup, url="https://api.tavily.com")
ODD: list[Any] = [None, 1, 1.5, True, "text", [], {}, [1], {"x": 1}]


@pytest.mark.parametrize("odd", [each for each in ODD if not isinstance(each, list)])
def test_a_list_that_is_none_is_an_error(odd: Any) -> None:
    with pytest.raises(ProviderError, match=r"there is no list 'a\.b'"):
        items(ACCOUNT, {"a": {"b": odd}}, "a", "b")
    with pytest.raises(ProviderError, match="an undocumented response"):
        items(ACCOUNT, {"a": odd}, "a", "b")


def test_odd_members_of_a_list_are_passed_over() -> None:
    assert items(ACCOUNT, {"a": [*ODD, {"url": 1}]}, "a") == [{}, {"x": 1}, {"url": 1}]
    assert optional_items({"a": ODD}, "a") == [{}, {"x": 1}]


@pytest.mark.parametrize("odd", ODD)
def test_odd_members_are_nothing(odd: Any) -> None:
    is_text = odd == "text"
    assert text({"a": odd}, "a") == ("text" if is_text else "")
    assert text({"a": odd, "b": "next"}, "a", "b") == ("text" if is_text else "next")
    assert texts({"a": odd}, "a") == []
    assert part({"a": odd}, "a") == (odd if isinstance(odd, dict) else {})
    assert read_facts({"a": odd}, author="a") == ({"author": "text"} if is_text else {})
    assert optional_items({"a": odd}, "b") == []


def test_pages_come_in_the_order_of_the_urls_whatever_their_spelling() -> None:
    urls = [
        "https://www.a.example.org/x/",
        "http://b.example.org",
        "https://c.example.org/?q=1",
        "https://d.example.org/",
    ]
    given = [
        Page(url="https://c.example.org?q=1", content="C"),
        Page(url="https://B.example.org/", content="B"),
        Page(url="https://a.example.org/x", content="A"),
        Page(url="http://[bad", content="?"),
    ]
    pages = match_pages(ACCOUNT, urls, given)
    assert [page.url for page in pages] == urls
    assert [page.content for page in pages] == ["A", "B", "C", ""]
    assert pages[3].error == "Tavily returned nothing for this page."
    assert pages[0].final_url == "https://a.example.org/x"


def test_what_is_spelled_exactly_so_comes_before_what_is_alike() -> None:
    urls = ["https://a.example.org/x", "https://a.example.org/x/"]
    pages = match_pages(ACCOUNT, urls, [Page(url=urls[1], content="slash"), Page(url=urls[0], content="none")])
    assert [page.content for page in pages] == ["none", "slash"]
