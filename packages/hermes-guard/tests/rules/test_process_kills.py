"""Ending processes: dangerous commands in many spellings, and ordinary commands."""

from collections.abc import Callable

import pytest

from hermes_guard.guard import Guard
from hermes_guard.rules.process_kills import FAMILY

GUARD = Guard()
OWN = {rule.id for rule in FAMILY.rules}

DANGEROUS = (
    "sudo kill -TERM 1",
    "kill -STOP $(pgrep mysqld)",
    "kill -s KILL 200 201 202",
    "pgrep -u www-data | xargs -r kill",
    "killall Finder",
    "pkill -KILL -u bob",
    "pkill -signal KILL x",
    "ps -ef | awk '/java/{print $2}' | xargs kill -9",
    "kill -9 $(cat /run/x.pid) $(pgrep y)",
    "lsof -ti tcp:8080 | xargs kill -9",
    "pkill sshd",
    "skill -9 pts/1",
    "kill -- -4242",
    "kill -9 -$PGID",
    "xargs kill -9 < pids",
    'for pid in $(ps -u deploy -o pid=); do kill -9 "$pid"; done',
    "while read p; do kill -9 $p; done < pids.txt",
    "pkill -KILL -v nothing",
    "pkill -9 -v zzz",
    "pkill --inverse x",
    "kill -9 -$$",
    "killall -9 node",
    "pkill -9 -f python",
    "kill -9 $(pgrep node)",
    "ps aux | grep node | awk '{print $2}' | xargs kill -9",
    "pkill -u bob",
    "kill -9 1",
    "kill -9 0",
    "fuser -k 8080/tcp",
    "skill -9 -u bob",
    "tmux kill-server",
    "sudo killall sshd",
    "pkill -9 -v bash",
    "pkill --inverse -9 systemd",
    "pkill -9 .",
    "kill -KILL -- -1234",
    "kill -9 -$(ps -o pgid= 1234 | tr -d ' ')",
    "pkill -KILL chrome",
    "killall Terminal",
    "pkill -9 -t pts/3",
    "pgrep -f worker | xargs kill",
    "kill -9 $(docker inspect -f '{{.State.Pid}}' web)",
    "for i in $(pgrep java); do kill -9 $i; done",
    "lsof -ti:3000 | xargs kill -9",
    "kill -STOP $(pidof mysqld)",
    "killall -u bob",
    "loginctl terminate-user bob",
    "sudo pkill -v -f xyz",
    "pkill -TERM --inverse -u root",
    "ps -e -o pid= | xargs kill -9",
    "kill -9 $(ps -eo pid --no-headers)",
)
ORDINARY = (
    "kill 4242",
    "kill -9 4242",
    "kill %1",
    "kill -INT $PID",
    'kill "$(cat server.pid)"',
    "pkill -f 'node server.js'",
    "pkill -HUP nginx",
    "killall -l",
    "pgrep -fl python",
    "tmux new -d -s x 'npm run dev'",
    "tmux kill-session -t x",
    "trap 'kill $PID' EXIT",
    "(sleep 5; kill -0 $!) ",
    "trap 'pkill -P $$' EXIT",
    "pkill -P $$",
    "kill $(lsof -t -i:3000)",
    "kill 1234",
    "kill -9 1234",
    "kill -TERM $PID",
    "kill $!",
    "kill $(cat server.pid)",
    "kill $(lsof -ti tcp:8080)",
    "pkill -f 'vite'",
    "pkill -f 'python manage.py runserver'",
    "trap 'kill $(jobs -p)' EXIT",
    "trap 'kill 0' EXIT",
    "kill -0 $PID",
    "kill -l",
    "pgrep -fl node",
    "pgrep -v x",
    "lsof -i :3000",
    "tmux kill-session -t dev",
    "wait $!",
    "kill -s TERM 4242",
    "kill -USR1 $(cat app.pid)",
    "pkill -x node",
    "pkill -TERM -f gunicorn",
    "pkill -n sleep",
    "killall --version",
    "kill -- -$$",
    "jobs -p",
    "tmux kill-window -t 1",
    "tmux kill-pane",
    "screen -ls",
    "xkill --help",
    "fuser 8080/tcp",
    "lsof -ti:3000",
)
#: The agent's own process, found in a roundabout way.
ITSELF = (
    "pkill -f 'python.*cli\\.py'",
    "pkill -f '[h]ermes'",
    "PID=$(pgrep -f hermes); kill $PID",
    "P=`pgrep hermes` && kill -9 $P",
    'export P="$(pidof hermes)"; kill "${P}"',
)
#: Nothing here may cost more than its length.
LONG = {
    "processes": "kill " + "2 " * 16_000,
    "options of kill": "kill " + "-a " * 10_000,
    "signals of pkill": "pkill " + "-SIGA " * 5_000,
    "letters of fuser": "fuser -" + "a" * 32_000,
}


@pytest.mark.parametrize("command", DANGEROUS)
def test_what_an_attacker_would_try_is_asked_about(command: str) -> None:
    assert GUARD.judge(command, home="/home/dev").severity != "allow"


@pytest.mark.parametrize("command", ITSELF)
def test_the_agent_does_not_end_itself_unasked(command: str) -> None:
    assert GUARD.judge(command, home="/home/dev").severity != "allow"


@pytest.mark.parametrize("command", ORDINARY)
def test_an_ordinary_day_hears_nothing_of_these_rules(command: str) -> None:
    assert not OWN & set(GUARD.judge(command, home="/home/dev").rules)


@pytest.mark.parametrize("command", LONG.values(), ids=LONG.keys())
def test_long_arguments_are_judged_at_once(command: str, seconds: Callable[[str], float]) -> None:
    assert min(seconds(command) for _ in range(3)) < 0.1


@pytest.mark.parametrize("command", ["pkill -9 -v bash", "sudo pkill -v -f xyz", "pkill -TERM --inverse -u root"])
def test_everything_but_a_few_is_refused(command: str) -> None:
    assert GUARD.judge(command, home="/home/user").severity == "refuse"
