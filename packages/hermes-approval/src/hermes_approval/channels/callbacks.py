"""Calls back onto an event loop from any thread, and from that loop itself, without ever waiting for it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any


def waker(function: Callable[[], Any]) -> Callable[[], None]:
    """A function for any thread that has `function` called soon on the loop that runs here."""
    soon = _soon()

    def wake() -> None:
        try:
            soon(function)
        except Exception:  # noqa: S110 - the loop is gone, and with it everybody who could have waited
            pass

    return wake


def _soon() -> Callable[[Callable[[], Any]], Any]:
    """How the running loop takes calls from outside; anyio has no word for it that does not wait."""
    asyncio = sys.modules.get("asyncio")
    if asyncio is not None:
        try:
            return asyncio.get_running_loop().call_soon_threadsafe  # type: ignore[no-any-return]
        except RuntimeError:  # not an asyncio loop
            pass
    trio = sys.modules["trio"]
    return trio.lowlevel.current_trio_token().run_sync_soon  # type: ignore[no-any-return]
