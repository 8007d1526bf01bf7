"""What a server is told about who asks, and what for."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hermes_tools_web.settings import WebSettings

_OUR_NAME = "hermes-tools-web"
_NOT_IN_HEADERS = re.compile(r"[^\x20-\x7e]+")
_LONGEST = 500


def headers_of(settings: WebSettings, *, accept: str, etag: str = "", last_modified: str = "") -> dict[str, str]:
    """The headers of a request.

    Args:
        settings: The section `web`.
        accept: The kinds of document that are wanted.
        etag: The mark of a version that is there already.
        last_modified: The time of a version that is there already.
    """
    headers = {
        "User-Agent": _plain(settings.user_agent) or _our_name(),
        "Accept": _plain(accept) or "*/*",
        "Accept-Language": "en,*;q=0.5",
        "If-None-Match": _plain(etag),
        "If-Modified-Since": _plain(last_modified),
    }
    return {name: value for name, value in headers.items() if value}


@cache
def _our_name() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return f"{_OUR_NAME}/{version(_OUR_NAME)}"
    except PackageNotFoundError:
        return _OUR_NAME  # it was not installed, only put on the path


def _plain(text: str) -> str:
    """A text as it may stand in a header: a line break would begin another one."""
    return _NOT_IN_HEADERS.sub(" ", text)[:_LONGEST].strip()
