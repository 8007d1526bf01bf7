"""Predicts what would happen to a call: runs all stages up to the approval."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from hermes_core.calls.deadlines import drive
from hermes_core.calls.hooks import APPROVE, Hook, describe
from hermes_core.calls.policy import Denial, items_of, weigh
from hermes_core.calls.runner import is_plain
from hermes_core.errors import ToolError
from hermes_core.findings import Allow, Ask, Decision, Deny, Finding, Rewrite

if TYPE_CHECKING:
    from hermes_core.calls.call import ToolCall
    from hermes_core.calls.dispatcher import Dispatcher
    from hermes_core.calls.pipeline import Pipeline
    from hermes_core.calls.runner import Runner

_WORDS: dict[type[Any], str] = {type(None): "allow", Allow: "allow", Deny: "deny", Ask: "ask", Rewrite: "rewrite"}


class Answered(NamedTuple):
    """The answer of one hook, or of the tool itself, about a call."""

    stage: Literal["pre", "assess"]
    plugin: str  # empty for the tool itself
    says: str  # `allow`, `deny`, `ask`, `rewrite`, `refuse`, `note`, or `failed`
    reason: str = ""
    rule: str = ""


class Rehearsal(NamedTuple):
    """A prediction of what would happen to a call.

    Attributes:
        tool: The tool's name, or the requested name if there is no such tool.
        args: The arguments that would reach the tool, after repairs and rewrites.
        repairs: The repairs.
        problem: Why the call would end before it is judged, or None.
        answers: The answers of policy hooks, the tool itself and assessors, in order.
        denials: The denials by hooks and rules.
        findings: The findings, including those that a plugin waives.
        decision: The decision; None if an approver would be asked.
        approvers: The plugins that would be asked, in order.
    """

    tool: str
    args: Mapping[str, Any]
    repairs: tuple[str, ...] = ()
    problem: ToolError | None = None
    answers: tuple[Answered, ...] = ()
    denials: tuple[Denial, ...] = ()
    findings: tuple[Finding, ...] = ()
    decision: Decision | None = None
    approvers: tuple[str, ...] = ()


def rehearse(
    dispatcher: Dispatcher, name: str, args: object, plugins: Collection[str] | None, options: dict[str, Any]
) -> Rehearsal:
    """Predict what would happen to a call; the session is not started."""
    dispatcher.bridge.refuse_inside("Hermes.rehearse()")
    call = dispatcher.make_call(name, {} if args is None else args, **options)
    found: Rehearsal = drive(_rehearse(dispatcher.pipeline, call, dispatcher.blocking, plugins))
    return found


async def _rehearse(pipeline: Pipeline, call: ToolCall, runner: Runner, plugins: Collection[str] | None) -> Rehearsal:
    """Judge the call; if `plugins` is given, only by their hooks and not by the tool itself."""
    answers: list[Answered] = []

    def choose(hooks: Sequence[Hook]) -> Sequence[Hook]:
        return [_Recorded(hook, answers) for hook in hooks if plugins is None or hook.plugin in plugins]

    problem: ToolError | None = None
    found: dict[str, Any] = {}
    try:
        plan = await pipeline.prepare(call, runner, imports=plugins is None)
        bound = pipeline.fit(plan, call)
        call.shown_args = plan.complete(call.current_args)
        _, denials, findings = await pipeline.policy.judge(plan, call, bound, runner, choose)
        decision = weigh(denials, findings) or await pipeline.approvals.foresee(call, findings, runner)
        approvers = tuple(hook.plugin for hook in pipeline.hooks.of(APPROVE))
        found = {"denials": tuple(denials), "findings": findings, "decision": decision, "approvers": approvers}
    except ToolError as error:
        problem = error
    repairs = tuple(map(str, call.repairs))
    return Rehearsal(
        tool=str(call.name), args=call.args, repairs=repairs, problem=problem, answers=tuple(answers), **found
    )


class _Recorded(Hook):
    __slots__ = ("_answers", "_assesses", "_hook")

    def __init__(self, hook: Hook, answers: list[Answered]) -> None:
        self._hook = hook
        self._answers = answers
        self._assesses = hook.name == "hermes_assess_call"
        self.plugin = hook.plugin
        self.owner = hook.owner

    async def ask(self, values: Mapping[str, Any], runner: Runner, seconds: float) -> Any:
        """Call the hook and record its answer."""
        answer = self._hook.ask(values, runner, seconds)
        if not is_plain(answer):
            answer = await answer
        if self._assesses:
            answer = items_of(answer, Finding)
        self._answers.extend(self._read(answer))
        return answer

    def report(self, error: BaseException) -> None:
        """Record the failure and report it."""
        self._answers.append(Answered("assess" if self._assesses else "pre", self.plugin, "failed", describe(error)))
        self._hook.report(error)

    def _read(self, answer: Any) -> Iterator[Answered]:
        if isinstance(answer, list):
            for each in answer:
                yield Answered("assess", self.plugin, each.severity, each.reason, each.rule)
            if not answer:
                yield Answered("assess", self.plugin, "allow")
        elif type(answer) in _WORDS:
            rule = answer.rule or f"{self.plugin}.ask" if isinstance(answer, Ask) else ""
            yield Answered("pre", self.plugin, _WORDS[type(answer)], str(getattr(answer, "reason", "")), str(rule))
