"""URLs that carry keys: what a model puts into a URL reaches whoever is at the other end, and their logs."""

from __future__ import annotations

import re
from urllib.parse import unquote_plus

from hermes_core.net.verdict import Refusal

_ALWAYS = re.compile(
    r"\w*(?:apikey|apisecret|apitoken|clientsecret|secretkey|privatekey|accesstoken|authtoken|bearertoken)"
    r"|appsecret|password|passwd|passphrase|pwd|secret|credentials?|authorization|bearer|refreshtoken|idtoken"
    r"|sessiontoken|accesskey|secretaccesskey|subscriptionkey|ocpapimsubscriptionkey|apipassword|userpassword"
)
"""Parameters that hold nothing else, without the separators in their names."""

_SOMETIMES = frozenset({"key", "token", "auth", "jwt", "pat", "appkey", "authkey", "session", "sessionid", "sid"})
"""Parameters that hold a key when it looks like one."""

_PUBLIC_HALVES = frozenset({"xamzcredential", "awsaccesskeyid", "googleaccessid", "xgoogcredential"})
"""Parameters of signed links: they say who signed, which is no secret."""

_SEPARATORS = re.compile(r"[-_.\[\]\s]")
_PAIRS = re.compile(r"[&;]")
_ONE_WORD = re.compile(r"[\w.~+/=-]{16,}", re.ASCII)
_PART = re.compile(r"[A-Za-z0-9]{4,}+")
_LONG_RUN = re.compile(r"\w{16,}+", re.ASCII)
_DIGIT = re.compile(r"[0-9]")
_PLACEHOLDER = re.compile(r"\W*|[{<$\[%].*|x{3,}|\*+|none|null|true|false|[01]", re.IGNORECASE)


def require_no_keys(path: str, query: str, fragment: str) -> None:
    """Let a URL through that carries no key.

    Raises:
        Refusal: a parameter is named like a key, or something has the shape of one.
    """
    for pair in _PAIRS.split(f"{query}&{fragment}"):
        name, _, value = (_decoded(part) for part in pair.partition("="))
        plain = _SEPARATORS.sub("", name).lower()
        if _is_key(plain, value):
            raise Refusal("api_key", f"The parameter {name[:40]!r} of the URL looks like a key or password.")
        if plain not in _PUBLIC_HALVES and _has_shape_of_key(value or name):
            raise Refusal("api_key", "The URL carries something that looks like a key.")
    for segment in path.split("/"):
        written = _decoded(segment)
        # A slug has words between its hyphens, and a key has not.
        if any(map(_DIGIT.search, _LONG_RUN.findall(written))) and _has_shape_of_key(written):
            raise Refusal("api_key", "The URL carries something that looks like a key.")


def _decoded(text: str) -> str:
    """A text without its escapes, and without those that were within escapes."""
    text = unquote_plus(text)
    return unquote_plus(text) if "%" in text else text


def _is_key(name: str, value: str) -> bool:
    if _ALWAYS.fullmatch(name):
        return _PLACEHOLDER.fullmatch(value) is None
    return name in _SOMETIMES and _ONE_WORD.fullmatch(value) is not None and any(map(_is_mixed, _PART.findall(value)))


def _is_mixed(part: str) -> bool:
    """Whether letters and digits stand together, which they do in keys and seldom in words."""
    return not part.isalpha() and not part.isdigit()


def _has_shape_of_key(text: str) -> bool:
    """Whether there is a key in a text; a short text, or one of words alone, has none."""
    if len(text) < 16:
        return False
    from hermes_core.config.secrets import redact

    return redact(text) != text
