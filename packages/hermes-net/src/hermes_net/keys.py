"""Detect keys in URLs: whatever a model puts into a URL reaches a server and its logs."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from urllib.parse import unquote_plus

from hermes_net.errors import Refusal
from hermes_text.secrets import redact

_ALWAYS = re.compile(
    r"\w*(?:apikey|apisecret|apitoken|clientsecret|secretkey|secretaccesskey|privatekey|accesstoken|authtoken)"
    r"|\w*(?:bearertoken|privatetoken|appsecret|consumersecret|sharedsecret|webhooksecret|password|passwd|passphrase)"
    r"|pwd|secret|credentials?|authorization|bearer|refreshtoken|idtoken|sessiontoken|accesskey|subscriptionkey"
    r"|ocpapimsubscriptionkey"
)
"""Parameters that hold a secret unless the value is words, without separators in their names."""

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
_WORD = re.compile(r"[A-Z]++|[a-z]*+(?:[A-Z][a-z]{2,}+)*+", re.ASCII)
_MAX_CONSONANTS = re.compile(r"[b-df-hj-np-tv-xz]{7}", re.IGNORECASE)
"""No English word has as many consonants in a row."""
_WORD_ENDS = re.compile(r"[-_.~/,:]+")
_MAX_WORDS = 24
"""The longest value that can be words only: longer ones may be passphrases."""
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


def require_no_keys(host: str, path: str, query: str, fragment: str) -> None:
    """Require a URL without keys.

    Raises:
        Refusal: a parameter that is named like a key has a value like one, or something is formatted like one.
    """
    pairs = [_pair(written) for written in _PAIRS.split(f"{query}&{fragment}")]
    is_signed = any(_plain(name) in _SIGNATURES and value for name, value in pairs)
    for name, value in pairs:
        plain = _plain(name)
        if _is_key(plain, value):
            raise Refusal("api_key", f"The parameter {name[:40]!r} of the URL looks like a key or password.")
        if is_signed and plain in _PUBLIC_HALVES:
            value = _WHO_SIGNED.sub("", value)  # noqa: PLW2901 - nothing else may hide there
        if _carries_key(value) or _carries_key(name):
            raise Refusal("api_key", "The URL carries something that looks like a key.")
    for segment in _segments(host, path):
        if any(map(_is_random, _RUN.findall(segment))) and not _SLUG.fullmatch(segment) and _has_key(segment):
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
        return _PLACEHOLDER.fullmatch(value) is None and not _is_words(value)
    if name in ("pass", "pw"):  # `pass` is also a ticket
        return _SHORT_PASSWORD.fullmatch(value) is not None
    if (
        not (name in _SOMETIMES or name.endswith("secret"))
        or _ONE_WORD.fullmatch(value) is None
        or _PUBLIC_VALUE.fullmatch(value)
    ):
        return False
    return any(map(_is_no_word, _PART.findall(value)))


def _is_words(value: str) -> bool:
    """Return whether a value is a few words, such as `reset` or `forgot-password`, or too short for a secret."""
    if len(value) > _MAX_WORDS or _MAX_CONSONANTS.search(value):
        return False
    words = (_WORD.fullmatch(part) or (part.isalpha() and not part.isascii()) for part in _WORD_ENDS.split(value))
    return len(value) < 4 or all(words)


def _is_no_word(part: str) -> bool:
    """Return whether a run mixes letters and digits, or is longer than words are."""
    return len(part) > _MAX_WORD if part.isalpha() else not part.isdigit()


def _is_random(run: str) -> bool:
    """Return whether a run has unusual capitalization or is not a word."""
    return _is_no_word(run) or not (run.islower() or run.isupper() or run.istitle() or run.isdigit())


def _carries_key(value: str) -> bool:
    """Return whether a parameter contains a key; words alone do not."""
    if _SHORT_KEY.search(value):
        return True
    # A title can start like a key.
    is_title = value.startswith("sk-") and _SLUG.fullmatch(value) and not any(map(_is_random, _RUN.findall(value)))
    return bool(_NO_WORDS.search(value)) and not is_title and _has_key(value)


def _has_key(text: str) -> bool:
    """Return whether a text contains something with the format of a key or password."""
    return len(text) >= _MIN_KEY and redact(text) != text
