"""Tells changing from listing by a program's verbs and flags, for the families about a machine's own programs."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from hermes_guard.argv import Spec, parse_words
from hermes_guard.rules.family import Rule
from hermes_guard.rules.words import names, shown
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import Word
from hermes_guard.verdict import Finding


class Arguments:
    """The arguments of a command, sorted into plain words and flags."""

    __slots__ = ("args", "flags", "texts", "words")

    def __init__(self, args: tuple[Word, ...]) -> None:
        self.args = args
        self.texts = [word.raw for word in args]
        self.words = [text for text in self.texts if text[:1] != "-"]
        self.flags = [text for text in self.texts if text[:1] == "-"]

    @property
    def verb(self) -> str:
        """The first plain word, or an empty text."""
        return self.words[0] if self.words else ""

    @property
    def letters(self) -> set[str]:
        """The short flags, also where several are packed into one word."""
        return set("".join(flag[1:] for flag in self.flags if not flag.startswith("--")))

    @property
    def helps(self) -> bool:
        """True when it only prints its help or version."""
        asked = not {"--help", "--version", "-help"}.isdisjoint(self.texts[:2])
        return asked or self.texts[:1] == ["help"] or self.texts[-1:] in (["--help"], ["--version"])


@dataclass(frozen=True, slots=True)
class Check:
    """A question about arguments. Checks combine with `&`, `|` and `~`."""

    holds: Callable[[Arguments], bool]

    def __and__(self, other: "Check") -> "Check":
        return Check(lambda given: self.holds(given) and other.holds(given))

    def __or__(self, other: "Check") -> "Check":
        return Check(lambda given: self.holds(given) or other.holds(given))

    def __invert__(self) -> "Check":
        return Check(lambda given: not self.holds(given))


#: Whatever the arguments are.
ALWAYS = Check(lambda _: True)
#: At least one argument.
ANY = Check(lambda given: bool(given.texts))


def words(number: int) -> Check:
    """At least so many plain words."""
    return Check(lambda given: len(given.words) >= number)


def verb(text: str) -> Check:
    """The first plain word is one of these."""
    known = names(text)
    return Check(lambda given: given.verb in known)


def verb_starts(text: str) -> Check:
    """The first plain word starts with one of these."""
    starts = tuple(text.split())
    return Check(lambda given: given.verb.startswith(starts))


def first(text: str) -> Check:
    """The first argument is one of these."""
    known = names(text)
    return Check(lambda given: bool(given.texts) and given.texts[0] in known)


def any_word(text: str) -> Check:
    """One of the plain words is one of these."""
    known = names(text)
    return Check(lambda given: not known.isdisjoint(given.words))


def says(text: str) -> Check:
    """One of the arguments is one of these, in capitals or not, as programs of Windows and of controllers take them."""
    known = names(text)
    return Check(lambda given: any(each.lower() in known for each in given.texts))


def second(text: str) -> Check:
    """The second plain word is one of these: a noun stands before it."""
    known = names(text)
    return Check(lambda given: len(given.words) > 1 and given.words[1] in known)


def assigns() -> Check:
    """One of the plain words holds a `=`."""
    return Check(lambda given: any("=" in text for text in given.words))


def flag(text: str) -> Check:
    """One of the flags is one of these, dashes included."""
    known = names(text)
    return Check(lambda given: not known.isdisjoint(given.flags))


def flag_starts(text: str) -> Check:
    """One of the flags starts with one of these, dashes included."""
    starts = tuple(text.split())
    return Check(lambda given: any(flag.startswith(starts) for flag in given.flags))


def flag_like(pattern: str) -> Check:
    """One of the flags starts with what the pattern describes, dashes included."""
    like = re.compile(pattern)
    return Check(lambda given: any(like.match(flag) for flag in given.flags))


def letter(letters: str) -> Check:
    """One of these short flags is given, alone or packed."""
    known = set(letters)
    return Check(lambda given: not known.isdisjoint(given.letters))


def subcommand(spec: Spec, text: str) -> Check:
    """The first operand is one of these, read as the program reads its options."""
    known = names(text)
    return Check(lambda given: parse_words(given.args, spec).subcommand() in known)


def option(spec: Spec, text: str) -> Check:
    """One of these options is given, read as the program reads them."""
    known = tuple(text.split())
    return Check(lambda given: parse_words(given.args, spec).has(*known))


def findings(rule: Rule, command: Command, changes: Mapping[str, Check], *, helps: bool = True) -> Iterator[Finding]:
    """A finding where the check of the program holds; with `helps`, not for a command that only asks for help."""
    given = Arguments(command.args)
    if changes[command.program or ""].holds(given) and not (helps and given.helps):
        yield rule.found(command, path=shown(command))
