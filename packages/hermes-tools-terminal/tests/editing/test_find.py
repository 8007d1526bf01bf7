"""The nine ways of searching find what the same ways find that are written down without a thought of speed."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hermes_tools_terminal.editing.fuzzy.find import STRATEGIES, find
from hermes_tools_terminal.editing.fuzzy.page import Page
from hermes_tools_terminal.editing.fuzzy.quote import Quote
from hermes_tools_terminal.editing.fuzzy.typography import PLAIN

Result = tuple[list[tuple[int, int]], bool]
NOTHING: Result = ([], False)


def lines_of(text: str) -> list[str]:
    lines = text.split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def plain(text: str) -> str:
    return "".join(PLAIN.get(letter, letter) for letter in text)


def apart(places: list[int], length: int) -> list[int]:
    kept: list[int] = []
    for place in places:
        if not kept or place >= kept[-1] + length:
            kept.append(place)
    return kept


def everywhere(text: str, wanted: str) -> list[int]:
    return [place for place in range(len(text) - len(wanted) + 1) if text[place : place + len(wanted)] == wanted]


def exact(text: str, old: str) -> Result:
    places = everywhere(text, old)
    return [(place, place + len(old)) for place in apart(places, len(old))], len(places) > 1


def line_span(text: str, line: int, count: int, with_end: bool) -> tuple[int, int]:
    starts = [0]
    for each in lines_of(text):
        starts.append(starts[-1] + len(each) + 1)
    return starts[line], min(starts[line + count] - (not with_end), len(text))


def by_lines(text: str, view: list[str], wanted: list[str], with_end: bool) -> Result:
    if not any(wanted):
        return NOTHING
    places = [place for place in range(len(view)) if view[place : place + len(wanted)] == wanted]
    return [line_span(text, place, len(wanted), with_end) for place in apart(places, len(wanted))], len(places) > 1


def stripped(text: str) -> list[str]:
    return [line.strip() for line in lines_of(text)]


def line_trimmed(text: str, old: str) -> Result:
    return by_lines(text, stripped(text), stripped(old), old.endswith("\n"))


def single(text: str) -> str:
    return re.sub(r"[ \t]+", " ", text)


def whitespace_normalized(text: str, old: str) -> Result:
    letters: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for found in re.finditer(r"[ \t]+|[^ \t]", text, re.DOTALL):
        letters.append(" " if found[0][0] in " \t" else found[0])
        starts.append(found.start())
        ends.append(found.end())
    wanted = single(old)
    if not wanted.strip():
        return NOTHING
    places = everywhere("".join(letters), wanted)
    spans = []
    for place in apart(places, len(wanted)):
        start, end = starts[place], ends[place + len(wanted) - 1]
        further = end
        while further < len(text) and text[further] in " \t":
            further += 1
        spans.append((start, further if further == len(text) or text[further] == "\n" else end))
    return spans, len(places) > 1


def indentation_flexible(text: str, old: str) -> Result:
    view = [single(line) for line in stripped(text)]
    return by_lines(text, view, [single(line) for line in stripped(old)], old.endswith("\n"))


def escape_normalized(text: str, old: str) -> Result:
    wanted = re.sub(r"\\\\|\\[ntr]", lambda found: {"\\n": "\n", "\\t": "\t", "\\r": "\r"}.get(found[0], found[0]), old)
    return NOTHING if wanted == old or not wanted.strip() else exact(text, wanted)


def without_blank_ends(lines: list[str]) -> list[str]:
    while lines and not lines[0]:
        lines = lines[1:]
    while lines and not lines[-1]:
        lines = lines[:-1]
    return lines


def trimmed_boundary(text: str, old: str) -> Result:
    core = without_blank_ends(stripped(old))
    return NOTHING if core == stripped(old) else by_lines(text, stripped(text), core, old.endswith("\n"))


def unicode_normalized(text: str, old: str) -> Result:
    if plain(text) == text and plain(old) == old:
        return NOTHING
    owners = [index for index, letter in enumerate(text) for _ in plain(letter)]
    places = everywhere(plain(text), plain(old))
    first = apart(places, len(plain(old)))
    spans = []
    for place in first if plain(old).strip() else []:
        owner = owners[place], owners[place + len(plain(old)) - 1] + 1
        if plain(text[owner[0] : owner[1]]) == plain(old):
            spans.append(owner)
    if spans:
        return spans, len(spans) > 1 or (len(first) == 1 and len(places) > 1)
    return by_lines(text, stripped(plain(text)), stripped(plain(old)), old.endswith("\n"))


def ratio(block: str, wanted: str) -> float:
    return SequenceMatcher(None, block, wanted, autojunk=False).ratio()


def line_ratio(line: str, wanted: str) -> float:
    """Twice the longest common subsequence, as a share of both lengths."""
    row = [0] * (len(wanted) + 1)
    for letter in line:
        before = row
        row = [0]
        for index, other in enumerate(wanted):
            row.append(before[index] + 1 if letter == other else max(before[index + 1], row[index]))
    return 2 * row[-1] / (len(line) + len(wanted))


def core_of(old: str) -> list[str]:
    return [plain(line).strip() for line in without_blank_ends(stripped(old))]


def by_places(text: str, old: str, places: list[int]) -> Result:
    size = len(core_of(old))
    return [line_span(text, place, size, old.endswith("\n")) for place in apart(places, size)], len(places) > 1


def block_anchor(text: str, old: str) -> Result:
    view, wanted = stripped(plain(text)), core_of(old)
    size = len(wanted)
    if size < 2:
        return NOTHING
    windows = range(len(view) - size + 1)
    places = [p for p in windows if view[p] == wanted[0] and view[p + size - 1] == wanted[-1]]
    least = 0.7 if len(places) > 1 else 0.5
    middle = "\n".join(wanted[1:-1])
    return by_places(text, old, [p for p in places if ratio("\n".join(view[p + 1 : p + size - 1]), middle) >= least])


def pieces_of(line: str, most: int) -> list[str]:
    size = max(3, -(-len(line) // max(2, min(most, 8))))
    cut = [line[start : start + size] for start in range(0, len(line), size)]
    return cut if len(cut[-1]) == size or len(cut) == 1 else [*cut[:-1], line[-size:]]


def context_aware(text: str, old: str) -> Result:
    view, wanted = stripped(plain(text)), core_of(old)
    telling = {index for index, line in enumerate(wanted) if re.search(r"\w", line)}
    distinct: dict[str, int] = {}
    for index in sorted(telling):
        distinct.setdefault(wanted[index], index)
    looked_up = sorted(distinct.items(), key=lambda item: (-len(item[0]), item[1]))[:8]

    def worth(place: int) -> bool:
        return any(
            piece in view[place + index] for line, index in looked_up for piece in pieces_of(line, 16 // len(looked_up))
        )

    def alike(place: int) -> bool:
        same = {
            index
            for index, line in enumerate(wanted)
            if line == view[place + index]
            or (line and view[place + index] and line_ratio(view[place + index], line) >= 0.8)
        }
        return 2 * len(same) >= len(wanted) and 2 * len(same & telling) >= len(telling)

    windows = range(len(view) - len(wanted) + 1)
    return by_places(text, old, [place for place in windows if worth(place) and alike(place)])


IN_ORDER = (
    exact,
    line_trimmed,
    whitespace_normalized,
    indentation_flexible,
    escape_normalized,
    trimmed_boundary,
    unicode_normalized,
    block_anchor,
    context_aware,
)


def naively(text: str, old: str) -> tuple[str, list[tuple[int, int]], bool]:
    for way in IN_ORDER if old.strip() else (exact,):
        spans, several = way(text, old)
        if spans:
            return way.__name__, spans, several
    return "", [], False


LETTERS = st.text(st.sampled_from([*"aab1  \t\n\n.-\"'\\nt", "“", "—", "…", "\u00a0", "\u3000", "\r"]), max_size=14)
LINES = st.sampled_from(
    [
        "",
        "   ",
        "}",
        "  }",
        "alpha = beta(1)",
        "    alpha = beta(1)",
        "alpha  =  beta(1)",
        "alpha = beta(2)",
        "alpha = gamma(1) — x",
        "alpha = gamma(1) -- x",
        "return alpha",
        "return alpha;",
        "reutrn alhpa",
        "x = 1",
        "y = 1",
        "#",
    ]
)
TEXTS = st.lists(LINES, max_size=9).map("\n".join)


@given(text=LETTERS, old=LETTERS)
@settings(max_examples=250, deadline=None)
@example(text="aaa", old="aa")
@example(text="—> x", old="-> x")
@example(text="a  b \nc", old="a b\nc")
@example(text="a   b   ", old="a b")
def test_letters_are_found_as_defined(text: str, old: str) -> None:
    if old:
        found = find(Page(text), old)
        assert (found.strategy, list(found.spans), found.several) == naively(text, old)


@given(text=TEXTS, old=TEXTS, end=st.sampled_from(["", "\n", "\n\n"]))
@settings(max_examples=250, deadline=None)
def test_lines_are_found_as_defined(text: str, old: str, end: str) -> None:
    if old + end:
        found = find(Page(text), old + end)
        assert (found.strategy, list(found.spans), found.several) == naively(text, old + end)


@pytest.mark.parametrize("way", range(len(IN_ORDER)), ids=[way.__name__ for way in IN_ORDER])
@given(text=st.one_of(LETTERS, TEXTS), old=st.one_of(LETTERS, TEXTS))
@settings(max_examples=60, deadline=None)
def test_each_way_finds_by_itself_what_it_is_defined_to_find(way: int, text: str, old: str) -> None:
    if old.strip():
        hits = STRATEGIES[way](Page(text), Quote(old))
        assert (list(hits.spans), hits.several) == IN_ORDER[way](text, old)


@given(before=TEXTS, text=TEXTS, after=TEXTS, old=TEXTS)
@settings(max_examples=150, deadline=None)
def test_a_window_of_whole_lines_is_searched_as_if_it_were_the_text(
    before: str, text: str, after: str, old: str
) -> None:
    start = len(before) + 1
    if old:
        found = find(Page(f"{before}\n{text}\n{after}", start, start + len(text) + 1), old)
        way, spans, several = naively(text + "\n", old)
        assert (found.strategy, found.several) == (way, several)
        assert list(found.spans) == [(start + first, start + last) for first, last in spans]


def test_half_a_line_at_the_edge_of_a_window_is_no_line() -> None:
    text = "foo = bar\nbar\n"
    assert not find(Page(text, 6, 9), "  bar").spans
    assert find(Page(text, 6), "  bar").spans == ((10, 13),)
    assert find(Page(text, 6, 9), "bar").spans == ((6, 9),)


def test_a_window_beyond_the_text_finds_nothing() -> None:
    assert not find(Page("a\n", 50, 90), "a").spans
    assert not find(Page("a\n", -5, -1), "a").spans
    assert find(Page("a\n", -5, 90), "a").spans == ((0, 1),)
