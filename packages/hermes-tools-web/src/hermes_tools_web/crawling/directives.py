"""What one page asks of those who crawl it: the header `X-Robots-Tag` and the tag `meta name=robots`."""

from __future__ import annotations

import re
from collections.abc import Iterable

from hermes_tools_web.crawling.robots import TOKEN

_MOST_CHARS = 8192
_WITH_VALUES = frozenset({"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"})
"""The directives after whose colon stands no directive."""
_NAMED = re.compile(r"\s*([A-Za-z0-9_-]+)\s*:\s*(.*)", re.DOTALL)


def directives_of(header: str, meta: Iterable[str] = ()) -> frozenset[str]:
    """What counts for us: `noindex`, `nofollow` and the like, in lower case.

    Args:
        header: The header `X-Robots-Tag`; what it says to a robot by name counts for that robot alone.
        meta: What the page itself says.
    """
    found = {word.strip().lower() for word in meta}
    is_ours = True
    for piece in header[:_MOST_CHARS].split(","):
        named = _NAMED.fullmatch(piece)
        directive = piece
        if named and named[1].lower() not in _WITH_VALUES:
            is_ours, directive = named[1].lower() in (TOKEN, "robots", "*"), named[2]
        if is_ours:
            found.add(directive.strip().lower())
    return frozenset(found | {"noindex", "nofollow"} if "none" in found else found) - {""}
