"""A prompt offers exactly what was asked, and only smaller things beside it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from hermes_approval.grants.grant import Grant, GrantRequest, Scope
from hermes_approval.grants.offered_grants import narrowings, propose_grant, require_fitting
from hermes_core.errors import ConfigError
from hermes_core.findings import ApprovalRequest, Finding

REQUEST = GrantRequest(
    tool="terminal",
    rule="git.force-push",
    args={"command": "git push -f", "timeout": 5, "env": {"A": [1, None]}},
    session_id="s1",
)


def proposed(scope: Scope, expires: float | None = None) -> Grant:
    return replace(propose_grant(REQUEST, scope, by="user", now=1000.0), expires=expires)


@pytest.mark.parametrize("scope", ["once", "session", "always"])
def test_a_proposal_is_for_exactly_these_arguments(scope: Scope) -> None:
    grant = proposed(scope)
    assert grant.matches(REQUEST, 1000.0)
    assert (grant.scope, grant.by, grant.at) == (scope, "user", 1000.0)
    for args in ({}, {**REQUEST.args, "x": 1}, {**REQUEST.args, "timeout": 6}, {**REQUEST.args, "command": "git push"}):
        other = GrantRequest(tool="terminal", rule="git.force-push", args=args, session_id="s1")
        assert not grant.matches(other, 1000.0)
    assert proposed(scope).id != grant.id


def test_a_proposal_has_an_end_when_one_is_given() -> None:
    assert not proposed("always", expires=1500.0).matches(REQUEST, 1500.0)


def test_what_cannot_be_written_down_cannot_be_granted() -> None:
    for args in ({"data": b"x"}, {"*": 1}, {"n": float("nan")}):
        odd = GrantRequest(tool="t", rule="r", args=args, session_id="s1")
        with pytest.raises(ConfigError, match="args"):
            propose_grant(odd, "once", by="user", now=0)


def test_every_offer_lies_within_the_grant() -> None:
    grant = proposed("always")
    offers = narrowings(grant)
    assert [label for label, _ in offers] == [
        "exactly these arguments",
        "for one day",
        "for one hour",
        "in this session only",
        "in this session, for one hour",
        "for one use",
        "once",
    ]
    assert all(grant.covers(offer) for _, offer in offers)
    assert all(offer.matches(REQUEST, 1000.0) for _, offer in offers)
    assert dict(offers)["for one hour"].expires == 4600.0
    assert dict(offers)["in this session only"].session == "s1"


def test_what_is_small_already_is_not_offered_again() -> None:
    assert [label for label, _ in narrowings(proposed("session", expires=2000.0))] == [
        "exactly these arguments",
        "for one use",
        "once",
    ]
    assert [label for label, _ in narrowings(proposed("once", expires=1.0))] == ["exactly these arguments"]


def test_a_grant_without_a_session_offers_none() -> None:
    wide = Grant(id="g", tool="t", rule="r", args={"*": {"any": True}}, scope="always", by="me", at=0.0)
    assert [label for label, _ in narrowings(wide)] == ["for one day", "for one hour", "for one use", "once"]


def test_a_proposal_is_for_the_tool_of_the_plugin_that_was_asked_about() -> None:
    asked = GrantRequest(tool="t", rule="r", args={}, session_id="s1", source="vault")
    assert propose_grant(asked, "always", by="user", now=0).source == "vault"


# -- what an answer brings along ---------------------------------------------------------------------------------

ASKED = ApprovalRequest(
    id="ask-1",
    tool="terminal",
    toolset="shell",
    args={"command": "git push -f"},
    findings=(
        Finding(rule="git.force-push", severity="ask", reason="It overwrites."),
        Finding(rule="net.note", severity="note", reason="It talks to a server."),
    ),
    session_id="s1",
    session_kind="cli",
    source="shell-plugin",
)


def brought(**changes: Any) -> Grant:
    facts: dict[str, Any] = {
        "id": "g",
        "tool": "terminal",
        "rule": "git.force-push",
        "args": {"command": {"command": "git push *"}},
        "scope": "always",
        "by": "me",
        "at": 0.0,
    }
    return Grant(**{**facts, **changes})


@pytest.mark.parametrize(
    ("grant", "scope"),
    [
        (brought(), "always"),
        (brought(rule="*"), "always"),
        (brought(args={"command": {"equals": "git push -f"}}, uses=1), "always"),
        (brought(args={"*": {"any": True}}), "always"),
        (brought(source="shell-plugin"), "always"),
        (brought(scope="session", session="s1"), "session"),
    ],
)
def test_a_grant_for_what_was_asked_fits(grant: Grant, scope: str) -> None:
    require_fitting([grant], ASKED, scope)


@pytest.mark.parametrize(
    ("grant", "scope", "key"),
    [
        (brought(tool="rm"), "always", "tool"),
        (brought(rule="delete.recursive"), "always", "rule"),
        (brought(rule="net.note"), "always", "rule"),
        (brought(), "session", "scope"),
        (brought(scope="session", session="s1"), "always", "scope"),
        (brought(scope="session", session="s2"), "session", "session"),
        (brought(args={}), "always", "args"),
        (brought(args={"command": {"equals": "git push"}}), "always", "args"),
        (brought(args={"path": {"any": True}}), "always", "args"),
        (brought(source="other"), "always", "source"),
        (brought(expires=5.0), "always", "expires"),
        (brought(uses=0), "always", "uses"),
    ],
)
def test_a_grant_for_anything_else_does_not(grant: Grant, scope: str, key: str) -> None:
    with pytest.raises(ConfigError, match="not for the call that was asked about") as caught:
        require_fitting([grant], ASKED, scope)
    assert caught.value.key == key
