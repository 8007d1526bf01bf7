"""Takes a message apart into clauses, and says which of them ask for something.

Sentences and items of lists are clauses, and so is what begins with a verb or a question behind *and*, *then*, a comma
or a sign. What stands in quotes is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from hermes_core.search.questions.asking import asks, begins, goes_on
from hermes_core.search.questions.quotes import QUOTED
from hermes_core.search.stopwords import FILLERS, STOP_WORDS
from hermes_core.search.words import split

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
"""What stands between wishes, if a verb or a question follows: words, commas, single signs, and numbers of a list."""
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
    """The clauses of a message that say something."""
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
