"""The training data: tools, and questions that are about one of them.

The files in `data/lessons` were written only for training; none of them is from an evaluation set. Within one file,
each question is about exactly one tool; tools in different files can do the same. The tuning halves of some third-party
sets are used as well.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from bench.search.handwritten import read
from bench.search.sets import DATA, EvalSet
from hermes_search.ranking.postings import Weights
from hermes_search.ranking.query import pairs, read_query
from hermes_search.ranking.tool_fields import Fields, read_fields
from hermes_search.ranking.words import split

_CATALOGUE = 2_000
"""Number of tools of a set that a question is compared with; more take long and add little."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """One file, or half of a set, in numbers of words.

    Attributes:
        tools: The words of each tool.
        questions: The words of each question.
        about: The number of the tool that a question is about.
    """

    tools: list[list[int]]
    questions: list[list[int]]
    about: list[int]


def lessons(of_tool: Callable[[Fields], list[int]], of_question: Callable[[str], list[int]]) -> list[Lesson]:
    """Every file, in the numbers that two readers give; texts without any are left out."""
    found: list[Lesson] = []
    for file in sorted((DATA / "lessons").glob("*.txt")):
        definitions, asked = read(f"lessons/{file.name}", prefixed=False)
        fields = [it for it in map(read_fields, definitions) if it is not None]
        places = {it.name: place for place, it in enumerate(fields)}
        asking = [(of_question(it.text), places[name]) for _, it in asked for name in it.wanted]
        asking = [it for it in asking if it[0]]
        found.append(Lesson([of_tool(it) for it in fields], [it for it, _ in asking], [it for _, it in asking]))
    return found


def studied(one: EvalSet, of_tool: Callable[[Fields], list[int]], of_question: Callable[[str], list[int]]) -> Lesson:
    """The tools that a half of a set asks about, some others beside them, and its questions."""
    fields = {it.name: it for it in map(read_fields, one.definitions) if it is not None}
    asking = [(of_question(it.text), min(it.wanted)) for it in one.questions]
    asking = [(asked, name) for asked, name in asking if asked and name in fields]
    others = sorted(fields, key=lambda name: (zlib.crc32(name.encode()), name))
    kept = list(dict.fromkeys([*(name for _, name in asking), *others]))[:_CATALOGUE]
    places = {name: place for place, name in enumerate(kept)}
    return Lesson(
        [of_tool(fields[name]) for name in kept], [it for it, _ in asking], [places[name] for _, name in asking]
    )


def question_keys(text: str) -> list[str]:
    """The stems of a question and its pairs of neighbours, as a search reads them."""
    read = read_query(text, {}, 1, lambda _: [], Weights())
    return [*read.stems, *read.pairs]


def common_words(least: int) -> list[str]:
    """Words that come in so many texts at least, the commonest first."""
    counts: Counter[str] = Counter()
    for file in sorted((DATA / "lessons").glob("*.txt")):
        for line in file.read_text(encoding="utf-8").splitlines():
            counts.update(set(split(line)))
    return [word for word, count in counts.most_common() if count >= least]


def common_pairs(least: int) -> list[str]:
    """Pairs of neighbours that come in so many questions at least, the commonest first; without numbers."""
    counts: Counter[str] = Counter()
    for file in sorted((DATA / "lessons").glob("*.txt")):
        for line in file.read_text(encoding="utf-8").splitlines():
            if line.startswith("? "):
                counts.update(set(pairs(split(line[2:]))))
    return [it for it, count in counts.most_common() if count >= least and not any(map(str.isdigit, it.split()))]
