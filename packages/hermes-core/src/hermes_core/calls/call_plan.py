"""Everything the pipeline needs to run one tool, prepared once per tool."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from hermes_core.calls.call import ToolCall
from hermes_core.calls.context import ToolContext
from hermes_core.calls.hooks import Hooks, ToolAssessor
from hermes_core.calls.runner import PROVEN, Callee, Runner
from hermes_core.errors import ToolInputError, describe_json_error
from hermes_core.tools.requirements import gates_of
from hermes_core.tools.tool import Tool
from hermes_core.tools.tool_spec import ContextMarker, LazyHandler
from hermes_schemas.defaults import Defaults
from hermes_schemas.readonly import ReadOnlyDict, frozen, thawed

if TYPE_CHECKING:
    from hermes_core.tools.registry import Snapshot
    from hermes_core.tools.tool_spec import ToolSpec
    from hermes_schemas.checker import Checker, Problem
    from hermes_schemas.repair import Repairer

_READING = frozenset({"read"})
_WAITING = frozenset({"network", "exec", "message"})
_SCALARS = frozenset({"string", "integer", "number", "boolean"})
_NOTHING: dict[str, Any] = {}
_Info = Callable[[ToolCall], Any]
_INFO: dict[str, _Info] = {
    "task_id": lambda call: call.task_id,
    "session_id": lambda call: call.session_id,
    "tool_call_id": lambda call: call.id,
}
"""The keyword arguments of handlers with an explicit schema."""


class Plan:
    """One tool, ready to run. It `is_direct` unless it must be imported first or forwards its calls."""

    def __init__(self, tool: Tool, default_seconds: float, *, exact: bool, hooks: Hooks) -> None:
        def callee(name: str, function: Callable[..., Any] | None) -> Callee | None:
            return function and Callee(function, exact=hooks.exact, name=f"{tool.name}.{name}")

        self.tool = tool
        self.name = tool.name
        self.spec: ToolSpec = tool.spec
        self.snapshot: Snapshot | None = None
        self.seconds = default_seconds if tool.timeout is None else tool.timeout
        self.limit = tool.max_result_size_chars
        self.gated = bool(gates_of(tool))
        self.needs = tool.needs
        self.changes = not tool.effects <= _READING
        self.is_free = not self.gated and not self.needs
        self.lazy_plugin = tool.handler.plugin if isinstance(tool.handler, LazyHandler) else None
        # A handler that may wait, or whose deadline is configured, always runs in a thread that can be abandoned.
        self.handler = _handler(tool, exact=exact or tool.timeout is not None or bool(tool.effects & _WAITING))
        assess = callee("assess", tool.assess)
        self.assess = ToolAssessor(assess, hooks) if assess is not None else None
        self.binding = callee("binding", tool.binding)
        self.forward = callee("forward", tool.forward)
        self.is_direct = self.lazy_plugin is None and self.forward is None
        signature = tool.signature
        self.bind_exact = None if not signature else signature.bind if signature.checks else self._check_and_bind
        self.is_flat = bool(signature and signature.checks) and all(
            isinstance(each, Mapping) and each.get("type") in _SCALARS
            for each in tool.parameters.get("properties", {}).values()
        )
        self.context_parameter = signature.context_parameter if signature else None
        self._info = () if signature else _accepted_info(tool.handler)

    @cached_property
    def _add_defaults(self) -> Callable[[Any], Any]:
        defaults = Defaults(self.tool.parameters)
        return defaults.completed if defaults else lambda args: args

    def complete(self, args: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the arguments for hooks and observers: with defaults, and read-only."""
        shown: Mapping[str, Any] = self._add_defaults(args)
        return shown if type(shown) is ReadOnlyDict else frozen(shown)

    @cached_property
    def checker(self) -> Checker:
        """The validator; created by the first call that needs it. Typed tools do not."""
        from hermes_schemas.checker import compile_checker

        return compile_checker(self.tool.parameters)

    @cached_property
    def repairer(self) -> Repairer:
        """The repairer; created by the first call with invalid arguments."""
        from hermes_schemas.repair import Repairer

        return Repairer(self.tool.parameters, self.tool.argument_aliases)

    def start(self, call: ToolCall, bound: dict[str, Any], runner: Runner, begun: float) -> Any:
        """Start the handler under its deadline; return its answer, or an awaitable. The time may count from `begun`."""
        handler, seconds = self.handler, self.seconds
        args: tuple[Any, ...] = ()
        if call.timeout is not None:  # the caller chose a deadline for this call alone
            handler, seconds = _handler(self.tool, exact=True), call.timeout
        if self.bind_exact is None:
            args = (thawed(call.current_args),)  # its own copy, which it may change
            bound = {name: read(call) for name, read in self._info} if self._info else _NOTHING
        elif self.context_parameter is not None:
            bound[self.context_parameter] = ToolContext(call)
        if handler.quick >= PROVEN and runner.blocks:
            return handler.in_place(args, bound, seconds, begun)
        return runner.start(handler, args, bound, seconds)

    def validate(self, args: object) -> None:
        """Raise `ToolInputError` for arguments that do not fit the schema."""
        if not isinstance(args, dict):
            problem, hint = _not_an_object(args)
            raise ToolInputError(f"Invalid arguments for {self.name}: they are {problem}.", hint=hint)
        if not self.checker.fits(args):
            raise _invalid(self.name, self.checker.find_problems(args))

    def bind(self, args: Mapping[str, Any]) -> dict[str, Any]:
        """Convert the arguments to the handler's types, which may be stricter than the schema."""
        signature = self.tool.signature
        if signature is None:
            return _NOTHING
        try:
            return signature.bind(args)
        except ValueError as error:
            raise _invalid(self.name, _read_errors(error)) from error

    def _check_and_bind(self, args: Any, *, strict: bool) -> dict[str, Any]:
        signature = self.tool.signature
        if signature is None or not self.checker.fits(args):
            raise ValueError("they do not fit the schema")
        return signature.bind(args, strict=strict)


def _handler(tool: Tool, *, exact: bool) -> Callee:
    return Callee(tool.handler, is_async=tool.is_async, exact=exact, is_handler=True, name=tool.name)


def _invalid(name: str, problems: Sequence[Problem]) -> ToolInputError:
    messages = " ".join(_with_path(each.path, each.message) for each in problems)
    hints = " ".join(dict.fromkeys(_with_path(each.path, each.hint) for each in problems if each.hint))
    facts = [{"path": each.path, "rule": each.rule} for each in problems]
    return ToolInputError(f"Invalid arguments for {name}. {messages}", hint=hints or None, problems=facts)


def _with_path(path: str, sentence: str) -> str:
    sentence = sentence if sentence.endswith((".", "?", "!")) else f"{sentence}."
    return f"{path}: {sentence}" if path else sentence


def _read_errors(error: ValueError) -> list[Problem]:
    from hermes_schemas.checker import Problem

    details = getattr(error, "errors", None)
    if not callable(details):
        return [Problem(path="", rule="value", message=str(error), hint=None)]
    return [
        Problem(path=".".join(map(str, each["loc"])), rule=each["type"], message=each["msg"], hint=None)
        for each in details(include_url=False, include_context=False)[:5]
    ]


def _accepted_info(handler: Callable[..., object]) -> tuple[tuple[str, _Info], ...]:
    """Return the facts about a call that a handler accepts according to its signature."""
    try:
        parameters = list(inspect.signature(handler).parameters.values())[1:]
        takes_all = any(each.kind is each.VAR_KEYWORD for each in inspect.signature(handler).parameters.values())
    except (TypeError, ValueError):
        return ()
    wanted = {name: read for name, read in _INFO.items() if takes_all or name in {each.name for each in parameters}}
    for parameter in parameters:
        annotation = parameter.annotation
        if annotation == "ToolContext" or (isinstance(annotation, type) and issubclass(annotation, ContextMarker)):
            wanted[parameter.name] = ToolContext
    return tuple(wanted.items())


def _not_an_object(args: object) -> tuple[str, str]:
    if isinstance(args, str) and args.lstrip().startswith(("{", "[")):
        try:
            args = json.loads(args)
        except json.JSONDecodeError as error:
            return describe_json_error(
                error
            ), "Send the whole object again, with every string, array and object closed."
        except (ValueError, RecursionError):  # numbers or nesting beyond Python's limits
            pass
    kinds = {str: "text", list: "an array", bool: "a boolean", int: "a number", float: "a number", type(None): "null"}
    kind = kinds.get(type(args), type(args).__name__)
    return f"{kind}, not a JSON object", 'Send the arguments as an object: {"name": value}.'
