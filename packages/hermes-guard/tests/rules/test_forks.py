"""Fork bombs, and harmless loops and functions that look like them."""

import pytest

from hermes_guard import judge

BOMBS = [
    ":(){ :|:& };:",
    ": () { : | : & }; :",
    "function b() { b|b& }; b",
    "bomb(){ bomb; bomb & }; bomb",
    "f() ( f | f & ); f",
    "f(){ while :; do f & done; }; f",
    "while :; do :& done",
    "while true; do bash & done",
    "while true\ndo\nbash &\ndone",
    "while :; do (sleep 100 &); done",
    "while [ 1 ]; do yes & done",
    "while true; do nohup yes & done",
    "while true; do echo hi; sleep 1000 & disown; done",
    "bash -c 'while :; do bash & done'",
    "yes | while read x; do bash & done",
    "echo '$0 & $0' > x; sh x",
    "echo './x & ./x' > x; chmod +x x; ./x",
    "echo 'sh x & sh x' > x; sh x",
    "echo './x | ./x' > x; sh x",
    "python3 -c 'import os\nwhile True: os.fork()'",
    'python3 -c \'import subprocess\nwhile True: subprocess.Popen(["sleep", "9"])\'',
    "perl -e 'fork while 1'",
    "ruby -e 'loop { fork }'",
]
LOOPS = [
    "while true; do server; sleep 5; done &",
    "for i in 1 2 3; do job & done; wait",
    "while true; do job & sleep 5; done",
    "while true; do job & wait; done",
    "while true; do npm test & wait -n; done",
    "while true; do job & break; done",
    'while true; do read line; handle "$line" & done',
    'while read f; do convert "$f" & done < list',
    'while read f; do true; convert "$f" & done < list',
    "while ! ready; do start & done",
    "while [ $i -lt 10 ]; do job & ((i++)); done",
    "while :; do :; done",
    "bomb(){ bomb; bomb & }",
    "f(){ sleep 1 & }; f",
    "retry(){ cmd || retry; }; retry",
    'walk(){ for d in "$1"/*; do [ -d "$d" ] && walk "$d" & done; wait; }; walk .',
    "echo './y & ./y' > x; sh x",
    "echo ':(){ :|:& };:'",
    "python3 -c 'import os,socket\ns=socket.socket()\nwhile True:\n  c,_=s.accept()\n  if os.fork()==0: print(c)'",
    "python3 -c 'import subprocess,time\nwhile True:\n  subprocess.Popen([\"ls\"])\n  time.sleep(5)'",
]


@pytest.mark.parametrize("command", BOMBS)
def test_a_fork_bomb_is_refused(command: str) -> None:
    assert judge(command, home="/home/dev").refused


@pytest.mark.parametrize("command", LOOPS)
def test_what_waits_or_ends_is_no_fork_bomb(command: str) -> None:
    assert judge(command, home="/home/dev").severity == "allow"


def test_a_loop_that_never_begins_is_told_from_one_that_never_ends() -> None:
    assert judge("until false; do sleep 1000 & done").severity == "refuse"
    assert judge("while false; do sleep 1000 & done").allowed
