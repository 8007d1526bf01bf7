"""Says who answers: every yes and every grant is signed in the same way."""

from __future__ import annotations

import os


def login_name() -> str:
    """The name of the user that this process runs as."""
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:  # a container may run as a user without a name
        return f"uid {os.getuid()}"


def signed(place: str) -> str:
    """Who answers, and where."""
    return f"{login_name()} ({place})"
