"""URLs that carry keys: what a model puts into a URL reaches whoever is at the other end, and their logs."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from urllib.parse import unquote_plus

from hermes_net.errors import Refusal

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

_Check = Callable[[str], bool]
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


_FORMATS = (
    ("sk-ant- sk-proj- sk-svcacct- xoxa- xoxb- xoxe- xoxp- xoxr- xoxs-", r"[\w-]{10,}+"),
    ("sk-or- gldt- xapp- sq0atp- sq0csp- tvly-", r"[\w-]{16,}+"),
    # Names such as sk-some-long-name are words joined by hyphens; keys are not.
    ("sk-", r"(?![a-z]++(?:-[a-z]++){1,8}(?![\w-]))[\w-]{16,}+"),
    ("sk_live_ sk_test_ rk_live_ rk_test_", r"\w{10,}+"),
    ("whsec_", r"[\w+/=]{16,}+"),
    ("sk_", r"[0-9a-f]{40,}+(?!\w)"),
    ("AKIA ASIA", r"[0-9A-Z]{16}(?!\w)"),
    ("ghp_ gho_ ghu_ ghs_ ghr_ hf_ gsk_ xai- pplx- r8_ EAACEdEose0cBA apify_api_", r"[A-Za-z0-9]{20,}+"),
    ("github_pat_ lin_api_ lsv2_pt_ lsv2_sk_", r"\w{20,}+"),
    ("glpat- glrt-", r"[\w.-]{16,}+"),
    ("AIza AQ.Ab8 CFPAT- figd_ hvb. tgp_v1_", r"[\w-]{30,}+"),
    ("ya29.", r"[\w.-]{20,}+"),
    ("GOCSPX- nvapi- dckr_pat_ hvs.", r"[\w-]{20,}+"),
    ("csk-", r"[a-z0-9]{30,}+"),
    ("e2b_", r"[0-9a-f]{20,}+"),
    ("fc-", r"[0-9a-f]{24,}+(?![\w-])"),
    ("jina_", r"[\w-]{24,}+"),
    ("BSA", r"[A-Za-z0-9_-]{24,}+"),
    ("SG.", r"[\w-]{16,}+\.[\w-]{16,}+"),
    ("npm_ ntn_ dp.pt. phx_ sess- vcp_", r"[A-Za-z0-9]{30,}+"),
    ("pypi-", r"[\w-]{32,}+"),
    ("rubygems_ dop_v1_ doo_v1_ sbp_ glptt-", r"[0-9a-f]{32,}+"),
    ("dapi SK", r"[0-9a-f]{32}(?!\w)"),
    ("key-", r"[0-9a-f]{32}(?![\w-])"),
    ("shpat_ shpss_ shpca_ shppa_", r"[0-9a-fA-F]{32,}+"),
    ("glsa_ pcsk_", r"\w{30,}+"),
    ("sntrys_ glc_", r"[\w+/=]{30,}+"),
    ("ATATT3 ATCTT3", r"[\w=-]{30,}+"),
    ("AGE-SECRET-KEY-1", r"[0-9A-Z]{40,}+"),
    ("ATBB", r"[A-Za-z0-9]{28,}+(?![\w-])"),
    ("ABSK", r"(?=[A-Za-z]*+[0-9])[A-Za-z0-9+/=]{80,}+"),
    ("EZAK EZTK", r"(?=[A-Za-z]*+[0-9])[A-Za-z0-9]{40,}+"),
    ("LTAI", r"[A-Za-z0-9]{16,24}(?![\w-])"),
    ("NRAK-", r"[0-9A-Z]{24,}+(?!\w)"),
    ("PMAK-", r"[0-9a-f]{16,}+-[0-9a-f]{30,}+"),
    ("fw_", r"(?=[A-Za-z]*+[0-9])[A-Za-z0-9]{22,}+(?!\w)"),
    ("pat-eu1- pat-na1-", r"[0-9a-f]{8}-[0-9a-f-]{20,}+"),
    ("pul- sgp_", r"[0-9a-f]{40}(?!\w)"),
    ("rnd_", r"(?=[A-Za-z]*+[0-9])[A-Za-z0-9]{26,}+(?!\w)"),
    ("secret_", r"(?=[A-Za-z]*+[0-9])[A-Za-z0-9]{40,}+(?!\w)"),
    ("sk.eyJ", r"[\w-]{8,}+\.[\w-]{8,}+"),
    ("tskey-", r"[a-z]{3,8}-[\w-]{16,}+"),
    ("xkeysib-", r"[0-9a-f]{40,}+-[A-Za-z0-9]{8,}+"),
    ("eyJ", r"[\w-]{8,}+\.[\w-]{8,}+\.[\w-]*+"),
)
"""Prefixes of keys, and what follows them. Each run has a minimum, so a search fails within it."""
_NAMED = (
    r"[0-9]{8}:AA[\w-]{30,}+",
    r"-----BEGIN [A-Z0-9 ]{0,40}?PRIVATE KEY",
    r"\b(?i:bearer|basic)[ \t]{1,4}[\w.~+/=-]{8,}+",
    r"(?i:passw(?:or)?d|passphrase|secret|token|credentials?|(?:api|access|private|secret)[_ -]?key)"
    r"[\"']?[ \t]{0,4}[:=][ \t]{0,4}[\"']?(?=[^\s0-9]{0,64}[0-9])[^\s\"'`,;&<>()\[\]{}\\]{6,}+",
    r"://[^\s/?#:@]*+:[^\s/@]++@",
)
"""Keys that are known by what is around them: bot tokens, headers, assignments, passwords in URLs."""


def require_no_keys(host: str, path: str, query: str, fragment: str, has_secret: _Check | None = None) -> None:
    """Let a URL through that carries no key.

    Raises:
        Refusal: a parameter is named like a key, or something has the shape of one.
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


def _carries_key(value: str, check: _Check) -> bool:
    """Whether a key is in what stands for a parameter; words alone are a question about one."""
    if _SHORT_KEY.search(value):
        return True
    return bool(_NO_WORDS.search(value)) and not _is_title(value) and _has_key(value, check)


def _is_title(value: str) -> bool:
    """Whether a value is a title as shops and newspapers write it, about a company whose name begins as keys do."""
    return (
        value.startswith("sk-") and _SLUG.fullmatch(value) is not None and not any(map(_is_random, _RUN.findall(value)))
    )


def _has_key(text: str, check: _Check) -> bool:
    """Whether a text contains a key; a short one has none."""
    return len(text) >= _SHORTEST_KEY and check(text)


def _has_format_of_key(text: str) -> bool:
    return _formats().search(text) is not None


@cache
def _formats() -> re.Pattern[str]:
    keys = (rf"(?:{'|'.join(map(re.escape, starts.split()))}){rest}" for starts, rest in _FORMATS)
    return re.compile("|".join((rf"(?<![A-Za-z0-9])(?:{'|'.join(keys)})", *_NAMED)))
