"""Takes a message apart into clauses, and says which of them ask for something.

Sentences and items of lists are clauses, and so is what begins with a verb or a question behind *and*, *then*, a comma
or a sign. What stands in quotes is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from hermes_core.search.leads import without_lead
from hermes_core.search.quotes import QUOTED
from hermes_core.search.stopwords import FILLERS, STOP_WORDS
from hermes_core.search.words import split

_READ = 4_000
"""Characters of a message that are read."""
_BEGINNING = 80
"""Characters in which a clause shows how it begins."""

_VERBS = """
accept add adjust analyze announce append apply approve archive arrange ask assess assign attach authorize backup ban
block book bring broadcast build buy calculate call cancel capture change charge check choose clean clear clone close
commit compare compile compute compress configure confirm connect convert copy count create crop cut deactivate decline
decrypt define delete deploy describe destroy detect determine diagnose dim disable display download draft draw drop
edit email enable encrypt erase estimate evaluate examine execute expand explain export extract fetch figure file filter
find finish fix flag follow forecast format forward gather generate get give grab grant hide highlight identify import
improve increase inform insert inspect install invite invoke join keep label launch let link list load locate lock log
look lookup mail make map mark measure merge message migrate modify monitor move mute notify open optimize order
organize outline page patch pause pay perform pick pin ping plan play plot post predict prepare preview print process
publish pull purchase purge push put query raise rank rate read recommend record reduce refresh refund register reject
release remember remind remove rename render reopen repeat replace reply report request reschedule reserve reset resize
resolve respond restart restore resume retrieve revert review revoke rotate run save scan schedule score scrape search
see select send set share shorten show shut sign simulate skip solve sort split squeeze start stop store stream submit
subscribe suggest summarize suspend swap switch sync tag take tell terminate test text toggle track transcribe transfer
translate trigger trim turn undo unfollow uninstall unlock unpin unsubscribe update upgrade upload use validate verify
view visualize vote wait wake warn watch wipe withdraw write zip
"""
"""How a clause begins that tells somebody to do something."""
_QUESTIONS = """
what what's whats when where where's which who who's whose how how's can could would will please is are do does did
should
"""
_ASKING = frozenset(_QUESTIONS.split())
_DOING = frozenset(_VERBS.split())
_RELATIVE = frozenset({"when", "where", "which", "who", "whose"})
"""Behind a comma alone these go on about what was said: *a shop in Leeds, which is closed*."""
_BULLET = re.compile(
    r"(?:(?:(?:step|task) |#)\d{1,2}[.):]?|\(?\d{1,2}[.):]|[a-z]\)|[-*•]) (?:\[[ x]?\] )?", re.IGNORECASE
)
_HELD = "\N{NO-BREAK SPACE}"
"""Stands for a blank inside of quotes, where nothing is taken apart."""
_SENTENCES = re.compile(r"(?<=[.!?;])[\"')]{0,2} |(?<=[。！？；])")
_CONNECTED = re.compile(
    r",? (?:and then|and also|and after that|after that|afterwards|as well as|and finally|finally|then|plus"
    r"|followed by|and next|lastly|additionally|while you're at it"
    r"|(?:and )?(?:once|when|after) (?:this|that|it)(?:'s| is| has been) (?:done|finished|ready)),? |, also,? ",
    re.IGNORECASE,
)
_JOINTS = re.compile(r",? (?:and|but|while you) |[,;、] ?| [^\w\s\"'(\[{]{1,2} | \(?\d{1,2}[.)] ", re.IGNORECASE)
"""What stands between wishes, if a verb or a question follows: words, commas, single signs, and numbers of a list."""
_NEXT = re.compile(
    r"\W*(?:and |then )?(?:first(?:ly)?|second(?:ly)?|third(?:ly)?|fourth(?:ly)?|last(?:ly)?|finally|also|additionally"
    r"|furthermore|moreover|next|then|after that|afterwards|besides|in addition)\b",
    re.IGNORECASE,
)
"""How a sentence begins that comes to the next thing."""
_NEEDING = re.compile(
    r"\b(?:i|we)(?:'d| would|'ll| will)? (?:also )?(?:need|want|like to|like you|love to|have to)\b"
    r"|\bi(?:'m| am) (?:also )?(?:looking|trying|interested|curious|wondering|planning)\b"
    r"|\bwe(?:'re| are) (?:after|looking)\b|\bplease\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[\w']+")


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
                    begins = item and opens
                    found.append(Clause(said, begins or _asks(said), begins, opens and _NEXT.match(said) is not None))
                opens = False
    return found


def _sentences(message: str) -> Iterator[tuple[str, bool]]:
    """The sentences of a message, and whether each is an item of a list. Lines that were wrapped are put together."""
    waiting, item = "", False
    for raw in [*message[:_READ].splitlines(), ""]:  # the empty line ends the last sentence
        line = QUOTED.sub(lambda found: found[0].replace(" ", _HELD), " ".join(raw.split()))
        bullet = _BULLET.match(line)
        if bullet is None and waiting and line and waiting[-1] not in ".!?:;。！？；" and not _begins(line):
            waiting = f"{waiting} {line}"
            continue
        yield from ((sentence, item and not at) for at, sentence in enumerate(_SENTENCES.split(waiting)))
        waiting, item = line[bullet.end() :] if bullet else line, bullet is not None


def _pieces(text: str) -> Iterator[str]:
    """A piece of a sentence, cut where *and*, a comma or the like stands before a verb or a question."""
    start = 0
    for joint in _JOINTS.finditer(text):
        first = _first(text[joint.end() : joint.end() + _BEGINNING])
        if first in _DOING or (first in _ASKING and (first not in _RELATIVE or joint[0].strip() != ",")):
            yield text[start : joint.start()]
            start = joint.end()
    yield text[start:]


def _asks(clause: str) -> bool:
    return clause.rstrip("\"') ").endswith(("?", "？")) or _begins(clause) or bool(_NEEDING.search(clause))


def _begins(text: str) -> bool:
    """Whether a text begins as a question or a command does."""
    first = _first(text)
    return first in _DOING or first in _ASKING


def _first(text: str) -> str:
    """The word that says whether a clause asks, behind all that may stand before it."""
    word = _WORD.match(without_lead(text[:_BEGINNING]))
    return word[0].lower() if word else ""
