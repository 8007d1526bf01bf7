"""What one host decides by itself: rules, mode, grants, and what a yes creates."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hermes_approval import HostApproval
from hermes_approval.grants.grant_set import GrantSet
from hermes_approval.grants.grant_store import GrantStore
from hermes_approval.settings import ApprovalSettings
from hermes_core import ApprovalRequest, ConfigError, Decision, Finding, Hermes, hookimpl, tool

ASK = Finding(rule="test.rule", severity="ask", reason="it asks")
NOTE = Finding(rule="test.note", severity="note", reason="by the way")


@tool(toolset="test", assess=lambda args, ctx: [ASK, NOTE])
def act(number: int) -> int:
    """Take a number."""
    return number


def request(args: dict[str, Any]) -> ApprovalRequest:
    return ApprovalRequest(
        id="1", tool="act", toolset="test", args=args, findings=(ASK, NOTE), session_id="s", session_kind="interactive"
    )


def test_the_grants_that_are_made_at_the_first_look_are_the_same_for_all() -> None:
    for _ in range(20):
        approval = HostApproval()
        found: list[Any] = []
        barrier = threading.Barrier(4)

        def look(approval: HostApproval = approval, found: list[Any] = found, at: Any = barrier) -> None:
            at.wait(5)
            found.append(approval.grants)

        threads = [threading.Thread(target=look) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(5)
        assert len({id(grants) for grants in found}) == 1


def test_a_child_without_grants_of_its_own_has_those_of_its_parent(host: Callable[..., Hermes]) -> None:
    parent = host(tools=[act], approver=lambda request: "always")
    child = host(tools=[act], parent=parent)
    parent.call("act", {"number": 1})
    (grant,) = HostApproval.of(parent).grants.list()
    assert child.run("act", {"number": 1}).decision.by == f"grant {grant.id}"  # type: ignore[union-attr]


def test_a_yes_creates_one_grant_for_each_question_and_none_for_notes() -> None:
    for scope in ("session", "always"):
        (grant,) = HostApproval().propose(request({"number": 1}), scope)
        assert (grant.tool, grant.rule, grant.scope, grant.session) == ("act", "test.rule", scope, "s")
        assert dict(grant.args) == {"number": {"equals": 1}}


def test_arguments_that_no_grant_can_hold_are_said_to_be() -> None:
    with pytest.raises(ConfigError):
        HostApproval().propose(request({"number": object()}), "always")


def test_what_cannot_be_kept_is_logged_and_the_call_runs(
    host: Callable[..., Hermes], home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    home.mkdir(parents=True)
    (home / "approvals.json").write_text("broken", encoding="utf-8")
    hermes = host(tools=[act], grants=GrantSet(store=GrantStore(home)), approver=lambda request: "always")
    with caplog.at_level(logging.WARNING):
        assert hermes.call("act", {"number": 1}) == "1"
    assert "Grants cannot be used" in caplog.text
    assert "A grant could not be stored" in caplog.text
    assert (home / "approvals.json").read_text(encoding="utf-8") == "broken"


def test_keeping_a_grant_that_takes_too_long_does_not_fail_the_call_that_was_approved(
    host: Callable[..., Hermes], caplog: pytest.LogCaptureFixture
) -> None:
    grants = GrantSet()
    release = threading.Event()

    class Approver:
        @hookimpl
        def hermes_request_approval(self, request: ApprovalRequest) -> Decision:
            held = threading.Event()

            def hold() -> None:
                with grants._lock:
                    held.set()
                    release.wait(10)

            threading.Thread(target=hold).start()
            assert held.wait(5)
            made = HostApproval().propose(request, "session")
            return Decision(outcome="allowed", by="me", findings=request.findings, grants=made)

    hermes = host(tools=[act], plugins=[Approver()], grants=grants, config={"calls": {"approval_timeout": 0.3}})
    try:
        record = hermes.run("act", {"number": 1})
    finally:
        release.set()
    assert (record.status, record.result) == ("ok", "1")
    assert "hermes_approval_resolved of plugin approval failed" in caplog.text


def test_the_decision_of_a_grant_names_it_and_keeps_the_findings(host: Callable[..., Hermes]) -> None:
    hermes = host(tools=[act], approver=lambda request: "session")
    hermes.call("act", {"number": 1})
    (grant,) = HostApproval.of(hermes).grants.list()
    decision = hermes.run("act", {"number": 1}).decision
    assert decision == Decision(outcome="allowed", by=f"grant {grant.id}", findings=(ASK, NOTE))


@pytest.mark.parametrize("kind", ["interactive", "batch", "cron"])
@pytest.mark.parametrize("approves", [False, True])
def test_only_cron_jobs_go_by_the_mode_for_cron_jobs(host: Callable[..., Hermes], kind: str, approves: bool) -> None:
    hermes = host(tools=[act], approvals=ApprovalSettings(cron_approves=approves), approver=lambda request: True)
    decision = hermes.run("act", {"number": 1}, session=hermes.session(kind=kind)).decision
    assert decision is not None
    if kind == "cron":
        assert (decision.outcome, decision.by) == (
            ("allowed", "approvals.cron_mode") if approves else ("no-approver", "session kind cron")
        )
        assert decision.reason == ("" if approves else "it asks")
    else:
        assert (decision.outcome, decision.by) == ("allowed", "the application")


def test_a_grant_answers_in_a_cron_job_too(host: Callable[..., Hermes]) -> None:
    hermes = host(tools=[act], approver=lambda request: "always")
    hermes.call("act", {"number": 1})
    decision = hermes.run("act", {"number": 1}, session=hermes.session(kind="cron")).decision
    assert decision is not None
    assert decision.by.startswith("grant ")
