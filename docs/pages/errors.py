"""The tree of exceptions, and what models, programs and scripts see of them."""

from __future__ import annotations

import inspect
import re
import tempfile
from collections.abc import Callable, Iterator
from typing import Any, get_args

from docs.pages.docstrings import module_doc, sections
from docs.pages.pieces import code, table

import hermes_core
from hermes_core import CallRecord, Decision, Hermes, HermesError, Tool, ToolError, errors
from hermes_core.calls.approvals import denied
from hermes_core.cli.call import exit_code
from hermes_core.findings import Outcome


def page() -> str:
    """Generate the page."""
    first, tree = module_doc(errors).split("\n\n", 1)
    kinds = list(_subclasses(HermesError))
    rows = [(f"`{kind.__name__}`", f"`{kind.code}`", sections(kind)[0], _carried(kind)) for kind in kinds]
    public = [kind.__name__ for kind in kinds if kind.__name__ in hermes_core.__all__]
    return "\n\n".join(
        [
            f"# Errors\n\n{first}",
            f"```text\n{tree}\n```",
            "Every error has a stable `code`, and attributes with details. `hermes_core` exports "
            f"{code(public)}; import the others from `hermes_core.errors`.",
            table(["error", "code", "meaning", "attributes"], rows),
            "## Results of calls\n\n"
            "A `ToolError` never leaves the pipeline. It becomes the result of the call, as JSON with its `code`. The "
            "table shows the `status` in the [`CallRecord`](api.md#callrecord) and the exit code of `hermes call`.",
            table(["code", "status", "exit code of `hermes call`"], _call_endings()),
            "## Decisions\n\n"
            "In a result with the code `denied`, the field `decision` says why the call did not run. It is the "
            "`outcome` of the [`Decision`](api.md#decision).",
            table(["decision", "message for the model"], _decisions()),
        ]
    )


def _subclasses(kind: type[HermesError]) -> Iterator[type[HermesError]]:
    yield kind
    for child in kind.__subclasses__():
        if child.__module__ == errors.__name__:
            yield from _subclasses(child)


def _carried(kind: type[HermesError]) -> str:
    if "__init__" not in vars(kind) and kind.__init__ is Exception.__init__:
        return ""
    source = inspect.getsource(kind.__init__) if inspect.isfunction(kind.__init__) else ""
    return code(re.findall(r"self\.(\w+) = ", source))


def _call_endings() -> Iterator[tuple[str, str, str]]:
    """Call a tool that raises each error, so that the table shows what really happens."""
    fine = _record_of(lambda: "fine")
    yield "none", f"`{fine.status}`", f"`{exit_code(fine).value}`"
    for kind in _subclasses(ToolError):

        def fail(kind: type[Any] = kind) -> str:
            raise kind("x")

        record = _record_of(fail)
        yield f"`{record.code}`", f"`{record.status}`", f"`{exit_code(record).value}`"


def _record_of(handler: Callable[[], str]) -> CallRecord:
    tool = Tool.from_schema({"name": "probe"}, lambda _args: handler())
    with tempfile.TemporaryDirectory() as home, Hermes(tools=[tool], home=home) as host:
        return host.run("probe")


def _decisions() -> Iterator[tuple[str, str]]:
    for outcome in get_args(Outcome):
        decision = Decision(outcome=outcome, reason="REASON")
        yield f"`{outcome}`", "the tool's result" if decision.allowed else denied("NAME", decision).message
