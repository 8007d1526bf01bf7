"""The difference of two locks shows what to review before accepting it."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_core.plugins.lock import Change, Lock, LockedPlugin, compare, estimate_tokens
from hermes_core.tools.tool_spec import ToolSpec


def spec(name: str = "dice", **fields: Any) -> ToolSpec:
    return ToolSpec(**{"name": name, "toolset": "games", "parameters": {"type": "object", "properties": {}}, **fields})


def lock(*specs: ToolSpec, plugin: str = "games", version: str | None = "1", distribution: str | None = "d") -> Lock:
    entry = LockedPlugin(distribution=distribution, version=version)
    return Lock.of({plugin: entry}, [(plugin, one) for one in specs])


def change(before: ToolSpec, after: ToolSpec) -> Change:
    (found,) = compare(lock(before), lock(after)).changes
    return found


def parameters(**properties: object) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def test_equal_locks_differ_in_nothing() -> None:
    differences = compare(lock(spec()), lock(spec()))
    assert not differences
    assert differences.as_dict() == {"changes": [], "versions": []}


def test_tools_that_came_went_and_changed_are_named() -> None:
    before = lock(spec("a"), spec("b"), spec("same"))
    after = lock(spec("c", effects=frozenset({"exec", "network"})), spec("b", description="x"), spec("same"))
    differences = compare(before, after)
    assert [(one.tool, one.kind) for one in differences.changes] == [
        ("a", "removed"),
        ("b", "changed"),
        ("c", "added"),
    ]
    went, _, came = differences.changes
    assert {line[0] for line in went.diff} == {"-"}
    assert {line[0] for line in came.diff} == {"+"}
    assert '+ effects: ["exec", "network"]' in came.diff
    assert bool(differences)


def test_tokens_are_counted_for_what_came_and_went() -> None:
    cost = estimate_tokens(spec())
    assert compare(lock(), lock(spec())).changes[0].token_delta == cost
    assert compare(lock(spec()), lock()).changes[0].token_delta == -cost
    assert change(spec(), spec(description="x" * 40)).token_delta == 10


def test_a_change_deep_inside_says_where_it_is() -> None:
    inner = {
        "type": "object",
        "properties": {"n": {"type": "integer", "description": "x", "maximum": 10, "title": "t"}},
    }
    outer = json.loads(json.dumps(inner).replace("10", "100"))
    found = change(spec(parameters=parameters(a=inner)), spec(parameters=parameters(a=outer)))
    assert found.fields == ["parameters"]
    path = "parameters.properties.a.properties.n.maximum"
    assert found.diff == [f"- {path}: 10", f"+ {path}: 100"]


def test_only_the_sentence_that_changed_is_marked() -> None:
    first = "Rolls as many dice as you like, all of them at the same time. "
    found = change(
        spec(description=f"{first}Shows what came up. Stops."), spec(description=f"{first}Sends it away. Stops.")
    )
    marked = [line for line in found.diff if line[0] in "+-"]
    assert marked == ['- description: "Shows what came up. "', '+ description: "Sends it away. "']


def test_an_invisible_character_is_visible() -> None:
    found = change(spec(description="Rolls dice."), spec(description="Rolls\u200b dice."))
    assert '+ description: "Rolls\\u200b dice."' in found.diff


@pytest.mark.parametrize(
    ("fields", "name", "line"),
    [
        ({"toolset": "shell"}, "toolset", '+ toolset: "shell"'),
        ({"effects": frozenset({"exec"})}, "effects", '+ effects: ["exec"]'),
        ({"aliases": ("terminal",)}, "aliases", '+ aliases: ["terminal"]'),
        ({"requires_env": ("TOKEN",)}, "requires_env", '+ requires_env: ["TOKEN"]'),
        ({"needs": ("store",)}, "needs", '+ needs: ["store"]'),
        ({"argument_aliases": {"n": "count"}}, "argument_aliases", '+ argument_aliases.n: "count"'),
        ({"description": "New."}, "description", '+ description: "New."'),
        ({"parameters": parameters(a={})}, "parameters", "+ parameters.properties.a: {}"),
    ],
)
def test_every_field_that_changed_is_named_and_shown(fields: dict[str, Any], name: str, line: str) -> None:
    found = change(spec(), spec(**fields))
    assert found.fields == [name]
    assert line in found.diff


def test_a_tool_from_another_plugin_is_a_change_even_with_the_same_definition() -> None:
    (found,) = compare(lock(spec()), lock(spec(), plugin="evil")).changes
    assert (found.plugin, found.fields, found.token_delta) == ("evil", ["plugin"], 0)
    assert [line for line in found.diff if line[0] in "+-"] == ['- plugin: "games"', '+ plugin: "evil"']


def test_a_change_as_plain_json() -> None:
    differences = compare(lock(spec()), lock(spec(description="x")))
    plain = differences.as_dict()
    assert json.loads(json.dumps(plain)) == plain
    assert sorted(plain["changes"][0]) == ["diff", "fields", "kind", "plugin", "token_delta", "tool"]


def test_definitions_that_are_made_to_be_slow_are_compared_in_time() -> None:
    """Lines that repeat, and match each other in many ways, are what takes a diff its time."""
    values = [[f"{at % 7}"] for at in range(20_000)]
    start = time.process_time()
    found = change(spec(parameters={"enum": values}), spec(parameters={"enum": [*values[::-1], "new"]}))
    assert time.process_time() - start < 10  # minutes without a limit
    assert sum(line[0] == "+" for line in found.diff) >= 20_000
    few = [[f"{at % 7}"] for at in range(900)]
    start = time.process_time()
    assert change(spec(parameters={"enum": few}), spec(parameters={"enum": few[::-1]})).diff
    assert time.process_time() - start < 10


# Versions


def test_another_version_is_reported_without_a_changed_tool() -> None:
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


def test_another_distribution_under_the_same_name_changes_the_plugin_and_its_tools() -> None:
    differences = compare(lock(spec()), lock(spec(), distribution="evil"))
    (found,) = differences.versions
    assert (found.distribution_before, found.distribution) == ("d", "evil")
    assert differences.changes[0].fields == ["distribution"]


def test_plugins_that_came_and_went_are_reported() -> None:
    came, went = compare(lock(plugin="b"), lock(plugin="a")).versions
    assert (came.plugin, came.kind, came.distribution, came.before, came.after) == ("a", "added", "d", None, "1")
    assert (went.plugin, went.kind, went.distribution, went.before, went.after) == ("b", "removed", "d", "1", None)


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
    refused = {one.name for one in after if not was.accepts(one, plugin="games", distribution="d")}
    changes = compare(was, now).changes
    assert {one.tool for one in changes} == gone | refused
    assert all(one.fields for one in changes if one.kind == "changed")
    assert not compare(was.with_accepted(now, [one.tool for one in changes]), now)
