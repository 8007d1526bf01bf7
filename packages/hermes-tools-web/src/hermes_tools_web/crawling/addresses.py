"""URLs as a crawl sees them: one spelling to fetch, and one key for all that lead to the same page."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import SplitResult, quote, urlsplit

from hermes_tools_web.fetching.addresses import in_ascii
from hermes_tools_web.fetching.errors import FetchError

MOST_CHARS = 2000
"""Longer URLs are traps, or data that somebody put there."""

_DEFAULT_PORTS = {"http": 80, "https": 443}
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_HOST = re.compile(r"[a-z0-9._-]+|\[[0-9a-f:.]+\]")
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
_LONE_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
_UNRESERVED = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")
_PATH_SAFE = "/%:@!$&'()*+,;=~-._"
_QUERY_SAFE = _PATH_SAFE + "?[]|{}^`"

# What is added to links to count clicks. No page depends on it.
_TRACKING = re.compile(
    r"utm_\w+|gclid|gclsrc|dclid|gbraid|wbraid|fbclid|msclkid|yclid|twclid|ttclid|li_fat_id|igshid|mc_[ce]id|"
    r"_hs(?:enc|mi)|__hs\w+|hsctatracking|mkt_tok|vero_id|oly_(?:anon|enc)_id|_ga|_gl|s_cid|wickedid|"
    r"pk_(?:campaign|kwd|source|medium)|piwik_\w+|mtm_\w+|matomo_\w+",
    re.IGNORECASE,
)
_SESSION = re.compile(
    r"phpsessid|jsessionid|aspsessionid\w*|asp\.net_sessionid|cfid|cftoken|session_?id|sess_?id", re.IGNORECASE
)
# Short names that also mean other things: only a long random value makes them a session.
_PERHAPS_SESSION = re.compile(
    r"(?:sid|s|session|token)=[0-9a-zA-Z]*(?:\d[a-zA-Z]|[a-zA-Z]\d)[0-9a-zA-Z]*", re.IGNORECASE
)
_SESSION_CHARS = 20
_SESSION_IN_PATH = re.compile(r"(?:jsessionid|phpsessid|sid|sessionid)=.*", re.IGNORECASE)
_INDEX = re.compile(r"/(?:index|default)\.(?:html?|php[345]?|aspx?|jsp|cgi|cfm)$", re.IGNORECASE)
_SLASHES = re.compile(r"/{2,}")


@dataclass(frozen=True, slots=True, kw_only=True)
class WebAddress:
    """A URL that can be fetched.

    Attributes:
        url: How it is fetched: without its fragment and what counts clicks, in its usual spelling.
        key: The same for all URLs that are taken for the same page.
        site: Whose it is: the host without `www.`, and the port when it is no usual one.
        path: Its path.
        query: Its query, without its mark.
    """

    url: str
    key: str
    site: str
    path: str
    query: str

    @property
    def root(self) -> str:
        """The scheme, host and port, where robots.txt is."""
        return self.url[: self.url.index("/", 8)]

    @property
    def folder(self) -> str:
        """The path up to its last slash."""
        return self.path[: self.path.rindex("/") + 1]


def read_address(url: str) -> WebAddress | None:
    """What a URL leads to; None when it is none of the web, or no plain one."""
    text = url.strip()
    if len(text) > MOST_CHARS or _CONTROL.search(text):
        return None
    try:
        parts = urlsplit(text)
        host, port = _host(parts), parts.port
    except ValueError:
        return None
    scheme = parts.scheme.lower()
    if scheme not in _DEFAULT_PORTS or not host:
        return None
    shown_port = "" if port in (None, _DEFAULT_PORTS[scheme]) else f":{port}"
    path = _path(parts.path)
    query = _query(parts.query)
    site = host.removeprefix("www.") + shown_port
    made = f"{scheme}://{host}{shown_port}{path}" + (f"?{query}" if query else "")
    if len(made) > MOST_CHARS:
        return None
    return WebAddress(url=made, key=_key(site, path, query), site=site, path=path, query=query)


def _host(parts: SplitResult) -> str:
    """The host in lower case and ASCII; empty when there is none, or more than a host."""
    if "@" in parts.netloc or not parts.hostname:
        return ""
    host = parts.hostname if parts.hostname.isascii() else _ascii_host(parts.hostname)
    host = f"[{host}]" if ":" in host else host.rstrip(".")
    return host if _HOST.fullmatch(host) else ""


def _ascii_host(host: str) -> str:
    """As the guard spells it: two spellings of one name would be two sites."""
    try:
        return urlsplit(in_ascii(f"http://{host}/")).hostname or ""
    except FetchError:
        return ""


def _path(path: str) -> str:
    kept: list[str] = []
    segments = [_without_session(segment) for segment in (_escaped(path, _PATH_SAFE) or "/").split("/")[1:]]
    for segment in segments:
        if segment == "..":
            del kept[-1:]
        elif segment != ".":
            kept.append(segment)
    folder = segments[-1] in (".", "..") and kept
    return "/" + "/".join(kept) + ("/" if folder else "")


def _without_session(segment: str) -> str:
    name, *parameters = segment.split(";")
    return ";".join([name, *(each for each in parameters if not _SESSION_IN_PATH.fullmatch(each))])


def _query(query: str) -> str:
    kept = [pair for pair in _escaped(query, _QUERY_SAFE).split("&") if pair and not _is_noise(pair)]
    return "&".join(kept)


def _is_noise(pair: str) -> bool:
    name = pair.partition("=")[0]
    if _TRACKING.fullmatch(name) or _SESSION.fullmatch(name):
        return True
    return len(pair) >= _SESSION_CHARS + len(name) and _PERHAPS_SESSION.fullmatch(pair) is not None


def _escaped(text: str, safe: str) -> str:
    """Everything escaped that must be, nothing that need not be, in capitals."""
    whole = _LONE_PERCENT.sub("%25", text)  # it begins no escape, so it is meant as itself
    return quote(_ESCAPE.sub(_plainer, whole), safe=safe)


def _plainer(escape: re.Match[str]) -> str:
    byte = int(escape[1], 16)
    return chr(byte) if byte in _UNRESERVED else f"%{escape[1].upper()}"


def _key(site: str, path: str, query: str) -> str:
    """`http` and `https`, `www.` or not, a last slash or `index.html`, the order of parameters: all the same."""
    short = _INDEX.sub("/", _SLASHES.sub("/", path)).rstrip("/")
    # Stable, and by name alone: the order of values that share a name may matter.
    pairs = sorted(query.split("&"), key=lambda pair: pair.partition("=")[0]) if query else []
    return f"{site}{short}" + ("?" + "&".join(pairs) if pairs else "")
