"""Evaluates the annotations of a function, also those that its module imports for type checkers only."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, get_type_hints


def read_annotations(
    function: Callable[..., object],
    annotations: Mapping[str, Any],
    *,
    fallback: Mapping[str, Any],
    names: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Evaluate annotations as `typing.get_type_hints` does. This runs code of the author, which may raise anything.

    Args:
        function: Where they are written.
        annotations: Those to evaluate, by parameter.
        fallback: The meaning of names that the function's module lacks.
        names: The meaning of names whatever the module says, such as those of an enclosing function.
    """
    known: dict[str, Any] = getattr(function, "__globals__", {})

    def annotated() -> None: ...

    annotated.__annotations__ = dict(annotations)
    local = {name: value for name, value in fallback.items() if name not in known}
    return get_type_hints(annotated, known, {**local, **(names or {})}, include_extras=True)
