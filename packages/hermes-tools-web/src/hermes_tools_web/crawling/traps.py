"""Which URLs are not worth a request: files that are no pages, actions, and spaces without an end."""

from __future__ import annotations

import re
from collections import Counter

from hermes_tools_web.crawling.addresses import WebAddress

_FILE_SUFFIXES = (
    "7z aac ai apk avi avif bin bmp bz2 cab class css cur deb dll dmg doc docx dot ear eot eps exe f4v flac flv gif gz "
    "heic ico img iso jar jpeg jpg js jsonld key less m4a m4v map mid midi mjs mkv mng mov mp3 mp4 mpeg mpg msi "
    "numbers odp ods odt oga ogg ogv opus otf pages pkg png ppt pptx psd pyc rar rpm rtf scss so svg swf tar tgz tif "
    "tiff ts ttf war wasm wav webm webmanifest webp whl wma wmv woff woff2 xls xlsx xz z zip zst"
)
_FILES = frozenset(_FILE_SUFFIXES.split())
# Asking for these changes something, or leads to a form and nothing else. Pages about deleting have a suffix.
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
_MOST_SEGMENTS = 16
_MOST_REPEATED = 3
"""How often one segment may stand in a path; relative links that lead into themselves repeat it at each step."""
_MOST_PARAMETERS = 6
_MOST_NAME_SETS = 12
"""In how many ways the parameters of one path may be combined: shops can filter by everything at once."""
_DATE = re.compile(r"/(?:19|2\d)\d\d(?:[/-]\d{1,2}){1,2}/?$")
_DATE_IN_QUERY = re.compile(
    r"(?:^|[&=])(?:19|2\d)\d\d-\d{1,2}(?:-\d{1,2})?(?:&|$)|(?:^|&)(?:month|week|day)=\d+", re.IGNORECASE
)
_MOST_DATES = 12
"""How many pages of one calendar are enough; it has one for every day of every year."""


def is_file(address: WebAddress) -> bool:
    """Whether a URL names something that is no page: an image, an archive, a style sheet."""
    name = address.path.rpartition("/")[2]
    stem, dot, suffix = name.rpartition(".")
    return bool(stem and dot) and suffix.lower() in _FILES


def is_action(address: WebAddress) -> bool:
    """Whether asking for a URL would do something, or is for people who are logged in."""
    return bool(_ACTION_PATH.search(address.path) or _ACTION_QUERY.search(address.query))


def is_page_type(content_type: str) -> bool:
    """Whether a server says that it sends a page, or does not say what it sends."""
    kind = content_type.partition(";")[0].strip().lower()
    return not kind or (kind not in _NO_PAGES and _PAGE_TYPE.fullmatch(kind) is not None)


class TrapDetector:
    """Notices URLs that a site can make without an end.

    Args:
        pages: How many pages are wanted: as many may differ in the values of their parameters alone.
    """

    def __init__(self, pages: int) -> None:
        self._most_values = max(20, pages)
        self._values: Counter[str] = Counter()
        self._names: dict[str, set[str]] = {}
        self._dates: Counter[str] = Counter()

    def is_trap(self, address: WebAddress) -> bool:
        """Whether a URL is one too many. Each is to be asked about once: it counts."""
        return _is_endless(address) or self._is_calendar(address) or self._is_query_space(address)

    def _is_calendar(self, address: WebAddress) -> bool:
        shape = _DATE.sub("", address.path)
        if shape == address.path and not _DATE_IN_QUERY.search(address.query):
            return False
        self._dates[shape] += 1
        return self._dates[shape] > _MOST_DATES

    def _is_query_space(self, address: WebAddress) -> bool:
        if not address.query:
            return False
        names = "&".join(sorted(pair.partition("=")[0] for pair in address.query.split("&")))
        sets = self._names.setdefault(address.path, set())
        if names not in sets and len(sets) >= _MOST_NAME_SETS:
            return True
        sets.add(names)
        space = f"{address.path}?{names}"
        self._values[space] += 1
        return self._values[space] > self._most_values


def _is_endless(address: WebAddress) -> bool:
    segments = [segment for segment in address.path.split("/") if segment]
    if len(segments) > _MOST_SEGMENTS or address.query.count("&") >= _MOST_PARAMETERS:
        return True
    return bool(segments) and max(Counter(segments).values()) > _MOST_REPEATED
