"""What came back from a server."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """A page, or any other document, as its server sent it.

    Attributes:
        url: What was asked for.
        final_url: Where it was found, after redirects; in ASCII and without a fragment.
        status: The HTTP status: 2xx, or 304 when somebody asked whether it has changed.
        content_type: What the server says that it is.
        headers: Those that say something about the document, in lower case.
        body: What came, unpacked.
        seconds: How long it took.
    """

    url: str
    final_url: str
    status: int
    content_type: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    seconds: float = 0.0
