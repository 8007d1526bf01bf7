"""Models that help tools with side tasks, such as shortening a page or describing a picture.

Names are imported when they are first used: whether there is a model is known without a client for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hermes_core.auxiliary.completion import Completion
    from hermes_core.auxiliary.errors import AuxiliaryError
    from hermes_core.auxiliary.model import AuxiliaryModel

__all__ = ["AuxiliaryError", "AuxiliaryModel", "Completion"]

_HOMES = {"AuxiliaryError": "errors", "AuxiliaryModel": "model", "Completion": "completion"}


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value: object = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
