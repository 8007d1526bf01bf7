"""A grant says exactly what it allows, refuses every wrong shape, and can only be made smaller."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import pytest

from hermes_approval.grants.grant import Grant, GrantRequest
from hermes_core.errors import ConfigError


def grant(**changes: Any) -> Grant:
    facts: dict[str, Any] = {
        "id": "g-1",
        "tool": "terminal",
        "rule": "delete.recursive",
        "args": {"command": {"equals": "rm -rf build"}},
        "scope": "always",
        "by": "user",
        "at": 1000.0,
    }
    return Grant(**{**facts, **changes})


def request(**changes: Any) -> GrantRequest:
    facts: dict[str, Any] = {
        "tool": "terminal",
        "rule": "delete.recursive",
        "args": {"command": "rm -rf build"},
        "session_id": "s1",
        "session_kind": "interactive",
    }
    return GrantRequest(**{**facts, **changes})


def test_a_grant_is_for_one_rule_of_one_tool() -> None:
    assert grant().matches(request(), 1000)
    for other in ("delete", "delete.recursive2", "", "*", "Delete.Recursive"):
        assert not grant().matches(request(rule=other), 1000)
    for other in ("process", "Terminal", "", "*"):
        assert not grant().matches(request(tool=other), 1000)


def test_every_argument_needs_a_pattern_and_every_pattern_its_argument() -> None:
    both = grant(args={"command": {"glob": "rm *"}, "timeout": {"equals": 5}})
    assert both.matches(request(args={"command": "rm x", "timeout": 5.0}), 0)
    assert not both.matches(request(args={"command": "rm x"}), 0)
    assert not both.matches(request(args={"command": "rm x", "timeout": 5, "sudo": True}), 0)
    assert not both.matches(request(args={}), 0)
    assert grant(args={}).matches(request(args={}), 0)
    assert not grant(args={}).matches(request(), 0)


def test_other_arguments_are_free_only_when_the_grant_says_so() -> None:
    free = grant(args={"command": {"glob": "rm *"}, "*": {"any": True}})
    assert free.matches(request(args={"command": "rm x", "timeout": 5, "*": 1}), 0)
    assert not free.matches(request(args={"timeout": 5}), 0)
    assert not grant().matches(request(args={"command": "rm -rf build", "*": 1}), 0)
    assert grant(args={"x": {"any": True}}).matches(request(args={}), 0)


def test_a_grant_for_any_rule_has_to_pin_an_argument() -> None:
    assert grant(rule="*").matches(request(rule="git.force-push"), 0)
    for args in ({}, {"*": {"any": True}}, {"command": {"any": True}}):
        with pytest.raises(ConfigError, match=r"rule: can only be '\*'"):
            grant(rule="*", args=args)
    with pytest.raises(ConfigError, match="tool: must name one tool"):
        grant(tool="*")


def test_a_grant_ends_when_it_expires_or_is_used_up() -> None:
    assert grant(expires=2000).matches(request(), 1999.9)
    assert not grant(expires=2000).matches(request(), 2000)
    assert not grant(uses=0).matches(request(), 0)
    assert not grant(scope="once", uses=0).matches(request(), 0)
    assert grant(scope="once", uses=7).uses_left == 1


def test_session_and_once_grants_hold_in_their_session_only() -> None:
    for scope in ("session", "once"):
        assert grant(scope=scope, session="s1").matches(request(), 0)
        assert not grant(scope=scope, session="s2").matches(request(), 0)
    assert grant(scope="always", session="s2").matches(request(), 0)
    assert grant(scope="once").matches(request(), 0)


def test_a_prompt_counts_default_values_that_a_grant_requires() -> None:
    args = {"command": {"equals": "ls"}, "pty": {"equals": False}, "paths": {"equals": []}, "note": {"any": True}}
    said = grant(args=args).describe(defaults=["pty", "paths", "note"])
    assert 'when command is exactly "ls", note is anything, 2 arguments have default values; in any session' in said
    assert "pty is exactly false" in grant(args=args).describe()


def test_the_description_is_exactly_what_is_allowed() -> None:
    assert grant().describe() == (
        'terminal (rule delete.recursive) when command is exactly "rm -rf build"; in any session'
    )
    assert (
        grant(scope="session", session="s 1", expires=0, uses=2)
        .describe()
        .endswith('; in the session "s 1", until 1970-01-01 00:00:00 UTC, 2 more times')
    )
    assert grant(scope="once", session="s1").describe().endswith("; once, in the session s1")
    assert "any rule" in grant(rule="*").describe()
    wide = grant(tool="a\nb", args={"*": {"any": True}}).describe()
    assert wide.startswith('"a\\nb" (rule delete.recursive) when the arguments are anything;')
    assert "without arguments" in grant(args={}).describe()
    assert grant(expires=9e14).describe().endswith("until 900000000000000 seconds after 1970")


def test_a_grant_survives_json_pickle_and_copies() -> None:
    whole = grant(
        args={"a": {"equals": {"x": [1, 2.5, None, "\ud800"]}}, "b": {"under": "/a"}}, expires=2e3, uses=3, reason="é"
    )
    assert Grant.from_dict(json.loads(json.dumps(whole.as_dict()))) == whole
    assert pickle.loads(pickle.dumps(whole)) == whole == copy.deepcopy(whole)
    assert pickle.loads(pickle.dumps(whole)).matches(
        request(args={"a": {"x": [1, 2.5, None, "\ud800"]}, "b": "/a"}), 1500
    )
    assert len({whole, grant(), grant(uses=1)}) == 3
    assert type(whole.as_dict()["args"]["a"]) is dict


@pytest.mark.parametrize(
    ("changes", "where"),
    [
        ({"id": ""}, "id"),
        ({"id": 1}, "id"),
        ({"tool": None}, "tool"),
        ({"rule": []}, "rule"),
        ({"by": ""}, "by"),
        ({"args": None}, "args"),
        ({"args": [1]}, "args"),
        ({"args": {"": {"any": True}}}, "args"),
        ({"args": {"x": "y"}}, r"args\.x"),
        ({"args": {"x": {"glob": 1}}}, r"args\.x"),
        ({"args": {"*": {"equals": 1}}}, r"args\.\*"),
        ({"scope": "forever"}, "scope"),
        ({"scope": ["always"]}, "scope"),
        ({"scope": "session"}, "session"),
        ({"session": 1}, "session"),
        ({"expires": "tomorrow"}, "expires"),
        ({"expires": True}, "expires"),
        ({"expires": float("nan")}, "expires"),
        ({"expires": float("inf")}, "expires"),
        ({"expires": 10**400}, "expires"),
        ({"at": None}, "at"),
        ({"uses": -1}, "uses"),
        ({"uses": 1.0}, "uses"),
        ({"uses": True}, "uses"),
        ({"reason": None}, "reason"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_a_wrong_shape_is_refused_with_file_and_place(changes: dict[str, Any], where: str) -> None:
    data = {**grant().as_dict(), **changes}
    with pytest.raises(ConfigError, match=rf"^approvals.json: grants\[3\]\.{where}: "):
        Grant.from_dict(data, file="approvals.json", key="grants[3]")


@pytest.mark.parametrize("name", ["id", "tool", "rule", "args", "scope", "by", "at"])
def test_a_missing_part_is_named(name: str) -> None:
    data = grant().as_dict()
    del data[name]
    with pytest.raises(ConfigError, match=f"grant.{name}: is missing"):
        Grant.from_dict(data)


@pytest.mark.parametrize("data", [None, [], "x", 1])
def test_what_is_no_object_is_no_grant(data: object) -> None:
    with pytest.raises(ConfigError, match="a grant is an object"):
        Grant.from_dict(data)


def test_a_grant_can_be_narrowed_in_every_direction() -> None:
    wide = grant(args={"command": {"glob": "rm *"}, "*": {"any": True}}, expires=5000, uses=5)
    narrow = wide.narrowed(args={"command": {"equals": "rm x"}}, expires=4000, uses=1, scope="session", session="s1")
    assert wide.covers(narrow)
    assert not narrow.covers(wide)
    assert narrow.id != wide.id
    assert (narrow.by, narrow.at, narrow.uses, narrow.expires) == ("user", 1000.0, 1, 4000)
    assert wide.narrowed(args={"command": {"glob": "rm *"}, "timeout": {"equals": 1}}).covers(
        wide.narrowed(args={"command": {"equals": "rm y"}, "timeout": {"equals": 1.0}})
    )


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"args": {"command": {"glob": "*"}}}, "args"),
        ({"args": {"command": {"any": True}}}, "args"),
        ({"args": {}}, "args"),
        ({"args": {"command": {"glob": "rm *"}, "timeout": {"equals": 1}}}, "args"),
        ({"args": {"command": {"glob": "rm *"}, "*": {"any": True}}}, "args"),
        ({"expires": 5001}, "expires"),
        ({"uses": 6}, "uses"),
        ({"scope": "always"}, "scope"),
        ({"session": "s2"}, "session"),
    ],
)
def test_narrowing_never_widens(changes: dict[str, Any], key: str) -> None:
    limited = grant(args={"command": {"glob": "rm *"}}, expires=5000, uses=5, scope="session", session="s1")
    with pytest.raises(ConfigError, match=f"^{key}: this might allow more") as caught:
        limited.narrowed(**changes)
    assert caught.value.key == key
    assert limited.describe() in str(caught.value)


def test_a_session_scope_without_a_session_is_refused() -> None:
    with pytest.raises(ConfigError, match="session: is required"):
        grant().narrowed(scope="session")
