"""Digests of contents, by which a file is known again."""

from __future__ import annotations

import hashlib
import threading

_WORTH_A_THREAD = 256 * 1024
"""Below so many bytes a digest is made sooner than a thread is started."""


def digest(data: bytes) -> str:
    """The digest of a content."""
    return hashlib.sha256(data).hexdigest()


def digests(first: bytes | None, second: bytes | None) -> tuple[str | None, str | None]:
    """Those of two contents, side by side when both are large; None for what is not there."""
    if first is None or second is None or min(len(first), len(second)) < _WORTH_A_THREAD:
        return (None if first is None else digest(first)), (None if second is None else digest(second))
    found: list[str] = []
    thread = threading.Thread(target=lambda: found.append(digest(first)), name="hermes-undo-digest")
    thread.start()
    other = digest(second)
    thread.join()
    return found[0], other
