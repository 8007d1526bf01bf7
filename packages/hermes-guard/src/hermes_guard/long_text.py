"""Selects the parts to read of a text that is too long: its ends, and the parts around dangerous words."""

from collections.abc import Iterator

from hermes_guard import lazy_re as re

#: How much of each end is read, and the maximum number of commands from it.
_EDGE, _EDGE_COMMANDS = 4096, 60
#: The maximum number of searches for quotes and comments.
MAX_SKIPS = 10_000
_BREAK = re.compile(r"[;&|\n]")
SIGN = re.compile(r"[\\'\"#<]")
SKIP = re.compile(
    r"\\.|'[^']*'|\"[^\"\\]*(?:\\.[^\"\\]*)*\"|(?<![^\s;])#[^\n]*|<<<|<<-?[ \t]*['\"]?(\w+)['\"]?|['\"]", re.DOTALL
)

_ANYTHING = re.compile(r"")
_WHOLE = re.compile(
    r"[^\n;|&]{0,200}?(?:\s[\"']?(?:/|~|\$\{?HOME\}?|/(?:etc|usr|home|var|bin|lib\w*|boot|root|Users|System)/?)"
    r"(?:/?[.*][^\s;&|]*)?[\"']?(?:[\s;&|)]|\Z)|--no-preserve-root)"
)
_DEVICE = re.compile(r"(?!null|zero|full|u?random|std|tty|fd|tcp|udp|shm|pts)")
#: Words in commands that can be refused, and what must follow them. Plain words are fast to search for.
_DEADLY = {
    "rm -": _WHOLE,
    "rm /": _ANYTHING,
    "find /": _ANYTHING,
    "mkfs": _ANYTHING,
    "mke2fs": _ANYTHING,
    "wipefs": _ANYTHING,
    "blkdiscard": _ANYTHING,
    "of=/dev/": _DEVICE,
    "> /dev/": _DEVICE,
    ">/dev/": _DEVICE,
    "shred ": re.compile(r"[^\n;|&]{0,200}?/dev/"),
    "shutdown": _ANYTHING,
    "reboot": _ANYTHING,
    "poweroff": _ANYTHING,
    "halt": re.compile(r"[\s;&|]|\Z"),
    "init ": re.compile(r"[06]\b"),
    "kill -": re.compile(r"[^\n;|&]{0,40}?-1\b"),
    "killall5": _ANYTHING,
}
#: The maximum number of matches per word and of fragments, and the number of characters read around a match.
_MAX_HITS, _MAX_PIECES, _AROUND = 2_000, 24, 200


def edges(text: str) -> list[tuple[int, str]]:
    """Return the beginning and the end of a text with their positions, without an end that is inside quotes."""
    breaks = [found.end() for found in _BREAK.finditer(text, 0, _EDGE)]
    head = breaks[_EDGE_COMMANDS] if len(breaks) > _EDGE_COMMANDS else _EDGE
    start = max(0, len(text) - _EDGE)
    breaks = [found.end() for found in _BREAK.finditer(text, start)]
    at = _Walk(text).outside(breaks[-_EDGE_COMMANDS] if len(breaks) > _EDGE_COMMANDS else start)
    return [(0, text[:head])] + ([] if at is None else [(at, text[at:])])


def deadly(text: str) -> list[tuple[int, str]]:
    """Return the commands outside quotes that contain dangerous words, each once, with its position."""
    walk = _Walk(text)
    found: dict[str, int] = {}
    for hit in sorted(_hits(text)):
        start = 1 + max(text.rfind(sign, max(0, hit - _AROUND), hit) for sign in ";&|\n")
        if not start and hit > _AROUND:
            # The match is too far behind the start of its command.
            continue
        behind = _BREAK.search(text, hit, hit + _AROUND)
        piece = text[start : behind.start() if behind else hit + _AROUND]
        if piece in found:
            continue
        at = walk.outside(start)
        if at is None or len(found) >= _MAX_PIECES:
            break
        if at == start:
            found[piece] = start
    return [(start, piece) for piece, start in found.items()]


def _hits(text: str) -> Iterator[int]:
    """Matches of the dangerous words, with what must follow them."""
    for word, follows in _DEADLY.items():
        at = -1
        for _ in range(_MAX_HITS):
            at = text.find(word, at + 1)
            if at < 0:
                break
            if follows.match(text, at + len(word)):
                yield at


class _Walk:
    """Walks a text from quote to quote."""

    __slots__ = ("at", "left", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.left = MAX_SKIPS

    def outside(self, after: int) -> int | None:
        """Return the first position from here on that is outside quotes, comments and here-documents."""
        text = self.text
        while self.left:
            self.left -= 1
            sign = SIGN.search(text, self.at, after)
            if sign is None:
                return max(self.at, after)
            found = SKIP.match(text, sign.start())
            self.at = sign.end() if found is None else found.end()
            if found is None:
                continue
            if found.group() in {"'", '"'}:
                self.left = 0
            elif found.group(1):
                ends = re.compile(rf"\n\t*{found.group(1)}(?=\n|\Z)").search(text, self.at)
                if ends is None:
                    self.left = 0
                else:
                    self.at = ends.end()
        return None
