"""Detect keys in URLs: whatever a model puts into a URL reaches a server and its logs."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from urllib.parse import unquote_plus

from hermes_net.errors import Refusal
from hermes_text.secrets.keys import LOOSE

_ALWAYS = re.compile(
    r"\w*(?:apikey|apisecret|apitoken|clientsecret|secretkey|secretaccesskey|privatekey|accesstoken|authtoken)"
    r"|\w*(?:bearertoken|privatetoken|appsecret|consumersecret|sharedsecret|webhooksecret|password|passwd|passphrase)"
    r"|pwd|secret|credentials?|authorization|bearer|refreshtoken|idtoken|sessiontoken|accesskey|subscriptionkey"
    r"|ocpapimsubscriptionkey"
)
"""Parameters that only hold secrets, without separators in their names."""

_SOMETIMES = frozenset(
    """
    key token auth jwt pat appkey authkey session sessionid bottoken securitytoken usertoken userkey signingkey
    encryptionkey masterkey servicekey accountkey adminkey deploykey licensekey personaltoken sharedaccesskey
    """.split()  # noqa: SIM905 - shorter than a list
)
"""Parameters that hold a secret if the value looks like one."""

_PUBLIC_HALVES = frozenset({"xamzcredential", "awsaccesskeyid", "googleaccessid", "xgoogcredential"})
"""Parameters of signed links that name the signer, which is not a secret."""
_WHO_SIGNED = re.compile(r"A[KS]IA[0-9A-Z]{16}")
_SIGNATURES = frozenset({"signature", "xamzsignature", "xgoogsignature"})

_Check = Callable[[str], bool]
_SEPARATORS = re.compile(r"[-_.\[\]\s]")
_PAIRS = re.compile(r"[&;]")
_ONE_WORD = re.compile(r"[\w.~+/=-]{16,}", re.ASCII)
_PART = re.compile(r"[A-Za-z0-9]{4,}+")
_RUN = re.compile(r"[A-Za-z0-9]{10,}+")
_NO_WORDS = re.compile(r"[0-9]|\w{16}")
_MAX_WORD = 23
_MIN_KEY = 16
_MAX_ESCAPES = 5
_SHORT_PASSWORD = re.compile(r"(?=\D*[0-9])(?=[^A-Za-z]*[A-Za-z])\S{6,}")
_PUBLIC_VALUE = re.compile(r"0x[0-9A-Fa-f]{40}")
"""The address of a contract or wallet, which is public."""
_PLACEHOLDER = re.compile(
    r"\W*|[{<$\[%].*|x{3,}|\*+|none|null|true|false|yes|no|[01]"
    r"|your[-_]?[a-z_-]*|demo(?:[-_]?(?:key|token))?|include|omit|same-origin",
    re.IGNORECASE,
)
"""Values in examples, demo keys, and the values of `credentials` in browsers."""
_SHORT_KEY = re.compile(
    r"(?<![A-Za-z0-9_-])(?:sk-|[sr]k_(?:live|test)_|gh[oprsu]_|github_pat_|glpat-|xox[abeprs]-|hf_|gsk_|pplx-|tvly-|npm_)"
    r"(?=[A-Za-z]*[0-9])(?=[0-9]*[A-Za-z])[A-Za-z0-9]{10,}+"
)
"""Keys that are shorter than real ones, in a form that no slug has."""
_SLUG = re.compile(
    r"(?:[A-Za-z]?[a-z]{0,19}|[A-Za-z]?[a-z0-9]{0,11}|[A-Z0-9]{1,8})"
    # The lookahead selects the kind of word, so a failed match does not backtrack into another kind.
    r"(?:[-_.~ +](?=(?:[A-Za-z]?[a-z]{0,19}|[A-Za-z]?[a-z0-9]{0,11}|[A-Z0-9]{1,8})(?![A-Za-z0-9]))[A-Za-z0-9]*+)*"
)
"""Words and numbers between hyphens, as in page names: `sk-something-long-2024` is a slug."""


_NAMED = (
    r"[0-9]{8}:AA[\w-]{30,}+",
    r"-----BEGIN [A-Z0-9 ]{0,40}?PRIVATE KEY",
    r"\b(?i:bearer|basic)[ \t]{1,4}[\w.~+/=-]{8,}+",
    r"(?i:passw(?:or)?d|passphrase|secret|token|credentials?|(?:api|access|private|secret)[_ -]?key)"
    r"[\"']?[ \t]{0,4}[:=][ \t]{0,4}[\"']?(?=[^\s0-9]{0,64}[0-9])[^\s\"'`,;&<>()\[\]{}\\]{6,}+",
    r"://[^\s/?#:@]*+:[^\s/@]++@",
)
"""Keys that are recognized by their context: bot tokens, headers, assignments, passwords in URLs."""


def require_no_keys(host: str, path: str, query: str, fragment: str, has_secret: _Check | None = None) -> None:
    """Require a URL without keys.

    Raises:
        Refusal: a parameter is named like a key, or something is formatted like one.
    """
    check = has_secret or _has_format_of_key
    pairs = [_pair(written) for written in _PAIRS.split(f"{query}&{fragment}")]
    is_signed = any(_plain(name) in _SIGNATURES and value for name, value in pairs)
    for name, value in pairs:
        plain = _plain(name)
        if _is_key(plain, value):
            raise Refusal("api_key", f"The parameter {name[:40]!r} of the URL looks like a key or password.")
        if is_signed and plain in _PUBLIC_HALVES:
            value = _WHO_SIGNED.sub("", value)  # noqa: PLW2901 - nothing else may hide there
        if _carries_key(value, check) or _carries_key(name, check):
            raise Refusal("api_key", "The URL carries something that looks like a key.")
    for segment in _segments(host, path):
        if any(map(_is_random, _RUN.findall(segment))) and not _SLUG.fullmatch(segment) and _has_key(segment, check):
            raise Refusal("api_key", "The URL carries something that looks like a key.")


def _segments(host: str, path: str) -> Iterator[str]:
    """Yield the parts of the host and path that are long enough for a key."""
    parts: Iterable[str] = (*host.split("."), *path.split("/"))
    return (_decoded(part) for part in parts if len(part) >= _MIN_KEY)


def _pair(written: str) -> tuple[str, str]:
    name, _, value = written.partition("=")
    return _decoded(name), _decoded(value)


def _plain(name: str) -> str:
    """Return the name of a parameter without separators, in lower case."""
    return _SEPARATORS.sub("", name).lower()


def _decoded(text: str) -> str:
    """Decode nested escapes, and normalize characters that only look different."""
    for _ in range(_MAX_ESCAPES):
        if "%" not in text and "+" not in text:
            break
        text = unquote_plus(text)
    if text.isascii():
        return text
    return "".join(filter(None, map(_visible_form, unicodedata.normalize("NFKC", text))))


def _visible_form(char: str) -> str:
    category = unicodedata.category(char)
    return "" if category == "Cf" else "-" if category == "Pd" else char


def _is_key(name: str, value: str) -> bool:
    if _ALWAYS.fullmatch(name):
        return _PLACEHOLDER.fullmatch(value) is None
    if name in ("pass", "pw"):  # `pass` is also a ticket
        return _SHORT_PASSWORD.fullmatch(value) is not None
    if (
        not (name in _SOMETIMES or name.endswith("secret"))
        or _ONE_WORD.fullmatch(value) is None
        or _PUBLIC_VALUE.fullmatch(value)
    ):
        return False
    return any(map(_is_no_word, _PART.findall(value)))


def _is_no_word(part: str) -> bool:
    """Return whether a run mixes letters and digits, or is longer than words are."""
    return len(part) > _MAX_WORD if part.isalpha() else not part.isdigit()


def _is_random(run: str) -> bool:
    """Return whether a run has unusual capitalization or is not a word."""
    return _is_no_word(run) or not (run.islower() or run.isupper() or run.istitle() or run.isdigit())


def _carries_key(value: str, check: _Check) -> bool:
    """Return whether a parameter contains a key; words alone do not."""
    if _SHORT_KEY.search(value):
        return True
    return bool(_NO_WORDS.search(value)) and not _is_title(value) and _has_key(value, check)


def _is_title(value: str) -> bool:
    """Return whether a value is a title that starts like a key."""
    return (
        value.startswith("sk-") and _SLUG.fullmatch(value) is not None and not any(map(_is_random, _RUN.findall(value)))
    )


def _has_key(text: str, check: _Check) -> bool:
    """Return whether a text contains a key."""
    return len(text) >= _MIN_KEY and check(text)


def _has_format_of_key(text: str) -> bool:
    return _formats().search(text) is not None


@cache
def _formats() -> re.Pattern[str]:
    keys = (rf"(?:{'|'.join(map(re.escape, starts.split()))}){rest}" for starts, rest in LOOSE)
    return re.compile("|".join((rf"(?<![A-Za-z0-9])(?:{'|'.join(keys)})", *_NAMED)))
