"""Ask a small model for help with side tasks, such as summarizing a page or describing an image.

Names are imported when they are first used: reading the settings loads no client.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hermes_auxiliary.client import make_client
    from hermes_auxiliary.errors import AuxiliaryError
    from hermes_auxiliary.model import AuxiliaryModel, Completion
    from hermes_auxiliary.schema import AUXILIARY_SCHEMA

__version__ = "1.0.0"

__all__ = ["AUXILIARY_SCHEMA", "AuxiliaryError", "AuxiliaryModel", "Completion", "make_client"]

_MODULES = {
    "AUXILIARY_SCHEMA": "schema",
    "AuxiliaryError": "errors",
    "AuxiliaryModel": "model",
    "Completion": "model",
    "make_client": "client",
}


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value: object = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
