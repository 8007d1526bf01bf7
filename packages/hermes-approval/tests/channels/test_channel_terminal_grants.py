"""The prompt shows the real grants, word by word, and its answer carries exactly the one that was chosen."""

from __future__ import annotations

import os
import pty
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any, TextIO

import pytest

from hermes_approval.channels.answer import Answer, signed
from hermes_approval.channels.terminal_device import Device
from hermes_approval.channels.terminal_dialog import Dialog, Offers
from hermes_approval.channels.terminal_queue import TerminalChannel
from hermes_approval.grants.grant import Grant
from hermes_core.findings import ApprovalRequest


class Desk:
    """A terminal within this process, and somebody who types there when they are asked."""

    def __init__(self, stack: ExitStack) -> None:
        self.master, slave = pty.openpty()
        self.source: TextIO = stack.enter_context(os.fdopen(slave, "r", encoding="utf-8"))
        self.target: TextIO = stack.enter_context(os.fdopen(os.dup(slave), "w", encoding="utf-8"))
        stack.callback(os.close, self.master)
        self.shown = ""

    def talk(self, request: ApprovalRequest, offers: Offers, *replies: str) -> Answer:
        """What the answer is to these replies."""
        device = Device(self.source, self.target)
        reading = threading.Thread(target=self._sit, args=(replies,))
        reading.start()
        with device.taken():
            answer = Dialog(device, request, offers, seconds=60, cancelled=lambda: False).answer()
        reading.join(60)
        return answer

    def _sit(self, replies: tuple[str, ...]) -> None:
        for reply in replies:
            seen = ""
            while not seen.endswith("Your answer: "):
                seen += os.read(self.master, 65536).decode()
            self.shown += seen
            os.write(self.master, reply.encode() + b"\n")


class Storable:
    def __init__(self, text: str) -> None:
        self.text = text

    def describe(self) -> str:
        return self.text


@pytest.fixture
def desk(monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    monkeypatch.setenv("TERM", "dumb")
    with ExitStack() as stack:
        yield Desk(stack)


def test_the_grant_of_an_answer_is_the_object_that_was_shown(
    desk: Desk, asking: Callable[..., ApprovalRequest]
) -> None:
    grant, narrow = Storable("all of it"), Storable("a part of it")
    offers = Offers({"always": grant}, (("session", "a part", narrow),))
    assert desk.talk(asking(), offers, "a").grant is grant
    answer = desk.talk(asking(), offers, "l", "1")
    assert (answer.choice, answer.grant) == ("session", narrow)
    assert "1. session, a part:\r\n  | a part of it" in desk.shown


def test_several_grants_for_one_call_are_shown_one_by_one(desk: Desk, asking: Callable[..., ApprovalRequest]) -> None:
    grants = (Storable("the first"), Storable("the \x1b[2J second"))
    assert desk.talk(asking(), Offers({"session": grants}), "s").grant is grants
    assert "from now on:\r\n  | the first\r\n  | the <U+001B>[2J second\r\n" in desk.shown


def test_a_long_grant_is_shown_in_full(desk: Desk, asking: Callable[..., ApprovalRequest]) -> None:
    text = "".join(f"({number})" for number in range(500))
    assert desk.talk(asking(), Offers({"session": Storable(text)}), "f", "s").choice == "session"
    pieces = re.findall(r"^  [|:] (.*)\r$", desk.shown, re.MULTILINE)
    assert text in "".join(pieces)


def test_a_grant_is_signed_by_whoever_is_asked(asking: Callable[..., ApprovalRequest]) -> None:
    def propose(request: ApprovalRequest, scope: str) -> object:
        facts: dict[str, Any] = {"tool": request.tool, "rule": "r", "args": {}, "scope": scope, "by": "user", "at": 1.0}
        made = [Grant(id=f"g-{number}", session="s", **facts) for number in range(2)]
        return tuple(made) if scope == "session" else made[0]

    offers = TerminalChannel(propose=propose, narrowings=_narrowings)._offers(asking())
    always, session = offers.grants["always"], offers.grants["session"]
    assert isinstance(always, Grant)
    assert isinstance(session, tuple)
    assert {grant.by for grant in (always, *session)} == {signed("terminal")}
    assert [label for _scope, label, _grant in offers.narrower] == ["shorter"]
    assert all(isinstance(grant, Grant) and grant.by == signed("terminal") for _, _, grant in offers.narrower)


def _narrowings(grant: object) -> list[tuple[str, object]]:
    if not isinstance(grant, Grant):
        return []
    return [("shorter", grant.narrowed(expires=9.0)), ("once", grant.narrowed(scope="once", uses=1))]
