"""What somebody may have meant is shown with its line numbers."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_editing.fuzzy.results import LEAST, LIMIT, suggestions
from hermes_editing.fuzzy.text_index import TextIndex

TEXT = "\n".join(
    [f"filler {n} of the file" for n in range(50)]
    + ["def calculate_total(items):", "    result = 0", "    for item in items:", "        result += item.price"]
    + [f"further {n} of the file" for n in range(50)]
)


def test_the_best_place_comes_first_with_two_lines_around_it() -> None:
    best = suggestions(TextIndex(TEXT), "def calculate_total(things):\n    total = 0\n    for thing in things:\n")[0]
    assert best.line == 51
    assert best.likeness > 0.5
    assert [line.split("|")[0] for line in best.text.split("\n")] == [str(n) for n in range(49, 56)]
    assert "51|def calculate_total(items):" in best.text


def test_a_word_in_the_middle_of_a_quote_is_enough() -> None:
    best = suggestions(TextIndex(TEXT), "whole = 0\nfor item in items:\n    whole += item.price\n")[0]
    assert best.line == 52


def test_nothing_is_shown_for_what_is_like_nothing() -> None:
    assert suggestions(TextIndex(TEXT), "zzz qqq www\nxxx") == ()
    assert suggestions(TextIndex(""), "abc") == ()
    assert suggestions(TextIndex(TEXT), "   \n") == ()


def test_long_lines_are_cut() -> None:
    shown = suggestions(TextIndex(f"needle = {'x' * 5000}\nneedles in hay\n"), "needle in hay")
    assert shown
    assert all(len(line) < 260 for preview in shown for line in preview.text.split("\n"))


LINES = st.lists(st.sampled_from(["alpha beta", "beta gamma(1)", "gamma", "", "delta — alpha", "}"]), max_size=12)


@given(text=LINES.map("\n".join), wanted=LINES.map("\n".join))
@settings(deadline=None)
def test_at_most_three_places_are_shown_that_do_not_overlap(text: str, wanted: str) -> None:
    shown = suggestions(TextIndex(text), wanted)
    assert len(shown) <= LIMIT
    assert all(preview.likeness > LEAST for preview in shown)
    assert [preview.likeness for preview in shown] == sorted((p.likeness for p in shown), reverse=True)
    assert len({preview.line for preview in shown}) == len(shown)
    for preview in shown:
        for line in preview.text.split("\n"):
            number, _, rest = line.partition("|")
            assert text.split("\n")[int(number) - 1] == rest
