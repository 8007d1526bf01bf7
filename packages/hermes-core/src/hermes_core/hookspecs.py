"""PUBLIC: every hook that a plugin can implement, in the order in which a run calls them.

A plugin is a module or object whose functions are marked with `hermes_core.hookimpl`. An implementation takes the
arguments it wants, by name, and leaves out the others.
"""
# mypy: disable-error-code="empty-body"

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pluggy

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from click import Command

    from hermes_core.calls.call import CallRecord, Progress, ToolCall
    from hermes_core.calls.context import ToolContext
    from hermes_core.calls.session import Session
    from hermes_core.demo import DemoStep
    from hermes_core.findings import ApprovalRequest, Decision, Finding, HookAnswer, Waiver
    from hermes_core.health import HealthCheck
    from hermes_core.tools.tool import Tool
    from hermes_core.tools.toolset import Toolset

PROJECT = "hermes"
hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)

# -- Registration: sync, called once for each plugin when it is loaded ---------------------------------------------


@hookspec
def hermes_tools() -> Iterable[Tool]:
    """Give the tools of this plugin.

    When: once, while the plugin is loaded.
    Args: none.
    Returns: tools; those of all plugins are registered. A name that another toolset holds is refused and reported.
    Errors: an exception, or anything that is not a tool, disables this plugin alone.
    Since: 1.0
    """


@hookspec
def hermes_toolsets() -> Iterable[Toolset]:
    """Give named groups of tools.

    When: once, while the plugin is loaded, after `hermes_tools`.
    Args: none.
    Returns: toolsets; a name that exists already is refused and reported.
    Errors: an exception, or anything that is not a toolset, disables this plugin alone.
    Since: 1.0
    """


@hookspec
def hermes_settings() -> Mapping[str, type | Mapping[str, Any]]:
    """Give the sections of `config.yaml` that this plugin reads.

    When: once, while the plugin is loaded, after `hermes_toolsets`.
    Args: none.
    Returns: section name to a dataclass, a pydantic model class, or a JSON schema. Tools read them with
        `ctx.settings(section)`. A section that another plugin or the core has is refused and reported, unless both
        plugins mark their schema `"x-shared": true` and agree about the settings in it.
    Errors: an exception, or another shape, disables this plugin alone.
    Since: 1.0
    """


@hookspec
def hermes_commands() -> Iterable[Command]:
    """Give commands for the command line: `hermes NAME`, or `hermes GROUP NAME` below a group that exists.

    When: once, while the plugin is loaded, after `hermes_settings`; with a manifest, when one of the commands runs.
    Args: none.
    Returns: click commands with a name; `click.Command("tools cost")` is a command of the group `hermes tools`. A
        command that `hermes` or another plugin already has is never replaced.
    Errors: an exception, or anything that is not a command, disables this plugin alone.
    Since: 1.0
    """


@hookspec
def hermes_providers() -> Mapping[str, Mapping[str, Callable[[], object]]]:
    """Give implementations for extension points that tool families ask for with `ctx.providers(point)`.

    When: once, while the plugin is loaded, after `hermes_commands`.
    Args: none.
    Returns: extension point to provider name to a function that makes the provider at its first use. The plugin that
        was loaded first wins a name, and the other is reported.
    Errors: an exception, or another shape, disables this plugin alone.
    Since: 1.0
    """


# -- Sessions: sync or async ---------------------------------------------------------------------------------------


@hookspec
def hermes_session_start(session: Session) -> Awaitable[None] | None:
    """Prepare what a session needs.

    When: before the first call of a session.
    Args: session: its id, kind, services, and `on_close` for what must be released.
    Returns: nothing.
    Errors: logged; the session starts all the same.
    Since: 1.0
    """


@hookspec
def hermes_session_end(session: Session) -> Awaitable[None] | None:
    """Release what a session held.

    When: once, when a started session is closed, also when its host is closed or the interpreter ends.
    Args: session: the session that ends.
    Returns: nothing.
    Errors: logged; the other implementations are still called.
    Since: 1.0
    """


# -- Definitions: sync ---------------------------------------------------------------------------------------------


@hookspec
def hermes_adjust_definitions(
    definitions: Sequence[dict[str, Any]],
    available: frozenset[str],
    context_length: int | None,
    format: str,
    everything: bool,
    ctx: ToolContext,
) -> Sequence[dict[str, Any]] | None:
    """Change what a model is shown: reword, reorder or leave out definitions.

    When: each time definitions are made, after the filter by availability and before they are cleaned for providers.
    Args: definitions: `{"name", "description", "parameters"}` of each tool, read-only. To change one, return a changed
        copy in its place: `{**definition, "description": "..."}`.
        available: the names that passed, those of tools in every scope included.
        context_length: the model's context window in tokens; None when it is not known.
        format: the format that the caller wants; the definitions here always have the form above.
        everything: True when the caller wants nothing hidden, because it pays for no tokens.
        ctx: the scope, session and settings of whoever asks; there is no call.
    Returns: the definitions to use instead, in their order, or None to keep them. Each implementation sees what the one
        before left. A tool that was not available cannot be added. The same tuple means the same definitions as before.
    Errors: logged; what the implementation did is dropped.
    Since: 1.0
    """


# -- One call: sync or async ---------------------------------------------------------------------------------------


@hookspec
def hermes_pre_tool_call(call: ToolCall, ctx: ToolContext) -> HookAnswer | Awaitable[HookAnswer]:
    """Judge a call before it runs: the place for policy.

    When: after the arguments were repaired and validated; once for each call, on every path, and once more when
        another implementation rewrites the arguments after this one has answered.
    Args: call: name, read-only arguments with the defaults of those that were not given, session. ctx: services,
        providers, nested calls.
    Returns: None or `Allow()`, `Deny(reason)`, `Ask(reason)`, or `Rewrite(args)`, whose arguments are validated again
        and judged by all the others. All are asked; the strictest answer wins: deny, ask, rewrite, allow.
    Errors: an exception, an answer of another type, or a late answer denies the call.
    Since: 1.0
    """


@hookspec
def hermes_assess_call(
    call: ToolCall, ctx: ToolContext
) -> Finding | Iterable[Finding] | Awaitable[Finding | Iterable[Finding] | None] | None:
    """Say what a call would do.

    When: after the pre hooks, with the arguments that would run.
    Args: as for `hermes_pre_tool_call`.
    Returns: findings. One `refuse` refuses the call, one `ask` asks for approval, `note` is recorded.
    Errors: an exception or a late answer counts as a finding of severity `ask`, of the rule `assess.failed.PLUGIN`.
        It may stand for something that is never allowed: neither a mode nor a rule that lifts everything answers it.
    Since: 1.0
    """


@hookspec
def hermes_waive_findings(
    request: ApprovalRequest, session: Session
) -> Iterable[Waiver] | Awaitable[Iterable[Waiver] | None] | None:
    """Say which findings of a call need no approval, by rules, settings or what was approved before.

    When: when a pre hook or a finding asks, and nothing denies or refuses; before any approver, and for every host, the
        outermost first. It must change nothing: it is also called when a call is only explained.
    Args: request: the tool, its arguments and every finding. session: the session of the call.
    Returns: a `Waiver` for each finding that needs no approval. An empty list is an opinion, None is none. Within a
        host the waiver of any plugin counts. A finding is waived when the outermost host waives it, and every host
        below waives it or has no opinion. Leave out a finding that is `unknown`: an assessor failed, and the call may
        be one that is never allowed. When all are waived, each `Waiver.confirm` is called, async ones first; one that
        returns False starts another round, three at most. Approvers are asked about the rest.
    Errors: an exception, an answer of another type or one past the approval deadline waives nothing, and is an opinion.
    Since: 1.0
    """


@hookspec
def hermes_request_approval(request: ApprovalRequest) -> Decision | Awaitable[Decision | None] | None:
    """Decide about a call that needs approval.

    When: when a pre hook or a finding asks, nothing denies or refuses, and no plugin waives it. Not in a session of the
        kind `cron`, and not in a process that a tool started: there is nobody to ask.
    Args: request: the tool, its arguments and the findings that are not waived.
    Returns: a decision, or None when this approver has nothing to say. The first decision wins; none at all denies.
    Errors: an exception counts as None; past the approval deadline the call is denied as timed out.
    Since: 1.0
    """


@hookspec
def hermes_approval_resolved(
    request: ApprovalRequest, decision: Decision, session: Session, own: bool
) -> Awaitable[None] | None:
    """Observe how a request for approval ended.

    When: after each request, also when nobody answered.
    Args: request, and the decision. session: the session of the call. own: True when an approver of the plugin's own
        host, or of a host above it, decided: only then may the plugin store what the answer allows for longer.
    Returns: nothing.
    Errors: logged.
    Since: 1.0
    """


@hookspec
def hermes_tool_call_started(call: ToolCall, decision: Decision | None) -> Awaitable[None] | None:
    """Observe a call whose tool is about to run, so that it is known even if the process is killed meanwhile.

    When: after all judging, just before the tool runs; only for tools with another effect than `read`.
    Args: call, without secrets, like the record of `hermes_post_tool_call`; decision: what was decided about it, None
        when no plugin of this host judges calls.
    Returns: nothing. The tool runs when all have returned.
    Errors: logged; the tool still runs.
    Since: 1.0
    """


@hookspec
def hermes_tool_progress(call: ToolCall, progress: Progress) -> Awaitable[None] | None:
    """Observe a call that takes its time.

    When: while a tool runs, as often as it says that it goes on; many never do.
    Args: call; progress: a sentence, seconds since it began, how much of how much is done, what was printed last.
    Returns: nothing.
    Errors: logged; the tool goes on.
    Since: 1.0
    """


@hookspec
def hermes_transform_tool_result(call: ToolCall, result: str, ctx: ToolContext) -> str | Awaitable[str | None] | None:
    """Change a result before the model sees it.

    When: after the handler succeeded, before the size limit.
    Args: call; result: the JSON text.
    Returns: the new text, or None to keep it. Each implementation sees what the one before left. Text that is not JSON
        becomes a JSON string.
    Errors: logged; the result is kept as it was.
    Since: 1.0
    """


@hookspec
def hermes_post_tool_call(record: CallRecord) -> Awaitable[None] | None:
    """Observe a finished call.

    When: last, exactly once for each call, also for blocked, failed, timed-out and cancelled ones.
    Args: record: the call, its result, status, decision and duration.
    Returns: nothing.
    Errors: logged.
    Since: 1.0
    """


# -- Diagnosis and demonstration: sync, called by `hermes doctor` and `hermes demo` alone --------------------------


@hookspec
def hermes_health_checks() -> Iterable[HealthCheck]:
    """Return checks that exercise what the tools of this plugin need.

    When: while `hermes doctor` runs, in one process for each plugin, and at no other time.
    Args: none.
    Returns: health checks; those of all plugins are run, each under its deadline, and reported together.
    Errors: an exception, anything that is not a health check, a check that raises or exceeds its deadline, and a
        process that dies are each reported as an error of this plugin. The other checks still run.
    Since: 1.0
    """


@hookspec
def hermes_demo_steps() -> Iterable[DemoStep]:
    """Return steps of `hermes demo` that show the tools of this plugin at work.

    When: while `hermes demo` runs, and at no other time.
    Args: none.
    Returns: steps that need no network and finish within a second; those of all plugins are played by `order`.
    Errors: an exception, or anything that is not a step, is shown as a failed step. The other steps still run.
    Since: 1.0
    """
