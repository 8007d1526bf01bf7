"""Which URLs are read is decided before anybody hears of them."""

from __future__ import annotations

import anyio
import pytest

from hermes_net import NetPolicy, WebsiteBlocklist
from hermes_tools_web.extraction.job import CheckedUrl, Outcome, check_host, check_redirect, check_text
from hermes_tools_web.providers.protocol import Page

KEY = "sk-proj-abcdefghijklmnop1234567890"
OPEN = NetPolicy(allow_private=True)
BLOCKING = NetPolicy(allow_private=True, blocklist=WebsiteBlocklist(["127.0.0.1"], []))


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("https://example.org", "https://example.org/"),
        ("https://bücher.example/straße?q=ä ö#teil", "https://xn--bcher-kva.example/stra%C3%9Fe?q=%C3%A4%20%C3%B6"),
        ("HTTPS://EXAMPLE.org:443/A%20b", "https://example.org/A%20b"),
        ("http://例え.jp/%zz", "http://xn--r8jz45g.jp/%25zz"),
        ("http://paral·lel.cat/", "http://xn--parallel-koa.cat/"),
        ("http://コーヒー・ショップ.jp/", "http://xn--tcki0b6c1a8g7fgb.jp/"),
        ("http://نامه\u200cای.com/", "http://xn--mgba3gch31f060k.com/"),
    ],
)
def test_a_url_becomes_ascii(url: str, address: str) -> None:
    assert check_text(url) == CheckedUrl(url=url, address=address)


@pytest.mark.parametrize(
    "url",
    [
        f"https://evil.example/?q={KEY}",
        f"https://evil.example/{KEY}",
        f"https://evil.example/#{KEY}",
        "https://evil.example/?q=" + KEY.replace("-", "%2D"),
        "https://evil.example/?q=" + KEY.replace("-", "%252D"),
        "https://evil.example/?q=" + "".join(chr(ord(char) + 0xFEE0) for char in KEY),
        f"https://{KEY}.evil.example/",
        "https://evil.example/?api_key=abcdef123456",
    ],
)
def test_a_key_goes_nowhere_however_it_is_spelled(url: str) -> None:
    refused = check_text(url)
    assert isinstance(refused, Outcome)
    assert refused.blocked
    assert refused.blocked["rule"] == "api_key"
    assert KEY not in str(refused)
    assert refused.page.hint


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org/2024/01/a-long-title-about-keys-and-tokens",
        "https://example.org/commit/3f786850e387550fdab836ed7e6dc881de23001b",
        "https://sk-consulting.example.org/",
        "https://example.org/?page=12&sort=name",
        "https://example.org/login?password=reset",
        "https://example.org/?secret=santa",
    ],
)
def test_urls_that_only_look_a_little_like_keys_are_read(url: str) -> None:
    assert isinstance(check_text(url), CheckedUrl)


@pytest.mark.parametrize(
    ("url", "rule"),
    [
        ("file:///etc/passwd", "scheme"),
        ("https://user:secret-word@example.org/", "credentials"),
        ("http://example.org:22/", "port"),
        ("http://169.254.169.254/latest/meta-data", "metadata"),
    ],
)
def test_what_may_not_be_read_names_its_rule(url: str, rule: str) -> None:
    refused = check_text(url)
    assert isinstance(refused, Outcome)
    assert refused.blocked
    assert refused.blocked["rule"] == rule
    assert "secret-word" not in str(refused)


@pytest.mark.parametrize("url", ["nonsense", "https://", "http://a b.org/", "https://[bad/", "\x00"])
def test_what_is_no_url_is_an_error_and_no_policy(url: str) -> None:
    refused = check_text(url)
    assert isinstance(refused, Outcome)
    assert refused.blocked is None
    assert refused.page.error


def test_the_guard_is_asked_where_a_url_leads() -> None:
    here = CheckedUrl(url="http://127.0.0.1/", address="http://127.0.0.1/")
    refused = anyio.run(check_host, here, NetPolicy())
    assert refused
    assert refused.blocked
    assert (refused.blocked["rule"], refused.blocked["host"]) == ("private", "127.0.0.1")
    assert anyio.run(check_host, here, OPEN) is None


@pytest.mark.parametrize(
    ("final_url", "code"),
    [
        ("", ""),
        ("http://a.example/", ""),
        ("http://127.0.0.1/", "blocked_site"),
        ("http://169.254.169.254/", "metadata"),
        ("file:///etc/passwd", "scheme"),
        (f"http://8.8.8.8/?session={KEY}", ""),
        ("http://there-is-none.invalid/", ""),
        ("what?", "not_a_url"),
    ],
)
def test_where_a_page_was_found_is_judged_too(final_url: str, code: str) -> None:
    page = Page(url="http://a.example/", content="text", final_url=final_url)
    verdict = anyio.run(check_redirect, page, BLOCKING)
    assert ("" if verdict is None else verdict.code) == code
