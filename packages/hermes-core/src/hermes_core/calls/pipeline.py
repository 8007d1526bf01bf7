"""The life of one call, written once: every path of every caller goes through `Pipeline.run`.

Each guard is a method of its own. A test removes them one at a time and expects the suite to notice.
"""

from __future__ import annotations

import math
from collections.abc import AsyncIterable, Collection
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from hermes_core.approval.finding import Decision
from hermes_core.approval.gate import ALLOWED, denied, weigh
from hermes_core.calls.call import CallRecord, Status, ToolCall, current_call, hooked
from hermes_core.calls.concealment import Concealment
from hermes_core.calls.context import ToolContext
from hermes_core.calls.deadlines import Late
from hermes_core.calls.hooks import describe, report
from hermes_core.calls.interrupts import comes_from_outside
from hermes_core.calls.judging import Hearing, Judge
from hermes_core.calls.plan import Plan, handler_of, violated
from hermes_core.calls.rehearsal import Rehearsal, rehearsal_of
from hermes_core.calls.results import aread_stream, as_json, error_text, read_as_json, ready_json, reported_error
from hermes_core.calls.runner import Callee, Runner, is_plain
from hermes_core.calls.workers import Abandoned
from hermes_core.config.declared_secrets import SHORTEST as SHORTEST_SECRET
from hermes_core.errors import (
    HostClosedError,
    HostError,
    ToolCancelledError,
    ToolDeniedError,
    ToolError,
    ToolFailedError,
    ToolInputError,
    ToolTimeoutError,
    ToolUnavailableError,
    UnknownToolError,
)
from hermes_core.tools.readonly import ATOMS, thawed
from hermes_schemas import nearest
from hermes_text import text_of

if TYPE_CHECKING:
    from hermes_core.calls.dispatch import Dispatcher
    from hermes_core.tools.registry import Snapshot
    from hermes_core.tools.tool import Tool

_STATUS: dict[str, Status] = {
    ToolDeniedError.code: "blocked",
    ToolTimeoutError.code: "timeout",
    ToolCancelledError.code: "cancelled",
}

_CANCELLED = Decision(outcome="cancelled", by="caller", reason="the caller went away before anybody had decided")


class Pipeline:
    """Ten stages: resolve, repair, validate, pre hooks, assess, approve, execute, transform, limit, post hooks."""

    def __init__(
        self, dispatcher: Dispatcher, *, seconds: float, exact: bool, approval_seconds: float, max_depth: int
    ) -> None:
        self._dispatcher = dispatcher
        self._abandoned = dispatcher.abandoned
        self._stuck = dispatcher.abandoned.counts
        self._secrets = dispatcher.secrets
        self._max_depth = max_depth
        self._concealment = Concealment(dispatcher.secrets, dispatcher.source_of)
        self._registry = dispatcher.registry
        self._hooks = dispatcher.hooks
        self._seconds = seconds
        self._exact = exact
        self._judge = Judge(dispatcher.hooks, self._fit, approval_seconds)
        self._plans: dict[str, Plan] = {}

    async def run(self, call: ToolCall, runner: Runner, *, record: bool = False) -> Any:
        """Run one call from a name to a JSON text, or to a `CallRecord` when a record is asked for."""
        if self._dispatcher.closed:
            raise HostClosedError("call a tool")
        hooks = self._hooks.compiled()
        watched = record or hooks.observed
        started = perf_counter() if watched else 0.0
        decision: Decision | None = None
        status: Status = "ok"
        code: str | None = None
        try:
            if not call._session.started:
                await call._session.begin(runner)
                hooks = self._hooks.compiled()  # a policy that was added when the session started judges this call
                watched = record or hooks.observed
                started = started or perf_counter()
            if call._depth:
                self._require_depth(call)
            asked = call._name
            plan = self._resolve(call)
            if plan.dormant is not None or plan.forward is not None:
                plan = await self._settle(plan, call, asked, runner)
                hooks = self._hooks.compiled()  # the plugin may judge and watch calls, too: this one is its first
                watched = record or hooks.observed
                started = started or perf_counter()
            if plan.gated:
                self._require_available(plan)
            if plan.needs:
                self._require_services(plan, call)
            if self._stuck:
                self._require_not_abandoned(plan)
            judged = hooks.judged or plan.assess is not None
            if judged or watched:  # what is judged or recorded must not change in somebody else's hands meanwhile
                call._args = thawed(call._args)
            bound = self._fit(plan, call, call._args)
            if judged or watched:
                call._shown = plan.shown(call._args)
            if judged:
                decision = _CANCELLED  # until there is one
                around = current_call.get()
                current_call.set((call, around))
                try:
                    heard = await self._judge.hear(plan, call, bound, runner)
                    bound = heard.bound
                    decision = ALLOWED if heard.clear else await self._judge.decide(call, heard, runner)
                finally:
                    current_call.set(around)
                self._require_allowed(call, decision)
            if hooks.started and plan.changes and call._depth <= self._max_depth:
                await self._announce(call, decision, runner)
            token = current_call.set(call)
            try:
                answer = self._execute(plan, call, bound, runner)
                if not is_plain(answer):
                    answer = await runner.finish(answer, call._seconds or plan.seconds)
                text = as_json(answer) if type(answer) is str else ready_json(answer)
                if text is None:
                    text = await self._read(plan, call, answer, runner)
            except Exception as error:  # foreign code: the first layer of containment
                raise self._failed(call, error) from error
            finally:
                current_call.reset(token)
            if len(text) >= SHORTEST_SECRET and not self._secrets.are_absent():
                text = self._concealment.result(call, text)
            if hooks.transformed:
                text = self._concealment.result(call, await hooked(call, self._transform(call, text, runner)))
            if len(text) > plan.limit:
                text = self._limit(plan, call, text)
        except ToolError as error:
            text, code = self._concealment.error(call, error), error.code
            status = _STATUS.get(code, "error")
        except BaseException as error:
            if not isinstance(error, Exception) and comes_from_outside(error):  # not for us to keep
                await self._note_cancelled(call, decision, started, runner, error)
                raise
            # The second layer of containment: whatever else goes wrong reaches the model, too.
            text, code, status = self._contain(call, error), ToolFailedError.code, "error"
        if watched:
            seen = self._concealment.record(_record(call, text, status, code, decision, started))
            if hooks.observed and call._depth <= self._max_depth:  # a hook that calls a tool again must not go on so
                await hooked(call, self._hooks.observe("hermes_post_tool_call", {"record": seen}, runner))
            if record:
                return seen
        return text

    async def rehearse(self, call: ToolCall, runner: Runner, *, plugins: Collection[str] | None) -> Rehearsal:
        """What would become of a call. Nothing is run but what judges calls, or only the hooks of some plugins."""
        problem: ToolError | None = None
        heard: Hearing | None = None
        asked = call._name
        try:
            plan = self._resolve(call)
            if plan.forward is not None or (plan.dormant is not None and plugins is None):
                plan = await self._settle(plan, call, asked, runner)
            if plan.gated:
                self._require_available(plan)
            if plan.needs:
                self._require_services(plan, call)
            bound = self._fit(plan, call, call._args)
            call._shown = plan.shown(call._args)
            heard = await self._judge.hear(plan, call, bound, runner, [], plugins=plugins)
        except ToolError as error:
            problem = error
        approvers = tuple(hook.plugin for hook in self._hooks.of("hermes_request_approval"))
        decision = None if heard is None else weigh(heard.denials, heard.findings)
        if heard is not None and decision is None:
            decision = await self._judge.approvals.foresee(call, heard.findings, runner)
        return rehearsal_of(call, problem, heard, decision, approvers)

    # -- 1: resolve ------------------------------------------------------------------------------------------

    def _resolve(self, call: ToolCall) -> Plan:
        """The tool behind a name or alias, within the caller's scope. Out of scope is not found."""
        snapshot = self._registry.snapshot
        plan = self._plans.get(call._name)
        if plan is None or plan.snapshot is not snapshot:
            plan = self._find(call, snapshot)
        if call._scope is not None:
            self._require_scope(plan, call, snapshot)
        call._name = plan.name
        call._tool = plan.spec
        return plan

    def _find(self, call: ToolCall, snapshot: Snapshot) -> Plan:
        canonical = snapshot.canonical(call.name) if isinstance(call.name, str) else None
        if canonical is None:
            raise self._unknown(call)
        tool = snapshot._tools[canonical]
        plan = self._plans.get(canonical)
        if plan is None or plan.tool is not tool:
            if len(self._plans) > 2 * len(snapshot.names) + 1000:  # tools came and went: forget those that went
                self._plans.clear()
            plan = self._plans[canonical] = self._planned(tool)
        plan.snapshot = snapshot
        return plan

    def _planned(self, tool: Tool) -> Plan:
        return Plan(tool, self._seconds, exact=self._exact, hooks_exact=self._hooks.exact)

    async def _settle(self, plan: Plan, call: ToolCall, asked: str, runner: Runner) -> Plan:
        """Find the tool that really runs: import it, and follow one that forwards its calls to the other."""
        if plan.dormant is not None:
            plan = await self._awaken(plan, call, asked, runner)
        if plan.forward is not None:
            await self.forward(plan, call, runner)
            asked = call._name
            plan = self._resolve(call)
            if plan.dormant is not None:
                plan = await self._awaken(plan, call, asked, runner)
            self._require_no_forward(plan)
        return plan

    async def forward(self, plan: Plan, call: ToolCall, runner: Runner) -> None:
        """Put the name and arguments that a forwarding tool gives in the place of its own.

        Raises:
            ToolError: they cannot be read from its arguments, or another tool has forwarded the call already.
        """
        if call._is_forwarded:
            self._require_no_forward(plan)
        if plan.gated:
            self._require_available(plan)
        assert plan.forward is not None
        token = current_call.set(call)  # what it calls itself is within the scope of this call
        try:
            given = (thawed(call._args), ToolContext(call))
            answer = await runner.run(plan.forward, given, {}, self._hooks.seconds)
            name, args = answer
        except ToolError:
            raise
        except Exception as error:  # foreign code: without its answer there is no call to judge
            raise ToolInputError(f"{plan.name} cannot forward this call: {describe(error)}") from error
        finally:
            current_call.reset(token)
        if not isinstance(name, str):
            raise ToolInputError(f"{plan.name} cannot forward this call to {type(name).__name__}.")
        call._name, call._args, call._is_forwarded = name, args, True

    def _require_no_forward(self, plan: Plan) -> None:
        """A forward leads to a tool that runs: a chain of them could hide the call from whoever reads the first."""
        if plan.forward is not None:
            raise ToolInputError(f"A call cannot be forwarded to {plan.name!r}, which forwards calls itself.")

    def plan_of(self, call: ToolCall) -> Plan | None:
        """The plan for a call that was not run yet; None when it cannot be found."""
        try:
            asked = call._name
            plan = self._resolve(call)
            call._name = asked
        except (ToolError, TypeError):  # its run says so
            return None
        return plan

    async def _awaken(self, plan: Plan, call: ToolCall, asked: str, runner: Runner) -> Plan:
        """Import the plugin of a tool that is known by its manifest alone: what is judged and run is the real one."""
        if plan.gated:
            self._require_available(plan)
        seconds = call._seconds or math.inf  # imports have limits of their own, which a busy machine does not touch
        activate = Callee(self._dispatcher.activate, is_async=False, exact=True, grace=False)
        try:
            await runner.run(activate, (plan.dormant, plan.name), {}, seconds)
        except Late as error:
            late = f"its plugin {plan.dormant!r} was still being imported after {seconds:g} s"
            hint = "Try again: the import goes on meanwhile."
            raise ToolTimeoutError(f"{plan.name} was not run: {late}", hint=hint) from error
        call._name = asked  # an alias may stand for another tool now
        return self._resolve(call)

    def repaired(self, name: str, args: object) -> object:
        """The arguments as this tool would get them, for planning."""
        tool = self._registry.snapshot._tools.get(name)
        plan = self._plans.get(name)
        if tool is not None and (plan is None or plan.tool is not tool):
            plan = self._plans[name] = self._planned(tool)
        return args if plan is None else plan.repairer.repair(args).args

    def _require_scope(self, plan: Plan, call: ToolCall, snapshot: Snapshot) -> None:
        """Refuse what is out of scope in the snapshot that the tool is from: a later one may hold another tool."""
        allowed = self._dispatcher.sight.allowed_names(call._scope, snapshot)
        if plan.name not in allowed:
            raise self._unknown(call)

    def _unknown(self, call: ToolCall) -> UnknownToolError:
        wanted = call.name if isinstance(call.name, str) else repr(call.name)
        return UnknownToolError(wanted[:100], nearest(wanted, self._dispatcher.allowed_names(call._scope)))

    def _require_available(self, plan: Plan) -> None:
        """A tool whose key, program, extra or service is missing says so instead of failing half-way."""
        verdict = self._dispatcher.availability.of(plan.tool)
        if not verdict.available:
            raise ToolUnavailableError(
                f"{plan.spec.name} is not available: {verdict.reason}.", hint=verdict.remedy or None
            )

    def _require_services(self, plan: Plan, call: ToolCall) -> None:
        """A tool that needs the agent's own state cannot run where nobody provides it."""
        for need in plan.needs:
            if not call._session.services.has(need):
                wanted = need if isinstance(need, str) else need.__name__
                raise ToolUnavailableError(
                    f"{plan.spec.name} must be handled by the agent loop",
                    hint=f"It needs the service {wanted!r}, which this application does not provide.",
                )

    def _require_depth(self, call: ToolCall) -> None:
        """A tool that calls itself, over however many others, must not go on for ever."""
        if call._depth >= self._max_depth:
            raise ToolFailedError(
                f"{call.name} was not run: it would be the call number {call._depth + 1} inside of each other, and "
                f"{self._max_depth} are allowed.",
                hint="Tools call each other in a circle. Ask for something else; 'calls.max_depth' raises the limit.",
            )

    def _require_not_abandoned(self, plan: Plan) -> None:
        """A tool that does not return costs a thread for each call: after a few of them it is not run again."""
        try:
            self._abandoned.refuse(plan.name)
        except Abandoned as error:
            raise _still_running(plan.name, error) from None

    # -- 2 and 3: repair and validate ------------------------------------------------------------------------

    def _fit(self, plan: Plan, call: ToolCall, args: object) -> dict[str, Any]:
        """The handler's own values for the arguments. Arguments that fit as they are cost one look."""
        if type(args) is dict:
            if not ATOMS.issuperset(map(type, args.values())):
                fresh: dict[str, Any] = thawed(args)
                call._args = args = fresh  # a handler may change what it is given, and the caller keeps his own
            if plan.bind_exact is not None:
                try:
                    return plan.bind_exact(args, strict=True)
                except ValueError:
                    return self._mend(plan, call, args)
            if plan.checker.fits(args):
                return {}
        return self._mend(plan, call, args)

    def _mend(self, plan: Plan, call: ToolCall, args: object) -> dict[str, Any]:
        mended = plan.repairer.repair(args)
        call._repairs += mended.repairs
        call._args = mended.args
        self._validate(plan, mended.args)
        return plan.bind(mended.args)

    def _validate(self, plan: Plan, args: object) -> None:
        """Refuse what does not fit the schema, in words that tell the model what to send instead."""
        if not isinstance(args, dict):
            raise ToolInputError(
                f"Invalid arguments for {plan.spec.name}: they are a {type(args).__name__}, not a JSON object.",
                hint='Send the arguments as an object: {"name": value}.',
            )
        checker = plan.checker
        if not checker.fits(args):
            raise violated(plan.spec.name, checker.violations(args))

    # -- 4 to 6: pre hooks, assess, approve, all in `judging.py` --------------------------------------------

    def _require_allowed(self, call: ToolCall, decision: Decision) -> None:
        if not decision.allowed:
            missing = not self._hooks.of("hermes_waive_findings") and not self._hooks.of("hermes_request_approval")
            raise denied(call.name, decision, missing=missing)

    # -- 7: execute ------------------------------------------------------------------------------------------

    async def _announce(self, call: ToolCall, decision: Decision | None, runner: Runner) -> None:
        """Tell observers that a tool is about to run that may do more than read."""
        seen = {"call": self._concealment.call(call), "decision": self._concealment.decision(decision)}
        await hooked(call, self._hooks.observe("hermes_tool_call_started", seen, runner))

    def _execute(self, plan: Plan, call: ToolCall, bound: dict[str, Any], runner: Runner) -> Any:
        """Set the handler going under its deadline: its answer, or an awaitable that will bring it."""
        args, kwargs = plan.invocation(call, bound)
        handler, seconds = plan.handler, plan.seconds
        if call._seconds is not None:  # the caller chose a deadline for this call alone
            seconds = call._seconds
            handler = handler_of(plan.tool, exact=True)
        return runner.start(handler, args, kwargs, seconds)

    def _failed(self, call: ToolCall, error: BaseException) -> BaseException:
        """What a handler's exception means for the model; a host used wrongly concerns the application."""
        if isinstance(error, Late):
            return ToolTimeoutError(
                f"{call.name} did not finish within {error.seconds:g} s and was given up.",
                hint="It may have taken effect, at least in part: look before you try again, and ask for less at once.",
            )
        if isinstance(error, Abandoned):
            return _still_running(call.name, error)
        if isinstance(error, ToolError | HostError):
            return error
        return ToolFailedError(f"Tool execution failed: {describe(error)}")

    def _contain(self, call: ToolCall, error: BaseException) -> str:
        what = text_of(error) or describe(error)
        return self._concealment.error(call, ToolFailedError(f"Error executing {call.name}: {what}"))

    async def _read(self, plan: Plan, call: ToolCall, answer: Any, runner: Runner) -> str:
        """The JSON of an answer that is produced while it is read, under a deadline of its own."""
        seconds = call._seconds or plan.seconds
        if isinstance(answer, AsyncIterable):
            answer = await runner.finish(aread_stream(answer, seconds), seconds)
        reading = Callee(read_as_json, is_async=False, exact=True, grace=False, name=plan.name)
        text: str = await runner.run(reading, (answer, seconds), {}, seconds)
        return text

    # -- 8 and 9: transform and limit ------------------------------------------------------------------------

    async def _transform(self, call: ToolCall, text: str, runner: Runner) -> str:
        for hook in self._hooks.of("hermes_transform_tool_result"):
            values = {"call": call, "ctx": ToolContext(call), "result": text}
            try:
                answer = await hook.ask(values, runner, self._hooks.seconds)
            except Exception as error:  # foreign code: a failed transformation keeps the result
                report(hook, error)
                continue
            if isinstance(answer, str):
                text = as_json(answer)
            elif answer is not None:
                report(hook, TypeError(f"it returned a {type(answer).__name__} instead of text or None"))
        return text

    def _limit(self, plan: Plan, call: ToolCall, text: str) -> str:
        """Too long for a model: the text goes to a file, the result says where and how to read on."""

        def read_on(path: Path, line: int) -> str:
            return self._dispatcher.how_to_read(path, line, call._scope)

        text = self._concealment.everything(text)  # a file stays, and others read it
        return self._dispatcher.spill.limit(text, plan.limit, f"{plan.name}-{call.id}", read_on)

    # -- 10: post hooks --------------------------------------------------------------------------------------

    async def _note_cancelled(
        self, call: ToolCall, decision: Decision | None, started: float, runner: Runner, error: BaseException
    ) -> None:
        """Observers hear of a cancelled call too, before the cancellation goes on its way."""
        gone = ToolCancelledError(f"{call.name} was cancelled.")
        code = getattr(error, "code", gone.code)  # a signal says which one it was
        seen = self._concealment.record(_record(call, error_text(gone), "cancelled", code, decision, started))
        if isinstance(error, GeneratorExit):  # nothing can be awaited any more
            await hooked(
                call, self._hooks.observe("hermes_post_tool_call", {"record": seen}, self._dispatcher.blocking)
            )
            return
        await hooked(call, self._hooks.observe_to_the_end("hermes_post_tool_call", {"record": seen}, runner))


def _still_running(name: str, error: Abandoned) -> ToolUnavailableError:
    return ToolUnavailableError(
        f"{name} is not available: {error}.", hint="Use another tool, or try again when they have ended."
    )


def _record(
    call: ToolCall, text: str, status: Status, code: str | None, decision: Decision | None, started: float
) -> CallRecord:
    if status == "ok":
        code = reported_error(text)  # a handler may report a failure instead of raising it
        status = "ok" if code is None else "error"
    seconds = perf_counter() - started
    return CallRecord(call=call, result=text, status=status, code=code, decision=decision, seconds=seconds)
