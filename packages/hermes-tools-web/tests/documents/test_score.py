"""The extractor keeps what it should on the pages of the benchmark, and leaves the noise."""

from __future__ import annotations

import json

from bench.web import generated
from bench.web.extractors import ours, plain_text
from bench.web.facts import KEPT, NOISE, tally, trafilatura_markdown
from bench.web.facts import ours as with_notes
from bench.web.labeled_pages import load, without_optional
from bench.web.score import F1, RECORD, score_pages
from bench.web.shingles import average, compare, list_differences, tokenize

_GENERATED = [make() for make in generated.MAKERS if make.__name__ != "huge"]
_LABELED = load()


def test_facts_are_kept_and_noise_is_not() -> None:
    found = tally(with_notes, _GENERATED)
    assert found.kept >= KEPT * found.wanted, found.lost
    assert found.noise <= NOISE * found.unwanted, found.noisy


def test_more_structure_is_kept_than_by_trafilatura_alone() -> None:
    html = [page for page in _GENERATED if page.is_html]
    found, alone = tally(with_notes, html), tally(trafilatura_markdown, html)
    assert found.kept > alone.kept
    assert found.noise < alone.noise


def test_labeled_pages_are_read_well() -> None:
    matches = score_pages({"ours": ours}, _LABELED)["ours"]
    total = average(matches.values())
    assert total.f1 >= F1, {name: round(match.f1, 2) for name, match in matches.items() if match.f1 < F1}


def test_labeled_pages_are_of_many_kinds_and_languages() -> None:
    assert len(_LABELED) >= 60
    assert len({page.kind for page in _LABELED}) >= 15
    assert {"ar", "de", "fa", "he", "hi", "ja", "ko", "ru", "th", "zh"} <= {page.language for page in _LABELED}


def test_labels_are_in_their_pages() -> None:
    for page in _LABELED:
        assert tokenize(page.text), page.name
        markup = set(tokenize(page.body.decode("utf-8", "ignore")))
        if page.body.isascii() or page.language == "en":
            assert len(set(tokenize(page.text)) - markup) < 10, page.name


def test_the_recorded_figures_are_of_these_pages() -> None:
    record = json.loads(RECORD.read_text(encoding="utf-8"))
    assert record["pages"] == len(_LABELED)
    assert sum(record["groups"]["kind"].values()) == len(_LABELED)


def test_figures_count_shingles_of_four_tokens() -> None:
    half = compare("one two three four five", "one two three four five six")
    assert (half.precision, round(half.recall, 3)) == (1.0, 0.667)
    assert compare("", "one two").recall == 0.0
    assert compare("One, two!", "one two").f1 == 1.0


def test_characters_are_tokens_where_words_are_not_separated() -> None:
    assert tokenize("漢字かな Wort") == ["漢", "字", "か", "な", "wort"]
    assert tokenize("สวน") == ["ส", "ว", "น"]
    assert len(tokenize("हिन्दी समाचार")) == 2
    assert tokenize("Café") == tokenize("Cafe\u0301") == ["cafe"]


def test_marks_of_markdown_do_not_count() -> None:
    markdown = "1. A [link](https://x.example/a_(b)) and ![alt text](y.png)\n\n```python\nx = 1\n```\n\n| a | b |\n"
    assert tokenize(plain_text(markdown)) == ["a", "link", "and", "x", "1", "a", "b"]


def test_titles_and_captions_are_optional() -> None:
    page = next(page for page in _LABELED if len(page.optional) > 1)
    title, caption = page.optional[:2]
    assert without_optional(f"# {title}\n\nkept {title}\n\n*{caption}*", page).split() == ["kept", *title.split()]


def test_differences_are_listed_by_line() -> None:
    found = "Share this\nThe pier was closed on Monday\n**Read more about piers and boats**"
    wanted = "The pier was closed on Monday\nIt will open again in the spring"
    assert list_differences(found, wanted) == [
        "+ Share this",
        "+ **Read more about piers and boats**",
        "- It will open again in the spring",
    ]
