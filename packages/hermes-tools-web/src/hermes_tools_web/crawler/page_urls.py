"""Normalize the URLs of a crawl, and classify those that are not worth a request."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from urllib.parse import SplitResult, quote, urlsplit

from hermes_tools_web.fetcher.errors import FetchError
from hermes_tools_web.fetcher.requests import encode_url

MAX_CHARS = 2000
"""Longer URLs are crawler traps or carry data."""

_DEFAULT_PORTS = {"http": 80, "https": 443}
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_HOST = re.compile(r"[a-z0-9._-]+|\[[0-9a-f:.]+\]")
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
_LONE_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
_UNRESERVED = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")
_PATH_SAFE = "/%:@!$&'()*+,;=~-._"
_QUERY_SAFE = _PATH_SAFE + "?[]|{}^`"

# Parameters that track clicks. No page depends on them.
_TRACKING = re.compile(
    r"utm_\w+|gclid|gclsrc|dclid|gbraid|wbraid|fbclid|msclkid|yclid|twclid|ttclid|li_fat_id|igshid|mc_[ce]id|"
    r"_hs(?:enc|mi)|__hs\w+|hsctatracking|mkt_tok|vero_id|oly_(?:anon|enc)_id|_ga|_gl|s_cid|wickedid|"
    r"pk_(?:campaign|kwd|source|medium)|piwik_\w+|mtm_\w+|matomo_\w+",
    re.IGNORECASE,
)
_SESSION = re.compile(
    r"phpsessid|jsessionid|aspsessionid\w*|asp\.net_sessionid|cfid|cftoken|session_?id|sess_?id", re.IGNORECASE
)
# Ambiguous names: only a long random value makes them a session.
_PERHAPS_SESSION = re.compile(
    r"(?:sid|s|session|token)=[0-9a-zA-Z]*(?:\d[a-zA-Z]|[a-zA-Z]\d)[0-9a-zA-Z]*", re.IGNORECASE
)
_SESSION_CHARS = 20
_SESSION_IN_PATH = re.compile(r"(?:jsessionid|phpsessid|sid|sessionid)=.*", re.IGNORECASE)
_INDEX = re.compile(r"/(?:index|default)\.(?:html?|php[345]?|aspx?|jsp|cgi|cfm)$", re.IGNORECASE)
_SLASHES = re.compile(r"/{2,}")


@dataclass(frozen=True, slots=True, kw_only=True)
class PageUrl:
    """A normalized URL."""

    url: str  # the URL to fetch, without its fragment and tracking parameters
    key: str  # identical for all URLs of the same page
    site: str  # the host without `www.`, and the port unless it is the default one
    path: str
    query: str  # the query, without the question mark

    @property
    def root(self) -> str:
        """The scheme, host and port."""
        return self.url[: self.url.index("/", 8)]

    @property
    def folder(self) -> str:
        """The path up to its last slash."""
        return self.path[: self.path.rindex("/") + 1]


def parse_page_url(url: str) -> PageUrl | None:
    """Normalize a URL; None when it cannot be crawled."""
    text = url.strip()
    if len(text) > MAX_CHARS or _CONTROL.search(text):
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
    if len(made) > MAX_CHARS:
        return None
    return PageUrl(url=made, key=_key(site, path, query), site=site, path=path, query=query)


def _host(parts: SplitResult) -> str:
    """Return the host in lower case and ASCII; empty when there is none, or when there are credentials."""
    host = parts.hostname or ""
    if "@" in parts.netloc:
        return ""
    if not host.isascii():  # encoded as the network guard does: two encodings of one name would be two sites
        try:
            host = urlsplit(encode_url(f"http://{host}/")).hostname or ""
        except FetchError:
            return ""
    host = f"[{host}]" if ":" in host else host.rstrip(".")
    return host if _HOST.fullmatch(host) else ""


def _path(path: str) -> str:
    parts_left: list[str] = []
    segments = []
    for segment in (_escaped(path, _PATH_SAFE) or "/").split("/")[1:]:
        name, *parameters = segment.split(";")
        segments.append(";".join([name, *(each for each in parameters if not _SESSION_IN_PATH.fullmatch(each))]))
    for segment in segments:
        if segment == "..":
            del parts_left[-1:]
        elif segment != ".":
            parts_left.append(segment)
    folder = segments[-1] in (".", "..") and parts_left
    return "/" + "/".join(parts_left) + ("/" if folder else "")


def _query(query: str) -> str:
    return "&".join(pair for pair in _escaped(query, _QUERY_SAFE).split("&") if pair and not _is_noise(pair))


def _is_noise(pair: str) -> bool:
    name = pair.partition("=")[0]
    if _TRACKING.fullmatch(name) or _SESSION.fullmatch(name):
        return True
    return len(pair) >= _SESSION_CHARS + len(name) and _PERHAPS_SESSION.fullmatch(pair) is not None


def _escaped(text: str, safe: str) -> str:
    """Percent-encode what needs it and decode what does not, with capital hex digits."""

    def plainer(escape: re.Match[str]) -> str:
        byte = int(escape[1], 16)
        return chr(byte) if byte in _UNRESERVED else f"%{escape[1].upper()}"

    whole = _LONE_PERCENT.sub("%25", text)  # a literal percent sign
    return quote(_ESCAPE.sub(plainer, whole), safe=safe)


def _key(site: str, path: str, query: str) -> str:
    """Ignore the scheme, `www.`, trailing slashes, index pages and the order of parameters."""
    short = _INDEX.sub("/", _SLASHES.sub("/", path)).rstrip("/")
    # A stable sort by name: the order of values with the same name may matter.
    pairs = sorted(query.split("&"), key=lambda pair: pair.partition("=")[0]) if query else []
    return f"{site}{short}" + ("?" + "&".join(pairs) if pairs else "")


_FILE_SUFFIXES = (
    "7z aac ai apk avi avif bin bmp bz2 cab class css cur deb dll dmg doc docx dot ear eot eps exe f4v flac flv gif gz "
    "heic ico img iso jar jpeg jpg js jsonld key less m4a m4v map mid midi mjs mkv mng mov mp3 mp4 mpeg mpg msi "
    "numbers odp ods odt oga ogg ogv opus otf pages pkg png ppt pptx psd pyc rar rpm rtf scss so svg swf tar tgz tif "
    "tiff ts ttf war wasm wav webm webmanifest webp whl wma wmv woff woff2 xls xlsx xz z zip zst"
)
_FILES = frozenset(_FILE_SUFFIXES.split())
# Requesting these changes something or leads to a form. Pages about deleting have a suffix.
_ACTION_PATH = re.compile(
    r"/(?:(?:log|sign)[-_]?(?:out|off)|unsubscribe|(?:add-to|remove-from)-cart|wp-login\.php|wp-admin|cgi-bin)(?:[/.]|$)"
    r"|/(?:delete|remove|destroy|erase|purge)(?:/[0-9a-f-]*)?$",
    re.IGNORECASE,
)
_ACTION_QUERY = re.compile(
    r"(?:^|&)(?:add-to-cart|delete|remove|remove_item|replytocom|logout|unsubscribe|share)(?:=|&|$)"
    r"|(?:^|&)(?:action|do|mode|op|cmd)="
    r"(?:add|edit|delete|remove|log[-_]?out|log[-_]?in|register|history|print|purge|raw|diff|rollback|submit|vote)\b",
    re.IGNORECASE,
)
_PAGE_TYPE = re.compile(r"text/.*|application/(?:.*[+/])?(?:xml|json|pdf|xhtml|html)(?:[+-].*)?", re.IGNORECASE)
_NO_PAGES = frozenset({"text/css", "text/javascript", "text/ecmascript", "text/vcard", "text/calendar", "text/csv"})
_MAX_SEGMENTS = 16
_MAX_REPEATED = 3
"""How often a segment may occur in a path; relative links that point into themselves repeat it at each step."""
_MAX_PARAMETERS = 6
_MAX_NAME_SETS = 12
"""How many combinations of parameters one path may have: shops allow filtering by everything at once."""
_DATE = re.compile(r"/(?:19|2\d)\d\d(?:[/-]\d{1,2}){1,2}/?$")
_DATE_IN_QUERY = re.compile(
    r"(?:^|[&=])(?:19|2\d)\d\d-\d{1,2}(?:-\d{1,2})?(?:&|$)|(?:^|&)(?:month|week|day)=\d+", re.IGNORECASE
)
_MAX_DATES = 12
"""How many pages of one calendar are visited; it has one for every day."""


def is_file(address: PageUrl) -> bool:
    """Return whether a URL names a file that is not a page: an image, an archive, a style sheet."""
    name = address.path.rpartition("/")[2]
    stem, dot, suffix = name.rpartition(".")
    return bool(stem and dot) and suffix.lower() in _FILES


def is_action(address: PageUrl) -> bool:
    """Return whether requesting a URL would change something or needs a login."""
    return bool(_ACTION_PATH.search(address.path) or _ACTION_QUERY.search(address.query))


def is_page_type(content_type: str) -> bool:
    """Return whether a content type is that of a page, or unknown."""
    kind = content_type.partition(";")[0].strip().lower()
    return not kind or (kind not in _NO_PAGES and _PAGE_TYPE.fullmatch(kind) is not None)


class TrapDetector:
    """Detects crawler traps: URL spaces without an end.

    Args:
        pages: The page limit of the crawl; as many URLs may differ only in parameter values.
    """

    def __init__(self, pages: int) -> None:
        self._max_values = max(20, pages)
        self._values: Counter[str] = Counter()
        self._names: dict[str, set[str]] = {}
        self._dates: Counter[str] = Counter()

    def is_trap(self, address: PageUrl) -> bool:
        """Return whether a URL is one too many. Ask once per URL: each call counts."""
        return _is_endless(address) or self._is_calendar(address) or self._is_query_space(address)

    def _is_calendar(self, address: PageUrl) -> bool:
        shape = _DATE.sub("", address.path)
        if shape == address.path and not _DATE_IN_QUERY.search(address.query):
            return False
        self._dates[shape] += 1
        return self._dates[shape] > _MAX_DATES

    def _is_query_space(self, address: PageUrl) -> bool:
        if not address.query:
            return False
        names = "&".join(sorted(pair.partition("=")[0] for pair in address.query.split("&")))
        sets = self._names.setdefault(address.path, set())
        if names not in sets and len(sets) >= _MAX_NAME_SETS:
            return True
        sets.add(names)
        space = f"{address.path}?{names}"
        self._values[space] += 1
        return self._values[space] > self._max_values


def _is_endless(address: PageUrl) -> bool:
    segments = [segment for segment in address.path.split("/") if segment]
    if len(segments) > _MAX_SEGMENTS or address.query.count("&") >= _MAX_PARAMETERS:
        return True
    return bool(segments) and max(Counter(segments).values()) > _MAX_REPEATED
