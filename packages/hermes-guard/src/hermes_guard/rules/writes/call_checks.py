"""Checks whether the subcommands and options of a call change something."""

from collections.abc import Callable
from fnmatch import fnmatchcase
from typing import NamedTuple

from hermes_guard.argv import Options, Spec

CallCheck = Callable[[Options], bool]


class Order(NamedTuple):
    """The options of a program, and the check that decides whether a call changes something."""

    spec: Spec
    wanted: CallCheck


def order(wanted: CallCheck, names: str = "", *, single: bool = False, posix: bool = False) -> Order:
    """Combine a check with a program's options, which are written as for a `Spec`."""
    return Order(Spec(names, single=single, posix=posix), wanted)


def always(_: Options) -> bool:
    """Match every call."""
    return True


def anything(options: Options) -> bool:
    """Match every call with an operand."""
    return bool(options.operands)


def says(*phrases: str) -> CallCheck:
    """Match calls whose operands start with one of these phrases; a `*` in a word matches any text."""
    split = [phrase.split() for phrase in phrases]

    def matches(options: Options) -> bool:
        texts = [word.raw for word in options.operands[:4]]
        return any(
            len(texts) >= len(phrase) and all(map(fnmatchcase, texts, phrase))  # shortest: the phrase
            for phrase in split
        )

    return matches


def has_option(names: str) -> CallCheck:
    """Match calls with one of these options."""
    split = names.split()
    return lambda options: options.has(*split)


def starts(*prefixes: str) -> CallCheck:
    """Match calls with an option that has one of these prefixes."""
    return lambda options: any(name.startswith(prefixes) for name, _ in options.given)


def either(*parts: CallCheck) -> CallCheck:
    """Match calls that satisfy one of these checks."""
    return lambda options: any(part(options) for part in parts)


def unless(names: str, part: CallCheck) -> CallCheck:
    """Match calls that satisfy this check and have none of these options."""
    split = names.split()
    return lambda options: not options.has(*split) and part(options)
