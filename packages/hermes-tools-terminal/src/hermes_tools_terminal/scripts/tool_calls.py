"""Handle the tool calls of scripts, and generate the module `hermes_tools` that scripts import."""

from __future__ import annotations

import json
import keyword
import re
import textwrap
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hermes_core import ToolContext

OFFERED = frozenset({"web_search", "web_extract", "read_file", "write_file", "search_files", "patch", "terminal"})
"""The tools that scripts may call, if their caller may."""


called_by_script: ContextVar[bool] = ContextVar("hermes_called_by_script", default=False)
"""True in a call from a script: its result goes to the script, not to the model."""


class ScriptCalls:
    """The calls of one script.

    Attributes:
        made: How many tools it has called.
    """

    def __init__(self, ctx: ToolContext, limit: int) -> None:
        self.made = 0
        self._ctx = ctx
        self._most = limit
        self._names = ctx.allowed_tools() & OFFERED
        self._lock = threading.Lock()
        self._idle = threading.Condition(self._lock)
        self._running: Counter[str] = Counter()
        self._closed = False

    def answer(self, data: bytes) -> bytes:
        """Return the answer to a request. Never raises; may be called from many threads at once."""
        try:
            request = json.loads(data)
        except (ValueError, RecursionError):
            request = None
        if not isinstance(request, dict):
            return _error("This is not a request: send a JSON object with `tool` and `args`.")
        if request.get("want") == "module":
            return self._module
        name, args = request.get("tool"), request.get("args")
        if not isinstance(name, str) or not isinstance(args, dict | None):
            return _error("This is not a request: `tool` must be a string, and `args` an object.")

        if used := sorted(LEFT_OUT.get(name, frozenset()).intersection(args or ())):
            return _error(f"{name} cannot be called with {', '.join(used)} from a script. Call the tool itself.")
        return self._called(name, args or {})

    def running(self, name: str) -> bool:
        """Return whether a call of that tool is running."""
        return self._running[name] > 0

    def close(self) -> None:
        """Accept no more calls."""
        with self._lock:
            self._closed = True

    def wait(self, seconds: float) -> int:
        """Wait until no call is running; return how many still are on timeout."""
        deadline = time.monotonic() + seconds
        with self._lock:
            while (left := self._running.total()) and (rest := deadline - time.monotonic()) > 0:
                self._idle.wait(rest)
            return left

    def _called(self, name: str, args: dict[str, Any]) -> bytes:
        with self._lock:
            if self._closed:
                return _error("The script has ended: no more tools are called.")
            if self.made >= self._most:
                return _error(
                    f"It was not called: a script may call {self._most} tools, and this one has. Use another script, "
                    "or fewer calls."
                )
            self.made += 1
            self._running[name] += 1
        token = called_by_script.set(True)
        try:
            # Tools that are not offered are not found, even if the caller may use them.
            options: dict[str, Any] = {} if name in self._names else {"enabled": []}
            return self._ctx.call_tool(name, args, **options).encode("utf-8", "surrogatepass")
        except Exception as error:  # the host is closing: the script must not wait forever
            return _error(f"{name} was not called: {error}")
        finally:
            called_by_script.reset(token)
            with self._lock:
                self._running[name] -= 1
                self._idle.notify_all()

    @cached_property
    def _module(self) -> bytes:
        """Return the source of the tools module, as JSON."""

        try:
            shown = self._ctx.session.definitions(everything=True)
            functions = [each["function"] for each in shown if each["function"]["name"] in self._names]
            return json.dumps({"source": module_source(functions)}).encode()
        except Exception as error:  # the host is closing, or a plugin's schema is invalid
            return json.dumps({"source": f"raise ImportError({f'There are no tools: {error}'!r})\n"}).encode()


def _error(reason: str) -> bytes:
    return json.dumps({"error": reason}).encode()


CallHandler = Callable[[bytes], bytes]
"""The type of `ScriptCalls.answer`."""


LEFT_OUT: Mapping[str, frozenset[str]] = {
    "terminal": frozenset({"background", "pty", "notify_on_complete", "watch_patterns"}),
}
"""Parameters that a script cannot use: what they start would outlive the script without being reported."""

_TYPES = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "array": "list",
    "object": "dict",
    "null": "None",
}
_HELPERS = ("json_parse", "retry", "shell_quote")
_HEAD = '''"""Tools that this script may call. Each returns its parsed JSON result, usually a dict.

A call that failed has "error" in it.

Helpers: json_parse(text), shell_quote(text) and retry(function, max_attempts=3, delay=2).
"""

from __future__ import annotations

from typing import Any, Literal

'''


def module_source(definitions: Sequence[Mapping[str, Any]]) -> str:
    """Return the source of the module for tools as `{"name", "description", "parameters"}`."""
    functions = [_function(each) for each in definitions]
    names = sorted([*_HELPERS, *(each["name"] for each in definitions)])
    return "\n\n".join([f"{_HEAD}__all__ = {names!r}", *functions]) + "\n"


def signature(definition: Mapping[str, Any]) -> str:
    """Return the signature of a tool in one line: `name(first: str, second: int = 5)`."""
    return f"{definition['name']}({', '.join(shown for _, shown in _parameters(definition))})"


def _function(definition: Mapping[str, Any]) -> str:
    parameters = _parameters(definition)
    words = ", ".join(map(repr, [definition["name"], *(name for name, _ in parameters)]))
    return f"@_tool({words})\ndef {signature(definition)} -> dict[str, Any]:\n{_docstring(definition)}"


def _parameters(definition: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return each parameter's name and declaration; those without a default come first."""
    schema = definition.get("parameters") or {}
    properties: Mapping[str, Any] = schema.get("properties") or {}
    left_out = LEFT_OUT.get(definition["name"], frozenset())
    required = [name for name in schema.get("required") or () if name in properties]
    order = [*required, *(name for name in properties if name not in required)]
    taken: set[str] = set()
    found = []
    for name in order:
        if name not in left_out:
            identifier = _identifier(name, taken)
            found.append((name, f"{identifier}: {_annotated(properties[name], optional=name not in required)}"))
    return found


def _identifier(name: str, taken: set[str]) -> str:
    """Return a valid, unused Python name: keywords and used names get an underscore."""
    identifier = re.sub(r"\W", "_", name, flags=re.ASCII)
    if not identifier or identifier[0].isdigit() or keyword.iskeyword(identifier):
        identifier = f"{identifier}_" if keyword.iskeyword(identifier) else f"_{identifier}"
    while identifier in taken:
        identifier += "_"
    taken.add(identifier)
    return identifier


def _annotated(schema: object, *, optional: bool) -> str:
    hint = _type_hint(schema)
    if not optional:
        return hint
    default = schema.get("default") if isinstance(schema, Mapping) else None
    if default is None and hint != "Any" and "None" not in hint.split(" | "):
        hint += " | None"
    return f"{hint} = {default!r}"


def _type_hint(schema: object, depth: int = 0) -> str:
    """Return the type hint for a schema."""
    if not isinstance(schema, Mapping) or depth > 3:
        return "Any"
    choices = schema.get("enum")
    if isinstance(choices, list) and choices and all(isinstance(each, str | int) or each is None for each in choices):
        return f"Literal[{', '.join(map(repr, choices))}]"
    for key in ("anyOf", "oneOf"):
        if isinstance(schema.get(key), list):
            return _either([_type_hint(each, depth + 1) for each in schema[key]])
    kind = schema.get("type")
    if isinstance(kind, list):
        return _either([_TYPES.get(each, "Any") for each in kind if isinstance(each, str)])
    if kind == "array" and "items" in schema:
        return f"list[{_type_hint(schema['items'], depth + 1)}]"
    if kind == "object":
        return "dict[str, Any]"
    return _TYPES.get(kind, "Any") if isinstance(kind, str) else "Any"


def _either(hints: list[str]) -> str:
    return "Any" if not hints or "Any" in hints else " | ".join(dict.fromkeys(hints))


def _docstring(definition: Mapping[str, Any]) -> str:
    """Return the docstring of a tool and its parameters, which is always a valid string literal."""
    properties = (definition.get("parameters") or {}).get("properties") or {}
    lines = [str(definition.get("description") or "").strip()]
    described = [
        (identifier.partition(":")[0], str(properties[name]["description"]))
        for name, identifier in _parameters(definition)
        if isinstance(properties[name], Mapping) and properties[name].get("description")
    ]
    if described:
        lines += ["", "Args:", *(textwrap.indent(f"{name}: {text}", "    ") for name, text in described)]
    body = "\n".join(lines).strip() or f"Call the tool {definition['name']}."
    if "\\" in body or '"""' in body or body.endswith('"') or not body.replace("\n", "").isprintable():
        return f"    {body!r}"
    return textwrap.indent(
        f'"""{body}\n"""' if "\n" in body else f'"""{body}"""', "    ", lambda line: bool(line.strip())
    )
