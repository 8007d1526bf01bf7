"""Makes clients that tell a server nothing which is meant for another."""

from __future__ import annotations

from typing import Any

from hermes_core.auxiliary.headers import headers_for

_NO_KEY = "none"
"""What is sent to a server that wants no key. Without it the client would send the key of another server."""


def client_for(openai: Any, url: str, key: str, seconds: float) -> Any:
    """An `AsyncOpenAI` that asks once: who asks knows whether a second try is worth its time.

    Args:
        openai: The module of the client.
        url: Where the model is served.
        key: The key for it; empty for a server that wants none.
        seconds: How long an answer may take.
    """
    key = key or _NO_KEY
    headers = headers_for(url, key, openai)
    return openai.AsyncOpenAI(base_url=url, api_key=key, timeout=seconds, max_retries=0, default_headers=headers)
