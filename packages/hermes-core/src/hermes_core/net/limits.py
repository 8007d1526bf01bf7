"""How much a response may cost."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class NetLimits:
    """What a guarded client lets a server take.

    Attributes:
        bytes: The size of a body, as it came and unpacked.
        ratio: How many times larger than it came a body may become, beyond the first mebibyte.
        seconds: The time of a request, redirects and body included.
        connect_seconds: The time to reach a server.
        silent_seconds: The time that a server may say nothing.
        redirects: How many redirects are followed.
    """

    bytes: int = 32 * 1024 * 1024
    ratio: int = 200
    seconds: float = 60.0
    connect_seconds: float = 10.0
    silent_seconds: float = 15.0
    redirects: int = 10
