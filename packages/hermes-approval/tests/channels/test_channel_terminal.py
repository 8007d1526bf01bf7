"""A person at a real terminal gets to see the whole question, and nothing but a clear yes is a yes."""

from __future__ import annotations

import json
import re
import signal
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from channels.conftest import Screen

    Terminal = Callable[..., Screen]


def assert_alive(screen: Screen) -> None:
    """The terminal is as it was, and the process reads from it again."""
    assert "RESTORED True" in screen.wait_for("ALIVE\r\n")
    screen.type("still here\n")
    screen.wait_for("HEARD 'still here\\n'")


def test_the_prompt_shows_everything_that_matters(terminal: Terminal) -> None:
    screen = terminal()
    shown = screen.reply("d\n")
    for part in (
        "USABLE True",
        "terminal (toolset shell)",
        "  | rm -rf build-1\r\n",
        "  background:\r\n  | false",
        "It deletes a folder. (delete.recursive)",
        "It talks to nobody. (net.note)",
        "What 'session' would allow from now on:\r\n  | terminal may run rm -rf build-1 (session)",
        "What 'always' would allow from now on:\r\n  | terminal may run rm -rf build-1 (always)",
    ):
        assert part in shown
    assert screen.result()["reason"] == "denied at the terminal"
    assert_alive(screen)


def test_empty_default_values_are_counted_and_other_defaults_are_shown(terminal: Terminal) -> None:
    args = {"command": "ls", "pty": False, "paths": [], "timeout": 0, "force": True, "then": "rm -rf ~", "note": ""}
    screen = terminal(requests=[{"args": args, "defaults": [name for name in args if name != "note"]}])
    shown = screen.reply("e\n")
    assert "  2 arguments have default values (null, false or empty): pty, paths\r\n" in shown
    for part in ("  timeout:\r\n  | 0", "  force:\r\n  | true", "  then:\r\n  | rm -rf ~", "  note:\r\n  | \r\n"):
        assert part in shown
    assert "  pty:\r\n" not in shown
    assert "  pty:\r\n  | false\r\n  paths:\r\n  | []" in screen.reply("d\n"), "the explanation shows all"


@pytest.mark.parametrize(
    ("keys", "choice", "grant"),
    [
        ("o", "once", None),
        ("O", "once", None),
        ("y", "once", None),
        ("Yes", "once", None),
        ("once", "once", None),
        ("s", "session", "terminal may run rm -rf build-1 (session)"),
        ("session", "session", "terminal may run rm -rf build-1 (session)"),
        ("a", "always", "terminal may run rm -rf build-1 (always)"),
        ("A", "always", "terminal may run rm -rf build-1 (always)"),
        ("Always", "always", "terminal may run rm -rf build-1 (always)"),
        ("d", "deny", None),
        ("n", "deny", None),
        ("no", "deny", None),
    ],
)
def test_every_answer_is_understood(terminal: Terminal, keys: str, choice: str, grant: str | None) -> None:
    screen = terminal()
    screen.reply(keys + "\n")
    result = screen.result()
    assert (result["choice"], result["grant"]) == (choice, grant)
    assert result["by"].endswith(" (terminal)")
    assert_alive(screen)


@pytest.mark.parametrize(
    ("keys", "reason"),
    [
        ("\n", "bare Enter"),
        ("   \n", "bare Enter"),
        ("\x04", "end of input"),
        ("o\x04", "end of input"),
        ("\x03", "Ctrl-C"),
        ("o\x03", "Ctrl-C"),
    ],
)
def test_what_is_not_a_yes_is_a_no(terminal: Terminal, keys: str, reason: str) -> None:
    screen = terminal()
    screen.reply(keys)
    assert screen.wait_for(f"Denied: {reason}.").endswith(f"\nDenied: {reason}.")
    result = screen.result()
    assert (result["choice"], result["reason"]) == ("deny", reason)
    assert_alive(screen)


def test_a_signal_for_the_main_thread_denies_and_the_host_lives_on(terminal: Terminal) -> None:
    screen = terminal()
    screen.wait_for("Your answer: ")
    screen.process.send_signal(signal.SIGINT)
    assert screen.result()["reason"] == "Ctrl-C"
    assert_alive(screen)


def test_ctrl_c_at_the_prompt_of_another_thread_leaves_the_main_thread_alone(terminal: Terminal) -> None:
    screen = terminal(requests=[{}, {}])
    screen.reply("\x03")
    screen.reply("\x03")
    assert_alive(screen)
    assert screen.seen.count('"reason": "Ctrl-C"') == 2


@pytest.mark.parametrize(
    ("number", "choice", "grant"),
    [
        ("1", "session", "terminal may run rm -rf build-1 in /here (session)"),
        ("2", "always", "terminal may run rm -rf build-1 in /here (always)"),
    ],
)
def test_a_narrower_grant_can_be_chosen(terminal: Terminal, number: str, choice: str, grant: str) -> None:
    screen = terminal()
    screen.reply("l\n")
    offered = screen.reply(number + "\n")
    assert "2. always, only here:\r\n  | terminal may run rm -rf build-1 in /here (always)" in offered
    assert "the same" not in offered  # it has a key of its own
    assert "this time" not in offered  # and so has once
    assert "1-2 allow that, b back" in offered
    result = screen.result()
    assert (result["choice"], result["grant"]) == (choice, grant)
    assert_alive(screen)


def test_one_can_go_back_from_the_narrower_grants(terminal: Terminal) -> None:
    screen = terminal()
    for keys in ("l", "b", "limit", "back", "narrow", "b", "o"):
        screen.reply(keys + "\n")
    assert screen.result()["choice"] == "once"


@pytest.mark.parametrize("keys", ["", "d", "n", "no"])
def test_a_no_among_the_narrower_grants_is_a_no(terminal: Terminal, keys: str) -> None:
    screen = terminal()
    screen.reply("l\n")
    screen.reply(keys + "\n")
    assert screen.result()["choice"] == "deny"


def test_an_explanation_can_be_had_before_the_answer(terminal: Terminal) -> None:
    screen = terminal()
    screen.reply("e\n")
    explained = screen.reply("o\n")
    for part in (
        "delete.recursive (ask)",
        "effects: deletes",
        "net.note (note)",
        "because of: build",
        "session-9 (cli)",
    ):
        assert part in explained
    assert screen.result()["choice"] == "once"


def test_three_answers_that_mean_nothing_are_a_no(terminal: Terminal) -> None:
    screen = terminal()
    for keys in ("w", "1", "aa"):
        screen.reply(keys + "\n")
    result = screen.result()
    assert (result["choice"], result["reason"]) == ("deny", "three invalid answers")
    assert_alive(screen)


def test_numbers_that_are_not_on_offer_are_no_answers(terminal: Terminal) -> None:
    screen = terminal()
    for keys in ("l", "0", "l", "5", "l", "٣"):
        screen.reply(keys + "\n")
    assert screen.result()["reason"] == "three invalid answers"


def test_without_grants_only_once_is_on_offer(terminal: Terminal) -> None:
    screen = terminal(grants=False)
    assert "session" not in screen.reply("s\n").partition("Arguments:")[2]
    for keys in ("A", "l"):
        screen.reply(keys + "\n")
    assert screen.result()["choice"] == "deny"


def test_silence_is_not_an_answer(terminal: Terminal) -> None:
    screen = terminal(seconds=0.2)
    assert screen.result()["timed out"] == "no answer within 0.2 seconds"
    assert_alive(screen)


def test_half_an_answer_is_none_and_is_nobody_elses_input(terminal: Terminal) -> None:
    screen = terminal(seconds=2)
    screen.reply("o")
    assert "timed out" in screen.result()
    assert_alive(screen)


def test_what_was_typed_before_the_question_cannot_answer_it(terminal: Terminal) -> None:
    screen = terminal(type_ahead=True)
    screen.wait_for("TYPE NOW")
    screen.type("o\no\na\n")
    screen.reply("\n")
    result = screen.result()
    assert (result["choice"], result["reason"]) == ("deny", "bare Enter")


def test_the_second_line_of_a_paste_answers_nothing(terminal: Terminal) -> None:
    screen = terminal()
    screen.reply("what?\no\na\n")
    screen.reply("d\n")
    assert screen.result()["reason"] == "denied at the terminal"


def test_requests_of_several_threads_are_asked_one_after_the_other(terminal: Terminal) -> None:
    screen = terminal(requests=[{}, {}, {}])
    expected = {}
    for keys, choice in (("o", "once"), ("d", "deny"), ("s", "session")):
        shown = screen.reply(keys + "\n")
        assert shown.count("Approval needed") == 1
        expected["call-" + shown.partition("  | rm -rf build-")[2][0]] = choice
    assert_alive(screen)
    results = [json.loads(line) for line in re.findall(r"RESULT (.*)", screen.seen)]
    assert {result["id"]: result["choice"] for result in results} == expected
    assert len(expected) == 3


def test_the_time_of_a_request_starts_when_it_is_shown(terminal: Terminal) -> None:
    screen = terminal(requests=[{}, {}, {}], seconds=0.3)
    assert all("timed out" in screen.result() for _ in range(3))
    screen.wait_for("TOOK ")
    assert float(screen.wait_for("\n")) >= 0.9
    assert screen.seen.count("Approval needed") == 3


def test_a_request_that_was_cancelled_in_the_queue_is_not_shown(terminal: Terminal, tmp_path: Path) -> None:
    flag = tmp_path / "cancelled"
    screen = terminal(requests=[{}, {"cancelled_by": str(flag)}])
    if "build-2" in screen.wait_for("Your answer: "):  # the threads raced: cancelling takes it from the screen
        flag.touch()
        screen.wait_for("The call was cancelled")
        screen.reply("o\n")
    else:
        flag.touch()
        assert screen.result() == {"id": "call-2", "nothing": True}
        screen.type("o\n")
    assert_alive(screen)
    assert screen.seen.count("Allowed: once.") == 1


def test_a_request_that_is_cancelled_on_the_screen_is_taken_from_it(terminal: Terminal, tmp_path: Path) -> None:
    flag = tmp_path / "cancelled"
    screen = terminal(requests=[{"cancelled_by": str(flag)}])
    screen.wait_for("Your answer: ")
    flag.touch()
    screen.wait_for("The call was cancelled")
    assert screen.result() == {"id": "call-1", "nothing": True}
    assert_alive(screen)


def test_a_request_that_a_grant_has_answered_meanwhile_is_not_shown(terminal: Terminal) -> None:
    same = {"args": {"command": "rm -rf build"}}
    screen = terminal(requests=[same, same, {"args": {"command": "rm -rf other"}}], settled=True)
    for _ in range(2):
        shown = screen.reply("s\n")
        assert shown.count("Approval needed") == 1
    assert_alive(screen)
    results = [json.loads(line) for line in re.findall(r"RESULT (.*)", screen.seen)]
    assert sorted(result["choice"] for result in results) == ["once", "session", "session"]
    assert [result["by"] for result in results if result["choice"] == "once"] == ["grant g-1"]


def test_a_scope_that_is_not_on_offer_cannot_be_chosen(terminal: Terminal) -> None:
    screen = terminal(scopes=["always"])
    shown = screen.reply("s\n")
    assert "What 'session'" not in shown
    assert "o once, a always, l limit, e explain, d deny (Enter: deny)" in shown
    screen.reply("l\n")
    assert "session" not in screen.reply("1\n")
    assert screen.result()["choice"] == "always"


def test_secrets_are_shown_when_they_are_asked_for(terminal: Terminal) -> None:
    args = {"command": "login --token abcdef123", "password": "hunter2"}
    screen = terminal(requests=[{"args": args}], grants=False)
    shown = screen.reply("v\n")
    assert "  | login --token ***\r\n  password:\r\n  | ***\r\n" in shown
    assert "hunter2" not in shown
    assert "v values behind ***" in shown
    plain = screen.reply("o\n")
    assert "  | login --token abcdef123\r\n  password:\r\n  | hunter2\r\n" in plain
    assert screen.result()["choice"] == "once"


def test_without_secrets_there_are_none_to_ask_for(terminal: Terminal) -> None:
    screen = terminal()
    assert "v values" not in screen.reply("v\n")
    assert "not a valid answer" in screen.reply("d\n")


def test_in_a_narrow_terminal_no_line_of_the_prompt_breaks_a_word(terminal: Terminal) -> None:
    args = {"command": "rm -rf build && echo " + "some words that do not fit into one line " * 3}
    screen = terminal(requests=[{"args": args}], term="xterm", columns=60)
    prompt = screen.reply("d\n").partition("Approval needed")[2].partition("Your answer")[0]
    shown = re.sub(r"\x1b\[[0-9;]*m", "", prompt)
    assert max(map(len, shown.splitlines())) <= 60
    assert "o once, s session, a always, " in shown
    assert "(Enter: deny)" in shown
