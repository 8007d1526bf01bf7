"""Create clients that send a server nothing that is meant for another server."""

from __future__ import annotations

import os
from typing import Any
from urllib.parse import urlsplit

from hermes_auxiliary.schema import DEFAULT_URL

_NO_KEY = "none"
"""Sent to a server that needs no key. With an empty key the client would send OPENAI_API_KEY."""
_IDENTITY = ("OpenAI-Organization", "OpenAI-Project")


def make_client(openai: Any, url: str, key: str, seconds: float) -> Any:
    """Create an `AsyncOpenAI` that does not retry: the caller decides whether a second attempt is worth its time.

    Args:
        openai: The module `openai`.
        url: The base URL of the API.
        key: The API key; empty for a server that needs none.
        seconds: The time limit for an answer.
    """
    key = key or _NO_KEY
    headers = _headers(url, key, openai)
    return openai.AsyncOpenAI(base_url=url, api_key=key, timeout=seconds, max_retries=0, default_headers=headers)


def server_of(url: str) -> tuple[str, str]:
    """Return the scheme and the authority of a URL."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "", url
    return parts.scheme.lower(), parts.netloc.lower()


def _headers(url: str, key: str, openai: Any) -> dict[str, Any] | None:
    """Return headers that override those of the environment; None when the environment is meant for this server.

    `OPENAI_CUSTOM_HEADERS` and `OPENAI_ORG_ID` are for the server of `OPENAI_BASE_URL`. Custom headers may be
    credentials, and would even replace the key.
    """
    if server_of(url) == server_of(os.environ.get("OPENAI_BASE_URL") or DEFAULT_URL):
        return None
    lines = os.environ.get("OPENAI_CUSTOM_HEADERS", "").split("\n")
    names = [*_IDENTITY, *(line.partition(":")[0].strip() for line in lines if ":" in line)]
    omitted = {name: openai.Omit() for name in names if name.lower() != "authorization"}
    return {**omitted, "Authorization": f"Bearer {key}"}
