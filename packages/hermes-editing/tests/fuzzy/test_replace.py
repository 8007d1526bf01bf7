"""Replace text that is quoted with small mistakes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_editing.fuzzy.replace import replace
from hermes_editing.fuzzy.results import AlreadyAppliedError, ManyMatchesError, NoMatchError

CODE = """class Shop:
    def price(self, item):
        total = 0
        for part in item.parts:
            total += part.price
        return total

    def name(self):
        return "shop"
"""


def test_an_exact_quote_is_replaced() -> None:
    found = replace(CODE, '"shop"', '"store"')
    assert found.text == CODE.replace('"shop"', '"store"')
    start = CODE.index('"shop"')
    assert (found.count, found.strategy, found.spans) == (1, "exact", ((start, start + 6),))


def test_new_lines_are_not_put_into_the_middle_of_a_word() -> None:
    text = "    second_byte = read()[0]\n"
    with pytest.raises(NoMatchError, match="in the middle of a word"):
        replace(text, "byte = read()[0]", "data = read()\nbyte = data[0]")
    assert replace(text, "byte = read()[0]", "byte = read()[1]").text == "    second_byte = read()[1]\n"


# Indentation


def test_new_lines_get_the_shift_that_all_quoted_lines_share() -> None:
    old = "for part in item.parts:\n    total += part.price\nreturn total\n"
    new = "for part in item.parts:\n    if part:\n        total += part.price\nreturn total\n"
    found = replace(CODE, old, new)
    assert found.strategy == "typography"
    assert "        for part in item.parts:\n            if part:\n                total += part.price\n" in found.text


def test_a_single_line_quoted_without_its_indent_shifts_all_new_lines() -> None:
    found = replace(CODE, "total = 0\n", "total = 0\nif not item:\n    return total\n")
    assert "        total = 0\n        if not item:\n            return total\n        for" in found.text
    assert found.strategy == "typography"


def test_the_indent_before_a_quote_goes_with_the_line_that_it_belongs_to() -> None:
    text = "try:\n    if a:\n        b()\n    c()\nfinally:\n    d()\n"
    assert replace(text, "if a:\n        b()\n", "").text == "try:\n    c()\nfinally:\n    d()\n"
    found = replace(text, "c()\nfinally:\n    d()\n", "finally:\n    d()\n")
    assert found.text == "try:\n    if a:\n        b()\nfinally:\n    d()\n"


def test_a_block_that_may_be_outside_is_not_indented_by_guess() -> None:
    with pytest.raises(NoMatchError, match="without its indent"):
        replace("def f():\n    return 1\n", "return 1", "return 1\n\n\ndef g():\n    return 2")
    text = "def f():\n    return 1\n"
    assert replace(text, "return 1", "x = 1\n    return x").text == "def f():\n    x = 1\n    return x\n"


def test_only_the_first_line_lost_its_indent() -> None:
    old = "for part in item.parts:\n            total += part.price"
    found = replace(CODE, old, "for part in item:\n            total += part.price * 2")
    assert "        for part in item:\n            total += part.price * 2\n" in found.text


def test_blanks_become_tabs_and_are_never_mixed_in_a_line() -> None:
    text = "if a:\n\tb()\n\tif c:\n\t\td()\n"
    found = replace(text, "    if c:\n        d()\n", "    if c:\n        if e:\n            d()\n")
    assert found.text == "if a:\n\tb()\n\tif c:\n\t\tif e:\n\t\t\td()\n"


def test_every_place_gets_its_own_indent() -> None:
    text = "  if x:\n    y()\nif x:\n  y()\n"
    found = replace(text, "if x:\n\ty()\n", "if z:\n\tw()\n", everywhere=True)
    assert found.text == "  if z:\n    w()\nif z:\n  w()\n"


def test_an_indent_that_is_unclear_is_refused() -> None:
    with pytest.raises(NoMatchError, match="indented differently"):
        replace("a:\n    b:\n        c\n", "a:\nb:\nc\n", "a:\nb:\nc\nd\n")


# Blanks and blank lines


def test_blanks_inside_and_behind_lines_do_not_matter() -> None:
    assert replace("x  =\t1 + 2\n", "x = 1", "x = 5").text == "x  = 5 + 2\n"
    assert replace("a  = 1  \nb = 2\n", "a = 1\nb = 2", "a = 1\nb = 3").text == "a  = 1  \nb = 3\n"
    assert replace("a\nb\n", "a  \nb\t\n", "a  \nc\t\n").text == "a\nc\n"


def test_blank_lines_that_were_left_out_or_added_do_not_matter() -> None:
    text = "import a\n\nb = 1\nc = 2\n"
    assert replace(text, "import a\nb = 1\nc = 2", "import a\nb = 1\nc = 3").text == text.replace("2", "3")
    assert replace(text, "b = 1\n\nc = 2\n", "b = 1\n\nc = 3\n").text == text.replace("2", "3")
    assert replace("    a = 1\n    b = 2\n", "\n\na = 1\nb = 2\n\n", "\n\na = 3\nb = 4\n\n").text == (
        "    a = 3\n    b = 4\n"
    )


def test_new_lines_are_not_put_where_a_blank_line_was_left_out() -> None:
    with pytest.raises(NoMatchError, match="not in old_string"):
        replace("import a\n\nb = 1\n", "import a\nb = 1", "import a\nimport c\nb = 1")


def test_lines_are_deleted_with_their_ends_and_a_missing_end_stays_missing() -> None:
    assert replace("  a\n  b\nc\n", "a\nb\n", "").text == "c\n"
    assert replace("  a\n  b", "a\nb\n", "c\nd\n").text == "  c\n  d"
    assert replace("x\n  a\n\n\n  b\n", "\ta\n\n\n", "\n").text == "x\n\n  b\n"


@pytest.mark.parametrize("old", ["", " ", "\n", "\t\n \n"])
def test_blanks_alone_mean_themselves(old: str) -> None:
    with pytest.raises(ValueError, match="empty|not found"):
        replace("a\n  \nb\n\n\n\tc", old + " " * (8 if old else 0), "x")


# Typography and escapes


@pytest.mark.parametrize(
    ("text", "old"),
    [
        ("say “hi” – now…", 'say "hi" - now...'),
        ("it’s — here", "it's -- here"),
        ("a\u00a0b", "a b"),
        ('say "hi"', "say “hi”"),
        ("caf\u00e9 au lait", "cafe\u0301 au lait"),
    ],
)
def test_typographic_characters_count_as_plain_ones(text: str, old: str) -> None:
    found = replace(f"1 {text} 2", old, "X")
    assert (found.strategy, found.text) == ("typography", "1 X 2")


def test_new_text_uses_the_typography_of_the_file() -> None:
    assert replace('say("hi")\n', "say(“hi”)", "say(“ho”, ‘x’)").text == "say(\"ho\", 'x')\n"
    assert replace("say(“hi”)\n", 'say("hi")', 'say("ho", "it\'s")').text == "say(“ho”, “it’s”)\n"
    assert replace("“a”, ‘b’\n", "\"a\", 'b'", "\"it's a\", 'b', 'c'").text == "“it’s a”, ‘b’, ‘c’\n"
    assert replace("a b\nc\n", "a\u00a0b\nc", "a\u00a0d\nc").text == "a d\nc\n"
    assert replace("x = 1  # a – b\n", "x = 1  # a - b", "x = 2 - 1  # a - b").text == "x = 2 - 1  # a – b\n"


def test_escaped_line_ends_and_marks_mean_what_they_say() -> None:
    assert replace("a = 1\nb = 2\n", r"a = 1\nb = 2", r"a = 3\nb = 4").text == "a = 3\nb = 4\n"
    assert replace("a = 1\nb = 2\n", r"a = 1\nb = 2", 'a = "x\\n"\nb = 4').text == 'a = "x\\n"\nb = 4\n'
    assert replace('  say("hi")\n', r"  say(\"hi\")", r"  say(\"ho\")").text == '  say("ho")\n'
    assert replace("\ta = 1\n", r"\ta = 1", r"\tb = 1").text == "\tb = 1\n"


def test_an_escape_of_the_file_stays() -> None:
    text = 'say("a\\nb", \'"\')\nx = 1\n'
    assert replace(text, 'say("a\\nb", \'"\')\n x = 1', 'say("a\\nc", \'"\')\n x = 1').text == text.replace("b", "c")


def test_line_ends_of_another_kind_mean_those_of_the_text() -> None:
    found = replace("a\nb\nc\n", "a\r\nb\r\n", "x\r\ny\r\n")
    assert (found.strategy, found.text) == ("exact", "x\ny\nc\n")


# Line numbers


@pytest.mark.parametrize("number", ["{}|", "{:6d}|"])
def test_line_numbers_are_taken_off_both_texts(number: str) -> None:
    long = "x" * 5000
    text = f"a\n{long}\nc\n"
    old = f"{number.format(2)}{long}\n{number.format(3)}c"
    new = f"{number.format(2)}{long}\n{number.format(3)}d\n{number.format(4)}e"
    found = replace(text, old, new)
    assert (found.strategy, found.text) == ("line_numbers", f"a\n{long}\nd\ne\n")
    assert replace(text, f"{number.format(3)}c", "d").text == f"a\n{long}\nd\n"


def test_numbers_of_the_file_itself_stay() -> None:
    text = "1|one\n2|two\n"
    assert replace(text, "1|one\n2|two", "1|one\n2|three").text == "1|one\n2|three\n"
    with pytest.raises(NoMatchError):
        replace("a\nb\n", "1|a\n1|b", "1|a\n1|c")


# Edits that were applied before


def test_an_insertion_is_not_applied_twice() -> None:
    text = "def f(\n    a,\n    b,\n):\n"
    old, new = "    a,\n", "    a,\n    review=None,\n"
    once = replace(text, old, new).text
    with pytest.raises(AlreadyAppliedError, match="Already applied: new_string is already in the file at line 2"):
        replace(once, old, new)
    with pytest.raises(AlreadyAppliedError):
        replace(once, "a,", "a,\n    review=None,")
    with pytest.raises(AlreadyAppliedError):
        replace(once, "a,\n", "a,\nreview=None,\n")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("total = 0", "total = 1"),
        ("        total = 0\n        for part", "        total = 0\n        x = 1\n        for part"),
        ("        total = 0\n        for", "        for"),
        ("item.parts", "item.parts.all()"),
        ("        return total\n", "        return total\n\n    def new(self):\n        return 7\n"),
    ],
)
def test_no_edit_changes_the_file_twice(old: str, new: str) -> None:
    once = replace(CODE, old, new).text
    with pytest.raises((AlreadyAppliedError, NoMatchError)):
        replace(once, old, new)


def test_places_that_have_the_new_text_are_left_when_all_are_replaced() -> None:
    assert replace("foo foobar foo", "foo", "foobar", everywhere=True).text == "foobar foobar foobar"
    with pytest.raises(AlreadyAppliedError):
        replace("foobar foobar", "foo", "foobar", everywhere=True)
    assert replace("  a\n    b\n", "  ", "    ", everywhere=True).text == "    a\n        b\n"


def test_a_longer_line_is_not_taken_for_the_new_text() -> None:
    assert replace("import a\nimport bc\n", "import a", "import a\nimport b").text == (
        "import a\nimport b\nimport bc\n"
    )
    assert replace("x\ny\n", "x", "x\n").text == "x\n\ny\n"


def test_a_change_of_the_indent_alone_is_not_taken_for_applied() -> None:
    text = "if a:\n    b\nc\nd\n"
    assert replace(text, "    b\nc \n", "    b\n    c\n").text == "if a:\n    b\n    c\nd\n"


# Lines that are quoted wrong


def test_lines_that_an_edit_leaves_alone_stay_as_the_file_has_them() -> None:
    text = "def f():\n    timeout_of_it = 60\n    a_value = compute()\n    return a_value\n"
    old = text.replace("60", "30")
    found = replace(text, old, old.replace("compute()", "compute(1)"))
    assert (found.strategy, found.text) == ("context", text.replace("compute()", "compute(1)"))


def test_a_line_that_was_left_out_or_dropped_its_comment_stays() -> None:
    text = "first_line()\nsecond_line()  # why\nthird_line()\nfourth_line()\n"
    new = text.replace("fourth", "last")
    assert (
        replace(text, "first_line()\nthird_line()\nfourth_line()", "first_line()\nthird_line()\nlast_line()").text
        == new
    )
    old = "second_line()\nthird_line()\nfourth_line()"
    assert replace(text, old, old.replace("fourth", "last")).text == new
    found = replace(text, "second_line()\n", "second_line()\nnew_line()\n")
    assert found.text == text.replace("# why\n", "# why\nnew_line()\n")


def test_lines_in_another_order_and_ellipses_are_understood() -> None:
    text = "alpha = 1\nbeta = 2\ngamma = 3\ndelta = 4\n"
    old = "beta = 2\nalpha = 1\ngamma = 3\n"
    assert replace(text, old, old.replace("3", "5")).text == text.replace("3", "5")
    old = "alpha = 1\n...\ndelta = 4\n"
    assert replace(text, old, old.replace("4", "5")).text == text.replace("4", "5")


def test_a_misquoted_line_is_replaced_only_by_one_written_for_the_files() -> None:
    text = "alpha_value = one()\nresult = compute(first, second)\nomega_value = two()\n"
    old = text.replace("second", "other")
    found = replace(text, old, text.replace("second", "second, third"))
    assert found.text == text.replace("second", "second, third")
    with pytest.raises(NoMatchError):
        replace(text, old, old.replace("other", "other, third"))


def test_a_wrong_word_is_not_put_into_other_lines() -> None:
    text = "if all_is_ok:\n    return open(os.path.join(root, name), mode)\nend_of_it()\n"
    old = text.replace("os.", "rb.")
    new = 'if all_is_ok:\n    path = os.path.join(root, name)\n    if mode == "rb":\n        pass\nend_of_it()\n'
    assert replace(text, old, new).text == new


def test_a_line_that_stays_as_it_is_quoted_is_no_mistake() -> None:
    text = 'connect()\nws.close("hello")\nws.send("world, a long line of words")\nws.stream.close()\n'
    old = text.replace('close("hello")', 'send("hello")')
    new = "with connect():\n" + "".join(f"    {line}\n" for line in old.splitlines()[1:])
    with pytest.raises(NoMatchError):
        replace(text, old, new)


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        ('a = "x"\nb\n', "a = “x”\n", "a = “x”\nc = “y”\n"),
        ("a – b\n", "a - b\n", "a - b\nc - d\n"),
        ("{\n    b,\n    c,\n}\n", "b,\n    c,\n", "a,\n    b,\n    c,\n"),
        ("f(1,  2)\nend\n", "f(1, 2)\n", "f(1, 2)\nf(1,  3)\n"),
    ],
)
def test_an_inexact_edit_that_is_sent_again_changes_nothing(text: str, old: str, new: str) -> None:
    once = replace(text, old, new).text
    assert once != text
    with pytest.raises(AlreadyAppliedError):
        replace(once, old, new)


def test_an_edit_that_repeats_a_line_is_not_applied_twice() -> None:
    old, new = (
        "args = rest(ctx)\nctx = sub\nelse_branch()\n",
        "args = rest(ctx)\nctx = sub\nargs = rest(ctx)\nelse_branch()\n",
    )
    once = replace(f"a\n{old}b\n", old, new).text
    with pytest.raises(AlreadyAppliedError):
        replace(once, old, new)


def test_an_edit_that_is_in_place_does_not_change_a_block_that_is_indented_differently() -> None:
    old, new = "    try:\n        go()\n    except (Bug, Flaw):\n", "    try:\n        go()\n    except Bug:\n"
    with pytest.raises(AlreadyAppliedError):
        replace(f"if a:\n{new}        pass\ntry:\n    go()\nexcept (Bug, Flaw):\n    pass\n", old, new)


@pytest.mark.parametrize(
    ("text", "old"),
    [
        ("foo(a)\nlaunch_the_missiles()\nend\n", "foo(a)\nbar(b)"),
        ("a = load()\nb = parse(a)\ndelete_all(b)\n", "a = load()\nb = parse(a)\nsave(b)"),
        ("start()\nx = compute(1)\nkeep_this_line()\nend()\n", "start()\nx = compute(1)\nsomething\nend()"),
        ("a = load()\nb = parse(a)\nkeep()\n", "a = load()\nb = parse(a)\n\nc"),
        ("timeout = 60\nretries = 3\n", "timeout = 30"),
    ],
)
def test_a_line_that_nobody_quoted_is_never_taken_away(text: str, old: str) -> None:
    with pytest.raises(NoMatchError):
        replace(text, old, "gone")


def test_a_neighbor_is_not_edited_when_the_target_is_gone() -> None:
    text = (
        "def read_users(path):\n    with open(path) as file:\n        return parse(file, 'users')\n\n"
        "def read_groups(path):\n    with open(path) as file:\n        return parse(file, 'groups')\n"
    )
    users, _, groups = text.partition("\n\n")
    new = users.replace("open(path)", "open(path, 'rb')")
    assert replace(text, users, new).text == f"{new}\n\n{groups}"
    with pytest.raises(NoMatchError) as caught:
        replace(groups, users, new)
    assert caught.value.suggestions[0].line == 1
    with pytest.raises(NoMatchError):
        replace(groups + "\nread_users('x')\n", users, new)


# Several places, and none


def test_a_quote_that_matches_twice_is_refused_with_its_lines() -> None:
    with pytest.raises(ManyMatchesError, match="Found 2 matches") as caught:
        replace("a\nb\na\n", "a", "c")
    assert (caught.value.count, caught.value.lines) == (2, (1, 3))


def test_matches_that_overlap_are_no_single_match_but_are_replaced_apart() -> None:
    with pytest.raises(ManyMatchesError) as caught:
        replace("aaa", "aa", "b")
    assert caught.value.count == 2
    assert replace("aaaaa", "aa", "b", everywhere=True).text == "bba"


def test_of_several_places_the_one_with_the_quoted_blanks_is_meant() -> None:
    text = "if a:\n    go()  \n    stop()\nif b:\n        go()\n        stop()\n"
    found = replace(text, "    go()\n    stop()", "    go()\n    halt()")
    assert found.text == text.replace("    stop()\nif b", "    halt()\nif b")
    with pytest.raises(ManyMatchesError):
        replace(text, "go()\nstop()", "go()\nhalt()")


def test_similar_places_that_leave_doubt_are_refused() -> None:
    block = "begin_of_block()\nsome_value = {}\nmiddle_of_block()\nend_of_block()\n"
    with pytest.raises(ManyMatchesError, match="only similar to old_string, on lines 1, 5"):
        replace(block.format(1) + block.format(2), block.format("none"), block.format("none").replace("end", "stop"))


def test_a_miss_shows_what_may_be_meant() -> None:
    with pytest.raises(NoMatchError) as caught:
        replace(CODE, "def price(self, item, count):\n    sum = count * item.whole\n    log(sum)\n    return sum", "x")
    best = caught.value.suggestions[0]
    assert best.line == 2
    assert "2|    def price(self, item):" in best.text


def test_a_quote_that_is_its_own_replacement_is_refused() -> None:
    with pytest.raises(ValueError, match="are identical"):
        replace("a", "a", "a")


TEXTS = st.text(st.sampled_from([*"ab \n\t\\'\"(){}n|1", "“", "\ud800", "\0", "é", "\u0301"]), max_size=30)


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
def test_a_quote_of_whole_lines_that_is_there_once_is_replaced_or_in_place(
    before: str, old: str, after: str, new: str
) -> None:
    text = f"{before}\n{old}\n{after}"
    if old and old != new and text.find(old) == text.rfind(old) and old.strip(" \t"):
        try:
            found = replace(text, old, new)
        except AlreadyAppliedError:
            assert new in text
        else:
            if found.strategy == "exact":
                assert found.text == text.replace(old, new)


def test_blank_lines_that_only_the_new_text_has_are_not_doubled() -> None:
    text = "def one():\n    return 1\n\n\ndef two(a):\n    return 2\n\n# end\n"
    old = "    return 1\ndef two(a):\n    return 2\n# end\n"
    new = "    return 1\n\n\ndef two(a, b):\n    return 2\n\n# end\n"
    assert replace(text, old, new).text == text.replace("two(a)", "two(a, b)")
