"""Where a service is and the key to it."""

from __future__ import annotations

import pytest

from hermes_tools_web.providers.account import Account
from hermes_tools_web.providers.searxng import SearxngProvider
from hermes_tools_web.providers.tavily import TavilyProvider
from hermes_tools_web.settings import WebSettings


def tavily(**settings: object) -> Account:
    return Account.read("tavily", TavilyProvider.setup, WebSettings.model_validate(settings))


def searxng(url: str) -> Account:
    return Account.read("searxng", SearxngProvider.setup, WebSettings(searxng_url=url))


def test_a_vendor_is_where_it_says() -> None:
    account = tavily(tavily_api_key=" tvly-1 \n")
    assert (account.url, account.key, account.own) == ("https://api.tavily.com", "tvly-1", False)
    assert account.missing() is None


@pytest.mark.parametrize("url", ["", "https://api.tavily.com/", " https://api.tavily.com "])
def test_saying_where_a_vendor_is_anyway_makes_it_nobodys_own(url: str) -> None:
    assert not tavily(tavily_url=url).own


def test_a_server_elsewhere_is_the_users_own() -> None:
    account = tavily(tavily_url="http://localhost:9/tavily/")
    assert (account.url, account.own) == ("http://localhost:9/tavily", True)


def test_user_and_password_leave_the_url() -> None:
    account = searxng("https://me:se%3Acret@search.example.org/path/?q=1#there")
    assert account.url == "https://search.example.org/path"
    assert account.login == "Basic bWU6c2U6Y3JldA=="
    assert "c2U6" not in repr(account)
    assert "se%3Acret" not in repr(account)


@pytest.mark.parametrize(
    "url", ["ftp://example.org", "localhost:8080", "http://", "http://[::1", "http://h:port", "://"]
)
def test_what_is_no_url_is_told(url: str) -> None:
    assert searxng(url).missing(key_needed=False) == "web.searxng_url is not a URL such as https://search.example.org."
