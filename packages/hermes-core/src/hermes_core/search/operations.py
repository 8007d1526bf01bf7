"""Whether a tool only looks, makes or changes something, or takes it away: by the verbs of its name and of a question.

The tools of one service differ by little else, and whoever asks to see something wants nothing deleted. Many verbs are
things as well, a *set* of records or a *post*, and count where nothing clearer is said.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from hermes_core.search.leads import without_lead
from hermes_core.search.words import split

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
"""Verbs that are also things: a *list* of friends."""
_THINGS = {
    LOOK: "read view check count display",
    CHANGE: "change set patch post share store",
    REMOVE: "drop trash",
}
"""Things that are also verbs: *set* the alarm. In a question they are verbs where they come first."""
_QUESTION = frozenset(["what", "when", "where", "which", "who", "whose", "whom", "how"])
_AUXILIARY = frozenset(["is", "are", "do", "does", "did"])
"""How questions begin that ask to look."""
_ASKERS = frozenset({"me", "us"})
"""Who is told by whoever is asked to look; to tell others is to send something."""
_DOERS = frozenset({"to", "i", "we", "you"})
"""What stands before the verb of a question that begins as if it asked to look."""
_FIRST = 4
"""Words of a question among which its verb is sought. Later ones are as likely to say what the thing is for."""
_OPENING, _SENTENCE = 8, 200
"""Words that a question opens with, and characters that are enough for them."""


def _by_word(kinds: dict[str, str], ending: str = "") -> dict[str, str]:
    return {word + ending: kind for kind, words in kinds.items() for word in words.split()}


_CLEARLY = _by_word(_CLEAR)
_VAGUELY = _by_word(_VAGUE)
_PERHAPS = _by_word(_THINGS)
_ASKED = _CLEARLY | _by_word(_CLEAR, "s")
"""Titles of examples say what they do: *Deletes a group*."""


def opening(question: str) -> list[str]:
    """The first words with which a question comes to the point."""
    return split(without_lead(question[:_SENTENCE]))[:_OPENING]


def operation(name: Sequence[str]) -> str:
    """What a tool with these words in its name does, or nothing if they do not say it.

    A verb that changes something counts before one that looks: `find_and_replace`.
    """
    clear = {_CLEARLY[word] for word in name if word in _CLEARLY}
    if clear:
        found = clear - {LOOK} or clear
    else:
        found = {_VAGUELY[word] for word in name if word in _VAGUELY}
        found = found or {_PERHAPS[word] for word in name if word in _PERHAPS}
    return found.pop() if len(found) == 1 else ""


def wanted_operation(first: Sequence[str]) -> str:
    """What a question that opens with these words wants done, or nothing if they do not say it."""
    if not first:
        return ""
    if "rid" in first[:_FIRST]:  # who gets rid of something gets nothing
        return REMOVE
    if first[0] in _AUXILIARY or not _QUESTION.isdisjoint(first[:2]):
        others = {_ASKED[verb] for before, verb in pairwise(first) if before in _DOERS and verb in _ASKED}
        return LOOK if others <= {LOOK} else ""  # *what must I do to delete it* may want either
    if first[0] in _PERHAPS:
        return _PERHAPS[first[0]]
    if any(verb == "tell" and whom in _ASKERS for verb, whom in pairwise(first[: _FIRST + 1])):
        return LOOK
    found = (verbs[word] for verbs in (_ASKED, _VAGUELY) for word in first[:_FIRST] if word in verbs)
    return next(found, "")
