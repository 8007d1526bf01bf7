"""Whatever is given as a pattern or a glob: it is read or refused, and never takes long."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_tools_terminal.search.file_walk import read_lines
from hermes_tools_terminal.search.globs import GlobError, anywhere, compile_glob
from hermes_tools_terminal.search.pattern import Node, PatternError, read_literal, read_pattern
from hermes_tools_terminal.search.pattern_translation import required_texts, to_python, to_ripgrep

SIGNS = st.text(st.sampled_from(r"ab01()[]{}<>*+?|\\^$.,:-!=/&~#PixndwWsSbB \u00e9\ud800" + "\n\0"), max_size=25)


@settings(max_examples=400, deadline=None)
@given(text=st.one_of(SIGNS, st.text(max_size=25)), fold=st.booleans())
def test_any_text_is_a_pattern_that_python_can_read_or_is_refused(text: str, fold: bool) -> None:
    node = read(text, fold)
    if isinstance(node, int):
        assert 0 <= node <= len(text)
        return
    re.compile(to_python(node, "ascii").encode(), re.MULTILINE)
    re.compile(to_python(node, "text").replace("\0w", "a-z"), re.MULTILINE)
    to_ripgrep(node).encode()


@settings(max_examples=400, deadline=None)
@given(text=SIGNS, line=st.text(st.sampled_from("ab01(.)*\\ \u017f\u212aé"), max_size=12), fold=st.booleans())
def test_every_line_that_matches_holds_one_of_the_needles(text: str, line: str, fold: bool) -> None:
    node = read(text, fold)
    if isinstance(node, int) or not (texts := required_texts(node)):
        return
    if re.search(to_python(node, "text").replace("\0w", "a-z"), line):
        assert any(each.lower() in line.lower() for each in texts)


def test_needles_are_the_longest_fixed_texts() -> None:
    assert required_texts(read_pattern("def \\w+_(foo|quux)+x?")) == ("def ",)
    assert required_texts(read_pattern("(?:one|two)[a-z]")) == ("one", "two")
    assert required_texts(read_pattern("(?i)Task")) == ("Ta",)
    assert (
        required_texts(read_pattern("x*|y"))
        == required_texts(read_pattern("\\w+"))
        == required_texts(read_pattern("é"))
        == ()
    )


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
        expression = to_python(read_literal(text), "text")
    except PatternError:
        return
    assert bool(re.search(expression, line)) == (text in line)


@settings(max_examples=400, deadline=None)
@given(glob=SIGNS, path=st.text(st.sampled_from("ab/.[-\n"), max_size=10))
def test_any_text_is_a_glob_or_is_refused(glob: str, path: str) -> None:
    try:
        found = compile_glob(anywhere(glob))
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
        assert compile_glob(glob).match(path) is None


def test_a_glob_that_stands_for_too_many_is_refused() -> None:
    with pytest.raises(GlobError, match="200"):
        compile_glob("{a,b}" * 30)


def test_a_pattern_with_thousands_of_groups_is_refused_and_not_followed() -> None:
    with pytest.raises(PatternError, match="Groups"):
        read_pattern("(" * 5000)
