"""URLs that carry keys: what a model puts into a URL reaches whoever is at the other end, and their logs."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from urllib.parse import unquote_plus

from hermes_core.net.verdict import Refusal

_ALWAYS = re.compile(
    r"\w*(?:apikey|apisecret|apitoken|clientsecret|secretkey|secretaccesskey|privatekey|accesstoken|authtoken)"
    r"|\w*(?:bearertoken|privatetoken|appsecret|consumersecret|sharedsecret|webhooksecret|password|passwd|passphrase)"
    r"|pwd|secret|credentials?|authorization|bearer|refreshtoken|idtoken|sessiontoken|accesskey|subscriptionkey"
    r"|ocpapimsubscriptionkey"
)
"""Parameters that hold nothing else, without the separators in their names."""

_SOMETIMES = frozenset(
    """
    key token auth jwt pat appkey authkey session sessionid bottoken securitytoken usertoken userkey signingkey
    encryptionkey masterkey servicekey accountkey adminkey deploykey licensekey personaltoken sharedaccesskey
    """.split()  # noqa: SIM905 - one a line would bury the code around it
)
"""Parameters that hold a key when it looks like one."""

_PUBLIC_HALVES = frozenset({"xamzcredential", "awsaccesskeyid", "googleaccessid", "xgoogcredential"})
"""Parameters of signed links: they say who signed, which is no secret beside a signature."""
_WHO_SIGNED = re.compile(r"A[KS]IA[0-9A-Z]{16}")
_SIGNATURES = frozenset({"signature", "xamzsignature", "xgoogsignature"})

_SEPARATORS = re.compile(r"[-_.\[\]\s]")
_PAIRS = re.compile(r"[&;]")
_ONE_WORD = re.compile(r"[\w.~+/=-]{16,}", re.ASCII)
_PART = re.compile(r"[A-Za-z0-9]{4,}+")
_RUN = re.compile(r"[A-Za-z0-9]{10,}+")
_NO_WORDS = re.compile(r"[0-9]|\w{16}")
_LONGEST_WORD = 23
_SHORTEST_KEY = 16
_MOST_ESCAPES = 5
_SHORT_PASSWORD = re.compile(r"(?=\D*[0-9])(?=[^A-Za-z]*[A-Za-z])\S{6,}")
_PUBLIC_VALUE = re.compile(r"0x[0-9A-Fa-f]{40}")
"""The address of a contract or purse, which pages about them have in their URLs."""
_PLACEHOLDER = re.compile(
    r"\W*|[{<$\[%].*|x{3,}|\*+|none|null|true|false|yes|no|[01]"
    r"|your[-_]?[a-z_-]*|demo(?:[-_]?(?:key|token))?|include|omit|same-origin",
    re.IGNORECASE,
)
"""What stands in examples, what services give to everybody, and what `credentials` is for browsers."""
_SHORT_KEY = re.compile(
    r"(?<![A-Za-z0-9_-])(?:sk-|[sr]k_(?:live|test)_|gh[oprsu]_|github_pat_|glpat-|xox[abeprs]-|hf_|gsk_|pplx-|tvly-|npm_)"
    r"(?=[A-Za-z]*[0-9])(?=[0-9]*[A-Za-z])[A-Za-z0-9]{10,}+"
)
"""Keys that are shorter than real ones, which a value can be and a slug cannot."""
_SLUG = re.compile(
    r"(?:[A-Za-z]?[a-z]{0,19}|[A-Za-z]?[a-z0-9]{0,11}|[A-Z0-9]{1,8})"
    # The lookahead decides which kind of word follows, so a failed match never tries the same word as another kind.
    r"(?:[-_.~ +](?=(?:[A-Za-z]?[a-z]{0,19}|[A-Za-z]?[a-z0-9]{0,11}|[A-Z0-9]{1,8})(?![A-Za-z0-9]))[A-Za-z0-9]*+)*"
)
"""Words and numbers between hyphens, as titles become names of pages: `sk-something-long-2024` is one."""


def require_no_keys(host: str, path: str, query: str, fragment: str) -> None:
    """Let a URL through that carries no key.

    Raises:
        Refusal: a parameter is named like a key, or something has the shape of one.
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
        if any(map(_is_random, _RUN.findall(segment))) and not _SLUG.fullmatch(segment) and _has_shape_of_key(segment):
            raise Refusal("api_key", "The URL carries something that looks like a key.")


def _segments(host: str, path: str) -> Iterator[str]:
    """The parts of a URL that are no parameters, as far as a key could be one."""
    parts: Iterable[str] = (*host.split("."), *path.split("/"))
    return (_decoded(part) for part in parts if len(part) >= _SHORTEST_KEY)


def _pair(written: str) -> tuple[str, str]:
    name, _, value = written.partition("=")
    return _decoded(name), _decoded(value)


def _plain(name: str) -> str:
    """The name of a parameter without what people separate its words with."""
    return _SEPARATORS.sub("", name).lower()


def _decoded(text: str) -> str:
    """A text without its escapes, those within escapes, and what makes letters look different to a machine alone."""
    for _ in range(_MOST_ESCAPES):
        if "%" not in text and "+" not in text:
            break
        text = unquote_plus(text)
    if text.isascii():
        return text
    return "".join(filter(None, map(_seen, unicodedata.normalize("NFKC", text))))


def _seen(char: str) -> str:
    category = unicodedata.category(char)
    return "" if category == "Cf" else "-" if category == "Pd" else char


def _is_key(name: str, value: str) -> bool:
    if _ALWAYS.fullmatch(name):
        return _PLACEHOLDER.fullmatch(value) is None
    if name in ("pass", "pw"):  # the first is also what one has for a train
        return _SHORT_PASSWORD.fullmatch(value) is not None
    if (
        not (name in _SOMETIMES or name.endswith("secret"))
        or _ONE_WORD.fullmatch(value) is None
        or _PUBLIC_VALUE.fullmatch(value)
    ):
        return False
    return any(map(_is_no_word, _PART.findall(value)))


def _is_no_word(part: str) -> bool:
    """Whether letters and digits stand together, or more letters than words have; keys do that."""
    return len(part) > _LONGEST_WORD if part.isalpha() else not part.isdigit()


def _is_random(run: str) -> bool:
    """Whether letters stand together as in no word of a title."""
    return _is_no_word(run) or not (run.islower() or run.isupper() or run.istitle() or run.isdigit())


def _carries_key(value: str) -> bool:
    """Whether a key is in what stands for a parameter; words alone are a question about one."""
    if _SHORT_KEY.search(value):
        return True
    return bool(_NO_WORDS.search(value)) and not _is_title(value) and _has_shape_of_key(value)


def _is_title(value: str) -> bool:
    """Whether a value is a title as shops and newspapers write it, about a company whose name begins as keys do."""
    return (
        value.startswith("sk-") and _SLUG.fullmatch(value) is not None and not any(map(_is_random, _RUN.findall(value)))
    )


def _has_shape_of_key(text: str) -> bool:
    """Whether there is a key in a text; a short one has none."""
    if len(text) < _SHORTEST_KEY:
        return False
    from hermes_core.secrets import redact

    return redact(text) != text
