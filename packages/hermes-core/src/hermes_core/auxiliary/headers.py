"""Keeps what the client reads from the environment for OpenAI's servers from reaching the servers of others."""

from __future__ import annotations

import os
from typing import Any
from urllib.parse import urlsplit

from hermes_core.auxiliary.section import DEFAULT_URL

_IDENTITY = ("OpenAI-Organization", "OpenAI-Project")


def place_of(url: str) -> tuple[str, str]:
    """Which server a URL leads to."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "", url
    return parts.scheme.lower(), parts.netloc.lower()


def headers_for(url: str, key: str, openai: Any) -> dict[str, Any] | None:
    """The headers that a client is given so that it sends a server nothing that is meant for another.

    Variables such as `OPENAI_CUSTOM_HEADERS` and `OPENAI_ORG_ID` are for the server of `OPENAI_BASE_URL`. Headers of
    the first may be credentials, and would even take the place of the key.

    Args:
        url: Where the model is served.
        key: The key for it.
        openai: The module of the client.

    Returns:
        The headers; None when the variables are for this server.
    """
    if place_of(url) == place_of(os.environ.get("OPENAI_BASE_URL") or DEFAULT_URL):
        return None
    lines = os.environ.get("OPENAI_CUSTOM_HEADERS", "").split("\n")
    names = [*_IDENTITY, *(line.partition(":")[0].strip() for line in lines if ":" in line)]
    left_out = {name: openai.Omit() for name in names if name.lower() != "authorization"}
    return {**left_out, "Authorization": f"Bearer {key}"}
