"""Whatever is given as a pattern or a glob: it is read or refused, and never takes long."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_tools_terminal.searching.dialect import read_literal, read_pattern
from hermes_tools_terminal.searching.globs import GlobError, anywhere, compiled
from hermes_tools_terminal.searching.ignoring import read_lines
from hermes_tools_terminal.searching.pattern import Node, PatternError
from hermes_tools_terminal.searching.translation import for_python, for_ripgrep, needles

SIGNS = st.text(st.sampled_from(r"ab01()[]{}<>*+?|\\^$.,:-!=/&~#PixndwWsSbB \u00e9\ud800" + "\n\0"), max_size=25)


@settings(max_examples=400, deadline=None)
@given(text=st.one_of(SIGNS, st.text(max_size=25)), fold=st.booleans())
def test_any_text_is_a_pattern_that_python_can_read_or_is_refused(text: str, fold: bool) -> None:
    node = read(text, fold)
    if isinstance(node, int):
        assert 0 <= node <= len(text)
        return
    re.compile(for_python(node, "ascii").encode(), re.MULTILINE)
    re.compile(for_python(node, "text").replace("\0w", "a-z"), re.MULTILINE)
    for_ripgrep(node).encode()


@settings(max_examples=400, deadline=None)
@given(text=SIGNS, line=st.text(st.sampled_from("ab01(.)*\\ \u017f\u212aé"), max_size=12), fold=st.booleans())
def test_every_line_that_matches_holds_one_of_the_needles(text: str, line: str, fold: bool) -> None:
    node = read(text, fold)
    if isinstance(node, int) or not (texts := needles(node)):
        return
    if re.search(for_python(node, "text").replace("\0w", "a-z"), line):
        assert any(each.lower() in line.lower() for each in texts)


def test_needles_are_the_longest_fixed_texts() -> None:
    assert needles(read_pattern("def \\w+_(foo|quux)+x?")) == ("def ",)
    assert needles(read_pattern("(?:one|two)[a-z]")) == ("one", "two")
    assert needles(read_pattern("(?i)Task")) == ("Ta",)
    assert needles(read_pattern("x*|y")) == needles(read_pattern("\\w+")) == needles(read_pattern("é")) == ()


def read(text: str, fold: bool) -> Node | int:
    """What a pattern says, or where it cannot be read."""
    try:
        return read_pattern(text, ignore_case=fold)
    except PatternError as error:
        return error.position


@settings(max_examples=200, deadline=None)
@given(text=SIGNS, line=st.text(st.sampled_from("ab(.)*\\ "), max_size=10))
def test_a_literal_matches_where_it_stands_and_nowhere_else(text: str, line: str) -> None:
    try:
        expression = for_python(read_literal(text), "text")
    except PatternError:
        return
    assert bool(re.search(expression, line)) == (text in line)


@settings(max_examples=400, deadline=None)
@given(glob=SIGNS, path=st.text(st.sampled_from("ab/.[-\n"), max_size=10))
def test_any_text_is_a_glob_or_is_refused(glob: str, path: str) -> None:
    try:
        found = compiled(anywhere(glob))
    except GlobError:
        return
    found.match(path.encode())


@settings(max_examples=200, deadline=None)
@given(content=st.binary(max_size=60))
def test_any_bytes_are_an_ignore_file(content: bytes) -> None:
    assert len(read_lines(content)) <= content.count(b"\n") + 1


def test_a_glob_with_many_stars_takes_no_time() -> None:
    name = b"a" * 250
    for glob in ("*a" * 60 + "*b", "**/a*/" * 30 + "b", "*" * 80 + "b", "**/" * 40 + "b"):
        path = b"/".join([name[:60]] * 60) if "/" in glob else name
        assert compiled(glob).match(path) is None


def test_a_glob_that_stands_for_too_many_is_refused() -> None:
    with pytest.raises(GlobError, match="200"):
        compiled("{a,b}" * 30)


def test_a_pattern_with_thousands_of_groups_is_refused_and_not_followed() -> None:
    with pytest.raises(PatternError, match="groups"):
        read_pattern("(" * 5000)
