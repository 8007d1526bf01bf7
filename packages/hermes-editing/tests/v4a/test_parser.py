"""What the reader of patches makes of them, and what it refuses."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_editing.v4a import Add, Delete, Hunk, Move, Patch, PatchError, PathUse, Update, parse

WHOLE = """\
*** Begin Patch
*** Update File: src/app.py
@@ class App @@
 def run(self):
-    pass
+    return 1
*** Add File: docs/new.md
+# New
+
+text
*** Delete File: old.txt
*** Move File: a b.txt -> c d.txt
*** End Patch
"""


def only(text: str) -> Update | Add | Delete | Move:
    """The only operation of a patch."""
    (operation,) = parse(text).operations
    return operation


def hunk(text: str) -> Hunk:
    """The only hunk of an update with such a body."""
    operation = only("*** Update File: f\n" + text)
    assert isinstance(operation, Update)
    (found,) = operation.hunks
    return found


def refused(text: str) -> PatchError:
    """What is said about a patch that cannot be read."""
    with pytest.raises(PatchError) as caught:
        parse(text)
    return caught.value


def test_a_whole_patch_is_read_with_its_line_numbers() -> None:
    assert parse(WHOLE).operations == (
        Update(
            "src/app.py", (Hunk(("class App",), (" def run(self):", "-    pass", "+    return 1"), line=3),), line=2
        ),
        Add("docs/new.md", "# New\n\ntext\n", 7),
        Delete("old.txt", 11),
        Move("a b.txt", "c d.txt", 12),
    )


@pytest.mark.parametrize(
    "text",
    [
        WHOLE.removeprefix("*** Begin Patch\n"),
        WHOLE.removesuffix("*** End Patch\n"),
        WHOLE.replace("\n", "\r\n"),
        f"```diff\n{WHOLE}```",
        f"\n\n~~~\n{WHOLE}\n~~~\n\n",
        f"```\n{WHOLE}",
        f"apply_patch <<'EOF'\n{WHOLE}EOF\n",
        f"```bash\napply_patch <<EOF\n{WHOLE}EOF\n```\n",
        f"\ufeff{WHOLE}",
        WHOLE.replace("*** ", "***"),
        WHOLE.replace("\n***", "\n\n***  ").replace("Patch\n", "Patch  \n"),
        WHOLE.replace("File: ", "File:").replace("old.txt", "old.txt \t"),
        WHOLE.replace(" -> ", "->"),
    ],
)
def test_what_a_model_gets_wrong_around_it_does_no_harm(text: str) -> None:
    found = parse(text)

    assert found.paths() == parse(WHOLE).paths()
    assert [type(each) for each in found.operations] == [Update, Add, Delete, Move]
    assert isinstance(found.operations[1], Add)
    assert found.operations[1].content == "# New\n\ntext\n"


def test_several_patches_in_a_row_are_one() -> None:
    assert parse(
        "*** Begin Patch\n*** Delete File: a\n*** End Patch\n\n" * 1 + "*** Begin Patch\n*** Delete File: b"
    ) == (Patch((Delete("a", 2), Delete("b", 6))))


@pytest.mark.parametrize("text", ["", "\n \n", "*** Begin Patch\n*** End Patch", "```\n```", "*** End Patch"])
def test_an_empty_patch_is_refused(text: str) -> None:
    with pytest.raises(PatchError, match="is empty"):
        parse(text)


@pytest.mark.parametrize(
    "text",
    [
        "  *** Begin Patch  \n*** Delete File: a\n  *** End Patch \n",
        "    *** Begin Patch\n    *** Delete File: a\n\n    *** End Patch",
        "```patch\n  *** Begin Patch\n  *** Delete File: a\n  *** End Patch\n```",
        "apply_patch <<'EOF'\n\t*** Begin Patch\n\t*** Delete File: a\n\t*** End Patch\nEOF",
        "  *** Delete File: a\n",
    ],
)
def test_padded_markers_are_read(text: str) -> None:
    assert [type(each) for each in parse(text).operations] == [Delete]


def test_the_lines_of_an_indented_patch_lose_its_indent_and_no_more() -> None:
    text = "  *** Begin Patch\n  *** Update File: a\n  @@\n     x\n  -y\n  +  z\n  *** End Patch"
    [update] = parse(text).operations
    assert isinstance(update, Update)
    assert update.hunks[0].lines == ("    x"[1:], "-y", "+  z")


def test_lines_without_a_sign_are_context() -> None:
    assert hunk("def f():\n\tx\n-a\n\n}\n+b").lines == (" def f():", " \tx", "-a", " ", " }", "+b")


def test_empty_lines_behind_a_hunk_do_not_belong_to_it() -> None:
    operation = only("*** Update File: f\n\n@@\n-a\n+b\n\n@@\n-c\n\n\n*** End Patch")

    assert isinstance(operation, Update)
    assert [each.lines for each in operation.hunks] == [("-a", "+b"), ("-c",)]


@pytest.mark.parametrize("end", ["", "\n", "\n\n*** End Patch"])
def test_a_blank_alone_is_an_empty_line_of_context_wherever_it_stands(end: str) -> None:
    assert hunk("@@\n+x\n " + end).lines == ("+x", " ")
    assert hunk(" \n+x" + end).lines == (" ", "+x")
    assert only("```\n*** Update File: f\n+x\n \n```\n  ") == Update("f", (Hunk((), ("+x", " "), line=3),), line=2)


def test_signs_of_a_missing_line_feed_are_ignored_and_other_backslashes_are_context() -> None:
    assert hunk("-a\n\\ No newline at end of file\n+b\n\\begin{x}\n\\ No newline").lines == ("-a", "+b", " \\begin{x}")


@pytest.mark.parametrize(
    ("text", "hints"),
    [
        ("@@\n-a", ()),
        ("@@ @@\n-a", ()),
        ("@@ def f():\n-a", ("def f():",)),
        ("@@   def f(): @@ \n-a", ("def f():",)),
        ("@@def f()@@\n-a", ("def f()",)),
        ("@@ class A\n@@ def f(): @@\n-a", ("class A", "def f():")),
        ("@@ class A @@ def f\n-a", ("class A", "def f")),
        ("@@ -1,3 +1,4 @@\n-a", ()),
        ("@@ -1 +1 @@ def f():\n-a", ("def f():",)),
        ("-a", ()),
    ],
)
def test_hints_are_read(text: str, hints: tuple[str, ...]) -> None:
    assert hunk(text).hints == hints


def test_the_end_of_a_file_is_read() -> None:
    assert hunk("@@\n-a\n*** End of File").at_end
    assert not hunk("@@\n-a\n").at_end
    assert only("*** Add File: a\n+x\n*** End of File") == Add("a", "x\n", 1)


def test_an_update_can_move() -> None:
    assert only("*** Update File: a\n*** Move to: b\n@@\n-x\n+y") == Update(
        "a", (Hunk((), ("-x", "+y"), line=3),), "b", 1
    )
    assert only("*** Update File: a\n\n*** Move to: b") == Update("a", (), "b", 1)


def test_content_that_looks_like_a_header_is_content_behind_a_sign() -> None:
    assert hunk(" *** Update File: x\n-*** End Patch\n+@@ a").lines == (
        " *** Update File: x",
        "-*** End Patch",
        "+@@ a",
    )
    assert only("*** Add File: a\n+*** Delete File: b\n+@@") == Add("a", "*** Delete File: b\n@@\n", 1)


def test_line_ends_that_are_none_stay_in_their_lines() -> None:
    assert only("*** Add File: a\n+x\x0cy\u2028z\x85\n+\ra") == Add("a", "x\x0cy\u2028z\x85\n\ra\n", 1)


def test_an_added_file_can_be_empty_and_have_empty_lines_without_a_plus() -> None:
    assert only("*** Add File: a\n") == Add("a", "", 1)
    assert only("*** Add File: a\n@@\n+x\n\n+y\n+\n\n*** End Patch") == Add("a", "x\n\ny\n\n", 1)


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("Here is the patch:\n*** Delete File: a", 1, "Expected an operation here"),
        ("*** Delete File: a\n-x", 2, "Expected an operation here"),
        ("*** Delete File: a\n*** End Patch\nThat is all.", 3, "Nothing may follow"),
        ("*** Delete File: a\n*** End Patch\n*** Delete File: b", 3, "has already ended"),
        ("*** Begin Patch\n*** Begin Patch", 2, "has already begun"),
        ("*** Update File: a\n", 1, "no hunk"),
        ("*** Update File: a\n@@ x\n*** End Patch", 2, "no lines"),
        ("*** Update File: a\n@@\n-x\n*** Move to: b", 4, "must directly follow"),
        ("*** Update File: a\n*** Move to:\n-x", 2, "path is missing"),
        ("*** Update File: a\n*** Move to: ./a", 2, "names are the same"),
        ("*** Update File: a\n-x\n*** End of File\n-y", 4, "Begin another hunk"),
        ("*** Update File: a\n@@count = 1", 2, "needs a space before a hint"),
        ("*** Update File: a\n-x\n*** something", 3, "not a valid header"),
        ("*** Update File: a\n-x\n***", 3, "not a valid header"),
        ("*** Update File: a\n-x\n** Update File: b\n-y", 3, "not a valid header"),
        ("*** update file: a\n-x", 1, "not a valid header"),
        ("*** Update file: a\n-x", 1, "not a valid header"),
        ("*** Update File a\n-x", 1, "not a valid header"),
        ("*** Updated File: a\n-x", 1, "not a valid header"),
        ("*** End Patch now", 1, "not a valid header"),
        ("*** End of File", 1, "must follow the last lines"),
        ("*** Add File: a\nx", 2, "must begin with `+`"),
        ("*** Add File: a\n+y\n x", 3, "must begin with `+`"),
        ("*** Add File:  ", 1, "path is missing"),
        ("*** Delete File:", 1, "path is missing"),
        ("*** Delete File: a/../b", 1, "`..`"),
        ("*** Delete File: ..", 1, "`..`"),
        ("*** Delete File: a\\..\\b", 1, "`..`"),
        ("*** Delete File: a\x00b", 1, "control character"),
        ("*** Delete File: a\x1b[2Jb", 1, "control character"),
        ("*** Delete File: a\rb", 1, "control character"),
        ("*** Delete File: a\ud800", 1, "invalid character"),
        ("*** Delete File: a/", 1, "directory"),
        ("*** Delete File: .", 1, "directory"),
        ("*** Move File: a", 1, "old -> new"),
        ("*** Move File: a -> ", 1, "old -> new"),
        ("*** Move File: a ->", 1, "old -> new"),
        ("*** Move File: a -> b -> c", 1, "old -> new"),
        ("*** Move File: a -> ../c", 1, "`..`"),
        ("*** Move File: a -> a", 1, "names are the same"),
        ("*** Move File: a -> b\n-x", 2, "Expected an operation here"),
        ("*** Delete File: a\n*** Update File: ./a\n-x", 2, "line 1 of the patch deletes"),
        ("*** Delete File: a\n*** Delete File: a", 2, "line 1 of the patch deletes"),
        ("*** Move File: a -> b\n*** Delete File: a", 2, "line 1 of the patch deletes"),
        ("*** Add File: a\n*** Add File: a", 2, "line 1 of the patch already uses"),
        ("*** Update File: a\n-x\n*** Add File: a\n+y", 3, "line 1 of the patch already uses"),
        ("*** Add File: b\n*** Move File: a -> b", 2, "line 1 of the patch already uses"),
        ("*** Add File: b\n*** Update File: a\n*** Move to: b", 2, "line 1 of the patch already uses"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_line(text: str, line: int, reason: str) -> None:
    error = refused(text)

    assert reason in str(error)
    assert error.line == line
    assert f"Line {line} of the patch" in str(error)


def test_a_long_or_hostile_line_is_not_shown_whole() -> None:
    error = refused("*** Delete File: a\n\x1b[2J" + "x" * 10_000)

    assert len(str(error)) < 600
    assert "\x1b" not in str(error)


def test_a_freed_name_can_be_taken() -> None:
    assert (
        len(parse("*** Delete File: a\n*** Add File: a\n+x\n*** Move File: b -> c\n*** Move File: d -> b").operations)
        == 4
    )


def test_a_guard_is_told_every_file_and_how_it_is_touched() -> None:
    patch = parse(
        "*** Update File: a\n-x\n*** Update File: a\n-y\n*** Add File: b\n*** Delete File: c\n"
        "*** Move File: d -> e\n*** Update File: f\n*** Move to: g"
    )

    assert [(each.path, each.how) for each in patch.paths()] == [
        ("a", "read"),
        ("a", "write"),
        ("b", "write"),
        ("c", "read"),
        ("c", "delete"),
        ("d", "read"),
        ("d", "delete"),
        ("e", "write"),
        ("f", "read"),
        ("f", "write"),
        ("f", "delete"),
        ("g", "write"),
    ]
    assert PathUse("g", "write") in patch.paths()


PIECES = [
    "*** ", "***", "Begin Patch", "End Patch", "Update File: ", "Add File:", "Delete File: ", "Move File: ",
    "Move to: ", "End of File", "\n", "\n", "\n", "\r\n", "a", "b/c", " -> ", "..", "@@", "@@ ", " ", "-", "+", "\\",
    "```", "x\x00", "\ud800", "\u2028", "<<EOF\n", "EOF", "*", "\t",
]  # fmt: skip


@given(st.one_of(st.text(), st.lists(st.sampled_from(PIECES)).map("".join)))
@settings(deadline=None)  # a busy machine is no failure
def test_no_text_raises_anything_else(text: str) -> None:
    try:
        patch = parse(text)
    except PatchError:
        return

    assert len(patch.operations) <= text.count("***")
    assert all(".." not in each.path.split("/") for each in patch.paths())


@pytest.mark.parametrize(
    "unit",
    ["@@\n-x\n+y\n", "-x\n", "\n", "@@ a\n", " @@ ", "+", "\\ No newline\n", "```\n", "*** Move to: a\n", "\t* x\n"],
)
def test_reading_takes_time_in_proportion_to_the_text(unit: str) -> None:
    def seconds(size: int) -> float:
        text = "*** Update File: a\n-x\n" + unit * (size // len(unit))
        started = time.process_time()
        try:
            parse(text)
        except PatchError:
            pass
        return time.process_time() - started

    small = min(seconds(20_000) for _ in range(3))
    # Twenty times the text; something that is not linear would take four hundred times as long.
    assert seconds(400_000) < 100 * small + 0.2
