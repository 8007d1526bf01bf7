"""`hermes approvals` shows what is allowed, adds to it and takes from it, and answers requests that wait."""

from __future__ import annotations

import json
import os
import pty
import select
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from hermes_approval.grants.grant import Grant
from hermes_approval.grants.grant_store import GrantStore

Run = Callable[..., CompletedProcess[str]]

PATIENCE = 30.0
WAITING = """
import json, sys
from contextlib import ExitStack
from pathlib import Path
from hermes_approval import Approval, Broker, Mailbox
from hermes_core import Finding, Hermes, tool


def look(args, ctx):
    return Finding(rule="vault.wipe", severity="ask", reason="It wipes a folder.")


@tool(assess=look)
def wipe(path: str) -> str:
    "Wipe a folder."
    return f"wiped {path}"


@tool(assess=look)
def wipe_noted(path: str, note: str = "", password: str = "") -> str:
    "Wipe a folder, with a word about it."
    return f"wiped {path}"


home = Path(sys.argv[1])
broker = Broker(mailbox=Mailbox.default(home))
with ExitStack() as stack:
    plugins = [Approval(approver=broker)]
    host = stack.enter_context(Hermes.load(home=home, discover=False, tools=[wipe, wipe_noted], plugins=plugins))
    sessions = {}
    for word in sys.argv[2:]:
        path, _, name = word.partition("@")
        if name not in sessions:
            sessions[name] = stack.enter_context(host.session(id=name or "s-1"))
        tool, args = ("wipe_noted", json.loads(path)) if path.startswith("{") else ("wipe", {"path": path})
        record = host.run(tool, args, session=sessions[name])
        print(json.dumps([record.status, record.decision.outcome, record.decision.by, record.decision.reason]))
        sys.stdout.flush()
"""


def told(outcome: CompletedProcess[str], code: int = 0) -> Any:
    assert outcome.returncode == code, outcome.stdout + outcome.stderr
    return json.loads(outcome.stdout)


def complaint(outcome: CompletedProcess[str]) -> str:
    """The one line that says what was wrong."""
    assert outcome.returncode == 2, outcome.stdout + outcome.stderr
    assert outcome.stdout == ""
    (line,) = outcome.stderr.splitlines()
    assert line.startswith("hermes: error: ")
    return line


def added(bare: Run, *words: str) -> dict[str, Any]:
    (grant,) = told(bare("approvals", "add", *words, "--json"))["added"]
    assert isinstance(grant, dict)
    return grant


# -- grants ------------------------------------------------------------------------------------------------------


def test_nothing_is_allowed_at_first(bare: Run) -> None:
    assert bare("approvals", "list").stdout == "No call is allowed without asking.\n"
    assert told(bare("approvals", "list", "--json")) == {"grants": [], "problems": []}
    assert told(bare("approvals", "export")) == {"version": 2, "grants": []}
    assert bare("approvals", "revoke", "--all").returncode == 0


def test_a_grant_is_added_listed_and_taken_back(bare: Run, home: Path) -> None:
    outcome = bare("approvals", "add", "wipe", "vault.wipe", "--arg", "path=/tmp/a", "--uses", "2", "--reason", "ok")
    assert outcome.returncode == 0
    id, _, said = outcome.stdout.strip().partition("  ")
    assert said == 'wipe (rule vault.wipe) when path is exactly "/tmp/a"; in any session, 2 more times'
    (listed,) = told(bare("approvals", "list", "--json"))["grants"]
    assert (listed["id"], listed["allows"], listed["uses"], listed["reason"]) == (id, said, 2, "ok")
    assert (listed["kept_in"], listed["source"], listed["live"]) == ("approvals.json", "", True)
    assert listed["by"].endswith(" (hermes approvals)")
    assert abs(listed["at"] - time.time()) < 60
    assert id in bare("approvals", "list").stdout
    assert GrantStore(home).grants()[0].id == id
    assert bare("approvals", "revoke", id).stdout.startswith(f"Revoked: {id}")
    assert GrantStore(home).grants() == ()


@pytest.mark.parametrize(
    ("words", "args"),
    [
        ([], {}),
        (["--any-args"], {"*": {"any": True}}),
        (["--arg", "a=b=c"], {"a": {"equals": "b=c"}}),
        (["--arg", "a=1", "--any-args"], {"a": {"equals": "1"}, "*": {"any": True}}),
        (["--arg-json", 'a={"x": [1, null]}'], {"a": {"equals": {"x": [1, None]}}}),
        (["--arg-glob", "a=git *"], {"a": {"glob": "git *"}}),
        (["--arg-command", "a=git push *"], {"a": {"command": "git push *"}}),
        (["--arg-host", "a=*.Example.org"], {"a": {"host": "*.example.org"}}),
        (["--arg-under", "a=/no/such/folder"], {"a": {"under": "/no/such/folder"}}),
        (["--arg", "a=1", "--arg-host", "b=example.org"], {"a": {"equals": "1"}, "b": {"host": "example.org"}}),
    ],
)
def test_arguments_are_named_by_patterns(bare: Run, words: list[str], args: dict[str, Any]) -> None:
    assert added(bare, "wipe", "vault.wipe", *words)["args"] == args


def test_a_relative_folder_is_meant_from_here_with_its_links_followed(
    bare: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    monkeypatch.chdir(tmp_path)
    folder = os.path.realpath(tmp_path / "real")
    assert added(bare, "wipe", "vault.wipe", "--arg-under", "path=link")["args"] == {"path": {"under": folder}}


def test_exact_arguments_are_typed_by_the_tools_schema_and_names_are_its_own(hermes: Run) -> None:
    grant = added(hermes, "throw", "dice.roll", "--arg", "number=3", "--arg", "name=42", "--arg", "labels=a")
    assert grant["tool"] == "roll_dice"
    assert grant["args"] == {"count": {"equals": 3}, "name": {"equals": "42"}, "labels": {"equals": ["a"]}}


def test_a_grant_for_the_bridge_is_told_what_it_is_about(hermes: Run) -> None:
    known = hermes("approvals", "add", "tool_search", "policy.ask", "--arg", "query=dice")
    assert (known.returncode, known.stderr) == (0, "")
    never = hermes("approvals", "add", "tool_call", "policy.ask")
    assert never.returncode == 0
    assert "never for tool_call: grant that tool." in never.stderr


def test_a_tool_that_is_not_here_is_noted_and_granted_all_the_same(hermes: Run) -> None:
    outcome = hermes("approvals", "add", "rol_dice", "r", "--any-args")
    assert outcome.returncode == 0
    assert "There is no tool 'rol_dice' here. Did you mean 'roll_dice'" in outcome.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["wipe"], "Name the tool and the rule"),
        ([], "Name the tool and the rule"),
        (["wipe", "r", "--arg", "path"], "'path' is not name=VALUE"),
        (["wipe", "r", "--arg-glob", "=x"], "'=x' is not name=VALUE"),
        (["wipe", "r", "--arg-json", "a={"], "a: "),
        (["wipe", "r", "--arg-json", "a=NaN"], "which is not JSON"),
        (["wipe", "r", "--arg-host", "a=no host"], "is not a host"),
        (["wipe", "r", "--arg-command", "a=* x"], "every program"),
        (["wipe", "r", "--arg-glob", "a=x", "--arg", "a=y"], "two patterns for 'a'"),
        (["wipe", "r", "--arg", "*=y"], "--any-args"),
        (["wipe", "r", "--expires", "soon"], "'soon' is not a time"),
        (["wipe", "r", "--expires", "2020-01-01"], "has passed"),
        (["wipe", "r", "--expires", "0s"], "has passed"),
        (["wipe", "r", "--uses", "0"], "--uses"),
        (["*", "r", "--any-args"], "no grant is for all of them"),
        (["wipe", "*", "--any-args"], "can only be '*'"),
        (["wipe", "r", "--from", "/"], "--from cannot be combined"),
    ],
)
def test_what_cannot_be_granted_is_one_clear_line(bare: Run, home: Path, words: list[str], said: str) -> None:
    outcome = bare("approvals", "add", *words)
    assert outcome.returncode == 2
    assert said in outcome.stderr
    assert [line for line in outcome.stderr.splitlines() if line.startswith("hermes: error: ")]
    assert not (home / "approvals.json").exists()


def test_a_grant_ends_when_it_was_told_to(bare: Run) -> None:
    assert abs(added(bare, "wipe", "r", "--expires", "2h")["expires"] - time.time() - 7200) < 60
    assert abs(added(bare, "wipe", "r", "--expires", "1.5d")["expires"] - time.time() - 129600) < 60
    assert added(bare, "wipe", "r", "--expires", "2100-01-01T00:00:00+00:00")["expires"] == 4102444800


def test_a_grant_that_expired_is_listed_as_such_and_can_be_taken_back(bare: Run, home: Path) -> None:
    home.mkdir()
    now = time.time()
    grant = Grant(id="g-old", tool="t", rule="r", args={}, scope="always", expires=now - 9, by="me", at=now - 99)
    GrantStore(home).add(grant)
    assert told(bare("approvals", "list", "--json"))["grants"][0]["live"] is False
    assert "(expired)" in bare("approvals", "list").stdout
    assert told(bare("approvals", "revoke", "g-old", "--json")) == {"revoked": ["g-old"]}


def test_those_of_command_allowlist_are_listed_as_such_and_cannot_be_taken_back_here(bare: Run, home: Path) -> None:
    home.mkdir()
    (home / "config.yaml").write_text("command_allowlist:\n  - git push\n  - '* x'\n", encoding="utf-8")
    listed = told(bare("approvals", "list", "--json"))
    assert {grant["kept_in"] for grant in listed["grants"]} == {"command_allowlist"}
    (problem,) = listed["problems"]
    assert problem == ("command_allowlist: entry 2 is ignored: it begins with a star, so it would allow every program.")
    shown = bare("approvals", "list")
    assert "command_allowlist" in shown.stdout
    assert f"hermes: warning: {problem}\n" in shown.stderr
    assert "remove it there" in complaint(bare("approvals", "revoke", listed["grants"][0]["id"]))


def test_an_id_may_be_shortened_but_must_be_there(bare: Run) -> None:
    first, second = added(bare, "wipe", "r")["id"], added(bare, "wipe", "r")["id"]
    assert "could be any of" in complaint(bare("approvals", "revoke", "g-"))
    typo = first[:-1] + ("0" if first[-1] != "0" else "1")
    assert f"Did you mean '{first}'" in complaint(bare("approvals", "revoke", second, typo))
    assert len(told(bare("approvals", "list", "--json"))["grants"]) == 2  # all or nothing
    assert "hermes approvals list" in complaint(bare("approvals", "revoke", "zzz"))
    assert told(bare("approvals", "revoke", second[:12], "--json")) == {"revoked": [second]}
    assert "Name grants" in complaint(bare("approvals", "revoke"))
    assert "Name grants" in complaint(bare("approvals", "revoke", first, "--all"))
    assert told(bare("approvals", "revoke", "--all", "--json")) == {"revoked": [first]}


def test_what_was_exported_can_be_added_elsewhere(bare: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    added(bare, "wipe", "r", "--arg", "path=é", "--uses", "3")
    exported = bare("approvals", "export", "--json").stdout
    file = tmp_path / "grants.json"
    file.write_text(exported, encoding="utf-8")
    monkeypatch.setenv("HERMES_HOME", str(tmp_path / "other"))
    assert bare("approvals", "add", "--from", str(file)).returncode == 0
    assert bare("approvals", "export").stdout == exported
    assert bare("approvals", "add", "--from", str(file)).returncode == 0  # it is there already
    bare("approvals", "revoke", "--all")
    assert "used up or revoked" in complaint(bare("approvals", "add", "--from", str(file)))


@pytest.mark.parametrize("text", ["", "[]", '{"version": 1}', '{"version": 1, "grants": [{"id": "x"}]}'])
def test_a_file_that_was_not_exported_is_refused(bare: Run, tmp_path: Path, text: str) -> None:
    file = tmp_path / "grants.json"
    file.write_text(text, encoding="utf-8")
    assert "grants.json" in complaint(bare("approvals", "add", "--from", str(file)))


@pytest.mark.parametrize("words", [["list"], ["list", "--json"], ["export"], ["revoke", "--all"], ["add", "t", "r"]])
@pytest.mark.parametrize("text", ["<<<<<<< HEAD", "[]", '{"version": 1, "grants": [{"id": "x"}]}'])
def test_a_broken_file_is_one_clear_line_and_stays_as_it_is(bare: Run, home: Path, words: list[str], text: str) -> None:
    home.mkdir()
    file = home / "approvals.json"
    file.write_text(text, encoding="utf-8")
    outcome = bare("approvals", *words)
    assert (outcome.returncode, outcome.stdout) == (2, "")
    errors = [line for line in outcome.stderr.splitlines() if line.startswith("hermes: error: ")]
    assert len(errors) == 1
    assert "approvals.json" in errors[0]
    assert file.read_text(encoding="utf-8") == text


def test_what_others_wrote_cannot_steer_the_terminal(bare: Run, home: Path) -> None:
    home.mkdir()
    evil = "\x1b[2J\u202e"
    GrantStore(home).add(
        Grant(id="g-1", tool="t", rule=evil, args={"a": {"equals": evil}}, scope="always", by=evil, at=1.0)
    )
    shown = bare("approvals", "list").stdout
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert "<U+001B>[2J<U+202E>" in shown


def test_secrets_are_not_listed_and_exported_as_they_are(bare: Run) -> None:
    words = ("wipe", "vault.wipe", "--arg", "password=hunter2", "--arg-command", "command=curl --token abcdef123 *")
    given = bare("approvals", "add", *words)
    for shown in (given, bare("approvals", "list"), bare("approvals", "list", "--json")):
        assert "hunter2" not in shown.stdout
        assert "abcdef123" not in shown.stdout
        assert "***" in shown.stdout
    exported = bare("approvals", "export").stdout
    assert "hunter2" in exported
    assert "abcdef123" in exported


def test_a_grant_may_be_for_one_plugins_tool(bare: Run) -> None:
    assert added(bare, "wipe", "r", "--source", "vault")["source"] == "vault"
    assert added(bare, "wipe", "r")["source"] == ""
    assert "wipe of plugin vault (rule r)" in bare("approvals", "list").stdout
    assert [each.get("source") for each in told(bare("approvals", "export"))["grants"]] == ["vault", None]


def test_a_file_that_others_may_write_to_is_named_with_what_to_do(bare: Run, home: Path) -> None:
    added(bare, "wipe", "r")
    (home / "approvals.json").chmod(0o666)
    for words in (["list"], ["list", "--json"], ["export"], ["revoke", "--all"]):
        assert f"chmod 600 {home / 'approvals.json'}" in complaint(bare("approvals", *words))


@pytest.mark.parametrize("word", ["list", "add", "revoke", "export", "pending", "approve", "deny"])
def test_every_help_says_the_exit_statuses(bare: Run, word: str) -> None:
    assert "Exit code: 0" in bare("approvals", word, "--help").stdout
    assert "--json" in bare("approvals", word, "--help").stdout


# -- requests ----------------------------------------------------------------------------------------------------


class Waiting:
    """A process with calls that wait in the mailbox, one after the other."""

    def __init__(self, home: Path, *paths: str) -> None:
        command = [sys.executable, "-W", "error", "-c", WAITING, str(home), *paths]
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, encoding="utf-8")

    def record(self) -> list[str]:
        """Status, outcome, by and reason of the next call that ended."""
        assert self.process.stdout is not None
        found: list[str] = json.loads(self.process.stdout.readline())
        return found

    def close(self) -> None:
        """End it."""
        self.process.kill()
        self.process.communicate(timeout=PATIENCE)


@pytest.fixture
def waiting(home: Path) -> Iterator[Callable[..., Waiting]]:
    made: list[Waiting] = []

    def start(*paths: str) -> Waiting:
        made.append(Waiting(home, *paths))
        return made[-1]

    yield start
    for each in made:
        each.close()


def pending(bare: Run, number: int = 1) -> list[dict[str, Any]]:
    """The requests that wait, once there are so many."""
    until = time.monotonic() + PATIENCE
    while True:
        found: list[dict[str, Any]] = told(bare("approvals", "pending", "--json"))["pending"]
        if len(found) == number:
            return found
        assert time.monotonic() < until, found
        time.sleep(0.02)


def test_nothing_waits_at_first(bare: Run) -> None:
    assert bare("approvals", "pending").stdout == "No request is pending.\n"
    for word in ("approve", "deny"):
        for which in ("next", "--all"):
            outcome = bare("approvals", word, which)
            assert (outcome.returncode, outcome.stdout) == (1, "")
            assert outcome.stderr == "No request is pending.\n"
        assert told(bare("approvals", word, "next", "--json"), 1)["answered"] == []
        assert "hermes approvals pending" in complaint(bare("approvals", word, "abc"))
        assert "Name a request" in complaint(bare("approvals", word))
        assert "Name a request" in complaint(bare("approvals", word, "abc", "--all"))


def test_another_process_approves_the_call_that_waits(bare: Run, process: Run, waiting: Callable[..., Waiting]) -> None:
    call = waiting("/tmp/a", "/tmp/a")
    (request,) = pending(bare)
    assert (request["tool"], request["args"], request["session"]) == ("wipe", {"path": "/tmp/a"}, "s-1")
    assert request["findings"][0]["rule"] == "vault.wipe"
    assert request["pid"] == call.process.pid
    assert "token" not in json.dumps(request)
    shown = bare("approvals", "pending").stdout
    assert request["id"] in shown
    assert "It wipes a folder. (vault.wipe)" in shown
    outcome = process("approvals", "approve", "next", "--reason", "go on")
    assert outcome.returncode == 0
    assert outcome.stdout == (
        "Approval needed: wipe (toolset default)\nWhy:\n  | It wipes a folder. (vault.wipe)\n"
        "Arguments:\n  path:\n  | /tmp/a\n"
        f'Approved (once): {request["id"]}  wipe path="/tmp/a"\n'
    )
    status, decided, by, reason = call.record()
    assert (status, decided, reason) == ("ok", "allowed", "go on")
    assert by.endswith(" (hermes approvals)")
    (again,) = pending(bare)  # once is for one call
    assert again["id"] != request["id"]
    assert process("approvals", "deny", again["id"][:6], "--reason", "enough").returncode == 0
    assert call.record()[1::2] == ["denied-by-human", "enough"]
    assert told(bare("approvals", "list", "--json"))["grants"] == []


def test_always_creates_the_exact_grant(bare: Run, process: Run, waiting: Callable[..., Waiting]) -> None:
    call = waiting("/tmp/a", "/tmp/a@other", "/tmp/b")
    pending(bare)
    assert process("approvals", "approve", "next", "--scope", "always").returncode == 0
    assert call.record()[1] == "allowed"
    assert call.record()[2].startswith("grant ")  # in another session, too
    (request,) = pending(bare)  # but not for another path
    assert request["args"] == {"path": "/tmp/b"}
    (grant,) = told(bare("approvals", "list", "--json"))["grants"]
    assert (grant["tool"], grant["rule"], grant["args"]) == ("wipe", "vault.wipe", {"path": {"equals": "/tmp/a"}})
    assert grant["by"].endswith(" (hermes approvals)")
    assert waiting("/tmp/a").record()[2] == f"grant {grant['id']}"  # and in another process


def test_session_holds_in_that_session_alone(bare: Run, waiting: Callable[..., Waiting]) -> None:
    call = waiting("/tmp/a@one", "/tmp/a@one", "/tmp/a@two")
    (request,) = pending(bare)
    assert told(bare("approvals", "approve", request["call"], "--scope", "session", "--json"))["choice"] == "session"
    assert call.record()[1] == "allowed"
    assert call.record()[1] == "allowed"
    (other,) = pending(bare)
    assert other["session"] == "two"
    assert told(bare("approvals", "list", "--json"))["grants"] == []
    waiting("/tmp/a@one")
    assert len(pending(bare, 2)) == 2  # the same id of a session in another process is another session


def test_all_that_wait_get_one_answer(bare: Run, waiting: Callable[..., Waiting]) -> None:
    calls = [waiting("/tmp/a"), waiting("/tmp/b")]
    requests = pending(bare, 2)
    typo = requests[0]["id"][:-1] + ("0" if requests[0]["id"][-1] != "0" else "1")
    assert f"Did you mean '{requests[0]['id']}'" in complaint(bare("approvals", "approve", typo))
    answered = told(bare("approvals", "deny", "--all", "--json"))["answered"]
    assert [each["id"] for each in answered] == [each["id"] for each in requests]
    assert [call.record()[1] for call in calls] == ["denied-by-human", "denied-by-human"]
    assert pending(bare, 0) == []


def test_a_request_of_a_process_that_ended_waits_no_longer(bare: Run, waiting: Callable[..., Waiting]) -> None:
    call = waiting("/tmp/a")
    pending(bare)
    call.close()
    assert pending(bare, 0) == []
    assert bare("approvals", "approve", "next").returncode == 1


def hidden(**args: str) -> str:
    return json.dumps({**args, "path": "/tmp/a"})


def test_what_is_approved_is_shown_in_full_whatever_stands_before_it(
    bare: Run, process: Run, waiting: Callable[..., Waiting]
) -> None:
    call = waiting(hidden(note="harmless " * 300 + "\u202e\x1b[2J end"))
    pending(bare)
    listed = process("approvals", "pending", COLUMNS="80").stdout
    assert max(map(len, listed.splitlines())) <= 80
    assert "note=" in listed
    assert "path=" in listed
    outcome = process("approvals", "approve", "next", "--scope", "always", COLUMNS="80")
    shown = outcome.stdout.replace("\n  : ", "")
    assert "  | " + "harmless " * 300 + "<U+202E><U+001B>[2J end\n" in shown
    assert "  path:\n  | /tmp/a\n" in shown
    before, _, granted = shown.partition("What 'always' would allow from now on:\n")
    assert "Approved" not in before
    assert "Approved (always)" in granted
    assert call.record()[1] == "allowed"
    (stored,) = told(bare("approvals", "list", "--json"))["grants"]
    allowed, _, session = stored["allows"].partition(") when ")[2].partition(', password is exactly ""')
    assert f"{allowed}, 1 argument has its default value{session}" in granted


def test_long_arguments_need_a_word_of_their_own(bare: Run, waiting: Callable[..., Waiting]) -> None:
    call = waiting(hidden(note="x" * 30_000))
    (request,) = pending(bare)
    for words in (["next"], ["--all"], [request["id"], "--scope", "always"], ["next", "--json"]):
        assert "--unseen" in complaint(bare("approvals", "approve", *words))
    assert len(pending(bare)) == 1
    outcome = bare("approvals", "approve", "next", "--unseen")
    assert outcome.returncode == 0
    assert "Not all arguments are shown: wipe_noted note=" in outcome.stderr
    assert len(outcome.stdout) < 1_000
    assert call.record()[1] == "allowed"


def test_secrets_of_requests_are_not_shown_but_can_be_had(bare: Run, waiting: Callable[..., Waiting]) -> None:
    call = waiting(hidden(password="hunter2"))
    (request,) = pending(bare)
    assert request["args"]["password"] == "hunter2"
    assert "hunter2" not in bare("approvals", "pending").stdout
    outcome = bare("approvals", "approve", "next", "--scope", "session")
    assert "hunter2" not in outcome.stdout
    assert "  password:\n  | ***\n" in outcome.stdout
    assert "pending --json" in outcome.stderr
    assert call.record()[1] == "allowed"


def test_each_of_all_is_shown(bare: Run, waiting: Callable[..., Waiting]) -> None:
    calls = [waiting("/tmp/a"), waiting("/tmp/b")]
    pending(bare, 2)
    shown = bare("approvals", "approve", "--all", "--scope", "always").stdout
    assert shown.count("Approval needed: wipe") == shown.count("What 'always' would allow") == 2
    assert [call.record()[1] for call in calls] == ["allowed", "allowed"]


def test_at_a_terminal_one_is_asked_before_the_answer_is_given(
    bare: Run, environment: dict[str, str], waiting: Callable[..., Waiting]
) -> None:
    call = waiting("/tmp/a")
    for words, keys, code in ((["next"], b"n\n", 1), (["next"], b"\n", 1), (["next"], b"y\n", 0)):
        pending(bare)
        master, slave = pty.openpty()
        command = [sys.executable, "-m", "hermes_core", "approvals", "approve", *words]
        with subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, env=environment) as approving:
            seen = ""
            while "[y/N]" not in seen:
                assert select.select([master], [], [], PATIENCE)[0], seen
                seen += os.read(master, 65536).decode()
            assert "/tmp/a" in seen
            assert "Approved" not in seen
            os.write(master, keys)
            assert approving.wait(PATIENCE) == code
        os.close(master)
        os.close(slave)
    assert call.record()[1] == "allowed"
