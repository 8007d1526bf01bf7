"""The `hermes-guard` command: what it prints, and what its exit status says."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from hermes_guard.cli.main import main

HOME = ["--home", "/home/dev"]


def test_the_exit_code_is_the_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "ls -la", *HOME]) == 0
    assert main(["explain", "rm -rf build", *HOME]) == 1
    assert main(["explain", "rm -rf /", *HOME]) == 4
    assert [line for line in capsys.readouterr().out.splitlines() if line.startswith("Verdict")] == [
        "Verdict: allow",
        "Verdict: ask",
        "Verdict: refuse",
    ]


def test_explain_shows_the_tree_of_what_would_run(capsys: pytest.CaptureFixture[str]) -> None:
    main(["explain", "cd /srv && echo $(date) | sudo tee /etc/motd", *HOME])
    shown = capsys.readouterr().out.splitlines()
    assert shown[:6] == [
        "What would run:",
        "  cd /srv",
        "  echo $(date)  [in /srv; into sudo]",
        "    date  [in /srv]",
        "  sudo tee /etc/motd  [in /srv]",
        "    tee /etc/motd  [as root; in /srv; writes /etc/motd]",
    ]


def test_explain_prints_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "sh -c 'rm -r a' > log", "--json", "--cwd", "/w", *HOME]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["severity"] == "ask"
    assert found["findings"][0]["rule"] == "delete.recursive"
    (step,) = found["steps"]
    assert (step["argv"], step["writes"], step["cwd"]) == (["sh", "-c", "rm -r a"], ["/w/log"], "/w")
    assert [child["argv"] for child in step["children"]] == [["rm", "-r", "a"]]


def test_nothing_reaches_the_terminal_that_would_steer_it(capsys: pytest.CaptureFixture[str]) -> None:
    main(["explain", "echo '\x1b[31m' \u202e\u200b \x7f \udc80 \ue000 'a\nb' \r x", *HOME])
    main(["explain", "echo '\x1b[31m' \u202e\u200b \x7f \udc80", "--json", *HOME])
    out = capsys.readouterr().out
    assert all(char == "\n" or char.isprintable() for char in out)
    assert "\\x1b[31m" in out
    assert "\\u202e" in out


@pytest.mark.parametrize("words", ["--help", "--version", "explain ls", "rules", "rules --json"])
@pytest.mark.parametrize(("where", "reason"), [(">/dev/full", "No space left on device"), (">&-", "it is closed")])
def test_a_stdout_that_takes_nothing_is_one_clear_error(words: str, where: str, reason: str) -> None:
    done = in_a_shell(f"{sys.executable} -m hermes_guard {words} {where}")
    assert (done.returncode, done.stderr) == (74, f"hermes-guard: error: cannot write to stdout: {reason}\n")


@pytest.mark.parametrize("words", ["--help", "rules"])
def test_a_reader_that_is_gone_ends_it_without_a_word(words: str) -> None:
    done = in_a_shell(f"set -o pipefail; (sleep 0.2; exec {sys.executable} -m hermes_guard {words}) | true")
    assert (done.returncode, done.stderr) == (141, "")


@pytest.mark.parametrize("where", ["2>/dev/full", "2>&-"])
def test_a_stderr_that_takes_nothing_changes_no_exit_status(where: str) -> None:
    assert in_a_shell(f"{sys.executable} -m hermes_guard nonsense {where}").returncode == 2
    assert in_a_shell(f"{sys.executable} -m hermes_guard explain 'rm -rf /' {where}").returncode == 4


def in_a_shell(line: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=60, check=False)


def test_a_command_may_come_from_the_input() -> None:
    command = [sys.executable, "-m", "hermes_guard", "explain", "-"]
    done = subprocess.run(command, input="rm -rf /", capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (4, "")


def test_a_locale_without_the_letters_is_no_failure() -> None:
    command = [sys.executable, "-X", "utf8=0", "-m", "hermes_guard", "explain", "echo 日本"]
    env = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "ascii:strict"}
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    "arguments",
    [["explain"], ["explain", "a", "b"], ["path", "eat", "x"], ["check", "/no/such/file"], ["nonsense"]],
)
def test_wrong_usage_is_no_verdict(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    printed = capsys.readouterr()
    assert printed.err.startswith("hermes-guard: error: ")
    assert printed.err.count("\n") == 1
    assert printed.out == ""


def test_help_is_no_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    assert main([]) == 0
    assert main(["--version"]) == 0
    assert main(["explain", "-h"]) == 0
    printed = capsys.readouterr()
    assert printed.out.count("Usage: hermes-guard") == 3
    assert printed.err == ""


def test_the_exit_codes_are_those_of_hermes(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--help"])
    codes = re.findall(r"^ +(\d+)  ", capsys.readouterr().out, re.MULTILINE)
    assert codes == ["0", "1", "2", "4", "74"]


def test_check_judges_a_file_of_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "commands"
    file.write_text("# a comment\n\nls\n{ ls; }\n  rm -r x\n" + json.dumps({"command": "echo a\nreboot"}) + "\n")
    assert main(["check", str(file), *HOME]) == 4
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["allow", "allow", "ask", "refuse", "4"]
    assert lines[-1] == "4 commands: 2 allow, 1 ask, 1 refuse"


def test_check_compares_with_what_is_expected(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "commands"
    file.write_text('{"command": "ls", "expect": "allow"}\n{"command": "rm -r x", "expect": "ask"}\n')
    assert main(["check", str(file), *HOME]) == 0
    file.write_text('{"command": "ls", "expect": "ask"}\nreboot\n')
    assert main(["check", str(file), *HOME]) == 1
    assert "(expected ask)" in capsys.readouterr().out
    assert main(["check", str(file), "--json", *HOME]) == 1
    assert json.loads(capsys.readouterr().out)["summary"] == {"allow": 1, "ask": 0, "refuse": 1, "different": 1}


def test_check_says_which_line_expects_nonsense(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "commands"
    file.write_text('ls\n{"command": "ls", "expect": "maybe"}\n')
    assert main(["check", str(file)]) == 2
    assert "commands:2" in capsys.readouterr().err


def test_path_judges_a_path(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["path", "read", "src/app.py", "--workspace", "/home/dev/shop", *HOME]) == 0
    assert main(["path", "write", "~/.bashrc", *HOME]) == 1
    assert main(["path", "write", "/dev/sda", "--json", *HOME]) == 4
    assert '"path.raw-disk"' in capsys.readouterr().out


RULES = """
[[rule]]
id = "mine.deploy"
program = "deploy"
args = ["prod*"]
severity = "refuse"
reason = "people deploy to production"
match = ["deploy production"]
not_match = ["deploy staging"]

[[path]]
id = "mine.ledger"
ops = ["write"]
severity = "refuse"
reason = "The ledger is only ever read."
patterns = ["**/ledger.csv"]
match = ["/srv/ledger.csv"]
not_match = ["/srv/other.csv"]
"""


def test_rules_of_a_file_take_part_everywhere(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "rules.toml"
    file.write_text(RULES)
    more = ["--rules", str(file)]
    assert main(["explain", "sudo deploy production", *more, *HOME]) == 4
    assert main(["path", "write", "ledger.csv", "--workspace", "/w", *more, *HOME]) == 4
    capsys.readouterr()
    assert main(["rules", "--json", *more]) == 0
    listed = {entry["id"]: entry for entry in json.loads(capsys.readouterr().out)}
    assert listed["mine.deploy"]["severity"] == "refuse"
    assert {"mine.ledger", "delete.recursive", "path.ssh-key", "shell.unknown-command"} <= listed.keys()


def test_rules_can_be_tried_on_their_examples(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "rules.toml"
    file.write_text(RULES.replace("deploy staging", "deploy prod-2"))
    assert main(["rules", "--check", "--rules", str(file)]) == 1
    assert "mine.deploy hits 'deploy prod-2'" in capsys.readouterr().out


def test_a_bad_file_of_rules_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "rules.toml"
    for text in ("[[rules]]\n", "rule = 3\n", "[[path]]\nid = 'x'\n", "[[rule", "[[rule]]\nid='x'\nprogram=[1]\n"):
        file.write_text(text)
        assert main(["explain", "ls", "--rules", str(file)]) == 2
        assert str(file) in capsys.readouterr().err


def test_a_reader_that_goes_away_is_no_failure() -> None:
    script = f"{sys.executable} -m hermes_guard rules | head -n 1"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
