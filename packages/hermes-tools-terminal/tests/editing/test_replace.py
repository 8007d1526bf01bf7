"""Replacing text that is quoted from memory."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_tools_terminal.editing.fuzzy.escapes import EscapeDrift
from hermes_tools_terminal.editing.fuzzy.replace import ManyMatches, NoMatch, replace

CODE = """class Shop:
    def price(self, item):
        total = 0
        for part in item.parts:
            total += part.price
        return total

    def name(self):
        return "shop"
"""


def test_an_exact_quote_is_replaced_where_it_stands() -> None:
    found = replace(CODE, '"shop"', '"store"')
    assert found.text == CODE.replace('"shop"', '"store"')
    start = CODE.index('"shop"')
    assert (found.count, found.strategy, found.spans) == (1, "exact", ((start, start + 6),))


def test_lines_quoted_without_their_indent_are_found_and_the_new_ones_get_it() -> None:
    old = "for part in item.parts:\n    total += part.price\nreturn total\n"
    new = "for part in item.parts:\n    if part:\n        total += part.price\nreturn total\n"
    found = replace(CODE, old, new)
    assert found.strategy == "line_trimmed"
    assert (
        "        for part in item.parts:\n            if part:\n                total += part.price\n        return"
        in (found.text)
    )


def test_blanks_inside_a_line_do_not_matter() -> None:
    found = replace("x  =\t1 + 2\n", "x = 1", "x = 5")
    assert (found.strategy, found.text) == ("whitespace_normalized", "x = 5 + 2\n")


def test_blanks_behind_a_match_go_with_it_at_a_lines_end() -> None:
    assert replace("def  f():   \n    pass\n", "def f():", "def g():").text == "def g():\n    pass\n"


def test_other_indent_and_other_blanks_inside_are_found_together() -> None:
    found = replace("  a  = 1\n  b =  2\n", "a = 1\nb = 2\n", "a = 3\nb = 4\n")
    assert (found.strategy, found.text) == ("indentation_flexible", "  a = 3\n  b = 4\n")


def test_escaped_line_ends_in_a_quote_mean_line_ends() -> None:
    found = replace("a = 1\nb = 2\n", r"a = 1\nb = 2", r"a = 3\nb = 4")
    assert (found.strategy, found.text) == ("escape_normalized", "a = 3\nb = 4\n")


def test_an_escape_that_is_part_of_new_code_stays() -> None:
    found = replace("a = 1\nb = 2\n", r"a = 1\nb = 2", 'a = "x\\n"\nb = 4')
    assert found.text == 'a = "x\\n"\nb = 4\n'


def test_blank_lines_around_a_quote_do_not_matter() -> None:
    found = replace("    a = 1\n    b = 2\n", "\n\na = 1\nb = 2\n\n", "\n\na = 3\nb = 4\n\n")
    assert (found.strategy, found.text) == ("trimmed_boundary", "    a = 3\n    b = 4\n")


@pytest.mark.parametrize(
    ("text", "old"),
    [
        ("say “hi” – now…", 'say "hi" - now...'),
        ("it’s — here", "it's -- here"),
        ("a\u00a0b", "a b"),
        ('say "hi"', "say “hi”"),
    ],
)
def test_typographic_characters_count_as_plain_ones(text: str, old: str) -> None:
    found = replace(f"1 {text} 2", old, "X")
    assert (found.strategy, found.text) == ("unicode_normalized", "1 X 2")


def test_first_and_last_lines_hold_a_block_whose_middle_is_misquoted() -> None:
    old = """    def price(self, item):
        sum = 0
        for p in item.all_parts:
            sum += p.price
        return total
"""
    found = replace(CODE, old, "    price = 1\n")
    assert (found.strategy, found.text.count("total")) == ("block_anchor", 0)


def test_a_middle_that_is_something_else_is_not_taken() -> None:
    text = "begin\nthe quick brown fox\njumps over\nthe lazy dog\nend\n"
    with pytest.raises(NoMatch):
        replace(text, "begin\n9876543210 = {}[];\n3;\n4 + 5 + 6\nend\n", "x")


def test_of_several_blocks_with_the_same_ends_the_one_that_is_much_alike_is_taken() -> None:
    text = "if a:\n    first_thing(1)\nend\nif a:\n    another = 22222\nend\n"
    found = replace(text, "if a:\n    first_things(1)\nend", "gone")
    assert (found.strategy, found.text) == ("block_anchor", "gone\nif a:\n    another = 22222\nend\n")


def test_a_line_with_a_slip_is_found_by_its_likeness() -> None:
    found = replace(CODE, "for part in items.parts:", "for part in item:")
    assert found.strategy == "context_aware"
    assert "        for part in item:\n" in found.text


def test_half_of_the_lines_are_enough_but_braces_and_blank_lines_are_not() -> None:
    text = "alpha(1)\nbeta(2)\n}\n\n"
    assert replace(text, "alpha(1)\nbeton(3, 4)\n}\n", "x\n").text == "x\n\n"
    with pytest.raises(NoMatch):
        replace(text, "another()\nthing\n}\n\n", "x\n")


@pytest.mark.parametrize(
    ("text", "old"),
    [
        ("foo(a)\nlaunch_the_missiles()\nend\n", "foo(a)\nbar(b)"),
        ("a = load()\nb = parse(a)\ndelete_all(b)\n", "a = load()\nb = parse(a)\nsave(b)"),
        ("start()\nx = compute(1)\nkeep_this_line()\nend()\n", "start()\nx = compute(1)\nsomething\nend()"),
        ("a = load()\nb = parse(a)\nkeep()\n", "a = load()\nb = parse(a)\n\nc"),
    ],
)
def test_a_line_that_nobody_quoted_is_never_taken_away(text: str, old: str) -> None:
    with pytest.raises(NoMatch):
        replace(text, old, "gone")


def test_lines_that_an_edit_leaves_alone_stay_as_the_file_has_them() -> None:
    text = "def f():\n    timeout = 60\n    a = 1\n    return a\n"
    old = "def f():\n    timeout = 30\n    a = 1\n    return a\n"
    found = replace(text, old, old.replace("a = 1", "a = 2"))
    assert (found.strategy, found.text) == ("block_anchor", text.replace("a = 1", "a = 2"))
    assert replace("say(“hi”)\nx = 1\n", 'say("hi")\nx = 1', 'say("hi")\nx = 2').text == "say(“hi”)\nx = 2\n"
    assert replace("a  = 1  \nb = 2\n", "a = 1\nb = 2", "a = 1\nb = 3").text == "a  = 1  \nb = 3\n"
    found = replace("if not ok:\n    go()\n", "if ok:\n    go()", "if ok:\n    stop()")
    assert found.text == "if not ok:\n    stop()\n"


def test_a_quote_that_matches_twice_is_refused_with_its_lines() -> None:
    with pytest.raises(ManyMatches, match="Found 2 matches") as caught:
        replace("a\nb\na\n", "a", "c")
    assert (caught.value.count, caught.value.lines) == (2, (1, 3))


def test_matches_that_overlap_are_no_single_match_but_are_replaced_apart() -> None:
    with pytest.raises(ManyMatches) as caught:
        replace("aaa", "aa", "b")
    assert caught.value.count == 2
    assert replace("aaaaa", "aa", "b", everywhere=True).text == "bba"


def test_everywhere_replaces_all_of_the_deciding_way_and_no_other() -> None:
    found = replace("  a = 1\na = 1\n\ta = 1\n", "a = 1\n", "b = 2\n", everywhere=True)
    assert (found.count, found.text) == (3, "  b = 2\nb = 2\n\tb = 2\n")
    found = replace("  a  b\n\ta  b\n", "a b\n", "c\n", everywhere=True)
    assert (found.strategy, found.text) == ("whitespace_normalized", "  c\n\tc\n")


def test_similar_texts_that_differ_are_not_replaced_together() -> None:
    with pytest.raises(ManyMatches, match="only similar to it, on lines 1, 3") as caught:
        replace("value_of_it = 1\nother\nvalue_of_it = 2\n", "value_of_it = 7\n", "x\n", everywhere=True)
    assert "replace_all" not in str(caught.value)
    found = replace("value_of_it = 1\nother\n  value_of_it = 1\n", "value_of_it = 7\n", "x\n", everywhere=True)
    assert found.text == "x\nother\n  x\n"


def test_every_place_gets_its_own_indent() -> None:
    text = "  if x:\n    y()\nif x:\n  y()\n"
    found = replace(text, "if x:\n\ty()\n", "if z:\n\tw()\n", everywhere=True)
    assert found.text == "  if z:\n    w()\nif z:\n  w()\n"
    assert [text[slice(*span)] for span in found.spans] == ["  if x:\n    y()\n", "if x:\n  y()\n"]
    assert found.pieces == ("  if z:\n    w()\n", "if z:\n  w()\n")


def test_a_window_keeps_other_places_out() -> None:
    text = "a\nb\na\n"
    assert replace(text, "a", "c", start=2).text == "a\nb\nc\n"
    assert replace(text, "a", "c", end=2).text == "c\nb\na\n"
    with pytest.raises(NoMatch):
        replace(text, "a", "c", start=1, end=4)


def test_a_file_that_does_not_end_with_a_line_feed_stays_so() -> None:
    assert replace("  a\n  b", "a\nb\n", "c\nd\n").text == "  c\n  d"


def test_lines_are_deleted_with_their_ends() -> None:
    assert replace("  a\n  b\nc\n", "a\nb\n", "").text == "c\n"


@pytest.mark.parametrize("old", ["", " ", "\n", "\t\n \n"])
def test_nothing_and_blanks_are_not_guessed(old: str) -> None:
    with pytest.raises(ValueError, match="empty|not found"):
        replace("a\n  \nb\n\n\n\tc", old + " " * (8 if old else 0), "x")


def test_a_quote_that_is_its_own_replacement_is_refused() -> None:
    with pytest.raises(ValueError, match="are the same"):
        replace("a", "a", "a")


@pytest.mark.parametrize("mark", ["'", '"'])
def test_a_backslash_that_the_file_does_not_have_is_refused(mark: str) -> None:
    text = f"  say({mark}it is a rather long line{mark})\n"
    old = f"say(\\{mark}it is a rather long line\\{mark})\n"
    with pytest.raises(EscapeDrift, match="without that backslash"):
        replace(text, old, old.replace("long", "short"))


def test_an_escaped_tab_becomes_one_where_the_file_has_one() -> None:
    assert replace("\ta = 1\n", r"\ta = 1", r"\tb = 1").text == "\tb = 1\n"
    assert replace("\tfoo = 1 \n", "    foo = 1\n", '\\tprint("a\\tb")\n').text == '\tprint("a\\tb")\n'


def test_a_miss_shows_what_may_be_meant() -> None:
    with pytest.raises(NoMatch) as caught:
        replace(CODE, "def price(self, item, count):\n    sum = count * item.whole\n    log(sum)\n    return sum", "x")
    best = caught.value.previews[0]
    assert best.line == 2
    assert "2|    def price(self, item):" in best.text
    assert not caught.value.gave_up


def test_line_ends_of_another_kind_in_a_quote_mean_those_of_the_text() -> None:
    found = replace("a\nb\nc\n", "a\r\nb\r\n", "x\r\ny\r\n")
    assert (found.strategy, found.text) == ("exact", "x\ny\nc\n")


@pytest.mark.parametrize("old", ["1|def other(a):\n2|    pass\n", "  12|x y z", "1|" * 5000 + "\nfoo"])
def test_line_numbers_in_a_quote_are_noticed(old: str) -> None:
    with pytest.raises(NoMatch) as caught:
        replace("nothing\n", old, "x")
    assert ("leave those out" in str(caught.value)) == (not old.endswith("foo"))


TEXTS = st.text(st.sampled_from([*"ab \n\t\\'\"(){}n", "“", "\ud800", "\0", "é"]), max_size=30)


@given(text=TEXTS, old=TEXTS, new=TEXTS, everywhere=st.booleans())
@settings(deadline=None)
def test_what_is_outside_of_the_spans_stays(text: str, old: str, new: str, everywhere: bool) -> None:
    try:
        found = replace(text, old, new, everywhere=everywhere)
    except ValueError:
        return
    kept, passed, rebuilt = 0, 0, ""
    for (start, end), piece in zip(found.spans, found.pieces, strict=True):
        assert kept <= start < end
        rebuilt += text[passed:start] + piece
        kept = passed = end
    assert found.text == rebuilt + text[passed:]
    assert found.count == len(found.spans)


@given(before=TEXTS, old=TEXTS, after=TEXTS, new=TEXTS)
@settings(deadline=None)
def test_a_quote_that_is_there_once_is_always_found(before: str, old: str, after: str, new: str) -> None:
    text = before + old + after
    if old and old != new and text.find(old) == text.rfind(old):
        assert replace(text, old, new).text == text.replace(old, new)
