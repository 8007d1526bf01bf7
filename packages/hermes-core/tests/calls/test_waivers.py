"""Plugins waive findings; a host waives nothing that a host above it does not waive."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from hermes_core import ApprovalRequest, Decision, Finding, Hermes, Tool, Waiver, hookimpl

ASK = Finding(rule="t.ask", severity="ask", reason="it asks")
OTHER = Finding(rule="t.other", severity="ask", reason="it asks, too")


class Waives:
    """Waives the findings of some rules; `answer` replaces what it returns."""

    def __init__(self, *rules: str, answer: Any = ..., **fields: Any) -> None:
        self.rules, self.answer, self.fields = rules, answer, fields

    @hookimpl
    def hermes_waive_findings(self, request: ApprovalRequest) -> Any:
        if self.answer is not ...:
            return self.answer() if callable(self.answer) else self.answer
        return [
            Waiver(finding=each, by="waives", **self.fields) for each in request.findings if each.rule in self.rules
        ]


class Approves:
    """Says yes for longer, or no, and remembers what it was told about the end."""

    def __init__(self, outcome: str, lasts: str = "once") -> None:
        self.outcome, self.lasts = outcome, lasts
        self.asked: list[tuple[str, ...]] = []
        self.resolved: list[tuple[str, bool]] = []

    @hookimpl
    def hermes_request_approval(self, request: ApprovalRequest) -> Decision:
        self.asked.append(tuple(finding.rule for finding in request.findings))
        return Decision(outcome=self.outcome, lasts=self.lasts)  # type: ignore[arg-type]

    @hookimpl
    def hermes_approval_resolved(self, decision: Decision, own: bool) -> None:
        self.resolved.append((decision.outcome, own))


def asking(*findings: Finding) -> Tool:
    return Tool.from_schema({"name": "act"}, lambda args: {"done": True}, assess=lambda args, ctx: list(findings))


@pytest.fixture
def host() -> Iterator[Any]:
    made: list[Hermes] = []

    def make(*plugins: object, findings: tuple[Finding, ...] = (ASK,), parent: Hermes | None = None) -> Hermes:
        made.append(Hermes(tools=[asking(*findings)], plugins=plugins, parent=parent))
        return made[-1]

    yield make
    for each in reversed(made):
        each.close()


def outcome(hermes: Hermes) -> tuple[str, str]:
    decision = hermes.run("act").decision
    assert decision is not None
    return decision.outcome, decision.by


def test_a_call_runs_when_hermes_waive_findings_waives_all_of_its_findings(host: Any) -> None:
    hermes = host(Waives("t.ask"), Waives("t.other"), findings=(ASK, OTHER))
    record = hermes.run("act")
    assert record.status == "ok"
    assert record.decision.by == "waives"
    assert record.decision.findings == (ASK, OTHER)


def test_an_approver_is_asked_about_what_is_left(host: Any) -> None:
    approver = Approves("allowed")
    hermes = host(Waives("t.ask"), approver, findings=(ASK, OTHER))
    assert hermes.run("act").status == "ok"
    assert approver.asked == [("t.other",)]
    assert approver.resolved == [("allowed", True)]


def test_what_is_refused_cannot_be_waived(host: Any) -> None:
    refused = Finding(rule="t.ask", severity="refuse", reason="never")
    hermes = host(Waives("t.ask"), findings=(refused,))
    assert hermes.run("act").status == "blocked"


@pytest.mark.parametrize("answer", [7, "t.ask", [ASK], lambda: 1 / 0], ids=["number", "text", "findings", "raises"])
def test_a_plugin_that_answers_nonsense_or_raises_waives_nothing(host: Any, answer: Any) -> None:
    assert outcome(host(Waives(answer=answer)))[0] == "no-approver"


def test_a_waiver_that_is_not_confirmed_does_not_count(host: Any) -> None:
    uses: list[int] = []

    def confirm() -> bool:
        uses.append(1)
        return len(uses) < 2

    hermes = host(Waives("t.ask", confirm=confirm))
    assert outcome(hermes) == ("allowed", "waives")
    assert outcome(hermes)[0] == "no-approver"


def test_a_rehearsal_takes_no_use(host: Any) -> None:
    uses: list[int] = []

    def confirm() -> bool:
        uses.append(1)
        return True

    hermes = host(Waives("t.ask", confirm=confirm))
    hermes.rehearse("act")
    assert uses == []


def test_a_child_waives_nothing_that_its_parent_does_not(host: Any) -> None:
    assert outcome(host(Waives("t.ask"), parent=host()))[0] == "no-approver"
    assert outcome(host(Waives(), parent=host(Waives("t.ask"))))[0] == "no-approver"
    assert outcome(host(parent=host(Waives("t.ask"))))[0] == "allowed"
    assert outcome(host(Waives("t.ask"), parent=host(Waives("t.ask"))))[0] == "allowed"


def test_a_child_cannot_claim_an_answer_where_its_parent_has_an_approver(host: Any) -> None:
    """Where no host above has one, the child's own approvers decide in any case, and so do their earlier answers."""
    child = host(Waives("t.ask", answered=True), parent=host(Approves("denied-by-human")))
    assert outcome(child)[0] == "denied-by-human"
    child = host(Waives("t.ask", answered=True), parent=host())
    assert outcome(child) == ("allowed", "waives")
    with child.session(kind="cron") as session:  # but for sessions in which approvers are never asked
        assert '"no-approver"' in session.call("act")


def test_an_answer_for_longer_counts_for_its_own_call_and_host(host: Any) -> None:
    class AbstainsAbove:
        @hookimpl
        def hermes_request_approval(self) -> None:
            return None

    approver = Approves("allowed", lasts="session")
    child = host(Waives("t.ask", answered=True), approver, parent=host(AbstainsAbove()))
    assert outcome(child)[0] == "allowed"
    assert len(approver.asked) == 1  # the waiver of before was a claim without an answer
    assert outcome(child) == ("allowed", "waives")
    assert len(approver.asked) == 1


def test_the_no_of_a_parent_is_not_lifted_by_the_earlier_yes_of_a_child(host: Any) -> None:
    """The parent is asked first: its no ends the matter, and the child's approver never gets to answer."""
    above, below = Approves("denied-by-human"), Approves("allowed", lasts="always")
    child = host(Waives("t.ask", answered=True), below, parent=host(above))
    assert outcome(child)[0] == "denied-by-human"
    assert outcome(child)[0] == "denied-by-human"
    assert below.asked == []


def test_an_approver_learns_which_arguments_have_their_default_value() -> None:
    schema = {
        "name": "act",
        "parameters": {
            "type": "object",
            "properties": {
                "what": {"type": "string"},
                "force": {"type": "boolean", "default": False},
                "times": {"type": "integer", "default": 1},
                "where": {"type": "array", "default": ["here"]},
            },
        },
    }
    asked: list[ApprovalRequest] = []
    act = Tool.from_schema(schema, lambda args: {"done": True}, assess=lambda args, ctx: [ASK])

    def approve(request: ApprovalRequest) -> bool:
        asked.append(request)
        return True

    with Hermes(tools=[act], approver=approve) as host:
        host.call("act", {"what": "", "force": False, "times": 2})
    assert asked[0].defaults == {"force", "where"}
