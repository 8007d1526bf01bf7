"""PUBLIC: every hook that a plugin can implement, in the order in which they are called.

A plugin is a module or object whose functions are marked with `hermes_core.hookimpl`. An implementation accepts any
subset of the hook's arguments, by name.
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
    """Return the tools of this plugin.

    When: once, while the plugin is loaded.
    Args: none.
    Returns: tools; those of all plugins are registered. A tool whose name belongs to another toolset is rejected and
        reported.
    Errors: an exception, or anything that is not a tool, disables only this plugin.
    Since: 1.0
    """


@hookspec
def hermes_toolsets() -> Iterable[Toolset]:
    """Return named groups of tools.

    When: once, while the plugin is loaded, after `hermes_tools`.
    Args: none.
    Returns: toolsets; one whose name is taken is rejected and reported.
    Errors: an exception, or anything that is not a toolset, disables only this plugin.
    Since: 1.0
    """


@hookspec
def hermes_settings() -> Mapping[str, type | Mapping[str, Any]]:
    """Return the sections of `config.yaml` that this plugin reads.

    When: once, while the plugin is loaded, after `hermes_toolsets`.
    Args: none.
    Returns: section name to a dataclass, a pydantic model class, or a JSON schema. Tools read them with
        `ctx.settings(section)`. A section of another plugin or the core is rejected and reported, unless both plugins
        mark their schema `"x-shared": true` and declare the settings in it identically.
    Errors: an exception, or another type, disables only this plugin.
    Since: 1.0
    """


@hookspec
def hermes_commands() -> Iterable[Command]:
    """Return commands for the command line: `hermes NAME`, or `hermes GROUP NAME` in an existing group.

    When: once, while the plugin is loaded, after `hermes_settings`; with a manifest, when one of the commands runs.
    Args: none.
    Returns: click commands with a name; `click.Command("tools cost")` is a command of the group `hermes tools`. It
        never replaces a command of `hermes` or another plugin.
    Errors: an exception, or anything that is not a command, disables only this plugin.
    Since: 1.0
    """


@hookspec
def hermes_providers() -> Mapping[str, Mapping[str, Callable[[], object]]]:
    """Return implementations for extension points, which tools request with `ctx.providers(point)`.

    When: once, while the plugin is loaded, after `hermes_commands`.
    Args: none.
    Returns: extension point to provider name to a function that creates the provider when it is first used. If two
        plugins use the same name, the first one loaded wins, and the other is reported.
    Errors: an exception, or another type, disables only this plugin.
    Since: 1.0
    """


# -- Sessions: sync or async ---------------------------------------------------------------------------------------


@hookspec
def hermes_session_start(session: Session) -> Awaitable[None] | None:
    """Prepare a session.

    When: before the first call of a session.
    Args: session: its id, kind, services, and `on_close` to register resources for release.
    Returns: nothing.
    Errors: logged; the session still starts.
    Since: 1.0
    """


@hookspec
def hermes_session_end(session: Session) -> Awaitable[None] | None:
    """Release the resources of a session.

    When: once, when a started session is closed, also when its host is closed or the interpreter exits.
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
    """Change the definitions that a model gets: reword, reorder or omit them.

    When: each time definitions are built, after unavailable tools are removed and before formatting for model
        providers.
    Args: definitions: `{"name", "description", "parameters"}` of each tool, read-only. To change one, return a changed
        copy in its place: `{**definition, "description": "..."}`.
        available: the names of the available tools, including those in every scope.
        context_length: the model's context window in tokens; None if it is not known.
        format: the format that the caller requested; the definitions here always have the form above.
        everything: True if the caller wants all tools, because it pays for no tokens.
        ctx: the scope, session and settings of the caller; there is no call.
    Returns: the definitions to use instead, in their order, or None to keep them. Each implementation gets the previous
        result. Unavailable tools cannot be added. Return the same tuple again if the definitions have not changed.
    Errors: logged; the changes of this implementation are dropped.
    Since: 1.0
    """


# -- One call: sync or async ---------------------------------------------------------------------------------------


@hookspec
def hermes_pre_tool_call(call: ToolCall, ctx: ToolContext) -> HookAnswer | Awaitable[HookAnswer]:
    """Apply policy to a call before it runs.

    When: after the arguments were repaired and validated; once for each call, and again if another implementation
        rewrites the arguments after this one has answered.
    Args: call: name, read-only arguments with default values, session. ctx: services, providers, nested calls.
    Returns: None or `Allow()`, `Deny(reason)`, `Ask(reason)`, or `Rewrite(args)`, whose arguments are validated again
        and judged by all others. All implementations are called; the strictest answer wins: deny, ask, rewrite, allow.
    Errors: an exception, an answer of another type, or a late answer denies the call.
    Since: 1.0
    """


@hookspec
def hermes_assess_call(
    call: ToolCall, ctx: ToolContext
) -> Finding | Iterable[Finding] | Awaitable[Finding | Iterable[Finding] | None] | None:
    """Report the effects of a call.

    When: after the pre hooks, with the arguments that would run.
    Args: as for `hermes_pre_tool_call`.
    Returns: findings. A `refuse` refuses the call, an `ask` requires an approval, a `note` is recorded.
    Errors: an exception or a late answer counts as a finding of severity `ask` with the rule `assess.failed.PLUGIN`.
        The call may be one that is never allowed, so no mode and no rule that allows everything waives it.
    Since: 1.0
    """


@hookspec
def hermes_waive_findings(
    request: ApprovalRequest, session: Session
) -> Iterable[Waiver] | Awaitable[Iterable[Waiver] | None] | None:
    """Decide which findings need no approval, based on rules, settings or earlier approvals.

    When: if a pre hook or a finding requires an approval and nothing denies or refuses the call; before any approver,
        for every host, the outermost first. It must not change anything, because explaining a call also calls it.
    Args: request: the tool, its arguments and all findings. session: the session of the call.
    Returns: a `Waiver` for each finding that needs no approval. An empty list is an opinion, None is not. Within a
        host, the waiver of any plugin counts. A finding is waived if the outermost host waives it and every other host
        waives it or has no opinion. Omit findings that are `unknown`: an assessor failed, and the call may be one that
        is never allowed. If all are waived, each `Waiver.confirm` is called, async ones first; if one returns False,
        the waivers are collected again, up to three times. Approvers decide about the remaining findings.
    Errors: an exception, an answer of another type, or an answer past the approval deadline waives nothing, and counts
        as an opinion.
    Since: 1.0
    """


@hookspec
def hermes_request_approval(request: ApprovalRequest) -> Decision | Awaitable[Decision | None] | None:
    """Decide about a call that needs an approval.

    When: if a pre hook or a finding requires an approval, nothing denies or refuses the call, and no plugin waives it.
        Not in a session of the kind `cron`, and not in a process started by a tool, because no user can answer there.
    Args: request: the tool, its arguments and the findings that are not waived.
    Returns: a decision, or None if this approver does not decide. The first decision wins; without one, the call is
        denied.
    Errors: an exception counts as None; past the approval deadline, the call is denied as timed out.
    Since: 1.0
    """


@hookspec
def hermes_approval_resolved(
    request: ApprovalRequest, decision: Decision, session: Session, own: bool
) -> Awaitable[None] | None:
    """Observe the outcome of an approval request.

    When: after each request, even if no approver answered.
    Args: request, and the decision. session: the session of the call. own: True if an approver of the plugin's own
        host, or of a parent of it, decided: only then may the plugin store what the answer allows for longer.
    Returns: nothing.
    Errors: logged.
    Since: 1.0
    """


@hookspec
def hermes_tool_call_started(call: ToolCall, decision: Decision | None) -> Awaitable[None] | None:
    """Observe that a tool is about to run, so that the call is recorded even if the process is killed.

    When: after all judging, just before the tool runs; only for tools with effects other than `read`.
    Args: call, without secrets, like the record of `hermes_post_tool_call`; decision: the decision about it, None if no
        plugin of this host judges calls.
    Returns: nothing. The tool runs when all implementations have returned.
    Errors: logged; the tool still runs.
    Since: 1.0
    """


@hookspec
def hermes_tool_progress(call: ToolCall, progress: Progress) -> Awaitable[None] | None:
    """Observe the progress of a long call.

    When: while a tool runs, each time it reports progress; many tools never do.
    Args: call; progress: a sentence, the seconds so far, how much is done, and the latest output.
    Returns: nothing.
    Errors: logged; the tool continues.
    Since: 1.0
    """


@hookspec
def hermes_transform_tool_result(call: ToolCall, result: str, ctx: ToolContext) -> str | Awaitable[str | None] | None:
    """Change a result before the model sees it.

    When: after the handler succeeded, before the size limit is applied.
    Args: call; result: the JSON text.
    Returns: the new text, or None to keep it. Each implementation gets the previous result. Text that is not JSON
        becomes a JSON string.
    Errors: logged; the result is kept.
    Since: 1.0
    """


@hookspec
def hermes_post_tool_call(record: CallRecord) -> Awaitable[None] | None:
    """Observe a finished call.

    When: last, exactly once for each call, including blocked, failed, timed-out and cancelled ones.
    Args: record: the call, its result, status, decision and duration.
    Returns: nothing.
    Errors: logged.
    Since: 1.0
    """


# -- Diagnosis and demonstration: sync, called by `hermes doctor` and `hermes demo` alone --------------------------


@hookspec
def hermes_health_checks() -> Iterable[HealthCheck]:
    """Return checks that exercise what the tools of this plugin need.

    When: while `hermes doctor` runs, in one process for each plugin.
    Args: none.
    Returns: health checks; those of all plugins run, each under its deadline, and are reported together.
    Errors: an exception, anything that is not a health check, a check that raises or exceeds its deadline, and a
        process that dies are each reported as an error of this plugin. The other checks still run.
    Since: 1.0
    """


@hookspec
def hermes_demo_steps() -> Iterable[DemoStep]:
    """Return steps of `hermes demo` that demonstrate the tools of this plugin.

    When: while `hermes demo` runs.
    Args: none.
    Returns: steps that need no network and finish within a second; those of all plugins run by `order`.
    Errors: an exception, or anything that is not a step, appears as a failed step. The other steps still run.
    Since: 1.0
    """
