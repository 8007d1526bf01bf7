"""Channels cost nothing until they are used, and say what they lack."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import anyio
import pytest

from hermes_approval.channels.answer import Answer
from hermes_approval.channels.smart_approval import SmartChannel
from hermes_core.errors import ToolUnavailableError
from hermes_core.findings import ApprovalRequest


def test_no_channel_imports_what_only_an_answer_needs() -> None:
    code = (
        "import sys\n"
        "from hermes_approval.channels import answer, broker, mailbox, smart_approval, terminal_approver\n"
        "print({'rich', 'openai', 'anyio', 'asyncio', 'subprocess'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "set()\n"


@pytest.mark.parametrize("name", ["openai", "hermes_auxiliary"])
def test_a_missing_package_is_named(
    monkeypatch: pytest.MonkeyPatch, asking: Callable[..., ApprovalRequest], name: str
) -> None:
    monkeypatch.setitem(sys.modules, name, None)
    channel = SmartChannel(base_url="http://127.0.0.1:9", api_key="k", model="m")
    with pytest.raises(ToolUnavailableError, match="needs packages that are not installed") as caught:
        anyio.run(channel.aask, asking())
    assert caught.value.hint is not None
    assert "pip install ./packages/hermes-auxiliary './packages/hermes-approval[smart]'" in caught.value.hint


def test_an_answer_is_one_of_four() -> None:
    assert [Answer(choice=choice, by="x").allowed for choice in ("once", "session", "always", "deny")] == [
        True,
        True,
        True,
        False,
    ]
    with pytest.raises(ValueError, match="'' is not an answer; use one of once, session, always, deny"):
        Answer(choice="", by="x")  # type: ignore[arg-type]
