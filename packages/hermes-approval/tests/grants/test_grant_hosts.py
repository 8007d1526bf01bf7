"""A URL is at the host that every program finds in it, and at no other."""

from __future__ import annotations

import pytest

from hermes_approval.grants.argument_patterns import matches


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org",
        "https://example.org/",
        "http://EXAMPLE.org:8080/path",
        "HTTPS://example.org.?q",
        "https://example.org#@evil.com",
        "https://example.org/@evil.com",
        "https://example.org/\\evil.com",
        "wss://example.org:443",
        "https://example.org:",
    ],
)
def test_a_url_is_at_its_host(url: str) -> None:
    assert matches({"host": "example.org"}, url)
    assert matches({"host": "Example.ORG."}, url)
    assert not matches({"host": "evil.com"}, url)
    assert not matches({"host": "*.example.org"}, url)


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org@evil.com/",
        "https://example.org:x@evil.com/",
        "https://user@example.org/",
        "https://evil.com\\@example.org/",
        "https://evil.com\\.example.org/",
        "https:\\\\example.org",
        "https:/example.org",
        "https:example.org",
        "https:///example.org",
        "//example.org",
        "example.org",
        " https://example.org",
        "https://example.org evil.com",
        "https://exa\tmple.org",
        "https://example.org\n.evil.com",
        "https://ex%61mple.org",
        "https://example.org..",
        "https://.example.org",
        "https://example.org.evil.com",
        "https://evilexample.org",
        "https://example.org:80:80",
        "https://example.org:port",
        "https://example。org",
        "https://ｅxample.org",
        "https://example.org\u200d",
        "https://[example.org]",
        "https://example.org\0",
        "file://example.org/etc/passwd",
        "javascript://example.org/%0aalert(1)",
        "https://" + "a" * 400 + ".example.org",
        "https://",
        "",
        None,
        1,
    ],
)
def test_a_url_that_programs_may_read_differently_is_at_no_host(url: object) -> None:
    assert not matches({"host": "example.org"}, url)
    assert not matches({"host": "evil.com"}, url) or url == "https://example.org.evil.com"


def test_hosts_below_another_are_whole_names() -> None:
    below = {"host": "*.example.org"}
    assert matches(below, "https://a.example.org/")
    assert matches(below, "https://a.b.EXAMPLE.org.:1/")
    assert not matches(below, "https://aexample.org/")
    assert not matches(below, "https://a.example.org.evil.com/")


def test_international_hosts_are_one_host_in_both_spellings_when_all_versions_agree() -> None:
    for pattern in ("bücher.example", "BÜCHER.example", "xn--bcher-kva.example"):
        for url in ("https://bücher.example/", "https://xn--bcher-kva.example/", "https://XN--BCHER-KVA.example"):
            assert matches({"host": pattern}, url)
    assert not matches({"host": "fass.de"}, "https://faß.de"), "one version of IDNA says so, the other does not"
    assert not matches({"host": "ok.example"}, "https://o\u212a.example"), "the Kelvin sign"
    assert not matches({"host": "apple.com"}, "https://аpple.com"), "a Cyrillic letter"


def test_addresses_match_in_one_spelling_only() -> None:
    assert matches({"host": "127.0.0.1"}, "http://127.0.0.1:80/")
    for url in ("http://127.1/", "http://2130706433/", "http://0x7f.0.0.1/", "http://0177.0.0.1/"):
        assert not matches({"host": "127.0.0.1"}, url)
    assert matches({"host": "[::1]"}, "http://[0:0:0:0:0:0:0:1]:80/")
    assert not matches({"host": "[::1]"}, "http://[::1%25eth0]/")
