"""`hermes approvals pending`, `approve` and `deny`: the requests in the mailbox."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from hermes_approval.channels.answer import Answer, signed
from hermes_approval.channels.mailbox import Mailbox, find_named
from hermes_approval.channels.safe_text import one_line
from hermes_approval.cli.options import PLACE, json_option, when
from hermes_approval.grants.hidden_values import concealed, concealed_text
from hermes_core.commands import Column, ExitCode, cut, is_terminal, line_width, note, print_json, print_table, say
from hermes_core.errors import ConfigError, did_you_mean
from hermes_schemas import nearest

if TYPE_CHECKING:
    from hermes_approval.channels.answer import Choice
    from hermes_approval.channels.mailbox_messages import MailboxEntry
    from hermes_approval.grants.grant import Scope
    from hermes_core import ApprovalRequest

_MAX_SHOWN = 20_000
"""The maximum length of arguments, in characters, that people read before they approve."""
_BRIEF_VALUE, _BRIEF_NAMES = 60, 20
"""How much of each argument, and how many arguments, are shown in a list."""
_PLAIN_WIDTH = 100
"""The width if the output is not a terminal."""


@click.command()
@json_option
def pending(as_json: bool) -> None:
    """List pending requests, oldest first.

    Long arguments are truncated, and words that look like secrets are shown as ***; --json shows everything.

    Exit code: 0, even if no request is pending.
    """
    entries = Mailbox.default().pending()
    if as_json:
        print_json({"pending": [_fields(entry) for entry in entries]})
    elif entries:
        print_table(_COLUMNS, (_row(entry) for entry in entries))
    else:
        say("No request is pending.")


_which = click.argument("id", required=False, metavar="[ID|next]")
_everything = click.option("--all", "everything", is_flag=True, help="Answer all pending requests.")
_reason = click.option("--reason", default="", help="The reason, for the caller.")


@click.command()
@_which
@_everything
@click.option(
    "--scope",
    type=click.Choice(["once", "session", "always"]),
    default="once",
    show_default=True,
    help="Approve only this call, or all identical calls in its session or always.",
)
@click.option("--unseen", is_flag=True, help=f"Approve arguments too long to show (over {_MAX_SHOWN:,} characters).")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@_reason
@json_option
def approve(
    id: str | None, everything: bool, scope: Scope, unseen: bool, yes: bool, reason: str, as_json: bool
) -> ExitCode:
    """Approve a pending request.

    ID is an ID from 'hermes approvals pending', or the beginning of one; 'next' is the oldest request. The command
    shows the call with all arguments and the grant that --scope would store, and asks for confirmation in a terminal.

    Exit code: 0 if the request was approved, 1 if none is pending or you did not confirm, 2 for an unknown ID, or if
    the arguments are too long to show.
    """
    mailbox = Mailbox.default()
    entries = _chosen(mailbox, id, everything)
    for entry in entries if not unseen else ():
        _require_readable(entry)
    asks = not (yes or as_json) and is_terminal() and sys.stdin is not None and sys.stdin.isatty()
    answered: list[MailboxEntry] = []
    for entry in entries:
        if not as_json:
            _show(entry.request, scope)
        if asks and not click.confirm(f"Approve it ({scope})?", default=False):
            continue
        answered += _answer(mailbox, entry, scope, reason, as_json=as_json)
    return _end(entries, answered, scope, as_json=as_json)


@click.command()
@_which
@_everything
@_reason
@json_option
def deny(id: str | None, everything: bool, reason: str, as_json: bool) -> ExitCode:
    """Deny a pending request.

    ID is an ID from 'hermes approvals pending', or the beginning of one; 'next' is the oldest request. Exit code: 0 if
    the request was denied, 1 if none is pending, 2 for an unknown ID.
    """
    mailbox = Mailbox.default()
    entries = _chosen(mailbox, id, everything)
    answered: list[MailboxEntry] = []
    for entry in entries:
        answered += _answer(mailbox, entry, "deny", reason, as_json=as_json)
    return _end(entries, answered, "deny", as_json=as_json)


COMMANDS = (pending, approve, deny)


def _chosen(mailbox: Mailbox, id: str | None, everything: bool) -> list[MailboxEntry]:
    if (id is not None) == everything:
        raise click.UsageError("Name a request by its id, 'next' for the oldest, or all of them with --all.")
    entries = mailbox.pending()
    if id == "next":
        return entries[:1]
    return entries if id is None else [_named(id, entries)]


def _named(id: str, entries: list[MailboxEntry]) -> MailboxEntry:
    try:
        found = find_named(id, entries)
    except LookupError as error:
        raise click.UsageError(f"{one_line(error.args[0])}.") from None
    if not found:
        names = [name for entry in entries for name in entry.names]
        hint = did_you_mean(nearest(id, names)).strip() or "'hermes approvals pending' shows the waiting requests."
        raise click.UsageError(f"No request '{one_line(id)}' waits for an answer. {hint}")
    return found[0]


def _answer(mailbox: Mailbox, entry: MailboxEntry, choice: Choice, reason: str, *, as_json: bool) -> list[MailboxEntry]:
    if not mailbox.reply(entry, Answer(choice=choice, by=signed(PLACE), reason=reason)):
        return []
    if not as_json:
        result = "Denied" if choice == "deny" else f"Approved ({choice})"
        say(f"{result}: {entry.key}  {_call(entry.request)}")
    return [entry]


def _end(entries: Sequence[MailboxEntry], answered: list[MailboxEntry], choice: Choice, *, as_json: bool) -> ExitCode:
    if as_json:
        print_json({"choice": choice, "answered": [_fields(entry) for entry in answered]})
    if not entries:
        note("No request is pending.")
    elif len(answered) < len(entries):
        note(f"Not answered here: {len(entries) - len(answered)}.")
    return ExitCode.OK if answered and len(answered) == len(entries) else ExitCode.FOUND


def _length(request: ApprovalRequest) -> int:
    from hermes_approval.channels.safe_text import lines

    return sum(len(one_line(name)) + sum(map(len, lines(value))) for name, value in request.args.items())


def _require_readable(entry: MailboxEntry) -> None:
    length = _length(entry.request)
    if length > _MAX_SHOWN:
        raise click.UsageError(
            f"The arguments of {entry.key} have {length:,} characters, too many to show here. "
            "'hermes approvals pending --json' shows them; --unseen approves them anyway."
        )


def _show(request: ApprovalRequest, scope: Scope) -> None:
    from hermes_approval.channels.prompt_text import grant_lines, has_secrets, request_lines
    from hermes_approval.grants.offered_grants import propose

    if _length(request) > _MAX_SHOWN:
        note(f"hermes: warning: Not all arguments are shown: {_call(request)}")
        return
    width = line_width() or _PLAIN_WIDTH
    shown = request_lines(request, {}, width)
    if scope != "once":
        try:
            shown += grant_lines(request, scope, propose(request, scope, by=signed(PLACE)), width)
        except ConfigError as error:
            prefix = "" if request.once else "Only this call can be approved: "
            note(f"hermes: warning: {prefix}{one_line(error.reason)}")
    for line in shown:
        say(line.text)
    if has_secrets(request):
        note("hermes: *** hides what looks like a secret; 'hermes approvals pending --json' shows it.")


_COLUMNS = (
    Column(title="id"),
    Column(title="since"),
    Column(title="left"),
    Column(title="session", fit="cut"),
    Column(title="why", fit="wrap"),
    Column(title="call", fit="wrap"),
)


def _row(entry: MailboxEntry) -> tuple[object, ...]:
    request = entry.request
    why = "; ".join(f"{concealed_text(each.reason)} ({each.rule})" for each in request.findings)
    since = when(entry.at).rpartition(" ")[2]
    left = f"{max(entry.expires - time.time(), 0):,.0f} s"
    return (one_line(entry.key), since, left, one_line(request.session_id), one_line(why), _call(request))


def _call(request: ApprovalRequest) -> str:
    return " ".join((one_line(request.tool), *_brief(request)))


def _brief(request: ApprovalRequest) -> Iterator[str]:
    """Yield every argument's name with the beginning of its value."""
    for number, (name, value) in enumerate(request.args.items()):
        if number == _BRIEF_NAMES:
            yield f"… and {len(request.args) - number} more"
            return
        text = json.dumps(concealed(value, name), ensure_ascii=False, default=str)
        yield f"{cut(one_line(name), _BRIEF_VALUE)}={cut(one_line(text[: _BRIEF_VALUE * 2]), _BRIEF_VALUE)}"


def _fields(entry: MailboxEntry) -> dict[str, Any]:
    request = entry.request
    return {
        "id": entry.key,
        "request": request.id,
        "call": request.call_id,
        "tool": request.tool,
        "toolset": request.toolset,
        "args": dict(request.args),
        "findings": [
            {"rule": each.rule, "severity": each.severity, "reason": each.reason, "span": each.span}
            for each in request.findings
        ],
        "bound": [list(fact) for fact in request.bound],
        "once": request.once,
        "session": request.session_id,
        "session_kind": request.session_kind,
        "pid": entry.process.pid,
        "at": entry.at,
        "expires": entry.expires,
    }
