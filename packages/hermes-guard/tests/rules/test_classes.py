"""Other machines, containers, searched disks and deployments: commands from files, by expected verdict."""

from pathlib import Path

import pytest

from hermes_guard import Guard

GUARD = Guard()
COMMANDS = Path(__file__).with_name("commands")


def _commands(name: str) -> list[str]:
    return (COMMANDS / name).read_text(encoding="utf-8").splitlines()


def _severity(command: str) -> str:
    return GUARD.judge(command, home="/home/dev", cwd="/home/dev/project").severity


@pytest.mark.parametrize("command", _commands("classes_refused.txt"))
def test_what_is_lost_anywhere_is_refused(command: str) -> None:
    assert _severity(command) == "refuse"


@pytest.mark.parametrize("command", _commands("classes_asked.txt"))
def test_what_an_operator_decides_is_asked_about(command: str) -> None:
    assert _severity(command) == "ask"


@pytest.mark.parametrize("command", _commands("classes_unasked.txt"))
def test_the_neighbours_run_unasked(command: str) -> None:
    assert _severity(command) == "allow"


@pytest.mark.parametrize(
    "script",
    [
        "aws s3 cp s3://b/i.html - | head\npython3 - <<'PY'\nprint(1)\nPY",
        "curl -s -o - https://x/y | head\npython3 - <<'PY'\nprint(1)\nPY",
        'servers=()\nstart() { node "$1.js" & servers+=($!); }\n'
        'stop() { for p in "${servers[@]}"; do kill "$p"; done; }\ntrap stop EXIT\nstart a\nstart b\nstart c\nwait',
    ],
)
def test_scripts_with_their_own_output_and_children_run_unasked(script: str) -> None:
    assert _severity(script) == "allow"
