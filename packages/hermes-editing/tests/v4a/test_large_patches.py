"""Large patches and hostile ones end soon."""

from __future__ import annotations

import time

import pytest

from hermes_editing.v4a import PatchError, parse, plan

LINES = [f"line number {number}, with some words" for number in range(20_000)]
TEXT = "\n".join(LINES) + "\n"
FUNCTIONS = "".join(f"def f{number}():\n    return 1\n" for number in range(10_000))
START = "*** Update File: f\n"


def made(body: str, text: str) -> str | None:
    """What a patch makes of a text."""
    (outcome,) = plan(parse(START + body), lambda _: text)
    return outcome.after


def test_ten_thousand_hunks_are_all_applied() -> None:
    body = "".join(f"@@\n {LINES[at]}\n-{LINES[at + 1]}\n+new {at + 1}\n" for at in range(0, 20_000, 2))

    expected = [f"new {at}" if at % 2 else line for at, line in enumerate(LINES)]
    assert made(body, TEXT) == "\n".join(expected) + "\n"


def test_ten_thousand_hunks_can_stand_on_one_another() -> None:
    body = f"@@\n-{LINES[0]}\n+new 0\n" + "".join(
        f"@@\n new {at - 1}\n-{LINES[at]}\n+new {at}\n" for at in range(1, 10_000)
    )

    assert made(body, TEXT) == "\n".join([f"new {at}" for at in range(10_000)] + LINES[10_000:]) + "\n"


def test_ten_thousand_hunks_can_quote_the_file_as_it_was() -> None:
    body = "".join(f"@@\n {LINES[at - 1]}\n-{LINES[at]}\n+new {at}\n {LINES[at + 1]}\n" for at in range(1, 10_001))

    assert made(body, TEXT) == "\n".join([LINES[0], *(f"new {at}" for at in range(1, 10_001)), *LINES[10_001:]]) + "\n"


@pytest.mark.parametrize("hint", ["@@ def f{}(): @@", "@@ def f{}()", "@@ f{}()"])
def test_a_thousand_hints_each_lead_to_their_place(hint: str) -> None:
    body = "".join(f"{hint.format(at)}\n-    return 1\n+    return 2\n" for at in reversed(range(1000)))

    assert made(body, FUNCTIONS) == FUNCTIONS.replace("return 1", "return 2", 1000)


def test_the_time_grows_in_proportion_to_the_patch() -> None:
    def seconds(count: int) -> float:
        lines = LINES[: 2 * count]
        body = "".join(f"@@ {lines[at]}\n-{lines[at + 1]}\n+new\n" for at in range(0, 2 * count, 2))
        patch = parse(START + body)
        started = time.process_time()
        plan(patch, lambda _: "\n".join(lines))
        return time.process_time() - started

    small = min(seconds(500) for _ in range(3))
    # Twenty times the hunks and lines; what is not linear would take four hundred times as long.
    assert seconds(10_000) < 100 * small + 0.2


@pytest.mark.parametrize(
    "body",
    [
        "@@\n x\n-x\n+y\n" * 10_000,
        "@@ x\n-x\n+y\n" * 10_000,
        "-x\n" * 200_000,
        "@@ q\n" * 100_000 + "+y\n",
        "".join(f"@@\n-lime number {at}, with sum words\n+y\n" for at in range(10_000)),
    ],
)
def test_hostile_patches_are_refused_in_time(body: str) -> None:
    patch = parse(START + body)
    for text in ("x\n" * 20_000, TEXT):
        started = time.process_time()
        with pytest.raises(PatchError):
            plan(patch, lambda _, text=text: text)  # type: ignore[misc]
        assert time.process_time() - started < 60  # without bounds it would be hours
