"""Stages four to six of a call: policy hooks and assessors are heard, and somebody decides.

Each guard is a statement of its own. A test removes them one at a time and expects the suite to notice.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hermes_core.approval.finding import (
    ASSESS_FAILED,
    Allow,
    Ask,
    Binding,
    Decision,
    Deny,
    Finding,
    Rewrite,
    as_findings,
)
from hermes_core.approval.gate import Denial, weigh
from hermes_core.calls.approvals import Approvals
from hermes_core.calls.call import ToolCall
from hermes_core.calls.context import ToolContext
from hermes_core.calls.hooks import LATER, Hook, Hooks, describe, report
from hermes_core.calls.plan import Plan
from hermes_core.calls.runner import Callee, Runner, is_plain
from hermes_core.errors import ToolInputError
from hermes_core.tools.readonly import thawed

_MOST_REWRITES = 8
"""How often policies may rewrite one call before they are taken to be at odds."""


@dataclass(slots=True)
class Hearing:
    """Everything that was said about a call.

    Attributes:
        bound: The handler's own values for the arguments, as policies have rewritten them.
        denials: What denies it.
        findings: What somebody minds, or would like to be noted.
        answers: Who said what, in order; kept only when somebody wants to know.
    """

    bound: dict[str, Any]
    denials: list[Denial]
    findings: tuple[Finding, ...] = ()
    answers: list[Answered] | None = None

    @property
    def clear(self) -> bool:
        """Whether nobody had anything to say."""
        return not self.denials and not self.findings


@dataclass(frozen=True, slots=True)
class Answered:
    """What one hook, or the tool itself, said about a call.

    Attributes:
        stage: `pre` or `assess`.
        plugin: Whose word it is; empty for the tool's own.
        says: `allow`, `deny`, `ask`, `rewrite`, `refuse`, `note`, or `failed`.
        reason: Why.
        rule: The finding's rule.
    """

    stage: str
    plugin: str
    says: str
    reason: str = ""
    rule: str = ""


class Judge:
    """Hears everybody who has a say, and lets the strictest word win.

    Args:
        hooks: The host's hooks.
        fit: Validates arguments that a policy has rewritten.
        seconds: How long an approval is waited for.
    """

    def __init__(
        self,
        hooks: Hooks,
        fit: Callable[[Plan, ToolCall, object], dict[str, Any]],
        seconds: float,
    ) -> None:
        self._hooks = hooks
        self._fit = fit
        self.approvals = Approvals(hooks, seconds)

    async def decide(self, call: ToolCall, heard: Hearing, runner: Runner) -> Decision:
        """What becomes of a call after everybody was heard: the strictest word wins."""
        decision = weigh(heard.denials, heard.findings)
        if decision is None:
            decision = await self.approvals.decide(call, heard.findings, runner)
        return decision

    async def hear(
        self,
        plan: Plan,
        call: ToolCall,
        bound: dict[str, Any],
        runner: Runner,
        answers: list[Answered] | None = None,
        *,
        plugins: Collection[str] | None = None,
    ) -> Hearing:
        """Everything that hooks and the tool itself say about a call; nobody is asked yet.

        Args:
            plan: The tool.
            call: The call; a rewrite changes its arguments.
            bound: The handler's own values for them.
            runner: Runs foreign code.
            answers: Where to write down who said what.
            plugins: The only plugins that are heard; the tool itself is not. None hears all.
        """
        heard = Hearing(bound, [], (), answers)
        values = {"call": call, "ctx": ToolContext(call)}
        await self._ask_policies(plan, call, heard, values, runner, plugins)
        if plan.assess is not None or self._hooks.of("hermes_assess_call"):
            heard.findings += await self._assess(plan, call, heard, values, runner, plugins)
        if len(heard.findings) > 1:  # a host and the one above it may have found the same
            heard.findings = tuple(dict.fromkeys(heard.findings))
        if len(heard.denials) > 1:
            heard.denials = list(dict.fromkeys(heard.denials))
        if plan.binding is not None and plugins is None and any(each.severity == "ask" for each in heard.findings):
            binding = await self._bind(plan.binding, call, runner)
            heard.findings = tuple(binding.applied(finding) for finding in heard.findings)
        return heard

    async def _bind(self, binding: Callee, call: ToolCall, runner: Runner) -> Binding:
        """What an approval of the call depends on, by the tool's own word. If it fails, only this call is approved."""
        try:
            found = await runner.run(binding, (call.args, ToolContext(call)), {}, self._hooks.seconds)
            if not isinstance(found, Binding | None):
                raise TypeError(f"it returned a {type(found).__name__}, not a Binding or None")
            return found or Binding()
        except (Exception, SystemExit) as error:  # foreign code: not knowing is a reason to ask the next time
            return Binding(once=f"the tool could not say what this call depends on ({describe(error)})")

    async def _ask_policies(
        self,
        plan: Plan,
        call: ToolCall,
        heard: Hearing,
        values: Mapping[str, Any],
        runner: Runner,
        plugins: Collection[str] | None,
    ) -> None:
        """Every policy hook's answer. One that raises, is late or answers nonsense denies: fail closed."""
        said: dict[Hook, Denial | Finding] = {}
        seconds, here = self._hooks.seconds, runner.in_place()
        waiting, answered, rewrites = deque(self._heard("hermes_pre_tool_call", plugins)), [], 0
        while waiting:
            hook = waiting.popleft()
            answered.append(hook)
            answer: Any = LATER
            try:
                if here:
                    answer = hook.now(values, seconds)
                if answer is LATER:
                    answer = await hook.ask(values, runner, seconds)
                elif not is_plain(answer):
                    answer = await runner.hear(answer, seconds)
                if answer is None and heard.answers is None:
                    continue
                if isinstance(answer, Rewrite) and answer.args != call._args:
                    heard.bound = self._rewrite(plan, call, answer)
                    # Whoever answered before has judged other arguments than those that would run: ask again.
                    waiting.extend(other for other in answered if other is not hook)
                    said, answered, rewrites = {}, [hook], rewrites + 1
                    if rewrites > _MOST_REWRITES:
                        said[hook] = Denial(hook.plugin, "policies keep rewriting each other's arguments")
                        break
                elif isinstance(answer, Ask):
                    rule = str(answer.rule) or f"{hook.plugin}.ask"
                    said[hook] = Finding(rule=rule, severity="ask", reason=str(answer.reason))
                elif isinstance(answer, Deny):
                    said[hook] = Denial(str(answer.rule) or hook.plugin, str(answer.reason))
                elif answer is not None and not isinstance(answer, Allow | Rewrite):
                    kind = type(answer).__name__
                    raise TypeError(f"it returned a {kind}, not Allow, Deny, Ask, Rewrite or None")
            except ToolInputError as error:
                said[hook] = Denial(hook.plugin, f"it rewrote the arguments wrongly ({error.message})")
            except Exception as error:  # foreign code: a policy that cannot answer must not open the door
                report(hook, error)
                said[hook] = Denial(hook.plugin, f"its policy hook failed ({describe(error)})")
            if heard.answers is not None:
                heard.answers.append(_written_down(hook, said.get(hook), answer))
        heard.denials = [word for word in said.values() if isinstance(word, Denial)]
        heard.findings = tuple(word for word in said.values() if isinstance(word, Finding))

    def _heard(self, name: str, plugins: Collection[str] | None) -> Sequence[Hook]:
        hooks = self._hooks.of(name)
        return hooks if plugins is None else [hook for hook in hooks if hook.plugin in plugins]

    def _rewrite(self, plan: Plan, call: ToolCall, answer: Rewrite) -> dict[str, Any]:
        before = call._args, call._repairs
        args = thawed(dict(answer.args)) if isinstance(answer.args, Mapping) else answer.args
        call._args = args
        try:
            bound = self._fit(plan, call, args)
        except ToolInputError:
            call._args, call._repairs = before
            raise
        call._shown = plan.shown(call._args)
        return bound

    async def _assess(
        self,
        plan: Plan,
        call: ToolCall,
        heard: Hearing,
        values: Mapping[str, Any],
        runner: Runner,
        plugins: Collection[str] | None,
    ) -> tuple[Finding, ...]:
        """What the call would do, by the tool's own word and by plugins'. An assessor that fails means: ask."""
        seconds = self._hooks.seconds
        found: tuple[Finding, ...] = ()
        if plan.assess is not None and plugins is None:
            try:
                found += as_findings(await runner.run(plan.assess, (call.args, values["ctx"]), {}, seconds))
            except Exception as error:  # foreign code: not knowing is a reason to ask
                found += (_unsure("", f"the tool could not assess this call ({describe(error)})"),)
            if heard.answers is not None:
                heard.answers.extend(_found("", found))
        for hook in self._heard("hermes_assess_call", plugins):
            before = len(found)
            try:
                found += as_findings(await hook.ask(values, runner, seconds))
            except Exception as error:  # foreign code: not knowing is a reason to ask
                report(hook, error)
                failed = f"plugin {hook.plugin!r} could not assess this call ({describe(error)})"
                found += (_unsure(hook.plugin, failed),)
            if heard.answers is not None:
                heard.answers.extend(_found(hook.plugin, found[before:]))
        return found


def _unsure(plugin: str, reason: str) -> Finding:
    """Each assessor has a rule of its own: who shrugs off one that is down has not shrugged off the others."""
    rule = f"{ASSESS_FAILED}.{plugin}" if plugin else ASSESS_FAILED
    return Finding(rule=rule, severity="ask", reason=reason)


def _written_down(hook: Hook, word: Denial | Finding | None, answer: object) -> Answered:
    if isinstance(word, Denial):
        says = "deny" if isinstance(answer, Deny) else "failed"
        return Answered("pre", hook.plugin, says, word.reason)
    if word is not None:
        return Answered("pre", hook.plugin, "ask", word.reason, word.rule)
    if isinstance(answer, Rewrite):
        return Answered("pre", hook.plugin, "rewrite", answer.reason)
    return Answered("pre", hook.plugin, "allow")


def _found(plugin: str, findings: tuple[Finding, ...]) -> list[Answered]:
    """An assessor's findings, one by one; one that found nothing has still been heard."""
    said = [Answered("assess", plugin, each.severity, each.reason, each.rule) for each in findings]
    return said or [Answered("assess", plugin, "allow")]
