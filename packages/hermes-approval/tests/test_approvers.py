"""Whoever is asked, only a clear yes lets a call run, and the decision says who gave it."""

from __future__ import annotations

import importlib.util
import json
import logging
import os
import pty
import select
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import anyio
import pytest

from hermes_approval import Approval, HostApproval
from hermes_approval.channels.answer import Answer
from hermes_approval.channels.broker import Broker
from hermes_approval.channels.mailbox import Mailbox
from hermes_approval.grants.grant import Grant
from hermes_approval.grants.grant_set import GrantSet
from hermes_approval.settings import ApprovalSettings
from hermes_core import (
    ApprovalRequest,
    CallRecord,
    ConfigError,
    Decision,
    Finding,
    Hermes,
    Tool,
    ToolContext,
    tool,
)

Make = Callable[..., Hermes]
PATIENCE = 30.0


def look(args: Mapping[str, Any], _ctx: object) -> list[Finding]:
    if args["path"] == "/":
        return [Finding(rule="vault.root", severity="refuse", reason="It wipes everything.")]
    return [Finding(rule=rule, severity="ask", reason=f"It is {rule}.") for rule in args.get("rules", ["vault.wipe"])]


@tool(assess=look)
def wipe(path: str, rules: list[str] | None = None, numbers: list[int] | None = None) -> str:
    """Wipe a folder."""
    return f"wiped {path}"


@tool(assess=look)
def shred(path: str) -> str:
    """Shred a file."""
    return f"shredded {path}"


def called(host: Hermes, path: str = "/tmp/a", *, name: str = "wipe", session: Any = None, **args: Any) -> CallRecord:
    return host.run(name, {"path": path, **args}, session=session)


def decision(record: CallRecord) -> Decision:
    assert record.decision is not None
    assert (record.status == "ok") == record.decision.allowed
    return record.decision


class Spy:
    """An approver that answers what it is told to, and remembers what it was asked."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.asked: list[ApprovalRequest] = []

    def __call__(self, request: ApprovalRequest) -> Any:
        self.asked.append(request)
        return self.answer


class AsyncSpy(Spy):
    """The same, async."""

    async def __call__(self, request: ApprovalRequest) -> Any:
        self.asked.append(request)
        await anyio.lowlevel.checkpoint()
        return self.answer


ANSWERS = [
    (True, "allowed", "the application"),
    (False, "denied-by-human", "the application"),
    ("once", "allowed", "the application"),
    ("session", "allowed", "the application"),
    ("always", "allowed", "the application"),
    ("deny", "denied-by-human", "the application"),
    (Answer(choice="once", by="alice"), "allowed", "alice"),
    (Answer(choice="deny", by="bob", reason="too risky"), "denied-by-human", "bob"),
    (Decision(outcome="allowed", by="carol"), "allowed", "carol"),
    (Decision(outcome="allowed"), "allowed", "the application"),
    (Decision(outcome="denied-by-policy", by="the firm", reason="no"), "denied-by-policy", "the firm"),
    (None, "no-approver", ""),
]
WRONG = [1, 0, "yes", "", "Once", b"once", [True], {"choice": "once"}, object(), Answer, Grant]


@pytest.mark.parametrize("kind", [Spy, AsyncSpy])
@pytest.mark.parametrize(("answer", "outcome", "by"), ANSWERS)
def test_every_answer_of_an_application_is_understood(
    host: Make, kind: type[Spy], answer: object, outcome: str, by: str
) -> None:
    spy = kind(answer)
    made = decision(called(host(tools=[wipe], approver=spy)))
    assert (made.outcome, made.by) == (outcome, by)
    assert [finding.rule for finding in made.findings] == ["vault.wipe"]
    (request,) = spy.asked
    assert (request.tool, request.args) == ("wipe", {"path": "/tmp/a"})


@pytest.mark.parametrize("kind", [Spy, AsyncSpy])
@pytest.mark.parametrize("answer", WRONG)
def test_what_is_no_answer_is_logged_and_approves_nothing(
    host: Make, kind: type[Spy], answer: object, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "hermes"):
        made = decision(called(host(tools=[wipe], approver=kind(answer))))
    assert made.outcome == "no-approver"
    assert "plugin approval failed" in caplog.text


@pytest.mark.parametrize("answer", [Answer(choice="always", by="a", grant=each) for each in ("x", 1, [None])])
def test_an_answer_with_something_else_than_a_grant_is_none(
    host: Make, answer: Answer, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "hermes"):
        assert decision(called(host(tools=[wipe], approver=Spy(answer)))).outcome == "no-approver"
    assert "carries grants" in caplog.text


def test_an_approver_that_raises_has_not_approved(host: Make, caplog: pytest.LogCaptureFixture) -> None:
    def bad(request: ApprovalRequest) -> bool:
        raise RuntimeError("no connection")

    async def worse(request: ApprovalRequest) -> bool:
        raise SystemExit("gone")

    for approver in (bad, worse):
        with caplog.at_level(logging.WARNING, "hermes"):
            assert decision(called(host(tools=[wipe], approver=approver))).outcome == "no-approver"
    assert "no connection" in caplog.text
    assert "gone" in caplog.text


def test_an_approver_that_hangs_is_timed_out(host: Make) -> None:
    over = threading.Event()

    def hang(request: ApprovalRequest) -> bool:
        return over.wait(PATIENCE)

    async def ahang(request: ApprovalRequest) -> bool:
        await anyio.sleep(PATIENCE)
        return True

    try:
        for approver in (hang, ahang):
            made = decision(called(host(tools=[wipe], approver=approver, config={"calls": {"approval_timeout": 0.1}})))
            assert (made.outcome, made.by) == ("timed-out", "approval")
    finally:
        over.set()


def test_an_approver_that_says_it_timed_out_has(host: Make) -> None:
    def late(request: ApprovalRequest) -> bool:
        raise TimeoutError

    async def alate(request: ApprovalRequest) -> bool:
        raise TimeoutError

    for approver in (late, alate):
        made = decision(called(host(tools=[wipe], approver=approver)))
        assert (made.outcome, made.by) == ("timed-out", "the application")


def test_the_time_of_a_broker_is_kept(host: Make) -> None:
    made = decision(called(host(tools=[wipe], approver=Broker(seconds=0.1))))
    assert (made.outcome, made.by) == ("timed-out", "the application")


@pytest.mark.parametrize("kind", [Spy, AsyncSpy])
def test_an_approver_is_asked_from_any_thread_and_from_a_loop(host: Make, kind: type[Spy]) -> None:
    made = host(tools=[wipe], approver=kind(True))
    with ThreadPoolExecutor(4) as pool:
        records = list(pool.map(lambda number: called(made, f"/tmp/{number}"), range(12)))
    assert {decision(record).by for record in records} == {"the application"}

    async def on_a_loop() -> CallRecord:
        return await made.arun("wipe", {"path": "/tmp/a"})

    assert decision(anyio.run(on_a_loop)).allowed


def test_what_cannot_approve_is_refused_at_once(host: Make) -> None:
    for approver in (True, "terminl", 3, object()):
        with pytest.raises(ConfigError, match="cannot decide about calls"):
            host(tools=[wipe], approver=approver)


def test_what_is_refused_is_never_asked(host: Make) -> None:
    spy = Spy("always")
    for options in ({}, {"approvals": "off"}, {"approvals": ApprovalSettings(cron_approves=True)}):
        assert decision(called(host(tools=[wipe], approver=spy, **options), "/")).outcome == "refused"
    assert spy.asked == []


# -- what a yes creates ------------------------------------------------------------------------------------------


def test_a_yes_for_the_session_holds_there_for_exactly_this(host: Make) -> None:
    spy = Spy("session")
    made = host(tools=[wipe, shred], approver=spy, grants=GrantSet())
    with made.session(id="one") as one, made.session(id="two") as two:
        assert decision(called(made, session=one)).by == "the application"
        assert decision(called(made, session=one)).by.startswith("grant ")
        for other in ({"path": "/tmp/b"}, {"rules": ["vault.deep"]}, {"name": "shred"}, {"session": two}):
            assert decision(called(made, **{"session": one, **other})).by == "the application"  # type: ignore[arg-type]
    assert len(spy.asked) == 5


def test_a_yes_of_a_childs_own_approver_is_kept_for_the_child_alone(host: Make) -> None:
    parent = host(tools=[wipe])
    child = host(tools=[wipe], parent=parent, approver=Spy("always"))
    assert decision(called(child)).by == "the application"
    assert decision(called(child)).by.startswith("grant ")
    assert decision(called(parent)).outcome == "no-approver"
    assert HostApproval.of(parent).grants.list() == ()


def test_a_yes_of_a_host_in_the_middle_holds_below_it_and_not_above(host: Make) -> None:
    root = host(tools=[wipe])
    middle = host(tools=[wipe], parent=root, approver=Spy("always"))
    child = host(tools=[wipe], parent=middle)
    assert decision(called(child)).by == "the application"
    assert decision(called(child)).by.startswith("grant ")
    assert decision(called(middle)).by.startswith("grant ")
    assert decision(called(root)).outcome == "no-approver"


def test_a_yes_of_the_parents_approver_is_kept_for_both(host: Make) -> None:
    parent = host(tools=[wipe], approver=Spy("always"))
    child = host(tools=[wipe], parent=parent)
    assert decision(called(child)).by == "the application"
    assert decision(called(child)).by.startswith("grant ")
    assert decision(called(parent)).by.startswith("grant ")


def test_each_finding_needs_its_own_grant(host: Make) -> None:
    spy = Spy("always")
    made = host(tools=[wipe], approver=spy, grants=GrantSet())
    called(made, rules=["one", "two"])
    assert len(HostApproval.of(made).grants.list()) == 2
    assert decision(called(made, rules=["one", "two"])).by.count("g-") == 2
    called(made, rules=["one", "three"])
    assert len(spy.asked) == 2


def test_the_grant_of_an_answer_is_kept_as_it_is(host: Make) -> None:
    grant = Grant(
        id="g-mine", tool="wipe", rule="vault.wipe", args={"*": {"any": True}}, scope="always", uses=1, by="me", at=1.0
    )
    spy = Spy(Answer(choice="always", by="me", grant=grant))
    made = host(tools=[wipe], approver=spy, grants=GrantSet())
    assert decision(called(made)).by == "me"
    assert decision(called(made, "/tmp/b")).by == "grant g-mine"
    assert len(spy.asked) == 1


def test_a_yes_for_more_than_a_grant_can_hold_is_for_this_call(host: Make, caplog: pytest.LogCaptureFixture) -> None:
    made = host(tools=[wipe], approver=Spy("always"), grants=GrantSet())
    with caplog.at_level(logging.WARNING, "hermes"):
        record = called(made, numbers=list(range(20_001)))
    assert decision(record).grants == ()
    assert "Only this call of wipe is approved" in caplog.text


def test_a_broker_with_a_mailbox_is_answered_from_there(host: Make, home: Path) -> None:
    mailbox = Mailbox(home / "approvals")
    made = host(tools=[wipe], approver=Broker(mailbox=mailbox), grants=GrantSet())
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(called, made)
        until = time.monotonic() + PATIENCE
        while not mailbox.answer("next", "session", "alice") and time.monotonic() < until:
            time.sleep(0.01)
        assert decision(waiting.result(PATIENCE)).by == "alice"
    assert decision(called(made)).by.startswith("grant ")
    assert mailbox.pending() == []


# -- nobody is asked ---------------------------------------------------------------------------------------------


def test_mode_off_allows_and_says_so(host: Make) -> None:
    spy = Spy(False)
    assert decision(called(host(tools=[wipe], approver=spy, approvals="off"))).by == "approvals.mode"
    assert spy.asked == []


def test_a_child_is_not_off_when_its_parent_is_not(host: Make) -> None:
    for mode, outcome in (("manual", "no-approver"), ("off", "allowed")):
        parent = host(approvals=mode)
        assert decision(called(host(tools=[wipe], parent=parent, approvals="off"))).outcome == outcome


def test_cron_jobs_do_what_the_user_says_and_ask_nobody(host: Make) -> None:
    spy = Spy(True)
    for mode, outcome, by in (
        ("deny", "no-approver", "session kind cron"),
        ("approve", "allowed", "approvals.cron_mode"),
    ):
        made = host(tools=[wipe], approver=spy, config={"approvals": {"cron_mode": mode}})
        with made.session(kind="cron") as session:
            assert decision(called(made, session=session)).by == by
            assert decision(called(made, session=session)).outcome == outcome
            assert decision(called(made, "/", session=session)).outcome == "refused"
        assert decision(called(made)).by == "the application"
    assert len(spy.asked) == 2


def test_a_cron_job_of_a_child_is_not_approved_past_its_parent(host: Make) -> None:
    approves = ApprovalSettings(cron_approves=True)
    for settings, outcome in ((ApprovalSettings(), "no-approver"), (approves, "allowed")):
        made = host(tools=[wipe], parent=host(approvals=settings), approvals=approves)
        with made.session(kind="cron") as session:
            assert decision(called(made, session=session)).outcome == outcome


# -- a model is asked first --------------------------------------------------------------------------------------


class Model:
    """An OpenAI-compatible server on the loopback, which says one word."""

    def __init__(self) -> None:
        self.says = "APPROVE"
        self.keys: list[str | None] = []
        model = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["Content-Length"]))
                model.keys.append(self.headers["Authorization"])
                message = {"role": "assistant", "content": model.says}
                choices = [{"index": 0, "message": message, "finish_reason": "stop"}]
                answer = {"id": "1", "object": "chat.completion", "created": 1, "model": "x", "choices": choices}
                body = json.dumps(answer).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_port
        self._thread = threading.Thread(target=self.server.serve_forever, args=(0.01,))
        self._thread.start()

    def close(self) -> None:
        """Stop serving."""
        if self._thread.is_alive():
            self.server.shutdown()
            self.server.server_close()
            self._thread.join()


@pytest.fixture
def model(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Model]:
    if importlib.util.find_spec("openai") is None:
        pytest.fail("the package openai is missing: install it with `pip install openai`")
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    made = Model()
    home.mkdir()
    (home / "config.yaml").write_text(
        f"approvals:\n  mode: smart\n  smart_model: x\n  smart_base_url: http://127.0.0.1:{made.port}/v1\n"
    )
    (home / ".env").write_text("OPENAI_API_KEY=sk-secret\n")
    yield made
    made.close()


@pytest.fixture
def loaded(home: Path) -> Iterator[Make]:
    hosts: list[Hermes] = []

    def make(**options: Any) -> Hermes:
        names = {"approvals": "mode", "approver": "approver"}
        given = {names[name]: options.pop(name) for name in list(options) if name in names}
        plugins = [Approval(**given)]
        hosts.append(Hermes.load(home=home, discover=False, tools=[wipe], plugins=plugins, **options))
        return hosts[-1]

    yield make
    for each in hosts:
        each.close()


def test_a_model_approves_and_denies_single_calls(loaded: Make, model: Model, home: Path) -> None:
    spy = Spy("always")
    made = loaded(approver=spy)
    allowed = decision(called(made))
    assert (allowed.outcome, allowed.by, allowed.grants) == ("allowed", "smart approval (x)", ())
    model.says = "DENY"
    denied = decision(called(made))
    assert (denied.outcome, denied.by) == ("denied-by-policy", "smart approval (x)")
    assert spy.asked == []
    assert model.keys == ["Bearer sk-secret"] * 2
    assert not (home / "approvals.json").exists()


@pytest.mark.parametrize("word", ["ESCALATE", "APPROVE, of course", ""])
def test_what_a_model_does_not_decide_the_application_does(loaded: Make, model: Model, word: str) -> None:
    model.says = word
    spy = Spy(True)
    assert decision(called(loaded(approver=spy))).by == "the application"
    assert len(spy.asked) == len(model.keys) == 1
    assert decision(called(loaded())).outcome == "no-approver"


def test_a_model_that_cannot_be_reached_has_not_approved(
    loaded: Make, model: Model, caplog: pytest.LogCaptureFixture
) -> None:
    model.close()
    with caplog.at_level(logging.WARNING, "hermes"):
        assert decision(called(loaded())).outcome == "no-approver"
        assert decision(called(loaded(approver=Spy(True)))).by == "the application"
    assert "Smart approval has no answer" in caplog.text
    assert "sk-secret" not in caplog.text


def test_a_model_is_never_asked_about_what_is_refused(loaded: Make, model: Model) -> None:
    assert decision(called(loaded(), "/")).outcome == "refused"
    assert model.keys == []


def test_a_grant_spares_the_model_the_question(loaded: Make, model: Model) -> None:
    model.says = "ESCALATE"
    made = loaded(approver=Spy("always"))
    called(made)
    assert decision(called(made)).by.startswith("grant ")
    assert len(model.keys) == 1


def test_the_model_is_asked_on_a_loop_too(loaded: Make, model: Model) -> None:
    made = loaded()

    async def on_a_loop() -> CallRecord:
        return await made.arun("wipe", {"path": "/tmp/a"})

    assert decision(anyio.run(on_a_loop)).by == "smart approval (x)"


def test_an_applications_mode_comes_with_what_belongs_to_it(loaded: Make, model: Model, home: Path) -> None:
    assert decision(called(loaded(approvals="manual"))).outcome == "no-approver"
    assert model.keys == []
    config = (home / "config.yaml").read_text()
    (home / "config.yaml").write_text(config.replace("mode: smart", "mode: manual"))
    assert decision(called(loaded(approvals="smart"))).by == "smart approval (x)"


def test_smart_without_a_model_is_a_mistake_and_not_silently_manual(host: Make) -> None:
    with pytest.raises(ConfigError, match="smart_model"):
        called(host(tools=[wipe], approvals="smart"))
    with pytest.raises(ConfigError, match="not a mode"):
        called(host(tools=[wipe], approvals="clever"))


# -- the terminal ------------------------------------------------------------------------------------------------

CHILD = """
import sys, threading
from hermes_approval import Approval
from hermes_core import Finding, Hermes, tool

@tool(assess=lambda args, ctx: Finding(rule="vault.wipe", severity="ask", reason="It wipes."))
def wipe(path: str) -> str:
    "Wipe."
    return "wiped"

config = {"calls": {"approval_timeout": float(sys.argv[1])}}
with Hermes(tools=[wipe], plugins=[Approval(approver="terminal")], config=config) as host:
    for path in sys.argv[2:]:
        record = host.run("wipe", {"path": path})
        said = f"RESULT {path} {record.decision.outcome} by {record.decision.by}\\n"
        sys.stdout.write(said)  # as a whole: the prompt that is withdrawn may be writing at the same time
        sys.stdout.flush()
    threading.Event().wait(30)
"""


class Child:
    """A process with a host that asks at a terminal of its own, and goes on afterwards."""

    def __init__(self, *words: str) -> None:
        self.master, self._slave = pty.openpty()
        script = 'tty=$1; shift; exec "$@" <"$tty" >"$tty" 2>&1'
        command = ["/bin/sh", "-c", script, "sh", os.ttyname(self._slave), sys.executable, "-W", "error", "-c", CHILD]
        environ = {**os.environ, "TERM": "dumb"}
        self.process = subprocess.Popen([*command, *words], start_new_session=True, env=environ)
        self._unread = ""

    def wait_for(self, text: str) -> str:
        """Everything up to this text, since the last time."""
        until = time.monotonic() + PATIENCE
        while text not in self._unread:
            ready = select.select([self.master], [], [], max(until - time.monotonic(), 0))[0]
            assert ready, f"{text!r} did not appear in {self._unread!r}"
            self._unread += os.read(self.master, 65536).decode("utf-8", "replace")
        before, _, self._unread = self._unread.partition(text)
        return before

    def type(self, keys: str) -> None:
        """Press keys."""
        os.write(self.master, keys.encode())

    def close(self) -> None:
        """End the process and the terminal."""
        self.process.kill()
        self.process.wait(PATIENCE)
        os.close(self.master)
        os.close(self._slave)


@pytest.fixture
def child() -> Iterator[Callable[..., Child]]:
    made: list[Child] = []

    def start(*words: str) -> Child:
        made.append(Child(*words))
        return made[-1]

    yield start
    for each in made:
        each.close()


def test_a_prompt_disappears_when_the_host_has_given_up_and_the_next_is_shown(child: Callable[..., Child]) -> None:
    terminal = child("1.5", "/tmp/a", "/tmp/b")
    terminal.wait_for("Your answer: ")
    shown = terminal.wait_for("/tmp/b")  # the result of the first call stands before it, or its prompt does
    shown += terminal.wait_for("Your answer: ")
    assert "The call was cancelled" in shown
    assert "RESULT /tmp/a timed-out by approval" in shown
    terminal.type("a\n")
    terminal.wait_for("RESULT /tmp/b allowed by ")
    assert terminal.wait_for("\n").strip().endswith("(terminal)")


def test_session_at_the_terminal_spares_the_next_question(child: Callable[..., Child]) -> None:
    terminal = child("60", "/tmp/a", "/tmp/a", "/tmp/b")
    terminal.wait_for("Your answer: ")
    terminal.type("s\n")
    terminal.wait_for("RESULT /tmp/a allowed by ")
    assert "Your answer" not in terminal.wait_for("RESULT /tmp/a allowed by grant g-")
    terminal.wait_for("Your answer: ")
    terminal.type("d\n")
    terminal.wait_for("RESULT /tmp/b denied-by-human by ")


def test_an_application_has_the_time_that_the_user_gives_it(tmp_path: Path) -> None:
    config = {"approvals": {"gateway_timeout": 0.1}}
    with Hermes(
        tools=[asking_tool()], home=tmp_path, config=config, plugins=[Approval(approver=Broker(seconds=60))]
    ) as hermes:
        record = hermes.run("wipe_all", {"path": "a"})
    assert record.decision is not None
    assert record.decision.outcome == "timed-out"


def test_what_was_allowed_in_a_session_ends_with_it(tmp_path: Path) -> None:
    answers = iter(["session", "deny"])
    with Hermes(
        tools=[asking_tool()], home=tmp_path, plugins=[Approval(approver=lambda _request: next(answers))]
    ) as hermes:
        with hermes.session(id="same") as first:
            assert first.call("wipe_all", {"path": "a"}) == '"wiped"'
            assert first.call("wipe_all", {"path": "a"}) == '"wiped"'
        with hermes.session(id="same") as second:
            assert "Denied by the user" in second.call("wipe_all", {"path": "a"})


def asking_tool() -> Tool:
    def assess(args: Mapping[str, Any], ctx: ToolContext) -> Finding:
        return Finding(rule="wipe.all", severity="ask", reason="it wipes")

    @tool(toolset="wiping", assess=assess)
    def wipe_all(path: str) -> str:
        """Wipe."""
        return "wiped"

    return wipe_all
