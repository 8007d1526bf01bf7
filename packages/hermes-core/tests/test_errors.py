"""Errors say what to do, and survive the way to another process."""

from __future__ import annotations

import pickle

import pytest

from hermes_core import errors
from hermes_core.errors import HermesError

EXAMPLES: list[HermesError] = [
    errors.PluginError("it broke.", plugin="dice", distribution="dice-tools", remedy="Mend it."),
    errors.ToolConflictError("roll", toolset="dice", holder="games"),
    errors.ToolDefinitionError("roll", "is wrong.", parameter="sides", remedy="Mend it."),
    errors.ConfigError("is wrong.", file="config.yaml", line=3, key="calls.timeout", example="calls: {timeout: 60}"),
    errors.UnknownToolsetError("wether", ["weather"], included_by="mine"),
    errors.HostClosedError("call a tool"),
    errors.SessionClosedError("s-1", "call a tool"),
    errors.BridgeError("Hermes.call()"),
    errors.UnknownToolError("rol", ["roll"]),
    errors.ToolInputError("wrong", hint="right", problems=[]),
    errors.ToolUnavailableError("gone"),
    errors.ToolDeniedError("no", decision="refused"),
    errors.ToolTimeoutError("late"),
    errors.ToolCancelledError("stopped"),
    errors.ToolFailedError("broken"),
]


@pytest.mark.parametrize("error", EXAMPLES, ids=lambda error: type(error).__name__)
def test_an_error_survives_the_way_to_another_process(error: HermesError) -> None:
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert str(copy) == str(error)
    assert copy.__dict__ == error.__dict__


def test_every_error_is_drawn_in_the_tree_and_has_a_code_of_its_own() -> None:
    def below(kind: type[HermesError]) -> set[type[HermesError]]:
        return {kind}.union(*(below(child) for child in kind.__subclasses__() if child.__module__ == errors.__name__))

    kinds = below(HermesError)
    assert all(kind.__name__ in (errors.__doc__ or "") for kind in kinds)
    assert len({kind.code for kind in kinds}) == len(kinds)
    assert {type(error) for error in EXAMPLES} == kinds - {HermesError, errors.HostError, errors.ToolError}
