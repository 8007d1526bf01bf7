"""Finds keys and passwords by their format, without matching ordinary code or prose."""

from __future__ import annotations

import json
import re
from base64 import urlsafe_b64decode
from binascii import Error as NotBase64
from collections.abc import Iterable, Iterator
from functools import cache
from typing import AnyStr, NamedTuple
from urllib.parse import unquote

from hermes_text.secrets.keys import EXACT, NAMED, WHOLE
from hermes_text.secrets.prefilter import flat, long_words

__all__ = ["Span", "find_formats", "is_guessable", "looks_random"]


class Span(NamedTuple):
    """The position of a secret in a text, and its kind."""

    start: int
    end: int
    kind: str


_SHORTEST = 20
"""The length of the shortest key, the id of an AWS access key."""


def _by_needle(rows: Iterable[tuple[str, str, str]]) -> tuple[tuple[str, bytes, bytes], ...]:
    return tuple((kind, each.encode(), tail.encode()) for kind, needles, tail in rows for each in needles.split(" "))


_PREFIXES, _NAMES = _by_needle(EXACT), _by_needle(NAMED)

_DISCORD = rb"(?<![\w.-])[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,40}(?![\w-])"
_JWT = rb"eyJ[\w-]{8,1000}+\.[\w-]{8,8000}+\.[\w-]{16,1500}+(?:\.[\w-]{16,4000}){0,2}"
_PASSWORD = rb"://[^\s/?#:@\"'<>`]{0,100}+:([^\s/@\"'<>`]{6,200}+)@([\w.-]{0,255}+)"
_NO_HOST = rb"(?i)(?:.*\.)?(?:example|test|invalid)(?:\.\w+)?\.?"

_SHORTEST_PASSWORD = 6
_LONGEST_WORD = 20
_LONG_RUN = r"[A-Za-z0-9]{12,}"
_EXAMPLE = r"(?i)example|placeholder|your|x{4,}|dummy|redact|[*.]{3}|^[$<%{]"
_IN_TEMPLATES = r"[${}<>\[\]():,]|%[(s]"
_WEAK = (
    r"(?i)(?:my|the|some|super|very|db|user|name|pass|word|wd|phrase|pwd|secret|admin|root|changeme|test|foo|bar|baz|token|key"
    r"|guest|default|postgres|mysql|redis|mongo|rabbit|qwerty|abc|[_-])+[0-9!]{0,6}"
)


def _in_any_case(words: str) -> str:
    return "|".join(f"{word}|{word.upper()}|{word.title()}" for word in words.split())


_PLACEHOLDER = (
    _in_any_case("example sample placeholder dummy redact insert changeme replace token secret foobar")
    + r"|[xX]{6,}|[*.]{3}|[${}<>\[\]]|%[({s]|01234567|12345678|abcdefgh|ABCDEFGH|98765432|87654321|(.)\1{5}"
)
# Short words, which occur in some keys by chance.
_SHORT_PLACEHOLDER = _in_any_case("your here test fake xxxx")
_TURNS = r"[A-Za-z](?=[0-9])|[0-9](?=[A-Za-z])"
_IRREGULAR = r"[A-Z](?=[A-Z]|[a-z][A-Z])"
_HUMPS = r"[a-z](?=[A-Z])"
_SEPARATORS = str.maketrans("", "", "-_.~/+=% ")
_DISTINCT = 4
_CHECKED = 64
"""How many characters of a value are checked: in more, words would occur by chance."""


def looks_random(value: str) -> bool:
    """True when a value looks generated: no word, no placeholder, no counting."""
    if _compiled(_PLACEHOLDER).search(value, 0, _CHECKED):
        return False
    core = value.translate(_SEPARATORS)
    turns, irregular, humps = (len(_compiled(each).findall(core)) for each in (_TURNS, _IRREGULAR, _HUMPS))
    if 4 * (turns + irregular) < len(core) and _compiled(_SHORT_PLACEHOLDER).search(value, 0, _CHECKED):
        return False
    is_mixed = turns >= 3 or irregular >= 2 or (turns + irregular >= 1 and turns + irregular + humps >= 4)
    return is_mixed and len(set(core)) >= _DISTINCT


def find_formats(text: str) -> Iterator[Span]:
    """Find secrets by their format, in any order; spans may overlap."""
    data = flat(text)
    words = long_words(data, _SHORTEST)
    if words:
        yield from _find_prefixed(data, words)
        if b"eyJ" in words:
            yield from _find_jwts(data)
        if b"." in words and _compiled(_DISCORD).search(words):
            yield from _find_discord(data)
        yield from _find_named(data)
    if b"://" in data:
        yield from _find_passwords(text, data)
    if b"PRIVATE KEY" in data:
        yield from _find_private_keys(data)


def _find_prefixed(data: bytes, words: bytes) -> Iterator[Span]:
    for kind, needle, tail in _PREFIXES:
        if needle not in words:
            continue
        at = data.find(needle)
        while at >= 0:
            end = at + len(needle)
            found = None if _in_word(data, at) else _compiled(tail).match(data, end)
            if found is not None:
                end = found.end()
                if looks_random(found[0].decode()):
                    yield Span(at, end, kind)
            at = data.find(needle, end)


def _find_named(data: bytes) -> Iterator[Span]:
    for kind, needle, tail in _NAMES:
        at = data.find(needle)
        while at >= 0:
            found = _compiled(tail).match(data, at + len(needle))
            if found is not None:
                start = found.start(1) - WHOLE.get(kind, 0)
                if looks_random(data[start : found.end(1)].decode()):
                    yield Span(start, found.end(1), kind)
            at = data.find(needle, at + len(needle))


def _find_jwts(data: bytes) -> Iterator[Span]:
    at = data.find(b"eyJ")
    while at >= 0:
        found = None if _in_word(data, at) else _compiled(_JWT).match(data, at)
        if found is not None and _is_jwt_header(found[0].partition(b".")[0]):
            yield Span(at, found.end(), "jwt")
        at = data.find(b"eyJ", found.end() if found else at + 3)


def _is_jwt_header(part: bytes) -> bool:
    try:
        header = json.loads(urlsafe_b64decode(part + b"=" * (-len(part) % 4)))
    except (NotBase64, ValueError, RecursionError):
        return False
    return isinstance(header, dict) and "alg" in header


def _find_discord(data: bytes) -> Iterator[Span]:
    for found in _compiled(_DISCORD).finditer(data):
        user, _, rest = found[0].partition(b".")
        if looks_random(rest.decode()) and (looks_random(user.decode()) or _is_number(user)):
            yield Span(found.start(), found.end(), "discord-token")


def _is_number(part: bytes) -> bool:
    try:
        return urlsafe_b64decode(part + b"=" * (-len(part) % 4)).isdigit()
    except NotBase64:
        return False


def _find_passwords(text: str, data: bytes) -> Iterator[Span]:
    at = data.find(b"://")
    while at >= 0:
        found = _compiled(_PASSWORD).match(data, at)
        if found is not None and not _compiled(_NO_HOST).fullmatch(found[2]):
            start, end = found.span(1)
            password = unquote(text[start:end])
            if not _compiled(_IN_TEMPLATES).search(password) and not is_guessable(password):
                yield Span(start, end, "url-password")
        at = data.find(b"://", at + 3)


def has_generated_run(value: str) -> bool:
    """True when a part of a value looks generated."""
    return any(looks_random(run) for run in _compiled(_LONG_RUN).findall(value))


def is_guessable(password: str) -> bool:
    """True when a password is one that examples use: short, a word, a number, a placeholder."""
    core = password.translate(_SEPARATORS)
    if len(password) < _SHORTEST_PASSWORD or core.isdigit() or _compiled(_EXAMPLE).search(password):
        return True
    if core.isalpha() and (core.islower() or core.isupper() or core.istitle()):
        return len(core) < _LONGEST_WORD
    return _compiled(_WEAK).fullmatch(password.replace("@", "a")) is not None


# -- private keys ----------------------------------------------------------------------------------------------------

_PEM_LINE = rb"-----(BEGIN|END) [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
# Not the "n" of an escaped line break, and not a line number of `read_file`.
_PEM_RUN = rb"(?<!\\)[A-Za-z0-9+/=]{4,}+(?!\|)"
_PEM_PROOF = rb"(?=[a-z+/0-9=]*[A-Z])(?=[A-Z+/0-9=]*[a-z])(?=[A-Za-z+/=]*[0-9])[A-Za-z0-9+/=]{40}"
_PEM_REACH = 16_384
"""The maximum length of a private key; a more distant END line belongs to something else."""
_PEM_LINE_LEAST = 16
_PEM_GAP = 24
"""The maximum length of the text between two lines of a key: indentation, quotes, a line number."""


def _find_private_keys(data: bytes) -> Iterator[Span]:
    """Find the text between BEGIN and END, or beside the only one of them."""
    lines = list(_compiled(_PEM_LINE).finditer(data))
    is_closed = False
    for number, line in enumerate(lines):
        if line[1] == b"BEGIN":
            after = lines[number + 1] if number + 1 < len(lines) else None
            low = line.end()
            high = min(after.start() if after else len(data), low + _PEM_REACH)
            is_closed = after is not None and after[1] == b"END" and after.start() == high
            runs = [found.span() for found in _compiled(_PEM_RUN).finditer(data, low, high)]
            if not is_closed:
                runs = _adjacent(runs, low)
        elif is_closed:
            is_closed = False
            continue
        else:
            low = max(lines[number - 1].end() if number else 0, line.start() - _PEM_REACH)
            runs = [found.span() for found in _compiled(_PEM_RUN).finditer(data, low, line.start())]
            runs = [(-end, -start) for start, end in _adjacent([(-b, -a) for a, b in reversed(runs)], -line.start())]
            runs.reverse()
        if runs and _compiled(_PEM_PROOF).search(data, runs[0][0], runs[-1][1]):
            yield Span(runs[0][0], runs[-1][1], "private-key")


def _adjacent(runs: list[tuple[int, int]], edge: int) -> list[tuple[int, int]]:
    """Return the consecutive lines of a key from an edge; only the first may be short."""
    found: list[tuple[int, int]] = []
    for start, end in runs:
        if start - edge > _PEM_GAP or (found and end - start < _PEM_LINE_LEAST):
            break
        found.append((start, end))
        edge = end
    return found


# -- parts -----------------------------------------------------------------------------------------------------------


def _in_word(data: bytes, at: int) -> bool:
    return at > 0 and (data[at - 1 : at].isalnum() or data[at - 1] == 95)


@cache
def _compiled(pattern: AnyStr) -> re.Pattern[AnyStr]:
    # Compiled when first needed: most formats never occur.
    return re.compile(pattern, re.ASCII)
