"""Answers what scripts ask: their calls of tools go the way of any other call, within the scope of the script's own."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextvars import ContextVar
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hermes_core import ToolContext

OFFERED = frozenset({"web_search", "web_extract", "read_file", "write_file", "search_files", "patch", "terminal"})
"""The tools that scripts may call, as far as their caller may."""


called_by_script: ContextVar[bool] = ContextVar("hermes_called_by_script", default=False)
"""True in a call that a script makes: its result goes to the script, not to the model."""


class Calls:
    """The calls of one script.

    Args:
        ctx: The call that runs the script.
        most: How many tools it may call.

    Attributes:
        made: How many it has called.
    """

    def __init__(self, ctx: ToolContext, most: int) -> None:
        self.made = 0
        self._ctx = ctx
        self._most = most
        self._names = ctx.allowed_tools() & OFFERED
        self._lock = threading.Lock()
        self._idle = threading.Condition(self._lock)
        self._running: Counter[str] = Counter()
        self._closed = False

    def answer(self, data: bytes) -> bytes:
        """The answer to one request, whatever it is. Never raises; may be called from many threads at once."""
        try:
            request = json.loads(data)
        except (ValueError, RecursionError):
            request = None
        if not isinstance(request, dict):
            return _error("It is not a request: send a JSON object with `tool` and `args`.")
        if request.get("want") == "module":
            return self._module
        name, args = request.get("tool"), request.get("args")
        if not isinstance(name, str) or not isinstance(args, dict | None):
            return _error("It is not a request: `tool` is a text, and `args` is an object.")
        from hermes_tools_terminal.scripts.stubs import LEFT_OUT

        if used := sorted(LEFT_OUT.get(name, frozenset()).intersection(args or ())):
            return _error(f"{name} cannot be called with {', '.join(used)} from a script. Call the tool itself.")
        return self._called(name, args or {})

    def running(self, name: str) -> bool:
        """Whether a call of that tool is not over yet."""
        return self._running[name] > 0

    def close(self) -> None:
        """Begin no further call."""
        with self._lock:
            self._closed = True

    def wait(self, seconds: float) -> int:
        """Wait until no call runs any more; how many still do when the time is up."""
        deadline = time.monotonic() + seconds
        with self._lock:
            while (left := self._running.total()) and (rest := deadline - time.monotonic()) > 0:
                self._idle.wait(rest)
            return left

    def _called(self, name: str, args: dict[str, Any]) -> bytes:
        with self._lock:
            if self._closed:
                return _error("The script has ended: nothing more is called.")
            if self.made >= self._most:
                return _error(
                    f"It was not called: a script may call {self._most} tools, and this one has. Do the rest in "
                    "another script, or with fewer calls."
                )
            self.made += 1
            self._running[name] += 1
        token = called_by_script.set(True)
        try:
            # What is not offered is not found, however much of it the caller may use.
            options: dict[str, Any] = {} if name in self._names else {"enabled": []}
            return self._ctx.call_tool(name, args, **options).encode("utf-8", "surrogatepass")
        except Exception as error:  # a host that closes: the script must not wait for ever
            return _error(f"{name} was not called: {error}")
        finally:
            called_by_script.reset(token)
            with self._lock:
                self._running[name] -= 1
                self._idle.notify_all()

    @cached_property
    def _module(self) -> bytes:
        """What the module of the tools is made from."""
        from hermes_tools_terminal.scripts.stubs import module_source

        try:
            shown = self._ctx.session.definitions(everything=True)
            functions = [each["function"] for each in shown if each["function"]["name"] in self._names]
            return json.dumps({"source": module_source(functions)}).encode()
        except Exception as error:  # a host that closes, or a plugin's schema that cannot be read
            return json.dumps({"source": f"raise ImportError({f'There are no tools: {error}'!r})\n"}).encode()


def _error(reason: str) -> bytes:
    return json.dumps({"error": reason}).encode()


Answers = Callable[[bytes], bytes]
"""`Calls.answer`, for those who only carry requests."""
