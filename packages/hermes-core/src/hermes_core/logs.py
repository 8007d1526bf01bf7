"""The logger of the project, `log`. `logging` takes time to import, so it is imported for the first message."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import logging

    log: logging.Logger

before_logging: list[Callable[[], None]] = []
"""Functions to call once, before anything is logged."""


def __getattr__(name: str) -> object:
    if name != "log":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import logging

    globals()["log"] = logger = logging.getLogger("hermes")
    for prepare in before_logging:
        prepare()
    before_logging.clear()
    return logger
