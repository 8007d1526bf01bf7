"""URLs in all the spellings that lead to the same host."""

from __future__ import annotations

import time
import unicodedata
from contextlib import suppress
from urllib.parse import unquote, urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_approval.matchers.hosts import addresses_of, compile_host
from hermes_approval.matchers.rule_error import RuleError


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org",
        "https://example.org/path?q#f",
        "HTTPS://EXAMPLE.ORG/",
        "https://example.org.",
        "https://example.org:8443/x",
        "https://user:password@example.org/x",
        "https://other.com@example.org/x",
        "https://a@b@example.org/",
        "  https://example.org/ ",
        "https:example.org",
        "https:///example.org/x",
        "ht\ntps://example.org",
        "//example.org/x",
        "example.org",
        "example.org/path",
        "example.org:80",
        "ftp://example.org",
        "git+ssh://git@example.org/repo",
        "https://ｅｘａｍｐｌｅ。org/",
    ],
)
def test_a_url_belongs_to_its_host_however_it_is_spelt(url: str) -> None:
    assert compile_host("example.org", strict=True)(url)
    assert not compile_host("*.example.org", strict=True)(url)


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org.evil.com/",
        "https://example.org@evil.com/",
        "https://evil.com/example.org",
        "https://evil.com?@example.org",
        "https://evil.com#@example.org",
        "https://notexample.org",
        "https://sub.example.org",
        "/example.org",
        "/srv/example.org/notes",
        "https://evil.com/?to=https://example.org/",
        "an example. organic",
        "file:///example.org",
        "",
        "https://",
    ],
)
def test_a_url_that_only_mentions_a_host_does_not_belong_to_it(url: str) -> None:
    assert not compile_host("example.org", strict=True)(url)
    assert not compile_host("example.org", strict=False)(url)


@pytest.mark.parametrize(
    ("pattern", "url", "expected"),
    [
        ("*.example.org", "https://a.example.org", True),
        ("*.example.org", "https://a.b.EXAMPLE.org.:1/", True),
        ("*.example.org", "https://badexample.org", False),
        ("*", "https://anything", True),
        ("*", "https:///", False),
        ("Example.ORG.", "https://example.org", True),
        ("bücher.example", "https://xn--bcher-kva.example/", True),
        ("xn--bcher-kva.example", "https://BÜCHER.example/", True),
        ("127.0.0.1", "http://127.0.0.1.:80/", True),
        ("::1", "http://[0:0:0:0:0:0:0:1]:8080/", True),
        ("localhost", "http://localhost:8080", True),
    ],
)
def test_patterns_and_names_are_brought_to_one_spelling(pattern: str, url: str, expected: bool) -> None:
    assert compile_host(pattern, strict=True)(url) is expected
    assert compile_host(pattern, strict=False)(url) is expected


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org\\@evil.com/",
        "http://evil.com\\@example.org/",
        "http:\\\\example.org\\x",
        "http://ex%61mple.org/",
        "http://example.org%00.evil.com/",
        "http://example.org%2f.evil.com/",
        "\u00a0http://example.org/",
        "\u3000http://example.org/",
        "\u2028http://example.org/",
        "\ufeffhttp://example.org/",
        "<http://example.org/>",
        "URL:http://example.org/",
        "view-source:http://example.org/",
        "ht\ntp://exam\tple.org/",
        "http://example.\r\norg",
        "http://evil.com/ http://example.org/",
        "http://exam\u00adple\u200b.org/",
        "http://example\uff0eorg/",
        "http://http://example.org/",
        "file:////example.org/share",
        "curl https://example.org",
        "example.org",
        "me@example.org",
        "http://..example.org x",
    ],
)
def test_where_readers_disagree_one_reading_is_enough_for_a_guard_and_not_for_a_pass(url: str) -> None:
    assert compile_host("example.org", strict=True)(url)
    assert not compile_host("example.org", strict=False)(url)
    assert not compile_host("ample.org", strict=True)(url)


SIGNS = ["／", "%2f", " ", "%00", "%23", "%5c", "\\", "\t", "？", "＃", "%252f", "@", ":80@", "\0"]


@pytest.mark.parametrize("between", SIGNS)
def test_a_name_behind_an_odd_sign_permits_nothing_and_guards_both(between: str) -> None:
    url = f"http://evil.net{between}.example.org/"
    for pattern in ("*.example.org", "evil.net", "*"):
        assert not compile_host(pattern, strict=False)(url)
    assert compile_host("*.example.org", strict=True)(url)
    assert compile_host("evil.net", strict=True)(url) is ("@" not in between)


def test_a_sign_that_stands_for_several_permits_nothing() -> None:
    assert not compile_host("*.example.org", strict=False)("http://evil.net℀.example.org/")
    assert compile_host("*.example.org", strict=True)("http://evil.net℀.example.org/")


@pytest.mark.parametrize(
    "host",
    [
        "169.254.169.0xfe",
        "0xa9fea9fe",
        "0XA9.0xFE.0xa9.0xfe",
        "0251.0376.0251.0376",
        "0251.254.0xa9.254",
        "169.254.43518",
        "169.16689662",
        "2852039166",
        "169.254.169.0376:80",
        "user@169.254.169.0xfe",
        "425.510.425.510",
        "0169.0254.0169.0254",
        "[::ffff:169.254.169.254]",
        "[::ffff:a9fe:a9fe]:80",
        "[::a9fe:a9fe]",
        "[64:ff9b::a9fe:a9fe]",
        "[::ffff:a9fe:a9fe%25eth0]",
        "１６９.254.169.254",
        "①⑥⑨.254.169.0xfe",
        "169。254。169。254",
        "%31%369.254.169.0xfe",
        "169.254.\n169.254",
    ],
)
@pytest.mark.parametrize("around", ["http://{}/", "http://{}", "\u00a0http://{}/x", "<http://{}>", "curl http://{}/x"])
def test_an_address_is_guarded_in_every_spelling(host: str, around: str) -> None:
    url = around.format(host)
    assert compile_host("169.254.169.254", strict=True)(url)
    assert compile_host("0xa9fea9fe", strict=True)(url)
    assert not compile_host("169.254.169.253", strict=True)(url)
    assert not compile_host("169.254.169.254", strict=False)(url)


@pytest.mark.parametrize(
    "text", ["169.254.169.254", "0xa9fea9fe", "//2852039166/", "169.254.43518/x", "at 169.254.43518."]
)
def test_an_address_is_guarded_without_a_scheme(text: str) -> None:
    assert compile_host("169.254.169.254", strict=True)(text)


@pytest.mark.parametrize(
    "text",
    ["16.9", "version 1.2.3", "0", "at 12:30:45", "http://169.254.169.254.example.org/", "a::b", "0x", "1." * 50],
)
def test_what_looks_like_an_address_is_not_any(text: str) -> None:
    assert not compile_host("169.254.169.254", strict=True)(text)
    assert not compile_host("::1", strict=True)(text)


NAMES = ["xn--strae-oqa.de", "straße.de", "STRASSE.de", "*.straße.de", "*.xn--strae-oqa.de"]


@pytest.mark.parametrize("pattern", NAMES)
@pytest.mark.parametrize("url", ["http://{}straße.de/", "http://{}STRAẞE.de", "<http://{}straße.de>", "{}straße.de"])
def test_both_readings_of_an_international_name_are_guarded(pattern: str, url: str) -> None:
    below = "www." if pattern.startswith("*.") else ""
    assert compile_host(pattern, strict=True)(url.format(below))
    assert not compile_host("strafe.de", strict=True)(url.format(below))


def test_a_name_in_ascii_has_one_reading() -> None:
    for url in ("http://xn--strae-oqa.de/", "http://strasse.de/"):
        assert compile_host("straße.de", strict=True)(url), "the rule may mean either"
    assert not compile_host("strasse.de", strict=True)("http://xn--strae-oqa.de/")
    assert not compile_host("xn--strae-oqa.de", strict=True)("http://strasse.de/")
    assert compile_host("xn--strae-oqa.de", strict=False)("http://xn--strae-oqa.de/")
    assert compile_host("bücher.exämple", strict=True)("see http://xn--bcher-kva.exämple/")


def test_joiners_and_final_letters_do_not_hide_a_name() -> None:
    joined = "نامه\u200cای.example"
    code = "xn--" + joined.partition(".")[0].encode("punycode").decode() + ".example"
    for pattern in (joined, code):
        for url in (f"http://{joined}/", f"<http://{joined}>", f"http://{code}/", f"see {code}"):
            assert compile_host(pattern, strict=True)(url), (pattern, url)
    assert compile_host("βόλος.com", strict=True)("http://ΒΌΛΟΣ.com/")
    assert compile_host("xn--nxasmm1c.com", strict=True)("http://βόλος.com/")


@pytest.mark.parametrize("blank", [" ", "\n", "\t", "\0", "\u2028", "\u00a0"])
def test_a_permission_does_not_cover_what_follows_a_blank(blank: str) -> None:
    url = f"https://example.org/{blank}https://evil.com/"
    assert not compile_host("example.org", strict=False)(url)
    assert compile_host("evil.com", strict=True)(url)


def test_a_permission_for_a_name_with_two_readings_is_refused() -> None:
    with pytest.raises(RuleError, match="xn--"):
        compile_host("straße.de", strict=False)


def test_every_host_is_any_text_that_may_be_a_url() -> None:
    for text in ("http://a/", "a", "<http://a>", "see http://a", "\ufeffhttp://a", "http:\\\\a b", "ping a.org"):
        assert compile_host("*", strict=True)(text)
    for text in ("", "hello world", "https://", "/etc/passwd", "file:///etc/passwd"):
        assert not compile_host("*", strict=True)(text)


@pytest.mark.parametrize(
    "pattern",
    ["https://example.org", "example.org/x", "example.org:80", "a.*.org", "*example.org", "", 5, "abc.de:80", "*.0.1"],
)
def test_what_is_no_host_is_refused(pattern: object) -> None:
    with pytest.raises(RuleError, match="is not a host"):
        compile_host(pattern, strict=True)


PIECES = [
    "http://", "https:", "//", "/", "\\", "@", ":", ":80", "evil.com", "example.org", "straße.de", "169.254.169.0xfe",
    "0xa9fea9fe", ".", "%2e", "%40", "%2f", "?", "#", " ", "\t", "\n", "\u00a0", "\ufeff", "<", ">", "URL:", "[",
    "]", "a", "-", "。", "／", "\0", "\x1f", "ß", "\u00ad", "E", "1",
]  # fmt: skip
GUARDED = ("example.org", "evil.com", "strasse.de", "169.254.169.254")
GUARDS = {name: compile_host(name, strict=True) for name in GUARDED}
PERMISSIONS = {name: compile_host(name, strict=False) for name in GUARDED}


@settings(max_examples=1000, deadline=None)
@given(
    st.sampled_from(["", "http://", "http:", "//", "\u00a0http://"]),
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=6).map("".join),
)
def test_whatever_host_a_library_finds_is_guarded_and_no_other_is_permitted(start: str, rest: str) -> None:
    text = start + rest
    for seen in (text, text.strip(), text.replace("\\", "/"), unquote(text), unicodedata.normalize("NFKC", text)):
        host = ""
        with suppress(ValueError):
            host = (urlsplit(seen).hostname or "").rstrip(".").replace("ß", "ss")
        found = {host, *addresses_of(host)}
        for name in GUARDED:
            assert name not in found or GUARDS[name](text), seen
            assert not PERMISSIONS[name](text) or name in found, seen


LONG = {
    "letters": "http://" + "a" * 1_000_000,
    "users": "http://" + "@" * 1_000_000,
    "foreign letters": "é" * 1_000_000,
    "labels": "a." * 500_000,
    "numbers": "1." * 500_000,
    "escapes": "%61" * 300_000,
    "codes": "xn--a." * 150_000,
    "dots": "." * 1_000_000,
    "colons": ":" * 1_000_000,
    "addresses": "1.2 " * 250_000,
    "a number": "http://" + "1" * 1_000_000,
    "lines": "é\n" * 500_000,
    "near misses": "-example.org" * 80_000,
}


@pytest.mark.parametrize("name", LONG)
def test_long_texts_are_read_in_linear_time(name: str) -> None:
    patterns = ("example.org", "*.example.org", "bücher.de", "127.0.0.1", "::1", "*")
    started = time.process_time()
    for pattern in patterns:
        compile_host(pattern, strict=True)(LONG[name])
    compile_host("*.example.org", strict=False)(LONG[name])
    assert time.process_time() - started < 5
