"""Recognizes requests: texts that begin with a verb or a question."""

from __future__ import annotations

import re

from hermes_search.ranking.words import FILLERS, STOP_WORDS, read_words, split

_TOOL = r"(?:tool|function|command|action|api|endpoint|plugin|skill|way|option)s?"
_FOR = (
    r"(?: (?:here|available|out there))?,?"
    r" (?:(?:(?:that|which) )?(?:can|could|will|lets me|allows me to)|that|which|to|for)"
)
_PHRASES = (
    # what comes next
    r"and|but|so|also|first(?:ly)?|second(?:ly)?|third(?:ly)?|next|then|finally|lastly|furthermore|additionally",
    r"besides|meanwhile|afterwards|(?:after|before|once|when|while|as soon as) you(?:'ve)?",
    # greetings and manners
    r"hey|hi|hello|ok|okay|now|please|kindly|just|to|help me(?: to)?",
    # asking politely
    r"(?:could|can|would|will) you|are you able to|(?:is there )?any chance (?:that )?you (?:could|can)",
    r"is there (?:an?|any|some) way(?: that)? (?:you|i|we) (?:could|can)",
    r"it would be (?:great|nice|good) if you could|(?:i was |i am |i'm )?wondering if (?:you|i|we) (?:could|can)",
    r"i(?:'d| would) (?:also )?(?:like|love) (?:you )?to|i (?:also )?(?:need|want) (?:you )?to",
    # asking how
    r"how (?:do|does|can|could|would|should|might) (?:i|we|you|one|someone|somebody|a user)",  # conventions: allow
    r"how to|(?:what|how) about",
    r"(?:(?:show|tell|teach|explain to) (?:me|us)|find out|do you know|i don't know) how (?:to|(?:i|we) can|do i)",
    r"(?:is it|would it be|if it(?:'s| is)) possible (?:for (?:you|me|us) )?to|(?:is it|am i) able to|can (?:i|we)",
    # announcing
    r"(?:i'm|i am|we're|we are) (?:trying|going|about) to|(?:i|we) (?:have|ought) to|i think (?:you|i|we) should",
    # asking for a tool
    rf"(?:(?:is|are) there|(?:do|have) (?:you|we) (?:have|got)) (?:an?|any|some) {_TOOL}{_FOR}",
    rf"(?:which|what)(?:'s| is)?(?: the)?(?: best| easiest| right)? {_TOOL}"
    rf"(?: (?:should|can|could|do|would|must) (?:i|we|you) use)?{_FOR}",
    r"(?:(?:i|we) (?:need|want)|i(?:'m| am) looking for|(?:find|give|get|show)(?: me)?|search for|look for)"
    rf" (?:an?|the|any|some)(?: best| right)? {_TOOL}{_FOR}",
    rf"(?:an? |the )?{_TOOL}{_FOR}",
)
_PREAMBLES = re.compile(rf"(?:(?:{'|'.join(_PHRASES)})\b[\s,]*+|\W++)+", re.IGNORECASE)


def without_preamble(text: str) -> str:
    """Return a text without its polite opening, or unchanged if nothing else is left."""
    preamble = _PREAMBLES.match(text.replace("’", "'"))
    return (text[preamble.end() :] if preamble else text) or text


_BEGINNING = 80
"""How many characters show how a clause begins."""

_QUESTIONS = """
what what's whats when where where's which who who's whose how how's can could would will please is are do does did
should
"""
_ASKING = frozenset(_QUESTIONS.split())
_DOING = read_words("command_verbs.txt")
"""Verbs at the beginning of a command."""
_RELATIVE = frozenset({"when", "where", "which", "who", "whose"})
"""After a single comma, these continue the previous clause: *a shop in Leeds, which is closed*."""
_NOUNS = """
draft file label link list log mail map message order page plan rate record report request review score tag test text
type vote
"""
_THINGS = frozenset(_NOUNS.split())
"""Verbs that are nouns in a list, *tag it as order, draft or review*, unless one of the following words follows."""
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
    """Return True for a clause that asks for something."""
    return clause.rstrip("\"') ").endswith(("?", "？")) or begins(clause) or bool(_NEEDING.search(clause))


def begins(text: str) -> bool:
    """Return True for a text that begins like a question or a command."""
    first, _ = _first_word(text)
    return first in _DOING or first in _ASKING


def goes_on(text: str, start: int, *, relative: bool) -> bool:
    """Return True if a text continues, from a position, with a question or a command.

    Args:
        text: The text.
        start: The position.
        relative: Whether *which* and the like may refer to the text before.
    """
    first, rest = _first_word(text, start)
    if first in _ASKING:
        return not (relative and first in _RELATIVE)
    return first in _DOING and (first not in _THINGS or _FOLLOWS.match(rest) is not None)


def _first_word(text: str, start: int = 0) -> tuple[str, str]:
    """Return the word that shows whether a clause asks, after its preamble, and the text after it."""
    beginning = without_preamble(text[start : start + _BEGINNING])
    word = _WORD.match(beginning)
    return (word[0].lower(), beginning[word.end() :].lstrip()) if word else ("", "")


_MARKS = (
    r"```[^`]{1,2000}```",
    r"`[^`\n]{1,400}`",
    r"(?<!\w)\"[^\"]{1,400}\"(?!\w)",
    r"(?<!\w)'[^'\n]{2,400}'(?!\w)",
    r"‘[^‘’\n]{2,400}’(?!\w)",
    r"“[^“”]{1,400}”",
    r"„[^„“”]{1,400}[“”]",
    r"«[^«»]{1,400}»",
    r"‹[^‹›]{1,400}›",
    r"「[^「」]{1,400}」",
)
QUOTED = re.compile("|".join(_MARKS))
"""Quoted text with its marks. An inch, 13\", opens no quote."""
_SIGNS = "\"'`“”‘’„«»‹›「」"
_ENDS = re.compile(r"[,.;:!?](?:\s|$)")
_ENOUGH = 2
"""The minimum number of significant words outside of quotes. With fewer, the quotes are the request."""


def unquoted(text: str) -> str | None:
    """Return a text without its quotes.

    None if it has no quotes, if nothing significant is outside of them, or if the request is quoted.
    """
    rest = QUOTED.sub(" ", text)
    if rest == text:
        return None
    significant = (word for word in split(rest) if word.isalpha() and word not in STOP_WORDS and word not in FILLERS)
    if len(set(significant)) < _ENOUGH:
        return None
    orders = any(begins(it[0].strip(_SIGNS)) for it in QUOTED.finditer(text))
    return None if orders and not any(map(asks, _ENDS.split(rest))) else rest


def stressed(text: str) -> str:
    """Return a text in which unquoted words are repeated, and so count twice."""
    rest = unquoted(text)
    return text if rest is None else f"{rest} {text}"
