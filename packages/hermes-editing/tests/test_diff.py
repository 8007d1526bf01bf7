"""Differences between texts say how to get from one to the other."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hermes_editing.diff import matching_blocks, unified

TEXTS = st.lists(st.sampled_from(["a", "b", "c", "", "d" * 9, "e\r", "-x", "+y"]), max_size=14).map("\n".join)


def applied(before: str, diff: str) -> str:
    """What a unified diff makes of a text; it must fit exactly."""
    source = before.split("\n")
    source = [f"{line}\n" for line in source[:-1]] + [source[-1]] * bool(source[-1])
    result: list[str] = []
    place = 0
    lines = diff.split("\n")[2:-1]
    for index, line in enumerate(lines):
        if header := re.fullmatch(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", line):
            start = int(header[1]) - (header[2] != "0")
            result += source[place:start]
            place = start
            assert len(result) == int(header[3]) - (header[4] != "0")
            continue
        if line.startswith("\\"):
            continue
        bare = lines[index + 1 : index + 2] == ["\\ No newline at end of file"]
        content = line[1:] + ("" if bare else "\n")
        if line[0] in " -":
            assert source[place] == content
            place += 1
        if line[0] in " +":
            result.append(content)
    return "".join(result + source[place:])


@given(before=TEXTS, after=TEXTS, context=st.integers(0, 3))
@settings(max_examples=250, deadline=None)
@example(before="a", after="a\n", context=3)
@example(before="", after="a", context=3)
@example(before="a\na", after="a\na\na", context=0)
def test_a_diff_leads_from_one_text_to_the_other(before: str, after: str, context: int) -> None:
    diff = unified(before, after, "f", context=context)
    assert (applied(before, diff) if diff else before) == after


@given(before=st.lists(st.sampled_from("abcdef"), max_size=20), after=st.lists(st.sampled_from("abcdef"), max_size=20))
@settings(max_examples=250, deadline=None)
def test_same_lines_are_equal_and_in_order(before: list[str], after: list[str]) -> None:
    line = other = 0
    for start, other_start, size in matching_blocks(before, after):
        assert start >= line
        assert other_start >= other
        assert before[start : start + size] == after[other_start : other_start + size]
        line, other = start + size, other_start + size


def test_a_small_change_is_told_with_its_surroundings() -> None:
    before = "".join(f"line {n}\n" for n in range(1, 20_001))
    assert unified(before, before.replace("line 500\n", "line five hundred\n"), "x.txt") == (
        "--- a/x.txt\n+++ b/x.txt\n@@ -497,7 +497,7 @@\n line 497\n line 498\n line 499\n-line 500\n"
        "+line five hundred\n line 501\n line 502\n line 503\n"
    )


def test_changes_far_apart_are_told_apart() -> None:
    before = "".join(f"line {n}\n" for n in range(1, 20_001))
    after = before.replace("line 3\n", "").replace("line 15000\n", "line 15000\nnew\n")
    diff = unified(before, after)
    assert diff.count("@@ -") == 2
    assert [line for line in diff.split("\n")[2:] if line[:1] in {"-", "+"}] == ["-line 3", "+new"]
    assert applied(before, diff) == after


def test_equal_texts_have_no_diff() -> None:
    assert unified("a\nb", "a\nb") == ""


@pytest.mark.parametrize("size", [10, 500, 20_000])
def test_a_long_diff_is_cut_with_a_note(size: int) -> None:
    diff = unified("a\n" * 50_000, "b\n" * 50_000 + "c" * 90_000, "f", limit=size)
    assert diff.endswith(f"[The diff is truncated after {size} characters.]\n")
    assert len(diff) < size + 100
