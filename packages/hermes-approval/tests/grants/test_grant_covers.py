"""When one pattern or grant is said to cover another, it does, for every value there is."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_approval.grants.argument_patterns import covers, matches
from hermes_approval.grants.grant import Grant, GrantRequest

TEXTS = st.text("ab*\n;", max_size=6)
PATHS = st.lists(st.sampled_from(["a", "b", ".", "..", ""]), max_size=5).map(lambda parts: "/" + "/".join(parts))
FOLDERS = st.lists(st.sampled_from(["a", "b", "tmp"]), max_size=3).map(lambda parts: "/" + "/".join(parts))
HOSTS = st.lists(st.sampled_from(["a", "b", "org"]), min_size=1, max_size=4).map(".".join)
URLS = st.builds(
    "{}://{}{}".format, st.sampled_from(["http", "https", "ftp"]), HOSTS, st.sampled_from(["", "/", ":1", "."])
)
VALUES: st.SearchStrategy[Any] = st.one_of(
    TEXTS, PATHS, URLS, st.sampled_from([0, 1, 1.0, True, False, None, [], [1], {"a": 1}, {"a": True}])
)
PATTERNS: st.SearchStrategy[dict[str, Any]] = st.one_of(
    VALUES.map(lambda value: {"equals": value}),
    TEXTS.filter(bool).map(lambda text: {"glob": text}),
    TEXTS.map(lambda text: {"command": "a" + text}),
    FOLDERS.map(lambda folder: {"under": folder}),
    HOSTS.map(lambda host: {"host": host}),
    HOSTS.map(lambda host: {"host": "*." + host}),
    st.just({"any": True}),
)
CLOSE = st.sampled_from(["a", "ab", "a*", "*", "a*b", "ab*", "*b", "a*b*", "aab", "a\n*", "a;*", "a*;b"])


@settings(max_examples=1000, deadline=None)
@given(PATTERNS, PATTERNS, st.lists(VALUES, min_size=1, max_size=8))
def test_what_a_covered_pattern_matches_its_cover_matches(wide: Any, narrow: Any, values: list[Any]) -> None:
    assert covers(wide, wide)
    if covers(wide, narrow):
        assert all(matches(wide, value) for value in values if matches(narrow, value))


@settings(max_examples=1000, deadline=None)
@given(
    st.sampled_from(["glob", "command"]),
    st.sampled_from(["glob", "command"]),
    CLOSE,
    CLOSE,
    st.lists(TEXTS, max_size=12),
)
def test_globs_that_are_close_to_each_other_cover_soundly(
    one: str, other: str, wide: str, narrow: str, fill: list[str]
) -> None:
    if (one == "command" and wide[0] == "*") or (other == "command" and narrow[0] == "*"):
        return
    if covers({one: wide}, {other: narrow}):
        for text in fill:
            value = narrow.replace("*", text)
            if matches({other: narrow}, value):
                assert matches({one: wide}, value)


@pytest.mark.parametrize(
    ("wide", "narrow", "covered"),
    [
        ({"glob": "git *"}, {"glob": "git push *"}, True),
        ({"glob": "git *"}, {"command": "git push *"}, True),
        ({"command": "git *"}, {"glob": "git push *"}, False),
        ({"command": "git *"}, {"command": "git push *;"}, False),
        ({"command": "git *"}, {"glob": "git push"}, True),
        ({"glob": "git push *"}, {"glob": "git *"}, False),
        ({"glob": "a*b"}, {"glob": "a*\n*b"}, False),
        ({"glob": "*"}, {"any": True}, False),
        ({"any": True}, {"host": "a.org"}, True),
        ({"under": "/a"}, {"under": "/a/b/"}, True),
        ({"under": "/a"}, {"under": "/ab"}, False),
        ({"under": "/"}, {"under": "/a"}, True),
        ({"host": "*.a.org"}, {"host": "*.b.a.org"}, True),
        ({"host": "*.a.org"}, {"host": "a.org"}, False),
        ({"host": "a.org"}, {"host": "*.a.org"}, False),
        ({"host": "a.org"}, {"equals": "https://a.org/x"}, True),
        ({"equals": 1}, {"equals": 1.0}, True),
        ({"equals": 1}, {"equals": True}, False),
        ({"equals": "a"}, {"glob": "a"}, True),
    ],
)
def test_covers_finds_the_ordinary_cases(wide: Any, narrow: Any, covered: bool) -> None:
    assert covers(wide, narrow) is covered


NAMES = st.sampled_from(["a", "b", "c"])
SMALL: st.SearchStrategy[Any] = st.sampled_from(
    [{"equals": 1}, {"equals": "ax"}, {"glob": "a*"}, {"glob": "*"}, {"any": True}, {"equals": "b"}]
)
ARGUMENTS = st.dictionaries(NAMES, SMALL, max_size=3)
CALLS = st.dictionaries(NAMES, st.sampled_from([1, 1.0, "ax", "b", None]), max_size=3)


def grants() -> st.SearchStrategy[Grant]:
    def build(args: dict[str, Any], rest: bool, **terms: Any) -> Grant:
        return Grant(id="g", args={**args, "*": {"any": True}} if rest else args, by="me", at=0, **terms)

    return st.builds(
        build,
        ARGUMENTS,
        st.booleans(),
        tool=st.sampled_from(["t", "u"]),
        rule=st.sampled_from(["r", "s"]),
        scope=st.sampled_from(["once", "session", "always"]),
        session=st.sampled_from(["s1", "s2"]),
        expires=st.sampled_from([None, 10.0, 20.0]),
        uses=st.sampled_from([None, 0, 1, 2]),
    )


REQUESTS = st.builds(
    GrantRequest,
    tool=st.sampled_from(["t", "u"]),
    rule=st.sampled_from(["r", "s"]),
    args=CALLS,
    session_id=st.sampled_from(["s1", "s2"]),
)


@settings(max_examples=1000, deadline=None)
@given(grants(), grants(), st.lists(REQUESTS, min_size=1, max_size=6), st.sampled_from([0.0, 10.0, 15.0, 20.0]))
def test_what_a_covered_grant_allows_its_cover_allows(
    wide: Grant, narrow: Grant, requests: list[GrantRequest], now: float
) -> None:
    assert wide.covers(wide)
    for request in requests:
        assert not wide.matches(request, now) or (wide.tool, wide.rule) == (request.tool, request.rule)
        if wide.covers(narrow) and narrow.matches(request, now):
            assert wide.matches(request, now)
