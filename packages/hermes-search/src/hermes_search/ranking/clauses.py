"""Split a message into clauses, and find those that ask for something.

Sentences and items of lists are clauses, and so is what begins with a verb or a question behind *and*, *then*, a comma
or a sign. What stands in quotes is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from hermes_search.ranking.request_phrases import QUOTED, asks, begins, goes_on
from hermes_search.ranking.words import FILLERS, STOP_WORDS, split

_READ = 4_000
"""Characters of a message that are read."""
_BULLET = re.compile(
    r"(?:(?:(?:step|task) |#)\d{1,2}[.):]?|\(?\d{1,2}[.):]|[a-z]\)|[-*•]) (?:\[[ x]?\] )?", re.IGNORECASE
)
_HELD = "\N{WORD JOINER}"
"""Stands for a blank inside of quotes, where nothing is taken apart."""
_BLANKS = re.compile(r"\s+")
_SENTENCES = re.compile(r"(?<=[.!?;])[\"')]{0,2} |(?<=[。！？；])")
_CONNECTED = re.compile(
    r",? (?:and then|and also|and after that|after that|afterwards|as well as|and finally|finally|then|plus"
    r"|followed by|and next|lastly|additionally|while you're at it"
    r"|(?:and )?(?:once|when|after) (?:this|that|it)(?:'s| is| has been) (?:done|finished|ready)),? |, also,? ",
    re.IGNORECASE,
)
_JOINTS = re.compile(
    rf",? (?:and|but|while you) |[,;、](?!{_HELD}) ?" r"| [^\w\s\"'(\[{]{1,2} | \(?\d{1,2}[.)] ", re.IGNORECASE
)
"""What stands between requests, if a verb or a question follows: words, commas, single signs, and numbers of a list."""
_NEXT = re.compile(
    r"\W*(?:and |then )?(?:first(?:ly)?|second(?:ly)?|third(?:ly)?|fourth(?:ly)?|last(?:ly)?|finally|also|additionally"
    r"|furthermore|moreover|next|then|after that|afterwards|besides|in addition)\b",
    re.IGNORECASE,
)
"""How a sentence begins that comes to the next thing."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A piece of a message that says one thing.

    Attributes:
        text: What it says.
        asks: Whether something is to be done, rather than told.
        item: Whether it begins an item of a list.
        comes_next: Whether it says that it comes to the next thing.
    """

    text: str
    asks: bool
    item: bool
    comes_next: bool


def clauses(message: str) -> list[Clause]:
    """Return the clauses of a message that contain more than stop words."""
    found: list[Clause] = []
    for sentence, item in _sentences(message):
        opens = True
        for piece in _CONNECTED.split(sentence):
            for text in _pieces(piece):
                said = text.replace(_HELD, " ")
                if any(word not in STOP_WORDS and word not in FILLERS for word in split(said)):
                    first = item and opens
                    bare = QUOTED.sub(" ", said).strip() or ("" if found else said)  # who quotes asks for nothing
                    found.append(Clause(said, first or asks(bare), first, opens and _NEXT.match(said) is not None))
                opens = False
    return found


def _sentences(message: str) -> Iterator[tuple[str, bool]]:
    """The sentences of a message, and whether each is an item of a list. Lines that were wrapped are put together."""
    waiting, item = "", False
    held = QUOTED.sub(lambda found: _BLANKS.sub(_HELD, found[0]), message[:_READ]).replace("’", "'")
    for raw in [*held.splitlines(), ""]:  # the empty line ends the last sentence
        line = " ".join(raw.split())
        bullet = _BULLET.match(line)
        if bullet is None and waiting and line and waiting[-1] not in ".!?:;。！？；" and not begins(line):
            waiting = f"{waiting} {line}"
            continue
        yield from ((sentence, item and not at) for at, sentence in enumerate(_SENTENCES.split(waiting)))
        waiting, item = line[bullet.end() :] if bullet else line, bullet is not None


def _pieces(text: str) -> Iterator[str]:
    """A piece of a sentence, cut where *and*, a comma or the like stands before a verb or a question."""
    start = 0
    for joint in _JOINTS.finditer(text):
        if goes_on(text, joint.end(), relative=joint[0].strip() == ","):
            yield text[start : joint.start()]
            start = joint.end()
    yield text[start:]


MOST = 5
"""Requests of one message that are looked at, the first ones: each takes as long as a question by itself."""
_NEXT_TO = 160
"""Characters of a story before a request, or behind it, that are taken to be about it."""
_OWN, _FLATTENED = 0.7, 0.3
"""What the score within a request counts beside that of the message; and how little a short request counts less."""
_HEAVY, _SURE = 0.2, 0.8
"""A request must say that much of what the longest says; its best tool must score that much of the best for all."""
_BEHIND = 0.001
"""How far behind the best for the whole the best for a request comes, and that for the next request behind it."""


def requests_in(message: Sequence[Clause]) -> list[str]:
    """Return the requests in a message of these clauses, each with its context.

    Empty for a single short request. A clause that asks for nothing joins the next request, or the last one.
    """
    found: list[str] = []
    current: list[str] = []
    waiting: list[str] = []
    asked = False
    for clause in message:
        if asked and (clause.asks or clause.comes_next):
            found.append(_near(current, waiting if clause.item else []))
            current, asked = [*([] if clause.item else waiting), clause.text], clause.asks
            waiting = []
        elif asked:
            waiting.append(clause.text)
        else:
            current.append(clause.text)
            asked = clause.asks
        if len(found) == MOST:
            return found
    if current:
        found.append(_near(current, waiting) if asked else " ".join(current))
    told = sum(map(len, [*current, *waiting]))
    return found if len(found) > 1 or (found and asked and told > len(found[0]) + _NEXT_TO) else []


def first_request(message: Sequence[Clause]) -> str:
    """Return the first clause that asks for something, or an empty text."""
    return next((clause.text for clause in message if clause.asks), "")


def combine_scores(whole: Mapping[int, float], parts: Sequence[tuple[Mapping[int, float], float]]) -> dict[int, float]:
    """Combine the scores for a whole message and for each of its requests.

    Args:
        whole: What tools score for the whole message.
        parts: What they score for each request, and what its words could give altogether.
    """
    found = dict(whole)
    top = max(whole.values(), default=0.0)
    heaviest = max((weight for _, weight in parts), default=0.0) or 1.0
    for number, (scores, weight) in enumerate(parts, 1):
        share = _OWN * (weight / heaviest) ** _FLATTENED
        for tool, value in scores.items():
            found[tool] = max(found.get(tool, 0.0), share * value)
        if scores and weight >= _HEAVY * heaviest:
            first = max(scores, key=lambda tool: (scores[tool], -tool))
            if scores[first] >= _SURE * top:
                found[first] = max(found[first], top * (1.0 - _BEHIND * number))
    return found


def _near(told: list[str], behind: list[str]) -> str:
    """A request, which stands last, with as much of what was told before it, or behind it, as is next to it."""
    before: list[str] = []
    for text in reversed(told[:-1]):
        if sum(map(len, before)) + len(text) > _NEXT_TO:
            break
        before.append(text)
    after = behind[:1] if behind and len(behind[0]) <= _NEXT_TO else []
    return " ".join([*reversed(before), told[-1], *after])
