"""Patches made of random texts do what they were made for."""

from __future__ import annotations

from difflib import SequenceMatcher

from hypothesis import example, given, settings
from hypothesis import strategies as st

from hermes_editing.v4a import Hunk, Patch, PatchError, Update, parse, plan
from hermes_editing.v4a.hunks import apply_unique_hunks

LINE = st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]), max_size=8).filter(
    lambda line: not line.endswith("\r")
)
FEW = st.sampled_from(["", " ", "a", "b", " a", "a ", "\ta", "-", "+x", "*** End Patch", "@@ a"])
TEXTS = st.lists(st.one_of(LINE, FEW), max_size=12).map(lambda lines: "".join(f"{line}\n" for line in lines))
FEW_TEXTS = st.lists(FEW, max_size=12).map(lambda lines: "".join(f"{line}\n" for line in lines))


def lines_of(text: str) -> list[str]:
    """The lines of a text that ends with a line feed or is empty."""
    return text.split("\n")[:-1]


def diff(before: str, after: str, context: int) -> str:
    """The hunks between two texts."""
    old, new = lines_of(before), lines_of(after)
    hunks = []
    for group in SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(context):
        hunks.append("@@")
        for tag, start, end, new_start, new_end in group:
            if tag == "equal":
                hunks += [f" {line}" for line in old[start:end]]
            else:
                hunks += [f"-{line}" for line in old[start:end]] + [f"+{line}" for line in new[new_start:new_end]]
    return "\n".join(hunks)


@given(st.one_of(TEXTS, FEW_TEXTS), st.one_of(TEXTS, FEW_TEXTS))
@settings(deadline=None)  # a busy machine is no failure
def test_a_patch_with_all_context_makes_one_text_of_another(before: str, after: str) -> None:
    if before == after:
        return
    patch = parse(f"*** Begin Patch\n*** Update File: f\n{diff(before, after, 1000)}\n*** End Patch\n")
    (outcome,) = plan(patch, lambda _: before)

    assert outcome.after == after
    assert outcome.strategies == ()


@given(TEXTS, TEXTS, st.integers(1, 3))
@example(before="0\n", after="0\n\n", context=1)
@settings(deadline=None)  # a busy machine is no failure
def test_a_patch_with_some_context_does_what_it_says_or_is_refused(before: str, after: str, context: int) -> None:
    if before == after:
        return
    patch = parse(f"*** Update File: f\n{diff(before, after, context)}")
    try:
        (outcome,) = plan(patch, lambda _: before)
    except PatchError as error:
        if "places" not in str(error):
            raise
        return

    assert outcome.after == after


@given(TEXTS, TEXTS)
@settings(deadline=None)  # a busy machine is no failure
def test_new_files_are_what_was_added(first: str, second: str) -> None:
    patch = "".join(
        f"*** Add File: {name}\n" + "".join(f"+{line}\n" for line in lines_of(text))
        for name, text in (("a", first), ("b", second))
    )

    assert [outcome.after for outcome in plan(parse(patch), lambda _: None)] == [first, second]


SIGNED = st.tuples(st.sampled_from(" -+"), st.one_of(LINE, FEW)).map("".join)
HUNKS = st.builds(
    Hunk,
    hints=st.lists(FEW.map(str.strip).filter(bool), max_size=2).map(tuple),
    lines=st.lists(SIGNED, min_size=1, max_size=6).map(tuple),
    at_end=st.booleans(),
)


@given(FEW_TEXTS, st.lists(HUNKS, min_size=1, max_size=40), st.booleans())
@settings(deadline=None)  # a busy machine is no failure
def test_whatever_the_hunks_are_the_answer_is_a_text_or_a_refusal(text: str, hunks: list[Hunk], ends: bool) -> None:
    patch = Patch((Update("f", tuple(hunks)),))
    try:
        (outcome,) = plan(patch, lambda _: text if ends else text.removesuffix("\n"))
    except PatchError:
        return

    assert outcome.after is not None
    added = {line[1:].strip() for hunk in hunks for line in hunk.lines if line[0] != "-"}
    assert all(line in {*lines_of(text + "\n")} or line.strip() in added for line in lines_of(outcome.after + "\n"))


@given(st.lists(st.integers(0, 59), min_size=1, max_size=30, unique=True))
@settings(deadline=None)  # a busy machine is no failure
def test_hunks_in_any_order_do_the_same(changed: list[int]) -> None:
    lines = [f"line {at}" for at in range(60)]
    hunks = [Hunk((), (f"-line {at}", f"+new {at}")) for at in changed]
    (outcome,) = plan(Patch((Update("f", tuple(hunks)),)), lambda _: "\n".join(lines))

    assert outcome.after == "\n".join(f"new {at}" if at in changed else line for at, line in enumerate(lines))


@given(st.one_of(TEXTS, FEW_TEXTS), st.one_of(TEXTS, FEW_TEXTS), st.integers(0, 3))
@settings(deadline=None)  # a busy machine is no failure
def test_the_quick_way_does_what_the_thorough_one_does(before: str, after: str, context: int) -> None:
    if before == after:
        return
    end = Hunk((), (" the very end",), at_end=True)  # there is no quick way with one of these
    body = diff(before, after, context)
    before, after = f"{before}the very end\n", f"{after}the very end\n"
    (update,) = parse(f"*** Update File: f\n{body}").operations
    assert isinstance(update, Update)
    quick = apply_unique_hunks(before, update.hunks)
    if quick is None:
        return
    (thorough,) = plan(Patch((Update("f", (*update.hunks, end)),)), lambda _: before)

    assert thorough.after == quick
