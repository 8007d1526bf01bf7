"""A grant for one plugin's tool is none for another's tool of the same name."""

from __future__ import annotations

from typing import Any

import pytest

from hermes_approval.grants.grant import Grant, GrantRequest
from hermes_approval.grants.grant_set import GrantSet
from hermes_core.errors import ConfigError


def grant(source: str = "", **changes: Any) -> Grant:
    facts: dict[str, Any] = {"id": "g", "tool": "rm", "rule": "r", "args": {}, "scope": "always", "by": "me", "at": 0.0}
    return Grant(**{**facts, "source": source, **changes})


@pytest.mark.parametrize(
    ("given", "asked", "permitted"),
    [
        ("", "", True),
        ("", "a", True),
        ("a", "a", True),
        ("a", "b", False),
        ("a", "", False),
        ("a", "A", False),
    ],
)
def test_a_grant_holds_for_its_plugin_alone(given: str, asked: str, permitted: bool) -> None:
    request = GrantRequest(tool="rm", rule="r", args={}, session_id="s", source=asked)
    assert (GrantSet([grant(given)]).permit([request]) is not None) == permitted


@pytest.mark.parametrize(
    ("wide", "narrow", "covered"), [("", "", True), ("", "a", True), ("a", "a", True), ("a", "b", False)]
)
def test_a_grant_covers_its_plugin_alone(wide: str, narrow: str, covered: bool) -> None:
    assert grant(wide).covers(grant(narrow)) == covered


def test_a_grant_for_one_plugin_does_not_cover_one_for_any() -> None:
    assert not grant("a").covers(grant())
    with pytest.raises(ConfigError, match="allow more") as caught:
        grant("a").narrowed(source="")
    assert caught.value.key == "source"
    assert grant().narrowed(source="a").source == "a"
    assert grant("a").narrowed(uses=1).source == "a"


def test_a_child_may_use_what_its_parent_has_from_that_plugin() -> None:
    child = GrantSet([grant("a")]).child([grant(id="h")])
    for source, permitted in (("a", True), ("b", False)):
        request = GrantRequest(tool="rm", rule="r", args={}, session_id="s", source=source)
        assert (child.permit([request]) is not None) == permitted


def test_it_is_written_only_when_there_is_one() -> None:
    assert "source" not in grant().as_dict()
    assert grant("a").as_dict()["source"] == "a"
    for each in (grant(), grant("a")):
        assert Grant.from_dict(each.as_dict()) == each
    with pytest.raises(ConfigError, match="must be a text"):
        grant(source=None)  # type: ignore[arg-type]


def test_it_is_said() -> None:
    assert grant("vault").describe() == "rm of plugin vault (rule r) without arguments; in any session"
    assert grant("a b").describe().startswith('rm of plugin "a b" (rule r)')
