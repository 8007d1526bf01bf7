"""Checks whether arguments make a program change something instead of only listing or showing it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from hermes_guard import lazy_re as re
from hermes_guard.argv import Options, Spec, parse_words
from hermes_guard.name_sets import names
from hermes_guard.rules.family import Rule, abbreviate
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import Word
from hermes_guard.verdict import Finding


class Arguments:
    """The arguments of a command, separated into plain words and flags."""

    __slots__ = ("args", "flags", "texts", "words")

    def __init__(self, args: tuple[Word, ...]) -> None:
        self.args = args
        self.texts = [word.raw for word in args]
        self.words = [text for text in self.texts if text[:1] != "-"]
        self.flags = [text for text in self.texts if text[:1] == "-"]

    def folded(self) -> "Arguments":
        """Return the same in lower case."""
        return Arguments(tuple(Word(word.raw.lower(), word.source, word.span) for word in self.args))

    @property
    def verb(self) -> str:
        """The first plain word, or an empty string."""
        return self.words[0] if self.words else ""

    @property
    def letters(self) -> set[str]:
        """The short flags, including packed ones."""
        return set("".join(flag[1:] for flag in self.flags if not flag.startswith("--")))

    @property
    def helps(self) -> bool:
        """True when the command only prints its help or version."""
        asked = not {"--help", "--version", "-help"}.isdisjoint(self.texts[:2])
        return asked or self.texts[:1] == ["help"] or self.texts[-1:] in (["--help"], ["--version"])


@dataclass(frozen=True, slots=True)
class Check:
    """A check of the arguments. Checks combine with `&`, `|` and `~`."""

    holds: Callable[[Arguments], bool]

    def __and__(self, other: "Check") -> "Check":
        return Check(lambda given: self.holds(given) and other.holds(given))

    def __or__(self, other: "Check") -> "Check":
        return Check(lambda given: self.holds(given) or other.holds(given))

    def __invert__(self) -> "Check":
        return Check(lambda given: not self.holds(given))


#: Any arguments.
ALWAYS = Check(lambda _: True)
#: At least one argument.
ANY = Check(lambda given: bool(given.texts))


def words(number: int) -> Check:
    """Require at least this many plain words."""
    return Check(lambda given: len(given.words) >= number)


def verb(text: str) -> Check:
    """Require one of these as the first plain word."""
    known = names(text)
    return Check(lambda given: given.verb in known)


def verb_starts(text: str) -> Check:
    """Require a first plain word that starts with one of these."""
    starts = tuple(text.split())
    return Check(lambda given: given.verb.startswith(starts))


def first(text: str) -> Check:
    """Require one of these as the first argument."""
    known = names(text)
    return Check(lambda given: bool(given.texts) and given.texts[0] in known)


def any_word(text: str) -> Check:
    """Require one of these among the plain words."""
    known = names(text)
    return Check(lambda given: not known.isdisjoint(given.words))


def mentions(text: str) -> Check:
    """Require one of these among the arguments, ignoring case as Windows programs and disk controllers do."""
    known = names(text)
    return Check(lambda given: any(each.lower() in known for each in given.texts))


def second(text: str) -> Check:
    """Require one of these as the second plain word, after a noun."""
    known = names(text)
    return Check(lambda given: len(given.words) > 1 and given.words[1] in known)


def assigns() -> Check:
    """Require a plain word that contains a `=`."""
    return Check(lambda given: any("=" in text for text in given.words))


def flag(text: str) -> Check:
    """Require one of these flags, written with their dashes."""
    known = names(text)
    return Check(lambda given: not known.isdisjoint(given.flags))


def flag_starts(text: str) -> Check:
    """Require a flag that starts with one of these, which include the dashes."""
    starts = tuple(text.split())
    return Check(lambda given: any(flag.startswith(starts) for flag in given.flags))


def flag_like(pattern: str) -> Check:
    """Require a flag whose beginning, with the dashes, matches the pattern."""
    like = re.compile(pattern)
    return Check(lambda given: any(like.match(flag) for flag in given.flags))


def letter(letters: str) -> Check:
    """Require one of these short flags, alone or combined with others."""
    known = set(letters)
    return Check(lambda given: not known.isdisjoint(given.letters))


def subcommand(spec: Spec, text: str) -> Check:
    """Require one of these as the first operand, after parsing the program's options."""
    known = names(text)
    return Check(lambda given: parse_words(given.args, spec).subcommand() in known)


def option(spec: Spec, text: str) -> Check:
    """Require one of these options, after parsing the program's options."""
    known = tuple(text.split())
    return Check(lambda given: parse_words(given.args, spec).has(*known))


# Phrases: `a|b` is a choice, `*` is any word.

_Phrase = tuple[frozenset[str], ...]
Way = Check | Callable[[Sequence[str]], bool]
"""A check, or a function that judges all arguments as strings."""


def is_satisfied(way: Way, arguments: Arguments) -> bool:
    """Return True when the arguments satisfy a check or a function."""
    return way.holds(arguments) if isinstance(way, Check) else way(arguments.texts)


def ordered(command: Command, ways: Mapping[str, Way]) -> bool:
    """Return True when a command satisfies the check for its program in a table."""
    return is_satisfied(ways[command.program or ""], Arguments(command.args))


def operands(texts: Sequence[str]) -> list[str]:
    """Return the arguments that are not options."""
    return [text for text in texts if not text.startswith("-")]


def starts(*texts: str) -> Check:
    """Require plain words that start with one of these phrases."""
    known = [_phrase(text) for text in texts]
    return Check(lambda given: any(_stands(phrase, given.words, 0) for phrase in known))


def says(*texts: str) -> Check:
    """Require one of these phrases among the plain words; values of options may precede it."""
    known: dict[str, list[_Phrase]] = {}
    for text in texts:
        phrase = _phrase(text)
        for word in phrase[0]:
            known.setdefault(word, []).append(phrase)
    return Check(
        lambda given: any(
            _stands(phrase, given.words, place)
            for place, word in enumerate(given.words)
            for phrase in known.get(word, ())
        )
    )


def gives(*options: str) -> Check:
    """Require one of these options, alone or as `--name=value`."""
    known = frozenset(options)
    return Check(lambda given: any(text.partition("=")[0] in known for text in given.texts))


def either(*ways: Way) -> Check:
    """Require one of these checks to pass."""
    return Check(lambda given: any(is_satisfied(way, given) for way in ways))


def both(*ways: Way) -> Check:
    """Require all of these checks to pass."""
    return Check(lambda given: all(is_satisfied(way, given) for way in ways))


def folded(way: Way) -> Check:
    """Return the same check for a program that ignores case."""
    return Check(lambda given: is_satisfied(way, given.folded()))


def _phrase(text: str) -> _Phrase:
    return tuple(frozenset(word.split("|")) for word in text.split())


def _stands(phrase: _Phrase, found: list[str], place: int) -> bool:
    if place + len(phrase) > len(found):
        return False
    return all(found[place + number] in choice or "*" in choice for number, choice in enumerate(phrase))


def findings(rule: Rule, command: Command, changes: Mapping[str, Check], *, helps: bool = True) -> Iterator[Finding]:
    """Report the rule where the check for the program holds; with `helps`, not for a mere help request."""
    given = Arguments(command.args)
    if changes[command.program or ""].holds(given) and not (helps and given.helps):
        yield rule.found(command, path=abbreviate(command))


# Phrases of subcommands, such as `volume rm` or `acl token delete`, after parsing the options.

#: The maximum length of a phrase.
_MAX_WORDS = 4


def phrases(text: str) -> frozenset[str]:
    """Parse comma-separated phrases. `app (delete | rm)` stands for `app delete` and `app rm`."""
    found: set[str] = set()
    for phrase in text.split(","):
        before, _, choices = phrase.partition("(")
        for choice in choices.rstrip(") \n").split("|"):
            found.add(" ".join(f"{before} {choice}".split()))
    return frozenset(found - {""})


def begins(options: Options, known: frozenset[str]) -> bool:
    """Return True when the operands begin with one of these phrases."""
    said = ""
    for number in range(min(_MAX_WORDS, len(options.operands))):
        word = options.subcommand(number)
        said = f"{said} {word}" if said else word
        if said in known:
            return True
    return False


def beginning(options: Options, length: int = 3) -> str:
    """Return the first operands, as shown in a finding."""
    return " ".join(options.subcommand(number) for number in range(length)).strip()[:100]
