"""Whether a tool only looks, makes or changes something, or takes it away: by the verbs of its name and of a question.

The tools of one service differ by little else, and whoever asks to see something wants nothing deleted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise

from hermes_core.search.leads import without_lead
from hermes_core.search.stems import stem
from hermes_core.search.words import split

_LOOK = "get list find search describe query fetch read retrieve view check lookup count browse show display"
_CHANGE = """
create add insert put register import upload update change modify rename set edit patch replace move send post publish
share invite assign enable start save store write
"""
_REMOVE = """
delete remove cancel erase clear revoke deregister destroy purge drop detach disassociate unregister trash wipe
unsubscribe uninstall discard dismiss withdraw
"""
_RID = "rid"
"""Who gets rid of something gets nothing."""
_QUESTION = "what when where which who whose how many much is are do does did see tell"
"""How questions begin that ask to look, though no tool is called so."""
_BEFORE_VERBS = frozenset(map(stem, ("to", "i", "we", "you")))
_FIRST = 4
"""Words of a question among which its verb is sought. Later ones are as likely to say what the thing is for."""
_OPENING, _SENTENCE = 8, 200
"""Words that a question opens with, and characters that are enough for them."""


def opening(question: str) -> list[str]:
    """The stems of the first words with which a question comes to the point."""
    return [stem(word) for word in split(without_lead(question[:_SENTENCE]))[:_OPENING]]


def operation(name: Iterable[str]) -> str:
    """What a tool with these words in its name does, or nothing if none of them says it.

    A verb that changes something counts before one that looks: the *list* of `calendarList.delete` is a thing.
    """
    verbs = _verbs()
    found = [verbs[it] for it in name if it in verbs]
    return next((it for it in found if it != _LOOK), _LOOK if found else "")


def wanted_operation(first: Sequence[str]) -> str:
    """What a question that opens with these stems wants done, or nothing if they do not say it."""
    verbs, asking = _verbs(), _asking()
    if _RID in first[:_FIRST]:
        return _REMOVE
    said = next((it for it in first[:_FIRST] if it in asking), "")
    wanted = asking.get(said, "")
    if wanted and said not in verbs:
        # *What do I have to do to delete it* begins as a question, and may want either.
        others = {verbs[verb] for before, verb in pairwise(first) if before in _BEFORE_VERBS and verb in verbs}
        return wanted if others <= {wanted} else ""
    return wanted


@lru_cache(maxsize=1)
def _verbs() -> dict[str, str]:
    return {stem(word): kind for kind in (_LOOK, _CHANGE, _REMOVE) for word in kind.split()}


@lru_cache(maxsize=1)
def _asking() -> dict[str, str]:
    """The verbs, and how questions begin."""
    return _verbs() | {stem(word): _LOOK for word in _QUESTION.split()}
