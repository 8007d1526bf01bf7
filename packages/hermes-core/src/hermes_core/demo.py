"""PUBLIC: what a plugin contributes to `hermes demo`: steps that show its tools at work."""

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
_LONGEST = 400
"""Characters of an answer that are shown."""


class Demo:
    """What a step works with: a host with the installed plugins, and the lines that it shows.

    Attributes:
        hermes: The host. Its home and the working directory are temporary, and nothing asks a person.
        directory: The working directory.
        approvals: The approval requests so far. The demo answers each of them with `once`.
        lines: What was shown: kind (`call`, `answer`, `refusal`, `text` or `note`) and text.
    """

    def __init__(self, hermes: Hermes, directory: Path, print_line: Callable[[str, str], None]) -> None:
        self.hermes = hermes
        self.directory = directory
        self.approvals: list[ApprovalRequest] = []
        self._print_line = print_line

    def say(self, text: str) -> None:
        """Explain what happens next, in a sentence for a person."""
        self._print_line(text, "text")

    def show(self, text: str, kind: str = "call") -> None:
        """Show a call, an answer, a refusal or a note, indented."""
        for line in text.splitlines():
            self._print_line(f"    {line}", kind)

    def call(
        self, name: str, args: Mapping[str, Any], *, code: str | None = None, only: Sequence[str] = ()
    ) -> dict[str, Any]:
        """Call a tool as a model would, show the call and its answer, and return the answer.

        Args:
            name: The tool.
            args: Its arguments.
            code: The error code that the call must end with, such as `denied`; None when it must succeed.
            only: The keys of the answer to show; all of them when there are none.

        Raises:
            RuntimeError: it ended otherwise.
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
        """Fail the step unless something holds.

        Raises:
            RuntimeError: it does not hold.
        """
        if not holds:
            raise RuntimeError(otherwise)


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoStep:
    """One step of `hermes demo`.

    Attributes:
        title: A few words that say what is shown.
        run: Shows it; an exception fails the step, and the next one follows.
        settings: What `config.yaml` says while this step runs, by section.
        order: Steps with a lower number come first.
    """

    title: str
    run: Callable[[Demo], None]
    settings: Mapping[str, Any] = field(default_factory=dict)
    order: int = 50


def _shorten(answer: Any) -> str:
    """Format an answer in a few lines, without empty values."""
    if isinstance(answer, dict):
        answer = {key: value for key, value in answer.items() if value not in (None, "", [], {})}
    if not answer:
        return "→ done"
    text = json.dumps(answer, ensure_ascii=False)
    text = text if len(text) <= _LONGEST else f"{text[: _LONGEST // 4]} ... {text[-_LONGEST * 3 // 4 :]}"
    return "\n".join(textwrap.wrap(text, _WIDTH, initial_indent="→ ", subsequent_indent="  ", break_on_hyphens=False))
