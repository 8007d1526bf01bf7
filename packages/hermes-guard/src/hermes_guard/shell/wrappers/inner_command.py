"""Describes the inner command of a wrapper, and finds it when options are unknown."""

from collections.abc import Sequence
from typing import NamedTuple

from hermes_guard.argv.options import Options, Spec, parse_words
from hermes_guard.name_sets import names as _names
from hermes_guard.shell.command import Wrapper
from hermes_guard.shell.word import Word

#: Programs that may do what is refused, or run a program that does.
POWERFUL = _names(
    "rm dd reboot shutdown poweroff halt init telinit systemctl loginctl mkfs mke2fs wipefs blkdiscard shred kill "
    "killall killall5 pkill find chmod chown mv sh bash dash zsh ksh ash fish busybox toybox python python3 perl ruby "
    "node php sudo doas env exec eval nohup nice timeout xargs setsid tee cp su nsenter unshare chroot sgdisk parted "
    "fdisk kexec"
)
#: Of these, the ones that only start another program.
_STARTERS = _names("sudo doas env exec nohup nice timeout xargs setsid su nsenter unshare chroot")
#: Programs that only print their arguments.
_PRINTERS = _names("echo printf grep rg man which type whatis apropos git ls cat less test true")
#: With more unknown options, the start of the command is uncertain.
_MAX_UNKNOWN = 3


class InnerCommand(NamedTuple):
    """What a wrapper runs: words, or code for a shell."""

    wrapper: Wrapper
    words: tuple[Word, ...] = ()
    code: Word | None = None
    #: A new environment or user: the home and the directory are different.
    assignments: tuple[Word, ...] = ()
    #: The directory it runs in, when the wrapper changes that.
    folder: Word | None = None
    #: The wrapper consumes the input, so the command gets none of it.
    consumes_stdin: bool = False


def posix(names: str) -> Spec:
    """Return a `Spec` whose options end at the first operand: the rest belongs to the inner command."""
    return Spec(names, posix=True)


def join(words: Sequence[Word]) -> Word:
    """Join words to the text that a shell receives."""
    first = words[0]
    if len(words) == 1:
        return first
    commands = tuple(command for word in words for command in word.commands)
    return Word(
        " ".join(word.raw for word in words), first.source, (first.span[0], words[-1].span[1]), commands=commands
    )


def alternatives(
    options: Options, words: Sequence[Word] | None = None, spec: Spec | None = None
) -> list[tuple[Word, ...]]:
    """Return other possible commands, where unknown options might take a value.

    `wrapper --new-option x rm -rf d` runs `rm` if the option takes `x`, and `x` if it takes no value.
    """
    if not options.unknown:
        return []
    found: list[tuple[Word, ...]] = []
    rest = options.operands if words is None else list(words)
    unknown = _open_ended(options)
    for _ in range(_MAX_UNKNOWN):
        if not unknown or len(rest) < 2 or name_of(rest[0]) in _PRINTERS | POWERFUL:
            break
        unknown -= 1
        rest = rest[1:]
        if spec is not None and rest[0].raw.startswith("-"):
            more = parse_words(rest, spec)
            unknown += _open_ended(more)
            rest = more.operands
        if rest and is_powerful(rest[0]):
            found.append(tuple(rest))
    return found


def _open_ended(options: Options) -> int:
    """Return the number of unknown options without an attached value."""
    return sum(value is None and name in options.unknown for name, value in options.given)


def name_of(word: Word) -> str:
    """Return the program that a word names."""
    return word.raw.rsplit("/", 1)[-1]


def is_powerful(word: Word) -> bool:
    """Return True when a word names a program that may do what is refused."""
    name = name_of(word)
    return name in POWERFUL or name.startswith("mkfs.")


def powerful(words: Sequence[Word]) -> tuple[Word, ...]:
    """Return the words from the first program that may do what is refused and is not itself a wrapper."""
    for place, word in enumerate(words):
        if name_of(word) in _PRINTERS:
            break
        if is_powerful(word) and name_of(word) not in _STARTERS:
            return tuple(words[place:])
    return ()
