"""Questions that we wrote about third-party tools, blind: without looking at the ranker or its training data.

There are three for each tool: what a model types into a search, what a user requests, and what another user says in
passing, in other words than those of the tool. About some tools six other kinds of writers ask as well. The tools
themselves are read out of packages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from bench.search import m365
from bench.search.sets import DATA, EvalSet, Question, half_of

KINDS = {
    "s": "search",
    "u": "request",
    "o": "passing",
    "a": "story",
    "b": "ability",
    "c": "capability",
    "d": "keywords",
    "e": "hurry",
    "f": "curt",
}
"""What lines begin with, and what the sets are called."""
_DOMAINS: dict[str, Callable[[str], str]] = {"functions": str, "m365": m365.domain}
"""What decides about the half of a tool, where both halves have the same catalogue."""


def about(one: EvalSet) -> Iterator[EvalSet]:
    """Return a set of each kind for one half of a catalog, if there are questions about it."""
    file = DATA / "asked" / f"{one.name}.txt"
    if not file.is_file():
        return
    known = {it["function"]["name"] for it in one.definitions}
    domain = _DOMAINS.get(one.name)
    questions: dict[str, list[Question]] = {kind: [] for kind in KINDS.values()}
    name = ""
    for line in file.read_text(encoding="utf-8").splitlines():
        mark, _, text = line.partition(" ")
        if mark == "#":
            name = text
        elif name in known and (domain is None or half_of(domain(name)) == one.half):
            questions[KINDS[mark]].append(Question(text, frozenset({name}), KINDS[mark]))
    for kind, asked in questions.items():
        if asked:
            yield EvalSet(f"{one.name}-{kind}", one.half, one.definitions, asked)
