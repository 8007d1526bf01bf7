"""Stages 4 and 5 of a call: policy hooks and assessors judge it, and the strictest answer wins.

Each guard is a separate statement. A test removes them one at a time and expects the suite to fail.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from hermes_core.calls.call import ToolCall
from hermes_core.calls.call_plan import Plan
from hermes_core.calls.context import ToolContext
from hermes_core.calls.hooks import Hook, Hooks, describe
from hermes_core.calls.runner import Callee, Runner, is_plain
from hermes_core.errors import ToolInputError
from hermes_core.findings import ASSESS_FAILED, Allow, Ask, Binding, Decision, Deny, Finding, Rewrite
from hermes_schemas.readonly import thawed

_MAX_REWRITES = 8  # how often policies may rewrite one call before it is denied
_ALLOWED = Decision(outcome="allowed")
Kind = TypeVar("Kind")
Choose = Callable[[Sequence[Hook]], Sequence[Hook]]


class Denial(NamedTuple):
    """A policy hook's denial, by its rule or plugin."""

    by: str
    reason: str


def weigh(denials: Sequence[Denial], findings: tuple[Finding, ...]) -> Decision | None:
    """Return the strictest decision: refused, denied or allowed; None if the call needs an approval."""
    if not denials and not findings:
        return _ALLOWED
    severities = {finding.severity for finding in findings}
    if "refuse" in severities:
        refusals = [finding for finding in findings if finding.severity == "refuse"]
        reason = "; ".join(finding.reason for finding in refusals)
        return Decision(outcome="refused", reason=reason, by=refusals[0].rule, findings=findings)
    if denials:
        reason = "; ".join(denial.reason for denial in denials)
        return Decision(outcome="denied-by-policy", reason=reason, by=denials[0].by, findings=findings)
    return None if "ask" in severities else Decision(outcome="allowed", findings=findings)


class Policy:
    """Calls the policy hooks and assessors of a host and its parents; `fit` validates rewritten arguments."""

    def __init__(self, hooks: Hooks, fit: Callable[[Plan, ToolCall, object], dict[str, Any]]) -> None:
        self._hooks = hooks
        self._fit = fit

    async def judge(
        self, plan: Plan, call: ToolCall, bound: dict[str, Any], runner: Runner, choose: Choose | None = None
    ) -> tuple[dict[str, Any], Sequence[Denial], tuple[Finding, ...]]:
        """Call all hooks that judge a call, or those that `choose` returns.

        Returns the arguments that would run, converted to the handler's types; the denials; the findings.
        """
        hooks = self._hooks.compiled()
        policies: Sequence[Hook] = hooks.policies
        assessors: Sequence[Hook] = hooks.assessors
        if plan.assess is not None:
            assessors = (plan.assess, *assessors)
        if choose is not None:
            policies, assessors = choose(policies), choose(assessors)
        denials: list[Denial] = []
        findings: list[Finding] = []
        if policies:
            bound, denials, findings = await self._ask_policies(plan, call, bound, policies, runner)
        values = {"call": call}
        for hook in assessors:
            try:
                answer = hook.ask(values, runner, hook.owner.seconds)
                if not is_plain(answer):
                    answer = await answer
                findings += items_of(answer, Finding)
            except Exception as error:  # foreign code: not knowing is a reason to ask
                findings += [_failed_assessor(hook, error)]
        if not denials and not findings:
            return bound, denials, ()
        if plan.binding is not None and any(each.severity == "ask" for each in findings):
            binding = await self._bind(plan.binding, call, runner)
            findings = [binding.applied(finding) for finding in findings]
        # A host and its parent may have found the same.
        return bound, tuple(dict.fromkeys(denials)), tuple(dict.fromkeys(findings))

    async def _ask_policies(
        self, plan: Plan, call: ToolCall, bound: dict[str, Any], policies: Sequence[Hook], runner: Runner
    ) -> tuple[dict[str, Any], list[Denial], list[Finding]]:
        """Call every policy hook. One that fails, is late or returns another type denies the call."""
        denials: list[Denial] = []
        findings: list[Finding] = []
        values = {"call": call}
        queue = list(policies)
        since = rewrites = 0
        for position, hook in enumerate(queue):  # a rewrite extends the queue
            try:
                answer = hook.ask(values, runner, hook.owner.seconds)
                if answer is not None and not is_plain(answer):
                    answer = await answer
                if answer is None or isinstance(answer, Allow):
                    continue
                if isinstance(answer, Deny):
                    denials.append(Denial(str(answer.rule) or hook.plugin, str(answer.reason)))
                elif isinstance(answer, Ask):
                    rule = str(answer.rule) or f"{hook.plugin}.ask"
                    findings.append(Finding(rule=rule, severity="ask", reason=str(answer.reason)))
                elif not isinstance(answer, Rewrite):
                    raise TypeError(f"it returned a {type(answer).__name__}, not Allow, Deny, Ask, Rewrite or None")
                elif answer.args != call.current_args:
                    bound = self._rewrite(plan, call, answer)
                    # The previous hooks have judged other arguments, so call them again.
                    queue.extend(other for other in queue[since:position] if other is not hook)
                    denials, findings, since, rewrites = [], [], position, rewrites + 1
                    if rewrites > _MAX_REWRITES:
                        denials.append(Denial(hook.plugin, "policies keep rewriting each other's arguments"))
                        break
            except ToolInputError as error:
                denials.append(Denial(hook.plugin, f"it rewrote the arguments wrongly ({error.message})"))
            except Exception as error:  # foreign code: a failed policy must not allow the call
                hook.report(error)
                denials.append(Denial(hook.plugin, f"its policy hook failed ({describe(error)})"))
        return bound, denials, findings

    def _rewrite(self, plan: Plan, call: ToolCall, answer: Rewrite) -> dict[str, Any]:
        before = call.current_args, call.current_repairs
        args = thawed(dict(answer.args)) if isinstance(answer.args, Mapping) else answer.args
        call.current_args = args
        try:
            bound = self._fit(plan, call, args)
        except ToolInputError:
            call.current_args, call.current_repairs = before
            raise
        call.shown_args = plan.complete(call.current_args)
        return bound

    async def _bind(self, binding: Callee, call: ToolCall, runner: Runner) -> Binding:
        """Ask the tool what an approval depends on. If it fails, only this one call can be approved."""
        try:
            found = await runner.run(binding, (call.args, ToolContext(call)), {}, self._hooks.seconds)
            if not isinstance(found, Binding | None):
                raise TypeError(f"it returned a {type(found).__name__}, not a Binding or None")
            return found or Binding()
        except (Exception, SystemExit) as error:  # foreign code: unknown facts require an approval each time
            return Binding(once=f"the tool could not say what this call depends on ({describe(error)})")


def _failed_assessor(hook: Hook, error: Exception) -> Finding:
    """Log the error, and return the finding that lets the call need an approval."""
    hook.report(error)
    who, rule = "the tool", ASSESS_FAILED
    if hook.plugin:  # each one has its own rule: approving one that fails approves no other
        who, rule = f"plugin {hook.plugin!r}", f"{ASSESS_FAILED}.{hook.plugin}"
    return Finding(rule=rule, severity="ask", reason=f"{who} could not assess this call ({describe(error)})")


def items_of(answer: object, kind: type[Kind]) -> list[Kind]:
    """Return a hook's answer as a list; raise `TypeError` unless it is None, one item or several items of a type."""
    if answer is None:
        return []
    if isinstance(answer, kind):
        return [answer]
    if type(answer) is list or (isinstance(answer, Iterable) and not isinstance(answer, str | bytes | Mapping)):
        items = list(answer)
        for item in items:
            if not isinstance(item, kind):
                break
        else:
            return items
    raise TypeError(f"it returned a {type(answer).__name__}, not items of the type {kind.__name__}, or None")
