"""What the pipeline must know to run one tool, worked out once and not at every call."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hermes_core.calls.call import ToolCall
from hermes_core.calls.context import ToolContext
from hermes_core.calls.results import read_lazily
from hermes_core.calls.runner import Callee
from hermes_core.errors import ToolInputError
from hermes_core.tools.availability import gates_of
from hermes_core.tools.dormant import Dormant
from hermes_core.tools.readonly import frozen, thawed
from hermes_core.tools.spec import ContextMarker
from hermes_core.tools.tool import Tool
from hermes_schemas.defaults import Defaults

if TYPE_CHECKING:
    from hermes_core.tools.registry import Snapshot
    from hermes_core.tools.spec import ToolSpec
    from hermes_schemas.checker import Checker, Violation
    from hermes_schemas.repair import Repairer

_WAITING = frozenset({"network", "exec", "message"})
_READING = frozenset({"read"})
_NOTHING: dict[str, Any] = {}
_Info = Callable[[ToolCall], Any]
_INFO: dict[str, _Info] = {
    "task_id": lambda call: call.task_id,
    "session_id": lambda call: call.session_id,
    "tool_call_id": lambda call: call.id,
}
"""What handlers of the explicit form are told beside their arguments."""


class Plan:
    """One tool, ready to run."""

    __slots__ = (
        "_checker",
        "_completed",
        "_info",
        "_repairer",
        "assess",
        "bind_exact",
        "binding",
        "changes",
        "context_parameter",
        "dormant",
        "forward",
        "gated",
        "handler",
        "limit",
        "name",
        "needs",
        "seconds",
        "snapshot",
        "spec",
        "tool",
    )

    def __init__(self, tool: Tool, default_seconds: float, *, exact: bool, hooks_exact: bool = False) -> None:
        self.tool = tool
        self.name = tool.name
        self.spec: ToolSpec = tool.spec
        self.snapshot: Snapshot | None = None
        self.seconds = default_seconds if tool.timeout is None else tool.timeout
        self.limit = tool.max_result_size_chars
        self.gated = bool(gates_of(tool))
        self.needs = tool.needs
        self.changes = not tool.effects <= _READING
        """True when a call may do more than read: observers hear of it before it runs."""
        self.dormant = tool.handler.plugin if isinstance(tool.handler, Dormant) else None
        """The plugin that has to be imported first."""
        # A handler is never run in place on an event loop: it blocks one day, and everybody with it. And one that
        # waits for others, or whose deadline somebody chose, always gets a thread that can be left behind.
        patient = exact or tool.timeout is not None or bool(tool.effects & _WAITING)
        self.handler = handler_of(tool, exact=patient)
        self.assess, self.binding, self.forward = (
            None
            if function is None
            else Callee(
                function,
                is_async=inspect.iscoroutinefunction(function),
                exact=hooks_exact,
                name=f"{tool.name}.{name}",
            )
            for name, function in (("assess", tool.assess), ("binding", tool.binding), ("forward", tool.forward))
        )
        signature = tool.signature
        self.bind_exact = None if not signature else signature.bind if signature.checks else self._check_and_bind
        self.context_parameter = signature.context_parameter if signature else None
        self._info = () if signature else _wanted_info(tool.handler)
        self._checker: Checker | None = None
        self._repairer: Repairer | None = None
        self._completed: Callable[[Any], Any] | None = None

    def shown(self, args: Mapping[str, Any]) -> Mapping[str, Any]:
        """The arguments as everybody sees them who judges or records the call: with the defaults, and read-only."""
        if self._completed is None:
            defaults = Defaults(self.tool.parameters)
            self._completed = defaults.completed if defaults else _as_it_is
        shown: Mapping[str, Any] = frozen(self._completed(args))
        return shown

    @property
    def checker(self) -> Checker:
        """Made at the first call that needs it."""
        if self._checker is None:
            from hermes_schemas.checker import compile_checker  # tools with types do not need it

            self._checker = compile_checker(self.tool.parameters)
        return self._checker

    @property
    def repairer(self) -> Repairer:
        """Made at the first call whose arguments do not fit."""
        if self._repairer is None:
            from hermes_schemas.repair import Repairer  # most calls fit

            self._repairer = Repairer(self.tool.parameters, self.tool.argument_aliases)
        return self._repairer

    def invocation(self, call: ToolCall, bound: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Positional and keyword arguments for the handler; its own copies, which it may change."""
        if self.bind_exact is not None:
            if self.context_parameter is not None:
                bound[self.context_parameter] = ToolContext(call)
            return (), bound
        info = {name: read(call) for name, read in self._info} if self._info else _NOTHING
        return (thawed(call._args),), info

    def _check_and_bind(self, args: Any, *, strict: bool) -> dict[str, Any]:
        """Bind arguments for a signature that relies on the schema."""
        signature = self.tool.signature
        if signature is None or not self.checker.fits(args):
            raise ValueError("they do not fit the schema")
        return signature.bind(args, strict=strict)

    def bind(self, args: Mapping[str, Any]) -> dict[str, Any]:
        """The handler's own values for arguments that fit the schema.

        Raises:
            ToolInputError: the function's types ask for more than a schema can say.
        """
        signature = self.tool.signature
        if signature is None:
            return _NOTHING
        try:
            return signature.bind(args)
        except ValueError as error:
            raise violated(self.spec.name, _explained(error)) from error


def handler_of(tool: Tool, *, exact: bool) -> Callee:
    """A tool's handler, ready to run: in a thread of its own where its deadline is to be exact."""
    return Callee(
        tool.handler,
        is_async=tool.is_async,
        exact=exact,
        on_loop=False,
        grace=False,
        name=tool.name,
        read=read_lazily,
    )


def _as_it_is(args: Any) -> Any:
    return args


def violated(name: str, violations: Sequence[Violation]) -> ToolInputError:
    """The error for arguments that do not fit: where, what is wrong with them, and what to send instead."""
    said = " ".join(_placed(violation.path, violation.message) for violation in violations)
    hints = [_placed(violation.path, violation.hint) for violation in violations if violation.hint]
    problems = [{"path": violation.path, "rule": violation.rule} for violation in violations]
    return ToolInputError(
        f"Invalid arguments for {name}. {said}", hint=" ".join(dict.fromkeys(hints)) or None, problems=problems
    )


def _placed(path: str, sentence: str) -> str:
    """A sentence about a value, with its place in front."""
    sentence = sentence if sentence.endswith((".", "?", "!")) else f"{sentence}."
    return f"{path}: {sentence}" if path else sentence


def _explained(error: ValueError) -> list[Violation]:
    """pydantic's errors in the shape of ours."""
    from hermes_schemas.checker import Violation

    details = getattr(error, "errors", None)
    if not callable(details):
        return [Violation(path="", rule="value", message=str(error), hint=None)]
    return [
        Violation(
            path=".".join(str(part) for part in detail["loc"]), rule=detail["type"], message=detail["msg"], hint=None
        )
        for detail in details(include_url=False, include_context=False)[:5]
    ]


def _wanted_info(handler: Callable[..., object]) -> tuple[tuple[str, _Info], ...]:
    """Which of the facts about a call a handler can take, read from its signature."""
    try:
        parameters = list(inspect.signature(handler).parameters.values())
    except (TypeError, ValueError):
        return ()
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        wanted = dict(_INFO)
    else:
        wanted = {parameter.name: _INFO[parameter.name] for parameter in parameters[1:] if parameter.name in _INFO}
    for parameter in parameters[1:]:
        annotation = parameter.annotation
        if annotation == "ToolContext" or (isinstance(annotation, type) and issubclass(annotation, ContextMarker)):
            wanted[parameter.name] = ToolContext
    return tuple(wanted.items())
