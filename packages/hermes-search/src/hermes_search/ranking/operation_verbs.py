"""Recognizes by verbs whether a tool, or a question, is about reading, changing or removing something.

The tools of one service often differ only in that, and a user who asks to see something does not want to delete it.
Many verbs are nouns as well, such as *set* and *post*, and count only if there is no clearer verb.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise

from hermes_search.ranking.request_phrases import QUOTED, without_preamble
from hermes_search.ranking.stems import stem
from hermes_search.ranking.words import split

LOOK, CHANGE, REMOVE = "look", "change", "remove"
_CLEAR = {
    LOOK: "get find describe fetch retrieve lookup show",
    CHANGE: """
    create add insert put upload modify rename edit replace move send publish invite assign enable save write
    """,
    REMOVE: """
    delete remove cancel erase clear revoke deregister destroy purge detach disassociate unregister wipe unsubscribe
    uninstall discard dismiss withdraw
    """,
}
_VAGUE = {
    LOOK: "list search query browse",
    CHANGE: "register import update start",
}
"""Verbs that are also nouns: a *list* of friends."""
_THINGS = {
    LOOK: "read view check count display",
    CHANGE: "change set patch post share store",
    REMOVE: "drop trash",
}
"""Nouns that are also verbs: *set* the alarm. In a question, they are verbs in the first position."""
_QUESTION = frozenset(["what", "when", "where", "which", "who", "whose", "whom", "how"])
_AUXILIARY = frozenset(["is", "are", "do", "does", "did"])
"""Beginnings of questions that ask to look."""
_ASKERS = frozenset({"me", "us"})
"""The recipients in a request to look; telling others means sending something."""
_DOERS = frozenset({"i", "we", "you"})
_GOING = frozenset({"off", "out", "into", "onto", "back", "together", "going"})
"""Words that mean that *get* moves something."""
_BINS = frozenset({"trash", "bin", "rubbish", "dustbin", "wastebasket"})
_THROWING = frozenset({"move", "put", "send", "throw", "toss", "drop"})
"""Verbs for things that end in a bin."""
_FIRST = 4
"""Among how many words of a question the verb is expected. Later ones often describe the purpose."""
_OPENING, _SENTENCE = 8, 200
"""How many words open a question, and in how many characters they are."""


def _by_word(kinds: dict[str, str], ending: str = "") -> dict[str, str]:
    return {_with(word, ending): kind for kind, words in kinds.items() for word in words.split()}


def _with(word: str, ending: str) -> str:
    """Return a verb with an ending."""
    return (word.removesuffix("e") if ending[:1] in ("e", "i") else word) + ending


_CLEARLY = _by_word(_CLEAR)
_VAGUELY = _by_word(_VAGUE)
_PERHAPS = _by_word(_THINGS)
_ASKED = _CLEARLY | _by_word(_CLEAR, "s")
"""Titles of examples describe what they do: *Deletes a group*."""
_ALL_VERBS = _ASKED | _VAGUELY
_DOING = _by_word(_CLEAR, "ing")
_DONE = _by_word(_CLEAR, "ed")


def opening(question: str) -> list[str]:
    """Return the first words of a question after its preamble, without quoted text."""
    text = question[:_SENTENCE]
    return split(without_preamble(QUOTED.sub(" ", text)))[:_OPENING] or split(without_preamble(text))[:_OPENING]


def operation(name: Sequence[str]) -> str:
    """Return the operation of a tool with these words in its name, or an empty text.

    A verb that changes something counts before one that looks: `find_and_replace`.
    """
    clear = {_CLEARLY[word] for word in name if word in _CLEARLY}
    if clear:
        found = clear - {LOOK} or clear
    else:
        found = {_VAGUELY[word] for word in name if word in _VAGUELY}
        found = found or {_PERHAPS[word] for word in name if word in _PERHAPS}
    return found.pop() if len(found) == 1 else ""


def requested_operation(first: list[str]) -> str:
    """Return the operation that a question with these first words asks for, or an empty text."""
    if first[:1] == ["do"] and first[1:] and (first[1] in _ALL_VERBS or first[1] in _PERHAPS):
        first = first[1:]  # *do save it*
    if not first or first[:2] in (["don", "t"], ["do", "not"]) or first[0] == "never":
        return ""
    if any(pair in (("rid", "of"), ("do", "away")) for pair in pairwise(first)):
        return REMOVE
    if first[0] in _AUXILIARY or not _QUESTION.isdisjoint(first[:2]):
        return LOOK if _asked_for(first) <= {LOOK} else ""
    return _by_verb(first)


def _by_verb(first: list[str]) -> str:
    """Return the operation of the verb of a command."""
    if first[0] in _THROWING and not _BINS.isdisjoint(first):
        return REMOVE
    if first[0] == "remind":
        return CHANGE  # the action itself happens later
    if first[0] in _VAGUELY:
        return _VAGUELY[first[0]]
    if first[0] in _PERHAPS:
        return "" if first[1:2] == ["of"] else _PERHAPS[first[0]]
    if any(verb == "tell" and whom in _ASKERS for verb, whom in pairwise(first[: _FIRST + 1])):
        return LOOK
    words = [word for before, word in pairwise(["", *first[:_FIRST]]) if before != "to"]  # that is the purpose
    verb = next((word for verbs in (_ASKED, _VAGUELY) for word in words if word in verbs), "")
    if verb == "get" and any(word in _GOING or word in _DONE for word in first):
        return ""
    return _ALL_VERBS.get(verb, "")


def _asked_for(first: list[str]) -> set[str]:
    """Return the operations in a question such as *what must I do to delete it* or *how about deleting it*."""
    doers = _DOERS if "how" in first or "if" in first else frozenset()
    found = {_ASKED[verb] for before, verb in pairwise(first) if (before == "to" or before in doers) and verb in _ASKED}
    return found | {_DOING[word] for word in first if word in _DOING}


_PAIRS = """
start begin resume play launch boot run enable activate arm wake on | stop end pause halt kill quit disable deactivate disarm mute cancel abort terminate shutdown off
open raise unlock up | close shut lower lock down
lock secure arm | unlock disarm
unmute | mute silence
increase raise louder brighten | decrease lower reduce quieter dim
subscribe follow join connect attach mount install pin star archive | unsubscribe unfollow leave disconnect detach unmount uninstall unpin unstar unarchive
book reserve order buy | cancel refund
approve accept allow grant | reject decline deny block revoke
encrypt compress zip | decrypt decompress unzip
import upload | export download
"""  # noqa: E501  # a line is a pair
_SMALL = frozenset({"on", "off", "up", "down"})
_WITH_SMALL = frozenset(map(stem, ("turn", "switch", "power", "put", "shut", "call", "roll", "set")))
"""Verbs that such a small word belongs to. Elsewhere it is about a day off, or something on a list."""


def sides(words: Iterable[str]) -> frozenset[int]:
    """Return the sides of pairs that some stems are on: a number for each pair, negative for the second side."""
    own = set(words)
    if own.isdisjoint(_WITH_SMALL):
        own -= _SMALL
    found = {side for word in own for side in _known().get(word, ())}
    return frozenset(side for side in found if -side not in found)


def opposed(requested: frozenset[int], own: frozenset[int]) -> bool:
    """Return True if a tool only does the opposite of what is requested."""
    return requested.isdisjoint(own) and any(-side in own for side in requested)


@lru_cache(maxsize=1)
def _known() -> dict[str, tuple[int, ...]]:
    found: dict[str, tuple[int, ...]] = {}
    for number, line in enumerate(filter(None, _PAIRS.splitlines()), 1):
        for sign, half in zip((1, -1), line.split(" | "), strict=True):
            for word in half.split():
                key = stem(word)
                found[key] = (*found.get(key, ()), sign * number)
    return found
