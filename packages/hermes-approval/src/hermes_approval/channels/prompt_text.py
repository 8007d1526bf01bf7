"""The text of a prompt: the request in lines that fit, and the effect of each answer."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hermes_approval.channels.answer import login_name
from hermes_approval.channels.safe_text import fold, lines, one_line
from hermes_approval.grants.grant import Grant, describe_fact
from hermes_approval.grants.hidden_values import concealed, concealed_text
from hermes_core import ApprovalRequest, Finding

_GUTTER = "  | "
"""Starts every line of untrusted text, so that it cannot look like a part of the prompt."""
_CONTINUED = "  : "
"""Starts the continuation of the line above."""


_EMPTY: tuple[object, ...] = (None, "", [], {})


@dataclass(frozen=True, slots=True)
class Line:
    """One line on the screen, and its style."""

    text: str
    style: str = ""


def describe_grant(grant: object, defaults: Collection[str] = ()) -> list[str]:
    """Describe a grant, or each grant of several, without the facts that it is bound to.

    The prompt shows these facts, and the names in `defaults`, once for all grants.
    """
    if isinstance(grant, Grant):
        return [grant.describe(facts=False, defaults=defaults)]
    if isinstance(grant, list | tuple):
        return [line for one in grant for line in describe_grant(one, defaults)]
    describe = getattr(grant, "describe", None)
    return [str(describe() if callable(describe) else grant)]


def request_lines(request: ApprovalRequest, grants: Mapping[str, object], width: int) -> list[Line]:
    """Return everything that people have to read before they answer."""
    shown = folded(f"Approval needed: {_call(request)}", width, "bold yellow")
    shown += [Line("Why:")]
    for finding in request.findings:
        shown += _quoted(f"{concealed_text(finding.reason)} ({finding.rule})", width)
    shown += argument_lines(request, width, hidden=_empty_defaults(request))
    shown += bound_lines(request, width)
    for scope, grant in grants.items():
        shown += grant_lines(request, scope, grant, width)
    return shown


def bound_lines(request: ApprovalRequest, width: int) -> list[Line]:
    """Return what a lasting yes is bound to besides the arguments, or why a lasting yes is impossible."""
    if request.once:
        return [Line("Only this call can be approved:"), *_quoted(concealed_text(request.once), width)]
    if not request.bound:
        return []
    facts = [line for fact in request.bound for line in _quoted(describe_fact(*fact), width)]
    return [Line("A lasting approval applies only:"), *facts]


def argument_lines(
    request: ApprovalRequest, width: int, *, hidden: Sequence[str] = (), plain: bool = False
) -> list[Line]:
    """Return the names and complete values of the arguments, except for words that look like secrets.

    Args:
        request: The request.
        width: The width of a line.
        hidden: The arguments of which only the names are shown.
        plain: Whether to show secrets, too.
    """
    shown = [Line("Arguments:" if request.args else "No arguments.")]
    for name, value in request.args.items():
        if name not in hidden:
            shown += _argument(str(name), value if plain else concealed(value, name), width)
    if hidden:
        have = (
            "1 argument has its default value" if len(hidden) == 1 else f"{len(hidden)} arguments have default values"
        )
        shown += folded(f"  {have} (null, false or empty): {', '.join(hidden)}", width)
    return shown


def _empty_defaults(request: ApprovalRequest) -> list[str]:
    """Return the names of empty default values. Other defaults may matter for the decision."""
    args = request.args
    return [name for name in args if name in request.defaults and (args[name] is False or args[name] in _EMPTY)]


def has_secrets(request: ApprovalRequest) -> bool:
    """Return True if a part of the arguments is hidden because it looks like a secret."""
    return any(list(lines(concealed(value, name))) != list(lines(value)) for name, value in request.args.items())


def grant_lines(request: ApprovalRequest, scope: str, grant: object, width: int) -> list[Line]:
    """Return what a lasting yes would allow."""
    return [Line(f"What '{scope}' would allow from now on:"), *_granted(grant, width, _empty_defaults(request))]


def explanation_lines(request: ApprovalRequest, width: int) -> list[Line]:
    """Return all details of a request."""
    shown = [Line("Findings:" if request.findings else "No findings.")]
    for finding in request.findings:
        for fact in _facts(finding):
            shown += _quoted(fact, width)
    shown += argument_lines(request, width) if _empty_defaults(request) else []
    shown += [Line("Asked by:")]
    call = f", call {request.call_id}" if request.call_id else ""
    shown += _quoted(f"session {request.session_id} ({request.session_kind}){call}", width)
    shown += _quoted(f"process {os.getpid()} of {login_name()}", width)
    return shown


def narrowing_lines(offers: Sequence[tuple[str, str, object]], width: int) -> list[Line]:
    """Return narrower grants to choose from, by number."""
    shown = [Line("Narrower:")]
    for number, (scope, label, grant) in enumerate(offers, 1):
        shown += folded(f"{number}. {scope}, {label}:", width)
        shown += _granted(grant, width)
    return shown


def key_line(scopes: Sequence[str], *, narrow: bool, unread: int, secrets: bool = False) -> str:
    """Return the keys that are valid now."""
    keys = ["o once"]
    keys += [{"session": "s session", "always": "a always"}[scope] for scope in scopes]
    keys += ["l limit"] * narrow
    keys += ["v values behind ***"] * secrets
    keys += ["e explain", "d deny"]
    reading = "m more, f full text, " if unread else ""
    return f"{reading}{', '.join(keys)} (Enter: deny)"


def _call(request: ApprovalRequest) -> str:
    toolset = f" (toolset {request.toolset})" if request.toolset else ""
    return f"{request.tool}{toolset}"


def _facts(finding: Finding) -> list[str]:
    facts = [f"{finding.rule} ({finding.severity}): {concealed_text(finding.reason)}"]
    if finding.effects:
        facts.append(f"  effects: {', '.join(sorted(finding.effects))}")
    if finding.span:
        facts.append(f"  because of: {concealed_text(finding.span)}")
    return facts


def _argument(name: str, value: Any, width: int) -> list[Line]:
    body = list(lines(value))
    count = f" ({len(body):,} lines)" if len(body) > 1 else ""
    shown = folded(f"  {name}{count}:", width)
    for line in body:
        shown += _gutter(line, width, "bold")
    return shown


def _granted(grant: object, width: int, defaults: Collection[str] = ()) -> list[Line]:
    return [line for text in describe_grant(grant, defaults) for line in _quoted(text, width)]


def _quoted(text: str, width: int) -> list[Line]:
    return _gutter(one_line(text), width)


def _gutter(line: str, width: int, style: str = "") -> list[Line]:
    return _pieces(line, width, style, _GUTTER)


def folded(text: str, width: int, style: str = "") -> list[Line]:
    """Return text of the prompt in lines that fit."""
    return _pieces(one_line(text), width, style, "")


def _pieces(line: str, width: int, style: str, start: str) -> list[Line]:
    first, *others = fold(line, width - len(_CONTINUED))
    return [Line(start + first, style), *(Line(_CONTINUED + piece, style) for piece in others)]
