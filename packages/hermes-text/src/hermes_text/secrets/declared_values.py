"""Decides which parts of a configured value are secrets, and under which name they are masked.

Values that a program declares as secrets are hidden wherever they appear, except where that would only damage texts:

- Values of fewer than 6 characters, and words such as `localhost` or `production`, are not hidden.
- Values of fewer than 8 characters, numbers and short words are hidden as whole words only, and not in encodings.
- A variable is no secret when its value is a path or a URL without a password, or when its name ends in a word such as
  `URL`, `HOST`, `REGION` or `MODEL`, unless a part of the value looks generated.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import unquote, urlsplit

from hermes_text.secrets.formats import has_generated_run, is_guessable
from hermes_text.secrets.secret_names import looks_secret

__all__ = ["SHORTEST", "certain_secrets", "is_trivial", "names_secret", "secrets_in", "secrets_in_variable"]

SHORTEST = 6
_SHORTEST_CERTAIN = 8

_PATH = re.compile(r"(?:~|\.{1,2})?/|[A-Za-z]:[\\/]")
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_SECRET_NAME = re.compile(
    r"(?:^|_)(?:secret|token|password|passwd|passphrase|apikey|credentials?)(?:_|$)", re.IGNORECASE
)
_PLAIN_NAME = re.compile(
    r"(?:^|_)(?:url|uri|host|hostname|port|region|zone|model|user|username|path|dir|directory|home|file|name|endpoint|env"
    r"|environment|level|mode|lang|locale|tz|timezone|email|project|org|organization|backend|provider|version)$",
    re.IGNORECASE,
)
_TRIVIAL = frozenset(
    """
    anonymous changeme default development disabled enabled example localhost nothing password placeholder private
    production public secret staging string testing undefined unknown unlimited username 127.0.0.1 0.0.0.0
    """.split()  # noqa: SIM905 - a list of twenty lines would bury the code around it
)


def secrets_in(name: str, value: str) -> Iterator[tuple[str, str]]:
    """Yield a value that is a secret and, where it has several, its lines, each with the name for its mask."""
    for part in {value.strip(), *(line.strip() for line in value.splitlines())}:
        if not is_trivial(part):
            yield part, _label(name)


def secrets_in_variable(name: str, value: str) -> Iterator[tuple[str, str]]:
    """Yield the secrets in the value of a variable that a tool requires."""
    value = value.strip()
    if _URL.match(value):
        passwords = _passwords_in(value)
        is_secret = bool(passwords) or has_generated_run(value)
        for password in passwords:
            yield from secrets_in(name, password)
    else:
        is_plain = _PLAIN_NAME.search(name) or _PATH.match(value)
        is_secret = not is_plain or has_generated_run(value)
    if is_secret:
        yield from secrets_in(name, value)


def certain_secrets(name: str, value: str, *, named: bool) -> Iterator[tuple[str, str]]:
    """Yield the lines of a value that are certainly secrets, for masks in text that a model may write back.

    Args:
        name: The name of the value.
        value: The value.
        named: True when the name indicates a secret; otherwise the value must look generated.
    """
    for line in map(str.strip, value.splitlines()):
        is_url = _URL.match(line) is not None
        if not is_url and _PATH.match(line) and not has_generated_run(line):
            continue
        for part in (_passwords_in(line) - {line}) if is_url else (line,):
            if (
                len(part) >= _SHORTEST_CERTAIN
                and not is_guessable(part)
                and (named or is_url or has_generated_run(part))
            ):
                yield part, _label(name)


def names_secret(name: str) -> bool:
    """Return True when the name of a variable indicates a secret."""
    return looks_secret(name) or _SECRET_NAME.search(name) is not None


def is_trivial(value: str) -> bool:
    """Return True for a value that occurs in many texts: short, a common word, one repeated character."""
    plain = value.lower().partition(":")[0]
    return len(value) < SHORTEST or plain in _TRIVIAL or len(set(value)) == 1


def _passwords_in(url: str) -> set[str]:
    try:
        password = urlsplit(url).password
    except ValueError:
        return {url}  # not a URL
    return {password, unquote(password)} if password else set()


def _label(name: str) -> str:
    """Return a name with the characters that a mask may contain."""
    return re.sub(r"[^\w.-]", "_", name, flags=re.ASCII)[:80]
