"""What a grant is bound to: by every path of a call, in prompts, in files, and where nothing can be saved."""

from __future__ import annotations

import errno
import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hermes_approval.channels.mailbox_messages import decode_entry, encode_entry
from hermes_approval.channels.prompt_text import request_lines
from hermes_approval.grants.grant import Grant, GrantRequest
from hermes_approval.grants.grant_set import GrantSet
from hermes_approval.grants.grant_store import FILE, GrantStore
from hermes_approval.grants.offered_grants import propose
from hermes_approval.host_approval import HostApproval
from hermes_core import (
    ApprovalRequest,
    Binding,
    ConfigError,
    Finding,
    Hermes,
    Tool,
    ToolContext,
    ToolDefinitionError,
    tool,
)

ASK = Finding(rule="test.rule", severity="ask", reason="it asks")
HERE = ("in this directory", "/srv/app")
THERE = ("in this directory", "/srv/other")


class Place:
    """Where the tool works, and who is asked."""

    def __init__(self) -> None:
        self.binding: Binding | None = Binding(facts=(HERE,))
        self.asked: list[ApprovalRequest] = []
        self.choice = "always"

    def approve(self, request: ApprovalRequest) -> str:
        self.asked.append(request)
        return self.choice

    def tools(self) -> list[Tool]:
        place = self

        @tool(toolset="test", assess=lambda args, ctx: ASK, binding=lambda args, ctx: place.binding)
        def act(number: int = 1) -> int:
            """Take a number."""
            return number

        @tool(toolset="test", effects=["exec"])
        def outer(ctx: ToolContext) -> str:
            """Call the other tool."""
            return ctx.call_tool("act", {"number": 1})

        return [act, outer]


PATHS: dict[str, Callable[[Hermes], object]] = {
    "direct": lambda hermes: hermes.call("act", {"number": 1}),
    "batch": lambda hermes: hermes.batch([("act", {"number": 1})]),
    "nested": lambda hermes: hermes.call("outer"),
}


@pytest.fixture
def place() -> Place:
    return Place()


@pytest.mark.parametrize("granted_by", PATHS)
def test_every_path_is_bound(host: Callable[..., Hermes], place: Place, granted_by: str) -> None:
    hermes = host(tools=place.tools(), approver=place.approve)
    PATHS[granted_by](hermes)
    for path in PATHS.values():
        path(hermes)
    assert len(place.asked) == 1
    count, place.choice = 1, "deny"
    for binding in (Binding(facts=(THERE,)), Binding(facts=(HERE,), once="it is not known")):
        place.binding = binding
        for path in PATHS.values():
            path(hermes)
            count += 1
            assert len(place.asked) == count
    place.binding = Binding(facts=(HERE,))
    for path in PATHS.values():
        path(hermes)
    assert len(place.asked) == count


def test_a_tool_that_says_nothing_is_bound_by_its_arguments(host: Callable[..., Hermes], place: Place) -> None:
    place.binding = None
    hermes = host(tools=place.tools(), approver=place.approve)
    for number in (1, 1, 2):
        hermes.call("act", {"number": number})
    assert [dict(request.args) for request in place.asked] == [{"number": 1}, {"number": 2}]


def test_a_rehearsal_and_a_child_are_bound_as_well(host: Callable[..., Hermes], place: Place) -> None:
    parent = host(tools=place.tools(), approver=place.approve)
    child = host(tools=place.tools(), parent=parent)
    parent.call("act", {"number": 1})
    for hermes in (parent, child):
        place.binding = Binding(facts=(HERE,))
        decision = hermes.rehearse("act", {"number": 1}).decision
        assert decision is not None
        assert decision.by.startswith("grant")
        place.binding = Binding(facts=(THERE,))
        assert hermes.rehearse("act", {"number": 1}).decision is None


def test_an_assessor_can_bind_what_it_asks_about(host: Callable[..., Hermes], place: Place) -> None:
    facts = [("with the branch", "main")]

    @tool(toolset="test", assess=lambda args, ctx: Finding(rule="r", severity="ask", reason="r", bound=tuple(facts)))
    def push() -> str:
        """Push."""
        return "pushed"

    hermes = host(tools=[push], approver=place.approve)
    for branch, count in (("main", 1), ("main", 1), ("other", 2)):
        facts[:] = [("with the branch", branch)]
        hermes.call("push")
        assert len(place.asked) == count


@pytest.mark.parametrize("facts", ["text", [("one",)], [("one", 2)], [1], 7])
def test_facts_are_labels_and_values(facts: Any) -> None:
    with pytest.raises(ToolDefinitionError):
        Finding(rule="r", severity="ask", reason="r", bound=facts)
    with pytest.raises(ToolDefinitionError):
        Binding(facts=facts)
    with pytest.raises(ConfigError):
        grant(bound=facts)


# -- in words -------------------------------------------------------------------------------------------------------


def request(**changes: Any) -> ApprovalRequest:
    finding = Finding(rule="test.rule", severity="ask", reason="it asks", **changes)
    facts: dict[str, Any] = {"id": "1", "tool": "act", "toolset": "test", "args": {}, "session_id": "s"}
    return ApprovalRequest(**facts, findings=(finding,), session_kind="interactive")


def test_a_prompt_says_what_is_bound() -> None:
    asked = request(bound=(HERE, ("while the variable X is not set", "")))
    made = HostApproval().propose(asked, "always")
    shown = [line.text for line in request_lines(asked, {"always": made}, 100)]
    assert "  | in this directory: /srv/app" in shown
    assert "  | while the variable X is not set" in shown
    assert sum("/srv/app" in line for line in shown) == 1
    assert "in this directory: /srv/app" in made[0].describe()


def test_a_prompt_says_why_only_one_call_can_be_approved() -> None:
    asked = request(once="the value of the variable F is not known")
    shown = [line.text for line in request_lines(asked, {}, 100)]
    assert "Only this call can be approved:" in shown
    assert "  | the value of the variable F is not known" in shown
    with pytest.raises(ConfigError, match="the value of the variable F is not known"):
        HostApproval().propose(asked, "session")


def test_what_a_fact_holds_cannot_deceive_or_leak() -> None:
    secret = "ghp_" + "a1B2" * 9
    words = grant(bound=[("with x", f"a\n\x1b[31m {secret}")]).describe()
    assert words.isprintable()
    assert secret not in words


def test_a_letter_carries_what_is_bound() -> None:
    from hermes_approval.channels.mailbox_messages import MailboxEntry, Ticket, digest_of, encode_request
    from hermes_approval.channels.process_identity import Process

    asked = request(bound=(HERE,), once="why")
    posted = Ticket(name="a-b", id="1", token="t", digest=digest_of(encode_request(asked)))
    letter = MailboxEntry(ticket=posted, request=asked, process=Process(1, "x", "y"), at=1.0, expires=2.0)
    found = decode_entry("a-b", json.loads(json.dumps(encode_entry(letter))))
    assert found is not None
    assert (found.request.bound, found.request.once) == ((HERE,), "why")


# -- as data --------------------------------------------------------------------------------------------------------


def grant(**changes: Any) -> Grant:
    facts: dict[str, Any] = {"id": "g", "tool": "act", "rule": "test.rule", "args": {}, "scope": "always", "by": "me"}
    return Grant(**{**facts, "at": 0.0, **changes})


def asks(*facts: tuple[str, str], once: str = "") -> GrantRequest:
    return GrantRequest(tool="act", rule="test.rule", args={}, session_id="s", bound=facts, once=once)


def test_a_grant_answers_for_equal_facts_in_any_order() -> None:
    other = ("in this project", "/srv")
    bound = grant(bound=[HERE, other])
    assert bound.matches(asks(HERE, other), 1)
    assert bound.matches(asks(other, HERE), 1)
    for facts in ((), (HERE,), (THERE, other), (HERE, other, ("more", "x"))):
        assert not bound.matches(asks(*facts), 1)
    assert not bound.matches(asks(HERE, other, once="why"), 1)
    assert not grant(bound=()).matches(asks(HERE), 1)
    assert grant(bound=None).matches(asks(HERE, once="why"), 1)


def test_a_narrower_grant_keeps_what_it_is_bound_to() -> None:
    bound = grant(bound=[HERE])
    assert bound.narrowed(uses=1).bound == (HERE,)
    assert not bound.covers(grant())
    assert not bound.covers(grant(bound=[THERE]))
    assert grant().covers(bound)


def test_facts_survive_the_file(home: Path) -> None:
    GrantStore(home).add(grant(bound=[HERE]))
    GrantStore(home).add(grant(id="h", bound=[]))
    GrantStore(home).add(grant(id="i"))
    assert [each.bound for each in GrantStore(home).grants()] == [(HERE,), (), None]
    assert json.loads((home / FILE).read_text())["version"] == 2


def test_grants_of_prompts_from_before_do_not_answer_for_facts(home: Path) -> None:
    home.mkdir()
    exact = {"number": {"equals": 1}}
    old = [
        grant(id="prompt", args=exact, source="plugin", session="s").as_dict(),
        grant(id="by-hand", args=exact, source="plugin").as_dict(),
        grant(id="pattern", args={"*": {"any": True}}).as_dict(),
    ]
    (home / FILE).write_text(json.dumps({"version": 1, "grants": old, "gone": {}}))
    (home / FILE).chmod(0o600)
    assert {each.id: each.bound for each in GrantStore(home).grants()} == {
        "prompt": (),
        "by-hand": None,
        "pattern": None,
    }
    GrantStore(home).add(grant(id="new", bound=[HERE]))
    assert {each.id: each.bound for each in GrantStore(home).grants()}["prompt"] == ()


def test_a_proposal_is_bound_to_all_findings_of_its_rule() -> None:
    one, other = (Finding(rule="r", severity="ask", reason="x", bound=(fact,)) for fact in (HERE, THERE))
    request = ApprovalRequest(
        id="ask", tool="t", toolset="", args={}, findings=(one, other), session_id="s", session_kind="cli"
    )
    (made,) = propose(request, "always")
    assert made.bound == (HERE, THERE)


# -- where nothing can be saved, and when the clock is set back ------------------------------------------------------


@pytest.mark.parametrize("number", [errno.EROFS, errno.EACCES, errno.ENOSPC, errno.EDQUOT])
def test_always_lasts_for_the_session_where_nothing_can_be_saved(
    host: Callable[..., Hermes],
    home: Path,
    place: Place,
    number: int,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(number, "the disk says no")

    monkeypatch.setattr("hermes_approval.grants.grant_store.write_atomic", fail)  # what the system would say
    hermes = host(tools=place.tools(), approver=place.approve, grants=GrantSet(store=GrantStore(home)))
    with hermes.session() as session, caplog.at_level(logging.WARNING):
        for _ in range(3):
            assert session.call("act", {"number": 1}) == "1"
    assert len(place.asked) == 1
    (said,) = [record.getMessage() for record in caplog.records if "session only" in record.getMessage()]
    assert "the disk says no" in said
    assert "\n" not in said
    with hermes.session() as session:
        session.call("act", {"number": 1})
    assert len(place.asked) == 2


def test_expired_grants_stay_expired_in_the_next_process(home: Path) -> None:
    now = [1000.0]

    def store() -> GrantStore:
        return GrantStore(home, lambda: now[0])

    store().add(grant(expires=1100.0, at=1000.0))
    now[0] = 1200.0
    assert store().grants() == ()
    now[0] = 1050.0
    assert store().grants() == ()
    assert [each["id"] for each in store().export()] == ["g"]


def test_before_a_grant_was_given_it_does_not_hold() -> None:
    assert grant(expires=1100.0, at=1000.0).live(1050.0)
    assert not grant(expires=1100.0, at=1000.0).live(900.0)
    assert grant(at=1000.0).live(900.0)
