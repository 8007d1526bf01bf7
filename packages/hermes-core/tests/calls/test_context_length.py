"""The context window that definitions are made for."""

from __future__ import annotations

import math
from typing import Any

import pytest

from hermes_core import ConfigError
from hermes_core.calls.visibility import checked_context_length


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, True, "128000", [1], 10**5000, -(10**5000)], ids=type)
def test_a_context_window_is_a_number_of_tokens(value: Any) -> None:
    with pytest.raises(ConfigError, match="context_length"):
        checked_context_length(value)
    assert checked_context_length(200_000.0) == 200_000


@pytest.mark.parametrize("value", [None, 0, -1, 0.0, 0.5, -1e9])
def test_a_context_window_that_nobody_knows_may_be_told_as_nothing(value: float | None) -> None:
    assert checked_context_length(value) is None
