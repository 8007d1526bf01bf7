"""Regular expressions in linear time, with Python's meaning."""

from __future__ import annotations

import re
import time
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_core.approval.policy.mistake import Mistake
from hermes_core.approval.policy.regexes import MAX_PATTERN, compile_regex


@pytest.mark.parametrize(
    "pattern",
    [
        "abc", "a|b|cd", "a*", "a+b", "a?b", "a{2}", "a{2,}", "a{1,3}b", "a{,2}c", "(ab)+", "(a|b)*c", "(?:a|bc){2}",
        "(a+)+$", "^a", "a$", "^$", "^a|b$", r"\Aa", r"a\Z", r"\bfoo\b", r"\Boo", r"(?a)\bé\b", r"\bé\b", ".", "a.c",
        "(?s)a.c", "(?m)^b$", "(?i)ABC", "(?i:A)b", "(?i)[a-c]x", "(?i)ſ", "[^a]b", r"[\d_-]+x", r"\w+@\w+", r"\s",
        "a*?b", "(?x) a  b # comment", "(?P<name>a)b", "", "()", "(|a)b", "é+", "(?-i:a)", "a.*b.*c", r"\.", "[]a]",
    ],
)  # fmt: skip
def test_a_pattern_finds_what_python_finds(pattern: str) -> None:
    search, expected = compile_regex(pattern), re.compile(pattern)
    texts = ["", "a", "b", "abc", "ABC", "aab", "ab\n", "\n", "a\nb\nc", "foo bar", "xfoo", "é", "aé", "bcbc", "1_x",
             "a@b", " ", "a c", "a\nc", "aXc", "bb\n", "S", "ſ", "]", "bx", "abab", "aaa\n\n", "cc"]  # fmt: skip
    for text in texts:
        assert search(text) is (expected.search(text) is not None), text


atoms = st.sampled_from(["a", "b", ".", "[ab]", "[^a]", r"\b", r"\B", "^", "$", r"\w", r"\Z", "(?i:A)", r"\n"])
patterns = st.recursive(
    atoms,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map(lambda pair: f"(?:{pair[0]}|{pair[1]})"),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{1,2}", "*?"])).map(lambda it: f"(?:{it[0]}){it[1]}"),
    ),
    max_leaves=8,
)


@settings(max_examples=300, deadline=None)
@given(pattern=patterns, text=st.text(alphabet="abA \n", min_size=1, max_size=8))
def test_any_pattern_finds_what_python_finds(pattern: str, text: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = re.search(pattern, text) is not None
    assert compile_regex(pattern)(text) is expected


MILLION = 1_000_000


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|a)*b", "(a|aa)+$", "a*a*a*a*c", "(x+x+)+y", ".*a.*b.*c", r"(\s*)*z"])
@pytest.mark.parametrize("unit", ["a", "x", " ", "ab", "push "])
def test_patterns_that_explode_elsewhere_take_a_walk_over_the_text(pattern: str, unit: str) -> None:
    search = compile_regex(pattern)
    text = (unit * MILLION)[: MILLION - 1] + "!"
    started = time.perf_counter()
    search(text)
    assert time.perf_counter() - started < 5  # a tenth of a second in fact; years for an engine that goes back


def test_twice_the_text_takes_about_twice_the_time() -> None:
    search = compile_regex("push.*main")

    def seconds(repeats: int) -> float:
        text = "push" * repeats
        started = time.perf_counter()
        search(text)
        return time.perf_counter() - started

    seconds(1000)
    small = min(seconds(25_000) for _ in range(3))
    large = min(seconds(250_000) for _ in range(3))
    assert large < small * 40, "ten times the text; a quadratic search would take a hundred times as long"


def test_memory_stays_bounded_when_every_character_is_new() -> None:
    search = compile_regex(r"x\w+y|\bz")
    text = "".join(map(chr, range(0x20, 0xD7FF)))
    assert search(text) is (re.search(r"x\w+y|\bz", text) is not None)
    remembered = getattr(search, "__self__")._states  # noqa: B009 - the type says only that it can be called
    assert sum(map(len, remembered.values())) < 25_000
    assert search("xay")


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        (r"(a)\1", "refers back"),
        (r"(?P<n>a)(?P=n)", "refers back"),
        (r"(a)?(?(1)b|c)", "asks whether a group matched"),
        ("a(?=b)", "looks ahead or behind"),
        ("a(?!b)", "looks ahead or behind"),
        ("(?<=a)b", "looks ahead or behind"),
        ("(?<!a)b", "looks ahead or behind"),
        ("(?!)", "looks ahead or behind"),
        ("(?>a+)b", "atomic"),
        ("a++b", "possessive"),
        ("(", "not a regular expression"),
        ("[a", "not a regular expression"),
        ("*a", "not a regular expression"),
        ("[[a]", "not a regular expression"),
        ("a{5000}", "too large"),
        ("(a{100}){100}", "too large"),
        ("((){1000}){1000}", "too large"),
        ("(" * 400 + ")" * 400 + "{60000}", "too large"),
        ("a" * (MAX_PATTERN + 1), "longer than"),
    ],
)
def test_a_pattern_that_needs_more_than_linear_time_is_refused_in_words(pattern: str, words: str) -> None:
    started = time.perf_counter()
    with pytest.raises(Mistake, match=words):
        compile_regex(pattern)
    assert time.perf_counter() - started < 5
