"""What patches make of files, tried before anything is changed."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from hermes_editing.v4a import Outcome, PatchError, parse, plan

TWICE = "class A:\n    def run(self):\n        return 1\n\nclass B:\n    def run(self):\n        return 1\n"


def after(patch: str, files: Mapping[str, str]) -> dict[str, str | None]:
    """What the files are after a patch."""
    return {outcome.path: outcome.after for outcome in plan(parse(patch), files.get)}


def changed(body: str, text: str) -> str:
    """A text after an update with such a body."""
    found = after(f"*** Update File: f\n{body}", {"f": text})["f"]
    assert found is not None
    return found


def refused(patch: str, files: Mapping[str, str]) -> PatchError:
    """What is said about a patch that does not fit."""
    with pytest.raises(PatchError) as caught:
        plan(parse(patch), files.get)
    return caught.value


def misfit(body: str, text: str) -> PatchError:
    """What is said about an update that does not fit."""
    return refused(f"*** Update File: f\n{body}", {"f": text})


def test_a_patch_is_told_as_what_every_file_was_and_is() -> None:
    files = {"a": "1\n2\n3\n", "c": "old\n", "d": "moved\n", "f": "x\n"}
    patch = (
        "*** Update File: a\n@@\n 1\n-2\n+two\n*** Add File: b\n+new\n*** Delete File: c\n*** Move File: d -> e\n"
        "*** Update File: f\n*** Move to: g\n-x\n+y\n"
    )

    assert plan(parse(patch), files.get) == (
        Outcome("a", "1\n2\n3\n", "1\ntwo\n3\n"),
        Outcome("b", None, "new\n"),
        Outcome("c", "old\n", None),
        Outcome("d", "moved\n", None),
        Outcome("e", None, "moved\n", source="d"),
        Outcome("f", "x\n", None),
        Outcome("g", None, "y\n", source="f"),
    )


def test_each_file_is_looked_at_once_and_later_operations_see_earlier_ones() -> None:
    looked: list[str] = []

    def look(path: str) -> str | None:
        looked.append(path)
        return "1\n" if path == "a" else None

    patch = (
        "*** Update File: a\n-1\n+2\n*** Update File: ./a\n-2\n+3\n*** Move File: a -> b\n*** Update File: b\n-3\n+4"
    )
    found = plan(parse(patch), look)

    assert found == (Outcome("a", "1\n", None), Outcome("b", None, "4\n", source="a"))
    assert looked == ["a", "b"]


def test_two_names_of_one_file_are_one_file() -> None:
    patch = parse("*** Update File: a\n-1\n+2\n*** Update File: link\n-2\n+3")

    assert plan(patch, lambda _: "1\n", key=lambda _: "/real/a") == (Outcome("a", "1\n", "3\n"),)
    with pytest.raises(PatchError, match="names are the same"):
        plan(parse("*** Move File: a -> link"), lambda _: "1\n", key=lambda _: "/real/a")


def test_a_file_can_be_moved_around_and_replaced() -> None:
    assert plan(parse("*** Move File: a -> b\n*** Move File: b -> a"), {"a": "x"}.get) == (
        Outcome("a", "x", "x"),
        Outcome("b", None, None),
    )
    assert plan(parse("*** Delete File: a\n*** Add File: a\n+y"), {"a": "x"}.get) == (Outcome("a", "x", "y\n"),)
    swap = "*** Move File: a -> t\n*** Move File: b -> a\n*** Move File: t -> b"
    assert plan(parse(swap), {"a": "1", "b": "2"}.get) == (
        Outcome("a", "1", "2", source="b"),
        Outcome("t", None, None),
        Outcome("b", "2", "1", source="a"),
    )


def test_an_added_file_that_is_there_already_stays_if_it_is_the_same() -> None:
    assert after("*** Add File: a\n+x", {"a": "x\n"}) == {"a": "x\n"}
    assert "already exists" in str(refused("*** Add File: a\n+y", {"a": "x\n"}))


@pytest.mark.parametrize(
    ("patch", "reason"),
    [
        ("*** Update File: no\n-x", "does not exist"),
        ("*** Delete File: no", "does not exist"),
        ("*** Move File: no -> b", "does not exist"),
        ("*** Move File: a -> c", "already"),
        ("*** Update File: a\n*** Move to: c", "already"),
        ("*** Update File: a\n-x\n+x", "change nothing"),
        ("*** Update File: a\n x", "change nothing"),
    ],
)
def test_what_the_files_do_not_allow_is_refused(patch: str, reason: str) -> None:
    error = refused(f"*** Add File: fine\n+x\n{patch}", {"a": "x\n", "c": "y\n"})

    assert reason in str(error)
    assert error.line == 3
    assert error.path
    assert error.operation.endswith("File")


@pytest.mark.parametrize("text", ["a\nb\nc\n", "a\nb\nc"])
def test_the_last_line_feed_stays_as_it_was(text: str) -> None:
    end = "\n" if text.endswith("\n") else ""

    assert changed("-c\n+C", text) == "a\nb\nC" + end
    assert changed("+d", text) == "a\nb\nc\nd" + end
    assert changed(" c\n+d\n*** End of File", text) == "a\nb\nc\nd" + end
    assert changed("-c", text) == "a\nb" + end
    assert changed("-a\n-b\n-c", text) == ""


def test_an_empty_file_gets_lines() -> None:
    assert changed("+a\n+b", "") == "a\nb\n"
    assert "not in the file" in str(misfit("-a", ""))


def test_lines_match_whole_lines_only() -> None:
    assert changed("-x = 1\n+y", "xx = 10\nx = 1\nax = 1\n") == "xx = 10\ny\nax = 1\n"
    assert "no line is `x = 1`" in str(misfit("-x = 1\n+y", "xx = 10\n"))


def test_hunks_out_of_order_and_with_common_context_fit() -> None:
    text = "".join(f"{number}\n" for number in range(9))

    assert changed("@@\n-8\n@@\n-0\n@@\n 4\n+four", text) == "1\n2\n3\n4\nfour\n5\n6\n7\n"
    assert changed("@@\n 1\n-2\n 3\n@@\n 3\n-4\n 5\n", text) == "0\n1\n3\n5\n6\n7\n8\n"


def test_hunks_can_build_on_earlier_ones_or_on_the_file_as_it_was() -> None:
    assert changed("@@\n a\n+x\n@@\n x\n+y", "a\nb\n") == "a\nx\ny\nb\n"
    assert changed("@@\n-a\n+x\n@@\n a\n-b\n+y\n c", "a\nb\nc\n") == "x\ny\nc\n"
    assert changed("@@\n a\n+x\n b\n@@\n a\n b\n-c", "a\nb\nc\n") == "a\nx\nb\n"
    assert changed("@@\n-a\n+x\n@@\n-x\n+y", "a\nb\n") == "y\nb\n"
    assert changed("@@\n a\n+x\n b\n@@\n a\n+y\n b", "a\nb\n") == "a\nx\ny\nb\n"


def test_what_an_earlier_hunk_removed_cannot_be_removed_again() -> None:
    assert "not in the file" in str(misfit("@@\n-a\n@@\n-a\n b", "a\nb\n"))
    assert "hunk 2" in str(misfit("@@\n-a\n-b\n@@\n a\n+x\n b", "a\nb\nc\n"))


def test_a_line_that_was_added_and_removed_again_is_nowhere() -> None:
    assert "no line is `x`" in str(misfit("@@\n+x\n@@\n-x\n@@\n-x", "a\n"))
    assert changed("@@\n+x\n@@\n-x\n@@\n   a\n+  y", "a\n") == "a\ny\n"


def test_a_hunk_that_fits_twice_is_refused_with_both_places() -> None:
    error = misfit("@@\n-        return 1\n+        return 2", TWICE)

    assert "at 2 places" in str(error)
    assert "lines 3, 7" in str(error)
    assert (error.hunk, error.line, error.path) == (1, 2, "f")


@pytest.mark.parametrize(
    "hints",
    ["@@ class B: @@\n", "@@ class B\n", "@@ B:\n", "@@ class B:\n@@ def run(self):\n", "@@ gone\n@@ class B\n"],
)
def test_a_hint_tells_which_place_is_meant(hints: str) -> None:
    body = f"{hints}-        return 1\n+        return 2"

    assert changed(body, TWICE) == TWICE[: TWICE.index("class B")] + TWICE[TWICE.index("class B") :].replace("1", "2")


def test_nested_hints_lead_to_the_inner_one_of_the_outer_one() -> None:
    text = TWICE.replace("        return 1\n", "        a\n        return 1\n        a\n        return 1\n")
    found = changed("@@ class B:\n@@ def run(self):\n-        return 1\n+        return 2", text)

    assert found.split("\n").index("        return 2") == text.split("\n").index("class B:") + 3


def test_a_hint_that_is_part_of_the_hunk_counts() -> None:
    assert changed("@@ class B:\n class B:\n     def run(self):\n-        return 1", TWICE).count("return 1") == 1
    assert "places" in str(misfit("@@ def run(self):\n-        return 1", TWICE))


def test_a_hint_that_is_nowhere_or_behind_does_no_harm_when_one_place_fits() -> None:
    assert changed("@@ def gone():\n-b\n+B", "a\nb\nc\n") == "a\nB\nc\n"
    assert changed("@@ c\n-b\n+B", "a\nb\nc\n") == "a\nB\nc\n"


def test_the_only_place_behind_the_hunk_before_is_meant() -> None:
    assert changed("@@\n-b\n+B\n@@\n-x\n+X", "x\na\nb\nx\nc\n") == "x\na\nB\nX\nc\n"
    assert "2 places" in str(misfit("@@\n-a\n+A\n@@\n-x\n+X", "a\nb\nx\nx\n"))


def test_lines_that_a_hunk_adds_do_not_make_the_next_one_ambiguous() -> None:
    assert changed("@@\n c\n+b\n+z\n@@\n-b\n+B", "a\nb\nc\n") == "a\nB\nc\nb\nz\n"


def test_new_lines_go_behind_their_hint_or_to_the_end() -> None:
    assert changed("@@ class A:\n+    x = 1", TWICE).startswith("class A:\n    x = 1\n    def")
    assert changed("@@ class B:\n@@ def run(self):\n+        x = 1", TWICE).endswith(
        "run(self):\n        x = 1\n        return 1\n"
    )
    assert changed("+end", TWICE) == TWICE + "end\n"
    assert changed("@@ class A:\n+end\n*** End of File", TWICE) == TWICE + "end\n"


def test_new_lines_need_a_hint_that_names_one_line() -> None:
    assert "fits 2 lines" in str(misfit("@@ def run(self):\n+x", TWICE))
    assert "is not in the file" in str(misfit("@@ def stop(self):\n+x", TWICE))


def test_a_line_that_is_the_hint_comes_before_lines_that_contain_it() -> None:
    assert changed("@@ x = 1\n+new", "xx = 10\nx = 1\nx = 11\n") == "xx = 10\nx = 1\nnew\nx = 11\n"


def test_the_end_of_the_file_is_the_last_place() -> None:
    assert changed("@@\n-x\n+y\n*** End of File", "x\na\nx\n") == "x\na\ny\n"
    assert changed("@@\n-x\n+y\n*** End of File", "x\na\nx\n\n\n") == "x\na\ny\n\n\n"
    assert changed("@@\n-x\n+y\n*** End of File", "x\na\n  x") == "x\na\n  y"
    assert "at the end" in str(misfit("@@\n-x\n+y\n*** End of File", "x\na\n"))


def test_other_blanks_are_forgiven_and_context_stays_as_the_file_has_it() -> None:
    text = "class A:\n\tdef f(self):  \n\t\treturn 1\n\n\tx = 2\n"
    found = changed("@@\n def f(self):\n-    return 1\n+    if x:\n+        return 2\n ", text)

    assert found.startswith("class A:\n\tdef f(self):  \n\t\tif x:\n")
    assert "\n\n\tx = 2\n" in found
    assert "return 1" not in found


def test_typography_and_likeness_are_forgiven() -> None:
    files = {"f": "say(“hi”)\nthen\n", "g": "alpha beta gamma\nmiddle line here\nomega\nother\n"}
    first, second = plan(
        parse(
            '*** Update File: f\n-say("hi")\n+say("ho")\n'
            "*** Update File: g\n alpha beta gammas\n-middle line here\n+centre\n omega\n"
        ),
        files.get,
    )

    assert first.after == "say(“ho”)\nthen\n"
    assert first.strategies == ("typography",)
    assert second.after == "alpha beta gamma\ncentre\nomega\nother\n"
    assert second.strategies == ("context",)


def test_likeness_is_sought_near_the_hint_first() -> None:
    block = "begin here now\nsome middle line\nand the end\n"
    text = f"def a():\n{block}" + "filler\n" * 500 + f"def b():\n{block}"
    body = "@@ def b():\n begin hear now\n-some middle line\n+new\n and the end"

    found = changed(body, text)

    assert found == f"def a():\n{block}" + "filler\n" * 500 + "def b():\nbegin here now\nnew\nand the end\n"


def test_a_line_that_is_quoted_wrong_is_not_removed() -> None:
    text = "a\nfirst line of it\nsecond line of it\nthird line of it\nb\n"

    assert "not in the file" in str(misfit("-first line of it\n-secnd line of it\n-third line of it", text))
    assert changed("- first line of it\n- second line of it\n- third line of it", text) == "a\nb\n"


def test_what_fits_nowhere_is_refused_with_what_may_be_meant() -> None:
    error = misfit(
        "@@\n def compute_total(items):\n-    return sum(items) * 3\n+x", "a\ndef compute_totals(item):\n    pass\n"
    )

    assert "Read the file again" in str(error)
    assert any("compute_totals" in preview.text for preview in error.suggestions)


def test_nothing_is_removed_that_is_not_like_what_was_named() -> None:
    assert "no line" in str(
        misfit("@@\n alpha beta gamma\n-return total\n omega\n+x", "alpha beta gamma\npass\nomega\n")
    )


def test_blank_lines_around_a_similar_block_do_not_matter() -> None:
    text = "alpha beta gamma\nmiddle line here\nomega\nother\n"

    assert changed("@@\n \n alpha beta gammas\n-middle line here\n+centre\n omega\n \n", text) == (
        "alpha beta gamma\ncentre\nomega\nother\n"
    )


def test_blank_lines_alone_mean_themselves() -> None:
    assert changed("@@\n \n+x", "a\n\nb\n") == "a\n\nx\nb\n"
    assert "2 places" in str(misfit("@@\n \n+x", "a\n\nb\n\nc\n"))
    assert "no line" in str(misfit("@@\n \n+x", "a\nb\n"))


def test_a_hunk_of_context_is_a_landmark() -> None:
    assert changed("@@\n b\n@@\n-x\n+y", "x\na\nb\nx\n") == "x\na\nb\ny\n"
    assert "no line is `gone`" in str(misfit("@@\n gone\n@@\n-a\n", "a\n"))


def test_a_hunk_that_is_in_place_is_skipped_and_reported() -> None:
    text = "a\nb\nc\nd\n"
    patch = "*** Update File: f\n@@\n a\n+new line\n@@\n-c\n+C"
    once = after(patch, {"f": text})["f"]
    assert once == "a\nnew line\nb\nC\nd\n"

    assert plan(parse(patch), {"f": once}.get) == (Outcome("f", once, once, already_applied=(1, 2)),)
    half = "a\nnew line\nb\nc\nd\n"
    assert plan(parse(patch), {"f": half}.get) == (Outcome("f", half, once, already_applied=(1,)),)


@pytest.mark.parametrize("body", ["+end of it", "@@ b\n+new line", "@@\n a\n+x = 1\n b", "@@\n b\n+b2 = 1"])
def test_no_hunk_is_applied_twice(body: str) -> None:
    once = changed(body, "a\nb\nc\n")
    assert changed(body, once) == once
    assert "not in the file" in str(misfit("-b\n", changed("-b\n", "a\nb\nc\n")))


def test_a_blank_line_that_became_the_end_of_the_file_is_there_already() -> None:
    once = changed("@@\n a\n+b\n+", "x\na")
    assert once == "x\na\nb\n"
    assert changed("@@\n a\n+b\n+", once) == once


def test_a_patch_may_add_the_same_lines_twice() -> None:
    assert changed("@@\n+x\n@@\n+x", "a\n") == "a\nx\nx\n"


def test_a_line_of_the_file_that_looks_like_an_end_marker_is_context() -> None:
    patch = "*** Update File: f\n@@\n+x\n *** End Patch"
    assert after(patch, {"f": "*** End Patch\n"})["f"] == "x\n*** End Patch\n"
