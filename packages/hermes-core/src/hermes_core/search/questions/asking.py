"""How a text begins that asks for something: with a verb, or with a question."""

from __future__ import annotations

import re

from hermes_core.search.questions.leads import without_lead

_BEGINNING = 80
"""Characters in which a clause shows how it begins."""

_VERBS = """
accept add adjust analyze announce append apply approve archive arrange ask assess assign attach authorize backup ban
block book bring broadcast build buy calculate call cancel capture change charge check choose clean clear click clone
close commit compare compile compress compute configure confirm connect convert copy count create crop cut deactivate
decline decrypt define delete deploy describe destroy detect determine diagnose dim disable display download draft drag
draw drop edit email enable encrypt erase estimate evaluate examine execute expand explain export extract fetch figure
file fill filter find finish fix flag follow forecast format forward gather generate get give grab grant hide highlight
hover identify import improve increase inform insert inspect install invite invoke join keep kill label launch let link
list load locate lock log look lookup mail make map mark measure merge message migrate modify monitor move mute navigate
notify open optimize order organize outline page patch pause pay perform pick pin ping plan play plot post predict
prepare press preview print process publish pull purchase purge push put query raise rank rate read recommend record
reduce refresh refund register reject release remember remind remove rename render reopen repeat replace reply report
request reschedule reserve reset resize resolve respond restart restore resume retrieve revert review revoke rotate run
save scan schedule score scrape scroll search see select send set share shorten show shut sign simulate skip solve sort
split squeeze start stop store stream submit subscribe suggest summarize suspend swap switch sync tag take tap teach
tell terminate test text toggle track transcribe transfer translate trigger trim turn type undo unfollow uninstall
unlock unmute unpin unsubscribe unzip update upgrade upload use vacuum validate verify view visit visualize vote wait
wake warn watch wipe withdraw write zip
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
_NOUNS = """
draft file label link list log mail map message order page plan rate record report request review score tag test text
type vote
"""
_THINGS = frozenset(_NOUNS.split())
"""Verbs that are things among others, *tag it as order, draft or review*, unless something follows like these."""
_FOLLOWS = re.compile(
    r"(?:the|an?|my|our|your|his|her|their|its?|this|that|these|those|all|every|each|any|some|me|us|him|them|to|for|in|on"
    r"|at|with|how|what|if|whether)\b|[\d\"'“`#@]|[A-Z]"
)
_NEEDING = re.compile(
    r"\b(?:i|we)(?:'d| would|'ll| will)? (?:also )?(?:need|want|like to|like you|love to|have to)\b"
    r"|\bi(?:'m| am) (?:also )?(?:looking|trying|interested|curious|wondering|planning)\b"
    r"|\bwe(?:'re| are) (?:after|looking)\b|\bplease\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[\w']+")


def asks(clause: str) -> bool:
    """Whether a clause wants something done, rather than tells something."""
    return clause.rstrip("\"') ").endswith(("?", "？")) or begins(clause) or bool(_NEEDING.search(clause))


def begins(text: str) -> bool:
    """Whether a text begins as a question or a command does."""
    first, _ = _first_word(text)
    return first in _DOING or first in _ASKING


def goes_on(text: str, start: int, *, relative: bool) -> bool:
    """Whether a text goes on, from somewhere, as a question or a command begins.

    Args:
        text: The text.
        start: Where it goes on.
        relative: Whether *which* and the like may be about what was said before.
    """
    first, rest = _first_word(text, start)
    if first in _ASKING:
        return not (relative and first in _RELATIVE)
    return first in _DOING and (first not in _THINGS or _FOLLOWS.match(rest) is not None)


def _first_word(text: str, start: int = 0) -> tuple[str, str]:
    """The word that says whether a clause asks, behind all that may stand before it, and what follows."""
    beginning = without_lead(text[start : start + _BEGINNING])
    word = _WORD.match(beginning)
    return (word[0].lower(), beginning[word.end() :].lstrip()) if word else ("", "")
