"""Splits a message into clauses, and finds those that ask for something.

Sentences and list items are clauses, and so are parts that begin with a verb or a question after *and*, *then*, a comma
or a sign. Quoted text is never split.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from hermes_search.ranking.request_phrases import QUOTED, asks, begins, goes_on
from hermes_search.ranking.words import FILLERS, STOP_WORDS, split

_READ = 4_000
"""How many characters of a message are read."""
_BULLET = re.compile(
    r"(?:(?:(?:step|task) |#)\d{1,2}[.):]?|\(?\d{1,2}[.):]|[a-z]\)|[-*•]) (?:\[[ x]?\] )?", re.IGNORECASE
)
_HELD = "\N{WORD JOINER}"
"""Replaces a blank in quoted text, which is never split."""
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
"""Separators of requests, if a verb or a question follows: words, commas, single signs, and list numbers."""
_NEXT = re.compile(
    r"\W*(?:and |then )?(?:first(?:ly)?|second(?:ly)?|third(?:ly)?|fourth(?:ly)?|last(?:ly)?|finally|also|additionally"
    r"|furthermore|moreover|next|then|after that|afterwards|besides|in addition)\b",
    re.IGNORECASE,
)
"""Phrases that introduce the next request."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a message that says one thing.

    Attributes:
        text: The text.
        asks: Whether it asks for something.
        item: Whether it begins a list item.
        comes_next: Whether it introduces the next request.
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
                plain = text.replace(_HELD, " ")
                if any(word not in STOP_WORDS and word not in FILLERS for word in split(plain)):
                    first = item and opens
                    bare = QUOTED.sub(" ", plain).strip() or ("" if found else plain)  # a quote is not a request
                    found.append(Clause(plain, first or asks(bare), first, opens and _NEXT.match(plain) is not None))
                opens = False
    return found


def _sentences(message: str) -> Iterator[tuple[str, bool]]:
    """Yield the sentences of a message, with wrapped lines joined, and whether each is a list item."""
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
    """Yield the parts of a sentence, split where a separator precedes a verb or a question."""
    start = 0
    for joint in _JOINTS.finditer(text):
        if goes_on(text, joint.end(), relative=joint[0].strip() == ","):
            yield text[start : joint.start()]
            start = joint.end()
    yield text[start:]


LIMIT = 5
"""How many requests of one message are searched, the first ones: each takes as long as a separate question."""
_NEXT_TO = 160
"""How many characters of the text around a request are its context."""
_OWN, _FLATTENED = 0.7, 0.3
"""What the score for a request counts beside that for the message, and how little a short request counts less."""
_HEAVY, _SURE = 0.2, 0.8
"""Minimum shares: the weight of a request, and the score of its best tool."""
_BEHIND = 0.001
"""How far the best tool for each additional request ranks below the best one for the message."""


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
        if len(found) == LIMIT:
            return found
    if current:
        found.append(_near(current, waiting) if asked else " ".join(current))
    length = sum(map(len, [*current, *waiting]))
    return found if len(found) > 1 or (found and asked and length > len(found[0]) + _NEXT_TO) else []


def first_request(message: Sequence[Clause]) -> str:
    """Return the first clause that asks for something, or an empty text."""
    return next((clause.text for clause in message if clause.asks), "")


def combine_scores(whole: Mapping[int, float], parts: Sequence[tuple[Mapping[int, float], float]]) -> dict[int, float]:
    """Combine the scores for a whole message and for each of its requests.

    Args:
        whole: The scores of tools for the whole message.
        parts: The scores for each request, and the maximum score of its words.
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


def _near(texts: list[str], following: list[str]) -> str:
    """Return a request, the last of the clauses, with the clauses near it."""
    before: list[str] = []
    for text in reversed(texts[:-1]):
        if sum(map(len, before)) + len(text) > _NEXT_TO:
            break
        before.append(text)
    after = following[:1] if following and len(following[0]) <= _NEXT_TO else []
    return " ".join([*reversed(before), texts[-1], *after])
