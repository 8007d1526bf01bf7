"""Splits text that is not complete shell code into fragments that may still be commands."""

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from hermes_guard import lazy_re as re
from hermes_guard.long_text import deadly
from hermes_guard.shell.heredocs import HEREDOC, heredoc_name
from hermes_guard.shell.word_mask import Mask, mask

#: Where commands end in a masked text: its visible braces and parentheses all belong to the structure.
_BETWEEN = re.compile(r"[;\n(){}]|(?<![<>&])&(?![>&])|&&|\|\|")
_PIPE = re.compile(r"\|&?")
#: Words that may precede a command, in any shell.
_BEFORE = re.compile(
    r"\s*(?:(?:(?:if|elif|while|until)[ \t][^\n;{]*|for[ \t]+\w+|function[ \t]+\S+)[ \t]\{(?=\s)"
    r"|repeat[ \t]+\d+(?=\s)|(?:!|if|then|else|elif|while|until|do|begin|always|and|or|not|time)(?=\s))*\s*"
)
#: A longer text is not split, but searched for dangerous words.
_MAX_LENGTH = 8_192
#: Above this number of characters, only fragments with dangerous words are read.
_LIMIT = 2_000
#: The number of those read at each end, in addition to the most dangerous ones between them.
_EACH_END = 60
#: Words in nearly every command that can be refused.
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
    #: The text is unchanged: no here-document was appended.
    exact: bool


def pieces(text: str) -> list[Fragment]:
    """Return the fragments of a text. Text in quotes, comments and here-documents is data, not a fragment."""
    if len(text) > _MAX_LENGTH:
        return _named(text)
    short = len(text) <= _LIMIT
    if not (short or _feared(text)):
        return []
    found = {piece.text: piece for piece in _cut(text, mask(text, lenient=True)) if short or _feared(piece.text)}
    each = list(found.values())
    return each if len(each) <= 2 * _EACH_END else [*each[:_EACH_END], *_named(text), *each[-_EACH_END:]]


def _named(text: str) -> list[Fragment]:
    """Return the fragments with dangerous words."""
    return [Fragment(piece, start, exact=True) for start, piece in deadly(text)]


def _feared(text: str) -> bool:
    return _FEARED.search(text.translate(_QUOTES)) is not None


def stages(piece: Fragment) -> list[Fragment]:
    """Return the commands of a pipeline, one by one."""
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
