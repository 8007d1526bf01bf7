"""Messages that ask for several things at once, and long ones that ask for only one, written blind about other sets."""

from __future__ import annotations

from collections.abc import Iterator

from bench.search.sets import DATA, EvalSet, Question, half_of

SEVERAL = "several"
"""The kind of questions that all of the tools they name are wanted for, rather than any of them."""


def about(one: EvalSet) -> Iterator[EvalSet]:
    """What is asked about one half of a catalogue, if anything is; what a message says decides about its half."""
    messages = [it for catalogue, it in _messages() if catalogue == one.name and half_of(it.text) == one.half]
    if messages:
        yield EvalSet(f"{one.name}-several", one.half, one.definitions, messages)


def _messages() -> Iterator[tuple[str, Question]]:
    """`@` stands before the name of a catalogue, `?` before a message, and `=` before each of the tools it is about."""
    catalogue = text = ""
    wanted: list[str] = []
    for line in [*(DATA / "several.txt").read_text(encoding="utf-8").splitlines(), "@ "]:
        mark, _, rest = line.partition(" ")
        if mark == "=":
            wanted.append(rest)
            continue
        if wanted:
            yield catalogue, Question(text, frozenset(wanted), SEVERAL)
            wanted = []
        if mark == "@":
            catalogue = rest
        else:
            text = rest.replace("\\n", "\n")
