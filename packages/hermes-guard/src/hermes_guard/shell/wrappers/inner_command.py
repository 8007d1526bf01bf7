"""What a program runs that runs another command."""

from collections.abc import Sequence
from typing import NamedTuple

from hermes_guard.argv.options import Options, Spec, parse_words
from hermes_guard.name_sets import names as _names
from hermes_guard.shell.command import Wrapper
from hermes_guard.shell.word import Word

#: Programs that may do what is refused, or run what does.
POWERFUL = _names(
    "rm dd reboot shutdown poweroff halt init telinit systemctl loginctl mkfs mke2fs wipefs blkdiscard shred kill "
    "killall killall5 pkill find chmod chown mv sh bash dash zsh ksh ash fish busybox toybox python python3 perl ruby "
    "node php sudo doas env exec eval nohup nice timeout xargs setsid tee cp su nsenter unshare chroot sgdisk parted "
    "fdisk kexec"
)
#: Of these, the ones that only start another.
_STARTERS = _names("sudo doas env exec nohup nice timeout xargs setsid su nsenter unshare chroot")
#: They only print the words behind them.
_PRINTERS = _names("echo printf grep rg man which type whatis apropos git ls cat less test true")
#: How many options of one command may be unknown before nobody knows where its words begin.
_MAX_UNKNOWN = 3


class InnerCommand(NamedTuple):
    """What a wrapper runs: words, or code for a shell."""

    wrapper: Wrapper
    words: tuple[Word, ...] = ()
    code: Word | None = None
    #: A new environment or user: home and folder are not ours.
    assignments: tuple[Word, ...] = ()
    #: The folder it runs in, when the wrapper changes that.
    folder: Word | None = None
    #: The wrapper has read the input, and the command has none of it.
    consumes_stdin: bool = False


def posix(names: str) -> Spec:
    """Options that end at the first operand: what follows belongs to the inner command."""
    return Spec(names, posix=True)


def join(words: Sequence[Word]) -> Word:
    """Several words as the one text that a shell is given."""
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
    """The commands that may be meant besides the obvious one, where options are unknown that might take a value.

    `wrapper --new-option x rm -rf d` runs `rm` if the option takes `x`, and `x` if it takes nothing.
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
    """How many options without a value nobody knows."""
    return sum(value is None and name in options.unknown for name, value in options.given)


def name_of(word: Word) -> str:
    """The program that a word names."""
    return word.raw.rsplit("/", 1)[-1]


def is_powerful(word: Word) -> bool:
    """True when a word names a program that may do what is refused."""
    name = name_of(word)
    return name in POWERFUL or name.startswith("mkfs.")


def powerful(words: Sequence[Word]) -> tuple[Word, ...]:
    """The rest of the words from the first on that names a powerful program which runs nothing else."""
    for place, word in enumerate(words):
        if name_of(word) in _PRINTERS:
            break
        if is_powerful(word) and name_of(word) not in _STARTERS:
            return tuple(words[place:])
    return ()
