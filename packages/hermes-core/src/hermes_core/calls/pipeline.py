"""The life of one call: all calls go through `Pipeline.run`.

Each guard is a separate method. A test removes them one at a time and expects the suite to fail.
"""

from __future__ import annotations

import math
from collections.abc import AsyncIterable
from functools import cached_property, partial
from time import perf_counter
from typing import TYPE_CHECKING, Any

import hermes_schemas
from hermes_core.calls.call import (
    CallRecord,
    Status,
    ToolCall,
    get_current_call,
    reset_current_call,
    set_current_call,
)
from hermes_core.calls.call_plan import Plan
from hermes_core.calls.context import ToolContext
from hermes_core.calls.deadlines import DeadlineError
from hermes_core.calls.hooks import APPROVE, WAIVE, describe
from hermes_core.calls.policy import Policy, weigh
from hermes_core.calls.results import as_json, encode, error_text, ready_json, reported_error
from hermes_core.calls.runner import Callee, Runner, is_plain
from hermes_core.calls.services import missing_service
from hermes_core.calls.worker_threads import Abandoned
from hermes_core.config.core_settings import DEFAULT_TIMEOUT, SHORTEST_SECRET
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
from hermes_core.findings import Decision
from hermes_core.tools.registry import tools_of
from hermes_schemas.readonly import ATOMS, ReadOnlyDict, frozen, thawed
from hermes_text import text_of

if TYPE_CHECKING:
    from hermes_core.calls.approvals import Approvals
    from hermes_core.calls.dispatcher import Dispatcher
    from hermes_core.tools.registry import Snapshot
    from hermes_text.secrets.encoded_secrets import Spelling

_STATUS: dict[str, Status] = {
    ToolDeniedError.code: "blocked",
    ToolTimeoutError.code: "timeout",
    ToolCancelledError.code: "cancelled",
}
new_record = tuple.__new__  # creates a named tuple faster than its own `__new__`
_CANCELLED = Decision(outcome="cancelled", by="caller", reason="the caller went away before it was decided")


class Pipeline:
    """Ten stages: resolve, repair, validate, pre hooks, assess, approve, execute, transform, limit, post hooks."""

    def __init__(self, dispatcher: Dispatcher) -> None:
        settings = dispatcher.settings
        self._dispatcher = dispatcher
        self._stuck = dispatcher.abandoned.counts
        self._registry = dispatcher.registry
        self.hooks = dispatcher.hooks
        self.policy = Policy(dispatcher.hooks, self._fit)
        self._max_depth = settings.max_depth
        self._seconds = DEFAULT_TIMEOUT if settings.timeout is None else settings.timeout
        self._exact = settings.timeout is not None
        self._plans: dict[str, Plan] = {}

    @cached_property
    def approvals(self) -> Approvals:
        """Created by the first call that needs an approval."""
        from hermes_core.calls.approvals import Approvals

        return Approvals(self.hooks, self._dispatcher.settings.approval_timeout)

    async def run(self, call: ToolCall, runner: Runner, *, record: bool = False) -> Any:
        """Run one call; return its JSON text, or a `CallRecord` if `record` is True."""
        if self._dispatcher.closed:
            raise HostClosedError("call a tool")
        started = begun = perf_counter()
        hooks = self.hooks
        decision: Decision | None = None
        status: Status = "ok"
        code: str | None = None
        watched: object = True  # until the observers are known
        try:
            if not call.session.started:
                await call.session.begin(runner)
            if call.depth:
                self._require_depth(call)
                self._require_caller(call)
            asked = call.current_name
            plan = self._resolve(call)  # 1
            if not plan.is_direct:
                plan = await self._settle(plan, call, asked, runner)
            if not plan.is_free:
                self._require_ready(plan, call)
            if self._stuck:
                self._require_not_abandoned(plan)
            hooks.compiled()  # hooks added by the session or the tool's plugin judge this call
            judged = hooks.policies or hooks.assessors or plan.assess is not None
            watched = record or hooks.observers
            shown = watched or judged or hooks.started
            if shown:  # the caller must not change arguments that are judged or recorded
                args = call.current_args
                if plan.is_flat:  # valid arguments are immutable, and repairs copy the others
                    call.current_args = ReadOnlyDict(args) if type(args) is dict else frozen(args)
                else:
                    call.current_args = thawed(args)
            bound = self._fit(plan, call, call.current_args)  # 2 and 3
            if shown:
                call.plan = plan
                if not plan.is_flat:  # nor must the tool
                    call.shown_args = plan.complete(call.current_args)
            if judged:
                begun = 0.0  # the handler's time starts later
                decision = _CANCELLED  # until there is one
                around = get_current_call()
                set_current_call((call, around))
                try:
                    bound, denials, findings = await self.policy.judge(plan, call, bound, runner)  # 4 and 5
                    decision = weigh(denials, findings)
                    if decision is None:
                        decision = _CANCELLED
                        decision = await self.approvals.decide(call, findings, runner)  # 6
                finally:
                    set_current_call(around)
                self._require_allowed(call, decision)
                self._require_caller(call)
            if hooks.started and plan.changes and call.depth <= self._max_depth:
                begun = 0.0
                await self._announce(call, decision, runner)
            token = set_current_call(call)
            try:
                answer = plan.start(call, bound, runner, begun)  # 7
                text = as_json(answer) if type(answer) is str else await self._finish(plan, call, answer, runner)
            except Exception as error:  # foreign code: the first layer of containment
                raise self._failed(call, error) from error
            finally:
                reset_current_call(token)
            if len(text) >= SHORTEST_SECRET and not self._dispatcher.secrets.are_absent():
                text = self._hide(text, self._spelled(call))
            if hooks.transformed:
                text = await self._transform(call, text, runner)  # 8
                text = self._hide(text, self._spelled(call))
            if len(text) > plan.limit:
                text = self._limit(plan, call, text)  # 9
        except ToolError as error:
            text, code = self._error(call, error), error.code
            status = _STATUS.get(code, "error")
            call.is_given_up = status in ("timeout", "cancelled")
        except BaseException as error:
            if not isinstance(error, Exception) and _comes_from_outside(error):
                call.is_given_up = True
                await self._observe_cancelled(call, decision, started, runner, error)
                raise
            # The second layer of containment: all other errors reach the model, too.
            failed = ToolFailedError(f"Error executing {call.name}: {text_of(error) or describe(error)}")
            text, code, status = self._error(call, failed), failed.code, "error"
        if watched and (record or hooks.compiled().observers):
            now = perf_counter()
            seen = self._recorded(call, text, status, code, decision, now - started)
            if call.depth <= self._max_depth:  # a hook that calls tools must not recurse without limit
                waiting = hooks.observe_end(seen, runner, now)  # 10
                if waiting is not None:
                    await waiting
            if record:
                return seen
        call.result_text = text
        return text

    async def prepare(self, call: ToolCall, runner: Runner, *, imports: bool = True) -> Plan:
        """Find the tool that a call will run, before a batch is planned or a call rehearsed."""
        asked = call.current_name
        return await self._settle(self._resolve(call), call, asked, runner, imports=imports)

    def fit(self, plan: Plan, call: ToolCall) -> dict[str, Any]:
        """Run the remaining stages before judging; return the arguments converted to the handler's types."""
        self._require_ready(plan, call)
        return self._fit(plan, call, call.current_args)

    # -- 1: resolve ------------------------------------------------------------------------------------------

    def _resolve(self, call: ToolCall) -> Plan:
        """Return the plan of the tool behind a name or alias. Tools outside the caller's scope are not found."""
        registry = self._registry
        snapshot = registry.published or registry.snapshot  # a property costs more than the rest of this stage
        plan = self._plans.get(call.current_name)
        if plan is None or plan.snapshot is not snapshot:
            plan = self._find(call, snapshot)
        if call.scope is not None:
            self._require_scope(plan, call, snapshot)
        call.current_name = plan.name
        call.current_tool = plan.spec
        return plan

    def _find(self, call: ToolCall, snapshot: Snapshot) -> Plan:
        canonical = snapshot.canonical(call.name) if isinstance(call.name, str) else None
        if canonical is None:
            raise self._unknown(call)
        tool = tools_of(snapshot)[canonical]
        plan = self._plans.get(canonical)
        if plan is None or plan.tool is not tool:
            if len(self._plans) > 2 * len(snapshot.names) + 1000:  # drop plans of removed tools
                self._plans.clear()
            plan = Plan(tool, self._seconds, exact=self._exact, hooks=self.hooks)
            self._plans[canonical] = plan
        plan.snapshot = snapshot
        return plan

    async def _settle(self, plan: Plan, call: ToolCall, asked: str, runner: Runner, *, imports: bool = True) -> Plan:
        for _ in range(4):  # import, forward and import again; more forwarding is refused
            if plan.is_direct or (plan.forward is None and not imports):
                break
            if plan.gated:
                self._require_available(plan)
            if plan.lazy_plugin is not None:
                await self._import(plan, call, runner)
                call.current_name = asked  # an alias may refer to another tool now
            else:
                await self._forward(plan, call, runner)
                asked = call.current_name
            plan = self._resolve(call)
        return plan

    async def _import(self, plan: Plan, call: ToolCall, runner: Runner) -> None:
        seconds = call.timeout or math.inf  # imports have their own limits
        activate = Callee(self._dispatcher.activate, is_async=False, exact=True, grace=False)
        try:
            await runner.run(activate, (plan.lazy_plugin, plan.name), {}, seconds)
        except DeadlineError as error:
            late = f"its plugin {plan.lazy_plugin!r} was still being imported after {seconds:g} s"
            hint = "Try again: the import continues."
            raise ToolTimeoutError(f"{plan.name} was not run: {late}", hint=hint) from error

    async def _forward(self, plan: Plan, call: ToolCall, runner: Runner) -> None:
        """Replace the name and arguments of a call with those from a forwarding tool."""
        if call.is_forwarded:  # a chain could hide the call from hooks
            raise ToolInputError(f"A call cannot be forwarded to {plan.name!r}, which forwards calls itself.")
        assert plan.forward is not None
        token = set_current_call(call)  # its own calls are within the scope of this call
        try:
            given = (thawed(call.current_args), ToolContext(call))
            name, args = await runner.run(plan.forward, given, {}, self.hooks.seconds)
        except ToolError:
            raise
        except Exception as error:  # foreign code: without an answer there is no call to judge
            raise ToolInputError(f"{plan.name} cannot forward this call: {describe(error)}") from error
        finally:
            reset_current_call(token)
        if not isinstance(name, str):
            raise ToolInputError(f"{plan.name} cannot forward this call to {type(name).__name__}.")
        call.current_name, call.current_args, call.is_forwarded = name, args, True

    def _require_scope(self, plan: Plan, call: ToolCall, snapshot: Snapshot) -> None:
        """Check the scope in the snapshot that contains the tool: a later one may have another tool."""
        if plan.name not in self._dispatcher.visibility.allowed_names(call.scope, snapshot):
            raise self._unknown(call)

    def _unknown(self, call: ToolCall) -> UnknownToolError:
        wanted = call.name if isinstance(call.name, str) else repr(call.name)
        names = self._dispatcher.visibility.allowed_names(call.scope)
        return UnknownToolError(wanted[:100], hermes_schemas.nearest(wanted, names))

    def _require_ready(self, plan: Plan, call: ToolCall) -> None:
        """Require that the tool is available and its services are provided."""
        if plan.gated:
            self._require_available(plan)
        for need in plan.needs:
            if not call.session.services.has(need):
                raise missing_service(plan.name, need)

    def _require_available(self, plan: Plan) -> None:
        """Require the tool's keys, programs and extras, so that it does not fail halfway."""
        verdict = self._dispatcher.visibility.availability.of(plan.tool)
        if not verdict.available:
            raise ToolUnavailableError(f"{plan.name} is not available: {verdict.reason}.", hint=verdict.remedy or None)

    def _require_depth(self, call: ToolCall) -> None:
        """Limit how deeply calls can be nested, so that tools cannot call each other forever."""
        if call.depth >= self._max_depth:
            raise ToolFailedError(
                f"{call.name} was not run: it would be the call number {call.depth + 1} inside of each other, and "
                f"{self._max_depth} are allowed.",
                hint="Tools call each other in a circle. Do something else; 'calls.max_depth' increases the limit.",
            )

    def _require_caller(self, call: ToolCall) -> None:
        """Refuse calls of tools whose own call was given up: blocking code continues after its call was cancelled."""
        outer = call.outer
        while outer is not None:
            if outer.is_given_up:
                raise ToolCancelledError(f"{call.name} was not run: {outer.name}, which called it, has been given up.")
            outer = outer.outer

    def _require_not_abandoned(self, plan: Plan) -> None:
        """Refuse tools with too many abandoned calls, because each of them blocks a thread."""
        try:
            self._dispatcher.abandoned.refuse(plan.name)
        except Abandoned as error:
            raise _still_running(plan.name, error) from None

    # -- 2 and 3: repair and validate ------------------------------------------------------------------------

    def _fit(self, plan: Plan, call: ToolCall, args: object) -> dict[str, Any]:
        """Validate, repair and convert the arguments. Arguments that fit need only one check."""
        if type(args) is dict or type(args) is ReadOnlyDict:
            if not plan.is_flat and not ATOMS.issuperset(map(type, args.values())):
                fresh: dict[str, Any] = thawed(args)
                call.current_args = args = fresh  # a handler may change its arguments, but not the caller's
            if plan.bind_exact is not None:
                try:
                    return plan.bind_exact(args, strict=True)
                except ValueError:
                    return self._repair(plan, call, args)
            if plan.checker.fits(args):
                return {}
        return self._repair(plan, call, args)

    def _repair(self, plan: Plan, call: ToolCall, args: object) -> dict[str, Any]:
        repaired = plan.repairer.repair(thawed(args))
        call.current_repairs += repaired.repairs
        call.current_args = repaired.args
        plan.validate(repaired.args)
        return plan.bind(repaired.args)

    # -- 4 to 6: pre hooks, assess, approve ------------------------------------------------------------------

    def _require_allowed(self, call: ToolCall, decision: Decision) -> None:
        if not decision.allowed:
            from hermes_core.calls.approvals import denied

            raise denied(call.name, decision, missing=not self.hooks.of(WAIVE) and not self.hooks.of(APPROVE))

    # -- 7: execute ------------------------------------------------------------------------------------------

    async def _announce(self, call: ToolCall, decision: Decision | None, runner: Runner) -> None:
        """Notify observers that a tool is about to run which may do more than read."""
        values: dict[str, Any] = {"call": call, "decision": decision}
        if spelled := self._spelled():
            from hermes_core.calls.secret_filter import hide_in_call, hide_in_decision

            values = {"call": hide_in_call(call, spelled), "decision": hide_in_decision(decision, spelled)}
        await self.hooks.observe(self.hooks.of("hermes_tool_call_started"), values, runner, call=call)

    async def _finish(self, plan: Plan, call: ToolCall, answer: Any, runner: Runner) -> str:
        """Return an answer as JSON text. Reading a lazy answer has its own deadline."""
        seconds = call.timeout or plan.seconds
        if not is_plain(answer):
            answer = await runner.finish(answer, seconds)
        text = ready_json(answer)
        if text is not None:
            return text
        if isinstance(answer, AsyncIterable):
            from hermes_core.calls.lazy_results import aread_stream  # few tools produce their results

            answer = await runner.finish(aread_stream(answer, seconds), seconds)
        reading = Callee(encode, is_async=False, exact=True, grace=False, name=plan.name)
        read: str = await runner.run(reading, (answer, seconds), {}, seconds)
        return read

    def _failed(self, call: ToolCall, error: BaseException) -> BaseException:
        """Return the error for the model; errors about the use of the host are for the application."""
        if isinstance(error, DeadlineError):
            return ToolTimeoutError(
                f"{call.name} did not finish within {error.seconds:g} s and was abandoned.",
                hint="It may have taken effect, at least in part: check before you try again, and request less.",
            )
        if isinstance(error, Abandoned):
            return _still_running(call.name, error)
        if isinstance(error, ToolError | HostError):
            return error
        return ToolFailedError(f"Tool execution failed: {describe(error)}")

    # -- 8 and 9: transform and limit ------------------------------------------------------------------------

    async def _transform(self, call: ToolCall, text: str, runner: Runner) -> str:
        def accept(answer: object, _before: str) -> str:
            if isinstance(answer, str):
                return as_json(answer)
            raise TypeError(f"it returned a {type(answer).__name__} instead of text or None")

        around = get_current_call()
        set_current_call((call, around))
        try:
            values = {"call": call, "result": text}
            return str(await self.hooks.replace("hermes_transform_tool_result", "result", values, runner, accept))
        finally:
            set_current_call(around)

    def _limit(self, plan: Plan, call: ToolCall, text: str) -> str:
        """Write a text that is too long to a file; return a notice that says how to read it."""
        text = self._hide(text, self._spelled())  # the file persists, and others may read it
        read_on = partial(self._dispatcher.how_to_read, scope=call.scope)
        return self._dispatcher.spill.shorten(text, f"{plan.name}-{call.id}", read_on)

    # -- secrets ---------------------------------------------------------------------------------------------

    def _spelled(self, call: ToolCall | None = None) -> tuple[Spelling, ...]:
        """Return the declared secrets to hide from the caller, or from everyone if `call` is None.

        Callers outside get no declared secret. A calling tool gets the text that the called tool found, because it may
        write that back: only the secrets of the called tool are hidden.
        """
        secrets = self._dispatcher.secrets
        if call is None or call.current_tool is None:
            return secrets.spelled()
        owner = None if call.outer is None else self._dispatcher.source_of(call.current_name)
        return secrets.spelled(call.current_tool.requires_env, owner)

    def _hide(self, text: str, spelled: tuple[Spelling, ...]) -> str:
        if not spelled:
            return text
        from hermes_text.secrets.encoded_secrets import hide_in_json

        return hide_in_json(text, spelled)

    def _error(self, call: ToolCall, error: ToolError) -> str:
        if spelled := self._spelled(call):
            from hermes_core.calls.secret_filter import hide_in_error

            return hide_in_error(error, spelled)
        return error_text(error)

    # -- 10: post hooks --------------------------------------------------------------------------------------

    def _recorded(
        self, call: ToolCall, text: str, status: Status, code: str | None, decision: Decision | None, seconds: float
    ) -> CallRecord:
        if status == "ok" and text.startswith('{"error"') and (code := reported_error(text)) is not None:
            status = "error"  # a handler may report an error instead of raising it
        seen = new_record(CallRecord, (call, text, status, code, decision, seconds))
        if spelled := self._dispatcher.secrets.spelled():
            from hermes_core.calls.secret_filter import hide_in_record

            seen = hide_in_record(seen, spelled)
        return seen

    async def _observe_cancelled(
        self, call: ToolCall, decision: Decision | None, started: float, runner: Runner, error: BaseException
    ) -> None:
        gone = ToolCancelledError(f"{call.name} was cancelled.")
        code = getattr(error, "code", gone.code)  # signals have their own codes
        values = {
            "record": self._recorded(call, error_text(gone), "cancelled", code, decision, perf_counter() - started)
        }
        observers = self.hooks.compiled().observers
        if isinstance(error, GeneratorExit):  # nothing can be awaited anymore
            runner = self._dispatcher.blocking
        await self.hooks.observe_to_the_end(observers, values, runner, call=call)


def _still_running(name: str, error: Abandoned) -> ToolUnavailableError:
    hint = "Use another tool, or try again when they have finished."
    return ToolUnavailableError(f"{name} is not available: {error}.", hint=hint)


def _comes_from_outside(error: BaseException) -> bool:
    from hermes_core.calls.interrupts import comes_from_outside  # few calls are interrupted

    return comes_from_outside(error)
