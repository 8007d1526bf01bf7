"""Run on a terminal by the tests: asks for approval there, and prints every answer as a line of JSON."""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import termios
import threading
import time
import tty
import types
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hermes_approval.channels.answer import Answer
from hermes_approval.channels.terminal_queue import TerminalChannel
from hermes_core.findings import ApprovalRequest, Finding

FACTS: dict[str, Any] = json.loads(sys.argv[1])


@dataclass(frozen=True)
class StoredGrant:
    scope: str
    args: str

    def describe(self) -> str:
        return f"terminal may {self.args} ({self.scope})"


def propose(request: ApprovalRequest, scope: str) -> StoredGrant:
    return StoredGrant(scope, f"run {request.args['command'][:40]}")


def narrowings(grant: object) -> list[tuple[str, object]]:
    assert isinstance(grant, StoredGrant)
    here = replace(grant, args=grant.args + " in /here")
    return [("the same", grant), ("only here", here), ("this time", replace(grant, scope="once"))]


def request(number: int, facts: dict[str, Any]) -> ApprovalRequest:
    findings = (
        Finding(rule="delete.recursive", severity="ask", reason="It deletes a folder.", effects=frozenset({"deletes"})),
        Finding(rule="net.note", severity="note", reason="It talks to nobody.", span="build"),
    )
    return ApprovalRequest(
        id=f"call-{number}",
        tool="terminal",
        toolset="shell",
        args=facts.get("args", {"command": f"rm -rf build-{number}", "background": False}),
        findings=findings,
        session_id="session-9",
        session_kind="cli",
        defaults=frozenset(facts.get("defaults", ())),
    )


GRANTED: list[StoredGrant] = []


def settled(request: ApprovalRequest) -> Answer | None:
    known = any(grant.args == f"run {request.args['command'][:40]}" for grant in GRANTED)
    return Answer(choice="once", by="grant g-1") if known else None


def cancelled(facts: dict[str, Any]) -> Callable[[], bool]:
    path = facts.get("cancelled_by", "/does/not/exist")
    return lambda: os.path.exists(path)


def ask(channel: TerminalChannel, number: int, facts: dict[str, Any]) -> None:
    result: dict[str, Any] = {"id": f"call-{number}"}
    try:
        answer = channel.ask(request(number, facts), cancelled=cancelled(facts))
    except TimeoutError as error:
        result["timed out"] = str(error)
    else:
        if answer is None:
            result["nothing"] = True
        else:
            grant = answer.grant.describe() if isinstance(answer.grant, StoredGrant) else None
            if isinstance(answer.grant, StoredGrant):
                time.sleep(0.1)  # a host keeps it some time after the answer
                GRANTED.append(answer.grant)
            result |= {"choice": answer.choice, "reason": answer.reason, "by": answer.by, "grant": grant}
    if "result_file" in FACTS:
        Path(FACTS["result_file"]).write_text(json.dumps(result), encoding="utf-8")
    else:
        os.write(1, f"RESULT {json.dumps(result)}\n".encode())  # in one piece, whatever other threads write


def prepare() -> None:
    if FACTS.get("outlive"):
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
    if FACTS.get("raw"):
        tty.setcbreak(0)
    if FACTS.get("application"):
        module = types.ModuleType("prompt_toolkit.application.current")
        module.get_app_or_none = object  # type: ignore[attr-defined]
        sys.modules[module.__name__] = module
    if FACTS.get("type_ahead"):
        print("TYPE NOW", flush=True)
        assert select.select([0], [], [], 60)[0]


def main() -> None:
    prepare()
    before = termios.tcgetattr(0) if os.isatty(0) else []
    channel = TerminalChannel(
        seconds=FACTS.get("seconds", 60.0),
        propose=propose if FACTS.get("grants", True) else None,
        narrowings=narrowings,
        settled=settled if FACTS.get("settled") else None,
        scopes=FACTS.get("scopes", ("session", "always")),
    )
    print("USABLE", channel.usable(), flush=True)
    began = time.monotonic()
    asked = list(enumerate(FACTS.get("requests", [{}]), 1))
    if FACTS.get("leave"):
        threading.Thread(target=ask, args=(channel, *asked[0]), daemon=True).start()
        while not os.path.exists(FACTS["leave"]):
            time.sleep(0.01)
        return
    if len(asked) == 1:
        ask(channel, *asked[0])
    else:
        threads = [threading.Thread(target=ask, args=(channel, *one)) for one in asked]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    print(f"TOOK {time.monotonic() - began}", flush=True)
    print("RESTORED", not before or termios.tcgetattr(0) == before, flush=True)
    print("ALIVE", flush=True)
    print(f"HEARD {sys.stdin.readline()!r}", flush=True)


signal.signal(signal.SIGINT, signal.default_int_handler)  # a run in the background is started without
main()
