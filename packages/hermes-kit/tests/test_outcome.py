"""An assertion that fails says what happened instead."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from hermes_core import Deny, ToolCall, hookimpl, tool
from hermes_kit import Kit, Outcome, load_plugin


class Sums:
    @hookimpl
    def hermes_tools(self) -> object:
        return [add]

    @hookimpl
    def hermes_pre_tool_call(self, call: ToolCall) -> Deny | None:
        return Deny("big numbers are heavy") if call.args["a"] > 1000 else None


@tool(toolset="sums")
def add(a: int, b: int = 0) -> int:
    """Add two numbers."""
    return a + b


@pytest.fixture
def kit() -> Iterator[Kit]:
    with load_plugin(Sums(), name="sums") as loaded:
        yield loaded


def failure(assertion: Callable[[], object]) -> str:
    with pytest.raises(AssertionError) as caught:
        assertion()
    return str(caught.value)


def test_a_failed_call_that_should_have_succeeded_shows_its_error(kit: Kit) -> None:
    said = failure(kit.call("add", {"a": "many"}).assert_ok)
    assert said.startswith("the call of add should have succeeded")
    assert "{'a': 'many'}" in said
    assert "error (invalid_arguments)" in said
    assert "Invalid arguments for add" in said


def test_a_call_that_should_have_failed_shows_its_result(kit: Kit) -> None:
    said = failure(kit.call("add", {"a": 1}).assert_error)
    assert "should have failed" in said
    assert "result:    1" in said


def test_another_code_is_named_beside_the_wanted_one(kit: Kit) -> None:
    outcome = kit.call("add", {"a": "many"})
    said = failure(lambda: outcome.assert_error("timeout"))
    assert "with the code 'timeout', not 'invalid_arguments'" in said


def test_a_missing_text_is_named(kit: Kit) -> None:
    outcome = kit.call("add", {"a": "many"})
    assert "'teapot' in its error" in failure(lambda: outcome.assert_error(contains="teapot"))


def test_an_allowed_call_that_should_have_been_denied_is_shown(kit: Kit) -> None:
    assert "should have been denied" in failure(kit.call("add", {"a": 1}).assert_denied)


def test_a_call_that_failed_for_another_reason_was_not_denied(kit: Kit) -> None:
    assert "should have been denied" in failure(kit.call("subtract", {"a": 1}).assert_denied)


def test_another_reason_or_another_judge_is_named(kit: Kit) -> None:
    outcome: Outcome = kit.call("add", {"a": 1001})
    said = failure(lambda: outcome.assert_denied(reason="small"))
    assert "'small' in the reason, not 'big numbers are heavy'" in said
    assert "denied-by-policy by sums: big numbers are heavy" in said
    assert "by 'nobody', not by 'sums'" in failure(lambda: outcome.assert_denied(by="nobody"))
    assert "should have succeeded" in failure(outcome.assert_ok)


def test_repairs_are_named(kit: Kit) -> None:
    outcome = kit.call("add", {"a": "1"}).assert_ok().assert_repaired().assert_repaired("string_to_integer")
    assert outcome.repairs == ("string_to_integer",)
    said = failure(lambda: outcome.assert_repaired("string_to_integer", "wrapped_in_array"))
    assert "the repair 'wrapped_in_array'" in said
    assert "string to integer" in said


def test_arguments_that_fitted_needed_no_repair(kit: Kit) -> None:
    assert "should have needed a repair" in failure(kit.call("add", {"a": 1}).assert_repaired)


def test_long_arguments_and_results_are_cut_in_the_message(kit: Kit) -> None:
    said = failure(kit.call("add", {"a": "x" * 5000}).assert_ok)
    assert "…" in said
    assert len(said) < 2000


def test_arguments_that_are_no_object_are_shown_as_they_are(kit: Kit) -> None:
    assert "arguments: 'one and two'" in failure(kit.call("add", "one and two").assert_ok)
