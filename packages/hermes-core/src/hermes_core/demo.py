"""PUBLIC: what a plugin contributes to `hermes demo`: steps that demonstrate its tools."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hermes_core.findings import ApprovalRequest
    from hermes_core.host import Hermes

_WIDTH = 96
_LONGEST = 400  # characters of an answer


class Demo:
    """Passed to each step: a host with the installed plugins, and methods that print.

    Attributes:
        hermes: The host. Its home and the working directory are temporary, and no user is asked for anything.
        directory: The working directory.
        approvals: The approval requests so far. The demo answers each of them with `once`.
    """

    def __init__(self, hermes: Hermes, directory: Path, print_line: Callable[[str, str], None]) -> None:
        self.hermes = hermes
        self.directory = directory
        self.approvals: list[ApprovalRequest] = []
        self._print_line = print_line

    def say(self, text: str) -> None:
        """Print a sentence that explains what happens next."""
        self._print_line(text, "text")

    def show(self, text: str, kind: str = "call") -> None:
        """Print a call, an answer, a refusal or a note, indented."""
        for line in text.splitlines():
            self._print_line(f"    {line}", kind)

    def call(
        self, name: str, args: Mapping[str, Any], *, code: str | None = None, only: Sequence[str] = ()
    ) -> dict[str, Any]:
        """Call a tool as a model would, print the call and its answer, and return the answer.

        Args:
            name: The tool.
            args: The arguments.
            code: The error code that the call must end with, such as `denied`; None if it must succeed.
            only: The keys of the answer to print; all by default.

        Raises:
            RuntimeError: The call ended differently.
        """
        self.show(f"{name} {json.dumps(args)}")
        record = self.hermes.run(name, dict(args))
        for repair in record.call.repairs:
            self.show(f"repaired: {repair}", "note")
        answer = json.loads(record.result)
        shown = {key: answer[key] for key in only if key in answer} if record.code is None and only else answer
        self.show(_shorten(shown), "refusal" if record.code else "answer")
        self.require(record.code == code, f"{name} ended with {record.code or 'success'}")
        return answer if isinstance(answer, dict) else {"result": answer}

    def require(self, holds: bool, otherwise: str) -> None:
        """Raise `RuntimeError`, which fails the step, unless a condition holds."""
        if not holds:
            raise RuntimeError(otherwise)


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoStep:
    """One step of `hermes demo`.

    Attributes:
        title: A short title.
        run: Demonstrates something; an exception fails the step, and the demo continues with the next one.
        settings: The contents of `config.yaml` while this step runs, by section.
        order: Steps with lower numbers run first.
    """

    title: str
    run: Callable[[Demo], None]
    settings: Mapping[str, Any] = field(default_factory=dict)
    order: int = 50


def _shorten(answer: Any) -> str:
    if isinstance(answer, dict):
        answer = {key: value for key, value in answer.items() if value not in (None, "", [], {})}
    if not answer:
        return "→ done"
    text = json.dumps(answer, ensure_ascii=False)
    text = text if len(text) <= _LONGEST else f"{text[: _LONGEST // 4]} ... {text[-_LONGEST * 3 // 4 :]}"
    return "\n".join(textwrap.wrap(text, _WIDTH, initial_indent="→ ", subsequent_indent="  ", break_on_hyphens=False))
