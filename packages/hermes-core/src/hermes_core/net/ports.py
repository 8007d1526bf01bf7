"""Ports behind which there is never a web server, but something that a request could talk to by accident."""

from __future__ import annotations

_REFUSED = frozenset(
    int(port)
    for port in """
    1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115 117 119 123 135
    137 139 143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548 554 556 563 587 601 636 989 990 993 995
    1719 1720 1723 2049 3659 4045 4190 5060 5061 6000 6379 6566 6665 6666 6667 6668 6669 6679 6697 10080 11211
    """.split()  # noqa: SIM905 - one port a line would bury the code around it
)
"""What no browser opens, and two stores that take any line as a command."""


def is_refused(port: int) -> bool:
    """Whether no request goes to a port."""
    return not 0 < port < 65_536 or port in _REFUSED
