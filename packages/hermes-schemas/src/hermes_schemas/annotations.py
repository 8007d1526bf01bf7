"""Evaluates the annotations of a function, including names that its module imports for type checkers only."""

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
        function: The function.
        annotations: The annotations to evaluate, by parameter.
        fallback: The values of names that the function's module does not define.
        names: The values of names that take precedence over the module, such as those of an enclosing function.
    """
    known: dict[str, Any] = getattr(function, "__globals__", {})

    def annotated() -> None: ...

    annotated.__annotations__ = dict(annotations)
    local = {name: value for name, value in fallback.items() if name not in known}
    return get_type_hints(annotated, known, {**local, **(names or {})}, include_extras=True)
