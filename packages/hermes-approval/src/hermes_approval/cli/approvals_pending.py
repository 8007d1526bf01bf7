"""`hermes approvals`: the requests that wait in the mailbox. What is approved is shown first, all of it."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from hermes_approval.channels.answer import signed
from hermes_approval.channels.mailbox import Mailbox
from hermes_approval.channels.safe_text import one_line
from hermes_approval.cli.options import PLACE, json_option, when
from hermes_approval.grants.hidden_values import concealed, concealed_text
from hermes_core.commands import Column, ExitCode, cut, is_terminal, line_width, note, print_json, print_table, say
from hermes_core.errors import ConfigError, did_you_mean
from hermes_schemas import nearest

if TYPE_CHECKING:
    from hermes_approval.channels.answer import Choice
    from hermes_approval.channels.mailbox_messages import Letter
    from hermes_approval.grants.grant import Grant, Scope
    from hermes_core import ApprovalRequest

_MOST_SHOWN = 20_000
"""Characters of arguments; nobody reads more than that before they say yes."""
_BRIEF_VALUE, _BRIEF_NAMES = 60, 20
"""How much of each argument, and how many of them, a line in a list has room for."""
_PLAIN_WIDTH = 100
"""Where nothing limits a line."""


@click.command()
@json_option
def pending(as_json: bool) -> None:
    """List the requests that wait for an answer, the oldest first.

    Long arguments are cut, and words that look like secrets are shown as ***; --json shows all of it as it is.

    Exit status: 0, also when none waits.
    """
    letters = Mailbox.default().pending()
    if as_json:
        print_json({"pending": [_fields(letter) for letter in letters]})
    elif letters:
        print_table(_COLUMNS, (_row(letter) for letter in letters))
    else:
        say("No request waits for an answer.")


_which = click.argument("id", required=False, metavar="[ID|next]")
_everything = click.option("--all", "everything", is_flag=True, help="All that wait now.")
_reason = click.option("--reason", default="", help="Why, for whoever asked.")


@click.command()
@_which
@_everything
@click.option(
    "--scope",
    type=click.Choice(["once", "session", "always"]),
    default="once",
    show_default=True,
    help="This call, or exactly such calls: in its session, or for good.",
)
@click.option("--unseen", is_flag=True, help=f"Also when the arguments are longer than {_MOST_SHOWN:,} characters.")
@click.option("--yes", is_flag=True, help="Do not ask again at a terminal.")
@_reason
@json_option
def approve(
    id: str | None, everything: bool, scope: Scope, unseen: bool, yes: bool, reason: str, as_json: bool
) -> ExitCode:
    """Say yes to a request that waits.

    ID is what 'hermes approvals pending' shows, or its beginning; 'next' is the oldest. The call is shown with all of
    its arguments, and with the grant that --scope would store; at a terminal you are asked whether you mean it.

    Exit status: 0 when it was answered, 1 when none waits or you did not mean it, 2 for an id that is not there, or
    arguments too long to be shown.
    """
    mailbox = Mailbox.default()
    letters = _meant(mailbox, id, everything)
    for letter in letters if not unseen else ():
        _require_readable(letter)
    asks = not (yes or as_json) and is_terminal() and sys.stdin is not None and sys.stdin.isatty()
    answered: list[Letter] = []
    for letter in letters:
        if not as_json:
            _show(letter.request, scope)
        if asks and not click.confirm(f"Approve it ({scope})?", default=False):
            continue
        answered += _answered(mailbox, letter, scope, reason, as_json=as_json)
    return _end(letters, answered, scope, as_json=as_json)


@click.command()
@_which
@_everything
@_reason
@json_option
def deny(id: str | None, everything: bool, reason: str, as_json: bool) -> ExitCode:
    """Say no to a request that waits.

    ID is what 'hermes approvals pending' shows, or its beginning; 'next' is the oldest. Exit status: 0 when it was
    answered, 1 when none waits, 2 for an id that is not there.
    """
    mailbox = Mailbox.default()
    letters = _meant(mailbox, id, everything)
    answered: list[Letter] = []
    for letter in letters:
        answered += _answered(mailbox, letter, "deny", reason, as_json=as_json)
    return _end(letters, answered, "deny", as_json=as_json)


COMMANDS = (pending, approve, deny)


# -- which, and what is said to it -------------------------------------------------------------------------------


def _meant(mailbox: Mailbox, id: str | None, everything: bool) -> list[Letter]:
    if (id is not None) == everything:
        raise click.UsageError("Name a request by its id, 'next' for the oldest, or all of them with --all.")
    letters = mailbox.pending()
    if id == "next":
        return letters[:1]
    return letters if id is None else [_called(id, letters)]


def _called(id: str, letters: list[Letter]) -> Letter:
    found = [letter for letter in letters if id in letter.names]
    if not found and id:
        found = [letter for letter in letters if any(name.startswith(id) for name in letter.names)]
    if len(found) > 1:
        keys = ", ".join(letter.key for letter in found)
        raise click.UsageError(f"'{one_line(id)}' could be any of {keys}.")
    if not found:
        names = [name for letter in letters for name in letter.names]
        hint = did_you_mean(nearest(id, names)).strip() or "'hermes approvals pending' shows those that wait."
        raise click.UsageError(f"No request '{one_line(id)}' waits for an answer. {hint}")
    return found[0]


def _answered(mailbox: Mailbox, letter: Letter, choice: Choice, reason: str, *, as_json: bool) -> list[Letter]:
    # By its key, which no other request has: what is answered is what was looked at.
    if not mailbox.answer(letter.key, choice, signed(PLACE), reason):
        return []
    if not as_json:
        said = "Denied" if choice == "deny" else f"Approved ({choice})"
        say(f"{said}: {letter.key}  {_call(letter.request)}")
    return [letter]


def _end(letters: Sequence[Letter], answered: list[Letter], choice: Choice, *, as_json: bool) -> ExitCode:
    if as_json:
        print_json({"choice": choice, "answered": [_fields(letter) for letter in answered]})
    if not letters:
        note("No request waits for an answer.")
    elif len(answered) < len(letters):
        note(f"Not answered here: {len(letters) - len(answered)}.")
    return ExitCode.OK if answered and len(answered) == len(letters) else ExitCode.FOUND


# -- what a person sees ------------------------------------------------------------------------------------------


def _length(request: ApprovalRequest) -> int:
    """How many characters somebody would have to read."""
    from hermes_approval.channels.safe_text import lines

    return sum(len(one_line(name)) + sum(map(len, lines(value))) for name, value in request.args.items())


def _require_readable(letter: Letter) -> None:
    length = _length(letter.request)
    if length > _MOST_SHOWN:
        raise click.UsageError(
            f"The arguments of {letter.key} have {length:,} characters, which nobody would read here. "
            "'hermes approvals pending --json' shows them; --unseen approves them all the same."
        )


def _show(request: ApprovalRequest, scope: Scope) -> None:
    """The whole request, and what a yes would store, before anything is answered."""
    from hermes_approval.channels.prompt_text import grant_lines, has_secrets, request_lines

    if _length(request) > _MOST_SHOWN:
        note(f"hermes: warning: Most of the arguments is not shown: {_call(request)}")
        return
    width = line_width() or _PLAIN_WIDTH
    shown = request_lines(request, {}, width)
    if scope != "once":
        try:
            shown += grant_lines(scope, _proposed(request, scope), width)
        except ConfigError as error:
            said = "" if request.once else "Only this call can be approved: "
            note(f"hermes: warning: {said}{one_line(error.reason)}")
    for line in shown:
        say(line.text)
    if has_secrets(request):
        note("hermes: *** hides what looks like a secret; 'hermes approvals pending --json' shows it.")


def _proposed(request: ApprovalRequest, scope: Scope) -> tuple[Grant, ...]:
    """What the asking process would store, but for the id."""
    from hermes_approval.grants.offered_grants import propose, requests_for

    session = request.session_id
    requests = requests_for(
        request.findings, tool=request.tool, args=request.args, session_id=session, source=request.source
    )
    return tuple(propose(each, scope, session_id=session, by=signed(PLACE), now=time.time()) for each in requests)


_COLUMNS = (
    Column(title="id"),
    Column(title="since"),
    Column(title="left"),
    Column(title="session", fit="cut"),
    Column(title="why", fit="wrap"),
    Column(title="call", fit="wrap"),
)


def _row(letter: Letter) -> tuple[object, ...]:
    request = letter.request
    why = "; ".join(f"{concealed_text(each.reason)} ({each.rule})" for each in request.findings)
    since = when(letter.at).rpartition(" ")[2]
    left = f"{max(letter.expires - time.time(), 0):,.0f} s"
    return (one_line(letter.key), since, left, one_line(request.session_id), one_line(why), _call(request))


def _call(request: ApprovalRequest) -> str:
    return " ".join((one_line(request.tool), *_brief(request)))


def _brief(request: ApprovalRequest) -> Iterator[str]:
    """Every argument's name with the beginning of its value: no long one hides the next."""
    for number, (name, value) in enumerate(request.args.items()):
        if number == _BRIEF_NAMES:
            yield f"… and {len(request.args) - number} more"
            return
        text = json.dumps(concealed(value, name), ensure_ascii=False, default=str)
        yield f"{cut(one_line(name), _BRIEF_VALUE)}={cut(one_line(text[: _BRIEF_VALUE * 2]), _BRIEF_VALUE)}"


def _fields(letter: Letter) -> dict[str, Any]:
    """All of a request but the secret that answers it."""
    request = letter.request
    return {
        "id": letter.key,
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
        "pid": letter.process.pid,
        "at": letter.at,
        "expires": letter.expires,
    }
