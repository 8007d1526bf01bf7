"""Cuts a text that is no complete shell code into pieces that may be commands all the same."""

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from hermes_guard import lazy_re as re
from hermes_guard.long_text import deadly
from hermes_guard.shell.heredocs import HEREDOC, heredoc_name
from hermes_guard.shell.word_mask import Mask, mask

#: Where commands end in a masked text: every brace and parenthesis that it shows is one of the structure.
_BETWEEN = re.compile(r"[;\n(){}]|(?<![<>&])&(?![>&])|&&|\|\|")
_PIPE = re.compile(r"\|&?")
#: Words that stand before a command, in whichever shell.
_BEFORE = re.compile(
    r"\s*(?:(?:(?:if|elif|while|until)[ \t][^\n;{]*|for[ \t]+\w+|function[ \t]+\S+)[ \t]\{(?=\s)"
    r"|repeat[ \t]+\d+(?=\s)|(?:!|if|then|else|elif|while|until|do|begin|always|and|or|not|time)(?=\s))*\s*"
)
#: A longer text is not cut, but searched for what names a disaster.
_MAX_LENGTH = 8_192
#: Of more characters, those pieces are read that name what can be refused.
_LIMIT = 2_000
#: And of those, so many at each end, with those between them that name a disaster.
_EACH_END = 60
#: What nearly every command holds that can be refused.
_FEARED = re.compile(
    r"\b(?:rm|mkfs|mke2fs|mkswap|dd|shred|wipefs|blkdiscard|sgdisk|shutdown|reboot|halt|poweroff|init|telinit"
    r"|systemctl|kill|killall5?|pkill|find|unlink|perl|python[\d.]*|ruby|node|eval|ba?sh|zsh|xargs|chmod|chown|mv"
    r"|diskpart|format)\b|/dev/|:\s*\(\)"
)
_QUOTES = str.maketrans("", "", "\\'\"")


class Fragment(NamedTuple):
    """A part of a text that a shell would read as one command or pipeline."""

    text: str
    start: int
    #: The text stands there as it is: no here-document was put behind it.
    exact: bool


def pieces(text: str) -> list[Fragment]:
    """The pieces of a text. What stands in quotes, comments and here-documents is none, and stays data."""
    if len(text) > _MAX_LENGTH:
        return _named(text)
    short = len(text) <= _LIMIT
    if not (short or _feared(text)):
        return []
    found = {piece.text: piece for piece in _cut(text, mask(text, lenient=True)) if short or _feared(piece.text)}
    each = list(found.values())
    return each if len(each) <= 2 * _EACH_END else [*each[:_EACH_END], *_named(text), *each[-_EACH_END:]]


def _named(text: str) -> list[Fragment]:
    """The pieces that name a disaster."""
    return [Fragment(piece, start, exact=True) for start, piece in deadly(text)]


def _feared(text: str) -> bool:
    return _FEARED.search(text.translate(_QUOTES)) is not None


def stages(piece: Fragment) -> list[Fragment]:
    """The commands of a pipeline, one by one."""
    shown = mask(piece.text, lenient=True).text
    if "|" not in shown:
        return []
    edges = [0, *(found.end() for found in _PIPE.finditer(shown)), len(piece.text) + 1]
    return [
        Fragment(piece.text[start : end - 1].rstrip("|"), piece.start + start, piece.exact)
        for start, end in pairwise(edges)
    ]


def _cut(text: str, masked: Mask) -> Iterator[Fragment]:
    announced = sorted(masked.heredocs)
    start = 0
    for end in [*(found.span() for found in _BETWEEN.finditer(masked.text)), (len(text), len(text))]:
        skipped = _BEFORE.match(text, start, end[0])
        at = skipped.end() if skipped else start
        if masked.text[at : end[0]].strip():
            bodies = []
            while announced and announced[0] < end[0]:
                place = announced.pop(0)
                name = HEREDOC.match(text, place)
                if name and place >= at:
                    bodies.append(f"\n{masked.heredocs[place].text}{heredoc_name(name.group(2))}")
            yield Fragment(text[at : end[0]] + "".join(bodies), at, not bodies)
        start = end[1]
