"""Hunks that are quoted with small mistakes are applied like quoted texts, or refused."""

from __future__ import annotations

import time

import pytest

from hermes_editing.v4a import Outcome, PatchError, parse, plan

CLASS = "class A:\n    def run(self):\n        first()\n        second()\n\n    def stop(self):\n        pass\n"


def outcome(body: str, text: str) -> Outcome:
    (found,) = plan(parse(f"*** Update File: f\n{body}"), lambda _: text)
    return found


def changed(body: str, text: str) -> str:
    found = outcome(body, text).after
    assert found is not None
    return found


def misfit(body: str, text: str) -> PatchError:
    with pytest.raises(PatchError) as caught:
        plan(parse(f"*** Update File: f\n{body}"), lambda _: text)
    return caught.value


def test_only_the_first_line_lost_its_indent() -> None:
    assert changed("@@\n-first()\n+third()\n         second()", CLASS) == CLASS.replace("first", "third")


def test_narrow_steps_are_widened_for_new_lines_of_any_depth() -> None:
    found = changed("@@\n   def run(self):\n-    first()\n+    if x:\n+      first()\n     second()", CLASS)

    assert found == CLASS.replace("        first()\n", "        if x:\n            first()\n")


def test_a_blank_line_of_context_at_the_end_stays_the_last_one() -> None:
    text = "# coding: utf-8\n\n\nimport os\n"

    assert changed("@@\n # coding: utf–8\n \n+import sys\n", text) == "# coding: utf-8\n\nimport sys\n\nimport os\n"


def test_the_signs_decide_which_of_two_equal_lines_is_new() -> None:
    text = "f(function () {\n  a\n})  \n\nlast\n"
    found = changed("@@\n   a\n })\n \n+g(function () {\n+  b\n+})\n+\n last", text)

    assert found == "f(function () {\n  a\n})  \n\ng(function () {\n  b\n})\n\nlast\n"


def test_a_block_that_is_moved_to_the_left_moves_with_its_first_line() -> None:
    text = "code:\n    @group()  \n    def group():\n        pass\n"

    assert changed(
        "@@\n-    @group()\n-    def group():\n-        pass\n+@group()\n+def group():\n+    pass", text
    ) == ("code:\n@group()\ndef group():\n    pass\n")


@pytest.mark.parametrize(
    "body",
    [
        "@@\n first()\n+third()",
        "@@\n+zeroth()\n first()",
        "@@\n def run(self):\n-    first()\n+    third()\n     second()",
        "@@\n-first()\n-second()\n+if x:\n+    first()\n+    second()",
        "@@\n-first()\n+zeroth()\n+        first()\n         second()",
        "@@\n         first( )\n+        third(“x”)",
        "@@\n         first( )\n+        third()\n         second()",
    ],
)
def test_a_hunk_without_its_indent_is_not_applied_twice(body: str) -> None:
    once = changed(body, CLASS)

    assert once != CLASS
    assert outcome(body, once) == Outcome("f", once, once, already_applied=(1,))


def test_a_hunk_that_is_in_place_does_not_change_a_block_that_is_indented_differently() -> None:
    text = (
        "if a:\n    try:\n        go()\n    except Bug:\n        pass\ntry:\n    go()\nexcept (Bug, Flaw):\n    pass\n"
    )

    assert outcome(
        "@@\n     try:\n         go()\n-    except (Bug, Flaw):\n+    except Bug:", text
    ).already_applied == (1,)


def test_line_numbers_and_escapes_are_taken_out_of_a_hunk() -> None:
    numbered = outcome("@@\n 2|    def run(self):\n-3|        first()\n+3|        third()", CLASS)
    assert (numbered.after, numbered.strategies) == (CLASS.replace("first", "third"), ("line_numbers",))

    escaped = outcome('@@\n-say(\\"a\\")\n+say(\\"b\\")\n+\n', 'x\nsay("a")\ny\n')
    assert (escaped.after, escaped.strategies) == ('x\nsay("b")\n\ny\n', ("escapes",))

    joined = outcome("@@\n-a\\n  b\\n\n+a\\n  c\\n", "x\na\n  b\ny\n")
    assert joined.after == "x\na\n  c\ny\n"


def test_a_hint_chooses_among_places_that_are_indented_differently() -> None:
    text = "def f():\n  return  1\ndef g():\n    return  1\ndef h():\n        return  1\n"

    assert changed("@@ def g():\n-return 1\n+return 2", text) == text.replace(
        "    return  1\ndef h", "    return 2\ndef h"
    )


def test_the_hunk_before_chooses_among_inexact_places() -> None:
    text = "x  = 1\nmark\nx  = 1\n"

    assert changed("@@\n-mark\n+done\n@@\n-x = 1\n+x = 2", text) == "x  = 1\ndone\nx  = 2\n"
    assert "2 places in the file, at lines 1, 3" in str(misfit("@@\n-x = 1\n+x = 2", text))


def test_the_end_of_the_file_is_meant_inexactly_too() -> None:
    text = "x  = 1\nx  = 1\n\n"

    assert changed("@@\n-x = 1\n+x = 2\n*** End of File", text) == "x  = 1\nx  = 2\n\n"
    assert "at the end" in str(misfit("@@\n-x = 1\n+x = 2\n*** End of File", "x  = 1\ny\n"))


def test_something_similar_before_its_hint_is_not_meant() -> None:
    block = "begin here now\nsome middle line\nand the end\n"
    body = "@@ def b():\n begin hear now\n-some middle line\n+new\n and the end"

    assert "new" in changed(body, f"def b():\n{block}")
    assert "Read the file again" in str(misfit(body, f"{block}def b():\n"))


def test_a_hunk_can_build_on_lines_that_a_hunk_before_it_added() -> None:
    assert changed("@@\n-a\n+  b\n@@\n-b\n+c", "x\na\n") == "x\n  c\n"
    assert changed("@@\n a\n+ b\n@@\n  a\n b\n+c", "a\nx\n") == "a\n b\n c\nx\n"


def test_what_a_hunk_before_it_wrote_does_not_count_as_applied() -> None:
    text = "def f():\n    old()\n    end()\nclass A:\n    def g():\n        old()\n        end()\n"
    body = "@@\n def f():\n-    old()\n+    new()\n     end()\n@@ class A:\n-old()\n+new()\n end()"

    assert changed(body, text) == text.replace("old", "new")


def test_it_says_why_the_nearest_place_was_not_taken() -> None:
    error = misfit("@@\n first()\n     second()\n+   third()", CLASS)

    assert "indented differently" in str(error)


def test_an_only_line_without_its_indent_does_not_show_where_a_block_belongs() -> None:
    assert "indented" in str(misfit("@@\n second()\n \n+def other():\n+    pass", CLASS))
    assert "indented" in str(misfit("@@\n second()\n \n+        third()", CLASS))
    assert changed("@@\n-second()\n+if x:\n+        second()", CLASS) == CLASS.replace(
        "        second()", "        if x:\n                second()"
    )


def test_hundreds_of_inexact_hunks_are_applied() -> None:
    lines = [f"    line number {number}, with some words" for number in range(20_000)]
    body = "".join(f"@@\n-line number {at}, with some words\n+new {at}\n" for at in range(0, 20_000, 50))
    expected = [line if at % 50 else f"    new {at}" for at, line in enumerate(lines)]

    assert changed(body, "\n".join(lines)) == "\n".join(expected)


@pytest.mark.parametrize(
    "body",
    [
        "".join(f"@@\n-line number {at}, with some words\n+new {at}\n" for at in range(5_000)),
        "".join(f"@@ def f{at}():\n-return 1\n+return 2\n" for at in range(5_000)),
        "@@ x\n- x\n+y\n" * 10_000,
    ],
)
def test_hostile_hunks_that_match_inexactly_are_refused_in_time(body: str) -> None:
    text = "".join(f"    line number {at}, with some words\ndef f{at}():\n    return 1\nx\n" for at in range(5_000))
    started = time.process_time()

    misfit(body, text)

    assert time.process_time() - started < 60  # without bounds it would be hours
