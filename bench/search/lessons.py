"""What there is to learn from: made-up tools, and questions that are about one of them.

The files in `data/lessons` were written for nothing else; none of them is from an evaluation set. Within one file each
question is about its own tool rather than about any other; across files there are tools that do the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from bench.search.handwritten import read
from bench.search.sets import DATA
from hermes_core.search.fields import Fields, read_fields
from hermes_core.search.hints import hints
from hermes_core.search.stems import stem
from hermes_core.search.stopwords import STOP_WORDS
from hermes_core.search.words import cut, split


@dataclass(frozen=True, slots=True)
class Lesson:
    """One file, in numbers of words.

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
        pairs = [(of_question(it.text), places[name]) for _, it in asked for name in it.wanted]
        pairs = [pair for pair in pairs if pair[0]]
        found.append(Lesson([of_tool(it) for it in fields], [it for it, _ in pairs], [it for _, it in pairs]))
    return found


def question_stems(text: str) -> list[str]:
    """The stems of a question, each once, as a search reads them."""
    words: list[str] = []
    for whole, parts in cut(text):
        words += parts if whole is None else [whole]
    meant = [word for word in words if word not in STOP_WORDS] or words
    return list(dict.fromkeys([*map(stem, meant), *map(stem, hints(text, ()))]))


def common_words(least: int) -> list[str]:
    """Words that come in so many texts at least, the commonest first."""
    counts: Counter[str] = Counter()
    for file in sorted((DATA / "lessons").glob("*.txt")):
        for line in file.read_text(encoding="utf-8").splitlines():
            counts.update(set(split(line)))
    return [word for word, count in counts.most_common() if count >= least]
