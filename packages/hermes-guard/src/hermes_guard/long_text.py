"""The parts of a text that are read when it is too long to be read as a whole: its ends, and what names a disaster."""

from collections.abc import Iterator

from hermes_guard import lazy_re as re

#: How much of each end of a text is read that is too long, and at most how many of its commands.
_EDGE, _EDGE_COMMANDS = 4096, 60
#: What hides a text from the shell is looked for this often.
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
#: What a command holds that can be refused, and what follows then. Plain words are searched for in no time.
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
#: How often each of them is looked at, how many pieces are read, and how far one reaches around it.
_MOST_HITS, _MOST_PIECES, _AROUND = 2_000, 24, 200


def edges(text: str) -> list[tuple[int, str]]:
    """The beginning and the end of a text, each with its place. The end is left out when it lies in quotes."""
    breaks = [found.end() for found in _BREAK.finditer(text, 0, _EDGE)]
    head = breaks[_EDGE_COMMANDS] if len(breaks) > _EDGE_COMMANDS else _EDGE
    start = max(0, len(text) - _EDGE)
    breaks = [found.end() for found in _BREAK.finditer(text, start)]
    at = _Walk(text).outside(breaks[-_EDGE_COMMANDS] if len(breaks) > _EDGE_COMMANDS else start)
    return [(0, text[:head])] + ([] if at is None else [(at, text[at:])])


def deadly(text: str) -> list[tuple[int, str]]:
    """Commands anywhere in a text that name what can be refused and stand in no quotes, each once, with its place."""
    walk = _Walk(text)
    found: dict[str, int] = {}
    for hit in sorted(_hits(text)):
        start = 1 + max(text.rfind(sign, max(0, hit - _AROUND), hit) for sign in ";&|\n")
        if not start and hit > _AROUND:
            # It stands far behind the start of its command, whatever that is.
            continue
        behind = _BREAK.search(text, hit, hit + _AROUND)
        piece = text[start : behind.start() if behind else hit + _AROUND]
        if piece in found:
            continue
        at = walk.outside(start)
        if at is None or len(found) >= _MOST_PIECES:
            break
        if at == start:
            found[piece] = start
    return [(start, piece) for piece, start in found.items()]


def _hits(text: str) -> Iterator[int]:
    """Where the words stand that make a command deadly, with what must follow them."""
    for word, follows in _DEADLY.items():
        at = -1
        for _ in range(_MOST_HITS):
            at = text.find(word, at + 1)
            if at < 0:
                break
            if follows.match(text, at + len(word)):
                yield at


class _Walk:
    """A text on its way from quote to quote."""

    __slots__ = ("at", "left", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.left = MAX_SKIPS

    def outside(self, after: int) -> int | None:
        """The first place from this one on that is in no quotes, no comment and no here-document."""
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
