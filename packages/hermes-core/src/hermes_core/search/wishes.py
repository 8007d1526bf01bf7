"""Takes apart a message that asks for several things, so that the tools for each of them are found.

*Book a table for four, then tell Ana where we meet* is about two tools. Taken as one text it is a little like both, and
like neither as much as five tools for tables are. So each wish is searched for by itself, too, and its best tool gets
a place beside the best for the whole.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from hermes_core.search.stopwords import FILLERS, STOP_WORDS
from hermes_core.search.words import split

MOST = 5
"""Wishes of one message that are looked at, the first ones: each takes as long as a question by itself."""
_READ = 4_000
"""Characters of a message that are read."""
_BEGINNING = 80
"""Characters in which a clause shows how it begins."""
_OWN, _FLATTENED = 0.8, 0.3
"""What the score within a wish counts beside that of the whole message; and how little a short wish counts less."""
_HEAVY, _SURE = 0.2, 0.8
"""A wish must say that much of what the longest says, and its best tool score that much of the best for the whole."""

_VERBS = """
add adjust analyze announce append apply approve archive arrange assess assign attach backup ban block book buy
calculate call cancel change check choose clean clear close compare compute compress confirm connect convert copy count
create decrypt define delete deploy describe detect determine disable display download draft draw edit email enable
encrypt estimate evaluate examine explain export extract fetch figure file filter find fix follow forecast format
forward generate get give grab hide identify import improve increase insert inspect install invite join keep label
launch let list locate lock log look lookup mail make mark measure merge message monitor move mute notify open optimize
order organize pause pay pin ping plan play plot post predict prepare print process publish pull purchase push put query
rank read recommend record reduce refund register remind remove rename render repeat replace reply report request
reschedule reserve reset resize resolve restart restore retrieve review rotate run save scan schedule score search see
select send set share show sign simulate sort split start stop store submit subscribe suggest summarize switch sync tag
tell test text track transcribe transfer translate trigger turn unlock unsubscribe update upgrade upload validate verify
view visualize watch write zip
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
_BULLET = re.compile(r"(?:\(?\d{1,2}[.)]|[-*•]) ")
_SENTENCES = re.compile(r"(?<=[.!?;])[\"')]{0,2} ")
_CONNECTED = re.compile(
    r",? (?:and then|and also|and after that|after that|afterwards|as well as|and finally|finally|then|also|plus"
    r"|followed by|and next|lastly|additionally),? ",
    re.IGNORECASE,
)
_JOINTS = re.compile(r", (?:and |but )?| (?:and|but) ", re.IGNORECASE)
_NEXT = re.compile(
    r"\W*(?:and |then )?(?:first(?:ly)?|second(?:ly)?|third(?:ly)?|fourth(?:ly)?|last(?:ly)?|finally|also|additionally"
    r"|furthermore|moreover|next|then|after that|afterwards|besides|in addition)\b",
    re.IGNORECASE,
)
"""How a sentence begins that comes to the next thing."""
_LEADS = re.compile(
    r"(?:(?:and|but|so|also|first(?:ly)?|second(?:ly)?|third(?:ly)?|next|then|finally|lastly|furthermore|additionally"
    r"|besides|meanwhile|afterwards|hey|hi|hello|ok|okay|now|please|kindly|could you|can you|would you|will you|just|to"
    r"|i(?:'d| would) (?:also )?like (?:you )?to|i (?:also )?(?:need|want) (?:you )?to|help me(?: to)?)\b[\s,]*|\W+)++",
    re.IGNORECASE,
)
"""What stands before the verb of a clause without being part of it."""
_NEEDING = re.compile(
    r"\b(?:i|we)(?:'d| would|'ll| will)? (?:also )?(?:need|want|like to|like you|love to|have to)\b"
    r"|\bi(?:'m| am) (?:also )?(?:looking|trying|interested|curious|wondering|planning)\b"
    r"|\bwe(?:'re| are) (?:after|looking)\b|\bplease\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[\w']+")


def wishes(message: str) -> list[str]:
    """The things that a message asks for, each with what is said about it; one alone is the message itself.

    What merely tells something belongs to the question that follows, or to the last one.
    """
    found: list[str] = []
    for line in message[:_READ].splitlines():
        found += _of_line(_BULLET.sub("", " ".join(line.split()), count=1))
        if len(found) >= MOST:
            break
    return found[:MOST] if len(found) > 1 else [message]


def together(whole: Mapping[int, float], parts: Sequence[tuple[Mapping[int, float], float]]) -> dict[int, float]:
    """The scores for a message as a whole, and for each of its wishes by itself, as one.

    Args:
        whole: What tools score for the whole message.
        parts: What they score for each wish, and what its words could give altogether.
    """
    found = dict(whole)
    top = max(whole.values(), default=0.0)
    heaviest = max(weight for _, weight in parts) or 1.0
    for scores, weight in parts:
        share = _OWN * (weight / heaviest) ** _FLATTENED
        for tool, value in scores.items():
            found[tool] = max(found.get(tool, 0.0), share * value)
        if scores and weight >= _HEAVY * heaviest:
            first = max(scores, key=lambda tool: (scores[tool], -tool))
            if scores[first] >= _SURE * top:
                found[first] = max(found[first], top)
    return found


def _of_line(line: str) -> list[str]:
    """The wishes of one line."""
    found: list[str] = []
    current: list[str] = []
    waiting: list[str] = []
    asked = False
    for clause, opens in _clauses(line):
        asks = _asks(clause)
        if asked and (asks or (opens and _NEXT.match(clause))):
            found.append(" ".join(current))
            current, waiting, asked = [*waiting, clause], [], asks
        elif asked:
            waiting.append(clause)
        else:
            current.append(clause)
            asked = asks
    if current or waiting:
        found.append(" ".join([*current, *waiting]))
    return found


def _clauses(line: str) -> list[tuple[str, bool]]:
    """The clauses of a line that say something, and whether each of them opens a sentence."""
    found: list[tuple[str, bool]] = []
    for sentence in _SENTENCES.split(line):
        opens = True
        for piece in _CONNECTED.split(sentence):
            start = 0
            for joint in _JOINTS.finditer(piece):
                first = _first(piece[joint.end() : joint.end() + _BEGINNING])
                if first in _DOING or (first in _ASKING and (first not in _RELATIVE or joint[0] != ", ")):
                    found.append((piece[start : joint.start()], opens))
                    start, opens = joint.end(), False
            found.append((piece[start:], opens))
            opens = False
    return [(clause, opens) for clause, opens in found if _says_something(clause)]


def _says_something(clause: str) -> bool:
    return any(word not in STOP_WORDS and word not in FILLERS for word in split(clause))


def _asks(clause: str) -> bool:
    """Whether something is to be done, rather than told."""
    first = _first(clause[:_BEGINNING])
    told = clause.rstrip("\"') ")
    return told.endswith("?") or first in _DOING or first in _ASKING or bool(_NEEDING.search(clause))


def _first(text: str) -> str:
    """The word that says whether a clause asks, behind all that may stand before it."""
    lead = _LEADS.match(text)
    word = _WORD.match(text, lead.end() if lead else 0)
    return word[0].lower() if word else ""
