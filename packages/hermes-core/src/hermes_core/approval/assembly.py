"""Puts together what decides about calls, from what a user wrote and an application gave."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from hermes_core.approval.authority import Authority
from hermes_core.approval.settings import (
    MODES,
    STORED,
    ApprovalSettings,
    AuditSettings,
    raise_first,
    read_approvals,
    read_policy,
    smart_of,
)
from hermes_core.config.tool_session import tool_session
from hermes_core.errors import ConfigError

if TYPE_CHECKING:
    from hermes_core.approval.audit.auditor import Auditor
    from hermes_core.approval.channels.answer import Answer
    from hermes_core.approval.channels.terminal import TerminalChannel
    from hermes_core.approval.finding import ApprovalRequest
    from hermes_core.approval.grants.grant import Grant
    from hermes_core.approval.grants.grant_set import GrantSet
    from hermes_core.approval.policy.book import RuleBook
    from hermes_core.plugins.late import LateConfig


def make_authority(
    late: LateConfig,
    *,
    policy: Iterable[Mapping[str, Any]] | RuleBook | None,
    approvals: str | ApprovalSettings | None,
    grants: GrantSet | str | None,
    parent: Authority | None,
    source_of: Callable[[str], str],
    tools: Callable[[], Mapping[str, Any]],
) -> Authority:
    """The authority of a host.

    Raises:
        ConfigError: the settings, the rules or the mode cannot be used.
    """
    settings = _settings(late, approvals)
    if parent is None and tool_session() is not None:
        parent = _of_session(late, source_of, tools)
    return Authority(
        settings,
        book=_book(late, policy, tools),
        grants=_grants(late, settings, grants, parent),
        parent=parent,
        source_of=source_of,
    )


def _of_session(late: LateConfig, source_of: Callable[[str], str], tools: Callable[[], Mapping[str, Any]]) -> Authority:
    """The authority of the session whose tool started this process: what its user wrote, and nothing else."""
    from hermes_core.approval.sections import APPROVAL_SECTIONS
    from hermes_core.config.config import Config

    config = Config(late.home)
    config.declare(APPROVAL_SECTIONS)
    settings = read_approvals(config)
    book = read_policy(config, tools()) if config.said("policy") is not None else None
    return Authority(settings, book=book, grants=_stored(late.home, settings), source_of=source_of)


def _settings(late: LateConfig, approvals: str | ApprovalSettings | None) -> ApprovalSettings:
    """What the user decided, and the application over it: its mode comes with all that belongs to the mode."""
    if isinstance(approvals, ApprovalSettings):
        return approvals
    settings = read_approvals(late.sources[0]) if late.sources else ApprovalSettings()
    if approvals is None or approvals == settings.mode:
        return settings
    if approvals not in MODES:
        raise ConfigError(f"{approvals!r} is not a mode of approvals.", example=", ".join(MODES))
    config = late.sources[0] if late.sources else late.now
    smart = smart_of(config.section("approvals")) if approvals == "smart" else None
    return settings._replace(mode=approvals, smart=smart)  # type: ignore[arg-type]  # one of MODES


def _book(
    late: LateConfig,
    policy: Iterable[Mapping[str, Any]] | RuleBook | None,
    tools: Callable[[], Mapping[str, Any]],
) -> RuleBook | None:
    """The user's rules, and those of the application beside them: of all that match the strictest counts."""
    books = [read_policy(config, tools()) for config in late.sources if config.said("policy") is not None]
    if policy is not None:
        books.append(_given(policy, tools()))
    if not books:
        return None
    first, *others = books
    for other in others:
        first = first.joined(other)
    return first


def _given(policy: Iterable[Mapping[str, Any]] | RuleBook, tools: Mapping[str, Any]) -> RuleBook:
    from hermes_core.approval.policy.book import RuleBook
    from hermes_core.approval.policy.reading import read_rules

    if isinstance(policy, RuleBook):
        return policy
    book, problems = read_rules({"rules": list(policy)}, file="policy", line_of=lambda _steps: None, known_tools=tools)
    raise_first(problems)
    return book


def _grants(
    late: LateConfig, settings: ApprovalSettings, grants: GrantSet | str | None, parent: Authority | None
) -> GrantSet | None:
    if grants is None and parent is None:
        return None
    from hermes_core.approval.grants.grant_set import GrantSet

    if grants is not None and not isinstance(grants, GrantSet) and grants != STORED:
        raise ConfigError(f"{grants!r} is not a set of grants.", key="grants", example="grants=GrantSet()")
    if parent is not None:
        return parent.grants.child(grants.list() if isinstance(grants, GrantSet) else None)
    if isinstance(grants, GrantSet):
        return grants
    return _stored(late.home, settings)


def _stored(home: str, settings: ApprovalSettings) -> GrantSet:
    """What the user allowed before, and what `command_allowlist` allows."""
    from hermes_core.approval.grants.allowlist import allowlist_grants
    from hermes_core.approval.grants.grant_set import GrantSet
    from hermes_core.approval.grants.store import GrantStore

    allowed, problems = allowlist_grants(settings.allowlist or [])
    for problem in problems:
        from hermes_core.logs import log

        log.warning("command_allowlist: %s", problem)
    return GrantSet(allowed, store=GrantStore(home))


def approver_plugin(approver: Any, host: Callable[[], Any]) -> object:
    """What asks whom an application named; it keeps no host alive."""
    from hermes_core.approval.approvers import ApplicationApprover, TerminalApprover

    def authority() -> Authority:
        found: Authority = host().authority
        return found

    if isinstance(approver, str) and approver == "terminal":
        return TerminalApprover(lambda: _terminal_channel(authority), authority)
    if not callable(approver) and not hasattr(approver, "aask"):
        raise ConfigError(
            f"{approver!r} cannot decide about calls.", key="approver", example="approver=lambda request: False"
        )
    return ApplicationApprover(approver, authority)


def _terminal_channel(authority: Callable[[], Authority]) -> TerminalChannel:
    from hermes_core.approval.channels.terminal import TerminalChannel

    return TerminalChannel(
        seconds=authority().settings.terminal_seconds,
        propose=lambda request, scope: _offer(authority().propose(request, scope)),
        narrowings=_narrowings,
        settled=lambda request: _settled(authority(), request),
    )


def _settled(authority: Authority, request: ApprovalRequest) -> Answer | None:
    """What was granted while a request waited for its turn at the terminal."""
    from hermes_core.approval.channels.answer import Answer

    by = authority.granted(request)
    return Answer(choice="once", by=by) if by else None


class _Together(tuple["Grant", ...]):
    """The grants that one call with several findings needs, all for equally long."""

    __slots__ = ()

    @property
    def scope(self) -> str:
        """How long they hold."""
        return self[0].scope


def _offer(grants: tuple[Grant, ...]) -> object:
    return grants[0] if len(grants) == 1 else _Together(grants) if grants else None


def _narrowings(offered: object) -> list[tuple[str, object]]:
    """Narrower variants of what is offered; several grants are all narrowed in the same way."""
    from hermes_core.approval.grants.proposals import narrowings

    grants: tuple[Any, ...] = offered if isinstance(offered, _Together) else (offered,)
    ways = [dict(narrowings(grant)) for grant in grants]
    shared = [label for label in ways[0] if all(label in way for way in ways)]
    return [(label, _offer(tuple(way[label] for way in ways))) for label in shared]


def smart_plugin(settings: ApprovalSettings) -> object:
    """What asks a model first."""
    from hermes_core.approval.approvers import SmartApprover
    from hermes_core.approval.channels.smart import SmartChannel

    assert settings.smart is not None
    model, base_url, api_key = settings.smart
    return SmartApprover(SmartChannel(base_url=base_url, api_key=api_key, model=model))


def make_auditor(
    home: str,
    settings: bool | AuditSettings,
    source_of: Callable[[str], str],
) -> Auditor | None:
    """What writes down each call; None when the user does not want it."""
    from hermes_core.approval.audit.auditor import Auditor

    wanted = settings if isinstance(settings, AuditSettings) else AuditSettings()
    return Auditor(home, wanted, source_of) if wanted.enabled else None
