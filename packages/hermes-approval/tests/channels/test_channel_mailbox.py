"""Another process sees what waits and answers it; what nobody waits for any more is swept."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from hermes_approval.channels.answer import Answer
from hermes_approval.channels.broker import Broker
from hermes_approval.channels.mailbox import Mailbox
from hermes_core.findings import ApprovalRequest

if TYPE_CHECKING:
    Asking = Callable[..., ApprovalRequest]

PATIENCE = 60.0
ANSWERER = """
import sys, time
from pathlib import Path
from hermes_approval.channels.mailbox import Mailbox
mailbox, until = Mailbox(Path(sys.argv[1])), time.monotonic() + 60
while not mailbox.pending() and time.monotonic() < until:
    time.sleep(0.01)
print([(letter.request.tool, letter.request.args, letter.process.pid) for letter in mailbox.pending()])
print(mailbox.answer(sys.argv[2], sys.argv[3], "somebody else", "seen"))
"""
ASKER = """
import sys
from pathlib import Path
from hermes_approval.channels.mailbox import Mailbox
from hermes_core.findings import ApprovalRequest
request = ApprovalRequest(
    id="theirs", tool="t", toolset="s", args={}, findings=(), session_id="1", session_kind="cli"
)
mailbox = Mailbox(Path(sys.argv[1]))
posted = mailbox.post(request)
print("posted", flush=True)
mailbox.wait(posted)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "home" / "approvals"


def answer_elsewhere(folder: Path, which: str, choice: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", ANSWERER, str(folder), which, choice]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


@contextmanager
def asker(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that waits for an answer."""
    with subprocess.Popen([sys.executable, "-c", ASKER, str(folder)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "posted\n"
        try:
            yield process
        finally:
            process.kill()


def put(folder: Path, name: str, value: Any, mode: int = 0o600) -> Path:
    path = folder / name
    path.write_text(json.dumps(value), encoding="utf-8")
    path.chmod(mode)
    return path


def is_empty(folder: Path) -> bool:
    return os.listdir(folder) == []


def test_another_process_sees_a_request_and_answers_it(folder: Path, asking: Asking) -> None:
    mailbox = Mailbox(folder)
    command = "rm -rf \x1b[1m 日本"
    posted = mailbox.post(asking("a", command=command))
    with answer_elsewhere(folder, "a", "once") as process:
        answer = mailbox.wait(posted, seconds=PATIENCE)
        said = process.communicate(timeout=PATIENCE)[0]
    assert answer == Answer(choice="once", by="somebody else", reason="seen")
    seen = [("terminal", {"command": command}, os.getpid())]
    assert said == f"{seen}\n1\n"
    assert is_empty(folder)


def test_what_is_posted_is_what_is_read(folder: Path, asking: Asking) -> None:
    mailbox = Mailbox(folder)
    request = replace(asking("a"), defaults=frozenset({"command"}))
    posted = mailbox.post(request, seconds=30)
    (letter,) = mailbox.pending()
    assert (letter.request, letter.ticket) == (request, posted)
    assert letter.expires - letter.at == pytest.approx(30)


def test_the_files_are_for_their_owner_alone(folder: Path, asking: Asking) -> None:
    mailbox = Mailbox(folder)
    before = os.umask(0)
    try:
        mailbox.post(asking("a"))
    finally:
        os.umask(before)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert [stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()] == [0o600, 0o600]


def test_silence_times_out_without_a_busy_processor(folder: Path, asking: Asking) -> None:
    mailbox = Mailbox(folder)
    posted = mailbox.post(asking("a"))
    began = time.thread_time()
    with pytest.raises(TimeoutError, match="within 1 seconds"):
        mailbox.wait(posted, seconds=1)
    assert time.thread_time() - began < 0.3
    assert is_empty(folder)


def test_a_cancelled_request_is_taken_back(folder: Path, asking: Asking) -> None:
    mailbox = Mailbox(folder)
    assert mailbox.wait(mailbox.post(asking("a")), cancelled=lambda: True) is None
    assert is_empty(folder)
    assert mailbox.answer("a", "once", "x") == 0


def test_the_first_answer_counts(folder: Path, asking: Asking) -> None:
    mailbox = Mailbox(folder)
    posted = mailbox.post(asking("a"))
    assert [mailbox.answer("a", "deny", "ann"), mailbox.answer("a", "always", "eve")] == [1, 0]
    assert mailbox.pending() == []
    answer = mailbox.wait(posted)
    assert answer is not None
    assert answer.by == "ann"


def test_requests_are_called_by_id_key_or_how_they_begin(folder: Path, asking: Asking) -> None:
    mailbox = Mailbox(folder)
    posted = [mailbox.post(asking(id)) for id in ("call-1", "call-12", "other", "../../evil")]
    assert [letter.request.id for letter in mailbox.pending()] == ["call-1", "call-12", "other", "../../evil"]
    with pytest.raises(LookupError, match=f"could be any of {posted[0].key}, {posted[1].key}"):
        mailbox.answer("call", "once", "x")
    assert mailbox.answer("", "once", "x") == 0
    assert mailbox.answer("nobody", "once", "x") == 0
    assert mailbox.answer("call-1", "once", "x") == 1  # exactly this one, although another begins like it
    assert mailbox.answer(posted[1].key, "once", "x") == 1
    assert mailbox.answer("oth", "once", "x") == 1
    assert mailbox.answer("../../evil", "once", "x") == 1
    assert all(mailbox.collect(one) for one in posted)


def test_equal_ids_are_told_apart_by_their_keys(folder: Path, asking: Asking) -> None:
    mailbox = Mailbox(folder)
    first, second = mailbox.post(asking("a")), mailbox.post(asking("a", command="another"))
    with pytest.raises(LookupError):
        mailbox.answer("a", "once", "x")
    assert mailbox.answer(second.key, "once", "x") == 1
    assert (mailbox.collect(first), mailbox.collect(second)) == (None, Answer(choice="once", by="x"))


def test_the_oldest_is_next_and_all_are_all(folder: Path, asking: Asking) -> None:
    mailbox = Mailbox(folder)
    posted = [mailbox.post(asking(id)) for id in "cab"]
    assert mailbox.answer("next", "deny", "x") == 1
    assert mailbox.answer("all", "once", "y") == 2
    assert [getattr(mailbox.collect(one), "by", None) for one in posted] == ["x", "y", "y"]
    assert mailbox.answer("next", "once", "x") == mailbox.answer("all", "once", "x") == 0


def test_an_answer_that_does_not_exist_is_not_written(folder: Path, asking: Asking) -> None:
    mailbox = Mailbox(folder)
    mailbox.post(asking("a"))
    word: Any = "yes"
    with pytest.raises(ValueError, match="'yes' is not an answer"):
        mailbox.answer("all", word, "x")
    assert len(mailbox.pending()) == 1


def test_a_request_of_a_killed_process_is_ignored_and_swept(folder: Path, asking: Asking) -> None:
    mailbox = Mailbox(folder)
    with asker(folder) as process:
        assert [letter.process.pid for letter in mailbox.pending()] == [process.pid]
        process.send_signal(signal.SIGKILL)
        process.wait(PATIENCE)
    assert len(os.listdir(folder)) == 2
    assert mailbox.pending() == []
    assert mailbox.answer("all", "once", "x") == 0
    posted = mailbox.post(asking("a"))
    assert sorted(os.listdir(folder)) == [f"{posted.name}.answer", f"{posted.name}.request"]


def test_a_process_that_has_only_the_number_of_the_asker_is_not_it(folder: Path, asking: Asking) -> None:
    mailbox = Mailbox(folder)
    posted = mailbox.post(asking("a"))
    path = folder / f"{posted.name}.request"
    facts = json.loads(path.read_text("utf-8"))
    facts["process"]["started"] = "1"
    put(folder, path.name, facts)
    assert mailbox.pending() == []
    mailbox.sweep()
    assert is_empty(folder)


def test_a_request_from_another_container_waits_until_its_time_is_over(folder: Path, asking: Asking) -> None:
    mailbox = Mailbox(folder)
    posted = mailbox.post(asking("a"))
    path = folder / f"{posted.name}.request"
    facts = json.loads(path.read_text("utf-8"))
    facts["process"] = {"pid": 1, "started": "1", "place": "elsewhere"}
    put(folder, path.name, facts)
    mailbox.sweep()
    assert len(mailbox.pending()) == 1
    put(folder, path.name, {**facts, "expires": time.time() - 1})
    assert mailbox.pending() == []
    mailbox.sweep()
    assert is_empty(folder)


def test_a_folder_that_is_not_there_holds_nothing(tmp_path: Path) -> None:
    mailbox = Mailbox(tmp_path / "nowhere")
    assert mailbox.pending() == []
    assert mailbox.answer("all", "once", "x") == 0
    mailbox.sweep()
    assert is_empty(tmp_path) or not (tmp_path / "nowhere").exists()


def test_a_broker_hears_another_process(folder: Path, asking: Asking) -> None:
    broker = Broker(mailbox=Mailbox(folder), seconds=PATIENCE)
    with answer_elsewhere(folder, "next", "session") as process:
        answer = broker.ask(asking("a"))
        assert process.communicate(timeout=PATIENCE)[0].endswith("\n1\n")
    assert (answer.choice, answer.by) == ("session", "somebody else")
    assert is_empty(folder)


def test_what_a_broker_resolves_here_cannot_be_answered_elsewhere(folder: Path, asking: Asking) -> None:
    told = threading.Event()
    mailbox = Mailbox(folder)
    broker = Broker(mailbox=mailbox, notify=lambda _request: told.set(), seconds=PATIENCE)
    with ThreadPoolExecutor() as pool:
        future = pool.submit(broker.ask, asking("a"))
        assert told.wait(PATIENCE)
        assert len(mailbox.pending()) == 1  # people are told when they can answer
        assert broker.resolve("a", "deny", by="here")
        assert future.result(PATIENCE).by == "here"
    assert is_empty(folder)
    assert mailbox.answer("a", "once", "elsewhere") == 0


def test_a_broker_that_times_out_takes_its_request_back(folder: Path, asking: Asking) -> None:
    with pytest.raises(TimeoutError):
        Broker(mailbox=Mailbox(folder), seconds=0.05).ask(asking("a"))
    assert is_empty(folder)


def test_a_broker_without_a_usable_folder_still_asks(folder: Path, asking: Asking) -> None:
    folder.mkdir(parents=True)
    folder.chmod(0o777)
    broker = Broker(mailbox=Mailbox(folder), notify=lambda request: broker.resolve(request.id, "once", by="here"))
    assert broker.ask(asking("a")).by == "here"


def test_a_mailbox_may_be_named_by_text_and_by_its_home(
    folder: Path, asking: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    Mailbox(str(folder)).post(asking("a"))
    assert [letter.request.id for letter in Mailbox.default(str(folder.parent)).pending()] == ["a"]
    monkeypatch.setenv("HERMES_HOME", str(folder.parent))
    assert [letter.request.id for letter in Mailbox.default().pending()] == ["a"]


def test_a_request_is_answered_by_the_id_of_its_call_unless_others_have_it_too(folder: Path, asking: Asking) -> None:
    mailbox = Mailbox(folder)
    mailbox.post(replace(asking("ask-1"), call_id="call-0"))
    (letter,) = mailbox.pending()
    assert (letter.request.call_id, letter.names) == ("call-0", (letter.key, "ask-1", "call-0"))
    mailbox.post(replace(asking("ask-2"), call_id="call-0"))
    with pytest.raises(LookupError, match="could be any of"):
        mailbox.answer("call-0", "once", "ann")
    assert mailbox.answer("ask-2", "once", "ann") == 1
    assert mailbox.answer("call-0", "once", "ann") == 1
