"""How much of a caller's time work may take."""

from __future__ import annotations

import pytest

from hermes_tools_web.providers.access import work_seconds


@pytest.mark.parametrize(
    ("timeout", "left"), [(None, None), (100.0, 90.0), (1000.0, 990.0), (1.0, 0.8), (0.1, 0.0), (20.0, 18.0)]
)
def test_there_is_time_left_to_tell(timeout: float | None, left: float | None) -> None:
    assert work_seconds(timeout) == (left if left is None else pytest.approx(left))
