"""`hermes call`: call a tool and print the result that a model would get."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import click

from hermes_core import ApprovalRequest, CallRecord, Hermes, Waiver, hookimpl
from hermes_core.cli.arguments import read_words, type_pairs
from hermes_core.cli.completion import tool_names, toolset_option
from hermes_core.cli.exit_codes import ExitCode, table_of_codes
from hermes_core.cli.output import is_terminal, note, print_json, print_json_text
from hermes_core.cli.run import loaded_host
from hermes_core.config.home import hermes_home
from hermes_core.errors import ToolError, ToolTimeoutError
from hermes_core.families import explain_missing
from hermes_text.terminal import clean

_BY_CODE = {
    "unknown_tool": ExitCode.UNKNOWN_TOOL,
    "invalid_arguments": ExitCode.USAGE,
    "unavailable": ExitCode.UNAVAILABLE,
    "timeout": ExitCode.TIMEOUT,
}
_BY_STATUS = {"blocked": ExitCode.DENIED, "timeout": ExitCode.TIMEOUT, "cancelled": ExitCode.INTERRUPTED}
_TIMED_OUT = 124  # the exit code of timeout(1)


def _check_seconds(_ctx: click.Context, _parameter: click.Parameter, value: float | None) -> float | None:
    if value is not None and not value > 0:  # also rejects NaN
        raise click.BadParameter("it must be a number of seconds above 0.")
    return value


@click.command(epilog=table_of_codes())
@click.argument("name", shell_complete=tool_names)
@click.argument("arguments", nargs=-1)
@click.option("--timeout", type=float, metavar="SECONDS", callback=_check_seconds, help="Deadline of the call.")
@toolset_option
@click.option("--yes", is_flag=True, help="Approve this call, but no calls made by the tool.")
@click.option("--raw", is_flag=True, help="Do not indent the JSON, even on a terminal.")
@click.option("--json", "as_json", is_flag=True, help="Print the whole record: status, repairs, decision, duration.")
def command(
    name: str,
    arguments: tuple[str, ...],
    timeout: float | None,
    toolsets: tuple[str, ...],
    yes: bool,
    raw: bool,
    as_json: bool,
) -> ExitCode:
    """Call a tool and print its JSON result.

    The call goes through the same pipeline as a model's call: it repairs and validates the arguments, applies policy
    hooks and saves long results to a file. Only the result is written to stdout; repairs are reported on stderr.

    If a call needs an approval, you are asked in the terminal. Without a terminal, the call needs --yes or a grant
    ('hermes approvals'). --yes approves only the call that you typed: calls made by the tool, and calls that could not
    be assessed, still need an approval.

    The exit code is 0 only if the result reports success: 'hermes call terminal command=false' exits with 1. 'hermes
    terminal run false' exits with the command's own code.

    \b
    Write ARGUMENTS in one of three ways:
      key=value ...   typed by the tool's schema; repeat a
                      key to make an array
      '{"key": 1}'    one JSON object
      -               one JSON object, read from stdin
    """
    given = read_words(arguments)
    call_id = f"call-{os.urandom(8).hex()}"
    with loaded_host(only_looking=False, approver="terminal") as host:
        if yes:
            host.add_plugin(_Yes(call_id))
        host.provide("single_call", True)  # tools refuse to start anything that would outlive the call
        spec = host.registry.get(name)
        if isinstance(given, dict):
            args = given
        else:  # the pipeline answers a call of an unknown tool with similar names
            args = type_pairs(given, spec.parameters, spec.argument_aliases) if spec else dict(given)
        record = host.run(name, args, enabled=toolsets or None, timeout=timeout, id=call_id)
        hints = _how_to_approve(host, record)
    for hint in hints:
        note(hint)
    if spec is None and (missing := explain_missing(name)):
        note(f"hermes: {clean(name)}: {missing}")
    if as_json:
        print_json(_facts(record))
        return exit_code(record)
    for repair in record.call.repairs:
        note(f"hermes: repaired {clean(repair)}")
    print_json_text(record.result if raw or not is_terminal() else _indented(record.result))
    return exit_code(record)


class _Yes:
    """Approves the call that the user typed, but no calls of its tool, and no call that could not be assessed."""

    __name__ = "--yes"

    def __init__(self, call_id: str) -> None:
        self._call_id = call_id

    @hookimpl
    def hermes_waive_findings(self, request: ApprovalRequest) -> list[Waiver] | None:
        if request.call_id != self._call_id or request.origin != "direct":
            return None
        return [Waiver(finding=each, by=self.__name__) for each in request.findings if not each.unknown]


def _how_to_approve(host: Hermes, record: CallRecord) -> list[str]:
    if record.decision is None or record.decision.outcome != "no-approver":
        return []
    if any(each.unknown for each in record.decision.findings if each.severity == "ask"):
        return ["hermes: The call could not be assessed, so only a person at a terminal can approve it."]
    hints = [line for explain in host.providers("approval_hints").values() for line in explain(record)]
    return ["hermes: There is no terminal to approve it. --yes approves one call.", *hints]


def _facts(record: CallRecord) -> dict[str, object]:
    decision = record.decision
    try:
        result = json.loads(record.result)
    except (ValueError, RecursionError):
        result = record.result
    return {
        "name": record.call.name,
        "status": record.status,
        "code": record.code,
        "result": result,
        "repairs": [str(repair) for repair in record.call.repairs],
        "decision": decision and {"outcome": decision.outcome, "by": decision.by, "reason": decision.reason},
        "seconds": round(record.seconds, 6),
    }


def _indented(result: str) -> str:
    try:
        return json.dumps(json.loads(result), indent=2, ensure_ascii=False)
    except (ValueError, RecursionError):  # numbers or nesting beyond Python's limits
        return result


def exit_code(record: CallRecord) -> ExitCode:
    """Return the exit code of a call. A tool that returned normally may still report a failure."""
    if record.status in _BY_STATUS:
        return _BY_STATUS[record.status]
    code = _failure_code(_full_result(record.result)) or record.code
    return ExitCode.OK if code is None else _BY_CODE.get(code, ExitCode.TOOL_ERROR)


def _full_result(result: str) -> str:
    """Read the file of a result that was too long, because its end may report a failure."""
    if not result.startswith('{"truncated": true, "preview": '):
        return result
    try:
        file = Path(json.loads(result)["saved_to"])
        if file.parent == hermes_home() / "results" and file.is_file():
            return file.read_text(encoding="utf-8", errors="replace")
    except (KeyError, TypeError, ValueError, OSError):
        pass
    return result


def _failure_code(text: str) -> str | None:
    """Return the error code of a result that reports a failure; None otherwise.

    An object reports a failure with one of these fields:

    - `error` that is not empty, `success: false`, `isError: true`, `timed_out: true`, `status` of `error` or `timeout`
    - `exit_code` other than 0, unless a `status` explains the exit code

    A list, or the list in the field `results` of an object, reports a failure if each of its items does. The code is
    `timeout` after a timeout, otherwise the field `code` of the result.
    """
    try:
        return _failure(json.loads(text))
    except (ValueError, RecursionError):
        return None


def _failure(value: Any) -> str | None:
    if isinstance(value, dict):
        status, exit_code = value.get("status"), value.get("exit_code")
        ended = exit_code if status is None and isinstance(exit_code, int) else 0
        if value.get("timed_out") is True or status == "timeout" or ended == _TIMED_OUT:
            return ToolTimeoutError.code
        wrong = value.get("success") is False or value.get("isError") is True or status == "error" or ended != 0
        if wrong or value.get("error"):
            code = value.get("code")
            return code if isinstance(code, str) else ToolError.code
        value = value.get("results")
    if not isinstance(value, list) or not value:
        return None
    codes = {_failure(item) for item in value}
    if None in codes:
        return None
    return codes.pop() if len(codes) == 1 else ToolError.code
