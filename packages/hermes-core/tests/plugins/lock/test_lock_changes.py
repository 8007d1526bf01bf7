"""The difference of two locks says what to look at before accepting it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_core.plugins.lock.changes import Change, compare
from hermes_core.plugins.lock.digest import definition_of, tokens
from hermes_core.plugins.lock.lockfile import Lock, LockedPlugin
from hermes_core.tools.spec import ToolSpec


def spec(name: str = "dice", **fields: Any) -> ToolSpec:
    return ToolSpec(**{"name": name, "toolset": "games", "parameters": {"type": "object", "properties": {}}, **fields})


def lock(*specs: ToolSpec, plugin: str = "games", version: str | None = "1", distribution: str | None = "d") -> Lock:
    entry = LockedPlugin(name=plugin, distribution=distribution, version=version)
    return Lock.of([entry], [(plugin, one) for one in specs])


def change(before: ToolSpec, after: ToolSpec) -> Change:
    (found,) = compare(lock(before), lock(after)).changes
    return found


def parameters(**properties: object) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def test_equal_locks_differ_in_nothing() -> None:
    differences = compare(lock(spec()), lock(spec()))
    assert not differences
    assert differences.as_dict() == {"changes": [], "versions": []}


def test_tools_that_came_went_and_changed_are_told_by_name() -> None:
    before = lock(spec("a"), spec("b"), spec("same"))
    after = lock(spec("c", effects=frozenset({"exec", "network"})), spec("b", description="x"), spec("same"))
    differences = compare(before, after)
    assert [(one.tool, one.kind) for one in differences.changes] == [
        ("a", "removed"),
        ("b", "changed"),
        ("c", "added"),
    ]
    assert differences.changes[2].labels == ("new effects",)
    assert differences.changes[2].details == ("effects: exec, network",)
    assert bool(differences)


def test_tokens_are_counted_for_what_came_and_went() -> None:
    cost = tokens(definition_of(spec()))
    assert compare(lock(), lock(spec())).changes[0].token_delta == cost
    assert compare(lock(spec()), lock()).changes[0].token_delta == -cost
    assert change(spec(), spec(description="x" * 40)).token_delta == 10


def test_a_new_description_is_description_only_and_shows_where_it_parts() -> None:
    found = change(spec(description="a" * 300 + "old"), spec(description="a" * 300 + "new"))
    assert found.labels == ("description only",)
    assert found.details == (f'description was …"{"a" * 15}old", is …"{"a" * 15}new"',)


def test_a_new_text_of_a_parameter_is_description_only_too() -> None:
    found = change(
        spec(parameters=parameters(a={"description": "x"}), description="One."),
        spec(parameters=parameters(a={"description": "y"}), description="Two."),
    )
    assert found.labels == ("description only",)
    assert len(found.details) == 2


def test_new_effects_are_always_labelled_and_named() -> None:
    found = change(spec(effects=frozenset({"read", "write"})), spec(effects=frozenset({"read", "exec"})))
    assert found.labels == ("new effects", "fewer effects")
    assert found.details == ("effect 'exec' is new (new effects)", "effect 'write' is gone (fewer effects)")


def test_effects_that_are_all_gone_promise_nothing() -> None:
    found = change(spec(effects=frozenset({"read"})), spec())
    assert found.labels == ("fewer effects",)
    assert "nothing is promised" in found.details[-1]


@pytest.mark.parametrize(
    ("fields", "label", "word"),
    [
        ({"toolset": "shell"}, "renamed toolset", "'shell'"),
        ({"aliases": ("terminal",)}, "new aliases", "'terminal'"),
        ({"requires_env": ("TOKEN",)}, "new environment", "'TOKEN'"),
        ({"needs": ("store",)}, "new needs", "'store'"),
        ({"argument_aliases": {"n": "count"}}, "argument aliases", '"count"'),
        ({"parameters": parameters(a={})}, "widened", "'a'"),
    ],
)
def test_every_field_has_its_label_and_its_sentence(fields: dict[str, Any], label: str, word: str) -> None:
    found = change(spec(), spec(**fields))
    assert found.labels == (label,)
    assert word in found.details[0]


def test_a_description_beside_another_change_is_not_description_only() -> None:
    found = change(spec(), spec(description="x", effects=frozenset({"exec"})))
    assert found.labels == ("new effects",)
    assert len(found.details) == 2


def test_a_tool_from_another_plugin_is_a_change_even_with_the_same_definition() -> None:
    (found,) = compare(lock(spec()), lock(spec(), plugin="evil")).changes
    assert found.labels == ("other plugin",)
    assert found.details == ("plugin was 'games', is 'evil' (other plugin)",)
    assert found.token_delta == 0


def test_a_change_as_plain_json() -> None:
    found = change(spec(parameters=parameters(n={"maximum": 10})), spec(parameters=parameters(n={"maximum": 100})))
    assert json.loads(json.dumps(found.as_dict())) == found.as_dict()
    assert found.as_dict() == {
        "tool": "dice",
        "plugin": "games",
        "kind": "changed",
        "labels": ["widened"],
        "details": ["parameter 'n': maximum was 10, is 100 (widened)"],
        "token_delta": found.token_delta,
    }


# Versions


def test_another_version_is_told_without_a_changed_tool() -> None:
    differences = compare(lock(spec()), lock(spec(), version="2"))
    assert differences.changes == ()
    (found,) = differences.versions
    assert (found.plugin, found.kind, found.distribution, found.before, found.after) == (
        "games",
        "changed",
        "d",
        "1",
        "2",
    )
    assert found.distribution_before is None
    assert bool(differences)


def test_another_distribution_under_the_same_name_is_told() -> None:
    (found,) = compare(lock(), lock(distribution="evil")).versions
    assert (found.distribution_before, found.distribution) == ("d", "evil")


def test_plugins_that_came_and_went_are_told() -> None:
    came, went = compare(lock(plugin="b"), lock(plugin="a")).versions
    assert (came.plugin, came.kind, came.before, came.after) == ("a", "added", None, "1")
    assert (went.plugin, went.kind, went.before, went.after) == ("b", "removed", "1", None)
    assert went.as_dict()["kind"] == "removed"


SPECS = st.lists(
    st.builds(
        spec,
        st.sampled_from(["a", "b", "c"]),
        description=st.sampled_from(["", "x"]),
        effects=st.frozensets(st.sampled_from(["read", "exec"])),
        parameters=st.sampled_from([parameters(), parameters(a={}), parameters(a={"type": "string"})]),
    ),
    unique_by=lambda one: one.name,
    max_size=3,
)


@given(SPECS, SPECS)
def test_locks_differ_exactly_in_the_tools_that_are_not_accepted(before: list[ToolSpec], after: list[ToolSpec]) -> None:
    was, now = lock(*before), lock(*after)
    gone = set(was.tools) - set(now.tools)
    refused = {one.name for one in after if not was.accepts("games", one)}
    changes = compare(was, now).changes
    assert {one.tool for one in changes} == gone | refused
    assert all(one.labels for one in changes if one.kind == "changed")
    assert not compare(was.with_accepted(now, [one.tool for one in changes]), now)
