"""Parses options according to a short specification for each program."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hermes_guard.shell.command import Command
    from hermes_guard.shell.word import Word


class Spec:
    """The options of a program, as words: `r` and `recursive` are flags, `o=` takes a value, `i?` may hold one.

    `posix` ends options at the first operand, as sudo and ssh do. `single` reads `-name` as one long option, as find,
    openssl and terraform do. `bundle` reads a first word without a dash as packed flags, as tar and ps do.
    With `posix`, operands after the first are left to a subcommand, as git and docker need it.
    """

    __slots__ = ("__dict__", "bundle", "kinds", "numeric", "posix", "single")

    def __init__(
        self, names: str = "", *, posix: bool = False, single: bool = False, bundle: bool = False, numeric: bool = False
    ) -> None:
        self.kinds: dict[str, str] = {}
        for name in names.split():
            kind = name[-1] if name[-1] in "=?" and len(name) > 1 else ""
            self.kinds[name.removesuffix(kind) if kind else name] = kind
        self.posix, self.single, self.bundle = posix, single, bundle
        #: Options such as `-9` and `-20` are numeric, as in head, kill and nice.
        self.numeric = numeric

    @cached_property
    def long(self) -> tuple[str, ...]:
        """The long names, sorted."""
        return tuple(sorted(name for name in self.kinds if len(name) > 1))

    def full(self, name: str) -> str:
        """Return the full name of a long option that may be abbreviated, when only one fits."""
        if name in self.kinds or not name:
            return name
        fits = [known for known in self.long if known.startswith(name)]
        return fits[0] if len(fits) == 1 else name


@dataclass(slots=True)
class Options:
    """The options and operands of one argument vector."""

    #: Every option in order, with its value.
    given: list[tuple[str, "Word | None"]] = field(default_factory=list)
    operands: "list[Word]" = field(default_factory=list)
    #: Options that are missing from the specification.
    unknown: list[str] = field(default_factory=list)
    #: Words that may be options or operands, depending on values that are unknown until the command runs.
    uncertain: "list[Word]" = field(default_factory=list)
    #: Index of `--` among the operands, or None.
    dashes: int | None = None

    def has(self, *names: str) -> bool:
        """Return True when one of these options was given."""
        return bool(self.given) and any(name in names for name, _ in self.given)

    def value(self, *names: str) -> "Word | None":
        """Return the last value of these options."""
        for name, word in reversed(self.given):
            if name in names and word is not None:
                return word
        return None

    def values(self, *names: str) -> "list[Word]":
        """Return every value of these options."""
        return [word for name, word in self.given if name in names and word is not None]

    @property
    def helps(self) -> bool:
        """True when the command only prints its help or version."""
        return self.has("help", "version")

    def subcommand(self, number: int = 0) -> str:
        """Return the literal operand at this index, or an empty string."""
        return (self.operands[number].literal or "") if number < len(self.operands) else ""


def parse(command: "Command", spec: Spec) -> Options:
    """Return the options of a command."""
    return parse_words(command.args, spec)


def parse_words(words: "Sequence[Word]", spec: Spec) -> Options:
    """Return the options in these words, which exclude the program's name."""
    found = Options()
    kinds = spec.kinds
    index, size = 0, len(words)
    while index < size:
        word = words[index]
        text = word.raw
        index += 1
        dash = text[:1] == "-"
        if not (text.isascii() or word.certain) and (word.splits or not dash):
            found.uncertain.append(word)
        if not dash or text == "-":
            if spec.bundle and index == 1 and text.isalnum():
                index = _packed(text, word.tail(0), 0, words, index, spec, found)
                continue
            found.operands.append(word)
            if spec.posix:
                found.operands.extend(words[index:])
                break
            continue
        if text == "--":
            found.dashes = len(found.operands)
            found.operands.extend(words[index:])
            break
        if text[1] == "-" or (spec.single and _single(text, kinds)):
            start = 2 if text[1] == "-" else 1
            name, equals, _ = text[start:].partition("=")
            name = spec.full(name)
            kind = kinds.get(name)
            if kind is None:
                found.unknown.append(name)
            value: Word | None = None
            if equals:
                value = word.tail(text.index("=") + 1)
            elif kind == "=" and index < size:
                value = words[index]
                index += 1
            found.given.append((name, value))
            continue
        if spec.numeric and text[1:].isdigit():
            found.given.append((text[1:], None))
            continue
        index = _packed(text, word, 1, words, index, spec, found)
    return found


def _single(text: str, kinds: dict[str, str]) -> bool:
    name = text[1:].partition("=")[0]
    return len(name) > 1 or name in kinds


def _packed(
    text: str, word: "Word", start: int, words: "Sequence[Word]", index: int, spec: Spec, found: Options
) -> int:
    seen: set[str] = set()  # Packing a flag twice adds nothing, and one word could pack thousands.
    for place in range(start, len(text)):
        name = text[place]
        if name in seen:
            continue
        seen.add(name)
        kind = spec.kinds.get(name)
        if kind is None:
            found.unknown.append(name)
        if kind == "?" or (kind == "=" and place + 1 < len(text) and not spec.bundle):
            found.given.append((name, word.tail(place + 1) if place + 1 < len(text) else None))
            return index
        if kind == "=":
            value = words[index] if index < len(words) else None
            found.given.append((name, value))
            index += value is not None
            if not spec.bundle:
                return index
            continue
        found.given.append((name, None))
    return index
