"""How much of a server's answer is taken, from what the user decided."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hermes_net import NetLimits
    from hermes_tools_web.settings import WebSettings

_MB = 1024 * 1024
_CONNECT_SECONDS = 10.0
"""A server that is not reached by then seldom is later, and it may have another address."""
_CONNECT_PART = 0.5
"""Reaching a server may take no more than this part of the whole: a page takes time, too."""


def limits_of(settings: WebSettings) -> NetLimits:
    """What a page may cost.

    Args:
        settings: The section `web`.
    """
    from hermes_net import NetLimits

    seconds = settings.extract.seconds
    return NetLimits(
        bytes=settings.extract.max_mb * _MB,
        seconds=seconds,
        connect_seconds=min(_CONNECT_SECONDS, seconds * _CONNECT_PART),
        silent_seconds=seconds,  # some pages are made while one waits; the time of the whole page is bound enough
    )
