"""Orders: whether the words after a program's name tell it to do one of these things."""

from collections.abc import Callable, Sequence

#: Judges the words after the name of a program.
Told = Callable[[Sequence[str]], bool]
_Phrase = tuple[frozenset[str], ...]


def operands(words: Sequence[str]) -> list[str]:
    """The words that are no options."""
    return [word for word in words if not word.startswith("-")]


def starts(*phrases: str) -> Told:
    """Told when the operands start with one of these phrases; `a|b` is a choice, `*` is any word."""
    known = [_phrase(text) for text in phrases]

    def told(words: Sequence[str]) -> bool:
        found = operands(words)
        return any(_stands(phrase, found, 0) for phrase in known)

    return told


def says(*phrases: str) -> Told:
    """Told when one of these phrases stands anywhere among the operands: values of options may come first."""
    known: dict[str, list[_Phrase]] = {}
    for text in phrases:
        phrase = _phrase(text)
        for word in phrase[0]:
            known.setdefault(word, []).append(phrase)

    def told(words: Sequence[str]) -> bool:
        found = operands(words)
        return any(_stands(phrase, found, place) for place, word in enumerate(found) for phrase in known.get(word, ()))

    return told


def gives(*options: str) -> Told:
    """Told when one of these options is given, alone or as `--name=value`."""
    known = frozenset(options)
    return lambda words: any(word.partition("=")[0] in known for word in words)


def either(*ways: Told) -> Told:
    """Told when one of these ways is."""
    return lambda words: any(told(words) for told in ways)


def both(*ways: Told) -> Told:
    """Told when all of these ways are."""
    return lambda words: all(told(words) for told in ways)


def folded(told: Told) -> Told:
    """The same for a program that does not tell capitals from small letters."""
    return lambda words: told([word.lower() for word in words])


def anything(words: Sequence[str]) -> bool:
    """Told by any words."""
    return bool(words)


def always(_: Sequence[str]) -> bool:
    """Told by its name alone."""
    return True


def _phrase(text: str) -> _Phrase:
    return tuple(frozenset(word.split("|")) for word in text.split())


def _stands(phrase: _Phrase, words: list[str], place: int) -> bool:
    if place + len(phrase) > len(words):
        return False
    return all(words[place + number] in choice or "*" in choice for number, choice in enumerate(phrase))
